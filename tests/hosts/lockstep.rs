//! Stops zubi at each step of an edit: its log is a pipe that has room for one message, so zubi waits at the message
//! after next until the test reads.

use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use zubi_tests::Agent;
use zubi_tests::hosts::STEP_TIMEOUT;

/// The part of zubi whose messages it prints: one before and one after each write, and one when an edit is complete.
const LOG: &str = "zubi_code::edit::apply::disk=trace";

/// The size of a pipe with one packet.
const PAGE_BYTES: usize = 4096;

/// The other end of the log of a process.
pub(crate) struct Lockstep(std::fs::File);

impl Lockstep {
    /// Starts an agent that waits for the test at each step of an edit.
    pub(crate) fn start(mut command: Command) -> (Agent, Self) {
        let (reader, writer): (OwnedFd, OwnedFd) =
            pipe_with(PipeFlags::DIRECT | PipeFlags::CLOEXEC).expect("a pipe of packets");
        fcntl_setpipe_size(&writer, PAGE_BYTES).expect("a size");
        command.env("ZUBI_LOG", LOG);
        (Agent::spawn_with_stderr(command, &[], Stdio::from(writer)), Self(reader.into()))
    }

    /// Reads messages until one contains a text, and then this number of further ones. zubi is then between the next
    /// message and the one after it, unless it has ended the edit.
    pub(crate) fn wait_for(&mut self, text: &str, further: usize) {
        while !self.read().is_some_and(|message| message.contains(text)) {}
        for _ in 0..further {
            self.read();
        }
    }

    /// Reads this number of messages. Returns whether there were so many before the edit was complete.
    pub(crate) fn advance(&mut self, messages: usize) -> bool {
        (0..messages).all(|_| self.read().is_some_and(|message| !message.contains("committed")))
    }

    /// Reads the next message; `None` at the end of the log.
    fn read(&mut self) -> Option<String> {
        let limit = Timespec::try_from(STEP_TIMEOUT).expect("a short time");
        let ready = poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&limit)).expect("a pipe");
        assert!(ready > 0, "zubi prints no message within {STEP_TIMEOUT:?}");
        let mut packet = [0; PAGE_BYTES];
        let length = self.0.read(&mut packet).expect("a packet");
        (length > 0).then(|| String::from_utf8_lossy(packet.get(..length).unwrap_or_default()).into_owned())
    }

    /// Lets the process run: reads all further messages on a thread.
    pub(crate) fn release(mut self) {
        std::thread::spawn(move || while self.read_any() {});
    }

    fn read_any(&mut self) -> bool {
        matches!(self.0.read(&mut [0; PAGE_BYTES]), Ok(1..))
    }
}
