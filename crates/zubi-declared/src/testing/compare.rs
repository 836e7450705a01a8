//! Comparison of a call's actual result with the expected one.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};

use regex::RegexBuilder;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};
use zubi_base::escape::on_lines;
use zubi_base::text::ellipsize;
use zubi_exec::http::mock_server::RecordedRequest;
use zubi_policy::rule::Action;
use zubi_tool_api::ToolOutput;

use crate::format::{ExpectedRequest, OutputDeclaration, ToolExecution, ToolTest};
use crate::loaded::LoadedTool;

/// Maximum number of lines of a difference that are shown.
const MAX_LINES: usize = 60;
/// Maximum number of characters of a text that are shown.
const MAX_DISPLAYED_CHARS: usize = 2_000;
/// Maximum size of a compiled pattern in bytes.
const MAX_PATTERN: usize = 1 << 20;

pub(super) struct Actual {
    pub(super) output: Option<ToolOutput>,
    /// Code and text of the failure.
    pub(super) error: Option<(String, String)>,
    pub(super) exit: Option<i32>,
    /// Decision of the rules, if the test checks it; the error is the reason why it cannot be determined.
    pub(super) decision: Option<Result<Action, String>>,
    pub(super) requests: Vec<RecordedRequest>,
    /// Tools whose expected calls are missing.
    pub(super) missing_calls: Vec<String>,
}

/// One difference from the expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Field of `expect`; `test` if the test itself cannot run.
    pub field: String,
    /// Description, one clause.
    pub description: String,
    /// Expected and actual lines, marked `-` and `+`; empty if the description is sufficient.
    pub difference: String,
}

impl Mismatch {
    pub(super) fn new(field: &str, message: impl Into<String>) -> Self {
        Self { field: field.to_owned(), description: message.into(), difference: String::new() }
    }

    /// Creates the mismatch of a test that cannot run.
    pub(super) fn test_failure(message: impl Display) -> Self {
        Self::new("test", message.to_string())
    }

    /// Renders the mismatch, indented below its test.
    pub fn render(&self) -> String {
        let mut text = format!("  {}: {}", on_lines(&self.field), on_lines(&self.description));
        for line in self.difference.lines() {
            // Differences may be invisible characters, so they are escaped. Writing to a `String` cannot fail.
            let _ = write!(text, "\n    {}", on_lines(line));
        }
        text
    }

    pub fn to_json(&self) -> Value {
        json!({ "field": self.field, "what": self.description, "difference": self.difference })
    }
}

/// Returns all differences from the expectation.
pub(super) fn compare(tool: &LoadedTool, test: &ToolTest, actual: &Actual) -> Vec<Mismatch> {
    let expect = &test.expect;
    let mut mismatches = Vec::new();
    if let (Some(expected), Some(result)) = (expect.decision, &actual.decision) {
        match result {
            Ok(result) if *result == expected.action() => {}
            Ok(result) => {
                mismatches
                    .push(Mismatch::new("decision", format!("expected {expected:?}, got {result:?}").to_lowercase()));
            }
            Err(reason) => mismatches.push(Mismatch::new("decision", format!("cannot be determined: {reason}"))),
        }
        if *result == Ok(Action::Deny) {
            return mismatches;
        }
    }
    if let Some(expected) = expect.exit {
        match actual.exit {
            Some(exit) if exit == i32::from(expected) => {}
            Some(exit) => mismatches.push(Mismatch::new("exit", format!("expected {expected}, got {exit}"))),
            None => {
                mismatches.push(Mismatch::new("exit", format!("expected {expected}, but the script was ended")));
            }
        }
    }
    let must_fail = expect.error.is_some() || expect.code.is_some();
    let may_fail = must_fail || expect.exit.is_some_and(|exit| !success_codes(tool).contains(&exit));
    match &actual.error {
        None if must_fail => {
            let mut mismatch = Mismatch::new("error", "expected a failure, but the call succeeded");
            mismatch.difference = prefix_lines('+', output(actual));
            mismatches.push(mismatch);
        }
        Some((code, text)) if !may_fail => {
            let mut mismatch = Mismatch::new("error", format!("the call failed ({code})"));
            mismatch.difference = prefix_lines('+', text);
            mismatches.push(mismatch);
        }
        Some((code, text)) => {
            if let Some(expected) = expect.code.as_ref().filter(|expected| *expected != code) {
                mismatches.push(Mismatch::new("code", format!("expected `{expected}`, got `{code}`")));
            }
            if let Some(expected) = expect.error.as_ref().filter(|expected| !text.contains(expected.as_str())) {
                mismatches.push(short_mismatch("error", "the failure does not contain", expected, text));
            }
        }
        None => {}
    }
    if actual.error.is_none() || may_fail && actual.error.is_some() {
        compare_output(test, output(actual), &mut mismatches);
    }
    if let Some(expected) = &expect.request {
        compare_request(expected, &actual.requests, &mut mismatches);
    }
    for tool in &actual.missing_calls {
        mismatches.push(Mismatch::new("calls", format!("the call of `{tool}` in `calls` is missing")));
    }
    mismatches
}

