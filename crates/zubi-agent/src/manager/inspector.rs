//! Tool calls that a user makes by hand in the inspector. The full policy applies to them. Their events, with the
//! approval prompts, are sent under a conversation id of their own and are never saved.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::milliseconds;
use zubi_host::{CallContext, CallRequest, ToolService};
use zubi_tool_api::cx::{Caller, ProgressSink, Restrictions, Surface};

use super::parameters::{MAX_TEXT, MAX_WORDS, check_length};
use crate::chat::ChatError;
use crate::conversation::{ConversationContext, secrets};
use crate::event::{AgentEvent, EventKind};
use crate::journal::{Journal, PersistError};
use crate::questions::{ApproverFactory as _, Questions};
use crate::wire::{CallTool, INSPECTOR, ManualCallResult};
use zubi_models::message::PromptMessage;

/// The maximum number of parallel calls.
const MAX_CALLS: usize = 16;
/// The time-out of a call with its approval prompts; the tool's own time-out is shorter.
const CALL_TIMEOUT: Duration = Duration::from_hours(24);

/// Makes the calls of the inspector.
pub(super) struct ManualCalls {
    journal: Arc<UnsavedJournal>,
    questions: Questions,
    session: u64,
    permits: Semaphore,
    closing: CancellationToken,
    /// Cancels the running calls; replaced by a new token for later calls.
    stop: Mutex<CancellationToken>,
}

impl ManualCalls {
    pub(super) fn new(
        context: &ConversationContext,
        questions: Questions,
        session: u64,
        closing: CancellationToken,
    ) -> Self {
        let stop = Mutex::new(closing.child_token());
        let journal = Arc::new(UnsavedJournal { context: context.clone(), ids: AtomicU64::new(0) });
        Self { journal, questions, session, permits: Semaphore::new(MAX_CALLS), closing, stop }
    }

    pub(super) fn questions(&self) -> &Questions {
        &self.questions
    }

    pub(super) fn stop(&self) {
        let mut stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        stop.cancel();
        *stop = self.closing.child_token();
    }

    pub(super) async fn call(
        &self,
        service: &Arc<dyn ToolService>,
        call: CallTool,
        surface: &str,
    ) -> Result<ManualCallResult, ChatError> {
        check_length("tool", Some(&call.tool), MAX_WORDS)?;
        check_length("arguments", Some(&call.arguments.to_string()), MAX_TEXT)?;
        let Ok(_permit) = self.permits.try_acquire() else {
            return Err(ChatError::Failed(format!(
                "{MAX_CALLS} calls are being made already. Wait for one, or stop them."
            )));
        };
        let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner).child_token();
        // If the client stops waiting for the result, the call is cancelled.
        let _cancel_on_drop = stop.clone().drop_guard();
        let id = self.journal.new_id();
        let caller = Caller {
            surface: Surface::Agent,
            client: Some(format!("zubi-agent inspector ({surface})")),
            session: self.session,
            restrictions: Restrictions::default(),
        };
        let journal: Arc<dyn Journal> = Arc::clone(&self.journal) as Arc<dyn Journal>;
        let call_context = CallContext {
            cancel: stop.clone(),
            progress: Arc::new(InspectorProgress { call: id.clone(), journal: Arc::clone(&journal) }),
            approver: self.questions.approver_for(0, &id, journal, stop),
            timeout: CALL_TIMEOUT,
        };
        let request =
            CallRequest { tool: call.tool, arguments: call.arguments, caller: Arc::new(caller), token_budget: None };
        let answer =
            service.call(&request, &call_context).await.map_err(|error| ChatError::NotFound(error.to_string()))?;
        Ok(ManualCallResult {
            text: answer.text,
            is_error: answer.failure.is_some(),
            data: answer.data,
            duration: milliseconds(answer.duration),
        })
    }
}

struct InspectorProgress {
    call: String,
    journal: Arc<dyn Journal>,
}

impl ProgressSink for InspectorProgress {
    fn report(&self, fraction: Option<f64>, message: &str) {
        let kind = EventKind::Progress { call: self.call.clone(), fraction, message: message.to_owned() };
        // This journal saves nothing, so adding cannot fail.
        drop(self.journal.add(kind));
    }
}

/// A journal that sends all events to the listeners and saves none.
struct UnsavedJournal {
    context: ConversationContext,
    ids: AtomicU64,
}

impl Journal for UnsavedJournal {
    fn add(&self, kind: EventKind) -> Result<(), PersistError> {
        let kind = secrets::redact_event(&self.context.redactor, kind);
        (self.context.listener)(INSPECTOR, AgentEvent { seq: 0, at: self.context.now(), kind });
        Ok(())
    }

    fn clean(&self, text: &str, is_interrupted: bool) -> String {
        secrets::text(&self.context.redactor, text, is_interrupted)
    }

    fn messages(&self) -> Vec<PromptMessage> {
        Vec::new()
    }

    fn last(&self) -> u64 {
        0
    }

    fn messages_with_seq(&self) -> Vec<(u64, PromptMessage)> {
        Vec::new()
    }

    fn new_id(&self) -> String {
        format!("inspector_{}", self.ids.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
