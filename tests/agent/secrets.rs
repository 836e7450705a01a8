//! No conversation contains a secret that zubi knows, even if it is split between two parts of an answer.

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::json;
use zubi_tests::models::{End, ScriptedReply, Turn};

use crate::harness::{KEY, Scene};

#[test]
fn model_keys_are_neither_printed_nor_stored() {
    let (header, query) = ("Bearer header-9876543210", "query-9876543210");
    let fields = format!("headers = {{ x-api-key = \"{header}\" }}\nquery = {{ api_key = \"{query}\" }}");
    let text_with_keys = format!("They are {KEY}, header-9876543210 and {query}.");
    let turns = vec![
        Turn::reply(
            ScriptedReply::text(&text_with_keys)
                .call("file_write", json!({ "path": "notes.txt", "content": text_with_keys })),
        ),
        Turn::reply(ScriptedReply::text(&text_with_keys)),
    ];
    let scene = Scene::with_keys(turns, &fields);
    let outcome = scene.run(&[]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.transcript());
    let stored = scene.start(&["show", "--json"]).wait();
    for secret in [KEY, "9876543210"] {
        for events in [&outcome.events, &stored.events] {
            let leaks: Vec<_> = events.iter().filter(|event| event.to_string().contains(secret)).collect();
            assert!(leaks.is_empty(), "{secret} is in {leaks:#?}");
        }
    }
    let last = stored.events.last().expect("events");
    assert_snapshot!(last["text"].as_str().expect("a text"), @"They are (redacted), (redacted) and (redacted).");
    scene.finish();
}

/// A turn that is stopped in the middle of a secret ends before it, even when the model's last words are repeated.
#[test]
fn no_part_of_a_key_is_printed_when_an_answer_is_interrupted() {
    let prefix = KEY.get(..KEY.len() - 4).expect("a part of it");
    let scene =
        Scene::new(vec![Turn::reply(ScriptedReply::text(&format!("So: {KEY}"))).cut_after(prefix).end(End::Stall)]);
    let mut running = scene.start(&["run", "Do it.", "--json"]);
    running.read_until("text");
    running.signal(Signal::INT);
    let outcome = running.wait();
    let stored = scene.start(&["show", "--json"]).wait();
    for events in [&outcome.events, &stored.events] {
        let leaks: Vec<_> = events.iter().filter(|event| event.to_string().contains("sk-scri")).collect();
        assert!(leaks.is_empty(), "a part of the key is in {leaks:#?}");
    }
    let last = outcome.events.last().expect("events");
    assert_snapshot!(last["text"].as_str().expect("a text"), @"
    The turn was stopped.
    Calls made: none.
    The last words of the model: So:
    The remaining work is not known.
    ");
    scene.finish();
}
