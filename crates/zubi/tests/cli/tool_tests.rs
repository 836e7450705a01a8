//! `zubi tools check --test`: the tests inside tool files, and how they fail.

use insta::assert_snapshot;

use crate::check::Place;

const FILE: &str = "work/.vscode/agent-tools.json";

/// A file with these tools, not trusted yet.
fn place(tools: &str) -> Place {
    let place = Place::new();
    place.directory("work/.vscode");
    place.write(FILE, &format!("{{\"version\": \"1.0\", \"tools\": [{tools}]}}\n"));
    place
}

/// What the tests of these tools come to, in a trusted file.
fn check(tools: &str, words: &[&str]) -> String {
    let place = place(tools);
    assert!(place.check(&["trust"]).starts_with("exit 0"));
    place.check(&[&["tools", "check", "--test"], words].concat())
}

/// A tool whose execution and tests these are, on lines of their own.
fn tool(id: &str, execution: &str, tests: &[&str]) -> String {
    format!(
        r#"{{"id": "{id}", "name": "T", "description": "What the test of `{id}` calls, and nobody else.",
"parameters": {{"type": "object", "properties": {{"a": {{"type": "string", "description": "Any."}}}}}},
"execution": {execution},
"tests": [
{}
]}}"#,
        tests.join(",\n")
    )
}

