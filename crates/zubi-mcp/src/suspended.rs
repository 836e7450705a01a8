//! Calls of the stateless era that wait for an answer of the client's user. The client has got the question as the answer
//! to its call, and calls again with what was filled in and with the handle that the question came with. The call itself
//! stands where it is meanwhile: what it has done is not done twice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ElicitRequest, ElicitResult, InputRequest, InputRequiredResult, JsonObject};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::DropGuard;

use crate::asking::Question;

/// The name of the question in what the client gets, and of its answer in what comes back.
pub(crate) const APPROVAL: &str = "approval";

/// A call that runs, or waits.
pub(crate) struct Running {
    /// Whose call it is: only the same one may answer its questions.
    pub(crate) tool: String,
    pub(crate) arguments: Option<JsonObject>,
    pub(crate) task: JoinHandle<Result<CallToolResult, ErrorData>>,
    pub(crate) questions: mpsc::Receiver<Question>,
    /// Dropped, it cancels the call.
    pub(crate) _cancel: DropGuard,
    pub(crate) _slot: OwnedSemaphorePermit,
}

struct Waiting {
    call: Running,
    question: Question,
}

/// The calls that wait, by their handles. There are never more than calls may run.
#[derive(Clone, Default)]
pub(crate) struct Suspended(Arc<Mutex<BTreeMap<String, Waiting>>>);

/// Why a call does not go on.
pub(crate) enum NotResumed {
    /// The handle is nobody's, or its question is closed.
    Unknown,
    /// The handle belongs to another call, which still waits.
    OtherCall,
    /// No answer came with it: the question again.
    AskAgain(Box<InputRequiredResult>),
}

impl Suspended {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a call wait, and gives what its client is to be told. A client that does not come back within `patience` has
    /// given the call up.
    pub(crate) fn wait(
        &self,
        call: Running,
        question: Question,
        patience: Duration,
    ) -> Result<InputRequiredResult, ErrorData> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let handle = format!("{:032x}", u128::from_ne_bytes(random));
        let told = told(&question, &handle);
        self.all().insert(handle.clone(), Waiting { call, question });
        let all = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            tokio::time::sleep(patience).await;
            if let Some(all) = all.upgrade() {
                all.lock().unwrap_or_else(PoisonError::into_inner).remove(&handle);
            }
        });
        Ok(told)
    }

    /// The call that this one continues, with its question answered.
    pub(crate) fn resume(
        &self,
        handle: &str,
        tool: &str,
        arguments: Option<&JsonObject>,
        answer: Option<ElicitResult>,
    ) -> Result<Running, NotResumed> {
        let mut all = self.all();
        let waiting = all.get(handle).ok_or(NotResumed::Unknown)?;
        if waiting.call.tool != tool || waiting.call.arguments.as_ref() != arguments {
            return Err(NotResumed::OtherCall);
        }
        let Some(answer) = answer else { return Err(NotResumed::AskAgain(Box::new(told(&waiting.question, handle)))) };
        let waiting = all.remove(handle).ok_or(NotResumed::Unknown)?;
        // Who asked may have lost patience at this very moment; then the call says so.
        waiting.question.answer.send(answer).ok();
        Ok(waiting.call)
    }
}

fn told(question: &Question, handle: &str) -> InputRequiredResult {
    let request = InputRequest::Elicitation(ElicitRequest::new(question.form.clone()));
    InputRequiredResult::new(Some([(APPROVAL.to_owned(), request)].into()), Some(handle.to_owned()))
}
