//! Diagnostics of files: `getDiagnostics`, `getAllDiagnostics`, `getWorkspaceErrors` and `validateFile`.
//!
//! With an editor, these are the diagnostics that the editor shows, including those of unsaved texts. Without one, the
//! host queries its own language servers, and [`Coverage`] reports how many of the requested files they have analysed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Diagnostics of one file: [`DocumentParams`] to [`FileDiagnostics`].
pub const GET_DIAGNOSTICS: &str = "getDiagnostics";
/// Diagnostics of all files: [`AllDiagnosticsParams`] to [`AllDiagnostics`].
pub const GET_ALL_DIAGNOSTICS: &str = "getAllDiagnostics";
/// Diagnostic counts of the workspace: no parameters to [`WorkspaceErrors`].
pub const GET_WORKSPACE_ERRORS: &str = "getWorkspaceErrors";
/// Checks one file again: [`ValidateFileParams`] to [`ValidatedFile`].
pub const VALIDATE_FILE: &str = "validateFile";

/// Maximum number of files in [`WorkspaceErrors::top_error_files`].
pub const MAX_TOP_FILES: usize = 10;

/// Source under which [`WorkspaceErrors`] counts diagnostics without a source.
pub const UNKNOWN_SOURCE: &str = "unknown";

/// A position in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// 0-based line.
    pub line: u32,
    /// 0-based column, in UTF-16 units.
    pub character: u32,
}

/// A range of a text, from `start` up to but not including `end`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    pub start: Position,
    /// Never before `start`.
    pub end: Position,
}

/// Severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// An error; also used for diagnostics without a severity, so that none is hidden.
    Error,
    Warning,
    /// LSP's `Information`.
    Info,
    Hint,
}

impl Severity {
    /// All severities, worst first.
    pub const ALL: [Self; 4] = [Self::Error, Self::Warning, Self::Info, Self::Hint];

    /// Name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }

    /// Parses the name on the wire.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

/// Hint for how an editor renders a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tag {
    /// Unused code, shown faded.
    Unnecessary,
    /// Deprecated code, shown struck through.
    Deprecated,
}

/// A range in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    pub uri: String,
    /// Absolute path; absent if the URI does not name a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    pub range: Range,
}

/// A location related to a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedInformation {
    pub location: Location,
    /// How the location is related to the diagnostic.
    pub message: String,
}

/// One diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    pub range: Range,
    /// Message for people; may span several lines.
    pub message: String,
    pub severity: Severity,
    /// Program that reported it: `Pylance`, `rustc`, `ESLint`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source: Option<String>,
    /// Code within the source; a numeric code is sent as a string.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// Related locations; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub related_information: Vec<RelatedInformation>,
    /// Tags; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tags: Vec<Tag>,
}

/// Source of the diagnostics if there is no editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CoverageMode {
    /// Language servers of the host, without an editor.
    Headless,
    /// No language server handles the requested files.
    None,
}

/// How many of the requested files have been analysed. Absent in answers from an editor, which are what the editor
/// shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Number of files of whose current text every server has reported diagnostics.
    pub analysed: usize,
    /// Number of requested files: the one file, or the files of the workspace that a server handles. If fewer are
    /// analysed, diagnostics may be missing.
    pub total: usize,
    pub mode: CoverageMode,
    /// Why files were not analysed, with a hint, and other limits of the answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// Parameters of `getDiagnostics`: either `path` or `uri`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentParams {
    /// Absolute path, or relative to a folder of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file://` URI, instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// Result of `getDiagnostics`, and one file of `getAllDiagnostics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileDiagnostics {
    pub uri: String,
    /// Absolute path.
    pub path: String,
    /// Sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// Present without an editor.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<Coverage>,
    /// Limits of the answer: the editor has not opened the file, or diagnostics are left out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// Parameters of `getAllDiagnostics`; each one narrows the result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AllDiagnosticsParams {
    /// Only diagnostics of exactly this severity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Only diagnostics of exactly this source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Maximum number of files to list, each with all its diagnostics. The totals include files that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Result of `getAllDiagnostics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllDiagnostics {
    /// Number of files with matching diagnostics, before `limit`.
    pub file_count: usize,
    /// Number of their diagnostics, before `limit`.
    pub total_diagnostics: usize,
    /// Number of listed files.
    pub returned: usize,
    /// Whether files are left out, because of `limit` or because the answer would become too long.
    pub truncated: bool,
    /// Sorted by path.
    pub files: Vec<FileDiagnostics>,
    /// Present without an editor.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<Coverage>,
    /// Limits of the answer: the editor has no diagnostics of files that it has not analysed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// Diagnostic counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorCounts {
    pub errors: usize,
    pub warnings: usize,
    /// Number of infos and hints.
    pub info: usize,
    pub files_with_errors: usize,
    pub files_with_warnings: usize,
}

/// A file with errors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorFile {
    /// Absolute path.
    pub path: String,
    pub errors: usize,
    pub warnings: usize,
}

/// Result of `getWorkspaceErrors`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceErrors {
    pub summary: ErrorCounts,
    /// Number of diagnostics of each source, of any severity; those without a source are under `unknown`.
    pub by_source: BTreeMap<String, usize>,
    /// Files with the most errors, at most ten.
    pub top_error_files: Vec<ErrorFile>,
    /// Keys of `bySource`, sorted.
    pub sources: Vec<String>,
    /// Present without an editor.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<Coverage>,
    /// Limits of the answer: the editor has no diagnostics of files that it has not analysed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// Parameters of `validateFile`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidateFileParams {
    /// Absolute path, path relative to a folder of the workspace, or `file://` URI.
    pub path: String,
}

/// Result of `validateFile`. An editor opens the file in the background if necessary, and the host waits for its
/// diagnostics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidatedFile {
    pub uri: String,
    /// Absolute path.
    pub path: String,
    /// LSP language id: `python`, `typescriptreact`.
    pub language_id: String,
    /// Sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// Present without an editor.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<Coverage>,
    /// Limits of the answer, for example that the editor has not checked the current text in time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}
