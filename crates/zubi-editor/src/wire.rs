//! Messages of the editor channel, and the table of all of them. `zubi lsp --schema` prints it; the types of the
//! extension (`editors/vscode/src/protocol.ts`) are generated from it.
//!
//! Names are in camel case. LSP's own types are passed on unchanged; their schema names the type (`x-lsp`).

pub mod agent;
pub mod editor;
pub mod tools;

use std::collections::BTreeMap;

use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};
use zubi_ipc::wire::tools::{InvokeResult, RegisteredTools, UnregisterParams};

use self::agent::{
    AgentEventsParams, AgentRequestParams, AgentRunParams, AgentRunResult, ModelDeltaParams, ModelListResult,
    ModelRequestParams, ModelRequestResult,
};
use self::editor::{
    DocumentReport, EditorApplyParams, EditorApplyResult, EditorCommandParams, EditorConfigParams, EditorConfigResult,
    EditorDidChangeParams, EditorRequestParams, StatusParams,
};
use self::tools::{
    ApprovalRequestParams, ApprovalRequestResult, InvokeContributedParams, ToolsCallParams, ToolsCallResult,
    ToolsDidChangeParams, ToolsListResult, ToolsPrepareResult, ToolsRegisterParams,
};

/// Version of the editor channel.
pub const EDITOR_PROTOCOL: u64 = 1;

/// Options of `initialize`, under `zubi` in its `initializationOptions`. Without them `zubi lsp` is a plain language
/// server. They are read field by field, so that an invalid one does not affect the others.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "schema only; the fields are read one by one")]
struct ChannelOptions {
    /// `EDITOR_PROTOCOL`.
    editor_protocol: u64,
    /// Methods that the editor answers: LSP's, and those of the channel that are sent to the editor.
    editor_methods: Vec<String>,
    /// Whether zubi may start its own language servers for all other methods.
    headless_fallback: bool,
    /// Port for other clients; 9847 means that port or the next free one.
    ipc_port: u16,
    /// Whether the user trusts the open folders.
    is_trusted: bool,
    /// Whether calls that require approval are allowed without a prompt. Denied calls stay denied.
    auto_approve: bool,
    /// Patterns of the tools to offer; if empty, all.
    tool_filter: Vec<String>,
    /// Values that declared tools may use as `${env:NAME}`.
    env: BTreeMap<String, String>,
    /// Commands of the editor that other programs may run, in addition to the default ones.
    allowed_commands: Vec<String>,
    /// Whether zubi's agent uses the rule-based mock model.
    #[schemars(rename = "useMockLLM")]
    use_mock_llm: bool,
    /// Model of zubi's agent if a task names none.
    model: String,
    /// Maximum number of model requests in a turn.
    max_iterations: u64,
}

/// Result of `initialize`, under `zubi` in its experimental capabilities.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerOptions {
    pub editor_protocol: u64,
    /// Version of the program.
    pub version: String,
}

/// Recipient of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recipient {
    Server,
    Editor,
}

type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// One message.
struct MessageSpec {
    /// Name of its constant in the extension.
    name: &'static str,
    method: &'static str,
    to: Recipient,
    /// One sentence, ending in a full stop.
    summary: &'static str,
    params: Option<SchemaFn>,
    /// `None` for a notification, which has no answer.
    result: Option<SchemaFn>,
}

/// Expands to the [`SchemaFn`] of a type.
macro_rules! schema_fn {
    ($type:ty) => {{
        let schema: SchemaFn = SchemaGenerator::subschema_for::<$type>;
        Some(schema)
    }};
}

/// Lists the tools.
pub const TOOLS_LIST: &str = "zubi/tools/list";
/// Describes a call without making it; shows no prompt.
pub const TOOLS_PREPARE: &str = "zubi/tools/prepare";
/// Calls a tool.
pub const TOOLS_CALL: &str = "zubi/tools/call";
/// Contributes tools and functions of extensions for as long as the connection lasts.
pub const TOOLS_REGISTER: &str = "zubi/tools/register";
/// Withdraws contributions.
pub const TOOLS_UNREGISTER: &str = "zubi/tools/unregister";
/// Reports that the list of tools has changed.
pub const TOOLS_DID_CHANGE: &str = "zubi/tools/didChange";
/// Reports the open documents of the editor whenever they have changed.
pub const EDITOR_DID_CHANGE: &str = "zubi/editor/didChange";
/// Sends pending changes with `zubi/editor/didChange`, then answers null.
pub const EDITOR_FLUSH: &str = "zubi/editor/flush";
/// Sends a request to the editor's language features, with LSP's method names and types.
pub const EDITOR_REQUEST: &str = "zubi/editor/request";
/// Applies a change through the editor, whose extensions take part in it, for example by updating imports of moved
/// files.
pub const EDITOR_APPLY: &str = "zubi/editor/applyEdit";
/// Runs a command of the editor; only allowed commands are sent.
pub const EDITOR_COMMAND: &str = "zubi/editor/command";
/// Reads or writes a setting.
pub const EDITOR_CONFIG: &str = "zubi/editor/config";
/// Calls a contribution of an extension.
pub const INVOKE_CONTRIBUTED: &str = "zubi/editor/invokeContributed";
/// Requests approval from the user in a modal dialog.
pub const APPROVAL_REQUEST: &str = "zubi/approval/request";
/// Reports the status of this window's host whenever it has changed.
pub const STATUS: &str = "zubi/status";

