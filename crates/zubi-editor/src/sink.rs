//! Edits through the editor: the user sees them and can undo them, and no typed text is lost.
//!
//! A new text is sent as minimal edits together with the hash of the text they apply to, so that a key press in between
//! makes the editor refuse all of them. zubi waits for an edit that has started, whatever happens: it must not report a
//! failure while the edit is still running.

mod minimal;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use dlang_server::{ClientError, ClientHandle};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use zubi_base::lsp::Uri;
use zubi_base::text::{
    BOM, ChangedFile, ContentHash, EditOptions, EditOutcome, EditSink, EditorSink, FileOperation, SinkError, TextSource,
};
use zubi_base::{fs, uri};

use crate::editor::Editor;
use crate::settings::SettingsBackup;
use crate::texts::has_bom;
use crate::wire::EDITOR_APPLY;
use crate::wire::editor::{EditorApplyParams, EditorApplyResult, EditorChange};

/// Time-out for an edit to start and finish; after that, an edit that has not started is cancelled.
const APPLY_TIMEOUT: Duration = Duration::from_mins(1);
/// Additional time for an edit that has started.
const GRACE: Duration = Duration::from_mins(1);

/// LSP's `ContentModified`: a text has changed since the edit was made for it. The message is its URI.
const CONTENT_MODIFIED: i32 = -32801;

/// Edit sink of one editor.
pub(crate) struct ChannelSink {
    client: ClientHandle,
    editor: Arc<Editor>,
    texts: Arc<dyn TextSource>,
}

impl ChannelSink {
    pub(crate) fn new(client: ClientHandle, editor: Arc<Editor>, texts: Arc<dyn TextSource>) -> Self {
        Self { client, editor, texts }
    }

    /// Converts the operations to LSP's format, and collects the hashes of the texts they apply to, by URI.
    async fn compose(&self, operations: &[FileOperation]) -> Result<(Vec<Value>, BTreeMap<String, String>), SinkError> {
        let pushed_state = &self.editor.pushed_state;
        let (mut edits, mut texts) = (Vec::new(), BTreeMap::new());
        for (index, operation) in operations.iter().enumerate() {
            let path = operation.path();
            let changed = || SinkError::Changed { path: path.to_owned() };
            match operation {
                FileOperation::Write { before: Some(before), content, .. } => {
                    let now = before_moves(operations.get(..index).unwrap_or_default(), path);
                    let source = self.texts.read(&now).await.map_err(|_| changed())?;
                    if source.hash() != *before {
                        return Err(changed());
                    }
                    let content = std::str::from_utf8(content).map_err(|_| sink_refused("it accepts only text"))?;
                    let text = content.strip_prefix(BOM).unwrap_or(content);
                    let text_edits = minimal::edits(&source.text, text, self.editor.encoding);
                    let version = pushed_state.documents.get(&now).map(|document| document.version);
                    texts.insert(pushed_state.uri_of(&now).0, hash(&source.text));
                    edits.push(json!({
                        "textDocument": { "uri": pushed_state.uri_of(if now == path { &now } else { path }), "version": version },
                        "edits": text_edits,
                    }));
                }
                FileOperation::Rename { from, to } => {
                    edits.push(json!({ "kind": "rename", "oldUri": pushed_state.uri_of(from), "newUri": pushed_state.uri_of(to) }));
                }
                FileOperation::Delete { before, .. } => {
                    // Deletion loses unsaved text, on disk as well as for undo. Binary files have none.
                    let source = self.texts.read(path).await;
                    if pushed_state.documents.get(path).is_some_and(|document| document.is_dirty) {
                        return Err(sink_refused(&format!(
                            "`{path}` has unsaved changes: save it in the editor first"
                        )));
                    }
                    if fs::read_bytes(path).map_or(true, |bytes| ContentHash::from_bytes(&bytes) != *before) {
                        return Err(changed());
                    }
                    if let Ok(source) = source {
                        if source.hash() != *before {
                            return Err(changed());
                        }
                        texts.insert(pushed_state.uri_of(path).0, hash(&source.text));
                    }
                    edits.push(json!({ "kind": "delete", "uri": pushed_state.uri_of(path) }));
                }
                _ => return Err(sink_refused("it does not create files, folders or links")),
            }
        }
        Ok((edits, texts))
    }

