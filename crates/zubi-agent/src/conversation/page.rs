//! A test that the page about conversation files lists the events.

use camino::Utf8Path;
use serde_json::Value;

use crate::event::{AgentEvent, EventKind, VERSION};

/// Renders a variant of the schema as a row.
fn row(name: &str, schema: &Value, is_stored: bool, definitions: &Value) -> String {
    // A variant with its own type has its fields in that type's definition.
    let own = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")).map(|path| &definitions[path]);
    let schemas = [Some(schema), own];
    let mut fields: Vec<String> = Vec::new();
    for schema in schemas.into_iter().flatten() {
        for (field, _) in schema["properties"].as_object().into_iter().flatten().filter(|(field, _)| *field != "type") {
            let is_required = schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == field));
            fields.push(format!("`{field}`{}", if is_required { "" } else { "?" }));
        }
    }
    let text = schema["description"].as_str().unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("[`crate::", "[`").replace('|', "\\|");
    let text = text.replace("[`", "`").replace("`]", "`");
    let stored = if is_stored { "yes" } else { "no" };
    format!("| `{name}` | {} | {text} | {stored} |\n", fields.join(", "))
}

/// The table of the events.
fn table() -> String {
    let schema = schemars::schema_for!(EventKind).to_value();
    let mut table = "| type | fields | meaning | stored |\n|---|---|---|---|\n".to_owned();
    for variant in schema["oneOf"].as_array().unwrap() {
        let name = variant["properties"]["type"]["const"].as_str().unwrap();
        // The description marks events that are not stored; the test below checks that against the program.
        let is_stored = !variant["description"].as_str().unwrap().contains("not stored");
        table.push_str(&row(name, variant, is_stored, &schema["$defs"]));
    }
    table
}

#[test]
fn the_docs_list_all_events() {
    let path = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/conversations.md");
    let page = zubi_base::fs::read_text(&path).unwrap();
    let table = table();
    assert!(page.contains(&table), "the table of the events in `{path}` must be:\n\n{table}");
    assert!(page.contains(&format!("This is version {VERSION}.")), "the version in `{path}`");
    let example = page.split_once("```json\n").and_then(|(_, rest)| rest.split_once("```")).unwrap().0;
    let not_persisted = [
        EventKind::Text { turn: 1, iteration: 1, offset: 0, text: String::new() },
        EventKind::Thought { turn: 1, iteration: 1, offset: 0, text: String::new() },
        EventKind::Progress { call: String::new(), fraction: None, message: String::new() },
    ];
    assert!(not_persisted.iter().all(|kind| !kind.is_persisted()));
    assert_eq!(table.matches("| no |").count(), not_persisted.len());
    let mut seq = 0;
    for line in example.lines() {
        let event: AgentEvent = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        seq += 1;
        assert_eq!(event.seq, seq);
        assert!(event.kind.is_persisted());
    }
}
