//! The places for those at the port who have not proved themselves yet.
//!
//! Every user of the machine can come that far. So that nobody keeps the owner's programs out by sitting there, whoever comes
//! gets a place, and where there is none, the one who has had his longest goes: a proof takes a fraction of a millisecond.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

pub(super) struct PendingPeers {
    places: Arc<Semaphore>,
    there: Arc<Mutex<There>>,
}

#[derive(Default)]
struct There {
    next: u64,
    /// In the order in which they came; each token lets one go.
    by_number: BTreeMap<u64, CancellationToken>,
}

/// Somebody who has a place, until dropped.
pub(super) struct PendingPeer {
    number: u64,
    goes: CancellationToken,
    there: Arc<Mutex<There>>,
    _place: OwnedSemaphorePermit,
}

fn lock(there: &Mutex<There>) -> MutexGuard<'_, There> {
    // Every change is a single one of a map or a number.
    there.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PendingPeers {
    pub(super) fn new(places: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), there: Arc::default() }
    }

    /// A place for one more; `None` after `stop`, at which everybody is to go.
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
    /// Comes when he is to go.
    pub(super) async fn evicted(&self) {
        self.goes.cancelled().await;
    }
}

impl Drop for PendingPeer {
    fn drop(&mut self) {
        // Before the place is free, so that nobody is asked to go who has gone.
        lock(&self.there).by_number.remove(&self.number);
    }
}
