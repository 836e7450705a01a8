//! Conversations that become too long.

use serde_json::json;

use super::world::{Reply, SECRET, World, call, calls, fail, text_reply};
use crate::event::EventKind;
use zubi_models::ErrorKind;
use zubi_models::message::PromptMessage;

/// A world with nine files of 4,000 bytes, and a model whose context has space for a few of them.
fn world(replies: Vec<Reply>) -> World {
    world_with_context(10_000, replies)
}

fn world_with_context(context: u64, replies: Vec<Reply>) -> World {
    let text = "word ".repeat(799) + "end.\n";
    let files: Vec<(String, String)> = (1..=9).map(|n| (format!("f{n}"), text.clone())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut world = World::with_context(&files, replies, context);
    world.restrictions.tools = vec![vec!["file.read".to_owned()]];
    world
}

fn read(n: u32) -> Reply {
    calls(&format!("Reading {n}."), &[call(&format!("c{n}"), "file_read", json!({"path": format!("f{n}")}))])
}

/// A long answer.
fn long_answer(n: u32) -> Reply {
    let long = format!("On {n}: {}", "and so on ".repeat(380));
    calls(&long, &[call(&format!("c{n}"), "file_read", json!({"path": format!("f{n}"), "endLine": 1, "startLine": 1}))])
}

/// The last prompt, one message a line.
fn last_prompt(world: &World) -> String {
    let seen = world.model.received.lock().unwrap().last().cloned().unwrap();
    let lines = seen.messages.iter().map(|message| match message {
        PromptMessage::User { text } => format!("user: {}", text.replace('\n', " / ")),
        PromptMessage::Assistant(answer) => {
            format!("model: {} {}", answer.text.chars().take(40).collect::<String>(), answer.calls.len())
        }
        PromptMessage::Tool(outcome) => {
            format!("tool {}: {}", outcome.call, outcome.text.chars().take(40).collect::<String>().replace('\n', " / "))
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn summary_lines(events: &str) -> String {
    let lines =
        events.lines().filter(|line| line.contains("compacted") || line.contains('!') || line.starts_with(['>', '=']));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn old_results_are_pruned_first() {
    let mut replies: Vec<Reply> = (1..=7).map(read).collect();
    replies.push(read(8).usage(8_000, 100));
    replies.push(text_reply("All read."));
    let mut world = world(replies);
    let events = world.run("read all the files").await;
    insta::assert_snapshot!(summary_lines(&events), @r#"
    > read all the files
      compacted before 0:  ["c1", "c2", "c3", "c4", "c5", "c6"], 8617 to 3188
    = Completed after 9/8: All read.
    "#);
    insta::assert_snapshot!(last_prompt(&world), @"
    user: read all the files
    model: Reading 1. 1
    tool c1: [This result was left out to save room. 
    model: Reading 2. 1
    tool c2: [This result was left out to save room. 
    model: Reading 3. 1
    tool c3: [This result was left out to save room. 
    model: Reading 4. 1
    tool c4: [This result was left out to save room. 
    model: Reading 5. 1
    tool c5: [This result was left out to save room. 
    model: Reading 6. 1
    tool c6: [This result was left out to save room. 
    model: Reading 7. 1
    tool c7: word word word word word word word word 
    model: Reading 8. 1
    tool c8: word word word word word word word word
    ");
}

#[tokio::test]
async fn the_model_summarizes_if_pruning_is_not_enough() {
    let mut replies: Vec<Reply> = (1..=3).map(long_answer).collect();
    replies.push(long_answer(4).usage(8_000, 100));
    replies.push(text_reply("The person wants all files read; f1 to f3 say words."));
    replies.push(text_reply("All read."));
    let mut world = world(replies);
    let events = world.run("read all the files").await;
    insta::assert_snapshot!(summary_lines(&events), @"
    > read all the files
      compacted before 15: The person wants all files read; f1 to f3 say words. [], 8617 to 2715
    = Completed after 5/4: All read.
    ");
    insta::assert_snapshot!(last_prompt(&world), @"
    user: read all the files
    user: Summary of the conversation so far: / The person wants all files read; f1 to f3 say words.
    model: On 4: and so on and so on and so on and  1
    tool c4: word word word word word word word word
    ");
    let seen = world.model.received.lock().unwrap();
    let summary_prompt = seen.iter().find(|seen| seen.system.contains("notes")).unwrap();
    assert_eq!(summary_prompt.tools, Vec::<String>::new());
}

#[tokio::test]
async fn a_new_result_is_sent_if_it_fits_even_above_the_target() {
    let text = ("word ".repeat(16) + "\n").repeat(290);
    let mut world = World::with_context(&[("a", &text), ("b", &text)], Vec::new(), 20_000);
    world.restrictions.tools = vec![vec!["file.read".to_owned()]];
    let read = |name: &str| calls("", &[call(name, "file_read", json!({"path": name}))]);
    world.play(vec![read("a"), read("b").usage(11_000, 100), text_reply("Both read.")]);
    let events = world.run("read both").await;
    insta::assert_snapshot!(summary_lines(&events), @r#"
    > read both
      compacted before 0:  ["a"], 16984 to 8898
    = Completed after 3/2: Both read.
    "#);
    insta::assert_snapshot!(last_prompt(&world), @"
    user: read both
    model:  1
    tool a: [This result was left out to save room. 
    model:  1
    tool b: word word word word word word word word
    ");
}

#[tokio::test]
async fn a_pruned_result_may_be_requested_again() {
    let again = |n: u32| calls("", &[call(&format!("c{n}"), "file_read", json!({"path": "f1"}))]);
    let mut replies: Vec<Reply> = (1..=4).map(again).collect();
    replies.extend([read(5), read(6).usage(8_000, 100), again(7), text_reply("Read.")]);
    let mut world = world(replies);
    let events = world.run("read").await;
    assert!(events.contains("compacted") && events.contains("= Completed"), "{events}");
}

#[tokio::test]
async fn a_repeated_call_is_refused_if_its_result_was_not_pruned() {
    let again = |n: u32| calls("", &[call(&format!("c{n}"), "file_read", json!({"path": "f1"}))]);
    let mut replies: Vec<Reply> = (1..=3).map(again).collect();
    replies.extend([again(4).usage(8_000, 100), again(5)]);
    let mut world = world(replies);
    let events = world.run("read").await;
    assert!(events.contains("compacted") && events.contains("= Repeating"), "{events}");
}

#[tokio::test]
async fn a_too_long_prompt_is_compacted_once() {
    let too_long = || fail(ErrorKind::TooLong, "too long", None);
    let mut replies: Vec<Reply> = (1..=6).map(read).collect();
    replies.extend([too_long(), text_reply("Done."), too_long(), text_reply("notes"), too_long()]);
    // The provider accepts less than the context window that it states.
    let mut world = world_with_context(100_000, replies);
    world.run("read").await;
    let events = world.run("and more").await;
    insta::assert_snapshot!(summary_lines(&events), @r#"
    > read
      compacted before 0:  ["c1", "c2", "c3", "c4", "c5"], 3695 to 1201
    = Completed after 7/6: Done.
    > and more
      compacted before 28: notes [], 1204 to 544
    = Model after 1/0: The model gave no answer. / Calls made: none. / The remaining work is not known.
    "#);
}

#[tokio::test]
async fn a_failed_summary_is_reported() {
    let mut replies: Vec<Reply> = (1..=3).map(long_answer).collect();
    replies.push(long_answer(4).usage(8_000, 10));
    replies.push(fail(ErrorKind::Refused, "no summaries here", None));
    replies.push(text_reply("Done."));
    let mut world = world(replies);
    let events = world.run("read").await;
    insta::assert_snapshot!(summary_lines(&events), @"
    > read
      ! The conversation has become too long and the model could not summarize it (no summaries here). The results of older calls were left out.
      compacted before 15: (No summary is available. Calls so far: file_read 3. Repeat those whose results you need.) [], 8527 to 2696
    = Completed after 5/4: Done.
    ");
    insta::assert_snapshot!(last_prompt(&world), @"
    user: read
    user: Summary of the conversation so far: / (No summary is available. Calls so far: file_read 3. Repeat those whose results you need.)
    model: On 4: and so on and so on and so on and  1
    tool c4: word word word word word word word word
    ");
}

/// The redactor would not find half of a secret.
#[tokio::test]
async fn texts_are_redacted_before_they_are_shortened() {
    let secrets = SECRET.repeat(40_000);
    let run = call("r", "shell_run", json!({"command": "cat >of", "stdin": secrets}));
    let mut world = World::new(&[], vec![calls("", &[run]), text_reply("Done.")]);
    world.auto_approve(&["shell.run"]);
    world.run("run").await;
    let previews = |kind: &EventKind| match kind {
        EventKind::Calling { preview, .. } => preview.clone(),
        EventKind::Question { request, .. } => request["footprint"]["preview"].as_str().map(str::to_owned),
        _ => None,
    };
    let previews: Vec<String> = world.journal.events().iter().filter_map(previews).collect();
    assert_eq!(previews.len(), 2);
    for preview in previews {
        let facts = (preview.len(), preview.contains("between"), preview.find("hunter"));
        assert!(facts.1 && facts.2.is_none(), "{facts:?}");
    }

    let mut replies: Vec<Reply> = (1..=3).map(long_answer).collect();
    replies.push(long_answer(4).usage(8_000, 10));
    replies.push(text_reply(&secrets));
    replies.push(text_reply("Done."));
    let mut world = world_with_context(10_000, replies);
    world.run("read").await;
    let summary = world.journal.wait("a summary", |kind| match kind {
        EventKind::Compacted { summary, .. } => Some(summary.clone()),
        _ => None,
    });
    let summary = summary.await;
    assert!(summary.contains("between") && !summary.contains("hunter"), "{summary}");
}
