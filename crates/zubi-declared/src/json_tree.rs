//! JSON with comments as a tree whose nodes know their byte ranges in the file.
//!
//! The input is untrusted: size and depth are bounded, duplicate object keys are reported, and offsets in a string can
//! be mapped to offsets in the file.

use std::ops::Range;

use jsonc_parser::ast::{ObjectPropName, Value as Ast};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, parse_to_ast};
use rustc_hash::FxHashSet;
use serde_json::{Map, Number, Value};

use super::problem::ToolFileProblem;
use zubi_tools::jsonc::VS_CODE_DIALECT;

/// A value and its byte range in the file.
#[derive(Debug, Clone)]
pub(super) struct JsonNode {
    pub(super) range: Range<usize>,
    pub(super) kind: JsonKind,
}

#[derive(Debug, Clone)]
pub(super) enum JsonKind {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<JsonNode>),
    Object(Vec<JsonMember>),
}

/// One entry of an object.
#[derive(Debug, Clone)]
pub(super) struct JsonMember {
    pub(super) name: String,
    pub(super) name_range: Range<usize>,
    pub(super) value: JsonNode,
}

/// Parses a text. Reports at most one syntax error, because text after it is unreliable. Reports duplicate keys and
/// ignores the later value.
pub(super) fn parse(text: &str, problems: &mut Vec<ToolFileProblem>) -> Option<JsonNode> {
    match parse_to_ast(text, &CollectOptions::default(), &VS_CODE_DIALECT) {
        Ok(parsed) => match parsed.value {
            Some(value) => Some(convert(&value, problems)),
            None => {
                let hint = "Write an object: {\"version\": \"1.0\", \"tools\": []}. `zubi tools init` writes a sample.";
                problems.push(ToolFileProblem::error("syntax", 0..0, "the file has no content", hint));
                None
            }
        },
        Err(error) => {
            let range = error.range();
            let message = error.kind().to_string();
            let message = message.trim_end_matches('.');
            let hint = "The text after this position is ignored; comments and trailing commas are allowed.";
            problems.push(ToolFileProblem::error(
                "syntax",
                range.start..range.end,
                format!("invalid JSON: {message}"),
                hint,
            ));
            None
        }
    }
}

/// The parser bounds the depth (512), so this recursion is bounded too.
fn convert(value: &Ast<'_>, problems: &mut Vec<ToolFileProblem>) -> JsonNode {
    let range = value.range();
    let kind = match value {
        Ast::NullKeyword(_) => JsonKind::Null,
        Ast::BooleanLit(literal) => JsonKind::Bool(literal.value),
        Ast::StringLit(literal) => JsonKind::String(literal.value.clone().into_owned()),
        Ast::NumberLit(literal) => match literal.value.parse::<Number>() {
            Ok(number) => JsonKind::Number(number),
            Err(_) => {
                let message =
                    format!("`{}` is not a valid JSON number", literal.value.chars().take(40).collect::<String>());
                problems.push(ToolFileProblem::error(
                    "syntax",
                    range.start..range.end,
                    message,
                    "Write it in decimal digits.",
                ));
                JsonKind::Null
            }
        },
        Ast::Array(array) => JsonKind::Array(array.elements.iter().map(|element| convert(element, problems)).collect()),
        Ast::Object(object) => {
            let mut members: Vec<JsonMember> = Vec::with_capacity(object.properties.len());
            let mut names = FxHashSet::default();
            for property in &object.properties {
                let name = match &property.name {
                    ObjectPropName::String(literal) => literal.value.clone().into_owned(),
                    ObjectPropName::Word(literal) => literal.value.to_owned(),
                };
                let name_range = property.name.range();
                let name_range = name_range.start..name_range.end;
                let value = convert(&property.value, problems);
                if !names.insert(name.clone()) {
                    let message = format!("duplicate key `{name}` in this object");
                    problems.push(ToolFileProblem::error(
                        "duplicate-key",
                        name_range,
                        message,
                        "Remove one; the second has no effect.",
                    ));
                } else {
                    members.push(JsonMember { name, name_range, value });
                }
            }
            JsonKind::Object(members)
        }
    };
    JsonNode { range: range.start..range.end, kind }
}

impl JsonNode {
    pub(super) fn member(&self, name: &str) -> Option<&JsonMember> {
        match &self.kind {
            JsonKind::Object(members) => members.iter().find(|member| member.name == name),
            _ => None,
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.member(name).map(|member| &member.value)
    }

    /// Returns the value at a path of names.
    pub(super) fn get_path(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |node, name| node.get(name))
    }

    pub(super) fn items(&self) -> &[Self] {
        match &self.kind {
            JsonKind::Array(items) => items,
            _ => &[],
        }
    }

