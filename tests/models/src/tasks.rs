//! A model that works through a task: a list of calls, each with what its result must contain.
//!
//! A script of turns cannot drive an agent of another vendor: it sends requests of its own (for a title, for the list of
//! models), names tools after the server, and may show a tool only after a search. This model derives its next call from
//! the request alone: from the results in it and from the tools that it offers. It fails the task if a tool cannot be
//! reached, or if a result lacks its text.

use std::io::BufReader;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use super::{Call, Dialect, MODEL, Request, ScriptedReply, Turn, accept_all, respond};

/// The placeholder in arguments for the id of the last plan in the results so far.
pub const PLAN: &str = "${plan}";

/// The text of the model after the last step.
pub const DONE: &str = "The task is done.";

/// The name of the MCP server in the configuration of each agent.
const SERVER: &str = "zubi";

/// A call, and what its result must contain.
#[derive(Debug, Clone)]
#[must_use]
pub struct TaskStep {
    tool: &'static str,
    arguments: Value,
    contained: Vec<&'static str>,
}

impl TaskStep {
    /// A call of a tool of zubi. A text in the arguments may be [`PLAN`].
    pub fn call(tool: &'static str, arguments: Value) -> Self {
        Self { tool, arguments, contained: Vec::new() }
    }

    /// Requires this text in the result that the model receives.
    pub fn contains(mut self, text: &'static str) -> Self {
        self.contained.push(text);
        self
    }
}

/// The way to a tool from what a request offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The request lists the tool.
    Listed,
    /// The agent's own search lists it, or calls it.
    AgentSearch,
    /// zubi's tool for unlisted queries calls it.
    MetaTool,
}

/// The record of a task.
#[derive(Debug, Clone, Default)]
pub struct TaskOutcome {
    /// The text of each step's result, as the model received it.
    pub results: Vec<String>,
    /// The way to the tool of each step.
    pub routes: Vec<Route>,
    /// The reasons why the task failed.
    pub failures: Vec<String>,
}

/// The server of such a model, for all dialects that agents speak.
pub struct TaskServer {
    port: u16,
    state: Arc<TaskState>,
}

struct TaskState {
    steps: Vec<TaskStep>,
    outcome: Mutex<TaskOutcome>,
}

/// A tool in a request.
struct OfferedTool<'a> {
    name: &'a str,
    namespace: Option<&'a str>,
}

/// A call in a request and its result.
struct FinishedCall {
    tool: String,
    result: String,
}

impl TaskServer {
    /// Starts a server for this task on a free port.
    pub fn start(steps: Vec<TaskStep>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(TaskState { steps, outcome: Mutex::default() });
        let thread_state = Arc::clone(&state);
        accept_all(listener, move |stream| thread_state.serve(stream));
        Self { port, state }
    }

    /// The address without the path of an API.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the record so far. A missing result counts as a failure.
    pub fn outcome(&self) -> TaskOutcome {
        let mut outcome = self.state.outcome().clone();
        if let Some(step) = self.state.steps.get(outcome.results.len()) {
            outcome.failures.push(format!("no result of step {}, {}", outcome.results.len() + 1, step.tool));
        }
        outcome
    }
}

