//! Definition of one declared tool: its full id, its merged metadata, its specification.

use std::ops::Range;
use std::time::Duration;

use serde_json::{Value, json};
use zubi_base::env;
use zubi_tool_api::schema::ArgumentChecker;
use zubi_tool_api::{Approval, Effect, Exposure, ToolSpec};

use super::format::{ToolDeclaration, ToolExecution};
use super::json_tree::JsonNode;
use super::problem::ToolFileProblem;

/// Prefix of ids without a dot.
pub(super) const NAMESPACE: &str = "workspace";

/// Longest wire name in bytes; see `zubi_tool_api::schema`.
const MAX_WIRE_NAME: usize = 40;

/// Maximum number of parameters of a tool.
const MAX_PARAMETERS: usize = 100;

/// Default time-out of a call.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Toolset name for `--toolsets`.
pub const TOOLSET: &str = "declared";

/// Tag of every declared tool.
const TAG: &str = "workspace";

/// A tool of a tool file, valid by itself.
#[derive(Debug, Clone)]
pub struct ResolvedDefinition {
    /// Full id, with a dot.
    pub id: String,
    pub tool: ToolDeclaration,
    pub requires_approval: bool,
    pub timeout: Duration,
    pub category: String,
    pub tags: Vec<String>,
    pub icon: Option<String>,
    /// The tool's JSON in its file.
    pub(super) node: JsonNode,
    /// Byte range of the id in the file.
    pub(super) id_range: Range<usize>,
}

impl ResolvedDefinition {
    /// Reads a tool that conforms to the schema, and reports problems that the schema cannot express. Returns `None` if
    /// the tool is unusable.
    pub(super) fn read(node: &JsonNode, problems: &mut Vec<ToolFileProblem>) -> Option<Self> {
        let tool: ToolDeclaration = match serde_path_to_error::deserialize(node.to_value()) {
            Ok(tool) => tool,
            // The schema is derived from the type; this covers constraints of the type beyond its schema.
            Err(error) => {
                let message = format!("cannot be read: {}: {}", error.path(), error.inner());
                problems.push(ToolFileProblem::error(
                    "unreadable",
                    node.range.clone(),
                    message,
                    "See the schema of this file.",
                ));
                return None;
            }
        };
        let before = problems.len();
        let id_range = node.get("id").map_or(node.range.clone(), |id| id.range.clone());
        let id = full_id(&tool.id);
        if id.len() > MAX_WIRE_NAME {
            let message = format!("`{id}` has {} characters; clients accept at most {MAX_WIRE_NAME}", id.len());
            problems.push(ToolFileProblem::error("long-id", id_range.clone(), message, "Choose a shorter id."));
        }
        check_conflicts(node, problems);
        check_parameters(node, problems);
        let metadata = tool.metadata.clone().unwrap_or_default();
        let mut tags = vec![TAG.to_owned()];
        for tag in tool.tags.clone().or(metadata.tags).unwrap_or_default() {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        let definition = Self {
            requires_approval: tool.requires_approval.or(metadata.requires_approval).unwrap_or(true),
            timeout: tool.timeout.or(metadata.timeout).map_or(TIMEOUT, Duration::from_millis),
            category: tool.category.clone().or(metadata.category).unwrap_or_else(|| NAMESPACE.to_owned()),
            tags,
            icon: tool.icon.clone().or(metadata.icon),
            node: node.clone(),
            id_range,
            id,
            tool,
        };
        if let Err(reason) = ArgumentChecker::new(&definition.spec(None)) {
            let range = node.get("parameters").map_or(node.range.clone(), |node| node.range.clone());
            problems.push(ToolFileProblem::error(
                "parameters",
                range,
                reason,
                "The parameters are a JSON Schema of type `object`.",
            ));
        }
        let is_broken =
            problems.iter().skip(before).any(|problem| problem.severity == super::problem::ProblemSeverity::Error);
        (!is_broken).then_some(definition)
    }

    /// Builds the tool's specification. The description of an unavailable tool begins with the reason, because models
    /// may not read further.
    pub fn spec(&self, unavailable: Option<&str>) -> ToolSpec {
        let description = match unavailable {
            Some(reason) => format!("Unavailable here: {reason}. {}", self.tool.description),
            None => self.tool.description.clone(),
        };
        let mut input = self.tool.parameters.clone();
        input.entry("additionalProperties").or_insert(Value::Bool(false));
        ToolSpec {
            id: self.id.clone(),
            title: self.tool.name.clone(),
            description,
            input,
            examples: Vec::new(),
            notes: String::new(),
            effect: self.effect(),
            toolset: TOOLSET.to_owned(),
            // A workspace may declare many tools, and every listed tool costs tokens; a session can enable them in its
            // list.
            exposure: Exposure::Deferred,
            approval: if self.requires_approval { Approval::Always } else { Approval::ByEffect },
            timeout: self.timeout,
            category: self.category.clone(),
            tags: self.tags.clone(),
            icon: self.icon.clone(),
        }
    }

    /// Returns the strongest effect of a call. HTTP requests have the effect Network whatever their method: even a GET
    /// sends data to the server.
    pub fn effect(&self) -> Effect {
        match self.tool.execution {
            ToolExecution::Http(_) => Effect::Network,
            ToolExecution::Shell(_)
            | ToolExecution::Inline(_)
            | ToolExecution::Command(_)
            | ToolExecution::Function(_) => Effect::Execute,
        }
    }

    /// Returns the kind of execution, as the format spells it.
    pub fn kind(&self) -> &'static str {
        match self.tool.execution {
            ToolExecution::Shell(_) => "shell",
            ToolExecution::Http(_) => "http",
            ToolExecution::Inline(_) => "inline",
            ToolExecution::Command(_) => "command",
            ToolExecution::Function(_) => "function",
        }
    }

