//! The user's secrets: they reach their destination and appear in no text that anyone reads afterwards.

use serde_json::{Value, json};

use crate::Test;
use crate::world::{World, script, tool, with_fields};

pub(crate) const TESTS: &[(&str, Test)] = &[
    ("secrets::secrets_reach_scripts_and_are_redacted", secrets_reach_scripts_and_are_redacted),
    ("secrets::process_lists_contain_no_secrets", process_lists_contain_no_secrets),
    ("secrets::broken_or_missing_secrets_are_reported", broken_or_missing_secrets_are_reported),
    ("secrets::secrets_cannot_choose_the_host", secrets_cannot_choose_the_host),
    ("secrets::scripts_cannot_read_secret_files", scripts_cannot_read_secret_files),
];

const SECRET: &str = "hunter2+\"quoted\" é/x";
const SETTINGS: &str = "allow = [\"workspace.*\"]\n[env]\nTOKEN = 'hunter2+\"quoted\" é/x'\n";

fn secrets_reach_scripts_and_are_redacted(world: &World) {
    let inside =
        script("inside", "printf '%s' \"${env:TOKEN}\" > got; printf '%s' ${env:TOKEN}; echo; echo ${env:TOKEN} >&2");
    let variable = tool(
        "variable",
        json!({ "type": "shell", "script": "printf '%s' \"$T\" > got; echo \"$T\"; printf '%s' \"user:$T\" | base64 -w0; exit 1", "env": { "T": "${env:TOKEN}" } }),
    );
    let slow = script("slow", "for one in a b c; do printf %s ${env:TOKEN} | fold -b -w 3 | tr -d '\\n'; done");
    let echo = script("echo", "printf '%s' $value");
    let host = world.host_with(&[inside, variable, slow, echo], SETTINGS);

    let answer = host.call("workspace.inside", json!({}));
    let output = format!("{} {}", answer.text, answer.data.unwrap());
    assert!(!output.contains("hunter2") && output.contains("redacted"), "{output}");
    assert_eq!(world.read("got"), SECRET.as_bytes());
    let error = host.failure("workspace.variable", json!({}), "failed");
    assert!(!error.contains("hunter2") && !error.contains("aHVudGVyMi"), "{error}");
    assert!(!error.contains("odW50ZXIyK"), "encoded together with other text: {error}");
    assert_eq!(world.read("got"), SECRET.as_bytes());
    let output = host.text("workspace.slow", json!({}));
    assert!(!output.contains("hunter2"), "{output}");
    // Even if a model learns the secret elsewhere, the records do not contain it.
    let output = host.text("workspace.echo", json!({ "value": format!("{}{SECRET}", "x".repeat(150)) }));
    assert!(!output.contains("hunter2"), "{output}");

    let footprint = host.footprint("workspace.inside", json!({}));
    assert_eq!(footprint.secrets, ["TOKEN"]);
    let debug_text = format!("{footprint:?}");
    assert!(!debug_text.contains("hunter2") && debug_text.contains("•••"), "{debug_text}");
    for directory in ["state/audit", "state/outputs"] {
        for entry in world.root.join(directory).read_dir_utf8().unwrap().flatten() {
            let content = String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned();
            assert!(!content.contains("hunter2"), "{}: {content}", entry.path());
        }
    }
}

/// Checks the arguments of every process from the script up to this one.
fn process_lists_contain_no_secrets(world: &World) {
    let text = "true \"${env:TOKEN}\"; p=$$; while [ \"$p\" -gt 1 ]; do tr '\\0' ' ' < /proc/$p/cmdline; echo; p=$(sed -n 's/^PPid:\\t//p' /proc/$p/status); done";
    let host = world.host_with(&[script("parents", &text.replace("$$", "$$$$"))], SETTINGS);
    let output = host.text("workspace.parents", json!({}));
    assert!(output.contains("/dev/stdin") && output.contains("__child"), "{output}");
    assert!(!output.contains("redacted") && !output.contains("hunter2") && !output.contains("PPid"), "{output}");
}

fn broken_or_missing_secrets_are_reported(world: &World) {
    let tool_with_secret = |id: &str, name: &str| script(id, &format!("echo ${{env:{name}}}"));
    let tools: [Value; 4] = [
        tool_with_secret("a", "OPEN"),
        tool_with_secret("b", "ABSENT"),
        tool_with_secret("c", "NUMBER"),
        tool_with_secret("d", "GOOD"),
    ];
    zubi_base::fs::write_atomic(&world.root.join("config/open"), b"seen by all").unwrap();
    std::fs::set_permissions(world.root.join("config/open"), std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .unwrap();
    let settings = "[env]\nOPEN = { file = 'open' }\nNUMBER = 3\nGOOD = 'good value'\n";
    let host = world.host_with(&tools, settings);
    for (id, expected) in [
        ("a", "the secret `OPEN` cannot be used: `[ROOT]/config/open` is open to others (mode 644)"),
        ("b", "the secret `ABSENT` is not set on this machine\nThe user can set it in zubi.toml: `[env]` `ABSENT = {"),
        ("c", "the secret `NUMBER` cannot be used: it is of type integer; write `NAME = \"value\"`"),
    ] {
        let error = host.failure(&format!("workspace.{id}"), json!({}), "failed");
        let error = error.replace(world.root.as_str(), "[ROOT]");
        assert!(error.starts_with(&format!("Failed to run workspace.{id}: {expected}")), "{error}");
    }
    assert!(host.text("workspace.d", json!({})).contains("redacted"), "a valid secret can be used");
}

/// The user who approves a call must see which host receives the request.
fn secrets_cannot_choose_the_host(world: &World) {
    let tools = [tool("hidden", json!({ "type": "http", "url": "http://${env:PLACE}/x" }))];
    let host = world.host_with(&tools, "[env]\nPLACE = 'secret-host.example.com'\n");
    let error = host.failure("workspace.hidden", json!({}), "failed");
    assert!(error.starts_with("Failed to run workspace.hidden: its URL takes the host from a secret\n"), "{error}");
    assert!(!error.contains("secret-host"), "{error}");
}

fn scripts_cannot_read_secret_files(world: &World) {
    zubi_base::owner_only::write_atomic(&world.root.join("config/token"), b"from a file").unwrap();
    let settings = "[env]\nTOKEN = { file = 'token' }\n";
    let read_tool = |id: &str, name: &str| script(id, &format!("cat {}/config/{name}", world.root));
    let readable = with_fields(read_tool("plain", "other"), json!({}));
    zubi_base::fs::write_atomic(&world.root.join("config/other"), b"readable").unwrap();
    let host = world.host_with(&[read_tool("settings", "zubi.toml"), read_tool("token", "token"), readable], settings);
    for id in ["settings", "token"] {
        let error = host.failure(&format!("workspace.{id}"), json!({}), "failed");
        assert!(error.contains("Permission denied"), "{error}");
    }
    assert_eq!(host.text("workspace.plain", json!({})), "readable");
}
