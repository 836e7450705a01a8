//! Runs an HTTP tool: one request; the response body is the tool's answer.

use serde_json::{Map, Value};
use zubi_exec::http::{self, HttpAnswer, HttpError, HttpRequest, RenderedBody, RequestHeader};
use zubi_exec::template::Template;
use zubi_tool_api::output::OutputStatus;
use zubi_tool_api::{ErrorCode, ToolCx, ToolError, ToolOutput};

use super::MAX_FAILURE_BYTES;
use crate::declared_tool::DeclaredTool;
use crate::format::HttpMethod;
use zubi_tools::shell::answer::output_budget;

/// Compiled templates of a request.
pub(crate) struct RequestPlan<'a> {
    pub(crate) method: HttpMethod,
    pub(crate) url: &'a Template,
    pub(crate) headers: &'a [(String, Template)],
    pub(crate) body: Option<&'a Template>,
}

pub(crate) async fn run(
    tool: &DeclaredTool,
    parts: &RequestPlan<'_>,
    args: Map<String, Value>,
    cx: &ToolCx,
) -> Result<ToolOutput, ToolError> {
    let request = build_request(tool, parts, args)?;
    let answer = http::send(&request, &tool.context.lookup, &cx.cancel).await;
    let answer = answer.map_err(|error| request_error(tool, &error))?;
    let (text, data) = match answer.body() {
        RenderedBody::Empty => ("(no body)".to_owned(), None),
        RenderedBody::Json(value) => (format!("{value:#}"), Some(value)),
        RenderedBody::Text(text) => (text, None),
        RenderedBody::Binary => (format!("(binary, {} bytes)", answer.bytes.len()), None),
    };
    let budget = output_budget(cx);
    let budget = if answer.is_success() { budget } else { budget.min(MAX_FAILURE_BYTES) };
    let text = tool.context.truncate_or_store(text, budget).await;
    if !answer.is_success() {
        let message = format!("the server answered {}\n{text}", answer.status);
        return Err(tool.run_error(message, status_hint(answer.status)));
    }
    Ok(ToolOutput { text, data, status: Some(status(&answer)), truncated: None })
}

fn build_request(
    tool: &DeclaredTool,
    parts: &RequestPlan<'_>,
    args: Map<String, Value>,
) -> Result<HttpRequest, ToolError> {
    let url = tool.render(parts.url, &args)?;
    let mut request = HttpRequest::new(parts.method.name(), url.text);
    for (name, template) in parts.headers {
        let value = tool.render(template, &args)?;
        if !value.absent {
            request.headers.push(RequestHeader {
                name: name.clone(),
                value: value.text,
                secret: !value.secrets.is_empty(),
            });
        }
    }
    request.body = match parts.body {
        Some(body) => Some(tool.render(body, &args)?.text.into_bytes()),
        None if matches!(parts.method, HttpMethod::Get | HttpMethod::Head) => None,
        None => Some(Value::Object(args).to_string().into_bytes()),
    };
    request.hosts = tool.declared_hosts();
    if let Some(server) = tool.context.fakes.as_ref().and_then(|doubles| doubles.server()) {
        request.url = server.replace_host(&request.url).map_err(|error| request_error(tool, &error))?;
        request.hosts.push(server.host());
    }
    request.timeout = tool.definition.timeout;
    Ok(request)
}

fn status(answer: &HttpAnswer) -> OutputStatus {
    let mut notes = Vec::new();
    if answer.redirects > 0 {
        notes.push(format!("after {} redirects", answer.redirects));
    }
    if answer.truncated {
        notes.push("the response was truncated".to_owned());
    }
    OutputStatus {
        endpoint: http::host_and_port(&answer.url).unwrap_or_default(),
        readiness: answer.status.to_string(),
        complete: Some(!answer.truncated),
        note: (!notes.is_empty()).then(|| notes.join(", ")),
    }
}

/// Returns the hint for a status other than success.
fn status_hint(status: u16) -> &'static str {
    match status {
        401 | 403 => "The user's credentials are missing or insufficient; ask the user.",
        404 | 410 => "Check the arguments: nothing exists at this URL.",
        429 => "Too many requests; call again later.",
        500.. => "The server failed; call again later, or report it to the user.",
        _ => "Check the arguments against the server's message.",
    }
}

fn request_error(tool: &DeclaredTool, error: &HttpError) -> ToolError {
    match error {
        HttpError::TimedOut { .. } => ToolError::user(
            ErrorCode::TimedOut,
            format!("Error in {}: {error}", tool.id()),
            "Call again later; the tool's `timeout` is the limit.",
        ),
        HttpError::Cancelled => ToolError::user(
            ErrorCode::Cancelled,
            format!("Error in {}: {error}", tool.id()),
            "Call again if you still need the answer.",
        ),
        HttpError::Address { .. } | HttpError::RedirectHost { .. } => tool.run_error(
            error.to_string().replace("`hosts`", "`sandbox.net`"),
            "The user can add it to `sandbox.net` of the tool in its file.",
        ),
        _ => tool.run_error(error, "Check that the server can be reached from here, or report it to the user."),
    }
}
