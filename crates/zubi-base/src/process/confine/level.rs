//! The levels of a sandbox.

use serde::{Deserialize, Serialize};

/// How much a sandbox restricts a program, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Only the number of processes is limited.
    None,
    /// Restricts sockets and calls into other processes, and no files.
    Seccomp,
    /// Restricts files, and neither sockets in the file system nor calls into other processes.
    Landlock,
    /// Restricts files, sockets and system calls.
    #[serde(rename = "landlock+seccomp")]
    LandlockSeccomp,
    /// Restricts files, sockets and system calls, in separate namespaces.
    Bubblewrap,
}

impl Level {
    /// All levels, from least to most.
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

    /// Describes for users what this level restricts, and nothing more. `files` are clauses about files and programs, which
    /// Landlock restricts; `network` is the clause about sockets, which seccomp restricts.
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
