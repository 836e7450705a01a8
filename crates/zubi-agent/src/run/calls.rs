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
use zubi_tool_api::{Approval, Code, Effect, ToolSpec, approval_prompt, summary};

use self::execute::{CompletedCall, PreparedCall};
use super::loop_guard::{self, Key};
use super::schedule::{CallAccess, MAX_PARALLEL_CALLS};
use super::{End, Run};
use crate::event::{EventKind, StopReason};
use crate::history::OUTCOME_UNKNOWN;
use zubi_models::message::ToolCall;
use zubi_models::{Answer, FinishReason};

/// How long cancelled calls may take to return their results.
const GRACE: Duration = Duration::from_secs(1);
/// How many times a model may repeat invalid arguments with the same error.
const ASKED_AGAIN: u64 = 2;
/// The result of the tool that takes the final answer.
const TAKEN: &str = "Taken.";
/// The note after the result of a cancelled call that may have changed something.
const STAYS: &str = "Any changes that it had already made remain.";

/// A call of an answer, and what to do with it.
struct Item {
    call: ToolCall,
    /// The tool's id, or the name that the model wrote if there is no such tool.
    tool: String,
    summary: String,
    fate: Fate,
}

enum Fate {
    /// The call is not made, and has this result.
    Given(String, Option<Code>),
    Made(Arc<ToolSpec>, Key),
}

/// The outcomes of an answer's calls that may end the turn.
#[derive(Default)]
struct Ends {
    /// Why the calls of the answer are not made, or are cancelled.
    over: Option<StopReason>,
    /// The final answer.
    taken: Option<Value>,
    /// Why the final answer was refused.
    not_taken: Option<String>,
    too_many: bool,
    is_repeating: bool,
    valid: BTreeSet<String>,
    /// The error for each tool.
    invalid: BTreeMap<String, String>,
}

impl Run {
    /// Runs the calls of an answer. Returns the end of the turn, if they end it.
    pub(super) async fn run_tool_calls(&mut self, answer: Answer) -> Result<Option<End>, End> {
        let is_spent = self.turn.budgets.tokens.is_some_and(|tokens| self.spent >= tokens);
        let over = self.limits.are_over().or(is_spent.then_some(StopReason::Tokens));
        let mut ends = Ends { over, ..Ends::default() };
        let mut items = Vec::with_capacity(answer.said.calls.len());
        for call in answer.said.calls {
            items.push(self.item(call, answer.stop, &mut ends).await);
        }
        self.make(&items, &mut ends).await?;
        Ok(self.ends(ends))
    }

    fn ends(&mut self, ends: Ends) -> Option<End> {
        if let Some(reason) = ends.over {
            return Some(End::new(reason));
        }
        if let Some(data) = ends.taken {
            return Some(Self::completed_with(data));
        }
        if let Some(why) = ends.not_taken
            && !self.finish.as_mut().is_some_and(super::structured_output::StructuredOutput::can_retry)
        {
            return Some(Self::does_not_fit(&why));
        }
        if ends.too_many {
            return Some(End::new(StopReason::Calls));
        }
        if ends.is_repeating {
            return Some(End::new(StopReason::Repeating));
        }
        for tool in &ends.valid {
            self.invalid.remove(tool);
        }
        for (tool, error) in ends.invalid.into_iter().filter(|(tool, _)| !ends.valid.contains(tool)) {
            // A different error counts as a new attempt: for example, a path that does not exist is an invalid argument
            // too, and the model then looks elsewhere.
            let error = approval_prompt::escape(error.lines().next().unwrap_or_default());
            let (count, last) = self.invalid.entry(tool.clone()).or_default();
            *count = if *last == error { *count + 1 } else { 1 };
            if *count > ASKED_AGAIN {
                return Some(End::new(StopReason::Invalid).because(format!(
                    "The model called {tool} with invalid arguments several times ({error}). Rephrase the request, or choose another model."
                )));
            }
            *last = error;
        }
        None
    }

