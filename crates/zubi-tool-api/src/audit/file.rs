//! The audit log on disk: one JSON object per line, readable by this user only, rotated by size.

use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use camino::Utf8PathBuf;
use serde_json::Value;
use zubi_base::owner_only;

use super::{AuditRecord, AuditSink};

/// The maximum size of a log, in bytes; a larger one is rotated.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// The number of rotated logs on disk.
const ROTATED_LOGS: u32 = 3;

/// A sink that appends to `audit/audit.jsonl` in zubi's state directory. Several processes may append at once: each
/// record is one write to a file opened for appending.
#[derive(Debug)]
pub struct AuditFile {
    directory: Utf8PathBuf,
    max_bytes: u64,
    state: Mutex<LogState>,
}

#[derive(Debug, Default)]
struct LogState {
    directory_made: bool,
    /// The number of records that could not be written since the last success. A full disk is reported once, not for
    /// every call.
    lost_records: u64,
}

impl AuditFile {
    /// Creates the sink; creates no file before the first record.
    pub fn new(state_directory: impl Into<Utf8PathBuf>) -> Self {
        Self::with_limit(state_directory, MAX_BYTES)
    }

    /// Creates the sink with another size limit for the log.
    pub fn with_limit(state_directory: impl Into<Utf8PathBuf>, max_bytes: u64) -> Self {
        Self { directory: state_directory.into().join("audit"), max_bytes, state: Mutex::default() }
    }

    fn path(&self, age: u32) -> Utf8PathBuf {
        match age {
            0 => self.directory.join("audit.jsonl"),
            age => self.directory.join(format!("audit.{age}.jsonl")),
        }
    }

    /// Reads the records of calls of a tool that a user approved, with their arguments, oldest first. Skips what it cannot
    /// read: a log may end in the middle of a record.
    pub fn approved_arguments(&self, tool: &str) -> Vec<Value> {
        let texts = (0..=ROTATED_LOGS).rev().filter_map(|age| zubi_base::fs::read_text(&self.path(age)).ok());
        let records = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
        let records = records.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        let is_approved = |record: &Value| {
            record["tool"] == tool
                && matches!(record["decision"].as_str(), Some(super::APPROVED | super::CONFIRMED_BY_CLIENT))
        };
        records.filter(is_approved).map(|mut record| record["arguments"].take()).collect()
    }

    /// Checks whether records can be written, without writing one, and returns the log's path. A log that other users
    /// can access is an error too: its content is not reliable.
    pub fn probe(&self) -> io::Result<Utf8PathBuf> {
        owner_only::create_directory(&self.directory)?;
        let path = self.path(0);
        let named = |error: io::Error| io::Error::new(error.kind(), format!("`{path}`: {error}"));
        owner_only::open_append(&path).map_err(named)?;
        if !owner_only::owner_only(&path)? {
            return Err(io::Error::other(format!("`{path}` belongs to another user, or others may write it")));
        }
        // A full log is renamed to these names.
        let is_directory = |path: &Utf8PathBuf| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        match (1..=ROTATED_LOGS).map(|age| self.path(age)).find(is_directory) {
            Some(path) => Err(io::Error::other(format!("`{path}` is a directory, and a full log is moved there"))),
            None => Ok(path),
        }
    }

    fn append(&self, record: &AuditRecord, state: &mut LogState) -> io::Result<()> {
        if !state.directory_made {
            owner_only::create_directory(&self.directory)?;
            state.directory_made = true;
        }
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let mut file = owner_only::open_append(&self.path(0))?;
        let length = file.metadata()?.len();
        if length > 0 && length + line.len() as u64 > self.max_bytes {
            for age in (0..ROTATED_LOGS).rev() {
                match std::fs::rename(self.path(age), self.path(age + 1)) {
                    // Another process may have rotated the log.
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            file = owner_only::open_append(&self.path(0))?;
        }
        file.write_all(&line)
    }
}

impl AuditSink for AuditFile {
    fn record(&self, record: &AuditRecord) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.append(record, &mut state) {
            Ok(()) => {
                let lost_records = std::mem::take(&mut state.lost_records);
                if lost_records > 0 {
                    tracing::warn!(path = %self.path(0), lost = lost_records, "the audit log can be written again; records are missing");
                }
            }
            Err(error) => {
                if state.lost_records == 0 {
                    tracing::warn!(path = %self.path(0), %error, "cannot write the audit log; `zubi verify` says more");
                }
                state.lost_records += 1;
                // Another process may have removed the directory.
                state.directory_made = false;
            }
        }
    }
}
