//! Malformed tool files and configuration files: zubi reports each error at its position, within a bounded time.

use std::fmt::Write as _;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::check::Sandbox;

const FILE: &str = "work/.vscode/agent-tools.json";

/// Far more time than any of these needs; a quadratic step would take minutes.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Returns the exit code, the first lines of stdout (each cut), and the number of lines.
fn check(sandbox: &Sandbox) -> String {
    let started = Instant::now();
    let output = sandbox.zubi().args(["tools", "check"]).timeout(TIMEOUT).output().unwrap();
    assert!(started.elapsed() < TIMEOUT, "it took too long");
    render_output(sandbox, &output)
}

fn render_output(sandbox: &Sandbox, output: &Output) -> String {
    let stdout = String::from_utf8(output.stdout.clone()).unwrap().replace(&sandbox.root(), "[PLACE]");
    let mut rendered = format!("exit {}", output.status.code().unwrap());
    for line in stdout.lines().take(8) {
        let cut: String = line.chars().take(170).collect();
        write!(rendered, "\n{cut}").unwrap();
    }
    let lines = stdout.lines().count();
    if lines > 8 {
        write!(rendered, "\n… {lines} lines").unwrap();
    }
    rendered
}

/// Returns the report on a file with these bytes.
#[expect(clippy::disallowed_methods, reason = "a test's fixture, not a file of the product")]
fn check_bytes(bytes: &[u8]) -> String {
    let sandbox = Sandbox::new();
    sandbox.directory("work/.vscode");
    std::fs::write(sandbox.path(FILE), bytes).unwrap();
    check(&sandbox)
}

fn with_tools(tools: &str) -> String {
    format!("{{\"version\": \"1.0\", \"tools\": [{tools}]}}")
}

fn tool(id: &str, parameters: &str) -> String {
    format!(
        r#"{{"id": "{id}", "name": "T", "description": "What {id} does, for a test of strange files.", "parameters": {parameters}, "execution": {{"type": "inline", "code": "return args"}}}}"#
    )
}