/// Forwards a request of a chat page to zubi's agent.
pub const AGENT_REQUEST: &str = "zubi/agent/request";
/// Reports conversation events, from the first request on. Answered once they are processed; meanwhile the next events
/// collect.
pub const AGENT_EVENTS: &str = "zubi/agent/told";
/// Runs a task of the agent to its end. Its approval prompts are sent with `zubi/approval/request`.
pub const AGENT_RUN: &str = "zubi/agent/run";
/// Lists the models that extensions offer in the editor.
pub const MODEL_LIST: &str = "zubi/model/list";
/// Requests an answer from one of the editor's models. The result is the complete answer; its deltas are sent before.
pub const MODEL_REQUEST: &str = "zubi/model/request";
/// Sends a delta of an answer as soon as it is available.
pub const MODEL_DELTA: &str = "zubi/model/piece";

/// All messages, in the order of the documentation.
const MESSAGES: &[MessageSpec] = &[
    MessageSpec {
        name: "TOOLS_LIST",
        method: TOOLS_LIST,
        to: Recipient::Server,
        summary: "Lists the tools.",
        params: None,
        result: schema_fn!(ToolsListResult),
    },
    MessageSpec {
        name: "TOOLS_PREPARE",
        method: TOOLS_PREPARE,
        to: Recipient::Server,
        summary: "Describes a call without making it; shows no prompt.",
        params: schema_fn!(ToolsCallParams),
        result: schema_fn!(ToolsPrepareResult),
    },
    MessageSpec {
        name: "TOOLS_CALL",
        method: TOOLS_CALL,
        to: Recipient::Server,
        summary: "Calls a tool.",
        params: schema_fn!(ToolsCallParams),
        result: schema_fn!(ToolsCallResult),
    },
    MessageSpec {
        name: "TOOLS_REGISTER",
        method: TOOLS_REGISTER,
        to: Recipient::Server,
        summary: "Contributes tools and functions of extensions for as long as the connection lasts.",
        params: schema_fn!(ToolsRegisterParams),
        result: schema_fn!(RegisteredTools),
    },
    MessageSpec {
        name: "TOOLS_UNREGISTER",
        method: TOOLS_UNREGISTER,
        to: Recipient::Server,
        summary: "Withdraws contributions.",
        params: schema_fn!(UnregisterParams),
        result: schema_fn!(RegisteredTools),
    },
    MessageSpec {
        name: "TOOLS_DID_CHANGE",
        method: TOOLS_DID_CHANGE,
        to: Recipient::Editor,
        summary: "Reports that the list of tools has changed.",
        params: schema_fn!(ToolsDidChangeParams),
        result: None,
    },
    MessageSpec {
        name: "EDITOR_DID_CHANGE",
        method: EDITOR_DID_CHANGE,
        to: Recipient::Server,
        summary: "Reports the open documents of the editor, whenever any of it has changed.",
        params: schema_fn!(EditorDidChangeParams),
        result: None,
    },
    MessageSpec {
        name: "EDITOR_FLUSH",
        method: EDITOR_FLUSH,
        to: Recipient::Editor,
        summary: "Sends pending changes with `zubi/editor/didChange`, then answers null.",
        params: None,
        result: schema_fn!(()),
    },
    MessageSpec {
        name: "EDITOR_REQUEST",
        method: EDITOR_REQUEST,
        to: Recipient::Editor,
        summary: "Sends a request to the editor's language features, with LSP's method names and types.",
        params: schema_fn!(EditorRequestParams),
        result: schema_fn!(Value),
    },
    MessageSpec {
        name: "EDITOR_APPLY",
        method: EDITOR_APPLY,
        to: Recipient::Editor,
        summary: "Applies a change through the editor, whose extensions take part in it, as in updating imports.",
        params: schema_fn!(EditorApplyParams),
        result: schema_fn!(EditorApplyResult),
    },
    MessageSpec {
        name: "EDITOR_COMMAND",
        method: EDITOR_COMMAND,
        to: Recipient::Editor,
        summary: "Runs a command of the editor; only allowed commands are sent.",
        params: schema_fn!(EditorCommandParams),
        result: schema_fn!(Value),
    },
    MessageSpec {
        name: "EDITOR_CONFIG",
        method: EDITOR_CONFIG,
        to: Recipient::Editor,
        summary: "Reads or writes a setting.",
        params: schema_fn!(EditorConfigParams),
        result: schema_fn!(EditorConfigResult),
    },
    MessageSpec {
        name: "INVOKE_CONTRIBUTED",
        method: INVOKE_CONTRIBUTED,
        to: Recipient::Editor,
        summary: "Calls a contribution of an extension.",
        params: schema_fn!(InvokeContributedParams),
        result: schema_fn!(InvokeResult),
    },
    MessageSpec {
        name: "APPROVAL_REQUEST",
        method: APPROVAL_REQUEST,
        to: Recipient::Editor,
        summary: "Requests approval from the user in a modal dialog.",
        params: schema_fn!(ApprovalRequestParams),
        result: schema_fn!(ApprovalRequestResult),
    },
    MessageSpec {
        name: "STATUS",
        method: STATUS,
        to: Recipient::Editor,
        summary: "Reports the status of this window's host, whenever any of it has changed.",
        params: schema_fn!(StatusParams),
        result: None,
    },
    MessageSpec {
        name: "AGENT_REQUEST",
        method: AGENT_REQUEST,
        to: Recipient::Server,
        summary: "Forwards a request of a chat page to zubi's agent.",
        params: schema_fn!(AgentRequestParams),
        result: schema_fn!(Value),
    },
    MessageSpec {
        name: "AGENT_EVENTS",
        method: AGENT_EVENTS,
        to: Recipient::Editor,
        summary: "Reports conversation events, from the first request on; answered once they are processed.",
        params: schema_fn!(AgentEventsParams),
        result: schema_fn!(()),
    },
    MessageSpec {
        name: "AGENT_RUN",
        method: AGENT_RUN,
        to: Recipient::Server,
        summary: "Runs a task of the agent to its end. Its approval prompts are sent with `zubi/approval/request`.",
        params: schema_fn!(AgentRunParams),
        result: schema_fn!(AgentRunResult),
    },
    MessageSpec {
        name: "MODEL_LIST",
        method: MODEL_LIST,
        to: Recipient::Editor,
        summary: "Lists the models that extensions offer in the editor.",
        params: None,
        result: schema_fn!(ModelListResult),
    },
    MessageSpec {
        name: "MODEL_REQUEST",
        method: MODEL_REQUEST,
        to: Recipient::Editor,
        summary: "Requests an answer from one of the editor's models; deltas are sent before the complete answer.",
        params: schema_fn!(ModelRequestParams),
        result: schema_fn!(ModelRequestResult),
    },
    MessageSpec {
        name: "MODEL_DELTA",
        method: MODEL_DELTA,
        to: Recipient::Server,
        summary: "Sends a delta of an answer as soon as it is available.",
        params: schema_fn!(ModelDeltaParams),
        result: None,
    },
];

