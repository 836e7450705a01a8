//! Progress of a tool as LSP progress notifications.

use std::sync::{Mutex, PoisonError};

use dlang_server::ClientHandle;
use serde_json::{Value, json};
use zubi_tool_api::cx::ProgressSink;

/// Reports to the client's progress token, starting with the first report; a call without reports sends nothing.
pub(crate) struct EditorProgressSink {
    client: ClientHandle,
    token: Value,
    title: String,
    state: Mutex<ProgressState>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgressState {
    Silent,
    Started,
    Ended,
}

impl EditorProgressSink {
    pub(crate) fn new(client: ClientHandle, token: Value, title: String) -> Self {
        Self { client, token, title, state: Mutex::new(ProgressState::Silent) }
    }

    /// Ends the progress. Later reports are dropped, because the client has released the token.
    pub(crate) fn end(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == ProgressState::Started {
            self.report(&json!({ "kind": "end" }));
        }
        *state = ProgressState::Ended;
    }

    fn report(&self, value: &Value) {
        self.client.notify("$/progress", json!({ "token": self.token, "value": value }));
    }
}

impl ProgressSink for EditorProgressSink {
    fn report(&self, fraction: Option<f64>, message: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut value = match *state {
            ProgressState::Silent => json!({ "kind": "begin", "title": self.title, "cancellable": true }),
            ProgressState::Started => json!({ "kind": "report" }),
            ProgressState::Ended => return,
        };
        *state = ProgressState::Started;
        value["message"] = message.into();
        if let Some(percentage) = fraction.and_then(percentage) {
            value["percentage"] = percentage.into();
        }
        self.report(&value);
    }
}

/// Rounds a fraction to whole percents.
fn percentage(fraction: f64) -> Option<u64> {
    let percents = (fraction * 100.0).round();
    (0..=100_u8).find(|percent| f64::from(*percent) >= percents).map(u64::from)
}
