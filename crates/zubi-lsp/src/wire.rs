//! What the two sides of the channel say to each other, and the table of it all. `zubi lsp --schema` prints it; the types of
//! the extension (`editors/vscode/src/protocol.ts`) are written from that.
//!
//! Names are in camel case. What LSP itself defines is passed on as it is; its schema says which of LSP's types it is
//! (`x-lsp`).

pub mod agent;
pub mod editor;
pub mod tools;

use std::collections::BTreeMap;

use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};
use zubi_link::wire::tools::{InvokeResult, RegisteredTools, UnregisterParams};

use self::agent::{
    AgentRequestParams, AgentRunParams, AgentRunResult, AgentEventsParams, ModelListResult, ModelDeltaParams,
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

/// The version of the channel.
pub const EDITOR_PROTOCOL: u64 = 1;

/// What the server is told with `initialize`, under `zubi` in its options. Without it `zubi lsp` is a plain server. It is read
/// field by field, so that one that makes no sense does not take the others with it.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "the shape of what is read otherwise")]
struct ChannelOptions {
    /// `EDITOR_PROTOCOL`.
    editor_protocol: u64,
    /// The methods that the editor answers: LSP's, and those of the channel that go to the editor.
    editor_methods: Vec<String>,
    /// Whether zubi may start language servers of its own for all others.
    headless_fallback: bool,
    /// The port that others may use; 9847: that one, or the next that is free.
    ipc_port: u16,
    /// Whether the user trusts the folders that are open.
    is_trusted: bool,
    /// Whether what would be asked is allowed without asking. What is denied stays denied.
    auto_approve: bool,
    /// Patterns of the tools that there are; none: all.
    tool_filter: Vec<String>,
    /// Values that declared tools may use as `${env:NAME}`.
    env: BTreeMap<String, String>,
    /// Commands of the editor that other programs may run besides the usual ones.
    allowed_commands: Vec<String>,
    /// Whether zubi's agent asks a model that only follows rules.
    #[schemars(rename = "useMockLLM")]
    use_mock_llm: bool,
    /// The model that zubi's agent asks if none is named.
    model: String,
    /// How often it is asked in a turn.
    max_iterations: u64,
}

/// What the server answers `initialize` with, under `zubi` in its experimental capabilities.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerOptions {
    pub editor_protocol: u64,
    /// Of the program.
    pub version: String,
}

/// Who is sent a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum To {
    Server,
    Editor,
}

type Shape = fn(&mut SchemaGenerator) -> Schema;

/// One message.
struct Message {
    /// What the extension calls it.
    name: &'static str,
    method: &'static str,
    to: To,
    /// A sentence.
    summary: &'static str,
    params: Option<Shape>,
    /// `None`: a notification, which is not answered.
    result: Option<Shape>,
}

/// As a [`Shape`].
macro_rules! shape {
    ($type:ty) => {{
        let shape: Shape = SchemaGenerator::subschema_for::<$type>;
        Some(shape)
    }};
}

/// The tools that there are.
pub const TOOLS_LIST: &str = "zubi/tools/list";
/// What a call would do, without doing it; nobody is asked anything.
pub const TOOLS_PREPARE: &str = "zubi/tools/prepare";
/// Calls a tool.
pub const TOOLS_CALL: &str = "zubi/tools/call";
/// Contributes tools and functions of extensions, as long as the connection lasts.
pub const TOOLS_REGISTER: &str = "zubi/tools/register";
/// Takes contributions back.
pub const TOOLS_UNREGISTER: &str = "zubi/tools/unregister";
/// There are other tools.
pub const TOOLS_DID_CHANGE: &str = "zubi/tools/didChange";
/// What is open in the editor, whenever any of it has changed.
pub const EDITOR_DID_CHANGE: &str = "zubi/editor/didChange";
/// Tells with `zubi/editor/didChange` what has not been told yet, and answers null after it.
pub const EDITOR_FLUSH: &str = "zubi/editor/flush";
/// A question to the editor's language features, in LSP's method names and shapes.
pub const EDITOR_REQUEST: &str = "zubi/editor/request";
/// Makes a change through the editor, whose extensions take part in it: imports follow files that move.
pub const EDITOR_APPLY: &str = "zubi/editor/applyEdit";
/// Runs a command of the editor; only those that are allowed are sent.
pub const EDITOR_COMMAND: &str = "zubi/editor/command";
/// Reads a setting, or writes it.
pub const EDITOR_CONFIG: &str = "zubi/editor/config";
/// Calls what an extension has contributed.
pub const INVOKE_CONTRIBUTED: &str = "zubi/editor/invokeContributed";
/// Asks the user, in a dialog that has to be answered.
pub const APPROVAL_REQUEST: &str = "zubi/approval/request";
/// How the host of this window is doing, whenever any of it has changed.
pub const STATUS: &str = "zubi/status";

