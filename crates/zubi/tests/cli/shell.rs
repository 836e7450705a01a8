//! Commands and their outputs through the whole of zubi: policy, sandbox, store. The last of each answer is the line that
//! says what held the command.

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

/// A person who has allowed the tool.
fn allow_tool() -> Sandbox {
    let place = Sandbox::new();
    place.write("config/zubi/zubi.toml", "allow = ['shell.run']\n");
    place
}

/// The answer of a call, as JSON.
fn call(place: &Sandbox, tool: &str, arguments: &Value) -> Value {
    let output = place.zubi().args(["call", tool, "--json", "--input", &arguments.to_string()]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// The text of an answer, as an agent gets it.
fn text(place: &Sandbox, tool: &str, arguments: &Value) -> String {
    let output = place.zubi().args(["call", tool, "--input", &arguments.to_string()]).output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_command_asks_and_where_nobody_is_it_does_not_run() {
    let place = Sandbox::new();
    let answer = call(&place, "shell.run", &json!({ "command": "touch made" }));
    assert_eq!(answer["error"]["code"], "approval_unavailable", "{answer}");
    assert!(!place.exists("work/made"));
    let answer = call(&place, "shell.which", &json!({ "command": "sh" }));
    assert!(answer["found"][0].as_str().is_some_and(|path| path.ends_with("/sh")), "{answer}");
}

#[test]
fn a_command_writes_nowhere_but_in_the_workspace() {
    let place = allow_tool();
    for script in ["echo x > ../beside", "mkdir ../work-beside", "ln -s .. up && echo x > up/beside"] {
        let answer = call(&place, "shell.run", &json!({ "command": script }));
        assert_ne!(answer["exitCode"], 0, "{script}: {answer}");
    }
    assert!(!place.exists("beside") && !place.exists("work-beside"));
    let answer = call(&place, "shell.run", &json!({ "command": "echo x > inside" }));
    assert_eq!(answer["exitCode"], 0, "{answer}");
    assert!(place.exists("work/inside"));
}

#[test]
fn a_command_runs_in_the_workspace() {
    let place = allow_tool();
    place.link("/", "work/root");
    for cwd in ["..", "/", "root", "src/../..", "/tmp", "absent", "src/lib.rs", "a\0b"] {
        let answer = call(&place, "shell.run", &json!({ "command": "touch made", "cwd": cwd }));
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{cwd}: {answer}"));
        assert!(message.starts_with("Invalid input: cwd: "), "{cwd}: {message}");
    }
    let answer = call(&place, "shell.run", &json!({ "command": "pwd", "cwd": "src" }));
    assert!(answer["stdout"]["text"].as_str().unwrap().ends_with("work/src\n"), "{answer}");
}

#[test]
fn what_takes_too_long_is_ended_and_what_it_wrote_is_told() {
    let place = allow_tool();
    let script = "echo begun; tail -f /dev/null & tail -f /dev/null";
    let told = text(&place, "shell.run", &json!({ "command": script, "timeout_ms": 500 }));
    assert!(told.starts_with("begun\n["), "{told}");
    assert!(told.contains("time-out after 0.5 s, ended with all its processes"), "{told}");
}

#[test]
fn nothing_that_a_command_writes_is_lost() {
    let place = allow_tool();
    let told = text(&place, "shell.run", &json!({ "command": "echo out; cat; echo err >&2; exit 3", "stdin": "in\n" }));
    let (outputs, status) = told.trim_end().rsplit_once("\n[").unwrap();
    assert_eq!(outputs, "out\nin\nstderr:\nerr");
    assert!(status.contains(" · exit 3 · "), "{status}");

    let answer = call(&place, "shell.run", &json!({ "command": "seq -f 'line %g' 1 20000" }));
    let output = answer["stdout"]["output"].as_str().unwrap();
    assert_eq!(answer["stdout"]["lines"], 20_000);
    assert!(answer["stdout"]["text"].as_str().unwrap().len() < 40_000);
    let told = text(&place, "output.read", &json!({ "output": output, "from_line": 12_345, "lines": 2 }));
    let next = format!("… 7654 more: output.read {{\"output\":\"{output}\",\"from_line\":12347}}");
    assert_eq!(told.trim_end(), format!("lines 12345-12346 of 20000\nline 12345\nline 12346\n{next}"));
    let told = text(&place, "output.read", &json!({ "output": output, "from_line": -1 }));
    assert_eq!(told.trim_end(), "lines 20000-20000 of 20000\nline 20000");
    let told = text(&place, "output.grep", &json!({ "output": output, "pattern": "e 1999[89]$", "context": 1 }));
    assert!(told.contains("  19997-  line 19997\n  19998:  line 19998\n"), "{told}");
    for hostile in ["o-../../../../etc/pa", "../x", "o-0123456789abcdef", ""] {
        let answer = call(&place, "output.read", &json!({ "output": hostile }));
        assert!(answer["error"]["message"].is_string(), "{answer}");
    }
}

/// A line without an end is shown too.
#[test]
fn lines_of_any_length_are_read_and_searched() {
    let place = allow_tool();
    let script = "head -c 3000000 /dev/zero | tr '\\0' x; printf needle; head -c 90000 /dev/zero | tr '\\0' y; printf '\\nlast\\n'";
    let answer = call(&place, "shell.run", &json!({ "command": script }));
    let output = answer["stdout"]["output"].as_str().unwrap();
    assert_eq!(answer["stdout"]["lines"], 2, "{answer}");
    let told = text(&place, "output.grep", &json!({ "output": output, "pattern": "needle" }));
    assert!(told.starts_with("1 matching lines in ") && told.len() < 70_000, "{}", told.len());
    let told = text(&place, "output.grep", &json!({ "output": output, "pattern": "^last$" }));
    assert!(told.contains("  2:  last"), "{told}");
    let told = text(&place, "output.read", &json!({ "output": output }));
    assert!(told.starts_with("lines 1-2 of 2\n") && told.contains("more bytes\nlast"), "{}", told.len());
}

/// A rule for the tool does not apply to a program that appears in no command.
#[test]
fn what_is_read_as_a_program_is_asked_about() {
    let place = allow_tool();
    for script in ["sh", "sh -s", "cat | sh", "python3 -", "env python3"] {
        let told =
            text(&place, "shell.run", &json!({ "command": script, "stdin": "open('made', 'w') # ; touch made\n" }));
        assert!(
            told.contains("its effects cannot be determined") && told.contains("nobody to ask"),
            "{script}: {told}"
        );
    }
    assert!(!place.exists("work/made"));
}

#[test]
fn a_script_is_never_read_as_options_of_the_shell() {
    let place = allow_tool();
    for script in ["-rf", "--help", "-c 'touch made'"] {
        let answer = call(&place, "shell.run", &json!({ "command": script }));
        assert_eq!(answer["exitCode"], 127, "{script}: {answer}");
    }
    assert!(!place.exists("work/made"));
}

#[test]
fn tokens_are_not_shown() {
    let place = allow_tool();
    let told = text(&place, "shell.run", &json!({ "command": "printf 'ghp_%s' 0123456789abcdefABCDEF" }));
    assert!(!told.contains("0123456789abcdef") && told.contains("(redacted)"), "{told}");
}

#[test]
fn a_terminal_needs_an_editor_and_says_so() {
    let told = text(&Sandbox::new(), "shell.terminal", &json!({ "command": "top" }));
    assert!(told.contains("Failed to open a terminal: no editor is connected") && told.contains("shell.run"), "{told}");
}

/// Jobs live as long as their host, so there is one here.
#[tokio::test(flavor = "multi_thread")]
async fn what_runs_in_the_background_is_seen_and_stopped() {
    let place = allow_tool();
    let state = camino::Utf8PathBuf::from_path_buf(place.path("state")).unwrap();
    let mut layers = Layers::default();
    layers.flags.allow = Some(vec!["shell.run".to_owned()]);
    let host = LocalHost::new(&HostConfig {
        folders: vec![camino::Utf8PathBuf::from_path_buf(place.path("work")).unwrap()],
        state_dir: state.clone(),
        settings: layers.resolve(),
        trust: Trust::new(TrustStore::new(&state), false),
        spawner: Spawner::with_supervisor(env!("CARGO_BIN_EXE_zubi")),
        user_catalogue: None,
        search_path: Some("/usr/bin:/bin".into()),
        kind: zubi_host::HostKind::Front,
        clock: Arc::new(SystemClock),
    })
    .unwrap();
    let call = async |tool: &str, arguments: Value| {
        let caller = Caller { surface: Surface::Mcp, client: None, session: 0, restrictions: Restrictions::default() };
        let request = CallRequest { tool: tool.to_owned(), arguments, caller: Arc::new(caller), token_budget: None };
        let circumstances = CallContext {
            cancel: CancellationToken::new(),
            progress: Arc::new(NoProgress),
            approver: Arc::new(NoApprover),
            patience: Duration::from_mins(1),
        };
        host.call(request, circumstances).await.unwrap().text
    };
    let script = "cat; tail -f /dev/null";
    let told = call("shell.run", json!({ "command": script, "stdin": "got it\n", "background": true })).await;
    assert!(told.starts_with("job j-1 is running;") && told.contains(" · running · "), "{told}");
    let told = call("shell.run", json!({ "command": "echo quick; exit 4", "background": true })).await;
    assert!(told.starts_with("quick\n[") && told.contains("exit 4"), "what ends at once is told at once: {told}");
    let told = call("shell.job", json!({ "job": "j-1", "action": "output", "since": "0:0" })).await;
    assert!(told.starts_with("got it\n[j-1 · running · ") && told.ends_with(" · since 7:0]"), "{told}");
    let told = call("shell.job", json!({ "job": "j-1", "action": "output", "since": "7:0" })).await;
    assert!(told.starts_with("nothing new\n"), "{told}");
    let told = call("shell.job", json!({})).await;
    assert!(told.contains("j-1  running") && told.contains("j-2  exit 4"), "{told}");
    let told = call("shell.job", json!({ "job": "j-1", "action": "stop" })).await;
    assert!(told.contains("[j-1 · stopped · "), "{told}");
    let told = call("shell.job", json!({ "job": "j-9" })).await;
    assert!(told.starts_with("Invalid input: job: "), "{told}");
    let told = call("shell.run", json!({ "command": "tail -f /dev/null", "background": true })).await;
    assert!(told.starts_with("job j-3 runs;"), "{told}");
    host.shutdown().await;
    assert_eq!(zubi_base::process::descendants(std::process::id()), Vec::<u32>::new());
}

/// Files that decide about permissions are protected from a command, even if they lie in the workspace.
#[test]
fn a_command_does_not_reach_what_zubi_itself_keeps() {
    let place = allow_tool();
    place.write(
        "work/s.sh",
        "cat config/zubi/zubi.toml; echo x > config/zubi/zubi.toml; echo x > state/zubi/trust; echo x > work/made",
    );
    let arguments = json!({ "command": "sh work/s.sh" }).to_string();
    let whole = place.root();
    let output = place
        .zubi()
        .args(["--workspace", &whole, "call", "shell.run", "--json", "--input", &arguments])
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["exitCode"], 0, "{answer}");
    assert_eq!(answer["stdout"]["text"], "", "{answer}");
    assert!(place.exists("work/made") && !place.exists("state/zubi/trust"), "{answer}");
    assert_eq!(place.read("config/zubi/zubi.toml"), "allow = ['shell.run']\n");
}

/// A file that is open when zubi starts is not open for what it runs.
#[test]
fn nothing_that_was_inherited_reaches_a_command() {
    let place = allow_tool();
    let zubi = place.process();
    let mut shell = assert_cmd::Command::new("sh");
    shell.args(["-c", "exec 9>>../outside; exec \"$0\" call shell.run --command 'echo through >&9'"]);
    shell.arg(zubi.get_program()).current_dir(place.path("work")).env_clear();
    shell.envs(zubi.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let told = place.show(&mut shell);
    assert!(told.contains("9: Bad file descriptor"), "{told}");
    assert_eq!(place.read("outside"), "");
}

/// The files in a command's temporary directory are removed with it, before the answer is sent.
#[test]
fn a_temporary_directory_is_its_own_and_is_gone_afterwards() {
    let place = allow_tool();
    let script = "stat -c %a \"$TMPDIR\"; for i in $(seq 500); do : > \"$TMPDIR/$i\"; done; echo \"$TMPDIR\"";
    place.write("work/fill.sh", script);
    let answer = call(&place, "shell.run", &json!({ "command": "sh fill.sh" }));
    let (mode, directory) = answer["stdout"]["text"].as_str().unwrap().trim_end().split_once('\n').unwrap();
    assert_eq!(mode, "700");
    assert!(directory.contains("zubi-") && !std::path::Path::new(directory).exists(), "{directory}");
}

/// The error says why a directory is not usable.
#[test]
fn a_directory_that_is_none() {
    let place = allow_tool();
    place.link("gone", "work/dangling");
    let told = |cwd: &str| text(&place, "shell.run", &json!({ "command": "touch made", "cwd": cwd }));
    insta::assert_snapshot!(told("dangling"), @"
    error: Invalid input: cwd: `dangling` leads nowhere: `dangling` is a symbolic link to `gone`, which does not exist
    hint: zubi does not read or write through such a link. Name the file itself, or fix or remove the link.
    ");
    insta::assert_snapshot!(told("src/lib.rs/x"), @"
    error: Invalid input: cwd: `src/lib.rs/x` cannot be there: `src/lib.rs` is a file, no folder
    hint: Name that file, or another folder; `file.list` shows existing files.
    ");
    insta::assert_snapshot!(told("src/lib.rs"), @"
    error: Invalid input: cwd: `src/lib.rs` is not a folder
    hint: Name a folder of the workspace; without `cwd` it is the workspace itself.
    ");
    assert!(!place.exists("work/made") && !place.exists("work/gone"));
}
