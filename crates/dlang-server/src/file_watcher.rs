//! Watching the disk for changes: by the client if it can, otherwise with the operating system.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use dlang_workspace::watch::{Waker, WatchError, Watcher};
use serde_json::json;

use crate::client::ClientHandle;
use crate::model::{ModelCommand, ModelHandle};

/// Files that affect a workspace.
const PATTERNS: [&str; 3] = ["**/*.dlang", "**/model.yaml", "**/model.lock"];

/// Maximum duration of one wait, which the waker ends earlier.
const LONG: Duration = Duration::from_hours(1);

/// Registers for notifications of the client about changed files.
pub(crate) fn register(client: &ClientHandle) {
    let watchers: Vec<_> = PATTERNS.iter().map(|pattern| json!({ "globPattern": pattern })).collect();
    let registration = json!({
        "id": "domainlang/files",
        "method": "workspace/didChangeWatchedFiles",
        "registerOptions": { "watchers": watchers },
    });
    client.request("client/registerCapability", json!({ "registrations": [registration] }), |answer| {
        if let Err(error) = answer {
            tracing::warn!("cannot watch files for changes: {error}");
        }
    });
}

/// Watches the folders of the workspace on its own thread, until the server ends and the waker is called.
pub(crate) fn watch(model: ModelHandle) -> Result<Waker, WatchError> {
    let mut watcher = Watcher::new()?;
    let waker = watcher.waker();
    let run = move || {
        let shared = Arc::clone(&model.shared);
        while !shared.is_over.load(Ordering::SeqCst) {
            let folders = shared.folders.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Err(error) = watcher.follow(&folders) {
                tracing::warn!("changes in some folders are detected only with later changes: {error}");
            }
            // Changes made before the folders were watched are found by checking the disk.
            model.send(ModelCommand::Refresh);
            watcher.wait(LONG);
        }
    };
    let spawned = std::thread::Builder::new().name("dlang-server watch".to_owned()).spawn(run);
    spawned.map(|_| waker).map_err(|error| WatchError { folder: "".into(), why: error.to_string() })
}
