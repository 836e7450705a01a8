//! Loading of tool files: tools, problems and their locations.

use std::time::Duration;

use camino::Utf8PathBuf;
use insta::assert_snapshot;
use zubi_base::trust::{Trust, TrustStore};
use zubi_base::workspace::WorkspaceFolders;

use super::*;

struct Fixture {
    _guard: tempfile::TempDir,
    workspace: WorkspaceFolders,
    store: TrustStore,
    root: Utf8PathBuf,
}

fn fixture(files: &[(&str, &str)]) -> Fixture {
    let guard = tempfile::tempdir().unwrap();
    let base = zubi_base::fs::canonical(camino::Utf8Path::from_path(guard.path()).unwrap()).unwrap();
    let root = base.join("work");
    std::fs::create_dir_all(&root).unwrap();
    let fixture = Fixture {
        _guard: guard,
        workspace: WorkspaceFolders::open(std::slice::from_ref(&root)).unwrap(),
        store: TrustStore::new(base.join("state")),
        root,
    };
    for (path, text) in files {
        fixture.write(path, text);
    }
    fixture
}

impl Fixture {
    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        zubi_base::fs::write_atomic(&path, text.as_bytes()).unwrap();
    }

    fn load(&self) -> DeclaredTools {
        load(&self.workspace, &Trust::new(self.store.clone(), false), &[])
    }

    fn trust(&self) {
        self.store.trust(&self.root, &load::tool_files(&self.root), Duration::ZERO).unwrap();
    }
}

/// Returns the ids of the tools of a single file, then all rendered problems.
fn render_problems(text: &str) -> String {
    let fixture = fixture(&[(MAIN_FILE, text)]);
    let loaded = fixture.load();
    let tools = loaded.files.iter().flat_map(|file| &file.tools).map(|tool| tool.definition.id.clone());
    let lines = loaded.problems().map(LocatedProblem::render);
    [format!("tools: {}", tools.collect::<Vec<_>>().join(" "))].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

/// Returns the codes of a file's errors.
fn error_codes(text: &str) -> Vec<&'static str> {
    let loaded = fixture(&[(MAIN_FILE, text)]).load();
    loaded
        .problems()
        .filter(|entry| entry.problem.severity == ProblemSeverity::Error)
        .map(|entry| entry.problem.code)
        .collect()
}

/// Returns a file with one tool that has this execution and two parameters.
fn file_with_execution(execution: &str) -> String {
    format!(
        r#"{{"version": "1.0", "variables": {{"URL": "https://api.example.com"}}, "tools": [{{"id": "t", "name": "T",
"description": "Does something for a test, and reports it.", "parameters": {{"type": "object", "properties": {{
"a": {{"type": "string", "description": "Any."}}, "list": {{"type": "array", "items": {{"type": "string"}}, "description": "Some."}}}},
"required": ["a"]}},
"execution": {execution} }}]}}"#
    )
}

#[test]
fn the_sample_has_no_problems() {
    assert_snapshot!(render_problems(template::SAMPLE), @"tools: workspace.greet");
}

#[test]
fn the_documented_example_loads() {
    let text = r#"{"version": "1.0", "variables": {"API_URL": "https://api.example.com"}, "tools": [{
        "id": "deploy", "name": "Deploy to Production", "description": "Deploy the current branch to production",
        "parameters": {"type": "object", "properties": {"environment": {"type": "string", "enum": ["staging", "production"]}},
        "required": ["environment"]}, "execution": {"type": "shell", "script": "./scripts/deploy.sh $environment"},
        "requiresApproval": true, "category": "deployment"}]}"#;
    assert_snapshot!(render_problems(text), @"
    tools: workspace.deploy
    .vscode/agent-tools.json:1:34: warning[unused-variable]: no tool uses the variable `API_URL`
      Use `${API_URL}`, or remove the variable.
    .vscode/agent-tools.json:3:57: warning[parameter-description]: the parameter `environment` has no description
      Describe it with an example: the model sees nothing else.
    ");
}

