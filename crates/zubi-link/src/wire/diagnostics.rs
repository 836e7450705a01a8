//! What is wrong in files: `getDiagnostics`, `getAllDiagnostics`, `getWorkspaceErrors` and `validateFile`.
//!
//! With an editor these are the problems that it shows, unsaved texts included. Without one the host asks language servers
//! of its own, and [`Coverage`] says how much of what was asked about they have looked at.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The problems of one file: [`DocumentParams`] to [`FileDiagnostics`].
pub const GET_DIAGNOSTICS: &str = "getDiagnostics";
/// The problems of all files: [`AllDiagnosticsParams`] to [`AllDiagnostics`].
pub const GET_ALL_DIAGNOSTICS: &str = "getAllDiagnostics";
/// The problems of the workspace in numbers: no parameters to [`WorkspaceErrors`].
pub const GET_WORKSPACE_ERRORS: &str = "getWorkspaceErrors";
/// Has one file checked anew: [`ValidateFileParams`] to [`ValidatedFile`].
pub const VALIDATE_FILE: &str = "validateFile";

/// The most files in [`WorkspaceErrors::top_error_files`].
pub const MAX_TOP_FILES: usize = 10;

/// The source under which [`WorkspaceErrors`] counts problems that name none.
pub const UNKNOWN_SOURCE: &str = "unknown";

/// A place in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// From 0.
    pub line: u32,
    /// From 0, in UTF-16 units.
    pub character: u32,
}

/// A part of a text, from `start` up to and without `end`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    pub start: Position,
    /// Never before `start`.
    pub end: Position,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The code is wrong. Also what names no severity: that reading hides nothing.
    Error,
    Warning,
    /// LSP's `Information`.
    Info,
    Hint,
}

impl Severity {
    /// All of them, worst first.
    pub const ALL: [Self; 4] = [Self::Error, Self::Warning, Self::Info, Self::Hint];

    /// As it is sent.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }

    /// From the name that is sent.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

/// What an editor shows the code of a problem as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tag {
    /// Faded: it is not used.
    Unnecessary,
    /// Struck through.
    Deprecated,
}

/// A place in some file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    pub uri: String,
    /// Absolute; absent if the URI is no file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    pub range: Range,
}

/// Another place that has to do with a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedInformation {
    pub location: Location,
    /// What it has to do with it.
    pub message: String,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    pub range: Range,
    /// For people; it may have several lines.
    pub message: String,
    pub severity: Severity,
    /// Who says so: `Pylance`, `rustc`, `ESLint`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source: Option<String>,
    /// The source's own name of this kind of problem. A number is given as text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// Other places that have to do with it; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub related_information: Vec<RelatedInformation>,
    /// Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tags: Vec<Tag>,
}

/// Who has looked at files where no editor did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CoverageMode {
    /// Language servers of the host, without an editor.
    Headless,
    /// Nobody: no language server answers for what was asked about.
    None,
}

/// How much of what was asked about has been looked at. An answer from an editor has none: it is what the editor shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Files about whose present text every server has spoken.
    pub analysed: usize,
    /// Files that were asked about: the one, or those of the workspace that a server is there for. If fewer are analysed,
    /// problems may be missing.
    pub total: usize,
    pub mode: CoverageMode,
    /// Why files were not analysed and what to do, and what limits the answer even if they were.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// Parameters of `getDiagnostics`: one of the two.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentParams {
    /// Absolute, or relative to a folder of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file://` URI, instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// The result of `getDiagnostics`, and one file of `getAllDiagnostics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileDiagnostics {
    pub uri: String,
    /// Absolute.
    pub path: String,
    /// In order of place.
    pub diagnostics: Vec<Diagnostic>,
    /// Without an editor.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<Coverage>,
    /// What cannot be told of the problems: the editor has not opened the file, or not all of them are here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// Parameters of `getAllDiagnostics`; all of them narrow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AllDiagnosticsParams {
    /// Only problems of exactly this severity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Only problems of exactly this source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The most files that are listed, with all their problems. The totals count those that are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// The result of `getAllDiagnostics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllDiagnostics {
    /// Files with problems of the wanted kind, before `limit`.
    pub file_count: usize,
    /// Their problems, before `limit`.
    pub total_diagnostics: usize,
    /// Files that are listed.
    pub returned: usize,
    /// Whether files are left out, because of `limit` or because the answer would become too long.
    pub truncated: bool,
    /// In order of path.
    pub files: Vec<FileDiagnostics>,
    /// Without an editor.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<Coverage>,
    /// What an editor does not show: problems of files that it has not looked at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// How many problems there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorCounts {
    pub errors: usize,
    pub warnings: usize,
    /// Infos and hints.
    pub info: usize,
    pub files_with_errors: usize,
    pub files_with_warnings: usize,
}

/// A file with errors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorFile {
    /// Absolute.
    pub path: String,
    pub errors: usize,
    pub warnings: usize,
}

/// The result of `getWorkspaceErrors`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceErrors {
    pub summary: ErrorCounts,
    /// Problems of each source, whatever their severity; those that name none under `unknown`.
    pub by_source: BTreeMap<String, usize>,
    /// The files with most errors, at most ten.
    pub top_error_files: Vec<ErrorFile>,
    /// The names in `bySource`, in order.
    pub sources: Vec<String>,
    /// Without an editor.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<Coverage>,
    /// What an editor does not show: problems of files that it has not looked at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// Parameters of `validateFile`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidateFileParams {
    /// Absolute, relative to a folder of the workspace, or a `file://` URI.
    pub path: String,
}

/// The result of `validateFile`: an editor has opened the file if it was not open, without showing it, and was waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidatedFile {
    pub uri: String,
    /// Absolute.
    pub path: String,
    /// As editors name languages: `python`, `typescriptreact`.
    pub language_id: String,
    /// In order of place.
    pub diagnostics: Vec<Diagnostic>,
    /// Without an editor.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<Coverage>,
    /// What cannot be told of the problems: the editor has not spoken about the present text in time, for instance.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}
