//! Approval prompts for the client's user (MCP's elicitation): the form, the meaning of its answer, and its transport.
//!
//! A client of the old era (`initialize`) receives a request while its call is open. A client of the stateless era
//! receives the form as the response to its call, and calls again with the filled form; meanwhile the call waits in
//! [`crate::suspended`].
//!
//! A form approves at most for the session, because a user answers many such forms.

use std::fmt::Write as _;
use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::{
    CancelledNotificationParam, ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, EnumSchema, PrimitiveSchemaDefinition, RequestId, ServerRequest,
    StringSchema,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::{Peer, RoleServer};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use zubi_base::escape::printable;
use zubi_policy::ApprovalOption;
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest, ApprovalScope, Approver, ClientApprover, NoApprover};
use zubi_tool_api::{approval_prompt, redact};

/// The fields of the form.
const ANSWER: &str = "answer";
const ARGUMENTS: &str = "arguments";
const REASON: &str = "reason";
/// The value for denial, and the default, so that a form that is submitted unread approves nothing.
const DENY: &str = "no";
/// The maximum length of arguments that a form lets the user edit, in bytes.
const MAX_ARGUMENTS: usize = 4_000;

/// The settings for approval prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElicitationMode {
    /// Whether a client without elicitation approves calls with its own prompt, for tools that a person has trusted.
    pub client_prompts: bool,
    /// The time-out of a form.
    pub timeout: Duration,
}

impl Default for ElicitationMode {
    fn default() -> Self {
        // Half of a call's time-out, so that an approved call still has time to run.
        Self { client_prompts: true, timeout: Duration::from_mins(5) }
    }
}

impl ElicitationMode {
    /// Returns the approver for a client without forms.
    pub(crate) fn fallback_approver(self) -> std::sync::Arc<dyn Approver> {
        if self.client_prompts { std::sync::Arc::new(ClientApprover) } else { std::sync::Arc::new(NoApprover) }
    }
}

/// Whether a client shows forms. Elicitation without a named kind means forms, which were the only kind at first.
pub(crate) fn shows_forms(capabilities: Option<&ClientCapabilities>) -> bool {
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation.as_ref());
    elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// An approval prompt as a form.
struct ElicitationForm {
    params: ElicitRequestParams,
    /// The labels of the approving options, with their indices among the options of the prompt.
    approvals: Vec<(String, usize)>,
    /// The arguments in the form, if the user can edit them there.
    arguments: Option<String>,
}

impl ElicitationForm {
    fn new(request: &ApprovalRequest) -> Self {
        let is_supported =
            |option: &ApprovalOption| matches!(option.scope, ApprovalScope::Once | ApprovalScope::Session);
        let mut message = approval_prompt::prompt_text(request);
        let mut approvals: Vec<(String, usize)> = Vec::new();
        for (at, option) in request.options.iter().enumerate().filter(|(_, option)| is_supported(option)) {
            let (label, others) = approval_prompt::option(option);
            let words = format!("yes: {label}");
            for other in others {
                // Writing to a `String` cannot fail.
                let _ = writeln!(message, "  \"{words}\" would also have allowed {other}");
            }
            approvals.push((words, at));
        }
        let mut words: Vec<String> = vec![DENY.to_owned()];
        words.extend(approvals.iter().map(|(words, _)| words.clone()));
        let choice = EnumSchema::builder(words).title("May it run?");
        let choice = match choice.with_default(DENY) {
            Ok(choice) => choice.build(),
            // Unreachable: the default is the first value.
            Err(_) => EnumSchema::builder(vec![DENY.to_owned()]).build(),
        };
        let text = |description: &'static str| StringSchema::new().description(description);
        let mut schema = ElicitationSchema::builder().required_enum_schema(ANSWER, choice).property(
            REASON,
            PrimitiveSchemaDefinition::String(text("If no: what the agent should do instead").max_length(2_000)),
        );
        let arguments = editable(&request.arguments);
        if let Err(reason) = &arguments {
            message.push_str(&approval_prompt::arguments(request, &format!("(they cannot be changed here: {reason})")));
        }
        let arguments = arguments.ok();
        if let Some(arguments) = &arguments {
            let field =
                text("The tool's arguments, as JSON; change them to run it with others").with_default(arguments);
            schema = schema.property(ARGUMENTS, PrimitiveSchemaDefinition::String(field));
        }
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message,
            requested_schema: schema.build_unchecked(),
        };
        Self { params, approvals, arguments }
    }

    /// Converts the filled form. An unknown answer denies the call.
    fn read(&self, result: &ElicitResult) -> ApprovalAnswer {
        match result.action {
            ElicitationAction::Accept => {}
            ElicitationAction::Cancel => {
                return ApprovalAnswer::Unanswered { reason: "they put the question away".to_owned() };
            }
            // Declined, or an action of a later protocol version.
            _ => return ApprovalAnswer::Deny { text: None },
        }
        let field = |name: &str| result.content.as_ref().and_then(|content| content.get(name)).and_then(Value::as_str);
        let answer = field(ANSWER).unwrap_or(DENY);
        let Some((_, option)) = self.approvals.iter().find(|(words, _)| words == answer) else {
            let text = field(REASON).map(str::trim).filter(|text| !text.is_empty());
            return ApprovalAnswer::Deny { text: text.map(str::to_owned) };
        };
        let edited =
            field(ARGUMENTS).filter(|text| self.arguments.as_deref().is_some_and(|original| original != *text));
        match edited.filter(|text| !text.trim().is_empty()).map(serde_json::from_str::<Value>) {
            None => ApprovalAnswer::Allow { option: *option, arguments: None },
            Some(Ok(arguments @ Value::Object(_))) => {
                ApprovalAnswer::Allow { option: *option, arguments: Some(arguments) }
            }
            Some(_) => ApprovalAnswer::Deny {
                text: Some("they changed the arguments to a value that is not a JSON object".to_owned()),
            },
        }
    }
}