/// known-defects: X8
/// Ids with a dot stay, others get the namespace; the loader and the schema accept the same ids.
#[test]
fn ids_may_have_dots_in_the_schema_and_in_the_loader() {
    for (id, is_valid) in [
        ("kb.search", true),
        ("deploy", true),
        ("a.b.c", true),
        ("Kb", false),
        ("a..b", false),
        ("", false),
        ("1a", false),
        ("a-b", false),
        (".a", false),
    ] {
        let text = template::SAMPLE.replace("\"greet\"", &format!("\"{id}\""));
        let answer = render_problems(&text);
        let expected = if id.contains('.') { id.to_owned() } else { format!("workspace.{id}") };
        assert_eq!(
            answer.starts_with(&format!("tools: {expected}\n")) || answer == format!("tools: {expected}"),
            is_valid,
            "{id}: {answer}"
        );
    }
    let published = format::schema();
    assert_eq!(
        published["definitions"]["ToolDefinition"]["properties"]["id"]["pattern"],
        "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$"
    );
}

/// known-defects: X9
/// All executions of the format are known, and so are `timeout`, `shell` and `env`.
#[test]
fn every_execution_and_every_field_is_known() {
    for execution in [
        r#"{"type": "shell", "script": "echo \"$a\" $list", "shell": "bash", "cwd": "${workspaceFolder}", "env": {"X": "${URL}"}}"#,
        r#"{"type": "http", "url": "${URL}/find/$a?tag=$list", "method": "POST", "headers": {"Accept": "text/plain"}}"#,
        r#"{"type": "inline", "code": "return args.a + args.list"}"#,
        r#"{"type": "command", "command": "editor.action.format", "args": ["$a", "$list"]}"#,
        r#"{"type": "function", "handler": "kb.search"}"#,
    ] {
        let text = file_with_execution(execution)
            .replace("\"id\": \"t\"", "\"id\": \"t\", \"timeout\": 120000, \"icon\": \"rocket\", \"tags\": [\"x\"]");
        let answer = render_problems(&text);
        assert!(!answer.contains("error["), "{answer}");
        let loaded = fixture(&[(MAIN_FILE, &text)]).load();
        let definition = &loaded.files[0].tools[0].definition;
        // known-defects: X2 (the time-out is the tool's own)
        assert_eq!((definition.timeout, definition.tags.join(" ")), (Duration::from_mins(2), "workspace x".to_owned()));
    }
}

