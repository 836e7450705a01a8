//! Stores the output of programs in full, so that the short view is never the only copy.
//!
//! An output is a file named by the SHA-256 of its content, below a directory that only this user can read. Its handle
//! is `o-` and the first 16 hexadecimal digits; no other handle is valid, so that none can name another file. Several
//! processes may use one store: files are written under other names and moved into place.
//!
//! An output is available for seven days after it was last stored, and not longer, whether its file still exists or
//! not. Files are removed when another output is stored: expired ones, unfinished ones of the same age, and then the
//! oldest while the total is too large.

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

/// The limit of all outputs together, in bytes; the oldest are removed first.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// The lifetime of an output.
const MAX_AGE: Duration = Duration::from_hours(7 * 24);

/// The limit of one output, in bytes.
pub const MAX_OUTPUT: u64 = 64 * 1024 * 1024;

/// How many digits of the hash a handle has: 64 bits.
const HANDLE_DIGITS: usize = 16;

/// How files begin that are still written.
const UNFINISHED: &str = "new-";

/// Names an output.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OutputId(String);

impl OutputId {
    /// Reads a handle: `o-` and 16 hexadecimal digits, in small letters.
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

    /// Uses another limit for all outputs together, in bytes.
    #[cfg(test)]
    pub(crate) fn with_max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Begins an output. Blocks shortly.
    pub fn create(&self) -> io::Result<Writer> {
        owner_only::create_directory(&self.directory)?;
        let file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.directory)?;
        Ok(Writer { file, hash: Sha256::new(), bytes: 0 })
    }

    /// Opens a stored output for reading. Blocks shortly.
    pub fn open(&self, id: &OutputId) -> Result<File, StoreError> {
        File::open(self.path(id)?).map_err(|source| StoreError::Io { id: id.clone(), source })
    }

    /// Returns the file of a stored output. Blocks shortly.
    pub fn path(&self, id: &OutputId) -> Result<Utf8PathBuf, StoreError> {
        let entries = self.directory.read_dir_utf8().map_err(|_| StoreError::NotFound(id.clone()))?;
        let entry = entries.flatten().find(|entry| entry.file_name().starts_with(&id.0));
        // Readers get the same answer before and after another process has removed files.
        let entry = entry.filter(|entry| stored_at(entry).is_some_and(|time| time >= self.oldest()));
        Ok(entry.ok_or_else(|| StoreError::NotFound(id.clone()))?.into_path())
    }

    /// A whole output, at most [`MAX_OUTPUT`].
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

    /// The storage time before which outputs have expired.
    fn oldest(&self) -> Duration {
        self.clock.now().saturating_sub(MAX_AGE)
    }

    /// Removes expired outputs, and the oldest while the total is too large. A failed removal is tried again next time.
    fn evict_outputs(&self, newest: &str) {
        let Ok(entries) = self.directory.read_dir_utf8() else { return };
        let oldest = self.oldest();
        let mut files: Vec<(Duration, u64, Utf8PathBuf)> = entries
            .flatten()
            .filter(|entry| entry.file_name() != newest)
            .filter_map(|entry| Some((stored_at(&entry)?, entry.metadata().ok()?.len(), entry.into_path())))
            // An output that is being written stays; one without writes for so long will not be finished.
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
    /// Adds bytes, as far as they fit into [`MAX_OUTPUT`]. Blocks as writing a file does.
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
