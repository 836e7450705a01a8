//! A declared tool in the registry: footprint of a call, and dispatch to its runner.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use serde_json::{Map, Value};
use zubi_exec::template::{RenderError, RenderedText, Template, Values};
use zubi_tool_api::{Effect, Footprint, Tool, ToolCx, ToolError, ToolOutput, ToolSpec};

use super::definition::ResolvedDefinition;
use super::execute::{ExecutionContext, command, function, http, inline, shell};
use super::format::HttpMethod;
use super::functions;
use super::load::LoadedTool;
use super::plan::{Execution, ToolPlan};
use super::source::ToolSource;

/// Extra time that the registry waits: the call ends itself at the tool's time-out and returns partial results.
const GRACE: Duration = Duration::from_secs(5);

pub(super) struct DeclaredTool {
    spec: ToolSpec,
    pub(super) definition: ResolvedDefinition,
    plan: Arc<ToolPlan>,
    /// Workspace folder that declares the tool.
    pub(super) folder: Utf8PathBuf,
    pub(super) context: Arc<ExecutionContext>,
    /// `None` in a test of the tool.
    source: Option<ToolSource>,
}

impl DeclaredTool {
    pub(super) fn new(tool: &LoadedTool, folder: Utf8PathBuf, context: Arc<ExecutionContext>) -> Self {
        let (definition, plan) = (tool.definition.clone(), Arc::clone(&tool.plan));
        let why = context.unavailable(&plan.execution);
        let spec = ToolSpec { timeout: definition.timeout.saturating_add(GRACE), ..definition.spec(why) };
        Self { spec, definition, plan, folder, context, source: None }
    }

    /// Restricts the tool to the time while its file has the trusted content.
    #[must_use]
    pub(super) fn with_source(self, source: ToolSource) -> Self {
        Self { source: Some(source), ..self }
    }

    pub(super) fn id(&self) -> &str {
        &self.definition.id
    }

    /// Renders a template with the values of a call.
    pub(super) fn render(&self, template: &Template, args: &Map<String, Value>) -> Result<RenderedText, ToolError> {
        let environment = self.context.secrets.values();
        let values = Values { arguments: args, environment, workspace_folder: self.folder.as_str() };
        template.render(values).map_err(|error| self.render_error(&error))
    }

    /// Renders a template for an approval prompt: secrets as their names, and each value on one line, because line
    /// breaks in a value could be mistaken for separators between parts.
    pub(super) fn render_preview(
        &self,
        template: &Template,
        args: &Map<String, Value>,
    ) -> Result<RenderedText, ToolError> {
        let mut rendered = self.render(template, &neutralize_line_breaks(args))?;
        // In queries and form data the character is percent-encoded.
        rendered.redacted = rendered.redacted.replace(LINE_BREAK, "\\n").replace("%EF%B7%90", "%0A");
        Ok(rendered)
    }

    fn render_error(&self, error: &RenderError) -> ToolError {
        let secrets = &self.context.secrets;
        let missing = self.plan.secrets.iter().find(|name| !secrets.values().contains_key(*name));
        match (error, missing) {
            (RenderError::Missing { .. }, Some(name)) => match secrets.broken(name) {
                Some(why) => self.run_error(
                    format!("the secret `{name}` cannot be used: {why}"),
                    format!("The user can fix it in zubi.toml, `[env]` `{name}`; `zubi doctor` reports it too."),
                ),
                None => self.run_error(
                    format!("the secret `{name}` is not set on this machine"),
                    format!("The user can set it in zubi.toml: `[env]` `{name} = {{ file = \"…\" }}`."),
                ),
            },
            (RenderError::TooLong, _) => self.run_error(error, "Pass less text."),
            _ => ToolError::invalid("arguments", error, format!("See the schema of `{}`.", self.id())),
        }
    }

    /// Creates an error `Failed to run <id>: …`.
    pub(super) fn run_error(&self, why: impl std::fmt::Display, hint: impl Into<String>) -> ToolError {
        ToolError::operation_failed(&format!("run {}", self.id()), why, hint)
    }

    /// Returns the hosts of the sandbox declaration, without `*`, which is not a host.
    pub(super) fn declared_hosts(&self) -> Vec<String> {
        let declared = self.definition.tool.sandbox.as_ref().and_then(|sandbox| sandbox.net.clone());
        declared.unwrap_or_default().into_iter().filter(|host| host != "*").collect()
    }

    /// Returns why a call must fail: its file no longer has the trusted content, or nothing here can run it.
    fn refusal(&self) -> Option<ToolError> {
        if let Some((why, hint)) = self.source.as_ref().and_then(ToolSource::check_still_trusted) {
            return Some(self.run_error(why, hint));
        }
        let why = self.context.unavailable(&self.plan.execution)?;
        let hint: &str = match &self.plan.execution {
            Execution::Command { .. } => command::OPEN_EDITOR_HINT,
            Execution::Function { .. } => functions::REGISTER_HINT,
            _ => "Use another tool.",
        };
        Some(self.run_error(format!("it is unavailable here: {why}"), hint))
    }
}