impl TaskState {
    fn outcome(&self) -> MutexGuard<'_, TaskOutcome> {
        self.outcome.lock().expect("no thread of the server fails")
    }

    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let Some(request) = Request::read(&mut BufReader::new(&stream))? else { return Ok(()) };
        let turn = match dialect_of(&request) {
            Some(dialect) => Turn::raw(200, dialect.answer(&self.reply(&request, dialect))),
            None if request.method == "GET" => Turn::raw(200, Dialect::OpenAiChat.models(&[MODEL]).to_string()),
            None => Turn::raw(404, json!({ "error": { "message": "not an API of models" } }).to_string()),
        };
        respond(&mut stream, &turn, &turn.bytes(Dialect::OpenAiChat))
    }

    /// Reads what the model received, and returns its next call.
    fn reply(&self, request: &Request, dialect: Dialect) -> ScriptedReply {
        let finished = finished_calls(request, dialect);
        let offered = offered_tools(request, dialect, &finished);
        if offered.is_empty() {
            // A request for the title of the conversation.
            return ScriptedReply::text("A task");
        }
        let (results, last_search) = split_searches(&finished);
        let mut outcome = self.outcome();
        for (number, result) in results.iter().enumerate().skip(outcome.results.len()) {
            let contained = self.steps.get(number).map(|step| step.contained.as_slice()).unwrap_or_default();
            for text in contained.iter().filter(|text| !result.contains(**text)) {
                outcome.failures.push(format!("step {}: `{text}` is not in the result:\n{result}", number + 1));
            }
            outcome.results.push((*result).to_owned());
        }
        if !outcome.failures.is_empty() {
            return ScriptedReply::text("The task failed.");
        }
        let Some(step) = self.steps.get(results.len()) else { return ScriptedReply::text(DONE) };
        let arguments = with_plan(&step.arguments, &results);
        match next_call(step.tool, arguments, &offered, last_search) {
            Ok((route, mut call)) => {
                if outcome.routes.len() == results.len() {
                    outcome.routes.push(route);
                }
                call.id = format!("call_{}", finished.len() + 1);
                ScriptedReply { calls: vec![call], usage: Some((10, 10, 0)), ..ScriptedReply::default() }
            }
            Err(error) => {
                outcome.failures.push(format!("step {}: {error}", results.len() + 1));
                ScriptedReply::text("The task failed.")
            }
        }
    }
}

/// The API of a request that expects an answer of the model.
fn dialect_of(request: &Request) -> Option<Dialect> {
    let path = request.path.as_str();
    if request.method != "POST" {
        return None;
    }
    match path.rsplit('/').next()? {
        "completions" => Some(Dialect::OpenAiChat),
        "responses" => Some(Dialect::Responses),
        "messages" => Some(Dialect::Anthropic),
        last if last.ends_with(":streamGenerateContent") => Some(Dialect::Gemini),
        _ => None,
    }
}

/// The results of the task's calls, and whether the last call of all was a search for tools.
fn split_searches(finished: &[FinishedCall]) -> (Vec<&str>, bool) {
    let is_search = |call: &FinishedCall| matches!(call.tool.as_str(), "ToolSearch" | "tool_search");
    let results = finished.iter().filter(|call| !is_search(call)).map(|call| call.result.as_str()).collect();
    (results, finished.last().is_some_and(is_search))
}

/// The call that comes nearer to a tool, and the way to it.
fn next_call(
    tool: &str,
    arguments: Value,
    offered: &[OfferedTool<'_>],
    has_searched: bool,
) -> Result<(Route, Call), String> {
    let find = |name: &str| {
        // An agent puts the server's name before the tool's, with its own separator.
        let is_it = |it: &&OfferedTool<'_>| {
            it.name.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with(['_', '-']))
        };
        offered.iter().filter(is_it).min_by_key(|it| it.name.len())
    };
    let call = |offered: &OfferedTool<'_>, arguments: Value| Call {
        namespace: offered.namespace.map(str::to_owned),
        ..Call::new(1, offered.name, arguments)
    };
    let qualified = format!("mcp__{SERVER}__{tool}");
    let query = || json!({ "query": format!("select:{qualified}") });
    if let Some(listed) = find(tool) {
        let route = if has_searched { Route::AgentSearch } else { Route::Listed };
        return Ok((route, call(listed, arguments)));
    }
    if let (Some(search), Some(indirect)) = (find("tool_search"), find("tool_call")) {
        let searched = json!({ "name": qualified, "arguments": arguments });
        return Ok((Route::AgentSearch, if has_searched { call(indirect, searched) } else { call(search, query()) }));
    }
    if let Some(search) = find("ToolSearch") {
        if has_searched {
            return Err(format!("the agent's search does not find {qualified}"));
        }
        return Ok((Route::AgentSearch, call(search, query())));
    }
    // A model uses the tool that cannot change files for a query: agents let it run without approval.
    match find("zubi_call_read_tool") {
        Some(meta) => Ok((Route::MetaTool, call(meta, json!({ "tool": tool, "arguments": arguments })))),
        None => {
            let names: Vec<&str> = offered.iter().map(|tool| tool.name).collect();
            Err(format!("`{tool}` is not among the tools {}", names.join(", ")))
        }
    }
}

