//! What each caller has last seen of a file, so that nobody writes over a change that he does not know.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;
use zubi_base::text::{ContentHash, SourceText};
use zubi_tools::{Code, ToolCx, ToolError};

/// How many files are remembered. One that is forgotten counts as never read, which is the careful side.
const MAX_FILES: usize = 2_000;

/// The fewest characters of a hash by which a text is named: chance meets one of them in four thousand million.
pub(crate) const SHORT_HASH: usize = 12;
const MIN_EXPECTED: usize = 8;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct ReadTracker(Mutex<VecDeque<Entry>>);

#[derive(Debug)]
struct Entry {
    caller: String,
    path: Utf8PathBuf,
    hash: ContentHash,
    /// All of the text, not only a part.
    whole: bool,
}

impl ReadTracker {
    /// The caller has seen this text now, all of it or a part. Who has seen all of it once knows it.
    pub(crate) fn remember(&self, cx: &ToolCx, path: &Utf8Path, hash: ContentHash, whole: bool) {
        let caller = caller(cx);
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |entry: &&Entry| entry.path == path && entry.caller == caller;
        let whole = whole || seen.iter().find(is_it).is_some_and(|entry| entry.whole && entry.hash == hash);
        seen.retain(|entry| entry.path != path || entry.caller != caller);
        seen.push_back(Entry { caller, path: path.to_owned(), hash, whole });
        let beyond = seen.len().saturating_sub(MAX_FILES);
        drop(seen.drain(..beyond));
    }

    fn read_hash(&self, cx: &ToolCx, path: &Utf8Path) -> Option<(ContentHash, bool)> {
        let caller = caller(cx);
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter()
            .find(|entry| entry.path == path && entry.caller == caller)
            .map(|entry| (entry.hash.clone(), entry.whole))
    }

    /// Refuses to change a text that is another than the caller has read, or than he says that he expects. Gives
    /// whether the caller has read all of this very text; one that was never read is no obstacle here.
    pub(crate) fn ensure_fresh(
        &self,
        cx: &ToolCx,
        operation: &str,
        path: &Utf8Path,
        text: &SourceText,
        expected: Option<&str>,
    ) -> Result<bool, ToolError> {
        let hash = text.hash();
        let shown = cx.workspace.display(path);
        let stale = |why: String| {
            let hint = format!(
                "Read it again with file.read {}, then repeat the call for the text as it is now.",
                json!({ "path": shown })
            );
            ToolError::user(Code::Stale, format!("Failed to {operation}: {why}; nothing was written"), hint)
        };
        if let Some(expected) = expected {
            let hexadecimal = expected.len() >= MIN_EXPECTED && expected.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !hexadecimal {
                let hint = "Give the `sha` of an answer's last line, or leave it out.";
                return Err(ToolError::invalid("expected", "not a hash of at least 8 hexadecimal digits", hint));
            }
            if !hash.0.starts_with(&expected.to_ascii_lowercase()) {
                return Err(stale(format!("`{shown}` is not the text with the hash {expected}")));
            }
            return Ok(true);
        }
        match self.read_hash(cx, path) {
            Some((known, _)) if known != hash => Err(stale(format!("`{shown}` changed since it was read here"))),
            known => Ok(known.is_some_and(|(_, whole)| whole)),
        }
    }
}

/// A hash as answers show it.
pub(crate) fn short(hash: &ContentHash) -> String {
    hash.0.chars().take(SHORT_HASH).collect()
}

fn caller(cx: &ToolCx) -> String {
    format!("{:?} {}", cx.caller.surface, cx.caller.client.as_deref().unwrap_or_default())
}
