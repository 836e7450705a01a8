//! The supervisor that waits for the next job.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zubi_base::process::{Confinement, Spawner, Standby};

/// The supervisor that waits, if there is one. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct NextSupervisor(Arc<Mutex<Slot>>);

#[derive(Debug, Default)]
struct Slot {
    standby: Option<Standby>,
    is_closed: bool,
}

impl NextSupervisor {
    pub(super) fn take(&self) -> Option<Standby> {
        self.lock().standby.take()
    }

    /// Starts a supervisor on another thread. The next job most likely has the same confinement as this one.
    pub(super) fn prepare(&self, spawner: Spawner, confinement: Confinement) {
        let next = self.clone();
        tokio::task::spawn_blocking(move || {
            let mut slot = next.lock();
            if slot.standby.is_none() && !slot.is_closed {
                slot.standby = spawner.prepare(&confinement).ok();
            }
        });
    }

    /// Ends the supervisor and waits for its end.
    pub(super) async fn close(&self) {
        let next = self.clone();
        // A supervisor that is being started has the lock.
        let taken = tokio::task::spawn_blocking(move || {
            let mut slot = next.lock();
            slot.is_closed = true;
            slot.standby.take()
        });
        if let Ok(Some(standby)) = taken.await {
            standby.end().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
