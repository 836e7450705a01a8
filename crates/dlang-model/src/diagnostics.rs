//! What is wrong with a file, as data.

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

/// One thing that is wrong with a file, or worth knowing about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where.
    pub range: TextRange,
    /// What kind of thing.
    pub code: Code,
    /// What, in one sentence.
    pub message: String,
    /// What to do about it.
    pub hint: Option<Cow<'static, str>>,
    /// Other places that have to do with it.
    pub related: Vec<RelatedInformation>,
    /// What it is about, for programs.
    pub data: DiagnosticData,
}

impl Diagnostic {
    pub(crate) fn new(range: TextRange, code: Code, message: String) -> Self {
        Self { range, code, message, hint: None, related: Vec::new(), data: DiagnosticData::None }
    }

    pub(crate) fn of_syntax(diagnostic: &SyntaxDiagnostic) -> Self {
        let related =
            |related: &dlang_syntax::RelatedSyntax| RelatedInformation { place: RelatedLocation::Here(related.range), message: related.message };
        Self {
            range: diagnostic.range,
            code: Code::Syntax(diagnostic.code),
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

    pub(crate) fn with_related(mut self, place: RelatedLocation, message: &'static str) -> Self {
        self.related.push(RelatedInformation { place, message });
        self
    }

    pub(crate) fn data(mut self, data: DiagnosticData) -> Self {
        self.data = data;
        self
    }

    /// How bad it is; the same for all of one code.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Message and hint as one text, the way that other programs print it.
    pub fn text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\nHint: {hint}", self.message),
            None => self.message.clone(),
        }
    }
}

/// A place that has to do with a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedInformation {
    /// Where.
    pub place: RelatedLocation,
    /// What it has to do with it.
    pub message: &'static str,
}

/// A place in the same file or, so that a diagnostic does not change whenever text moves in another file, an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelatedLocation {
    /// In the file of the diagnostic.
    Here(TextRange),
    /// At the name of this element.
    Definition(Definition),
}

/// What a diagnostic is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DiagnosticData {
    /// Nothing that is not in its range.
    #[default]
    None,
    /// A reference that means nothing.
    Reference {
        /// What kind of element it wants.
        wanted: ElementKind,
        /// The type of what it is part of.
        container: &'static str,
        /// The property that it is the value of.
        property: &'static str,
        /// How it is written.
        text: SmolStr,
    },
    /// An import that leads nowhere.
    Import {
        /// What is imported.
        specifier: SmolStr,
        /// Why it leads nowhere, in one word of a fixed set.
        reason: &'static str,
    },
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The model is not valid.
    Error,
    /// The model is valid and most likely not what is meant.
    Warning,
    /// The model could be better.
    Info,
    /// Something that may surprise.
    Hint,
}

impl Severity {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }

    /// Its number in editors, from 1 for errors.
    pub fn number(self) -> u8 {
        match self {
            Self::Error => 1,
            Self::Warning => 2,
            Self::Info => 3,
            Self::Hint => 4,
        }
    }
}

/// Makes [`Code`] from a table, so that no code lacks its name, its severity or its place in the list.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $code:ident = $name:literal, $severity:ident;)+) => {
        /// What kind of thing is wrong. The names are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code {
            /// The text is not as the grammar wants it.
            Syntax(dlang_syntax::Code),
            $($(#[doc = $doc])+ $code,)+
        }

        impl Code {
            /// Every code that is not about syntax.
            pub const ALL: &[Self] = &[$(Self::$code),+];

            /// The name by which programs know it.
            pub fn as_str(self) -> &'static str {
                match self {
                    Self::Syntax(code) => code.as_str(),
                    $(Self::$code => $name,)+
                }
            }

            /// How bad it is.
            pub fn severity(self) -> Severity {
                match self {
                    Self::Syntax(dlang_syntax::Code::ReservedName) => Severity::Hint,
                    Self::Syntax(_) => Severity::Error,
                    $(Self::$code => Severity::$severity,)+
                }
            }
        }
    };
}

