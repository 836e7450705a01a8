//! The answers of the mock, and the playback of scenarios.

use super::*;
use crate::message::{AssistantMessage, ToolCall, ToolResult};
use crate::{Prompt, ToolDefinition};
use serde_json::json;

const TOOLS: [&str; 6] = ["file_read", "file_list", "file_search", "shell_run", "domainlang_get", "workspace_deploy"];

fn tool_definitions(names: &[&str]) -> Vec<ToolDefinition> {
    let definition = |name: &&str| ToolDefinition {
        name: (*name).to_owned(),
        description: String::new(),
        schema: json!({ "type": "object" }),
    };
    names.iter().map(definition).collect()
}

fn user_message(text: &str) -> PromptMessage {
    PromptMessage::User { text: text.to_owned() }
}

fn call_with_result(call: &str, tool: &str, text: &str) -> [PromptMessage; 2] {
    let (id, tool) = (call.to_owned(), tool.to_owned());
    let message = AssistantMessage {
        calls: vec![ToolCall { id: id.clone(), tool: tool.clone(), arguments: json!({}) }],
        ..AssistantMessage::default()
    };
    [
        PromptMessage::Assistant(message),
        PromptMessage::Tool(ToolResult { call: id, tool, text: text.to_owned(), is_error: false }),
    ]
}

/// Returns the model's text for the messages, with its calls; checks that its deltas are the beginnings of it.
async fn answer(model: &dyn LanguageModel, messages: &[PromptMessage], tools: &[&str]) -> String {
    let received = Mutex::new(String::new());
    let on_delta = |delta: AnswerDelta| match delta {
        AnswerDelta::Text(text) | AnswerDelta::Reasoning(text) => received.lock().unwrap().push_str(&text),
    };
    let prompt = Prompt { system: "Be brief.", messages, tools: &tool_definitions(tools), max_output: None };
    match model.answer(prompt, &on_delta).await {
        Ok(answer) => {
            assert_eq!(*received.lock().unwrap(), format!("{}{}", answer.message.reasoning, answer.message.text));
            let calls =
                answer.message.calls.iter().map(|call| format!("\n{} {} {}", call.id, call.tool, call.arguments));
            format!("{}{}", answer.message.text, calls.collect::<String>())
        }
        Err(error) => format!("{:?}: {}", error.kind, error.message),
    }
}

async fn check(question: &str) -> String {
    let mock = Mock::new(".".into()).open("").await.unwrap();
    answer(mock.as_ref(), &[user_message(question)], &TOOLS).await
}

