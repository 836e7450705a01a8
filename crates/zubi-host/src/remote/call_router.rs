//! Messages that a host sends to a client: progress of calls, approval requests for its user, changes of the list.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::watch;
use zubi_base::framing::ResponseError;
use zubi_base::rpc::{PeerHandler, Responder};
use zubi_ipc::wire::{codes, tools as wire};
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest, Approver, ProgressSink};

/// Forwards incoming messages to their calls.
#[derive(Default)]
pub(super) struct CallRouter {
    calls: Mutex<PendingCalls>,
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct PendingCalls {
    last: u64,
    /// The pending calls by token.
    open: BTreeMap<u64, PendingCall>,
}

#[derive(Clone)]
struct PendingCall {
    progress: Arc<dyn ProgressSink>,
    approver: Arc<dyn Approver>,
}

/// A call that receives progress and approval requests until this is dropped.
pub(super) struct Subscription<'router> {
    router: &'router CallRouter,
    token: u64,
}

impl Subscription<'_> {
    pub(super) fn token(&self) -> Value {
        json!(self.token)
    }
}

impl Drop for Subscription<'_> {
    fn drop(&mut self) {
        self.router.calls().open.remove(&self.token);
    }
}

impl CallRouter {
    pub(super) fn listen(&self, progress: Arc<dyn ProgressSink>, approver: Arc<dyn Approver>) -> Subscription<'_> {
        let mut calls = self.calls();
        calls.last += 1;
        let token = calls.last;
        calls.open.insert(token, PendingCall { progress, approver });
        Subscription { router: self, token }
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn calls(&self) -> MutexGuard<'_, PendingCalls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self, token: &Value) -> Option<PendingCall> {
        self.calls().open.get(&token.as_u64()?).cloned()
    }
}

impl PeerHandler for CallRouter {
    fn notification(&self, method: &str, params: Value) {
        match method {
            wire::CHANGED => self.changes.send_modify(|count| *count += 1),
            wire::PROGRESS => {
                let Ok(params) = serde_json::from_value::<wire::ProgressParams>(params) else { return };
                if let Some(call) = self.call(&params.token) {
                    call.progress.report(params.value.fraction, &params.value.message);
                }
            }
            _ => tracing::debug!(method, "an unknown notification"),
        }
    }

    fn request(&self, method: &str, params: Value, responder: Responder) {
        if method != wire::APPROVAL {
            let message = format!("there is no method `{method}`");
            return responder.answer(Err(ResponseError { code: codes::METHOD_NOT_FOUND, message, data: None }));
        }
        let call_and_request = serde_json::from_value::<wire::ApprovalParams>(params).ok().and_then(|params| {
            Some((self.call(&params.token)?, serde_json::from_value::<ApprovalRequest>(params.request).ok()?))
        });
        let Some((call, request)) = call_and_request else {
            // No user was prompted, so the call is not approved.
            return responder.answer(Ok(json!(ApprovalAnswer::NotPrompted {
                reason: "the call has ended, or the approval request is invalid".to_owned(),
            })));
        };
        tokio::spawn(async move {
            let cancel = responder.cancel().clone();
            tokio::select! {
                answer = call.approver.request_approval(request) => responder.answer(Ok(json!(answer))),
                () = cancel.cancelled() => {}
            }
        });
    }
}
