//! Resolves a target: a symbol, a 1-based position, or LSP's 0-based position.
//!
//! Models get columns wrong and lines off by a few, so zubi checks everything against the text: a position must touch
//! an identifier, and an anchor text corrects the line. If zubi cannot decide, the error lists the exact arguments to
//! use next. A call must use exactly one form.

mod at;
mod counterpart;
mod index;
mod mention;
mod name;
mod position_text;
mod symbol;

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::endpoint::DocumentRef;
use zubi_base::lsp;
use zubi_base::position::{Encoding, LineCol, TextRange, TextSize, size};
use zubi_base::sync::lock;

use crate::embedding;
use crate::error::CodeError;
use crate::location::{self, column_of, line_text};
use crate::query::{CodeQuery, SourceDocument};
use crate::status::AnswerStatus;
use crate::text_search;

pub(crate) use index::{IndexedSymbols, describe_loading};
pub(crate) use name::impl_target;
pub(crate) use name::join_segments;
pub use name::{NamePath, declared_segments};
pub(crate) use symbol::{Candidate, MAX_WORD_FILES, WORD_SEARCH, last_segment};

/// The position arguments of a call, as given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetInput {
    pub symbol: Option<String>,
    /// Narrows `symbol` to a file or directory.
    pub path: Option<String>,
    /// `src/lib.rs:12:5`, 1-based, or `src/lib.rs:12 text`; for a notebook, `explore.ipynb cell 3:2:5`.
    pub at: Option<String>,
    /// `file://` URI or path, with `line` and `character`.
    pub uri: Option<String>,
    /// 0-based.
    pub line: Option<u32>,
    /// 0-based, in UTF-16 units.
    pub character: Option<u32>,
}

/// The purpose of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PositionIntent {
    /// A name: the position must touch an identifier; zubi corrects a near miss on the same line.
    Identifier,
    /// A position to type at, used as given.
    Exact,
}

/// The resolved target of a call.
#[derive(Debug, Clone)]
pub struct ResolvedTarget {
    pub path: Utf8PathBuf,
    pub reference: DocumentRef,
    pub offset: TextSize,
    /// The text that the target names: a line without its indentation, a part of it, or only the position.
    pub extent: TextRange,
    /// The identifier there.
    pub name: Option<String>,
    /// Set if the target was resolved as a declared symbol.
    pub kind: Option<&'static str>,
    /// `src/lib.rs:13:9`, or `explore.ipynb cell 3:2:5` for the code of a notebook; 1-based.
    pub display_position: String,
    /// The correction or choice that zubi made, for the answer's first line.
    pub note: Option<String>,
    /// The status of the servers that were queried to find the position.
    pub status: AnswerStatus,
}

impl ResolvedTarget {
    /// The first line of a positional answer: `at src/lib.rs:13:9 parse (function)`.
    pub fn header(&self) -> String {
        use std::fmt::Write as _;
        let mut line = format!("at {}", self.display_position);
        // Writing to a `String` cannot fail.
        if let Some(name) = &self.name {
            let _ = write!(line, " {name}");
        }
        if let Some(kind) = self.kind {
            let _ = write!(line, " ({kind})");
        }
        if let Some(note) = &self.note {
            let _ = write!(line, "; {note}");
        }
        line
    }
}

const POSITION_FORMS: &str = "Give the position in exactly one of two ways:\n  \
    symbol: \"Type/method\" (optionally with path: \"src/lib.rs\")\n  \
    at: \"src/lib.rs:12:5\" (1-based, as answers print it) or at: \"src/lib.rs:12 fn parse\"";