    pub(super) fn members(&self) -> &[JsonMember] {
        match &self.kind {
            JsonKind::Object(members) => members,
            _ => &[],
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.kind {
            JsonKind::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the JSON Schema type name of the node.
    pub(super) fn type_name(&self) -> &'static str {
        match &self.kind {
            JsonKind::Null => "null",
            JsonKind::Bool(_) => "boolean",
            JsonKind::Number(number) if number.is_i64() || number.is_u64() => "integer",
            JsonKind::Number(_) => "number",
            JsonKind::String(_) => "string",
            JsonKind::Array(_) => "array",
            JsonKind::Object(_) => "object",
        }
    }

    /// Converts the tree to a JSON value without ranges.
    pub(super) fn to_value(&self) -> Value {
        match &self.kind {
            JsonKind::Null => Value::Null,
            JsonKind::Bool(value) => Value::Bool(*value),
            JsonKind::Number(number) => Value::Number(number.clone()),
            JsonKind::String(text) => Value::String(text.clone()),
            JsonKind::Array(items) => items.iter().map(Self::to_value).collect(),
            JsonKind::Object(members) => Value::Object(
                members.iter().map(|member| (member.name.clone(), member.value.to_value())).collect::<Map<_, _>>(),
            ),
        }
    }

    /// Maps a byte range of a string's content to a range of the file. Escapes make the two differ.
    pub(super) fn range_in_file(&self, file: &str, content: Range<usize>) -> Range<usize> {
        let literal = file.get(self.range.clone()).unwrap_or_default();
        let at = |offset: usize| self.range.start + raw_offset(literal, offset);
        let start = at(content.start);
        start..at(content.end).max(start)
    }
}

/// Maps a byte offset in a string's content to an offset in its literal (quotes included).
fn raw_offset(literal: &str, content_offset: usize) -> usize {
    let mut decoded = 0;
    let mut chars = literal.char_indices().skip(1).peekable();
    let unit = |rest: &mut dyn Iterator<Item = (usize, char)>| {
        rest.take(4).fold(0_u32, |unit, (_, c)| unit * 16 + c.to_digit(16).unwrap_or_default())
    };
    while let Some((at, c)) = chars.next() {
        if decoded >= content_offset || (c == '"' && chars.peek().is_none()) {
            return at;
        }
        decoded += match c {
            '\\' => match chars.next() {
                Some((_, 'u')) => match unit(&mut chars) {
                    // First half of a surrogate pair; the second half is an escape too.
                    0xd800..=0xdbff => {
                        chars.by_ref().take(6).for_each(drop);
                        4
                    }
                    unit => char::from_u32(unit).map_or(3, char::len_utf8),
                },
                // Every other escape represents one ASCII character.
                _ => 1,
            },
            c => c.len_utf8(),
        };
    }
    literal.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_in_strings_account_for_escapes() {
        for (literal, content, expected) in [
            (r#""abc""#, 1..2, "b"),
            (r#""a\nb""#, 2..3, "b"),
            (r#""a\nb""#, 1..2, r"\n"),
            (r#""é$x""#, 2..4, "$x"),
            (r#""\u00e9$x""#, 2..4, "$x"),
            (r#""\ud83d\ude00$x""#, 4..6, "$x"),
            (r#""a\\\"$x""#, 3..5, "$x"),
            (r#""abc""#, 3..3, ""),
            (r#""abc""#, 99..100, ""),
        ] {
            let file = format!("  {literal}  ");
            let node = parse(&file, &mut Vec::new()).unwrap();
            assert_eq!(file.get(node.range_in_file(&file, content.clone())), Some(expected), "{literal} {content:?}");
        }
    }

    #[test]
    fn duplicate_keys_are_reported_at_their_range() {
        let mut problems = Vec::new();
        let text = "{ // comment\n\"a\": 1, \"b\": {\"c\": 2, \"c\": 3,}, }";
        let node = parse(text, &mut problems).unwrap();
        assert_eq!(node.to_value(), serde_json::json!({"a": 1, "b": {"c": 2}}));
        assert_eq!(problems.len(), 1);
        assert_eq!(text.get(problems[0].range.clone()), Some("\"c\""));
    }

    #[test]
    fn deep_or_broken_texts_are_reported_as_problems() {
        for text in ["", "{", "[1,]2", "\"\\ud800\"", "{\"a\": 1e999999}", "nul", &"[".repeat(200_000), "{'a': 1}"] {
            let mut problems = Vec::new();
            parse(text, &mut problems);
            assert!(!problems.is_empty(), "{}", text.chars().take(20).collect::<String>());
        }
    }
}
