//! Shell tools and secrets from the command line, as a user sees them. The expansion of every value in every position
//! is tested on the host (`zubi-host/tests/declared`).

use insta::assert_snapshot;

use crate::check::Sandbox;

/// A trusted file with these tools, none of which requires approval for each call, and a `zubi.toml` that lets them
/// run.
fn place(tools: &str, settings: &str) -> Sandbox {
    let place = Sandbox::new();
    place.directory("work/.vscode");
    place.write("config/zubi/zubi.toml", &format!("allow = [\"workspace.*\"]\n{settings}"));
    place.write("work/.vscode/agent-tools.json", &format!(r#"{{"version": "1.0", "tools": [{tools}]}}"#));
    place.trust();
    place
}

fn tool(id: &str, execution: &str) -> String {
    format!(
        r#"{{"id": "{id}", "name": "T", "description": "What the test of `{id}` calls, and nobody else.", "requiresApproval": false,
        "parameters": {{"type": "object", "properties": {{"value": {{"type": "string", "description": "any text"}}}}}},
        "execution": {execution}}}"#
    )
}

/// Runs the words and cuts off the line about sandbox and time, which differs between runs.
fn check(place: &Sandbox, words: &[&str]) -> String {
    let told = place.check(words);
    told.split("\n[").next().unwrap_or_default().to_owned()
}