codes! {
    /// A reference means nothing.
    LinkingError = "linking-error", Error;
    /// An entry of a map means nothing.
    UnresolvedReference = "unresolved-reference", Error;
    /// Two elements of one file have the same fully qualified name.
    DuplicateElement = "duplicate-element", Error;
    /// An import without a specifier.
    ImportMissingUri = "import-missing-uri", Error;
    /// Files import each other in a circle.
    ImportCycleDetected = "import-cycle-detected", Warning;
    /// An import leads nowhere.
    ImportUnresolved = "import-unresolved", Error;
    /// A dependency is imported and there is no manifest.
    ImportRequiresManifest = "import-requires-manifest", Error;
    /// The manifest has no such dependency.
    ImportNotInManifest = "import-not-in-manifest", Error;
    /// The dependency is not installed.
    ImportNotInstalled = "import-not-installed", Error;
    /// The dependency says both `source` and `path`.
    ImportConflictingSourcePath = "import-conflicting-source-path", Error;
    /// The dependency says neither `source` nor `path`.
    ImportMissingSourceOrPath = "import-missing-source-or-path", Error;
    /// The dependency from git says no `ref`.
    ImportMissingRef = "import-missing-ref", Error;
    /// The dependency's path is absolute.
    ImportAbsolutePath = "import-absolute-path", Error;
    /// The import leads out of where it may lead.
    ImportEscapesWorkspace = "import-escapes-workspace", Error;
    /// Where the import leads could not be found out.
    ImportNotValidated = "import-not-validated", Warning;
    /// A domain without a vision.
    DomainNoVision = "domain-no-vision", Warning;
    /// A domain is, over others, part of itself.
    DomainCircularHierarchy = "domain-circular-hierarchy", Error;
    /// A context without a description.
    BoundedContextNoDescription = "bounded-context-no-description", Warning;
    /// A context without a domain.
    BoundedContextNoDomain = "bounded-context-no-domain", Warning;
    /// A context with several classifications.
    BoundedContextClassificationConflict = "bounded-context-classification-conflict", Warning;
    /// A context with several teams.
    BoundedContextTeamConflict = "bounded-context-team-conflict", Warning;
    /// An anti-corruption layer upstream.
    AclOnWrongSide = "acl-on-wrong-side", Warning;
    /// A conformist upstream.
    ConformistOnWrongSide = "conformist-on-wrong-side", Warning;
    /// An open host service downstream.
    OhsOnWrongSide = "ohs-on-wrong-side", Warning;
    /// A supplier downstream.
    SupplierOnWrongSide = "supplier-on-wrong-side", Error;
    /// A customer upstream.
    CustomerOnWrongSide = "customer-on-wrong-side", Error;
    /// A supplier where neither side is upstream.
    SupplierOnBidirectional = "supplier-on-bidirectional", Error;
    /// A customer where neither side is downstream.
    CustomerOnBidirectional = "customer-on-bidirectional", Error;
    /// More than three patterns on one side.
    TooManyPatterns = "too-many-patterns", Info;
    /// A symmetric relationship of a context with itself.
    SelfSymmetricRelationship = "self-symmetric-relationship", Warning;
    /// `this` where there is no context that it could be.
    ThisOutsideContext = "this-outside-context", Warning;
    /// A context map that contains nothing.
    ContextMapNoContexts = "context-map-no-contexts", Warning;
    /// A context map of several contexts without relationships.
    ContextMapNoRelationships = "context-map-no-relationships", Info;
    /// A relationship twice in one context map.
    ContextMapDuplicateRelationship = "context-map-duplicate-relationship", Warning;
    /// A domain map that contains nothing.
    DomainMapNoDomains = "domain-map-no-domains", Warning;
    /// A file has more findings than are listed.
    TooManyDiagnostics = "too-many-diagnostics", Warning;
}

impl Code {
    /// The coarser name that some programs look for in a diagnostic's data.
    pub fn class(self) -> &'static str {
        match self {
            Self::Syntax(code) => code.class().as_str(),
            _ => self.as_str(),
        }
    }
}

/// What is wrong with a file: first its syntax, then references that mean nothing, then what the rules find, each in the
/// order of the text.
#[salsa::tracked(returns(deref))]
pub fn file_diagnostics(db: &dyn Db, file: File) -> Arc<[Diagnostic]> {
    let mut found: Vec<_> = file_model(db, file).syntax.to_vec();
    rules::check(db, file, &mut found);
    found.into()
}
