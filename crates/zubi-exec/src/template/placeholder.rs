//! Placeholders: the names in scope, the sources and positions of values, and their problems.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The replacement of a secret value in displayed text.
pub const REDACTED: &str = "•••";

/// The syntax of the rendered text, which decides the valid positions of placeholders and the escaping of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Escaping {
    /// A script for a POSIX shell (one of [`SHELLS`](super::SHELLS)). A placeholder may be unquoted (one word; an array
    /// several) or between double quotes, nowhere else: see [`Template::parse`](super::Template::parse).
    Shell,
    /// A whole `http` or `https` URL. The scheme and the host come from the file or the user, never from an argument;
    /// values are one path segment (or a part of one) or one query value.
    Url,
    /// A header's value. Control characters are refused. An argument that is a part of the header may not contain
    /// separators (`;`, `,`, `"`, `\`), so that `x` in `a=$x; b=1` remains the value of `a`.
    Header,
    /// A body of JSON text. A value between quotes is escaped; as a whole value it retains its type.
    Json,
    /// A body of `application/x-www-form-urlencoded`.
    Form,
    /// Text for a program that reads it as data. Values are inserted unchanged.
    Text,
    /// A path. Values are inserted unchanged, without NUL; the caller checks that the path is in the workspace.
    Path,
    /// JavaScript, which may not contain placeholders: the code receives the arguments as data, in `args`.
    Code,
}

/// The kind of an argument, from its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArgumentKind {
    Text,
    /// A text from a fixed list (`enum`), which the file's author has seen.
    Choice,
    Number,
    Boolean,
    Array,
    Object,
    /// The schema does not specify the type.
    Any,
}

/// One argument in scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    pub kind: ArgumentKind,
    /// Whether every call has a value: the argument is required, or has a default that the caller inserts.
    pub required: bool,
}

/// The names in scope of a template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateNames {
    pub arguments: BTreeMap<String, Argument>,
    /// The variables of the file and their values, which are not templates.
    pub variables: BTreeMap<String, String>,
    /// The valid names in `${env:…}`.
    pub environment: BTreeSet<String>,
}

/// The severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The template is invalid.
    Error,
    Warning,
}

/// A problem of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateProblem {
    /// The byte range in the template's text.
    pub range: Range<usize>,
    pub severity: Severity,
    /// One line with the error and the next step.
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

    /// Returns the name of the source for messages.
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
    /// Unquoted in a script. If alone: a word of its own, which may be omitted or become several.
    Word {
        is_alone: bool,
    },
    /// Between double quotes in a script.
    Quoted,
    /// The beginning of a URL, including the host.
    UrlBase,
    /// The host, or a part of it.
    UrlHost,
    /// In a segment of a path. If alone: the whole segment.
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
    /// In a header's value. If alone: the whole value.
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
