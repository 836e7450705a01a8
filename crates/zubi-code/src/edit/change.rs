//! Conversion of server edits (`WorkspaceEdit`, `TextEdit[]`) to a change: final contents and file operations.
//!
//! zubi computes or refuses a change as a whole; this module writes nothing. The rules for text are in
//! [`super::splice`]; those for files are LSP's. zubi adds these rules:
//!
//! - `documentChanges` is preferred to `changes`. Text edits between two file operations form one batch and refer to
//!   the texts at its start; edits after a rename use the new path.
//! - Every path must be in the workspace after links are resolved. A text edit on a symbolic link edits its target; a
//!   rename or removal of a link concerns the link.
//! - `overwrite` wins over `ignoreIfExists`, as LSP says. A directory is never overwritten.
//! - A directory is renamed as one step with all its contents; it is removed file by file, each of which must be
//!   readable and unchanged, so that each can be restored.
//! - A `version` is compared where the text comes from an editor, whose versions servers know. Texts on disk have none.
//! - Snippets are refused: zubi does not announce snippet support, and a stray `$0` would compile in some languages.
//! - Annotations that require confirmation become notes of the plan. The plan is the confirmation: nothing is applied
//!   unseen. Annotations that no edit refers to are dropped: some servers send their whole table with every edit.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use serde_json::Value;
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextIndex};
use zubi_base::text::{BOM, ContentHash, FileOperation, TextOrigin, TextSource};
use zubi_base::workspace::WorkspaceFolders;

use super::error::EditError;
use super::overlay::{self, EditOverlay, EditedFile, EntryKind, OriginalText};
use super::splice::{self, SpliceError};
use super::wire::{DocumentChange, DocumentEdit, WorkspaceEdit};

mod listing;

pub use self::listing::{FileAction, FileChange};
pub use super::overlay::{MAX_CHANGE_BYTES, MAX_FILES};

/// The maximum number of text edits in one change.
pub const MAX_EDITS: usize = 200_000;
/// The maximum number of notes of a plan; a server may send any number of annotations.
const MAX_NOTES: usize = 20;

/// A text from which the change was computed; it must be the same when zubi applies the change.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BaseText {
    pub path: Utf8PathBuf,
    pub origin: TextOrigin,
    pub hash: ContentHash,
}

/// A computed change: the effect of an edit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComputedChange {
    /// In the order of execution: file operations first, then the final content of each edited file.
    pub operations: Vec<FileOperation>,
    /// Every file once, sorted by path, for display.
    pub files: Vec<FileChange>,
    pub based_on: Vec<BaseText>,
    /// Notes for the reader before they apply the change, one sentence each.
    pub notes: Vec<String>,
}

/// One server's edit.
#[derive(Debug, Clone, Copy)]
pub struct ServerEdit<'a> {
    /// LSP's `WorkspaceEdit`, as the server sent it.
    pub edit: &'a Value,
    /// The unit of its columns.
    pub encoding: Encoding,
}

/// The new text of an existing file.
#[derive(Debug, Clone)]
pub struct NewText {
    /// The absolute path.
    pub path: Utf8PathBuf,
    /// The hash of the text from which the new one was computed.
    pub before: ContentHash,
    /// Without a byte-order mark.
    pub text: String,
    /// The number of changes in the text.
    pub edits: usize,
}

