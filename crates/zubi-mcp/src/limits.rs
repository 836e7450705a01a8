//! The limit of concurrent calls. A running call holds a slot; a call that waits for a person releases it meanwhile, so
//! that unanswered prompts do not block other calls. Prompts have a limit of their own.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest, Approver};

/// The maximum number of concurrent calls; more than any agent makes. Calls beyond it wait for a slot.
const MAX_CALLS: usize = 64;

/// The maximum number of calls that wait for a slot. Calls beyond it get an error.
pub(crate) const MAX_WAITING: usize = 2_000;

/// The maximum number of calls that wait for a person.
pub(crate) const MAX_PROMPTS: usize = 64;

pub(crate) struct CallLimiter {
    calls: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    prompts: Arc<Semaphore>,
}

impl Default for CallLimiter {
    fn default() -> Self {
        Self {
            calls: Arc::new(Semaphore::new(MAX_CALLS)),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            prompts: Arc::new(Semaphore::new(MAX_PROMPTS)),
        }
    }
}

impl CallLimiter {
    /// Waits for a slot for a call, in the order of the calls. Returns `None` at once if too many calls wait.
    pub(crate) async fn acquire(&self) -> Option<CallSlot> {
        let permit = if let Ok(permit) = Arc::clone(&self.calls).try_acquire_owned() {
            permit
        } else {
            let _waiting = self.waiting.try_acquire().ok()?;
            Arc::clone(&self.calls).acquire_owned().await.ok()?
        };
        Some(CallSlot {
            permit: Arc::new(Mutex::new(Some(permit))),
            calls: Arc::clone(&self.calls),
            prompts: Arc::clone(&self.prompts),
        })
    }
}

/// A call's slot, shared by its clones. The call releases it while it waits for a person.
#[derive(Clone)]
pub(crate) struct CallSlot {
    permit: Arc<Mutex<Option<OwnedSemaphorePermit>>>,
    calls: Arc<Semaphore>,
    prompts: Arc<Semaphore>,
}

impl CallSlot {
    fn set_permit(&self, permit: Option<OwnedSemaphorePermit>) {
        *self.permit.lock().unwrap_or_else(PoisonError::into_inner) = permit;
    }
}

/// An approver that releases the call's slot during the prompt.
pub(crate) struct YieldPermit {
    pub(crate) slot: CallSlot,
    pub(crate) approver: Arc<dyn Approver>,
}

#[async_trait]
impl Approver for YieldPermit {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer {
        let Ok(_prompt) = self.slot.prompts.try_acquire() else {
            return ApprovalAnswer::NotPrompted {
                reason: format!("{MAX_PROMPTS} questions wait for an answer already"),
            };
        };
        self.slot.set_permit(None);
        let answer = self.approver.request_approval(request).await;
        // Other calls may use the slot by now, so wait for a free one.
        if let Ok(permit) = Arc::clone(&self.slot.calls).acquire_owned().await {
            self.slot.set_permit(Some(permit));
        }
        answer
    }

    fn client_prompts(&self) -> bool {
        self.approver.client_prompts()
    }
}
