//! Format of tool files, as types. The published schema is derived from them ([`schema()`]), and the loader validates
//! files against that schema, so the two cannot disagree.
//!
//! Editors show these doc comments to authors of tool files.

mod testing;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use self::testing::{ExpectedDecision, ExpectedRequest, FakeAnswer, FakeCall, TestExpectation, ToolTest};

/// Tools of a workspace, for agents. `zubi tools check` validates this file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Agent tools")]
pub struct ToolFile {
    /// JSON Schema of this file, for editors.
    #[serde(rename = "$schema", default)]
    #[expect(dead_code, reason = "for editors")]
    pub(super) schema: Option<String>,
    /// Version of the format.
    #[expect(dead_code, reason = "there is only one")]
    pub(super) version: FormatVersion,
    /// Values for `${NAME}` in templates of this file. Not for secrets: use `${env:NAME}` and the table `env` of your
    /// own `zubi.toml`.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// The tools.
    pub tools: Vec<ToolDeclaration>,
}

/// Version of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "Version")]
pub enum FormatVersion {
    #[serde(rename = "1.0")]
    V1,
}

/// One tool.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "ToolDefinition")]
pub struct ToolDeclaration {
    /// Words of lower-case letters, digits and `_`, joined by dots: `deploy`, `kb.search`. Without a dot the id becomes
    /// `workspace.<id>`.
    #[schemars(extend("pattern" = ID_PATTERN))]
    pub id: String,
    /// Short title for users.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// Text for the model: the result, and when to use the tool. At most 1,024 bytes; the first 300 characters must be
    /// sufficient by themselves.
    #[schemars(length(min = 1, max = 1024))]
    pub description: String,
    /// The arguments, as a JSON Schema of type `object`.
    #[schemars(with = "Parameters")]
    pub parameters: Map<String, Value>,
    /// How the tool runs.
    pub execution: ToolExecution,
    /// Whether each call requires the user's approval. Default true.
    pub requires_approval: Option<bool>,
    /// Group of the tool in lists. Default `workspace`.
    #[schemars(length(min = 1, max = 60))]
    pub category: Option<String>,
    /// Time-out in milliseconds; it ends the call and every process it started. Default 60000.
    #[schemars(range(min = 1, max = MAX_TIMEOUT_MS))]
    pub timeout: Option<u64>,
    /// Search terms for the tool.
    #[schemars(length(max = 20))]
    pub tags: Option<Vec<String>>,
    /// Name of a codicon, or an `https:` or `data:` URI.
    pub icon: Option<String>,
    /// Alternative location of the five fields above.
    pub metadata: Option<ToolMetadata>,
    /// Files, hosts and programs that the tool may use. Default: read everything except credential stores, write the
    /// workspace and a temporary directory, no network.
    pub sandbox: Option<SandboxDeclaration>,
    /// Interpretation of the output.
    pub output: Option<OutputDeclaration>,
    /// Test calls with their expected results. `zubi tools check --test` runs them.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub tests: Vec<ToolTest>,
}

/// Pattern of ids. Twenty-nine characters and the prefix `workspace.` fit a wire name of at most 40.
pub(super) const ID_PATTERN: &str = "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$";

/// Longest time-out in milliseconds: one hour.
const MAX_TIMEOUT_MS: u64 = 3_600_000;

/// Metadata of a tool.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "Metadata")]
pub struct ToolMetadata {
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

/// Execution of a tool. In every string `$name` is an argument, `${NAME}` a variable of the file, `${env:NAME}` a
/// secret of the user, `${workspaceFolder}` the folder, `$$` a dollar sign.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub enum ToolExecution {
    /// Runs a shell script.
    Shell(ShellExecution),
    /// Sends an HTTP request.
    Http(HttpExecution),
    /// Runs JavaScript that can reach only other tools.
    Inline(InlineExecution),
    /// Runs a command of the editor.
    Command(EditorCommand),
    /// Calls a function that an editor extension or another program has registered.
    Function(FunctionExecution),
}

/// A shell script.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShellExecution {
    /// The script. Write arguments outside quotes (one word; a list becomes several) or inside double quotes.
    #[schemars(length(min = 1))]
    pub script: String,
    /// The shell. Default `sh`.
    #[serde(default)]
    pub shell: ShellKind,
    /// Working directory, inside the workspace. Default: the workspace folder.
    pub cwd: Option<String>,
    /// Environment variables of the script, in addition to a short list of inherited ones.
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
pub struct HttpExecution {
    /// The URL. Arguments may appear in its path or query, never in its host.
    #[schemars(length(min = 1))]
    pub url: String,
    /// The method. Default `GET`.
    #[serde(default)]
    pub method: HttpMethod,
    /// Headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body, as text that must be JSON after substitution. Default for all methods except GET and HEAD: the
    /// arguments as JSON.
    pub body: Option<String>,
}

