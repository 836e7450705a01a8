//! An answer of OpenAI's Responses API: items that are added, grow and end, then all of them once more.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::MODEL;
use super::dialects::{ScriptedReply, Stop, split_into_fragments};

/// Frames with their sequence numbers.
#[derive(Default)]
struct Frames {
    body: String,
    number: u64,
}

impl Frames {
    fn push(&mut self, kind: &str, mut frame: Value) {
        frame["type"] = json!(kind);
        frame["sequence_number"] = json!(self.number);
        self.number += 1;
        write!(self.body, "event: {kind}\ndata: {frame}\n\n").expect("a string takes everything");
    }
}

pub(super) fn answer(reply: &ScriptedReply) -> String {
    let mut frames = Frames::default();
    let mut output: Vec<Value> = Vec::new();
    let response = |status: &str, output: &[Value]| {
        json!({ "id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": MODEL,
                "output": output, "error": null, "incomplete_details": null, "usage": null })
    };
    frames.push("response.created", json!({ "response": response("in_progress", &[]) }));
    frames.push("response.in_progress", json!({ "response": response("in_progress", &[]) }));

    if !reply.reasoning.is_empty() || reply.signature.is_some() {
        let at = output.len();
        let item = |summary: Value, encrypted: Value| json!({ "id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": encrypted });
        frames.push("response.output_item.added", json!({ "output_index": at, "item": item(json!([]), json!("")) }));
        for fragment in &reply.reasoning {
            let delta = json!({ "item_id": "rs_1", "output_index": at, "summary_index": 0, "delta": fragment });
            frames.push("response.reasoning_summary_text.delta", delta);
        }
        let summary = json!([{ "type": "summary_text", "text": reply.reasoning.concat() }]);
        let done = item(summary, json!(reply.signature));
        frames.push("response.output_item.done", json!({ "output_index": at, "item": done }));
        output.push(done);
    }
    if !reply.text.is_empty() {
        let at = output.len();
        let item = |status: &str, content: Value| json!({ "id": "msg_1", "type": "message", "role": "assistant", "status": status, "content": content });
        let part = |text: &str| json!({ "type": "output_text", "text": text, "annotations": [] });
        let content_part = json!({ "item_id": "msg_1", "output_index": at, "content_index": 0 });
        let with = |name: &str, value: Value| {
            let mut frame = content_part.clone();
            frame[name] = value;
            frame
        };
        let added = json!({ "output_index": at, "item": item("in_progress", json!([])) });
        frames.push("response.output_item.added", added);
        frames.push("response.content_part.added", with("part", part("")));
        for fragment in &reply.text {
            frames.push("response.output_text.delta", with("delta", json!(fragment)));
        }
        let text = reply.text.concat();
        frames.push("response.output_text.done", with("text", json!(text)));
        frames.push("response.content_part.done", with("part", part(&text)));
        let done = item("completed", json!([part(&text)]));
        frames.push("response.output_item.done", json!({ "output_index": at, "item": done }));
        output.push(done);
    }
    for (number, call) in reply.calls.iter().enumerate() {
        let at = output.len();
        let id = format!("fc_{number}");
        let item = |status: &str, arguments: &str| {
            let mut item = json!({ "id": id, "type": "function_call", "status": status, "call_id": call.id,
                                   "name": call.tool, "arguments": arguments });
            if let Some(namespace) = &call.namespace {
                item["namespace"] = json!(namespace);
            }
            item
        };
        let arguments = call.arguments.to_string();
        frames.push("response.output_item.added", json!({ "output_index": at, "item": item("in_progress", "") }));
        for fragment in split_into_fragments(&arguments) {
            let delta = json!({ "item_id": id, "output_index": at, "delta": fragment });
            frames.push("response.function_call_arguments.delta", delta);
        }
        let all = json!({ "item_id": id, "output_index": at, "arguments": arguments });
        frames.push("response.function_call_arguments.done", all);
        let done = item("completed", &arguments);
        frames.push("response.output_item.done", json!({ "output_index": at, "item": done }));
        output.push(done);
    }
    if let Some(message) = &reply.error {
        frames.push("error", json!({ "code": "server_error", "message": message, "param": null }));
        return frames.body;
    }
    let (kind, status, why) = match reply.stop {
        Stop::Finished => ("response.completed", "completed", Value::Null),
        Stop::Length => ("response.incomplete", "incomplete", json!({ "reason": "max_output_tokens" })),
        Stop::Filtered => ("response.incomplete", "incomplete", json!({ "reason": "content_filter" })),
    };
    let mut final_response = response(status, &output);
    final_response["incomplete_details"] = why;
    if let Some((input, answer, cached)) = reply.usage {
        final_response["usage"] = json!({ "input_tokens": input, "input_tokens_details": { "cached_tokens": cached },
                                 "output_tokens": answer, "output_tokens_details": { "reasoning_tokens": 0 },
                                 "total_tokens": input + answer });
    }
    frames.push(kind, json!({ "response": final_response }));
    frames.body
}
