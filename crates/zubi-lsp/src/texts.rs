//! Texts as the user sees them: what is not saved comes from the editor, everything else from disk.
//!
//! The editor tells of its documents whenever any of them has changed, a moment later while somebody types. So that no answer
//! is behind the keyboard, it is asked to tell what it has not told yet before a file is read that it has open.

pub(crate) mod documents;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::{EndpointError, RequestCx};
use zubi_base::fs::{self, ReadError};
use zubi_base::text::{BOM, SourceText, TextOrigin, TextSource};

use self::documents::{Document, MAX_BYTES, MAX_TEXT_BYTES};
use crate::editor::{DOMAINLANG, Editor};
use crate::wire::EDITOR_FLUSH;

/// How long the editor may take to say what is typed.
const PATIENCE: Duration = Duration::from_secs(10);

/// The texts of one editor.
pub(crate) struct EditorText {
    below: Arc<dyn TextSource>,
    editor: Arc<Editor>,
    /// How many reads have wanted to know what is typed.
    asked: AtomicU64,
    /// How many of them do, because the editor was asked after them.
    answered: Mutex<u64>,
}

impl EditorText {
    pub(crate) fn new(below: Arc<dyn TextSource>, editor: Arc<Editor>) -> Self {
        Self { below, editor, asked: AtomicU64::new(0), answered: Mutex::new(0) }
    }

    /// Waits until everything that was typed before this call has been told. Calls that come together ask once.
    async fn flush(&self) -> Result<(), EndpointError> {
        if !self.editor.answers(EDITOR_FLUSH) {
            return Ok(());
        }
        let mine = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut answered = self.answered.lock().await;
        if *answered >= mine {
            return Ok(());
        }
        let upto = self.asked.load(Ordering::SeqCst);
        let cx = RequestCx::new(CancellationToken::new(), Instant::now() + PATIENCE);
        self.editor.send(EDITOR_FLUSH, EDITOR_FLUSH, Value::Null, &cx).await?;
        *answered = upto;
        Ok(())
    }

    /// What the editor has of a file that is not saved; `None`: the disk has the same.
    async fn unsaved_text(&self, path: &Utf8Path) -> Result<Option<SourceText>, ReadError> {
        // The language server has the texts of models; it hears of each change before a question.
        if path.extension() == Some(DOMAINLANG) || self.editor.told.documents.get(path).is_none() {
            return Ok(None);
        }
        let refused = |why: String| ReadError::Io { path: path.to_owned(), source: io::Error::other(why) };
        self.flush()
            .await
            .map_err(|error| refused(format!("the editor has it open and does not tell its text: {error}")))?;
        match self.editor.told.documents.get(path) {
            Some(Document { is_dirty: true, text: Some(text), version, .. }) => {
                Ok(Some(SourceText { text, bom: has_bom(path), origin: TextOrigin::Editor { version } }))
            }
            Some(Document { is_dirty: true, is_crowded_out: true, .. }) => Err(refused(format!(
                "its text in the editor is not saved, and what is not saved there has more than {} MiB together; save some of it first",
                MAX_BYTES >> 20
            ))),
            Some(Document { is_dirty: true, .. }) => Err(refused(format!(
                "its text in the editor is not saved and has more than {} MiB; save it there first",
                MAX_TEXT_BYTES >> 20
            ))),
            _ => Ok(None),
        }
    }
}

/// Whether a file on disk begins with a byte-order mark: an editor keeps it out of the text.
pub(crate) fn has_bom(path: &Utf8Path) -> bool {
    use std::io::Read as _;
    let mut beginning = [0; BOM.len()];
    fs::open_no_follow(path).is_ok_and(|mut file| file.read_exact(&mut beginning).is_ok())
        && beginning == *BOM.as_bytes()
}

#[async_trait]
impl TextSource for EditorText {
    async fn read(&self, path: &Utf8Path) -> Result<SourceText, ReadError> {
        match self.unsaved_text(path).await? {
            Some(text) => Ok(text),
            None => self.below.read(path).await,
        }
    }

    fn unsaved_texts(&self) -> BTreeMap<Utf8PathBuf, Arc<str>> {
        let mut unsaved = self.below.unsaved_texts();
        for (path, text) in self.editor.told.documents.unsaved_texts() {
            unsaved.entry(path).or_insert(text);
        }
        unsaved
    }
}
