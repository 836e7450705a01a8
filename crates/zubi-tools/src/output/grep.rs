//! `output.grep`: matching lines of an output.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_exec::store::OutputStore;
use zubi_tool_api::{ToolCx, ToolError, ToolOutput, Truncation};

use super::output_tool::{OUTPUT_TOOL, output_error, parse_handle};
use crate::adapter::{ToolMeta, TypedTool};
use crate::file::search::engine::{self, SearchLimits, SearchQuery};

pub(crate) struct GrepOutput;

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 1_000;
const MAX_CONTEXT: usize = 20;
/// Maximum size of an answer, in bytes.
const MAX_BYTES: usize = 60_000;
/// Longer than any expression takes on the largest output.
const TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// `o-…`, from an answer
    output: String,
    /// Regular expression (Rust's syntax); case-insensitive unless it has a capital letter
    pattern: String,
    /// Lines shown around each match; default 0
    #[schemars(range(min = 0, max = 20))]
    context: Option<usize>,
    /// Maximum lines shown; default 50
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

#[async_trait]
impl TypedTool for GrepOutput {
    const META: ToolMeta = ToolMeta {
        id: "output.grep",
        title: "Search an output",
        description: "Searches an output that was too long for an answer, by its handle (`o-…`) from that answer, for a regular expression: the number of matching lines, then the lines with their numbers. To see more around one, use output.read.",
        notes: "A search takes time linear in the output, whatever the expression.",
        tags: &["output", "log", "search", "grep", "errors"],
        example: || ("Errors of a build", json!({ "output": "o-0123456789abcdef", "pattern": "^error", "context": 3 })),
        ..OUTPUT_TOOL
    };
    type Context = OutputStore;
    type Input = Input;

    async fn run(store: &OutputStore, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let id = parse_handle(&input.output)?;
        let path = store.path(&id).map_err(|error| output_error(&error))?;
        let query = SearchQuery {
            text: input.pattern,
            is_regex: true,
            case_sensitive: None,
            context: input.context.unwrap_or(0).min(MAX_CONTEXT),
            pattern: None,
        };
        let matcher = query.matcher().map_err(|problem| {
            ToolError::invalid(
                "pattern",
                problem,
                "Correct the expression (Rust's syntax; no look-around, no back-references).",
            )
        })?;
        let limit = input.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let deadline = cx.deadline.min(Instant::now() + TIMEOUT);
        let limits = SearchLimits { limit, cancel: cx.cancel.clone(), deadline };
        let search =
            tokio::task::spawn_blocking(move || engine::search(&[path], &query, &matcher, &BTreeMap::new(), &limits));
        let findings = search.await.map_err(|error| ToolError::Fatal(error.into()))?;
        if findings.binary > 0 {
            let hint = "output.read shows its text parts.";
            return Err(ToolError::operation_failed("search the output", "it is binary", hint));
        }
        if findings.unreadable > 0 {
            let hint = "output.read shows it; run the command again if it was deleted.";
            return Err(ToolError::operation_failed(
                "search the output",
                "it cannot be read, or has an extremely long line",
                hint,
            ));
        }
        let budget = cx.byte_budget(MAX_BYTES);
        let mut text = format!("{} matching lines in {id}\n", findings.lines);
        let (mut shown, mut items) = (0, Vec::new());
        for line in findings.files.values().flatten() {
            let mut part = String::new();
            // Writing to a `String` cannot fail.
            for (number, context) in &line.before {
                let _ = writeln!(part, "  {number}-  {context}");
            }
            let _ = writeln!(part, "  {}:  {}", line.number, line.text);
            for (number, context) in &line.after {
                let _ = writeln!(part, "  {number}-  {context}");
            }
            if shown >= limit || (text.len() + part.len() > budget && shown > 0) {
                break;
            }
            text.push_str(&part);
            items.push(json!({ "line": line.number, "text": line.text }));
            shown += 1;
        }
        let truncated = (shown < findings.lines).then_some(Truncation { shown, total: findings.lines, cursor: None });
        if truncated.is_some() {
            let _ = writeln!(text, "… {} more: narrow `pattern` or raise `limit`", findings.lines - shown);
        }
        if findings.is_incomplete {
            text.push_str("stopped early: more matches possible\n");
        }
        let data = json!({ "items": items, "total": findings.lines });
        Ok(ToolOutput { text, data: Some(data), status: None, truncated })
    }
}