impl ComputedChange {
    /// Computes the combined effect of the edits of one or several servers, all for the current texts. Text edits of
    /// several servers combine if they do not overlap. If one server moves files, others must not edit these files.
    pub async fn from_workspace_edits(
        edits: &[ServerEdit<'_>],
        texts: &dyn TextSource,
        workspace: &WorkspaceFolders,
    ) -> Result<Self, EditError> {
        let mut builder = ChangeBuilder::new(texts, workspace);
        for (server, edit) in edits.iter().enumerate() {
            builder.workspace_edit(edit, server).await?;
        }
        builder.finish()
    }

    /// Computes the effect of text edits of one file (formatting).
    pub async fn from_text_edits(
        path: &Utf8Path,
        edits: &[lsp::TextEdit],
        encoding: Encoding,
        texts: &dyn TextSource,
        workspace: &WorkspaceFolders,
    ) -> Result<Self, EditError> {
        let mut builder = ChangeBuilder::new(texts, workspace);
        builder.text_edits(&zubi_base::uri::from_path(path), None, edits, encoding, 0).await?;
        builder.finish()
    }

    /// Computes the effect of writing a whole text to an existing or a new file.
    pub async fn from_text(
        path: &Utf8Path,
        before: Option<&ContentHash>,
        text: &str,
        texts: &dyn TextSource,
        workspace: &WorkspaceFolders,
    ) -> Result<Self, EditError> {
        let mut builder = ChangeBuilder::new(texts, workspace);
        builder.set_text(path, before, text, 1).await?;
        builder.finish()
    }

    /// Computes the effect of writing whole texts to existing files.
    pub async fn from_texts(
        files: &[NewText],
        texts: &dyn TextSource,
        workspace: &WorkspaceFolders,
    ) -> Result<Self, EditError> {
        let mut builder = ChangeBuilder::new(texts, workspace);
        for file in files {
            builder.set_text(&file.path, Some(&file.before), &file.text, file.edits).await?;
        }
        builder.finish()
    }
}

struct ChangeBuilder<'a> {
    texts: &'a dyn TextSource,
    tree: EditOverlay<'a>,
    notes: Vec<String>,
    edits: usize,
    duplicates: usize,
    /// The texts of removed files, for display.
    removed: FxHashMap<Utf8PathBuf, Arc<str>>,
}

impl<'a> ChangeBuilder<'a> {
    fn new(texts: &'a dyn TextSource, workspace: &'a WorkspaceFolders) -> Self {
        let tree = EditOverlay::new(workspace);
        Self { texts, tree, notes: Vec::new(), edits: 0, duplicates: 0, removed: FxHashMap::default() }
    }

    async fn workspace_edit(&mut self, server_edit: &ServerEdit<'_>, server: usize) -> Result<(), EditError> {
        let edit = WorkspaceEdit::read(server_edit.edit)?;
        self.note_annotations(&edit.annotations);
        for change in &edit.changes {
            match change {
                DocumentChange::Edit(edit) => self.document_edit(edit, server_edit.encoding, server).await?,
                DocumentChange::Create(create) => {
                    self.flush(server)?;
                    self.create(create, server).await?;
                }
                DocumentChange::Rename(rename) => {
                    self.flush(server)?;
                    self.rename(rename)?;
                }
                DocumentChange::Delete(delete) => {
                    self.flush(server)?;
                    self.delete(delete)?;
                }
            }
        }
        Ok(())
    }

    async fn document_edit(&mut self, edit: &DocumentEdit, encoding: Encoding, server: usize) -> Result<(), EditError> {
        if edit.has_snippets {
            return Err(EditError::Snippet { path: self.tree.show(&self.tree.entry(&edit.uri)?) });
        }
        self.text_edits(&edit.uri, edit.version, &edit.edits, encoding, server).await
    }

    async fn text_edits(
        &mut self,
        uri: &lsp::Uri,
        version: Option<i32>,
        edits: &[lsp::TextEdit],
        encoding: Encoding,
        server: usize,
    ) -> Result<(), EditError> {
        self.edits += edits.len();
        if self.edits > MAX_EDITS {
            return Err(EditError::TooLarge { reason: format!("more than {MAX_EDITS} text edits") });
        }
        let entry = self.tree.entry(uri)?;
        let path = self.load(&entry).await?;
        let display_path = self.tree.show(&path);
        let Some(node) = self.tree.files.get_mut(&path) else { return Ok(()) };
        if node.changed_by.is_some_and(|other| other != server) {
            return Err(EditError::Disagree { path: display_path });
        }
        if let (Some(requested), Some(OriginalText { origin: TextOrigin::Editor { version: current }, .. })) =
            (version, &node.source)
            && requested != *current
        {
            return Err(EditError::Version { path: display_path, requested, current: *current });
        }
        let index = TextIndex::new(&node.text);
        let located = splice::locate(&node.text, &index, edits, encoding, server);
        node.pending.extend(located.map_err(|error| splice_error(display_path, error))?);
        Ok(())
    }