    /// Returns the script, URL, code, command or handler as written in the file, for the trust review.
    pub fn describe_execution(&self) -> String {
        match &self.tool.execution {
            ToolExecution::Shell(shell) => shell.script.clone(),
            ToolExecution::Http(http) => format!("{} {}", http.method.name(), http.url),
            ToolExecution::Inline(inline) => inline.code.clone(),
            ToolExecution::Command(command) => command.command.clone(),
            ToolExecution::Function(function) => function.handler.clone(),
        }
    }

    /// Returns the parameters: name, schema, and whether the parameter is required.
    pub(super) fn parameters_with_required(&self) -> impl Iterator<Item = (&str, &Value, bool)> {
        let required = self.tool.parameters.get("required").and_then(Value::as_array);
        let is_required = move |name: &str| required.is_some_and(|names| names.iter().any(|other| other == name));
        let properties = self.tool.parameters.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(move |(name, schema)| (name.as_str(), schema, is_required(name)))
    }

    /// Returns a JSON summary for programs.
    pub fn to_json(&self) -> Value {
        json!({ "id": self.id, "kind": self.kind(), "runs": self.describe_execution(), "requiresApproval": self.requires_approval })
    }
}

/// Returns an id from a file in its full form.
pub(super) fn full_id(id: &str) -> String {
    if id.contains('.') { id.to_owned() } else { format!("{NAMESPACE}.{id}") }
}

/// Reports metadata that differs between the top level and `metadata`.
fn check_conflicts(node: &JsonNode, problems: &mut Vec<ToolFileProblem>) {
    let Some(metadata) = node.get("metadata") else { return };
    for member in metadata.members() {
        if let Some(top_level) = node.get(&member.name)
            && top_level.to_value() != member.value.to_value()
        {
            let message = format!("`{0}` and `metadata.{0}` differ", member.name);
            problems.push(ToolFileProblem::error(
                "metadata-conflict",
                member.name_range.clone(),
                message,
                "Remove one of them.",
            ));
        }
    }
}

/// Reports invalid parameters that JSON Schema itself cannot express.
fn check_parameters(node: &JsonNode, problems: &mut Vec<ToolFileProblem>) {
    let Some(parameters) = node.get("parameters") else { return };
    let names = || parameters.get("properties").map(JsonNode::members).unwrap_or_default();
    if let Some(member) = names().get(MAX_PARAMETERS) {
        let message = format!("more than {MAX_PARAMETERS} parameters");
        let hint = "Models cannot fill in so many: split the tool, or use an object.";
        problems.push(ToolFileProblem::error("too-many-parameters", member.name_range.clone(), message, hint));
        return;
    }
    for required in parameters.get("required").map(JsonNode::items).unwrap_or_default() {
        let name = required.as_str().unwrap_or_default();
        if names().iter().all(|member| member.name != name) {
            let suggestion = zubi_base::nearest::nearest(name, names().iter().map(|member| member.name.as_str()), 1);
            let hint = match suggestion.first() {
                Some(suggestion) => format!("Did you mean `{suggestion}`?"),
                None => "Describe it under `properties`.".to_owned(),
            };
            let message = format!("`{name}` is required but not a parameter");
            problems.push(ToolFileProblem::error("unknown-parameter", required.range.clone(), message, hint));
        }
    }
    for member in names() {
        // Names that can follow `$` in a template.
        if !env::is_name(&member.name) || member.name.len() > 64 {
            let message = format!("`{}` is not a valid parameter name", super::validate::truncate(&member.name));
            let hint = "Use at most 64 letters, digits and `_`, so that `$name` can refer to it.";
            problems.push(ToolFileProblem::error("parameter-name", member.name_range.clone(), message, hint));
        }
    }
}