    /// Decides what to do with a call.
    async fn item(&mut self, call: ToolCall, stop: FinishReason, ends: &mut Ends) -> Item {
        let written = approval_prompt::escape(&call.tool);
        let given = |call, text: String, code| Item {
            call,
            tool: written.clone(),
            summary: written.clone(),
            fate: Fate::Given(text, code),
        };
        if let Some(reason) = ends.over {
            let (why, _) = self.words(reason);
            return given(call, format!("Not made. {why}"), Some(Code::Cancelled));
        }
        if self.last.as_ref() == Some(&call.tool) {
            let checked = self.finish.as_ref().map(|finish| finish.of_call(&call.arguments));
            return match checked.unwrap_or_else(|| Err("no final answer was requested".to_owned())) {
                Ok(data) => {
                    ends.taken = Some(data);
                    given(call, TAKEN.to_owned(), None)
                }
                Err(why) => {
                    let text = format!("Invalid input: {why}. Correct it and call {written} again.");
                    ends.not_taken = Some(why);
                    given(call, text, Some(Code::InvalidInput))
                }
            };
        }
        if self.calls >= self.turn.budgets.calls {
            ends.too_many = true;
            let (why, _) = self.words(StopReason::Calls);
            return given(call, format!("Not made. {why}"), Some(Code::Cancelled));
        }
        self.calls += 1;
        let found = tokio::select! {
            found = self.turn.service.find(&call.tool, &self.turn.caller.restrictions) => found,
            reason = self.limits.wait_for_end() => {
                ends.over = Some(reason);
                let (why, _) = self.words(reason);
                return given(call, format!("Not made. {why}"), Some(Code::Cancelled));
            }
        };
        let spec = match found {
            Ok(spec) => spec,
            Err(unknown) => {
                let text = match self.nearest_names(&call.tool) {
                    Some(near) if unknown.code == Code::UnknownTool => {
                        format!("unknown tool `{written}`. The most similar of your tools are {near}.")
                    }
                    _ => format!("{unknown}. Call one of the tools that you were given, by its exact name."),
                };
                return given(call, text, Some(unknown.code));
            }
        };
        let fate = if !call.arguments.is_object() {
            let cut = match stop {
                FinishReason::Length => " Your answer reached the length limit and was cut: write less in one answer.",
                FinishReason::Finished | FinishReason::Filtered => "",
            };
            let got = approval_prompt::escape(call.arguments.as_str().unwrap_or_default());
            let text = format!(
                "Invalid input: arguments: expected a JSON object, got `{got}`. Write all arguments of {} as one JSON object.{cut}",
                spec.wire_name()
            );
            Fate::Given(text, Some(Code::InvalidInput))
        } else {
            let key = Key::new(&spec.id, &call.arguments);
            if self.repeats.is_blocked(&key) {
                ends.is_repeating = true;
                Fate::Given(loop_guard::BLOCKED_TEXT.to_owned(), Some(Code::Cancelled))
            } else {
                Fate::Made(Arc::clone(&spec), key)
            }
        };
        let summary = summary::line(&spec, &call.arguments, &self.host.folders);
        Item { call, tool: spec.id.clone(), summary, fate }
    }

    /// Returns the most similar tool names, as the model knows them.
    fn nearest_names(&self, name: &str) -> Option<String> {
        let known = self.offers.iter().flat_map(|offers| offers.tools.iter().map(|tool| tool.name.as_str()));
        let near: Vec<String> = nearest(name, known, 3).into_iter().map(|name| format!("`{name}`")).collect();
        (!near.is_empty()).then(|| near.join(", "))
    }

