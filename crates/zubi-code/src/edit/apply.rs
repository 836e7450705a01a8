//! Applies a change to disk completely or not at all, even if the process crashes meanwhile.
//!
//! [`DiskSink`] computes how to undo each step ([`prepare`]), writes that to the [`journal`], and only then touches a
//! file. After a failure, it undoes the finished steps at once; after a crash, the next host does ([`recovery`]). The
//! [`lock`] prevents two processes from doing this at the same time. An open editor applies the steps for the files it has
//! open ([`EditorOrDiskSink`]).

pub mod disk;
mod editor_or_disk;
pub(super) mod journal;
pub(super) mod lock;
mod notes;
pub(super) mod prepare;
pub(super) mod recovery;
mod step;
mod sweep;
mod unrestored;

pub use disk::DiskSink;
pub use editor_or_disk::EditorOrDiskSink;
pub use notes::take_recovery_notes;
pub use recovery::RecoveredChanges;
