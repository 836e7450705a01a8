//! One call, from arguments to the audit record.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::milliseconds;
use zubi_base::text::{ContentHash, quote_for_shell};

use super::index::RegisteredTool;
use super::{CallError, Registry};
use crate::audit::{self, APPROVED, AuditRecord, CONFIRMED_BY_CLIENT};
use crate::code::ErrorCode;
use crate::cx::{ApprovalAnswer, ApprovalRequest, ToolCx};
use crate::filter::ToolFilter;
use crate::footprint::Footprint;
use crate::output::{ToolError, ToolOutput};
use crate::schema::ArgumentChecker;
use crate::spec::{Effect, ToolSpec};
use zubi_policy::rule::{Action, CompiledRule, RuleText};
use zubi_policy::{ApprovalOption, Decision, MAX_RECENT_CALLS, Policy, RecentCall, options, suggest_auto_approve};

/// The maximum length of an `--auto-approve` argument that an error suggests, in bytes. A longer one could be
/// truncated, and would then be a different argument.
const ARGUMENT_BYTES: usize = 1_500;
/// The beginning of the line that shows the arguments with which an edited call was made.
pub const CHANGED_ARGUMENTS: &str = "The user changed the arguments to ";
/// The maximum number of edits by a person before one call runs.
const MAX_EDITS: usize = 8;
/// The time in which a cancelled tool may notify its server and return. After this it is dropped.
const CANCEL_GRACE: Duration = Duration::from_millis(250);

impl Registry {
    /// Runs a tool, by id or wire name. The only caller of [`crate::Tool::call`].
    ///
    /// The call ends when the tool returns, when its time-out or the caller's deadline passes, or when `cx.cancel` is
    /// cancelled; dropping the future cancels it too. A panic of the tool becomes an error of this call only.
    pub async fn call(&self, name: &str, args: Value, cx: ToolCx) -> Result<ToolOutput, CallError> {
        let entry = self.refreshed_entry(name, &cx.caller.restrictions).await?;
        let spec = entry.tool.spec();
        let started = Instant::now();
        let time = milliseconds(self.config.clock.now());
        let mut trail = Trail {
            effect: spec.effect,
            decision: "none",
            secrets: Vec::new(),
            arguments: args.clone(),
            were_changed: false,
        };
        let result = self.call_with_policy(&entry, args, &cx, &mut trail).await;
        let result = if trail.were_changed { self.with_change(result, &trail) } else { result };
        // The output may contain a secret, which a model must not see.
        let result = self.redactor.answer(result);
        self.config.audit.record(&AuditRecord {
            time,
            surface: cx.caller.surface,
            client: cx.caller.client.as_deref().map(audit::client),
            tool: spec.id.clone(),
            effect: trail.effect,
            decision: trail.decision,
            outcome: result.as_ref().map_or_else(|error| error.code().as_str(), |_| "ok"),
            duration_ms: milliseconds(started.elapsed()),
            arguments: audit::shorten(&trail.arguments, &trail.secrets, &self.redactor),
            arguments_hash: ContentHash::from_parts(&[&self.salt, trail.arguments.to_string().as_bytes()]),
        });
        if let Err(ToolError::Fatal(error)) = &result {
            tracing::error!(tool = %spec.id, error = format!("{error:#}"), "a tool failed for a reason of its own");
        }
        result
            .map(ToolOutput::sanitize)
            .map_err(|error| CallError::Tool { id: spec.id.clone(), error: error.sanitize() })
    }

    /// Computes the footprint of a call without running it, for a tool that forwards the call.
    pub fn footprint(&self, name: &str, args: Value, cx: &ToolCx) -> Result<Footprint, CallError> {
        let entry = self.entry(name, &cx.caller.restrictions)?;
        let prepared = prepare(&entry, args, cx);
        prepared
            .map(|(_, footprint)| footprint)
            .map_err(|error| CallError::Tool { id: entry.tool.spec().id.clone(), error })
    }