fn code(id: &str, code: &str, tests: &[&str]) -> String {
    tool(id, &format!(r#"{{"type": "inline", "code": "{code}"}}"#), tests)
}

fn request(tests: &[&str]) -> String {
    let execution = r#"{"type": "http", "method": "POST", "url": "https://api.example.com/x/$a", "headers": {"X-Key": "${env:KEY}"}}"#;
    tool("send", execution, tests).replace(r#""parameters": {"#, r#""parameters": {"required": ["a"], "#)
}

#[test]
fn tests_that_pass_are_a_line_each() {
    let echo = code(
        "echo",
        "return {said: args.a, list: [1]}",
        &[
            r#"{"name": "text", "args": {"a": "x"}, "expect": {"contains": "said", "matches": "(?m)^ +\"said\": \"x\",?$"}}"#,
            r#"{"name": "json", "args": {"a": "x"}, "expect": {"json": {"said": "x"}, "decision": "ask"}}"#,
            r#"{"name": "refusal", "args": {"b": "x"}, "expect": {"code": "invalid_input", "error": "no such parameter"}}"#,
        ],
    );
    assert_snapshot!(check(&echo, &[]), @"");
    assert_snapshot!(check(&echo, &["workspace.ecko"]), @"");
    assert_snapshot!(check(&echo, &[".vscode/agent-tools.json"]), @"");
}

#[test]
fn what_is_not_as_expected_is_shown_beside_what_is() {
    let echo = code(
        "echo",
        "if (args.a === 'no') throw new Error('I will not'); return args.a",
        &[
            r#"{"name": "text", "args": {"a": "one\ntwo\nthree"}, "expect": {"text": "one\n2\nthree"}}"#,
            r#"{"name": "contains", "args": {"a": "x"}, "expect": {"contains": "y", "matches": "^z"}}"#,
            r#"{"name": "no json", "args": {"a": "x"}, "expect": {"json": {}}}"#,
            r#"{"name": "json", "args": {"a": "{\"b\": [1, 2]}"}, "expect": {"json": {"b": [1, 3]}}}"#,
            r#"{"name": "failure", "args": {"a": "no"}, "expect": {"contains": "x"}}"#,
            r#"{"name": "another failure", "args": {"a": "no"}, "expect": {"code": "timed_out", "error": "I shall"}}"#,
            r#"{"name": "no failure", "args": {"a": "x"}, "expect": {"error": "x"}}"#,
            r#"{"name": "decision", "args": {"a": "x"}, "expect": {"decision": "deny"}}"#,
            r#"{"name": "escapes", "args": {"a": "\u001b[2J"}, "expect": {"text": "\u001b[31m\u202e"}}"#,
        ],
    );
    assert_snapshot!(check(&echo, &["echo"]), @"");
}

#[test]
fn servers_and_tools_are_faked_and_what_they_are_asked_is_checked() {
    let send = request(&[
        r#"{"name": "good", "args": {"a": "b/c"}, "env": {"KEY": "k1"}, "http": {"status": 202, "headers": {"Content-Type": "text/plain"}, "body": "done"}, "expect": {"text": "done", "request": {"path": "/x/b%2Fc", "headers": {"x-key": "k1"}, "body": {"a": "b/c"}}}}"#,
        r#"{"name": "bad", "args": {"a": "b"}, "env": {"KEY": "k1"}, "http": {"status": 500}, "expect": {"request": {"method": "PUT", "path": "/x/c", "headers": {"X-Key": "k2", "X-None": ""}, "body": {"a": "c"}}}}"#,
        r#"{"name": "elsewhere", "args": {"a": "b"}, "env": {"KEY": "k1"}, "http": {"status": 302, "headers": {"Location": "https://evil.example/"}}, "expect": {"error": "is not the host that was asked"}}"#,
        r#"{"name": "no answer", "args": {"a": "b"}, "env": {"KEY": "k1"}, "http": {"headers": {"a b": "c"}}, "expect": {"error": ""}}"#,
    ]);
    assert_snapshot!(check(&send, &[]), @"");
    let count = code(
        "count",
        "let n = 0; for (const q of ['a', 'b']) n += (await tools.call('file.search', {query: q})).total; return n",
        &[
            r#"{"name": "good", "calls": [{"tool": "file.search", "args": {"query": "b"}, "answer": {"total": 2}}, {"tool": "file.search", "answer": {"total": 1}}], "expect": {"json": 3}}"#,
            r#"{"name": "too few", "calls": [{"tool": "file.search", "args": {"query": "a"}, "answer": {"total": 2}}], "expect": {"json": 3}}"#,
            r#"{"name": "too many", "calls": [{"tool": "file_search", "answer": {"total": 2}}, {"tool": "file.search", "answer": {"total": 1}}, {"tool": "file.list", "error": "no"}], "expect": {"json": 3}}"#,
            r#"{"name": "no such tool", "calls": [{"tool": "file.serch", "answer": 1}], "expect": {"json": 3}}"#,
        ],
    );
    let wrong = code(
        "wrong",
        "return await tools.call('file.search', {qeury: 'a'})",
        &[
            r#"{"name": "a fake takes what the tool takes", "calls": [{"tool": "file.search", "answer": 1}], "expect": {"error": "no such parameter; did you mean `query`"}}"#,
        ],
    );
    assert_snapshot!(check(&[count, wrong].join(", "), &[]), @"");
}

#[test]
fn a_test_that_is_wrong_is_told_and_its_tool_stays() {
    let send = request(&[
        r#"{"name": "one", "args": {"a": "b"}, "expect": {}}"#,
        r#"{"name": "one", "args": {"a": "b"}, "env": {"KEY": "k"}, "http": {}, "fixtures": {"../x": ""}, "files": ["/etc/passwd"], "calls": [{"tool": "a"}], "expect": {"exit": 0, "matches": "("}}"#,
    ]);
    let place = place(&send);
    assert!(place.check(&["trust"]).starts_with("exit 0"));
    assert_snapshot!(place.check(&["tools", "check", "--test"]), @"");
    assert!(place.check(&["tools", "list"]).contains("workspace.send"), "only its tests are left out");
}

/// Tests run code: a file that nobody has looked at gives none.
#[test]
fn tests_of_a_file_that_is_not_trusted_do_not_run() {
    let place = place(&code("echo", "return 1", &[r#"{"name": "one", "expect": {"json": 1}}"#]));
    assert_snapshot!(place.check(&["tools", "check", "--test"]), @"");
    assert_snapshot!(place.check(&["--trust", "tools", "check", "--test"]), @"");
    assert!(place.check(&["trust"]).starts_with("exit 0"));
    place.write(FILE, &place.read(FILE).replace("return 1", "return 2"));
    assert!(place.check(&["tools", "check", "--test", "echo"]).starts_with("exit 3"));
}

#[test]
fn programs_get_the_results_as_json() {
    let tools = code(
        "echo",
        "return 1",
        &[r#"{"name": "one", "expect": {"json": 1}}"#, r#"{"name": "two", "expect": {"json": 2}}"#],
    );
    let place = place(&tools);
    let output = place.zubi().args(["--trust", "tools", "check", "--json", "--test"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut tests = report["tests"].clone();
    for result in tests["results"].as_array_mut().unwrap() {
        assert!(result["durationMs"].take().is_u64());
    }
    assert_snapshot!(tests, @"");
}

/// A tool that hangs costs its time-out, and Ctrl-C ends the rest; nothing is left in the temporary directory.
#[cfg(unix)]
#[test]
fn time_outs_and_interruptions_leave_nothing() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    let quick = code("quick", "return 1", &[r#"{"name": "one", "expect": {"json": 1}}"#]);
    let endless =
        code("endless", "for (;;);", &[r#"{"name": "one", "fixtures": {"a": ""}, "expect": {"code": "timed_out"}}"#]);
    let place =
        place(&[quick.clone(), endless.replace("\"name\": \"T\"", "\"timeout\": 300, \"name\": \"T\"")].join(", "));
    place.directory("tmp");
    let run = || {
        let mut command = place.process();
        command.env("TMPDIR", place.path("tmp")).args(["--trust", "tools", "check", "--test"]);
        command
    };
    assert_snapshot!(place.show(&mut run().into()), @"");
    assert_eq!(std::fs::read_dir(place.path("tmp")).unwrap().count(), 0);

    place.write(FILE, &format!("{{\"version\": \"1.0\", \"tools\": [{quick}, {endless}]}}"));
    let mut child = run().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The first test has passed, so that the second runs now.
    assert!(lines.next().unwrap().unwrap().ends_with("passed: workspace.quick: one"));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(place.path("tmp")).unwrap().count(), 0);
}
