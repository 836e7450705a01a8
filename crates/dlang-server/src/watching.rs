//! Hearing of changes on disk: from the client if it can watch files, otherwise from the operating system.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use dlang_workspace::watch::{Waker, WatchError, Watcher};
use serde_json::json;

use crate::client::ClientHandle;
use crate::model::{Command, ModelHandle};

/// What decides about a workspace.
const PATTERNS: [&str; 3] = ["**/*.dlang", "**/model.yaml", "**/model.lock"];

/// A wait must have an end; this one is only as long as it likes, because the waker ends it.
const LONG: Duration = Duration::from_hours(1);

/// Asks the client to tell of changed files.
pub(crate) fn register(client: &ClientHandle) {
    let watchers: Vec<_> = PATTERNS.iter().map(|pattern| json!({ "globPattern": pattern })).collect();
    let registration = json!({
        "id": "domainlang/files",
        "method": "workspace/didChangeWatchedFiles",
        "registerOptions": { "watchers": watchers },
    });
    client.request("client/registerCapability", json!({ "registrations": [registration] }), |answer| {
        if let Err(error) = answer {
            tracing::warn!("changes of files are not heard of: {error}");
        }
    });
}

/// Watches the folders of the workspace on a thread of its own, until the server is over and the waker says so.
pub(crate) fn watch(model: ModelHandle) -> Result<Waker, WatchError> {
    let mut watcher = Watcher::new()?;
    let waker = watcher.waker();
    let run = move || {
        let shared = Arc::clone(&model.shared);
        while !shared.is_over.load(Ordering::SeqCst) {
            let folders = shared.folders.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Err(error) = watcher.follow(&folders) {
                tracing::warn!("changes there are seen when something else changes: {error}");
            }
            // What changed while the folders were not followed yet is found by looking.
            model.send(Command::Refresh);
            watcher.wait(LONG);
        }
    };
    let spawned = std::thread::Builder::new().name("dlang-server watch".to_owned()).spawn(run);
    spawned.map(|_| waker).map_err(|error| WatchError { folder: "".into(), why: error.to_string() })
}
