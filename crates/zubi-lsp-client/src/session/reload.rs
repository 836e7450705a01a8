//! Makes a server read changed files again that it would otherwise read some time after it was notified.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::ServerSession;
use crate::readiness::{ReadinessSignal, Tracker};
use crate::watch::{WatchedEntry, WatchedFileChange};

/// The time in which a server accepts the request. It may be reading its project.
const ACCEPTANCE_TIMEOUT: Duration = Duration::from_mins(1);

impl ServerSession {
    /// Sends the request of the row for changed files. Every later request waits for its response.
    pub(super) fn request_reload(&self, changes: &[WatchedFileChange]) {
        let Some(reload) = &self.spec.reload else { return };
        let is_read = |change: &&WatchedFileChange| match change.entry {
            WatchedEntry::Package => reload.packages,
            WatchedEntry::File | WatchedEntry::Directory | WatchedEntry::OtherPath(_) => {
                change.path.starts_with(&self.spec.folder.path) && reload.reads(&change.path)
            }
        };
        let mut requests = Vec::new();
        for change in changes.iter().filter(is_read) {
            let params = reload.params_for(&change.path);
            if !requests.contains(&params) {
                requests.push(params);
            }
        }
        if requests.is_empty() {
            return;
        }
        let mut was_ready = false;
        if self.spec.signal == ReadinessSignal::ServerStatus {
            self.peer.track(|tracker| was_ready = tracker.on_configuration_changed());
        }
        for params in requests {
            let (connection, method) = (self.connection.clone(), reload.method.clone());
            let (peer, turn) = (Arc::clone(&self.peer), self.sync_barrier.begin_reload());
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
    }
}
