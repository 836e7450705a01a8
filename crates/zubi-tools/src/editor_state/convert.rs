//! Converts untrusted diagnostics from servers and editors to wire diagnostics.

use serde_json::Value;
use zubi_base::{lsp, uri};
use zubi_code::markup::{clean_block, clean_line};
use zubi_ipc::wire::diagnostics::{Diagnostic, Location, Position, Range, RelatedInformation, Severity, Tag};

/// Maximum number of related locations of one diagnostic.
const MAX_RELATED: usize = 16;

/// Maximum size of a message in bytes; the rest is cut.
const MAX_MESSAGE: usize = 8 * 1024;

/// Longest source name and code in characters.
const MAX_NAME: usize = 120;

/// Maximum number of diagnostics of one file, and their total size in bytes: an answer must fit into a message.
const MAX_ITEMS: usize = 10_000;
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Converts diagnostics, sorted by position, and returns how many were left out for size.
pub(super) fn convert_all(items: &[lsp::Diagnostic]) -> (Vec<Diagnostic>, usize) {
    let mut budget = MAX_BYTES;
    let mut all = Vec::new();
    for item in items.iter().take(MAX_ITEMS) {
        let diagnostic = convert(item);
        let related: usize = diagnostic.related_information.iter().map(|other| other.message.len() + 300).sum();
        let Some(remaining) = budget.checked_sub(diagnostic.message.len() + related + 200) else { break };
        budget = remaining;
        all.push(diagnostic);
    }
    let omitted = items.len() - all.len();
    all.sort_by_key(|problem| (problem.range, problem.severity));
    (all, omitted)
}

fn convert(item: &lsp::Diagnostic) -> Diagnostic {
    // Read as JSON: the protocol allows strings and numbers, and text or markup, in these fields.
    let value = serde_json::to_value(item).unwrap_or_default();
    let severity = match value.get("severity").and_then(Value::as_u64) {
        Some(2) => Severity::Warning,
        Some(3) => Severity::Info,
        Some(4) => Severity::Hint,
        _ => Severity::Error,
    };
    let related = value.get("relatedInformation").and_then(Value::as_array);
    let tags = value.get("tags").and_then(Value::as_array);
    Diagnostic {
        range: range(&item.range),
        message: message(value.get("message")),
        severity,
        source: name(value.get("source")),
        code: name(value.get("code")),
        related_information: related.into_iter().flatten().take(MAX_RELATED).filter_map(related_information).collect(),
        tags: tags.into_iter().flatten().filter_map(tag).collect(),
    }
}

fn range(range: &lsp::Range) -> Range {
    let position = |at: lsp::Position| Position { line: at.line, character: at.character };
    let (start, end) = (position(range.start), position(range.end));
    Range { start: start.min(end), end: end.max(start) }
}

/// Returns the text of a string, a number, or markup content.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(markup) => markup.get("value").and_then(text),
        _ => None,
    }
}

fn message(value: Option<&Value>) -> String {
    let mut message = clean_block(&value.and_then(text).unwrap_or_default());
    if message.len() > MAX_MESSAGE {
        message.truncate(message.floor_char_boundary(MAX_MESSAGE));
        message.push('…');
    }
    message
}

fn name(value: Option<&Value>) -> Option<String> {
    let name: String = clean_line(&text(value?)?).chars().take(MAX_NAME).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn related_information(value: &Value) -> Option<RelatedInformation> {
    let location: lsp::Location = serde_json::from_value(value.get("location")?.clone()).ok()?;
    let path = uri::to_path(&location.uri).map(camino::Utf8PathBuf::into_string);
    let location = Location { uri: clean_line(&location.uri.0), path, range: range(&location.range) };
    Some(RelatedInformation { location, message: message(value.get("message")) })
}

fn tag(value: &Value) -> Option<Tag> {
    match value.as_u64()? {
        1 => Some(Tag::Unnecessary),
        2 => Some(Tag::Deprecated),
        _ => None,
    }
}