/// The arguments with the last plan in the results.
fn with_plan(arguments: &Value, results: &[&str]) -> Value {
    match arguments {
        Value::String(text) if text == PLAN => {
            json!(results.iter().rev().find_map(|result| plan_id(result)).unwrap_or("no plan so far"))
        }
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), with_plan(value, results))).collect()
        }
        other => other.clone(),
    }
}

/// The id of the first plan in a text: `p-` and ten characters of base 32.
fn plan_id(text: &str) -> Option<&str> {
    let is_base32 = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let at_start = |at: usize| !text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric));
    let candidates = text.match_indices("p-").filter(|(at, _)| at_start(*at));
    candidates.filter_map(|(at, _)| text.get(at..at + 12)).find(|id| id.chars().skip(2).all(is_base32))
}

/// The elements of an array; nothing for any other value.
fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

/// The tools of a request that the model may call now. Anthropic's API lists deferred tools too, which become callable
/// when the result of a search refers to them.
fn offered_tools<'a>(request: &'a Request, dialect: Dialect, finished: &[FinishedCall]) -> Vec<OfferedTool<'a>> {
    let is_loaded = |tool: &Value| {
        let name = tool["name"].as_str().unwrap_or_default();
        finished.iter().any(|call| call.tool == "ToolSearch" && call.result.lines().any(|line| line == name))
    };
    let mut offered = Vec::new();
    for tool in elements(&request.body["tools"]) {
        let (declarations, namespace): (Vec<&Value>, Option<&str>) = match dialect {
            Dialect::OpenAiChat | Dialect::Ollama => (vec![&tool["function"]], None),
            Dialect::Responses if tool["type"] == "namespace" => {
                (elements(&tool["tools"]).collect(), tool["name"].as_str())
            }
            Dialect::Responses | Dialect::Anthropic => (vec![tool], None),
            Dialect::Gemini => (elements(&tool["functionDeclarations"]).collect(), None),
        };
        let callable =
            declarations.into_iter().filter(|declared| declared["defer_loading"] != true || is_loaded(declared));
        offered.extend(callable.filter_map(|it| Some(OfferedTool { name: it["name"].as_str()?, namespace })));
    }
    offered
}

/// The calls of a conversation that have a result, in the order of the results.
fn finished_calls(request: &Request, dialect: Dialect) -> Vec<FinishedCall> {
    let mut started: Vec<(&Value, &Value)> = Vec::new();
    let mut finished = Vec::new();
    for message in request.messages(dialect) {
        let blocks: Vec<&Value> = match dialect {
            Dialect::OpenAiChat | Dialect::Ollama | Dialect::Responses => vec![message],
            Dialect::Anthropic => elements(&message["content"]).collect(),
            Dialect::Gemini => elements(&message["parts"]).collect(),
        };
        for block in blocks {
            match dialect {
                Dialect::OpenAiChat | Dialect::Ollama => {
                    started.extend(elements(&block["tool_calls"]).map(|it| (&it["id"], &it["function"]["name"])));
                }
                Dialect::Responses => {
                    started.extend((block["type"] == "function_call").then(|| (&block["call_id"], &block["name"])));
                }
                Dialect::Anthropic => {
                    started.extend((block["type"] == "tool_use").then(|| (&block["id"], &block["name"])));
                }
                Dialect::Gemini => {}
            }
            let (id, result) = match dialect {
                Dialect::OpenAiChat | Dialect::Ollama if block["role"] == "tool" => {
                    (&block["tool_call_id"], &block["content"])
                }
                Dialect::Responses if block["type"] == "function_call_output" => (&block["call_id"], &block["output"]),
                Dialect::Anthropic if block["type"] == "tool_result" => (&block["tool_use_id"], &block["content"]),
                Dialect::Gemini if block["functionResponse"].is_object() => {
                    let response = &block["functionResponse"];
                    started.push((&response["name"], &response["name"]));
                    (&response["name"], &response["response"])
                }
                _ => continue,
            };
            let tool = started.iter().rev().find(|(started, _)| *started == id).map(|(_, name)| *name);
            let tool = tool.and_then(Value::as_str).unwrap_or_default().to_owned();
            finished.push(FinishedCall { tool, result: plain_text(result) });
        }
    }
    finished
}

