//! `output.read`: lines of a stored output.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::secret_shape::{KEY_LINE, KeyLines};
use zubi_exec::store::OutputStore;
use zubi_tool_api::{ToolCx, ToolError, ToolOutput, Truncation};

use super::output_tool::{OUTPUT_TOOL, output_error, parse_handle};
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct ReadOutput;

const DEFAULT_LINES: u64 = 200;
const MAX_LINES: u64 = 5_000;
/// Maximum size of an answer, in bytes.
const MAX_BYTES: usize = 60_000;
/// Maximum number of bytes shown of one line.
const MAX_LINE: usize = 4_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// `o-…`, from an answer
    output: String,
    /// First line, 1-based; negative counts from the end (-50: the last 50); default 1
    #[serde(rename = "fromLine")]
    from_line: Option<i64>,
    /// Number of lines; default 200
    #[schemars(range(min = 1, max = 5000))]
    lines: Option<u64>,
}

#[async_trait]
impl TypedTool for ReadOutput {
    const META: ToolMeta = ToolMeta {
        id: "output.read",
        title: "Read an output",
        description: "Shows lines of an output that was too long for an answer, by its handle (`o-…`) from that answer: from a given line, or the last ones. To find something, output.grep is quicker.",
        notes: "Outputs are stored for seven days, in full up to 64 MiB each.",
        tags: &["output", "log", "read", "lines", "tail"],
        example: || ("The last 50 lines", json!({ "output": "o-0123456789abcdef", "fromLine": -50 })),
        ..OUTPUT_TOOL
    };
    type Context = OutputStore;
    type Input = Input;

    async fn run(store: &OutputStore, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let id = parse_handle(&input.output)?;
        let from = input.from_line.unwrap_or(1);
        if from == 0 {
            return Err(ToolError::invalid("fromLine", "lines are 1-based", "Pass 1 for the first line."));
        }
        let line_count = input.lines.unwrap_or(DEFAULT_LINES).clamp(1, MAX_LINES);
        let budget = cx.byte_budget(MAX_BYTES);
        let (store, name) = (store.clone(), id.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let total = count_lines(store.open(&name)?).map_err(|source| read_error(&name, source))?;
            let skipped = total.saturating_sub(from.unsigned_abs());
            let first = if from < 0 { skipped + 1 } else { from.unsigned_abs() };
            let page = read_lines(store.open(&name)?, first, line_count, budget)
                .map_err(|source| read_error(&name, source))?;
            Ok((total, first, page))
        });
        let (total, first, lines) = reading
            .await
            .map_err(|error| ToolError::Fatal(error.into()))?
            .map_err(|error: zubi_exec::store::StoreError| output_error(&error))?;
        if lines.is_empty() {
            let hint = "Pass a `fromLine` within it, or a negative one to count from the end.";
            return Err(ToolError::invalid("fromLine", format!("the output has {total} lines"), hint));
        }
        let shown_count = lines.len();
        let last = first + shown_count as u64 - 1;
        let mut text = format!("lines {first}-{last} of {total}\n{}", lines.concat());
        let more = total.saturating_sub(last);
        if more > 0 {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "… {more} more: output.read {{\"output\":\"{id}\",\"fromLine\":{}}}", last + 1);
        }
        let all = usize::try_from(total).unwrap_or(usize::MAX);
        let truncated = (more > 0).then_some(Truncation { shown: shown_count, total: all, cursor: None });
        let data =
            json!({ "output": id.to_string(), "from": first, "to": last, "total": total, "text": lines.concat() });
        Ok(ToolOutput { text, data: Some(data), status: None, truncated })
    }
}

fn read_error(id: &zubi_exec::store::OutputId, source: io::Error) -> zubi_exec::store::StoreError {
    zubi_exec::store::StoreError::Io { id: id.clone(), source }
}

/// Counts the lines; an unterminated last line counts too.
fn count_lines(file: File) -> io::Result<u64> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut lines, mut is_open) = (0, false);
    loop {
        let bytes = reader.fill_buf()?;
        let Some(last) = bytes.last() else { return Ok(lines + u64::from(is_open)) };
        is_open = *last != b'\n';
        lines += bytes.split(|byte| *byte == b'\n').count() as u64 - 1;
        let length = bytes.len();
        reader.consume(length);
    }
}

/// Returns lines with their line ends, up to about `budget` bytes; the first line is always included.
fn read_lines(file: File, first: u64, line_count: u64, budget: usize) -> io::Result<Vec<String>> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut found, mut bytes) = (Vec::new(), 0);
    let (mut raw, mut keys, mut begins_in_key) = (Vec::new(), KeyLines::default(), false);
    for number in 1.. {
        let Some(rest) = read_bytes(&mut reader, &mut raw)? else { break };
        let text = String::from_utf8_lossy(&raw);
        let is_in_key = keys.is_next_inside(&text);
        if number < first {
            continue;
        }
        let mut line = shown_line(&text, rest);
        // The registry recognizes a key only by its first line.
        begins_in_key = is_in_key && (begins_in_key || number == first);
        if begins_in_key {
            line = format!("{KEY_LINE}\n");
        }
        bytes += line.len();
        if found.len() as u64 >= line_count || (bytes > budget && !found.is_empty()) {
            break;
        }
        found.push(line);
    }
    Ok(found)
}

/// Reads the next line into a buffer, at most [`MAX_LINE`] bytes of it; returns the number of its other bytes.
fn read_bytes(reader: &mut BufReader<File>, bytes: &mut Vec<u8>) -> io::Result<Option<usize>> {
    use std::io::Read as _;
    bytes.clear();
    if reader.by_ref().take(MAX_LINE as u64).read_until(b'\n', bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') { Ok(Some(0)) } else { reader.skip_until(b'\n').map(Some) }
}

/// Returns a line as answers show it, with its line end.
fn shown_line(text: &str, rest: usize) -> String {
    let mut text = text.trim_end_matches(['\n', '\r']).replace('\r', " ");
    if rest > 0 {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "… {rest} more bytes");
    }
    text.push('\n');
    text
}
