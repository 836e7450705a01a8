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
use zubi_tools::{Code, Effect, Exposure, Footprint, Status, ToolCx, ToolError, ToolOutput};

use super::Files;
use crate::os_tool::{LocalToolMeta, LocalTool};

pub(crate) struct GetCurrent;

/// Request to the editor over its channel; the response is `{active: false}` or [`ActiveEditorResponse`].
const METHOD: &str = "zubi/activeEditor";
/// Most bytes of text in one answer.
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
struct Answer {
    #[serde(rename = "active")]
    is_there: bool,
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
impl LocalTool for GetCurrent {
    const ABOUT: LocalToolMeta = LocalToolMeta {
        id: "file.getCurrent",
        title: "The active editor",
        description: "The file in the user's active editor: path, language, selection and text, unsaved changes included; with includeSelection only the selected text. Needs an editor that runs zubi.",
        notes: "",
        effect: Effect::Read,
        exposure: Exposure::Deferred,
        toolset: "file",
        category: "Files",
        tags: &["current", "active", "editor", "selection", "open file"],
        timeout: Duration::from_secs(30),
        example: || ("The selected text", json!({ "includeSelection": true })),
    };
    type Context = Files;
    type Input = Input;

    fn footprint(_files: &Files, _input: &Input, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(Footprint::default())
    }

    async fn run(files: &Files, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let without = "Ask the user for the path and use file.read, or for running zubi from the editor.";
        let Some(editor) = files.intel.editor() else {
            return Err(ToolError::user(
                Code::NoEditor,
                format!("Failed to {OPERATION}: no editor is connected here"),
                without,
            ));
        };
        let request = RequestCx::new(cx.cancel.clone(), cx.deadline);
        if !editor.offers(METHOD, None, &request).await {
            let why = format!("Failed to {OPERATION}: the connected editor does not report the active file");
            return Err(ToolError::user(Code::NoEditor, why, without));
        }
        let answer = editor.request(METHOD, Value::Null, &request).await;
        let answer =
            answer.map_err(|error: EndpointError| ToolError::operation_failed(OPERATION, error, "Try again in a moment."))?;
        let active: Answer = serde_json::from_value(answer)
            .map_err(|error| ToolError::operation_failed(OPERATION, format!("invalid response: {error}"), without))?;
        if !active.is_there {
            return Err(ToolError::user(
                Code::NoEditor,
                format!("Failed to {OPERATION}: no file is active in the editor"),
                without,
            ));
        }
        let path = uri::to_path(&Uri(active.uri.clone()));
        let shown = path.map_or_else(|| active.uri.clone(), |path| cx.workspace.display(&path));
        let selected = input.include_selection == Some(true);
        let content = if selected { &active.selected_text } else { &active.text };
        let mut text = format!("{shown} ({}{})", active.language_id, if active.is_dirty { ", not saved" } else { "" });
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
        let mut kept: String = String::new();
        for line in content.split_inclusive('\n') {
            if kept.len() + line.len() > MAX_BYTES {
                break;
            }
            kept.push_str(line);
        }
        text.push_str(&kept);
        let left = content.len() - kept.len();
        if left > 0 {
            let _ = write!(text, "… cut: {left} more bytes; continue with file.read {}", json!({ "path": shown }));
        }
        let status = Status {
            endpoint: "editor".to_owned(),
            readiness: if selected { "selection".to_owned() } else { String::new() },
            complete: Some(left == 0),
            note: None,
        };
        let data = json!({
            "path": shown, "language": active.language_id, "content": kept, "selection": active.selection,
        });
        Ok(ToolOutput { text, data: Some(data), status: Some(status), ..ToolOutput::default() })
    }
}
