//! Runs the calls of one answer. They begin in their order and run in parallel unless they conflict; their results are
//! added to the journal in the order of the calls. Every call gets a result, even one that is not made.

mod execute;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use zubi_base::nearest::nearest;
use zubi_base::text::quote_all;
use zubi_tool_api::{Approval, Effect, ErrorCode, ToolSpec, approval_prompt, summary};

use self::execute::{CompletedCall, PreparedCall};
use super::loop_guard::{self, CallKey};
use super::schedule::{CallAccess, MAX_PARALLEL_CALLS};
use super::{RunningTurn, TurnEnd};
use crate::delegation;
use crate::event::{EventKind, StopReason};
use crate::history::OUTCOME_UNKNOWN;
use zubi_models::message::ToolCall;
use zubi_models::{FinishReason, ModelAnswer};

/// How long cancelled calls may take to return their results.
const GRACE: Duration = Duration::from_secs(1);
/// How many times a model may repeat invalid arguments with the same error.
const MAX_REPEATED_ERRORS: u64 = 2;
/// The result of the tool that takes the final answer.
const FINAL_ANSWER_RESULT: &str = "Taken.";
/// The note after the result of a cancelled call that may have changed something.
const CHANGES_REMAIN: &str = "Any changes that it had already made remain.";

/// A call of an answer, and what to do with it.
struct CallItem {
    call: ToolCall,
    /// The tool's id, or the name that the model wrote if there is no such tool.
    tool: String,
    summary: String,
    action: CallAction,
}

enum CallAction {
    /// The call is not made, and has this result.
    Skip(String, Option<ErrorCode>),
    Execute(Arc<ToolSpec>, CallKey),
}

/// The outcomes of an answer's calls that may end the turn.
#[derive(Default)]
struct CallOutcomes {
    /// Why the calls of the answer are not made, or are cancelled.
    stop_reason: Option<StopReason>,
    /// The final answer.
    final_answer: Option<Value>,
    /// Why the final answer was refused.
    invalid_answer: Option<String>,
    is_over_call_limit: bool,
    is_repeating: bool,
    valid: BTreeSet<String>,
    /// The error for each tool.
    invalid: BTreeMap<String, String>,
}

impl RunningTurn {
    /// Runs the calls of an answer. Returns the end of the turn, if they end it.
    pub(super) async fn run_tool_calls(&mut self, answer: ModelAnswer) -> Result<Option<TurnEnd>, TurnEnd> {
        let is_budget_exhausted = self.turn.budgets.tokens.is_some_and(|tokens| self.spent_tokens >= tokens);
        let stop_reason = self.limits.end_reason().or(is_budget_exhausted.then_some(StopReason::Tokens));
        let mut outcomes = CallOutcomes { stop_reason, ..CallOutcomes::default() };
        let mut items = Vec::with_capacity(answer.message.calls.len());
        for call in answer.message.calls {
            items.push(self.item(call, answer.stop, &mut outcomes).await);
        }
        self.execute_calls(&items, &mut outcomes).await?;
        Ok(self.turn_end(outcomes))
    }

    fn turn_end(&mut self, outcomes: CallOutcomes) -> Option<TurnEnd> {
        if let Some(reason) = outcomes.stop_reason {
            return Some(TurnEnd::new(reason));
        }
        if let Some(data) = outcomes.final_answer {
            return Some(Self::completed_with(data));
        }
        if let Some(why) = outcomes.invalid_answer
            && !self.structured_output.as_mut().is_some_and(super::structured_output::StructuredOutput::can_retry)
        {
            return Some(Self::invalid_answer(&why));
        }
        if outcomes.is_over_call_limit {
            return Some(TurnEnd::new(StopReason::Calls));
        }
        if outcomes.is_repeating {
            return Some(TurnEnd::new(StopReason::Repeating));
        }
        for tool in &outcomes.valid {
            self.invalid.remove(tool);
        }
        for (tool, error) in outcomes.invalid.into_iter().filter(|(tool, _)| !outcomes.valid.contains(tool)) {
            // A different error counts as a new attempt: for example, a path that does not exist is an invalid argument
            // too, and the model then looks elsewhere.
            let error = approval_prompt::escape(error.lines().next().unwrap_or_default());
            let (count, previous_error) = self.invalid.entry(tool.clone()).or_default();
            *count = if *previous_error == error { *count + 1 } else { 1 };
            if *count > MAX_REPEATED_ERRORS {
                return Some(TurnEnd::new(StopReason::Invalid).with_problem(format!(
                    "The model called {tool} with invalid arguments several times ({error}). Rephrase the request, or choose another model."
                )));
            }
            *previous_error = error;
        }
        None
    }

