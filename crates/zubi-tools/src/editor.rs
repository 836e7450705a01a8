//! `editor`: the state of the user's editor; without an editor, the language servers' diagnostics.
//!
//! The requests are those of the IPC protocol ([`crate::editor_state`]); this tool renders the answers as text.
//! `format: "json"` returns the objects of the protocol unchanged.

mod text;

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use zubi_ipc::wire::codes;
use zubi_ipc::wire::diagnostics::{AllDiagnosticsParams, DocumentParams, Severity};
use zubi_tool_api::{ErrorCode, Footprint, OutputStatus, ToolCx, ToolError, ToolOutput, ToolProvider, static_provider};

use self::text::{EditorAnswer, EditorRenderer};
use crate::adapter::{ToolMeta, TypedTool, tool};
use crate::editor_state::{EditorCallContext, EditorService, EditorServiceError};
use crate::lsp::arguments::{CommonArgs, OutputFormat};
use crate::lsp::view::OutputBudget;

/// Creates the provider of the `editor` tool.
pub fn provider(service: &Arc<EditorService>) -> Arc<dyn ToolProvider> {
    static_provider("editor", "Editor", vec![tool::<EditorTool>(service)])
}

struct EditorTool;

const OPERATION: &str = "query the editor";

/// Default limit of listed files.
const DEFAULT_LIMIT: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Command")]
enum EditorStateCommand {
    Status,
    Ping,
    Diagnostics,
    AllDiagnostics,
    ErrorsSummary,
    ValidateFile,
    OpenFiles,
    ActiveFile,
}

impl EditorStateCommand {
    fn takes_path(self) -> bool {
        matches!(self, Self::Diagnostics | Self::ValidateFile)
    }
}

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Which state to show
    command: EditorStateCommand,
    /// File path, required for `diagnostics` and `validate_file`
    path: Option<String>,
    /// Severity filter of `all_diagnostics`: error, warning, info, hint
    severity: Option<String>,
    /// Source filter of `all_diagnostics`: Pylance, rustc
    source: Option<String>,
    /// Maximum files of `all_diagnostics`, default 50
    limit: Option<usize>,
    #[serde(flatten)]
    common: CommonArgs,
}

impl Input {
    /// Rejects parameters that the command does not use: an ignored filter would look like an applied one.
    fn check(&self) -> Result<(), ToolError> {
        let all = self.command == EditorStateCommand::AllDiagnostics;
        let parameters = [
            ("path", self.path.is_some(), self.command.takes_path(), "diagnostics and validate_file"),
            ("severity", self.severity.is_some(), all, "all_diagnostics"),
            ("source", self.source.is_some(), all, "all_diagnostics"),
            ("limit", self.limit.is_some(), all, "all_diagnostics"),
        ];
        match parameters.into_iter().find(|(_, is_given, is_accepted, _)| *is_given && !is_accepted) {
            Some((name, _, _, accepted_by)) => Err(ToolError::invalid(
                name,
                format!("only valid with {accepted_by}"),
                "Leave it out, or give another command.",
            )),
            None => Ok(()),
        }
    }

    fn path(&self) -> Result<&str, ToolError> {
        let missing = || ToolError::invalid("path", "missing", "Name the file, relative to the workspace folder.");
        self.path.as_deref().ok_or_else(missing)
    }

    fn filter(&self) -> Result<AllDiagnosticsParams, ToolError> {
        let severity_from_name = |name: &str| {
            let unknown =
                || ToolError::invalid("severity", format!("no severity `{name}`"), "Use error, warning, info or hint.");
            Severity::from_name(name).ok_or_else(unknown)
        };
        Ok(AllDiagnosticsParams {
            severity: self.severity.as_deref().map(severity_from_name).transpose()?,
            source: self.source.clone(),
            limit: Some(self.limit.unwrap_or(DEFAULT_LIMIT)),
        })
    }
}

