//! File access with the two properties the rest of zubi relies on: reads are capped and name the file in the error,
//! writes are atomic.

mod dir_handle;

use std::io::{self, Read as _, Write as _};

use camino::{Utf8Path, Utf8PathBuf};

pub use self::dir_handle::DirHandle;

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
    /// A directory of the path, or the file itself, has been replaced by a link since the path was resolved.
    #[error("`{path}` leads through a link by now")]
    Linked { path: Utf8PathBuf },
    #[error("`{path}` is not UTF-8 text")]
    NotText { path: Utf8PathBuf },
    #[error("cannot read `{path}`: {source}")]
    Io { path: Utf8PathBuf, source: io::Error },
}

/// Reads a whole file as bytes, at most [`MAX_TEXT_BYTES`].
pub fn read_bytes(path: &Utf8Path) -> Result<Vec<u8>, ReadError> {
    read_by(path, open)
}

fn read_by(path: &Utf8Path, open: fn(&Utf8Path) -> io::Result<std::fs::File>) -> Result<Vec<u8>, ReadError> {
    let fail = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::NotFound { path: path.to_owned() },
        _ if is_link(&source) => ReadError::Linked { path: path.to_owned() },
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
    // Room for all of it, and for noticing that there is no more: a vector that grows costs a dozen reads.
    let expected = usize::try_from(metadata.len().min(MAX_TEXT_BYTES)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(expected + 1);
    let file = open(path).map_err(fail)?;
    // Another file may have taken its place in between.
    if !file.metadata().map_err(fail)?.is_file() {
        return Err(ReadError::Special { path: path.to_owned() });
    }
    // The file may grow while it is read, so the cap is on the read and not only on the size looked up before.
    file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Err(ReadError::TooLarge { path: path.to_owned(), bytes: metadata.len() });
    }
    Ok(bytes)
}

/// Opens a file for reading. Some files of the kernel (`/proc/kmsg`) look regular and make their reader wait for ever,
/// as does a named pipe that has taken the file's place since it was looked at; those give an error instead.
#[cfg(unix)]
pub fn open(path: &Utf8Path) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Like [`open`], for a path whose links were already resolved when the path was judged: a path that leads through a
/// link by now is refused, so that swapping a directory for a link in between cannot open a file other than the judged
/// one.
#[cfg(target_os = "linux")]
pub fn open_no_follow(path: &Utf8Path) -> io::Result<std::fs::File> {
    open_without_links(path, rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK)
}

/// See above; elsewhere there is no such way to open a file.
#[cfg(not(target_os = "linux"))]
pub fn open_no_follow(path: &Utf8Path) -> io::Result<std::fs::File> {
    open(path)
}

#[cfg(target_os = "linux")]
fn open_without_links(path: &Utf8Path, flags: rustix::fs::OFlags) -> io::Result<std::fs::File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = flags | OFlags::CLOEXEC;
    match openat2(CWD, path.as_str(), flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(file) => Ok(file.into()),
        // Kernels before 5.6 do not have this call, and some containers forbid it. The fallback ensures that the last
        // component is not a link when it is opened, and that the others were not links just before.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
            if canonical(path)? != path {
                return Err(rustix::io::Errno::LOOP.into());
            }
            Ok(rustix::fs::open(path.as_str(), flags | OFlags::NOFOLLOW, Mode::empty())?.into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether that is what opening says of a link that it does not follow, or that leads in a circle.
pub(crate) fn is_link(error: &io::Error) -> bool {
    cfg!(unix) && error.raw_os_error() == Some(LOOP)
}

#[cfg(unix)]
const LOOP: i32 = rustix::io::Errno::LOOP.raw_os_error();
#[cfg(not(unix))]
const LOOP: i32 = -1;

/// Opens a file for reading.
#[cfg(not(unix))]
pub fn open(path: &Utf8Path) -> io::Result<std::fs::File> {
    std::fs::File::open(path)
}

/// Reads a whole file as UTF-8 text, at most [`MAX_TEXT_BYTES`]. A byte-order mark and line endings are preserved.
pub fn read_text(path: &Utf8Path) -> Result<String, ReadError> {
    as_text(path, read_bytes(path)?)
}

/// [`read_text`] of a path whose links were resolved; see [`open_no_follow`].
pub fn read_text_in_place(path: &Utf8Path) -> Result<String, ReadError> {
    as_text(path, read_by(path, open_no_follow)?)
}

fn as_text(path: &Utf8Path, bytes: Vec<u8>) -> Result<String, ReadError> {
    if bytes.contains(&0) {
        return Err(ReadError::NotText { path: path.to_owned() });
    }
    String::from_utf8(bytes).map_err(|_| ReadError::NotText { path: path.to_owned() })
}

/// Replaces a file's content in one step: a reader sees the old bytes or the new ones, never a mixture, even after a
/// crash. An existing file retains its permission bits, and a new file gets 0666 minus the process's umask, as if an
/// editor had created it. Owner and group are preserved as far as the process may change them. A symbolic link is
/// followed, so the link stays a link; another hard link to the old content retains the old content.
pub fn write_atomic(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    let target = match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => canonical(path)?,
        _ => path.to_owned(),
    };
    let existing = std::fs::metadata(&target).ok();
    replace(&target, content, existing.as_ref().map(std::fs::Metadata::permissions), existing.as_ref())
}

/// [`write_atomic`] for an entry that is not a link, or must not be one afterwards: a link is replaced, never followed.
pub fn write_entry(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    let existing = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file);
    replace(path, content, existing.as_ref().map(std::fs::Metadata::permissions), existing.as_ref())
}

