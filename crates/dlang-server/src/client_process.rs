//! The end of the client's process: the streams alone do not always tell, because other processes may hold their other ends.
//! It is noticed on Linux; elsewhere it is logged that it will not be, and the streams are all there is.

use std::io;

use crossbeam_channel::Sender;
use zubi_base::process;

use crate::event::Event;
use crate::spawn;

/// Ends the conversation when this process has ended, which may be the case already.
///
/// # Errors
///
/// When the system gives no thread.
pub(crate) fn watch(pid: u32, events: Sender<Event>) -> io::Result<()> {
    // Where the end cannot be noticed the connection still tells, in most cases.
    let run = move || match process::wait(pid) {
        Ok(()) => drop(events.send(Event::ClientGone)),
        Err(error) => tracing::warn!("the end of the client's process {pid} will not be noticed: {error}"),
    };
    spawn("dlang-server client", run).map(drop)
}

/// Ends the conversation with the process that the client says it is, if that is one that has started this program. Any other
/// number is passed over: it comes from another machine or container, where it means a process that is none here or, worse,
/// any other one.
pub(crate) fn watch_if_ours(pid: u32, events: Sender<Event>) {
    if !process::is_ancestor(pid) {
        tracing::debug!("the client's process {pid} has not started this one; its end is not watched for");
    } else if let Err(error) = watch(pid, events) {
        tracing::warn!("the end of the client's process {pid} will not be noticed: {error}");
    }
}
