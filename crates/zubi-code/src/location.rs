//! Locations: as answers show them (path, 1-based line and column, source line), and as servers return them.

use camino::Utf8PathBuf;
use serde::Deserialize as _;
use serde_json::Value;
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextIndex, TextRange, TextSize};
use zubi_syntax::CellPosition;

use crate::document::SourceDocument;
use crate::markup::clean_line;

/// A location with all the data that an answer needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    /// The path that answers show: relative to the workspace; absolute outside its folders; the URI of a virtual
    /// document.
    pub display_path: String,
    /// The path; `None` if the URI does not name a file of this machine.
    pub path: Option<Utf8PathBuf>,
    /// Whether the location is outside the workspace folders (a library).
    pub external: bool,
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// The last line of the range, 1-based.
    pub end_line: u32,
    /// LSP's form: 0-based, UTF-16.
    pub range: lsp::Range,
    /// The source line, trimmed, without control characters, at most [`crate::markup::MAX_SOURCE_LINE`] characters;
    /// `None` if the text cannot be read.
    pub source: Option<String>,
    /// The reason why `source` is `None`, as a clause.
    pub unreadable_reason: Option<String>,
    /// The position in the code cells, if the file is a notebook. The other fields are positions in its JSON.
    pub cell: Option<CellPosition>,
    /// Lines around the position and its own, with their 1-based numbers, if requested.
    pub context: Vec<(u32, String)>,
}

impl SourceLocation {
    /// Formats the location as `src/lib.rs:12:5`, or `explore.ipynb cell 3:2:5` for the code of a notebook.
    pub fn to_at(&self) -> String {
        format_at(&self.display_path, self.line, self.column, self.cell)
    }
}

/// Formats a position as [`SourceLocation::to_at`].
pub(crate) fn format_at(display_path: &str, line: u32, column: u32, cell: Option<CellPosition>) -> String {
    match cell {
        Some(CellPosition { cell, line, column }) => format!("{display_path} cell {cell}:{line}:{column}"),
        None => format!("{display_path}:{line}:{column}"),
    }
}

/// Returns the 1-based column of an offset, in characters.
pub fn column_of(document: &SourceDocument, offset: TextSize) -> u32 {
    document.index.to_lsp(offset, Encoding::Utf32).character + 1
}

/// Returns the text of a line (0-based) without its terminator.
pub fn line_text<'a>(text: &'a str, index: &TextIndex, line: u32) -> Option<&'a str> {
    let range = index.line_range(line)?;
    text.get(usize::from(range.start())..usize::from(range.end()))
}

/// The maximum length of a URI that is shown complete, in bytes. A URI of a Java library class has 300 bytes, most of
/// them the library's path on this machine after the question mark.
const MAX_URI: usize = 100;

/// Returns the name that answers show for a virtual document.
pub(crate) fn display_uri(uri: &lsp::Uri) -> String {
    let is_short = uri.0.len() <= MAX_URI;
    clean_line(if is_short { &uri.0 } else { uri.0.split('?').next().unwrap_or_default() })
}

/// Returns the clause about a file whose lines programs count differently after a line (0-based).
pub(crate) fn describe_uncertain_lines(display_path: &str, last: u32) -> String {
    format!(
        "`{display_path}` has carriage returns without line feeds, which servers count differently: positions after \
         line {} may be wrong until its line ends are converted",
        u64::from(last) + 1
    )
}

/// Creates a location without a source line, with the reason.
pub(crate) fn unreadable_location(
    location: &lsp::Location,
    path: Option<Utf8PathBuf>,
    display_path: String,
    external: bool,
    reason: String,
) -> SourceLocation {
    SourceLocation {
        display_path,
        path,
        external,
        line: location.range.start.line.saturating_add(1),
        column: location.range.start.character.saturating_add(1),
        end_line: location.range.end.line.saturating_add(1),
        range: location.range,
        source: None,
        unreadable_reason: Some(reason),
        cell: None,
        context: Vec::new(),
    }
}

/// Creates the location of a byte range in a document, with `context` lines around it.
pub(crate) fn with_source(
    document: &SourceDocument,
    path: Option<Utf8PathBuf>,
    display_path: String,
    external: bool,
    range: TextRange,
    context: u32,
) -> SourceLocation {
    let start = document.index.line_col(range.start());
    let end = document.index.line_col(range.end());
    let notebook = path.as_deref().and_then(|path| document.notebook(path));
    let cell = notebook.and_then(|notebook| notebook.position(range.start().into()));
    let cell_code = notebook.zip(cell).and_then(|(notebook, at)| notebook.cell_code(at.cell));
    let cell_line = cell_code.zip(cell).and_then(|(code, at)| code.lines().nth(at.line - 1));
    let lines = |line: u32| line.saturating_sub(context)..=line.saturating_add(context);
    let context_lines = match cell_code.zip(cell) {
        _ if context == 0 => Vec::new(),
        Some((code, at)) => {
            let own = u32::try_from(at.line).unwrap_or(u32::MAX);
            let numbered = (1..).zip(code.lines()).filter(|(line, _)| lines(own).contains(line));
            numbered.map(|(line, text)| (line, crate::markup::source_line(text))).collect()
        }
        None => lines(start.line)
            .filter_map(|line| {
                Some((line + 1, crate::markup::source_line(line_text(&document.text, &document.index, line)?)))
            })
            .collect(),
    };
    SourceLocation {
        display_path,
        external,
        line: start.line + 1,
        column: column_of(document, range.start()),
        end_line: end.line + 1,
        range: document.index.range_to_lsp(range, Encoding::Utf16),
        source: cell_line
            .or_else(|| line_text(&document.text, &document.index, start.line))
            .map(|line| crate::markup::source_line(line.trim())),
        unreadable_reason: None,
        cell,
        context: context_lines,
        path,
    }
}

/// Parses locations in any of LSP's forms: one, a list, links, `null`. Skips invalid items. Uses the range of the name
/// in a link, not that of the whole declaration.
pub(crate) fn parse(result: &Value) -> Vec<lsp::Location> {
    let one = |item: &Value| {
        let (uri, range) = uri_and_range(item)?;
        Some(lsp::Location { uri: lsp::Uri(uri.to_owned()), range: lsp::Range::deserialize(range).ok()? })
    };
    match result {
        Value::Array(items) => items.iter().filter_map(one).collect(),
        Value::Object(_) => one(result).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether [`parse`] reads one location from an item.
pub(crate) fn readable(item: &Value) -> bool {
    uri_and_range(item).is_some_and(|(_, range)| lsp::Range::deserialize(range).is_ok())
}

fn uri_and_range(item: &Value) -> Option<(&str, &Value)> {
    let (uri, range) = match item.get("targetUri") {
        Some(uri) => (uri, item.get("targetSelectionRange").or_else(|| item.get("targetRange"))?),
        None => (item.get("uri")?, item.get("range")?),
    };
    Some((uri.as_str().filter(|uri| !uri.is_empty())?, range))
}
