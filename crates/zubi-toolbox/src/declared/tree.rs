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

use super::problem::Problem;
use crate::jsonc::AS_VS_CODE;

/// A value and its byte range in the file.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
}

/// One entry of an object.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) name_range: Range<usize>,
    pub(super) value: Node,
}

/// Parses a text. Reports at most one syntax error, because text after it is unreliable. Reports duplicate keys and
/// ignores the later value.
pub(super) fn parse(text: &str, problems: &mut Vec<Problem>) -> Option<Node> {
    match parse_to_ast(text, &CollectOptions::default(), &AS_VS_CODE) {
        Ok(parsed) => match parsed.value {
            Some(value) => Some(node(&value, problems)),
            None => {
                let hint = "Write an object: {\"version\": \"1.0\", \"tools\": []}. `zubi tools init` writes a sample.";
                problems.push(Problem::error("syntax", 0..0, "the file has no content", hint));
                None
            }
        },
        Err(error) => {
            let range = error.range();
            let what = error.kind().to_string();
            let what = what.trim_end_matches('.');
            let hint = "The text after this position is ignored; comments and trailing commas are allowed.";
            problems.push(Problem::error("syntax", range.start..range.end, format!("invalid JSON: {what}"), hint));
            None
        }
    }
}

/// The parser bounds the depth (512), so this recursion is bounded too.
fn node(value: &Ast<'_>, problems: &mut Vec<Problem>) -> Node {
    let range = value.range();
    let kind = match value {
        Ast::NullKeyword(_) => Kind::Null,
        Ast::BooleanLit(literal) => Kind::Bool(literal.value),
        Ast::StringLit(literal) => Kind::String(literal.value.clone().into_owned()),
        Ast::NumberLit(literal) => match literal.value.parse::<Number>() {
            Ok(number) => Kind::Number(number),
            Err(_) => {
                let what =
                    format!("`{}` is not a valid JSON number", literal.value.chars().take(40).collect::<String>());
                problems.push(Problem::error("syntax", range.start..range.end, what, "Write it in decimal digits."));
                Kind::Null
            }
        },
        Ast::Array(array) => Kind::Array(array.elements.iter().map(|element| node(element, problems)).collect()),
        Ast::Object(object) => {
            let mut members: Vec<Member> = Vec::with_capacity(object.properties.len());
            let mut names = FxHashSet::default();
            for property in &object.properties {
                let name = match &property.name {
                    ObjectPropName::String(literal) => literal.value.clone().into_owned(),
                    ObjectPropName::Word(literal) => literal.value.to_owned(),
                };
                let name_range = property.name.range();
                let name_range = name_range.start..name_range.end;
                let value = node(&property.value, problems);
                if !names.insert(name.clone()) {
                    let what = format!("duplicate key `{name}` in this object");
                    problems.push(Problem::error(
                        "duplicate-key",
                        name_range,
                        what,
                        "Remove one; the second has no effect.",
                    ));
                } else {
                    members.push(Member { name, name_range, value });
                }
            }
            Kind::Object(members)
        }
    };
    Node { range: range.start..range.end, kind }
}

impl Node {
    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        match &self.kind {
            Kind::Object(members) => members.iter().find(|member| member.name == name),
            _ => None,
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.member(name).map(|member| &member.value)
    }

    /// Returns the value at a path of names.
    pub(super) fn find(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |node, name| node.get(name))
    }

    pub(super) fn items(&self) -> &[Self] {
        match &self.kind {
            Kind::Array(items) => items,
            _ => &[],
        }
    }

    pub(super) fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the JSON Schema type name of the node.
    pub(super) fn type_name(&self) -> &'static str {
        match &self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "boolean",
            Kind::Number(number) if number.is_i64() || number.is_u64() => "integer",
            Kind::Number(_) => "number",
            Kind::String(_) => "string",
            Kind::Array(_) => "array",
            Kind::Object(_) => "object",
        }
    }

    /// Converts the tree to a JSON value without ranges.
    pub(super) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::String(text) => Value::String(text.clone()),
            Kind::Array(items) => items.iter().map(Self::to_value).collect(),
            Kind::Object(members) => Value::Object(
                members.iter().map(|member| (member.name.clone(), member.value.to_value())).collect::<Map<_, _>>(),
            ),
        }
    }

    /// Maps a byte range of a string's content to a range of the file. Escapes make the two differ.
    pub(super) fn place_in(&self, file: &str, content: Range<usize>) -> Range<usize> {
        let literal = file.get(self.range.clone()).unwrap_or_default();
        let at = |offset: usize| self.range.start + raw_offset(literal, offset);
        let start = at(content.start);
        start..at(content.end).max(start)
    }
}

/// Maps a byte offset in a string's content to an offset in its literal (quotes included).
fn raw_offset(literal: &str, wanted: usize) -> usize {
    let mut meant = 0;
    let mut rest = literal.char_indices().skip(1).peekable();
    let unit = |rest: &mut dyn Iterator<Item = (usize, char)>| {
        rest.take(4).fold(0_u32, |unit, (_, c)| unit * 16 + c.to_digit(16).unwrap_or_default())
    };
    while let Some((at, c)) = rest.next() {
        if meant >= wanted || (c == '"' && rest.peek().is_none()) {
            return at;
        }
        meant += match c {
            '\\' => match rest.next() {
                Some((_, 'u')) => match unit(&mut rest) {
                    // First half of a surrogate pair; the second half is an escape too.
                    0xd800..=0xdbff => {
                        rest.by_ref().take(6).for_each(drop);
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
    fn places_in_strings_see_through_escapes() {
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
            assert_eq!(file.get(node.place_in(&file, content.clone())), Some(expected), "{literal} {content:?}");
        }
    }

    #[test]
    fn a_name_that_stands_twice_is_told_where() {
        let mut problems = Vec::new();
        let text = "{ // comment\n\"a\": 1, \"b\": {\"c\": 2, \"c\": 3,}, }";
        let node = parse(text, &mut problems).unwrap();
        assert_eq!(node.to_value(), serde_json::json!({"a": 1, "b": {"c": 2}}));
        assert_eq!(problems.len(), 1);
        assert_eq!(text.get(problems[0].range.clone()), Some("\"c\""));
    }

    #[test]
    fn nothing_deep_or_broken_is_more_than_a_problem() {
        for text in ["", "{", "[1,]2", "\"\\ud800\"", "{\"a\": 1e999999}", "nul", &"[".repeat(200_000), "{'a': 1}"] {
            let mut problems = Vec::new();
            parse(text, &mut problems);
            assert!(!problems.is_empty(), "{}", text.chars().take(20).collect::<String>());
        }
    }
}