/// The texts in a result, without the structure that each agent puts around them.
fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain_text).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => {
            let texts = members.iter().filter(|(name, _)| *name != "type").map(|(_, value)| plain_text(value));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Dialect, Request, TaskServer, TaskState, TaskStep};

    /// Returns the answer of the model to a request with this body, and the failures of the task.
    fn check(dialect: Dialect, body: Value) -> (String, Vec<String>) {
        let steps = vec![
            TaskStep::call("lsp_rename_symbol", json!({ "symbol": "a" })).contains("apply_edit"),
            TaskStep::call("apply_edit", json!({ "plan": super::PLAN })),
        ];
        let state = TaskState { steps, outcome: std::sync::Mutex::default() };
        let request = Request {
            method: "POST".to_owned(),
            path: dialect.path("m"),
            query: String::new(),
            headers: Vec::new(),
            body,
        };
        let reply = state.reply(&request, dialect);
        let server = TaskServer { port: 0, state: std::sync::Arc::new(state) };
        let call = reply
            .calls
            .first()
            .map(|it| format!("{}:{} {}", it.namespace.as_deref().unwrap_or_default(), it.tool, it.arguments));
        (call.unwrap_or_else(|| reply.text.concat()), server.state.outcome().failures.clone())
    }

    #[test]
    fn the_next_call_follows_from_the_results_in_each_dialect() {
        let planned = "apply_edit {\"plan\":\"p-abcdefgh12\"}";
        let (next, failures) = check(
            Dialect::Responses,
            json!({ "tools": [{ "type": "namespace", "name": "mcp__zubi", "tools": [{ "name": "apply_edit" }] }],
                    "input": [{ "type": "function_call", "call_id": "c", "name": "lsp_rename_symbol" },
                              { "type": "function_call_output", "call_id": "c",
                                "output": [{ "type": "input_text", "text": planned }] }] }),
        );
        assert_eq!((next.as_str(), failures.len()), ("mcp__zubi:apply_edit {\"plan\":\"p-abcdefgh12\"}", 0));
        let (next, failures) = check(
            Dialect::Anthropic,
            json!({ "tools": [{ "name": "mcp__zubi__apply_edit", "defer_loading": true }, { "name": "ToolSearch" }],
                    "messages": [{ "role": "assistant", "content": [{ "type": "tool_use", "id": "c", "name": "x" }] },
                                 { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c",
                                                                 "content": planned }] }] }),
        );
        assert_eq!((next.as_str(), failures.len()), (":ToolSearch {\"query\":\"select:mcp__zubi__apply_edit\"}", 0));
        let (next, failures) = check(
            Dialect::Gemini,
            json!({ "tools": [{ "functionDeclarations": [{ "name": "mcp_zubi_zubi_call_read_tool" }] }],
                    "contents": [{ "parts": [{ "functionResponse": { "name": "x", "response": { "output": planned } } }] }] }),
        );
        let expected =
            ":mcp_zubi_zubi_call_read_tool {\"tool\":\"apply_edit\",\"arguments\":{\"plan\":\"p-abcdefgh12\"}}";
        assert_eq!((next.as_str(), failures.len()), (expected, 0));
    }

    #[test]
    fn a_result_without_its_text_fails_the_task() {
        let body = json!({ "tools": [{ "function": { "name": "zubi_apply_edit" } }],
                           "messages": [{ "role": "assistant", "tool_calls": [{ "id": "c", "function": { "name": "x" } }] },
                                        { "role": "tool", "tool_call_id": "c", "content": "nothing" }] });
        let (next, failures) = check(Dialect::OpenAiChat, body);
        assert_eq!(
            (next.as_str(), failures),
            ("The task failed.", vec!["step 1: `apply_edit` is not in the result:\nnothing".to_owned()])
        );
        let (next, failures) =
            check(Dialect::OpenAiChat, json!({ "tools": [{ "function": { "name": "other" } }], "messages": [] }));
        assert_eq!((next.as_str(), failures.len()), ("The task failed.", 1));
    }
}
