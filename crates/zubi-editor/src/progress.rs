//! Progress of a tool as LSP progress notifications.

use std::sync::{Mutex, PoisonError};

use dlang_server::ClientHandle;
use serde_json::{Value, json};
use zubi_tool_api::cx::ProgressSink;

/// Reports to the client's progress token, starting with the first report; a call without reports sends nothing.
pub(crate) struct ToClient {
    client: ClientHandle,
    token: Value,
    title: String,
    state: Mutex<State>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Silent,
    Begun,
    Ended,
}

impl ToClient {
    pub(crate) fn new(client: ClientHandle, token: Value, title: String) -> Self {
        Self { client, token, title, state: Mutex::new(State::Silent) }
    }

    /// Ends the progress. Later reports are dropped, because the client has released the token.
    pub(crate) fn end(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == State::Begun {
            self.report(&json!({ "kind": "end" }));
        }
        *state = State::Ended;
    }

    fn report(&self, value: &Value) {
        self.client.notify("$/progress", json!({ "token": self.token, "value": value }));
    }
}

impl ProgressSink for ToClient {
    fn report(&self, fraction: Option<f64>, message: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut value = match *state {
            State::Silent => json!({ "kind": "begin", "title": self.title, "cancellable": true }),
            State::Begun => json!({ "kind": "report" }),
            State::Ended => return,
        };
        *state = State::Begun;
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
    (0..=100_u8).find(|whole| f64::from(*whole) >= percents).map(u64::from)
}