    async fn apply_edit(
        &self,
        operations: &[FileOperation],
        options: &EditOptions,
    ) -> Result<(EditorApplyResult, EditOutcome), SinkError> {
        let (edits, texts) = self.compose(operations).await?;
        let file = self.editor.pushed_state.settings_file().filter(|_| !options.settings.is_empty());
        let backup = file.as_deref().map(SettingsBackup::capture);
        let answer = self
            .request(&EditorApplyParams {
                edit: json!({ "documentChanges": edits }),
                texts,
                save: options.save,
                settings: options.settings.clone(),
                is_followed: options.followed,
            })
            .await;
        if let Some(backup) = backup {
            backup.restore();
        }
        let answer = answer?;
        let mut outcome = EditOutcome::default();
        for EditorChange { uri, before, after, is_saved, is_typed } in &answer.changed {
            let Some(path) = uri::to_path(&Uri(uri.clone())) else { continue };
            let path = fs::canonical(&path).unwrap_or(path);
            if file.as_ref().is_some_and(|file| fs::canonical(file).is_ok_and(|file| file == path)) {
                continue;
            }
            if *is_typed {
                outcome.typed.push(path);
                continue;
            }
            let bom = if has_bom(&path) { BOM } else { "" };
            let bytes = |text: &str| [bom.as_bytes(), text.as_bytes()].concat();
            if !is_saved {
                outcome.unsaved.push(path.clone());
            }
            outcome.changed.push(ChangedFile { path, before: bytes(before), after: bytes(after) });
        }
        let unrestored = answer
            .unrestored_settings
            .iter()
            .map(|key| format!("the setting `{key}` could not be restored: check it in the editor"));
        outcome.notes.extend(unrestored);
        Ok((answer, outcome))
    }

    /// Sends an edit to the editor. On time-out, cancels an edit that has not started, and waits for one that has.
    async fn request(&self, params: &EditorApplyParams) -> Result<EditorApplyResult, SinkError> {
        let (sender, mut answer) = oneshot::channel();
        let id = self.client.request(EDITOR_APPLY, json!(params), move |result| {
            sender.send(result).ok();
        });
        let answer = match tokio::time::timeout(APPLY_TIMEOUT, &mut answer).await {
            Ok(answer) => answer,
            Err(_) => {
                self.client.notify("$/cancelRequest", json!({ "id": id }));
                let answer = tokio::time::timeout(GRACE, answer).await;
                answer.map_err(|_| SinkError::Doubtful { reason: "it does not answer".to_owned() })?
            }
        };
        match answer {
            Ok(Ok(result)) => serde_json::from_value(result)
                .map_err(|error| SinkError::Doubtful { reason: format!("cannot parse its answer: {error}") }),
            Ok(Err(ClientError::Refused { code: CONTENT_MODIFIED, message })) => {
                let path = uri::to_path(&Uri(message)).unwrap_or_default();
                Err(SinkError::Changed { path: fs::canonical(&path).unwrap_or(path) })
            }
            Ok(Err(ClientError::Refused { message, .. })) => Err(SinkError::Refused { reason: message }),
            Ok(Err(ClientError::Closed)) | Err(_) => {
                Err(SinkError::Doubtful { reason: "it has closed the connection".to_owned() })
            }
        }
    }
}

