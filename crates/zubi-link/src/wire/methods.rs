//! The table of all methods: what the protocol page is written from, and what decides which of them the port has.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{PROTOCOL, codes, diagnostics, editor, host, tools};

/// Who sends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    Client,
    Host,
}

/// Makes the schema of what is sent.
pub type Shape = fn(&mut SchemaGenerator) -> Schema;

/// One method.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    pub name: &'static str,
    pub sender: Sender,
    /// Whether the port has it: it only looks.
    pub over_port: bool,
    /// A sentence.
    pub summary: &'static str,
    /// `None`: it takes none.
    pub params: Option<Shape>,
    /// `None`: a notification, which is not answered.
    pub result: Option<Shape>,
}

/// A request of a client that only looks.
const fn looks(name: &'static str, summary: &'static str, params: Option<Shape>, result: Shape) -> Method {
    Method { name, sender: Sender::Client, over_port: true, summary, params, result: Some(result) }
}

/// A request of a client that the socket alone has.
const fn socket(name: &'static str, summary: &'static str, params: Option<Shape>, result: Shape) -> Method {
    Method { name, sender: Sender::Client, over_port: false, summary, params, result: Some(result) }
}

const fn to_client(name: &'static str, summary: &'static str, params: Option<Shape>, result: Option<Shape>) -> Method {
    Method { name, sender: Sender::Host, over_port: false, summary, params, result }
}

/// As a [`Shape`].
macro_rules! shape {
    ($type:ty) => {
        SchemaGenerator::subschema_for::<$type>
    };
}

/// All of them, in the order of the documentation. `authenticate`, the first request over the port, stands before them all.
pub const METHODS: &[Method] = &[
    looks(editor::PING, "Whether the host answers.", None, shape!(editor::Pong)),
    looks(
        diagnostics::GET_DIAGNOSTICS,
        "The problems of one file.",
        Some(shape!(diagnostics::DocumentParams)),
        shape!(diagnostics::FileDiagnostics),
    ),
    looks(
        diagnostics::GET_ALL_DIAGNOSTICS,
        "The problems of all files, narrowed by severity and source.",
        Some(shape!(diagnostics::AllDiagnosticsParams)),
        shape!(diagnostics::AllDiagnostics),
    ),
    looks(
        diagnostics::GET_WORKSPACE_ERRORS,
        "How many problems there are, of which kind, from whom, and the files with the most.",
        None,
        shape!(diagnostics::WorkspaceErrors),
    ),
    looks(
        diagnostics::VALIDATE_FILE,
        "Has one file checked and waits for what comes of it.",
        Some(shape!(diagnostics::ValidateFileParams)),
        shape!(diagnostics::ValidatedFile),
    ),
    looks(editor::GET_OPEN_FILES, "The files that are open in the editor.", None, shape!(editor::OpenFiles)),
    looks(
        editor::GET_ACTIVE_FILE,
        "The file that the editor's user looks at, where the cursor is, and its problems.",
        None,
        shape!(editor::ActiveFile),
    ),
    looks(
        editor::EXECUTE_COMMAND,
        "Runs one of the allowed commands; any other is refused.",
        Some(shape!(editor::ExecuteCommandParams)),
        shape!(editor::ExecutedCommand),
    ),
    looks(
        tools::LIST,
        "The tools. Over the port only those that look.",
        Some(shape!(tools::ListParams)),
        shape!(tools::ToolList),
    ),
    looks(
        tools::CALL,
        "Calls a tool. Over the port only one that looks, and nobody is asked anything.",
        Some(shape!(tools::CallParams)),
        shape!(tools::CallResult),
    ),
    socket(tools::FIND, "One tool by its name.", Some(shape!(tools::FindParams)), shape!(tools::Tool)),
    socket(
        tools::EXPLAIN,
        "What the policy says of a call, which is not made: as `zubi policy explain --json` prints it.",
        Some(shape!(tools::CallParams)),
        shape!(serde_json::Value),
    ),
    socket(
        tools::POLICY,
        "The rules in force, as `zubi policy list --json` prints them.",
        None,
        shape!(serde_json::Value),
    ),
    socket(
        tools::REGISTER,
        "Contributes tools and functions, as long as the client is connected.",
        Some(shape!(tools::RegisterParams)),
        shape!(tools::RegisteredTools),
    ),
    socket(
        tools::UNREGISTER,
        "Takes back what was contributed.",
        Some(shape!(tools::UnregisterParams)),
        shape!(tools::RegisteredTools),
    ),
    socket(tools::RESOURCES, "The documents that can be read.", None, shape!(tools::Resources)),
    socket(tools::READ_RESOURCE, "One document.", Some(shape!(tools::ReadParams)), shape!(tools::ResourceText)),
    looks(
        host::INFO,
        "Who the client is, and who the host.",
        Some(shape!(host::HostInfoParams)),
        shape!(host::HostInfo),
    ),
    socket(host::STATUS, "What runs behind the host, and who is connected.", None, shape!(host::HostStatus)),
    socket(host::SHUTDOWN, "Ends a daemon.", None, shape!(bool)),
    to_client(
        tools::INVOKE,
        "Calls what the client has contributed.",
        Some(shape!(tools::InvokeParams)),
        Some(shape!(tools::InvokeResult)),
    ),
    to_client(
        tools::APPROVAL,
        "Asks the client's user whether a call may be made; only a client that said `asks` with that call.",
        Some(shape!(tools::ApprovalParams)),
        Some(shape!(serde_json::Value)),
    ),
    to_client(
        tools::PROGRESS,
        "How far a call is that was made with a `token`.",
        Some(shape!(tools::ProgressParams)),
        None,
    ),
    to_client(tools::CHANGED, "`tools/list` would answer differently now.", None, None),
];

