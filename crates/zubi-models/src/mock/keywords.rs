//! The model `mock`: finds keywords in the user's message, makes the matching call, and reports its result.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use zubi_base::text::ellipsize;
use zubi_tool_api::spec::{CALL_READ_TOOL, CALL_TOOL, wire_name};

use super::schema_example::minimal_instance;
use super::{PROVIDER, last_call_number, stream_words};
use crate::FINAL_ANSWER;
use crate::message::{AssistantMessage, PromptMessage, TokenUsage, ToolCall, ToolResult};
use crate::{
    AnswerDelta, ErrorKind, FinishReason, LanguageModel, ModelAnswer, ModelError, ModelInfo, OnDelta, Prompt,
    ToolDefinition,
};

/// The maximum number of lines and characters of a call's result in an answer.
const MAX_LINES: usize = 12;
const MAX_LINE: usize = 160;

/// Returns the model's name and limits.
pub(super) fn info() -> ModelInfo {
    ModelInfo {
        id: PROVIDER.to_owned(),
        name: "Mock: goes by keywords, uses no network".to_owned(),
        provider: PROVIDER.to_owned(),
        context: None,
    }
}

/// The model `mock`.
pub(super) struct Keywords {
    info: ModelInfo,
    /// The largest number in the id of a call so far.
    calls: AtomicU64,
}

impl Default for Keywords {
    fn default() -> Self {
        Self { info: info(), calls: AtomicU64::new(0) }
    }
}

#[async_trait]
impl LanguageModel for Keywords {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn answer(&self, prompt: Prompt<'_>, on_delta: OnDelta<'_>) -> Result<ModelAnswer, ModelError> {
        let (text, call) = match next(prompt) {
            MockStep::Text(text) => final_answer(prompt.tools, text)?,
            MockStep::Call(text, call) => (text, Some(call)),
        };
        stream_words(&text, AnswerDelta::Text, on_delta).await;
        let calls = Vec::from_iter(call.map(|(tool, arguments)| {
            // The prompt of a conversation that continues after a restart shows which numbers are taken.
            self.calls.fetch_max(last_call_number(prompt.messages), Ordering::Relaxed);
            let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
            ToolCall { id: format!("mock-{number}"), tool, arguments }
        }));
        let usage = TokenUsage { input: words(prompt), output: count(&text), cached: 0 };
        Ok(ModelAnswer {
            message: AssistantMessage { text, calls, ..AssistantMessage::default() },
            usage,
            stop: FinishReason::Finished,
        })
    }
}

/// The model's next step.
enum MockStep {
    Text(String),
    /// The text before the call, the tool's wire name and its arguments.
    Call(String, (String, Value)),
}

fn next(prompt: Prompt<'_>) -> MockStep {
    let newest_first = prompt.messages.iter().rev();
    let outcomes: Vec<&ToolResult> = newest_first
        .map_while(|message| if let PromptMessage::Tool(outcome) = message { Some(outcome) } else { None })
        .collect();
    if !outcomes.is_empty() {
        let summaries: Vec<String> = outcomes.into_iter().rev().map(summarize_result).collect();
        return MockStep::Text(summaries.join("\n\n"));
    }
    let user_text = prompt.messages.iter().rev().find_map(|message| match message {
        PromptMessage::User { text } => Some(text.as_str()),
        _ => None,
    });
    let Some(user_text) = user_text else { return MockStep::Text(help(prompt.tools)) };
    match detect_intent(user_text) {
        Intent::Call(why, id, arguments) => call_if_available(prompt.tools, why, &id, &arguments),
        Intent::Text(text) => MockStep::Text(text.to_owned()),
        Intent::Nothing => MockStep::Text(help(prompt.tools)),
    }
}

/// Returns the final text, with the call for structured output if the prompt requires it.
fn final_answer(tools: &[ToolDefinition], text: String) -> Result<(String, Option<(String, Value)>), ModelError> {
    // The name has trailing underscores if another tool has the plain name.
    let definition = tools.iter().rev().find(|tool| tool.name.trim_end_matches('_') == FINAL_ANSWER);
    let Some(definition) = definition else { return Ok((text, None)) };
    match minimal_instance(&definition.schema) {
        Some(value) => Ok((text, Some((definition.name.clone(), value)))),
        None => {
            let error = ModelError::new(ErrorKind::Refused, "the mock cannot create a value for this schema");
            Err(error.with_hint("Write one into a scenario's file: `--model mock:FILE`."))
        }
    }
}

