//! The server's text equals the client's after any changes.

use proptest::prelude::*;
use serde_json::{Value, json};
use zubi_base::lsp::{TextDocumentContentChangeEvent, Uri};
use zubi_base::position::Encoding;

use super::{apply, path_of};

/// Returns a position as a client computes it, from characters and lines that end in `\n`.
fn position(text: &[char], at: usize, encoding: Encoding) -> Value {
    let line = text[..at].iter().filter(|it| **it == '\n').count();
    let start = text[..at].iter().rposition(|it| *it == '\n').map_or(0, |it| it + 1);
    let units = |it: &char| match encoding {
        Encoding::Utf8 => it.len_utf8(),
        Encoding::Utf16 => it.len_utf16(),
        Encoding::Utf32 => 1,
    };
    json!({ "line": line, "character": text[start..at].iter().map(units).sum::<usize>() })
}

fn fragment() -> impl Strategy<Value = String> {
    "[ab\n é𝄞]{0,8}"
}

proptest! {
    #[test]
    fn incremental_edits_produce_the_same_text(
        start in fragment(),
        messages in prop::collection::vec(prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), fragment(), any::<bool>()), 1..4), 1..6),
        encoding in prop::sample::select(vec![Encoding::Utf8, Encoding::Utf16, Encoding::Utf32]),
    ) {
        let mut client: Vec<char> = start.chars().collect();
        let mut server = start;
        for message in messages {
            let mut changes = Vec::new();
            for (from, to, new, is_whole) in message {
                if is_whole && new.len() > 6 {
                    changes.push(json!({ "text": new }));
                    client = new.chars().collect();
                    continue;
                }
                let (from, to) = (from.index(client.len() + 1), to.index(client.len() + 1));
                let (from, to) = (from.min(to), from.max(to));
                let (start, end) = (position(&client, from, encoding), position(&client, to, encoding));
                changes.push(json!({ "range": { "start": start, "end": end }, "text": new }));
                client.splice(from..to, new.chars());
            }
            let changes: Vec<TextDocumentContentChangeEvent> = serde_json::from_value(json!(changes)).unwrap();
            apply(&mut server, changes, encoding);
            prop_assert_eq!(&server, &client.iter().collect::<String>());
        }
    }

    #[test]
    fn arbitrary_ranges_are_applied(
        text in "[ab\r\n é𝄞]{0,12}",
        changes in prop::collection::vec((0_u32..6, 0_u32..9, 0_u32..6, 0_u32..9, "[a\n𝄞]{0,3}"), 1..6),
        encoding in prop::sample::select(vec![Encoding::Utf8, Encoding::Utf16, Encoding::Utf32]),
    ) {
        let change = |(line, from, end, to, new): &(u32, u32, u32, u32, String)| {
            let (start, end) = (json!({ "line": line, "character": from }), json!({ "line": end, "character": to }));
            json!({ "range": { "start": start, "end": end }, "text": new })
        };
        let all: Vec<Value> = changes.iter().map(change).collect();
        let mut together = text.clone();
        apply(&mut together, serde_json::from_value(json!(all)).unwrap(), encoding);
        let mut separate = text;
        for change in all {
            apply(&mut separate, serde_json::from_value(json!([change])).unwrap(), encoding);
        }
        prop_assert_eq!(together, separate);
    }
}

#[test]
fn paths_of_documents() {
    for (uri, path) in [
        ("file:///w/a%20b.dlang", "/w/a b.dlang"),
        ("file:///w/model.yaml", "/w/model.yaml"),
        ("file:///w/model.lock", "/w/model.lock"),
        ("file:///w/notes.txt", "/untitled:/file:%2F%2F%2Fw%2Fnotes.txt.dlang"),
        ("untitled:Untitled-1", "/untitled:/Untitled-1.dlang"),
        ("untitled:a/../b.dlang", "/untitled:/a%2F..%2Fb.dlang"),
        ("", "/untitled:/.dlang"),
    ] {
        assert_eq!(path_of(&Uri(uri.to_owned())), path, "{uri}");
    }
}
