//! Making a change on disk so that it is done whole or not at all, even when the process dies in between.
//!
//! [`DiskSink`] first works out how to undo each step ([`prepare`]), writes that to the [`journal`], and only then
//! touches a file. After a failure it undoes the finished steps at once; after a crash the next start does it. The
//! [`lock`] prevents two processes from doing any of this at the same time. If an editor is open, [`EditorOrDiskSink`] lets
//! it make the steps for the files that it has open.

pub mod disk;
mod editor_or_disk;
pub(super) mod journal;
pub(super) mod lock;
pub(super) mod prepare;
mod step;

pub use disk::DiskSink;
pub use editor_or_disk::EditorOrDiskSink;
pub use journal::RecoveredChanges;
