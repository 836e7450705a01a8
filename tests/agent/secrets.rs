//! No conversation contains a secret that zubi knows, even if the answer is split within it.

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::json;
use zubi_tests::models::{End, Says, Turn};

use crate::harness::{KEY, Scene};

#[test]
fn keys_of_models_are_neither_told_nor_kept() {
    let (header, query) = ("Bearer header-9876543210", "query-9876543210");
    let fields = format!("headers = {{ x-api-key = \"{header}\" }}\nquery = {{ api_key = \"{query}\" }}");
    let said = format!("They are {KEY}, header-9876543210 and {query}.");
    let turns = vec![
        Turn::says(Says::text(&said).call("file_write", json!({ "path": "notes.txt", "content": said }))),
        Turn::says(Says::text(&said)),
    ];
    let scene = Scene::with_keys(turns, &fields);
    let told = scene.run(&[]);
    assert_eq!(told.code, Some(0), "{}", told.story());
    let shown = scene.start(&["show", "--json"]).wait();
    for secret in [KEY, "9876543210"] {
        for events in [&told.events, &shown.events] {
            let holds: Vec<_> = events.iter().filter(|event| event.to_string().contains(secret)).collect();
            assert!(holds.is_empty(), "{secret} stands in {holds:#?}");
        }
    }
    let last = shown.events.last().expect("events");
    assert_snapshot!(last["text"].as_str().expect("a text"), @"They are (redacted), (redacted) and (redacted).");
    scene.finish();
}

/// A turn that is stopped in the middle of a secret ends before it, even when the model's last words are repeated.
#[test]
fn no_part_of_a_key_is_told_where_an_answer_was_broken_off() {
    let half = KEY.get(..KEY.len() - 4).expect("a part of it");
    let scene = Scene::new(vec![Turn::says(Says::text(&format!("So: {KEY}"))).cut_behind(half).end(End::Stall)]);
    let mut running = scene.start(&["run", "Do it.", "--json"]);
    running.read_until("text");
    running.signal(Signal::INT);
    let told = running.wait();
    let shown = scene.start(&["show", "--json"]).wait();
    for events in [&told.events, &shown.events] {
        let holds: Vec<_> = events.iter().filter(|event| event.to_string().contains("sk-scri")).collect();
        assert!(holds.is_empty(), "a part of the key stands in {holds:#?}");
    }
    let last = told.events.last().expect("events");
    assert_snapshot!(last["text"].as_str().expect("a text"), @r"
    The turn was stopped.
    Calls made: none.
    The last words of the model: So:
    What is left to do is not known.
    ");
    scene.finish();
}
