//! What is wrong with tests as they stand in the file. The code of each problem begins with [`OF_TESTS`]: a wrong test does
//! not run, but its tool does.

use std::collections::BTreeSet;
use std::ops::Range;

use camino::{Utf8Component, Utf8Path};

use super::compare;
use crate::declared::definition::Definition;
use crate::declared::format::{Expectation, FakeCall, ToolExecution, ToolTest};
use crate::declared::plan::Plan;
use crate::declared::problem::Problem;
use crate::declared::tree::Node;

/// The beginning of the codes of problems with tests.
pub(in crate::declared) const OF_TESTS: &str = "test-";

/// The tests of one tool.
pub(in crate::declared) fn tests(definition: &Definition, plan: &Plan, problems: &mut Vec<Problem>) {
    let nodes = definition.node.get("tests").map(Node::items).unwrap_or_default();
    let mut names = BTreeSet::new();
    for (test, node) in definition.tool.tests.iter().zip(nodes) {
        if !names.insert(test.name.as_str()) {
            let what = format!("there is a test `{}` already", test.name);
            problems.push(Problem::warning("test-name", place(node, &["name"]), what, "Give it another name."));
        }
        lint_test(definition, plan, test, node, problems);
    }
}

fn lint_test(definition: &Definition, plan: &Plan, test: &ToolTest, node: &Node, problems: &mut Vec<Problem>) {
    let execution = &definition.tool.execution;
    let (is_shell, is_http) =
        (matches!(execution, ToolExecution::Shell(_)), matches!(execution, ToolExecution::Http(_)));
    let is_inline = matches!(execution, ToolExecution::Inline(_));
    let expect = &test.expect;
    let misfits = [
        (expect.exit.is_some() && !is_shell, ["expect", "exit"].as_slice(), "only shell scripts have an exit code"),
        (expect.request.is_some() && !is_http, &["expect", "request"], "only HTTP tools make a request"),
        (test.http.is_some() && !is_http, &["http"], "only HTTP tools ask a server"),
        (!test.calls.is_empty() && !is_inline, &["calls"], "only JavaScript calls other tools"),
    ];
    for (_, path, what) in misfits.into_iter().filter(|(is_misfit, ..)| *is_misfit) {
        problems.push(Problem::error("test-field", place(node, path), what, "Take it out."));
    }
    if is_http && test.http.is_none() {
        let hint =
            "Say in `http` what the server answers: {\"status\": 200, \"body\": {…}}. A test asks no real server.";
        problems.push(Problem::error("test-http", place(node, &["name"]), "the test has no `http`", hint));
    }
    if expects_nothing(expect) {
        let hint = "Say what must come of it, for instance {\"contains\": \"…\"}.";
        let what = "the test expects nothing but that the call succeeds";
        problems.push(Problem::warning("test-expects-nothing", place(node, &["expect"]), what, hint));
    }
    if let Some(Err(why)) = expect.matches.as_deref().map(compare::pattern) {
        let hint = "The syntax is that of Rust's `regex`: no look-around, no back-references.";
        problems.push(Problem::error("test-pattern", place(node, &["expect", "matches"]), why, hint));
    }
    for name in plan.secrets.iter().filter(|name| !test.env.contains_key(*name)) {
        let what = format!("the tool uses the secret `{name}`, and the test does not say what it is");
        let hint = format!("Add \"env\": {{\"{name}\": \"…\"}}: tests are not given the user's own.");
        problems.push(Problem::error("test-env", place(node, &["name"]), what, hint));
    }
    let fixtures = node.get("fixtures").map(Node::members).unwrap_or_default();
    let fixtures = fixtures.iter().map(|member| (member.name.as_str(), member.name_range.clone()));
    let files = node.get("files").map(Node::items).unwrap_or_default();
    let files = files.iter().filter_map(|item| Some((item.as_str()?, item.range.clone())));
    for (path, range) in fixtures.chain(files).filter(|(path, _)| !is_inside(path)) {
        let what = format!("`{}` is no path below the directory of the test", crate::declared::shape::truncate(path));
        problems.push(Problem::error("test-path", range, what, "Write it relative, without `..`: `src/a.txt`."));
    }
    let calls = node.get("calls").map(Node::items).unwrap_or_default();
    for (FakeCall { error, .. }, node) in test.calls.iter().zip(calls) {
        // An answer may be null, which the type takes for none.
        if node.get("answer").is_some() == error.is_some() {
            let what = "a call has either an `answer` or an `error`";
            problems.push(Problem::error(
                "test-call",
                node.range.start..node.range.start + 1,
                what,
                "Give one of them.",
            ));
        }
    }
}

fn expects_nothing(expect: &Expectation) -> bool {
    let Expectation { exit, text, contains, matches, json, decision, error, code, request } = expect;
    let texts = [text, contains, matches, error, code].iter().all(|text| text.is_none());
    texts && exit.is_none() && json.is_none() && decision.is_none() && request.is_none()
}

/// Whether a path stays below where it starts.
fn is_inside(path: &str) -> bool {
    let mut parts = Utf8Path::new(path).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Utf8Component::Normal(_))) && !path.contains(['\\', '\0'])
}

/// Where a field of a test stands, or the first of the fields above it that is there.
fn place(node: &Node, path: &[&str]) -> Range<usize> {
    let mut range = node.range.start..node.range.start + 1;
    let mut node = node;
    for name in path {
        let Some(member) = node.member(name) else { break };
        range = member.name_range.clone();
        node = &member.value;
    }
    range
}
