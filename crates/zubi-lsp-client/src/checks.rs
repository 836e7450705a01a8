//! Tracks the check that a server runs after a file was saved (cargo check), to find out when it has finished.
//!
//! This module has the state of that check as far as the server reports it by progress; [`crate::endpoint`] decides who
//! waits for it, and until when. The rules come from traces of rust-analyzer (1.96):
//!
//! - It runs its check once whenever the project has been read, 60 to 300 ms after it reported that, and after every
//!   `didSave`. Two saves within 50 ms make one run; a later one ends the current run and begins another. So the end of
//!   a run that was begun for an earlier reason is not the end of the check.
//! - A run is also cancelled when the check was requested twice in one turn, as at the end of reading the project: it
//!   ends at once, and another begins 60 ms later. No run of cargo is that short.
//! - It handles a save only when it has a thread to spare: 6 s late while it was computing its first answer, 0.1 s
//!   later. So the time allowed for the beginning is counted from its answer to a request that was sent after the save.
//! - A save just before it reads the project again (a file was renamed) and the end of reading make one run or two. So
//!   the check covers the files saved before a run began once no further run has followed.
//! - With `checkOnSave` off, it runs the check only when the client sends `rust-analyzer/runFlycheck`. zubi sends that
//!   when diagnostics are requested: a session of navigation compiles nothing.
//! - Without a `Cargo.toml`, no check ever begins. If a check did not begin when it first
//!   had reason to, zubi does not wait for it again until a run has been seen.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Deserialize;
use tokio::sync::watch;

#[cfg(test)]
mod tests;

/// Reasons that come closer together than this make one run.
const MERGE_WINDOW: Duration = Duration::from_millis(50);

/// The maximum number of runs followed at once. A server runs one for each project that it has read.
const MAX_RUNS: usize = 64;

/// A check that a server runs in addition to its own analysis, recognized by its progress.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackgroundCheck {
    /// The prefix of its progress tokens: `rust-analyzer/flycheck`.
    pub token: String,
    /// The display name of the check: `cargo check`.
    pub name: String,
    /// The notification that starts the check, if the server does not start it by itself.
    #[serde(default)]
    pub request: Option<String>,
    /// The time in milliseconds within which it begins when it has a reason to and the server is idle.
    #[serde(default = "default_begins_within_ms")]
    pub begins_within_ms: u64,
    /// The minimum time of a complete run, in milliseconds. A run that ends sooner was cancelled: starting a process
    /// alone takes longer.
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

/// The state of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckState {
    /// The check has reported everything about the files as they were last saved, or will not run.
    Settled,
    /// The check will begin when the project has been read.
    Loading,
    /// The check has had a reason to begin since this time, but has not begun.
    Due {
        since: Instant,
    },
    Running,
}

/// The check of one server; without a [`BackgroundCheck`] it is always settled.
#[derive(Debug)]
pub(crate) struct Checks {
    checker: Option<BackgroundCheck>,
    state: watch::Sender<BackgroundCheckState>,
}

#[derive(Debug)]
struct BackgroundCheckState {
    /// Whether the project is being read.
    loading: bool,
    /// The time since which it has had a reason to run without having begun.
    due: Option<Instant>,
    /// Whether a reason came while an earlier one was pending: the next run may be the earlier one's, and be cancelled.
    again: bool,
    /// The current runs: their tokens and start times.
    runs: BTreeMap<String, Instant>,
    /// Whether a run was ever seen.
    seen: bool,
    /// Whether zubi stopped waiting for the check before it ever saw a run.
    absent: bool,
    /// Whether a file was saved, or the project read, that may not be covered by a finished run.
    outdated: bool,
    /// The time of the last save.
    saved: Option<Instant>,
    /// Whether a run that began after `saved` has ended. If that run was for an earlier reason, another one follows.
    followed: bool,
}

impl Checks {
    pub(crate) fn new(checker: Option<BackgroundCheck>) -> Self {
        let on_request = checker.as_ref().is_some_and(|checker| checker.request.is_some());
        let state = BackgroundCheckState {
            loading: true,
            due: None,
            again: false,
            runs: BTreeMap::new(),
            seen: false,
            absent: false,
            outdated: on_request,
            saved: None,
            followed: false,
        };
        Self { checker, state: watch::Sender::new(state) }
    }

    /// Records that a file was saved.
    pub(crate) fn on_saved(&self, now: Instant) {
        if self.checker.is_some() {
            self.state.send_modify(|state| self.add_reason(state, now));
        }
    }

