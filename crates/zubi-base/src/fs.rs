//! File access: reads have a size limit and name the file in errors, and writes are atomic.

mod dir_handle;

use std::io::{self, Read as _, Write as _};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

pub use self::dir_handle::DirHandle;

/// The maximum size of a source text, in bytes. Larger files are generated data; language servers fail on them too
/// (rust-analyzer and clangd both refuse or stall on sources of this size).
pub const MAX_TEXT_BYTES: u64 = 8 * 1024 * 1024;

/// The reason why a file could not be read as text.
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
    // Checked before opening, because opening a named pipe would block forever.
    let metadata = std::fs::metadata(path).map_err(fail)?;
    if metadata.is_dir() {
        return Err(ReadError::Directory { path: path.to_owned() });
    }
    if !metadata.is_file() {
        return Err(ReadError::Special { path: path.to_owned() });
    }
    // Room for the whole file and one more byte that detects growth; a growing vector would cost a dozen reads.
    let expected = usize::try_from(metadata.len().min(MAX_TEXT_BYTES)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(expected + 1);
    let file = open(path).map_err(fail)?;
    // Another file may have replaced it since the check.
    if !file.metadata().map_err(fail)?.is_file() {
        return Err(ReadError::Special { path: path.to_owned() });
    }
    // The file may grow during the read, so the limit applies to the read and not only to the size found before.
    file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Err(ReadError::TooLarge { path: path.to_owned(), bytes: metadata.len() });
    }
    Ok(bytes)
}

/// Whether a regular file begins with these bytes; `false` if it cannot be read.
pub fn begins_with(path: &Utf8Path, bytes: &[u8]) -> bool {
    let Ok(mut file) = open(path) else { return false };
    let mut start = vec![0; bytes.len()];
    file.metadata().is_ok_and(|metadata| metadata.is_file()) && file.read_exact(&mut start).is_ok() && start == bytes
}

/// Opens a file for reading. Returns an error instead of blocking on kernel files that look regular (`/proc/kmsg`) and
/// on a named pipe that has replaced the file since it was checked.
#[cfg(unix)]
pub fn open(path: &Utf8Path) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Like [`open`], for a path whose links were resolved when the caller checked it. Refuses a path that contains a link
/// now, so that replacing a directory by a link after the check cannot open another file.
#[cfg(target_os = "linux")]
pub fn open_no_follow(path: &Utf8Path) -> io::Result<std::fs::File> {
    open_without_links(path, rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK)
}

/// As above, but other systems cannot open a file without following links.
#[cfg(not(target_os = "linux"))]
pub fn open_no_follow(path: &Utf8Path) -> io::Result<std::fs::File> {
    open(path)
}

/// Returns the metadata of a file whose path contains no link; does not open it for reading.
#[cfg(target_os = "linux")]
pub(crate) fn metadata_no_follow(path: &Utf8Path) -> io::Result<std::fs::Metadata> {
    open_without_links(path, rustix::fs::OFlags::PATH)?.metadata()
}

/// As above, but follows links in directories.
#[cfg(not(target_os = "linux"))]
pub(crate) fn metadata_no_follow(path: &Utf8Path) -> io::Result<std::fs::Metadata> {
    std::fs::symlink_metadata(path)
}

/// Whether the file system of a file is local, so that its times change with every write. A network's server or a FUSE
/// program can report the times of an earlier state.
#[cfg(target_os = "linux")]
pub(crate) fn has_own_times(path: &Utf8Path) -> bool {
    // From `linux/magic.h`: NFS, SMB and SMB 2, CIFS, 9P, FUSE, AFS, Ceph.
    const FOREIGN: &[u64] =
        &[0x6969, 0x517b, 0xfe53_4d42, 0xff53_4d42, 0x0102_1997, 0x6573_5546, 0x5346_414f, 0x00c3_6400];
    let kind = rustix::fs::statfs(path.as_str()).map(|system| u64::try_from(system.f_type).unwrap_or_default());
    kind.is_ok_and(|kind| !FOREIGN.contains(&kind))
}

/// As above, but unknown.
#[cfg(not(target_os = "linux"))]
pub(crate) fn has_own_times(_path: &Utf8Path) -> bool {
    true
}

