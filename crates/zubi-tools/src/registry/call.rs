//! One call, from arguments to the audit record.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zubi_base::text::ContentHash;

use super::index::Entry;
use super::{CallError, Registry};
use crate::audit::{self, AuditRecord};
use crate::cx::{ApprovalAnswer, ApprovalRequest, ApprovalScope, ToolCx};
use crate::footprint::Footprint;
use crate::output::{ToolError, ToolOutput};
use crate::policy::{Decision, Policy};
use crate::schema::Checker;
use crate::spec::{Effect, ToolSpec};

/// How long a cancelled tool may take to tell its server and return. After this it is dropped where it stands.
const CANCEL_GRACE: Duration = Duration::from_millis(250);

impl Registry {
    /// Runs a tool, by id or wire name. The only caller of [`crate::Tool::call`].
    ///
    /// The call ends when the tool answers, when its time-out or the caller's deadline passes, or when `cx.cancel` is
    /// cancelled; dropping the future cancels it too. A panic of the tool is an error of this call and nothing else.
    pub async fn call(&self, name: &str, args: Value, cx: ToolCx) -> Result<ToolOutput, CallError> {
        let entry = self.entry(name, &cx.caller.restrictions)?;
        let spec = entry.tool.spec();
        let started = Instant::now();
        let time = audit::milliseconds(self.config.clock.now());
        let mut trail = Trail { effect: spec.effect, decision: "none", secrets: Vec::new() };
        let hash = ContentHash::of(args.to_string().as_bytes());
        let logged = args.clone();
        let result = self.guarded(&entry, args, &cx, &mut trail).await;
        self.config.audit.record(&AuditRecord {
            time,
            surface: cx.caller.surface,
            client: cx.caller.client.clone(),
            tool: spec.id.clone(),
            effect: trail.effect,
            decision: trail.decision,
            outcome: result.as_ref().map_or_else(ToolError::code, |_| "ok"),
            duration_ms: audit::milliseconds(started.elapsed()),
            arguments: audit::shorten(&logged, &trail.secrets),
            arguments_hash: hash,
        });
        if let Err(ToolError::Fatal(error)) = &result {
            tracing::error!(tool = %spec.id, error = format!("{error:#}"), "a tool failed for a reason of its own");
        }
        result.map(ToolOutput::cleaned).map_err(|error| CallError::Tool { id: spec.id.clone(), error: error.cleaned() })
    }

    /// What a call would touch, without running it: for a tool that passes a call on.
    pub fn footprint(&self, name: &str, args: Value, cx: &ToolCx) -> Result<Footprint, CallError> {
        let entry = self.entry(name, &cx.caller.restrictions)?;
        let prepared = prepare(&entry, args, cx);
        prepared
            .map(|(_, footprint)| footprint)
            .map_err(|error| CallError::Tool { id: entry.tool.spec().id.clone(), error })
    }

    async fn guarded(
        &self,
        entry: &Entry,
        args: Value,
        cx: &ToolCx,
        trail: &mut Trail,
    ) -> Result<ToolOutput, ToolError> {
        let spec = entry.tool.spec();
        let (args, footprint) = prepare(entry, args, cx)?;
        trail.effect = footprint.effect.unwrap_or(spec.effect);
        trail.secrets.clone_from(&footprint.secrets);
        trail.decision = "deny";
        trail.decision = self.permission(spec, footprint, cx).await?;
        run(entry, args, cx, trail.effect).await
    }

    /// Asks the policy, and a person where the policy does. The word for the audit log, or why not.
    async fn permission(&self, spec: &ToolSpec, footprint: Footprint, cx: &ToolCx) -> Result<&'static str, ToolError> {
        let (why, scopes) = match self.config.policy.decide(spec, &cx.caller, &footprint) {
            Decision::Allow => return Ok("allow"),
            Decision::Deny { why } => {
                let hint =
                    "Use a tool that only reads or plans, or ask the user to start zubi without this restriction.";
                return Err(ToolError::tell("denied", format!("Failed to run {}: {why}", spec.id), hint));
            }
            Decision::Ask { why, scopes } => (why, scopes),
        };
        if self.approved.lock().unwrap_or_else(PoisonError::into_inner).contains(&spec.id) {
            return Ok("approved-before");
        }
        let request = ApprovalRequest { tool: spec.id.clone(), why: why.clone(), footprint, scopes };
        let answer = tokio::select! {
            answer = cx.approver.ask(request) => answer,
            () = cx.cancel.cancelled() => return Err(cancelled(spec)),
        };
        match answer {
            ApprovalAnswer::Allow(scope) => {
                if scope != ApprovalScope::Once {
                    self.approved.lock().unwrap_or_else(PoisonError::into_inner).insert(spec.id.clone());
                }
                Ok("approved")
            }
            ApprovalAnswer::Deny => Err(ToolError::tell(
                "denied",
                format!("Failed to run {}: the user said no ({why})", spec.id),
                "Do not call it again for this; ask the user what to do instead.",
            )),
            ApprovalAnswer::Unavailable => Err(ToolError::tell(
                "approval_unavailable",
                format!("Failed to run {}: {why}, and there is nobody to ask here", spec.id),
                format!("The user can allow it with `{}` in zubi.toml.", Policy::rule_that_allows(spec)),
            )),
        }
    }
}