    fn is_on_request(&self) -> bool {
        self.checker.as_ref().is_some_and(|checker| checker.request.is_some())
    }

    fn add_reason(&self, state: &mut BackgroundCheckState, now: Instant) {
        state.outdated = true;
        state.saved = Some(now);
        state.followed = false;
        if !self.is_on_request() {
            state.reason(now);
        }
    }

    /// Returns the notification that starts the check, if the server waits for it and no run covers the present files.
    /// The check counts as due from then on.
    pub(crate) fn take_request(&self, now: Instant) -> Option<&str> {
        let request = self.checker.as_ref()?.request.as_deref()?;
        let is_needed = self.state.send_if_modified(|state| {
            let is_covered = state.runs.values().any(|start| Some(*start) >= state.saved);
            let is_needed = state.outdated && !state.loading && !state.absent && state.due.is_none() && !is_covered;
            if is_needed {
                state.due = Some(now);
            }
            is_needed
        });
        is_needed.then_some(request)
    }

    /// Returns the notification that starts the check once more, if the server waits for it and the check is settled. The
    /// check counts as due from then on.
    pub(crate) fn take_repeat(&self, now: Instant) -> Option<&str> {
        let request = self.checker.as_ref()?.request.as_deref()?;
        if self.stage() != CheckState::Settled {
            return None;
        }
        self.state
            .send_if_modified(|state| {
                let is_needed = state.seen && !state.absent && state.due.is_none();
                if is_needed {
                    state.due = Some(now);
                }
                is_needed
            })
            .then_some(request)
    }

    /// Whether progress with this token is that of the check, and no other run is in progress.
    pub(crate) fn is_first_run(&self, token: &str) -> bool {
        let is_own = self.checker.as_ref().is_some_and(|checker| token.starts_with(&checker.token));
        is_own && self.state.borrow().runs.is_empty()
    }

    /// Records that the server is reading the project, or has finished.
    pub(crate) fn loading(&self, loading: bool, now: Instant) {
        self.state.send_if_modified(|state| {
            let changed = state.loading != loading;
            state.loading = loading;
            if changed && !loading {
                if self.is_on_request() {
                    self.add_reason(state, now);
                } else {
                    state.reason(now);
                }
            }
            changed
        });
    }

    /// Records that a progress with this token began or ended; ignores the progress of others.
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
                let start = state.runs.remove(token);
                if start.is_some_and(|start| now.saturating_duration_since(start) < shortest) {
                    state.due = Some(now);
                } else {
                    state.followed |= start > state.saved;
                }
                match &mut state.due {
                    // The run was cancelled, or another one follows, whose time to begin starts now.
                    Some(due) => *due = now,
                    None if state.runs.is_empty() => state.outdated = self.is_on_request() && !state.followed,
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

    /// Returns a receiver of changes of [`Self::stage`].
    pub(crate) fn changes(&self) -> watch::Receiver<impl Sized + use<>> {
        self.state.subscribe()
    }

    /// Returns the time within which the check begins.
    pub(crate) fn begins_within(&self) -> Duration {
        Duration::from_millis(self.checker.as_ref().map_or(0, |checker| checker.begins_within_ms))
    }

    /// Records that the check did not begin for the reason that it has had since `since`.
    pub(crate) fn give_up(&self, since: Instant) {
        self.state.send_if_modified(|state| {
            let is_missed = state.due == Some(since) && state.runs.is_empty();
            if is_missed {
                state.due = None;
                state.again = false;
                state.absent = !state.seen;
                state.outdated &= !state.followed;
            }
            is_missed
        });
    }

    /// Whether the check's diagnostics may be about files as they were before the last save.
    pub(crate) fn is_outdated(&self) -> bool {
        self.state.borrow().outdated
    }

    /// Returns a note about the missing results for the current files; `None` if there is nothing to wait for.
    pub(crate) fn pending_note(&self) -> Option<String> {
        let name = &self.checker.as_ref()?.name;
        if self.stage() != CheckState::Settled {
            return Some(format!("{name} still running"));
        }
        let state = self.state.borrow();
        (state.outdated && state.seen).then(|| format!("{name} has not run since the last change"))
    }
}

impl BackgroundCheckState {
    /// Records a reason to run.
    fn reason(&mut self, now: Instant) {
        if self.absent {
            return;
        }
        match self.due {
            Some(since) if now.saturating_duration_since(since) > MERGE_WINDOW => self.again = true,
            Some(_) => return,
            None => {}
        }
        self.due = Some(now);
    }
}
