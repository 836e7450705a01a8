//! Records which text of a file each client has read last, so that no client overwrites changes it has not seen.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;
use zubi_base::text::{ContentHash, SourceText};
use zubi_tool_api::{ErrorCode, ToolCx, ToolError};

/// Maximum number of recorded files. A dropped record counts as "never read", which is safe.
const MAX_FILES: usize = 2_000;

/// Hash digits shown in answers. Two texts share the first eight with a chance of one in four thousand million.
pub(crate) const SHORT_HASH: usize = 12;
const MIN_EXPECTED: usize = 8;

/// Read-before-write guard; see the module.
#[derive(Debug, Default)]
pub(crate) struct ReadTracker(Mutex<VecDeque<ReadRecord>>);

#[derive(Debug)]
struct ReadRecord {
    client: String,
    path: Utf8PathBuf,
    hash: ContentHash,
    /// Whether the client has read the whole text.
    is_whole: bool,
}

impl ReadTracker {
    /// Records that the client has read this text, whole or in part. A text read as a whole stays recorded as whole.
    pub(crate) fn record_read(&self, cx: &ToolCx, path: &Utf8Path, hash: ContentHash, is_whole: bool) {
        let caller = client_key(cx);
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |entry: &&ReadRecord| entry.path == path && entry.client == caller;
        let is_whole =
            is_whole || entries.iter().find(is_same).is_some_and(|entry| entry.is_whole && entry.hash == hash);
        entries.retain(|entry| entry.path != path || entry.client != caller);
        entries.push_back(ReadRecord { client: caller, path: path.to_owned(), hash, is_whole });
        let excess = entries.len().saturating_sub(MAX_FILES);
        drop(entries.drain(..excess));
    }

    fn read_hash(&self, cx: &ToolCx, path: &Utf8Path) -> Option<(ContentHash, bool)> {
        let caller = client_key(cx);
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries
            .iter()
            .find(|entry| entry.path == path && entry.client == caller)
            .map(|entry| (entry.hash.clone(), entry.is_whole))
    }

    /// Rejects a change if the text differs from the one that the client has read, or from the expected hash. Returns
    /// whether the client has read the whole current text. Accepts a file that the client has never read.
    pub(crate) fn ensure_fresh(
        &self,
        cx: &ToolCx,
        operation: &str,
        path: &Utf8Path,
        text: &SourceText,
        expected: Option<&str>,
    ) -> Result<bool, ToolError> {
        let hash = text.hash();
        let display_path = cx.workspace.display(path);
        let stale_error = |reason: String| {
            let hint = format!(
                "Read it again with file.read {}, then repeat the call for the present text.",
                json!({ "path": display_path })
            );
            ToolError::user(ErrorCode::Stale, format!("Failed to {operation}: {reason}; nothing was written"), hint)
        };
        if let Some(expected) = expected {
            let is_hexadecimal =
                expected.len() >= MIN_EXPECTED && expected.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !is_hexadecimal {
                let hint = "Pass the `sha` from the last line of an answer, or omit it.";
                return Err(ToolError::invalid("expected", "not a hash of at least 8 hexadecimal digits", hint));
            }
            if !hash.0.starts_with(&expected.to_ascii_lowercase()) {
                return Err(stale_error(format!("`{display_path}` does not have the hash {expected}")));
            }
            return Ok(true);
        }
        match self.read_hash(cx, path) {
            Some((last_read, _)) if last_read != hash => {
                Err(stale_error(format!("`{display_path}` changed since it was read here")))
            }
            last_read => Ok(last_read.is_some_and(|(_, is_whole)| is_whole)),
        }
    }
}

/// Returns a hash as answers show it.
pub(crate) fn short_hash(hash: &ContentHash) -> String {
    hash.0.chars().take(SHORT_HASH).collect()
}

fn client_key(cx: &ToolCx) -> String {
    format!("{:?} {}", cx.caller.surface, cx.caller.client.as_deref().unwrap_or_default())
}