#[async_trait]
impl TypedTool for EditorTool {
    const META: ToolMeta = ToolMeta {
        id: "editor",
        title: "Editor state",
        description: "State of the user's editor: open_files, active_file with the cursor, and diagnostics including unsaved text (diagnostics of a file, all_diagnostics, errors_summary; validate_file checks one file again). Without an editor, language servers provide the diagnostics, and the last line says how much they have checked.",
        notes: "`status` reports whether an editor is connected, and the workspace folders. With `format: \"json\"` the answer is the object of the IPC protocol, with 0-based positions.",
        toolset: "editor",
        category: "Editor",
        tags: &["editor", "vscode", "open files", "active file", "diagnostics", "problems", "cursor", "ide"],
        example: || ("Errors in the editor", json!({ "command": "all_diagnostics", "severity": "error" })),
        ..ToolMeta::DEFAULT
    };
    type Context = EditorService;
    type Input = Input;

    fn footprint(_service: &EditorService, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        let input = Self::parse(args.clone())?;
        // The call itself rejects paths outside the workspace.
        let reads = input.path.iter().filter_map(|path| cx.workspace.resolve(path).ok()).collect();
        Ok(Footprint { reads, ..Footprint::default() })
    }

    async fn run(service: &EditorService, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        input.check()?;
        let now = Instant::now();
        let deadline = now.checked_add(input.common.wait()).map_or(cx.deadline, |until| until.min(cx.deadline));
        let editor_cx = EditorCallContext { cancel: cx.cancel.clone(), deadline, read_only: true };
        let view = OutputBudget::new(
            input.common.byte_budget(cx.token_budget),
            input.common.format(),
            input.common.has_size(),
        );
        let writer = EditorRenderer { budget: &view, cx, service };
        let is_json = input.common.format() == OutputFormat::Json;
        let answer = match input.command {
            EditorStateCommand::Status => writer.status(&service.status()),
            EditorStateCommand::Ping => EditorAnswer::new(&service.ping(), "the host answers", OutputStatus::default()),
            EditorStateCommand::OpenFiles => writer.open_files(&service.open_files().map_err(editor_error)?),
            EditorStateCommand::ActiveFile => {
                writer.active_file(service.active_file(&editor_cx).await.map_err(editor_error)?).await
            }
            EditorStateCommand::Diagnostics => {
                let params = DocumentParams { path: Some(input.path()?.to_owned()), uri: None };
                writer.file(service.diagnostics(&params, &editor_cx).await.map_err(editor_error)?).await
            }
            EditorStateCommand::ValidateFile => {
                writer
                    .render_validation(service.validate_file(input.path()?, &editor_cx).await.map_err(editor_error)?)
                    .await
            }
            EditorStateCommand::AllDiagnostics => {
                writer
                    .render_all(service.all_diagnostics(&input.filter()?, &editor_cx).await.map_err(editor_error)?)
                    .await
            }
            EditorStateCommand::ErrorsSummary => {
                writer.render_summary(&service.workspace_errors(&editor_cx).await.map_err(editor_error)?)
            }
        };
        Ok(answer.into_output(is_json))
    }
}

/// Converts an IPC error to a tool error.
fn editor_error(error: EditorServiceError) -> ToolError {
    let EditorServiceError { code, message, field } = error;
    let code = match code {
        codes::INVALID_PARAMS | codes::NOT_IN_WORKSPACE => {
            let field = field.unwrap_or_else(|| "command".to_owned());
            let problem = message.strip_prefix(&format!("Invalid params: {field}: ")).unwrap_or(&message).to_owned();
            return ToolError::invalid(
                &field,
                problem,
                "Give a path relative to the workspace folder, as answers print it.",
            );
        }
        codes::LOADING => ErrorCode::Loading,
        codes::CANCELLED => ErrorCode::Cancelled,
        _ => ErrorCode::Failed,
    };
    let hint =
        "Try again, or use `lsp_diagnostics`; `editor` with the command `status` says whether an editor is connected.";
    ToolError::user(code, format!("Failed to {OPERATION}: {message}"), hint)
}
