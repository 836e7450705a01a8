//! Templates of declared tools: text with placeholders, parsed once, whose values cannot change the meaning of the
//! text.
//!
//! This module owns the syntax of placeholders, their valid positions in each kind of text ([`Escaping`]) and the
//! escaping of values. It reads no files, knows no tool and decides nothing about permissions.
//!
//! # Placeholders
//!
//! | written | value |
//! |---|---|
//! | `$name`, `${arg:name}` | an argument of the call |
//! | `${NAME}` | a variable of the tool file |
//! | `${env:NAME}` | a value of the setting `zubi.env`, or a declared secret; never the process' environment |
//! | `${workspaceFolder}` | the workspace folder's absolute path |
//! | `$$` | a dollar |
//!
//! A template is split into literal text and placeholders when its file is loaded. Rendering is one pass: a value
//! replaces its placeholder and is never parsed again, so a value that contains `$name` stays as it is.
//!
//! Undeclared names: `${NAME}`, `${arg:x}` and `${env:X}` are errors. `$x` stays as it is written: in a shell script it
//! is the shell's own variable (`$HOME`, `$1`), elsewhere there is a warning. In a script `\$` is the shell's escaped
//! dollar, and forms such as `${x:-y}` and `${#x}` are the shell's; its `${HOME}` is written `$${HOME}` or `$HOME`.
//!
//! # Values
//!
//! A string is inserted as it is; a number or a boolean as in JSON; an object as JSON text. An array becomes several
//! words of a shell script or of arguments, and several `key=value` of a query, if its placeholder is alone; elsewhere
//! it is refused. `null` is the same as a missing argument.
//!
//! A missing required argument is an error, never empty text. A missing optional one is:
//!
//! - a word of a script or of arguments that consists of nothing else: omitted;
//! - a part of a word, text between double quotes, or the operand of a redirection or an assignment: the empty text;
//! - `key=$value` in a query or a form: the pair is omitted;
//! - a header or a text that consists of nothing else: [`RenderedText::absent`] is set, so that the caller can omit it;
//! - a whole value of JSON: `null`; a part of a JSON string: the empty text;
//! - a segment of a URL's path: refused when the file is loaded, because the URL would name another resource.
//!
//! # Secrets
//!
//! Values of `${env:…}` are secret: [`RenderedText::secrets`] names the used ones and [`RenderedText::shown`] has
//! [`REDACTED`] in their place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

mod json;
mod render;
mod scan;
mod shell;
mod url;

#[cfg(test)]
mod tests;

pub use json::text_of as json_text_of;
pub use render::{MAX_RENDERED, RenderError, RenderedText, Values};

use scan::{ScannedTemplate, TemplateToken};

/// The replacement of a secret value in displayed text.
pub const REDACTED: &str = "•••";

/// The longest template, in bytes. One that is longer is a program of its own and belongs into a file.
pub const MAX_TEMPLATE: usize = 256 * 1024;

/// The shells whose scripts [`Sink::Shell`] understands, by the name of their program.
pub const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "ksh", "mksh"];

/// The syntax of the rendered text. It decides about valid positions of placeholders and the escaping of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Escaping {
    /// A script for a POSIX shell (one of [`SHELLS`]). A placeholder may be unquoted (one word whatever the value is,
    /// an array several) or between double quotes. Anywhere else it is a problem: see [`Template::parse`].
    Shell,
    /// A whole `http` or `https` URL. The scheme and the host are the file's or the user's, never an argument's; values
    /// in the path are one segment (or a part of one), those in the query one value.
    Url,
    /// A header's value. Control characters are refused, and of an argument that is a part of it whatever parts such values
    /// (`;`, `,`, `"`, `\`): in `a=$x; b=1` it stays `x` that is given.
    Header,
    /// A body that is JSON text: between quotes a value is escaped; as a whole value it retains its type.
    Json,
    /// A body of `application/x-www-form-urlencoded`.
    Form,
    /// Text for a program that reads it as data. Values are inserted unchanged.
    Text,
    /// A path. Values are inserted unchanged, without NUL; the caller checks that the path is in the workspace.
    Path,
    /// JavaScript. No placeholder is accepted: arguments arrive as data, in `args`.
    Code,
}

/// The kind of an argument, from its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArgumentKind {
    Text,
    /// A text out of a fixed list (`enum`), so one that the file's author has seen.
    Choice,
    Number,
    Boolean,
    Array,
    Object,
    /// The schema does not say.
    Any,
}