    /// Runs the calls and records the results of all items.
    async fn make(&mut self, items: &[Item], ends: &mut Ends) -> Result<(), End> {
        let is_careful = |spec: &ToolSpec| spec.effect > Effect::Plan || spec.approval == Approval::Always;
        // If all calls are read-only, their footprints do not matter.
        let looks = items.iter().any(|item| matches!(&item.fate, Fate::Made(spec, _) if is_careful(spec)));
        let cancel = CancellationToken::new();
        let _given_up = cancel.clone().drop_guard();
        let mut batch = Batch { looked: items.iter().map(|_| None).collect(), ..Batch::default() };
        batch.made.resize_with(items.len(), || None);
        let mut next = 0;
        let mut looking: Option<BoxFuture<'static, PreparedCall>> = None;
        let mut ready: Option<PreparedCall> = None;
        let mut until: Option<Instant> = None;
        loop {
            // Begins the calls that can begin, in order.
            while let Some(item) = items.get(next) {
                let spec = match &item.fate {
                    Fate::Given(text, code) => {
                        self.record_start(item, None)?;
                        batch.done(next, CompletedCall::skipped(text.clone(), *code));
                        next += 1;
                        continue;
                    }
                    Fate::Made(spec, _) => spec,
                };
                if until.is_some() {
                    let (why, _) = self.words(ends.over.unwrap_or(StopReason::Stopped));
                    self.record_start(item, None)?;
                    batch.done(next, CompletedCall::skipped(format!("Not made. {why}"), Some(Code::Cancelled)));
                    next += 1;
                    continue;
                }
                if looking.is_some() {
                    break;
                }
                let Some(looked) = ready.take() else {
                    if looks {
                        looking = Some(self.prepare(item, spec));
                    } else {
                        ready = Some(PreparedCall::without_footprint(spec));
                    }
                    continue;
                };
                if !batch.admits(&looked.touch) {
                    // The footprint is computed again when there is room, because it may be different then.
                    break;
                }
                self.record_start(item, Some(&looked))?;
                batch.begin(next, looked, self.execute_call(item, next, &cancel));
                next += 1;
            }
            self.record_results(items, &mut batch, ends)?;
            if batch.told == items.len() {
                return Ok(());
            }
            let late = async {
                match until {
                    Some(until) => tokio::time::sleep_until(until).await,
                    None => std::future::pending().await,
                }
            };
            let look = async {
                match &mut looking {
                    Some(looking) => looking.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                reason = self.limits.wait_for_end(), if until.is_none() => {
                    ends.over = Some(reason);
                    until = Some(Instant::now() + GRACE);
                    looking = None;
                    ready = None;
                    cancel.cancel();
                }
                Some((at, made)) = batch.running.next(), if !batch.running.is_empty() => {
                    batch.done(at, made);
                }
                looked = look => {
                    looking = None;
                    ready = Some(looked);
                }
                () = late => batch.give_up(),
            }
        }
    }

    fn record_start(&self, item: &Item, looked: Option<&PreparedCall>) -> Result<(), End> {
        self.journal.add(EventKind::Calling {
            turn: self.number,
            call: item.call.id.clone(),
            tool: item.tool.clone(),
            summary: item.summary.clone(),
            arguments: item.call.arguments.clone(),
            effect: looked.map(|looked| looked.effect),
            preview: looked.and_then(|looked| looked.preview.clone()),
        })?;
        Ok(())
    }

    /// Records the results of the next completed calls, in the order of the calls.
    fn record_results(&mut self, items: &[Item], batch: &mut Batch, ends: &mut Ends) -> Result<(), End> {
        while let Some(item) = items.get(batch.told) {
            let Some(made) = batch.made.get_mut(batch.told).and_then(Option::take) else { break };
            let CompletedCall { mut text, failure, has_begun, duration } = made;
            if let Fate::Made(spec, key) = &item.fate {
                let looked = batch.looked.get(batch.told).and_then(Option::as_ref);
                let effect = looked.map_or(spec.effect, |looked| looked.effect);
                if failure.is_none() && effect > Effect::Plan {
                    self.done.add_changed_files(looked.map(|looked| looked.writes.as_slice()).unwrap_or_default());
                }
                if looked.is_some()
                    && self.repeats.record_and_check(key.clone(), &item.call.id, effect, failure.is_some(), &text)
                {
                    text = format!("{}\n{}", text.trim_end(), loop_guard::LOOP_NOTE);
                }
                if failure == Some(Code::Cancelled) && has_begun && looked.is_some() && effect > Effect::Plan {
                    text = format!("{} {STAYS}", text.trim_end());
                }
            }
            if failure == Some(Code::InvalidInput) {
                ends.invalid.insert(item.tool.clone(), text.clone());
            } else {
                ends.valid.insert(item.tool.clone());
            }
            match &item.fate {
                // The final answer does not count as work.
                Fate::Given(text, None) if text == TAKEN => {}
                Fate::Given(_, Some(Code::Cancelled)) => self.done.not_made(),
                Fate::Made(..) if !has_begun => self.done.not_made(),
                _ => self.done.call(&item.tool, failure.is_some()),
            }
            self.unmeasured += text.len();
            let (call, duration) = (item.call.id.clone(), super::milliseconds(duration));
            self.journal.add(EventKind::Result { turn: self.number, call, text, failure, duration })?;
            batch.told += 1;
        }
        Ok(())
    }
}

/// The running calls, and the results of the others.
#[derive(Default)]
struct Batch {
    running: FuturesUnordered<BoxFuture<'static, (usize, CompletedCall)>>,
    touches: BTreeMap<usize, CallAccess>,
    looked: Vec<Option<PreparedCall>>,
    made: Vec<Option<CompletedCall>>,
    /// The number of recorded results.
    told: usize,
}

impl Batch {
    /// Whether a call with this access can begin now.
    fn admits(&self, touch: &CallAccess) -> bool {
        self.touches.len() < MAX_PARALLEL_CALLS && !self.touches.values().any(|other| touch.conflicts(other))
    }

    fn begin(&mut self, at: usize, looked: PreparedCall, call: BoxFuture<'static, (usize, CompletedCall)>) {
        self.touches.insert(at, looked.touch.clone());
        if let Some(place) = self.looked.get_mut(at) {
            *place = Some(looked);
        }
        self.running.push(call);
    }

    fn done(&mut self, at: usize, made: CompletedCall) {
        self.touches.remove(&at);
        if let Some(place) = self.made.get_mut(at) {
            *place = Some(made);
        }
    }

    /// Stops waiting for the running calls.
    fn give_up(&mut self) {
        self.running.clear();
        for at in std::mem::take(&mut self.touches).into_keys() {
            let (text, failure) = (OUTCOME_UNKNOWN.to_owned(), Some(Code::OutcomeUnknown));
            self.done(at, CompletedCall { text, failure, has_begun: true, duration: GRACE });
        }
    }
}
