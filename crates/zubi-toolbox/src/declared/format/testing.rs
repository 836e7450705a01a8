//! The tests in tool files.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Method;

/// A call and what must come of it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolTest {
    /// What is tested.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// The arguments.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// Files of the directory in which the test runs, by path, with their texts. Without it the test runs in an empty one.
    #[serde(default)]
    pub fixtures: BTreeMap<String, String>,
    /// Files of the workspace that are copied into that directory, by path: scripts that the tool runs.
    #[serde(default)]
    #[schemars(length(max = 50))]
    pub files: Vec<String>,
    /// Values of `${env:NAME}` for this test; the user's own are not given to tests.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The answer that an HTTP tool gets, from a server of the test's own. The real one is not asked.
    pub http: Option<FakeAnswer>,
    /// What the tools answer that JavaScript calls, each once. The real ones are not called.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub calls: Vec<FakeCall>,
    /// What must come of the call.
    pub expect: Expectation,
}

/// An answer over HTTP.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FakeAnswer {
    /// Status. Default 200.
    #[serde(default = "ok")]
    #[schemars(range(min = 200, max = 599))]
    pub status: u16,
    /// Headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Body: a string as it is, anything else as JSON.
    #[serde(default)]
    pub body: Value,
}

fn ok() -> u16 {
    200
}

/// The answer to one call of a tool by JavaScript; either `answer` or `error`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FakeCall {
    /// The tool that is called. Its arguments are checked as the real one checks them.
    pub tool: String,
    /// Arguments that it must be called with, among others. Default: any.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// What the code gets.
    pub answer: Option<Value>,
    /// The message of the error that the code gets instead.
    pub error: Option<String>,
}

/// What must come of a call; everything that is given must hold. Without `error`, `code` and an `exit` that means failure the
/// call must succeed.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The exit code of the script.
    pub exit: Option<u8>,
    /// The whole output (the answer's text without its status line), but for white space at its end.
    pub text: Option<String>,
    /// Text that the answer contains.
    pub contains: Option<String>,
    /// A regular expression that a part of the answer matches.
    pub matches: Option<String>,
    /// The output read as JSON. Objects may have more fields than stand here; lists are compared item by item.
    pub json: Option<Value>,
    /// What zubi's default rules say of the call. One that they deny is not made.
    pub decision: Option<ExpectedDecision>,
    /// Text that the failure contains; the call must fail.
    pub error: Option<String>,
    /// The code of the failure, such as `invalid_input` or `failed`; the call must fail.
    pub code: Option<String>,
    /// What the server was asked, of an HTTP tool.
    pub request: Option<ExpectedRequest>,
}

/// What the rules say of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExpectedDecision {
    Allow,
    Ask,
    Deny,
}

/// What a server was asked.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedRequest {
    /// The method.
    pub method: Option<Method>,
    /// Path and query.
    pub path: Option<String>,
    /// Headers that were sent, among others.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body: a string as it is, anything else read as JSON, where objects may have more fields.
    pub body: Option<Value>,
}
