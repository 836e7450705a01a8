//! Tests in tool files.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::HttpMethod;

/// A call with its expected result.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolTest {
    /// Name of the test: what it checks.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// The arguments.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// Files in the directory in which the test runs, by path, with their texts. Default: the directory is empty.
    #[serde(default)]
    pub fixtures: BTreeMap<String, String>,
    /// Files of the workspace that are copied into that directory, by path: scripts that the tool runs.
    #[serde(default)]
    #[schemars(length(max = 50))]
    pub files: Vec<String>,
    /// Values of `${env:NAME}` for this test; tests do not get the user's own values.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Response that an HTTP tool receives from the test's mock server. The real server receives no request.
    pub http: Option<FakeAnswer>,
    /// Answers of tools called by the JavaScript, each used once. The real tools are not called.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub calls: Vec<FakeCall>,
    /// Expected result of the call.
    pub expect: TestExpectation,
}

/// An HTTP response.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FakeAnswer {
    /// Status code. Default 200.
    #[serde(default = "default_status")]
    #[schemars(range(min = 200, max = 599))]
    pub status: u16,
    /// Headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Body: a string unchanged, any other value as JSON.
    #[serde(default)]
    pub body: Value,
}

fn default_status() -> u16 {
    200
}

/// Answer to one tool call by JavaScript; either `answer` or `error`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FakeCall {
    /// The called tool. Its arguments are validated as by the real tool.
    pub tool: String,
    /// Required arguments of the call; other arguments may be present. Default: any.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// Value returned to the code.
    pub answer: Option<Value>,
    /// Message of the error thrown in the code instead.
    pub error: Option<String>,
}

/// Expected result of a call; every given field must hold. The call must succeed unless `error`, `code` or a failing
/// `exit` is given.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestExpectation {
    /// Exit code of the script.
    pub exit: Option<u8>,
    /// The whole output (the answer without its status line), ignoring trailing white space.
    pub text: Option<String>,
    /// Text contained in the answer.
    pub contains: Option<String>,
    /// Regular expression that matches a part of the answer.
    pub matches: Option<String>,
    /// The output parsed as JSON. Objects may have additional fields; arrays are compared item by item.
    pub json: Option<Value>,
    /// Decision of zubi's default rules. A denied call is not made.
    pub decision: Option<ExpectedDecision>,
    /// Text contained in the failure; the call must fail.
    pub error: Option<String>,
    /// Code of the failure, such as `invalid_input` or `failed`; the call must fail.
    pub code: Option<String>,
    /// Request that the server received, for HTTP tools.
    pub request: Option<ExpectedRequest>,
}

/// Decision of the rules on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExpectedDecision {
    Allow,
    Ask,
    Deny,
}

/// Request that a server received.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedRequest {
    /// The method.
    pub method: Option<HttpMethod>,
    /// Path and query.
    pub path: Option<String>,
    /// Headers that must have been sent; others may be present.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body: a string unchanged; any other value is compared as JSON, where objects may have additional fields.
    pub body: Option<Value>,
}
