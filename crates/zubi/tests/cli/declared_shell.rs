//! Shell tools and secrets from the command line, as a user sees them. The expansion of every value in every position
//! is tested on the host (`zubi-host/tests/declared`).

use insta::assert_snapshot;

use crate::check::Sandbox;

/// A trusted file with these tools, none of which requires approval for each call, and a `zubi.toml` that allows them.
fn sandbox_with_tools(tools: &str, settings: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.directory("work/.vscode");
    sandbox.write("config/zubi/zubi.toml", &format!("allow = [\"workspace.*\"]\n{settings}"));
    sandbox.write("work/.vscode/agent-tools.json", &format!(r#"{{"version": "1.0", "tools": [{tools}]}}"#));
    sandbox.trust();
    sandbox
}

fn tool(id: &str, execution: &str) -> String {
    format!(
        r#"{{"id": "{id}", "name": "T", "description": "What the test of `{id}` calls, and nobody else.", "requiresApproval": false,
        "parameters": {{"type": "object", "properties": {{"value": {{"type": "string", "description": "any text"}}}}}},
        "execution": {execution}}}"#
    )
}

/// Runs zubi with these arguments and cuts off the line about sandbox and time, which differs between runs.
fn check(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = sandbox.check(words);
    output.split("\n[").next().unwrap_or_default().to_owned()
}

