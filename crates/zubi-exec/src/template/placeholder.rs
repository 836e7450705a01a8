//! Placeholders: the names in scope, the sources and positions of values, and their problems.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The replacement of a secret value in displayed text.
pub const REDACTED: &str = "•••";

/// The syntax of the rendered text. It decides about valid positions of placeholders and the escaping of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Escaping {
    /// A script for a POSIX shell (one of [`SHELLS`](super::SHELLS)). A placeholder may be unquoted (one word whatever the value is,
    /// an array several) or between double quotes. Anywhere else it is a problem: see [`Template::parse`](super::Template::parse).
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
    pub(super) fn error(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, severity: Severity::Error, message: message.into() }
    }

    pub(super) fn warning(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, severity: Severity::Warning, message: message.into() }
    }
}

/// The source of a placeholder's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlaceholderSource {
    Argument(String, Argument),
    Variable(String, String),
    Environment(String),
    WorkspaceFolder,
}

impl PlaceholderSource {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Argument(name, _) | Self::Variable(name, _) | Self::Environment(name) => name,
            Self::WorkspaceFolder => "workspaceFolder",
        }
    }

    /// How a message calls it.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Argument(name, _) => format!("argument `{name}`"),
            Self::Variable(name, _) => format!("variable `{name}`"),
            Self::Environment(name) => format!("`{name}` of `zubi.env`"),
            Self::WorkspaceFolder => "`workspaceFolder`".to_owned(),
        }
    }

    pub(super) fn argument(&self) -> Option<Argument> {
        match self {
            Self::Argument(_, argument) => Some(*argument),
            _ => None,
        }
    }

    pub(super) fn is_array(&self) -> bool {
        self.argument().is_some_and(|argument| argument.kind == ArgumentKind::Array)
    }
}

/// The position of a placeholder, which decides the escaping of its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlaceholderPosition {
    /// Unquoted in a script. Alone: a word of its own that may be left out or become several.
    Word {
        is_alone: bool,
    },
    /// Between double quotes in a script.
    Quoted,
    /// The beginning of a URL, through the host or further.
    UrlBase,
    /// The host, or a part of it.
    UrlHost,
    /// In a segment of a path. Alone: the whole segment.
    Segment {
        is_alone: bool,
    },
    /// The whole value of the pair `key`. `separator` is the separator before the pair, if any.
    Pair {
        separator: Option<char>,
        key: String,
    },
    /// Elsewhere in a query, a fragment or a form.
    Encoded,
    /// In a header's value. Alone: it is the whole value.
    Header {
        is_alone: bool,
    },
    JsonString,
    JsonValue,
    Text,
    Path,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TemplatePart {
    Literal(String),
    Placeholder { source: PlaceholderSource, position: PlaceholderPosition },
}

pub(super) fn array_problem(source: &PlaceholderSource, range: Range<usize>) -> TemplateProblem {
    TemplateProblem::error(range, format!("{} is an array, and only one value is possible here", source.describe()))
}
