//! Makes later requests wait until a server knows changed files that it would otherwise read some time after it was
//! notified, or never.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::ServerSession;
use crate::catalogue::ReloadRequest;
use crate::readiness::{ReadinessSignal, Tracker};
use crate::watch::{WatchedEntry, WatchedFileChange};

/// The time in which a server accepts the request. It may be reading its project.
const ACCEPTANCE_TIMEOUT: Duration = Duration::from_mins(1);

impl ServerSession {
    /// Sends the request of the row for changed files. Every later request waits for its response.
    pub(super) fn request_reload(&self, changes: &[WatchedFileChange]) {
        let Some(reload) = &self.spec.reload else { return };
        let is_read = |change: &WatchedFileChange| match change.entry {
            WatchedEntry::Package => reload.concerns_package(&change.path),
            WatchedEntry::File | WatchedEntry::Directory | WatchedEntry::OtherPath(_) => {
                change.path.starts_with(&self.spec.folder.path) && reload.concerns_file(&change.path)
            }
        };
        if !changes.iter().any(is_read) {
            return;
        }
        let mut was_ready = false;
        if self.spec.signal == ReadinessSignal::ServerStatus {
            self.peer.track(|tracker| was_ready = tracker.on_configuration_changed());
        }
        let ReloadRequest { method, params, .. } = reload.clone();
        let (connection, peer, turn) =
            (self.connection.clone(), Arc::clone(&self.peer), self.sync_barrier.begin_reload());
        tokio::spawn(async move {
            let deadline = Instant::now() + ACCEPTANCE_TIMEOUT;
            let answer = connection.request(&method, params, &CancellationToken::new(), deadline).await;
            if let Err(error) = answer {
                tracing::debug!(%method, %error, "a server does not read files again");
                if was_ready {
                    peer.track(Tracker::on_reload_refused);
                }
            }
            drop(turn);
        });
    }

    /// Makes later requests wait until a server has noticed changes by itself.
    pub(super) fn await_own_watcher(&self) {
        let Some(pause) = self.spec.own_watcher else { return };
        let turn = self.sync_barrier.begin_reload();
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            drop(turn);
        });
    }
}
