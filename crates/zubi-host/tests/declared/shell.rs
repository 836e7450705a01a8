//! Values in scripts, variables and directories: they arrive byte for byte, and no part of them runs.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use zubi_base::trust::TrustStore;
use zubi_exec::sandbox::Level;

use crate::Test;
use crate::world::{Host, World, script, tool, with_fields};

pub(crate) const TESTS: &[(&str, Test)] = &[
    ("shell::the_level_is_what_the_machine_offers", the_strongest_available_sandbox_is_used),
    ("shell::hostile_values_arrive_unchanged", hostile_values_arrive_unchanged),
    ("shell::any_value_arrives_unchanged", any_value_arrives_unchanged),
    ("shell::values_of_any_length_arrive", values_of_any_length_arrive),
    ("shell::values_cannot_escape_the_workspace", values_cannot_escape_the_workspace),
    ("shell::missing_optional_arguments_are_empty", missing_optional_arguments_are_empty),
    ("shell::the_requested_shell_is_used", the_requested_shell_is_used),
    ("shell::input_is_empty", input_is_empty),
    ("shell::exit_codes", exit_codes),
    ("shell::the_policy_receives_the_command", the_policy_receives_the_command),
    ("shell::the_preview_contains_the_arguments", the_preview_contains_the_arguments),
    ("shell::declared_sandbox_limits_apply", declared_sandbox_limits_apply),
    ("shell::an_approval_covers_only_the_previewed_call", an_approval_covers_only_the_previewed_call),
];

/// Values with which an attacker would run another command. Each creates the file `canary` if any part of it runs.
const HOSTILE: &[&str] = &[
    "",
    " ",
    "-rf",
    "--help",
    "-n",
    "-e touch canary",
    "'",
    "\"",
    "'; touch canary; '",
    "\"; touch canary; \"",
    "'\"'\"; touch canary; #",
    "$(touch canary)",
    "`touch canary`",
    "${x:-$(touch canary)}",
    "$((a[$(touch canary)]))",
    "; touch canary",
    "| touch canary",
    "|| touch canary",
    "& touch canary &",
    "&& touch canary",
    "\ntouch canary\n",
    "\r\ntouch canary\r\n",
    "> canary",
    "2>canary",
    "<(touch canary)",
    "$'\\x27; touch canary'",
    "\\'; touch canary; \\'",
    "\\",
    "\\\\\"",
    "a\\\nb",
    "#{touch canary}",
    "!!; touch canary",
    "{touch,canary}",
    "~root",
    "*",
    "?",
    "[a-z]",
    "$value $values ${value} $$ $1 $@ $* $?",
    "${env:HOME} ${workspaceFolder} ${arg:value}",
    "%0d%0atouch canary",
    "%s%n%x",
    "../../canary",
    "\u{2028}touch canary\u{2028}",
    "\u{202e}yranac hcuot\u{202c};",
    "\u{ff1b}touch canary\u{ff1b} \u{ff07}\u{ff02}\u{ff40}\u{ff04}(touch canary)",
    "\u{37e} touch canary",
    "e\u{301}\u{301}\u{301}'; touch canary",
    "\u{feff}touch canary",
    "\u{a0}touch\u{a0}canary",
    "\t\u{b}\u{c}\u{8}\u{7f}\u{1b}[2Jtouch canary",
    "EOF\ntouch canary\nEOF",
    "if touch canary; then :; fi",
    "() { :;}; touch canary",
];

/// The positions of a value in a script. Each writes the received value to a file.
const SCRIPT: &str = r#"printf '%s' $value > word
printf '%s' "$value" > quoted
printf '%s' pre$value"$value"post > part
printf '%s' "<$value>" > inside
set -- $values
printf '%s\0' "$@" > several
printf '%s' "$VARIABLE" > variable
case $value in "$VARIABLE") printf same;; esac > case
"#;

fn tool_with_every_position(shell: &str) -> Value {
    let execution = json!({ "type": "shell", "shell": shell, "script": SCRIPT, "env": { "VARIABLE": "$value" } });
    let mut tool = tool(&format!("in_{shell}"), execution);
    tool["parameters"]["required"] = json!(["value", "values"]);
    tool
}

