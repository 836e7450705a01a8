//! Diagnostics of manifests, locks and imports as data: a stable code, a severity, a message and a range.

use dlang_model::Severity;
use text_size::TextRange;

/// The `source` of diagnostics on `model.yaml` and `model.lock`, equal to that of DomainLang's original tools. The
/// caller sets the source of diagnostics on models (`domain-lang`).
pub const SOURCE: &str = "domainlang";

/// The most diagnostics one text gets; one more says that there are others.
pub const MAX_DIAGNOSTICS: usize = 200;

/// One thing that is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// The message; a hint follows after a line break and `Hint: `.
    pub message: String,
    /// Bytes of the text it was found in. Empty at the beginning where it speaks of the whole text.
    pub range: TextRange,
    /// The dependency or alias it speaks of, which a fix needs.
    pub key: Option<String>,
}

impl Diagnostic {
    pub(crate) fn new(code: Code, range: TextRange, text: &str, hint: &str) -> Self {
        let message = if hint.is_empty() { text.to_owned() } else { format!("{text}\nHint: {hint}") };
        Self { code, severity: code.severity(), message, range, key: None }
    }

    pub(crate) fn with_key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $text:literal $severity:ident,)*) => {
        /// Codes of diagnostics. The texts are stable: programs depend on them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// Every code, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name by which programs know it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// How bad it always is.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$name => Severity::$severity,)*
                }
            }
        }
    };
}

codes! {
    /// A manifest to be published has no `model.name`.
    ModelMissingName "manifest-model-missing-name" Error,
    /// A manifest to be published has no `model.version`.
    ModelMissingVersion "manifest-model-missing-version" Error,
    /// `model.version` is not `N.N.N[-x][+y]`.
    ModelInvalidVersion "manifest-model-invalid-version" Warning,
    /// A dependency has both `source` and `path`.
    ConflictingSourcePath "import-conflicting-source-path" Error,
    /// A dependency says neither where it is nor what its key would be the source of.
    MissingSourceOrPath "import-missing-source-or-path" Error,
    /// A git dependency has no `ref`.
    MissingRef "import-missing-ref" Error,
    /// A `ref` that git would not take.
    InvalidRef "manifest-dependency-invalid-ref" Warning,
    /// A source that is not `owner/repo`.
    InvalidSource "manifest-dependency-invalid-source" Error,
    /// A dependency's `path`, or the entry, is absolute.
    AbsolutePath "import-absolute-path" Error,
    /// A path leads out of the manifest's folder.
    EscapesWorkspace "import-escapes-workspace" Error,
    /// A key of `paths` does not begin with `@`.
    AliasMissingAt "manifest-path-alias-missing-at-prefix" Warning,
    /// The target of an alias is an absolute path.
    AliasAbsolutePath "manifest-path-alias-absolute-path" Error,
    /// `model.yaml` is not YAML, or more of it than is read.
    YamlError "manifest-yaml-error" Error,
    /// A mapping has the same key twice.
    DuplicateKey "manifest-duplicate-key" Error,
    /// A value of another kind than belongs there.
    UnexpectedValue "manifest-unexpected-value" Error,
    /// A key that means nothing there.
    UnknownKey "manifest-unknown-key" Warning,
    /// `model.entry` names a file that is not there.
    EntryMissing "manifest-entry-missing" Error,
    /// `model.yaml` is there and cannot be read.
    Unreadable "manifest-unreadable" Error,
    /// There are more diagnostics than are listed.
    TooMany "manifest-too-many-problems" Info,
    /// `model.lock` is there and cannot be read.
    LockUnreadable "lock-unreadable" Error,
    /// `model.lock` is not valid JSON in the form of a lock.
    LockInvalid "lock-invalid" Error,
    /// `model.lock` has a version that is not known.
    LockUnknownVersion "lock-unknown-version" Warning,
    /// An entry of the lock was passed over.
    LockEntrySkipped "lock-entry-skipped" Warning,
    /// The lock has another ref for a dependency than the manifest.
    LockRefMismatch "lock-ref-mismatch" Warning,
    /// A dependency has no entry in the lock.
    LockMissingEntry "lock-missing-entry" Warning,
    /// The lock has an entry that no dependency needs.
    LockUnusedEntry "lock-unused-entry" Info,
    /// The string of an import is empty.
    ImportMissingUri "import-missing-uri" Error,
    /// An import leads nowhere.
    ImportUnresolved "import-unresolved" Error,
    /// A model is there and cannot be read.
    FileUnreadable "file-unreadable" Error,
    /// A model is not valid UTF-8; U+FFFD replaces invalid bytes.
    FileNotUtf8 "file-not-utf8" Error,
    /// A folder holds more than is looked at, or something that cannot be looked at.
    FolderIncomplete "folder-incomplete" Warning,
    /// A path is named like a model, but zubi does not read it.
    FilePassedOver "file-passed-over" Info,
}

/// Collects diagnostics up to the limit and brings them into the order of the text.
#[derive(Debug, Default)]
pub(crate) struct DiagnosticCollector {
    list: Vec<Diagnostic>,
    left_out: usize,
}

impl DiagnosticCollector {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MAX_DIAGNOSTICS {
            self.list.push(diagnostic);
        } else {
            self.left_out += 1;
        }
    }

    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| (diagnostic.range.start(), diagnostic.range.end()));
        if self.left_out > 0 {
            let text = format!("{} further problems are not listed.", self.left_out);
            self.list.push(Diagnostic::new(Code::TooMany, TextRange::default(), &text, ""));
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn codes_are_stable() {
        let list: Vec<_> =
            Code::ALL.iter().map(|code| format!("{} {}", code.severity().number(), code.as_str())).collect();
        insta::assert_snapshot!(list.join("\n"), @r"
        1 manifest-model-missing-name
        1 manifest-model-missing-version
        2 manifest-model-invalid-version
        1 import-conflicting-source-path
        1 import-missing-source-or-path
        1 import-missing-ref
        2 manifest-dependency-invalid-ref
        1 manifest-dependency-invalid-source
        1 import-absolute-path
        1 import-escapes-workspace
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
        1 import-missing-uri
        1 import-unresolved
        1 file-unreadable
        1 file-not-utf8
        2 folder-incomplete
        3 file-passed-over
        ");
    }
}
