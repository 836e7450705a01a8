//! Keeps what programs wrote, in full, so that a short view of it is never all there is.
//!
//! An output is a file named by the SHA-256 of its content, below a directory that only this user can read. Its handle
//! is `o-` and the first 16 hexadecimal digits; nothing else is a handle, so that none can name another file. Several
//! processes may use one store: files are written under other names and moved into place.
//!
//! An output is there for seven days after it was kept last, and not a moment longer, whether its file is still there or not.
//! Files go when another output is kept: those that are too old, what processes left unfinished that long ago, and then the
//! oldest while all together are too large.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest as _, Sha256};
use zubi_base::clock::{Clock, SystemClock};
use zubi_base::private;

/// The directory below zubi's state directory.
const DIRECTORY: &str = "outputs";

/// The most that is kept of all outputs together, in bytes; the oldest go first.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// How long an output is kept.
const MAX_AGE: Duration = Duration::from_hours(7 * 24);

/// The most that is kept of one output, in bytes.
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

/// Why an output cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no output `{0}`; outputs are kept for seven days, and less where they are many")]
    NotFound(OutputId),
    #[error("cannot read output `{id}`: {source}")]
    Io { id: OutputId, source: io::Error },
}

/// All outputs that are kept.
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
    /// A store below zubi's state directory. Nothing is made before something is kept.
    pub fn new(state: &Utf8Path) -> Self {
        Self { directory: state.join(DIRECTORY), clock: Arc::new(SystemClock), max_bytes: MAX_BYTES }
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The same with another bound on everything together, in bytes.
    #[must_use]
    pub fn with_max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Begins an output. Blocks shortly.
    pub fn create(&self) -> io::Result<Writer> {
        private::create_directory(&self.directory)?;
        let file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.directory)?;
        Ok(Writer { file, hash: Sha256::new(), bytes: 0 })
    }

    /// An output that was kept, to be read. Blocks shortly.
    pub fn open(&self, id: &OutputId) -> Result<File, StoreError> {
        File::open(self.path(id)?).map_err(|source| StoreError::Io { id: id.clone(), source })
    }

    /// The file of an output that was kept. Blocks shortly.
    pub fn path(&self, id: &OutputId) -> Result<Utf8PathBuf, StoreError> {
        let entries = self.directory.read_dir_utf8().map_err(|_| StoreError::NotFound(id.clone()))?;
        let entry = entries.flatten().find(|entry| entry.file_name().starts_with(&id.0));
        // Who reads must get the same answer before and after somebody else has made room.
        let entry = entry.filter(|entry| kept_at(entry).is_some_and(|time| time >= self.oldest()));
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
        let mut digits = String::with_capacity(64);
        for byte in hash.finalize() {
            // Writing to a `String` cannot fail.
            let _ = write!(digits, "{byte:02x}");
        }
        file.persist(self.directory.join(&digits)).map_err(|error| error.error)?;
        let id = OutputId(digits.chars().take(HANDLE_DIGITS).collect());
        self.make_room(&digits);
        Ok(id)
    }

    /// What was kept before is too old.
    fn oldest(&self) -> Duration {
        self.clock.now().saturating_sub(MAX_AGE)
    }

    /// Removes what is too old, and the oldest while there is too much. What cannot be removed is tried again next time.
    fn make_room(&self, newest: &str) {
        let Ok(entries) = self.directory.read_dir_utf8() else { return };
        let oldest = self.oldest();
        let mut files: Vec<(Duration, u64, Utf8PathBuf)> = entries
            .flatten()
            .filter(|entry| entry.file_name() != newest)
            .filter_map(|entry| Some((kept_at(&entry)?, entry.metadata().ok()?.len(), entry.into_path())))
            // What is still written is left alone; what nobody has written to for so long nobody will finish.
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

/// When a file was kept or written to last.
fn kept_at(entry: &camino::Utf8DirEntry) -> Option<Duration> {
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
        let room = usize::try_from(MAX_OUTPUT - self.bytes).unwrap_or(usize::MAX);
        let kept = bytes.get(..room).unwrap_or(bytes);
        self.file.write_all(kept)?;
        self.hash.update(kept);
        self.bytes += kept.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
