//! `tools/register` and `tools/unregister`: tools and functions of clients.
//!
//! They pass the registry like every tool, so the policy too: what a client contributes is called as what it says that it
//! does, and `execute` if it says nothing. All of it goes when the client does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::watch;
use zubi_base::framing::ResponseError;
use zubi_base::rpc::{Connection, ConnectionError};
use zubi_link::wire::{codes, tools as wire};
use zubi_toolbox::declared::functions::{Function, FunctionError, text_of};
use zubi_tools::spec::{Approval, Effect, Exposure};
use zubi_tools::{Code, ProviderId, Tool, ToolCx, ToolError, ToolOutput, ToolProvider, ToolSpec, schema};

use super::Client;
use super::methods::{error, invalid};
use crate::local::LocalHost;

/// The toolset that `--toolsets` selects them by.
pub(super) const TOOLSET: &str = "contributed";

/// The most tools and functions of one client: a list is paid for by everybody who reads it.
const MAX_TOOLS: usize = 200;

/// The largest description and schema of one tool together, in bytes.
const MAX_SPEC_BYTES: usize = 64 * 1024;

/// The longest text of an answer, in bytes.
const MAX_TEXT_BYTES: usize = 400_000;

const TIMEOUT: Duration = Duration::from_mins(1);
const LONGEST_TIMEOUT: Duration = Duration::from_mins(10);

/// What one client has contributed.
#[derive(Default)]
pub(super) struct Contributions(Mutex<State>);

#[derive(Default)]
struct State {
    /// Under the name that the client gave first.
    provider: Option<Arc<Contributed>>,
    functions: Vec<String>,
}

impl Contributions {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client is gone.
    pub(super) fn clear(&self, host: &LocalHost) {
        let State { provider, functions } = std::mem::take(&mut *self.state());
        if let Some(provider) = provider {
            host.registry().remove(provider.id());
        }
        remove_functions(host, &functions);
    }
}

fn remove_functions(host: &LocalHost, names: &[String]) {
    if let (Some(declared), false) = (host.declared(), names.is_empty()) {
        for name in names {
            declared.functions().remove(name);
        }
        declared.functions_changed();
    }
}

/// The tools of one client, as the registry has them.
struct Contributed {
    id: ProviderId,
    name: String,
    tools: Mutex<Vec<Arc<ContributedTool>>>,
    changes: watch::Sender<u64>,
}

