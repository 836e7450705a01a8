//! `zubi_find_tools`: tools that match a query, with their schemas.

use std::fmt::Write as _;
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use zubi_base::text::pluralize;
use zubi_tool_api::cx::BYTES_PER_TOKEN;
use zubi_tool_api::filter::ToolQuery;
use zubi_tool_api::registry::Registry;
use zubi_tool_api::spec::{CALL_READ_TOOL, CALL_TOOL, META_TOOLSET};
use zubi_tool_api::{Tool, ToolCx, ToolError, ToolOutput};

use super::meta_tool::META_TOOL;
use super::{delegation, ranking};
use crate::adapter::{ToolMeta, TypedTool};

/// Default number of described tools. Each description includes a schema.
const DEFAULT_LIMIT: u32 = 5;

/// Upper bound of the answer in tokens, if the surface has none.
const DEFAULT_TOKENS: usize = 2_000;
/// Maximum number of characters of a query that are used.
const MAX_QUERY: usize = 400;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Task in words
    query: Option<String>,
    /// Only tools of this category, such as Files
    #[schemars(extend("x-common" = true))]
    category: Option<String>,
    /// Only tools with this tag
    #[schemars(extend("x-common" = true))]
    tag: Option<String>,
    /// Most tools, default 5
    #[schemars(range(min = 1), extend("x-common" = true))]
    limit: Option<u32>,
}

pub(super) struct FindTools;

#[async_trait]
impl TypedTool for FindTools {
    const META: ToolMeta = ToolMeta {
        id: "zubi_find_tools",
        title: "Find tools",
        description: "More tools by task, with schemas.",
        tags: &["more tools"],
        timeout: Duration::from_secs(30),
        example: || ("Tools for inheritance", json!({ "query": "inheritance" })),
        ..META_TOOL
    };
    type Context = Weak<Registry>;
    type Input = Input;

    async fn run(registry: &Weak<Registry>, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let registry = delegation::upgrade_registry(registry)?;
        // Meta tools are excluded: every session that can call this tool has them.
        let mut tools = registry.list(&cx.caller.restrictions);
        tools.retain(|tool| tool.spec().toolset != META_TOOLSET);
        let non_empty = |text: Option<&String>| -> Option<String> {
            text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let (category, tag) = (non_empty(input.category.as_ref()), non_empty(input.tag.as_ref()));
        (ToolQuery { toolset: None, category: category.as_deref(), tag: tag.as_deref() })
            .retain(&mut tools, |tool| tool.spec())
            .map_err(|error| ToolError::invalid(error.name, &error, error.hint()))?;
        let filter_text: String = [("category", category), ("tag", tag)]
            .into_iter()
            .filter_map(|(name, value)| Some(format!(", {name} {}", value?)))
            .collect();
        // No real query is longer; the answer repeats the query.
        let query: String = input.query.unwrap_or_default().chars().take(MAX_QUERY).collect();
        let words = ranking::content_words(&query);
        // Notes about left-out tools are useful only if nothing was found, or if all tools were requested.
        let notes = registry.notes();
        if words.is_empty() {
            return Ok(append_notes(
                overview(&format!("{} in all{filter_text}", pluralize(tools.len(), "tool")), &tools),
                &notes,
            ));
        }
        let found = ranking::rank_tools(tools.clone(), &query, &words);
        if found.is_empty() {
            return Ok(append_notes(
                overview(&format!("no tool matches `{}`; available{filter_text}", query.trim()), &tools),
                &notes,
            ));
        }
        let limit = input.limit.unwrap_or(DEFAULT_LIMIT).max(1) as usize;
        Ok(describe_tools(&found, &query, limit, cx.byte_budget(DEFAULT_TOKENS * BYTES_PER_TOKEN)))
    }
}

/// Appends the providers' notes about left-out tools.
fn append_notes(mut output: ToolOutput, notes: &[String]) -> ToolOutput {
    for note in notes {
        output.text.push_str("left out: ");
        output.text.push_str(note);
        output.text.push('\n');
    }
    if let Some(data) = output.data.as_mut().filter(|_| !notes.is_empty()) {
        data["leftOut"] = json!(notes);
    }
    output
}

/// Lists the toolsets with the ids of their tools.
fn overview(title: &str, tools: &[Arc<dyn Tool>]) -> ToolOutput {
    let mut toolsets: Vec<(&str, Vec<&str>)> = Vec::new();
    for spec in tools.iter().map(|tool| tool.spec()) {
        match toolsets.iter_mut().find(|(set, _)| *set == spec.toolset) {
            Some((_, ids)) => ids.push(&spec.id),
            None => toolsets.push((&spec.toolset, vec![&spec.id])),
        }
    }
    let mut text = format!("{title}, by toolset:\n");
    for (set, ids) in &toolsets {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "  {set}: {}", ids.join(", "));
    }
    text.push_str("query with words of the task, or an id, for input schemas\n");
    let data = json!({ "tools": [], "total": 0, "toolsets": toolsets.iter().map(|(set, ids)| json!({ "toolset": set, "tools": ids })).collect::<Vec<_>>() });
    ToolOutput { text, data: Some(data), ..ToolOutput::default() }
}

