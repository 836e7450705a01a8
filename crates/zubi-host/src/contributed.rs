//! Tools and functions that others contribute to a host: programs over the protocol, and extensions of an editor.
//!
//! The registry and the policy handle them like all tools: a contributed tool has the effect that it declares, or
//! `execute` if it declares none. zubi removes all contributions of a contributor that disconnects.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::watch;
use zubi_declared::DeclaredProvider;
pub use zubi_declared::functions::FunctionError;
use zubi_declared::functions::{Function, result_text};
use zubi_ipc::wire::tools::{ContributedTool, InvokeParams, InvokeResult, RegisteredTools};
use zubi_tool_api::registry::Registry;
use zubi_tool_api::spec::{Approval, Effect, Exposure};
use zubi_tool_api::{
    ErrorCode, Footprint, ProviderId, Tool, ToolCx, ToolError, ToolOutput, ToolProvider, ToolSpec, schema, spec,
};

/// The toolset, for `--toolsets`.
pub(crate) const TOOLSET: &str = "contributed";

/// The maximum number of tools and functions of one contributor, because every client that reads the list pays for its
/// length.
pub const MAX_TOOLS: usize = 200;

/// The maximum size of one tool's description and schema together, in bytes.
const MAX_SPEC_BYTES: usize = 64 * 1024;

/// The maximum length of an answer's text, in bytes.
const MAX_TEXT_BYTES: usize = 400_000;

const TIMEOUT: Duration = Duration::from_mins(1);
const LONGEST_TIMEOUT: Duration = Duration::from_mins(10);

/// Namespaces reserved for zubi, whether or not they contain a tool at present.
const OWN_NAMESPACES: [&str; 7] = ["zubi", "lsp", "domainlang", "workspace", "file", "shell", "output"];

/// Calls a contributed tool or function in its own process.
#[async_trait]
pub trait ContributedToolInvoker: Send + Sync {
    /// Sends the call, waits for the outcome, and returns it unchanged ([`InvokeResult`] as JSON). Stops at the
    /// deadline, or if `cx` is cancelled. Forwards the progress.
    async fn invoke(&self, call: InvokeParams, deadline: Instant, cx: &ToolCx) -> Result<Value, FunctionError>;
}

/// The owner of contributed tools, which determines the prefix of their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// A program; its name is the prefix of each id.
    Program(String),
    /// The extensions of the editor: each id begins with one of their namespaces.
    Editor,
}

impl Owner {
    /// Creates the owner for a program of this name.
    ///
    /// # Errors
    ///
    /// If `name` is not a valid program name.
    pub fn program(name: &str) -> Result<Self, RegistrationError> {
        let is_valid = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.len() <= 20
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if is_valid {
            Ok(Self::Program(name.to_owned()))
        } else {
            Err(RegistrationError::new("client", "a name is [a-z][a-z0-9_]*, at most 20 characters"))
        }
    }

    fn id_of(&self, id: &str) -> String {
        match self {
            Self::Program(name) => format!("{name}.{id}"),
            Self::Editor => id.to_owned(),
        }
    }

    fn provider(&self) -> ProviderId {
        ProviderId(match self {
            Self::Program(name) => format!("{TOOLSET}:{name}").into(),
            // This is not a valid program name, so it is unique.
            Self::Editor => "contributed by extensions".into(),
        })
    }

    fn name(&self) -> &str {
        match self {
            Self::Program(name) => name,
            Self::Editor => "Extensions of the editor",
        }
    }
}

/// The reason why zubi has registered none of the tools and functions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RegistrationError {
    /// The parameter with the error.
    pub field: String,
    pub message: String,
}

impl RegistrationError {
    /// The error for more than [`MAX_TOOLS`].
    pub fn too_many() -> Self {
        Self::new("tools", format!("more than {MAX_TOOLS} tools and functions of one client"))
    }

    fn new(field: &str, message: impl Into<String>) -> Self {
        Self { field: field.to_owned(), message: message.into() }
    }
}

/// Registers contributions in a host.
#[derive(Clone)]
pub struct ContributionRegistrar {
    registry: Arc<Registry>,
    declared: Option<Arc<DeclaredProvider>>,
}

impl ContributionRegistrar {
    pub(crate) fn new(registry: Arc<Registry>, declared: Option<Arc<DeclaredProvider>>) -> Self {
        Self { registry, declared }
    }

    /// Whether a tool has this id or wire name, including tools that restrictions remove.
    fn has_tool(&self, name: &str) -> bool {
        self.registry.all_tools().iter().any(|tool| spec::is_called(&tool.spec().id, name))
    }

