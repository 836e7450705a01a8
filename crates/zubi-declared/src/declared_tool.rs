//! A declared tool: its parts, and the operations that all kinds of execution share.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use serde_json::{Map, Value};
use zubi_exec::template::{RenderError, RenderedText, Template, Values};
use zubi_tool_api::{ToolError, ToolSpec};

use super::definition::ResolvedDefinition;
use super::execute::ExecutionContext;
use super::loaded::LoadedTool;
use super::plan::ToolPlan;
use super::source::ToolSource;

/// Additional time before the registry ends a call. The call ends itself at the tool's time-out, with partial results.
const GRACE: Duration = Duration::from_secs(5);

/// A tool from a tool file, with everything that its calls need.
pub(super) struct DeclaredTool {
    pub(super) spec: ToolSpec,
    pub(super) definition: ResolvedDefinition,
    pub(super) plan: Arc<ToolPlan>,
    /// Workspace folder that declares the tool.
    pub(super) folder: Utf8PathBuf,
    pub(super) context: Arc<ExecutionContext>,
    /// `None` in a test of the tool.
    pub(super) source: Option<ToolSource>,
}

impl DeclaredTool {
    pub(super) fn new(tool: &LoadedTool, folder: Utf8PathBuf, context: Arc<ExecutionContext>) -> Self {
        let (definition, plan) = (tool.definition.clone(), Arc::clone(&tool.plan));
        let reason = context.unavailable(&plan.execution);
        let spec = ToolSpec { timeout: definition.timeout.saturating_add(GRACE), ..definition.spec(reason) };
        Self { spec, definition, plan, folder, context, source: None }
    }

    /// Makes calls fail unless the tool's file still has the trusted content.
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
                Some(reason) => self.run_error(
                    format!("the secret `{name}` cannot be used: {reason}"),
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
    pub(super) fn run_error(&self, reason: impl std::fmt::Display, hint: impl Into<String>) -> ToolError {
        ToolError::operation_failed(&format!("run {}", self.id()), reason, hint)
    }

    /// Returns the hosts of the sandbox declaration, without `*`, which is not a host.
    pub(super) fn declared_hosts(&self) -> Vec<String> {
        let declared = self.definition.tool.sandbox.as_ref().and_then(|sandbox| sandbox.net.clone());
        declared.unwrap_or_default().into_iter().filter(|host| host != "*").collect()
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
