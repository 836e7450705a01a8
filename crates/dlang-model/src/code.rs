//! Codes of all diagnostics: of models, and of the manifest and lock around them.

use dlang_syntax::{DiagnosticCode, Severity, SyntaxCode};

/// Defines [`ModelCode`] from a table, so that every code has a name, a severity and an entry in the list.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $code:ident = $name:literal, $severity:ident;)+) => {
        /// Kind of a diagnostic. The names are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ModelCode {
            /// Syntax error or hint.
            Syntax(SyntaxCode),
            $($(#[doc = $doc])+ $code,)+
        }

        impl DiagnosticCode for ModelCode {
            fn as_str(self) -> &'static str {
                match self {
                    Self::Syntax(code) => code.as_str(),
                    $(Self::$code => $name,)+
                }
            }

            fn severity(self) -> Severity {
                match self {
                    Self::Syntax(code) => code.severity(),
                    $(Self::$code => Severity::$severity,)+
                }
            }
        }

        #[cfg(test)]
        impl ModelCode {
            /// All codes except syntax codes.
            pub(crate) const ALL: &[Self] = &[$(Self::$code),+];
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
    /// A manifest to be published has no `model.name`.
    ManifestModelMissingName = "manifest-model-missing-name", Error;
    /// A manifest to be published has no `model.version`.
    ManifestModelMissingVersion = "manifest-model-missing-version", Error;
    /// `model.version` is not `N.N.N[-x][+y]`.
    ManifestModelInvalidVersion = "manifest-model-invalid-version", Warning;
    /// A `ref` that git would reject.
    ManifestDependencyInvalidRef = "manifest-dependency-invalid-ref", Warning;
    /// A source that is not `owner/repo`.
    ManifestDependencyInvalidSource = "manifest-dependency-invalid-source", Error;
    /// A key of `paths` does not begin with `@`.
    ManifestPathAliasMissingAtPrefix = "manifest-path-alias-missing-at-prefix", Warning;
    /// The target of an alias is an absolute path.
    ManifestPathAliasAbsolutePath = "manifest-path-alias-absolute-path", Error;
    /// `model.yaml` is not valid YAML, or too large to be read completely.
    ManifestYamlError = "manifest-yaml-error", Error;
    /// A mapping has the same key twice.
    ManifestDuplicateKey = "manifest-duplicate-key", Error;
    /// A value of the wrong kind.
    ManifestUnexpectedValue = "manifest-unexpected-value", Error;
    /// An unknown key.
    ManifestUnknownKey = "manifest-unknown-key", Warning;
    /// `model.entry` names a file that does not exist.
    ManifestEntryMissing = "manifest-entry-missing", Error;
    /// `model.yaml` exists but cannot be read.
    ManifestUnreadable = "manifest-unreadable", Error;
    /// More diagnostics than are listed.
    ManifestTooManyProblems = "manifest-too-many-problems", Info;
    /// `model.lock` exists but cannot be read.
    LockUnreadable = "lock-unreadable", Error;
    /// `model.lock` is not valid JSON in the form of a lock.
    LockInvalid = "lock-invalid", Error;
    /// `model.lock` has an unknown version.
    LockUnknownVersion = "lock-unknown-version", Warning;
    /// A skipped entry of the lock.
    LockEntrySkipped = "lock-entry-skipped", Warning;
    /// The lock has another ref for a dependency than the manifest.
    LockRefMismatch = "lock-ref-mismatch", Warning;
    /// A dependency has no entry in the lock.
    LockMissingEntry = "lock-missing-entry", Warning;
    /// The lock has an entry that no dependency needs.
    LockUnusedEntry = "lock-unused-entry", Info;
    /// A model exists but cannot be read.
    FileUnreadable = "file-unreadable", Error;
    /// A model is not valid UTF-8; U+FFFD replaces invalid bytes.
    FileNotUtf8 = "file-not-utf8", Error;
    /// A folder has too many entries, or unreadable ones.
    FolderIncomplete = "folder-incomplete", Warning;
    /// A path has the name of a model, but zubi does not read it.
    FilePassedOver = "file-passed-over", Info;
}

#[cfg(test)]
mod tests {
    use dlang_syntax::DiagnosticCode as _;

    use super::ModelCode;

    #[test]
    fn codes_are_stable() {
        let list: Vec<_> =
            ModelCode::ALL.iter().map(|code| format!("{} {}", code.severity().number(), code.as_str())).collect();
        insta::assert_snapshot!(list.join("\n"), @r"
        1 linking-error
        1 unresolved-reference
        1 duplicate-element
        1 import-missing-uri
        2 import-cycle-detected
        1 import-unresolved
        1 import-requires-manifest
        1 import-not-in-manifest
        1 import-not-installed
        1 import-conflicting-source-path
        1 import-missing-source-or-path
        1 import-missing-ref
        1 import-absolute-path
        1 import-escapes-workspace
        2 import-not-validated
        2 domain-no-vision
        1 domain-circular-hierarchy
        2 bounded-context-no-description
        2 bounded-context-no-domain
        2 bounded-context-classification-conflict
        2 bounded-context-team-conflict
        2 acl-on-wrong-side
        2 conformist-on-wrong-side
        2 ohs-on-wrong-side
        1 supplier-on-wrong-side
        1 customer-on-wrong-side
        1 supplier-on-bidirectional
        1 customer-on-bidirectional
        3 too-many-patterns
        2 self-symmetric-relationship
        2 this-outside-context
        2 context-map-no-contexts
        3 context-map-no-relationships
        2 context-map-duplicate-relationship
        2 domain-map-no-domains
        2 too-many-diagnostics
        1 manifest-model-missing-name
        1 manifest-model-missing-version
        2 manifest-model-invalid-version
        2 manifest-dependency-invalid-ref
        1 manifest-dependency-invalid-source
        2 manifest-path-alias-missing-at-prefix
        1 manifest-path-alias-absolute-path
        1 manifest-yaml-error
        1 manifest-duplicate-key
        1 manifest-unexpected-value
        2 manifest-unknown-key
        1 manifest-entry-missing
        1 manifest-unreadable
        3 manifest-too-many-problems
        1 lock-unreadable
        1 lock-invalid
        2 lock-unknown-version
        2 lock-entry-skipped
        2 lock-ref-mismatch
        2 lock-missing-entry
        3 lock-unused-entry
        1 file-unreadable
        1 file-not-utf8
        2 folder-incomplete
        3 file-passed-over
        ");
    }
}
