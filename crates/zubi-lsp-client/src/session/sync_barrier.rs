//! Waits until a server has processed the texts it received.
//!
//! Some servers handle several messages at once, and sometimes answer a request directly after a text as if the text
//! were missing: tombi (1.9) returns no symbols for every second newly opened document, just-lsp (0.10) for every
//! tenth, `emmylua_ls` (0.25) misses the uses in a new file. So zubi first sends a request about the same document and
//! waits for its response. With it, none of this occurred in hundreds of tries.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::future::join_all;
use rustc_hash::FxHashMap;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use zubi_base::rpc::{Connection, ConnectionError};

/// The texts that one server may not have processed yet. Empty for a server without a barrier.
#[derive(Debug)]
pub(super) struct SyncBarrier {
    /// The method of the barrier request; `None` for servers that need none.
    method: Option<String>,
    sent: Mutex<SentText>,
    /// The lock that lets one request at a time wait at the barrier.
    turn: tokio::sync::Mutex<()>,
    /// The number of requests without a response by which the server reads files again.
    reloads: Arc<watch::Sender<usize>>,
}

/// A request by which the server reads files again. Ends when dropped.
#[derive(Debug)]
pub(super) struct ReloadTurn(Arc<watch::Sender<usize>>);

impl Drop for ReloadTurn {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

#[derive(Debug, Default)]
struct SentText {
    /// The number of texts.
    count: u64,
    /// The number of the newest text of each document.
    documents: FxHashMap<Utf8PathBuf, u64>,
}

impl SyncBarrier {
    pub(super) fn new(method: Option<String>) -> Self {
        Self { method, sent: Mutex::default(), turn: tokio::sync::Mutex::default(), reloads: Arc::default() }
    }

    /// Makes later requests wait until the server has read files again.
    pub(super) fn begin_reload(&self) -> ReloadTurn {
        self.reloads.send_modify(|count| *count += 1);
        ReloadTurn(Arc::clone(&self.reloads))
    }

    async fn await_reloads(&self, cancel: &CancellationToken, deadline: Instant) -> Result<(), ConnectionError> {
        let waiting = Instant::now();
        let mut reloads = self.reloads.subscribe();
        tokio::select! {
            biased;
            // The sender is in `self`.
            _ = reloads.wait_for(|count| *count == 0) => Ok(()),
            () = cancel.cancelled() => Err(ConnectionError::Cancelled),
            () = tokio::time::sleep_until(deadline.into()) => {
                Err(ConnectionError::TimedOut { after: waiting.elapsed() })
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, SentText> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a text of a document will be sent.
    pub(super) fn mark_sent(&self, path: &Utf8Path) {
        if self.method.is_none() {
            return;
        }
        let mut sent = self.lock();
        sent.count += 1;
        let count = sent.count;
        sent.documents.insert(path.to_owned(), count);
    }

    /// Waits until the server has read files again and processed every text sent before. A server that refuses the
    /// request has also read the text.
    pub(super) async fn wait(
        &self,
        connection: &Connection,
        cancel: &CancellationToken,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
        self.await_reloads(cancel, deadline).await?;
        let Some(method) = &self.method else { return Ok(()) };
        let waiting = Instant::now();
        let _turn = tokio::select! {
            turn = self.turn.lock() => turn,
            () = cancel.cancelled() => return Err(ConnectionError::Cancelled),
            () = tokio::time::sleep_until(deadline.into()) => {
                return Err(ConnectionError::TimedOut { after: waiting.elapsed() });
            }
        };
        let sent: Vec<(Utf8PathBuf, u64)> = {
            let sent = self.lock();
            sent.documents.iter().map(|(path, count)| (path.clone(), *count)).collect()
        };
        let requests = sent.iter().map(|(path, _)| {
            let params = json!({ "textDocument": { "uri": zubi_base::uri::from_path(path) } });
            connection.request(method, params, cancel, deadline)
        });
        for answer in join_all(requests).await {
            match answer {
                Ok(_) | Err(ConnectionError::Response { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let mut state = self.lock();
        for (path, count) in sent {
            // A text sent meanwhile needs its own barrier.
            if state.documents.get(&path) == Some(&count) {
                state.documents.remove(&path);
            }
        }
        Ok(())
    }
}
