//! Stores the output of programs in full, so that the short view is never the only copy.
//!
//! An output is a file named by the SHA-256 of its content, below a directory that only this user can read. Its handle
//! is `o-` and the first 16 hexadecimal digits; no other form is valid, so that a handle cannot name another file.
//! Several processes may use one store, because files are written under temporary names and then renamed.
//!
//! An output is available for seven days after it was last stored, even if its file exists longer. Storing an output
//! removes files: expired ones, unfinished ones of the same age, and then the oldest while the total is too large.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest as _, Sha256};
use zubi_base::clock::{Clock, SystemClock};
use zubi_base::owner_only;

/// The directory below zubi's state directory.
const DIRECTORY: &str = "outputs";

/// The maximum size of all outputs together, in bytes.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// The lifetime of an output.
const MAX_AGE: Duration = Duration::from_hours(7 * 24);

/// The maximum size of one output, in bytes.
pub const MAX_OUTPUT: u64 = 64 * 1024 * 1024;

/// The number of hash digits in a handle: 64 bits.
const HANDLE_DIGITS: usize = 16;

/// The prefix of unfinished files.
const UNFINISHED: &str = "new-";

/// The handle of an output.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OutputId(String);

impl OutputId {
    /// Parses a handle: `o-` and 16 hexadecimal digits in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("o-")?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (digits.len() == HANDLE_DIGITS && digits.bytes().all(is_digit)).then(|| Self(digits.to_owned()))
    }
}

impl std::fmt::Display for OutputId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "o-{}", self.0)
    }
}

/// The reason why an output is not available.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no output `{0}`; outputs are stored for seven days, and shorter if there are many")]
    NotFound(OutputId),
    #[error("cannot read output `{id}`: {source}")]
    Io { id: OutputId, source: io::Error },
}

/// All stored outputs.
#[derive(Clone)]
pub struct OutputStore {
    directory: Utf8PathBuf,
    clock: Arc<dyn Clock>,
    max_bytes: u64,
}

impl std::fmt::Debug for OutputStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputStore").field("directory", &self.directory).finish_non_exhaustive()
    }
}

impl OutputStore {
    /// Returns a store below zubi's state directory. It creates nothing before the first output.
    pub fn new(state: &Utf8Path) -> Self {
        Self { directory: state.join(DIRECTORY), clock: Arc::new(SystemClock), max_bytes: MAX_BYTES }
    }

    /// Uses another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Uses another maximum size of all outputs together, in bytes.
    #[cfg(test)]
    pub(crate) fn with_max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Begins an output. Blocks briefly.
    pub fn create(&self) -> io::Result<Writer> {
        owner_only::create_directory(&self.directory)?;
        let file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.directory)?;
        Ok(Writer { file, hash: Sha256::new(), bytes: 0 })
    }

    /// Opens a stored output for reading. Blocks briefly.
    pub fn open(&self, id: &OutputId) -> Result<File, StoreError> {
        File::open(self.path(id)?).map_err(|source| StoreError::Io { id: id.clone(), source })
    }

    /// Returns the file of a stored output. Blocks briefly.
    pub fn path(&self, id: &OutputId) -> Result<Utf8PathBuf, StoreError> {
        let entries = self.directory.read_dir_utf8().map_err(|_| StoreError::NotFound(id.clone()))?;
        let entry = entries.flatten().find(|entry| entry.file_name().starts_with(&id.0));
        // The age decides, so that the result does not depend on whether another process has already removed files.
        let entry = entry.filter(|entry| stored_at(entry).is_some_and(|time| time >= self.oldest()));
        Ok(entry.ok_or_else(|| StoreError::NotFound(id.clone()))?.into_path())
    }

    /// Reads a whole output, at most [`MAX_OUTPUT`] bytes.
    pub fn read(&self, id: &OutputId) -> Result<Vec<u8>, StoreError> {
        use std::io::Read as _;
        let mut bytes = Vec::new();
        let read = self.open(id)?.take(MAX_OUTPUT).read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|source| StoreError::Io { id: id.clone(), source })
    }

    /// Makes the output of a writer permanent. Blocks.
    pub fn persist(&self, writer: Writer) -> io::Result<OutputId> {
        let Writer { mut file, hash, .. } = writer;
        file.flush()?;
        let digits = zubi_base::text::hex(&hash.finalize());
        file.persist(self.directory.join(&digits)).map_err(|error| error.error)?;
        let id = OutputId(digits.chars().take(HANDLE_DIGITS).collect());
        self.evict_outputs(&digits);
        Ok(id)
    }

    /// Returns the time before which outputs have expired.
    fn oldest(&self) -> Duration {
        self.clock.now().saturating_sub(MAX_AGE)
    }

    /// Removes expired outputs, and the oldest while the total is too large. Failed removals are repeated next time.
    fn evict_outputs(&self, newest: &str) {
        let Ok(entries) = self.directory.read_dir_utf8() else { return };
        let oldest = self.oldest();
        let mut files: Vec<(Duration, u64, Utf8PathBuf)> = entries
            .flatten()
            .filter(|entry| entry.file_name() != newest)
            .filter_map(|entry| Some((stored_at(&entry)?, entry.metadata().ok()?.len(), entry.into_path())))
            // Outputs in progress remain; one without writes for that long will never be finished.
            .filter(|(modified, _, path)| !is_unfinished(path) || *modified < oldest)
            .collect();
        files.sort_unstable();
        let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (modified, bytes, path) in files {
            if modified >= oldest && total <= self.max_bytes {
                return;
            }
            std::fs::remove_file(path).ok();
            total -= bytes;
        }
    }
}

/// Returns the time at which a file was last stored or written.
fn stored_at(entry: &camino::Utf8DirEntry) -> Option<Duration> {
    entry.metadata().ok()?.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()
}

fn is_unfinished(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|name| name.starts_with(UNFINISHED))
}

/// An output that is being written.
#[derive(Debug)]
pub struct Writer {
    file: tempfile::NamedTempFile,
    hash: Sha256,
    bytes: u64,
}

impl Writer {
    /// Adds bytes up to [`MAX_OUTPUT`] in total. Blocks as writing a file does.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let remaining = usize::try_from(MAX_OUTPUT - self.bytes).unwrap_or(usize::MAX);
        let stored = bytes.get(..remaining).unwrap_or(bytes);
        self.file.write_all(stored)?;
        self.hash.update(stored);
        self.bytes += stored.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
