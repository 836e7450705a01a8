//! Table of all methods, the source of the protocol's documentation and of the methods available over the port.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{PROTOCOL, codes, diagnostics, editor, host, tools};

/// Side that sends the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    Client,
    Host,
}

/// Generates the schema of a message.
pub type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// One method.
#[derive(Debug, Clone, Copy)]
pub struct MethodSpec {
    pub name: &'static str,
    pub sender: Sender,
    /// Whether the method is available over the port, which is read-only.
    pub over_port: bool,
    /// One sentence, ending in a full stop.
    pub summary: &'static str,
    /// `None` if the method has no parameters.
    pub params: Option<SchemaFn>,
    /// `None` for a notification, which has no answer.
    pub result: Option<SchemaFn>,
}

/// Defines a read-only request of a client, available over both transports.
const fn read_only_method(
    name: &'static str,
    summary: &'static str,
    params: Option<SchemaFn>,
    result: SchemaFn,
) -> MethodSpec {
    MethodSpec { name, sender: Sender::Client, over_port: true, summary, params, result: Some(result) }
}

/// Defines a request of a client that is available over the socket only.
const fn socket(name: &'static str, summary: &'static str, params: Option<SchemaFn>, result: SchemaFn) -> MethodSpec {
    MethodSpec { name, sender: Sender::Client, over_port: false, summary, params, result: Some(result) }
}

const fn to_client(
    name: &'static str,
    summary: &'static str,
    params: Option<SchemaFn>,
    result: Option<SchemaFn>,
) -> MethodSpec {
    MethodSpec { name, sender: Sender::Host, over_port: false, summary, params, result }
}

/// Expands to the [`SchemaFn`] of a type.
macro_rules! schema_fn {
    ($type:ty) => {
        SchemaGenerator::subschema_for::<$type>
    };
}

/// All methods, in the order of the documentation; `authenticate`, the first request over the port, is not listed.
pub const METHODS: &[MethodSpec] = &[
    read_only_method(editor::PING, "Checks that the host answers.", None, schema_fn!(editor::Pong)),
    read_only_method(
        diagnostics::GET_DIAGNOSTICS,
        "Returns the diagnostics of one file.",
        Some(schema_fn!(diagnostics::DocumentParams)),
        schema_fn!(diagnostics::FileDiagnostics),
    ),
    read_only_method(
        diagnostics::GET_ALL_DIAGNOSTICS,
        "Returns the diagnostics of all files, filtered by severity and source.",
        Some(schema_fn!(diagnostics::AllDiagnosticsParams)),
        schema_fn!(diagnostics::AllDiagnostics),
    ),
    read_only_method(
        diagnostics::GET_WORKSPACE_ERRORS,
        "Counts diagnostics by severity and source, and lists the files with the most errors.",
        None,
        schema_fn!(diagnostics::WorkspaceErrors),
    ),
    read_only_method(
        diagnostics::VALIDATE_FILE,
        "Checks one file and waits for the result.",
        Some(schema_fn!(diagnostics::ValidateFileParams)),
        schema_fn!(diagnostics::ValidatedFile),
    ),
    read_only_method(
        editor::GET_OPEN_FILES,
        "Returns the files that are open in the editor.",
        None,
        schema_fn!(editor::OpenFiles),
    ),
    read_only_method(
        editor::GET_ACTIVE_FILE,
        "Returns the file in the active editor, the position of the cursor, and the file's diagnostics.",
        None,
        schema_fn!(editor::ActiveFileResult),
    ),
    read_only_method(
        editor::EXECUTE_COMMAND,
        "Runs one of the allowed commands; others are refused.",
        Some(schema_fn!(editor::ExecuteCommandParams)),
        schema_fn!(editor::ExecutedCommand),
    ),
    read_only_method(
        tools::LIST,
        "Lists the tools; over the port, only read-only ones.",
        Some(schema_fn!(tools::ListParams)),
        schema_fn!(tools::ToolInfoList),
    ),
    read_only_method(
        tools::CALL,
        "Calls a tool; over the port, only a read-only one, and without approval prompts.",
        Some(schema_fn!(tools::CallParams)),
        schema_fn!(tools::CallResult),
    ),
    socket(
        tools::FIND,
        "Finds one tool by its name.",
        Some(schema_fn!(tools::FindParams)),
        schema_fn!(tools::ToolInfo),
    ),
    socket(
        tools::EXPLAIN,
        "Explains the policy decision for a call without making it, as `zubi policy explain --json` does.",
        Some(schema_fn!(tools::CallParams)),
        schema_fn!(serde_json::Value),
    ),
    socket(
        tools::POLICY,
        "Returns the effective rules, as `zubi policy list --json` prints them.",
        None,
        schema_fn!(serde_json::Value),
    ),
    socket(
        tools::REGISTER,
        "Contributes tools and functions for as long as the client is connected.",
        Some(schema_fn!(tools::RegisterParams)),
        schema_fn!(tools::RegisteredTools),
    ),
    socket(
        tools::UNREGISTER,
        "Withdraws contributed tools and functions.",
        Some(schema_fn!(tools::UnregisterParams)),
        schema_fn!(tools::RegisteredTools),
    ),
    socket(tools::RESOURCES, "Lists the readable documents.", None, schema_fn!(tools::Resources)),
    socket(
        tools::READ_RESOURCE,
        "Reads one document.",
        Some(schema_fn!(tools::ReadParams)),
        schema_fn!(tools::ResourceContent),
    ),
    read_only_method(
        host::INFO,
        "Exchanges information about the client and the host.",
        Some(schema_fn!(host::HostInfoParams)),
        schema_fn!(host::HostInfo),
    ),
    socket(host::STATUS, "Returns the language servers and clients of the host.", None, schema_fn!(host::HostStatus)),
    socket(host::SHUTDOWN, "Ends a daemon.", None, schema_fn!(bool)),
    to_client(
        tools::INVOKE,
        "Calls a tool or function that the client has contributed.",
        Some(schema_fn!(tools::InvokeParams)),
        Some(schema_fn!(tools::InvokeResult)),
    ),
    to_client(
        tools::APPROVAL,
        "Requests approval of a call from the client's user; sent only if that call set `asks`.",
        Some(schema_fn!(tools::ApprovalParams)),
        Some(schema_fn!(serde_json::Value)),
    ),
    to_client(
        tools::PROGRESS,
        "Reports the progress of a call that was made with a `token`.",
        Some(schema_fn!(tools::ProgressParams)),
        None,
    ),
    to_client(tools::CHANGED, "Reports that the result of `tools/list` has changed.", None, None),
];

