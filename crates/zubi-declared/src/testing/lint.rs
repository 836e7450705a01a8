//! Problems of tests in tool files. The code of each begins with [`TEST_CODE_PREFIX`]: an invalid test does not run, but
//! its tool does.

use std::collections::BTreeSet;
use std::ops::Range;

use camino::{Utf8Component, Utf8Path};

use super::compare;
use crate::definition::ResolvedDefinition;
use crate::format::{FakeCall, TestExpectation, ToolExecution, ToolTest};
use crate::json_tree::JsonNode;
use crate::plan::ToolPlan;
use crate::problem::ToolFileProblem;

/// Prefix of the codes of test problems.
pub(crate) const TEST_CODE_PREFIX: &str = "test-";

/// Lints the tests of one tool.
pub(crate) fn lint_tests(definition: &ResolvedDefinition, plan: &ToolPlan, problems: &mut Vec<ToolFileProblem>) {
    let nodes = definition.node.get("tests").map(JsonNode::items).unwrap_or_default();
    let mut names = BTreeSet::new();
    for (test, node) in definition.tool.tests.iter().zip(nodes) {
        if !names.insert(test.name.as_str()) {
            let message = format!("duplicate test name `{}`", test.name);
            problems.push(ToolFileProblem::warning(
                "test-name",
                range_of(node, &["name"]),
                message,
                "Rename one of the tests.",
            ));
        }
        lint_test(definition, plan, test, node, problems);
    }
}

fn lint_test(
    definition: &ResolvedDefinition,
    plan: &ToolPlan,
    test: &ToolTest,
    node: &JsonNode,
    problems: &mut Vec<ToolFileProblem>,
) {
    let execution = &definition.tool.execution;
    let (is_shell, is_http) =
        (matches!(execution, ToolExecution::Shell(_)), matches!(execution, ToolExecution::Http(_)));
    let is_inline = matches!(execution, ToolExecution::Inline(_));
    let expect = &test.expect;
    let field_problems = [
        (expect.exit.is_some() && !is_shell, ["expect", "exit"].as_slice(), "only shell scripts have an exit code"),
        (expect.request.is_some() && !is_http, &["expect", "request"], "only HTTP tools make a request"),
        (test.http.is_some() && !is_http, &["http"], "only HTTP tools contact a server"),
        (!test.calls.is_empty() && !is_inline, &["calls"], "only JavaScript calls other tools"),
    ];
    for (_, path, message) in field_problems.into_iter().filter(|(applies, ..)| *applies) {
        problems.push(ToolFileProblem::error("test-field", range_of(node, path), message, "Remove it."));
    }
    if is_http && test.http.is_none() {
        let hint = "Add the response as `http`: {\"status\": 200, \"body\": {…}}. Tests contact no real server.";
        problems.push(ToolFileProblem::error("test-http", range_of(node, &["name"]), "the test has no `http`", hint));
    }
    if expects_only_success(expect) {
        let hint = "Add an expected result, for instance {\"contains\": \"…\"}.";
        let message = "the test expects only that the call succeeds";
        problems.push(ToolFileProblem::warning("test-expects-nothing", range_of(node, &["expect"]), message, hint));
    }
    if let Some(Err(reason)) = expect.matches.as_deref().map(compare::compile_pattern) {
        let hint = "The syntax is that of Rust's `regex`: no look-around, no back-references.";
        problems.push(ToolFileProblem::error("test-pattern", range_of(node, &["expect", "matches"]), reason, hint));
    }
    for name in plan.secrets.iter().filter(|name| !test.env.contains_key(*name)) {
        let message = format!("the tool uses the secret `{name}`, but the test does not define it");
        let hint = format!("Add \"env\": {{\"{name}\": \"…\"}}: tests do not get the user's secrets.");
        problems.push(ToolFileProblem::error("test-env", range_of(node, &["name"]), message, hint));
    }
    let fixtures = node.get("fixtures").map(JsonNode::members).unwrap_or_default();
    let fixtures = fixtures.iter().map(|member| (member.name.as_str(), member.name_range.clone()));
    let files = node.get("files").map(JsonNode::items).unwrap_or_default();
    let files = files.iter().filter_map(|item| Some((item.as_str()?, item.range.clone())));
    for (path, range) in fixtures.chain(files).filter(|(path, _)| !is_inside(path)) {
        let message = format!("`{}` is not a path in the directory of the test", crate::validate::truncate(path));
        problems.push(ToolFileProblem::error(
            "test-path",
            range,
            message,
            "Use a relative path without `..`: `src/a.txt`.",
        ));
    }
    let calls = node.get("calls").map(JsonNode::items).unwrap_or_default();
    for (FakeCall { error, .. }, node) in test.calls.iter().zip(calls) {
        // An answer may be null, which the type cannot distinguish from a missing answer.
        if node.get("answer").is_some() == error.is_some() {
            let message = "a call must have either an `answer` or an `error`";
            problems.push(ToolFileProblem::error(
                "test-call",
                node.range.start..node.range.start + 1,
                message,
                "Add or remove one of them.",
            ));
        }
    }
}

fn expects_only_success(expect: &TestExpectation) -> bool {
    let TestExpectation { exit, text, contains, matches, json, decision, error, code, request } = expect;
    let texts = [text, contains, matches, error, code].iter().all(|text| text.is_none());
    texts && exit.is_none() && json.is_none() && decision.is_none() && request.is_none()
}

/// Returns whether a relative path stays below its start.
fn is_inside(path: &str) -> bool {
    let mut parts = Utf8Path::new(path).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Utf8Component::Normal(_))) && !path.contains(['\\', '\0'])
}

/// Returns the range of a field's name in a test, or of the nearest existing field above it.
fn range_of(node: &JsonNode, path: &[&str]) -> Range<usize> {
    let mut range = node.range.start..node.range.start + 1;
    let mut node = node;
    for name in path {
        let Some(member) = node.member(name) else { break };
        range = member.name_range.clone();
        node = &member.value;
    }
    range
}