#[test]
fn invalid_file_contents_are_reported() {
    assert_snapshot!(check_bytes(b""), @r#"
    exit 1
    .vscode/agent-tools.json:1:1: error[syntax]: the file has no content
      Write an object: {"version": "1.0", "tools": []}. `zubi tools init` writes a sample.
    "#);
    assert_snapshot!(check_bytes(b"\xff\xfe{\x00}\x00"), @"
    exit 1
    .vscode/agent-tools.json:1:1: error[not-text]: the file is not UTF-8 text
      Save it as UTF-8.
    ");
    assert_snapshot!(check_bytes(b"\x00\x00\x00"), @"
    exit 1
    .vscode/agent-tools.json:1:1: error[syntax]: invalid JSON: Unexpected token
      The text after this position is ignored; comments and trailing commas are allowed.
    ");
    assert_snapshot!(check_bytes("\u{feff}{\"version\": \"1.0\", \"tols\": []}".as_bytes()), @"
    exit 1
    .vscode/agent-tools.json:1:2: error[missing-field]: the file has no `tools`
      The tools.
    .vscode/agent-tools.json:1:21: error[unknown-field]: the file has no field `tols`
      Did you mean `tools`?
    ");
    assert_snapshot!(check_bytes(with_tools(&tool("a", r#"{"type": "object"}"#).replace("return args", "return '\\u0000'")).as_bytes()), @"
    exit 1
    .vscode/agent-tools.json:1:198: error[nul]: a NUL character
      Remove it: nothing that runs accepts it.
    ");
    assert_snapshot!(check_bytes(b"{\"version\": \"1.0\",\r\n \"tools\": [],\r\n \"tools\": 1}"), @"
    exit 1
    .vscode/agent-tools.json:3:2: error[duplicate-key]: duplicate key `tools` in this object
      Remove one; the second has no effect.
    ");
}

#[test]
fn extreme_sizes_and_depths() {
    // 50 MB, which zubi does not read.
    assert_snapshot!(check_bytes(&vec![b' '; 50 << 20]), @"
    exit 1
    .vscode/agent-tools.json:1:1: error[too-large]: the file has more than 524288 bytes
      Split it: every `.json` in `.vscode/agent-tools` is read.
    ");
    assert_snapshot!(check_bytes("[".repeat(100_000).as_bytes()), @"
    exit 1
    .vscode/agent-tools.json:1:513: error[syntax]: invalid JSON: Maximum nesting depth exceeded
      The text after this position is ignored; comments and trailing commas are allowed.
    ");
    let deep = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    assert_snapshot!(check_bytes(with_tools(&deep).as_bytes()), @"
    exit 1
    .vscode/agent-tools.json:1:1: error[too-large]: the file has more than 524288 bytes
      Split it: every `.json` in `.vscode/agent-tools` is read.
    ");
    let entries: Vec<String> = (0..40_000).map(|number| format!("\"k{number}\":1")).collect();
    assert_snapshot!(check_bytes(format!("{{{}}}", entries.join(",")).as_bytes()), @"
    exit 1
    .vscode/agent-tools.json:1:1: error[missing-field]: the file has no `version`
      Version of the format.
    .vscode/agent-tools.json:1:1: error[missing-field]: the file has no `tools`
      The tools.
    .vscode/agent-tools.json:1:2: error[unknown-field]: the file has no field `k0`
      There are: version, variables, tools.
    .vscode/agent-tools.json:1:9: error[unknown-field]: the file has no field `k1`
      There are: version, variables, tools.
    … 402 lines
    ");
    let same = "\"k\":1,".repeat(60_000);
    assert_snapshot!(check_bytes(format!("{{{same}\"k\":1}}").as_bytes()), @"
    exit 1
    .vscode/agent-tools.json:1:1: error[missing-field]: the file has no `version`
      Version of the format.
    .vscode/agent-tools.json:1:1: error[missing-field]: the file has no `tools`
      The tools.
    .vscode/agent-tools.json:1:2: error[unknown-field]: the file has no field `k`
      There are: version, variables, tools.
    .vscode/agent-tools.json:1:8: error[duplicate-key]: duplicate key `k` in this object
      Remove one; the second has no effect.
    … 402 lines
    ");
    let variables: Vec<String> = (0..20_000).map(|number| format!("\"v{number}\":\"\"")).collect();
    let tools: Vec<String> = (0..200).map(|number| format!("{{\"id\":\"t{number}\"}}")).collect();
    let text =
        format!(r#"{{"version": "1.0", "variables": {{{}}}, "tools": [{}]}}"#, variables.join(","), tools.join(","));
    assert_snapshot!(check_bytes(text.as_bytes()), @"
    exit 1
    .vscode/agent-tools.json:1:4924: error[too-many-variables]: more than 500 variables; those from here on do not exist
      Write the values where they are used, or split the file.
    .vscode/agent-tools.json:1:228936: error[missing-field]: item 1 of `tools` has no `name`
      Short title for users.
    .vscode/agent-tools.json:1:228936: error[missing-field]: item 1 of `tools` has no `description`
      Text for the model: the result, and when to use the tool. At most 1,024 bytes; the first 300 characters must be sufficient by themselves.
    .vscode/agent-tools.json:1:228936: error[missing-field]: item 1 of `tools` has no `parameters`
      The arguments, as a JSON Schema of type `object`.
    … 402 lines
    ");
    let properties: Vec<String> = (0..6_000).map(|number| format!("\"p{number}\":{{\"type\":\"string\"}}")).collect();
    let required: Vec<String> = (0..20_000).map(|number| format!("\"r{number}\"")).collect();
    let parameters =
        format!(r#"{{"type":"object","properties":{{{}}},"required":[{}]}}"#, properties.join(","), required.join(","));
    assert_snapshot!(check_bytes(with_tools(&tool("wide", &parameters)).as_bytes()), @"
    exit 1
    .vscode/agent-tools.json:1:155068: error[wrong-value]: `required` has more than 100 items
      At most 100 items.
    ");
}

#[test]
fn excess_tools_and_files() {
    let sandbox = Sandbox::new();
    sandbox.directory("work/.vscode/agent-tools");
    // Ten thousand tools in fifty files, and ten more files than zubi reads.
    for file in 0..74 {
        let tools: Vec<String> = (0..200)
            .map(|number| {
                tool(&format!("f{file}.t{number}"), r#"{"type":"object"}"#).replace(", for a test of strange files", "")
            })
            .collect();
        sandbox.write(&format!("work/.vscode/agent-tools/{file:03}.json"), &with_tools(&tools.join(",")));
    }
    let started = Instant::now();
    let output = sandbox.zubi().args(["tools", "check", "--json"]).timeout(TIMEOUT * 3).output().unwrap();
    assert!(started.elapsed() < TIMEOUT * 3, "it took too long");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let tools: usize =
        report["files"].as_array().unwrap().iter().map(|file| file["tools"].as_array().unwrap().len()).sum();
    assert_eq!(tools, 64 * 200);
    let problems = &report["files"][64]["problems"];
    assert_snapshot!(problems.as_array().unwrap().len(), @"1");
    assert_snapshot!(problems[0]["message"].as_str().unwrap(), @"74 tool files; the 10 from this one on are not used");
    let tools: Vec<String> = (0..1_000).map(|number| format!("{{\"id\": \"t{number}\"}}")).collect();
    assert_snapshot!(check_bytes(with_tools(&tools.join(",")).as_bytes()), @"
    exit 1
    .vscode/agent-tools.json:1:30: error[missing-field]: item 1 of `tools` has no `name`
      Short title for users.
    .vscode/agent-tools.json:1:30: error[missing-field]: item 1 of `tools` has no `description`
      Text for the model: the result, and when to use the tool. At most 1,024 bytes; the first 300 characters must be sufficient by themselves.
    .vscode/agent-tools.json:1:30: error[missing-field]: item 1 of `tools` has no `parameters`
      The arguments, as a JSON Schema of type `object`.
    .vscode/agent-tools.json:1:30: error[missing-field]: item 1 of `tools` has no `execution`
      How the tool runs.
    … 402 lines
    ");
}

#[test]
fn duplicate_names_are_reported() {
    let sandbox = Sandbox::new();
    sandbox.directory("work/.vscode/agent-tools");
    let twice = tool("a.b", r#"{"type": "object", "type": "object"}"#);
    sandbox.write(FILE, &with_tools(&tool("a.b", r#"{"type": "object"}"#)));
    sandbox.write(
        "work/.vscode/agent-tools/more.json",
        &with_tools(&[tool("a_b", r#"{"type": "object"}"#), twice].join(",\n")),
    );
    assert_snapshot!(check(&sandbox), @"
    exit 1
    .vscode/agent-tools/more.json:1:72: warning[description-overlap]: the description is nearly the same as that of `a.b`
      Explain in both when to use which.
    .vscode/agent-tools/more.json:2:123: error[duplicate-key]: duplicate key `type` in this object
      Remove one; the second has no effect.
    .vscode/agent-tools.json: note: the file is not trusted, so its 1 tool is ignored
      `zubi trust --diff` shows what it would run, `zubi trust` trusts it
    .vscode/agent-tools/more.json: note: the file is not trusted, so its 1 tool is ignored
      `zubi trust --diff` shows what it would run, `zubi trust` trusts it
    ");
}

/// zubi does not resolve a schema that refers to itself or to another file, but refuses it.
#[test]
fn circular_schemas() {
    assert_snapshot!(check_bytes(with_tools(&tool("a", r##"{"type": "object", "properties": {"x": {"$ref": "#/properties/x"}}}"##)).as_bytes()), @"
    exit 1
    .vscode/agent-tools.json:1:168: error[missing-field]: `x` has no `type`
    .vscode/agent-tools.json:1:169: error[unknown-field]: `x` has no field `$ref`
      There are: type, description, enum, default, items, properties, required, additionalProperties, minimum, maximum, minLength, maxLength, pattern, minItems, maxItems, tit
    ");
    assert_snapshot!(check_bytes(with_tools(&tool("a", r#"{"$ref": "file:///etc/passwd", "type": "object"}"#)).as_bytes()), @"
    exit 1
    .vscode/agent-tools.json:1:130: error[unknown-field]: `parameters` has no field `$ref`
      There are: type, properties, required, description, additionalProperties.
    ");
}

#[cfg(unix)]
#[test]
fn special_files_instead_of_tool_files() {
    let instead = |prepare: &dyn Fn(&Sandbox)| {
        let sandbox = Sandbox::new();
        sandbox.directory("work/.vscode");
        prepare(&sandbox);
        check(&sandbox)
    };
    assert_snapshot!(instead(&|sandbox| sandbox.directory(FILE)), @"
    exit 1
    .vscode/agent-tools.json:1:1: error[unreadable]: the file cannot be read: `[PLACE]/work/.vscode/agent-tools.json` is not a plain file
      Check its permissions.
    ");
    assert_snapshot!(instead(&|sandbox| sandbox.link("agent-tools.json", FILE)), @"
    exit 1
    .vscode/agent-tools.json:1:1: error[link]: the file, or its directory, is a link
      Replace it with the file itself: the target of a link can change unnoticed.
    ");
    assert_snapshot!(instead(&|sandbox| sandbox.link("../../home", "work/.vscode/agent-tools")), @"exit 0");
    assert_snapshot!(instead(&|sandbox| {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, sandbox.path(FILE), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }), @"
    exit 1
    .vscode/agent-tools.json:1:1: error[unreadable]: the file cannot be read: `[PLACE]/work/.vscode/agent-tools.json` is not a plain file
      Check its permissions.
    ");
    assert_snapshot!(instead(&|sandbox| sandbox.link("/dev/zero", FILE)), @"
    exit 1
    .vscode/agent-tools.json:1:1: error[link]: the file, or its directory, is a link
      Replace it with the file itself: the target of a link can change unnoticed.
    ");
}

/// Root may read everything, so as root the test runs zubi as another user.
#[cfg(unix)]
#[test]
#[expect(clippy::disallowed_methods, reason = "the program as another user")]
fn unreadable_file() {
    use std::os::unix::fs::PermissionsExt as _;

    let sandbox = Sandbox::new();
    sandbox.write(FILE, "{}");
    let mode =
        |path: &str, mode| std::fs::set_permissions(sandbox.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
    mode(FILE, 0o000);
    let output = if rustix::process::geteuid().is_root() {
        for path in ["", "work", "work/.vscode", "home", "config", "config/zubi", "state"] {
            mode(path, 0o755);
        }
        // The built program is in a directory that other users cannot access.
        let program = sandbox.path("zubi");
        std::fs::copy(env!("CARGO_BIN_EXE_zubi"), &program).unwrap();
        mode("zubi", 0o755);
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
        let sandbox_command = sandbox.process();
        command.current_dir(sandbox.path("work")).env_clear();
        command.envs(sandbox_command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.args(["tools", "check"]).stdin(Stdio::null()).output().unwrap()
    } else {
        sandbox.zubi().args(["tools", "check"]).output().unwrap()
    };
    assert_snapshot!(render_output(&sandbox, &output), @"
    exit 1
    .vscode/agent-tools.json:1:1: error[unreadable]: the file cannot be read: Permission denied (os error 13)
      Check its permissions.
    ");
}

/// The configuration files of the user and of the workspace.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test's fixture, not a file of the product")]
fn unreadable_configuration() {
    let list_with_config = |path: &str, bytes: &[u8]| {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.path(path), bytes).unwrap();
        let started = Instant::now();
        let output = sandbox.show(sandbox.zubi().args(["tools", "list"]).timeout(TIMEOUT));
        assert!(started.elapsed() < TIMEOUT, "it took too long");
        output.lines().map(|line| line.chars().take(200).collect::<String>()).take(6).collect::<Vec<_>>().join("\n")
    };
    let (user, workspace) = ("config/zubi/zubi.toml", "work/.zubi.toml");
    assert_snapshot!(list_with_config(user, b"tools = [\n\"a\"\n\nread_only = true"), @"
    exit 2
    --- stderr
    error: [PLACE]/config/zubi/zubi.toml:4:1: `read_only`: missing comma between array elements, expected `,`
    ");
    assert_snapshot!(list_with_config(workspace, b"\xff\xfet\x00"), @"
    exit 2
    --- stderr
    error: configuration `[PLACE]/work/.zubi.toml` is not UTF-8 text
    ");
    assert_snapshot!(list_with_config(user, &vec![b'#'; 50 << 20]), @"
    exit 2
    --- stderr
    error: cannot read configuration `[PLACE]/config/zubi/zubi.toml`: `[PLACE]/config/zubi/zubi.toml` has more than 262144 bytes
    ");
    assert_snapshot!(list_with_config(workspace, &vec![b'#'; 50 << 20]), @"
    exit 2
    --- stderr
    error: cannot read configuration `[PLACE]/work/.zubi.toml`: `[PLACE]/work/.zubi.toml` has more than 262144 bytes
    ");
    assert_snapshot!(list_with_config(user, format!("tools = {}{}", "[".repeat(100_000), "]".repeat(100_000)).as_bytes()), @"
    exit 2
    --- stderr
    error: [PLACE]/config/zubi/zubi.toml:1:89: `tools`: cannot recurse further; max recursion depth met
    ");
}
