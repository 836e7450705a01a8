//! Files that only this user may read: trust, plans, the audit log. Directories are 0700, files 0600, and writes are
//! atomic. zubi reads and writes nothing through a symbolic link, because another user could plant one in a shared
//! directory to choose what zubi reads or overwrites.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};

use camino::Utf8Path;

use crate::fs;

/// Creates a directory with mode 0700 and its missing parents; refuses a link. Existing parents are not changed.
pub fn create_directory(path: &Utf8Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)?;
    let metadata = std::fs::symlink_metadata(path)?;
    if !metadata.is_dir() {
        return Err(io::Error::other(format!("`{path}` is not a directory of its own")));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if metadata.permissions().mode() & 0o077 != 0 {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

/// Restricts the file to this user, and refuses a link.
fn restrict_to_owner(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    no_follow(options);
}

/// Locks a file, which is created if it does not exist, until the returned file is dropped or the process ends. Returns
/// `None` if another process has the lock.
pub fn lock(path: &Utf8Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(false);
    restrict_to_owner(&mut options);
    let file = options.open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Reads a regular file of at most `limit` bytes; refuses a link.
pub fn read(path: &Utf8Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    no_follow(&mut options);
    read_bounded(options.open(path)?, path, limit)
}

fn read_bounded(file: File, path: &Utf8Path, limit: u64) -> io::Result<Vec<u8>> {
    if !file.metadata()?.is_file() {
        return Err(io::Error::other(format!("`{path}` is not a plain file")));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("`{path}` has more than {limit} bytes")));
    }
    Ok(bytes)
}

/// Like [`read`], but also requires that the user owns the file and that neither group nor others have any permission.
/// The check and the read use the same open file.
pub fn read_own(path: &Utf8Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    no_follow(&mut options);
    let named = |error: io::Error| io::Error::new(error.kind(), format!("`{path}`: {error}"));
    let file = options.open(path).map_err(named)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = file.metadata().map_err(named)?;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other(format!("`{path}` belongs to another user; `chown` it, or copy it")));
        }
        let mode = metadata.mode() & 0o777;
        if metadata.is_file() && mode & 0o077 != 0 {
            return Err(io::Error::other(format!(
                "`{path}` is open to others (mode {mode:03o}); make it yours alone: `chmod 600 {path}`"
            )));
        }
    }
    read_bounded(file, path, limit)
}

/// Whether only this user can have written the file: they own it, and neither group nor others may write it.
pub fn owner_only(path: &Utf8Path) -> io::Result<bool> {
    let metadata = std::fs::symlink_metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Ok(metadata.is_file() && metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0)
    }
    #[cfg(not(unix))]
    {
        Ok(metadata.is_file())
    }
}

/// Replaces a file's content atomically, with mode 0600. A link at `path` is replaced, not followed.
pub fn write_atomic(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    let permissions = {
        use std::os::unix::fs::PermissionsExt as _;
        Some(std::fs::Permissions::from_mode(0o600))
    };
    #[cfg(not(unix))]
    let permissions = None;
    fs::replace(path, content, permissions, None)
}

/// Opens a file for appending; creates it with mode 0600 if necessary, and refuses a link.
pub fn open_append(path: &Utf8Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    no_follow(&mut options);
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other(format!("`{path}` is not a plain file")));
    }
    Ok(file)
}

/// Opens an existing regular file for reading, or for reading and appending; refuses a link.
pub fn open_existing(path: &Utf8Path, appending: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(appending);
    no_follow(&mut options);
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other(format!("`{path}` is not a plain file")));
    }
    Ok(file)
}

/// Makes opening fail on a link, and return at once for a named pipe.
#[cfg(unix)]
fn no_follow(options: &mut OpenOptions) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn no_follow(_options: &mut OpenOptions) {}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;

    use camino::Utf8PathBuf;

    use super::*;

    fn directory() -> (tempfile::TempDir, Utf8PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(directory.path().to_owned()).unwrap();
        (directory, path)
    }

    fn mode(path: &Utf8Path) -> u32 {
        std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn directories_and_files_are_for_this_user_only() {
        let (_guard, root) = directory();
        let inner = root.join("state/audit");
        create_directory(&inner).unwrap();
        create_directory(&inner).unwrap();
        assert_eq!((mode(&inner), mode(&root.join("state"))), (0o700, 0o700));
        let file = inner.join("x");
        write_atomic(&file, b"1").unwrap();
        assert_eq!(mode(&file), 0o600);
        assert!(owner_only(&file).unwrap());
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o662)).unwrap();
        assert!(!owner_only(&file).unwrap(), "others may write it");
        write_atomic(&file, b"2").unwrap();
        assert_eq!(mode(&file), 0o600, "even if the replaced file was not");
        open_append(&inner.join("log")).unwrap().write_all(b"line\n").unwrap();
        assert_eq!(mode(&inner.join("log")), 0o600);
    }

    #[test]
    fn links_are_neither_read_nor_written_through() {
        let (_guard, root) = directory();
        let (secret, link) = (root.join("secret"), root.join("link"));
        write_atomic(&secret, b"secret").unwrap();
        std::os::unix::fs::symlink(&secret, &link).unwrap();
        assert!(read(&link, 100).is_err());
        assert!(open_append(&link).is_err());
        assert!(open_existing(&link, true).is_err());
        assert!(open_existing(&root, false).is_err(), "a directory");
        assert!(open_existing(&root.join("none"), true).is_err(), "no file is created");
        write_atomic(&link, b"new").unwrap();
        assert_eq!(read(&secret, 100).unwrap(), b"secret", "the link was replaced, its target is untouched");
        assert_eq!(read(&link, 100).unwrap(), b"new");
        std::os::unix::fs::symlink(&root, root.join("dir")).unwrap();
        assert!(create_directory(&root.join("dir")).is_err());
    }

    #[test]
    fn reads_are_bounded() {
        let (_guard, root) = directory();
        write_atomic(&root.join("x"), b"12345").unwrap();
        assert_eq!(read(&root.join("x"), 5).unwrap(), b"12345");
        assert!(read(&root.join("x"), 4).is_err());
        assert!(read(&root, 4).is_err(), "a directory");
    }
}
