//! Calls of the stateless era that wait for their user's approval. The client has received the prompt as the response
//! to the call, and calls again with the filled form and the prompt's handle. The call stays suspended meanwhile, so it
//! does not repeat its work.
//!
//! A client that did not receive the result calls again with the same handle, so zubi stores the result of an answered
//! prompt for some time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, ElicitRequest, ElicitResult, InputRequest, InputRequiredResult, JsonObject,
};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::DropGuard;
use zubi_base::random;

use crate::elicitation::PendingElicitation;

/// The key of the approval prompt in the response, and of its answer in the next request.
pub(crate) const APPROVAL: &str = "approval";

/// The maximum number of stored answered calls, and how long each is stored.
const MAX_ANSWERED: usize = 64;
const ANSWER_RETENTION: Duration = Duration::from_mins(10);

/// The response to a request.
pub(crate) type CallOutcome = Result<CallToolResponse, ErrorData>;

/// A call that runs or waits for approval.
pub(crate) struct SuspendedCall {
    /// The tool of the call: only the same call may answer its prompts.
    pub(crate) tool: String,
    pub(crate) arguments: Option<JsonObject>,
    pub(crate) task: JoinHandle<Result<CallToolResult, ErrorData>>,
    pub(crate) prompts: mpsc::Receiver<PendingElicitation>,
    /// Cancels the call when it is dropped.
    pub(crate) _cancel: DropGuard,
}

impl SuspendedCall {
    fn matches(&self, tool: &str, arguments: Option<&JsonObject>) -> bool {
        self.tool == tool && self.arguments.as_ref() == arguments
    }
}

struct WaitingPrompt {
    call: SuspendedCall,
    prompt: PendingElicitation,
}

/// A call whose prompt was answered.
struct AnsweredCall {
    handle: String,
    tool: String,
    arguments: Option<JsonObject>,
    answered_at: Instant,
    /// `None` while the call runs.
    outcome: watch::Receiver<Option<CallOutcome>>,
}

#[derive(Default)]
struct SuspendedState {
    /// Waiting prompts by handle.
    waiting: BTreeMap<String, WaitingPrompt>,
    /// Answered calls, the oldest first.
    answered: VecDeque<AnsweredCall>,
}

/// The waiting and the answered calls. The caller limits the number of waiting ones.
#[derive(Clone, Default)]
pub(crate) struct SuspendedCalls(Arc<Mutex<SuspendedState>>);

/// The call to which a handle belongs.
pub(crate) enum ResumedCall {
    /// The call continues; its result must also be sent here.
    Continued(SuspendedCall, watch::Sender<Option<CallOutcome>>),
    /// The call continued before, and its result arrives here.
    Repeated(watch::Receiver<Option<CallOutcome>>),
}

/// The reason why a call does not continue.
pub(crate) enum NotResumed {
    /// The handle is unknown, or its prompt is closed.
    Unknown,
    /// The handle belongs to another call.
    OtherCall,
    /// The request contains no answer; the client gets the prompt again.
    PromptAgain(Box<InputRequiredResult>),
}

impl SuspendedCalls {
    fn lock_state(&self) -> MutexGuard<'_, SuspendedState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Suspends a call and returns the response for its client. Cancels the call if the client does not return within
    /// `timeout`.
    pub(crate) fn suspend(
        &self,
        call: SuspendedCall,
        prompt: PendingElicitation,
        timeout: Duration,
    ) -> Result<InputRequiredResult, ErrorData> {
        let handle = random::hex::<16>().map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let response = input_required(&prompt, &handle);
        self.lock_state().waiting.insert(handle.clone(), WaitingPrompt { call, prompt });
        let state = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            tokio::time::sleep(timeout).await;
            if let Some(state) = state.upgrade() {
                state.lock().unwrap_or_else(PoisonError::into_inner).waiting.remove(&handle);
            }
        });
        Ok(response)
    }

    /// Answers the prompt with this handle and resumes its call.
    pub(crate) fn resume(
        &self,
        handle: &str,
        tool: &str,
        arguments: Option<&JsonObject>,
        answer: Option<ElicitResult>,
    ) -> Result<ResumedCall, NotResumed> {
        let mut state = self.lock_state();
        state.answered.retain(|answered| answered.answered_at.elapsed() < ANSWER_RETENTION);
        if let Some(answered) = state.answered.iter().find(|answered| answered.handle == handle) {
            let is_same = answered.tool == tool && answered.arguments.as_ref() == arguments;
            return if is_same {
                Ok(ResumedCall::Repeated(answered.outcome.clone()))
            } else {
                Err(NotResumed::OtherCall)
            };
        }
        let waiting_call = state.waiting.get(handle).ok_or(NotResumed::Unknown)?;
        if !waiting_call.call.matches(tool, arguments) {
            return Err(NotResumed::OtherCall);
        }
        let Some(answer) = answer else {
            return Err(NotResumed::PromptAgain(Box::new(input_required(&waiting_call.prompt, handle))));
        };
        let WaitingPrompt { call, prompt } = state.waiting.remove(handle).ok_or(NotResumed::Unknown)?;
        // Still under the lock, so that a client that repeats its request at once finds the handle.
        let (sender, outcome) = watch::channel(None);
        let (tool, arguments, answered_at) = (call.tool.clone(), call.arguments.clone(), Instant::now());
        state.answered.push_back(AnsweredCall { handle: handle.to_owned(), tool, arguments, answered_at, outcome });
        if state.answered.len() > MAX_ANSWERED {
            state.answered.pop_front();
        }
        // The call may have timed out at this moment; it reports that itself.
        prompt.answer.send(answer).ok();
        Ok(ResumedCall::Continued(call, sender))
    }
}

fn input_required(prompt: &PendingElicitation, handle: &str) -> InputRequiredResult {
    let request = InputRequest::Elicitation(ElicitRequest::new(prompt.form.clone()));
    InputRequiredResult::new(Some([(APPROVAL.to_owned(), request)].into()), Some(handle.to_owned()))
}
