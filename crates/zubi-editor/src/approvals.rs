//! Approval of an editor's calls: by a confirmation that the editor has shown before the call (`zubi/tools/prepare`
//! returns its text), or in a dialog (`zubi/approval/request`).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::RequestCx;
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest, Approver};
use zubi_tool_api::{Footprint, approval_prompt};

use crate::editor::Editor;
use crate::wire::APPROVAL_REQUEST;
use crate::wire::tools::{ApprovalRequestParams, ApprovalRequestResult};

/// Maximum number and lifetime of shown confirmations. The call follows a confirmation right away.
const MAX_CONFIRMATIONS: usize = 64;
const CONFIRMATION_LIFETIME: Duration = Duration::from_hours(1);

/// Maximum number of open approval prompts.
const MAX_WAITING: usize = 16;

/// Time-out for the user's answer.
const ANSWER_TIMEOUT: Duration = Duration::from_hours(1);

/// A confirmation that the editor has shown.
struct ShownConfirmation {
    /// Tool name as the editor sends it.
    tool: String,
    arguments: Value,
    /// Tool of the approval prompt that the confirmation replaces, and its footprint.
    prompt_tool: String,
    footprint: Footprint,
    expires_at: Instant,
}

/// Approvals of one connection.
pub(crate) struct Approvals {
    editor: Arc<Editor>,
    confirmations: Mutex<VecDeque<ShownConfirmation>>,
    open_prompts: Semaphore,
}

impl Approvals {
    pub(crate) fn new(editor: Arc<Editor>) -> Self {
        Self { editor, confirmations: Mutex::default(), open_prompts: Semaphore::new(MAX_WAITING) }
    }

    /// Removes the confirmations of a call: the editor is about to show a new one, which the user may deny.
    pub(crate) fn remove_confirmation(&self, tool: &str, arguments: &Value) {
        let mut confirmations = self.confirmations.lock().unwrap_or_else(PoisonError::into_inner);
        confirmations.retain(|confirmation| confirmation.tool != tool || confirmation.arguments != *arguments);
    }

    /// Records that the editor shows a confirmation of a call; `prompt_tool` is the tool for which the policy would
    /// require approval.
    pub(crate) fn record_confirmation(&self, tool: &str, arguments: &Value, prompt_tool: &str, footprint: Footprint) {
        let mut confirmations = self.confirmations.lock().unwrap_or_else(PoisonError::into_inner);
        if confirmations.len() >= MAX_CONFIRMATIONS {
            confirmations.pop_front();
        }
        confirmations.push_back(ShownConfirmation {
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            prompt_tool: prompt_tool.to_owned(),
            footprint,
            expires_at: Instant::now() + CONFIRMATION_LIFETIME,
        });
    }

    /// Returns the approver of a call. With `is_confirmed`, it approves what the shown confirmation contains, which is
    /// then used up.
    pub(crate) fn approver(
        self: &Arc<Self>,
        tool: &str,
        arguments: &Value,
        is_confirmed: bool,
        cancel: &CancellationToken,
    ) -> Arc<dyn Approver> {
        let mut confirmations = self.confirmations.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        confirmations.retain(|confirmation| confirmation.expires_at > now);
        let position = confirmations
            .iter()
            .position(|confirmation| confirmation.tool == tool && confirmation.arguments == *arguments);
        let confirmed = position.filter(|_| is_confirmed).and_then(|position| confirmations.remove(position));
        drop(confirmations);
        Arc::new(EditorCallApprover {
            approvals: Arc::clone(self),
            confirmed: Mutex::new(confirmed),
            cancel: cancel.clone(),
        })
    }
}

/// Approver of one call.
struct EditorCallApprover {
    approvals: Arc<Approvals>,
    confirmed: Mutex<Option<ShownConfirmation>>,
    cancel: CancellationToken,
}

#[async_trait]
impl Approver for EditorCallApprover {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer {
        let confirmed = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner).take();
        // The footprint may have changed since it was shown.
        if confirmed
            .is_some_and(|shown| shown.prompt_tool == request.tool && shown.footprint.covers(&request.footprint))
        {
            return ApprovalAnswer::allow_once();
        }
        let editor = &self.approvals.editor;
        if !editor.answers(APPROVAL_REQUEST) {
            return ApprovalAnswer::Unavailable;
        }
        let Ok(_permit) = self.approvals.open_prompts.try_acquire() else {
            return ApprovalAnswer::NotPrompted { reason: format!("{MAX_WAITING} approval prompts are already open") };
        };
        let cx = RequestCx::new(self.cancel.clone(), Instant::now() + ANSWER_TIMEOUT);
        let answered = editor
            .send(APPROVAL_REQUEST, APPROVAL_REQUEST, json!(dialog(&request)), &cx)
            .await
            .map(serde_json::from_value);
        match answered {
            Ok(Ok(ApprovalRequestResult { choice: Some(option) })) if option < request.options.len() => {
                ApprovalAnswer::Allow { option, arguments: None }
            }
            Ok(Ok(ApprovalRequestResult { choice: None })) => ApprovalAnswer::Deny { text: None },
            Ok(Ok(_)) => ApprovalAnswer::Unanswered { reason: "the editor returned an invalid option".to_owned() },
            Ok(Err(error)) => ApprovalAnswer::Unanswered { reason: format!("cannot parse its answer: {error}") },
            Err(error) => ApprovalAnswer::Unanswered { reason: error.to_string() },
        }
    }
}

/// Converts an approval request to the editor's dialog: a title, the details of the call, and the options.
fn dialog(request: &ApprovalRequest) -> ApprovalRequestParams {
    let text = approval_prompt::prompt_text(request);
    let (title, detail) = text.split_once('\n').unwrap_or((&text, ""));
    let mut detail = detail.to_owned();
    let mut options = Vec::new();
    for option in &request.options {
        let (label, alternatives) = approval_prompt::option(option);
        for alternative in alternatives {
            detail.extend(["\n“", &label, "” would have allowed this as well: ", &alternative]);
        }
        options.push(format!("Allow {label}"));
    }
    ApprovalRequestParams { title: title.to_owned(), detail, options }
}
