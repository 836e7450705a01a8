//! The documents that the client has open, kept equal to its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8PathBuf;
use dlang_workspace::files::{EXTENSION, LOCK, MANIFEST};
use serde_json::Value;
use zubi_base::lsp::{DidChangeTextDocumentParams, TextDocumentContentChangeEvent, Uri};
use zubi_base::position::{Encoding, TextIndex};
use zubi_base::uri;

use crate::methods::{RequestError, from_value};

/// Open documents by the text of their URI, which a client always spells in the same way.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<String, Document>,
}

/// An open document.
#[derive(Debug)]
struct Document {
    /// None from a change that could not be read until the client sends the whole text.
    text: Option<String>,
}

impl Documents {
    /// A document is open from now on. What it was before is forgotten.
    pub(crate) fn open(&mut self, uri: &Uri, text: String) -> Arc<str> {
        let shared = Arc::from(text.as_str());
        self.open.insert(uri.0.clone(), Document { text: Some(text) });
        shared
    }

    /// Makes changes, one after the other. Nothing if the document is not open, or if its text is not known and none of the
    /// changes is the whole of it.
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
        // What a whole text replaces need not be known.
        let text = document.text.get_or_insert_default();
        apply(text, changes, encoding);
        Some(Arc::from(text.as_str()))
    }

    /// A change of a document cannot be read, so its text is not known any more. Whether it was.
    pub(crate) fn invalidate(&mut self, uri: &Uri) -> bool {
        self.open.get_mut(&uri.0).is_some_and(|document| document.text.take().is_some())
    }

    /// A document is closed. Whether it was open.
    pub(crate) fn close(&mut self, uri: &Uri) -> bool {
        self.open.remove(&uri.0).is_some()
    }
}

/// The parameters of `textDocument/didChange`.
///
/// # Errors
///
/// When they do not fit. The type alone takes a change whose range is wrong for one without a range, which is the whole text.
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

/// Makes changes of a text, each at places of the text that the ones before it left.
///
/// Editors send the changes of many cursors at once, last place first. Lines above a change stay where they are, so the
/// index of places is made anew only for a change that is not above the one before it.
pub(crate) fn apply(text: &mut String, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) {
    let mut known: Option<(TextIndex, u32)> = None;
    for change in changes {
        match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                *text = whole.text;
                known = None;
            }
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                let (first, last) = (part.range.start.line, part.range.end.line);
                let (index, _) = match known.take() {
                    Some((index, untouched)) if first.max(last) < untouched => (index, untouched),
                    _ => (TextIndex::new(text), 0),
                };
                let range = index.range_from_lsp(&part.range, encoding);
                // The index puts places on the boundaries of characters and inside of the text.
                text.replace_range(std::ops::Range::<usize>::from(range), &part.text);
                // Counted by the index, because a range may lie behind the last line.
                let touched = index.line_col(range.start()).line;
                known = Some((index, touched));
            }
        }
    }
}

/// The folder that stands for documents which are no files. No real path has it, because it ends in a colon.
const UNTITLED: &str = "/untitled:";

/// The path by which the workspace knows a document. What is no file, such as `untitled:Untitled-1`, gets one of its own.
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
