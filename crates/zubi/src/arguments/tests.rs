//! Words become typed arguments.

use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;
use zubi_tool_api::spec::{Approval, Effect, Example, Exposure};

use super::*;

fn spec() -> ToolSpec {
    let input = json!({
        "type": "object",
        "properties": {
            "at": {"type": "string", "description": "1-based path:line:col."},
            "line": {"type": "integer", "description": "0-based."},
            "ratio": {"type": "number", "description": "A share."},
            "includeDeclaration": {"type": "boolean", "description": "Default true."},
            "only": {"type": "array", "items": {"type": "string"}, "description": "Kinds."},
            "numbers": {"type": "array", "items": {"type": "integer"}, "description": "Numbers."},
            "context": {"type": "object", "description": "More."},
            "format": {"type": "string", "enum": ["text", "json"], "description": "Shape."},
        },
    });
    ToolSpec {
        id: "test_tool".to_owned(),
        title: "A test".to_owned(),
        description: "Says what it was given. Use it to test.".to_owned(),
        input: input.as_object().unwrap().clone(),
        examples: vec![Example { title: "By place".to_owned(), args: json!({"at": "a.rs:1:2 fn x", "line": 3}) }],
        notes: String::new(),
        effect: Effect::Read,
        toolset: "test".to_owned(),
        exposure: Exposure::Direct,
        approval: Approval::ByEffect,
        timeout: Duration::from_secs(1),
        category: String::new(),
        tags: Vec::new(),
        icon: None,
    }
}

/// Returns the parsed arguments for these words, or the error.
fn check(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    match read(&spec(), &words, "zubi call") {
        Ok(parsed) => parsed.arguments.to_string(),
        Err(Failure::CommandLine { error, .. }) => error.to_string(),
        Err(Failure::Message { message, .. }) => message,
    }
}

#[test]
fn arguments_are_typed_by_the_schema() {
    for (words, expected) in [
        (&["--at", "src/lib.rs:1:2"][..], json!({"at": "src/lib.rs:1:2"})),
        (&["--at", "42"], json!({"at": "42"})),
        (&["--line", "42", "--ratio", "0.5"], json!({"line": 42, "ratio": 0.5})),
        (&["--line=-1"], json!({"line": -1})),
        (&["--includeDeclaration"], json!({"includeDeclaration": true})),
        (&["--include-declaration", "false"], json!({"includeDeclaration": false})),
        (&["--only", "a", "--only", "b"], json!({"only": ["a", "b"]})),
        (&["--only", "[\"a\",\"b\"]"], json!({"only": ["a", "b"]})),
        (&["--numbers", "1", "--numbers", "2"], json!({"numbers": [1, 2]})),
        (&["--context", "{\"only\": [\"x\"]}"], json!({"context": {"only": ["x"]}})),
        (&["--input", "{\"at\": \"x\", \"line\": 1}", "--line", "2"], json!({"at": "x", "line": 2})),
        (&["--json"], json!({"format": "json"})),
    ] {
        assert_eq!(check(words), expected.to_string(), "{words:?}");
    }
}

#[test]
fn format_argument_of_a_tool_is_passed_unchanged() {
    let format = json!({ "type": "string", "description": "mermaid or plantuml" });
    let input = json!({ "type": "object", "properties": { "format": format } });
    let diagram = ToolSpec { input: input.as_object().unwrap().clone(), ..spec() };
    let read = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        read(&diagram, &words, "zubi call").unwrap()
    };
    assert_eq!(read(&["--json"]), ToolArguments { arguments: json!({}), json: true });
    let plantuml = ToolArguments { arguments: json!({ "format": "plantuml" }), json: true };
    assert_eq!(read(&["--json", "--format", "plantuml"]), plantuml);
}

#[test]
fn invalid_arguments_are_rejected() {
    assert_snapshot!(check(&["--line", "three"]), @"
    error: invalid value 'three' for '--line <NUMBER>': expected a whole number

    For more information, try '--help'.
    ");
    assert_snapshot!(check(&["--context", "[1]"]), @"
    error: invalid value '[1]' for '--context <JSON>': expected a JSON object

    For more information, try '--help'.
    ");
    assert_snapshot!(check(&["--lin", "3"]), @"
    error: unexpected argument '--lin' found

      tip: a similar argument exists: '--line'

    Usage: zubi call test_tool --line <NUMBER>

    For more information, try '--help'.
    ");
    assert_snapshot!(check(&["--input", "[1]"]), @"--input is not a JSON object");
    assert_snapshot!(check(&["--input", "{"]), @"--input is not JSON: EOF while parsing an object at line 1 column 1");
}

#[test]
fn help_shows_the_parameters() {
    assert_snapshot!(check(&["--help"]), @"
    A test

    Says what it was given. Use it to test.

    Usage: zubi call test_tool [OPTIONS]

    Options:
          --at <TEXT>
              1-based path:line:col.

          --line <NUMBER>
              0-based.

          --ratio <NUMBER>
              A share.

          --includeDeclaration [<true|false>]
              Default true.

          --only <VALUE>
              Kinds.

          --numbers <VALUE>
              Numbers.

          --context <JSON>
              More.

          --format <TEXT>
              Shape. [possible values: text, json]

          --input <JSON>
              All arguments as a JSON object; - reads it from stdin

          --json
              Print JSON

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      By place
        zubi call test_tool --at 'a.rs:1:2 fn x' --line 3
    ");
}
