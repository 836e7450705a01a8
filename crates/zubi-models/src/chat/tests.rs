//! Streams as servers send them, request bodies, and HTTP traffic.

mod http;
mod request;
mod streams;

use super::stream::StreamReader;
use crate::ids::Ids;
use crate::{AnswerDelta, ModelAnswer, ModelError};
use zubi_tool_api::redact::Redactor;

const KEY: &str = "sk-never-shown-0123456789";

/// Reads the bytes in chunks of this size: returns the answer and the deltas received.
fn read(bytes: &[u8], chunk_size: usize) -> (Result<ModelAnswer, ModelError>, Vec<AnswerDelta>) {
    let mut deltas = Vec::new();
    let mut sink = |delta| deltas.push(delta);
    let mut reader = StreamReader::new("it", Redactor::new([KEY.to_owned()]), Ids::default());
    let mut answer = Ok(());
    for chunk in bytes.chunks(chunk_size) {
        answer = reader.push(chunk, &mut sink);
        if answer.is_err() || reader.is_done() {
            break;
        }
    }
    let answer = answer.and_then(|()| reader.finish(&mut sink));
    (answer, deltas)
}

/// Renders an answer as lines; an id that is not the server's is shown as `own`.
fn render_answer(answer: &Result<ModelAnswer, ModelError>, sent: &str) -> String {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return format!("{:?}: {error}", error.kind),
    };
    let mut lines = Vec::new();
    if !answer.message.reasoning.is_empty() {
        lines.push(format!("thought {:?}", answer.message.reasoning));
    }
    if !answer.message.text.is_empty() {
        lines.push(format!("text {:?}", answer.message.text));
    }
    for call in &answer.message.calls {
        let id = if sent.contains(&format!("\"{}\"", call.id)) { call.id.as_str() } else { "own" };
        lines.push(format!("call {} {} ({id})", call.tool, call.arguments));
    }
    if let Some(native) = &answer.message.native {
        lines.push(format!("native {}", native.parts));
    }
    let usage = answer.usage;
    lines.push(format!("{:?}, {}+{} tokens, {} cached", answer.stop, usage.input, usage.output, usage.cached));
    lines.join("\n")
}

/// Reads a whole stream; the result must not depend on how its bytes are split.
fn check(stream: &str) -> String {
    let (complete, deltas) = read(stream.as_bytes(), usize::MAX);
    let text = render_answer(&complete, stream);
    for chunk_size in [1, 2, 3, 5, 64] {
        let (answer, chunked_deltas) = read(stream.as_bytes(), chunk_size);
        assert_eq!(render_answer(&answer, stream), text, "in chunks of {chunk_size} bytes");
        assert_eq!(chunked_deltas, deltas, "in chunks of {chunk_size} bytes");
    }
    if let Ok(answer) = &complete {
        let join = |select: fn(&AnswerDelta) -> Option<&str>| deltas.iter().filter_map(select).collect::<String>();
        let text = join(|delta| match delta {
            AnswerDelta::Text(text) => Some(text),
            AnswerDelta::Reasoning(_) => None,
        });
        let reasoning = join(|delta| match delta {
            AnswerDelta::Reasoning(text) => Some(text),
            AnswerDelta::Text(_) => None,
        });
        assert_eq!((text, reasoning), (answer.message.text.clone(), answer.message.reasoning.clone()), "the deltas");
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
