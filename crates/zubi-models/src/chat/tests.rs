//! Streams as servers send them, request bodies, and HTTP traffic.

mod http;
mod request;
mod streams;

use super::stream::Reader;
use crate::ids::Ids;
use crate::{Answer, Delta, ModelError};
use zubi_tool_api::redact::Redactor;

const KEY: &str = "sk-never-shown-0123456789";

/// Reads the bytes in chunks of this size: returns the answer and the deltas received.
fn read(bytes: &[u8], piece: usize) -> (Result<Answer, ModelError>, Vec<Delta>) {
    let mut heard = Vec::new();
    let mut hear = |piece| heard.push(piece);
    let mut reader = Reader::new("it", Redactor::new([KEY.to_owned()]), Ids::default());
    let mut answer = Ok(());
    for piece in bytes.chunks(piece) {
        answer = reader.push(piece, &mut hear);
        if answer.is_err() || reader.is_done() {
            break;
        }
    }
    let answer = answer.and_then(|()| reader.finish(&mut hear));
    (answer, heard)
}

/// Renders an answer as lines; an id that is not the server's is shown as `own`.
fn render_answer(answer: &Result<Answer, ModelError>, sent: &str) -> String {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return format!("{:?}: {error}", error.kind),
    };
    let mut lines = Vec::new();
    if !answer.said.reasoning.is_empty() {
        lines.push(format!("thought {:?}", answer.said.reasoning));
    }
    if !answer.said.text.is_empty() {
        lines.push(format!("text {:?}", answer.said.text));
    }
    for call in &answer.said.calls {
        let id = if sent.contains(&format!("\"{}\"", call.id)) { call.id.as_str() } else { "own" };
        lines.push(format!("call {} {} ({id})", call.tool, call.arguments));
    }
    if let Some(native) = &answer.said.native {
        lines.push(format!("native {}", native.parts));
    }
    let usage = answer.usage;
    lines.push(format!("{:?}, {}+{} tokens, {} cached", answer.stop, usage.input, usage.output, usage.cached));
    lines.join("\n")
}

/// Reads a whole stream; the result must not depend on how its bytes are split.
fn check(stream: &str) -> String {
    let (whole, heard) = read(stream.as_bytes(), usize::MAX);
    let text = render_answer(&whole, stream);
    for piece in [1, 2, 3, 5, 64] {
        let (answer, pieces) = read(stream.as_bytes(), piece);
        assert_eq!(render_answer(&answer, stream), text, "in pieces of {piece} bytes");
        assert_eq!(pieces, heard, "in pieces of {piece} bytes");
    }
    if let Ok(answer) = &whole {
        let of = |wanted: fn(&Delta) -> Option<&str>| heard.iter().filter_map(wanted).collect::<String>();
        let text = of(|piece| match piece {
            Delta::Text(text) => Some(text),
            Delta::Reasoning(_) => None,
        });
        let reasoning = of(|piece| match piece {
            Delta::Reasoning(text) => Some(text),
            Delta::Text(_) => None,
        });
        assert_eq!((text, reasoning), (answer.said.text.clone(), answer.said.reasoning.clone()), "what was heard");
    }
    text
}

/// A stream of deltas, then the finish reason and the end.
fn stream(deltas: &[&str], finish: &str) -> String {
    let end = format!(r#"data: {{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{finish}"}}]}}"#);
    format!("{}{end}\n\ndata: [DONE]\n\n", frames(deltas))
}

/// A stream of deltas that does not end.
fn frames(deltas: &[&str]) -> String {
    let frame = |delta: &&str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    deltas.iter().map(frame).collect()
}
