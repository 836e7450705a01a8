//! The levels of a sandbox.

use serde::{Deserialize, Serialize};

/// How well what is run is held, from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Nothing holds it but the limits on processes.
    None,
    /// Files are not held; sockets and calls into other processes are.
    Seccomp,
    /// Files are held; sockets in the file system and other processes are not.
    Landlock,
    /// Files, sockets and system calls are held.
    #[serde(rename = "landlock+seccomp")]
    LandlockSeccomp,
    /// Files, sockets and system calls are held, inside separate namespaces.
    Bubblewrap,
}

impl Level {
    /// All levels, from worst to best.
    pub const ALL: [Self; 5] = [Self::None, Self::Seccomp, Self::Landlock, Self::LandlockSeccomp, Self::Bubblewrap];

    /// The name in status lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "no sandbox",
            Self::Seccomp => "seccomp",
            Self::Landlock => "landlock",
            Self::LandlockSeccomp => "landlock+seccomp",
            Self::Bubblewrap => "bubblewrap",
        }
    }

    /// Describes for users what this level holds, and only that. `files` are clauses about files and programs, which
    /// Landlock holds; `network` is the clause about sockets, which seccomp holds.
    pub fn describe(self, files: &[String], network: &str) -> String {
        let files = files.join(", ");
        match self {
            Self::None => "no sandbox: nothing holds it, it can do whatever you can".to_owned(),
            Self::Seccomp => {
                format!("seccomp: {network}; files are not held, it can read and write whatever you can")
            }
            Self::Landlock => format!("landlock: {files}; sockets and other processes are not held"),
            Self::LandlockSeccomp => format!("landlock+seccomp: {files}, {network}"),
            Self::Bubblewrap => format!("bubblewrap: {files}, {network}, sees no other process"),
        }
    }
}
