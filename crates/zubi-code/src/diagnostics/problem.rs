//! One diagnostic, and the comparison of two.

use serde_json::Value;
use zubi_base::lsp;

use crate::location::SourceLocation;
use crate::markup::clean_block;

/// LSP's severities, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Error,
    Warning,
    Information,
    Hint,
}

impl Severity {
    /// All severities, worst first.
    pub const ALL: [Self; 4] = [Self::Error, Self::Warning, Self::Information, Self::Hint];

    /// Returns the plural of the problems of at least this severity: `errors or warnings`.
    pub fn describe_minimum(self) -> &'static str {
        match self {
            Self::Error => "errors",
            Self::Warning => "errors or warnings",
            Self::Information | Self::Hint => "problems",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "info",
            Self::Hint => "hint",
        }
    }

    /// Parses the name that answers print.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

/// One diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeProblem {
    pub location: SourceLocation,
    pub severity: Severity,
    pub message: String,
    pub code: Option<String>,
    /// The reporting tool: `rustc`, `Ruff`.
    pub source: Option<String>,
}

/// Whether a diagnostic with this code reports a module that was not found: `reportMissingImports`,
/// `reportMissingModuleSource` (pyright), `unresolved-import`, `import-not-found` (ty, mypy), `missing-import`
/// (Pyrefly), `import-error` (Pylint).
pub(crate) fn is_unresolved_import(code: &str) -> bool {
    let code = code.to_ascii_lowercase();
    ["missingimport", "missingmodulesource", "missing-import", "import-not-found", "unresolved-import", "import-error"]
        .iter()
        .any(|part| code.contains(part))
}

/// The maximum number of lines by which a diagnostic may move if its own line was also edited.
const NEAR_LINES: u32 = 3;

impl CodeProblem {
    /// Whether both have the same file, severity and code, and the same source and message. Two sources that report the
    /// same code report the same problem in their own words: rust-analyzer and the compiler that it runs.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let is_same_report = self.source == other.source && self.message == other.message;
        self.location.display_path == other.location.display_path
            && self.severity == other.severity
            && self.code == other.code
            && (is_same_report || self.source != other.source && self.code.is_some())
    }

    /// Whether both are one diagnostic of a file: their sources may disagree about where it ends.
    pub(super) fn is_repeated(&self, other: &Self) -> bool {
        let (range, others) = (&self.location.range, &other.location.range);
        let is_same_place = if self.source == other.source { range == others } else { range.start == others.start };
        is_same_place && self.is_like(other)
    }

    /// Whether both are the same diagnostic, moved by changes above it: the text of its line is equal.
    pub(super) fn is_moved(&self, other: &Self) -> bool {
        self.is_like(other) && self.location.source == other.location.source
    }

    /// Whether both are the same diagnostic, with an edited line.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        self.is_like(other) && self.location.line.abs_diff(other.location.line) <= NEAR_LINES
    }

    /// Converts an LSP diagnostic; `location` is where answers show it.
    pub(super) fn from_lsp(item: &lsp::Diagnostic, location: SourceLocation) -> Self {
        // As JSON, because LSP allows strings and numbers, and text or markup, in these fields.
        let value = serde_json::to_value(item).unwrap_or_default();
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Object(markup) => markup.get("value").and_then(Value::as_str).map(str::to_owned),
            _ => None,
        };
        let field =
            |name: &str| value.get(name).and_then(text).map(|text| clean_block(&text)).filter(|text| !text.is_empty());
        Self {
            location,
            severity: match value.get("severity").and_then(Value::as_u64) {
                Some(2) => Severity::Warning,
                Some(3) => Severity::Information,
                Some(4) => Severity::Hint,
                // LSP leaves a missing severity to the client; "error" hides nothing.
                _ => Severity::Error,
            },
            message: field("message").unwrap_or_default(),
            code: field("code"),
            source: field("source"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// An error in columns 1 to `end` of line 7.
    fn problem(source: &str, code: Option<&str>, message: &str, end: u32) -> CodeProblem {
        let range = json!({ "start": { "line": 6, "character": 0 }, "end": { "line": 6, "character": end } });
        let range: lsp::Range = serde_json::from_value(range).unwrap();
        let location = SourceLocation {
            display_path: "src/lib.rs".to_owned(),
            path: None,
            external: false,
            line: 7,
            column: 1,
            end_line: 7,
            range,
            source: None,
            unreadable_reason: None,
            cell: None,
            context: Vec::new(),
        };
        CodeProblem {
            location,
            severity: Severity::Error,
            message: message.to_owned(),
            code: code.map(str::to_owned),
            source: Some(source.to_owned()),
        }
    }

    #[test]
    fn one_problem_of_two_sources_is_repeated() {
        let first = problem("rustc", Some("E0308"), "mismatched types", 6);
        for (other, is_repeated) in [
            (problem("rust-analyzer", Some("E0308"), "expected u32, found &'static str", 5), true),
            (problem("rust-analyzer", Some("E0107"), "mismatched types", 6), false),
            (problem("rustc", Some("E0308"), "mismatched types", 6), true),
            (problem("rustc", Some("E0308"), "mismatched types", 5), false),
            (problem("rustc", Some("E0308"), "expected `()`", 6), false),
        ] {
            assert_eq!(first.is_repeated(&other), is_repeated, "{other:?}");
        }
        let without_code = problem("cargo", None, "mismatched types", 6);
        assert!(!without_code.is_repeated(&problem("rustc", None, "mismatched types", 6)));
    }
}