    /// Decides what to do with a call.
    async fn item(&mut self, call: ToolCall, stop: FinishReason, outcomes: &mut CallOutcomes) -> CallItem {
        let tool_name = approval_prompt::escape(&call.tool);
        let skipped_item = |call, text: String, code| CallItem {
            call,
            tool: tool_name.clone(),
            summary: tool_name.clone(),
            action: CallAction::Skip(text, code),
        };
        if let Some(reason) = outcomes.stop_reason {
            let (why, _) = self.describe_stop(reason);
            return skipped_item(call, format!("Not made. {why}"), Some(ErrorCode::Cancelled));
        }
        if self.final_answer_tool.as_ref() == Some(&call.tool) {
            let checked = self.structured_output.as_ref().map(|output| output.parse_call(&call.arguments));
            return match checked.unwrap_or_else(|| Err("no final answer was requested".to_owned())) {
                Ok(data) => {
                    outcomes.final_answer = Some(data);
                    skipped_item(call, FINAL_ANSWER_RESULT.to_owned(), None)
                }
                Err(why) => {
                    let text = format!("Invalid input: {why}. Correct it and call {tool_name} again.");
                    outcomes.invalid_answer = Some(why);
                    skipped_item(call, text, Some(ErrorCode::InvalidInput))
                }
            };
        }
        if self.calls >= self.turn.budgets.calls {
            outcomes.is_over_call_limit = true;
            let (why, _) = self.describe_stop(StopReason::Calls);
            return skipped_item(call, format!("Not made. {why}"), Some(ErrorCode::Cancelled));
        }
        self.calls += 1;
        let found = tokio::select! {
            found = self.turn.service.find(&call.tool, &self.turn.caller.restrictions) => found,
            reason = self.limits.wait_for_end() => {
                outcomes.stop_reason = Some(reason);
                let (why, _) = self.describe_stop(reason);
                return skipped_item(call, format!("Not made. {why}"), Some(ErrorCode::Cancelled));
            }
        };
        let spec = match found {
            Ok(spec) => spec,
            Err(error) => {
                let text = match self.nearest_names(&call.tool) {
                    Some(near) if error.code() == ErrorCode::UnknownTool => {
                        format!("unknown tool `{tool_name}`. The most similar of your tools are {near}.")
                    }
                    _ => format!("{error}. Call one of the tools that you were given, by its exact name."),
                };
                return skipped_item(call, text, Some(error.code()));
            }
        };
        let action = if !call.arguments.is_object() {
            let cut = match stop {
                FinishReason::Length => " Your answer reached the length limit and was cut: write less in one answer.",
                FinishReason::Finished | FinishReason::Filtered => "",
            };
            let received = approval_prompt::escape(call.arguments.as_str().unwrap_or_default());
            let text = format!(
                "Invalid input: arguments: expected a JSON object, got `{received}`. Write all arguments of {} as one JSON object.{cut}",
                spec.wire_name()
            );
            CallAction::Skip(text, Some(ErrorCode::InvalidInput))
        } else {
            let key = CallKey::new(&spec.id, &call.arguments);
            if self.repeats.is_blocked(&key) {
                outcomes.is_repeating = true;
                CallAction::Skip(loop_guard::BLOCKED_TEXT.to_owned(), Some(ErrorCode::Cancelled))
            } else {
                CallAction::Execute(Arc::clone(&spec), key)
            }
        };
        let summary = summary::line(&spec, &call.arguments, &self.host.folders);
        CallItem { call, tool: spec.id.clone(), summary, action }
    }