/// Returns the arguments as text, or the reason why the form must not contain them.
fn editable(arguments: &Value) -> Result<String, String> {
    let text = arguments.to_string();
    match () {
        () if text.len() > MAX_ARGUMENTS => Err(format!("they have {} bytes", text.len())),
        () if redact::has_secrets(arguments) => Err("something in them looks like a secret".to_owned()),
        () if printable(&text) != text => Err("they have characters that are not seen".to_owned()),
        () => Ok(text),
    }
}

/// The approver for a client of the old era. Sends the form in a request while the call is open.
pub(crate) struct InlineElicitation {
    pub(crate) peer: Peer<RoleServer>,
    pub(crate) timeout: Duration,
}

#[async_trait]
impl Approver for InlineElicitation {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer {
        let form = ElicitationForm::new(&request);
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form.params.clone()));
        let options = PeerRequestOptions::with_timeout(self.timeout);
        let sent = match self.peer.send_cancellable_request(request, options).await {
            Ok(sent) => sent,
            Err(error) => return elicitation_failed(&error),
        };
        let mut open_form = OpenForm { form: Some((self.peer.clone(), sent.id.clone())) };
        let answer = sent.await_response().await;
        // The client has answered the form, or `rmcp` has withdrawn it after the time-out.
        open_form.form = None;
        match answer {
            Ok(ClientResult::ElicitResult(result)) => form.read(&result),
            Ok(_) => ApprovalAnswer::Unanswered { reason: "the client's answer did not match the form".to_owned() },
            Err(error) => elicitation_failed(&error),
        }
    }
}

/// An open form; withdraws it when the call is cancelled.
struct OpenForm {
    form: Option<(Peer<RoleServer>, RequestId)>,
}

impl Drop for OpenForm {
    fn drop(&mut self) {
        let Some((peer, id)) = self.form.take() else { return };
        tokio::spawn(async move {
            let reason = Some("the call was cancelled".to_owned());
            if let Err(error) = peer.notify_cancelled(CancelledNotificationParam::new(Some(id), reason)).await {
                tracing::debug!(%error, "a question was not taken back");
            }
        });
    }
}

fn elicitation_failed(error: &ServiceError) -> ApprovalAnswer {
    match error {
        ServiceError::Timeout { timeout } => timed_out(*timeout),
        // The client declares forms but does not show them, so there is no approver.
        ServiceError::McpError(error) => {
            tracing::warn!(%error, "the client does not show the form that it said it could");
            ApprovalAnswer::Unavailable
        }
        _ => ApprovalAnswer::Unanswered { reason: "the client went away".to_owned() },
    }
}

fn timed_out(timeout: Duration) -> ApprovalAnswer {
    ApprovalAnswer::Unanswered { reason: format!("no answer within {} s", timeout.as_secs_f32().ceil()) }
}

/// An approval prompt whose client must call again with the answer.
pub(crate) struct PendingElicitation {
    pub(crate) form: ElicitRequestParams,
    pub(crate) answer: oneshot::Sender<ElicitResult>,
}

/// The approver for a client of the stateless era. The form is the response to the call.
pub(crate) struct DeferredElicitation {
    pub(crate) prompts: mpsc::Sender<PendingElicitation>,
    pub(crate) timeout: Duration,
}

#[async_trait]
impl Approver for DeferredElicitation {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer {
        let form = ElicitationForm::new(&request);
        let (answer, receiver) = oneshot::channel();
        let prompt = PendingElicitation { form: form.params.clone(), answer };
        let response = async {
            self.prompts.send(prompt).await.ok()?;
            receiver.await.ok()
        };
        match tokio::time::timeout(self.timeout, response).await {
            Ok(Some(result)) => form.read(&result),
            Ok(None) => ApprovalAnswer::Unanswered { reason: "the client did not come back with an answer".to_owned() },
            Err(_) => timed_out(self.timeout),
        }
    }
}
