//! `zubi agent` without a real model: the mock, and scenarios. The real protocols are tested in `zubi-tests`.

use insta::assert_snapshot;

use crate::check::{Sandbox, check};

/// Runs a scenario of one turn with these answers in a workspace with `notes.txt`; `words` follow the task.
fn play(answers: &str, words: &[&str]) -> String {
    let sandbox = replay_scenario(answers);
    sandbox.check(&[&["agent", "run", "Do it.", "--model", "mock:play.yaml"], words].concat())
}

fn replay_scenario(answers: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("work/notes.txt", "one\ntwo\n");
    sandbox.write("work/play.yaml", &format!("zubiScenario: 1\nturns:\n- user: Do it.\n  answers:\n{answers}"));
    sandbox
}

/// The output of `--json`, without the parts that differ between runs.
fn stable(output: &str) -> String {
    let lines = output.lines().map(|line| {
        let Ok(mut event) = serde_json::from_str::<serde_json::Value>(line) else { return line.to_owned() };
        let object = event.as_object_mut().unwrap();
        object.shift_remove("at");
        for name in ["conversation", "zubi", "duration"] {
            if object.contains_key(name) {
                object[name] = "…".into();
            }
        }
        event.to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

const READS: &str = r"
  - text: I look.
    calls:
    - {tool: file_read, arguments: {path: notes.txt}}
  - expect: {outcome: {file_read: two}}
    text: It has two lines.
";

#[test]
fn answer_goes_to_stdout_and_the_rest_to_stderr() {
    assert_snapshot!(play(READS, &[]), @"
    exit 0
    --- stdout
    It has two lines.
    --- stderr
    I look.
    → Read a file: notes.txt
    ");
}

#[test]
fn every_event_is_a_line() {
    assert_snapshot!(stable(&play(READS, &["--json"])), @r#"
    exit 0
    --- stdout
    {"seq":1,"type":"began","version":1,"conversation":"…","folders":["[PLACE]/work"],"zubi":"…"}
    {"seq":2,"type":"asked","turn":1,"text":"Do it."}
    {"seq":3,"type":"iteration","turn":1,"iteration":1,"model":"mock:play.yaml"}
    {"seq":3,"type":"text","turn":1,"iteration":1,"offset":0,"text":"I "}
    {"seq":3,"type":"text","turn":1,"iteration":1,"offset":2,"text":"look."}
    {"seq":4,"type":"answered","turn":1,"iteration":1,"said":{"text":"I look.","calls":[{"id":"mock-1","tool":"file_read","arguments":{"path":"notes.txt"}}]},"usage":{"input":0,"output":0,"cached":0},"stop":"finished"}
    {"seq":5,"type":"calling","turn":1,"call":"mock-1","tool":"file.read","summary":"Read a file: notes.txt","arguments":{"path":"notes.txt"},"effect":"read"}
    {"seq":6,"type":"result","turn":1,"call":"mock-1","text":"one\ntwo\n[disk · sha c3f9c8c283a2 · lines 1–2 of 2]","duration":"…"}
    {"seq":7,"type":"iteration","turn":1,"iteration":2,"model":"mock:play.yaml"}
    {"seq":7,"type":"text","turn":1,"iteration":2,"offset":0,"text":"It "}
    {"seq":7,"type":"text","turn":1,"iteration":2,"offset":3,"text":"has "}
    {"seq":7,"type":"text","turn":1,"iteration":2,"offset":7,"text":"two "}
    {"seq":7,"type":"text","turn":1,"iteration":2,"offset":11,"text":"lines."}
    {"seq":8,"type":"answered","turn":1,"iteration":2,"said":{"text":"It has two lines."},"usage":{"input":0,"output":0,"cached":0},"stop":"finished"}
    {"seq":9,"type":"ended","turn":1,"reason":"completed","text":"It has two lines.","iterations":2,"calls":1,"usage":{"input":0,"output":0,"cached":0},"duration":"…"}
    "#);
}

#[test]
fn mock_needs_no_configuration() {
    assert_snapshot!(check(&["agent", "run", "--model", "mock", "read the file \"src/lib.rs\""]), @"
    exit 0
    --- stdout
    `file_read` answered:

    pub fn parse() {}
    [disk · sha e15aa76c42eb · lines 1–1 of 1]
    --- stderr
    I read the file.
    → Read a file: src/lib.rs
    ");
}

#[test]
fn command_is_refused_without_approver_unless_a_rule_allows_it() {
    let push = r#"
  - calls:
    - {tool: shell_run, arguments: {command: "touch made; curl http://127.0.0.1:1/"}}
  - text: That was it.
"#;
    assert_snapshot!(play(push, &[]), @r#"
    exit 0
    --- stdout
    That was it.
    --- stderr
    → Run a command: touch made; curl http://127.0.0.1:1/
      ✗ Failed to run shell.run: it runs `touch made`, and no one can approve it here
        The user can allow it for one run with
        --auto-approve 'shell.run:touch made' --auto-approve 'shell.run:curl http://127.0.0.1:1/'
        The user can allow it in zubi.toml with
        [[policy]]
        action = "allow"
        tools = ["shell.run"]
        command = ["touch", "made"]
        [[policy]]
        action = "allow"
        tools = ["shell.run"]
        command = ["curl", "http://127.0.0.1:1/"]
    "#);
    assert_snapshot!(play(push, &["--auto-approve", "shell.run:touch *"]), @r#"
    exit 0
    --- stdout
    That was it.
    --- stderr
    → Run a command: touch made; curl http://127.0.0.1:1/
      ✗ Failed to run shell.run: it runs `curl http://127.0.0.1:1/`, and no one can approve it here
        The user can allow it for one run with
        --auto-approve 'shell.run:curl http://127.0.0.1:1/'
        The user can allow it in zubi.toml with
        [[policy]]
        action = "allow"
        tools = ["shell.run"]
        command = ["curl", "http://127.0.0.1:1/"]
    "#);
    let misspelt =
        ["--auto-approve", "shell_run:touch *", "--auto-approve", "shel.run:curl *", "--auto-approve", "nope"];
    let output = play(push, &misspelt);
    assert_snapshot!(output.split("\n    The user").next().unwrap_or_default(), @"
    exit 0
    --- stdout
    That was it.
    --- stderr
    warning: --auto-approve: there is no tool `shel.run` here; did you mean `shell.run`?
    warning: --auto-approve: there is no tool `nope` here; `zubi tools list` shows all
    → Run a command: touch made; curl http://127.0.0.1:1/
      ✗ Failed to run shell.run: it runs `curl http://127.0.0.1:1/`, and no one can approve it here
    ");
    assert_snapshot!(play("\n  - text: x\n", &["--auto-approve", "shell run"]), @r#"
    exit 2
    --- stderr
    error: --auto-approve: invalid rule `shell run`: it begins with no tool. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.
    "#);
}

#[test]
fn unfinished_turn_exits_with_one_and_can_be_resumed() {
    let sandbox = replay_scenario(READS);
    assert_snapshot!(sandbox.check(&["agent", "run", "Do it.", "--model", "mock:play.yaml", "--max-iterations", "1"]).replace(&latest(&sandbox), "[ID]"), @"
    exit 1
    --- stderr
    I look.
    → Read a file: notes.txt
    ! The model was called once, which is the limit. Send “continue” in this conversation, or raise the limit.
      Calls made: file.read 1.
      The last words of the model: I look.
      The remaining work is not known.
    hint: `zubi agent resume [ID]` resumes it.
    ");
    assert_snapshot!(sandbox.check(&["agent", "resume", "--model", "mock:play.yaml"]), @"
    exit 0
    --- stdout
    It has two lines.
    ");
    assert_snapshot!(without_sum(&sandbox.check(&["agent", "show"])).replace(&latest(&sandbox), "[ID]"), @"
    exit 0
    --- stdout
    > Do it.

    I look.
    → Read a file: notes.txt
    ! The model was called once, which is the limit. Send “continue” in this conversation, or raise the limit.

    > Continue where you left off.

    It has two lines.
    --- stderr
    conversation [ID]
    ");
}

/// The id of the latest conversation.
fn latest(sandbox: &Sandbox) -> String {
    let list = sandbox.check(&["agent", "list", "--json"]);
    let (_, after) = list.split_once("\"id\":\"").unwrap();
    after.split_once('"').unwrap().0.to_owned()
}

#[test]
fn model_without_an_answer_is_an_environment_error() {
    let broken = "\n  - error: {kind: unauthorized, message: the key is not taken}\n";
    let sandbox = replay_scenario(broken);
    let output = sandbox.check(&["agent", "run", "Do it.", "--model", "mock:play.yaml"]);
    assert_snapshot!(output.replace(&latest(&sandbox), "[ID]"), @"
    exit 3
    --- stderr
    ! the key is not taken. Check the key of this provider: `zubi agent models` says where it was found.
      The model gave no answer.
      Calls made: none.
      The remaining work is not known.
    hint: `zubi agent resume [ID]` resumes it.
    ");
    assert_snapshot!(check(&["agent", "run", "Do it.", "--model", "nobody/nothing"]), @"
    exit 3
    --- stderr
    error: there is no model `nobody/nothing`; a model is named `provider/model`; available providers: ollama, mock; others lack a key or an address: openai, anthropic, gemini, openrouter, github. `zubi agent models` shows the available models and what others need.
    ");
}

#[test]
fn the_answer_can_be_data() {
    let answers = "\n  - text: '{\"lines\": 2}'\n";
    let sandbox = replay_scenario(answers);
    sandbox.write(
        "work/lines.json",
        r#"{"type":"object","properties":{"lines":{"type":"integer"}},"required":["lines"]}"#,
    );
    let words = ["agent", "run", "Do it.", "--model", "mock:play.yaml", "--output-schema", "lines.json"];
    assert_snapshot!(sandbox.check(&words), @r#"
    exit 0
    --- stdout
    {"lines":2}
    "#);
    sandbox.write("work/lines.json", "{");
    assert_snapshot!(sandbox.check(&words), @"
    exit 2
    --- stderr
    error: `lines.json` is not valid JSON: EOF while parsing an object at line 1 column 1
    hint: --output-schema takes a JSON Schema of an object.
    ");
}

#[test]
fn conversations_can_be_listed_shown_exported_and_removed() {
    let sandbox = replay_scenario(READS);
    assert_snapshot!(sandbox.check(&["agent", "list"]), @"
    exit 0
    --- stderr
    No conversations in this workspace yet: `zubi agent run` starts one.
    ");
    assert_snapshot!(sandbox.check(&["agent", "show"]), @"
    exit 2
    --- stderr
    error: no conversations in this workspace
    hint: `zubi agent run` starts one.
    ");
    sandbox.check(&["agent", "run", "Do it.", "--model", "mock:play.yaml"]);
    let id = latest(&sandbox);
    let output = sandbox.check(&["agent", "list", "--search", "two lines"]);
    assert!(output.contains(&id) && output.contains("Do it."), "{output}");
    assert_snapshot!(sandbox.check(&["agent", "list", "--search", "elephant"]), @"
    exit 0
    --- stderr
    No conversation in this workspace contains these words.
    ");
    assert_snapshot!(sandbox.check(&["agent", "export", "-o", "out.yaml"]), @"
    exit 0
    --- stderr
    written: out.yaml
    ");
    assert_snapshot!(sandbox.read("work/out.yaml"), @"
    zubiScenario: 1
    title: Do it.
    turns:
    - user: Do it.
      answers:
      - text: I look.
        calls:
        - tool: file_read
          arguments:
            path: notes.txt
      - text: It has two lines.
      results:
      - tool: file_read
        arguments:
          path: notes.txt
        text: |-
          one
          two
          [disk · sha c3f9c8c283a2 · lines 1–2 of 2]
      ended: completed
    ");
    assert_snapshot!(sandbox.check(&["agent", "export", "-o", "out.yaml"]), @"
    exit 2
    --- stderr
    error: `out.yaml` already exists and is not overwritten
    hint: Choose another file, or remove this one first.
    ");
    assert_snapshot!(sandbox.check(&["agent", "delete", "nothing"]), @"
    exit 2
    --- stderr
    error: there is no conversation `nothing`. `zubi agent list` shows which there are.
    ");
    assert_snapshot!(sandbox.check(&["agent", "delete", &id]).replace(&id, "[ID]"), @"
    exit 0
    --- stderr
    deleted: [ID]
    ");
    assert_snapshot!(sandbox.check(&["agent", "show", &id]).replace(&id, "[ID]"), @"
    exit 2
    --- stderr
    error: there is no conversation `[ID]`. `zubi agent list` shows which there are.
    ");
}

#[test]
fn replay_reports_differences() {
    let sandbox = replay_scenario(READS);
    sandbox.check(&["agent", "run", "Do it.", "--model", "mock:play.yaml"]);
    let id = latest(&sandbox);
    assert_snapshot!(sandbox.check(&["agent", "replay", &id]), @"
    exit 0
    --- stdout
    1 turn, 1 call: as it was
    ");
    sandbox.check(&["agent", "export", "-o", "out.yaml"]);
    sandbox.write("work/notes.txt", "one\nthree\n");
    assert_snapshot!(sandbox.check(&["agent", "replay", "out.yaml"]), @r#"
    exit 1
    --- stdout
    turn 1, call 1: file_read {"path":"notes.txt"} has a different result
      - two
      - [disk · sha c3f9c8c283a2 · lines 1–2 of 2]
      + three
      + [disk · sha c9b0fb1fa00b · lines 1–2 of 2]
    1 turn, 1 call: 1 difference
    "#);
    assert_snapshot!(sandbox.check(&["agent", "replay", "out.yaml", "--json"]), @r#"
    exit 1
    --- stdout
    {"turns":1,"calls":1,"differences":[{"what":"outcome","turn":1,"call":1,"made":{"tool":"file_read","arguments":{"path":"notes.txt"}},"recorded":{"text":"one\ntwo\n[disk · sha c3f9c8c283a2 · lines 1–2 of 2]","failed":false},"now":{"text":"one\nthree\n[disk · sha c9b0fb1fa00b · lines 1–2 of 2]","failed":false}}]}
    "#);
    assert_snapshot!(sandbox.check(&["agent", "replay", "notes.txt"]), @"
    exit 2
    --- stderr
    error: `notes.txt` is not a valid scenario: expected mapping start at line 1, column 1
    ");
    assert_snapshot!(sandbox.check(&["agent", "replay", "nothing.yaml"]), @"
    exit 2
    --- stderr
    error: file not found: `nothing.yaml`
    hint: It is not a conversation id either: `zubi agent list` lists the ids.
    ");
    assert_snapshot!(sandbox.check(&["agent", "replay", "abc"]), @"
    exit 2
    --- stderr
    error: there is no conversation `abc`. `zubi agent list` shows which there are.
    hint: There is no file of this name either.
    ");
}

#[test]
fn ambiguous_id_lists_its_conversations() {
    let sandbox = replay_scenario("\n  - text: Yes.\n");
    for task in ["First of all,\nlook.", "Second."] {
        sandbox.check(&["agent", "run", task, "--model", "mock"]);
    }
    let output = sandbox.check(&["agent", "show", "0"]);
    let list = sandbox.check(&["agent", "list", "--json"]);
    let ids: Vec<&str> = list.split("\"id\":\"").skip(1).filter_map(|it| it.split('"').next()).collect();
    assert_snapshot!(output.replace(ids[0], "[SECOND]").replace(ids[1], "[FIRST]"), @"
    exit 2
    --- stderr
    error: several conversation ids begin with `0`:
      [FIRST]  First of all, look.
      [SECOND]  Second.
    hint: Use a longer prefix.
    ");
    assert_snapshot!(sandbox.check(&["agent", "resume", ""]), @"
    exit 2
    --- stderr
    error: the id is empty
    hint: An id looks like `01a20a25dd52-554913fdac59fa64`; a prefix is enough. `zubi agent list` lists them.
    ");
    assert_snapshot!(sandbox.check(&["agent", "list", "--limit", "0"]), @"
    exit 2
    --- stderr
    error: invalid value '0' for '--limit <N>': must be at least 1

    For more information, try '--help'.
    ");
}

#[test]
fn unusable_index_is_reported() {
    let sandbox = replay_scenario("\n  - text: Yes.\n");
    sandbox.check(&["agent", "run", "Look.", "--model", "mock"]);
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        drop(std::fs::remove_file(sandbox.path(&format!("state/zubi/sessions/{name}"))));
    }
    sandbox.directory("state/zubi/sessions/index.db");
    let output = sandbox.check(&["agent", "list"]);
    let (list, beside) = output.split_once("--- stderr\n").unwrap();
    assert!(list.contains("Look."), "{output}");
    assert_snapshot!(beside, @"The index of conversations cannot be used (Is a directory (os error 21)), so that all their files were read instead. If that stays so, remove `[PLACE]/state/zubi/sessions/index.db`; zubi builds it again.");
}

#[test]
fn piped_chat_processes_lines_in_order() {
    let sandbox = replay_scenario(READS);
    let mut command = sandbox.zubi();
    command
        .args(["agent", "chat", "--model", "mock:play.yaml"])
        .write_stdin("/model\n/nothing\nDo it,\\\nall.\n/quit\n");
    assert_snapshot!(without_sum(&sandbox.show(&mut command)), @"
    exit 2
    --- stdout
    I look.
    It has two lines.
    --- stderr
    mock:play.yaml
    unknown command /nothing: /help lists the commands
    → Read a file: notes.txt
    ");
}

#[test]
fn a_chat_over_a_pipe_exits_as_its_last_turn_has_ended() {
    let answers = "\n  - error: {kind: unauthorized, message: the key is not taken}\n  - text: Yes.\n";
    let sandbox = replay_scenario(answers);
    let chat = |typed: &str, words: &[&str]| {
        let mut command = sandbox.zubi();
        command.args(["agent", "chat"]).args(words).write_stdin(typed.to_owned());
        without_sum(&sandbox.show(&mut command))
    };
    let play_args = ["--model", "mock:play.yaml"];
    assert_snapshot!(chat("Do it.\n", &play_args), @"
    exit 3
    --- stderr
    ! the key is not taken. Check the key of this provider: `zubi agent models` says where it was found.
      The model gave no answer.
      Calls made: none.
      The remaining work is not known.
    ");
    assert_snapshot!(chat("Do it.\nOnce more.\n/quit\n", &play_args), @"
    exit 0
    --- stdout
    Yes.
    --- stderr
    ! the key is not taken. Check the key of this provider: `zubi agent models` says where it was found.
      The model gave no answer.
      Calls made: none.
      The remaining work is not known.
    ");
    assert_snapshot!(chat("", &play_args), @"exit 0");
    assert_snapshot!(chat("Do it.\n", &["--model", "nope"]), @"
    exit 3
    --- stderr
    error: there is no model `nope`; a model is named `provider/model`; available providers: ollama, mock; others lack a key or an address: openai, anthropic, gemini, openrouter, github; not every provider answered: ollama cannot be reached at http://127.0.0.1:9/: Connection refused (os error 111). `zubi agent models` shows the available models and what others need.
    ");
}

#[test]
fn models_are_checked_when_they_are_named() {
    let sandbox = replay_scenario(READS);
    let typed = "/model nope\n/model\n/model mock\n/model openai/gpt-5\n/model mock:nothing.yaml\n/model\n/model mock:play.yaml\nDo it.\n";
    let mut command = sandbox.zubi();
    command.args(["agent", "chat"]).write_stdin(typed);
    assert_snapshot!(without_sum(&sandbox.show(&mut command)), @r#"
    exit 3
    --- stdout
    I look.
    It has two lines.
    --- stderr
    there is no model `nope`; a model is named `provider/model`; available providers: ollama, mock; others lack a key or an address: openai, anthropic, gemini, openrouter, github; not every provider answered: ollama cannot be reached at http://127.0.0.1:9/: Connection refused (os error 111). `zubi agent models` shows the available models and what others need.
    /models lists the models. Still using auto.
    auto
    Using mock from now on
    openai needs a key: set OPENAI_API_KEY, or write `OPENAI_API_KEY = { file = "…" }` into [env] of your zubi.toml. `zubi agent models` shows the available models and what others need.
    /models lists the models. Still using mock.
    the scenario `nothing.yaml` cannot be played: `[PLACE]/work/nothing.yaml` does not exist. `zubi agent models` shows the available models and what others need.
    /models lists the models. Still using mock.
    mock
    Using mock:play.yaml from now on
    → Read a file: notes.txt
    "#);
    assert_snapshot!(sandbox.check(&["web", "--no-open", "--model", "nope"]), @"
    exit 3
    --- stderr
    error: there is no model `nope`; a model is named `provider/model`; available providers: ollama, mock; others lack a key or an address: openai, anthropic, gemini, openrouter, github; not every provider answered: ollama cannot be reached at http://127.0.0.1:9/: Connection refused (os error 111). `zubi agent models` shows the available models and what others need.
    ");
}

/// Removes the line with the duration of a turn.
fn without_sum(output: &str) -> String {
    output.lines().filter(|line| !line.starts_with("· ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn command_line_errors_are_reported() {
    assert_snapshot!(check(&["agent", "run", " ", "--model", "mock"]), @"
    exit 2
    --- stderr
    error: the task is empty
    hint: Describe the task: `zubi agent run 'list the files'`.
    ");
    assert_snapshot!(check(&["agent", "run", "x", "--max-time", "5"]), @"
    exit 2
    --- stderr
    error: invalid value '5' for '--max-time <TIME>': invalid duration `5`; use a unit, as in 90s, 15m or 2h

    For more information, try '--help'.
    ");
    assert_snapshot!(check(&["agent", "run", "x", "--instructions", "nothing.md"]), @"
    exit 2
    --- stderr
    error: `[PLACE]/work/nothing.md` does not exist
    ");
    let sandbox = Sandbox::new();
    let mut command = sandbox.zubi();
    command.args(["agent", "run", "-", "--model", "mock"]).write_stdin("list files\n");
    let output = sandbox.show(&mut command);
    assert!(output.starts_with("exit 0") && output.contains("src/lib.rs"), "{output}");
}

#[test]
fn the_mock_gives_an_answer_as_data_if_it_can() {
    let sandbox = Sandbox::new();
    sandbox.write("work/notes.txt", "one\n");
    let count = r#"{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 2}}}"#;
    sandbox.write("work/count.json", count);
    sandbox.write("work/word.json", r#"{"type": "string", "pattern": "^a+$"}"#);
    let outputs = ["count.json", "word.json"].map(|schema| {
        let words = ["agent", "run", "read the file notes.txt", "--model", "mock", "--output-schema", schema];
        sandbox.check(&words).replace(&latest(&sandbox), "[ID]")
    });
    assert_snapshot!(outputs.join("\n"), @r#"
    exit 0
    --- stdout
    {"n":2}
    --- stderr
    I read the file.
    → Read a file: notes.txt
    `file_read` answered:

    one
    [disk · sha 2c8b08da5ce6 · lines 1–1 of 1]
    → final_answer
    exit 3
    --- stderr
    I read the file.
    → Read a file: notes.txt
    ! the mock cannot create a value for this schema. Write one into a scenario's file: `--model mock:FILE`.
      The model gave no answer.
      Calls made: file.read 1.
      The last words of the model: I read the file.
      The remaining work is not known.
    hint: `zubi agent resume [ID]` resumes it.
    "#);
}

#[test]
fn missing_provider_requirements_are_reported_once() {
    let output = Sandbox::new().check(&["agent", "models"]);
    let (list, beside) = output.split_once("--- stderr").unwrap();
    assert!(list.contains("(openai: needs a key") && !beside.contains("openai"), "{output}");
    assert!(beside.contains("ollama: ollama at"), "{output}");
}
