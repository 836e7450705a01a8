//! The format of tool files, as types. The published schema is derived from them ([`schema()`]), the loader checks files
//! against that very schema, and so the two cannot disagree.
//!
//! Descriptions here are read by people in their editor, as they write a tool file.

mod testing;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use self::testing::{Expectation, ExpectedDecision, ExpectedRequest, FakeAnswer, FakeCall, ToolTest};

/// Where the schema is published, below the root of the repository.
pub const SCHEMA_FILE: &str = "editors/vscode/schemas/agent-tools.schema.json";

/// Tools of a workspace, for agents. `zubi tools check` reads this file as zubi does.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Agent tools")]
pub struct ToolFile {
    /// The JSON Schema of this file, for editors.
    #[serde(rename = "$schema", default)]
    #[expect(dead_code, reason = "for editors")]
    pub(super) schema: Option<String>,
    /// Version of the format.
    #[expect(dead_code, reason = "there is but one")]
    pub(super) version: Version,
    /// Values that templates of this file take as `${NAME}`. They are no secrets: those are `${env:NAME}`, from the table `env`
    /// of the user's own `zubi.toml`.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// The tools.
    pub tools: Vec<ToolDefinition>,
}

/// Version of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Version {
    #[serde(rename = "1.0")]
    V1,
}

/// One tool.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ToolDefinition {
    /// Words of small letters, digits and `_`, joined by dots: `deploy`, `kb.search`. Without a dot it becomes `workspace.<id>`.
    #[schemars(extend("pattern" = ID_PATTERN))]
    pub id: String,
    /// For people: a short title.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// For the model: what comes back, and when to use it. At most 1,024 bytes; the first 300 characters must stand alone.
    #[schemars(length(min = 1, max = 1024))]
    pub description: String,
    /// The arguments, as a JSON Schema of type `object`.
    #[schemars(with = "Parameters")]
    pub parameters: Map<String, Value>,
    /// How the tool runs.
    pub execution: ToolExecution,
    /// Whether a person is asked before each call. Default true.
    pub requires_approval: Option<bool>,
    /// A word for grouping tools. Default `workspace`.
    #[schemars(length(min = 1, max = 60))]
    pub category: Option<String>,
    /// After so many milliseconds the call is ended, with everything it started. Default 60000.
    #[schemars(range(min = 1, max = MAX_TIMEOUT_MS))]
    pub timeout: Option<u64>,
    /// Words by which the tool is found.
    #[schemars(length(max = 20))]
    pub tags: Option<Vec<String>>,
    /// A codicon's name, or an `https:` or `data:` URI.
    pub icon: Option<String>,
    /// Another place for the five fields above.
    pub metadata: Option<Metadata>,
    /// What the tool may touch. Default: read everything but credential stores, write the workspace and a temporary directory,
    /// no network.
    pub sandbox: Option<SandboxDeclaration>,
    /// What becomes of the output.
    pub output: Option<OutputDeclaration>,
    /// Calls with what must come of them. `zubi tools check --test` runs them.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub tests: Vec<ToolTest>,
}

/// What an id looks like. Twenty-nine characters and `workspace.` are a wire name of at most 40.
pub(super) const ID_PATTERN: &str = "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$";

/// The longest time-out, in milliseconds: one hour.
const MAX_TIMEOUT_MS: u64 = 3_600_000;

/// Facts about a tool.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Metadata {
    /// See `category` of the tool.
    #[schemars(length(min = 1, max = 60))]
    pub category: Option<String>,
    /// See `icon` of the tool.
    pub icon: Option<String>,
    /// See `requiresApproval` of the tool.
    pub requires_approval: Option<bool>,
    /// See `timeout` of the tool.
    #[schemars(range(min = 1, max = MAX_TIMEOUT_MS))]
    pub timeout: Option<u64>,
    /// See `tags` of the tool.
    #[schemars(length(max = 20))]
    pub tags: Option<Vec<String>>,
}

/// How a tool runs. In every string `$name` is an argument, `${NAME}` a variable of the file, `${env:NAME}` a secret of the user,
/// `${workspaceFolder}` the folder, `$$` a dollar.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub enum ToolExecution {
    /// Runs a shell script.
    Shell(Shell),
    /// Makes an HTTP request.
    Http(Http),
    /// Runs JavaScript that reaches nothing but other tools.
    Inline(Inline),
    /// Runs a command of the editor.
    Command(EditorCommand),
    /// Calls a function that an extension of the editor, or another program, has registered.
    Function(Function),
}

/// A shell script.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    /// The script. An argument stands outside quotes (it is one word, a list several) or inside double quotes.
    #[schemars(length(min = 1))]
    pub script: String,
    /// The shell. Default `sh`.
    #[serde(default)]
    pub shell: ShellKind,
    /// Where it runs, inside the workspace. Default: the workspace folder.
    pub cwd: Option<String>,
    /// Environment variables of the script, on top of a short list that is let through.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// A shell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ShellKind {
    #[default]
    Sh,
    Bash,
}