    async fn call_with_policy(
        &self,
        entry: &RegisteredTool,
        args: Value,
        cx: &ToolCx,
        trail: &mut Trail,
    ) -> Result<ToolOutput, ToolError> {
        let spec = entry.tool.spec();
        entry.tool.prepare().await?;
        let (mut args, mut footprint) = prepare(entry, args, cx)?;
        for _ in 0..=MAX_EDITS {
            trail.effect = footprint.effect.unwrap_or(spec.effect);
            trail.secrets.clone_from(&footprint.secrets);
            trail.decision = "deny";
            match self.permission(entry, &args, &footprint, cx).await? {
                Permission::Granted(word) => {
                    if word == APPROVED && !footprint.covers(&footprint_of(entry, &args, cx)?) {
                        return Err(ToolError::operation_failed(
                            &format!("run {}", spec.id),
                            "what it would touch has changed during the approval prompt",
                            "Call it again: the new approval prompt shows what it would touch now.",
                        ));
                    }
                    trail.decision = word;
                    self.remember(spec, cx, footprint);
                    return run(entry, args, cx, trail.effect).await;
                }
                // Arguments from a user are checked and judged like those of a model.
                Permission::Edited(edited) => {
                    trail.arguments.clone_from(&edited);
                    trail.were_changed = true;
                    (args, footprint) = prepare(entry, edited, cx)?;
                }
            }
        }
        Err(ToolError::user(
            ErrorCode::Denied,
            format!("Failed to run {}: the arguments were edited too often", spec.id),
            "Let the user decide what to do instead.",
        ))
    }

    /// Adds the changed arguments to the result of a call that a user has edited: otherwise the caller would assume
    /// that it is the result of its own arguments.
    fn with_change(&self, result: Result<ToolOutput, ToolError>, trail: &Trail) -> Result<ToolOutput, ToolError> {
        let arguments = audit::shorten(&trail.arguments, &trail.secrets, &self.redactor);
        let notice = format!("{CHANGED_ARGUMENTS}{arguments}.");
        match result {
            Ok(output) => Ok(ToolOutput { text: format!("{notice}\n{}", output.text), ..output }),
            Err(ToolError::Actionable { code, message, hint }) => {
                let hint = if hint.is_empty() { notice } else { format!("{notice}\n{hint}") };
                Err(ToolError::Actionable { code, message, hint })
            }
            Err(ToolError::Fatal(error)) => Err(ToolError::Fatal(error.context(notice))),
        }
    }

