//! Parser for a server's `WorkspaceEdit`. This module knows the wire format; [`super::change`] knows its effect on
//! files.
//!
//! It parses by LSP's own discriminators (`kind`, `snippet`, `annotationId`). A generated untagged type would take the
//! first variant that fits: it reads an annotated text edit as a plain one and loses the annotation. Unknown fields are
//! ignored. Any other deviation from LSP refuses the whole edit, because the rest may break the code without the
//! unreadable part.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use zubi_base::lsp;

use super::error::EditError;

/// LSP's `InsertTextFormat.Snippet`, which rust-analyzer's older extension uses to mark text edits.
const SNIPPET_FORMAT: u64 = 2;
/// The maximum number of characters of a reason, which may quote the server's text.
const MAX_REASON: usize = 200;

/// The change that a server requests.
#[derive(Debug, Default)]
pub(super) struct WorkspaceEdit {
    /// In the order of execution; `changes` has no order and is sorted by URI.
    pub(super) changes: Vec<DocumentChange>,
    /// The annotations to which some change refers, each once, by id.
    pub(super) annotations: Vec<lsp::ChangeAnnotation>,
}

#[derive(Debug)]
pub(super) enum DocumentChange {
    Edit(DocumentEdit),
    Create(lsp::CreateFile),
    Rename(lsp::RenameFile),
    Delete(lsp::DeleteFile),
}

/// Text edits of one document.
#[derive(Debug)]
pub(super) struct DocumentEdit {
    pub(super) uri: lsp::Uri,
    /// The document version for which the edits were made.
    pub(super) version: Option<i32>,
    pub(super) edits: Vec<lsp::TextEdit>,
    /// At least one edit was a snippet; it is not among [`Self::edits`].
    pub(super) has_snippets: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawDocumentEdit {
    text_document: RawIdentifier,
    edits: Vec<RawTextEdit>,
}

#[derive(Deserialize)]
struct RawIdentifier {
    uri: lsp::Uri,
    version: Option<i32>,
}

/// A `TextEdit`, an `AnnotatedTextEdit` or a `SnippetTextEdit`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawTextEdit {
    range: lsp::Range,
    new_text: Option<String>,
    annotation_id: Option<String>,
    snippet: Option<IgnoredAny>,
    insert_text_format: Option<u64>,
}

impl WorkspaceEdit {
    /// Parses an edit; returns [`EditError::Malformed`] if any part of it is invalid. The result is not larger than the
    /// message; the caller must limit its size.
    pub(super) fn read(edit: &Value) -> Result<Self, EditError> {
        let Some(fields) = edit.as_object() else { return Err(malformed_error("it is not an object")) };
        let field = |name: &str| fields.get(name).filter(|value| !value.is_null());
        let mut reader = EditReader::default();
        if let Some(changes) = field("documentChanges") {
            let Some(changes) = changes.as_array() else {
                return Err(malformed_error("`documentChanges` is not a list"));
            };
            for (index, change) in changes.iter().enumerate() {
                let change =
                    reader.change(change).map_err(|error| field_error("documentChanges", index + 1, &error))?;
                reader.changes.push(change);
            }
        } else if let Some(changes) = field("changes") {
            let Some(changes) = changes.as_object() else { return Err(malformed_error("`changes` is not an object")) };
            let mut changes: Vec<_> = changes.iter().collect();
            changes.sort_by_key(|(uri, _)| *uri);
            for (index, (uri, edits)) in changes.into_iter().enumerate() {
                let change = read(edits)
                    .and_then(|edits| reader.text_edits(lsp::Uri(uri.clone()), None, edits))
                    .map_err(|reason| field_error("changes", index + 1, &reason))?;
                reader.changes.push(DocumentChange::Edit(change));
            }
        }
        let table = field("changeAnnotations");
        let mut annotations = Vec::new();
        for id in &reader.annotation_ids {
            // An id without an annotation has nothing to report.
            let Some(annotation) = table.and_then(|table| table.get(id)) else { continue };
            let annotation = read(annotation)
                .map_err(|reason| malformed_error(&format!("an annotation it refers to cannot be read: {reason}")))?;
            annotations.push(annotation);
        }
        Ok(Self { changes: reader.changes, annotations })
    }
}

#[derive(Default)]
struct EditReader {
    changes: Vec<DocumentChange>,
    annotation_ids: BTreeSet<String>,
}

/// Parsers for the parts of an edit. Their errors are clauses; [`field_error`] adds the position of the part.
impl EditReader {
    fn change(&mut self, change: &Value) -> Result<DocumentChange, String> {
        if !change.is_object() {
            return Err("it is not an object".to_owned());
        }
        let kind = match change.get("kind") {
            None | Some(Value::Null) => {
                let RawDocumentEdit { text_document, edits } = read(change)?;
                return Ok(DocumentChange::Edit(self.text_edits(text_document.uri, text_document.version, edits)?));
            }
            Some(kind) => kind.as_str(),
        };
        let (change, annotation_id) = match kind {
            Some("create") => {
                let create: lsp::CreateFile = read(change)?;
                let annotation_id = create.annotation_id.clone();
                (DocumentChange::Create(create), annotation_id)
            }
            Some("rename") => {
                let rename: lsp::RenameFile = read(change)?;
                let annotation_id = rename.annotation_id.clone();
                (DocumentChange::Rename(rename), annotation_id)
            }
            Some("delete") => {
                let delete: lsp::DeleteFile = read(change)?;
                let annotation_id = delete.annotation_id.clone();
                (DocumentChange::Delete(delete), annotation_id)
            }
            _ => return Err("its `kind` is not `create`, `rename` or `delete`".to_owned()),
        };
        self.annotation_ids.extend(annotation_id);
        Ok(change)
    }

    fn text_edits(
        &mut self,
        uri: lsp::Uri,
        version: Option<i32>,
        edits: Vec<RawTextEdit>,
    ) -> Result<DocumentEdit, String> {
        let mut document = DocumentEdit { uri, version, edits: Vec::with_capacity(edits.len()), has_snippets: false };
        for edit in edits {
            self.annotation_ids.extend(edit.annotation_id);
            if edit.snippet.is_some() || edit.insert_text_format == Some(SNIPPET_FORMAT) {
                document.has_snippets = true;
                continue;
            }
            let Some(new_text) = edit.new_text else {
                return Err("a text edit has neither `newText` nor `snippet`".to_owned());
            };
            document.edits.push(lsp::TextEdit { range: edit.range, new_text });
        }
        Ok(document)
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| error.to_string())
}

/// Creates the error for a part of a list; `number` is 1-based.
fn field_error(field: &str, number: usize, reason: &str) -> EditError {
    malformed_error(&format!("number {number} of its `{field}` cannot be read: {reason}"))
}

fn malformed_error(reason: &str) -> EditError {
    let reason = reason.chars().filter(|character| !character.is_control()).take(MAX_REASON).collect();
    EditError::Malformed { reason }
}
