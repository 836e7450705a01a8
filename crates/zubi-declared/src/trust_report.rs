//! Complete description of a tool file for the user who decides whether to trust it: what each tool runs, verbatim,
//! with its environment, and everything that reaches models.
//!
//! The report lists every part of the file. Known fields have a heading of their own; all other parts appear under
//! their path in the file: tests, unknown fields, tools that are currently not loaded.

use serde_json::Value;
use zubi_base::escape::{on_lines, printable};

use super::definition::full_id;
use super::json_tree::JsonNode;
use super::loaded::LoadedFile;

/// Describes a file's variables and tools, one line each, without control or invisible characters. Returns `None` if a
/// part of the file was not understood and can therefore not be shown.
pub fn describe_file(file: &LoadedFile) -> Option<Vec<String>> {
    let mut unlisted = UnlistedValue(file.root.as_ref()?.to_value());
    let mut lines = ReportLines(Vec::new());
    unlisted.take(&["version"]);
    unlisted.take(&["$schema"]);
    unlisted.take(&["tools"]);
    for (name, value) in unlisted.take_table(&["variables"]) {
        lines.add_value("", &format!("variable {}", printable(&name)), &value);
    }
    for node in file.root.iter().filter_map(|root| root.get("tools")).flat_map(JsonNode::items) {
        describe_tool(node, file, &mut lines);
    }
    lines.add_all("", "", &unlisted.0);
    Some(lines.0)
}

fn describe_tool(node: &JsonNode, file: &LoadedFile, lines: &mut ReportLines) {
    let loaded = file.tools.iter().find(|tool| tool.definition.node.range == node.range);
    let mut unlisted = UnlistedValue(node.to_value());
    let id = unlisted.take(&["id"]).map_or("(no id)".to_owned(), |id| id.as_str().map_or(id.to_string(), full_id));
    let kind = unlisted.take(&["execution", "type"]).map(|kind| text(&kind)).unwrap_or_default();
    let approval = match [unlisted.take(&["requiresApproval"]), unlisted.take(&["metadata", "requiresApproval"])] {
        [Some(Value::Bool(false)), _] | [None, Some(Value::Bool(false))] => "requires no approval by itself",
        _ => "requires approval before each call",
    };
    let note = if loaded.is_none() { ", not loaded now (`zubi tools check` shows why)" } else { "" };
    lines.0.push(format!("{} ({}), {approval}{note}:", printable(&id), printable(&kind)));
    let shell = unlisted.take(&["execution", "shell"]).map(|shell| text(&shell));
    let method = unlisted.take(&["execution", "method"]).map(|method| text(&method));
    let mut add = |path: &[&str], name: &str| {
        if let Some(value) = unlisted.take(path) {
            lines.add_value("  ", &printable(name), &value);
        }
    };
    add(&["execution", "script"], shell.as_deref().unwrap_or("sh"));
    add(&["execution", "cwd"], "in");
    add(&["execution", "url"], method.as_deref().unwrap_or("GET"));
    add(&["execution", "body"], "body");
    add(&["execution", "code"], "JavaScript");
    add(&["execution", "command"], "command");
    add(&["execution", "args"], "arguments");
    add(&["execution", "handler"], "function");
    for (field, label) in [("env", "environment"), ("headers", "header")] {
        for (name, value) in unlisted.take_table(&["execution", field]) {
            lines.add_value("  ", &format!("{label} {}", printable(&name)), &value);
        }
    }
    for (path, label) in [
        (["sandbox", "fs", "read"].as_slice(), "may read"),
        (&["sandbox", "fs", "write"], "may write"),
        (&["sandbox", "net"], "may reach"),
        (&["sandbox", "exec"], "may execute"),
        (&["sandbox", "env"], "may read from the environment"),
    ] {
        if let Some(value) = unlisted.take(path) {
            let words = value.as_array().map(|words| words.iter().map(text).collect::<Vec<_>>().join(", "));
            let words = words.map_or(value, |words| if words.is_empty() { "nothing".into() } else { words.into() });
            lines.add_value("  ", label, &words);
        }
    }
    let mut add = |path: &[&str], name: &str| {
        if let Some(value) = unlisted.take(path) {
            lines.add_value("  ", name, &value);
        }
    };
    add(&["name"], "is called");
    add(&["description"], "description for models");
    for (name, schema) in unlisted.take_table(&["parameters", "properties"]) {
        let mut schema = UnlistedValue(schema);
        let name = format!("argument {}", printable(&name));
        if let Some(text) = schema.take(&["description"]) {
            lines.add_value("  ", &name, &text);
        }
        // Types, enumerated values and defaults reach models, and defaults are used in calls.
        lines.add_value("  ", &format!("{name} is"), &Value::String(schema.0.to_string()));
    }
    if unlisted.0.pointer("/parameters/type").and_then(Value::as_str) == Some("object") {
        unlisted.take(&["parameters", "type"]);
    }
    lines.add_all("  ", "", &unlisted.0);
}

/// The part of a value that has not been listed yet.
struct UnlistedValue(Value);

impl UnlistedValue {
    /// Removes and returns the value at a path; also removes objects that become empty.
    fn take(&mut self, path: &[&str]) -> Option<Value> {
        fn take(from: &mut Value, path: &[&str]) -> Option<Value> {
            let (first, rest) = path.split_first()?;
            let object = from.as_object_mut()?;
            if rest.is_empty() {
                return object.remove(*first);
            }
            let inner = object.get_mut(*first)?;
            let value = take(inner, rest)?;
            if inner.as_object().is_some_and(serde_json::Map::is_empty) {
                object.remove(*first);
            }
            Some(value)
        }
        take(&mut self.0, path)
    }

    /// Removes and returns the entries of an object. Any other value stays in place.
    fn take_table(&mut self, path: &[&str]) -> Vec<(String, Value)> {
        let object = path.iter().try_fold(&self.0, |value, name| value.get(name));
        if !object.is_some_and(Value::is_object) {
            return Vec::new();
        }
        match self.take(path) {
            Some(Value::Object(entries)) => entries.into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// Lines of the report.
struct ReportLines(Vec<String>);

impl ReportLines {
    /// Adds a single-line value on one line, and a multi-line text as an indented block.
    fn add_value(&mut self, indent: &str, name: &str, value: &Value) {
        let text = text(value);
        let text = text.trim_end_matches('\n');
        if text.contains('\n') {
            self.0.push(format!("{indent}{name}:"));
            self.0.extend(text.split('\n').map(|line| format!("{indent}  {}", on_lines(line))));
        } else {
            self.0.push(format!("{indent}{name}: {}", on_lines(text)));
        }
    }

    /// Adds all parts of a value, each under its path in the file.
    fn add_all(&mut self, indent: &str, path: &str, value: &Value) {
        match value {
            Value::Object(entries) if !entries.is_empty() => {
                for (name, value) in entries {
                    let name = printable(name);
                    let path = if path.is_empty() { name.into_owned() } else { format!("{path}.{name}") };
                    self.add_all(indent, &path, value);
                }
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                for (index, item) in items.iter().enumerate() {
                    self.add_all(indent, &format!("{path}[{index}]"), item);
                }
            }
            Value::Object(_) if path.is_empty() => {}
            value => self.add_value(indent, path, value),
        }
    }
}

/// Returns a string as it is, any other value as JSON.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
