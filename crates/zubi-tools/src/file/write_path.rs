//! Common last step of all tools that write a file: plans the change with the hash of the replaced text, applies it,
//! and returns the diff and the undo handle.

use std::fmt::Write as _;

use camino::Utf8Path;
use serde_json::json;
use zubi_base::text::{BOM, ContentHash, SourceText};
use zubi_code::CodeIntel;
use zubi_code::edit::{EditError, diff};
use zubi_tool_api::{Effect, Footprint, OutputStatus, ToolCx, ToolError, ToolOutput, approval_prompt};

use super::read_guard::short_hash;

/// Maximum size of a diff in an answer, in bytes: about two thousand tokens. The caller knows what it wrote.
const MAX_DIFF: usize = 8_000;

/// A new text of a file, to be written.
pub(crate) struct FileWrite<'a> {
    /// Description for the title and the first line: `write src/a.rs`.
    pub(crate) title: String,
    /// Id of the writing tool, for the plan.
    pub(crate) by: &'static str,
    /// Completes "Failed to …".
    pub(crate) operation: &'static str,
    pub(crate) path: &'a Utf8Path,
    pub(crate) before: Option<&'a SourceText>,
    pub(crate) text: &'a str,
    /// Notes for the reader, one sentence each.
    pub(crate) notes: Vec<String>,
}

pub(crate) struct WriteResult {
    pub(crate) output: ToolOutput,
    pub(crate) hash: ContentHash,
}

/// Writes a text and renders the answer.
pub(crate) async fn write(intel: &CodeIntel, request: FileWrite<'_>) -> Result<WriteResult, ToolError> {
    let workspace = intel.workspace();
    let to_error = |error: EditError| write_error(request.operation, &error);
    let before = request.before.map(SourceText::hash);
    let bom = request.before.is_some_and(|before| before.bom);
    let text = if bom { request.text.strip_prefix(BOM).unwrap_or(request.text) } else { request.text };
    let hash = ContentHash::from_parts(&[if bom { BOM.as_bytes() } else { &[] }, text.as_bytes()]);
    let status = |endpoint: &str| {
        Some(OutputStatus {
            endpoint: endpoint.to_owned(),
            readiness: format!("sha {}", short_hash(&hash)),
            ..OutputStatus::default()
        })
    };
    let plan = match intel.edits().plan_text(&request.title, request.path, before.as_ref(), text, request.by).await {
        Ok(plan) => plan,
        Err(EditError::Nothing) => {
            let text =
                format!("{} already has exactly this text; nothing was written", workspace.display(request.path));
            return Ok(WriteResult {
                output: ToolOutput { text, status: status("disk"), ..ToolOutput::default() },
                hash,
            });
        }
        Err(error) => return Err(to_error(error)),
    };
    let applied = intel.edits().apply(&plan.id).await.map_err(to_error)?;
    let mut answer = format!(
        "{}: {}\n",
        request.title,
        applied.files.iter().map(|file| file.done.as_str()).next_back().unwrap_or("written")
    );
    // Writing to a `String` cannot fail.
    for note in request.notes.iter().chain(&plan.notes).chain(&applied.notes) {
        let _ = writeln!(answer, "note: {note}");
    }
    answer.push_str(&truncate_diff(&plan.diff));
    let _ = writeln!(answer, "undo_edit {{\"plan\":\"{}\"}} undoes it", plan.id);
    let status = status(if applied.unsaved.is_empty() { "disk" } else { "editor" });
    Ok(WriteResult { output: ToolOutput { text: answer, status, ..ToolOutput::default() }, hash })
}

/// Returns the footprint of a write, with the diff for the approval prompt.
pub(crate) fn footprint(cx: &ToolCx, path: &Utf8Path, before: Option<&str>, after: Option<&str>) -> Footprint {
    Footprint {
        effect: Some(Effect::Write),
        writes: vec![path.to_owned()],
        preview: after.map(|after| {
            approval_prompt::ellipsize_middle(diff::text_diff(path, before, after, &cx.workspace), diff::MAX_DIFF_BYTES)
        }),
        ..Footprint::default()
    }
}

/// Returns a file's present text for a footprint, without waiting; unsaved text takes precedence.
pub(crate) fn current_text(cx: &ToolCx, path: &Utf8Path) -> Option<SourceText> {
    let mut text = zubi_base::text::DiskText::read_in_place(path).ok()?;
    if let Some(unsaved) = cx.text_source.unsaved_texts().remove(path) {
        text.text = unsaved;
    }
    Some(text)
}

/// Cuts a diff to the size limit of answers, at the end of a line.
fn truncate_diff(diff: &str) -> String {
    let mut truncated = String::new();
    let mut lines = diff.lines();
    for line in lines.by_ref() {
        if truncated.len() + line.len() >= MAX_DIFF {
            let _ = writeln!(truncated, "… {} more lines of the diff are not shown", lines.count() + 1);
            break;
        }
        truncated.push_str(line);
        truncated.push('\n');
    }
    truncated
}

/// Converts an [`EditError`], whose own texts are about servers.
pub(crate) fn write_error(operation: &str, error: &EditError) -> ToolError {
    let (reason, hint) = match error {
        EditError::Outside { path } => {
            (format!("`{path}` is outside the workspace"), "Only files of the workspace are writable.".to_owned())
        }
        EditError::Exists { path } => {
            (format!("`{path}` was created in the meantime"), "Read it, then try again.".to_owned())
        }
        EditError::Missing { path } => {
            (format!("`{path}` was deleted"), "Check with file.list, then try again.".to_owned())
        }
        EditError::Changed { path } => (
            format!("`{path}` changed in the meantime; nothing was written"),
            format!("Read it again with file.read {}, then repeat the call.", json!({ "path": path })),
        ),
        EditError::Impossible { path, reason } | EditError::Unreadable { path, reason } => {
            (format!("`{path}`: {reason}"), "Check the path with file.list.".to_owned())
        }
        error => (error.to_string(), error.hint()),
    };
    ToolError::operation_failed(operation, reason, hint)
}