    async fn set_text(
        &mut self,
        path: &Utf8Path,
        before: Option<&ContentHash>,
        text: &str,
        edits: usize,
    ) -> Result<(), EditError> {
        let entry = self.tree.entry(&zubi_base::uri::from_path(path))?;
        let display_path = self.tree.show(&entry);
        if text.contains('\0') {
            return Err(splice_error(display_path, SpliceError::NotText));
        }
        if text.len() as u64 > zubi_base::fs::MAX_TEXT_BYTES {
            return Err(splice_error(display_path, SpliceError::TooLarge));
        }
        self.tree.check_limits(text.len())?;
        let path = match (self.tree.kind(&entry), before) {
            (EntryKind::Missing, None) => {
                self.tree.create_parent_dirs(&entry)?;
                self.tree.files.insert(entry.clone(), EditedFile::default());
                entry
            }
            (EntryKind::Missing, Some(_)) => return Err(EditError::Changed { path: display_path }),
            (_, None) => return Err(EditError::Exists { path: display_path }),
            (_, Some(_)) => self.load(&entry).await?,
        };
        if let Some(node) = self.tree.files.get_mut(&path) {
            if node.source.as_ref().map(|source| &source.hash) != before {
                return Err(EditError::Changed { path: display_path });
            }
            // zubi adds the byte-order mark back when it writes the file.
            let marked = node.source.as_ref().is_some_and(|source| source.bom);
            let text = if marked { text.strip_prefix(BOM).unwrap_or(text) } else { text };
            text.clone_into(&mut node.text);
            node.edits = edits;
        }
        Ok(())
    }

    /// Loads a file's text into the tree and returns its path there; a link is represented by its target.
    async fn load(&mut self, entry: &Utf8Path) -> Result<Utf8PathBuf, EditError> {
        if self.tree.files.contains_key(entry) {
            return Ok(entry.to_owned());
        }
        let missing = || EditError::Missing { path: self.tree.show(entry) };
        if self.tree.kind(entry) == EntryKind::Missing {
            return Err(missing());
        }
        let disk = self.tree.disk(entry).ok_or_else(missing)?;
        let real = zubi_base::fs::canonical(&disk).map_err(|_| missing())?;
        let path = if real == disk {
            entry.to_owned()
        } else {
            // The entry is a link, or below a link that moved: zubi edits the target.
            self.tree.allow(&real).map_err(|_| EditError::Outside { path: self.tree.show(entry) })?;
            self.tree.forward(&real).ok_or_else(missing)?
        };
        if !self.tree.files.contains_key(&path) {
            let read = self.texts.read(&real).await;
            let source = read.map_err(|error| self.tree.unreadable(&path, &overlay::read_error(&error)))?;
            self.tree.check_limits(source.text.len())?;
            let source = OriginalText {
                hash: source.hash(),
                bom: source.bom,
                origin: source.origin,
                text: source.text,
                disk: real,
            };
            let node = EditedFile { text: source.text.to_string(), source: Some(source), ..EditedFile::default() };
            self.tree.files.insert(path.clone(), node);
        }
        Ok(path)
    }