#[cfg(target_os = "linux")]
fn open_without_links(path: &Utf8Path, flags: rustix::fs::OFlags) -> io::Result<std::fs::File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = flags | OFlags::CLOEXEC;
    match openat2(CWD, path.as_str(), flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(file) => Ok(file.into()),
        // Kernels before 5.6 do not have this call, and some containers forbid it. The fallback ensures that the last
        // component is not a link at the time of opening; it checks the others just before.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
            if canonical(path)? != path {
                return Err(rustix::io::Errno::LOOP.into());
            }
            Ok(rustix::fs::open(path.as_str(), flags | OFlags::NOFOLLOW, Mode::empty())?.into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether an error means that the path is a link that must not be followed, or a circle of links.
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

/// Like [`read_text`], for a path whose links were resolved; see [`open_no_follow`].
pub fn read_text_in_place(path: &Utf8Path) -> Result<String, ReadError> {
    as_text(path, read_by(path, open_no_follow)?)
}

fn as_text(path: &Utf8Path, bytes: Vec<u8>) -> Result<String, ReadError> {
    if bytes.contains(&0) {
        return Err(ReadError::NotText { path: path.to_owned() });
    }
    String::from_utf8(bytes).map_err(|_| ReadError::NotText { path: path.to_owned() })
}

/// Creates a directory for temporary files of a program, which only this user can open.
pub fn temporary_directory() -> io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("zubi-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    builder.tempdir()
}

/// Replaces a file's content atomically: a reader sees the old bytes or the new ones, even after a crash. An existing
/// file retains its permission bits; a new file gets 0666 minus the umask, as from an editor. Owner and group are
/// preserved as far as the process may set them. A symbolic link is followed and remains a link; other hard links
/// retain the old content.
pub fn write_atomic(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    let target = match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => canonical(path)?,
        _ => path.to_owned(),
    };
    let existing = std::fs::metadata(&target).ok();
    replace(&target, content, existing.as_ref().map(std::fs::Metadata::permissions), existing.as_ref())
}

/// Like [`write_atomic`], but replaces a link instead of following it.
pub fn write_entry(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    let existing = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file);
    replace(path, content, existing.as_ref().map(std::fs::Metadata::permissions), existing.as_ref())
}

/// Like [`write_atomic`], but preserves hard links. A file with several names is overwritten in place, so a reader may
/// see a mixture of old and new bytes, during the write and after a crash.
pub fn write_preserving_links(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    if !has_several_names(path) {
        return write_atomic(path, content);
    }
    let mut file = std::fs::OpenOptions::new().write(true).open(path)?;
    file.write_all(content)?;
    file.set_len(content.len() as u64)?;
    file.sync_all()
}

/// Whether an existing file is read-only: its permissions let no user write it, or not this process. The directory decides
/// whether [`write_atomic`] can replace it, so callers must check this first.
pub fn is_read_only(path: &Utf8Path) -> bool {
    // Root may write every file, but one that no user may write is protected on purpose.
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly()) || refuses_writes(path)
}

#[cfg(unix)]
fn refuses_writes(path: &Utf8Path) -> bool {
    use rustix::fs::Access;
    use rustix::io::Errno;
    let access = rustix::fs::access(path.as_std_path(), Access::WRITE_OK);
    matches!(access, Err(Errno::ACCESS | Errno::PERM | Errno::ROFS))
}

#[cfg(not(unix))]
fn refuses_writes(_path: &Utf8Path) -> bool {
    false
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

/// The prefix of temporary files during a write. Recovery after a crash removes files with this prefix and suffix.
pub const TEMPORARY_PREFIX: &str = ".zubi-";
/// See [`TEMPORARY_PREFIX`].
pub const TEMPORARY_SUFFIX: &str = ".tmp";

/// Writes a temporary file next to `target`, makes it durable, and moves it to `target`. Its permissions are
/// `permissions`, else those of the umask; owner and group are those of `existing`, as far as the process may set them.
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
    let mut file = builder.tempfile_in(directory).map_err(without_path)?;
    file.as_file_mut().write_all(content)?;
    // Set before the permissions, because a change of owner removes some of them.
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

/// Removes the path from an error of `tempfile`: it is that of the temporary file, in a directory that may be known by its
/// descriptor only (`/proc/self/fd/9`).
fn without_path(error: io::Error) -> io::Error {
    let message = error.to_string();
    match message.split_once(" at path ") {
        Some((cause, _)) => io::Error::new(error.kind(), cause),
        None => error,
    }
}

/// Sets a file's owner and group to those of `existing`. Only root may change the owner, and other users may only set
/// their own groups, so errors are ignored.
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

/// Makes a directory's entries durable, so that a file that was moved into it survives a power failure.
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

/// Returns `path` with its prefix `from` replaced by `to`; `None` if it has another prefix. Does not access the disk.
pub fn replace_prefix(path: &Utf8Path, from: &Utf8Path, to: &Utf8Path) -> Option<Utf8PathBuf> {
    let rest = path.strip_prefix(from).ok()?;
    // Joining an empty path would add a slash.
    Some(if rest.as_str().is_empty() { to.to_owned() } else { to.join(rest) })
}

/// Removes `.` and `..` from a path without reading the disk.
pub fn without_dots(path: &Utf8Path) -> Utf8PathBuf {
    let mut clean = Utf8PathBuf::new();
    for component in path.components() {
        match component {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => drop(clean.pop()),
            other => clean.push(other),
        }
    }
    clean
}

/// Returns the path with all symbolic links resolved. Fails if the path does not exist or is not UTF-8.
pub fn canonical(path: &Utf8Path) -> io::Result<Utf8PathBuf> {
    path.canonicalize_utf8()
}

/// Like [`canonical`], for a path whose last components may not exist yet: resolves the longest existing ancestor and
/// appends the rest. Refuses `..` in the rest, because it could escape from the ancestor.
pub fn canonical_for_creation(path: &Utf8Path) -> io::Result<Utf8PathBuf> {
    let mut rest = Vec::new();
    let mut existing = path;
    loop {
        match canonical(existing) {
            Ok(mut resolved) => {
                resolved.extend(rest.iter().rev());
                return Ok(resolved);
            }
            // A dangling link is an existing entry: creating the file would write to the target of the link.
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
