//! Texts for tools that speak of places in models: they must be those that the model was made of.

use std::sync::Arc;

use async_trait::async_trait;
use camino::Utf8Path;
use dlang_workspace::files::{EXTENSION, LOCK, MANIFEST};
use tokio::sync::oneshot;
use zubi_base::fs::ReadError;
use zubi_base::text::{DiskText, SourceText, TextOrigin, TextSource};

use super::model::DomainModel;

pub(super) struct ModelTexts(Arc<DomainModel>);

impl ModelTexts {
    pub(super) fn new(model: &Arc<DomainModel>) -> Self {
        Self(Arc::clone(model))
    }

    /// What the editor of the model has of a file and has possibly not saved.
    async fn open(&self, path: &Utf8Path) -> Option<SourceText> {
        // An editor opens no other files with this server, so there is no need to ask.
        if path.extension() != Some(EXTENSION) && !matches!(path.file_name(), Some(MANIFEST | LOCK)) {
            return None;
        }
        let (sender, text) = oneshot::channel();
        let path = path.to_owned();
        self.0.server()?.lend(move |snapshot| {
            let open = snapshot.open_texts().find(|open| open.path == path);
            sender.send(open.map(|open| (Arc::clone(open.text), open.version))).ok();
        });
        let (text, version) = text.await.ok()??;
        Some(SourceText { text, bom: false, origin: TextOrigin::Editor { version } })
    }
}

#[async_trait]
impl TextSource for ModelTexts {
    async fn read(&self, path: &Utf8Path) -> Result<SourceText, ReadError> {
        match self.open(path).await {
            Some(text) => Ok(text),
            None => DiskText.read(path).await,
        }
    }
}