/// A request of a chat page, passed on to zubi's agent as it is.
pub const AGENT_REQUEST: &str = "zubi/agent/request";
/// What happens in conversations, from the first request on. Answered when it was taken in: meanwhile the next events collect.
pub const AGENT_TOLD: &str = "zubi/agent/told";
/// A task for the agent, answered when it has ended. Its questions are asked with `zubi/approval/request`.
pub const AGENT_RUN: &str = "zubi/agent/run";
/// The models that extensions offer in the editor.
pub const MODEL_LIST: &str = "zubi/model/list";
/// Asks one of the editor's models. The answer is whole; its pieces are told before.
pub const MODEL_REQUEST: &str = "zubi/model/request";
/// A piece of an answer, as soon as it is there.
pub const MODEL_PIECE: &str = "zubi/model/piece";

/// All messages, in the order of the documentation.
const MESSAGES: &[Message] = &[
    Message {
        name: "TOOLS_LIST",
        method: TOOLS_LIST,
        to: To::Server,
        summary: "The tools that there are.",
        params: None,
        result: shape!(ToolsListResult),
    },
    Message {
        name: "TOOLS_PREPARE",
        method: TOOLS_PREPARE,
        to: To::Server,
        summary: "What a call would do, without doing it; nobody is asked anything.",
        params: shape!(ToolsCallParams),
        result: shape!(ToolsPrepareResult),
    },
    Message {
        name: "TOOLS_CALL",
        method: TOOLS_CALL,
        to: To::Server,
        summary: "Calls a tool.",
        params: shape!(ToolsCallParams),
        result: shape!(ToolsCallResult),
    },
    Message {
        name: "TOOLS_REGISTER",
        method: TOOLS_REGISTER,
        to: To::Server,
        summary: "Contributes tools and functions of extensions, as long as the connection lasts.",
        params: shape!(ToolsRegisterParams),
        result: shape!(RegisteredTools),
    },
    Message {
        name: "TOOLS_UNREGISTER",
        method: TOOLS_UNREGISTER,
        to: To::Server,
        summary: "Takes contributions back.",
        params: shape!(UnregisterParams),
        result: shape!(RegisteredTools),
    },
    Message {
        name: "TOOLS_DID_CHANGE",
        method: TOOLS_DID_CHANGE,
        to: To::Editor,
        summary: "There are other tools.",
        params: shape!(ToolsDidChangeParams),
        result: None,
    },
    Message {
        name: "EDITOR_DID_CHANGE",
        method: EDITOR_DID_CHANGE,
        to: To::Server,
        summary: "What is open in the editor, whenever any of it has changed.",
        params: shape!(EditorDidChangeParams),
        result: None,
    },
    Message {
        name: "EDITOR_FLUSH",
        method: EDITOR_FLUSH,
        to: To::Editor,
        summary: "Tells with `zubi/editor/didChange` what has not been told yet, and answers null after it.",
        params: None,
        result: shape!(()),
    },
    Message {
        name: "EDITOR_REQUEST",
        method: EDITOR_REQUEST,
        to: To::Editor,
        summary: "A question to the editor's language features, in LSP's method names and shapes.",
        params: shape!(EditorRequestParams),
        result: shape!(Value),
    },
    Message {
        name: "EDITOR_APPLY",
        method: EDITOR_APPLY,
        to: To::Editor,
        summary: "Makes a change through the editor, whose extensions take part in it: imports follow files that move.",
        params: shape!(EditorApplyParams),
        result: shape!(EditorApplyResult),
    },
    Message {
        name: "EDITOR_COMMAND",
        method: EDITOR_COMMAND,
        to: To::Editor,
        summary: "Runs a command of the editor; only those that are allowed are sent.",
        params: shape!(EditorCommandParams),
        result: shape!(Value),
    },
    Message {
        name: "EDITOR_CONFIG",
        method: EDITOR_CONFIG,
        to: To::Editor,
        summary: "Reads a setting, or writes it.",
        params: shape!(EditorConfigParams),
        result: shape!(EditorConfigResult),
    },
    Message {
        name: "INVOKE_CONTRIBUTED",
        method: INVOKE_CONTRIBUTED,
        to: To::Editor,
        summary: "Calls what an extension has contributed.",
        params: shape!(InvokeContributedParams),
        result: shape!(InvokeResult),
    },
    Message {
        name: "APPROVAL_REQUEST",
        method: APPROVAL_REQUEST,
        to: To::Editor,
        summary: "Asks the user, in a dialog that has to be answered.",
        params: shape!(ApprovalRequestParams),
        result: shape!(ApprovalRequestResult),
    },
    Message {
        name: "STATUS",
        method: STATUS,
        to: To::Editor,
        summary: "How the host of this window is doing, whenever any of it has changed.",
        params: shape!(StatusParams),
        result: None,
    },
    Message {
        name: "AGENT_REQUEST",
        method: AGENT_REQUEST,
        to: To::Server,
        summary: "A request of a chat page, passed on to zubi's agent as it is.",
        params: shape!(AgentRequestParams),
        result: shape!(Value),
    },
    Message {
        name: "AGENT_TOLD",
        method: AGENT_TOLD,
        to: To::Editor,
        summary: "What happens in conversations, from the first request on. Answered when it was taken in: meanwhile the next events collect.",
        params: shape!(AgentEventsParams),
        result: shape!(()),
    },
    Message {
        name: "AGENT_RUN",
        method: AGENT_RUN,
        to: To::Server,
        summary: "A task for the agent, answered when it has ended. Its questions are asked with `zubi/approval/request`.",
        params: shape!(AgentRunParams),
        result: shape!(AgentRunResult),
    },
    Message {
        name: "MODEL_LIST",
        method: MODEL_LIST,
        to: To::Editor,
        summary: "The models that extensions offer in the editor.",
        params: None,
        result: shape!(ModelListResult),
    },
    Message {
        name: "MODEL_REQUEST",
        method: MODEL_REQUEST,
        to: To::Editor,
        summary: "Asks one of the editor's models. The answer is whole; its pieces are told before.",
        params: shape!(ModelRequestParams),
        result: shape!(ModelRequestResult),
    },
    Message {
        name: "MODEL_PIECE",
        method: MODEL_PIECE,
        to: To::Server,
        summary: "A piece of an answer, as soon as it is there.",
        params: shape!(ModelDeltaParams),
        result: None,
    },
];