/// The method of this name that a client can send.
pub fn of_client(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name && method.sender == Sender::Client)
}

/// The protocol for programs: every method with JSON Schemas of what is sent, and the numbers of errors.
pub fn document() -> Value {
    let mut generator = SchemaGenerator::default();
    let mut methods = Map::new();
    for method in METHODS {
        let mut shape = |shape: Option<Shape>| shape.map_or(Value::Null, |shape| shape(&mut generator).to_value());
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

/// What the numbers of errors mean, for the documentation.
const ERRORS: &[(i64, &str)] = &[
    (codes::PARSE_ERROR, "What came is no JSON; `id` is null."),
    (codes::INVALID_REQUEST, "It is no request, too large, or more at once than the host takes."),
    (codes::METHOD_NOT_FOUND, "There is no such method."),
    (codes::INVALID_PARAMS, "A parameter is wrong; `data.field` names it."),
    (codes::INTERNAL_ERROR, "A defect of the host, or of the editor behind it; the message says more."),
    (codes::UNAUTHENTICATED, "Not proved, refused, or not to be had over the port."),
    (codes::NOT_IN_WORKSPACE, "The path is in no folder of this host."),
    (codes::COMMAND_NOT_ALLOWED, "The command is not one of those that may run."),
    (codes::LOADING, "What would answer is still loading: ask again."),
    (codes::CANCELLED, "The request was taken back with `$/cancelRequest`."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_described_once_and_every_reference_leads_somewhere() {
        let document = document();
        assert_eq!(document["methods"].as_object().unwrap().len(), METHODS.len(), "two methods of one name");
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

    /// What changes something, or asks somebody, is not for the port.
    #[test]
    fn the_port_has_these_methods_and_no_other() {
        let names: Vec<_> = METHODS.iter().filter(|method| method.over_port).map(|method| method.name).collect();
        assert_eq!(names[..8], editor::METHODS);
        assert_eq!(names[8..], [tools::LIST, tools::CALL, host::INFO]);
    }
}
