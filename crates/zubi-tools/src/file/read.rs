//! `file.read`: the text of a file, or a range of its lines.

use std::fmt::Write as _;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::credentials;
use zubi_base::secret_shape::{self, REDACTED};
use zubi_base::text::TextOrigin;
use zubi_tool_api::{Footprint, OutputStatus, ToolCx, ToolError, ToolOutput, Truncation};

use super::file_tool::{FILE_TOOL, FileToolContext};
use super::paths;
use super::read_guard::short_hash;
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct ReadFile;

/// Maximum size of a file in one answer, in bytes; the session's budget may be smaller.
const MAX_BYTES: usize = 50_000;
/// Maximum length of one line, in characters. Longer lines are usually generated and seldom relevant.
const MAX_LINE: usize = 2_000;
const OPERATION: &str = "read the file";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Path in the workspace, or file:// URI
    path: String,
    /// First line, 1-based; default 1
    #[serde(rename = "startLine")]
    #[schemars(range(min = 1))]
    start_line: Option<usize>,
    /// Last line, 1-based, inclusive; default the end
    #[serde(rename = "endLine")]
    #[schemars(range(min = 1))]
    end_line: Option<usize>,
}

#[async_trait]
impl TypedTool for ReadFile {
    const META: ToolMeta = ToolMeta {
        id: "file.read",
        title: "Read a file",
        description: "Reads a text file of the workspace, or lines startLine–endLine of it (1-based, inclusive). Unsaved text in the editor takes precedence. The last line names the source of the text and its hash; a long file is cut, and the answer says how to continue.",
        notes: "Answers hold at most 50,000 bytes, lines at most 2,000 characters. Binary files and files above 8 MiB are rejected.",
        tags: &["read a file", "open a file", "view", "cat", "content", "lines"],
        timeout: Duration::from_secs(30),
        example: || ("The first forty lines", json!({ "path": "src/main.rs", "startLine": 1, "endLine": 40 })),
        ..FILE_TOOL
    };
    type Context = FileToolContext;
    type Input = Input;

    fn footprint(files: &FileToolContext, args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        let input = Self::parse(args.clone())?;
        let path = paths::resolve_readable(files.intel.external_files(), "path", &input.path)?;
        // The names of credentials are known to the policy, and not their contents.
        let is_key = !credentials::is_credential_path(&path) && credentials::has_private_key(&path);
        let unresolved = is_key.then(|| "the file begins like a private key".to_owned()).into_iter().collect();
        Ok(Footprint { reads: vec![path], unresolved, ..Footprint::default() })
    }

    async fn run(files: &FileToolContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let path = paths::resolve_readable(files.intel.external_files(), "path", &input.path)?;
        let source = cx.text_source.read(&path).await;
        let source = source.map_err(|error| paths::read_error(cx, OPERATION, &path, &error))?;
        let hash = source.hash();
        let display_path = cx.workspace.display(&path);
        let total = source.text.split_inclusive('\n').count();
        let start = input.start_line.unwrap_or(1).max(1);
        let end = input.end_line.unwrap_or(total).min(total);
        if start > total.max(1) {
            let hint = format!("Give a startLine up to {}.", total.max(1));
            return Err(ToolError::invalid("startLine", format!("`{display_path}` has {total} lines"), hint));
        }
        if input.end_line.is_some_and(|end| end < start) {
            let hint = "Give an endLine that is not before startLine.";
            return Err(ToolError::invalid("endLine", format!("it is before startLine, {start}"), hint));
        }
        let budget = cx.byte_budget(MAX_BYTES);
        let key_lines = lines_of_open_key(&source.text, start);
        let mut text = String::new();
        let mut next = start;
        for line in source.text.lines().skip(start - 1).take((end + 1).saturating_sub(start)) {
            let length = line.len().min(4 * MAX_LINE);
            if text.len() + length > budget && next > start {
                break;
            }
            write_line(&mut text, if next < key_lines { REDACTED } else { line });
            next += 1;
        }
        let mut truncated = None;
        if next <= end {
            let mut call = json!({ "path": display_path, "startLine": next });
            if let Some(end) = input.end_line {
                call["endLine"] = json!(end);
            }
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "… cut: {} more lines; continue with file.read {call}", end - next + 1);
            truncated = Some(Truncation { shown: next - start, total: end + 1 - start, cursor: None });
        }
        let is_whole = start == 1 && next > total && source.text.lines().all(|line| line.len() <= MAX_LINE);
        files.reads.record_read(cx, &path, hash.clone(), is_whole);
        let hidden = text.chars().filter(|c| is_hidden(*c)).count();
        let key = if key_lines > start { " · it begins in a private key" } else { "" };
        let range = if total == 0 { "0 lines".to_owned() } else { format!("lines {start}–{} of {total}", next - 1) };
        let hidden = if hidden > 0 { format!(" · {hidden} invisible characters not shown") } else { String::new() };
        let status = OutputStatus {
            endpoint: match source.origin {
                TextOrigin::Disk => "disk".to_owned(),
                TextOrigin::Editor { version } => format!("editor, version {version}"),
            },
            readiness: format!("sha {}", short_hash(&hash)),
            complete: Some(truncated.is_none()),
            note: Some(format!("{range}{key}{hidden}")),
        };
        let data = json!({
            "path": display_path, "text": text, "startLine": start, "endLine": next - 1, "totalLines": total,
            "hash": hash.0, "origin": source.origin,
        });
        Ok(ToolOutput { text, data: Some(data), status: Some(status), truncated })
    }
}

/// Returns the number of the first line from `start` on that is not part of a private key which begins before `start`.
/// The registry recognizes a key only by its first line.
fn lines_of_open_key(text: &str, start: usize) -> usize {
    let offset: usize = text.split_inclusive('\n').take(start - 1).map(str::len).sum();
    let open =
        secret_shape::find(text).into_iter().find(|found| found.range.start < offset && offset < found.range.end);
    let rest = open.and_then(|found| text.get(offset..found.range.end));
    start + rest.map_or(0, |rest| rest.split_inclusive('\n').count())
}

/// Appends a line as it is in the file, cut at [`MAX_LINE`].
pub(crate) fn write_line(text: &mut String, line: &str) {
    let mut characters = line.chars();
    text.extend(characters.by_ref().take(MAX_LINE));
    let rest = characters.count();
    if rest > 0 {
        let _ = write!(text, "… {rest} more characters");
    }
    text.push('\n');
}

/// Returns whether answers omit a character; see [`zubi_tool_api::output::clean`]. The carriage return of a line end does
/// not count.
fn is_hidden(c: char) -> bool {
    c != '\r' && zubi_tool_api::output::clean(c.to_string()).is_empty()
}