/// [`write_atomic`] for a file whose new content must appear under all of its names (hard links). If there are several
/// names, the old content is overwritten in place: a reader may see a mixture, during the write and after a crash.
pub fn write_preserving_links(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    if !has_several_names(path) {
        return write_atomic(path, content);
    }
    let mut file = std::fs::OpenOptions::new().write(true).open(path)?;
    file.write_all(content)?;
    file.set_len(content.len() as u64)?;
    file.sync_all()
}

#[cfg(unix)]
fn has_several_names(path: &Utf8Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.nlink() > 1)
}

#[cfg(not(unix))]
fn has_several_names(_path: &Utf8Path) -> bool {
    false
}

/// The prefix of temporary files while a write is in progress; recovery after a crash removes files of this form.
pub const TEMPORARY_PREFIX: &str = ".zubi-";
/// See [`TEMPORARY_PREFIX`].
pub const TEMPORARY_SUFFIX: &str = ".tmp";

/// Writes a neighbour of `target`, makes it durable, and moves it into place. `permissions` as given, else by umask;
/// owner and group as `existing` has them, as far as that is allowed.
pub(crate) fn replace(
    target: &Utf8Path,
    content: &[u8],
    permissions: Option<std::fs::Permissions>,
    existing: Option<&std::fs::Metadata>,
) -> io::Result<()> {
    let directory = target.parent().ok_or_else(|| io::Error::other(format!("`{target}` has no parent directory")))?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    if permissions.is_none() {
        by_umask(&mut builder);
    }
    let mut file = builder.tempfile_in(directory)?;
    file.write_all(content)?;
    // Before the permissions, some of which are lost with the owner.
    if let Some(existing) = existing {
        preserve_owner(file.as_file(), existing);
    }
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    sync_directory(directory)
}

/// Gives a file the owner and the group of another. Only root may give files away, and others only to their own groups,
/// so what is not allowed is left.
#[cfg(unix)]
fn preserve_owner(file: &std::fs::File, existing: &std::fs::Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let Ok(metadata) = file.metadata() else { return };
    if metadata.gid() != existing.gid() {
        fchown(file, None, Some(existing.gid())).ok();
    }
    if metadata.uid() != existing.uid() {
        fchown(file, Some(existing.uid()), None).ok();
    }
}

#[cfg(not(unix))]
fn keep_owner(_file: &std::fs::File, _existing: &std::fs::Metadata) {}

/// Makes a directory's entries durable, so that a file that was moved into it is there after a power failure.
#[cfg(unix)]
pub fn sync_directory(path: &Utf8Path) -> io::Result<()> {
    std::fs::File::open(path)?.sync_all()
}

#[cfg(not(unix))]
pub fn sync_directory(_path: &Utf8Path) -> io::Result<()> {
    Ok(())
}

/// `tempfile` creates files with mode 0600 by default; the umask applies to the mode requested here.
#[cfg(unix)]
fn by_umask(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn by_umask(_builder: &mut tempfile::Builder<'_, '_>) {}

/// `path` with its beginning `from` replaced by `to`; `None` when it does not begin so. Nothing is looked up on disk.
pub fn replace_prefix(path: &Utf8Path, from: &Utf8Path, to: &Utf8Path) -> Option<Utf8PathBuf> {
    let rest = path.strip_prefix(from).ok()?;
    // Joining an empty path would add a slash.
    Some(if rest.as_str().is_empty() { to.to_owned() } else { to.join(rest) })
}

/// The path with every symbolic link resolved. An error when it does not exist or is not UTF-8.
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

#[cfg(test)]
mod tests;
