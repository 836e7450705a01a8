//! Derivation, the wording of errors, and the rules for a whole specification.

use std::time::Duration;

use insta::assert_snapshot;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::spec::{Approval, Effect, Example, Exposure, ToolSpec};

/// Which way to look.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Direction {
    /// Functions that call it.
    Incoming,
    /// Functions that it calls.
    Outgoing,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SingleField {
    /// Kinds of action.
    only: Option<Vec<String>>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    /// The text to find.
    query: String,
    /// 0-based line.
    line: Option<u32>,
    /// Shown lines.
    #[schemars(range(min = 1, max = 9))]
    max_tokens: Option<usize>,
    /// The direction of the calls.
    direction: Option<Direction>,
    /// Narrows the actions.
    context: Option<SingleField>,
    /// The title.
    title: Option<bool>,
}

fn spec() -> ToolSpec {
    ToolSpec {
        id: "test.search".to_owned(),
        title: "Search".to_owned(),
        description: "Lists what matches. Use it to test.".to_owned(),
        input: schema_of::<Arguments>(),
        examples: vec![Example { title: "plain".to_owned(), args: json!({"query": "x", "line": 3}) }],
        notes: String::new(),
        effect: Effect::Read,
        toolset: "test".to_owned(),
        exposure: Exposure::Direct,
        approval: Approval::ByEffect,
        timeout: Duration::from_secs(1),
        category: "test".to_owned(),
        tags: Vec::new(),
        icon: None,
    }
}

