//! Fakes of a tested tool's environment: the server of an HTTP tool, and the tools that its code calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use zubi_base::text::ellipsize;
use zubi_exec::http::mock_server::{MockResponse, MockServer, RecordedRequest};
use zubi_tool_api::output::clean;
use zubi_tool_api::{
    Approval, Effect, ErrorCode, Exposure, Tool, ToolCx, ToolError, ToolOutput, ToolProvider, ToolSpec, spec,
    static_provider,
};

use super::compare;
use crate::format::{FakeAnswer, FakeCall, ToolTest};

/// Fakes of one test, with a record of their use.
pub(crate) struct Fakes {
    server: Option<MockServer>,
    calls: Vec<FakeCall>,
    recorded_calls: Mutex<FakeCalls>,
}

#[derive(Default)]
struct FakeCalls {
    exit: Option<i32>,
    /// Whether each of the expected calls was made.
    called: Vec<bool>,
}

impl Fakes {
    pub(super) async fn new(test: &ToolTest) -> std::io::Result<Self> {
        let server = match &test.http {
            Some(answer) => Some(MockServer::start(mock_answer(answer)).await?),
            None => None,
        };
        let calls = FakeCalls { exit: None, called: vec![false; test.calls.len()] };
        Ok(Self { server, calls: test.calls.clone(), recorded_calls: Mutex::new(calls) })
    }

    fn lock_calls(&self) -> MutexGuard<'_, FakeCalls> {
        self.recorded_calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the mock server that replaces the real one.
    pub(crate) fn server(&self) -> Option<&MockServer> {
        self.server.as_ref()
    }

    /// Records the exit code of the script.
    pub(crate) fn record_exit(&self, exit: i32) {
        self.lock_calls().exit = Some(exit);
    }

    pub(super) fn exit(&self) -> Option<i32> {
        self.lock_calls().exit
    }

    pub(super) fn requests(&self) -> Vec<RecordedRequest> {
        self.server.as_ref().map(MockServer::recorded_requests).unwrap_or_default()
    }

    /// Returns the tools of expected calls that were not made.
    pub(super) fn missing_calls(&self) -> Vec<String> {
        let calls = self.lock_calls();
        let missing = self.calls.iter().zip(&calls.called).filter(|(_, is_called)| !**is_called);
        missing.map(|(call, _)| call.tool.clone()).collect()
    }

    /// Takes the first unused answer that matches a call.
    fn take_answer(&self, spec: &ToolSpec, args: &Value) -> Option<FakeCall> {
        let mut calls = self.lock_calls();
        let matches = |call: &FakeCall| {
            spec::is_called(&spec.id, &call.tool)
                && compare::json_difference(&Value::Object(call.args.clone()), args).is_none()
        };
        let (at, call) =
            self.calls.iter().enumerate().find(|(at, call)| calls.called.get(*at) == Some(&false) && matches(call))?;
        if let Some(is_called) = calls.called.get_mut(at) {
            *is_called = true;
        }
        Some(call.clone())
    }
}

fn mock_answer(answer: &FakeAnswer) -> MockResponse {
    let mut headers: Vec<(String, String)> = answer.headers.clone().into_iter().collect();
    let body = match &answer.body {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        json => {
            if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                headers.push(("content-type".to_owned(), "application/json".to_owned()));
            }
            json.to_string()
        }
    };
    MockResponse { status: answer.status, headers, body: body.into_bytes() }
}

/// A tool whose answers come from the test. Its specification is the real tool's, so that it accepts the same
/// arguments.
pub(super) struct FakeTool {
    spec: ToolSpec,
    fakes: Arc<Fakes>,
}

impl FakeTool {
    pub(super) fn new(spec: &ToolSpec, fakes: Arc<Fakes>) -> Self {
        // A fake has no effects, whatever the real tool does.
        let spec =
            ToolSpec { effect: Effect::Read, approval: Approval::ByEffect, exposure: Exposure::Direct, ..spec.clone() };
        Self { spec, fakes }
    }

    pub(super) fn id(&self) -> &str {
        &self.spec.id
    }
}

#[async_trait]
impl Tool for FakeTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, args: Value, _cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let Some(call) = self.fakes.take_answer(&self.spec, &args) else {
            let message = format!("the test has no answer for a call with {}", summarize_arguments(&args));
            return Err(ToolError::operation_failed(
                &format!("call {}", self.spec.id),
                message,
                "Add it to `calls` of the test.",
            ));
        };
        match call.error {
            Some(message) => Err(ToolError::user(ErrorCode::Failed, message, "")),
            None => {
                let data = call.answer.unwrap_or(Value::Null);
                let text = data.as_str().map_or_else(|| data.to_string(), str::to_owned);
                Ok(ToolOutput { text, data: Some(data), ..ToolOutput::default() })
            }
        }
    }
}

/// Truncates arguments for a message.
fn summarize_arguments(args: &Value) -> String {
    const MAX_CHARS: usize = 300;
    let text = clean(args.to_string());
    ellipsize(&text, MAX_CHARS).into_owned()
}

/// Returns the tested tool and the fakes as providers. Omits a fake of the tested tool itself, because the first tool
/// of a name wins.
pub(super) fn providers(tested: Arc<dyn Tool>, fakes: Vec<FakeTool>) -> Vec<Arc<dyn ToolProvider>> {
    let fakes = fakes.into_iter().map(|fake| Arc::new(fake) as Arc<dyn Tool>);
    let tools = [tested].into_iter().chain(fakes).collect();
    vec![static_provider("test", "Test", tools)]
}
