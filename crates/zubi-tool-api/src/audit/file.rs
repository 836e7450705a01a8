//! The audit log on disk: one JSON object a line, for this user only, rotated by size.

use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use camino::Utf8PathBuf;
use zubi_base::owner_only;

use super::{AuditRecord, AuditSink};

/// A log larger than this is set aside, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// How many logs are kept that were set aside.
const KEPT: u32 = 3;

/// Appends to `audit/audit.jsonl` below zubi's state directory. Several processes may append at once: each record is
/// one write to a file opened for appending.
#[derive(Debug)]
pub struct AuditFile {
    directory: Utf8PathBuf,
    max_bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    directory_made: bool,
    /// How many records could not be written since one could. A full disk is told once, not with each call.
    lost: u64,
}

impl AuditFile {
    /// Nothing is made or written before the first record.
    pub fn new(state_directory: impl Into<Utf8PathBuf>) -> Self {
        Self::with_limit(state_directory, MAX_BYTES)
    }

    /// As [`Self::new`], with another size at which a log is set aside.
    pub fn with_limit(state_directory: impl Into<Utf8PathBuf>, max_bytes: u64) -> Self {
        Self { directory: state_directory.into().join("audit"), max_bytes, state: Mutex::default() }
    }

    fn path(&self, age: u32) -> Utf8PathBuf {
        match age {
            0 => self.directory.join("audit.jsonl"),
            age => self.directory.join(format!("audit.{age}.jsonl")),
        }
    }

    /// Sees whether records can be written, without writing one, and gives the log's path. What could be appended to and
    /// is open to others is refused as well: what it says is not to be relied on.
    pub fn probe(&self) -> io::Result<Utf8PathBuf> {
        private::create_directory(&self.directory)?;
        let path = self.path(0);
        let named = |error: io::Error| io::Error::new(error.kind(), format!("`{path}`: {error}"));
        private::open_append(&path).map_err(named)?;
        if !private::owner_only(&path)? {
            return Err(io::Error::other(format!("`{path}` belongs to another user, or others may write it")));
        }
        // A full log is moved to these names.
        let in_the_way = |path: &Utf8PathBuf| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        match (1..=KEPT).map(|age| self.path(age)).find(in_the_way) {
            Some(path) => Err(io::Error::other(format!("`{path}` is a directory, and a full log is moved there"))),
            None => Ok(path),
        }
    }

    fn append(&self, record: &AuditRecord, state: &mut State) -> io::Result<()> {
        if !state.directory_made {
            private::create_directory(&self.directory)?;
            state.directory_made = true;
        }
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let mut file = private::open_append(&self.path(0))?;
        let length = file.metadata()?.len();
        if length > 0 && length + line.len() as u64 > self.max_bytes {
            for age in (0..KEPT).rev() {
                match std::fs::rename(self.path(age), self.path(age + 1)) {
                    // Another process may have set the same log aside.
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            file = private::open_append(&self.path(0))?;
        }
        file.write_all(&line)
    }
}

impl AuditSink for AuditFile {
    fn record(&self, record: &AuditRecord) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.append(record, &mut state) {
            Ok(()) => {
                let lost = std::mem::take(&mut state.lost);
                if lost > 0 {
                    tracing::warn!(path = %self.path(0), lost, "the audit log can be written again; records are missing");
                }
            }
            Err(error) => {
                if state.lost == 0 {
                    tracing::warn!(path = %self.path(0), %error, "cannot write the audit log; `zubi verify` says more");
                }
                state.lost += 1;
                // Somebody may have taken the directory away.
                state.directory_made = false;
            }
        }
    }
}