#[test]
fn derived_schemas_are_portable() {
    assert_snapshot!(serde_json::to_string_pretty(&schema_of::<Arguments>()).unwrap(), @r#"
    {
      "type": "object",
      "properties": {
        "query": {
          "type": "string",
          "description": "The text to find."
        },
        "line": {
          "type": "integer",
          "description": "0-based line.",
          "minimum": 0
        },
        "maxTokens": {
          "type": "integer",
          "maximum": 9,
          "minimum": 1,
          "description": "Shown lines."
        },
        "direction": {
          "description": "The direction of the calls. incoming: Functions that call it; outgoing: Functions that it calls.",
          "type": "string",
          "enum": [
            "incoming",
            "outgoing"
          ]
        },
        "context": {
          "type": "object",
          "properties": {
            "only": {
              "type": "array",
              "items": {
                "type": "string"
              },
              "description": "Kinds of action."
            }
          },
          "description": "Narrows the actions."
        },
        "title": {
          "type": "boolean",
          "description": "The title."
        }
      },
      "required": [
        "query"
      ]
    }
    "#);
    assert_eq!(problems(&spec()), Vec::<String>::new());
}

/// Returns the error for these arguments, as every surface shows it.
fn check(args: Value) -> String {
    let spec = spec();
    match ArgumentChecker::new(&spec).unwrap().check(&spec, args) {
        Ok(args) => format!("ok {args}"),
        Err(error) => error.render(&spec.id),
    }
}

#[test]
fn invalid_arguments_report_what_is_expected() {
    assert_snapshot!(check(json!({"query": "x", "line": null})), @r#"ok {"query":"x"}"#);
    assert_snapshot!(check(json!({"querry": "x"})), @r#"
    Invalid input: querry: no such parameter; did you mean `query`?
    test.search takes query* (string), line (integer), maxTokens (integer), direction ("incoming"|"outgoing"), context (object), title (boolean) (* required).
    "#);
    assert_snapshot!(check(json!({"query": "x", "zzz": 1})), @r#"
    Invalid input: zzz: no such parameter
    test.search takes query* (string), line (integer), maxTokens (integer), direction ("incoming"|"outgoing"), context (object), title (boolean) (* required).
    "#);
    assert_snapshot!(check(json!({})), @r#"
    Invalid input: query: is required
    `query` (string): The text to find. Example: {"query":"x","line":3}
    "#);
    assert_snapshot!(check(Value::Null), @r#"
    Invalid input: query: is required
    `query` (string): The text to find. Example: {"query":"x","line":3}
    "#);
    assert_snapshot!(check(json!({"query": "x", "line": "three"})), @r#"
    Invalid input: line: expected integer, got "three"
    `line` (integer): 0-based line. Example: {"query":"x","line":3}
    "#);
    assert_snapshot!(check(json!({"query": "x", "maxTokens": -1})), @"
    Invalid input: maxTokens: must be at least 1, got -1
    `maxTokens` (integer): Shown lines.
    ");
    assert_snapshot!(check(json!({"query": "x", "maxTokens": 10})), @"
    Invalid input: maxTokens: must be at most 9, got 10
    `maxTokens` (integer): Shown lines.
    ");
    assert_snapshot!(check(json!({"query": "x", "direction": "up"})), @r#"
    Invalid input: direction: expected one of "incoming", "outgoing", got "up"
    `direction` ("incoming"|"outgoing"): The direction of the calls. incoming: Functions that call it; outgoing: Functions that it calls.
    "#);
    assert_snapshot!(check(json!({"query": "x", "context": {"only": ["a", 5]}})), @"
    Invalid input: context.only[1]: expected string, got 5
    `context` (object): Narrows the actions.
    ");
    assert_snapshot!(check(json!({"query": "x".repeat(5), "line": "x".repeat(500)})), @r#"
    Invalid input: line: expected integer, got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    `line` (integer): 0-based line. Example: {"query":"x","line":3}
    "#);
    assert_snapshot!(check(json!([1])), @r#"
    Invalid input: arguments: expected an object, got [1]
    test.search takes query* (string), line (integer), maxTokens (integer), direction ("incoming"|"outgoing"), context (object), title (boolean) (* required).
    "#);
}

#[test]
fn parsing_names_the_field() {
    let parsed =
        parse::<Arguments>(json!({"query": "x", "line": 3, "direction": "incoming", "context": {"only": ["a"]}}));
    let expected = Arguments {
        query: "x".to_owned(),
        line: Some(3),
        max_tokens: None,
        direction: Some(Direction::Incoming),
        context: Some(SingleField { only: Some(vec!["a".to_owned()]) }),
        title: None,
    };
    assert_eq!(parsed.unwrap(), expected);
    let error = parse::<Arguments>(json!({"query": "x", "context": {"only": [1]}})).unwrap_err();
    assert_snapshot!(error.render("t"), @"
    Invalid input: context.only[0]: invalid type: integer `1`, expected a string
    Correct the argument and call again.
    ");
}

#[test]
fn every_problem_of_a_specification_is_reported() {
    let mut invalid_spec = spec();
    invalid_spec.id = "9test..Search".to_owned();
    invalid_spec.title = String::new();
    invalid_spec.description = "x".repeat(1025);
    invalid_spec.approval = Approval::Always;
    invalid_spec.examples[0].args = json!({"query": 1});
    invalid_spec.input = json!({
        "type": "object",
        "oneOf": [],
        "required": ["absent"],
        "properties": {"a": {"$ref": "#/x"}, "b": {"type": "object", "description": "b", "properties": {"c": {"type": "integer", "format": "uint32"}}}},
    })
    .as_object()
    .unwrap()
    .clone();
    assert_snapshot!(problems(&invalid_spec).join("\n"), @"
    wire name `9test__Search` is not [A-Za-z][A-Za-z0-9_-]* of at most 40 characters
    id `9test..Search` has an empty segment
    no title
    the description has 1025 bytes, more than 1024
    no sentence of the description ends within its first 300 characters
    requires approval although it only reads
    the input has `oneOf` at its root
    `absent` is required but not described
    `a` has no description
    `a` has no type
    `$ref` at `a`
    `b.c` has no description
    a number format at `b.c`
    the input is not a valid JSON Schema: [] has less than 1 item
    ");
}

#[test]
fn data_is_validated_against_foreign_schemas() {
    let validate = |schema: Value, data: Value| match CompiledSchema::new(&schema) {
        Err(reason) => format!("no schema: {reason}"),
        Ok(compiled) => compiled.check(&data).err().unwrap_or_else(|| "fits".to_owned()),
    };
    let list = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "array",
        "items": {"$ref": "#/definitions/item"},
        "definitions": {"item": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
    });
    let cases = [
        validate(list.clone(), json!([{"n": 1}])),
        validate(list, json!([{"n": "1"}, {}])),
        validate(json!({"$ref": "file:///etc/passwd"}), json!(1)),
        validate(json!({"allOf": [{"$dynamicRef": "https://example.org/x"}]}), json!(1)),
        validate(json!({"type": "text"}), json!(1)),
        validate(json!({"description": "x".repeat(70_000)}), json!(1)),
        // A property named `$ref` is not a reference.
        validate(json!({"properties": {"$ref": {"type": "string"}}}), json!({"$ref": "https://example.org"})),
    ];
    assert_snapshot!(cases.join("\n"), @r#"
    fits
    0.n: "1" is not of type "integer"; 1: "n" is a required property
    no schema: `file:///etc/passwd` refers to another document: move its target into `$defs`
    no schema: `https://example.org/x` refers to another document: move its target into `$defs`
    no schema: "text" is not valid under any of the schemas listed in the 'anyOf' keyword
    no schema: it has more than 64 KiB
    fits
    "#);
}
