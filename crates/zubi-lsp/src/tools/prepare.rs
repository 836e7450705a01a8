//! `zubi/tools/prepare`: what a call would do, in the words of a person, before it is made.

use std::time::Duration;

use serde_json::{Map, Value};
use zubi_base::lsp::Uri;
use zubi_base::uri;
use zubi_host::{Explanation, HostDescription};
use zubi_tools::cx::ApprovalRequest;
use zubi_tools::{ToolSpec, question};

use crate::wire::tools::Confirmation;

/// How long working it out may take: the editor shows nothing until then.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How many characters of an argument are shown.
const SHOWN: usize = 80;

/// The arguments that tell most of a call: the first of these that it has, both where two belong together.
const TELLING: [&[&str]; 17] = [
    &["oldUri", "newUri"],
    &["originalName", "newName"],
    &["symbol", "newName"],
    &["at", "newName"],
    &["key", "value"],
    &["path"],
    &["uri"],
    &["file"],
    &["fqn"],
    &["query"],
    &["pattern"],
    &["command"],
    &["plan"],
    &["action"],
    &["tool"],
    &["type"],
    &["value"],
];

/// What the user reads while it runs: the tool's title and its telling argument, as Markdown.
pub(super) fn message(spec: &ToolSpec, args: &Value, host: &HostDescription) -> String {
    let title = escaped(&spec.title);
    match telling(spec, args, host) {
        Some(text) => format!("{title}: {}", code(&text)),
        None => title,
    }
}

fn telling(spec: &ToolSpec, args: &Value, host: &HostDescription) -> Option<String> {
    let args = args.as_object()?;
    let of = |names: &[&str]| {
        let shown: Vec<String> =
            names.iter().filter_map(|name| args.get(*name)).filter_map(|value| shown(value, host)).collect();
        (!shown.is_empty()).then(|| shown.join(" → "))
    };
    let first = || {
        let properties = spec.input.get("properties").and_then(Value::as_object).map(Map::keys);
        properties.into_iter().flatten().find_map(|name| args.get(name).filter(|it| it.is_string()))
    };
    TELLING.iter().find_map(|names| of(names)).or_else(|| shown(first()?, host))
}

/// A value on one line; of a file in a folder that is open, the path from there.
fn shown(value: &Value, host: &HostDescription) -> Option<String> {
    let text = match value {
        Value::Null | Value::Object(_) | Value::Array(_) => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let path = text.starts_with("file:").then(|| uri::to_path(&Uri(text.clone()))).flatten();
    let text = path.map_or(text, |path| {
        let inside = host.folders.iter().find_map(|folder| path.strip_prefix(&folder.path).ok());
        inside.unwrap_or(&path).to_string()
    });
    let text = zubi_base::visible::on_one_line(text.trim()).into_owned();
    if text.is_empty() {
        return None;
    }
    let cut: String = text.chars().take(SHOWN).collect();
    Some(if cut.len() < text.len() { format!("{cut}…") } else { cut })
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
    let card = question::card(&request);
    let title = zubi_base::visible::on_one_line(&spec.title);
    Confirmation { title: format!("{title}?"), message: fenced(&card) }
}

/// A text as it is, in Markdown.
fn fenced(text: &str) -> String {
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
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in zubi_base::visible::on_one_line(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | ';' | ':' | '\'' | '"' | '-' | '/' | '?') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
