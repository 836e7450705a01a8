//! A check of the reader that needs no store, for tests and the fuzz target.

use zubi_base::text::{SourceText, TextOrigin};

use super::codec::{StoredOccurrence, decode, encode};
use super::document::{DOCUMENT, METADATA, ScipDocument, ScipTool};
use super::import::fits;
use super::limits::ScipLimits;
use super::position::{ColumnUnit, DocumentText};
use super::symbol::ScipSymbol;
use super::wire::{StreamField, WireStream};

/// The text of a document that has none.
const TEXT: &str = "fn a() {\n b😀(); }\n";

/// Reads all documents of a SCIP file as an import does, and checks that their data can be stored and converted. Returns
/// the number of occurrences, or `None` if the file is not complete.
///
/// # Panics
///
/// If a document is encoded wrongly, or a range cuts a character.
pub fn check_bytes(bytes: &[u8], limits: &ScipLimits) -> Option<usize> {
    let mut stream = WireStream::new(bytes, limits.document_bytes);
    let mut message = Vec::new();
    let mut total = 0;
    while let Some(field) = stream.next(|field| matches!(field, METADATA | DOCUMENT), &mut message).ok()? {
        match field {
            StreamField::Message(METADATA) => drop(ScipTool::from_metadata(&message)),
            StreamField::Message(_) => {
                if let Ok(document) = ScipDocument::parse(&message, limits) {
                    total += check_document(&document);
                }
            }
            StreamField::TooLarge(_) | StreamField::Skipped => {}
        }
    }
    Some(total)
}

fn check_document(document: &ScipDocument<'_>) -> usize {
    let mut occurrences: Vec<StoredOccurrence> = (0..)
        .zip(&document.occurrences)
        .filter(|(_, occurrence)| ScipSymbol::parse(occurrence.symbol).is_some())
        .map(|(moniker, it)| StoredOccurrence { range: it.range, moniker, roles: it.roles })
        .collect();
    occurrences.sort_unstable();
    assert_eq!(decode(&encode(&occurrences)).as_ref(), Ok(&occurrences), "the encoding of {}", document.path);
    let source = SourceText { text: document.text.unwrap_or(TEXT).into(), bom: false, origin: TextOrigin::Disk };
    for unit in [ColumnUnit::Unknown, ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32] {
        let text = DocumentText::new(&source.text, false, unit);
        for occurrence in &occurrences {
            if let Some(range) = text.convert(occurrence.range) {
                assert!(source.text.get(range).is_some(), "a range cuts a character");
            }
        }
        fits(document, &source, unit);
    }
    occurrences.len()
}
