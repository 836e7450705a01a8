//! Turn ends other than an answer: budgets, repeated calls, invalid arguments, an invalid final answer, a full disk.

use serde_json::{Value, json};

use super::world::{World, call, calls, text_reply};
use crate::run::Budgets;
use zubi_models::FinishReason;
use zubi_models::message::ToolCall;

fn read(id: &str) -> ToolCall {
    call(id, "file_read", json!({"path": "a"}))
}

#[tokio::test]
async fn the_iteration_limit_ends_the_turn() {
    let write = [call("w", "file_write", json!({"path": "new.txt", "content": "x\n"}))];
    let replies = vec![calls("Looking.", &[read("a")]), calls("Writing.", &write)];
    let mut world = World::new(&[("a", "1\n")], replies);
    world.budgets = Budgets { iterations: 2, ..Budgets::default() };
    insta::assert_snapshot!(world.run("go").await, @r#"
    > go
    #1
    < Looking. a=file_read{"path":"a"}
      a Read a file: a [Read]
      a = 1 / [disk · sha HASH · lines 1–1 of 1]
    #2
    < Writing. w=file_write{"path":"new.txt","content":"x\n"}
      w Write a file: new.txt [Write]
        diff --git a/new.txt b/new.txt / new file / --- /dev/null / +++ b/new.txt / @@ -0,0 +1 @@ / +x
      w = write new.txt: created / diff --git a/new.txt b/new.txt / new file / --- /dev/null / +++ b/new.txt / @@ -0,0 +1 @@ / +x / undo_edit {"plan":"p-PLAN"} undoes it / [disk · sha HASH]
    = Iterations after 2/2: The model was called 2 times, which is the limit. / Calls made: file.read 1, file.write 1. / Files changed: new.txt. / The last words of the model: Writing. / The remaining work is not known.
      problem: The model was called 2 times, which is the limit. Send “continue” in this conversation, or raise the limit.
    "#);
}

#[tokio::test]
async fn the_call_limit_ends_the_turn() {
    let mut world = World::new(&[("a", "1\n")], vec![calls("", &[read("a"), read("b"), read("c")])]);
    world.budgets = Budgets { calls: 2, ..Budgets::default() };
    insta::assert_snapshot!(world.run("go").await, @r#"
    > go
    #1
    <  a=file_read{"path":"a"} b=file_read{"path":"a"} c=file_read{"path":"a"}
      a Read a file: a [Read]
      b Read a file: a [Read]
      c file_read
      a = 1 / [disk · sha HASH · lines 1–1 of 1]
      b = 1 / [disk · sha HASH · lines 1–1 of 1]
      c = Not made. 2 calls were made, which is the limit. (cancelled)
    = Calls after 1/2: 2 calls were made, which is the limit. / Calls made: file.read 2. / Calls requested but not made: 1. / The remaining work is not known.
      problem: 2 calls were made, which is the limit. Send “continue” in this conversation, or raise the limit.
    "#);
}

#[tokio::test]
async fn the_token_limit_ends_the_turn() {
    let mut world = World::new(&[("a", "1\n")], vec![calls("So.", &[read("a")]).usage(90, 20)]);
    world.budgets = Budgets { tokens: Some(100), ..Budgets::default() };
    insta::assert_snapshot!(world.run("go").await, @r#"
    > go
    #1
    < So. a=file_read{"path":"a"}
      a file_read
      a = Not made. 110 tokens were used; the limit is 100. (cancelled)
    = Tokens after 1/0: 110 tokens were used; the limit is 100. / Calls made: none. / Calls requested but not made: 1. / The last words of the model: So. / The remaining work is not known.
      problem: 110 tokens were used; the limit is 100. Send “continue” in this conversation, or raise the limit.
    "#);
}

#[tokio::test]
async fn unreported_usage_is_estimated() {
    let mut world =
        World::new(&[("a", "1\n")], vec![calls("", &[read("a")]), calls("", &[read("b")]), text_reply("Done.")]);
    // The tools alone take more than half of the budget.
    world.budgets = Budgets { tokens: Some(16_000), ..Budgets::default() };
    let events = world.run("go").await;
    assert!(events.contains("= Tokens after 2/1"), "{events}");
}

#[tokio::test]
async fn a_too_long_answer_is_discarded() {
    let mut world = World::new(&[], vec![text_reply(&"long ".repeat(2_000_000))]);
    insta::assert_snapshot!(world.run("go").await, @"
    > go
    #1
    = Model after 1/0: The model gave no answer. / Calls made: none. / The remaining work is not known.
      problem: The model's answer is longer than 8 MiB and was discarded. Request less in one answer, or choose another model.
    ");
}

#[tokio::test]
async fn repeated_calls_end_the_turn() {
    let replies = (1..=5).map(|n| calls("", &[read(&format!("c{n}"))])).collect();
    let mut world = World::new(&[("a", "1\n")], replies);
    insta::assert_snapshot!(world.run("go").await, @r#"
    > go
    #1
    <  c1=file_read{"path":"a"}
      c1 Read a file: a [Read]
      c1 = 1 / [disk · sha HASH · lines 1–1 of 1]
    #2
    <  c2=file_read{"path":"a"}
      c2 Read a file: a [Read]
      c2 = 1 / [disk · sha HASH · lines 1–1 of 1]
    #3
    <  c3=file_read{"path":"a"}
      c3 Read a file: a [Read]
      c3 = 1 / [disk · sha HASH · lines 1–1 of 1] / [You have made this same call several times, and nothing has changed in between: repeating it will not help. Do something else, or say what is missing.]
    #4
    <  c4=file_read{"path":"a"}
      c4 Read a file: a [Read]
      c4 = 1 / [disk · sha HASH · lines 1–1 of 1] / [You have made this same call several times, and nothing has changed in between: repeating it will not help. Do something else, or say what is missing.]
    #5
    <  c5=file_read{"path":"a"}
      c5 Read a file: a
      c5 = Not made. The same call has already given the same result four times. (cancelled)
    = Repeating after 5/5: The model made the same call over and over. / Calls made: file.read 4. / Calls requested but not made: 1. / The remaining work is not known.
      problem: The model made the same call over and over. Add the missing information, or choose another model.
    "#);
}

#[tokio::test]
async fn a_change_resets_the_repetition_count() {
    let write = |n: u32| {
        call(&format!("w{n}"), "file_write", json!({"path": "b", "content": n.to_string(), "overwrite": true}))
    };
    let mut replies: Vec<_> = (1..=3).map(|n| calls("", &[read(&format!("c{n}"))])).collect();
    replies.push(calls("", &[write(1)]));
    replies.extend((4..=6).map(|n| calls("", &[read(&format!("c{n}"))])));
    replies.push(text_reply("done"));
    let mut world = World::new(&[("a", "1\n")], replies);
    let events = world.run("go").await;
    let noted_calls: Vec<&str> = events
        .lines()
        .filter(|line| line.contains("same call several times"))
        .filter_map(|line| line.split(" = ").next())
        .collect();
    assert_eq!(noted_calls, ["  c3", "  c6"], "{events}");
    assert!(events.contains("= Completed"), "{events}");
}

#[tokio::test]
async fn invalid_arguments_do_not_stop_the_other_calls() {
    let invalid = |id: &str| call(id, "file_search", json!({"maxResults": 3}));
    let text = |id: &str| call(id, "file_read", json!("{\"path\": \"a\""));
    let unknown = [call("u", "file_raed", json!({})), call("v", "frobnicate", json!({}))];
    let replies = vec![
        calls("", &[invalid("a"), read("b"), text("c"), unknown[0].clone(), unknown[1].clone()])
            .stop(FinishReason::Length),
        calls("", &[invalid("d")]),
        calls("", &[invalid("e")]),
    ];
    let mut world = World::new(&[("a", "1\n")], replies);
    insta::assert_snapshot!(world.run("go").await, @r#"
    > go
    #1
    <  a=file_search{"maxResults":3} b=file_read{"path":"a"} c=file_read"{\"path\": \"a\"" u=file_raed{} v=frobnicate{}
      a Search in files [Read]
      b Read a file: a [Read]
      c Read a file
      u file_raed
      v frobnicate
      a = Invalid input: query: is required / `query` (string): Regular expression (Rust's syntax), matched line by line; with regex: false plain text Example: {"query":"Error::new\\(","pattern":"*.rs","context":1} (invalid_input)
      b = 1 / [disk · sha HASH · lines 1–1 of 1]
      c = Invalid input: arguments: expected a JSON object, got `{"path": "a"`. Write all arguments of file_read as one JSON object. Your answer reached the length limit and was cut: write less in one answer. (invalid_input)
      u = unknown tool `file_raed`. The most similar of your tools are `file_read`, `file_write`. (unknown_tool)
      v = unknown tool `frobnicate`: there is no such tool. Call one of the tools that you were given, by its exact name. (unknown_tool)
    #2
    <  d=file_search{"maxResults":3}
      d Search in files [Read]
      d = Invalid input: query: is required / `query` (string): Regular expression (Rust's syntax), matched line by line; with regex: false plain text Example: {"query":"Error::new\\(","pattern":"*.rs","context":1} (invalid_input)
    #3
    <  e=file_search{"maxResults":3}
      e Search in files [Read]
      e = Invalid input: query: is required / `query` (string): Regular expression (Rust's syntax), matched line by line; with regex: false plain text Example: {"query":"Error::new\\(","pattern":"*.rs","context":1} / [You have made this same call several… (invalid_input)
    = Invalid after 3/7: The model repeatedly returned invalid data. / Calls made: file.read 2 (1 failed), file.search 3 (3 failed), file_raed 1 (1 failed), frobnicate 1 (1 failed). / The remaining work is not known.
      problem: The model called file.search with invalid arguments several times (Invalid input: query: is required). Rephrase the request, or choose another model.
    "#);
}

#[tokio::test]
async fn different_missing_paths_do_not_count_as_repetition() {
    let read = |path: &str| calls("", &[call(path, "file_read", json!({"path": path}))]);
    let replies = vec![read("x"), read("y"), read("z"), read("v"), text_reply("It is not there.")];
    let events = World::new(&[], replies).run("go").await;
    assert!(events.contains("= Completed"), "{events}");
}

fn number() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false})
}

#[tokio::test]
async fn a_final_answer_is_a_call_or_a_text() {
    let final_call = |id: &str, arguments: Value| calls("", &[call(id, "final_answer", arguments)]);
    let replies = vec![
        calls("", &[call("x", "final_answer", json!({"n": "one"})), read("y")]),
        final_call("z", json!({"n": 1})),
        text_reply("```json\n{\"n\": 2}\n```"),
    ];
    let mut world = World::new(&[("a", "1\n")], replies);
    world.schema = Some(number());
    world.run("how many").await;
    insta::assert_snapshot!(world.run("and now").await, @r#"
    > how many
    #1
    <  x=final_answer{"n":"one"} y=file_read{"path":"a"}
      x final_answer
      y Read a file: a [Read]
      x = Invalid input: n: "one" is not of type "integer". Correct it and call final_answer again. (invalid_input)
      y = 1 / [disk · sha HASH · lines 1–1 of 1]
    #2
    <  z=final_answer{"n":1}
      z final_answer
      z = Taken.
    = Completed after 2/1: {"n":1} data {"n":1}
    > and now
    #1
    < ```json / {"n": 2} / ```
    = Completed after 1/0: {"n":2} data {"n":2}
    "#);
    let seen = world.model.received.lock().unwrap();
    assert!(seen.iter().all(|seen| seen.tools.contains(&"final_answer".to_owned())));
    assert!(seen.iter().all(|seen| seen.system.contains("call final_answer once")));
}

#[tokio::test]
async fn an_invalid_final_answer_is_requested_twice_more() {
    let mut world = World::new(&[], vec![text_reply("one"), text_reply("{\"n\": 1.5}"), text_reply("{}")]);
    world.schema = Some(number());
    insta::assert_snapshot!(world.run("how many").await, @r#"
    > how many
    #1
    < one
    #2
    < {"n": 1.5}
    #3
    < {}
    = Invalid after 3/0: The model repeatedly returned invalid data. / Calls made: none. / The last words of the model: {} / The remaining work is not known.
      problem: The model gave no final answer that fits the schema ("n" is a required property). Try again, or choose another model.
    "#);
    let seen = world.model.received.lock().unwrap();
    let last_texts: Vec<String> =
        seen.iter().filter_map(|seen| seen.messages.last().map(|it| json!(it)["text"].to_string())).collect();
    insta::assert_snapshot!(last_texts.join("\n"), @r#"
    "how many"
    "Your message is not the final answer: it is not JSON. Call final_answer with the final answer."
    "Your message is not the final answer: n: 1.5 is not of type \"integer\". Call final_answer with the final answer."
    "#);
}

#[tokio::test]
async fn output_schemas_are_wrapped_or_rejected() {
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}});
    let mut world = World::new(&[], vec![calls("", &[call("x", "final_answer", json!({"answer": [1, 2]}))])]);
    world.schema = Some(list);
    world.run("how many").await;
    world.schema = Some(json!({"type": "object", "properties": {"n": {"$ref": "https://example.org/n.json"}}}));
    insta::assert_snapshot!(world.run("and now").await, @r#"
    > how many
    #1
    <  x=final_answer{"answer":[1,2]}
      x final_answer
      x = Taken.
    = Completed after 1/0: [1,2] data [1,2]
    > and now
    = Failed after 0/0: The turn could not continue. / Calls made: none. / The remaining work is not known.
      problem: Cannot use the schema of the final answer: `https://example.org/n.json` refers to another document: move its target into `$defs`. Correct the schema and try again.
    "#);
}

#[tokio::test]
async fn nothing_runs_if_events_cannot_be_saved() {
    let write = [call("w", "file_write", json!({"path": "new.txt", "content": "x\n"}))];
    let mut world = World::new(&[], vec![calls("", &write)]);
    // The turn, the iteration, the answer; then the disk is full.
    *world.journal.full_at.lock().unwrap() = Some(4);
    let (turn, _sender) = world.turn("write");
    let ended = super::world::with_deadline("the end", turn).await;
    assert_eq!(
        ended.problem.unwrap(),
        "cannot save the conversation: no space is left on the device. Free some disk space, then try again; all earlier events are saved."
    );
    assert!(!world.root.join("work/new.txt").exists());
}

#[tokio::test]
async fn a_blank_answer_ends_the_turn() {
    let mut world = World::new(&[], vec![text_reply(" ")]);
    insta::assert_snapshot!(world.run("go").await, @"
    > go
    #1
    < 
    = Model after 1/0: The model gave no answer. / Calls made: none. / The remaining work is not known.
      problem: The model returned an empty answer. Try again, or choose another model.
    ");
}
