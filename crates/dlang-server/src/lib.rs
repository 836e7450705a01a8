//! The language server for DomainLang: the Language Server Protocol over a [`dlang_workspace`], and nothing of the
//! language itself, which is decided in `dlang-ide` and below.
//!
//! [`run`] serves one connection; [`stdio()`] does so on the process's own standard input and output. A host that is more
//! than a DomainLang server gives its own requests in a [`MethodTable`], speaks to the client through [`ClientHandle`] and
//! asks the same model that the editor sees through [`ModelHandle`]. [`Requests`] answers without a connection.
//!
//! # Threads
//!
//! - the *loop* (`main_loop`) hears the client. It keeps the texts of open documents and answers every request exactly
//!   once; it never waits;
//! - the *model* (`model`) owns the workspace: it loads it, makes changes in their order, and takes a snapshot for each
//!   request in that same order. So a request sees all changes before it and none after it;
//! - the *pool* (`pool`) answers. A change cancels what runs on an older snapshot; that is asked once more, and if the next
//!   change cancels it again it is answered `ContentModified`;
//! - the *writer* carries messages to the client, so that a client that reads slowly delays nobody else; over streams of
//!   bytes there is a *reader* besides (`stdio`).
//!
//! # The end
//!
//! The conversation ends with `exit`, with the client's stream, and, on Linux, with the client's process (`client_process`).
//!
//! # Diagnostics
//!
//! A client that asks for diagnostics is never sent any. Which of those that nobody has opened it learns of depends on what it
//! asks for (`requests/diagnostic`).
//!
//! # While the workspace is loading
//!
//! Edits and requests wait behind it in their order. An editor's request waits until there is a model, because an empty
//! answer would be a wrong one; `domainlang/*` and the host's questions are told after [`Options::loading_limit`] how far
//! loading is.
//!
//! # What the client sends is not trusted
//!
//! Positions outside of a text are moved to the nearest inside, parameters that do not fit are `InvalidParams` with the
//! field, capabilities that are not as the protocol has them count as absent. What is no message is answered as JSON-RPC has
//! it. A panic ends one request and not the server.
//!
//! A document of which a change cannot be read counts as closed, so that the disk counts, until the client sends its whole
//! text: any other text would be one that nobody has. What is no message, or longer than one may be, names no document. A
//! change that is lost like that leaves its document with the text before it, and the client learns of it by the error alone.

#![cfg_attr(test, expect(clippy::string_slice, reason = "a test that cuts a character should fail"))]

mod capabilities;
mod client;
mod client_process;
mod convert;
mod diagnostics;
mod direct;
mod documents;
mod event;
mod main_loop;
mod methods;
mod model;
mod pool;
mod progress;
mod requests;
mod settings;
mod snapshot;
mod stdio;
mod watching;

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
pub use crate::direct::InProcessRequests;
use crate::event::Event;
use crate::main_loop::{MainLoop, MainLoopConfig};
pub use crate::methods::{Answer, Cancel, Initialize, MethodTable, RequestError, Responder, from_value};
use crate::model::Model;
pub use crate::model::{ModelHandle, OpenText};
use crate::pool::Pool;
pub use crate::snapshot::Snapshot;

/// How a server behaves. The default is what an editor wants.
#[derive(Clone)]
pub struct Options {
    /// Where files are.
    pub files: SharedFiles,
    /// What it calls itself.
    pub name: String,
    /// Which of that.
    pub version: String,
    /// How long `domainlang/*` wait for a workspace that is loading.
    pub loading_limit: Duration,
    /// How long after a change its diagnostics are told.
    pub debounce: Duration,
    /// Whether the operating system is asked to watch folders when the client cannot.
    pub watch: bool,
    /// The client's process, if it was named before the conversation: the server ends with it, whatever process it is. Other
    /// systems than Linux cannot tell, and there only the stream does.
    pub client_process: Option<u32>,
}

impl Default for Options {
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

/// How a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// `shutdown`, then `exit`.
    Orderly,
    /// `exit` alone, or the client was gone: the other end of a stream, or its process where that can be told.
    Abrupt,
}

