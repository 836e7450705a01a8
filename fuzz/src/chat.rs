//! The body of the target for answers over OpenAI chat (`crates/zubi-agent/tests/fuzz_corpus.rs` includes this file).

use zubi_models::chat::stream::Reader;
use zubi_models::ids::Ids;
use zubi_models::{Answer, Delta, ErrorKind, ModelError};
use zubi_tool_api::redact::Redactor;

/// Bytes as a server may send them: no panic, the same answer for deltas of any size, deltas that add up to the answer,
/// calls whose arguments are an object or a text, distinct ids, and no answer without an end mark.
pub fn chat_stream(bytes: &[u8]) {
    let (whole, heard) = read(bytes, usize::MAX);
    for piece in [1, 3, 64] {
        let (answer, pieces) = read(bytes, piece);
        assert_eq!(without_ids(answer), without_ids(whole.clone()), "in pieces of {piece} bytes");
        assert_eq!(pieces, heard, "in pieces of {piece} bytes");
    }
    let Ok(answer) = whole else { return };
    let (mut text, mut reasoning) = (String::new(), String::new());
    for piece in heard {
        match piece {
            Delta::Text(piece) => text.push_str(&piece),
            Delta::Reasoning(piece) => reasoning.push_str(&piece),
        }
    }
    assert_eq!((text, reasoning), (answer.said.text, answer.said.reasoning), "the deltas add up to the answer");
    let mut ids: Vec<_> = answer.said.calls.iter().map(|call| &call.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), answer.said.calls.len(), "an id twice");
    for call in &answer.said.calls {
        assert!(!call.tool.is_empty() && (call.arguments.is_object() || call.arguments.is_string()), "{call:?}");
    }
    let sent = String::from_utf8_lossy(bytes);
    let is_whole = ["finish_reason", "[DONE]", "\\u"].iter().any(|end| sent.contains(end));
    assert!(is_whole || sent.trim_start().starts_with(['{', '[']), "an answer without an end mark");
}

fn read(bytes: &[u8], piece: usize) -> (Result<Answer, ErrorKind>, Vec<Delta>) {
    let mut heard = Vec::new();
    let mut hear = |piece| heard.push(piece);
    let mut reader = Reader::new("it", Redactor::default(), Ids::default());
    let mut pushed: Result<(), ModelError> = Ok(());
    for piece in bytes.chunks(piece) {
        pushed = reader.push(piece, &mut hear);
        if pushed.is_err() || reader.is_done() {
            break;
        }
    }
    let answer = pushed.and_then(|()| reader.finish(&mut hear));
    (answer.map_err(|error| error.kind), heard)
}

/// zubi's own ids are random.
fn without_ids(answer: Result<Answer, ErrorKind>) -> Result<Answer, ErrorKind> {
    answer.map(|mut answer| {
        for call in &mut answer.said.calls {
            call.id.clear();
        }
        answer.said.native = None;
        answer
    })
}
