//! Progress of loading, as LSP progress notifications.

use dlang_workspace::workspace::Progress;
use serde_json::{Value, json};

use crate::client::ClientHandle;

/// Title of DomainLang's original server.
const TITLE: &str = "DomainLang: Indexing workspace";

/// Progress of one load. The client must create the token first; a load that ends before that is not shown.
#[derive(Debug, Default)]
pub(crate) struct LoadProgress {
    /// Number of loads so far: each has its own token.
    number: u32,
    state: State,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    /// Not loading, or the client does not show progress.
    #[default]
    Hidden,
    /// Waiting for the client to create the token.
    Requested,
    /// Shown, with the percentage.
    Visible(u64),
}

impl LoadProgress {
    /// Starts a load. Pass the number to [`Self::on_token_created`].
    pub(crate) fn begin(&mut self, client: &ClientHandle, on_created: impl FnOnce(u32) + Send + 'static) {
        self.end(client);
        self.number += 1;
        self.state = State::Requested;
        let number = self.number;
        client.request("window/workDoneProgress/create", json!({ "token": token(number) }), move |answer| {
            if answer.is_ok() {
                on_created(number);
            }
        });
    }

    /// Handles the creation of the token by the client.
    pub(crate) fn on_token_created(&mut self, client: &ClientHandle, number: u32) {
        if number == self.number && self.state == State::Requested {
            self.state = State::Visible(0);
            self.send_progress(client, &json!({ "kind": "begin", "title": TITLE, "percentage": 0 }));
        }
    }

    /// Reports the progress, once per percent.
    pub(crate) fn report(&mut self, client: &ClientHandle, progress: Progress) {
        let Progress { loaded, total } = progress;
        let percent = u64::try_from(loaded.saturating_mul(100) / total.max(1)).unwrap_or(100).min(100);
        // The total grows while loading, but a progress bar never goes back.
        if let State::Visible(before) = self.state
            && percent > before
        {
            self.state = State::Visible(percent);
            let message = format!("{loaded}/{total} files");
            self.send_progress(client, &json!({ "kind": "report", "percentage": percent, "message": message }));
        }
    }

    /// Ends the load.
    pub(crate) fn end(&mut self, client: &ClientHandle) {
        if matches!(std::mem::take(&mut self.state), State::Visible(_)) {
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
