//! When a check that a server runs after a file was saved (cargo check) has come to its end.
//!
//! Owns the state of that check as far as the server tells it by progress; who waits for it, and until when, is decided
//! by [`crate::endpoint`]. The rules were found by tracing rust-analyzer (1.96):
//!
//! - It runs its check once whenever the project has been read, 60 to 300 ms after it said so, and after every
//!   `didSave`. Two saves within 50 ms make one run; a later one ends the run that is under way and begins another. So
//!   the end of a run that was begun for an earlier reason is not the end of the check.
//! - A run is also broken off when the check was asked for twice in one turn, as at the end of reading the project: it
//!   ends at once, and another begins 60 ms later. No run of cargo is that short.
//! - It takes up a save only when it has a thread to spare: 6 s late while it was working out its first answer, 0.1 s
//!   later. So how long its beginning may take is counted from its answer to a question that came after the save.
//! - A save just before it reads the project anew (a file was renamed) and the end of reading make one run or two. So
//!   what was saved before a run began counts as seen once no further run has followed.
//! - Without a `Cargo.toml`, and with `checkOnSave` off, no check ever begins. What did not begin when it first had
//!   reason to is not waited for again until it is seen to run.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Deserialize;
use tokio::sync::watch;

#[cfg(test)]
mod tests;

/// Reasons that come closer together than this make one run.
const ONE_REASON: Duration = Duration::from_millis(50);

/// The most runs followed at once. A server runs one for each project that it has read.
const MAX_RUNS: usize = 64;

/// A check that a server runs besides its own analysis, told by its progress.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checker {
    /// How its progress tokens begin: `rust-analyzer/flycheck`.
    pub token: String,
    /// What to call it: `cargo check`.
    pub name: String,
    /// How long it may take to begin when it has a reason to and the server is idle, in milliseconds.
    #[serde(default = "default_begins_within_ms")]
    pub begins_within_ms: u64,
    /// A run that ends sooner was broken off: starting a process alone takes longer. In milliseconds.
    #[serde(default = "default_lasts_at_least_ms")]
    pub lasts_at_least_ms: u64,
}

/// rust-analyzer on a busy machine took 0.3 s.
fn default_begins_within_ms() -> u64 {
    2_000
}

fn default_lasts_at_least_ms() -> u64 {
    10
}

/// How a check stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckState {
    /// It has said everything about the files as they were last saved, or will not run.
    Settled,
    /// It will begin when the project has been read.
    Loading,
    /// It has had a reason to begin since then.
    Due {
        since: Instant,
    },
    Running,
}

/// The check of one server; without a [`Checker`] it is always settled.
#[derive(Debug)]
pub(crate) struct Checks {
    checker: Option<Checker>,
    state: watch::Sender<State>,
}

#[derive(Debug)]
struct State {
    /// Whether the project is being read.
    loading: bool,
    /// Since when it has a reason to run that it has not answered by beginning.
    due: Option<Instant>,
    /// Whether a reason came while an earlier one stood: the next run may be the earlier one's, and be broken off.
    again: bool,
    /// The runs under way: their tokens, and since when.
    runs: BTreeMap<String, Instant>,
    /// Whether it was ever seen to run.
    seen: bool,
    /// Whether it was given up before it was ever seen.
    absent: bool,
    /// Whether a file was saved that no finished run has seen for certain.
    outdated: bool,
    /// When a file was saved last.
    saved: Option<Instant>,
    /// Whether a run that began after that came to its end. It may have been asked for earlier; that it was not shows
    /// when no other follows.
    followed: bool,
}

impl Checks {
    pub(crate) fn new(checker: Option<Checker>) -> Self {
        let state = State {
            loading: true,
            due: None,
            again: false,
            runs: BTreeMap::new(),
            seen: false,
            absent: false,
            outdated: false,
            saved: None,
            followed: false,
        };
        Self { checker, state: watch::Sender::new(state) }
    }