/// Describes the best tools with their schemas, as many as fit the budget, but at least one.
fn describe_tools(found: &[Arc<dyn Tool>], query: &str, limit: usize, bytes: usize) -> ToolOutput {
    let (mut body, mut shown) = (String::new(), Vec::new());
    for spec in found.iter().map(|tool| tool.spec()).take(limit) {
        let input = Value::Object(model_schema(&spec.input));
        let entry = format!(
            "{} ({}, toolset {}): {}\n  input: {input}\n",
            spec.id,
            delegation::as_str(spec.effect),
            spec.toolset,
            first_sentence(&spec.description)
        );
        if !shown.is_empty() && body.len() + entry.len() > bytes {
            break;
        }
        body.push_str(&entry);
        shown.push(json!({
            "id": spec.id, "name": spec.wire_name(), "description": spec.description, "inputSchema": input,
            "effect": spec.effect, "toolset": spec.toolset, "exposure": spec.exposure,
        }));
    }
    let mut text = format!("{} for `{}`, best first\n{body}", pluralize(found.len(), "tool"), query.trim());
    let remaining = found.len() - shown.len();
    if remaining > 0 {
        let ids: Vec<&str> = found.iter().skip(shown.len()).map(|tool| tool.spec().id.as_str()).collect();
        let _ = writeln!(text, "… {remaining} more: {}", ids.join(", "));
    }
    let _ =
        writeln!(text, "{CALL_READ_TOOL} {{\"tool\", \"arguments\"}} calls tools that read or plan, {CALL_TOOL} any");
    let data = json!({ "tools": shown, "total": found.len() });
    ToolOutput { text, data: Some(data), ..ToolOutput::default() }
}

/// Returns the first sentence of a description, which by convention is sufficient by itself.
fn first_sentence(description: &str) -> &str {
    description.split_inclusive(". ").next().unwrap_or_default().trim_end()
}

/// Returns a schema without zubi's own keywords and without the root description, which documents the type.
fn model_schema(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut schema = schema.clone();
    schema.remove("description");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(remove_own_keywords);
    }
    schema
}

/// Removes zubi's own keywords from the schema of a property and everything inside it.
fn remove_own_keywords(schema: &mut Value) {
    let Value::Object(property) = schema else { return };
    property.retain(|keyword, _| !keyword.starts_with("x-"));
    if let Some(Value::Object(properties)) = property.get_mut("properties") {
        properties.values_mut().for_each(remove_own_keywords);
    }
    if let Some(items) = property.get_mut("items") {
        remove_own_keywords(items);
    }
}