/// Generates the machine-readable channel: every message with JSON Schemas of its types. A property is optional if its
/// reader does not need it.
pub fn document() -> Value {
    let generator = |contract: Contract| SchemaSettings::default().with(|it| it.contract = contract).into_generator();
    // Types that zubi writes, and types that the editor writes.
    let (mut of_server, mut of_editor) = (generator(Contract::Serialize), generator(Contract::Deserialize));
    let shape = |generator: &mut SchemaGenerator, shape: Option<SchemaFn>| {
        shape.map_or(Value::Null, |shape| shape(generator).to_value())
    };
    let mut messages = Map::new();
    for message in MESSAGES {
        let (to, params, result) = match message.to {
            Recipient::Server => {
                ("server", shape(&mut of_editor, message.params), shape(&mut of_server, message.result))
            }
            Recipient::Editor => {
                ("editor", shape(&mut of_server, message.params), shape(&mut of_editor, message.result))
            }
        };
        let described =
            json!({ "name": message.name, "to": to, "summary": message.summary, "params": params, "result": result });
        messages.insert(message.method.to_owned(), described);
    }
    // Types of `initialize`, and of the editor's answers to LSP's own requests.
    shape(&mut of_server, schema_fn!(ServerOptions));
    shape(&mut of_editor, schema_fn!(ChannelOptions));
    shape(&mut of_editor, schema_fn!(DocumentReport));
    let mut types = of_server.take_definitions(true);
    types.values_mut().for_each(without_null);
    types.extend(of_editor.take_definitions(true));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The editor channel of zubi",
        "version": EDITOR_PROTOCOL,
        "messages": messages,
        "$defs": types,
    })
}

/// Removes null from the types of optional properties: zubi omits them instead.
fn without_null(definition: &mut Value) {
    let is_null = |kind: &Value| kind == "null" || kind["type"] == "null";
    for property in definition["properties"].as_object_mut().into_iter().flat_map(|them| them.values_mut()) {
        for several in ["type", "anyOf"] {
            if let Some(kinds) = property.get_mut(several).and_then(Value::as_array_mut) {
                kinds.retain(|kind| !is_null(kind));
            }
        }
    }
}

#[cfg(test)]
mod tests;
