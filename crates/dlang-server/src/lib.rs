//! The language server for DomainLang: the Language Server Protocol over a [`dlang_workspace`], and nothing of the
//! language itself, which is decided in `dlang-ide` and below.
//!
//! [`run`] serves one connection; [`stdio`] does so on the process's own standard input and output. A host that is more
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
//! - the *writer* carries messages to the client, so that a client that reads slowly delays nobody else.
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
//! field, capabilities that are not as the protocol has them count as absent. A panic ends one request and not the server.

#![cfg_attr(test, expect(clippy::string_slice, reason = "a test that cuts a character should fail"))]

mod capabilities;
mod client;
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
mod watching;

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use dlang_workspace::Workspace;
use dlang_workspace::files::{DiskFiles, SharedFiles};
pub use lsp_server::RequestId;
use lsp_server::{Connection, Message};

use crate::client::Outgoing;
pub use crate::client::{ClientError, ClientHandle};
pub use crate::direct::Requests;
use crate::main_loop::{MainLoop, Parts};
pub use crate::methods::{Answer, Cancel, Initialize, MethodTable, RequestError, Responder, from_value};
use crate::model::Model;
pub use crate::model::ModelHandle;
use crate::pool::Pool;
pub use crate::snapshot::{OpenText, Snapshot};

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
        }
    }
}

/// How a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// `shutdown`, then `exit`.
    Orderly,
    /// `exit` alone, or the client was gone.
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

/// A server that runs on its own threads.
pub struct Server {
    client: ClientHandle,
    model: ModelHandle,
    main: JoinHandle<Exit>,
    writer: JoinHandle<()>,
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

    /// Waits until the conversation is over and everything is written.
    pub fn join(self) -> Exit {
        // The loop catches what panics in it; if it ended by one after all, nobody said goodbye.
        let exit = self.main.join().unwrap_or(Exit::Abrupt);
        self.client.close();
        if self.writer.join().is_err() {
            tracing::error!("writing to the client panicked");
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
    let (out, outgoing) = unbounded();
    let client = ClientHandle::new(out);
    let to_client = connection.sender;
    let writer = spawn("dlang-server write", move || write(&outgoing, &to_client))?;

    let (event_sender, events) = unbounded();
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
    let parts = Parts {
        options,
        methods: requests::table().and(extra),
        incoming: connection.receiver,
        events: (event_sender, events),
        client: client.clone(),
        model: model.clone(),
        pool,
        tokens,
        start_model: Box::new(start_model),
    };
    let main = spawn("dlang-server loop", move || MainLoop::new(parts).run())?;
    Ok(Server { client, model, main, writer })
}

/// Serves standard input and output until the client is done.
///
/// # Errors
///
/// When the system gives no threads, or reading or writing failed.
pub fn stdio(options: Options, extra: MethodTable) -> io::Result<Exit> {
    let (connection, threads) = Connection::stdio();
    let exit = run(connection, options, extra)?.join();
    threads.join()?;
    Ok(exit)
}

fn spawn<T: Send + 'static>(name: &str, run: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name(name.to_owned()).spawn(run)
}

fn write(outgoing: &Receiver<Outgoing>, to: &Sender<Message>) {
    for next in outgoing {
        let Outgoing::Message(message) = next else { return };
        if to.send(message).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
