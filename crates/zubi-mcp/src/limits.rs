//! The limit of concurrent calls. A running call holds a slot; a call that waits for a person releases it meanwhile, so
//! that unanswered prompts do not block other calls. Prompts have a limit of their own.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest, Approver};

/// The maximum number of concurrent calls. More than any agent uses; a client that exceeds it gets an error.
pub(crate) const MAX_CALLS: usize = 64;

/// How many calls wait for a person at once.
pub(crate) const MAX_PROMPTS: usize = 64;

pub(crate) struct CallLimiter {
    calls: Arc<Semaphore>,
    prompts: Arc<Semaphore>,
}

impl Default for CallLimiter {
    fn default() -> Self {
        Self { calls: Arc::new(Semaphore::new(MAX_CALLS)), prompts: Arc::new(Semaphore::new(MAX_PROMPTS)) }
    }
}

impl CallLimiter {
    /// A slot for a call, if there is one.
    pub(crate) fn acquire(&self) -> Option<CallSlot> {
        let permit = Arc::clone(&self.calls).try_acquire_owned().ok()?;
        Some(CallSlot {
            permit: Arc::new(Mutex::new(Some(permit))),
            calls: Arc::clone(&self.calls),
            prompts: Arc::clone(&self.prompts),
        })
    }
}

/// A call's slot. Every clone holds it, unless the call waits for a person.
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

/// An approver for a call that releases its slot during the prompt.
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
        // If several prompts are answered at once, their calls run one after the other.
        if let Ok(permit) = Arc::clone(&self.slot.calls).acquire_owned().await {
            self.slot.set_permit(Some(permit));
        }
        answer
    }

    fn client_prompts(&self) -> bool {
        self.approver.client_prompts()
    }
}
