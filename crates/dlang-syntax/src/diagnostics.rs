//! Diagnostics of a text, as data.

use std::borrow::Cow;

use crate::{MAX_DIAGNOSTICS, TextRange};

/// Error in a text, or a hint about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxDiagnostic {
    /// Range in the text, in bytes. Empty if something is missing at the end of a line.
    pub range: TextRange,
    pub code: SyntaxCode,
    /// Message in the wording of DomainLang's original tools: "Expecting token of type 'X' but found `y`."
    pub message: String,
    /// Advice on a fix, if there is any.
    pub hint: Option<Cow<'static, str>>,
    /// Another range that helps to understand it.
    pub related: Option<RelatedSyntax>,
}

impl SyntaxDiagnostic {
    pub fn severity(&self) -> Severity {
        match self.code {
            SyntaxCode::ReservedName => Severity::Hint,
            _ => Severity::Error,
        }
    }
}

/// Severity of a [`SyntaxDiagnostic`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The text is not valid DomainLang.
    Error,
    /// The text is valid, but its reading may be surprising.
    Hint,
}

/// Range that explains a diagnostic, and its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedSyntax {
    pub range: TextRange,
    pub message: &'static str,
}

/// Stage that found a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    Lexing,
    Parsing,
}

impl Class {
    /// Returns the stable name for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lexing => "lexing-error",
            Self::Parsing => "parsing-error",
        }
    }
}

/// Kind of a diagnostic. The names of [`as_str`](Self::as_str) are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyntaxCode {
    /// Characters that begin no token.
    UnexpectedCharacter,
    /// String without its closing quote.
    UnterminatedString,
    /// Block comment without `*/`.
    UnterminatedComment,
    /// Text beyond [`MAX_LENGTH`](crate::MAX_LENGTH), which was not read.
    FileTooLarge,
    /// Missing token.
    ExpectedToken,
    /// Token that is not allowed here.
    UnexpectedToken,
    /// Reserved word in another spelling, such as `boundedcontext`.
    MisspeltKeyword,
    /// Import after the first element, or inside a namespace.
    MisplacedImport,
    /// Header clause that is repeated or in the wrong order.
    MisplacedClause,
    /// Property of another kind of element.
    MisplacedProperty,
    /// `contains` after the first relationship.
    MisplacedContains,
    /// Element inside a body that holds no elements.
    MisplacedElement,
    /// Pattern on the wrong kind of relationship, or before its context.
    MisplacedPattern,
    /// Namespaces nested too deep.
    NestingTooDeep,
    /// More errors than [`MAX_DIAGNOSTICS`](crate::MAX_DIAGNOSTICS).
    TooManyErrors,
    /// Reserved word that is read as a name.
    ReservedName,
}

impl SyntaxCode {
    /// Returns the stable name for programs.
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

/// Collects diagnostics up to a limit. Hints have their own limit, so that they never displace an error.
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
                code: SyntaxCode::TooManyErrors,
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
