//! Texts of the documents that the client has open, synchronized with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8PathBuf;
use dlang_workspace::files::{EXTENSION, LOCK, MANIFEST};
use serde_json::Value;
use zubi_base::lsp::{DidChangeTextDocumentParams, TextDocumentContentChangeEvent, Uri};
use zubi_base::position::{Encoding, TextIndex};
use zubi_base::uri;

use crate::request::{RequestError, from_value};

/// Open documents, by URI as the client writes it.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<String, Document>,
}

/// An open document.
#[derive(Debug)]
struct Document {
    /// `None` after an invalid change, until the client sends the whole text.
    text: Option<String>,
}

impl Documents {
    /// Opens a document, replacing a previous text.
    pub(crate) fn open(&mut self, uri: &Uri, text: String) -> Arc<str> {
        let shared = Arc::from(text.as_str());
        self.open.insert(uri.0.clone(), Document { text: Some(text) });
        shared
    }

    /// Applies changes in order. Returns `None` if the document is not open, or if its text is unknown and no change
    /// contains the whole text.
    pub(crate) fn change(
        &mut self,
        uri: &Uri,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Option<Arc<str>> {
        let document = self.open.get_mut(&uri.0)?;
        let is_whole =
            |change| matches!(change, &TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(_));
        if document.text.is_none() && !changes.iter().any(is_whole) {
            return None;
        }
        // A whole text replaces the text, which therefore need not be known.
        let text = document.text.get_or_insert_default();
        apply(text, changes, encoding);
        Some(Arc::from(text.as_str()))
    }

    /// Marks the text of a document as unknown after an invalid change. Returns whether it was known.
    pub(crate) fn invalidate(&mut self, uri: &Uri) -> bool {
        self.open.get_mut(&uri.0).is_some_and(|document| document.text.take().is_some())
    }

    /// Closes a document. Returns whether it was open.
    pub(crate) fn close(&mut self, uri: &Uri) -> bool {
        self.open.remove(&uri.0).is_some()
    }
}

/// Parses the parameters of `textDocument/didChange`.
///
/// # Errors
///
/// Fails if they are invalid. The type alone would accept a change with an invalid range as one without a range, which
/// replaces the whole text.
pub(crate) fn read_change(params: &Value) -> Result<DidChangeTextDocumentParams, RequestError> {
    let read: DidChangeTextDocumentParams = from_value(params)?;
    for (number, change) in read.content_changes.iter().enumerate() {
        let field = format!("contentChanges[{number}]");
        let range = params.pointer(&format!("/contentChanges/{number}/range"));
        if matches!(change, TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(_))
            && range.is_some_and(|range| !range.is_null())
        {
            return Err(RequestError::InvalidParams {
                message: format!("Invalid params: {field}: a wrong range"),
                field,
            });
        }
    }
    Ok(read)
}

/// Applies changes to a text; the positions of each refer to the text after the previous one.
///
/// Editors send the changes of several cursors at once, the last position first. Lines above a change stay in place, so
/// the index is rebuilt only for a change that is not above the previous one.
pub(crate) fn apply(text: &mut String, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) {
    let mut cached_index: Option<(TextIndex, u32)> = None;
    for change in changes {
        match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(change) => {
                *text = change.text;
                cached_index = None;
            }
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                let (first, last) = (part.range.start.line, part.range.end.line);
                let (index, _) = match cached_index.take() {
                    Some((index, untouched)) if first.max(last) < untouched => (index, untouched),
                    _ => (TextIndex::new(text), 0),
                };
                let range = index.range_from_lsp(&part.range, encoding);
                // The index clamps positions to the text and to character boundaries.
                text.replace_range(std::ops::Range::<usize>::from(range), &part.text);
                // Taken from the index, because a range may extend beyond the last line.
                let touched = index.line_col(range.start()).line;
                cached_index = Some((index, touched));
            }
        }
    }
}

/// Folder for documents that are not files. Real paths cannot contain it, because it ends with a colon.
const UNTITLED: &str = "/untitled:";

/// Returns the path of a document in the workspace. A document that is not a DomainLang file, such as
/// `untitled:Untitled-1`, gets an artificial one.
pub(crate) fn path_of(uri: &Uri) -> Utf8PathBuf {
    let is_known =
        |path: &Utf8PathBuf| path.extension() == Some(EXTENSION) || matches!(path.file_name(), Some(MANIFEST | LOCK));
    uri::to_path(uri).filter(is_known).unwrap_or_else(|| {
        let name = uri.0.strip_prefix("untitled:").unwrap_or(&uri.0).replace(['/', '\\'], "%2F");
        let name = name.strip_suffix(".dlang").unwrap_or(&name);
        Utf8PathBuf::from(format!("{UNTITLED}/{name}.{EXTENSION}"))
    })
}

#[cfg(test)]
mod tests;