    /// Applies the pending edits, so that later operations refer to the new texts.
    fn flush(&mut self, server: usize) -> Result<(), EditError> {
        let mut written = 0;
        let mut failed = None;
        for (path, node) in self.tree.files.iter_mut().filter(|(_, node)| !node.pending.is_empty()) {
            let mut spliced = match splice::splice(&node.text, std::mem::take(&mut node.pending)) {
                Ok(spliced) => spliced,
                Err(error) => {
                    failed = Some((path.clone(), error));
                    break;
                }
            };
            // A server that sends the whole document may include the byte-order mark, which zubi adds back itself.
            if node.source.as_ref().is_some_and(|source| source.bom) && spliced.text.starts_with(BOM) {
                spliced.text.drain(..BOM.len());
            }
            node.edits += spliced.edits;
            self.duplicates += spliced.duplicates;
            written += spliced.text.len();
            node.text = spliced.text;
            node.changed_by = Some(server);
        }
        if let Some((path, error)) = failed {
            return Err(splice_error(self.tree.show(&path), error));
        }
        self.tree.check_limits(written)
    }

    async fn create(&mut self, create: &lsp::CreateFile, server: usize) -> Result<(), EditError> {
        let entry = self.tree.entry(&create.uri)?;
        let options = create.options.unwrap_or_default();
        match self.tree.kind(&entry) {
            EntryKind::Missing => {
                self.tree.create_parent_dirs(&entry)?;
                let node = EditedFile { changed_by: Some(server), ..EditedFile::default() };
                self.tree.files.insert(entry, node);
                self.tree.check_limits(0)
            }
            EntryKind::File | EntryKind::Link if options.overwrite == Some(true) => {
                let path = self.load(&entry).await?;
                if let Some(node) = self.tree.files.get_mut(&path) {
                    node.text.clear();
                    node.changed_by = Some(server);
                }
                Ok(())
            }
            EntryKind::File | EntryKind::Link if options.ignore_if_exists == Some(true) => Ok(()),
            _ => Err(EditError::Exists { path: self.tree.show(&entry) }),
        }
    }

    fn rename(&mut self, rename: &lsp::RenameFile) -> Result<(), EditError> {
        let (from, to) = (self.tree.entry(&rename.old_uri)?, self.tree.entry(&rename.new_uri)?);
        let options = rename.options.unwrap_or_default();
        let kind = self.tree.kind(&from);
        let impossible = |text: &str| EditError::Impossible { path: self.tree.show(&from), reason: text.to_owned() };
        match kind {
            EntryKind::Missing => return Err(EditError::Missing { path: self.tree.show(&from) }),
            EntryKind::Special => return Err(impossible("it is neither a file nor a directory")),
            EntryKind::Directory => self.tree.check_subtree(&from)?,
            EntryKind::File | EntryKind::Link => {}
        }
        if from == to {
            return Ok(());
        }
        if to.starts_with(&from) {
            return Err(impossible("it would move into itself"));
        }
        match self.tree.kind(&to) {
            EntryKind::Missing => {}
            EntryKind::File | EntryKind::Link if options.overwrite == Some(true) && kind != EntryKind::Directory => {
                self.remove(&to)?;
            }
            _ if options.overwrite != Some(true) && options.ignore_if_exists == Some(true) => {
                self.note(format!(
                    "`{}` exists, so `{}` stays where it is.",
                    self.tree.show(&to),
                    self.tree.show(&from)
                ));
                return Ok(());
            }
            _ => return Err(EditError::Exists { path: self.tree.show(&to) }),
        }
        self.tree.create_parent_dirs(&to)?;
        self.tree.rename(&from, &to);
        self.tree.check_limits(0)
    }

    fn delete(&mut self, delete: &lsp::DeleteFile) -> Result<(), EditError> {
        let entry = self.tree.entry(&delete.uri)?;
        let options = delete.options.unwrap_or_default();
        match self.tree.kind(&entry) {
            EntryKind::Missing if options.ignore_if_not_exists == Some(true) => Ok(()),
            EntryKind::Missing => Err(EditError::Missing { path: self.tree.show(&entry) }),
            EntryKind::Directory if options.recursive != Some(true) && !self.tree.names(&entry)?.is_empty() => {
                let reason =
                    "it is a directory with files in it, and the server did not request a recursive removal".to_owned();
                Err(EditError::Impossible { path: self.tree.show(&entry), reason })
            }
            _ => self.remove(&entry),
        }
    }

