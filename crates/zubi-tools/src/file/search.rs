//! `file.search`: lines of the workspace's files that match a regular expression or contain a text.

pub(crate) mod engine;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::text::pluralize;
use zubi_tool_api::{Footprint, OutputStatus, ToolCx, ToolError, ToolOutput, Truncation};

use self::engine::{SearchFindings, SearchLimits, SearchQuery};
use super::file_tool::{FILE_TOOL, FileToolContext};
use super::glob::GlobPattern;
use super::paths;
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct SearchFiles;

const DEFAULT_RESULTS: usize = 50;
const MAX_RESULTS: usize = 1_000;
/// Maximum number of lines of context around a match.
const MAX_CONTEXT: usize = 10;
/// Maximum size of an answer, in bytes.
const MAX_BYTES: usize = 50_000;
/// Time limit of a search, after which it returns partial results, because users do not wait longer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Part of the caller's deadline reserved for rendering the answer.
const RESERVE: Duration = Duration::from_millis(500);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Regular expression (Rust's syntax), matched line by line; with regex: false plain text
    query: String,
    /// Glob below path: `*.rs` at any depth, `src/**/*.ts`
    pattern: Option<String>,
    /// Folder or file; default the workspace
    path: Option<String>,
    /// Default true
    regex: Option<bool>,
    /// Default: only when the query has a capital letter
    #[serde(rename = "caseSensitive")]
    case_sensitive: Option<bool>,
    /// Lines shown before and after each match; default 0
    #[schemars(range(min = 0, max = 10))]
    context: Option<usize>,
    /// Maximum matching lines shown; default 50
    #[serde(rename = "maxResults")]
    #[schemars(range(min = 1, max = 1000))]
    max_results: Option<usize>,
}

#[async_trait]
impl TypedTool for SearchFiles {
    const META: ToolMeta = ToolMeta {
        id: "file.search",
        title: "Search in files",
        description: "Searches the workspace's files for a regular expression or a plain text (regex: false) and returns the number of matching lines and files, then the lines by file with their numbers. Ignored, generated and binary files are skipped; unsaved text in the editor takes precedence. For uses of a symbol use lsp_references.",
        notes: "A search takes time linear in the text, whatever the expression. A lower-case query ignores case, unless caseSensitive is set.",
        tags: &["search text", "search files", "find text in files", "grep", "find", "regex", "ripgrep"],
        example: || ("Find Error::new", json!({ "query": "Error::new\\(", "pattern": "*.rs", "context": 1 })),
        ..FILE_TOOL
    };
    type Context = FileToolContext;
    type Input = Input;

    fn footprint(_files: &FileToolContext, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        let input = Self::parse(args.clone())?;
        let reads = roots(&input, cx)?;
        Ok(Footprint { reads, is_search: true, search_pattern: input.pattern, ..Footprint::default() })
    }

    async fn run(_files: &FileToolContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let query = SearchQuery {
            text: input.query.clone(),
            is_regex: input.regex.unwrap_or(true),
            case_sensitive: input.case_sensitive,
            context: input.context.unwrap_or(0).min(MAX_CONTEXT),
            pattern: input.pattern.as_deref().map(GlobPattern::new).transpose()?,
        };
        let matcher = query.matcher().map_err(|problem| {
            let hint = "Pass regex: false to search for plain text, or correct the expression (Rust's syntax; no look-around, no back-references).";
            ToolError::invalid("query", problem, hint)
        })?;
        let limit = input.max_results.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS);
        let now = Instant::now();
        let deadline = cx.deadline.checked_sub(RESERVE).unwrap_or(cx.deadline).min(now + TIMEOUT);
        let limits = SearchLimits { limit, cancel: cx.cancel.clone(), deadline };
        let (roots, unsaved) = (roots(&input, cx)?, cx.text_source.unsaved_texts());
        let findings = tokio::task::spawn_blocking(move || engine::search(&roots, &query, &matcher, &unsaved, &limits));
        let findings = findings.await.map_err(|error| ToolError::Fatal(error.into()))?;
        Ok(answer(&input, limit, &findings, cx))
    }
}

/// Returns the roots of the search: one path if given, otherwise every folder of the workspace.
fn roots(input: &Input, cx: &ToolCx) -> Result<Vec<Utf8PathBuf>, ToolError> {
    match &input.path {
        Some(path) => Ok(vec![paths::resolve_existing(cx, "path", path)?]),
        None => Ok(cx.workspace.roots()),
    }
}

fn answer(input: &Input, limit: usize, findings: &SearchFindings, cx: &ToolCx) -> ToolOutput {
    let budget = cx.byte_budget(MAX_BYTES);
    // The query is untrusted and may be long.
    let query: String = input.query.chars().take(80).collect();
    let mut text = match findings.lines {
        0 => format!("no line matches `{query}`\n"),
        lines => {
            let verb = if lines == 1 { "matches" } else { "match" };
            format!("{} {verb} `{query}` in {}\n", pluralize(lines, "line"), pluralize(findings.files.len(), "file"))
        }
    };
    let mut shown_count = 0;
    let mut items = Vec::new();
    'files: for (path, lines) in &findings.files {
        let name = cx.workspace.display(path);
        for (index, line) in lines.iter().enumerate() {
            let mut part = if index == 0 { format!("{name}\n") } else { String::new() };
            // Writing to a `String` cannot fail.
            for (number, context) in &line.before {
                let _ = writeln!(part, "  {number}-  {context}");
            }
            let _ = writeln!(part, "  {}:{}  {}", line.number, line.column, line.text);
            for (number, context) in &line.after {
                let _ = writeln!(part, "  {number}-  {context}");
            }
            if shown_count >= limit || text.len() + part.len() > budget && shown_count > 0 {
                break 'files;
            }
            text.push_str(&part);
            items.push(json!({ "path": name, "line": line.number, "column": line.column, "text": line.text }));
            shown_count += 1;
        }
    }
    let truncated = (shown_count < findings.lines).then_some(Truncation {
        shown: shown_count,
        total: findings.lines,
        cursor: None,
    });
    if truncated.is_some() {
        let more = findings.lines - shown_count;
        let _ = writeln!(text, "… {more} more: narrow `pattern`, `path` or `query`, or raise `maxResults`");
    }
    let mut notes = Vec::new();
    if findings.binary > 0 {
        notes.push(format!("{} skipped", pluralize(findings.binary, "binary file")));
    }
    if findings.unreadable > 0 {
        notes.push(format!("{} not read", pluralize(findings.unreadable, "file")));
    }
    if findings.credentials > 0 {
        notes.push(format!("{} with credentials skipped", pluralize(findings.credentials, "file")));
    }
    if findings.unsaved > 0 {
        notes.push(format!("{} with unsaved text", pluralize(findings.unsaved, "file")));
    }
    if findings.is_incomplete {
        notes.push("stopped early: more matches possible, narrow `path` or `pattern`".to_owned());
    }
    let status = OutputStatus {
        endpoint: "disk".to_owned(),
        readiness: format!("{} searched", pluralize(findings.searched, "file")),
        complete: Some(!findings.is_incomplete),
        note: (!notes.is_empty()).then(|| notes.join(" · ")),
    };
    let data = json!({ "items": items, "total": findings.lines, "files": findings.files.len(), "searched": findings.searched });
    ToolOutput { text, data: Some(data), status: Some(status), truncated }
}
