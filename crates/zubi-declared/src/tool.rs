//! A declared tool in the registry: footprint of a call, and dispatch to its runner.

use async_trait::async_trait;
use serde_json::{Map, Value};
use zubi_tool_api::{Effect, Footprint, Tool, ToolCx, ToolError, ToolOutput, ToolSpec};
use zubi_tools::shell::prepare_sandbox;

use super::declared_tool::DeclaredTool;
use super::execute::{command, function, http, inline, shell};
use super::format::HttpMethod;
use super::functions;
use super::plan::Execution;
use super::source::ToolSource;

impl DeclaredTool {
    /// Returns the error if the file no longer has the trusted content, or if nothing here can run the tool.
    fn refusal(&self) -> Option<ToolError> {
        if let Some((reason, hint)) = self.source.as_ref().and_then(ToolSource::check_still_trusted) {
            return Some(self.run_error(reason, hint));
        }
        let reason = self.context.unavailable(&self.plan.execution)?;
        let hint: &str = match &self.plan.execution {
            Execution::Command { .. } => command::OPEN_EDITOR_HINT,
            Execution::Function { .. } => functions::REGISTER_HINT,
            _ => "Use another tool.",
        };
        Some(self.run_error(format!("it is unavailable here: {reason}"), hint))
    }
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

    async fn prepare(&self) -> Result<(), ToolError> {
        match &self.plan.execution {
            Execution::Shell { .. } | Execution::Inline { .. } => {
                prepare_sandbox(self.context.jobs.runner().sandbox(), &format!("run {}", self.id())).await
            }
            _ => Ok(()),
        }
    }

    fn footprint(&self, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        if let Some(refusal) = self.refusal() {
            return Err(refusal);
        }
        let args = object(args);
        let common = Footprint {
            effect: Some(self.definition.effect()),
            secrets: self.plan.secrets.iter().cloned().collect(),
            // The user has trusted this content of the file; otherwise the tool would not be listed.
            is_reviewed: true,
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
                // The whole request, with the names of secrets, because a partial request cannot be judged.
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
                // A redirect may target any declared host.
                let mut hosts = self.declared_hosts();
                hosts.retain(|declared| *declared != host);
                hosts.insert(0, host);
                Footprint { hosts, preview: Some(preview), ..common }
            }
            // The policy judges each call by the code separately.
            Execution::Inline { code } => {
                // The code is constant; its arguments decide the effect.
                let preview = format!("args = {}\n{code}", Value::Object(args));
                Footprint { preview: Some(preview), sandbox: Some(self.context.script_sandbox()), ..common }
            }
            Execution::Shell { script, shell, directory, environment } => {
                let parts = shell::ShellPlan { script, shell: *shell, directory: directory.as_ref(), environment };
                shell::footprint(self, &parts, &args, cx, common)?
            }
            // The effect of a function is unknown.
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
        // The approval may have taken a long time, so check again.
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
        self.context.redactor.known_in_result(result)
    }
}