    fn remove(&mut self, path: &Utf8Path) -> Result<(), EditError> {
        let before = self.tree.steps.len();
        self.tree.delete(path)?;
        let (earlier, new) = self.tree.steps.split_at(before);
        let mut done = earlier.to_vec();
        for step in new {
            if let FileOperation::Delete { path, .. } = step
                && let Some(disk) = overlay::disk_before(&done, path)
                && overlay::kind_on_disk(&disk) == EntryKind::File
                && let Ok(text) = zubi_base::fs::read_text(&disk)
            {
                self.removed.insert(disk, text.into());
            }
            done.push(step.clone());
        }
        Ok(())
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn note_annotations(&mut self, annotations: &[lsp::ChangeAnnotation]) {
        for annotation in annotations.iter().filter(|annotation| annotation.needs_confirmation == Some(true)) {
            let text = match &annotation.description {
                Some(description) => format!("{} ({description})", annotation.label),
                None => annotation.label.clone(),
            };
            let text: String = text.chars().filter(|character| !character.is_control()).take(200).collect();
            self.note(format!("The server requires confirmation: {text}."));
        }
    }

    fn finish(mut self) -> Result<ComputedChange, EditError> {
        self.flush(usize::MAX)?;
        self.tree.check_placeholders()?;
        if self.duplicates > 0 {
            let (count, subject) = (self.duplicates, if self.duplicates == 1 { "edit was" } else { "edits were" });
            self.note(format!("{count} duplicate {subject} sent; each is made once."));
        }
        let mut change = ComputedChange { notes: self.notes, ..ComputedChange::default() };
        change.files = listing::moved_and_removed(&self.tree, &self.removed);
        change.operations.clone_from(&self.tree.steps);
        for (path, node) in self.tree.files {
            let text: Arc<str> = node.text.into();
            let file = FileChange {
                path: path.clone(),
                old_path: None,
                action: FileAction::Create,
                edits: node.edits,
                before: None,
                after: Some(Arc::clone(&text)),
            };
            let Some(source) = node.source else {
                change.operations.push(FileOperation::Write { path, before: None, content: text.as_bytes().to_vec() });
                change.files.push(file);
                continue;
            };
            if text == source.text {
                continue;
            }
            let mark = if source.bom { BOM } else { "" };
            let content = [mark.as_bytes(), text.as_bytes()].concat();
            let before = Some(source.hash.clone());
            change.operations.push(FileOperation::Write { path: path.clone(), before, content });
            let from = Some(&source.disk).filter(|disk| **disk != path).cloned();
            let action = if from.is_some() { FileAction::Rename } else { FileAction::Edit };
            change.files.retain(|listed| listed.path != path || listed.action != FileAction::Rename);
            change.files.push(FileChange { old_path: from, action, before: Some(source.text), ..file });
            change.based_on.push(BaseText { path: source.disk, origin: source.origin, hash: source.hash });
        }
        change.files.sort_by(|one, other| one.path.cmp(&other.path));
        if change.operations.is_empty() { Err(EditError::Nothing) } else { Ok(change) }
    }
}

fn splice_error(path: String, error: SpliceError) -> EditError {
    match error {
        SpliceError::Overlap { first, second } => EditError::Overlap { path, first, second },
        SpliceError::BeyondEnd { line, lines } => EditError::BeyondEnd { path, line, lines },
        SpliceError::CutsCharacter { position } => EditError::CutsCharacter { path, position },
        SpliceError::LoneCarriageReturn => {
            let reason = "it has carriage returns without line feeds, which servers count differently".to_owned();
            EditError::Unreadable { path, reason }
        }
        SpliceError::NotText => {
            let reason = "the new text holds a NUL character, so it would no longer be text".to_owned();
            EditError::Impossible { path, reason }
        }
        SpliceError::TooLarge => EditError::TooLarge {
            reason: format!("`{path}` would have more than {} MiB", zubi_base::fs::MAX_TEXT_BYTES >> 20),
        },
    }
}

#[cfg(test)]
mod tests;
