//! Takes known secrets out of events before they are kept, and before anybody is told. What only looks like a secret stays: it
//! may be part of the task.

use zubi_tools::redact::Redactor;

use crate::event::What;
use crate::message::Said;

/// The event without the values that `redactor` knows.
pub(crate) fn without(redactor: &Redactor, mut what: What) -> What {
    if redactor.knows_none() {
        return what;
    }
    let clean = |text: &mut String| *text = redactor.known(text);
    let clean_value = |value: &mut serde_json::Value| *value = redactor.known_in_value(value);
    match &mut what {
        What::Titled { title } => clean(title),
        What::Asked { text, .. } | What::Notice { text, .. } | What::Result { text, .. } => clean(text),
        What::Answered { said, interrupted, .. } => {
            said.text = text(redactor, &said.text, *interrupted);
            said.reasoning = text(redactor, &said.reasoning, *interrupted);
            clean_said(redactor, said);
        }
        What::Retrying { message, .. } | What::Progress { message, .. } => clean(message),
        What::Calling { tool, summary, arguments, preview, .. } => {
            clean(tool);
            clean(summary);
            clean_value(arguments);
            if let Some(preview) = preview {
                clean(preview);
            }
        }
        What::Question { request, .. } => clean_value(request),
        What::Decision { answer, .. } => clean_value(answer),
        What::Compacted { summary, .. } => clean(summary),
        What::Ended(ended) => {
            clean(&mut ended.text);
            if let Some(data) = &mut ended.data {
                clean_value(data);
            }
            if let Some(problem) = &mut ended.problem {
                clean(problem);
            }
        }
        // Pieces are cleaned where the next one is known too: `Held`.
        What::Began { .. } | What::Iteration { .. } | What::Text { .. } | What::Thought { .. } => {}
    }
    what
}

/// A text without the values that `redactor` knows. One that was broken off may end in a part of one, which goes too.
pub(crate) fn text(redactor: &Redactor, text: &str, is_broken_off: bool) -> String {
    let end = if is_broken_off { redactor.settled(text) } else { text.len() };
    redactor.known(text.get(..end).unwrap_or_default())
}

fn clean_said(redactor: &Redactor, said: &mut Said) {
    for call in &mut said.calls {
        call.tool = redactor.known(&call.tool);
        call.arguments = redactor.known_in_value(&call.arguments);
    }
    // Its provider wants it back untouched, or not at all.
    said.native.take_if(|native| redactor.known_in_value(&native.parts) != native.parts);
}
