//! Waiting until a server has processed the texts it was sent.
//!
//! Some servers work on several messages at once. They sometimes answer a request that follows a text at once as if the
//! text were missing: tombi (1.9) names no symbols in every second document that was opened a moment ago, just-lsp
//! (0.10) in every tenth, `emmylua_ls` (0.25) misses the uses in a new file. zubi therefore sends a request about the
//! same document between them and waits for its answer; with it, hundreds of tries showed none of this.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::future::join_all;
use rustc_hash::FxHashMap;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use zubi_base::rpc::{Connection, ConnectionError};

/// The texts that one server may not have processed yet. Empty for a server without a barrier.
#[derive(Debug)]
pub(super) struct SyncBarrier {
    /// The request; `None` for servers that need none.
    method: Option<String>,
    sent: Mutex<SentText>,
    /// The lock with which a request waits while another one waits at the barrier.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct SentText {
    /// The number of texts.
    count: u64,
    /// The newest text of each document that was sent one.
    documents: FxHashMap<Utf8PathBuf, u64>,
}

impl SyncBarrier {
    pub(super) fn new(method: Option<String>) -> Self {
        Self { method, sent: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, SentText> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a text of a document is about to be sent.
    pub(super) fn mark_sent(&self, path: &Utf8Path) {
        if self.method.is_none() {
            return;
        }
        let mut sent = self.lock();
        sent.count += 1;
        let count = sent.count;
        sent.documents.insert(path.to_owned(), count);
    }

    /// Returns when the server has processed every text that was sent before. A server that refuses the request has
    /// read the text anyway.
    pub(super) async fn wait(
        &self,
        connection: &Connection,
        cancel: &CancellationToken,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
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
            // A text that was sent meanwhile has a barrier of its own to pass.
            if state.documents.get(&path) == Some(&count) {
                state.documents.remove(&path);
            }
        }
        Ok(())
    }
}
