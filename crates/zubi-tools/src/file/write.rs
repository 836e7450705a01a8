//! `file.write`: a whole file, new or replaced.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::fs::ReadError;
use zubi_code::edit::replace;
use zubi_tool_api::{Effect, ErrorCode, Footprint, ToolCx, ToolError, ToolOutput};

use super::file_tool::{FILE_TOOL, FileToolContext};
use super::paths;
use super::write_path::{self, FileWrite};
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct WriteFile;

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
impl TypedTool for WriteFile {
    const META: ToolMeta = ToolMeta {
        id: "file.write",
        title: "Write a file",
        description: "Writes a whole text file of the workspace atomically and returns the diff and an undo handle. Fails if the file changed since it was read here; a file that was never read needs overwrite. To change a part, use file.edit.",
        notes: "Permission bits are preserved. CRLF line ends are preserved if all lines have them and the content has none. `.git` and zubi's own settings cannot be written.",
        effect: Effect::Write,
        tags: &["write a file", "create a file", "save", "overwrite", "new file"],
        example: || ("A new file", json!({ "path": "notes/todo.md", "content": "# To do\n" })),
        ..FILE_TOOL
    };
    type Context = FileToolContext;
    type Input = Input;

    fn footprint(_files: &FileToolContext, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        let input = Self::parse(args.clone())?;
        let path = paths::resolve_creatable(cx, "path", &input.path)?;
        let before = write_path::current_text(cx, &path);
        let before = before.as_ref().map(|before| &*before.text);
        let (after, _) = replace::match_line_ends(before.unwrap_or_default(), &input.content);
        Ok(write_path::footprint(cx, &path, before, Some(&after)))
    }

    async fn run(files: &FileToolContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let path = paths::resolve_creatable(cx, "path", &input.path)?;
        let display_path = cx.workspace.display(&path);
        let before = match cx.text_source.read(&path).await {
            Ok(text) => Some(text),
            Err(ReadError::NotFound { .. }) => None,
            Err(error) => return Err(paths::read_error(cx, OPERATION, &path, &error)),
        };
        match &before {
            Some(text) => {
                let is_known = files.reads.ensure_fresh(cx, OPERATION, &path, text, input.expected.as_deref())?;
                if !is_known && input.overwrite != Some(true) {
                    let hint = format!(
                        "Read it first with file.read {}, or pass overwrite: true to replace it unread.",
                        json!({ "path": display_path })
                    );
                    let message = format!(
                        "Failed to {OPERATION}: `{display_path}` exists and was not read completely here; nothing was written"
                    );
                    return Err(ToolError::user(ErrorCode::Exists, message, hint));
                }
            }
            None if input.expected.is_some() => {
                let hint = "Omit `expected` to create it.";
                return Err(ToolError::invalid("expected", format!("`{display_path}` does not exist"), hint));
            }
            None => {}
        }
        let old = before.as_ref().map_or("", |before| &before.text);
        let (text, note) = replace::match_line_ends(old, &input.content);
        let write_request = FileWrite {
            title: format!("write {display_path}"),
            by: Self::META.id,
            operation: OPERATION,
            path: &path,
            before: before.as_ref(),
            text: &text,
            notes: note.into_iter().collect(),
        };
        let written = write_path::write(&files.intel, write_request).await?;
        files.reads.record_read(cx, &path, written.hash, true);
        Ok(written.output)
    }
}
