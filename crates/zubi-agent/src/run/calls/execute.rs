//! One call: what it would touch, and making it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use futures_util::future::{BoxFuture, FutureExt as _};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use zubi_host::{CallAnswer, CallRequest, CallContext};
use zubi_tool_api::cx::{
    ApprovalAnswer, ApprovalRequest, Approver, BYTES_PER_TOKEN, NoProgress, NoApprover, ProgressSink,
};
use zubi_tool_api::progress::ThrottledProgress;
use zubi_tool_api::{Code, Effect, ToolSpec};

use super::Item;
use crate::event::EventKind;
use crate::journal::Journal;
use crate::delegation::{self, ApprovalState};
use crate::run::Run;
use crate::run::schedule::CallAccess;

/// The most text of a result, in tokens.
const RESULT_TOKENS: usize = 8_000;
/// The same in bytes, for tools that do not keep to it.
const RESULT_BYTES: usize = 2 * RESULT_TOKENS * BYTES_PER_TOKEN;
/// How much of what a call would change is told beside it, in bytes.
const PREVIEW_BYTES: usize = 64 * 1024;
/// How long a call may take with all questions to a person; the tool's own time-out ends it earlier.
const PATIENCE: Duration = Duration::from_hours(24);
/// How long it may take to work out what a call would touch.
const LOOK: Duration = Duration::from_secs(10);

/// What a call that was still asked about when the turn was stopped comes to.
const NOT_ANSWERED: &str = "Not made. The turn ended before the user had answered whether it may be.";

/// What a call would touch.
#[derive(Debug, Clone)]
pub(super) struct PreparedCall {
    pub(super) touch: CallAccess,
    pub(super) effect: Effect,
    pub(super) preview: Option<String>,
    pub(super) writes: Vec<Utf8PathBuf>,
}

impl PreparedCall {
    /// Of a call that only looks, among others that do.
    pub(super) fn without_footprint(spec: &ToolSpec) -> Self {
        Self { touch: CallAccess::Looks(None), effect: spec.effect, preview: None, writes: Vec::new() }
    }
}

/// What a call has come to.
#[derive(Debug, Clone)]
pub(super) struct CompletedCall {
    pub(super) text: String,
    pub(super) failure: Option<Code>,
    /// Whether it may have done something.
    pub(super) has_begun: bool,
    pub(super) duration: Duration,
}

impl CompletedCall {
    /// Of a call that is not made.
    pub(super) fn skipped(text: String, failure: Option<Code>) -> Self {
        Self { text, failure, has_begun: false, duration: Duration::ZERO }
    }
}

/// Sees whether a call waits for the yes before which it does nothing.
struct WatchedApprover {
    inner: Arc<dyn Approver>,
    /// The one that is called, and with what.
    tool: String,
    arguments: Value,
    asked: Arc<Mutex<ApprovalState>>,
}

impl WatchedApprover {
    fn lock_state(&self) -> MutexGuard<'_, ApprovalState> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Approver for WatchedApprover {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer {
        self.lock_state().question(passes_on::matches_call(&request.tool, &self.tool, &self.arguments));
        let arguments = request.arguments.clone();
        let answer = self.inner.request_approval(request).await;
        self.lock_state().answer(&arguments, &answer);
        answer
    }

    fn client_asks(&self) -> bool {
        self.inner.client_asks()
    }
}

/// Tells how far a call is.
struct Progress {
    journal: Arc<dyn Journal>,
    call: String,
}

impl ProgressSink for Progress {
    fn report(&self, fraction: Option<f64>, message: &str) {
        let what = EventKind::Progress { call: self.call.clone(), fraction, message: message.to_owned() };
        // It is not kept, so nothing is lost.
        drop(self.journal.add(what));
    }
}

impl Run {
    fn request(&self, item: &Item) -> CallRequest {
        CallRequest {
            tool: item.tool.clone(),
            arguments: item.call.arguments.clone(),
            caller: Arc::clone(&self.turn.caller),
            token_budget: Some(RESULT_TOKENS),
        }
    }

    /// Works out what a call would touch.
    pub(super) fn prepare(&self, item: &Item, spec: &Arc<ToolSpec>) -> BoxFuture<'static, PreparedCall> {
        let (service, request, spec) = (Arc::clone(&self.turn.service), self.request(item), Arc::clone(spec));
        let journal = Arc::clone(&self.journal);
        let circumstances = CallContext {
            cancel: self.limits.stop.child_token(),
            progress: Arc::new(NoProgress),
            approver: Arc::new(NoApprover),
            patience: LOOK,
        };
        async move {
            match service.explain(request, circumstances).await {
                Ok(Ok(explained)) => PreparedCall {
                    touch: CallAccess::from_explanation(&spec, &explained),
                    effect: explained.footprint.effect.unwrap_or(spec.effect),
                    preview: explained.footprint.preview.map(|preview| journal.shorten(preview, PREVIEW_BYTES)),
                    writes: explained.footprint.writes,
                },
                // It fails when it is made as well, and says why; or it waits for a call before it to do something.
                Ok(Err(_)) | Err(_) => {
                    PreparedCall { touch: CallAccess::Alone, effect: spec.effect, preview: None, writes: Vec::new() }
                }
            }
        }
        .boxed()
    }

    /// Makes a call.
    pub(super) fn execute_call(&self, item: &Item, at: usize, cancel: &CancellationToken) -> BoxFuture<'static, (usize, CompletedCall)> {
        let (service, request) = (Arc::clone(&self.turn.service), self.request(item));
        let call = item.call.id.clone();
        let journal = Arc::clone(&self.journal);
        let asked = Arc::<Mutex<ApprovalState>>::default();
        let inner = self.turn.approvers.approver_for(self.number, &call, Arc::clone(&journal), cancel.clone());
        let approver = Arc::new(WatchedApprover {
            inner,
            tool: item.tool.clone(),
            arguments: item.call.arguments.clone(),
            asked: Arc::clone(&asked),
        });
        let cancel = cancel.clone();
        let circumstances = CallContext {
            cancel: cancel.clone(),
            approver,
            progress: Arc::new(ThrottledProgress::new(Arc::new(Progress { journal: Arc::clone(&journal), call }))),
            patience: PATIENCE,
        };
        async move {
            let started = Instant::now();
            let (text, failure) = match service.call(request, circumstances).await {
                // A command that was stopped has an end, but not its own.
                Ok(answer) if cancel.is_cancelled() && was_stopped(&answer) => (answer.text, Some(Code::Cancelled)),
                Ok(answer) => (answer.text, answer.failure),
                Err(unknown) => (unknown.to_string(), Some(unknown.code)),
            };
            if failure.is_some()
                && cancel.is_cancelled()
                && *asked.lock().unwrap_or_else(PoisonError::into_inner) == ApprovalState::Waiting
            {
                return (at, CompletedCall::skipped(NOT_ANSWERED.to_owned(), Some(Code::Cancelled)));
            }
            let text = journal.shorten(text, RESULT_BYTES);
            (at, CompletedCall { text, failure, has_begun: true, duration: started.elapsed() })
        }
        .boxed()
    }
}

/// Whether it is of a command that did not end by itself.
fn was_stopped(answer: &CallAnswer) -> bool {
    answer.failure.is_none() && answer.data.as_ref().is_some_and(|data| data["ended"] == "stopped")
}
