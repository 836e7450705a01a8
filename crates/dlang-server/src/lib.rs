//! Language server for DomainLang: the Language Server Protocol on top of a [`dlang_workspace`]. The language itself is
//! implemented in `dlang-ide` and below.
//!
//! [`run`] serves one connection; [`stdio()`] serves standard input and output. A host that offers more than DomainLang
//! adds its own requests in a [`MethodTable`], sends messages to the client through [`ClientHandle`], and queries the
//! model that the editor sees through [`ModelHandle`]. [`InProcessRequests`] answers without a connection.
//!
//! # Threads
//!
//! - the *main loop* (`main_loop`) receives the client's messages. It stores the texts of open documents and answers
//!   every request exactly once; it never waits;
//! - the *model* (`model`) owns the workspace: it loads it, applies changes in order, and takes a snapshot for each
//!   request in the same order. So a request sees all changes before it and none after it;
//! - the *pool* (`pool`) answers requests. A change cancels those that run on an older snapshot; each is retried once,
//!   and answered `ContentModified` if the next change cancels it again;
//! - the *writer* sends messages to the client, so that a client that reads slowly delays no other thread; for byte
//!   streams there is a *reader*, too (`stdio`).
//!
//! # Shutdown
//!
//! The connection ends with `exit`, with the client's stream, and, on Linux, with the client's process
//! (`client_process`).
//!
//! # Diagnostics
//!
//! A client that pulls diagnostics receives no notifications. Its requests determine which diagnostics of files that
//! are not open it receives (`requests/diagnostic`).
//!
//! # While the workspace loads
//!
//! Edits and requests wait for it in order. An editor's request waits until there is a model, because an empty answer
//! would be wrong; `domainlang/*` and the host's queries are answered after [`ServerConfig::loading_limit`] with the
//! progress of loading.
//!
//! # Untrusted input
//!
//! Positions outside of a text are clamped, invalid parameters result in `InvalidParams` with the field, and invalid
//! capabilities count as absent. Invalid messages are answered as JSON-RPC defines. A panic ends one request, not the
//! server.
//!
//! A document with an invalid change counts as closed, so that the text on disk is used, until the client sends its
//! whole text: any other text would exist nowhere. A message that is invalid or too long names no document. A change
//! lost in this way leaves its document with the previous text; the client sees only the error.

#![cfg_attr(test, expect(clippy::string_slice, reason = "a test that cuts a character should fail"))]

mod capabilities;
mod client;
mod client_process;
mod convert;
mod diagnostics;
mod documents;
mod event;
mod file_watcher;
mod in_process;
mod main_loop;
mod methods;
mod model;
mod pool;
mod progress;
mod request;
mod requests;
mod settings;
mod snapshot;
mod stdio;

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use dlang_workspace::Workspace;
use dlang_workspace::files::{DiskFiles, SharedFiles};
pub use lsp_server::RequestId;
use lsp_server::{Connection, Message};

use crate::client::OutgoingMessage;
pub use crate::client::{ClientError, ClientHandle};
use crate::event::Event;
pub use crate::in_process::InProcessRequests;
use crate::main_loop::{MainLoop, MainLoopConfig};
pub use crate::methods::{Initialize, MethodTable};
use crate::model::Model;
pub use crate::model::{ModelHandle, OpenText};
use crate::pool::Pool;
pub use crate::request::{Answer, Cancel, RequestError, RequestResponder, from_value};
pub use crate::snapshot::Snapshot;

/// Options of a server. The defaults are for editors.
#[derive(Clone)]
pub struct ServerConfig {
    /// Access to files.
    pub files: SharedFiles,
    /// Name of the server.
    pub name: String,
    /// Version of the server.
    pub version: String,
    /// Maximum time that `domainlang/*` wait for a workspace that loads.
    pub loading_limit: Duration,
    /// Delay between a change and its diagnostics.
    pub debounce: Duration,
    /// Whether the server watches folders itself if the client cannot.
    pub watch: bool,
    /// Process id of the client, if known before the connection: the server ends with that process, whichever it is.
    /// Detected on Linux only; on other systems, the server ends with the stream.
    pub client_process: Option<u32>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            files: Arc::new(DiskFiles),
            name: "domainlang".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            loading_limit: Duration::from_secs(5),
            debounce: Duration::from_millis(150),
            watch: true,
            client_process: None,
        }
    }
}

/// How a connection has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// `shutdown`, then `exit`.
    Orderly,
    /// `exit` alone, or the client has disconnected: its stream or, where detectable, its process has ended.
    Abrupt,
}

impl Exit {
    /// Returns the exit code of the process, as the protocol defines it.
    pub fn code(self) -> u8 {
        match self {
            Self::Orderly => 0,
            Self::Abrupt => 1,
        }
    }
}

/// Time-out for the client to read the last messages after the connection has ended.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A server that runs on its own threads.
pub struct Server {
    client: ClientHandle,
    model: ModelHandle,
    main: JoinHandle<Exit>,
    writer_done: Receiver<()>,
}