    /// Whether another contributor has tools in a namespace.
    fn is_taken(&self, namespace: &str, except: Option<&ContributedTools>) -> bool {
        let prefix = format!("{namespace}.");
        let is_own = |id: &str| except.is_some_and(|provider| provider.tools().iter().any(|tool| tool.spec.id == id));
        self.registry.all_tools().iter().any(|tool| {
            let id = &tool.spec().id;
            id.starts_with(&prefix) && !is_own(id)
        })
    }

    fn remove_functions(&self, names: &[String]) {
        if let (Some(declared), false) = (&self.declared, names.is_empty()) {
            for name in names {
                declared.functions().remove(name);
            }
            declared.functions_changed();
        }
    }
}

/// The contributions of one contributor to one host.
pub struct Contributions {
    registrar: ContributionRegistrar,
    state: Mutex<ContributionState>,
}

#[derive(Default)]
struct ContributionState {
    /// The tools, under the owner's first name.
    provider: Option<Arc<ContributedTools>>,
    functions: Vec<String>,
}

impl Contributions {
    /// Creates an empty set of contributions.
    pub fn new(registrar: ContributionRegistrar) -> Self {
        Self { registrar, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, ContributionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes all contributions.
    pub fn clear(&self) {
        let ContributionState { provider, functions } = std::mem::take(&mut *self.state());
        if let Some(provider) = provider {
            self.registrar.registry.remove(provider.id());
        }
        self.registrar.remove_functions(&functions);
    }

    /// Registers all of these tools and functions, or none.
    ///
    /// # Errors
    ///
    /// If one of them is invalid.
    pub fn register(
        &self,
        owner: &Owner,
        tools: &[ContributedTool],
        functions: &[String],
        invoke: &Arc<dyn ContributedToolInvoker>,
    ) -> Result<RegisteredTools, RegistrationError> {
        let mut state = self.state();
        let registered_count =
            state.provider.as_ref().map_or(0, |provider| provider.tools().len()) + state.functions.len();
        if registered_count + tools.len() + functions.len() > MAX_TOOLS {
            return Err(RegistrationError::too_many());
        }
        if let Some(provider) = state.provider.as_ref().filter(|provider| provider.owner != *owner) {
            let name = provider.owner.name();
            let message = format!("this connection has registered tools as `{name}`; open another one");
            return Err(RegistrationError::new("client", message));
        }
        let tools = read_tools(owner, tools, invoke)?;
        for function in functions {
            self.check_function(function)?;
        }
        for (position, tool) in tools.iter().enumerate() {
            if *owner == Owner::Editor {
                self.check_namespace(&tool.spec.id, state.provider.as_deref())
                    .map_err(|why| RegistrationError::new(&format!("tools[{position}]"), why))?;
            }
            let is_taken = self.registrar.has_tool(&tool.spec.id) || self.registrar.has_tool(&tool.spec.wire_name());
            let is_duplicate = tools.iter().take(position).any(|other| other.spec.wire_name() == tool.spec.wire_name());
            if is_taken || is_duplicate {
                return Err(RegistrationError::new("tools", format!("there is a tool `{}` already", tool.spec.id)));
            }
        }
        let ids: Vec<String> = tools.iter().map(|tool| tool.spec.id.clone()).collect();
        if !tools.is_empty() {
            self.add_tools(&mut state, owner, tools)?;
        }
        if let (Some(declared), false) = (&self.registrar.declared, functions.is_empty()) {
            for function in functions {
                let remote = Remote { invoke: Arc::clone(invoke), target: RemoteTarget::Function(function.clone()) };
                if declared.functions().add(function, Arc::new(remote)) {
                    state.functions.push(function.clone());
                }
            }
            drop(state);
            declared.functions_changed();
        }
        Ok(RegisteredTools { tools: ids, functions: functions.to_vec() })
    }

    fn add_tools(
        &self,
        state: &mut ContributionState,
        owner: &Owner,
        tools: Vec<Arc<RemoteTool>>,
    ) -> Result<(), RegistrationError> {
        if let Some(provider) = &state.provider {
            provider.tools().extend(tools);
            provider.changes.send_modify(|count| *count += 1);
            return Ok(());
        }
        // Tools of another client would have the same names.
        if let Owner::Program(name) = owner
            && self.registrar.is_taken(name, None)
        {
            return Err(RegistrationError::new("client", format!("there are tools `{name}.…` already")));
        }
        let (id, owner, changes) = (owner.provider(), owner.clone(), watch::Sender::new(0));
        let provider = Arc::new(ContributedTools { id, owner, tools: Mutex::new(tools), changes });
        let added = self.registrar.registry.add(Arc::clone(&provider) as Arc<dyn ToolProvider>);
        added.map_err(|_| {
            let name = provider.owner.name();
            RegistrationError::new("client", format!("another client has registered tools as `{name}`"))
        })?;
        state.provider = Some(provider);
        Ok(())
    }

    /// Removes contributions by their ids, as registered or in full; all of them if both lists are empty. Returns only
    /// names that were contributed.
    pub fn unregister(&self, tools: &[String], functions: &[String]) -> RegisteredTools {
        let is_all = tools.is_empty() && functions.is_empty();
        let mut state = self.state();
        let mut removed = Vec::new();
        if let Some(provider) = &state.provider {
            provider.tools().retain(|tool| {
                let is_named = |id: &String| *id == tool.original_id || *id == tool.spec.id;
                let is_removed = is_all || tools.iter().any(is_named);
                if is_removed {
                    removed.push(tool.spec.id.clone());
                }
                !is_removed
            });
            if !removed.is_empty() {
                provider.changes.send_modify(|count| *count += 1);
            }
        }
        let (removed_functions, remaining): (Vec<_>, Vec<_>) =
            std::mem::take(&mut state.functions).into_iter().partition(|name| is_all || functions.contains(name));
        state.functions = remaining;
        drop(state);
        self.registrar.remove_functions(&removed_functions);
        RegisteredTools { tools: removed, functions: removed_functions }
    }

    fn check_function(&self, name: &str) -> Result<(), RegistrationError> {
        let refused = |why: String| Err(RegistrationError::new("functions", why));
        let Some(declared) = &self.registrar.declared else {
            return refused("this host has no tool files, so no functions for them".to_owned());
        };
        if name.is_empty() || name.len() > 200 {
            return refused("a name has 1 to 200 bytes".to_owned());
        }
        if declared.functions().has(name) {
            return refused(format!("a function `{name}` is registered already"));
        }
        Ok(())
    }

    /// Checks that extensions may use the namespace of this id: no other contributor may have it. The error is a
    /// clause.
    fn check_namespace(&self, id: &str, provider: Option<&ContributedTools>) -> Result<(), String> {
        let Some((namespace, _)) = id.split_once('.') else {
            return Err(format!("`{id}` has no namespace; an id is `namespace.name`, as `jira.createTicket`"));
        };
        if OWN_NAMESPACES.contains(&namespace) || self.registrar.is_taken(namespace, provider) {
            return Err(format!("the namespace of `{id}` is not an extension's; take your extension's name"));
        }
        Ok(())
    }
}

/// The tools of one contributor, as a provider of the registry.
struct ContributedTools {
    id: ProviderId,
    owner: Owner,
    tools: Mutex<Vec<Arc<RemoteTool>>>,
    changes: watch::Sender<u64>,
}

impl ContributedTools {
    fn tools(&self) -> MutexGuard<'_, Vec<Arc<RemoteTool>>> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ToolProvider for ContributedTools {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn name(&self) -> &str {
        self.owner.name()
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Self::tools(self).iter().map(|tool| Arc::clone(tool) as Arc<dyn Tool>).collect()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

fn read_tools(
    owner: &Owner,
    tools: &[ContributedTool],
    invoke: &Arc<dyn ContributedToolInvoker>,
) -> Result<Vec<Arc<RemoteTool>>, RegistrationError> {
    let tool = |(position, tool): (usize, &ContributedTool)| {
        let spec = read_spec(owner, tool).map_err(|why| RegistrationError::new(&format!("tools[{position}]"), why))?;
        let remote = Remote { invoke: Arc::clone(invoke), target: RemoteTarget::Tool(tool.id.clone()) };
        let registration = REGISTRATIONS.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(RemoteTool { spec, original_id: tool.id.clone(), registration, remote }))
    };
    tools.iter().enumerate().map(tool).collect()
}

/// Converts the description of a contributed tool into a registry specification. The error is a clause.
fn read_spec(owner: &Owner, tool: &ContributedTool) -> Result<ToolSpec, String> {
    let input = match &tool.input {
        Some(input) => input.clone(),
        None => json!({ "type": "object", "properties": {} }).as_object().cloned().unwrap_or_default(),
    };
    let bytes = tool.description.len() + Value::Object(input.clone()).to_string().len();
    if bytes > MAX_SPEC_BYTES {
        return Err(format!("description and schema of `{}` have more than {MAX_SPEC_BYTES} bytes", tool.id));
    }
    let effect = match tool.effect.as_deref() {
        // A tool that does not require approval only reads.
        None if tool.requires_approval == Some(false) => Effect::Read,
        None => Effect::Execute,
        Some(name) => serde_json::from_value(json!(name))
            .map_err(|_| format!("invalid effect `{name}`; use `read`, `plan`, `write`, `execute` or `network`"))?,
    };
    let printable = |text: &str| zubi_base::escape::printable(text).into_owned();
    let spec = ToolSpec {
        id: owner.id_of(&tool.id),
        title: printable(tool.title.as_deref().unwrap_or(&tool.id)),
        description: zubi_base::escape::on_lines(&tool.description).into_owned(),
        input,
        examples: Vec::new(),
        notes: String::new(),
        effect,
        toolset: TOOLSET.to_owned(),
        // Like declared tools: a client that wants them in every list requests the toolset.
        exposure: Exposure::Deferred,
        approval: if tool.requires_approval == Some(true) { Approval::Always } else { Approval::ByEffect },
        timeout: tool.timeout.map_or(TIMEOUT, Duration::from_millis).min(LONGEST_TIMEOUT),
        category: printable(tool.category.as_deref().unwrap_or("Contributed")),
        tags: tool.tags.iter().take(20).map(|tag| printable(tag)).collect(),
        icon: None,
    };
    match schema::problems(&spec).into_iter().next() {
        Some(problem) => Err(format!("`{}`: {problem}", tool.id)),
        None => Ok(spec),
    }
}

/// The number of tools that this process has registered so far.
static REGISTRATIONS: AtomicU64 = AtomicU64::new(0);

/// A tool that runs in another process.
struct RemoteTool {
    spec: ToolSpec,
    /// The tool's id as registered by its contributor.
    original_id: String,
    /// The number of the registration, unique in this process.
    registration: u64,
    remote: Remote,
}

#[async_trait]
impl Tool for RemoteTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// The contributor's effect is not verified, so the arguments are all that a user can judge.
    fn footprint(&self, args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        let call = format!("{}({args})", self.spec.id);
        let preview = zubi_base::escape::printable(&call).into_owned();
        Ok(Footprint { preview: Some(preview), ..Footprint::from_effect(self.spec.effect) })
    }

    /// A new registration of the same id may be another program's code, whatever it declares.
    fn version(&self) -> Option<String> {
        Some(format!("registration {}", self.registration))
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let id = &self.spec.id;
        let data = self.remote.call(args, cx).await.map_err(|error| {
            let (code, hint) = match error {
                FunctionError::Failed(_) => (ErrorCode::Failed, "Check the arguments; the tool is another program's."),
                FunctionError::Disconnected(_) => {
                    (ErrorCode::Unavailable, "The tool returns when that program does; use another tool.")
                }
                FunctionError::TimedOut => (ErrorCode::TimedOut, "Give it less to do, or call again."),
                FunctionError::Cancelled => (ErrorCode::Cancelled, "Call again if the answer is still wanted."),
            };
            ToolError::user(code, format!("Error in {id}: {error}"), hint)
        })?;
        let mut text = result_text(&data);
        if text.len() > MAX_TEXT_BYTES {
            text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
            text.push_str("\n… the rest is not shown …");
        }
        Ok(ToolOutput { text, data: Some(data), ..ToolOutput::default() })
    }
}

/// A tool or function in another program.
struct Remote {
    invoke: Arc<dyn ContributedToolInvoker>,
    target: RemoteTarget,
}

enum RemoteTarget {
    Tool(String),
    Function(String),
}

#[async_trait]
impl Function for Remote {
    async fn call(&self, arguments: Value, cx: &ToolCx) -> Result<Value, FunctionError> {
        let (tool, function) = match &self.target {
            RemoteTarget::Tool(tool) => (Some(tool.clone()), None),
            RemoteTarget::Function(function) => (None, Some(function.clone())),
        };
        let deadline = cx.deadline.min(Instant::now() + LONGEST_TIMEOUT);
        let answer = self.invoke.invoke(InvokeParams { tool, function, arguments }, deadline, cx).await?;
        let result: InvokeResult = serde_json::from_value(answer)
            .map_err(|error| FunctionError::Failed(format!("its answer is not understood: {error}")))?;
        if result.success {
            Ok(result.data)
        } else {
            Err(FunctionError::Failed(result.error.unwrap_or_else(|| "it gave no reason".to_owned())))
        }
    }
}