/// Calls the tool with a value in every position, and compares the received values.
fn check(world: &World, host: &Host<'_>, shell: &str, value: &str) {
    let values = [value, "", "$(touch canary)", value];
    let answer = host.call(&format!("workspace.in_{shell}"), json!({ "value": value, "values": values }));
    assert_eq!(answer.failure, None, "{shell} {value:?}: {}", answer.text);
    let text = |name: &str| String::from_utf8_lossy(&world.read(name)).into_owned();
    assert_eq!(text("word"), value, "{shell}");
    assert_eq!(text("quoted"), value, "{shell}");
    assert_eq!(text("part"), format!("pre{value}{value}post"), "{shell}");
    assert_eq!(text("inside"), format!("<{value}>"), "{shell}");
    assert_eq!(text("several"), values.map(|one| format!("{one}\0")).concat(), "{shell}");
    assert_eq!(text("variable"), value, "{shell}");
    assert_eq!(text("case"), "same", "{shell}");
    let names = [".vscode", "case", "inside", "part", "quoted", "several", "variable", "word"];
    assert_eq!(world.names(), names, "{shell}: {value:?} created a file");
}

fn the_strongest_available_sandbox_is_used(world: &World) {
    let host = world.host(&[script("say", "echo it runs")]);
    let answer = host.call("workspace.say", json!({}));
    let level = answer.data.unwrap()["sandbox"].as_str().unwrap().to_owned();
    eprintln!("the sandbox of declared tools here: {level}");
    let modules = zubi_base::fs::read_text("/sys/kernel/security/lsm".into()).unwrap_or_default();
    if modules.contains("landlock") {
        let strongest_levels = [Level::LandlockSeccomp.name(), Level::Bubblewrap.name()];
        assert!(strongest_levels.contains(&level.as_str()), "this machine supports more than {level}");
    }
}

fn hostile_values_arrive_unchanged(world: &World) {
    let host = world.host(&[tool_with_every_position("sh"), tool_with_every_position("bash")]);
    for value in HOSTILE {
        for shell in ["sh", "bash"] {
            check(world, &host, shell, value);
        }
    }
    let error = host.failure("workspace.in_sh", json!({ "value": "a\0b", "values": [] }), "invalid_input");
    assert!(error.contains("NUL"), "{error}");
    let error = host.failure("workspace.in_sh", json!({ "value": "", "values": ["\0"] }), "invalid_input");
    assert!(error.contains("NUL"), "{error}");
}

fn any_value_arrives_unchanged(world: &World) {
    let host = world.host(&[tool_with_every_position("sh"), tool_with_every_position("bash")]);
    let fragment = prop_oneof![
        4 => prop::sample::select(HOSTILE).prop_map(str::to_owned),
        2 => "[ -~\n\t]{0,12}",
        1 => "[^\\x00]{0,8}",
    ];
    let value = prop::collection::vec(fragment, 0..5).prop_map(|fragments| fragments.concat());
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    let run = runner.run(&(value, prop::bool::ANY), |(value, bash)| {
        check(world, &host, if bash { "bash" } else { "sh" }, &value);
        Ok(())
    });
    run.unwrap();
}

/// execve(2) limits one argument to 128 KiB; the values in a longer script still arrive.
fn values_of_any_length_arrive(world: &World) {
    let tool_for = |shell: &str| {
        let text = "printf '%s' $value > word; printf '%s' \"$value\" | wc -c";
        tool(&format!("long_{shell}"), json!({ "type": "shell", "shell": shell, "script": text }))
    };
    let variable = tool("variable", json!({ "type": "shell", "script": ":", "env": { "V": "$value" } }));
    let host = world.host(&[tool_for("sh"), tool_for("bash"), variable]);
    for bytes in [100_000, 140_000, 1 << 20] {
        let value = "'$(touch canary)\n".repeat(bytes / 17);
        for shell in ["sh", "bash"] {
            let output = host.text(&format!("workspace.long_{shell}"), json!({ "value": value }));
            assert_eq!(output.trim(), value.len().to_string(), "{shell}");
            assert!(world.read("word") == value.as_bytes(), "{shell}");
        }
    }
    let error = host.failure("workspace.variable", json!({ "value": "x".repeat(1 << 20) }), "invalid_input");
    assert!(error.starts_with("Invalid input: env: `V` would have 1048576 bytes"), "{error}");
    assert_eq!(host.text("workspace.variable", json!({ "value": "x".repeat(131_000) })), "(no output)");
    assert_eq!(world.names(), [".vscode", "word"]);
}