/// One argument in scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    pub kind: ArgumentKind,
    /// Every call has it: it is required, or has a default that the caller fills in.
    pub required: bool,
}

/// The names in scope of a template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateNames {
    pub arguments: BTreeMap<String, Argument>,
    /// The variables of the file, with their values. A value is not a template.
    pub variables: BTreeMap<String, String>,
    /// The valid names in `${env:…}`.
    pub environment: BTreeSet<String>,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// There is no template.
    Error,
    Warning,
}

/// A problem of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateProblem {
    /// Bytes of the template's text.
    pub range: Range<usize>,
    pub severity: Severity,
    /// One line: what is wrong, and what to do.
    pub message: String,
}

impl TemplateProblem {
    fn error(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, severity: Severity::Error, message: message.into() }
    }

    fn warning(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, severity: Severity::Warning, message: message.into() }
    }
}

/// The source of a placeholder's value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PlaceholderSource {
    Argument(String, Argument),
    Variable(String, String),
    Environment(String),
    WorkspaceFolder,
}

impl PlaceholderSource {
    fn name(&self) -> &str {
        match self {
            Self::Argument(name, _) | Self::Variable(name, _) | Self::Environment(name) => name,
            Self::WorkspaceFolder => "workspaceFolder",
        }
    }

    /// How a message calls it.
    fn describe(&self) -> String {
        match self {
            Self::Argument(name, _) => format!("argument `{name}`"),
            Self::Variable(name, _) => format!("variable `{name}`"),
            Self::Environment(name) => format!("`{name}` of `zubi.env`"),
            Self::WorkspaceFolder => "`workspaceFolder`".to_owned(),
        }
    }

    fn argument(&self) -> Option<Argument> {
        match self {
            Self::Argument(_, argument) => Some(*argument),
            _ => None,
        }
    }

    fn is_array(&self) -> bool {
        self.argument().is_some_and(|argument| argument.kind == ArgumentKind::Array)
    }
}

/// The position of a placeholder, which decides the escaping of its value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PlaceholderPosition {
    /// Unquoted in a script. Alone: a word of its own that may be left out or become several.
    Word {
        alone: bool,
    },
    /// Between double quotes in a script.
    Quoted,
    /// The beginning of a URL, through the host or further.
    UrlBase,
    /// The host, or a part of it.
    UrlHost,
    /// In a segment of a path. Alone: the whole segment.
    Segment {
        alone: bool,
    },
    /// The whole value of the pair `key`. `lead` is the separator before the pair, if any.
    Pair {
        lead: Option<char>,
        key: String,
    },
    /// Elsewhere in a query, a fragment or a form.
    Encoded,
    /// In a header's value. Alone: it is the whole value.
    Header {
        alone: bool,
    },
    JsonString,
    JsonValue,
    Text,
    Path,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    Literal(String),
    Hole { source: PlaceholderSource, position: PlaceholderPosition },
}

/// A text with placeholders, read and found good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    sink: Escaping,
    parts: Vec<TemplatePart>,
    /// The used sources, in order; more than the parts contain, since a variable may have become text.
    sources: Vec<PlaceholderSource>,
    warnings: Vec<TemplateProblem>,
}

impl Template {
    /// Parses a template.
    ///
    /// In a shell script a placeholder is refused if its value could not be quoted, or would be read as code: inside
    /// single quotes, `$(…)`, backquotes, `${…}`, arithmetic, here-documents and comments, in a subscript, in `[[ …
    /// ]]`, in text that `eval`, `sh -c` or similar commands run. An argument is also refused as the name of a command.
    /// The author is responsible for the script's use of a value.
    ///
    /// # Errors
    ///
    /// All problems of the text, warnings included, in its order, if one of them is an error.
    pub fn parse(text: &str, sink: Escaping, names: &TemplateNames) -> Result<Self, Vec<TemplateProblem>> {
        if text.len() > MAX_TEMPLATE {
            let message = format!("the text has more than {MAX_TEMPLATE} bytes; put it into a file of its own");
            return Err(vec![TemplateProblem::error(0..text.len(), message)]);
        }
        let mut scanned = scan::scan(text, sink, names);
        let positions = match sink {
            Escaping::Shell => shell::resolve_positions(&mut scanned),
            Escaping::Url => url::resolve_positions(&mut scanned),
            Escaping::Form => url::form_places(&mut scanned),
            Escaping::Json => json::resolve_positions(&mut scanned),
            Escaping::Header => {
                let alone = scanned.symbols.len() == 1;
                same_position(&mut scanned, PlaceholderPosition::Header { alone })
            }
            Escaping::Text => same_position(&mut scanned, PlaceholderPosition::Text),
            Escaping::Path => same_position(&mut scanned, PlaceholderPosition::Path),
            Escaping::Code => refuse_all(&mut scanned),
        };
        let mut problems = scanned.problems;
        problems.sort_by_key(|problem| (problem.range.start, problem.range.end));
        problems.dedup();
        if problems.iter().any(|problem| problem.severity == Severity::Error) {
            return Err(problems);
        }
        let parts = parts(&scanned.symbols, &scanned.holes, positions);
        Ok(Self {
            sink,
            parts,
            sources: scanned.holes.into_iter().map(|hole| hole.source).collect(),
            warnings: problems,
        })
    }