impl Contributed {
    fn tools(&self) -> MutexGuard<'_, Vec<Arc<ContributedTool>>> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ToolProvider for Contributed {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Self::tools(self).iter().map(|tool| Arc::clone(tool) as Arc<dyn Tool>).collect()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

/// Takes tools and functions of a client in: all that it names, or none.
pub(super) fn register(client: &Client, params: wire::RegisterParams) -> Result<wire::Registered, ResponseError> {
    let host = &client.serving.host;
    let mut state = client.contributions.state();
    let known = state.provider.as_ref().map_or(0, |provider| provider.tools().len()) + state.functions.len();
    if known + params.tools.len() + params.functions.len() > MAX_TOOLS {
        return Err(invalid("tools", format!("more than {MAX_TOOLS} tools and functions of one client")));
    }
    let name = checked_name(&params.client)?;
    if let Some(provider) = state.provider.as_ref().filter(|provider| provider.name != name) {
        let message = format!("this connection has registered tools as `{}`; open another one", provider.name);
        return Err(invalid("client", message));
    }
    let tools = read_tools(client, &params)?;
    for function in &params.functions {
        check_function(host, function)?;
    }
    for (position, tool) in tools.iter().enumerate() {
        let taken = host.has_tool(&tool.spec.id) || host.has_tool(&tool.spec.wire_name());
        let twice = tools.iter().take(position).any(|other| other.spec.wire_name() == tool.spec.wire_name());
        if taken || twice {
            return Err(invalid("tools", format!("there is a tool `{}` already", tool.spec.id)));
        }
    }
    let ids: Vec<String> = tools.iter().map(|tool| tool.spec.id.clone()).collect();
    if !tools.is_empty() {
        add_tools(host, &mut state, name, tools)?;
    }
    if let (Some(declared), false) = (host.declared(), params.functions.is_empty()) {
        for function in &params.functions {
            let remote = Remote { connection: client.connection.clone(), of: Of::Function(function.clone()) };
            if declared.functions().add(function, Arc::new(remote)) {
                state.functions.push(function.clone());
            }
        }
        drop(state);
        declared.functions_changed();
    }
    Ok(wire::Registered { tools: ids, functions: params.functions })
}

fn add_tools(
    host: &LocalHost,
    state: &mut State,
    name: String,
    tools: Vec<Arc<ContributedTool>>,
) -> Result<(), ResponseError> {
    if let Some(provider) = &state.provider {
        provider.tools().extend(tools);
        provider.changes.send_modify(|count| *count += 1);
        return Ok(());
    }
    // Another client's tools would stand under the same names.
    let prefix = format!("{name}.");
    if host.tool_ids().iter().any(|id| id.starts_with(&prefix)) {
        return Err(invalid("client", format!("there are tools `{name}.…` already")));
    }
    let id = ProviderId(format!("{TOOLSET}:{name}").into());
    let provider = Arc::new(Contributed { id, name, tools: Mutex::new(tools), changes: watch::Sender::new(0) });
    host.registry()
        .add(Arc::clone(&provider) as Arc<dyn ToolProvider>)
        .map_err(|_| invalid("client", format!("another client has registered tools as `{}`", provider.name)))?;
    state.provider = Some(provider);
    Ok(())
}

/// Takes contributions back; what was not contributed is not named in the answer.
pub(super) fn unregister(client: &Client, params: &wire::UnregisterParams) -> wire::Registered {
    let host = &client.serving.host;
    let everything = params.tools.is_empty() && params.functions.is_empty();
    let mut state = client.contributions.state();
    let mut gone = Vec::new();
    if let Some(provider) = &state.provider {
        provider.tools().retain(|tool| {
            let named = |id: &String| *id == tool.of || *id == tool.spec.id;
            let goes = everything || params.tools.iter().any(named);
            if goes {
                gone.push(tool.spec.id.clone());
            }
            !goes
        });
        if !gone.is_empty() {
            provider.changes.send_modify(|count| *count += 1);
        }
    }
    let (functions, left): (Vec<_>, Vec<_>) = std::mem::take(&mut state.functions)
        .into_iter()
        .partition(|name| everything || params.functions.contains(name));
    state.functions = left;
    drop(state);
    remove_functions(host, &functions);
    wire::Registered { tools: gone, functions }
}

fn checked_name(name: &str) -> Result<String, ResponseError> {
    let fits = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= 20
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if fits { Ok(name.to_owned()) } else { Err(invalid("client", "a name is [a-z][a-z0-9_]*, at most 20 characters")) }
}

fn check_function(host: &LocalHost, name: &str) -> Result<(), ResponseError> {
    let Some(declared) = host.declared() else {
        return Err(error(codes::INVALID_REQUEST, "this host has no tool files, so no functions for them"));
    };
    if name.is_empty() || name.len() > 200 {
        return Err(invalid("functions", "a name has 1 to 200 bytes"));
    }
    if declared.functions().has(name) {
        return Err(invalid("functions", format!("a function `{name}` is registered already")));
    }
    Ok(())
}

fn read_tools(client: &Client, params: &wire::RegisterParams) -> Result<Vec<Arc<ContributedTool>>, ResponseError> {
    let tool = |(position, tool): (usize, &wire::ContributedTool)| {
        let field = format!("tools[{position}]");
        let spec = read_spec(&params.client, tool).map_err(|why| invalid(&field, why))?;
        let remote = Remote { connection: client.connection.clone(), of: Of::Tool(tool.id.clone()) };
        Ok(Arc::new(ContributedTool { spec, of: tool.id.clone(), remote }))
    };
    params.tools.iter().enumerate().map(tool).collect()
}

/// What a client says of a tool, as the registry wants it. The error is a clause.
fn read_spec(client: &str, tool: &wire::ContributedTool) -> Result<ToolSpec, String> {
    let input = match &tool.input {
        Some(input) => input.clone(),
        None => json!({ "type": "object", "properties": {} }).as_object().cloned().unwrap_or_default(),
    };
    let bytes = tool.description.len() + Value::Object(input.clone()).to_string().len();
    if bytes > MAX_SPEC_BYTES {
        return Err(format!("description and schema of `{}` have more than {MAX_SPEC_BYTES} bytes", tool.id));
    }
    let effect = match tool.effect.as_deref() {
        None => Effect::Execute,
        Some(name) => serde_json::from_value(json!(name))
            .map_err(|_| format!("`{name}` is no effect: read, plan, write, execute or network"))?,
    };
    let words = |text: &str| zubi_base::visible::on_one_line(text).into_owned();
    let spec = ToolSpec {
        id: format!("{client}.{}", tool.id),
        title: words(tool.title.as_deref().unwrap_or(&tool.id)),
        description: zubi_base::visible::on_lines(&tool.description).into_owned(),
        input,
        examples: Vec::new(),
        notes: String::new(),
        effect,
        toolset: TOOLSET.to_owned(),
        // As with declared tools: who wants them in every list asks for the toolset.
        exposure: Exposure::Deferred,
        approval: Approval::ByEffect,
        timeout: tool.timeout.map_or(TIMEOUT, Duration::from_millis).min(LONGEST_TIMEOUT),
        category: words(tool.category.as_deref().unwrap_or("Contributed")),
        tags: tool.tags.iter().take(20).map(|tag| words(tag)).collect(),
        icon: None,
    };
    match schema::problems(&spec).into_iter().next() {
        Some(problem) => Err(format!("`{}`: {problem}", tool.id)),
        None => Ok(spec),
    }
}

/// A tool that a client runs.
struct ContributedTool {
    spec: ToolSpec,
    /// Its id as the client knows it.
    of: String,
    remote: Remote,
}

#[async_trait]
impl Tool for ContributedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let id = &self.spec.id;
        let data = self.remote.call(args, cx).await.map_err(|error| {
            let (code, hint) = match error {
                FunctionError::Failed(_) => (Code::Failed, "Check the arguments; the tool is another program's."),
                FunctionError::Gone(_) => (Code::Unavailable, "It is back when that program is; use another tool."),
                FunctionError::TimedOut => (Code::TimedOut, "Give it less to do, or call again."),
                FunctionError::Cancelled => (Code::Cancelled, "Call again if the answer is still wanted."),
            };
            ToolError::tell(code, format!("Error in {id}: {error}"), hint)
        })?;
        let mut text = text_of(&data);
        if text.len() > MAX_TEXT_BYTES {
            text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
            text.push_str("\n… the rest is not shown …");
        }
        Ok(ToolOutput { text, data: Some(data), ..ToolOutput::default() })
    }
}

