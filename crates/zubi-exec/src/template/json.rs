//! Positions of placeholders in JSON text.

use serde_json::Value;

use super::placeholder::{PlaceholderPosition, Severity, TemplateProblem, array_problem};
use super::scan::{ScannedTemplate, TemplateToken};

/// Converts a body that is JSON instead of text: a string that consists of one placeholder loses its quotes, so that
/// the value retains its type (`{"count": "$n"}` becomes `{"count": $n}`). For [`super::placeholder::Escaping::Json`].
pub fn text_of(body: &Value) -> String {
    match body {
        Value::String(text) if is_placeholder(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(text_of).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), text_of(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}

/// Whether a text has the form of exactly one placeholder. Parsing the template checks its name.
fn is_placeholder(text: &str) -> bool {
    let Some(name) = text.strip_prefix('$') else { return false };
    match name.strip_prefix('{').map(|rest| rest.split_once('}')) {
        Some(Some((name, rest))) => !name.is_empty() && rest.is_empty(),
        Some(None) => false,
        None => {
            name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_')
        }
    }
}

pub(super) fn resolve_positions(scanned: &mut ScannedTemplate) -> Vec<Option<PlaceholderPosition>> {
    let symbols = &scanned.symbols;
    let mut positions = vec![None; scanned.placeholders.len()];
    // The text with sample values, to find errors that do not depend on the values.
    let mut probe = String::new();
    let mut in_string = false;
    let mut is_escaped = false;
    // The placeholders of the current string.
    let mut string_placeholders = Vec::new();
    for (at, symbol) in symbols.iter().enumerate() {
        match *symbol {
            TemplateToken::Char(character, _) => {
                probe.push(character);
                match character {
                    _ if is_escaped => is_escaped = false,
                    '\\' if in_string => is_escaped = true,
                    '"' => {
                        if in_string && is_key(symbols, at) {
                            for index in string_placeholders.drain(..) {
                                refuse_key(scanned.placeholders.get(index), &mut scanned.problems);
                            }
                        }
                        string_placeholders.clear();
                        in_string = !in_string;
                    }
                    _ => {}
                }
            }
            TemplateToken::Placeholder(index) => {
                let Some(placeholder) = scanned.placeholders.get(index) else { continue };
                let position = if in_string {
                    string_placeholders.push(index);
                    // A letter that makes an unfinished escape before it an error.
                    probe.push('x');
                    if placeholder.source.is_array() {
                        scanned.problems.push(array_problem(&placeholder.source, placeholder.range.clone()));
                    }
                    PlaceholderPosition::JsonString
                } else {
                    probe.push('0');
                    if touches_text(symbols, at) {
                        let message = format!(
                            "{} touches other text; a value must be alone or in a string",
                            placeholder.source.describe()
                        );
                        scanned.problems.push(TemplateProblem::error(placeholder.range.clone(), message));
                    }
                    PlaceholderPosition::JsonValue
                };
                if let Some(slot) = positions.get_mut(index) {
                    *slot = Some(position);
                }
            }
        }
    }
    if !scanned.problems.iter().any(|problem| problem.severity == Severity::Error)
        && let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&probe)
    {
        let end = symbols.last().map_or(0, |symbol| match symbol {
            TemplateToken::Char(character, offset) => offset + character.len_utf8(),
            TemplateToken::Placeholder(index) => {
                scanned.placeholders.get(*index).map_or(0, |placeholder| placeholder.range.end)
            }
        });
        scanned.problems.push(TemplateProblem::error(0..end, format!("the text is not valid JSON: {error}")));
    }
    positions
}

fn is_key(symbols: &[TemplateToken], quote: usize) -> bool {
    let rest = symbols.get(quote + 1..).unwrap_or_default();
    let next = rest.iter().find(|symbol| !matches!(symbol, TemplateToken::Char(' ' | '\t' | '\n' | '\r', _)));
    matches!(next, Some(TemplateToken::Char(':', _)))
}

fn refuse_key(placeholder: Option<&super::scan::Placeholder>, problems: &mut Vec<TemplateProblem>) {
    if let Some(placeholder) = placeholder.filter(|placeholder| placeholder.source.argument().is_some()) {
        let message = format!("{} would be the name of a member; write the name", placeholder.source.describe());
        problems.push(TemplateProblem::error(placeholder.range.clone(), message));
    }
}

/// Whether a placeholder is next to something other than structure.
fn touches_text(symbols: &[TemplateToken], at: usize) -> bool {
    let is_structure = |symbol: Option<&TemplateToken>| match symbol {
        None => true,
        Some(TemplateToken::Char(character, _)) => " \t\r\n:,[]{}".contains(*character),
        Some(TemplateToken::Placeholder(_)) => false,
    };
    !is_structure(at.checked_sub(1).and_then(|before| symbols.get(before))) || !is_structure(symbols.get(at + 1))
}
