//! The tools that replace texts, and scripts over all tools, through a whole session over MCP.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::check::Sandbox;
use crate::declared_mcp::Conversation;
use crate::stdio::{converse_as, initialize};

/// A workspace with files that an edit could damage.
fn workspace() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("work/src/a.py", "def load(name):\n    return name\n\nload('x')\n");
    sandbox.write("work/src/b.py", "from a import load\r\n\r\nload('y')");
    sandbox.write("work/notes.md", "Call load first.\n");
    sandbox
}

/// Calls a tool in a session of its own and returns the answer.
fn answer(sandbox: &Sandbox, flags: &[&str], tool: &str, arguments: &Value) -> String {
    Conversation::start(sandbox, flags).call(tool, arguments.clone())
}

/// Returns the id of the plan in an answer.
fn plan(answer: &str) -> &str {
    let start = answer.find("p-").unwrap();
    answer.get(start..start + 12).unwrap()
}

#[test]
fn replacements_are_planned_chosen_applied_and_undone() {
    let sandbox = workspace();
    let read = |path: &str| sandbox.read(&format!("work/{path}"));
    let before = ["src/a.py", "src/b.py", "notes.md"].map(read);
    // The tools are not in the list of a session without flags, so it calls them by the tool that calls any.
    let all = json!({ "tool": "replace_in_files", "arguments": { "pattern": "load", "replacement": "read", "glob": "**/*" } });
    let planned = answer(&sandbox, &[], "zubi_call_tool", &all);
    for line in [
        "  1. 1:6  Call load first.",
        "  5. 3:1  load('y')",
        "       →  read('y')",
        "5 edits in 3 files; nothing is written yet",
    ] {
        assert!(planned.contains(line), "{line}: {planned}");
    }
    let some =
        json!({ "pattern": "load", "replacement": "read", "glob": "**/*", "occurrences": "2-3,5", "apply": true });
    let applied = answer(&sandbox, &["--toolsets", "refactor"], "replace_in_files", &some);
    assert!(
        applied.starts_with(&format!("applied {}: replace `load` by `read` in 2 files\n", plan(&applied))),
        "{applied}"
    );
    assert_eq!(read("src/b.py"), "from a import load\r\n\r\nread('y')");
    assert_eq!(read("src/a.py"), "def read(name):\n    return name\n\nread('x')\n");
    assert_eq!(read("notes.md"), before[2]);
    answer(&sandbox, &[], "undo_edit", &json!({ "plan": plan(&applied) }));
    assert_eq!(["src/a.py", "src/b.py", "notes.md"].map(read), before);

    let edits = json!({ "edits": [
        { "path": "src/b.py", "old": "load\n\nload", "new": "read\n\n\nread" },
        { "path": "src/a.py", "old": "lod('x')", "new": "read('x')" },
    ] });
    let refused = answer(&sandbox, &["--toolsets", "refactor"], "edit_files", &edits);
    insta::assert_snapshot!(refused, @"
    failed: Invalid input: edits: edits[1].old: not in `src/a.py`; the nearest lines are
      4: load('x')
    Nothing is planned. Give old exactly as in the file, with all: true for every occurrence, or at: a line for the nearest one.
    ");
    let edits = json!({ "edits": [edits["edits"][0], { "path": "src/a.py", "old": "load", "new": "read", "at": 4 }] });
    let planned = answer(&sandbox, &["--toolsets", "refactor"], "edit_files", &edits);
    answer(&sandbox, &[], "apply_edit", &json!({ "plan": plan(&planned) }));
    assert_eq!(read("src/b.py"), "from a import read\r\n\r\n\r\nread('y')");
    assert_eq!(read("src/a.py"), "def load(name):\n    return name\n\nread('x')\n");
    answer(&sandbox, &[], "undo_edit", &json!({ "plan": plan(&planned) }));
    assert_eq!(["src/a.py", "src/b.py", "notes.md"].map(read), before);
}

/// A rule about a file holds however the call names it.
#[test]
fn rules_about_files_hold_for_replacements() {
    let sandbox = workspace();
    sandbox.write("config/zubi/zubi.toml", "[[policy]]\naction = \"deny\"\nwrite = [\"src/**\"]\n");
    let replace = json!({ "pattern": "load", "replacement": "read", "glob": "**/*", "apply": true });
    let edit = json!({ "edits": [{ "path": "src/b.py", "old": "'y'", "new": "'z'" }], "apply": true });
    for (tool, arguments) in [("replace_in_files", &replace), ("edit_files", &edit)] {
        let refused = answer(&sandbox, &["--toolsets", "refactor"], tool, arguments);
        assert!(refused.starts_with("failed: Failed to run apply_edit: "), "{tool}: {refused}");
        let script = json!({ "code": format!("return tools.{tool}({arguments})") });
        let refused = answer(&sandbox, &["--toolsets", "script,refactor"], "run_script", &script);
        assert!(refused.contains("line 1, column 14: Failed to run apply_edit: "), "{tool}: {refused}");
    }
    assert!(sandbox.read("work/notes.md").contains("load"), "all or nothing");
    assert!(sandbox.read("work/src/b.py").contains("'y'"));
}

/// Runs a script in a session with all file tools.
fn script(sandbox: &Sandbox, code: &str) -> String {
    let text =
        answer(sandbox, &["--toolsets", "script,refactor,file,lsp,shell"], "run_script", &json!({ "code": code }));
    // The identifiers of plans are random.
    let plan = text.split_once("\"plan\":\"").and_then(|(_, rest)| rest.split('"').next()).map(str::to_owned);
    plan.map_or(text.clone(), |plan| text.replace(&plan, "p-…"))
}

#[test]
fn a_script_combines_calls_and_returns_only_what_is_wanted() {
    let sandbox = workspace();
    insta::assert_snapshot!(script(&sandbox, "
        const found = tools.file_search({query: 'load', regex: false});
        console.log('lines', found.total);
        return found.items.filter(item => item.path.endsWith('.py')).map(item => `${item.path}:${item.line}`)
    "), @r#"
    lines 5
    ["src/a.py:1","src/a.py:4","src/b.py:1","src/b.py:3"]
    [script · 1 call]
    "#);
    insta::assert_snapshot!(script(&sandbox, "
        const plan = await tools.replace_in_files({pattern: 'load', replacement: 'read', glob: '*.md'});
        const applied = tools.apply_edit({plan: plan.plan});
        return [plan.total, applied.files]
    "), @r#"
    already done: apply_edit (undo_edit {"plan":"p-…"} undoes it)
    [1,[{"path":"notes.md","done":"written"}]]
    [script · 2 calls · may be incomplete: apply_edit]
    "#);
    assert_eq!(sandbox.read("work/notes.md"), "Call read first.\n");
    insta::assert_snapshot!(script(&sandbox, "
        console.log('before');
        return tools.lsp_hover({})
    "), @r#"
    failed: Failed to run the script: line 3, column 22: Invalid input: position: no position was given
    Give the position in exactly one of two ways:
      symbol: "Type/method" (optionally with path: "src/lib.rs")
      at: "src/lib.rs:12:5" (1-based, as answers print it) or at: "src/lib.rs:12 fn parse"
    log:
    before
    Correct the code and call again.
    "#);
    insta::assert_snapshot!(script(&sandbox, "tools.file_write({path: 'new.txt', content: 'x'});\nreturn missing"), @"
    failed: Failed to run the script: line 2, column 8: ReferenceError: missing is not defined; already done: file.write
    Correct the code and call again. What is already done would be done again: undo it first, or leave it out.
    ");
    let planned = "tools.replace_in_files({pattern: 'read', replacement: 'load', glob: '*.md'}); throw 'x'";
    insta::assert_snapshot!(script(&sandbox, planned), @"
    failed: Failed to run the script: x
    Correct the code and call again.
    ");
    let written =
        "tools.replace_in_files({pattern: 'read', replacement: 'load', glob: '*.md', apply: true}); throw 'x'";
    let failed = script(&sandbox, written);
    assert!(failed.contains("already done: replace_in_files (undo_edit {\"plan\":\"p-"), "{failed}");
    assert!(failed.contains("undo it first") && sandbox.read("work/notes.md") == "Call load first.\n", "{failed}");
    insta::assert_snapshot!(script(&sandbox, "return tools.run_script({code: 'return 1'})"), @"
    failed: Failed to run the script: line 1, column 14: a script cannot run another
    Correct the code and call again.
    ");
    insta::assert_snapshot!(script(&sandbox, "return tools.zubi_call_tool({tool: 'file_read'})"), @"
    failed: Failed to run the script: line 1, column 14: Invalid input: tool: `zubi_call_tool`: its toolset is switched off here (`toolsets`)
    `zubi_find_tools` lists the available tools.
    Correct the code and call again.
    ");
    insta::assert_snapshot!(script(&sandbox, "return tools.nothing({})"), @"
    failed: Failed to run the script: line 1, column 14: Invalid input: tool: `nothing`: there is no such tool
    `zubi_find_tools` lists the available tools.
    Correct the code and call again.
    ");
    insta::assert_snapshot!(script(&sandbox, "return tools.file_read('a')"), @"
    failed: Failed to run the script: line 1, column 14: tools.file_read takes one object: tools.file_read({name: value})
    Correct the code and call again.
    ");
    insta::assert_snapshot!(script(&sandbox, "const x = ;"), @"
    failed: Failed to run the script: line 1, column 11: SyntaxError: unexpected token in expression: ';'
    Correct the code and call again.
    ");
}

/// A command needs the approval of a user, and this client cannot prompt one.
#[test]
fn a_script_has_the_rights_of_its_caller() {
    let sandbox = workspace();
    let refused = script(&sandbox, "return tools.shell_run({command: 'touch made'})");
    assert!(
        refused.starts_with("failed: Failed to run the script: line 1, column 14: Failed to run shell.run: "),
        "{refused}"
    );
    assert!(!sandbox.exists("work/made"));
    let files = ["--toolsets", "script,file"];
    let code =
        json!({ "code": "try { tools.apply_edit({plan: 'p-aaaaaaaaaa'}) } catch (error) { return error.message }" });
    let denied = answer(&sandbox, &files, "run_script", &code);
    assert!(denied.contains("it") && denied.contains("toolsets"), "{denied}");
    let env = json!({ "code": "return [typeof process, typeof require, typeof fetch, typeof std, typeof os]" });
    let nothing = answer(&sandbox, &files, "run_script", &env);
    assert!(nothing.starts_with(r#"["undefined","undefined","undefined","undefined","undefined"]"#), "{nothing}");
}

/// The command line has the same tools, and waits for the answer.
#[test]
fn scripts_are_limited() {
    let sandbox = workspace();
    let run = |code: &str| {
        let arguments = json!({ "code": code }).to_string();
        let output = sandbox.zubi().args(["call", "run_script", "--input", &arguments]).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    for (code, expected) in [
        ("for (;;) {}", "Failed to run the script: the code ran longer than 10000 ms"),
        ("const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)", "out of memory"),
        ("for (let n = 0; n < 200; n++) tools.file_list({})", "line 1, column 37: more than 100 calls"),
        ("return 'x'.repeat(9000)", "… cut: 8000 of 9000 bytes; return less, or raise maxTokens"),
        ("for (let n = 0; n < 9e3; n++) console.log(n); return 'end'", "\nend\n"),
    ] {
        let text = run(code);
        assert!(text.contains(expected) && text.len() < 9_000, "{code}: {text}");
    }
}

/// The end of a session cancels its calls, and the answer says what they have already changed.
#[test]
fn a_cancelled_script_reports_its_changes() {
    let sandbox = workspace();
    let code = "tools.file_write({path: 'made.txt', content: 'x'}); for (;;) {}";
    let arguments = json!({ "name": "run_script", "arguments": { "code": code } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": arguments });
    let mut conversation = Conversation::start(&sandbox, &["--toolsets", "script,file"]);
    conversation.send(&call);
    let until = Instant::now() + Duration::from_mins(1);
    while !sandbox.exists("work/made.txt") {
        assert!(Instant::now() < until, "the script has not written its file");
        std::thread::yield_now();
    }
    let answer = conversation.end();
    assert!(answer.contains("Failed to run the script: the call was cancelled; "), "{answer}");
    assert!(answer.contains(": file.write\\n"), "{answer}");
}

/// A tool that may write must not be listed by default, and its hints say what its calls can do.
#[test]
fn a_script_is_listed_only_on_request() {
    let sandbox = workspace();
    let list = |flags: &[&str]| -> Vec<Value> {
        let messages = [initialize(), json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })];
        let lines = converse_as(sandbox.zubi().args(flags), &messages);
        lines[1]["result"]["tools"].as_array().unwrap().clone()
    };
    let is_script = |tool: &Value| tool["name"] == "run_script";
    assert!(!list(&[]).iter().any(is_script));
    assert!(!answer(&sandbox, &[], "zubi_find_tools", &json!({ "query": "javascript" })).contains("run_script"));
    for flags in [["--toolsets", "default,script"], ["--tools", "run_script"]] {
        let tools = list(&flags);
        let tool = tools.iter().find(|tool| is_script(tool)).unwrap();
        assert_eq!(tool["annotations"]["readOnlyHint"], false);
        assert_eq!(tool["annotations"]["destructiveHint"], true);
    }
    let refused =
        answer(&sandbox, &["--read-only", "--toolsets", "script"], "run_script", &json!({ "code": "return 1" }));
    assert!(refused.contains("run_script") && !refused.starts_with('1'), "{refused}");
}
