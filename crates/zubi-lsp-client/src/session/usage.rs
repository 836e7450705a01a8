//! Whether a run of a server is still useful: its last request, its last messages, and its memory. The life cycle acts
//! on this.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::ServerSession;

/// The usage data of one run.
#[derive(Debug)]
pub(super) struct SessionUsage {
    state: Mutex<UsageState>,
    /// Notified when no request is running any more.
    unused: Notify,
}

#[derive(Debug)]
struct UsageState {
    /// The number of running requests.
    running: usize,
    /// The time at which a request last began or ended.
    last: Instant,
    silence: Option<Silence>,
}

/// The silence of a server since a request ran out of time.
#[derive(Debug, Clone, Copy)]
struct Silence {
    /// The number of messages that the server had sent by then.
    received_count: u64,
    /// The time at which that request was sent.
    since: Instant,
}

impl SessionUsage {
    pub(super) fn new(now: Instant) -> Self {
        Self { state: Mutex::new(UsageState { running: 0, last: now, silence: None }), unused: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, UsageState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerSession {
    /// Marks the server as in use until the result is dropped.
    pub(crate) fn in_use(self: &Arc<Self>) -> ActivityGuard {
        let mut state = self.usage.state();
        state.running += 1;
        state.last = Instant::now();
        ActivityGuard(Arc::clone(self))
    }

    /// Returns the time since which the server has had no request; `None` while one is running.
    pub(crate) fn unused_since(&self) -> Option<Instant> {
        let state = self.usage.state();
        (state.running == 0).then_some(state.last)
    }

    /// Waits until no request is running.
    pub(crate) async fn await_unused(&self) {
        let mut unused = std::pin::pin!(self.usage.unused.notified());
        loop {
            // Before the state is read, so that no end is missed.
            unused.as_mut().enable();
            if self.unused_since().is_some() {
                return;
            }
            unused.as_mut().await;
            unused.set(self.usage.unused.notified());
        }
    }

    /// Returns the number of messages that the server has sent so far.
    pub(crate) fn received_count(&self) -> u64 {
        self.connection.received_count()
    }

    /// Records that a request sent at `requested_at`, after `received` messages of the server, has used up `limit`, the
    /// time for a response. Returns whether the server counts as dead: it has sent no message since an earlier request
    /// ran out of time. One request alone proves nothing, because a single-threaded server may be working on it.
    pub(crate) fn ran_out_of_time(&self, requested_at: Instant, received: u64, limit: Duration) -> bool {
        let mut state = self.usage.state();
        let now = self.received_count();
        match state.silence {
            Some(Silence { received_count, since }) if received_count == now => since.elapsed() > limit + limit / 2,
            _ => {
                state.silence = (received == now).then_some(Silence { received_count: received, since: requested_at });
                false
            }
        }
    }

    /// Returns the id of the server's process, if it has one.
    pub(crate) fn process_id(&self) -> Option<u32> {
        self.process
    }

    /// Returns the current memory of the process and all child processes, in bytes; `None` without a process.
    pub(crate) async fn memory(&self) -> Option<u64> {
        let process = self.process?;
        // Reads the kernel's files of every process.
        let sum = tokio::task::spawn_blocking(move || {
            let family = zubi_base::process::descendants(process);
            family.into_iter().chain([process]).filter_map(zubi_base::process::rss_bytes).sum()
        });
        sum.await.ok()
    }
}

/// A guard that marks the server as in use.
pub(crate) struct ActivityGuard(Arc<ServerSession>);

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        let mut state = self.0.usage.state();
        state.running = state.running.saturating_sub(1);
        state.last = Instant::now();
        if state.running == 0 {
            self.0.usage.unused.notify_waiters();
        }
    }
}
