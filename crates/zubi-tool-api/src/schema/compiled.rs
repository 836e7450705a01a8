//! Whether data fits a JSON Schema that somebody gave, who is not one of our tools: any schema that needs nothing from elsewhere.

use jsonschema::Validator;
use serde_json::Value;

use super::check::{truncate, field_of};

/// The largest such schema, in bytes.
const MAX_SCHEMA: usize = 64 * 1024;
/// How many problems are told at once.
const TOLD: usize = 5;
/// How many characters of each.
const SHOWN: usize = 240;

/// A schema, compiled.
pub struct CompiledSchema {
    validator: Validator,
}

impl CompiledSchema {
    /// The error says what is wrong with the schema.
    pub fn new(schema: &Value) -> Result<Self, String> {
        if schema.to_string().len() > MAX_SCHEMA {
            return Err(format!("it has more than {} KiB", MAX_SCHEMA / 1024));
        }
        if let Some(elsewhere) = leads_elsewhere(schema) {
            return Err(format!("`{}` leads out of it: put what it means into its `$defs`", truncate(elsewhere, SHOWN)));
        }
        let validator = jsonschema::options().build(schema).map_err(|error| truncate(&error.to_string(), SHOWN))?;
        Ok(Self { validator })
    }

    /// What does not fit, each with where it stands.
    pub fn check(&self, data: &Value) -> Result<(), String> {
        let problems: Vec<String> = self
            .validator
            .iter_errors(data)
            .take(TOLD)
            .map(|error| {
                let field = field_of(error.instance_path().as_str());
                let what = truncate(&error.to_string(), SHOWN);
                if field.is_empty() { what } else { format!("{field}: {what}") }
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
    }
}

/// A reference to another document.
fn leads_elsewhere(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(object) => object.iter().find_map(|(key, value)| match value.as_str() {
            Some(target) if key.ends_with("Ref") || key == "$ref" => (!target.starts_with('#')).then_some(target),
            _ => leads_elsewhere(value),
        }),
        Value::Array(items) => items.iter().find_map(leads_elsewhere),
        _ => None,
    }
}
