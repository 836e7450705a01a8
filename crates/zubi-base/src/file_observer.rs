//! The interface through which the file watcher reports changes to other parts of zubi.

use std::fmt;

use camino::Utf8PathBuf;

/// Receives the changes of the workspace's files. The calls return at once: the observer reads the files later.
pub trait FileObserver: Send + Sync + fmt::Debug {
    /// The watcher reports every change from now on. Called once, in an asynchronous context, before [`Self::report`].
    fn start(&self);

    /// Files or directories were added, changed, removed or replaced since the last call. A request that begins after
    /// such a change calls this before it reads any file. The paths are absolute and have no links.
    fn report(&self, paths: Vec<Utf8PathBuf>);

    /// Changes up to now are still compared, and requests no longer wait for [`Self::report`]. Answers from earlier contents
    /// are incomplete until [`Self::end_comparison`].
    fn begin_comparison(&self) {}

    /// The comparison has ended; all its changes were reported.
    fn end_comparison(&self) {}
}