#[tokio::test]
async fn keywords_select_calls() {
    let questions = [
        "Please read the file `src/main.rs`.",
        "What's the content of 'a b.txt'? Read it!",
        "read the contents of notes/x.md, please",
        "Read a file.",
        "List all files",
        "Where is it? Search for the Catalogue.",
        "find \"fn main(\"",
        "search",
        "Run the shell command \"cargo test\"",
        "Run a command",
        "Use workspace.deploy.",
        "Use workspace.other",
        "Which contexts does the domain `Shop.Orders` have?",
        "I am already thready, don't profile me",
    ];
    let mut all = Vec::new();
    for question in questions {
        let answer = check(question).await;
        all.push(format!(
            "> {question}
{}",
            answer.lines().take(2).collect::<Vec<_>>().join(
                "
"
            )
        ));
    }
    let all = all.join(
        "
",
    );
    insta::assert_snapshot!(all, @r#"
    > Please read the file `src/main.rs`.
    I read the file.
    mock-1 file_read {"path":"src/main.rs"}
    > What's the content of 'a b.txt'? Read it!
    I read the file.
    mock-1 file_read {"path":"a b.txt"}
    > read the contents of notes/x.md, please
    I read the file.
    mock-1 file_read {"path":"notes/x.md"}
    > Read a file.
    I read the file.
    mock-1 file_read {"path":"README.md"}
    > List all files
    I list the files.
    mock-1 file_list {}
    > Where is it? Search for the Catalogue.
    I search the files.
    mock-1 file_search {"query":"Catalogue","regex":false}
    > find "fn main("
    I search the files.
    mock-1 file_search {"query":"fn main(","regex":false}
    > search
    I search the files.
    mock-1 file_search {"query":"TODO","regex":false}
    > Run the shell command "cargo test"
    I run the command.
    mock-1 shell_run {"command":"cargo test"}
    > Run a command
    Which command? Write it in quotes: run the command `pwd`.
    > Use workspace.deploy.
    I call the workspace's tool.
    mock-1 workspace_deploy {}
    > Use workspace.other
    That would be a call of `workspace_other`, which I am not offered.

    > Which contexts does the domain `Shop.Orders` have?
    I look into the domain model.
    mock-1 domainlang_get {"fqn":"Shop.Orders"}
    > I am already thready, don't profile me
    I am a mock: I go by keywords. Try:
    "#);
}

#[tokio::test]
async fn only_offered_tools_are_called() {
    let mock = Mock::new(".".into()).open("").await.unwrap();
    let question = [user_message("read the file a.txt"), user_message("list files")];
    insta::assert_snapshot!(answer(mock.as_ref(), &question, &["zubi_call_read_tool"]).await, @r#"
    I list the files.
    mock-1 zubi_call_read_tool {"tool":"file.list","arguments":{}}
    "#);
    insta::assert_snapshot!(answer(mock.as_ref(), &question, &["lsp_hover"]).await, @"
    That would be a call of `file_list`, which I am not offered.

    I am a mock: I go by keywords. Try:

    - read the file `README.md`
    - list the files
    - search for `TODO`
    - run the command `pwd`
    - what is in the domain model?
    - call workspace.NAME, a tool that the workspace declares

    The tools that I am offered:

    - `lsp_hover`
    ");
    let run = [user_message("run the command `ls`")];
    insta::assert_snapshot!(answer(mock.as_ref(), &run, &["zubi_call_tool"]).await, @r#"
    I run the command.
    mock-2 zubi_call_tool {"tool":"shell.run","arguments":{"command":"ls"}}
    "#);
}

#[tokio::test]
async fn the_final_answer_tool_is_called_last() {
    let mock = Mock::new(".".into()).open("").await.unwrap();
    let mut messages = vec![user_message("read the file a.txt")];
    let tools = ["file_read", "final_answer"];
    let first = answer(mock.as_ref(), &messages, &tools).await;
    messages.extend(call_with_result("mock-1", "file_read", "tea"));
    let second = answer(mock.as_ref(), &messages, &tools).await;
    insta::assert_snapshot!(format!("{first}\n{second}"), @r#"
    I read the file.
    mock-1 file_read {"path":"a.txt"}
    `file_read` answered:

    tea
    mock-2 final_answer {}
    "#);
}

#[tokio::test]
async fn results_are_summarized() {
    let mock = Mock::new(".".into()).open("").await.unwrap();
    let mut messages = vec![user_message("read the file a.txt")];
    let lines: Vec<String> = (1..=15).map(|line| format!("{line} {}", "x".repeat(line * 12))).collect();
    messages.extend(call_with_result("mock-7", "file_read", &lines.join("\n")));
    insta::assert_snapshot!(answer(mock.as_ref(), &messages, &TOOLS).await, @"
    `file_read` answered:

    1 xxxxxxxxxxxx
    2 xxxxxxxxxxxxxxxxxxxxxxxx
    3 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    4 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    5 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    6 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    7 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    8 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    9 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    10 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    11 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    12 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    … and 3 more lines
    ");
    messages
        .push(PromptMessage::Assistant(AssistantMessage { text: "There.".to_owned(), ..AssistantMessage::default() }));
    messages.push(user_message("list files"));
    insta::assert_snapshot!(answer(mock.as_ref(), &messages, &TOOLS).await, @"
    I list the files.
    mock-8 file_list {}
    ");
}

const SHOP: &str = "
zubiScenario: 1
title: A shop
turns:
- user: What is in the catalogue?
  answers:
  - text: I look.
    calls: [{tool: file.read, arguments: {path: catalogue.md}}, {tool: file_list}]
  - error: {kind: overloaded, message: come back later}
  - expect: {outcome: {file_read: tea}}
    text: Tea.
- user: And now?
  answers:
  - {reasoning: 'Hm. ', text: No., expect: {contains: [brief, And]}}
";

fn shop() -> (tempfile::TempDir, Mock) {
    let directory = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(directory.path().to_owned()).unwrap();
    zubi_base::fs::write_atomic(&path.join("shop.yaml"), SHOP.as_bytes()).unwrap();
    (directory, Mock::new(path))
}

#[tokio::test]
async fn scenarios_are_played_in_order() {
    let (_directory, mock) = shop();
    let mut messages = vec![user_message("What is there?")];
    let mut all = String::new();
    let play = async |messages: &[PromptMessage]| {
        // Opened again for each turn.
        let model = mock.open("shop.yaml").await.unwrap();
        assert_eq!((model.info().id.as_str(), model.info().name.as_str()), ("mock:shop.yaml", "A shop"));
        format!("{}\n", answer(model.as_ref(), messages, &TOOLS).await)
    };
    all.push_str(&play(&messages).await);
    messages.extend(call_with_result("mock-1", "file_read", "tea and coffee"));
    all.push_str(&play(&messages).await);
    all.push_str(&play(&messages).await);
    messages.extend([
        PromptMessage::Assistant(AssistantMessage { text: "Tea.".to_owned(), ..AssistantMessage::default() }),
        user_message("And now?"),
    ]);
    all.push_str(&play(&messages).await);
    all.push_str(&play(&messages).await);
    insta::assert_snapshot!(all, @r#"
    I look.
    mock-1 file_read {"path":"catalogue.md"}
    mock-2 file_list {}
    Overloaded: come back later
    Tea.
    No.
    Refused: A shop has 4 answers, and all of them are used
    "#);
    // Every conversation that begins with the same message begins with the first answer.
    for first in ["What is there?", "Hello"] {
        assert!(play(&[user_message(first)]).await.starts_with("I look."));
    }
}

#[tokio::test]
async fn playback_continues_at_the_position_in_the_prompt() {
    let (_directory, mock) = shop();
    let model = mock.open("shop.yaml").await.unwrap();
    let mut messages = vec![user_message("What is there?")];
    messages.extend(call_with_result("mock-1", "file_read", "tea"));
    messages.extend([
        PromptMessage::Assistant(AssistantMessage { text: "Tea.".to_owned(), ..AssistantMessage::default() }),
        user_message("And now?"),
    ]);
    insta::assert_snapshot!(answer(model.as_ref(), &messages, &TOOLS).await, @"No.");
}

#[tokio::test]
async fn a_failed_expectation_reports_expected_and_actual_text() {
    let (_directory, mock) = shop();
    let model = mock.open("shop.yaml").await.unwrap();
    let mut messages = vec![user_message("What is there?")];
    messages.extend(call_with_result("mock-1", "file_read", "coffee"));
    let answers = [answer(model.as_ref(), &messages, &TOOLS).await, answer(model.as_ref(), &messages, &TOOLS).await];
    insta::assert_snapshot!(answers.join("\n"), @"
    Overloaded: come back later
    Refused: `shop.yaml`, line 10: the scenario expects `tea` of `file_read`, which came to `coffee`
    ");
}

#[tokio::test]
async fn an_invalid_scenario_file_is_reported() {
    let (directory, mock) = shop();
    zubi_base::fs::write_atomic(&mock.directory.join("other.yaml"), b"zubiScenario: 1\nturn: []").unwrap();
    let mut all = Vec::new();
    for name in ["other.yaml", "none.yaml"] {
        all.push(mock.open(name).await.map(|_| ()).unwrap_err().to_string());
    }
    let all = all.join("\n").replace(directory.path().to_str().unwrap(), "DIRECTORY");
    insta::assert_snapshot!(all, @"
    the scenario `other.yaml` cannot be played: unknown field `turn`, expected one of zubiScenario, title, turns at line 2, column 1
    the scenario `none.yaml` cannot be played: `DIRECTORY/none.yaml` does not exist
    ");
}

#[test]
fn minimal_instances_match_their_schema() {
    let point =
        json!({ "type": "object", "properties": { "x": { "type": "integer", "minimum": 3 } }, "required": ["x"] });
    let schemas = [
        json!({}),
        json!({ "type": "object" }),
        json!({
            "type": "object", "additionalProperties": false, "required": ["name", "kind", "n", "when", "tags", "ok"],
            "properties": {
                "name": { "type": "string", "minLength": 2 }, "kind": { "enum": ["b", "a"] },
                "n": { "type": "integer", "exclusiveMinimum": 4, "multipleOf": 5 },
                "when": { "type": "string", "format": "date" }, "ok": { "type": ["boolean", "null"] },
                "tags": { "type": "array", "minItems": 2, "items": { "$ref": "#/$defs/tag" } }, "other": { "type": "string" },
            },
            "$defs": { "tag": { "type": "number", "maximum": -0.5 } },
        }),
        json!({ "allOf": [point, { "required": ["y"], "properties": { "y": { "const": "why" } } }] }),
        json!({ "anyOf": [{ "type": "string", "pattern": "^a+$", "default": "aa" }, { "type": "null" }] }),
        json!({ "type": "object", "minProperties": 1, "properties": { "a": { "type": "string" } } }),
        json!({ "type": "array", "prefixItems": [{ "type": "string" }], "items": { "type": "integer" }, "minItems": 3 }),
        json!({
            "allOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/b" }],
            "$defs": {
                "a": { "required": ["a"], "properties": { "a": { "type": "string" } } },
                "b": { "required": ["b"], "properties": { "b": { "$ref": "#/$defs/c" } } }, "c": { "const": 7 },
            },
        }),
        json!({ "anyOf": [{ "type": "string", "pattern": "^a+$" }, { "$ref": "#/$defs/n" }], "$defs": { "n": { "type": "integer" } } }),
        json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 }),
        json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 0.5 }),
        // The mock invents no value that does not fit.
        json!({ "type": "string", "pattern": "^a+$" }),
        json!({ "type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 1 }),
        json!({ "allOf": [{ "$ref": "#/allOf/0" }] }),
        json!({ "type": "array", "minItems": 2, "uniqueItems": true, "items": { "type": "integer" } }),
        json!({ "$ref": "#" }),
        json!({ "type": "array", "minItems": 1_000_000 }),
        json!({ "type": "string", "minLength": 1_000_000 }),
        json!(false),
    ];
    let all = schemas
        .iter()
        .map(|schema| schema_example::minimal_instance(schema).map_or("nothing".to_owned(), |it| it.to_string()));
    insta::assert_snapshot!(all.collect::<Vec<_>>().join("\n"), @r#"
    null
    {}
    {"name":"xx","kind":"b","n":5,"when":"2000-01-01","tags":[-0.5,-0.5],"ok":false}
    {"x":3,"y":"why"}
    "aa"
    {"a":""}
    ["",0,0]
    {"a":"","b":7}
    0
    0.5
    0.25
    nothing
    nothing
    nothing
    nothing
    nothing
    nothing
    nothing
    nothing
    "#);
}
