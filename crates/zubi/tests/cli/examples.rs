//! `examples/agent-tools` as a user copies it: its checks, its tests, its tools.

use insta::assert_snapshot;

use crate::check::Sandbox;

/// A sandbox with only a copy of the example as the workspace.
pub(crate) fn example() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::remove_dir_all(sandbox.path("work/src")).unwrap();
    let from = camino::Utf8Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/agent-tools"));
    copy(&sandbox, from, "work");
    sandbox
}

fn copy(sandbox: &Sandbox, from: &camino::Utf8Path, to: &str) {
    sandbox.directory(to);
    for entry in from.read_dir_utf8().unwrap() {
        let entry = entry.unwrap();
        let to = format!("{to}/{}", entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(sandbox, entry.path(), &to);
        } else {
            sandbox.write(&to, &zubi_base::fs::read_text(entry.path()).unwrap());
        }
    }
}

/// The example, trusted by a user whose rules allow its tools, except those that require approval for each call.
pub(crate) fn trusted_example() -> Sandbox {
    let sandbox = example();
    sandbox.write("config/zubi/zubi.toml", "allow = [\"licence.*\", \"release.*\", \"todo.*\", \"tracker.find\"]\n");
    sandbox.trust();
    sandbox
}

#[test]
fn example_has_no_problem_but_a_missing_secret() {
    assert_snapshot!(example().check(&["tools", "check"]), @r#"
    exit 0
    --- stdout
    .vscode/agent-tools/tracker.json:26:47: warning[missing-secret]: the secret `TRACKER_TOKEN` is not set on this machine; calls fail until it is
      Add it to your own zubi.toml: `[env]` `TRACKER_TOKEN = { file = "…" }`.
    .vscode/agent-tools/tracker.json:74:47: warning[missing-secret]: the secret `TRACKER_TOKEN` is not set on this machine; calls fail until it is
      Add it to your own zubi.toml: `[env]` `TRACKER_TOKEN = { file = "…" }`.
    .vscode/agent-tools.json: note: the file is not trusted, so its 4 tools are ignored
      `zubi trust --diff` shows what it would run, `zubi trust` trusts it
    .vscode/agent-tools/tracker.json: note: the file is not trusted, so its 3 tools are ignored
      `zubi trust --diff` shows what it would run, `zubi trust` trusts it
    --- stderr
    2 files, 7 tools, 0 errors, 2 warnings
    "#);
}

#[test]
fn its_tests_pass() {
    assert_snapshot!(trusted_example().check(&["tools", "check", "--test"]), @r#"
    exit 0
    --- stdout
    .vscode/agent-tools/tracker.json:26:47: warning[missing-secret]: the secret `TRACKER_TOKEN` is not set on this machine; calls fail until it is
      Add it to your own zubi.toml: `[env]` `TRACKER_TOKEN = { file = "…" }`.
    .vscode/agent-tools/tracker.json:74:47: warning[missing-secret]: the secret `TRACKER_TOKEN` is not set on this machine; calls fail until it is
      Add it to your own zubi.toml: `[env]` `TRACKER_TOKEN = { file = "…" }`.
    .vscode/agent-tools.json:37:9: passed: licence.missing: names the files without the line
    .vscode/agent-tools.json:47:9: passed: licence.missing: looks for another licence in other files, in some folders
    .vscode/agent-tools.json:58:9: passed: licence.missing: an argument is text, whatever it contains
    .vscode/agent-tools.json:88:9: passed: release.notes: lists the changes by kind
    .vscode/agent-tools.json:99:9: passed: release.notes: lists only the requested kinds
    .vscode/agent-tools.json:106:9: passed: release.notes: a version is needed
    .vscode/agent-tools/tracker.json:32:9: passed: tracker.find: sends only the given arguments
    .vscode/agent-tools/tracker.json:46:9: passed: tracker.find: a project is one segment of the path
    .vscode/agent-tools/tracker.json:80:9: passed: tracker.create: sends text as text and lists as lists
    .vscode/agent-tools/tracker.json:122:9: passed: todo.report: counts by mark and by file
    .vscode/agent-tools/tracker.json:142:9: passed: todo.report: a failed search is reported
    .vscode/agent-tools/tracker.json:148:9: passed: todo.report: a mark is a word
    --- stderr
    2 files, 7 tools, 0 errors, 2 warnings
    12 tests: 12 passed, 0 failed, 2 tools without tests
    "#);
}

#[test]
fn example_tools_can_be_called() {
    let sandbox = trusted_example();
    assert_snapshot!(stable(&sandbox.check(&["call", "licence.missing"])), @"
    exit 0
    --- stdout
    src/fees.py
    [SANDBOX · exit 0 · TIME]
    ");
    assert_snapshot!(stable(&sandbox.check(&["call", "release.notes", "--version", "1.4.0", "--kinds", "fixed", "--kinds", "added"])), @"
    exit 0
    --- stdout
    ## 1.4.0

    ### fixed

    - A name with a blank is found. (#12)

    ### added

    - Loans can be renewed. (#7)
    [SANDBOX · exit 0 · TIME]
    ");
    assert_snapshot!(stable(&sandbox.check(&["call", "release.notes", "--version", "1.4.0", "--kinds", "none"])), @"
    exit 1
    --- stderr
    error: Failed to run release.notes: it exited with 3
    stderr:
    there are no pieces of these kinds: none
    hint: See its output: change the arguments, or report an error in the tool to the user.
    ");
    assert_snapshot!(sandbox.check(&["call", "todo.report"]), @r#"
    exit 0
    --- stdout
    {
      "total": 3,
      "byMark": {
        "TODO": 2,
        "FIXME": 1,
        "XXX": 0
      },
      "files": [
        {
          "file": "src/fees.py",
          "count": 2
        },
        {
          "file": "src/loans.py",
          "count": 1
        }
      ]
    }
    "#);
    assert_snapshot!(sandbox.check(&["call", "tracker.find", "--project", "LEND"]), @r#"
    exit 1
    --- stderr
    error: Failed to run tracker.find: the secret `TRACKER_TOKEN` is not set on this machine
    hint: The user can set it in zubi.toml: `[env]` `TRACKER_TOKEN = { file = "…" }`.
    "#);
    assert_snapshot!(sandbox.check(&["call", "workspace.format_document"]), @"
    exit 1
    --- stderr
    error: Failed to run workspace.format_document: it is unavailable here: it is a command of the editor, and no editor is connected
    hint: Open the workspace in VS Code with zubi's extension, or use another tool.
    ");
    assert_snapshot!(sandbox.check(&["call", "docs.ask", "--question", "How long is a loan?"]), @"
    exit 1
    --- stderr
    error: Failed to run docs.ask: it is unavailable here: the function it calls is not registered
    hint: It works once an extension or a program registers that function; use another tool until then.
    ");
}

#[test]
fn an_author_sees_what_would_run() {
    assert_snapshot!(stable(&trusted_example().check(&["tools", "run", "--dry-run", "release.notes", "--version", "1.0; rm -rf /"])), @r#"
    exit 0
    --- stdout
    would run:
      exec sh scripts/notes.sh -- ""'1.0; rm -rf /'""

    release.notes: allow
      allow it runs `sh scripts/notes.sh -- 1.0; rm -rf /` [`allow`]
      in: [PLACE]/work
      sandbox: LEVEL: writes nothing but a temporary directory, no credential stores, no network
    --- stderr
    release.notes (shell), .vscode/agent-tools.json:68:13
    "#);
}

/// An answer without the parts that differ between machines: the sandbox, and the duration.
fn stable(answer: &str) -> String {
    let level = ["landlock+seccomp", "bubblewrap", "landlock", "seccomp", "no sandbox"];
    let mut lines: Vec<String> = Vec::new();
    for line in answer.lines() {
        let line = level.iter().find_map(|level| {
            let rest = line.strip_prefix(&format!("[{level} · "))?;
            Some(format!("[SANDBOX · {} · TIME]", rest.rsplit_once(" · ").map_or(rest, |(rest, _)| rest)))
        });
        lines.push(line.unwrap_or_default());
    }
    let stable_lines =
        lines.iter().zip(answer.lines()).map(|(line, answer_line)| if line.is_empty() { answer_line } else { line });
    stable_lines.collect::<Vec<_>>().join("\n")
}