/// Returns the answer's text without its status line, or the failure's text.
fn output(actual: &Actual) -> &str {
    match (&actual.output, &actual.error) {
        (Some(output), _) => output.text.trim_end(),
        (None, Some((_, text))) => text.trim_end(),
        (None, None) => "",
    }
}

fn compare_output(test: &ToolTest, output: &str, mismatches: &mut Vec<Mismatch>) {
    let expect = &test.expect;
    if let Some(expected) = expect.text.as_ref().filter(|expected| expected.trim_end() != output) {
        let difference = difference(expected.trim_end(), output);
        mismatches.push(Mismatch { difference, ..Mismatch::new("text", "the output differs (- expected, + got)") });
    }
    if let Some(expected) = expect.contains.as_ref().filter(|expected| !output.contains(expected.as_str())) {
        mismatches.push(short_mismatch("contains", "the answer does not contain", expected, output));
    }
    if let Some(pattern) = &expect.matches {
        match self::compile_pattern(pattern) {
            Ok(regex) if regex.is_match(output) => {}
            Ok(_) => mismatches.push(short_mismatch("matches", "nothing in the answer matches", pattern, output)),
            Err(reason) => mismatches.push(Mismatch::new("matches", reason)),
        }
    }
    if let Some(expected) = &expect.json {
        match serde_json::from_str::<Value>(output) {
            Ok(actual) => {
                if let Some(reason) = json_difference(expected, &actual) {
                    let difference = difference(&format!("{expected:#}"), &format!("{actual:#}"));
                    mismatches.push(Mismatch { difference, ..Mismatch::new("json", reason) });
                }
            }
            Err(error) => {
                let difference = prefix_lines('+', output);
                mismatches
                    .push(Mismatch { difference, ..Mismatch::new("json", format!("invalid JSON output: {error}")) });
            }
        }
    }
}

fn compare_request(expected: &ExpectedRequest, requests: &[RecordedRequest], found: &mut Vec<Mismatch>) {
    // If redirects caused several requests, the first is the tool's own.
    let Some(request) = requests.first() else {
        return found.push(Mismatch::new("request", "the server received no request"));
    };
    let mut compare = |field: &str, expected: &str, request: &str| {
        if expected != request {
            let difference = difference(expected, request);
            let field = format!("request.{field}");
            found.push(Mismatch { difference, ..Mismatch::new(&field, "the server received a different request") });
        }
    };
    if let Some(method) = expected.method {
        compare("method", method.name(), &request.method);
    }
    if let Some(path) = &expected.path {
        compare("path", path, &request.target);
    }
    for (name, value) in &expected.headers {
        let sent = request.headers.iter().find(|(sent, _)| sent.eq_ignore_ascii_case(name));
        match sent {
            Some((_, sent)) => compare(&format!("headers.{name}"), value, sent),
            None => compare(&format!("headers.{name}"), value, "(not sent)"),
        }
    }
    let body = String::from_utf8_lossy(&request.body);
    match &expected.body {
        None => {}
        Some(Value::String(text)) => compare("body", text, &body),
        Some(expected) => match serde_json::from_str::<Value>(&body) {
            Ok(actual) => {
                if let Some(reason) = json_difference(expected, &actual) {
                    let difference = difference(&format!("{expected:#}"), &format!("{actual:#}"));
                    found.push(Mismatch { difference, ..Mismatch::new("request.body", reason) });
                }
            }
            Err(_) => compare("body", &format!("{expected:#}"), &body),
        },
    }
}

/// Returns the exit codes that mean success for a tool.
fn success_codes(tool: &LoadedTool) -> Vec<u8> {
    let output = tool.definition.tool.output.as_ref();
    let codes = output.and_then(|OutputDeclaration { exit_codes }| exit_codes.clone());
    match tool.definition.tool.execution {
        ToolExecution::Shell(_) => codes.unwrap_or_else(|| vec![0]),
        _ => vec![0],
    }
}

