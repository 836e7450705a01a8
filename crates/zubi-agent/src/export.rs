//! The export of a conversation as a scenario: the user's messages, the model's answers and the results of the calls.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use zubi_tool_api::cx::ApprovalAnswer;
use zubi_tool_api::registry::CHANGED_ARGUMENTS;

use crate::delegation;
use crate::event::{AgentEvent, EventKind};
use zubi_models::scenario::{Scenario, ScenarioAnswer, ScenarioCall, ScenarioOutcome, ScenarioTurn, VERSION};

/// The maximum length of a file name, in characters.
const MAX_NAME: usize = 40;
/// The placeholder for the workspace folder in tool results, so that another copy of the workspace gives the same text.
const FOLDER: &str = "${workspaceFolder}";

/// Returns the scenario that replays the conversation. Appends messages that the user sent during a turn to the turn's
/// first message, omits interrupted answers, and uses the arguments that a user has edited.
pub fn scenario(title: &str, events: &[AgentEvent]) -> Scenario {
    let mut folders: Vec<Utf8PathBuf> = Vec::new();
    let mut turns: Vec<ScenarioTurn> = Vec::new();
    let mut exported = ExportedCalls::default();
    let edits = edits(events);
    for event in events {
        match &event.kind {
            EventKind::Began { folders: workspace_folders, .. } => folders.clone_from(workspace_folders),
            EventKind::UserMessage { text, .. } => match turns.last_mut().filter(|turn| turn.ended.is_none()) {
                Some(turn) => {
                    turn.user.push_str("\n\n");
                    turn.user.push_str(text);
                }
                None => turns.push(ScenarioTurn {
                    user: text.clone(),
                    answers: Vec::new(),
                    results: Vec::new(),
                    ended: None,
                }),
            },
            EventKind::Answered { message, usage, interrupted: false, .. } => {
                let Some(turn) = turns.last_mut() else { continue };
                let mut answer = ScenarioAnswer {
                    reasoning: message.reasoning.clone(),
                    text: message.text.clone(),
                    usage: (usage.total() > 0).then_some(*usage),
                    ..ScenarioAnswer::default()
                };
                for call in &message.calls {
                    let arguments = edits.get(call.id.as_str()).unwrap_or(&call.arguments).clone();
                    let exported_call = ScenarioCall { tool: call.tool.clone(), arguments };
                    exported.begin(&call.id, exported_call.clone());
                    answer.calls.push(exported_call);
                }
                turn.answers.push(answer);
            }
            EventKind::Result { call, text, failure, .. } => {
                let text = if edits.contains_key(call.as_str()) { without_note(text) } else { text.clone() };
                exported.end(call, &text, failure.is_some(), &folders);
            }
            EventKind::Ended(ended) => {
                if let Some(turn) = turns.last_mut() {
                    turn.results = std::mem::take(&mut exported).outcomes();
                    turn.ended = Some(ended.reason);
                }
            }
            _ => {}
        }
    }
    // The last turn may still be running, so no end event has collected its results.
    if let Some(turn) = turns.last_mut().filter(|turn| turn.ended.is_none()) {
        turn.results = exported.outcomes();
    }
    Scenario { zubi_scenario: VERSION, title: title.to_owned(), turns }
}

/// Returns the arguments that a user has edited, by call. A replay must use them, because the call was never made with
/// the model's own arguments.
fn edits(events: &[AgentEvent]) -> BTreeMap<&str, Value> {
    let mut calls = BTreeMap::new();
    let mut questions = BTreeMap::new();
    let mut edits = BTreeMap::new();
    for event in events {
        match &event.kind {
            EventKind::Calling { call, tool, arguments, .. } => {
                calls.insert(call.as_str(), (tool.as_str(), arguments));
            }
            EventKind::Question { question, call, request, .. } => {
                questions.insert(question.as_str(), (call.as_str(), request["tool"].as_str().unwrap_or_default()));
            }
            EventKind::Decision { question, answer, .. } => {
                // Calls that this call makes while it runs have arguments of their own.
                if let Ok(ApprovalAnswer::Allow { arguments: Some(edited), .. }) =
                    serde_json::from_value(answer.clone())
                    && let Some((call, prompted_tool)) = questions.get(question.as_str())
                    && let Some((tool, arguments)) = calls.get(call)
                    && delegation::matches_call(prompted_tool, tool, arguments)
                {
                    edits.insert(*call, delegation::apply_edited_args(tool, arguments, edited));
                }
            }
            _ => {}
        }
    }
    edits
}

/// Removes the line that reports edited arguments from a tool result, because a replay does not edit them.
fn without_note(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let change_line = lines.iter().position(|line| line.starts_with(CHANGED_ARGUMENTS));
    lines.iter().enumerate().filter(|(at, _)| Some(*at) != change_line).map(|(_, line)| *line).collect()
}

/// The calls of a turn. Calls that run in parallel end in any order; the export lists them in the order in which the
/// model made them.
#[derive(Default)]
struct ExportedCalls {
    numbers: BTreeMap<String, usize>,
    calls: Vec<(ScenarioCall, Option<(String, bool)>)>,
    folders: Vec<Utf8PathBuf>,
}

impl ExportedCalls {
    fn begin(&mut self, id: &str, call: ScenarioCall) {
        self.numbers.insert(id.to_owned(), self.calls.len());
        self.calls.push((call, None));
    }

    fn end(&mut self, id: &str, text: &str, failed: bool, folders: &[Utf8PathBuf]) {
        folders.clone_into(&mut self.folders);
        if let Some((_, outcome)) = self.numbers.get(id).and_then(|number| self.calls.get_mut(*number)) {
            *outcome = Some((replace_folders(text, folders), failed));
        }
    }

    fn outcomes(self) -> Vec<ScenarioOutcome> {
        let Self { calls, folders, .. } = self;
        let outcome = |(call, outcome): (ScenarioCall, Option<(String, bool)>)| {
            let (text, failed) = outcome?;
            Some(ScenarioOutcome { tool: call.tool, arguments: replace_in(&call.arguments, &folders), text, failed })
        };
        calls.into_iter().filter_map(outcome).collect()
    }
}

/// Replaces the paths of the workspace's folders in a text by placeholders.
fn replace_folders(text: &str, folders: &[Utf8PathBuf]) -> String {
    let mut text = text.to_owned();
    for (number, folder) in folders.iter().enumerate() {
        // The root folder `/` would match everywhere.
        if folder.parent().is_some_and(|parent| parent != Utf8Path::new("")) {
            let name = if number == 0 { FOLDER.to_owned() } else { format!("{FOLDER}[{number}]") };
            text = text.replace(folder.as_str(), &name);
        }
    }
    text
}

fn replace_in(value: &Value, folders: &[Utf8PathBuf]) -> Value {
    match value {
        Value::String(text) => replace_folders(text, folders).into(),
        Value::Array(items) => items.iter().map(|item| replace_in(item, folders)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, inner)| (name.clone(), replace_in(inner, folders))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Returns a file name for a scenario.
pub fn file_name(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        match c {
            c if c.is_ascii_alphanumeric() => name.push(c),
            _ if name.ends_with('-') || name.is_empty() => {}
            _ => name.push('-'),
        }
        if name.len() >= MAX_NAME {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    format!("{}.scenario.yaml", if name.is_empty() { "conversation" } else { name })
}
