//! How hosts are found: one file per host in a directory that is this user's alone.
//!
//! A file is believed when it is a plain file of ours that nobody else may read, in a directory of ours that nobody else may
//! enter, and when the process that it names lives since the moment that it names. What is found of a process that has gone
//! is removed; what is disbelieved for another reason is told, with what to do.

use std::cmp::Ordering;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::wire::host::HostKind;

/// What a host tells of itself in its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Advertisement {
    /// [`crate::wire::PROTOCOL`] of the host.
    pub version: u32,
    /// See [`new_instance`]; also the name of the file.
    pub instance: String,
    pub pid: u32,
    /// When the process started, in clock ticks since the system did: a process that was given the same id later has another.
    pub started_at: u64,
    pub kind: HostKind,
    /// Absolute, links resolved.
    pub workspace_folders: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub socket: Option<Utf8PathBuf>,
    /// On 127.0.0.1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub port: Option<u16>,
    /// 32 bytes in hexadecimal; see [`crate::proof`].
    pub token: String,
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// The version of the program.
    #[serde(default)]
    pub program: String,
}

/// The directory in which hosts of this user are found: `$XDG_RUNTIME_DIR/zubi` where that is set, absolute, ours and not
/// writable for others, else `run` in the state directory. Need not exist.
pub fn run_directory(_state_dir: &Utf8Path) -> Utf8PathBuf {
    todo!()
}

/// A new name of a host: 16 characters of base 32, which nobody can guess.
pub fn new_instance() -> io::Result<String> {
    todo!()
}

/// When a process started, as [`Advertisement::started_at`] has it; `None` when it does not live.
pub fn process_start(_pid: u32) -> Option<u64> {
    todo!()
}

/// What [`RunDirectory::read`] finds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// In no order; see [`order`]. Their process lives, but whether they answer is only known from asking.
    pub hosts: Vec<Advertisement>,
    pub disbelieved: Vec<Disbelieved>,
}

/// A file, or the directory itself, that is not what a host leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disbelieved {
    pub file: Utf8PathBuf,
    /// For people, with a next step.
    pub why: String,
}

/// The directory of the files.
#[derive(Debug, Clone)]
pub struct RunDirectory {
    path: Utf8PathBuf,
}

impl RunDirectory {
    /// With `create` the directory is made, and made ours alone; an error when that is not possible. Without, it need not exist.
    pub fn open(path: impl Into<Utf8PathBuf>, _create: bool) -> io::Result<Self> {
        Ok(Self { path: path.into() })
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Writes the file of a host. It is there as long as the answer is kept.
    pub fn publish(&self, _advertisement: &Advertisement) -> io::Result<Published> {
        todo!()
    }

    /// Reads all files. Blocks, but not for long: at most 256 files of at most 64 KiB.
    pub fn read(&self) -> Found {
        todo!()
    }
}

/// The file of a host, and its socket: removed on drop.
#[derive(Debug)]
pub struct Published {}

impl Advertisement {
    /// Whether one of its folders is `folder` or contains it, and how many components deep that one is: of nested folders the
    /// deepest is meant.
    pub fn serves(&self, _folder: &Utf8Path) -> Option<usize> {
        todo!()
    }
}

/// Which of two hosts of a folder is the better one, which then is the lesser: the deeper folder, then an editor before a daemon
/// before a front, then the one that started earlier. A host that does not serve the folder comes last.
pub fn order(_a: &Advertisement, _b: &Advertisement, _folder: &Utf8Path) -> Ordering {
    todo!()
}