/// The user's intent.
enum Intent {
    /// The text, a tool's id and its arguments.
    Call(&'static str, String, Value),
    Text(&'static str),
    Nothing,
}

fn detect_intent(user_text: &str) -> Intent {
    let words: Vec<String> = user_text
        .split(|char: char| !(char.is_alphanumeric() || char == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    let files = ["file", "files"];

    if has(&["read", "reads", "show"]) && (has(&files) || has(&["content", "contents"])) {
        let path = first_quoted(user_text).or_else(|| path(user_text)).unwrap_or("README.md");
        return Intent::Call("I read the file.", "file.read".to_owned(), json!({ "path": path }));
    }
    if has(&["list", "lists"]) && has(&files) {
        return Intent::Call("I list the files.", "file.list".to_owned(), json!({}));
    }
    if has(&["search", "find"]) {
        let query = first_quoted(user_text).or_else(|| word_after(user_text, &["search", "find"])).unwrap_or("TODO");
        let arguments = json!({ "query": query, "regex": false });
        return Intent::Call("I search the files.", "file.search".to_owned(), arguments);
    }
    if has(&["run", "runs"]) && has(&["command", "commands", "shell"]) {
        return match first_quoted(user_text) {
            Some(command) => Intent::Call("I run the command.", "shell.run".to_owned(), json!({ "command": command })),
            None => Intent::Text("Which command? Write it in quotes: run the command `pwd`."),
        };
    }
    if let Some(id) = find_declared_tool(user_text) {
        return Intent::Call("I call the workspace's tool.", id.to_owned(), json!({}));
    }
    if has(&["domain", "domains", "context", "contexts", "domainlang"]) {
        let arguments = first_quoted(user_text).map_or_else(|| json!({}), |fqn| json!({ "fqn": fqn }));
        return Intent::Call("I look into the domain model.", "domainlang_get".to_owned(), arguments);
    }
    Intent::Nothing
}

/// Makes the call if its tool is available: by its name, or through the tools that call unlisted tools.
fn call_if_available(tools: &[ToolDefinition], why: &str, id: &str, arguments: &Value) -> MockStep {
    let wire = wire_name(id);
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    if has(&wire) {
        return MockStep::Call(why.to_owned(), (wire, arguments.clone()));
    }
    let delegate = if matches!(id, "file.read" | "file.list" | "file.search") { CALL_READ_TOOL } else { CALL_TOOL };
    if has(delegate) {
        return MockStep::Call(why.to_owned(), (delegate.to_owned(), json!({ "tool": id, "arguments": arguments })));
    }
    MockStep::Text(format!("That would be a call of `{wire}`, which I am not offered.\n\n{}", help(tools)))
}

/// Returns a short summary of a call's result.
fn summarize_result(outcome: &ToolResult) -> String {
    let mut lines: Vec<Cow<'_, str>> =
        outcome.text.lines().take(MAX_LINES).map(|line| ellipsize(line, MAX_LINE)).collect();
    let more = outcome.text.lines().count().saturating_sub(MAX_LINES);
    if more > 0 {
        lines.push(format!("… and {more} more lines").into());
    }
    let verb = if outcome.is_error { "failed" } else { "answered" };
    format!("`{}` {verb}:\n\n{}", outcome.tool, lines.join("\n"))
}

fn help(tools: &[ToolDefinition]) -> String {
    let names: Vec<String> = tools.iter().map(|tool| format!("- `{}`", tool.name)).collect();
    let names = if names.is_empty() { "- none".to_owned() } else { names.join("\n") };
    format!(
        "I am a mock: I go by keywords. Try:\n\n\
         - read the file `README.md`\n\
         - list the files\n\
         - search for `TODO`\n\
         - run the command `pwd`\n\
         - what is in the domain model?\n\
         - call workspace.NAME, a tool that the workspace declares\n\n\
         The tools that I am offered:\n\n{names}"
    )
}

/// Returns the first text in quotes; a quotation mark within a word is an apostrophe.
fn first_quoted(text: &str) -> Option<&str> {
    for (at, mark) in text.char_indices().filter(|(_, char)| matches!(char, '`' | '"' | '\'' | '“')) {
        let is_inside = text.get(..at)?.chars().next_back().is_some_and(char::is_alphanumeric);
        let rest = text.get(at + mark.len_utf8()..)?;
        let end = rest.find(if mark == '“' { '”' } else { mark });
        if let (false, Some(end)) = (is_inside, end.filter(|end| *end > 0)) {
            return rest.get(..end);
        }
    }
    None
}

/// Returns the first word that looks like a path.
fn path(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace().map(|word| word.trim_end_matches([',', '.', '?', '!', ':']));
    words.find(|word| word.contains(['/', '.']))
}

/// Returns the word after one of `words`; words such as `for` are skipped.
fn word_after<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    let clean = |word: &'a str| word.trim_matches(|char: char| !(char.is_alphanumeric() || char == '_'));
    let mut rest = text.split_whitespace().skip_while(|word| !words.contains(&clean(word).to_lowercase().as_str()));
    rest.next()?;
    rest.map(clean).find(|word| !word.is_empty() && !["for", "all", "the", "a", "any", "uses", "of"].contains(word))
}

/// Returns the id of a tool that the workspace declares.
fn find_declared_tool(text: &str) -> Option<&str> {
    let words = text.split(|char: char| !(char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.')));
    let mut words = words.map(|word| word.trim_end_matches('.'));
    words.find(|word| word.strip_prefix("workspace.").is_some_and(|name| !name.is_empty()))
}

/// Counts words instead of tokens, because that requires no tokenizer and always gives the same number.
fn words(prompt: Prompt<'_>) -> u64 {
    let counts = prompt.messages.iter().map(|message| match message {
        PromptMessage::User { text } => count(text),
        PromptMessage::Assistant(answer) => count(&answer.text),
        PromptMessage::Tool(outcome) => count(&outcome.text),
    });
    counts.sum::<u64>().saturating_add(count(prompt.system))
}

fn count(text: &str) -> u64 {
    u64::try_from(text.split_whitespace().count()).unwrap_or(u64::MAX)
}