impl Server {
    /// Returns the handle for sending messages to the client.
    pub fn client(&self) -> &ClientHandle {
        &self.client
    }

    /// Returns the handle for querying the model.
    pub fn model(&self) -> &ModelHandle {
        &self.model
    }

    /// Waits until the connection has ended and everything is written, unless the client does not read it.
    pub fn join(self) -> Exit {
        // The main loop catches panics; if one ended it after all, there was no orderly shutdown.
        let exit = self.main.join().unwrap_or(Exit::Abrupt);
        self.client.close();
        if self.writer_done.recv_timeout(LAST_WORDS) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!("the client has not read everything that was written to it");
        }
        exit
    }
}

/// Serves a connection, including `initialize`, with the methods of `extra` in addition to its own, which take
/// precedence.
///
/// # Errors
///
/// If the system cannot create threads.
pub fn run(connection: Connection, options: ServerConfig, extra: MethodTable) -> io::Result<Server> {
    let Connection { sender, receiver } = connection;
    let (out, outgoing) = unbounded();
    serve(receiver, ClientHandle::new(out), options, extra, move || {
        forward(&outgoing, &sender);
        Ok(())
    })
}

/// Serves standard input and output until the client ends the connection.
///
/// # Errors
///
/// If the system cannot create threads, reading fails, or the input is not the protocol.
pub fn stdio(options: ServerConfig, extra: MethodTable) -> io::Result<Exit> {
    let (out, outgoing) = unbounded();
    let client = ClientHandle::new(out);
    // The reader waits for the main loop, which never waits: unprocessed input needs no memory.
    let (sender, incoming) = bounded(0);
    let (broken, reason) = bounded(1);
    let reader_client = client.clone();
    let server = serve(incoming, client, options, extra, move || stdio::write(&outgoing, io::stdout().lock()))?;
    spawn("dlang-server read", move || {
        if let Err(error) = stdio::read(io::stdin().lock(), &sender, &reader_client) {
            // Sent before the main loop sees the end of input, so that the error is available when it has ended.
            broken.send(error).ok();
        }
    })?;
    let exit = server.join();
    // The reader is not joined: it may be waiting for a silent client.
    reason.try_recv().map_or(Ok(exit), Err)
}

fn serve(
    incoming: Receiver<Message>,
    client: ClientHandle,
    options: ServerConfig,
    extra: MethodTable,
    write: impl FnOnce() -> io::Result<()> + Send + 'static,
) -> io::Result<Server> {
    let (event_sender, events) = unbounded();
    if let Some(pid) = options.client_process {
        client_process::watch(pid, event_sender.clone())?;
    }
    // Carries no messages: it is closed when the thread ends, in whatever way.
    let (end, written) = bounded(0);
    let writer_events = event_sender.clone();
    spawn("dlang-server write", move || {
        let _end: Sender<()> = end;
        if let Err(error) = write() {
            tracing::debug!("the client does not read any more: {error}");
            // Without a main loop there is nothing to end.
            writer_events.send(Event::ClientDisconnected).ok();
        }
    })?;
    let (commands, commanded) = unbounded();
    let pool = Pool::new()?;
    let model = ModelHandle { commands, shared: Arc::default() };
    let tokens = Arc::default();
    let start_model = {
        let (files, events, pool, handle) =
            (Arc::clone(&options.files), event_sender.clone(), pool.clone(), model.clone());
        let tokens = Arc::clone(&tokens);
        move |settings, waker: Option<dlang_workspace::watch::Waker>| {
            let start = move || {
                let empty = Workspace::load(Arc::clone(&files), Vec::new(), &mut |_| ControlFlow::Continue(()));
                let model = Model {
                    files,
                    // A workspace without a root cannot fail to load.
                    workspace: empty.unwrap_or_else(|_| Workspace::from_text("empty.dlang", "")),
                    roots: Vec::new(),
                    names: Arc::default(),
                    settings,
                    tokens,
                    pool,
                    handle,
                    events,
                    on_folders: Box::new(move || waker.iter().for_each(dlang_workspace::watch::Waker::wake)),
                };
                model.run(&commanded);
            };
            if let Err(error) = spawn("dlang-server model", start) {
                tracing::error!("cannot create the model thread: {error}");
            }
        }
    };
    let parts = MainLoopConfig {
        options,
        methods: requests::table().merge(extra),
        incoming,
        events: (event_sender, events),
        client: client.clone(),
        model: model.clone(),
        pool,
        tokens,
        start_model: Box::new(start_model),
    };
    let main = spawn("dlang-server loop", move || MainLoop::new(parts).run())?;
    Ok(Server { client, model, main, writer_done: written })
}

fn spawn<T: Send + 'static>(name: &str, run: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name(name.to_owned()).spawn(run)
}

fn forward(outgoing: &Receiver<OutgoingMessage>, to: &Sender<Message>) {
    for next in outgoing {
        let is_over = match next {
            OutgoingMessage::Message(message) => to.send(message).is_err(),
            // Invalid messages occur only in byte streams.
            OutgoingMessage::NoMessage(_) => false,
            OutgoingMessage::End => true,
        };
        if is_over {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