    /// A file was saved.
    pub(crate) fn on_saved(&self, now: Instant) {
        if self.checker.is_some() {
            self.state.send_modify(|state| {
                state.outdated = true;
                state.saved = Some(now);
                state.followed = false;
                state.reason(now);
            });
        }
    }

    /// The server is reading the project, or is done with it.
    pub(crate) fn loading(&self, loading: bool, now: Instant) {
        self.state.send_if_modified(|state| {
            let changed = state.loading != loading;
            state.loading = loading;
            if changed && !loading {
                state.reason(now);
            }
            changed
        });
    }

    /// A progress with this token began or ended; those of others are passed over.
    pub(crate) fn progress(&self, token: &str, kind: Option<&str>, now: Instant) {
        let Some(checker) = self.checker.as_ref().filter(|checker| token.starts_with(&checker.token)) else { return };
        let shortest = Duration::from_millis(checker.lasts_at_least_ms);
        match kind {
            Some("begin") => self.state.send_modify(|state| {
                state.seen = true;
                state.absent = false;
                if state.runs.len() < MAX_RUNS {
                    state.runs.insert(token.to_owned(), now);
                }
                if std::mem::take(&mut state.again) {
                    state.due = Some(now);
                } else {
                    state.due = None;
                }
            }),
            Some("end") => self.state.send_modify(|state| {
                let began = state.runs.remove(token);
                if began.is_some_and(|began| now.saturating_duration_since(began) < shortest) {
                    state.due = Some(now);
                } else {
                    state.followed |= began > state.saved;
                }
                match &mut state.due {
                    // It was broken off, or there is one to come: its beginning is counted from here.
                    Some(due) => *due = now,
                    None if state.runs.is_empty() => state.outdated = false,
                    None => {}
                }
            }),
            _ => {}
        }
    }

    pub(crate) fn stage(&self) -> CheckState {
        if self.checker.is_none() {
            return CheckState::Settled;
        }
        let state = self.state.borrow();
        if state.absent {
            CheckState::Settled
        } else if state.loading {
            CheckState::Loading
        } else if !state.runs.is_empty() {
            CheckState::Running
        } else {
            state.due.map_or(CheckState::Settled, |since| CheckState::Due { since })
        }
    }

    /// Follows [`Self::stage`].
    pub(crate) fn changes(&self) -> watch::Receiver<impl Sized + use<>> {
        self.state.subscribe()
    }

    /// How long it may take to begin.
    pub(crate) fn begins_within(&self) -> Duration {
        Duration::from_millis(self.checker.as_ref().map_or(0, |checker| checker.begins_within_ms))
    }

    /// It did not begin for the reason it had since then.
    pub(crate) fn give_up(&self, since: Instant) {
        self.state.send_if_modified(|state| {
            let stands = state.due == Some(since) && state.runs.is_empty();
            if stands {
                state.due = None;
                state.again = false;
                state.absent = !state.seen;
                state.outdated &= !state.followed;
            }
            stands
        });
    }

    /// Whether what it said may be about files as they were before they were saved last.
    pub(crate) fn is_outdated(&self) -> bool {
        self.state.borrow().outdated
    }

    /// What it has not said yet about the files as they are, as a note; `None` when there is nothing to wait for.
    pub(crate) fn pending_note(&self) -> Option<String> {
        let name = &self.checker.as_ref()?.name;
        if self.stage() != CheckState::Settled {
            return Some(format!("{name} still running"));
        }
        let state = self.state.borrow();
        (state.outdated && state.seen).then(|| format!("{name} has not run since the last change"))
    }
}

impl State {
    /// It has a reason to run.
    fn reason(&mut self, now: Instant) {
        if self.absent {
            return;
        }
        match self.due {
            Some(since) if now.saturating_duration_since(since) > ONE_REASON => self.again = true,
            Some(_) => return,
            None => {}
        }
        self.due = Some(now);
    }
}