/// The arguments as the tool gets them, and what the call would touch.
fn prepare(entry: &Entry, args: Value, cx: &ToolCx) -> Result<(Value, Footprint), ToolError> {
    let spec = entry.tool.spec();
    let checker = entry.checker.get_or_init(|| Checker::new(spec));
    let checker = checker.as_ref().map_err(|why| ToolError::Fatal(anyhow!("{why}")))?;
    let args = checker.check(spec, args)?;
    // A footprint is worked out by the tool's own code, which must not end the process either.
    let footprint = catch_unwind(AssertUnwindSafe(|| entry.tool.footprint(&args, cx)))
        .unwrap_or_else(|panic| Err(panicked(panic.as_ref())))?;
    Ok((args, footprint))
}

/// What the audit record says beyond the call itself.
struct Trail {
    effect: Effect,
    decision: &'static str,
    secrets: Vec<String>,
}

/// Runs the tool as a task of its own, so that its panic is contained and a caller who goes away ends it.
#[expect(clippy::disallowed_methods, reason = "the one caller of `Tool::call`")]
async fn run(entry: &Entry, args: Value, cx: &ToolCx, effect: Effect) -> Result<ToolOutput, ToolError> {
    let spec = entry.tool.spec();
    let now = Instant::now();
    let deadline = cx.deadline.min(now.checked_add(spec.timeout).unwrap_or(cx.deadline));
    let cancel = cx.cancel.child_token();
    let inner = ToolCx { cancel: cancel.clone(), deadline, ..cx.clone() };
    let tool = Arc::clone(&entry.tool);
    let task = tokio::spawn(async move { tool.call(args, &inner).await });
    // A write is not dropped halfway: it runs to its end, whoever still listens.
    let mut running = Running { task, cancel, droppable: effect <= Effect::Plan };

    let gave_up = tokio::select! {
        result = &mut running.task => return joined(result),
        () = running.cancel.cancelled() => cancelled(spec),
        () = tokio::time::sleep_until(deadline.into()) => ToolError::tell(
            "timed_out",
            format!("Error in {}: no answer within {} s", spec.id, deadline.duration_since(now).as_secs_f32().ceil()),
            "Narrow the question, or call again: what was started keeps getting ready meanwhile.",
        ),
    };
    running.cancel.cancel();
    match tokio::time::timeout(CANCEL_GRACE, &mut running.task).await {
        // The tool made it after all; what it has done must be told.
        Ok(Ok(Ok(output))) => Ok(output),
        Ok(Err(error)) => joined(Err(error)),
        Ok(Ok(Err(_))) | Err(_) => Err(gave_up),
    }
}

/// A running tool; cancelled when nobody waits for it any more.
struct Running {
    task: JoinHandle<Result<ToolOutput, ToolError>>,
    cancel: CancellationToken,
    droppable: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel();
        if self.droppable {
            self.task.abort();
        }
    }
}

fn joined(result: Result<Result<ToolOutput, ToolError>, tokio::task::JoinError>) -> Result<ToolOutput, ToolError> {
    result.unwrap_or_else(|error| {
        Err(match error.try_into_panic() {
            Ok(panic) => panicked(panic.as_ref()),
            Err(error) => ToolError::Fatal(error.into()),
        })
    })
}

fn cancelled(spec: &ToolSpec) -> ToolError {
    ToolError::tell(
        "cancelled",
        format!("Error in {}: the call was cancelled", spec.id),
        "Call again if the answer is still wanted.",
    )
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> ToolError {
    let message = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    ToolError::Fatal(anyhow!("it panicked: {message}"))
}
