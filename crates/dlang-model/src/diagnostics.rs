//! Diagnostics of a file, as data.

use std::borrow::Cow;
use std::sync::Arc;

use dlang_syntax::{SyntaxDiagnostic, TextRange};
use smol_str::SmolStr;

use crate::db::Db;
use crate::definition::Definition;
use crate::inputs::File;
use crate::kind::ElementKind;
use crate::lower::file_model;
use crate::rules;

/// Error in a file, or advice about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelDiagnostic {
    /// Range in the file.
    pub range: TextRange,
    /// Kind of the diagnostic.
    pub code: ModelCode,
    /// Message, one sentence.
    pub message: String,
    /// Advice on a fix.
    pub hint: Option<Cow<'static, str>>,
    /// Other locations that help to understand it.
    pub related: Vec<RelatedInformation>,
    /// Machine-readable details.
    pub data: DiagnosticData,
}

impl ModelDiagnostic {
    pub(crate) fn new(range: TextRange, code: ModelCode, message: String) -> Self {
        Self { range, code, message, hint: None, related: Vec::new(), data: DiagnosticData::None }
    }

    pub(crate) fn of_syntax(diagnostic: &SyntaxDiagnostic) -> Self {
        let related = |related: &dlang_syntax::RelatedSyntax| RelatedInformation {
            location: RelatedLocation::SameFile(related.range),
            message: related.message,
        };
        Self {
            range: diagnostic.range,
            code: ModelCode::Syntax(diagnostic.code),
            message: diagnostic.message.clone(),
            hint: diagnostic.hint.clone(),
            related: diagnostic.related.iter().map(related).collect(),
            data: DiagnosticData::None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn with_related(mut self, location: RelatedLocation, message: &'static str) -> Self {
        self.related.push(RelatedInformation { location, message });
        self
    }

    pub(crate) fn data(mut self, data: DiagnosticData) -> Self {
        self.data = data;
        self
    }

    /// Returns the severity, which depends only on the code.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Returns message and hint as one text, in the format of DomainLang's original tools.
    pub fn text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\nHint: {hint}", self.message),
            None => self.message.clone(),
        }
    }
}

/// Location that helps to understand a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedInformation {
    /// The location.
    pub location: RelatedLocation,
    /// Message at the location.
    pub message: &'static str,
}

/// Range in the same file, or an element of any file. Elements are stable, so that a diagnostic does not change
/// whenever text moves in another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelatedLocation {
    /// Range in the file of the diagnostic.
    SameFile(TextRange),
    /// Name of this element.
    Definition(Definition),
}

/// Machine-readable details of a diagnostic.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DiagnosticData {
    /// No details.
    #[default]
    None,
    /// Unresolved reference.
    Reference {
        /// Kind of element that the reference requires.
        expected_kind: ElementKind,
        /// Type of the node that contains it.
        container: &'static str,
        /// JSON property that holds it.
        property: &'static str,
        /// Reference as it is written.
        text: SmolStr,
    },
    /// Unresolved import.
    Import {
        /// Specifier of the import.
        specifier: SmolStr,
        /// Reason, one word of a fixed set.
        reason: &'static str,
    },
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

/// Defines [`ModelCode`] from a table, so that every code has a name, a severity and an entry in the list.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $code:ident = $name:literal, $severity:ident;)+) => {
        /// Kind of a diagnostic. The names are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ModelCode {
            /// Syntax error or hint.
            Syntax(dlang_syntax::SyntaxCode),
            $($(#[doc = $doc])+ $code,)+
        }

        impl ModelCode {
            /// All codes except syntax codes.
            pub const ALL: &[Self] = &[$(Self::$code),+];

            /// Returns the stable name for programs.
            pub fn as_str(self) -> &'static str {
                match self {
                    Self::Syntax(code) => code.as_str(),
                    $(Self::$code => $name,)+
                }
            }

            /// Returns the severity.
            pub fn severity(self) -> Severity {
                match self {
                    Self::Syntax(dlang_syntax::SyntaxCode::ReservedName) => Severity::Hint,
                    Self::Syntax(_) => Severity::Error,
                    $(Self::$code => Severity::$severity,)+
                }
            }
        }
    };
}

