//! The audit log on disk: one JSON object a line, for this user only, rotated by size.

use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use camino::Utf8PathBuf;
use zubi_base::private;

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
    /// A full disk is told once, not with each call.
    told: bool,
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
        if let Err(error) = self.append(record, &mut state)
            && !std::mem::replace(&mut state.told, true)
        {
            tracing::warn!(directory = %self.directory, %error, "cannot write the audit log");
        }
    }
}