#[async_trait]
impl EditSink for ChannelSink {
    async fn apply(&self, operations: &[FileOperation], options: &EditOptions) -> Result<EditOutcome, SinkError> {
        let affected_paths = paths_after(operations);
        let answer = self.apply_edit(operations, options).await;
        // If a step fails, VS Code neither reverts nor reports files that it has already moved.
        let moved = || affected_paths.iter().filter(|(path, existed)| exists(path) != *existed).map(|(path, _)| *path);
        let (answer, mut outcome) = match answer {
            Err(SinkError::Refused { reason }) if moved().next().is_some() => {
                return Err(partial_failure(&reason, moved()));
            }
            answer => answer?,
        };
        if !answer.applied {
            let mut why = answer.failure_reason.unwrap_or_else(|| "it gives no reason".to_owned());
            for note in &outcome.notes {
                why.push_str("; ");
                why.push_str(note);
            }
            let is_target = |path: &&Utf8PathBuf| operations.iter().any(|operation| operation.path() == **path);
            let typed = outcome.typed.iter().filter(is_target);
            let files = outcome.changed.iter().map(|changed| &changed.path).chain(typed).map(Utf8PathBuf::as_path);
            let mut files = files.chain(moved()).peekable();
            return Err(match files.peek() {
                None => SinkError::Refused { reason: why },
                Some(_) => partial_failure(&why, files),
            });
        }
        if options.exact {
            let corrections = corrections(operations, &outcome.changed);
            if !corrections.is_empty() {
                let options = EditOptions { settings: Vec::new(), ..options.clone() };
                // The edit is already applied; this reverts only what extensions have changed in it.
                match self.apply_edit(&corrections, &options).await {
                    Ok((answer, corrected)) if answer.applied => {
                        let is_corrected =
                            |path: &Utf8PathBuf| corrected.changed.iter().any(|changed| changed.path == *path);
                        outcome.changed.retain(|changed| !is_corrected(&changed.path));
                        outcome.unsaved.retain(|path| !is_corrected(path));
                        outcome.unsaved.extend(corrected.unsaved);
                        outcome.typed.extend(corrected.typed);
                        outcome.notes.extend(corrected.notes);
                    }
                    failed => {
                        let why = match failed {
                            Ok((answer, _)) => answer.failure_reason.unwrap_or_else(|| "it gives no reason".to_owned()),
                            Err(error) => error.to_string(),
                        };
                        let files: Vec<_> = corrections.iter().map(|write| format!("`{}`", write.path())).collect();
                        let files = files.join(", ");
                        outcome.notes.push(format!(
                            "extensions changed {files}, which could not be reverted ({why}): read these files again"
                        ));
                    }
                }
            }
        }
        Ok(outcome)
    }
}

impl EditorSink for ChannelSink {
    fn has_open(&self, path: &Utf8Path) -> bool {
        self.editor.pushed_state.documents.has_below(path)
    }
}

/// Paths that the operations create or remove, and whether each exists now.
fn paths_after(operations: &[FileOperation]) -> Vec<(&Utf8Path, bool)> {
    let mut paths = Vec::new();
    for operation in operations {
        match operation {
            FileOperation::Rename { from, to } => paths.extend([from.as_path(), to.as_path()]),
            FileOperation::Delete { path, .. } => paths.push(path),
            _ => {}
        }
    }
    paths.into_iter().map(|path| (path, exists(path))).collect()
}

fn exists(path: &Utf8Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Error for an edit that failed after it had changed some files.
fn partial_failure<'a>(why: &str, files: impl Iterator<Item = &'a Utf8Path>) -> SinkError {
    let files: Vec<_> = files.map(Utf8Path::as_str).collect();
    SinkError::Doubtful { reason: format!("{why}; it changed {}", files.join(", ")) }
}

/// Operations that restore the intended texts after extensions have changed them.
fn corrections(operations: &[FileOperation], changed: &[ChangedFile]) -> Vec<FileOperation> {
    let mut corrections = Vec::new();
    for ChangedFile { path, before, after } in changed {
        // A text may be written before its file is moved.
        let mut original = path.clone();
        let mut intended = before;
        for operation in operations.iter().rev() {
            match operation {
                FileOperation::Rename { from, to } => {
                    original = fs::replace_prefix(&original, to, from).unwrap_or(original);
                }
                FileOperation::Write { path, content, .. } if *path == original => {
                    intended = content;
                    break;
                }
                _ => {}
            }
        }
        // The editor uses its own line ends.
        let normalize = |text: &[u8]| text.iter().copied().filter(|byte| *byte != b'\r').collect::<Vec<_>>();
        if normalize(intended) != normalize(after) {
            let before = Some(ContentHash::from_bytes(after));
            corrections.push(FileOperation::Write { path: path.clone(), before, content: intended.clone() });
        }
    }
    corrections
}

/// Path of a file before these operations.
fn before_moves(operations: &[FileOperation], path: &Utf8Path) -> Utf8PathBuf {
    let mut path = path.to_owned();
    for operation in operations.iter().rev() {
        if let FileOperation::Rename { from, to } = operation {
            path = fs::replace_prefix(&path, to, from).unwrap_or(path);
        }
    }
    path
}

/// Hash of a text without its carriage returns: an editor normalizes the line ends of a document.
fn hash(text: &str) -> String {
    ContentHash::from_bytes(text.replace('\r', "").as_bytes()).0
}

fn sink_refused(why: &str) -> SinkError {
    SinkError::Refused { reason: why.to_owned() }
}
