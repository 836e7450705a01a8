//! `zubi tools check --test`: the tests inside tool files, and their failures.

use insta::assert_snapshot;

use crate::check::Sandbox;

const FILE: &str = "work/.vscode/agent-tools.json";

/// A sandbox with a file of these tools, which is not trusted yet.
fn sandbox_with_tools(tools: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(FILE, &format!("{{\"version\": \"1.0\", \"tools\": [{tools}]}}\n"));
    sandbox
}

/// The output of the tests of these tools, in a trusted file.
fn check(tools: &str, words: &[&str]) -> String {
    let sandbox = sandbox_with_tools(tools);
    sandbox.trust();
    sandbox.check(&[&["tools", "check", "--test"], words].concat())
}

/// A tool with this execution and these tests, each on its own line.
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
fn passing_tests_print_one_line_each() {
    let echo = code(
        "echo",
        "return {said: args.a, list: [1]}",
        &[
            r#"{"name": "text", "args": {"a": "x"}, "expect": {"contains": "said", "matches": "(?m)^ +\"said\": \"x\",?$"}}"#,
            r#"{"name": "json", "args": {"a": "x"}, "expect": {"json": {"said": "x"}, "decision": "ask"}}"#,
            r#"{"name": "refusal", "args": {"b": "x"}, "expect": {"code": "invalid_input", "error": "no such parameter"}}"#,
        ],
    );
    assert_snapshot!(check(&echo, &[]), @"
    exit 0
    --- stdout
    .vscode/agent-tools.json:5:1: passed: workspace.echo: text
    .vscode/agent-tools.json:6:1: passed: workspace.echo: json
    .vscode/agent-tools.json:7:1: passed: workspace.echo: refusal
    --- stderr
    1 file, 1 tool, 0 errors, 0 warnings
    3 tests: 3 passed, 0 failed
    ");
    assert_snapshot!(check(&echo, &["workspace.ecko"]), @"
    exit 2
    --- stderr
    error: this workspace declares no usable tool `workspace.ecko`
    hint: Did you mean workspace.echo? `zubi tools check` reports the errors in others.
    ");
    assert_snapshot!(check(&echo, &[".vscode/agent-tools.json"]), @"
    exit 2
    --- stderr
    error: this workspace declares no usable tool `.vscode/agent-tools.json`
    hint: Files go before `--test`; ids of tools go after it.
    ");
}

#[test]
fn failed_expectations_print_expected_beside_actual() {
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
    assert_snapshot!(check(&echo, &["echo"]), @r#"
    exit 1
    --- stdout
    .vscode/agent-tools.json:5:1: failed: workspace.echo: text
      text: the output differs (- expected, + got)
          one
        - 2
        + two
          three
    .vscode/agent-tools.json:6:1: failed: workspace.echo: contains
      contains: the answer does not contain what was expected (- expected, + got)
        - y
        + x
      matches: nothing in the answer matches what was expected (- expected, + got)
        - ^z
        + x
    .vscode/agent-tools.json:7:1: failed: workspace.echo: no json
      json: invalid JSON output: expected value at line 1 column 1
        + x
    .vscode/agent-tools.json:8:1: failed: workspace.echo: json
      json: $.b[1]: expected 3, got 2
          {
            "b": [
              1,
        -     3
        +     2
            ]
          }
    .vscode/agent-tools.json:9:1: failed: workspace.echo: failure
      error: the call failed (failed)
        + Failed to run workspace.echo: 1:32: I will not
        + Check the arguments; the code is in the tool's file.
    .vscode/agent-tools.json:10:1: failed: workspace.echo: another failure
      code: expected `timed_out`, got `failed`
      error: the failure does not contain what was expected (- expected, + got)
        - I shall
        + Failed to run workspace.echo: 1:32: I will not
        + Check the arguments; the code is in the tool's file.
    .vscode/agent-tools.json:11:1: failed: workspace.echo: no failure
      error: expected a failure, but the call succeeded
        + x
    .vscode/agent-tools.json:12:1: failed: workspace.echo: decision
      decision: expected deny, got ask
    .vscode/agent-tools.json:13:1: failed: workspace.echo: escapes
      text: the output differs (- expected, + got)
        - \u{1b}[31m\u{202e}
        + [2J
    --- stderr
    1 file, 1 tool, 0 errors, 0 warnings
    9 tests: 0 passed, 9 failed
    "#);
}

#[test]
fn servers_and_tools_are_mocked_and_their_requests_checked() {
    let send = request(&[
        r#"{"name": "good", "args": {"a": "b/c"}, "env": {"KEY": "k1"}, "http": {"status": 202, "headers": {"Content-Type": "text/plain"}, "body": "done"}, "expect": {"text": "done", "request": {"path": "/x/b%2Fc", "headers": {"x-key": "k1"}, "body": {"a": "b/c"}}}}"#,
        r#"{"name": "bad", "args": {"a": "b"}, "env": {"KEY": "k1"}, "http": {"status": 500}, "expect": {"request": {"method": "PUT", "path": "/x/c", "headers": {"X-Key": "k2", "X-None": ""}, "body": {"a": "c"}}}}"#,
        r#"{"name": "elsewhere", "args": {"a": "b"}, "env": {"KEY": "k1"}, "http": {"status": 302, "headers": {"Location": "https://evil.example/"}}, "expect": {"error": "is not the requested host"}}"#,
        r#"{"name": "no answer", "args": {"a": "b"}, "env": {"KEY": "k1"}, "http": {"headers": {"a b": "c"}}, "expect": {"error": ""}}"#,
    ]);
    assert_snapshot!(check(&send, &[]), @r#"
    exit 1
    --- stdout
    .vscode/agent-tools.json:3:110: warning[missing-secret]: the secret `KEY` is not set on this machine; calls fail until it is
      Add it to your own zubi.toml: `[env]` `KEY = { file = "…" }`.
    .vscode/agent-tools.json:5:1: passed: workspace.send: good
    .vscode/agent-tools.json:6:1: failed: workspace.send: bad
      error: the call failed (failed)
        + Failed to run workspace.send: the server answered 500
        + (no body)
        + The server failed; call again later, or report it to the user.
      request.method: the server received a different request
        - PUT
        + POST
      request.path: the server received a different request
        - /x/c
        + /x/b
      request.headers.X-Key: the server received a different request
        - k2
        + k1
      request.headers.X-None: the server received a different request
        + (not sent)
      request.body: $.a: expected "c", got "b"
          {
        -   "a": "c"
        +   "a": "b"
          }
    .vscode/agent-tools.json:7:1: passed: workspace.send: elsewhere
    .vscode/agent-tools.json:8:1: failed: workspace.send: no answer
      test: the answer in `http` is not a valid HTTP response: invalid HTTP header name
    --- stderr
    1 file, 1 tool, 0 errors, 1 warning
    4 tests: 2 passed, 2 failed
    "#);
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
    assert_snapshot!(check(&[count, wrong].join(", "), &[]), @r#"
    exit 1
    --- stdout
    .vscode/agent-tools.json:5:1: passed: workspace.count: good
    .vscode/agent-tools.json:6:1: failed: workspace.count: too few
      error: the call failed (failed)
        + Failed to run workspace.count: 1:86: Failed to call file.search: the test has no answer for a call with {"query":"b"}
        + Add it to `calls` of the test.
        + Check the arguments; the code is in the tool's file.
    .vscode/agent-tools.json:7:1: failed: workspace.count: too many
      calls: the call of `file.list` in `calls` is missing
    .vscode/agent-tools.json:8:1: failed: workspace.count: no such tool
      test: `calls` names the unknown tool `file.serch`
    .vscode/agent-tools.json:13:1: failed: workspace.wrong: a fake takes what the tool takes
      calls: the call of `file.search` in `calls` is missing
    --- stderr
    1 file, 2 tools, 0 errors, 0 warnings
    5 tests: 1 passed, 4 failed
    "#);
}

#[test]
fn invalid_test_is_reported_without_disabling_its_tool() {
    let send = request(&[
        r#"{"name": "one", "args": {"a": "b"}, "expect": {}}"#,
        r#"{"name": "one", "args": {"a": "b"}, "env": {"KEY": "k"}, "http": {}, "fixtures": {"../x": ""}, "files": ["/etc/passwd"], "calls": [{"tool": "a"}], "expect": {"exit": 0, "matches": "("}}"#,
    ]);
    let sandbox = sandbox_with_tools(&send);
    sandbox.trust();
    assert_snapshot!(sandbox.check(&["tools", "check", "--test"]), @r#"
    exit 1
    --- stdout
    .vscode/agent-tools.json:3:110: warning[missing-secret]: the secret `KEY` is not set on this machine; calls fail until it is
      Add it to your own zubi.toml: `[env]` `KEY = { file = "…" }`.
    .vscode/agent-tools.json:5:2: error[test-http]: the test has no `http`
      Add the response as `http`: {"status": 200, "body": {…}}. Tests contact no real server.
    .vscode/agent-tools.json:5:2: error[test-env]: the tool uses the secret `KEY`, but the test does not define it
      Add "env": {"KEY": "…"}: tests do not get the user's secrets.
    .vscode/agent-tools.json:5:37: warning[test-expects-nothing]: the test expects only that the call succeeds
      Add an expected result, for instance {"contains": "…"}.
    .vscode/agent-tools.json:6:2: warning[test-name]: duplicate test name `one`
      Rename one of the tests.
    .vscode/agent-tools.json:6:83: error[test-path]: `../x` is not a path in the directory of the test
      Use a relative path without `..`: `src/a.txt`.
    .vscode/agent-tools.json:6:106: error[test-path]: `/etc/passwd` is not a path in the directory of the test
      Use a relative path without `..`: `src/a.txt`.
    .vscode/agent-tools.json:6:122: error[test-field]: only JavaScript calls other tools
      Remove it.
    .vscode/agent-tools.json:6:132: error[test-call]: a call must have either an `answer` or an `error`
      Add or remove one of them.
    .vscode/agent-tools.json:6:159: error[test-field]: only shell scripts have an exit code
      Remove it.
    .vscode/agent-tools.json:6:170: error[test-pattern]: invalid regular expression: unclosed group
      The syntax is that of Rust's `regex`: no look-around, no back-references.
    .vscode/agent-tools.json:5:1: failed: workspace.send: one
      test: the test has no `http`
    .vscode/agent-tools.json:6:1: failed: workspace.send: one
      test: `../x` is not a path in the directory of the test
    --- stderr
    1 file, 1 tool, 8 errors, 3 warnings
    2 tests: 0 passed, 2 failed
    "#);
    assert!(sandbox.check(&["tools", "list"]).contains("workspace.send"), "only its tests are left out");
}

/// Tests run code, so tests in an untrusted file do not run.
#[test]
fn tests_of_a_file_that_is_not_trusted_do_not_run() {
    let sandbox = sandbox_with_tools(&code("echo", "return 1", &[r#"{"name": "one", "expect": {"json": 1}}"#]));
    assert_snapshot!(sandbox.check(&["tools", "check", "--test"]), @"
    exit 3
    --- stdout
    .vscode/agent-tools.json:2:49: warning[unused-parameter]: nothing uses the parameter `a`
      Use `$a`, or remove the parameter.
    --- stderr
    1 file, 1 tool, 0 errors, 1 warning
    .vscode/agent-tools.json: note: the file is not trusted, so its 1 tool is ignored
      `zubi trust --diff` shows what it would run, `zubi trust` trusts it
    error: tests run code, so the tests of an untrusted file do not run
    0 tests: 0 passed, 0 failed
    ");
    assert_snapshot!(sandbox.check(&["--trust", "tools", "check", "--test"]), @"
    exit 0
    --- stdout
    .vscode/agent-tools.json:2:49: warning[unused-parameter]: nothing uses the parameter `a`
      Use `$a`, or remove the parameter.
    .vscode/agent-tools.json:5:1: passed: workspace.echo: one
    --- stderr
    1 file, 1 tool, 0 errors, 1 warning
    1 test: 1 passed, 0 failed
    ");
    sandbox.trust();
    sandbox.write(FILE, &sandbox.read(FILE).replace("return 1", "return 2"));
    assert!(sandbox.check(&["tools", "check", "--test", "echo"]).starts_with("exit 3"));
}

#[test]
fn programs_get_the_results_as_json() {
    let tools = code(
        "echo",
        "return 1",
        &[r#"{"name": "one", "expect": {"json": 1}}"#, r#"{"name": "two", "expect": {"json": 2}}"#],
    );
    let sandbox = sandbox_with_tools(&tools);
    let output = sandbox.zubi().args(["--trust", "tools", "check", "--json", "--test"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut tests = report["tests"].clone();
    for result in tests["results"].as_array_mut().unwrap() {
        assert!(result["durationMs"].take().is_u64());
    }
    assert_snapshot!(tests, @r#"{"passed":1,"failed":1,"skipped":0,"toolsWithoutTests":0,"filesNotTrusted":0,"interrupted":false,"results":[{"file":".vscode/agent-tools.json","line":5,"column":1,"tool":"workspace.echo","name":"one","status":"passed","durationMs":null,"mismatches":[]},{"file":".vscode/agent-tools.json","line":6,"column":1,"tool":"workspace.echo","name":"two","status":"failed","durationMs":null,"mismatches":[{"field":"json","what":"$: expected 2, got 1","difference":"- 2\n+ 1"}]}]}"#);
}

/// A tool that hangs ends at its time-out, Ctrl-C ends the other tests, and the temporary directory is then empty.
#[cfg(unix)]
#[test]
fn time_outs_and_interruptions_leave_no_process() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    let quick = code("quick", "return 1", &[r#"{"name": "one", "expect": {"json": 1}}"#]);
    let endless =
        code("endless", "for (;;);", &[r#"{"name": "one", "fixtures": {"a": ""}, "expect": {"code": "timed_out"}}"#]);
    let sandbox = sandbox_with_tools(
        &[quick.clone(), endless.replace("\"name\": \"T\"", "\"timeout\": 300, \"name\": \"T\"")].join(", "),
    );
    sandbox.directory("tmp");
    let run = || {
        let mut command = sandbox.process();
        command.env("TMPDIR", sandbox.path("tmp")).args(["--trust", "tools", "check", "--test"]);
        command
    };
    assert_snapshot!(sandbox.show(&mut run().into()), @"
    exit 0
    --- stdout
    .vscode/agent-tools.json:2:49: warning[unused-parameter]: nothing uses the parameter `a`
      Use `$a`, or remove the parameter.
    .vscode/agent-tools.json:7:49: warning[unused-parameter]: nothing uses the parameter `a`
      Use `$a`, or remove the parameter.
    .vscode/agent-tools.json:5:1: passed: workspace.quick: one
    .vscode/agent-tools.json:10:1: passed: workspace.endless: one
    --- stderr
    1 file, 2 tools, 0 errors, 2 warnings
    2 tests: 2 passed, 0 failed
    ");
    assert_eq!(std::fs::read_dir(sandbox.path("tmp")).unwrap().count(), 0);

    sandbox.write(FILE, &format!("{{\"version\": \"1.0\", \"tools\": [{quick}, {endless}]}}"));
    let mut child = run().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The first test has passed, so the second one is running.
    assert!(lines.any(|line| line.unwrap().ends_with("passed: workspace.quick: one")));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(sandbox.path("tmp")).unwrap().count(), 0);
}

#[test]
fn the_tool_at_a_line_is_tested_alone() {
    let passes = [r#"{"name": "one", "args": {}, "expect": {"contains": "1"}}"#];
    let (first, second) = (code("first", "return 1", &passes), code("second", "return 1", &passes));
    let sandbox = sandbox_with_tools(&format!("{first},\n{second}"));
    sandbox.trust();
    let at = |line: usize| sandbox.check(&["tools", "check", "--test", &format!(".vscode/agent-tools.json:{line}")]);
    assert_snapshot!(at(4), @"
    exit 0
    --- stdout
    .vscode/agent-tools.json:2:49: warning[unused-parameter]: nothing uses the parameter `a`
      Use `$a`, or remove the parameter.
    .vscode/agent-tools.json:8:49: warning[unused-parameter]: nothing uses the parameter `a`
      Use `$a`, or remove the parameter.
    .vscode/agent-tools.json:5:1: passed: workspace.first: one
    --- stderr
    1 file, 2 tools, 0 errors, 2 warnings
    1 test: 1 passed, 0 failed
    ");
    assert_snapshot!(at(9), @"
    exit 0
    --- stdout
    .vscode/agent-tools.json:2:49: warning[unused-parameter]: nothing uses the parameter `a`
      Use `$a`, or remove the parameter.
    .vscode/agent-tools.json:8:49: warning[unused-parameter]: nothing uses the parameter `a`
      Use `$a`, or remove the parameter.
    .vscode/agent-tools.json:11:1: passed: workspace.second: one
    --- stderr
    1 file, 2 tools, 0 errors, 2 warnings
    1 test: 1 passed, 0 failed
    ");
    assert_snapshot!(at(100), @"
    exit 2
    --- stdout
    .vscode/agent-tools.json:2:49: warning[unused-parameter]: nothing uses the parameter `a`
      Use `$a`, or remove the parameter.
    .vscode/agent-tools.json:8:49: warning[unused-parameter]: nothing uses the parameter `a`
      Use `$a`, or remove the parameter.
    --- stderr
    error: this workspace declares no usable tool `.vscode/agent-tools.json:100`
    hint: Usable tools: workspace.first, workspace.second. `zubi tools check` reports the errors in others.
    ");
}
