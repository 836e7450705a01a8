//! `file.getCurrent`: the file in the user's active editor.

use std::fmt::Write as _;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::endpoint::{EndpointError, RequestCx};
use zubi_base::lsp::{Range, Uri};
use zubi_base::uri;
use zubi_tool_api::{ErrorCode, OutputStatus, ToolCx, ToolError, ToolOutput};

use super::file_tool::{FILE_TOOL, FileToolContext};
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct GetCurrent;

/// Request to the editor over its channel; the response is `{active: false}` or [`ActiveEditorResponse`].
const METHOD: &str = "zubi/activeEditor";
/// Maximum size of text in one answer, in bytes.
const MAX_BYTES: usize = 50_000;
const OPERATION: &str = "read the active editor";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Only the selected text; default false
    #[serde(rename = "includeSelection")]
    include_selection: Option<bool>,
}

/// Response of the editor.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ActiveEditorResponse {
    #[serde(rename = "active")]
    is_active: bool,
    #[serde(default)]
    uri: String,
    #[serde(default)]
    language_id: String,
    #[serde(default)]
    is_dirty: bool,
    #[serde(default)]
    text: String,
    selection: Option<Range>,
    #[serde(default)]
    selected_text: String,
}

#[async_trait]
impl TypedTool for GetCurrent {
    const META: ToolMeta = ToolMeta {
        id: "file.getCurrent",
        title: "The active editor",
        description: "The file in the user's active editor: path, language, selection and text, unsaved changes included; with includeSelection only the selected text. Needs an editor that runs zubi.",
        tags: &["current", "active", "editor", "selection", "open file"],
        timeout: Duration::from_secs(30),
        example: || ("The selected text", json!({ "includeSelection": true })),
        ..FILE_TOOL
    };
    type Context = FileToolContext;
    type Input = Input;

    async fn run(files: &FileToolContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let hint = "Ask the user for the path and use file.read, or for running zubi from the editor.";
        let Some(editor) = files.intel.editor() else {
            return Err(ToolError::user(
                ErrorCode::NoEditor,
                format!("Failed to {OPERATION}: no editor is connected here"),
                hint,
            ));
        };
        let request = RequestCx::new(cx.cancel.clone(), cx.deadline);
        if !editor.supports(METHOD, None, &request).await {
            let message = format!("Failed to {OPERATION}: the connected editor does not report the active file");
            return Err(ToolError::user(ErrorCode::NoEditor, message, hint));
        }
        let answer = editor.request(METHOD, Value::Null, &request).await;
        let answer = answer
            .map_err(|error: EndpointError| ToolError::operation_failed(OPERATION, error, "Try again in a moment."))?;
        let active: ActiveEditorResponse = serde_json::from_value(answer)
            .map_err(|error| ToolError::operation_failed(OPERATION, format!("invalid response: {error}"), hint))?;
        if !active.is_active {
            return Err(ToolError::user(
                ErrorCode::NoEditor,
                format!("Failed to {OPERATION}: no file is active in the editor"),
                hint,
            ));
        }
        let path = uri::to_path(&Uri(active.uri.clone()));
        let display_path = path.map_or_else(|| active.uri.clone(), |path| cx.workspace.display(&path));
        let selected = input.include_selection == Some(true);
        let content = if selected { &active.selected_text } else { &active.text };
        let mut text =
            format!("{display_path} ({}{})", active.language_id, if active.is_dirty { ", not saved" } else { "" });
        // Writing to a `String` cannot fail.
        if let Some(range) = &active.selection {
            let (start, end) = (range.start, range.end);
            let _ = write!(
                text,
                ", selection {}:{}–{}:{}",
                u64::from(start.line) + 1,
                u64::from(start.character) + 1,
                u64::from(end.line) + 1,
                u64::from(end.character) + 1
            );
        }
        text.push('\n');
        let mut excerpt: String = String::new();
        for line in content.split_inclusive('\n') {
            if excerpt.len() + line.len() > MAX_BYTES {
                break;
            }
            excerpt.push_str(line);
        }
        text.push_str(&excerpt);
        let remaining = content.len() - excerpt.len();
        if remaining > 0 {
            let _ = write!(
                text,
                "… cut: {remaining} more bytes; continue with file.read {}",
                json!({ "path": display_path })
            );
        }
        let status = OutputStatus {
            endpoint: "editor".to_owned(),
            readiness: if selected { "selection".to_owned() } else { String::new() },
            complete: Some(remaining == 0),
            note: None,
        };
        let data = json!({
            "path": display_path, "language": active.language_id, "content": excerpt, "selection": active.selection,
        });
        Ok(ToolOutput { text, data: Some(data), status: Some(status), ..ToolOutput::default() })
    }
}