impl CodeQuery<'_> {
    /// Resolves the target of a call.
    pub async fn resolve(&self, input: &TargetInput, snap: PositionIntent) -> Result<ResolvedTarget, CodeError> {
        let position = input.uri.is_some() || input.line.is_some() || input.character.is_some();
        let resolved = match (&input.symbol, &input.at, position) {
            (Some(symbol), None, false) => self.resolve_symbol(symbol, input.path.as_deref()).await,
            (None, Some(at), false) => self.resolve_at(at, snap).await,
            (None, None, true) => match (&input.uri, input.line, input.character) {
                (Some(uri), Some(line), Some(character)) => self.resolve_position(uri, line, character, snap).await,
                _ => Err(CodeError::input("position", "`uri`, `line` and `character` belong together", POSITION_FORMS)),
            },
            (None, None, false) => Err(CodeError::input("position", "no position was given", POSITION_FORMS)),
            _ => Err(CodeError::input("position", "the position was given in more than one way", POSITION_FORMS)),
        };
        if let Ok(target) = &resolved {
            *lock(&self.target) = Some(target.path.clone());
        }
        resolved
    }

    async fn resolve_position(
        &self,
        uri: &str,
        line: u32,
        character: u32,
        snap: PositionIntent,
    ) -> Result<ResolvedTarget, CodeError> {
        let path = self.resolve_path(uri)?;
        let document = self.document(&path).await?;
        let lines = document.index.line_count();
        if line >= lines {
            return Err(CodeError::input(
                "line",
                format!(
                    "line {line} (0-based) is past the end; `{}` has {lines} lines",
                    self.workspace().display(&path)
                ),
                "Lines of `uri`/`line`/`character` count from 0; the `at` form counts from 1.",
            ));
        }
        let offset = document.index.from_lsp(lsp::Position { line, character }, Encoding::Utf16);
        if snap == PositionIntent::Exact {
            return Ok(self.resolved_target(path, &document, offset, None));
        }
        if identifier_around(Some(&path), &document, offset).is_some() {
            return Ok(self.resolved_target(path, &document, offset, None));
        }
        // Answers print 1-based positions. A caller who copied one into the 0-based form gets an error, not a guess.
        let one_based = line.checked_sub(1).zip(character.checked_sub(1)).and_then(|(line, character)| {
            let offset = document.index.from_lsp(lsp::Position { line, character }, Encoding::Utf16);
            let (word, start) = identifier_around(Some(&path), &document, offset)?;
            Some((word, document.index.line_col(start).line + 1, column_of(&document, start)))
        });
        let display_path = self.workspace().display(&path);
        let hint = match one_based {
            Some((word, line, column)) => format!(
                "`line` and `character` are 0-based. If line {line} column {column} counted from 1 was meant, use at: \"{display_path}:{line}:{column}\" (`{word}`)."
            ),
            None => identifiers_hint(&document, &display_path, line),
        };
        Err(CodeError::input(
            "position",
            format!("there is no identifier at line {line} character {character} (0-based) of `{display_path}`"),
            hint,
        ))
    }

    /// Creates a target at an offset, moved to the start of the identifier it touches.
    pub(crate) fn resolved_target(
        &self,
        path: Utf8PathBuf,
        document: &SourceDocument,
        offset: TextSize,
        note: Option<String>,
    ) -> ResolvedTarget {
        let (name, offset) = match identifier_around(Some(&path), document, offset) {
            Some((name, start)) => (Some(name), start),
            None => (None, offset),
        };
        self.resolved_exactly(path, document, offset, name, note)
    }

    fn resolved_exactly(
        &self,
        path: Utf8PathBuf,
        document: &SourceDocument,
        offset: TextSize,
        name: Option<String>,
        note: Option<String>,
    ) -> ResolvedTarget {
        let display_path = self.workspace().display(&path);
        let cell = document.notebook(&path).and_then(|notebook| notebook.position(offset.into()));
        let line = document.index.line_col(offset).line + 1;
        let display_position = location::format_at(&display_path, line, column_of(document, offset), cell);
        self.note_uncertain_position(document, &display_path, offset);
        ResolvedTarget {
            reference: DocumentRef::new(path.clone()),
            path,
            offset,
            extent: TextRange::empty(offset),
            name,
            kind: None,
            display_position,
            note,
            status: AnswerStatus::default(),
        }
    }
}

/// Returns the identifier that contains or touches an offset, and its start. `file` is the file whose text the document is:
/// in the JSON of a notebook, the letter of an escape does not belong to the identifier after it. `None` for other texts.
pub(crate) fn identifier_around(
    file: Option<&Utf8Path>,
    document: &SourceDocument,
    offset: TextSize,
) -> Option<(String, TextSize)> {
    let at = document.index.line_col(offset);
    let line = line_text(&document.text, &document.index, at.line)?;
    let searchable = file.map_or(Cow::Borrowed(line), |file| embedding::searchable_text(file, line));
    let range = text_search::identifier_at(&searchable, at.col as usize)?;
    let start = document.index.offset(LineCol { line: at.line, col: size(range.start).into() });
    Some((line.get(range)?.to_owned(), start))
}

/// Returns a hint for a line (0-based) without an identifier at the position: the identifiers it has, ready to use.
fn identifiers_hint(document: &SourceDocument, display_path: &str, line: u32) -> String {
    let mut suggestions = Vec::new();
    if let Some(text) = line_text(&document.text, &document.index, line) {
        for range in text_search::identifiers(text).into_iter().take(8) {
            let offset = document.index.offset(LineCol { line, col: size(range.start).into() });
            let name = text.get(range).unwrap_or_default();
            suggestions.push(format!(
                "  at: \"{display_path}:{}:{}\" (`{name}`)",
                line + 1,
                column_of(document, offset)
            ));
        }
    }
    if suggestions.is_empty() {
        return format!("Line {} has no identifier; `lsp_document_symbols` lists what the file declares.", line + 1);
    }
    format!("Identifiers on line {}:\n{}", line + 1, suggestions.join("\n"))
}