/// known-defects: X10
/// Every problem of every file is reported at its location; an invalid tool does not affect the others.
#[test]
fn all_problems_of_all_files_are_reported_at_once() {
    let good_tool = r#"{"id": "good", "name": "Good", "description": "Says hello to its caller.", "parameters": {"type": "object"}, "execution": {"type": "shell", "script": "echo hello"}}"#;
    let main = format!(
        "{{\n  \"version\": \"1.0\",\n  \"varables\": {{}},\n  \"tools\": [\n    {{\"id\": \"Bad\", \"nam\": \"x\", \"description\": 3, \"parameters\": {{\"type\": \"object\", \"required\": [\"x\"]}}, \"execution\": {{\"type\": \"shel\"}}, \"timeout\": 0}},\n    {good_tool}\n  ]\n}}"
    );
    let fixture = fixture(&[
        (MAIN_FILE, &main),
        (".vscode/agent-tools/a.json", &format!("{{\"version\": \"1.0\", \"tools\": [{good_tool}]}}")),
        (".vscode/agent-tools/b.json", "{\"version\": \"1.0\",\n \"tools\": [}"),
        (".vscode/agent-tools/c.json", "{\"version\": \"2.0\", \"tools\": []}"),
        (".vscode/agent-tools/d.txt", "not read"),
    ]);
    let loaded = fixture.load();
    let ids: Vec<_> = loaded.files.iter().flat_map(|file| &file.tools).map(|tool| &tool.definition.id).collect();
    assert_eq!(ids, ["workspace.good"]);
    assert_snapshot!(loaded.problems().map(LocatedProblem::render).collect::<Vec<_>>().join("\n"), @"
    .vscode/agent-tools.json:3:3: error[unknown-field]: the file has no field `varables`
      Did you mean `variables`?
    .vscode/agent-tools.json:5:5: error[missing-field]: item 1 of `tools` has no `name`
      Short title for users.
    .vscode/agent-tools.json:5:12: error[invalid-id]: `Bad` is not a valid id
      An id is one or more words of lower-case letters, digits and `_`, joined by dots, beginning with a letter: `kb.search`.
    .vscode/agent-tools.json:5:19: error[unknown-field]: item 1 of `tools` has no field `nam`
      Did you mean `name`?
    .vscode/agent-tools.json:5:46: error[wrong-type]: `description` is a whole number, and must be a string
      Text for the model: the result, and when to use the tool. At most 1,024 bytes; the first 300 characters must be sufficient by themselves.
    .vscode/agent-tools.json:5:124: error[wrong-value]: unknown execution `shel`
      Did you mean `shell`? There are: shell, http, inline, command, function.
    .vscode/agent-tools.json:5:144: error[wrong-value]: `timeout` cannot be 0
      At least 1.
    .vscode/agent-tools/a.json:1:37: error[duplicate-id]: the id `workspace.good` is already used by the tool at .vscode/agent-tools.json:6:12
      Change one of the two ids.
    .vscode/agent-tools/b.json:2:12: error[syntax]: invalid JSON: Unexpected close brace
      The text after this position is ignored; comments and trailing commas are allowed.
    .vscode/agent-tools/c.json:1:13: error[wrong-value]: `version` cannot be `2.0`
      There are: 1.0.
    ");
}

/// known-defects: X12–X16
/// Templates that cannot be quoted, and undeclared names, are rejected at load time, at their location.
#[test]
fn invalid_templates_are_rejected_at_their_location() {
    let executions = [
        r#"{"type": "shell", "script": "echo '$a'"}"#,
        r#"{"type": "shell", "script": "echo \"\\u00e9\" $(echo $a) $list"}"#,
        r#"{"type": "shell", "script": "echo ${URI} $HOME $1 \"$a\""}"#,
        r#"{"type": "shell", "script": "echo ${arg:b}; $a"}"#,
        r#"{"type": "http", "url": "https://$a/x"}"#,
        r#"{"type": "shell", "script": "curl -H ${env:TOKEN} \"$a\" $list ${URL}"}"#,
    ];
    let answers: Vec<String> =
        executions.iter().map(|execution| render_problems(&file_with_execution(execution))).collect();
    assert_snapshot!(answers.join("\n---\n"), @r#"
    tools: 
    .vscode/agent-tools.json:5:49: error[template]: argument `a` is in single quotes, where the shell replaces nothing
      remove them, or use double quotes
    ---
    tools: 
    .vscode/agent-tools.json:5:67: error[template]: argument `a` is in `$(…)`, where it cannot be quoted
      give it to a variable of the script first (`value=$name`) and use that there (`"$value"`)
    ---
    tools: 
    .vscode/agent-tools.json:5:48: error[template]: there is no variable `URI` (nearest: `URL`)
      an argument is `${arg:URI}`, the shell's own variable `$${URI}`
    ---
    tools: 
    .vscode/agent-tools.json:5:48: error[template]: there is no parameter `b`
    .vscode/agent-tools.json:5:58: error[template]: argument `a` would be the name of the command
      write the name, or choose with `case $name in …`
    ---
    tools: 
    .vscode/agent-tools.json:5:47: error[template]: argument `a` cannot choose the host
      write the host, or use a variable
    ---
    tools: workspace.t
    .vscode/agent-tools.json:5:51: warning[missing-secret]: the secret `TOKEN` is not set on this machine; calls fail until it is
      Add it to your own zubi.toml: `[env]` `TOKEN = { file = "…" }`.
    .vscode/agent-tools.json:5:66: warning[template]: a value of argument `a` that begins with `-` would be an option of the command
      put `--` before it if the command knows that
    .vscode/agent-tools.json:5:71: warning[template]: a value of argument `list` that begins with `-` would be an option of the command
      put `--` before it if the command knows that
    "#);
}

/// Arguments cannot decide how a body or a header is parsed.
#[test]
fn values_are_rejected_where_their_quoting_is_unknown() {
    let post = |headers: &str, body: &str| {
        format!(
            r#"{{"type": "http", "url": "https://example.com/$list", "method": "POST", "headers": {{{headers}}}, "body": {body}}}"#
        )
        .replace("/$list", "")
    };
    for (execution, code) in [
        (post(r#""Content-Type": "application/xml""#, r#""<a>$a</a>""#), Some("body")),
        (post(r#""Content-Type": "text/plain""#, r#""$a""#), None),
        (post(r#""Content-Type": "text/plain""#, r#""fixed""#), None),
        (post(r#""Content-Type": "application/json""#, r#""{\"a\": $a}""#), None),
        (post(r#""Content-Type": "$a""#, r#""{}""#), Some("header")),
        (post(r#""Host": "$a""#, r#""{}""#), Some("header")),
        (post(r#""Cookie": "$a""#, r#""{}""#), Some("header")),
        (post(r#""Cookie": "user=$a; role=guest""#, r#""{}""#), None),
        (
            post(r#""content-type": "text/xml", "Content-Type": "application/json""#, r#""{\"a\": $a}""#),
            Some("header-name"),
        ),
    ] {
        let errors = error_codes(&file_with_execution(&execution));
        assert_eq!(errors, Vec::from_iter(code), "{execution}");
    }
}

/// Arguments cannot set variables whose value programs execute.
#[test]
fn variables_that_choose_commands_take_no_arguments() {
    let execution = |name: &str, value: &str| {
        format!(r#"{{"type": "shell", "script": "git log", "env": {{"{name}": "{value}"}}}}"#)
    };
    for name in [
        "GIT_SSH_COMMAND",
        "PS4",
        "PERL5OPT",
        "NODE_OPTIONS",
        "GIT_PAGER",
        "PAGER",
        "EDITOR",
        "PROMPT_COMMAND",
        "PYTHONSTARTUP",
        "RUBYOPT",
        "JAVA_TOOL_OPTIONS",
        "MANPAGER",
        "LESSOPEN",
        "RUSTC_WRAPPER",
        "GIT_CONFIG_VALUE_0",
    ] {
        assert_eq!(error_codes(&file_with_execution(&execution(name, "x $a"))), ["environment-command"], "{name}");
        assert!(error_codes(&file_with_execution(&execution(name, "cat"))).is_empty(), "{name}");
    }
    assert!(error_codes(&file_with_execution(&execution("TARGET_PATH", "$a"))).is_empty());
    assert!(error_codes(&file_with_execution(&execution("GIT_AUTHOR_NAME", "$a"))).is_empty());
}

/// Models read exactly what users see.
#[test]
fn texts_for_models_have_no_invisible_characters() {
    for hidden in [
        "\u{202e}",
        "\u{200b}",
        "\u{3164}",
        "\u{e0100}",
        "\u{200f}",
        "\u{2028}",
        "\u{2800}",
        "\u{115f}",
        "\u{34f}",
        "\u{fe0f}",
        "\u{e0041}",
        "⚠\u{fe0f}\u{fe0e}",
    ] {
        for at in ["Does something", "\"T\"", "Any.", "Some."] {
            let end = at.trim_end_matches('"');
            let text = file_with_execution(r#"{"type": "shell", "script": "true"}"#).replacen(
                end,
                &format!("{end}{hidden}"),
                1,
            );
            assert_eq!(error_codes(&text), ["hidden"], "{} {at}", hidden.escape_unicode());
        }
    }
    let escaped = file_with_execution(r#"{"type": "shell", "script": "true"}"#).replace("Any.", "Any\\udb40\\udd00.");
    assert_eq!(error_codes(&escaped), ["hidden"]);
    let written = file_with_execution(r#"{"type": "shell", "script": "true"}"#)
        .replace("Any.", "日本語 é, Ελληνικά, 한국어, ⚠\u{fe0f}, می\u{200c}خواهم, 👩\u{200d}🚀.");
    assert!(error_codes(&written).is_empty());
}

/// A built-in tool would run instead of a declared tool with its name.
#[test]
fn names_of_built_in_tools_are_reserved() {
    for id in ["file.read", "file_read.x", "lsp.hover", "call.tool", "shell.run"] {
        let text = template::SAMPLE.replace("\"greet\"", &format!("\"{id}\""));
        let is_reserved = id != "file_read.x";
        assert_eq!(error_codes(&text) == ["duplicate-id"], is_reserved, "{id}");
        let loaded = fixture(&[(MAIN_FILE, &text)]).load();
        assert_eq!((loaded.find(id).is_none(), loaded.find_broken(id).is_some()), (is_reserved, is_reserved), "{id}");
    }
}

#[test]
fn duplicate_ids_are_reported_with_both_locations() {
    let tool = |id: &str, description: &str| {
        format!(
            r#"{{"version": "1.0", "tools": [{{"id": "{id}", "name": "One", "description": "{description}", "parameters": {{"type": "object"}}, "execution": {{"type": "shell", "script": "true"}}}}]}}"#
        )
    };
    let fixture = fixture(&[
        (".vscode/agent-tools/a.json", &tool("kb.find", "Finds something in the first knowledge base.")),
        (".vscode/agent-tools/b.json", &tool("kb.find", "Does another thing altogether, elsewhere.")),
    ]);
    let loaded = fixture.load();
    assert_snapshot!(loaded.problems().map(LocatedProblem::render).collect::<Vec<_>>().join("\n"), @"
    .vscode/agent-tools/b.json:1:37: error[duplicate-id]: the id `kb.find` is already used by the tool at .vscode/agent-tools/a.json:1:37
      Change one of the two ids.
    ");
}

/// known-defects: X29
/// A file is trusted only after the user's approval, and a changed file is untrusted.
#[test]
fn a_file_is_trusted_by_its_content() {
    let fixture = fixture(&[(MAIN_FILE, template::SAMPLE)]);
    let trust = || fixture.load().files[0].trust.clone();
    assert_eq!(trust(), TrustState::New);
    assert_eq!(fixture.load().untrusted_files().count(), 1);
    fixture.trust();
    assert_eq!(trust(), TrustState::Trusted);
    assert_eq!(fixture.load().untrusted_files().count(), 0);
    fixture.write(MAIN_FILE, &template::SAMPLE.replace("printf", "rm -rf"));
    assert_eq!(trust(), TrustState::Changed { before: Some(template::SAMPLE.to_owned()) });
    assert_eq!(fixture.load().untrusted_files().count(), 1);
}

#[cfg(unix)]
#[test]
fn links_are_rejected() {
    let fixture = fixture(&[("real.json", template::SAMPLE)]);
    std::fs::create_dir_all(fixture.root.join(".vscode")).unwrap();
    std::os::unix::fs::symlink(fixture.root.join("real.json"), fixture.root.join(MAIN_FILE)).unwrap();
    std::os::unix::fs::symlink("/etc", fixture.root.join(DIRECTORY)).unwrap();
    let loaded = fixture.load();
    assert!(loaded.files.iter().all(|file| file.tools.is_empty()));
    assert!(loaded.problems().all(|entry| entry.problem.code == "link"), "{:?}", loaded.problems().next());
    assert!(loaded.problems().count() >= 1);
}

#[test]
fn hostile_files_are_reported_as_problems() {
    let deep_text = format!(r#"{{"version": "1.0", "tools": {}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let huge = format!(r#"{{"version": "1.0", "tools": [], "x": "{}"}}"#, "x".repeat(600 * 1024));
    let many_tools = format!(r#"{{"version": "1.0", "tools": [{}]}}"#, vec!["{}"; 300].join(","));
    let cyclic =
        template::SAMPLE.replace(r#""type": "string", "description": "Name"#, r##""$ref": "#", "description": "Name"##);
    let nul = template::SAMPLE.replace("printf", "\\u0000");
    for (text, code) in [
        (deep_text, "syntax"),
        (huge, "too-large"),
        (many_tools, "too-many-tools"),
        (cyclic, "unknown-field"),
        (nul, "nul"),
        (String::new(), "syntax"),
        ("[1]".to_owned(), "wrong-type"),
        ("null".to_owned(), "wrong-type"),
    ] {
        let fixture = fixture(&[(MAIN_FILE, &text)]);
        let loaded = fixture.load();
        assert!(loaded.problems().any(|entry| entry.problem.code == code), "{code}: {:?}", loaded.problems().next());
        assert!(loaded.files[0].tools.is_empty());
    }
}
