//! Requests of the client, from their arrival to their answer.

use std::sync::Arc;
use std::time::Instant;

use lsp_server::{ErrorCode, Request, RequestId, Response, ResponseError};
use serde_json::{Value, json};

use super::{MainLoop, Phase, deadline_after};
use crate::capabilities::capabilities;
use crate::methods::Initialize;
use crate::model::{ModelCommand, SnapshotRequest};
use crate::request::{Cancel, LoadingBehavior, Method, RequestResponder, response_error};
use crate::settings::{self, ClientSettings};
use crate::{client_process, file_watcher};

/// Maximum number of pending requests. An editor has a handful; more is a defect of the client, which gets an error.
const MAX_PENDING: usize = 4096;

/// A request without an answer.
pub(super) struct PendingRequest {
    id: RequestId,
    pub(super) cancel: Cancel,
    /// Time of the answer with the progress of loading, if the workspace is still loading then.
    deadline: Option<Instant>,
}

impl MainLoop {
    pub(super) fn request(&mut self, request: Request) {
        match (self.phase, request.method.as_str()) {
            (Phase::Uninitialized, "initialize") => self.initialize(request.id, &request.params),
            (Phase::Uninitialized, _) => {
                self.refuse(request.id, ErrorCode::ServerNotInitialized, "`initialize` comes first");
            }
            (Phase::Running, "initialize") => {
                self.refuse(request.id, ErrorCode::InvalidRequest, "the server is initialized already");
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.respond(request.id, Ok(Value::Null));
            }
            (Phase::Running, _) => self.begin(request),
            (Phase::ShutDown, _) => {
                self.refuse(request.id, ErrorCode::InvalidRequest, "the server is shut down");
            }
        }
    }

    fn initialize(&mut self, id: RequestId, params: &Value) {
        self.phase = Phase::Running;
        self.settings = Arc::new(ClientSettings::new(params));
        self.roots = settings::roots(params);
        if let Some(pid) = settings::process_id(params) {
            client_process::watch_if_ancestor(pid, self.event_sender.clone());
        }
        self.methods.initialize(Initialize {
            params,
            folders: &self.roots,
            encoding: self.settings.encoding,
            client: &self.client,
            model: &self.model,
        });
        if !self.settings.can_watch_files && self.options.watch {
            match file_watcher::watch(self.model.clone()) {
                Ok(waker) => self.waker = Some(waker),
                Err(error) => tracing::warn!("cannot watch files for changes: {error}"),
            }
        }
        if let Some(start) = self.start_model.take() {
            start(Arc::clone(&self.settings), self.waker.clone());
        }
        self.load();
        let mut capabilities = capabilities(&self.settings);
        let experimental = self.methods.take_experimental();
        if !experimental.is_empty() {
            capabilities.experimental = Some(experimental.into());
        }
        let result = json!({
            "capabilities": capabilities,
            "serverInfo": { "name": self.options.name, "version": self.options.version },
        });
        self.respond(id, Ok(result));
        self.client.open();
    }

    fn begin(&mut self, request: Request) {
        let Request { id, method: name, params } = request;
        let Some(method) = self.methods.get(&name) else {
            self.refuse(id, ErrorCode::MethodNotFound, &format!("there is no method `{name}`"));
            return;
        };
        if self.by_id.contains_key(&id) {
            self.refuse(id, ErrorCode::InvalidRequest, "a request with this id has no answer yet");
            return;
        }
        if self.pending.len() >= MAX_PENDING {
            self.refuse(id, ErrorCode::RequestFailed, &format!("too many pending requests, limit {MAX_PENDING}"));
            return;
        }
        self.next_serial += 1;
        let (serial, cancel) = (self.next_serial, Cancel::default());
        let is_limited = matches!(*method, Method::Query { loading: LoadingBehavior::Limited, .. });
        let deadline = (is_limited && self.loading > 0).then(|| deadline_after(self.options.loading_limit));
        self.by_id.insert(id.clone(), serial);
        self.pending.insert(serial, PendingRequest { id, cancel: cancel.clone(), deadline });
        if let Method::Start(_) = &*method {
            let (events, client) = (self.event_sender.clone(), self.client.clone());
            let responder = RequestResponder { serial, events, cancel, client, is_answered: false };
            self.pool.run(move || {
                if let Method::Start(start) = &*method {
                    start(params, responder);
                }
            });
        } else {
            self.model.send(ModelCommand::Query(SnapshotRequest {
                serial,
                name,
                method,
                params,
                cancel,
                is_second: false,
            }));
        }
    }

    /// Sends the result of a thread. It is dropped if the request was cancelled.
    pub(super) fn finish_request(&mut self, serial: u64, result: Result<Value, ResponseError>) {
        if let Some(pending) = self.pending.remove(&serial) {
            self.by_id.remove(&pending.id);
            self.respond(pending.id, result);
        }
    }

    /// Cancels a request. It still receives a response, as the protocol requires.
    pub(super) fn cancel(&mut self, id: &RequestId) {
        let Some(serial) = self.by_id.get(id).copied() else { return };
        self.answer_early(serial, Err(response_error(ErrorCode::RequestCanceled, "cancelled by the client")));
    }

    pub(super) fn requests_deadline(&self) -> Option<Instant> {
        self.pending.values().filter_map(|pending| pending.deadline).min()
    }

    /// Answers overdue requests with the progress of loading.
    pub(super) fn answer_overdue_requests(&mut self, now: Instant) {
        let is_due = |pending: &PendingRequest| pending.deadline.is_some_and(|deadline| deadline <= now);
        let due = self.pending.iter().filter(|(_, pending)| is_due(pending)).map(|(serial, _)| *serial);
        for serial in due.collect::<Vec<_>>() {
            self.answer_early(serial, Ok(self.loading_result()));
        }
    }

    fn answer_early(&mut self, serial: u64, result: Result<Value, ResponseError>) {
        if let Some(pending) = self.pending.get(&serial) {
            pending.cancel.cancel();
        }
        self.finish_request(serial, result);
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, message: &str) {
        self.respond(id, Err(response_error(code, message)));
    }

    fn respond(&self, id: RequestId, result: Result<Value, ResponseError>) {
        self.client.send(Response { id, response_result: result });
    }
}
