//! Table of the methods that the server answers, filled by [`crate::requests`] and by the host.
//!
//! There are two kinds. Most methods *query*: they receive a [`Snapshot`], run on a thread of the pool,
//! and are retried when the model changes meanwhile. Methods that do not use the model or take long are *started*: they
//! receive a [`RequestResponder`], return soon, and answer when they are done.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use camino::Utf8PathBuf;
use serde::Serialize;
use serde_json::{Map, Value};
use zubi_base::lsp;
use zubi_base::position::Encoding;

use crate::client::ClientHandle;
use crate::model::ModelHandle;
use crate::request::{Answer, Cancel, LoadingBehavior, Method, RequestError, RequestResponder, from_value};
use crate::snapshot::Snapshot;

type NotificationHandler = dyn Fn(Value) + Send + Sync;
type FolderChangeHandler = dyn Fn(&[Utf8PathBuf]) + Send + Sync;
type Extend = dyn FnOnce(Initialize<'_>) -> MethodTable + Send;

/// Methods of a server, by name.
#[derive(Default)]
pub struct MethodTable {
    methods: BTreeMap<String, Arc<Method>>,
    notifications: BTreeMap<String, Box<NotificationHandler>>,
    folders: Option<Box<FolderChangeHandler>>,
    /// Values under `experimental` in the server's capabilities.
    experimental: Map<String, Value>,
    /// Adds further methods, depending on the client.
    extend: Option<Box<Extend>>,
}

/// Data about a client, available once it has sent `initialize`.
#[derive(Clone, Copy)]
pub struct Initialize<'a> {
    /// Params of `initialize`.
    pub params: &'a Value,
    /// Folders that the client has open.
    pub folders: &'a [Utf8PathBuf],
    /// Encoding of columns in this connection.
    pub encoding: Encoding,
    /// Handle for sending messages to the client.
    pub client: &'a ClientHandle,
    /// Handle of the model that the client sees.
    pub model: &'a ModelHandle,
}

impl MethodTable {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a query of the model. It runs on a thread of the pool, possibly twice: when the model changes meanwhile,
    /// its calls of the snapshot return [`QueryCancelled`](dlang_model::QueryCancelled), which it must propagate. It
    /// owns its snapshot and may drop it early; while it works without one it must check for cancellation itself,
    /// because changes wait for it. While the workspace loads, it is answered like `domainlang/*`.
    #[must_use]
    pub(crate) fn with_query(
        self,
        name: impl Into<String>,
        run: impl Fn(Snapshot, Value, &Cancel) -> Answer + Send + Sync + 'static,
    ) -> Self {
        self.with_method(name, Method::Query { run: Box::new(run), loading: LoadingBehavior::Limited })
    }

    /// Adds a request that is answered through its [`RequestResponder`]. It runs on a thread of the pool and must
    /// return soon; long work belongs on another thread.
    #[must_use]
    pub fn start(self, name: impl Into<String>, run: impl Fn(Value, RequestResponder) + Send + Sync + 'static) -> Self {
        self.with_method(name, Method::Start(Box::new(run)))
    }

    /// Adds a handler of a notification. The main loop calls it, in order with all other messages, so it must return at
    /// once.
    #[must_use]
    pub fn on_notification(mut self, name: impl Into<String>, handler: impl Fn(Value) + Send + Sync + 'static) -> Self {
        self.notifications.insert(name.into(), Box::new(handler));
        self
    }

    /// Sets the handler of changes of the client's folders after `initialize`. As in [`Self::on_notification`], the
    /// main loop calls it: later requests are started after it.
    #[must_use]
    pub fn on_folders_changed(mut self, handler: impl Fn(&[Utf8PathBuf]) + Send + Sync + 'static) -> Self {
        self.folders = Some(Box::new(handler));
        self
    }

    /// Adds a value under `experimental` in the server's capabilities, which are part of the result of `initialize`.
    #[must_use]
    pub fn experimental(mut self, name: impl Into<String>, value: Value) -> Self {
        self.experimental.insert(name.into(), value);
        self
    }

    /// Sets a function that adds methods depending on the params of `initialize`. The main loop calls it before it
    /// answers the client, so it must return at once.
    #[must_use]
    pub fn extend(mut self, extend: impl FnOnce(Initialize<'_>) -> Self + Send + 'static) -> Self {
        self.extend = Some(Box::new(extend));
        self
    }

    /// Adds a request of the protocol, with typed parameters and result.
    #[must_use]
    pub(crate) fn with_request<R: lsp::Request>(
        self,
        run: fn(&Snapshot, &R::Params) -> Result<R::Result, RequestError>,
    ) -> Self {
        let run = move |snapshot: Snapshot, params: Value, _: &Cancel| to_value(run(&snapshot, &from_value(&params)?)?);
        self.with_method(R::METHOD.as_str(), Method::Query { run: Box::new(run), loading: LoadingBehavior::Endless })
    }

    /// Merges another table; existing names take precedence.
    #[must_use]
    pub(crate) fn merge(mut self, other: Self) -> Self {
        for (name, method) in other.methods {
            self.methods.entry(name).or_insert(method);
        }
        self.notifications.extend(other.notifications);
        self.folders = self.folders.or(other.folders);
        self.experimental.extend(other.experimental);
        self.extend = self.extend.or(other.extend);
        self
    }

    /// Adds the methods for this client.
    pub(crate) fn initialize(&mut self, client: Initialize<'_>) {
        if let Some(extend) = self.extend.take() {
            match catch_unwind(AssertUnwindSafe(|| extend(client))) {
                Ok(more) => *self = std::mem::take(self).merge(more),
                Err(_) => tracing::error!("adding methods panicked; they are missing"),
            }
        }
    }

    /// Takes the values added with [`Self::experimental`].
    pub(crate) fn take_experimental(&mut self) -> Map<String, Value> {
        std::mem::take(&mut self.experimental)
    }

    /// Returns the requests, without notifications.
    pub(crate) fn into_requests(self) -> BTreeMap<String, Arc<Method>> {
        self.methods
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<Method>> {
        self.methods.get(name).cloned()
    }

    pub(crate) fn notification_handler(&self, name: &str) -> Option<&NotificationHandler> {
        self.notifications.get(name).map(|handler| &**handler)
    }

    pub(crate) fn folders_changed(&self, folders: &[Utf8PathBuf]) {
        if let Some(handler) = &self.folders
            && catch_unwind(AssertUnwindSafe(|| handler(folders))).is_err()
        {
            tracing::error!("the handler of folder changes panicked");
        }
    }

    fn with_method(mut self, name: impl Into<String>, method: Method) -> Self {
        self.methods.insert(name.into(), Arc::new(method));
        self
    }
}

fn to_value(result: impl Serialize) -> Answer {
    // The server's own results can always be serialized; a failure is a defect.
    serde_json::to_value(result).map_err(|error| RequestError::Failed(error.to_string()))
}
