//! Whether a run of a server is worth keeping: when it was last asked something, whether it still says anything, and how
//! much memory it holds. What follows from that is the life cycle's work.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Session;

/// What is known of one run.
#[derive(Debug)]
pub(super) struct Usage(Mutex<State>);

#[derive(Debug)]
struct State {
    /// How many questions are under way.
    running: usize,
    /// When one began or ended last.
    last: Instant,
    silence: Option<Silence>,
}

/// It has said nothing since a question ran out of time.
#[derive(Debug, Clone, Copy)]
struct Silence {
    /// How many messages it had sent by then.
    heard: u64,
    /// When that question was asked.
    since: Instant,
}

impl Usage {
    pub(super) fn new(now: Instant) -> Self {
        Self(Mutex::new(State { running: 0, last: now, silence: None }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// It is being asked something until the result is dropped.
    pub(crate) fn in_use(self: &Arc<Self>) -> ActivityGuard {
        let mut state = self.usage.state();
        state.running += 1;
        state.last = Instant::now();
        ActivityGuard(Arc::clone(self))
    }

    /// Since when nobody has asked it anything; `None` while somebody does.
    pub(crate) fn unused_since(&self) -> Option<Instant> {
        let state = self.usage.state();
        (state.running == 0).then_some(state.last)
    }

    /// How many messages it has sent so far.
    pub(crate) fn received_count(&self) -> u64 {
        self.connection.received_count()
    }

    /// A question that was asked at `asked`, when it had sent `heard` messages, has used up `limit`, the time that the
    /// server is given. Says whether it is to be taken for dead: it has not said a word since another question ran out of
    /// time before. One silent question proves nothing, for a server with one thread may be working on it.
    pub(crate) fn ran_out_of_time(&self, asked: Instant, heard: u64, limit: Duration) -> bool {
        let mut state = self.usage.state();
        let now = self.received_count();
        match state.silence {
            Some(Silence { heard, since }) if heard == now => since.elapsed() > limit + limit / 2,
            _ => {
                state.silence = (heard == now).then_some(Silence { heard, since: asked });
                false
            }
        }
    }

    /// Of its process, if it is one.
    pub(crate) fn process_id(&self) -> Option<u32> {
        self.process
    }

    /// How much memory its process and all that it started hold now, in bytes; `None` for a server that is no process.
    pub(crate) async fn memory(&self) -> Option<u64> {
        let process = self.process?;
        // The kernel's files of every process are read.
        let sum = tokio::task::spawn_blocking(move || {
            let family = zubi_base::process::descendants(process);
            family.into_iter().chain([process]).filter_map(zubi_base::process::rss_bytes).sum()
        });
        sum.await.ok()
    }
}

/// Somebody asks the server something.
pub(crate) struct ActivityGuard(Arc<Session>);

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        let mut state = self.0.usage.state();
        state.running = state.running.saturating_sub(1);
        state.last = Instant::now();
    }
}
