//! Positions of placeholders in JSON text.

use serde_json::Value;

use super::placeholder::{PlaceholderPosition, Severity, TemplateProblem, not_several};
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
    match name.strip_prefix('{').map(|inside| inside.split_once('}')) {
        Some(Some((inside, rest))) => !inside.is_empty() && rest.is_empty(),
        Some(None) => false,
        None => {
            name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_')
        }
    }
}

pub(super) fn resolve_positions(scanned: &mut ScannedTemplate) -> Vec<Option<PlaceholderPosition>> {
    let symbols = &scanned.symbols;
    let mut positions = vec![None; scanned.holes.len()];
    // The text with sample values, to find errors that do not depend on the values.
    let mut probe = String::new();
    let mut inside = false;
    let mut escaped = false;
    // The placeholders of the string that is being read.
    let mut in_string = Vec::new();
    for (at, symbol) in symbols.iter().enumerate() {
        match *symbol {
            TemplateToken::Char(character, _) => {
                probe.push(character);
                match character {
                    _ if escaped => escaped = false,
                    '\\' if inside => escaped = true,
                    '"' => {
                        if inside && is_key(symbols, at) {
                            for index in in_string.drain(..) {
                                refuse_key(scanned.holes.get(index), &mut scanned.problems);
                            }
                        }
                        in_string.clear();
                        inside = !inside;
                    }
                    _ => {}
                }
            }
            TemplateToken::Hole(index) => {
                let Some(hole) = scanned.holes.get(index) else { continue };
                let position = if inside {
                    in_string.push(index);
                    // A letter that ends an escape which is not finished in an error.
                    probe.push('x');
                    if hole.source.is_array() {
                        scanned.problems.push(not_several(&hole.source, hole.range.clone()));
                    }
                    PlaceholderPosition::JsonString
                } else {
                    probe.push('0');
                    if touches(symbols, at) {
                        let message = format!(
                            "{} touches other text; a value must be alone or in a string",
                            hole.source.describe()
                        );
                        scanned.problems.push(TemplateProblem::error(hole.range.clone(), message));
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
            TemplateToken::Hole(index) => scanned.holes.get(*index).map_or(0, |hole| hole.range.end),
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

fn refuse_key(hole: Option<&super::scan::Placeholder>, problems: &mut Vec<TemplateProblem>) {
    if let Some(hole) = hole.filter(|hole| hole.source.argument().is_some()) {
        let message = format!("{} would be the name of a member; write the name", hole.source.describe());
        problems.push(TemplateProblem::error(hole.range.clone(), message));
    }
}

/// Whether something other than structure is beside a placeholder.
fn touches(symbols: &[TemplateToken], at: usize) -> bool {
    let structure = |symbol: Option<&TemplateToken>| match symbol {
        None => true,
        Some(TemplateToken::Char(character, _)) => " \t\r\n:,[]{}".contains(*character),
        Some(TemplateToken::Hole(_)) => false,
    };
    !structure(at.checked_sub(1).and_then(|before| symbols.get(before))) || !structure(symbols.get(at + 1))
}
