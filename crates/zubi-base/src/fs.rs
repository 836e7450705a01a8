//! File access with the two properties the rest of zubi relies on: reads are capped and name the file in the error,
//! writes are atomic.

use std::io::{self, Read as _, Write as _};

use camino::{Utf8Path, Utf8PathBuf};

/// The largest file zubi reads as source text, in bytes. Larger ones are generated data; language servers choke on
/// them too (rust-analyzer and clangd both refuse or stall on sources of this size).
pub const MAX_TEXT_BYTES: u64 = 8 * 1024 * 1024;

/// Why a file could not be read as text.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("`{path}` does not exist")]
    NotFound { path: Utf8PathBuf },
    #[error("`{path}` is a directory, not a file")]
    Directory { path: Utf8PathBuf },
    #[error("`{path}` is neither a file nor a directory")]
    Special { path: Utf8PathBuf },
    #[error("`{path}` has {bytes} bytes, more than the {MAX_TEXT_BYTES} that are read as source text")]
    TooLarge { path: Utf8PathBuf, bytes: u64 },
    #[error("`{path}` is not UTF-8 text")]
    NotText { path: Utf8PathBuf },
    #[error("cannot read `{path}`: {source}")]
    Io { path: Utf8PathBuf, source: io::Error },
}

/// Reads a whole file as bytes, at most [`MAX_TEXT_BYTES`].
pub fn read_bytes(path: &Utf8Path) -> Result<Vec<u8>, ReadError> {
    let fail = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::NotFound { path: path.to_owned() },
        _ => ReadError::Io { path: path.to_owned(), source },
    };
    // Looked at before opening: opening a named pipe would block for ever.
    let metadata = std::fs::metadata(path).map_err(fail)?;
    if metadata.is_dir() {
        return Err(ReadError::Directory { path: path.to_owned() });
    }
    if !metadata.is_file() {
        return Err(ReadError::Special { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(fail)?;
    // The file may grow while it is read, so the cap is on the read and not only on the size looked up before.
    file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Err(ReadError::TooLarge { path: path.to_owned(), bytes: metadata.len() });
    }
    Ok(bytes)
}

/// Reads a whole file as UTF-8 text, at most [`MAX_TEXT_BYTES`]. A byte-order mark and line endings are kept.
pub fn read_text(path: &Utf8Path) -> Result<String, ReadError> {
    let bytes = read_bytes(path)?;
    if bytes.contains(&0) {
        return Err(ReadError::NotText { path: path.to_owned() });
    }
    String::from_utf8(bytes).map_err(|_| ReadError::NotText { path: path.to_owned() })
}

/// Replaces a file's content in one step: a reader sees the old bytes or the new ones, never a mixture, even after a
/// crash. Permission bits of an existing file are kept; a symbolic link is followed, so the link stays a link.
pub fn write_atomic(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    let target = match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => canonical(path)?,
        _ => path.to_owned(),
    };
    let directory = target.parent().ok_or_else(|| io::Error::other(format!("`{target}` has no parent directory")))?;
    let mut file = tempfile::Builder::new().prefix(".zubi-").suffix(".tmp").tempfile_in(directory)?;
    file.write_all(content)?;
    let permissions = match std::fs::metadata(&target) {
        Ok(metadata) => Some(metadata.permissions()),
        // `tempfile` makes files 0600; a new source file should look like one an editor made.
        Err(_) => default_permissions(),
    };
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(unix)]
fn default_permissions() -> Option<std::fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn default_permissions() -> Option<std::fs::Permissions> {
    None
}

/// The path with every symbolic link resolved. An error when it does not exist or is not UTF-8.
#[expect(clippy::disallowed_methods, reason = "the one place that resolves links")]
pub fn canonical(path: &Utf8Path) -> io::Result<Utf8PathBuf> {
    path.canonicalize_utf8()
}

/// Like [`canonical`], for a path whose last components may not exist yet: the longest existing ancestor is resolved
/// and the rest appended. `..` in the part that does not exist is an error, for it could climb out again.
pub fn canonical_for_creation(path: &Utf8Path) -> io::Result<Utf8PathBuf> {
    let mut rest = Vec::new();
    let mut existing = path;
    loop {
        match canonical(existing) {
            Ok(mut resolved) => {
                resolved.extend(rest.iter().rev());
                return Ok(resolved);
            }
            // A dangling link exists as a link: creating "it" would write to wherever it points.
            Err(error) if error.kind() == io::ErrorKind::NotFound && std::fs::symlink_metadata(existing).is_err() => {
                let (Some(name), Some(parent)) = (existing.file_name(), existing.parent()) else { return Err(error) };
                rest.push(name);
                existing = parent;
            }
            Err(error) => return Err(error),
        }
    }
}
