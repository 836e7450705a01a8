//! Tracks the rounds in which a server computes diagnostics, for servers that report them as progress.
//!
//! A server that only publishes diagnostics gives no sign that a change of one file leaves the diagnostics of another
//! unchanged: no publication follows. gopls (0.16) reports more with the setting `verboseWorkDoneProgress`: for every
//! opened, changed or saved document, and for every notification about files on disk, a progress "diagnosing …" that
//! begins before it answers a later request, and ends after it has published everything that the change affects. A
//! round that a newer one replaces ends at once. So, after the response to any request that was sent after the change,
//! the diagnostics are of now as soon as no round is open.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;
use tokio::sync::watch;

/// The maximum number of rounds followed at once. gopls runs one for each message that it received since the last.
const MAX_ROUNDS: usize = 10_000;

/// The maximum time after which a round for a change of files begins. pyrefly answers some requests before it, if it is busy.
const MAX_BEGIN: Duration = Duration::from_secs(1);

/// The progress by which a server reports each round.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiagnosticRounds {
    /// The beginnings of the progress titles.
    pub titles: Vec<String>,
    /// A request with nothing but `textDocument` in its params. Rounds for earlier messages begin before its response.
    #[serde(rename = "fence")]
    pub barrier_method: String,
    /// Whether the last diagnostics of a round follow its end.
    #[serde(default)]
    pub publishes_after_end: bool,
}

/// The open rounds of one server; none for a server without [`DiagnosticRounds`].
#[derive(Debug)]
pub(crate) struct RoundTracker {
    rounds: Option<DiagnosticRounds>,
    state: watch::Sender<RoundState>,
}

#[derive(Debug, Default)]
struct RoundState {
    /// The progress tokens of the rounds that have not ended.
    open: BTreeSet<String>,
    /// Whether a round was ever seen; another version of the server may not report them.
    has_reported: bool,
    /// The number of rounds that have begun.
    begun: u64,
    /// This number at the last change of files, until the round for it has begun.
    at_change: Option<u64>,
}

impl RoundTracker {
    pub(crate) fn new(rounds: Option<DiagnosticRounds>) -> Self {
        Self { rounds, state: watch::Sender::default() }
    }

    /// Handles a `$/progress` notification; ignores other progress.
    pub(crate) fn progress(&self, token: &str, kind: Option<&str>, title: Option<&str>) {
        let Some(rounds) = &self.rounds else { return };
        match kind {
            Some("begin") => {
                let is_round = title.is_some_and(|title| rounds.titles.iter().any(|own| title.starts_with(own)));
                if is_round {
                    self.state.send_modify(|state| {
                        state.has_reported = true;
                        state.begun += 1;
                        if state.open.len() < MAX_ROUNDS {
                            state.open.insert(token.to_owned());
                        }
                    });
                }
            }
            Some("end") => {
                self.state.send_if_modified(|state| state.open.remove(token));
            }
            _ => {}
        }
    }

    /// Returns the request after whose response all rounds for earlier messages have begun. `None` if the server does
    /// not report rounds.
    pub(crate) fn barrier_method(&self) -> Option<&str> {
        let method = self.rounds.as_ref().map(|rounds| rounds.barrier_method.as_str());
        method.filter(|_| self.state.borrow().has_reported)
    }

    /// Returns the same request before the first round: a change on disk may be the first message that begins one, and on a
    /// loaded machine its beginning comes late.
    pub(crate) fn first_barrier_method(&self) -> Option<&str> {
        let method = self.rounds.as_ref().map(|rounds| rounds.barrier_method.as_str());
        method.filter(|_| !self.state.borrow().has_reported)
    }

    /// Returns the number of times to send the barrier request. If diagnostics follow the end of a round, the server may
    /// answer one request before it publishes them, but not two.
    pub(crate) fn barrier_count(&self) -> usize {
        if self.rounds.as_ref().is_some_and(|rounds| rounds.publishes_after_end) { 3 } else { 1 }
    }

    /// Records that a change of files is about to be sent.
    pub(crate) fn mark_changed(&self) {
        if self.rounds.as_ref().is_some_and(|rounds| rounds.publishes_after_end) {
            self.state.send_modify(|state| state.at_change = Some(state.begun));
        }
    }

    /// Waits until the round for the last change of files has begun, for a limited time.
    pub(crate) async fn begin_after_change(&self) {
        let has_begun = |state: &RoundState| state.at_change.is_none_or(|before| state.begun > before);
        let mut changes = self.state.subscribe();
        drop(tokio::time::timeout(MAX_BEGIN, changes.wait_for(has_begun)).await);
        self.state.send_if_modified(|state| state.at_change.take().is_some());
    }

    /// Waits until no round is open.
    pub(crate) async fn all_ended(&self) {
        // The sender is in `self`.
        drop(self.state.subscribe().wait_for(|state| state.open.is_empty()).await);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn rounds_are_open_until_their_end() {
        let rounds = DiagnosticRounds {
            titles: vec!["diagnosing ".to_owned()],
            barrier_method: "textDocument/documentLink".to_owned(),
            publishes_after_end: false,
        };
        let tracker = RoundTracker::new(Some(rounds));
        let is_idle = || tracker.all_ended().now_or_never().is_some();
        tracker.progress("1", Some("begin"), Some("Setting up"));
        assert_eq!((is_idle(), tracker.barrier_method()), (true, None));
        assert_eq!(tracker.first_barrier_method(), Some("textDocument/documentLink"));
        tracker.progress("2", Some("begin"), Some("diagnosing opened files"));
        tracker.progress("3", Some("begin"), Some("diagnosing changed files"));
        assert_eq!((is_idle(), tracker.barrier_method()), (false, Some("textDocument/documentLink")));
        assert_eq!(tracker.first_barrier_method(), None);
        tracker.progress("2", Some("end"), None);
        assert!(!is_idle());
        tracker.progress("3", Some("end"), None);
        assert!(is_idle());
    }

    #[tokio::test]
    async fn a_round_begins_after_a_change() {
        let rounds = DiagnosticRounds {
            titles: vec!["Rechecking".to_owned()],
            barrier_method: "textDocument/documentSymbol".to_owned(),
            publishes_after_end: true,
        };
        let tracker = RoundTracker::new(Some(rounds));
        tracker.progress("1", Some("begin"), Some("Rechecking"));
        assert!(tracker.begin_after_change().now_or_never().is_some(), "nothing has changed");
        tracker.mark_changed();
        tracker.progress("1", Some("end"), None);
        assert!(tracker.begin_after_change().now_or_never().is_none());
        tracker.progress("2", Some("begin"), Some("Rechecking"));
        assert!(tracker.begin_after_change().now_or_never().is_some());
    }

    #[test]
    fn servers_without_rounds_are_always_idle() {
        let tracker = RoundTracker::new(None);
        tracker.progress("2", Some("begin"), Some("diagnosing opened files"));
        assert!(tracker.all_ended().now_or_never().is_some());
        assert_eq!(tracker.barrier_method(), None);
    }
}
