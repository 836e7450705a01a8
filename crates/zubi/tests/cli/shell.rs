//! Commands and their outputs through all of zubi: policy, sandbox, store. Each answer ends with a line that says which
//! sandbox confined the command.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::clock::SystemClock;
use zubi_base::config::Layers;
use zubi_base::process::Spawner;
use zubi_base::trust::{Trust, TrustStore};
use zubi_host::{CallContext, CallRequest, HostConfig, LocalHost, ToolService as _};
use zubi_tool_api::cx::{Caller, NoApprover, NoProgress, Restrictions, Surface};

use crate::check::Sandbox;

/// A sandbox whose user has allowed the tool.
fn allow_tool() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("config/zubi/zubi.toml", "allow = ['shell.run']\n");
    sandbox
}

/// The answer of a call, as JSON.
fn call(sandbox: &Sandbox, tool: &str, arguments: &Value) -> Value {
    let output = sandbox.zubi().args(["call", tool, "--json", "--input", &arguments.to_string()]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// The text of an answer, as an agent receives it.
fn text(sandbox: &Sandbox, tool: &str, arguments: &Value) -> String {
    let output = sandbox.zubi().args(["call", tool, "--input", &arguments.to_string()]).output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn command_does_not_run_without_approval() {
    let sandbox = Sandbox::new();
    let answer = call(&sandbox, "shell.run", &json!({ "command": "touch made" }));
    assert_eq!(answer["error"]["code"], "approval_unavailable", "{answer}");
    assert!(!sandbox.exists("work/made"));
    let answer = call(&sandbox, "shell.which", &json!({ "command": "sh" }));
    assert!(answer["found"][0].as_str().is_some_and(|path| path.ends_with("/sh")), "{answer}");
}

#[test]
fn command_writes_only_in_the_workspace() {
    let sandbox = allow_tool();
    for script in ["echo x > ../beside", "mkdir ../work-beside", "ln -s .. up && echo x > up/beside"] {
        let answer = call(&sandbox, "shell.run", &json!({ "command": script }));
        assert_ne!(answer["exitCode"], 0, "{script}: {answer}");
    }
    assert!(!sandbox.exists("beside") && !sandbox.exists("work-beside"));
    let answer = call(&sandbox, "shell.run", &json!({ "command": "echo x > inside" }));
    assert_eq!(answer["exitCode"], 0, "{answer}");
    assert!(sandbox.exists("work/inside"));
}

#[test]
fn a_command_runs_in_the_workspace() {
    let sandbox = allow_tool();
    sandbox.link("/", "work/root");
    for cwd in ["..", "/", "root", "src/../..", "/tmp", "absent", "src/lib.rs", "a\0b"] {
        let answer = call(&sandbox, "shell.run", &json!({ "command": "touch made", "cwd": cwd }));
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{cwd}: {answer}"));
        assert!(message.starts_with("Invalid input: cwd: "), "{cwd}: {message}");
    }
    let answer = call(&sandbox, "shell.run", &json!({ "command": "pwd", "cwd": "src" }));
    assert!(answer["stdout"]["text"].as_str().unwrap().ends_with("work/src\n"), "{answer}");
}

#[test]
fn timed_out_command_is_killed_and_its_output_reported() {
    let sandbox = allow_tool();
    let script = "echo begun; tail -f /dev/null & tail -f /dev/null";
    let answer_text = text(&sandbox, "shell.run", &json!({ "command": script, "timeoutMs": 500 }));
    assert!(answer_text.starts_with("begun\n["), "{answer_text}");
    assert!(answer_text.contains("time-out after 0.5 s, ended with all its processes"), "{answer_text}");
}

#[test]
fn command_output_is_complete() {
    let sandbox = allow_tool();
    let answer_text =
        text(&sandbox, "shell.run", &json!({ "command": "echo out; cat; echo err >&2; exit 3", "stdin": "in\n" }));
    let (outputs, status) = answer_text.trim_end().rsplit_once("\n[").unwrap();
    assert_eq!(outputs, "out\nin\nstderr:\nerr");
    assert!(status.contains(" · exit 3 · "), "{status}");

    let answer = call(&sandbox, "shell.run", &json!({ "command": "seq -f 'line %g' 1 20000" }));
    let output = answer["stdout"]["output"].as_str().unwrap();
    assert_eq!(answer["stdout"]["lines"], 20_000);
    assert!(answer["stdout"]["text"].as_str().unwrap().len() < 40_000);
    let answer_text = text(&sandbox, "output.read", &json!({ "output": output, "fromLine": 12_345, "lines": 2 }));
    let next = format!("… 7654 more: output.read {{\"output\":\"{output}\",\"fromLine\":12347}}");
    assert_eq!(answer_text.trim_end(), format!("lines 12345-12346 of 20000\nline 12345\nline 12346\n{next}"));
    let answer_text = text(&sandbox, "output.read", &json!({ "output": output, "fromLine": -1 }));
    assert_eq!(answer_text.trim_end(), "lines 20000-20000 of 20000\nline 20000");
    let answer_text =
        text(&sandbox, "output.grep", &json!({ "output": output, "pattern": "e 1999[89]$", "context": 1 }));
    assert!(answer_text.contains("  19997-  line 19997\n  19998:  line 19998\n"), "{answer_text}");
    for hostile in ["o-../../../../etc/pa", "../x", "o-0123456789abcdef", ""] {
        let answer = call(&sandbox, "output.read", &json!({ "output": hostile }));
        assert!(answer["error"]["message"].is_string(), "{answer}");
    }
}

/// A line without a line feed is shown too.
#[test]
fn lines_of_any_length_are_read_and_searched() {
    let sandbox = allow_tool();
    let script = "head -c 3000000 /dev/zero | tr '\\0' x; printf needle; head -c 90000 /dev/zero | tr '\\0' y; printf '\\nlast\\n'";
    let answer = call(&sandbox, "shell.run", &json!({ "command": script }));
    let output = answer["stdout"]["output"].as_str().unwrap();
    assert_eq!(answer["stdout"]["lines"], 2, "{answer}");
    let answer_text = text(&sandbox, "output.grep", &json!({ "output": output, "pattern": "needle" }));
    assert!(answer_text.starts_with("1 matching lines in ") && answer_text.len() < 70_000, "{}", answer_text.len());
    let answer_text = text(&sandbox, "output.grep", &json!({ "output": output, "pattern": "^last$" }));
    assert!(answer_text.contains("  2:  last"), "{answer_text}");
    let answer_text = text(&sandbox, "output.read", &json!({ "output": output }));
    assert!(
        answer_text.starts_with("lines 1-2 of 2\n") && answer_text.contains("more bytes\nlast"),
        "{}",
        answer_text.len()
    );
}

/// A rule for the tool does not apply to a program that appears in no command.
#[test]
fn program_read_from_stdin_requires_approval() {
    let sandbox = allow_tool();
    for script in ["sh", "sh -s", "cat | sh", "python3 -", "env python3"] {
        let answer_text =
            text(&sandbox, "shell.run", &json!({ "command": script, "stdin": "open('made', 'w') # ; touch made\n" }));
        assert!(
            answer_text.contains("its effects cannot be determined")
                && answer_text.contains("no one can approve it here"),
            "{script}: {answer_text}"
        );
    }
    assert!(!sandbox.exists("work/made"));
}

#[test]
fn script_is_never_parsed_as_shell_options() {
    let sandbox = allow_tool();
    for script in ["-rf", "--help", "-c 'touch made'"] {
        let answer = call(&sandbox, "shell.run", &json!({ "command": script }));
        assert_eq!(answer["exitCode"], 127, "{script}: {answer}");
    }
    assert!(!sandbox.exists("work/made"));
}

#[test]
fn tokens_are_redacted() {
    let sandbox = allow_tool();
    let answer_text = text(&sandbox, "shell.run", &json!({ "command": "printf 'ghp_%s' 0123456789abcdefABCDEF" }));
    assert!(!answer_text.contains("0123456789abcdef") && answer_text.contains("(redacted)"), "{answer_text}");
}

#[test]
fn terminal_without_editor_is_an_error() {
    let answer_text = text(&Sandbox::new(), "shell.terminal", &json!({ "command": "top" }));
    assert!(
        answer_text.contains("Failed to open a terminal: no editor is connected") && answer_text.contains("shell.run"),
        "{answer_text}"
    );
}

/// Jobs live as long as their host, so this test runs one.
#[tokio::test(flavor = "multi_thread")]
async fn background_processes_are_listed_and_stopped() {
    let sandbox = allow_tool();
    let state = camino::Utf8PathBuf::from_path_buf(sandbox.path("state")).unwrap();
    let mut layers = Layers::default();
    layers.flags.allow = Some(vec!["shell.run".to_owned()]);
    let host = LocalHost::new(&HostConfig {
        folders: vec![camino::Utf8PathBuf::from_path_buf(sandbox.path("work")).unwrap()],
        state_dir: state.clone(),
        cache_dir: None,
        settings: layers.resolve(),
        trust: Trust::new(TrustStore::new(&state), false),
        spawner: Spawner::with_supervisor(env!("CARGO_BIN_EXE_zubi")),
        user_catalogue: None,
        search_path: Some("/usr/bin:/bin".into()),
        kind: zubi_host::HostKind::InProcess,
        clock: Arc::new(SystemClock),
    })
    .unwrap();
    let call = async |tool: &str, arguments: Value| {
        let caller = Caller { surface: Surface::Mcp, client: None, session: 0, restrictions: Restrictions::default() };
        let request = CallRequest { tool: tool.to_owned(), arguments, caller: Arc::new(caller), token_budget: None };
        let context = CallContext {
            cancel: CancellationToken::new(),
            progress: Arc::new(NoProgress),
            approver: Arc::new(NoApprover),
            timeout: Duration::from_mins(1),
        };
        host.call(&request, &context).await.unwrap().text
    };
    let script = "cat; tail -f /dev/null";
    let answer_text = call("shell.run", json!({ "command": script, "stdin": "got it\n", "background": true })).await;
    assert!(answer_text.starts_with("job j-1 is running;") && answer_text.contains(" · running · "), "{answer_text}");
    let answer_text = call("shell.run", json!({ "command": "echo quick; exit 4", "background": true })).await;
    assert!(
        answer_text.starts_with("quick\n[") && answer_text.contains("exit 4"),
        "what ends at once is told at once: {answer_text}"
    );
    let answer_text = call("shell.job", json!({ "job": "j-1", "action": "output", "since": "0:0" })).await;
    assert!(
        answer_text.starts_with("got it\n[j-1 · running · ") && answer_text.ends_with(" · since 7:0]"),
        "{answer_text}"
    );
    let answer_text = call("shell.job", json!({ "job": "j-1", "action": "output", "since": "7:0" })).await;
    assert!(answer_text.starts_with("nothing new\n"), "{answer_text}");
    let answer_text = call("shell.job", json!({})).await;
    assert!(answer_text.contains("j-1  running") && answer_text.contains("j-2  exit 4"), "{answer_text}");
    let answer_text = call("shell.job", json!({ "job": "j-1", "action": "stop" })).await;
    assert!(answer_text.contains("[j-1 · stopped · "), "{answer_text}");
    let answer_text = call("shell.job", json!({ "job": "j-9" })).await;
    assert!(answer_text.starts_with("Invalid input: job: "), "{answer_text}");
    let answer_text = call("shell.run", json!({ "command": "tail -f /dev/null", "background": true })).await;
    assert!(answer_text.starts_with("job j-3 is running;"), "{answer_text}");
    host.shutdown().await;
    assert_eq!(zubi_base::process::descendants(std::process::id()), Vec::<u32>::new());
}

/// Files that decide about permissions are protected from a command, even if they lie in the workspace.
#[test]
fn command_cannot_access_zubi_state() {
    let sandbox = allow_tool();
    sandbox.write(
        "work/s.sh",
        "cat config/zubi/zubi.toml; echo x > config/zubi/zubi.toml; echo x > state/zubi/trust; echo x > work/made",
    );
    let arguments = json!({ "command": "sh work/s.sh" }).to_string();
    let root = sandbox.root();
    let output = sandbox
        .zubi()
        .args(["--workspace", &root, "call", "shell.run", "--json", "--input", &arguments])
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["exitCode"], 0, "{answer}");
    assert_eq!(answer["stdout"]["text"], "", "{answer}");
    assert!(sandbox.exists("work/made") && !sandbox.exists("state/zubi/trust"), "{answer}");
    assert_eq!(sandbox.read("config/zubi/zubi.toml"), "allow = ['shell.run']\n");
}

/// Commands do not inherit files that are open when zubi starts.
#[test]
fn command_inherits_nothing() {
    let sandbox = allow_tool();
    let zubi = sandbox.process();
    let mut shell = assert_cmd::Command::new("sh");
    shell.args(["-c", "exec 9>>../outside; exec \"$0\" call shell.run --command 'echo through >&9'"]);
    shell.arg(zubi.get_program()).current_dir(sandbox.path("work")).env_clear();
    shell.envs(zubi.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = sandbox.show(&mut shell);
    assert!(output.contains("9: Bad file descriptor"), "{output}");
    assert_eq!(sandbox.read("outside"), "");
}

/// zubi removes a command's temporary directory, with its files, before it sends the answer.
#[test]
fn temporary_directory_is_private_and_removed_afterwards() {
    let sandbox = allow_tool();
    let script = "stat -c %a \"$TMPDIR\"; for i in $(seq 500); do : > \"$TMPDIR/$i\"; done; echo \"$TMPDIR\"";
    sandbox.write("work/fill.sh", script);
    let answer = call(&sandbox, "shell.run", &json!({ "command": "sh fill.sh" }));
    let (mode, directory) = answer["stdout"]["text"].as_str().unwrap().trim_end().split_once('\n').unwrap();
    assert_eq!(mode, "700");
    assert!(directory.contains("zubi-") && !std::path::Path::new(directory).exists(), "{directory}");
}

/// The error says why a directory is not usable.
#[test]
fn invalid_working_directory() {
    let sandbox = allow_tool();
    sandbox.link("gone", "work/dangling");
    let run_in = |cwd: &str| text(&sandbox, "shell.run", &json!({ "command": "touch made", "cwd": cwd }));
    insta::assert_snapshot!(run_in("dangling"), @"
    error: Invalid input: cwd: `dangling` leads nowhere: `dangling` is a symbolic link to `gone`, which does not exist
    hint: zubi does not read or write through such a link. Name the file itself, or fix or remove the link.
    ");
    insta::assert_snapshot!(run_in("src/lib.rs/x"), @"
    error: Invalid input: cwd: `src/lib.rs/x` cannot be there: `src/lib.rs` is a file, no folder
    hint: Name that file, or another folder; `file.list` shows existing files.
    ");
    insta::assert_snapshot!(run_in("src/lib.rs"), @"
    error: Invalid input: cwd: `src/lib.rs` is not a folder
    hint: Name a folder of the workspace; without `cwd` it is the workspace itself.
    ");
    assert!(!sandbox.exists("work/made") && !sandbox.exists("work/gone"));
}