/// Compiles a pattern of a test, with a size limit.
pub(super) fn compile_pattern(pattern: &str) -> Result<regex::Regex, String> {
    let regex = RegexBuilder::new(pattern).size_limit(MAX_PATTERN).build();
    regex.map_err(|error| {
        // The error message draws the pattern on several lines; the last line names the error.
        let message = error.to_string();
        let last = message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        format!("invalid regular expression: {last}")
    })
}

/// Returns the first difference between two JSON values, as a clause; objects may have additional fields.
pub(super) fn json_difference(expected: &Value, actual: &Value) -> Option<String> {
    find_difference(expected, actual, &mut "$".to_owned())
}

fn find_difference(expected: &Value, actual: &Value, path: &mut String) -> Option<String> {
    let length = path.len();
    let found = match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => expected.iter().find_map(|(name, expected)| {
            path.truncate(length);
            // Writing to a `String` cannot fail.
            let _ = write!(path, ".{name}");
            match actual.get(name) {
                Some(actual) => find_difference(expected, actual, path),
                None => Some(format!("{path} is missing")),
            }
        }),
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            expected.iter().zip(actual).enumerate().find_map(|(number, (expected, actual))| {
                path.truncate(length);
                let _ = write!(path, "[{number}]");
                find_difference(expected, actual, path)
            })
        }
        (Value::Array(expected), Value::Array(actual)) => {
            Some(format!("{path}: expected {} items, got {}", expected.len(), actual.len()))
        }
        // `1` and `1.0` are the same number.
        (Value::Number(expected), Value::Number(actual)) if expected.as_f64() == actual.as_f64() => None,
        (expected, actual) if expected == actual => None,
        (expected, actual) => {
            Some(format!("{path}: expected {}, got {}", truncate(&expected.to_string()), truncate(&actual.to_string())))
        }
    };
    if found.is_none() {
        path.truncate(length);
    }
    found
}

fn short_mismatch(field: &str, message: &str, expected: &str, actual: &str) -> Mismatch {
    let difference = [prefix_lines('-', expected), prefix_lines('+', actual)].join("\n");
    Mismatch { difference, ..Mismatch::new(field, format!("{message} what was expected (- expected, + got)")) }
}

/// Prefixes each line of a text with a sign.
fn prefix_lines(sign: char, text: &str) -> String {
    let truncated = truncate(text);
    if truncated.is_empty() {
        return format!("{sign} (nothing)");
    }
    let lines: Vec<String> = truncated.lines().map(|line| format!("{sign} {line}")).collect();
    lines.join("\n")
}

/// Returns a line diff of both texts, with `-` and `+` before changed lines.
fn difference(expected: &str, actual: &str) -> String {
    let (expected, actual) = (truncate(expected), truncate(actual));
    let diff = TextDiff::from_lines(&*expected, &*actual);
    let lines = diff.iter_all_changes().map(|change| {
        let sign = match change.tag() {
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
            ChangeTag::Equal => ' ',
        };
        format!("{sign} {}", change.value().trim_end_matches('\n'))
    });
    let mut lines: Vec<String> = lines.collect();
    if lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(format!("… {more} more lines"));
    }
    lines.join("\n")
}

/// Truncates a text for display.
fn truncate(text: &str) -> Cow<'_, str> {
    ellipsize(text, MAX_DISPLAYED_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_compared_as_a_part() {
        for (expected, actual, reason) in [
            (json!({"a": 1}), json!({"a": 1.0, "b": 2}), None),
            (json!([{"a": 1}]), json!([{"a": 1, "b": 2}]), None),
            (json!({"a": {"b": [1, 2]}}), json!({"a": {"b": [1, 3]}}), Some("$.a.b[1]: expected 2, got 3")),
            (json!({"a": 1, "b": 2}), json!({"a": 1}), Some("$.b is missing")),
            (json!([1]), json!([1, 2]), Some("$: expected 1 items, got 2")),
            (json!(null), json!(0), Some("$: expected null, got 0")),
            (json!({"a": {"x": 1}, "b": 2}), json!({"a": {"x": 1}, "b": 3}), Some("$.b: expected 2, got 3")),
        ] {
            assert_eq!(json_difference(&expected, &actual).as_deref(), reason, "{expected} {actual}");
        }
    }

    #[test]
    fn patterns_have_a_size_limit() {
        assert!(compile_pattern("^a+$").unwrap().is_match("aaa"));
        insta::assert_snapshot!(compile_pattern("(").unwrap_err(), @"invalid regular expression: unclosed group");
        assert!(compile_pattern("(a{1000}){1000}").is_err());
    }
}
