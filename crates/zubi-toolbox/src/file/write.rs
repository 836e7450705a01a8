//! `file.write`: a whole file, new or replaced.

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::fs::ReadError;
use zubi_tools::{Code, Effect, Exposure, Footprint, ToolCx, ToolError, ToolOutput};

use super::written::{self, FileWrite};
use super::{Files, paths, replace};
use crate::os_tool::{LocalToolMeta, LocalTool};

pub(crate) struct Write;

const OPERATION: &str = "write the file";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Path in the workspace, or file:// URI; creates missing folders
    path: String,
    /// The whole new text
    #[schemars(length(max = 8_388_608))]
    content: String,
    /// Replace a file that was not read here before; default false
    overwrite: Option<bool>,
    /// sha of the text to replace, from the last line of an answer
    expected: Option<String>,
}

#[async_trait]
impl LocalTool for Write {
    const ABOUT: LocalToolMeta = LocalToolMeta {
        id: "file.write",
        title: "Write a file",
        description: "Writes a whole text file of the workspace atomically and returns the diff and an undo handle. Fails if the file changed since it was read here; a file that was never read needs overwrite. To change a part, use file.edit.",
        notes: "Permission bits are preserved. CRLF line ends are preserved if all lines have them and the content has none. `.git` and zubi's own settings cannot be written.",
        effect: Effect::Write,
        exposure: Exposure::Deferred,
        toolset: "file",
        category: "Files",
        tags: &["write", "create", "save", "overwrite", "new file"],
        timeout: Duration::from_mins(1),
        example: || ("A new file", json!({ "path": "notes/todo.md", "content": "# To do\n" })),
    };
    type Context = Files;
    type Input = Input;

    fn footprint(_files: &Files, input: &Input, cx: &ToolCx) -> Result<Footprint, ToolError> {
        let path = paths::creatable(cx, "path", &input.path)?;
        let before = written::text_now(cx, &path);
        let before = before.as_ref().map(|before| &*before.text);
        let (after, _) = replace::with_line_ends_of(before.unwrap_or_default(), &input.content);
        Ok(written::footprint(cx, &path, before, Some(&after)))
    }

    async fn run(files: &Files, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let path = paths::creatable(cx, "path", &input.path)?;
        let shown = cx.workspace.display(&path);
        let before = match cx.text_source.read(&path).await {
            Ok(text) => Some(text),
            Err(ReadError::NotFound { .. }) => None,
            Err(error) => return Err(paths::unreadable(cx, OPERATION, &path, &error)),
        };
        match &before {
            Some(text) => {
                let known = files.seen.ensure_fresh(cx, OPERATION, &path, text, input.expected.as_deref())?;
                if !known && input.overwrite != Some(true) {
                    let hint = format!(
                        "Read it first with file.read {}, or pass overwrite: true to replace it unread.",
                        json!({ "path": shown })
                    );
                    let why = format!(
                        "Failed to {OPERATION}: `{shown}` exists and was not read completely here; nothing was written"
                    );
                    return Err(ToolError::user(Code::Exists, why, hint));
                }
            }
            None if input.expected.is_some() => {
                let hint = "Omit `expected` to create it.";
                return Err(ToolError::invalid("expected", format!("`{shown}` does not exist"), hint));
            }
            None => {}
        }
        let old = before.as_ref().map_or("", |before| &before.text);
        let (text, note) = replace::with_line_ends_of(old, &input.content);
        let new = FileWrite {
            title: format!("write {shown}"),
            by: Self::ABOUT.id,
            operation: OPERATION,
            path: &path,
            before: before.as_ref(),
            text: &text,
            notes: note.into_iter().collect(),
        };
        let written = written::write(&files.intel, new).await?;
        files.seen.remember(cx, &path, written.hash, true);
        Ok(written.output)
    }
}
