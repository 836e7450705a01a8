//! Loading, as the client shows it.

use dlang_workspace::workspace::Progress;
use serde_json::{Value, json};

use crate::client::ClientHandle;

/// What the existing program calls it.
const TITLE: &str = "DomainLang: Indexing workspace";

/// How one loading is shown. The client is asked for a place to show it first; what is over before it answers is not
/// shown at all.
#[derive(Debug, Default)]
pub(crate) struct LoadProgress {
    /// How many loadings there were: each has a token of its own.
    number: u32,
    state: State,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing is loading, or the client shows no progress.
    #[default]
    Hidden,
    /// The client was asked.
    Asked,
    /// It is shown, at so many percent.
    Shown(u64),
}

impl LoadProgress {
    /// Loading begins. The number is for [`Self::granted`].
    pub(crate) fn begin(&mut self, client: &ClientHandle, granted: impl FnOnce(u32) + Send + 'static) {
        self.end(client);
        self.number += 1;
        self.state = State::Asked;
        let number = self.number;
        client.request("window/workDoneProgress/create", json!({ "token": token(number) }), move |answer| {
            if answer.is_ok() {
                granted(number);
            }
        });
    }

    /// The client has a place to show it.
    pub(crate) fn on_token_created(&mut self, client: &ClientHandle, number: u32) {
        if number == self.number && self.state == State::Asked {
            self.state = State::Shown(0);
            self.send_progress(client, &json!({ "kind": "begin", "title": TITLE, "percentage": 0 }));
        }
    }

    /// So far it is. Said once for each percent.
    pub(crate) fn report(&mut self, client: &ClientHandle, progress: Progress) {
        let Progress { loaded, total } = progress;
        let percent = u64::try_from(loaded.saturating_mul(100) / total.max(1)).unwrap_or(100).min(100);
        // The total grows with what is found, but a bar never goes back.
        if let State::Shown(before) = self.state
            && percent > before
        {
            self.state = State::Shown(percent);
            let message = format!("{loaded}/{total} files");
            self.send_progress(client, &json!({ "kind": "report", "percentage": percent, "message": message }));
        }
    }

    /// Loading is over.
    pub(crate) fn end(&mut self, client: &ClientHandle) {
        if matches!(std::mem::take(&mut self.state), State::Shown(_)) {
            self.send_progress(client, &json!({ "kind": "end" }));
        }
    }

    fn send_progress(&self, client: &ClientHandle, value: &Value) {
        client.notify("$/progress", json!({ "token": token(self.number), "value": value }));
    }
}

fn token(number: u32) -> String {
    format!("domainlang/load/{number}")
}
