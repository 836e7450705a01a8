//! Slots for connections to the port that have not authenticated yet.
//!
//! Every user of the machine can get this far. To prevent a local user from locking out the owner's programs by
//! occupying all slots, a new connection always gets one: if none is free, the oldest pending connection is closed. A
//! handshake takes a fraction of a millisecond.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The slots and the connections that occupy them.
pub(super) struct PendingPeers {
    places: Arc<Semaphore>,
    there: Arc<Mutex<There>>,
}

#[derive(Default)]
struct There {
    next: u64,
    /// By order of arrival; each token evicts one connection.
    by_number: BTreeMap<u64, CancellationToken>,
}

/// A slot for one pending connection, freed on drop.
pub(super) struct PendingPeer {
    number: u64,
    goes: CancellationToken,
    there: Arc<Mutex<There>>,
    _place: OwnedSemaphorePermit,
}

fn lock(there: &Mutex<There>) -> MutexGuard<'_, There> {
    // Every change is a single operation on the map or the number, so a poisoned lock is still consistent.
    there.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PendingPeers {
    pub(super) fn new(places: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), there: Arc::default() }
    }

    /// Waits for a slot, evicting the oldest pending connection if none is free; `None` once `stop` is cancelled.
    pub(super) async fn next(&self, stop: &CancellationToken) -> Option<PendingPeer> {
        let free = Arc::clone(&self.places).try_acquire_owned().ok();
        let place = match free {
            Some(place) => place,
            None => {
                let oldest = lock(&self.there).by_number.pop_first();
                if let Some((_, goes)) = oldest {
                    goes.cancel();
                }
                tokio::select! {
                    () = stop.cancelled() => return None,
                    place = Arc::clone(&self.places).acquire_owned() => place.ok()?,
                }
            }
        };
        let goes = stop.child_token();
        let mut there = lock(&self.there);
        let number = there.next;
        there.next += 1;
        there.by_number.insert(number, goes.clone());
        Some(PendingPeer { number, goes, there: Arc::clone(&self.there), _place: place })
    }
}

impl PendingPeer {
    /// Completes when the connection must be closed.
    pub(super) async fn evicted(&self) {
        self.goes.cancelled().await;
    }
}

impl Drop for PendingPeer {
    fn drop(&mut self) {
        // Removed before the slot is freed, so that no eviction hits a connection that has ended.
        lock(&self.there).by_number.remove(&self.number);
    }
}
