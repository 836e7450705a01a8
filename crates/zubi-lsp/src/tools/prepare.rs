//! `zubi/tools/prepare`: what a call would do, in the words of a person, before it is made.

use std::time::Duration;

use serde_json::Value;
use zubi_host::{Explanation, HostDescription};
use zubi_tools::cx::ApprovalRequest;
use zubi_tools::{ToolSpec, question, summary};

use crate::wire::tools::Confirmation;

/// How long working it out may take: the editor shows nothing until then.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// What the user reads while it runs: the tool's title and its telling argument, as Markdown.
pub(super) fn message(spec: &ToolSpec, args: &Value, host: &HostDescription) -> String {
    let title = escape_markdown(&spec.title);
    match summary::key_argument(spec, args, &host.folders) {
        Some(text) => format!("{title}: {}", code(&text)),
        None => title,
    }
}

/// What the user is asked before it runs.
pub(super) fn confirmation(spec: &ToolSpec, explained: &Explanation) -> Confirmation {
    let Explanation { tool, judgement, footprint, .. } = explained;
    let request = ApprovalRequest {
        tool: tool.clone(),
        why: judgement.why.clone(),
        rule: judgement.rule.clone(),
        footprint: footprint.clone(),
        arguments: Value::Null,
        options: Vec::new(),
    };
    let card = question::prompt_text(&request);
    let title = zubi_base::visible::printable(&spec.title);
    Confirmation { title: format!("{title}?"), message: fence_markdown(&card) }
}

/// A text as it is, in Markdown.
fn fence_markdown(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}text\n{}\n{fence}", text.trim_end())
}

/// A text on one line as it is, in Markdown.
fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

/// Words that may be anybody's, which Markdown is not to read.
fn escape_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in zubi_base::visible::printable(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | ';' | ':' | '\'' | '"' | '-' | '/' | '?') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
