//! Detection of the end of the client's process. The streams are not always closed then, because other processes may
//! have them open, too. Only Linux supports this; on other systems the server logs that, and relies on the streams.

use std::io;

use crossbeam_channel::Sender;
use zubi_base::process;

use crate::event::Event;
use crate::spawn;

/// Ends the connection when this process has ended, which may already be the case.
///
/// # Errors
///
/// If the system cannot create a thread.
pub(crate) fn watch(pid: u32, events: Sender<Event>) -> io::Result<()> {
    // Without this detection, the streams still end in most cases.
    let run = move || match process::wait(pid) {
        Ok(()) => drop(events.send(Event::ClientDisconnected)),
        Err(error) => tracing::warn!("cannot detect the end of the client's process {pid}: {error}"),
    };
    spawn("dlang-server client", run).map(drop)
}

/// Ends the connection with the process whose id the client has sent, if it is an ancestor of this process. Any other
/// id is ignored: it comes from another machine or container, and may denote an unrelated process here.
pub(crate) fn watch_if_ancestor(pid: u32, events: Sender<Event>) {
    if !process::is_ancestor(pid) {
        tracing::debug!("the client's process {pid} is not an ancestor of this one; its end is not watched");
    } else if let Err(error) = watch(pid, events) {
        tracing::warn!("cannot detect the end of the client's process {pid}: {error}");
    }
}
