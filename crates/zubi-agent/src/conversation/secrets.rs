//! Redacts known secrets in events before they are saved or published. Text that only looks like a secret stays,
//! because it may be part of the task.

use zubi_tool_api::redact::Redactor;

use crate::event::EventKind;
use zubi_models::message::AssistantMessage;

/// Redacts the secrets that `redactor` knows from an event.
pub(crate) fn redact_event(redactor: &Redactor, mut kind: EventKind) -> EventKind {
    if redactor.is_empty() {
        return kind;
    }
    let clean = |text: &mut String| *text = redactor.redact_known(text);
    let clean_value = |value: &mut serde_json::Value| *value = redactor.known_in_value(value);
    match &mut kind {
        EventKind::Titled { title } => clean(title),
        EventKind::UserMessage { text, .. } | EventKind::Notice { text, .. } | EventKind::Result { text, .. } => {
            clean(text);
        }
        EventKind::Answered { message, interrupted, .. } => {
            message.text = text(redactor, &message.text, *interrupted);
            message.reasoning = text(redactor, &message.reasoning, *interrupted);
            redact_message(redactor, message);
        }
        EventKind::Retrying { message, .. } | EventKind::Progress { message, .. } => clean(message),
        EventKind::Calling { tool, summary, arguments, preview, .. } => {
            clean(tool);
            clean(summary);
            clean_value(arguments);
            if let Some(preview) = preview {
                clean(preview);
            }
        }
        EventKind::Question { request, .. } => clean_value(request),
        EventKind::Decision { answer, .. } => clean_value(answer),
        EventKind::Compacted { summary, .. } => clean(summary),
        EventKind::Ended(ended) => {
            clean(&mut ended.text);
            if let Some(data) = &mut ended.data {
                clean_value(data);
            }
            if let Some(problem) = &mut ended.problem {
                clean(problem);
            }
        }
        // `StreamingAnswer` redacts deltas, because a secret may span several of them.
        EventKind::Began { .. } | EventKind::Iteration { .. } | EventKind::Text { .. } | EventKind::Thought { .. } => {}
    }
    kind
}

/// Redacts the secrets that `redactor` knows from a text. Also removes a partial secret from the end of an interrupted
/// text.
pub(crate) fn text(redactor: &Redactor, text: &str, is_interrupted: bool) -> String {
    let end = if is_interrupted { redactor.safe_prefix(text) } else { text.len() };
    redactor.redact_known(text.get(..end).unwrap_or_default())
}

fn redact_message(redactor: &Redactor, message: &mut AssistantMessage) {
    for call in &mut message.calls {
        call.tool = redactor.redact_known(&call.tool);
        call.arguments = redactor.known_in_value(&call.arguments);
    }
    // A provider refuses its own data if it was modified, so data with a secret is dropped.
    message.native.take_if(|native| redactor.known_in_value(&native.parts) != native.parts);
}
