//! Tools whose calls end when the test releases them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::watch;
use zubi_tool_api::spec::{Approval, Effect, Exposure};
use zubi_tool_api::{Footprint, ProviderId, Tool, ToolCx, ToolError, ToolOutput, ToolProvider, ToolSpec};

/// The state that the calls share with the test.
pub(crate) struct SharedState {
    /// The names of the calls that run and of those that have ended.
    pub(crate) state: watch::Sender<State>,
    /// Calls of these names may end.
    pub(crate) released: watch::Sender<Vec<String>>,
    /// Ids of further tools.
    more: Mutex<Vec<String>>,
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default, Clone)]
pub(crate) struct State {
    pub(crate) running: Vec<String>,
    /// The ended calls, with whether they were cancelled.
    pub(crate) ended: BTreeMap<String, bool>,
    pub(crate) max_running: usize,
}

impl SharedState {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: watch::Sender::default(),
            released: watch::Sender::default(),
            more: Mutex::default(),
            changes: watch::Sender::default(),
        })
    }

    /// Waits until the predicate is true for the calls.
    pub(crate) async fn wait(&self, description: &str, predicate: impl FnMut(&State) -> bool) -> State {
        let mut state = self.state.subscribe();
        let state = super::world::with_deadline(description, state.wait_for(predicate)).await.unwrap();
        state.clone()
    }

    pub(crate) async fn wait_until_running(&self, names: &[&str]) -> State {
        self.wait(&format!("{names:?} run"), |state| {
            state.running.len() == names.len() && names.iter().all(|name| state.running.iter().any(|it| it == name))
        })
        .await
    }

    pub(crate) fn release(&self, names: &[&str]) {
        self.released.send_modify(|released| released.extend(names.iter().map(|name| (*name).to_owned())));
    }

    pub(crate) fn add_tool(&self, id: &str) {
        self.more.lock().unwrap().push(id.to_owned());
        self.changes.send_modify(|count| *count += 1);
    }
}

/// The tools `test.look`, `test.write` and `test.run`. Each call has a `name` and the paths that it `touches`. A `held`
/// call runs until it is released; others end at once.
pub(crate) struct Provider(pub(crate) Arc<SharedState>, pub(crate) ProviderId);

impl Provider {
    pub(crate) fn new(shared: &Arc<SharedState>) -> Arc<Self> {
        Arc::new(Self(Arc::clone(shared), ProviderId("test".into())))
    }
}

struct BlockingTool {
    shared: Arc<SharedState>,
    spec: ToolSpec,
}

#[async_trait]
impl ToolProvider for Provider {
    fn id(&self) -> &ProviderId {
        &self.1
    }

    fn name(&self) -> &'static str {
        "Test"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let tool = |id: &str, effect| -> Arc<dyn Tool> {
            Arc::new(BlockingTool { shared: Arc::clone(&self.0), spec: spec(id, effect) })
        };
        let mut tools =
            vec![tool("test.look", Effect::Read), tool("test.write", Effect::Write), tool("test.run", Effect::Execute)];
        tools.extend(self.0.more.lock().unwrap().iter().map(|id| tool(id, Effect::Read)));
        tools
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }
}

fn spec(id: &str, effect: Effect) -> ToolSpec {
    let input = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Which call it is"},
            "touches": {"type": "array", "items": {"type": "string"}, "description": "Paths"},
            "held": {"type": "boolean", "description": "Whether it lasts"},
        },
    });
    let Value::Object(input) = input else { unreachable!() };
    ToolSpec {
        id: id.to_owned(),
        title: "Hold".to_owned(),
        description: "Lasts until it is released.".to_owned(),
        input,
        examples: Vec::new(),
        notes: String::new(),
        effect,
        // The toolset of the file tools, which access only the paths in their arguments.
        toolset: "file".to_owned(),
        exposure: Exposure::Direct,
        approval: Approval::ByEffect,
        timeout: Duration::from_mins(1),
        category: "Test".to_owned(),
        tags: Vec::new(),
        icon: None,
    }
}

#[async_trait]
impl Tool for BlockingTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn footprint(&self, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        let paths = args["touches"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let paths = paths.map(|path| cx.workspace.root().join(path)).collect();
        let footprint = Footprint::from_effect(self.spec.effect);
        Ok(match self.spec.effect {
            Effect::Read => Footprint { reads: paths, ..footprint },
            Effect::Write => Footprint { writes: paths, ..footprint },
            _ => {
                let name = args["name"].as_str().unwrap_or_default().to_owned();
                Footprint { commands: vec![vec!["hold".to_owned(), name]], ..footprint }
            }
        })
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let name = args["name"].as_str().unwrap_or_default().to_owned();
        // Dropped whenever the call ends, also if its future is dropped.
        let running = RunningCall { shared: Arc::clone(&self.shared), name: name.clone(), was_released: false };
        self.shared.state.send_modify(|state| {
            state.running.push(name.clone());
            state.max_running = state.max_running.max(state.running.len());
        });
        let mut running = running;
        if args["held"] == json!(true) {
            let mut released = self.shared.released.subscribe();
            tokio::select! {
                released = released.wait_for(|released| released.contains(&name)) => drop(released),
                // The result of a stopped command.
                () = cx.cancel.cancelled(), if name == "a command" => {
                    return Ok(ToolOutput { data: Some(json!({"ended": "stopped"})), ..ToolOutput::text("(no output)") });
                }
                () = cx.cancel.cancelled(), if name != "a command" => {
                    return Err(ToolError::operation_failed("hold", "it was cancelled", "Call again."));
                }
            }
        }
        running.was_released = true;
        Ok(ToolOutput::text(format!("{name} was held")))
    }
}

struct RunningCall {
    shared: Arc<SharedState>,
    name: String,
    was_released: bool,
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.shared.state.send_modify(|state| {
            state.running.retain(|name| *name != self.name);
            state.ended.insert(self.name.clone(), !self.was_released);
        });
    }
}