/// The channel for programs: every message with JSON Schemas of what is sent. What may be left out is what whoever reads it
/// does not need.
pub fn document() -> Value {
    let generator = |contract: Contract| SchemaSettings::default().with(|it| it.contract = contract).into_generator();
    // Of zubi, and of the editor.
    let (mut of_server, mut of_editor) = (generator(Contract::Serialize), generator(Contract::Deserialize));
    let shape = |generator: &mut SchemaGenerator, shape: Option<Shape>| {
        shape.map_or(Value::Null, |shape| shape(generator).to_value())
    };
    let mut messages = Map::new();
    for message in MESSAGES {
        let (to, params, result) = match message.to {
            To::Server => ("server", shape(&mut of_editor, message.params), shape(&mut of_server, message.result)),
            To::Editor => ("editor", shape(&mut of_server, message.params), shape(&mut of_editor, message.result)),
        };
        let described =
            json!({ "name": message.name, "to": to, "summary": message.summary, "params": params, "result": result });
        messages.insert(message.method.to_owned(), described);
    }
    // What stands in `initialize`, and in the editor's answers to LSP's own requests.
    shape(&mut of_server, shape!(ServerOptions));
    shape(&mut of_editor, shape!(ChannelOptions));
    shape(&mut of_editor, shape!(DocumentReport));
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

/// What zubi leaves out it never sends as null.
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