    fn remember(&self, spec: &ToolSpec, cx: &ToolCx, footprint: Footprint) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.len() >= MAX_RECENT_CALLS {
            recent.pop_front();
        }
        recent.push_back(RecentCall::new(spec, &cx.caller, footprint));
    }

    /// Queries the policy, and requests the user's approval if the policy requires it.
    async fn permission(
        &self,
        entry: &RegisteredTool,
        args: &Value,
        footprint: &Footprint,
        cx: &ToolCx,
    ) -> Result<Permission, ToolError> {
        let spec = entry.tool.spec();
        let policy = self.policy_for(entry.tool.as_ref(), &cx.caller);
        let decision = policy.decide(spec, &cx.caller, footprint);
        match decision.action {
            Action::Allow => return Ok(Permission::Granted("allow")),
            Action::Deny => {
                let hint =
                    "Do it another way, or let the user decide: `zubi policy explain` shows which rule denies it.";
                let by = decision.rule.map(|rule| format!("; see the rule at {rule}")).unwrap_or_default();
                let message = format!("Failed to run {}: {}{by}", spec.id, decision.reason);
                return Err(ToolError::user(ErrorCode::Denied, message, hint));
            }
            Action::Ask => {}
        }
        let recent = self.recent_calls(&cx.caller);
        let call = RecentCall::new(spec, &cx.caller, footprint.clone());
        let choices = options(&policy, &call, &decision, &recent, policy.store().is_some());
        let needs_specific_rule = needs_specific_rules(&decision);
        let (reason, rule) = (decision.reason.clone(), decision.rule.clone());
        let request = ApprovalRequest {
            tool: spec.id.clone(),
            reason: reason.clone(),
            rule: rule.clone(),
            footprint: footprint.clone(),
            arguments: args.clone(),
            options: choices.clone(),
        };
        let answer = tokio::select! {
            answer = cx.approver.request_approval(request) => answer,
            () = cx.cancel.cancelled() => return Err(cancelled_error(spec)),
        };
        match answer {
            ApprovalAnswer::Allow { arguments: Some(edited), .. } if edited != *args => Ok(Permission::Edited(edited)),
            ApprovalAnswer::Allow { option, .. } => {
                if let Some(option) = choices.get(option) {
                    self.store_grant(option, entry, &cx.caller);
                }
                Ok(Permission::Granted(APPROVED))
            }
            ApprovalAnswer::Deny { text } => {
                let user_message = text.map(|text| format!("; they say: {}", text.trim())).unwrap_or_default();
                Err(ToolError::user(
                    ErrorCode::Denied,
                    format!("Failed to run {}: the user denied it ({reason}){user_message}", spec.id),
                    "Do not call it again for this; let the user decide what to do instead.",
                ))
            }
            ApprovalAnswer::Unanswered { reason: detail } => Err(ToolError::user(
                ErrorCode::Denied,
                format!("Failed to run {}: it needs the user's approval ({reason}), and {detail}", spec.id),
                "Check with the user whether to do it, then call it again.",
            )),
            ApprovalAnswer::NotPrompted { reason: detail } => Err(ToolError::user(
                ErrorCode::Denied,
                format!("Failed to run {}: {reason}, and no approval prompt could be shown: {detail}", spec.id),
                "Wait until the user has answered, then call it again.",
            )),
            ApprovalAnswer::Unavailable if is_confirmed_by_client(spec, footprint, cx) => {
                Ok(Permission::Granted(CONFIRMED_BY_CLIENT))
            }
            ApprovalAnswer::Unavailable => Err(ToolError::user(
                ErrorCode::ApprovalUnavailable,
                format!("Failed to run {}: {reason}, and no one can approve it here", spec.id),
                approval_hint(spec, &choices, rule.as_deref(), needs_specific_rule),
            )),
            ApprovalAnswer::OnlyRules { rules } => Err(remaining_approval_error(&policy, &call, &decision, &rules)),
        }
    }

    /// Returns the policy's decision about a call as it would be made now, without running it or prompting a user.
    pub async fn explain(&self, name: &str, args: Value, cx: &ToolCx) -> Result<PolicyCheck, CallError> {
        let entry = self.entry(name, &cx.caller.restrictions)?;
        let tool_error = |error| CallError::Tool { id: entry.tool.spec().id.clone(), error };
        entry.tool.prepare().await.map_err(tool_error)?;
        match self.footprint(name, args.clone(), cx)?.delegated_call {
            Some(inner) => Box::pin(self.explain(&inner.tool, inner.arguments, cx)).await,
            None => self.check_policy(name, args, cx),
        }
    }

    /// Returns the policy's decision about a call of a tool that is prepared ([`crate::Tool::prepare`]).
    pub(super) fn check_policy(&self, name: &str, args: Value, cx: &ToolCx) -> Result<PolicyCheck, CallError> {
        let entry = self.entry(name, &cx.caller.restrictions)?;
        let spec = entry.tool.spec();
        let (_, footprint) =
            prepare(&entry, args, cx).map_err(|error| CallError::Tool { id: spec.id.clone(), error })?;
        let explained = footprint.clone();
        let policy = self.policy_for(entry.tool.as_ref(), &cx.caller);
        let decision = policy.decide(spec, &cx.caller, &footprint);
        let call = RecentCall::new(spec, &cx.caller, footprint);
        let choices = options(&policy, &call, &decision, &[], true);
        let would_allow = if decision.action == Action::Ask { allowing_rules(&choices) } else { Vec::new() };
        Ok(PolicyCheck { tool: spec.id.clone(), footprint: explained, decision, would_allow })
    }
}

/// The policy's decision about a call that was not made.
#[derive(Debug, Clone)]
pub struct PolicyCheck {
    /// The tool's id; for a forwarded call, the id of the tool that receives it.
    pub tool: String,
    pub footprint: Footprint,
    pub decision: Decision,
    /// Rules that would allow the parts of the call that need approval.
    pub would_allow: Vec<String>,
}

/// Returns whether the client has shown this very call to its user as one that may change something. A client shows the
/// calls that it makes, not their nested calls. A call with the rights of a read-only session was announced as
/// read-only, and clients do not prompt for such calls.
fn is_confirmed_by_client(spec: &ToolSpec, footprint: &Footprint, cx: &ToolCx) -> bool {
    footprint.is_reviewed
        && cx.approver.client_prompts()
        && cx.nesting == 0
        && !cx.caller.restrictions.read_only
        && spec.is_to_be_confirmed()
}