/// Placeholder for line breaks of values in previews: a noncharacter (Unicode 16, 23.7).
const LINE_BREAK: char = '\u{fdd0}';

fn neutralize_line_breaks(args: &Map<String, Value>) -> Map<String, Value> {
    fn neutralize_breaks(value: &Value) -> Value {
        match value {
            Value::String(text) => text.replace('\n', LINE_BREAK.encode_utf8(&mut [0; 4])).into(),
            Value::Array(items) => items.iter().map(neutralize_breaks).collect(),
            Value::Object(fields) => neutralize_line_breaks(fields).into(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
    args.iter().map(|(name, value)| (name.clone(), neutralize_breaks(value))).collect()
}

/// Returns the arguments as an object; the registry has checked that they are one.
fn object(args: &Value) -> Map<String, Value> {
    args.as_object().cloned().unwrap_or_default()
}

#[async_trait]
impl Tool for DeclaredTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn footprint(&self, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        if let Some(refusal) = self.refusal() {
            return Err(refusal);
        }
        let args = object(args);
        let common = Footprint {
            effect: Some(self.definition.effect()),
            secrets: self.plan.secrets.iter().cloned().collect(),
            // The file is trusted with this content; otherwise the tool would not be listed.
            vouched: true,
            ..Footprint::default()
        };
        Ok(match &self.plan.execution {
            Execution::Http { method, url, headers, body } => {
                let url = self.render(url, &args)?;
                let host = zubi_exec::http::host_and_port(&url.text);
                let host = host.map_err(|error| self.run_error(error, "Fix the URL in the tool's file."))?;
                if !url.secrets.is_empty() && self.context.redactor.redact_known(&host) != host {
                    let hint = "Write the host into the tool's file: users must see which server receives the request.";
                    return Err(self.run_error("its URL takes the host from a secret", hint));
                }
                // The whole request, with secrets as their names: a partial request cannot be judged.
                let mut preview = format!("{} {}", method.name(), url.redacted);
                for (name, template) in headers {
                    let value = self.render(template, &args)?;
                    if !value.absent {
                        preview.extend(["\n", name, ": ", &value.redacted]);
                    }
                }
                let body = match body {
                    Some(body) => Some(self.render_preview(body, &args)?.redacted),
                    None if matches!(method, HttpMethod::Get | HttpMethod::Head) => None,
                    None => Some(Value::Object(args).to_string()),
                };
                if let Some(body) = body {
                    preview.extend(["\n\n", &body]);
                }
                // Redirects may lead to any declared host.
                let mut hosts = self.declared_hosts();
                hosts.retain(|declared| *declared != host);
                hosts.insert(0, host);
                Footprint { hosts, preview: Some(preview), ..common }
            }
            // Calls made by the code are judged one by one.
            Execution::Inline { code } => {
                // The code is constant; its arguments decide the effect.
                let preview = format!("args = {}\n{code}", Value::Object(args));
                Footprint { preview: Some(preview), sandbox: Some(self.context.script_sandbox()), ..common }
            }
            Execution::Shell { script, shell, directory, environment } => {
                let parts = shell::ShellPlan { script, shell: *shell, directory: directory.as_ref(), environment };
                shell::footprint(self, &parts, &args, cx, common)?
            }
            // The effect of the function is unknown; the same holds for commands.
            Execution::Function { handler } => {
                let preview = format!("{handler}({})", Value::Object(args));
                Footprint { preview: Some(preview), ..common }
            }
            // The effect of an editor command is unknown.
            Execution::Command { command, args: listed } => {
                let arguments = command::arguments(listed, &args);
                let rendered_arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
                Footprint { preview: Some(format!("{command}({})", rendered_arguments.join(", "))), ..common }
            }
            Execution::Broken => Footprint { effect: Some(Effect::Execute), ..common },
        })
    }

    fn version(&self) -> Option<String> {
        self.source.as_ref().map(|origin| origin.hash.0.clone())
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        // The approval may have taken a long time; check again.
        if let Some(refusal) = self.refusal() {
            return Err(refusal);
        }
        let args = object(&args);
        let result = match &self.plan.execution {
            Execution::Http { method, url, headers, body } => {
                http::run(self, &http::RequestPlan { method: *method, url, headers, body: body.as_ref() }, args, cx)
                    .await
            }
            Execution::Inline { code } => inline::run(self, code, args, cx).await,
            Execution::Function { handler } => function::run(self, handler, args, cx).await,
            Execution::Shell { script, shell, directory, environment } => {
                let parts = shell::ShellPlan { script, shell: *shell, directory: directory.as_ref(), environment };
                shell::run(self, &parts, &args, cx).await
            }
            Execution::Command { command, args: listed } => {
                command::run(self, command, command::arguments(listed, &args), cx).await
            }
            Execution::Broken => Err(self.run_error("nothing here can run it", "Use another tool.")),
        };
        self.context.redactor.result(result)
    }
}
