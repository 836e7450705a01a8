//! Texts for tools that report positions in models: exactly the texts from which the model was built.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use dlang_server::OpenText;
use dlang_workspace::files::{EXTENSION, LOCK, MANIFEST};
use zubi_base::fs::{self, ReadError};
use zubi_base::text::{RecentTexts, SourceText, TextOrigin, TextSource};

use super::model::DomainModel;

pub(super) struct ModelTexts {
    model: Arc<DomainModel>,
    /// The texts of files that no editor has open.
    disk: RecentTexts,
}

impl ModelTexts {
    pub(super) fn new(model: &Arc<DomainModel>) -> Self {
        Self { model: Arc::clone(model), disk: RecentTexts::default() }
    }

    /// Returns the editor's text of a file of the model, which may be unsaved.
    fn open_text(&self, path: &Utf8Path) -> Option<SourceText> {
        // Editors open only these files with the DomainLang server.
        if path.extension() != Some(EXTENSION) && !matches!(path.file_name(), Some(MANIFEST | LOCK)) {
            return None;
        }
        let texts = self.model.server()?.open_texts();
        // The editor may have opened the file through a symlink.
        let is_same = |open_path: &Utf8Path| {
            open_path == path
                || open_path.file_name() == path.file_name() && fs::canonical(open_path).is_ok_and(|real| real == path)
        };
        let (_, OpenText { version, text }) = texts.iter().find(|(open_path, _)| is_same(open_path))?;
        Some(SourceText { text: Arc::clone(text), bom: false, origin: TextOrigin::Editor { version: *version } })
    }
}

#[async_trait]
impl TextSource for ModelTexts {
    async fn read(&self, path: &Utf8Path) -> Result<SourceText, ReadError> {
        match self.open_text(path) {
            Some(text) => Ok(text),
            None => self.disk.read(path).await,
        }
    }

    fn unsaved_texts(&self) -> BTreeMap<Utf8PathBuf, Arc<str>> {
        let Some(server) = self.model.server() else { return BTreeMap::new() };
        let canonical = |path: &Utf8Path| fs::canonical(path).unwrap_or_else(|_| path.to_owned());
        server.open_texts().iter().map(|(path, open_text)| (canonical(path), Arc::clone(&open_text.text))).collect()
    }
}
