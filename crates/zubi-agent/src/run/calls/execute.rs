//! One call: its footprint and its execution.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use futures_util::future::{BoxFuture, FutureExt as _};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use zubi_host::{CallAnswer, CallContext, CallRequest};
use zubi_tool_api::cx::{
    ApprovalAnswer, ApprovalRequest, Approver, BYTES_PER_TOKEN, NoApprover, NoProgress, ProgressSink,
};
use zubi_tool_api::progress::ThrottledProgress;
use zubi_tool_api::{Effect, ErrorCode, ToolSpec};

use super::CallItem;
use crate::delegation::{self, ApprovalState};
use crate::event::EventKind;
use crate::journal::Journal;
use crate::run::RunningTurn;
use crate::run::schedule::CallAccess;

/// The maximum length of a result, in tokens.
const RESULT_TOKENS: usize = 8_000;
/// The maximum length of a result in bytes, for tools that exceed the token limit.
const RESULT_BYTES: usize = 2 * RESULT_TOKENS * BYTES_PER_TOKEN;
/// The maximum length of the preview of a change, in bytes.
const PREVIEW_BYTES: usize = 64 * 1024;
/// The time-out of a call with all its approval prompts; the tool's own time-out is shorter.
const CALL_TIMEOUT: Duration = Duration::from_hours(24);
/// The time-out for computing a call's footprint.
const FOOTPRINT_TIMEOUT: Duration = Duration::from_secs(10);

/// The result of a call whose approval prompt still waited when the turn was stopped.
const NOT_ANSWERED: &str = "Not made. The turn ended before the user answered the approval prompt.";

/// The expected effects of a call.
#[derive(Debug, Clone)]
pub(super) struct PreparedCall {
    pub(super) access: CallAccess,
    pub(super) effect: Effect,
    pub(super) preview: Option<String>,
    pub(super) writes: Vec<Utf8PathBuf>,
}

impl PreparedCall {
    /// Creates the value for a read-only call whose footprint does not matter.
    pub(super) fn without_footprint(spec: &ToolSpec) -> Self {
        Self { access: CallAccess::Reads(None), effect: spec.effect, preview: None, writes: Vec::new() }
    }
}

/// The result of a call.
#[derive(Debug, Clone)]
pub(super) struct CompletedCall {
    pub(super) text: String,
    pub(super) failure: Option<ErrorCode>,
    /// Whether the call may have had an effect.
    pub(super) has_started: bool,
    pub(super) duration: Duration,
}

impl CompletedCall {
    /// Creates the result of a call that is not made.
    pub(super) fn not_started(text: String, failure: Option<ErrorCode>) -> Self {
        Self { text, failure, has_started: false, duration: Duration::ZERO }
    }
}

/// An approver that records whether the call waits for its own approval, before which it does nothing.
struct WatchedApprover {
    inner: Arc<dyn Approver>,
    /// The called tool; its arguments follow.
    tool: String,
    arguments: Value,
    approval_state: Arc<Mutex<ApprovalState>>,
}

impl WatchedApprover {
    fn lock_state(&self) -> MutexGuard<'_, ApprovalState> {
        self.approval_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Approver for WatchedApprover {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer {
        self.lock_state().question(delegation::matches_call(&request.tool, &self.tool, &self.arguments));
        let arguments = request.arguments.clone();
        let answer = self.inner.request_approval(request).await;
        self.lock_state().answer(&arguments, &answer);
        answer
    }

    fn client_prompts(&self) -> bool {
        self.inner.client_prompts()
    }
}

/// Publishes the progress of a call.
struct CallProgress {
    journal: Arc<dyn Journal>,
    call: String,
}

impl ProgressSink for CallProgress {
    fn report(&self, fraction: Option<f64>, message: &str) {
        let kind = EventKind::Progress { call: self.call.clone(), fraction, message: message.to_owned() };
        // Progress is not saved, so a failure loses nothing.
        drop(self.journal.add(kind));
    }
}

impl RunningTurn {
    fn request(&self, item: &CallItem) -> CallRequest {
        CallRequest {
            tool: item.tool.clone(),
            arguments: item.call.arguments.clone(),
            caller: Arc::clone(&self.turn.caller),
            token_budget: Some(RESULT_TOKENS),
        }
    }

    /// Computes the footprint of a call.
    pub(super) fn prepare(&self, item: &CallItem, spec: &Arc<ToolSpec>) -> BoxFuture<'static, PreparedCall> {
        let (service, request, spec) = (Arc::clone(&self.turn.service), self.request(item), Arc::clone(spec));
        let journal = Arc::clone(&self.journal);
        let context = CallContext {
            cancel: self.limits.stop.child_token(),
            progress: Arc::new(NoProgress),
            approver: Arc::new(NoApprover),
            timeout: FOOTPRINT_TIMEOUT,
        };
        async move {
            match service.explain(&request, &context).await {
                Ok(explained) => PreparedCall {
                    access: CallAccess::from_explanation(&spec, &explained),
                    effect: explained.footprint.effect.unwrap_or(spec.effect),
                    preview: explained.footprint.preview.map(|preview| journal.shorten(preview, PREVIEW_BYTES)),
                    writes: explained.footprint.writes,
                },
                // Either the call itself fails in the same way and reports why, or it depends on a call before it.
                Err(_) => {
                    PreparedCall { access: CallAccess::Alone, effect: spec.effect, preview: None, writes: Vec::new() }
                }
            }
        }
        .boxed()
    }

    /// Executes a call.
    pub(super) fn execute_call(
        &self,
        item: &CallItem,
        at: usize,
        cancel: &CancellationToken,
    ) -> BoxFuture<'static, (usize, CompletedCall)> {
        let (service, request) = (Arc::clone(&self.turn.service), self.request(item));
        let call = item.call.id.clone();
        let journal = Arc::clone(&self.journal);
        let approval_state = Arc::<Mutex<ApprovalState>>::default();
        let inner = self.turn.approvers.approver_for(self.number, &call, Arc::clone(&journal), cancel.clone());
        let approver = Arc::new(WatchedApprover {
            inner,
            tool: item.tool.clone(),
            arguments: item.call.arguments.clone(),
            approval_state: Arc::clone(&approval_state),
        });
        let cancel = cancel.clone();
        let context = CallContext {
            cancel: cancel.clone(),
            approver,
            progress: Arc::new(ThrottledProgress::new(Arc::new(CallProgress { journal: Arc::clone(&journal), call }))),
            timeout: CALL_TIMEOUT,
        };
        async move {
            let started = Instant::now();
            let (text, failure) = match service.call(&request, &context).await {
                // A stopped command has a result, but did not end by itself.
                Ok(answer) if cancel.is_cancelled() && was_stopped(&answer) => {
                    (answer.text, Some(ErrorCode::Cancelled))
                }
                Ok(answer) => (answer.text, answer.failure),
                Err(error) => (error.to_string(), Some(error.code())),
            };
            if failure.is_some()
                && cancel.is_cancelled()
                && *approval_state.lock().unwrap_or_else(PoisonError::into_inner) == ApprovalState::Waiting
            {
                return (at, CompletedCall::not_started(NOT_ANSWERED.to_owned(), Some(ErrorCode::Cancelled)));
            }
            let text = journal.shorten(text, RESULT_BYTES);
            (at, CompletedCall { text, failure, has_started: true, duration: started.elapsed() })
        }
        .boxed()
    }
}

/// Whether the answer is that of a command that was stopped.
fn was_stopped(answer: &CallAnswer) -> bool {
    answer.failure.is_none() && answer.data.as_ref().is_some_and(|data| data["ended"] == "stopped")
}
