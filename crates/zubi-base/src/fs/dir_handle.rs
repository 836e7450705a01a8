//! An open directory. Operations on its entries happen in this directory, even if its path means another one by then.
//!
//! After zubi has checked a path, a program that may write the workspace can replace a directory by a link. Code that
//! then uses the path reaches another directory; code that uses the open directory does not.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

#[derive(Debug)]
pub struct DirHandle {
    #[cfg(target_os = "linux")]
    handle: std::fs::File,
    #[cfg(not(target_os = "linux"))]
    path: Utf8PathBuf,
}

#[cfg(target_os = "linux")]
impl DirHandle {
    /// Opens a directory. No component of its absolute path may be a link.
    pub fn open(path: &Utf8Path) -> io::Result<Self> {
        use rustix::fs::OFlags;
        Ok(Self { handle: super::open_without_links(path, OFlags::RDONLY | OFlags::DIRECTORY)? })
    }

    /// Opens a subdirectory; refuses a link.
    fn open_below(&self, name: &str) -> io::Result<Self> {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self { handle: rustix::fs::openat(&self.handle, name, flags, Mode::empty())?.into() })
    }

    fn make_below(&self, name: &str) -> io::Result<()> {
        match rustix::fs::mkdirat(&self.handle, name, rustix::fs::Mode::from_raw_mode(0o777)) {
            Err(rustix::io::Errno::EXIST) => Ok(()),
            result => Ok(result?),
        }
    }

    /// Returns a path to an entry that uses the file descriptor instead of the directory's name.
    pub fn entry(&self, name: &str) -> Utf8PathBuf {
        use std::os::fd::AsRawFd as _;
        Utf8PathBuf::from(format!("/proc/self/fd/{}/{name}", self.handle.as_raw_fd()))
    }

    /// Makes the entries durable.
    pub fn sync(&self) -> io::Result<()> {
        self.handle.sync_all()
    }
}

/// Other systems have no such paths, so this uses the path itself.
#[cfg(not(target_os = "linux"))]
impl DirHandle {
    pub fn open(path: &Utf8Path) -> io::Result<Self> {
        if path.is_dir() { Ok(Self { path: path.to_owned() }) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn open_below(&self, name: &str) -> io::Result<Self> {
        Self::open(&self.path.join(name))
    }

    fn make_below(&self, name: &str) -> io::Result<()> {
        match std::fs::create_dir(self.path.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            result => result,
        }
    }

    pub fn entry(&self, name: &str) -> Utf8PathBuf {
        self.path.join(name)
    }

    pub fn sync(&self) -> io::Result<()> {
        super::sync_directory(&self.path)
    }
}

impl DirHandle {
    /// Like [`DirHandle::open`], but creates missing directories.
    pub fn make(path: &Utf8Path) -> io::Result<Self> {
        let mut missing = Vec::new();
        let mut existing = path;
        let mut directory = loop {
            match Self::open(existing) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let (Some(name), Some(parent)) = (existing.file_name(), existing.parent()) else {
                        return Err(error);
                    };
                    missing.push(name);
                    existing = parent;
                }
                opened => break opened?,
            }
        };
        for name in missing.iter().rev() {
            directory.make_below(name)?;
            directory.sync()?;
            directory = directory.open_below(name)?;
        }
        Ok(directory)
    }
}