impl Exit {
    /// The exit code that the protocol demands of the process.
    pub fn code(self) -> u8 {
        match self {
            Self::Orderly => 0,
            Self::Abrupt => 1,
        }
    }
}

/// How long a client may take to read what was written to it when the conversation is over. One that reads takes no time.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A server that runs on its own threads.
pub struct Server {
    client: ClientHandle,
    model: ModelHandle,
    main: JoinHandle<Exit>,
    written: Receiver<()>,
}

impl Server {
    /// Speaks to the client.
    pub fn client(&self) -> &ClientHandle {
        &self.client
    }

    /// Asks the model.
    pub fn model(&self) -> &ModelHandle {
        &self.model
    }

    /// Waits until the conversation is over and everything is written, unless the client does not read it.
    pub fn join(self) -> Exit {
        // The loop catches what panics in it; if it ended by one after all, nobody said goodbye.
        let exit = self.main.join().unwrap_or(Exit::Abrupt);
        self.client.close();
        if self.written.recv_timeout(LAST_WORDS) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!("the client has not read everything that was written to it");
        }
        exit
    }
}

/// Serves a connection, `initialize` included, with the requests of `extra` besides its own. Names of its own come first.
///
/// # Errors
///
/// When the system gives no threads.
pub fn run(connection: Connection, options: Options, extra: MethodTable) -> io::Result<Server> {
    let Connection { sender, receiver } = connection;
    let (out, outgoing) = unbounded();
    serve(receiver, ClientHandle::new(out), options, extra, move || {
        pass_on(&outgoing, &sender);
        Ok(())
    })
}

/// Serves standard input and output until the client is done.
///
/// # Errors
///
/// When the system gives no threads, reading failed, or what was read is not the protocol.
pub fn stdio(options: Options, extra: MethodTable) -> io::Result<Exit> {
    let (out, outgoing) = unbounded();
    let client = ClientHandle::new(out);
    // The reader waits for the loop, which waits for nothing: what was read and not heard takes no memory.
    let (sender, incoming) = bounded(0);
    let (broken, reason) = bounded(1);
    let hears = client.clone();
    let server = serve(incoming, client, options, extra, move || stdio::write(&outgoing, io::stdout().lock()))?;
    spawn("dlang-server read", move || {
        if let Err(error) = stdio::read(io::stdin().lock(), &sender, &hears) {
            // Before the loop hears that there is nothing more, so that the reason is there when that is over.
            broken.send(error).ok();
        }
    })?;
    let exit = server.join();
    // The reader is not waited for: it may be waiting for a client that is silent.
    reason.try_recv().map_or(Ok(exit), Err)
}

fn serve(
    incoming: Receiver<Message>,
    client: ClientHandle,
    options: Options,
    extra: MethodTable,
    write: impl FnOnce() -> io::Result<()> + Send + 'static,
) -> io::Result<Server> {
    let (event_sender, events) = unbounded();
    if let Some(pid) = options.client_process {
        client_process::watch(pid, event_sender.clone())?;
    }
    // Nothing is ever sent: it ends with the thread, however that ends.
    let (end, written) = bounded(0);
    let gone = event_sender.clone();
    spawn("dlang-server write", move || {
        let _end: Sender<()> = end;
        if let Err(error) = write() {
            tracing::debug!("the client does not listen any more: {error}");
            // Without a loop there is nothing to end.
            gone.send(Event::ClientGone).ok();
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
                    // A workspace without a root has nothing that could fail.
                    workspace: empty.unwrap_or_else(|_| Workspace::of_text("empty.dlang", "")),
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
                tracing::error!("there is no thread for the model: {error}");
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
    Ok(Server { client, model, main, written })
}

fn spawn<T: Send + 'static>(name: &str, run: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name(name.to_owned()).spawn(run)
}

fn pass_on(outgoing: &Receiver<OutgoingMessage>, to: &Sender<Message>) {
    for next in outgoing {
        let is_over = match next {
            OutgoingMessage::Message(message) => to.send(message).is_err(),
            // Only bytes can be no message.
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