#[test]
fn script_failure_includes_its_output() {
    let say_tool = tool("say", r#"{"type": "shell", "script": "printf '<%s>\\n' \"$value\"; printf 'in '; pwd"}"#);
    let fails = tool("fails", r#"{"type": "shell", "script": "echo out; echo err >&2; exit 3"}"#);
    let sandbox = sandbox_with_tools(&[say_tool, fails].join(", "), "");
    assert_snapshot!(check(&sandbox, &["call", "workspace.say", "--value", "'; touch canary; $(touch canary) `touch canary`"]), @"
    exit 0
    --- stdout
    <'; touch canary; $(touch canary) `touch canary`>
    in [PLACE]/work
    ");
    assert!(!sandbox.exists("work/canary"));
    assert_snapshot!(check(&sandbox, &["call", "workspace.fails"]), @"
    exit 1
    --- stderr
    error: Failed to run workspace.fails: it exited with 3
    out
    stderr:
    err
    hint: See its output: change the arguments, or report an error in the tool to the user.
    ");
    let output = sandbox.check(&["call", "workspace.say", "--input", r#"{"value": "a\u0000b"}"#]);
    assert!(output.starts_with("exit 2") && output.contains("NUL"), "{output}");
}

/// Without a rule, the call requires approval, and the prompt shows the command.
#[test]
fn policy_checks_the_expanded_command() {
    let tool = tool("say", r#"{"type": "shell", "script": "git log -- $value && rm $value"}"#);
    let sandbox = sandbox_with_tools(&tool, "");
    sandbox.write("config/zubi/zubi.toml", "[[policy]]\naction = 'deny'\ncommand = ['rm', '*']\n");
    let output = sandbox.check(&["call", "workspace.say", "--value", "x"]);
    assert!(output.starts_with("exit 3") && output.contains("it runs `rm x`"), "{output}");
    sandbox.write("config/zubi/zubi.toml", "[[policy]]\naction = 'allow'\ncommand = ['git', 'log', '*']\n");
    let output = sandbox.check(&["call", "workspace.say", "--value", "x"]);
    assert!(output.contains("no one can approve it here") && output.contains("rm"), "{output}");
}

#[test]
fn secrets_come_from_user_config_and_problems_are_reported() {
    let secret_tool = |id: &str, name: &str| {
        tool(id, &format!(r#"{{"type": "shell", "script": "echo got ${{env:{name}}} \"$value\""}}"#))
    };
    let tools = [secret_tool("good", "TOKEN"), secret_tool("open", "OPEN"), secret_tool("absent", "ABSENT")].join(", ");
    let sandbox = sandbox_with_tools(&tools, "[env]\nTOKEN = 'hunter2'\nOPEN = { file = 'open' }\nODD = 3\n");
    sandbox.write("config/zubi/open", "everybody's");
    sandbox.write("work/.zubi.toml", "[env]\nTOKEN = 'theirs'\n");
    assert_snapshot!(check(&sandbox, &["call", "workspace.good"]), @"
    exit 0
    --- stdout
    got (redacted)
    ");
    assert_snapshot!(sandbox.check(&["call", "workspace.open"]), @"
    exit 1
    --- stderr
    warning: `env` in `[PLACE]/work/.zubi.toml` has no effect: it belongs in your own zubi.toml
    error: Failed to run workspace.open: the secret `OPEN` cannot be used: `[PLACE]/config/zubi/open` is open to others (mode 644); make it yours alone: `chmod 600 [PLACE]/config/zubi/open`
    hint: The user can fix it in zubi.toml, `[env]` `OPEN`; `zubi doctor` reports it too.
    ");
    assert_snapshot!(sandbox.check(&["call", "workspace.absent"]), @r#"
    exit 1
    --- stderr
    warning: `env` in `[PLACE]/work/.zubi.toml` has no effect: it belongs in your own zubi.toml
    error: Failed to run workspace.absent: the secret `ABSENT` is not set on this machine
    hint: The user can set it in zubi.toml: `[env]` `ABSENT = { file = "…" }`.
    "#);
    let output = sandbox.check(&["doctor"]);
    let secret_lines: Vec<&str> =
        output.lines().filter(|line| line.starts_with("secrets: ") || line.starts_with("warning")).collect();
    assert_snapshot!(secret_lines.join("\n"), @r#"
    secrets: the secret `ODD` cannot be used: it is of type integer; write `NAME = "value"` or `NAME = { file = "path" }`
    secrets: the secret `OPEN` cannot be used: `[PLACE]/config/zubi/open` is open to others (mode 644); make it yours alone: `chmod 600 [PLACE]/config/zubi/open`
    secrets: others can read `[PLACE]/config/zubi/zubi.toml`, which has secrets in it; `chmod 600` it
    warning: `env` in `[PLACE]/work/.zubi.toml` has no effect: it belongs in your own zubi.toml
    "#);
    // Even if a model learns the secret elsewhere, no record contains it.
    let output = sandbox.check(&["call", "workspace.good", "--value", "it is hunter2"]);
    assert!(!output.contains("hunter2"), "{output}");
    let audit = sandbox.read("state/zubi/audit/audit.jsonl");
    assert!(audit.contains("it is (redacted)") && !audit.contains("hunter2"), "{audit}");
}

/// zubi treats a secret that a tool reads from its environment like one of `[env]`: it judges it by its name and never
/// shows it.
#[test]
fn environment_variable_of_a_tool_can_be_a_secret() {
    let tool = tool("leak", r#"{"type": "shell", "script": "printf '%s\\n' \"$MY_API_KEY\" \"$PLAIN_WORD\""}"#)
        .replace("\"name\"", "\"sandbox\": {\"env\": [\"MY_API_KEY\", \"PLAIN_WORD\"]}, \"name\"");
    let sandbox = sandbox_with_tools(&tool, "");
    let with = |words: &[&str]| {
        sandbox.show(sandbox.zubi().args(words).env("MY_API_KEY", "correct horse").env("PLAIN_WORD", "plain"))
    };
    let output = with(&["call", "workspace.leak"]);
    assert!(!output.contains("correct horse") && output.contains("redacted") && output.contains("plain"), "{output}");
    assert_snapshot!(with(&["policy", "explain", "workspace.leak"]), @r#"
    exit 0
    --- stdout
    workspace.leak: allow
      allow its effects cannot be determined: `"$MY_API_KEY"` is worked out only when it runs [`allow`]
      allow its effects cannot be determined: `"$PLAIN_WORD"` is worked out only when it runs [`allow`]
      allow it runs `printf %s\n "$MY_API_KEY" "$PLAIN_WORD"` [no rule]
      allow it uses the secret MY_API_KEY [`allow`]
      in: [PLACE]/work
      sandbox: LEVEL: writes only below the workspace, no credential stores, no network
    "#);
}
