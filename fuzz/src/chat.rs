//! The body of the target for answers over OpenAI chat (`crates/zubi-models/tests/fuzz_corpus.rs` includes this file).

use zubi_models::chat::stream::StreamReader;
use zubi_models::ids::Ids;
use zubi_models::{AnswerDelta, ErrorKind, ModelAnswer, ModelError};
use zubi_tool_api::redact::Redactor;

/// Bytes as a server may send them: no panic, the same answer for deltas of any size, deltas that add up to the answer,
/// calls whose arguments are an object or a text, distinct ids, and no answer without an end mark.
pub fn chat_stream(bytes: &[u8]) {
    let (complete, deltas) = read(bytes, usize::MAX);
    for size in [1, 3, 64] {
        let (answer, parts) = read(bytes, size);
        assert_eq!(without_ids(answer), without_ids(complete.clone()), "in parts of {size} bytes");
        assert_eq!(parts, deltas, "in parts of {size} bytes");
    }
    let Ok(answer) = complete else { return };
    let (mut text, mut reasoning) = (String::new(), String::new());
    for delta in deltas {
        match delta {
            AnswerDelta::Text(delta) => text.push_str(&delta),
            AnswerDelta::Reasoning(delta) => reasoning.push_str(&delta),
        }
    }
    assert_eq!((text, reasoning), (answer.message.text, answer.message.reasoning), "the deltas add up to the answer");
    let mut ids: Vec<_> = answer.message.calls.iter().map(|call| &call.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), answer.message.calls.len(), "an id twice");
    for call in &answer.message.calls {
        assert!(!call.tool.is_empty() && (call.arguments.is_object() || call.arguments.is_string()), "{call:?}");
    }
    let sent = String::from_utf8_lossy(bytes);
    let has_end_mark = ["finish_reason", "[DONE]", "\\u"].iter().any(|end| sent.contains(end));
    assert!(has_end_mark || sent.trim_start().starts_with(['{', '[']), "an answer without an end mark");
}

fn read(bytes: &[u8], size: usize) -> (Result<ModelAnswer, ErrorKind>, Vec<AnswerDelta>) {
    let mut deltas = Vec::new();
    let mut on_delta = |delta| deltas.push(delta);
    let mut reader = StreamReader::new("it", Redactor::default(), Ids::default());
    let mut pushed: Result<(), ModelError> = Ok(());
    for chunk in bytes.chunks(size) {
        pushed = reader.push(chunk, &mut on_delta);
        if pushed.is_err() || reader.is_done() {
            break;
        }
    }
    let answer = pushed.and_then(|()| reader.finish(&mut on_delta));
    (answer.map_err(|error| error.kind), deltas)
}

/// zubi's own ids are random.
fn without_ids(answer: Result<ModelAnswer, ErrorKind>) -> Result<ModelAnswer, ErrorKind> {
    answer.map(|mut answer| {
        for call in &mut answer.message.calls {
            call.id.clear();
        }
        answer.message.native = None;
        answer
    })
}
