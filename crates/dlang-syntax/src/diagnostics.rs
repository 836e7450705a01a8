//! Diagnostics of a text, as data.

use std::borrow::Cow;

use rowan::TextRange;

use crate::limits::MAX_DIAGNOSTICS;

/// Error in a text, or advice about it. `C` is the type of its code, `L` that of related locations, and `D` that of its
/// machine-readable details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic<C, L, D = ()> {
    /// Range in the text, in bytes. Empty if something is missing at the end of a line.
    pub range: TextRange,
    pub code: C,
    /// Message without the hint.
    pub message: String,
    /// Advice on a fix, if there is any.
    pub hint: Option<Cow<'static, str>>,
    /// Other locations that help to understand it.
    pub related: Vec<RelatedInformation<L>>,
    /// Machine-readable details.
    pub data: D,
}

/// Location that explains a diagnostic, and its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedInformation<L> {
    pub location: L,
    pub message: &'static str,
}

/// Diagnostic of the parser. Messages have the wording of DomainLang's original tools: "Expecting token of type 'X' but
/// found `y`."
pub type SyntaxDiagnostic = Diagnostic<SyntaxCode, TextRange>;

impl<C: DiagnosticCode, L, D: Default> Diagnostic<C, L, D> {
    pub fn new(range: TextRange, code: C, message: impl Into<String>) -> Self {
        Self { range, code, message: message.into(), hint: None, related: Vec::new(), data: D::default() }
    }
}

impl<C: DiagnosticCode, L, D> Diagnostic<C, L, D> {
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn with_related(mut self, location: L, message: &'static str) -> Self {
        self.related.push(RelatedInformation { location, message });
        self
    }

    #[must_use]
    pub fn data(mut self, data: D) -> Self {
        self.data = data;
        self
    }

    /// Returns the diagnostic with another type of code and related locations, and without its details. `location`
    /// returns `None` for a location that no longer exists.
    pub fn convert<C2, L2, D2: Default>(
        &self,
        code: C2,
        location: impl Fn(&L) -> Option<L2>,
    ) -> Diagnostic<C2, L2, D2> {
        let related = |it: &RelatedInformation<L>| {
            Some(RelatedInformation { location: location(&it.location)?, message: it.message })
        };
        Diagnostic {
            range: self.range,
            code,
            message: self.message.clone(),
            hint: self.hint.clone(),
            related: self.related.iter().filter_map(related).collect(),
            data: D2::default(),
        }
    }

    /// Returns the severity, which depends only on the code.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Returns message and hint as one text.
    pub fn text(&self) -> String {
        message_with_hint(&self.message, self.hint.as_deref())
    }
}

/// Returns message and hint as one text, in the format of DomainLang's original tools.
pub fn message_with_hint(message: &str, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{message}\nHint: {hint}"),
        None => message.to_owned(),
    }
}

/// Kind of a diagnostic.
pub trait DiagnosticCode: Copy {
    /// Returns the stable name for programs.
    fn as_str(self) -> &'static str;

    /// Returns the severity of every diagnostic with this code.
    fn severity(self) -> Severity;
}

/// Severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The model is not valid.
    Error,
    /// The model is valid, but most likely not as intended.
    Warning,
    /// The model could be improved.
    Info,
    /// Correct, but possibly surprising.
    Hint,
}

impl Severity {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }

    /// Returns its LSP number: 1 (error) to 4 (hint).
    pub fn number(self) -> u8 {
        match self {
            Self::Error => 1,
            Self::Warning => 2,
            Self::Info => 3,
            Self::Hint => 4,
        }
    }
}

/// Kind of a syntax diagnostic.
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
    /// More errors than [`MAX_DIAGNOSTICS`].
    TooManyErrors,
    /// Reserved word that is read as a name.
    ReservedName,
}

impl DiagnosticCode for SyntaxCode {
    fn as_str(self) -> &'static str {
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

    fn severity(self) -> Severity {
        match self {
            Self::ReservedName => Severity::Hint,
            _ => Severity::Error,
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
            let message = format!("More than {MAX_DIAGNOSTICS} syntax errors; the others are not listed.");
            self.diagnostics.push(Diagnostic::new(diagnostic.range, SyntaxCode::TooManyErrors, message));
        }
    }

    pub(crate) fn finish(self) -> Vec<SyntaxDiagnostic> {
        self.diagnostics
    }
}