/// Finds a method that a client can send.
pub fn of_client(name: &str) -> Option<&'static MethodSpec> {
    METHODS.iter().find(|method| method.name == name && method.sender == Sender::Client)
}

/// Generates the machine-readable protocol: every method with JSON Schemas of its messages, and the error codes.
pub fn document() -> Value {
    let mut generator = SchemaGenerator::default();
    let mut methods = Map::new();
    for method in METHODS {
        let mut shape = |shape: Option<SchemaFn>| shape.map_or(Value::Null, |shape| shape(&mut generator).to_value());
        let described = json!({
            "from": match method.sender {
                Sender::Client => "client",
                Sender::Host => "host",
            },
            "port": method.over_port,
            "summary": method.summary,
            "params": shape(method.params),
            "result": shape(method.result),
        });
        methods.insert(method.name.to_owned(), described);
    }
    let errors: Vec<Value> = ERRORS.iter().map(|(code, meaning)| json!({ "code": code, "meaning": meaning })).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The IPC protocol of zubi",
        "version": PROTOCOL,
        "methods": methods,
        "errors": errors,
        "$defs": generator.take_definitions(true),
    })
}

/// Meaning of the error codes, for the documentation.
const ERRORS: &[(i64, &str)] = &[
    (codes::PARSE_ERROR, "The message is not valid JSON; `id` is null."),
    (codes::INVALID_REQUEST, "The request is invalid or too large, or too many requests are running."),
    (codes::METHOD_NOT_FOUND, "There is no such method."),
    (codes::INVALID_PARAMS, "A parameter is invalid; `data.field` names it."),
    (codes::INTERNAL_ERROR, "A defect of the host, or of the editor behind it; the message says more."),
    (codes::UNAUTHENTICATED, "Not authenticated, refused, or not available over the port."),
    (codes::NOT_IN_WORKSPACE, "The path is in no folder of this host."),
    (codes::COMMAND_NOT_ALLOWED, "The command is not one of those that may run."),
    (codes::LOADING, "The server that would answer is still loading: retry later."),
    (codes::CANCELLED, "The request was cancelled with `$/cancelRequest`."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_unique_and_references_resolve() {
        let document = document();
        assert_eq!(document["methods"].as_object().unwrap().len(), METHODS.len(), "two methods with the same name");
        let text = document.to_string();
        for (at, _) in text.match_indices("#/$defs/") {
            let name = text.get(at + "#/$defs/".len()..).unwrap().split('"').next().unwrap();
            assert!(document["$defs"].get(name).is_some(), "{name}");
        }
        for method in METHODS {
            assert!(method.summary.ends_with('.'), "{}", method.name);
            assert!(!method.over_port || method.sender == Sender::Client, "{}", method.name);
        }
    }

    /// Methods that change something or prompt a user are not available over the port.
    #[test]
    fn methods_available_over_the_port() {
        let names: Vec<_> = METHODS.iter().filter(|method| method.over_port).map(|method| method.name).collect();
        assert_eq!(names[..8], editor::METHODS);
        assert_eq!(names[8..], [tools::LIST, tools::CALL, host::INFO]);
    }
}