/// The outcome of an approval request.
enum Permission {
    /// The decision, as written to the audit log.
    Granted(&'static str),
    Edited(Value),
}

/// Returns the rules that would have allowed a call, as TOML.
fn allowing_rules(choices: &[ApprovalOption]) -> Vec<String> {
    let widest = choices.last().map(|option| option.rules.as_slice()).unwrap_or_default();
    widest.iter().map(RuleText::to_toml).collect()
}

/// Returns whether no rule for whole calls can allow the parts that need approval.
fn needs_specific_rules(decision: &Decision) -> bool {
    decision.parts.iter().any(|part| part.needs_specific_rule)
}

/// Returns the error if the rules of a run do not allow the whole call: the remaining parts, and what would allow them.
fn remaining_approval_error(policy: &Policy, call: &RecentCall, decision: &Decision, rules: &[RuleText]) -> ToolError {
    let rules =
        rules.iter().filter_map(|rule| CompiledRule::new(rule.clone(), "this run", policy.paths()).ok()).map(Arc::new);
    let run_policy = Policy::from_rules(ToolFilter::default(), [], policy.paths().clone()).with_rules(rules);
    let remaining = policy.remaining_after(&run_policy, &call.spec, &call.caller, &call.footprint);
    // These rules may cover fewer parts than the policy requires approval for, and the approver has not approved the
    // call.
    let remaining = if remaining.action == Action::Ask { remaining } else { decision.clone() };
    let arguments: Vec<String> = suggest_auto_approve(policy, &run_policy, call, &remaining)
        .iter()
        .map(|rules| {
            let arguments = rules.iter().map(|rule| format!("--auto-approve {}", quote_for_shell(&rule.to_argument())));
            arguments.collect::<Vec<_>>().join(" ")
        })
        .filter(|arguments| arguments.len() <= ARGUMENT_BYTES)
        .collect();
    let run_hint = match arguments.as_slice() {
        [] => String::new(),
        all => format!("The user can allow it for one run with\n{}\n", all.join("\nor, more widely, with\n")),
    };
    // Rules of the run need no copy in a file.
    let choices = options(
        &policy.with_rules(run_policy.rules().iter().cloned()),
        call,
        &remaining,
        &[],
        policy.store().is_some(),
    );
    let permanent_hint =
        approval_hint(&call.spec, &choices, remaining.rule.as_deref(), needs_specific_rules(&remaining));
    ToolError::user(
        ErrorCode::ApprovalUnavailable,
        format!("Failed to run {}: {}, and no one can approve it here", call.spec.id, remaining.reason),
        format!("{run_hint}{permanent_hint}"),
    )
}

fn approval_hint(spec: &ToolSpec, choices: &[ApprovalOption], rule: Option<&str>, needs_specific_rule: bool) -> String {
    let rules = allowing_rules(choices);
    if let (true, Some(rule)) = (rules.is_empty(), rule) {
        return format!(
            "The rule at {rule} requires approval whatever others allow; the user can change it, or run this themselves."
        );
    }
    if rules.is_empty() && needs_specific_rule {
        return "No rule can allow a call with an unknown effect; make it more explicit, or let the user run it."
            .to_owned();
    }
    let setting = Policy::allow_setting(spec);
    if rules.is_empty()
        || choices.last().is_some_and(|option| option.rules.iter().all(|rule| *rule == RuleText::allow_tool(&spec.id)))
    {
        return format!("The user can allow it with `{setting}` in zubi.toml.");
    }
    // A rule for all commands would allow far more than this one.
    let names_tool = !needs_specific_rule && spec.effect != Effect::Execute;
    let alternative = if names_tool { format!("\nor, whatever it does, with `{setting}`.") } else { String::new() };
    format!("The user can allow it in zubi.toml with\n{}{alternative}", rules.join("\n"))
}

/// Returns the arguments that the tool receives, and the footprint of the call.
fn prepare(entry: &RegisteredTool, args: Value, cx: &ToolCx) -> Result<(Value, Footprint), ToolError> {
    let spec = entry.tool.spec();
    let checker = entry.checker.get_or_init(|| ArgumentChecker::new(spec));
    let checker = checker.as_ref().map_err(|reason| ToolError::Fatal(anyhow!("{reason}")))?;
    let args = checker.check(spec, args)?;
    let footprint = footprint_of(entry, &args, cx)?;
    Ok((args, footprint))
}

fn footprint_of(entry: &RegisteredTool, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
    // The tool's own code computes the footprint, and a panic there must not end the process either.
    catch_unwind(AssertUnwindSafe(|| entry.tool.footprint(args, cx)))
        .unwrap_or_else(|panic| Err(panic_error(panic.as_ref())))
}

/// The contents of the audit record beyond the call itself.
struct Trail {
    effect: Effect,
    decision: &'static str,
    secrets: Vec<String>,
    /// The original arguments, or the edited ones.
    arguments: Value,
    were_changed: bool,
}

/// Runs the tool as a task of its own, so that a panic is contained and the call ends when the caller drops it.
#[expect(clippy::disallowed_methods, reason = "the one caller of `Tool::call`")]
async fn run(entry: &RegisteredTool, args: Value, cx: &ToolCx, effect: Effect) -> Result<ToolOutput, ToolError> {
    let spec = entry.tool.spec();
    let now = Instant::now();
    let deadline = cx.deadline.min(now.checked_add(entry.tool.timeout(&args)).unwrap_or(cx.deadline));
    let cancel = cx.cancel.child_token();
    let inner = ToolCx { cancel: cancel.clone(), deadline, ..cx.clone() };
    let tool = Arc::clone(&entry.tool);
    let task = tokio::spawn(async move { tool.call(args, &inner).await });
    // A write is not aborted halfway: it runs to its end, even if the caller no longer waits.
    let mut running = RunningCall { task, cancel, droppable: effect <= Effect::Plan };

    let error = tokio::select! {
        result = &mut running.task => return flatten_join(result),
        () = running.cancel.cancelled() => cancelled_error(spec),
        () = tokio::time::sleep_until(deadline.into()) => ToolError::user(
            ErrorCode::TimedOut,
            format!("Error in {}: no answer within {} s", spec.id, deadline.duration_since(now).as_secs_f32().ceil()),
            "Narrow the query, or call again; `zubi serve --detach` leaves servers running between commands.",
        ),
    };
    running.cancel.cancel();
    match tokio::time::timeout(CANCEL_GRACE, &mut running.task).await {
        // The tool finished after all; its effects must be reported.
        Ok(Ok(Ok(output))) => Ok(output),
        Ok(Err(error)) => flatten_join(Err(error)),
        // The tool can say what it has already changed.
        Ok(Ok(Err(own))) if spec.effect > Effect::Plan && own.code() == error.code() => Err(own),
        Ok(Ok(Err(_))) => Err(error),
        Err(_) if running.droppable => Err(error),
        // The call may still finish, so it is not reported as failed.
        Err(_) => Err(ToolError::user(
            error.code(),
            format!("Error in {}: it was cancelled after it had begun, and may still run to its end", spec.id),
            "Look at what it has changed before calling again.",
        )),
    }
}

/// A running tool; cancelled when no caller waits for it any more.
struct RunningCall {
    task: JoinHandle<Result<ToolOutput, ToolError>>,
    cancel: CancellationToken,
    droppable: bool,
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.cancel.cancel();
        if self.droppable {
            self.task.abort();
        }
    }
}

fn flatten_join(
    result: Result<Result<ToolOutput, ToolError>, tokio::task::JoinError>,
) -> Result<ToolOutput, ToolError> {
    result.unwrap_or_else(|error| {
        Err(match error.try_into_panic() {
            Ok(panic) => panic_error(panic.as_ref()),
            Err(error) => ToolError::Fatal(error.into()),
        })
    })
}

fn cancelled_error(spec: &ToolSpec) -> ToolError {
    ToolError::user(
        ErrorCode::Cancelled,
        format!("Error in {}: the call was cancelled", spec.id),
        "Call again if the answer is still wanted.",
    )
}

fn panic_error(panic: &(dyn std::any::Any + Send)) -> ToolError {
    let message = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    ToolError::Fatal(anyhow!("it panicked: {message}"))
}
