//! Slots for connections to the port that have not authenticated yet.
//!
//! Every user of the machine can open such a connection. So that another user cannot lock out the owner's programs by
//! occupying all slots, a new connection always gets one: if no slot is free, the oldest pending connection is closed.
//! A handshake takes a fraction of a millisecond.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The slots and the connections that occupy them.
pub(super) struct PendingPeers {
    slots: Arc<Semaphore>,
    state: Arc<Mutex<PendingState>>,
}

#[derive(Default)]
struct PendingState {
    next: u64,
    /// Connections in the order of arrival; each token evicts one.
    by_number: BTreeMap<u64, CancellationToken>,
}

/// A slot for one pending connection, freed on drop.
pub(super) struct PendingPeer {
    number: u64,
    eviction: CancellationToken,
    state: Arc<Mutex<PendingState>>,
    _permit: OwnedSemaphorePermit,
}

fn lock(state: &Mutex<PendingState>) -> MutexGuard<'_, PendingState> {
    // Every change is a single operation on the map or the number, so a poisoned lock is still consistent.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PendingPeers {
    pub(super) fn new(capacity: usize) -> Self {
        Self { slots: Arc::new(Semaphore::new(capacity)), state: Arc::default() }
    }

    /// Waits for a slot, and evicts the oldest pending connection if no slot is free; `None` once `stop` is cancelled.
    pub(super) async fn next(&self, stop: &CancellationToken) -> Option<PendingPeer> {
        let free = Arc::clone(&self.slots).try_acquire_owned().ok();
        let permit = match free {
            Some(permit) => permit,
            None => {
                let oldest = lock(&self.state).by_number.pop_first();
                if let Some((_, eviction)) = oldest {
                    eviction.cancel();
                }
                tokio::select! {
                    () = stop.cancelled() => return None,
                    permit = Arc::clone(&self.slots).acquire_owned() => permit.ok()?,
                }
            }
        };
        let eviction = stop.child_token();
        let mut state = lock(&self.state);
        let number = state.next;
        state.next += 1;
        state.by_number.insert(number, eviction.clone());
        Some(PendingPeer { number, eviction, state: Arc::clone(&self.state), _permit: permit })
    }
}

impl PendingPeer {
    /// Completes when the connection must be closed.
    pub(super) async fn wait_evicted(&self) {
        self.eviction.cancelled().await;
    }
}

impl Drop for PendingPeer {
    fn drop(&mut self) {
        // Removed before the slot is freed, so that an eviction cannot affect an ended connection.
        lock(&self.state).by_number.remove(&self.number);
    }
}
