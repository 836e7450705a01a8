//! Texts as the user sees them: unsaved texts come from the editor, all others from disk.
//!
//! The editor sends changes of its documents with a short delay while the user types. To return the current text, zubi
//! requests pending changes before it reads a file that is open in the editor.

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

use self::documents::{EditorDocument, MAX_BYTES, MAX_TEXT_BYTES};
use crate::editor::{DOMAINLANG, Editor};
use crate::wire::EDITOR_FLUSH;

/// Time-out for the editor to send pending changes.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(10);

/// Texts of one editor.
pub(crate) struct EditorText {
    fallback: Arc<dyn TextSource>,
    editor: Arc<Editor>,
    /// Number of reads that have requested a flush.
    requested: AtomicU64,
    /// Number of those reads that a completed flush covers.
    answered: Mutex<u64>,
}

impl EditorText {
    pub(crate) fn new(fallback: Arc<dyn TextSource>, editor: Arc<Editor>) -> Self {
        Self { fallback, editor, requested: AtomicU64::new(0), answered: Mutex::new(0) }
    }

    /// Waits until the editor has sent every change made before this call. Concurrent calls share one request.
    async fn flush(&self) -> Result<(), EndpointError> {
        if !self.editor.answers(EDITOR_FLUSH) {
            return Ok(());
        }
        let number = self.requested.fetch_add(1, Ordering::SeqCst) + 1;
        let mut answered = self.answered.lock().await;
        if *answered >= number {
            return Ok(());
        }
        let flushed = self.requested.load(Ordering::SeqCst);
        let cx = RequestCx::new(CancellationToken::new(), Instant::now() + FLUSH_TIMEOUT);
        self.editor.send(EDITOR_FLUSH, EDITOR_FLUSH, Value::Null, &cx).await?;
        *answered = flushed;
        Ok(())
    }

    /// Unsaved text of a file; `None` if it is the same as on disk.
    async fn unsaved_text(&self, path: &Utf8Path) -> Result<Option<SourceText>, ReadError> {
        // The language server has the texts of models: it receives each change before later requests.
        if path.extension() == Some(DOMAINLANG) || self.editor.pushed_state.documents.get(path).is_none() {
            return Ok(None);
        }
        let refused = |why: String| ReadError::Io { path: path.to_owned(), source: io::Error::other(why) };
        self.flush()
            .await
            .map_err(|error| refused(format!("it is open in the editor, which does not send its text: {error}")))?;
        match self.editor.pushed_state.documents.get(path) {
            Some(EditorDocument { is_dirty: true, text: Some(text), version, .. }) => {
                Ok(Some(SourceText { text, bom: has_bom(path), origin: TextOrigin::Editor { version } }))
            }
            Some(EditorDocument { is_dirty: true, is_crowded_out: true, .. }) => Err(refused(format!(
                "its text in the editor is not saved, and unsaved texts exceed {} MiB in total; save some of them first",
                MAX_BYTES >> 20
            ))),
            Some(EditorDocument { is_dirty: true, .. }) => Err(refused(format!(
                "its text in the editor is not saved and exceeds {} MiB; save it there first",
                MAX_TEXT_BYTES >> 20
            ))),
            _ => Ok(None),
        }
    }
}

/// Whether a file on disk begins with a byte-order mark: editors do not include it in the text.
pub(crate) fn has_bom(path: &Utf8Path) -> bool {
    use std::io::Read as _;
    let mut start = [0; BOM.len()];
    fs::open_no_follow(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok()) && start == *BOM.as_bytes()
}

#[async_trait]
impl TextSource for EditorText {
    async fn read(&self, path: &Utf8Path) -> Result<SourceText, ReadError> {
        match self.unsaved_text(path).await? {
            Some(text) => Ok(text),
            None => self.fallback.read(path).await,
        }
    }

    fn unsaved_texts(&self) -> BTreeMap<Utf8PathBuf, Arc<str>> {
        let mut unsaved = self.fallback.unsaved_texts();
        for (path, text) in self.editor.pushed_state.documents.unsaved_texts() {
            unsaved.entry(path).or_insert(text);
        }
        unsaved
    }
}