#[test]
fn a_script_runs_and_its_failure_is_told_with_what_it_wrote() {
    let say = tool("say", r#"{"type": "shell", "script": "printf '<%s>\\n' \"$value\"; printf 'in '; pwd"}"#);
    let fails = tool("fails", r#"{"type": "shell", "script": "echo out; echo err >&2; exit 3"}"#);
    let place = place(&[say, fails].join(", "), "");
    assert_snapshot!(check(&place, &["call", "workspace.say", "--value", "'; touch canary; $(touch canary) `touch canary`"]), @"
    exit 0
    --- stdout
    <'; touch canary; $(touch canary) `touch canary`>
    in [PLACE]/work
    ");
    assert!(!place.exists("work/canary"));
    assert_snapshot!(check(&place, &["call", "workspace.fails"]), @"
    exit 1
    --- stderr
    error: Failed to run workspace.fails: it exited with 3
    out
    stderr:
    err
    hint: See its output: change the arguments, or report an error in the tool to the user.
    ");
    let told = place.check(&["call", "workspace.say", "--input", r#"{"value": "a\u0000b"}"#]);
    assert!(told.starts_with("exit 2") && told.contains("NUL"), "{told}");
}

/// Without a rule, the call requires approval, and the prompt shows what would run.
#[test]
fn what_runs_is_what_is_judged() {
    let tool = tool("say", r#"{"type": "shell", "script": "git log -- $value && rm $value"}"#);
    let place = place(&tool, "");
    place.write("config/zubi/zubi.toml", "[[policy]]\naction = 'deny'\ncommand = ['rm', '*']\n");
    let told = place.check(&["call", "workspace.say", "--value", "x"]);
    assert!(told.starts_with("exit 3") && told.contains("it runs `rm x`"), "{told}");
    place.write("config/zubi/zubi.toml", "[[policy]]\naction = 'allow'\ncommand = ['git', 'log', '*']\n");
    let told = place.check(&["call", "workspace.say", "--value", "x"]);
    assert!(told.contains("no one can approve it here") && told.contains("rm"), "{told}");
}

#[test]
fn secrets_are_the_users_and_what_is_wrong_with_them_is_told() {
    let says = |id: &str, name: &str| {
        tool(id, &format!(r#"{{"type": "shell", "script": "echo got ${{env:{name}}} \"$value\""}}"#))
    };
    let tools = [says("good", "TOKEN"), says("open", "OPEN"), says("absent", "ABSENT")].join(", ");
    let place = place(&tools, "[env]\nTOKEN = 'hunter2'\nOPEN = { file = 'open' }\nODD = 3\n");
    place.write("config/zubi/open", "everybody's");
    place.write("work/.zubi.toml", "[env]\nTOKEN = 'theirs'\n");
    assert_snapshot!(check(&place, &["call", "workspace.good"]), @"
    exit 0
    --- stdout
    got (redacted)
    ");
    assert_snapshot!(place.check(&["call", "workspace.open"]), @"
    exit 1
    --- stderr
    warning: `env` in `[PLACE]/work/.zubi.toml` has no effect: it belongs into your own zubi.toml
    error: Failed to run workspace.open: the secret `OPEN` cannot be used: `[PLACE]/config/zubi/open` is open to others (mode 644); make it yours alone: `chmod 600 [PLACE]/config/zubi/open`
    hint: The user can fix it in zubi.toml, `[env]` `OPEN`; `zubi doctor` reports it too.
    ");
    assert_snapshot!(place.check(&["call", "workspace.absent"]), @r#"
    exit 1
    --- stderr
    warning: `env` in `[PLACE]/work/.zubi.toml` has no effect: it belongs into your own zubi.toml
    error: Failed to run workspace.absent: the secret `ABSENT` is not set on this machine
    hint: The user can set it in zubi.toml: `[env]` `ABSENT = { file = "…" }`.
    "#);
    let told = place.check(&["doctor"]);
    let told: Vec<&str> =
        told.lines().filter(|line| line.starts_with("secrets: ") || line.starts_with("warning")).collect();
    assert_snapshot!(told.join("\n"), @r#"
    secrets: the secret `ODD` cannot be used: it is of type integer; write `NAME = "value"` or `NAME = { file = "path" }`
    secrets: the secret `OPEN` cannot be used: `[PLACE]/config/zubi/open` is open to others (mode 644); make it yours alone: `chmod 600 [PLACE]/config/zubi/open`
    secrets: others can read `[PLACE]/config/zubi/zubi.toml`, which has secrets in it; `chmod 600` it
    warning: `env` in `[PLACE]/work/.zubi.toml` has no effect: it belongs into your own zubi.toml
    "#);
    // A secret that a model knows from elsewhere is in no record.
    let told = place.check(&["call", "workspace.good", "--value", "it is hunter2"]);
    assert!(!told.contains("hunter2"), "{told}");
    let audit = place.read("state/zubi/audit/audit.jsonl");
    assert!(audit.contains("it is (redacted)") && !audit.contains("hunter2"), "{audit}");
}

/// A secret that a tool reads from zubi's own environment is treated like one of `[env]`: judged by its name, and never
/// shown.
#[test]
fn a_secret_that_a_tool_takes_from_the_environment_is_one() {
    let tool = tool("leak", r#"{"type": "shell", "script": "printf '%s\\n' \"$MY_API_KEY\" \"$PLAIN_WORD\""}"#)
        .replace("\"name\"", "\"sandbox\": {\"env\": [\"MY_API_KEY\", \"PLAIN_WORD\"]}, \"name\"");
    let place = place(&tool, "");
    let with = |words: &[&str]| {
        place.show(place.zubi().args(words).env("MY_API_KEY", "correct horse").env("PLAIN_WORD", "plain"))
    };
    let told = with(&["call", "workspace.leak"]);
    assert!(!told.contains("correct horse") && told.contains("redacted") && told.contains("plain"), "{told}");
    assert_snapshot!(with(&["policy", "explain", "workspace.leak"]), @r#"
    exit 0
    --- stdout
    workspace.leak: allow
      allow it cannot be told what it does: `"$MY_API_KEY"` is worked out only when it runs [`allow`]
      allow it cannot be told what it does: `"$PLAIN_WORD"` is worked out only when it runs [`allow`]
      allow it runs `printf %s\n "$MY_API_KEY" "$PLAIN_WORD"` [no rule]
      allow it uses the secret MY_API_KEY [`allow`]
      in: [PLACE]/work
      sandbox: the strongest level here: writes only below the workspace, no credential stores, no network
    "#);
}