    /// Returns the most similar tool names, as the model knows them.
    fn nearest_names(&self, name: &str) -> Option<String> {
        let names = self.catalog.iter().flat_map(|catalog| catalog.tools.iter().map(|tool| tool.name.as_str()));
        let near = nearest(name, names, 3);
        (!near.is_empty()).then(|| quote_all(near))
    }

    /// Runs the calls and records the results of all items.
    async fn execute_calls(&mut self, items: &[CallItem], outcomes: &mut CallOutcomes) -> Result<(), TurnEnd> {
        let is_careful = |spec: &ToolSpec| spec.effect > Effect::Plan || spec.approval == Approval::Always;
        // If all calls are read-only, their footprints do not matter.
        let has_careful =
            items.iter().any(|item| matches!(&item.action, CallAction::Execute(spec, _) if is_careful(spec)));
        let cancel = CancellationToken::new();
        let _cancel_on_drop = cancel.clone().drop_guard();
        let mut batch = Batch { prepared: items.iter().map(|_| None).collect(), ..Batch::default() };
        batch.completed.resize_with(items.len(), || None);
        let mut next = 0;
        let mut preparing: Option<BoxFuture<'static, PreparedCall>> = None;
        let mut ready: Option<PreparedCall> = None;
        let mut grace_end: Option<Instant> = None;
        loop {
            // Begins the calls that can begin, in order.
            while let Some(item) = items.get(next) {
                let spec = match &item.action {
                    CallAction::Skip(text, code) => {
                        self.record_start(item, None)?;
                        batch.end(next, CompletedCall::not_started(text.clone(), *code));
                        next += 1;
                        continue;
                    }
                    CallAction::Execute(spec, _) => spec,
                };
                if grace_end.is_some() {
                    let (why, _) = self.describe_stop(outcomes.stop_reason.unwrap_or(StopReason::Stopped));
                    self.record_start(item, None)?;
                    batch.end(next, CompletedCall::not_started(format!("Not made. {why}"), Some(ErrorCode::Cancelled)));
                    next += 1;
                    continue;
                }
                if preparing.is_some() {
                    break;
                }
                let Some(prepared) = ready.take() else {
                    if has_careful {
                        preparing = Some(self.prepare(item, spec));
                    } else {
                        ready = Some(PreparedCall::without_footprint(spec));
                    }
                    continue;
                };
                if !batch.can_start(&prepared.access) {
                    // The footprint is computed again when there is room, because it may be different then.
                    break;
                }
                self.record_start(item, Some(&prepared))?;
                batch.begin(next, prepared, self.execute_call(item, next, &cancel));
                next += 1;
            }
            self.record_results(items, &mut batch, outcomes)?;
            if batch.recorded == items.len() {
                return Ok(());
            }
            let grace_timeout = async {
                match grace_end {
                    Some(grace_end) => tokio::time::sleep_until(grace_end).await,
                    None => std::future::pending().await,
                }
            };
            let preparation = async {
                match &mut preparing {
                    Some(preparing) => preparing.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                reason = self.limits.wait_for_end(), if grace_end.is_none() => {
                    outcomes.stop_reason = Some(reason);
                    grace_end = Some(Instant::now() + GRACE);
                    preparing = None;
                    ready = None;
                    cancel.cancel();
                }
                Some((at, completed)) = batch.running.next(), if !batch.running.is_empty() => {
                    batch.end(at, completed);
                }
                prepared = preparation => {
                    preparing = None;
                    ready = Some(prepared);
                }
                () = grace_timeout => batch.give_up(),
            }
        }
    }

    fn record_start(&self, item: &CallItem, prepared: Option<&PreparedCall>) -> Result<(), TurnEnd> {
        self.journal.add(EventKind::Calling {
            turn: self.number,
            call: item.call.id.clone(),
            tool: item.tool.clone(),
            summary: item.summary.clone(),
            arguments: item.call.arguments.clone(),
            effect: prepared.map(|prepared| prepared.effect),
            preview: prepared.and_then(|prepared| prepared.preview.clone()),
            delegates: delegation::is_delegating_tool(&item.tool),
        })?;
        Ok(())
    }

    /// Records the results of the next completed calls, in the order of the calls.
    fn record_results(
        &mut self,
        items: &[CallItem],
        batch: &mut Batch,
        outcomes: &mut CallOutcomes,
    ) -> Result<(), TurnEnd> {
        while let Some(item) = items.get(batch.recorded) {
            let Some(completed) = batch.completed.get_mut(batch.recorded).and_then(Option::take) else { break };
            let CompletedCall { mut text, failure, has_started, duration } = completed;
            if let CallAction::Execute(spec, key) = &item.action {
                let prepared = batch.prepared.get(batch.recorded).and_then(Option::as_ref);
                let effect = prepared.map_or(spec.effect, |prepared| prepared.effect);
                if failure.is_none() && effect > Effect::Plan {
                    self.report
                        .add_changed_files(prepared.map(|prepared| prepared.writes.as_slice()).unwrap_or_default());
                }
                if prepared.is_some()
                    && self.repeats.record_and_check(key.clone(), &item.call.id, effect, failure.is_some(), &text)
                {
                    text = format!("{}\n{}", text.trim_end(), loop_guard::LOOP_NOTE);
                }
                if failure == Some(ErrorCode::Cancelled) && has_started && prepared.is_some() && effect > Effect::Plan {
                    text = format!("{} {CHANGES_REMAIN}", text.trim_end());
                }
            }
            if failure == Some(ErrorCode::InvalidInput) {
                outcomes.invalid.insert(item.tool.clone(), text.clone());
            } else {
                outcomes.valid.insert(item.tool.clone());
            }
            match &item.action {
                // The final answer does not count as work.
                CallAction::Skip(text, None) if text == FINAL_ANSWER_RESULT => {}
                CallAction::Skip(_, Some(ErrorCode::Cancelled)) => self.report.count_skipped(),
                CallAction::Execute(..) if !has_started => self.report.count_skipped(),
                _ => self.report.call(&item.tool, failure.is_some()),
            }
            self.unmeasured += text.len();
            let (call, duration) = (item.call.id.clone(), super::milliseconds(duration));
            self.journal.add(EventKind::Result { turn: self.number, call, text, failure, duration })?;
            batch.recorded += 1;
        }
        Ok(())
    }
}

/// The running calls, and the results of the others.
#[derive(Default)]
struct Batch {
    running: FuturesUnordered<BoxFuture<'static, (usize, CompletedCall)>>,
    accesses: BTreeMap<usize, CallAccess>,
    prepared: Vec<Option<PreparedCall>>,
    completed: Vec<Option<CompletedCall>>,
    /// The number of recorded results.
    recorded: usize,
}

impl Batch {
    /// Whether a call with this access can begin now.
    fn can_start(&self, access: &CallAccess) -> bool {
        self.accesses.len() < MAX_PARALLEL_CALLS && !self.accesses.values().any(|other| access.conflicts(other))
    }

    fn begin(&mut self, at: usize, prepared: PreparedCall, call: BoxFuture<'static, (usize, CompletedCall)>) {
        self.accesses.insert(at, prepared.access.clone());
        if let Some(slot) = self.prepared.get_mut(at) {
            *slot = Some(prepared);
        }
        self.running.push(call);
    }

    fn end(&mut self, at: usize, completed: CompletedCall) {
        self.accesses.remove(&at);
        if let Some(slot) = self.completed.get_mut(at) {
            *slot = Some(completed);
        }
    }

    /// Stops waiting for the running calls.
    fn give_up(&mut self) {
        self.running.clear();
        for at in std::mem::take(&mut self.accesses).into_keys() {
            let (text, failure) = (OUTCOME_UNKNOWN.to_owned(), Some(ErrorCode::OutcomeUnknown));
            self.end(at, CompletedCall { text, failure, has_started: true, duration: GRACE });
        }
    }
}
