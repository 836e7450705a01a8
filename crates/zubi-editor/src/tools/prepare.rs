//! `zubi/tools/prepare`: describes a call to the user before it is made.

use std::time::Duration;

use serde_json::Value;
use zubi_host::{Explanation, HostDescription};
use zubi_tool_api::cx::ApprovalRequest;
use zubi_tool_api::{ToolSpec, approval_prompt, summary};

use crate::wire::tools::Confirmation;

/// Time-out for explaining a call: the editor shows nothing until then.
pub(super) const EXPLAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Message shown while the tool runs: its title and its most informative argument, as Markdown.
pub(super) fn message(spec: &ToolSpec, args: &Value, host: &HostDescription) -> String {
    let title = escape_markdown(&spec.title);
    match summary::key_argument(spec, args, &host.folders) {
        Some(text) => format!("{title}: {}", code(&text)),
        None => title,
    }
}

/// Confirmation shown before the tool runs.
pub(super) fn confirmation(spec: &ToolSpec, explained: &Explanation) -> Confirmation {
    let Explanation { tool, decision, footprint, .. } = explained;
    let request = ApprovalRequest {
        tool: tool.clone(),
        reason: decision.reason.clone(),
        rule: decision.rule.clone(),
        footprint: footprint.clone(),
        arguments: Value::Null,
        options: Vec::new(),
    };
    let text = approval_prompt::prompt_text(&request);
    let title = zubi_base::escape::printable(&spec.title);
    Confirmation { title: format!("{title}?"), message: fence_markdown(&text) }
}

/// Fences a text as a Markdown code block.
fn fence_markdown(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}text\n{}\n{fence}", text.trim_end())
}

/// Quotes a text as a Markdown code span.
fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

/// Escapes Markdown in untrusted text.
fn escape_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in zubi_base::escape::printable(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | ';' | ':' | '\'' | '"' | '-' | '/' | '?') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
