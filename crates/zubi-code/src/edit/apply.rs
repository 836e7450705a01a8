//! Making a change on disk so that it is done whole or not at all, even when the process dies in between.
//!
//! [`DiskSink`] first works out how to take each step back ([`prepare`]), writes that to the [`journal`], and only then
//! touches a file. After a failure the steps done are taken back at once; after a crash the next start does it. The
//! [`lock`] keeps two processes from doing any of this at the same time. Where an editor is open, [`BesideEditor`] lets it
//! make the steps that are about what it holds.

mod beside;
pub mod disk;
pub(super) mod journal;
pub(super) mod lock;
pub(super) mod prepare;
mod step;

pub use beside::EditorOrDiskSink;
pub use disk::DiskSink;
pub use journal::RecoveredChanges;