/// Something in the program of a client.
struct Remote {
    connection: Connection,
    of: Of,
}

enum Of {
    Tool(String),
    Function(String),
}

#[async_trait]
impl Function for Remote {
    async fn call(&self, arguments: Value, cx: &ToolCx) -> Result<Value, FunctionError> {
        let (tool, function) = match &self.of {
            Of::Tool(tool) => (Some(tool.clone()), None),
            Of::Function(function) => (None, Some(function.clone())),
        };
        let params = json!(wire::InvokeParams { tool, function, arguments });
        let deadline = cx.deadline.min(Instant::now() + LONGEST_TIMEOUT);
        let answer = self.connection.request(wire::INVOKE, params, &cx.cancel, deadline).await;
        let answer = answer.map_err(|error| match error {
            ConnectionError::TimedOut { .. } => FunctionError::TimedOut,
            ConnectionError::Cancelled => FunctionError::Cancelled,
            ConnectionError::Closed { why } => FunctionError::Gone(why),
            ConnectionError::Response { message, .. } => FunctionError::Failed(message),
            ConnectionError::Protocol { what } => FunctionError::Failed(what),
        })?;
        let result: wire::InvokeResult = serde_json::from_value(answer)
            .map_err(|error| FunctionError::Failed(format!("its answer is not understood: {error}")))?;
        if result.success {
            Ok(result.data)
        } else {
            Err(FunctionError::Failed(result.error.unwrap_or_else(|| "it gave no reason".to_owned())))
        }
    }
}