    /// Whether it consists of one placeholder and nothing else.
    pub fn is_one_value(&self) -> bool {
        matches!(self.parts.as_slice(), [TemplatePart::Hole { .. }])
    }

    /// Whether it contains an argument that may be any text: not a number, and not one of a list that the author has
    /// seen.
    pub fn accepts_any_text(&self) -> bool {
        let kinds = self.sources.iter().filter_map(PlaceholderSource::argument).map(|argument| argument.kind);
        kinds
            .into_iter()
            .any(|kind| !matches!(kind, ArgumentKind::Choice | ArgumentKind::Number | ArgumentKind::Boolean))
    }

    /// Returns valid but suspicious places.
    pub fn warnings(&self) -> &[TemplateProblem] {
        &self.warnings
    }

    pub fn sink(&self) -> Escaping {
        self.sink
    }

    /// The arguments that are used.
    pub fn arguments(&self) -> BTreeSet<&str> {
        self.names(|source| matches!(source, PlaceholderSource::Argument(..)))
    }

    /// The variables of the file that are used.
    pub fn variables(&self) -> BTreeSet<&str> {
        self.names(|source| matches!(source, PlaceholderSource::Variable(..)))
    }

    /// The values of `zubi.env` and the secrets that are used.
    pub fn secrets(&self) -> BTreeSet<&str> {
        self.names(|source| matches!(source, PlaceholderSource::Environment(..)))
    }

    fn names(&self, predicate: fn(&PlaceholderSource) -> bool) -> BTreeSet<&str> {
        self.sources.iter().filter(|source| predicate(source)).map(PlaceholderSource::name).collect()
    }
}

/// Returns the same position for each placeholder.
fn same_position(scanned: &mut ScannedTemplate, position: PlaceholderPosition) -> Vec<Option<PlaceholderPosition>> {
    for hole in &scanned.holes {
        if hole.source.is_array() {
            scanned.problems.push(not_several(&hole.source, hole.range.clone()));
        }
    }
    vec![Some(position); scanned.holes.len()]
}

fn not_several(source: &PlaceholderSource, range: Range<usize>) -> TemplateProblem {
    TemplateProblem::error(range, format!("{} is an array, and only one value is possible here", source.describe()))
}

fn refuse_all(scanned: &mut ScannedTemplate) -> Vec<Option<PlaceholderPosition>> {
    for hole in &scanned.holes {
        let instead = match &hole.source {
            PlaceholderSource::Argument(name, _) => format!("write `args[{}]`", serde_json::Value::from(name.as_str())),
            _ => "hand it over as an argument".to_owned(),
        };
        let message = format!("{} cannot be pasted into code; {instead}", hole.source.describe());
        scanned.problems.push(TemplateProblem::error(hole.range.clone(), message));
    }
    vec![None; scanned.holes.len()]
}

/// Combines literal text and placeholders. The text that a position has absorbed (the key of a pair) is removed.
fn parts(
    symbols: &[TemplateToken],
    holes: &[scan::Placeholder],
    positions: Vec<Option<PlaceholderPosition>>,
) -> Vec<TemplatePart> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut positions = positions.into_iter();
    for symbol in symbols {
        match *symbol {
            TemplateToken::Char(character, _) => literal.push(character),
            TemplateToken::Hole(index) => {
                let (Some(hole), Some(Some(position))) = (holes.get(index), positions.next()) else { continue };
                if !literal.is_empty() {
                    parts.push(TemplatePart::Literal(std::mem::take(&mut literal)));
                }
                parts.push(TemplatePart::Hole { source: hole.source.clone(), position });
            }
        }
    }
    if !literal.is_empty() {
        parts.push(TemplatePart::Literal(literal));
    }
    parts
}
