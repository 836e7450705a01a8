//! What is wrong with a text, as data.

use std::borrow::Cow;

use crate::{MAX_DIAGNOSTICS, TextRange};

/// One thing that is wrong with a text, or worth knowing about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxDiagnostic {
    /// Where. Empty where something is missing at the end of a line.
    pub range: TextRange,
    pub code: Code,
    /// What, in the words that users of the language know from elsewhere: "Expecting token of type 'X' but found `y`."
    pub message: String,
    /// What to do about it, where that can be said.
    pub hint: Option<Cow<'static, str>>,
    /// Another place that has to do with it.
    pub related: Option<RelatedSyntax>,
}

impl SyntaxDiagnostic {
    pub fn severity(&self) -> Severity {
        match self.code {
            Code::ReservedName => Severity::Hint,
            _ => Severity::Error,
        }
    }
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The text is no DomainLang.
    Error,
    /// The text is understood; something about it may surprise.
    Hint,
}

/// A place, and what it has to do with a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedSyntax {
    pub range: TextRange,
    pub message: &'static str,
}

/// Which part of the program found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    Lexing,
    Parsing,
}

impl Class {
    /// The name by which programs know it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lexing => "lexing-error",
            Self::Parsing => "parsing-error",
        }
    }
}

/// What kind of thing is wrong. The texts are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// Characters that no token begins with.
    UnexpectedCharacter,
    /// A string without its closing quote.
    UnterminatedString,
    /// A block comment without `*/`.
    UnterminatedComment,
    /// Only the beginning of a very long text was read.
    FileTooLarge,
    /// Something is missing.
    ExpectedToken,
    /// Something stands where it cannot stand.
    UnexpectedToken,
    /// A reserved word in another spelling, such as `boundedcontext`.
    MisspeltKeyword,
    /// An import behind the first element, or inside a namespace.
    MisplacedImport,
    /// A clause of a header twice or in the wrong order.
    MisplacedClause,
    /// A property of something else.
    MisplacedProperty,
    /// `contains` behind the first relationship.
    MisplacedContains,
    /// An element inside a body that holds no elements.
    MisplacedElement,
    /// A pattern on the wrong kind of relationship, or before its context.
    MisplacedPattern,
    /// Namespaces nested too deep.
    NestingTooDeep,
    /// There are more errors than are listed.
    TooManyErrors,
    /// A reserved word is read as a name.
    ReservedName,
}

impl Code {
    /// The name by which programs know it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnexpectedCharacter => "unexpected-character",
            Self::UnterminatedString => "unterminated-string",
            Self::UnterminatedComment => "unterminated-comment",
            Self::FileTooLarge => "file-too-large",
            Self::ExpectedToken => "expected-token",
            Self::UnexpectedToken => "unexpected-token",
            Self::MisspeltKeyword => "misspelt-keyword",
            Self::MisplacedImport => "misplaced-import",
            Self::MisplacedClause => "misplaced-clause",
            Self::MisplacedProperty => "misplaced-property",
            Self::MisplacedContains => "misplaced-contains",
            Self::MisplacedElement => "misplaced-element",
            Self::MisplacedPattern => "misplaced-pattern",
            Self::NestingTooDeep => "nesting-too-deep",
            Self::TooManyErrors => "too-many-errors",
            Self::ReservedName => "reserved-name",
        }
    }

    pub fn class(self) -> Class {
        match self {
            Self::UnexpectedCharacter | Self::UnterminatedString | Self::UnterminatedComment | Self::FileTooLarge => {
                Class::Lexing
            }
            _ => Class::Parsing,
        }
    }
}

/// Collects diagnostics up to a bound. Hints have a bound of their own, so that they never hide an error.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    diagnostics: Vec<SyntaxDiagnostic>,
    hints: usize,
    is_full: bool,
}

impl Collector {
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(crate) fn has_enough_hints(&self) -> bool {
        self.hints >= MAX_DIAGNOSTICS
    }

    pub(crate) fn push(&mut self, diagnostic: SyntaxDiagnostic) {
        if diagnostic.severity() == Severity::Hint {
            if !self.has_enough_hints() {
                self.hints += 1;
                self.diagnostics.push(diagnostic);
            }
        } else if self.diagnostics.len() - self.hints < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else if !self.is_full {
            self.is_full = true;
            self.diagnostics.push(SyntaxDiagnostic {
                range: diagnostic.range,
                code: Code::TooManyErrors,
                message: format!("More than {MAX_DIAGNOSTICS} syntax errors; the others are not listed."),
                hint: None,
                related: None,
            });
        }
    }

    pub(crate) fn finish(self) -> Vec<SyntaxDiagnostic> {
        self.diagnostics
    }
}