fn values_cannot_escape_the_workspace(world: &World) {
    std::fs::create_dir_all(world.work("sub/deep")).unwrap();
    std::fs::create_dir_all(world.root.join("work-beside")).unwrap();
    std::os::unix::fs::symlink("/", world.work("root")).unwrap();
    std::os::unix::fs::symlink("../work-beside", world.work("beside")).unwrap();
    std::os::unix::fs::symlink("sub/deep", world.work("inside")).unwrap();
    let full_path_tool = tool("whole", json!({ "type": "shell", "script": "pwd", "cwd": "$value" }));
    let partial_path_tool = tool("part", json!({ "type": "shell", "script": "pwd", "cwd": "sub/$value" }));
    let host = world.host(&[full_path_tool, partial_path_tool]);
    let sibling = world.root.join("work-beside").to_string();
    let outside =
        ["..", "/", "/tmp", "root", "root/tmp", "beside", "sub/../..", "a\nb", "~", "file:///", "http://x/", &sibling];
    for value in outside {
        let error = host.failure("workspace.whole", json!({ "value": value }), "invalid_input");
        assert!(error.starts_with("Invalid input: cwd: "), "{value}: {error}");
    }
    for value in ["../..", "../root", "../beside", "absent", "\0", "\u{2024}\u{2024}/.."] {
        let error = host.failure("workspace.part", json!({ "value": value }), "invalid_input");
        assert!(error.starts_with("Invalid input: "), "{value:?}: {error}");
    }
    for (value, expected) in [("inside", "sub/deep"), ("sub/../sub", "sub"), (".", "")] {
        let expected = world.work(expected);
        let output = host.text("workspace.whole", json!({ "value": value }));
        assert_eq!(output.trim(), expected.as_str().trim_end_matches('/'), "{value}");
    }
}

fn missing_optional_arguments_are_empty(world: &World) {
    let execution = json!({
        "type": "shell",
        "script": "set -- a $value b; printf '%s|' \"$#\" \"$PWD\" \"${V-unset}\" \"${W-unset}\" \"<$value>\"",
        "cwd": "$value",
        "env": { "V": "$value", "W": "w$value" },
    });
    // zubi leaves `${V-unset}` to the shell only if it cannot mean a variable of the file.
    let host = world.host(&[tool("opt", execution)]);
    let output = host.text("workspace.opt", json!({}));
    assert_eq!(output, format!("2|{}|unset|w|<>|", world.root.join("work")));
    std::fs::create_dir(world.work("here")).unwrap();
    let output = host.text("workspace.opt", json!({ "value": "here" }));
    assert_eq!(output, format!("3|{}|here|where|<here>|", world.work("here")));
}

fn the_requested_shell_is_used(world: &World) {
    let tool_for = |shell: &str| {
        tool(
            &format!("which_{shell}"),
            json!({ "type": "shell", "shell": shell, "script": "echo \"${BASH-none} $0\"" }),
        )
    };
    let host = world.host(&[tool_for("bash"), tool_for("sh"), script("arrays", "a=(1 2); echo ${a[1]}")]);
    assert!(host.text("workspace.which_bash", json!({})).contains("/bash sh"));
    let is_bash = zubi_base::fs::canonical("/bin/sh".into()).unwrap().ends_with("bash");
    assert_eq!(host.text("workspace.which_sh", json!({})).starts_with("none"), !is_bash);
    if !is_bash {
        let error = host.failure("workspace.arrays", json!({}), "failed");
        assert!(error.contains("it exited with 2") && error.contains("yntax error"), "{error}");
    }
}

/// The shell reads the script from its input; neither the script nor the programs that it starts read the rest of it.
fn input_is_empty(world: &World) {
    // The text is longer than a shell's read-ahead.
    let rest = "# what is left of the script\n".repeat(5_000);
    let text = format!("cat\nread -r line || echo ended\nhead -c 5\nsh -c 'cat; echo child'\necho last\n{rest}");
    let tool_for =
        |shell: &str| tool(&format!("in_{shell}"), json!({ "type": "shell", "shell": shell, "script": text }));
    let host = world.host(&[tool_for("sh"), tool_for("bash")]);
    for shell in ["sh", "bash"] {
        assert_eq!(host.text(&format!("workspace.in_{shell}"), json!({})), "ended\nchild\nlast");
    }
}

