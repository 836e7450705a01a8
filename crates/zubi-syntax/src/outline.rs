//! The outline of a text: its declarations, and the search for names in them.

use std::ops::{ControlFlow, Range};

use tree_sitter::{ParseOptions, ParseState, Parser, Point, Tree};

use crate::declaration::Declaration;
use crate::extract;
use crate::grammars::Grammar;
use crate::language::{LanguagePart, SyntaxLanguage};
use crate::notebook::Notebook;
use crate::visibility_macros;

/// The maximum size of a text in bytes. A syntax tree takes 10 to 20 times as much memory.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;

/// The version of the outlines: increment it with every change of a grammar or of a table that changes the outline of some
/// text, so that stored outlines are made again. A test compares it with the outlines of the samples.
pub const OUTLINE_VERSION: u32 = 5;

/// The maximum number of declarations in an outline.
pub const MAX_DECLARATIONS: usize = 20_000;

/// The maximum depth of an outline: a declaration has fewer enclosing ones.
pub const MAX_DEPTH: usize = 64;

/// The maximum number of columns before the text of a line, including YAML's `-` and `?`, in languages with a limit.
pub(crate) const MAX_INDENTATION: usize = 120;

/// The declarations of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SyntaxOutline {
    /// The declarations in the order of the text. A declaration is before its members.
    pub declarations: Vec<Declaration>,
    /// Whether the grammar rejected a part of the text. Declarations in and after this part may be missing.
    pub has_errors: bool,
    /// Whether [`MAX_DECLARATIONS`] or [`MAX_DEPTH`] omitted declarations.
    pub is_cut: bool,
}

/// The reason why a text has no outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OutlineError {
    /// The text is longer than [`MAX_TEXT_BYTES`].
    #[error("the file has {bytes} bytes, which is too large to parse; the maximum is {MAX_TEXT_BYTES} bytes")]
    TooLarge {
        /// The size of the text.
        bytes: usize,
    },
    /// A line of a language with indentation is indented too far. The scanner of YAML's grammar ends the process if a text
    /// nests more than 253 blocks, and a column can begin two.
    #[error("a line is indented by more than {MAX_INDENTATION} columns, which is too deep to parse")]
    TooDeep,
    /// The caller stopped the parse.
    #[error("parsing was stopped because it took too long")]
    Stopped,
    /// The text is not a notebook.
    #[error("the file is not a Jupyter notebook of format 4")]
    Notebook,
    /// The kernel of a notebook has another language.
    #[error("zubi cannot parse the language of the notebook")]
    NotebookLanguage,
    /// The library rejects the grammar's version. The tests exclude this for all languages.
    #[error("the grammar of {0} does not fit the parser")]
    Grammar(&'static str),
}

/// Returns the declarations of a text.
///
/// The parser calls `is_stopped` every few thousand steps, and returns [`OutlineError::Stopped`] as soon as it returns
/// `true`. Some grammars do not call it during the recovery from an error; [`MAX_TEXT_BYTES`] limits
/// that time.
pub fn outline(
    language: &SyntaxLanguage,
    text: &str,
    is_stopped: &dyn Fn() -> bool,
) -> Result<SyntaxOutline, OutlineError> {
    outline_parts(language, text, language.parts(text), is_stopped)
}

/// Returns the declarations in parts of a text, such as the cells of a notebook ([`crate::Notebook`]). An error in one part
/// does not affect the others. The parts are in the order of the text and do not overlap; others are left out.
pub fn outline_of_cells(
    language: &SyntaxLanguage,
    text: &str,
    cells: &[Range<usize>],
    is_stopped: &dyn Fn() -> bool,
) -> Result<SyntaxOutline, OutlineError> {
    let mut end = 0;
    let is_next = |cell: &&Range<usize>| {
        let is_valid = end <= cell.start && text.get((*cell).clone()).is_some_and(|code| !code.is_empty());
        end = if is_valid { cell.end } else { end };
        is_valid
    };
    let cells = cells.iter().filter(is_next);
    let parts = cells.map(|range| LanguagePart { grammar: language.grammar, range: range.clone() }).collect();
    outline_parts(language, text, parts, is_stopped)
}

