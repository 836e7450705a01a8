//! The parser of files: a grammar of tree-sitter is C code that can end its process or run for minutes on a text made for
//! it. So texts are parsed in a confined child, `zubi __parse`, and such a text costs only its own file.
//!
//! The child reads one job after the other from its input and writes one answer each:
//!
//! ```text
//! zubi → child   {"name":"lib.rs","bytes":123,"timeMs":2000}\n   and 123 bytes of UTF-8
//! child → zubi   {"outline":{…}}\n   or   {"failure":"why"}\n
//! ```
//!
//! A job with an extent, `"layout":"file"`, has the answer `{"layout":{…}}`. A job with a pattern, `"search":{"language":"rust","pattern":"$X.unwrap()"}`, has the answer `{"matches":{…}}`, or
//! `{"invalid":"why"}` if the pattern is invalid.

pub mod child;
mod parent;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use zubi_code::syntax::{NodeSearch, PatternAnswer};
use zubi_syntax::{SyntaxLayout, SyntaxOutline, TextExtent};

pub use parent::{ParserConfig, ParserProcess};
pub use zubi_code::syntax::{SyntaxError, SyntaxParser};

/// zubi's argument for the child.
pub const CHILD_ARGUMENT: &str = "__parse";

/// The maximum number of children: the writer of the store and the reader of the files need a processor as well.
pub(crate) const MAX_CHILDREN: usize = 2;

/// The maximum length of an answer in bytes: [`zubi_syntax::MAX_DECLARATIONS`] declarations with long names.
const MAX_ANSWER: u64 = 32 * 1024 * 1024;

/// A text to parse. The text follows the line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ParseJob {
    /// The name of the file without its directories. It decides the language of an outline.
    name: String,
    /// The length of the text.
    bytes: usize,
    /// The time limit of the parse in milliseconds.
    time_ms: u64,
    /// The ranges of the cells, if the text is the code of a notebook. Then `name` decides their language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cells: Vec<Range<usize>>,
    /// The extent of the text whose layout to return, instead of an outline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    layout: Option<TextExtent>,
    /// The pattern to find, instead of an outline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    search: Option<PatternSearch>,
}

/// A pattern with its language.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PatternSearch {
    /// [`zubi_syntax::SyntaxLanguage::id`].
    language: String,
    #[serde(flatten)]
    search: NodeSearch,
}

/// The answer to a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum ParseAnswer {
    Outline(SyntaxOutline),
    Layout(SyntaxLayout),
    Matches(PatternAnswer),
    /// The reason why the pattern is invalid, for the user.
    Invalid(String),
    /// The reason why there is no answer for this text, for the user.
    Failure(String),
}