fn exit_codes(world: &World) {
    let grep = with_fields(script("grep", "exit 1"), json!({ "output": { "exitCodes": [0, 1] } }));
    let host =
        world.host(&[script("three", "echo out; echo err >&2; exit 3"), grep, script("missing", "no-such-program")]);
    let error = host.failure("workspace.three", json!({}), "failed");
    let expected = "Failed to run workspace.three: it exited with 3\nout\nstderr:\nerr\nSee its output: change the \
                    arguments, or report an error in the tool to the user.";
    assert_eq!(error, expected);
    assert_eq!(host.text("workspace.grep", json!({})), "(no output)");
    let error = host.failure("workspace.missing", json!({}), "failed");
    assert!(error.contains("it exited with 127") && error.contains("no-such-program"), "{error}");
}

fn the_policy_receives_the_command(world: &World) {
    std::fs::create_dir(world.work("sub")).unwrap();
    let execution = json!({
        "type": "shell", "script": "git log -- $value > out/log && rm \"$value\"", "cwd": "sub", "env": { "DEPTH": "$value" },
    });
    let plain = tool("plain", execution.clone());
    let declared = json!({ "net": ["api.example.com:443"], "fs": { "write": ["out", "/etc"], "read": ["."] } });
    let declared = with_fields(tool("declared", execution), json!({ "sandbox": declared }));
    let host = world.host(&[plain, declared]);
    let footprint = host.footprint("workspace.plain", json!({ "value": "a b; curl x" }));
    let commands: Vec<String> = footprint.commands.iter().map(|argv| argv.join("|")).collect();
    assert_eq!(commands, ["git|log|--|a b; curl x", "rm|a b; curl x"]);
    // A variable that a call sets counts as an assignment at the start of the script.
    assert_eq!(footprint.unresolved, ["`DEPTH` may decide what programs do"]);
    assert_eq!(footprint.hosts, Vec::<String>::new());
    assert_eq!(footprint.directory, Some(world.work("sub")));
    assert_eq!(footprint.writes, [world.work("sub/out/log")]);
    assert_eq!(
        footprint.preview.unwrap(),
        "DEPTH=a b; curl x\ngit log -- 'a b; curl x' > out/log && rm \"\"'a b; curl x'\"\""
    );
    let sandbox = footprint.sandbox.unwrap();
    assert!(sandbox.contains(": writes only below the workspace, no credential stores, no network"), "{sandbox}");
    assert!(Level::ALL.iter().any(|level| sandbox.starts_with(level.name())), "{sandbox}");
    let footprint = host.footprint("workspace.declared", json!({ "value": "x" }));
    assert_eq!(footprint.hosts, ["api.example.com:443"]);
    assert!(footprint.writes.iter().any(|path| path == "/etc"), "{:?}", footprint.writes);
    let sandbox = footprint.sandbox.unwrap();
    assert!(
        sandbox.ends_with("writes only `out`, `/etc`, reads only `.` and the system's programs, the whole network"),
        "{sandbox}"
    );
    // A line of a value never begins a line of the prompt, where it could look like another part.
    let footprint = host.footprint("workspace.plain", json!({ "value": "a\necho b" }));
    assert_eq!(
        footprint.commands,
        [["git", "log", "--", "a\necho b"].as_slice(), &["rm", "a\necho b"]].map(<[&str]>::to_vec)
    );
    assert_eq!(
        footprint.preview.unwrap(),
        r#"DEPTH=a\necho b
git log -- 'a\necho b' > out/log && rm ""'a\necho b'"""#
    );
    // A command that cannot be parsed needs approval, whatever the rules say.
    let footprint = host.footprint("workspace.plain", json!({ "value": "x".repeat(100_000) }));
    assert_eq!(footprint.unresolved, ["the script has more than 64 KiB", "`DEPTH` may decide what programs do"]);
    let preview = footprint.preview.unwrap();
    assert!(preview.len() < 70_000 && preview.contains(" bytes between …"), "{}", preview.len());
    assert!(preview.ends_with("xx'\"\""), "the end of the script is shown");
}

/// The policy judges a request or JavaScript by the values it receives.
fn the_preview_contains_the_arguments(world: &World) {
    let post = json!({
        "type": "http", "method": "POST", "url": "https://api.example.com/a?q=$value", "headers": { "Content-Type": "text/plain" },
        "body": "$value",
    });
    let code = json!({ "type": "inline", "code": "return args.value;" });
    let host = world.host(&[tool("post", post), tool("code", code)]);
    let preview = |id: &str| host.footprint(id, json!({ "value": "a\n\nX-Dry-Run: \"b\"" })).preview.unwrap();
    assert_eq!(
        preview("workspace.post"),
        "POST https://api.example.com/a?q=a%0A%0AX-Dry-Run%3A%20%22b%22\nContent-Type: text/plain\n\na\\n\\nX-Dry-Run: \"b\""
    );
    assert_eq!(preview("workspace.code"), "args = {\"value\":\"a\\n\\nX-Dry-Run: \\\"b\\\"\"}\nreturn args.value;");
}

fn declared_sandbox_limits_apply(world: &World) {
    std::fs::create_dir(world.work("out")).unwrap();
    zubi_base::fs::write_atomic(&world.root.join("home/notes"), b"notes").unwrap();
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || listener.incoming().for_each(drop));
        port
    };
    let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    let notes = format!("cat {}/home/notes", world.root);
    let run = |declared: Value, text: &str| {
        let execution = json!({ "type": "shell", "shell": "bash", "script": text });
        let host = world.host(&[with_fields(tool("held", execution), json!({ "sandbox": declared }))]);
        host.call("workspace.held", json!({})).failure.is_none()
    };
    let table: &[(Value, &str, bool)] = &[
        (json!({}), "echo x > new && rm new", true),
        (json!({}), "echo x > ../beside", false),
        (json!({}), &connect, false),
        (json!({}), &notes, true),
        (json!({ "net": ["127.0.0.1:1"] }), &connect, true),
        (json!({ "fs": { "write": [] } }), "echo x > new", false),
        (json!({ "fs": { "write": ["out"] } }), "echo x > out/new && ! { echo x > new; } 2> /dev/null", true),
        (json!({ "fs": { "read": ["."] } }), &notes, false),
        (json!({ "fs": { "read": ["."] } }), "ls", true),
        (json!({ "exec": ["cat"] }), "cat /etc/passwd", true),
        (json!({ "exec": ["cat"] }), "ls", false),
        (json!({ "exec": [] }), "echo built in", true),
    ];
    for (declared, text, allowed) in table {
        assert_eq!(run(declared.clone(), text), *allowed, "{declared} {text}");
    }
    assert!(!world.root.join("beside").exists());
}

/// An approval does not cover a change made while the user was deciding.
fn an_approval_covers_only_the_previewed_call(world: &World) {
    let writing_tool = |path: &str| {
        let execution = json!({ "type": "shell", "script": "echo x > out/new" });
        let more = json!({ "sandbox": { "fs": { "write": [path] } }, "requiresApproval": true });
        with_fields(tool("held", execution), more)
    };
    let outside = world.root.join("outside");
    for name in [world.work("out"), outside.clone()] {
        std::fs::create_dir(name).unwrap();
    }
    let host = world.host(&[writing_tool("out")]);
    let call = |action: &(dyn Fn() + Sync)| host.call_while("workspace.held", json!({}), action);
    assert_eq!(call(&|| {}).failure, None);
    let refused = |answer: zubi_host::CallAnswer, why: &str| {
        assert!(answer.failure.is_some() && answer.text.contains(why), "{}", answer.text);
        assert!(outside.read_dir_utf8().unwrap().next().is_none() && !world.work("out/new").exists());
    };
    std::fs::remove_dir_all(world.work("out")).unwrap();
    std::fs::create_dir(world.work("out")).unwrap();
    // The directory becomes a link that leads out of the workspace.
    let swap = || {
        std::fs::remove_dir(world.work("out")).unwrap();
        std::os::unix::fs::symlink(&outside, world.work("out")).unwrap();
    };
    refused(call(&swap), "what it would touch has changed during the approval prompt");
    std::fs::remove_file(world.work("out")).unwrap();
    std::fs::create_dir(world.work("out")).unwrap();
    // The file is changed, then no longer trusted.
    let file = world.work(".vscode/agent-tools.json");
    let text = zubi_base::fs::read_text(&file).unwrap();
    refused(call(&|| zubi_base::fs::write_atomic(&file, format!("{text}\n").as_bytes()).unwrap()), "has changed since");
    let host = world.host(&[writing_tool("out")]);
    let revoke = || drop(TrustStore::new(world.root.join("state")).revoke(&world.root.join("work")).unwrap());
    refused(host.call_while("workspace.held", json!({}), &revoke), "is not trusted any more");
}