fn outline_parts(
    language: &SyntaxLanguage,
    text: &str,
    parts: Vec<LanguagePart>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<SyntaxOutline, OutlineError> {
    check_text(language, text)?;
    let mut outline = SyntaxOutline::default();
    let parsed = visibility_macros::blank_in(language, text);
    for part in parts {
        let tree = parse_part(language, &parsed, &part, is_stopped)?;
        extract::extract(&tree, text, part.grammar.compiled_table(), is_stopped, &mut outline)
            .ok_or(OutlineError::Stopped)?;
    }
    Ok(outline)
}

/// Returns the declarations of a file's text, in the language of the file's name (without its directories). Returns `None`
/// if the language is unknown.
///
/// A notebook has the declarations of its code cells. C and C++ share the extension `h`. A text with keywords of C++ is C++. A text that C's grammar rejects is read as C++ if that grammar accepts it, or finds
/// more declarations.
pub fn outline_of_file(
    name: &str,
    text: &str,
    is_stopped: &dyn Fn() -> bool,
) -> Option<Result<SyntaxOutline, OutlineError>> {
    if Notebook::is_notebook(name) {
        let outline = Notebook::parse(text).and_then(|notebook| {
            let outline = outline_of_cells(notebook.language(), notebook.parsed_code(), &notebook.cells(), is_stopped)?;
            Ok(notebook.to_file(outline))
        });
        return Some(outline);
    }
    let language = SyntaxLanguage::from_file_name(name)?;
    if let Some(other) = SyntaxLanguage::other_of_header(name).filter(|_| is_cpp(text)) {
        return Some(outline(other, text, is_stopped));
    }
    let first = outline(language, text, is_stopped);
    let Ok(rejected) = &first else { return Some(first) };
    let Some(other) = SyntaxLanguage::other_of_header(name).filter(|_| rejected.has_errors) else { return Some(first) };
    let other = outline(other, text, is_stopped);
    let is_better =
        other.as_ref().is_ok_and(|other| !other.has_errors || other.declarations.len() > rejected.declarations.len());
    Some(if is_better { other } else { first })
}

/// Whether a line of a header begins with a keyword that only C++ has. The grammar of C accepts some of it: it takes a
/// namespace for a function.
fn is_cpp(text: &str) -> bool {
    let begins = |line: &str| {
        ["namespace ", "class ", "template <", "template<", "using ", "public:", "private:", "protected:"]
            .iter()
            .any(|keyword| line.trim_start().starts_with(keyword))
    };
    text.lines().any(begins)
}

impl SyntaxOutline {
    /// Returns the names of the declarations around one, outermost first.
    pub fn above(&self, index: usize) -> Vec<&str> {
        let mut above = Vec::new();
        let mut parent = self.declarations.get(index).and_then(|declaration| declaration.parent);
        while let Some(declaration) = parent.and_then(|parent| self.declarations.get(parent)) {
            above.push(declaration.name.as_str());
            parent = declaration.parent;
        }
        above.reverse();
        above
    }
}

/// Checks the limits of a text before a grammar parses it.
pub(crate) fn check_text(language: &SyntaxLanguage, text: &str) -> Result<(), OutlineError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(OutlineError::TooLarge { bytes: text.len() });
    }
    let is_too_deep = |line: &str| line.bytes().take_while(|byte| b" \t-?:".contains(byte)).count() > MAX_INDENTATION;
    if language.is_indentation_limited && text.split(['\n', '\r']).any(is_too_deep) {
        return Err(OutlineError::TooDeep);
    }
    Ok(())
}

/// Parses one part of a text; the positions in the tree are those of the whole text.
pub(crate) fn parse_part(
    language: &SyntaxLanguage,
    text: &str,
    part: &LanguagePart,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Tree, OutlineError> {
    let parser = parser(part.grammar, text, part).ok_or(OutlineError::Grammar(language.id))?;
    parse(parser, text, is_stopped).ok_or(OutlineError::Stopped)
}

/// Creates a parser for one part of a text; the positions in its tree are those of the whole text.
fn parser(grammar: &Grammar, text: &str, part: &LanguagePart) -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language()).ok()?;
    if part.range != (0..text.len()) {
        let point = |offset: usize| {
            let before = text.get(..offset).unwrap_or_default();
            let row = before.bytes().filter(|byte| *byte == b'\n').count();
            Point { row, column: before.len() - before.rfind('\n').map_or(0, |at| at + 1) }
        };
        let range = tree_sitter::Range {
            start_byte: part.range.start,
            end_byte: part.range.end,
            start_point: point(part.range.start),
            end_point: point(part.range.end),
        };
        parser.set_included_ranges(&[range]).ok()?;
    }
    Some(parser)
}

/// Returns the tree of a text, or `None` if the caller stopped the parse.
fn parse(mut parser: Parser, text: &str, is_stopped: &dyn Fn() -> bool) -> Option<Tree> {
    let mut progress = |_: &ParseState| if is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |offset: usize, _| text.as_bytes().get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}
