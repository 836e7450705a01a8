//! Who says yes to the calls of an editor: its user, who has confirmed a call before it came (`zubi/tools/prepare` says what
//! there is to confirm), or else is asked in a dialog (`zubi/approval/request`).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::RequestCx;
use zubi_tools::cx::{ApprovalAnswer, ApprovalRequest, Approver};
use zubi_tools::{Footprint, question};

use crate::editor::Editor;
use crate::wire::APPROVAL_REQUEST;
use crate::wire::tools::{ApprovalRequestParams, ApprovalRequestResult};

/// How many things to confirm are remembered, and for how long: who has confirmed something calls it then.
const MAX_SHOWN: usize = 64;
const SHOWN_FOR: Duration = Duration::from_hours(1);

/// How many questions may wait for an answer.
const MAX_WAITING: usize = 16;

/// How long the user may take.
const PATIENCE: Duration = Duration::from_hours(1);

/// What was shown to be confirmed.
struct ShownConfirmation {
    /// The call, as the editor names it.
    tool: String,
    arguments: Value,
    /// The tool that would be asked about, and what it would touch.
    asks: String,
    touches: Footprint,
    until: Instant,
}

/// The approvals of one connection.
pub(crate) struct Approvals {
    editor: Arc<Editor>,
    shown: Mutex<VecDeque<ShownConfirmation>>,
    waiting: Semaphore,
}

impl Approvals {
    pub(crate) fn new(editor: Arc<Editor>) -> Self {
        Self { editor, shown: Mutex::default(), waiting: Semaphore::new(MAX_WAITING) }
    }

    /// What was shown of a call holds no longer: its user is about to see it anew, and may say no this time.
    pub(crate) fn remove_confirmation(&self, tool: &str, arguments: &Value) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.retain(|shown| shown.tool != tool || shown.arguments != *arguments);
    }

    /// The editor shows a call to its user to be confirmed: `asks` is the tool that the policy would ask about.
    pub(crate) fn record_confirmation(&self, tool: &str, arguments: &Value, asks: &str, touches: Footprint) {
        let (tool, arguments, asks) = (tool.to_owned(), arguments.clone(), asks.to_owned());
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.len() >= MAX_SHOWN {
            shown.pop_front();
        }
        shown.push_back(ShownConfirmation { tool, arguments, asks, touches, until: Instant::now() + SHOWN_FOR });
    }

    /// Who answers for a call. With `is_confirmed` its user has said yes to what was shown, once; that is used up.
    pub(crate) fn approver(
        self: &Arc<Self>,
        tool: &str,
        arguments: &Value,
        is_confirmed: bool,
        cancel: &CancellationToken,
    ) -> Arc<dyn Approver> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        shown.retain(|shown| shown.until > now);
        let found = shown.iter().position(|shown| shown.tool == tool && shown.arguments == *arguments);
        let confirmed = found.filter(|_| is_confirmed).and_then(|at| shown.remove(at));
        drop(shown);
        Arc::new(OfCall { approvals: Arc::clone(self), confirmed: Mutex::new(confirmed), cancel: cancel.clone() })
    }
}

/// The approver of one call.
struct OfCall {
    approvals: Arc<Approvals>,
    confirmed: Mutex<Option<ShownConfirmation>>,
    cancel: CancellationToken,
}

#[async_trait]
impl Approver for OfCall {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer {
        let confirmed = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner).take();
        // What the call would touch may have become something else since it was shown.
        if confirmed.is_some_and(|it| it.asks == request.tool && it.touches.covers(&request.footprint)) {
            return ApprovalAnswer::allow_once();
        }
        let editor = &self.approvals.editor;
        if !editor.answers(APPROVAL_REQUEST) {
            return ApprovalAnswer::Unavailable;
        }
        let Ok(_place) = self.approvals.waiting.try_acquire() else {
            return ApprovalAnswer::NotAsked { why: format!("{MAX_WAITING} questions wait for an answer already") };
        };
        let cx = RequestCx::new(self.cancel.clone(), Instant::now() + PATIENCE);
        let answered = editor
            .send(APPROVAL_REQUEST, APPROVAL_REQUEST, json!(dialog(&request)), &cx)
            .await
            .map(serde_json::from_value);
        match answered {
            Ok(Ok(ApprovalRequestResult { choice: Some(option) })) if option < request.options.len() => {
                ApprovalAnswer::Allow { option, arguments: None }
            }
            Ok(Ok(ApprovalRequestResult { choice: None })) => ApprovalAnswer::Deny { text: None },
            Ok(Ok(_)) => ApprovalAnswer::Unanswered { how: "the editor chose what was not offered".to_owned() },
            Ok(Err(error)) => ApprovalAnswer::Unanswered { how: format!("its answer is not understood: {error}") },
            Err(error) => ApprovalAnswer::Unanswered { how: error.to_string() },
        }
    }
}

/// The question as the editor shows it: a line, what the call would do, and the possible yeses.
fn dialog(request: &ApprovalRequest) -> ApprovalRequestParams {
    let card = question::prompt_text(request);
    let (title, detail) = card.split_once('\n').unwrap_or((&card, ""));
    let mut detail = detail.to_owned();
    let mut options = Vec::new();
    for option in &request.options {
        let (label, others) = question::option(option);
        for other in others {
            detail.extend(["\n“", &label, "” would have allowed this as well: ", &other]);
        }
        options.push(format!("Allow {label}"));
    }
    ApprovalRequestParams { title: title.to_owned(), detail, options }
}
