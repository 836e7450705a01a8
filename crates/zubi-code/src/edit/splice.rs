//! Applies text edits to one text. Handles positions and line endings, but not files.
//!
//! The rules, from LSP as far as it has one:
//!
//! - All edits of a batch refer to the same text, the one before the batch.
//! - Edits must not overlap. Touching is not overlapping. Several inserts at one position preserve their order, and
//!   come before a replacement that begins there.
//! - A column past the end of its line means the end, before the terminator. An edit may *end* past the last line
//!   (formatters write "the whole document" so) but must not *begin* more than one line past it: it was computed for
//!   another text.
//! - A position inside a character is refused. Moving it would hide that the server counts in another unit.
//! - The same edit twice is made once: replacements always, inserts only when they come from different servers, because
//!   one server may well insert `)` twice.
//! - New text gets the line ending of most lines; a file without line endings gets it unchanged. Lines that no edit
//!   touches are unchanged, so a file with mixed endings stays mixed.
//! - A text with a lone carriage return is refused: LSP calls it a line ending, most servers do not, and a wrong guess
//!   would put every later edit on a wrong line.

use rustc_hash::FxHashMap;
use zubi_base::fs::MAX_TEXT_BYTES;
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextIndex, TextRange};

use crate::document::find_lone_carriage_return;

/// An edit in byte offsets of the text it was made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ByteEdit {
    pub(super) range: TextRange,
    pub(super) new_text: String,
    /// The index of the sending server; only equal inserts of *different* servers are merged.
    pub(super) server: usize,
}

/// The reason why edits do not fit a text. Positions are 1-based `line:column` in the server's column unit.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SpliceError {
    Overlap { first: String, second: String },
    BeyondEnd { line: u64, lines: u32 },
    CutsCharacter { position: String },
    LoneCarriageReturn,
    NotText,
    TooLarge,
}

/// The result of a batch of edits on a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SplicedText {
    pub(super) text: String,
    /// The number of applied edits, without duplicates.
    pub(super) edits: usize,
    pub(super) duplicates: usize,
}

/// Converts a server's edits to byte offsets of the text to which they refer.
pub(super) fn locate(
    text: &str,
    index: &TextIndex,
    edits: &[lsp::TextEdit],
    encoding: Encoding,
    server: usize,
) -> Result<Vec<ByteEdit>, SpliceError> {
    if !edits.is_empty() && find_lone_carriage_return(text).is_some() {
        return Err(SpliceError::LoneCarriageReturn);
    }
    edits
        .iter()
        .map(|edit| {
            let first = edit.range.start.min(edit.range.end);
            if first.line > index.line_count() {
                return Err(SpliceError::BeyondEnd { line: u64::from(first.line) + 1, lines: index.line_count() });
            }
            for position in [edit.range.start, edit.range.end] {
                let round_trip = index.to_lsp(index.from_lsp(position, encoding), encoding);
                // A smaller column on the same line: either clamped to the line's end, or inside a character.
                let line_end = index.line_range(position.line).map(|line| index.to_lsp(line.end(), encoding));
                if line_end.is_some_and(|end| position.character < end.character) && round_trip != position {
                    return Err(SpliceError::CutsCharacter { position: format_position(position) });
                }
            }
            let range = index.range_from_lsp(&edit.range, encoding);
            Ok(ByteEdit { range, new_text: edit.new_text.clone(), server })
        })
        .collect()
}

/// Applies edits, which may be in any order.
pub(super) fn splice(text: &str, mut edits: Vec<ByteEdit>) -> Result<SplicedText, SpliceError> {
    let original_count = edits.len();
    merge_duplicates(&mut edits);
    let duplicates = original_count - edits.len();
    // A stable sort preserves the order of inserts at one position, and puts an insert before a replacement that begins
    // there.
    edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    for pair in edits.windows(2) {
        if let [first, second] = pair
            && second.range.start() < first.range.end()
        {
            let index = TextIndex::new(text);
            let format_start = |edit: &ByteEdit| format_position(index.to_lsp(edit.range.start(), Encoding::Utf32));
            return Err(SpliceError::Overlap { first: format_start(first), second: format_start(second) });
        }
    }
    let ending = dominant_ending(text);
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for edit in &edits {
        result.push_str(text.get(done..edit.range.start().into()).unwrap_or_default());
        push_with_ending(&mut result, &edit.new_text, ending);
        done = edit.range.end().into();
        if result.len() as u64 > MAX_TEXT_BYTES {
            return Err(SpliceError::TooLarge);
        }
    }
    result.push_str(text.get(done..).unwrap_or_default());
    if result.len() as u64 > MAX_TEXT_BYTES {
        return Err(SpliceError::TooLarge);
    }
    if result.contains('\0') {
        return Err(SpliceError::NotText);
    }
    Ok(SplicedText { text: result, edits: edits.len(), duplicates })
}

fn merge_duplicates(edits: &mut Vec<ByteEdit>) {
    let mut seen: FxHashMap<(TextRange, String), usize> = FxHashMap::default();
    edits.retain(|edit| match seen.entry((edit.range, edit.new_text.clone())) {
        std::collections::hash_map::Entry::Vacant(entry) => {
            entry.insert(edit.server);
            true
        }
        std::collections::hash_map::Entry::Occupied(entry) => edit.range.is_empty() && *entry.get() == edit.server,
    });
}

/// Returns the line ending of most lines; `None` if the text has no complete line.
pub(crate) fn dominant_ending(text: &str) -> Option<&'static str> {
    let all = text.bytes().filter(|byte| *byte == b'\n').count();
    let crlf_count = text.matches("\r\n").count();
    match all {
        0 => None,
        _ if crlf_count * 2 > all => Some("\r\n"),
        _ => Some("\n"),
    }
}

fn push_with_ending(result: &mut String, text: &str, ending: Option<&str>) {
    let Some(ending) = ending else { return result.push_str(text) };
    let mut rest = text;
    while let Some((line, tail)) = rest.split_once(['\n', '\r']) {
        let carriage_return = rest.as_bytes().get(line.len()) == Some(&b'\r');
        rest = tail.strip_prefix('\n').filter(|_| carriage_return).unwrap_or(tail);
        result.push_str(line);
        result.push_str(ending);
    }
    result.push_str(rest);
}

fn format_position(position: lsp::Position) -> String {
    format!("{}:{}", u64::from(position.line) + 1, u64::from(position.character) + 1)
}

#[cfg(test)]
mod tests;