/// An HTTP method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    #[default]
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

impl HttpMethod {
    /// Returns the method's name on the wire.
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

/// JavaScript code.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InlineExecution {
    /// Body of a function with `args`, `tools.call(id, args)` and `console.log`. The result is the returned value, or
    /// the value assigned to `result`.
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
    /// Arguments of the command; a string `$name` is replaced by the argument itself.
    #[serde(default)]
    pub args: Vec<Value>,
}

/// A registered function.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FunctionExecution {
    /// Name under which the function is registered.
    #[schemars(length(min = 1))]
    pub handler: String,
}

/// Permissions of a tool. Everything not listed is inaccessible, whatever the script does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SandboxDeclaration {
    /// Files.
    pub fs: Option<DeclaredFileAccess>,
    /// Network access: `host:port` of each host, or `*`. A script gets the whole network or none. Default: none; for an
    /// HTTP tool the host of its URL.
    pub net: Option<Vec<String>>,
    /// Executables that may be run, by absolute path or by name. Default: any.
    pub exec: Option<Vec<String>>,
    /// Environment variables to inherit in addition to the usual ones.
    pub env: Option<Vec<String>>,
}

/// File access of a tool; paths are relative to the workspace folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeclaredFileAccess {
    /// Readable files and directories. Default: everything except credential stores.
    pub read: Option<Vec<String>>,
    /// Writable files and directories. Default: the workspace folder. A temporary directory is always writable.
    pub write: Option<Vec<String>>,
}

/// Interpretation of the output.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct OutputDeclaration {
    /// Exit codes of the script that mean success: `[0, 1]` for `grep`. Default `[0]`.
    #[schemars(length(min = 1, max = 20))]
    pub exit_codes: Option<Vec<u8>>,
}

/// Arguments of a tool. Their descriptions reach the model unchanged.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "schema only: the registry reads argument schemas as JSON")]
struct Parameters {
    #[serde(rename = "type")]
    kind: RootType,
    /// The arguments by name.
    #[serde(default)]
    properties: BTreeMap<String, Parameter>,
    /// Names of required arguments.
    #[serde(default)]
    #[schemars(length(max = 100))]
    required: Vec<String>,
    /// Note for readers of the file.
    description: Option<String>,
    /// Whether undescribed arguments are accepted. Default false.
    #[serde(rename = "additionalProperties", default)]
    additional_properties: bool,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "schema only")]
enum RootType {
    Object,
}

/// One argument, or a part of one.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "schema only")]
struct Parameter {
    #[serde(rename = "type")]
    kind: ParameterType,
    /// Description for the model, with an example where useful.
    description: Option<String>,
    /// The only permitted values.
    #[serde(rename = "enum")]
    values: Option<Vec<Value>>,
    /// Value used if the argument is missing.
    default: Option<Value>,
    /// Schema of the items of an array.
    items: Option<Box<Self>>,
    /// Fields of an object.
    properties: Option<BTreeMap<String, Self>>,
    /// Required fields of an object.
    required: Option<Vec<String>>,
    /// Whether an object may have other fields. Default true, as in JSON Schema.
    additional_properties: Option<bool>,
    /// Smallest permitted number.
    minimum: Option<f64>,
    /// Largest permitted number.
    maximum: Option<f64>,
    /// Minimum number of characters.
    min_length: Option<u64>,
    /// Maximum number of characters.
    max_length: Option<u64>,
    /// Regular expression that a string must match.
    pattern: Option<String>,
    /// Minimum number of items.
    min_items: Option<u64>,
    /// Maximum number of items.
    max_items: Option<u64>,
    /// Short name for users.
    title: Option<String>,
    /// Example values.
    examples: Option<Vec<Value>>,
}

/// The type of a value.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "schema only")]
enum ParameterType {
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
}

/// Returns the published schema (JSON Schema draft-07, which editors support best).
pub fn schema() -> Value {
    let settings = SchemaSettings::draft07();
    let mut schema = settings.into_generator().into_root_schema_for::<ToolFile>().to_value();
    simplify(&mut schema);
    schema
}

/// Removes null types and number formats: optional fields are omitted, never null, and Rust's number widths are not
/// JSON Schema formats.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(simplify),
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
                    // Draft-07 readers ignore siblings of a `$ref`.
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
            object.values_mut().for_each(simplify);
        }
        _ => {}
    }
}