/// An HTTP request.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Http {
    /// The URL. Arguments stand in its path or query, never in its host.
    #[schemars(length(min = 1))]
    pub url: String,
    /// The method. Default `GET`.
    #[serde(default)]
    pub method: Method,
    /// Headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body, as text that is JSON once values stand in it. Default of all methods but GET and HEAD: the arguments as JSON.
    pub body: Option<String>,
}

/// An HTTP method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    #[default]
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    /// The method's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// JavaScript.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inline {
    /// The body of a function with `args`, `tools.call(id, args)` and `console.log`. The answer is what it returns, or what it
    /// assigns to `result`.
    #[schemars(length(min = 1))]
    pub code: String,
}

/// A command of the editor.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditorCommand {
    /// The command's id.
    #[schemars(length(min = 1))]
    pub command: String,
    /// Its arguments; a string that is `$name` becomes the argument itself.
    #[serde(default)]
    pub args: Vec<Value>,
}

/// A registered function.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// The name under which it is registered.
    #[schemars(length(min = 1))]
    pub handler: String,
}

/// What a tool may touch. What it does not name it cannot reach, whatever its script says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SandboxDeclaration {
    /// Files.
    pub fs: Option<FileAccess>,
    /// Network: `host:port` of each host, or `*`. A script has all of the network or none. Default: none; of an HTTP tool the
    /// host of its URL.
    pub net: Option<Vec<String>>,
    /// Programs that may be executed, by absolute path or by name. Default: any.
    pub exec: Option<Vec<String>>,
    /// Names of environment variables that are let through beyond the usual ones.
    pub env: Option<Vec<String>>,
}

/// Files a tool may touch; paths are relative to the workspace folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileAccess {
    /// Files and directories that may be read. Default: everything but credential stores.
    pub read: Option<Vec<String>>,
    /// Files and directories that may be written. Default: the workspace folder. A temporary directory always may.
    pub write: Option<Vec<String>>,
}

/// What becomes of the output.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct OutputDeclaration {
    /// Exit codes of the script that mean success: `[0, 1]` for `grep`. Default `[0]`.
    #[schemars(length(min = 1, max = 20))]
    pub exit_codes: Option<Vec<u8>>,
}

/// The arguments of a tool. What it says reaches the model as it stands here.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the shape alone: the registry reads arguments' schemas as JSON")]
struct Parameters {
    #[serde(rename = "type")]
    kind: RootType,
    /// The arguments by name.
    #[serde(default)]
    properties: BTreeMap<String, Parameter>,
    /// Names of arguments that must be given.
    #[serde(default)]
    #[schemars(length(max = 100))]
    required: Vec<String>,
    /// For people who read the file.
    description: Option<String>,
    /// Whether arguments that are not described are taken. Default false.
    #[serde(rename = "additionalProperties", default)]
    additional_properties: bool,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "the shape alone")]
enum RootType {
    Object,
}

/// One argument, or a part of one.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "the shape alone")]
struct Parameter {
    #[serde(rename = "type")]
    kind: ParameterType,
    /// For the model: what it is, with an example where that helps.
    description: Option<String>,
    /// The only values there are.
    #[serde(rename = "enum")]
    values: Option<Vec<Value>>,
    /// The value where none is given.
    default: Option<Value>,
    /// The items of an array.
    items: Option<Box<Self>>,
    /// The fields of an object.
    properties: Option<BTreeMap<String, Self>>,
    /// The fields that an object must have.
    required: Option<Vec<String>>,
    /// Whether an object may have other fields. Default true, as in JSON Schema.
    additional_properties: Option<bool>,
    /// The smallest number.
    minimum: Option<f64>,
    /// The largest number.
    maximum: Option<f64>,
    /// The least number of characters.
    min_length: Option<u64>,
    /// The largest number of characters.
    max_length: Option<u64>,
    /// A regular expression that a string must match.
    pattern: Option<String>,
    /// The least number of items.
    min_items: Option<u64>,
    /// The largest number of items.
    max_items: Option<u64>,
    /// A short name, for people.
    title: Option<String>,
    /// Values that are possible.
    examples: Option<Vec<Value>>,
}

/// The type of a value.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "the shape alone")]
enum ParameterType {
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
}

/// The published schema (JSON Schema draft-07, which editors understand best).
pub fn schema() -> Value {
    let settings = SchemaSettings::draft07();
    let mut schema = settings.into_generator().into_root_schema_for::<ToolFile>().to_value();
    tidy(&mut schema);
    schema
}

/// What is optional is left out, never null; and Rust's number widths are no formats.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").and_then(Value::as_str) != Some("null"));
                if let [only] = choices.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    // Draft-07 readers pass over what stands beside a `$ref`.
                    object.insert("allOf".to_owned(), Value::Array(vec![only]));
                }
            }
            let is_width = |format: &Value| format.as_str().is_some_and(|it| it.contains("int") || it == "double");
            if object.get("format").is_some_and(is_width) {
                object.remove("format");
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            object.values_mut().for_each(tidy);
        }
        _ => {}
    }
}