codes! {
    /// Unresolved reference.
    LinkingError = "linking-error", Error;
    /// Unresolved entry of a map.
    UnresolvedReference = "unresolved-reference", Error;
    /// Two elements of one file have the same fully qualified name.
    DuplicateElement = "duplicate-element", Error;
    /// An import without a specifier.
    ImportMissingUri = "import-missing-uri", Error;
    /// Files that import each other in a cycle.
    ImportCycleDetected = "import-cycle-detected", Warning;
    /// Import that could not be resolved.
    ImportUnresolved = "import-unresolved", Error;
    /// Imported dependency without a manifest.
    ImportRequiresManifest = "import-requires-manifest", Error;
    /// Imported dependency that the manifest does not list.
    ImportNotInManifest = "import-not-in-manifest", Error;
    /// Imported dependency that is not installed.
    ImportNotInstalled = "import-not-installed", Error;
    /// Dependency with both `source` and `path`.
    ImportConflictingSourcePath = "import-conflicting-source-path", Error;
    /// Dependency with neither `source` nor `path`.
    ImportMissingSourceOrPath = "import-missing-source-or-path", Error;
    /// Git dependency without a `ref`.
    ImportMissingRef = "import-missing-ref", Error;
    /// Dependency with an absolute path.
    ImportAbsolutePath = "import-absolute-path", Error;
    /// Import of a file outside its allowed directory.
    ImportEscapesWorkspace = "import-escapes-workspace", Error;
    /// Import whose target could not be checked.
    ImportNotValidated = "import-not-validated", Warning;
    /// Domain without a vision.
    DomainNoVision = "domain-no-vision", Warning;
    /// Domain that is, directly or indirectly, part of itself.
    DomainCircularHierarchy = "domain-circular-hierarchy", Error;
    /// Context without a description.
    BoundedContextNoDescription = "bounded-context-no-description", Warning;
    /// Context without a domain.
    BoundedContextNoDomain = "bounded-context-no-domain", Warning;
    /// Context with several classifications.
    BoundedContextClassificationConflict = "bounded-context-classification-conflict", Warning;
    /// Context with several teams.
    BoundedContextTeamConflict = "bounded-context-team-conflict", Warning;
    /// Anti-corruption layer upstream.
    AclOnWrongSide = "acl-on-wrong-side", Warning;
    /// Conformist upstream.
    ConformistOnWrongSide = "conformist-on-wrong-side", Warning;
    /// Open host service downstream.
    OhsOnWrongSide = "ohs-on-wrong-side", Warning;
    /// Supplier downstream.
    SupplierOnWrongSide = "supplier-on-wrong-side", Error;
    /// Customer upstream.
    CustomerOnWrongSide = "customer-on-wrong-side", Error;
    /// Supplier on a relationship without an upstream side.
    SupplierOnBidirectional = "supplier-on-bidirectional", Error;
    /// Customer on a relationship without a downstream side.
    CustomerOnBidirectional = "customer-on-bidirectional", Error;
    /// More than three patterns on one side.
    TooManyPatterns = "too-many-patterns", Info;
    /// Symmetric relationship of a context with itself.
    SelfSymmetricRelationship = "self-symmetric-relationship", Warning;
    /// `this` outside a bounded context.
    ThisOutsideContext = "this-outside-context", Warning;
    /// Context map without contexts.
    ContextMapNoContexts = "context-map-no-contexts", Warning;
    /// Context map of several contexts without relationships.
    ContextMapNoRelationships = "context-map-no-relationships", Info;
    /// Relationship that a context map lists twice.
    ContextMapDuplicateRelationship = "context-map-duplicate-relationship", Warning;
    /// Domain map without domains.
    DomainMapNoDomains = "domain-map-no-domains", Warning;
    /// More findings in a file than are listed.
    TooManyDiagnostics = "too-many-diagnostics", Warning;
}

impl ModelCode {
    /// Returns the coarser name in a diagnostic's JSON data.
    pub fn class(self) -> &'static str {
        match self {
            Self::Syntax(code) => code.class().as_str(),
            _ => self.as_str(),
        }
    }
}

/// Returns the diagnostics of a file: first syntax, then unresolved references, then the other rules, each in text
/// order.
#[salsa::tracked(returns(deref))]
pub fn file_diagnostics(db: &dyn Db, file: File) -> Arc<[ModelDiagnostic]> {
    let mut found: Vec<_> = file_model(db, file).syntax.to_vec();
    rules::check(db, file, &mut found);
    found.into()
}
