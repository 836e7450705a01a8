//! Validation of data against any self-contained JSON Schema from outside zubi.

use jsonschema::Validator;
use serde_json::Value;
use zubi_base::text::ellipsize;

use super::check::field_of;

/// The maximum size of such a schema, in bytes.
const MAX_SCHEMA: usize = 64 * 1024;
/// The maximum number of problems in one report.
const MAX_PROBLEMS: usize = 5;
/// The maximum length of each problem, in characters.
const MAX_PROBLEM_CHARS: usize = 240;

/// A compiled schema.
pub struct CompiledSchema {
    validator: Validator,
}

impl CompiledSchema {
    /// Compiles a schema; the error describes the problem with the schema.
    pub fn new(schema: &Value) -> Result<Self, String> {
        if schema.to_string().len() > MAX_SCHEMA {
            return Err(format!("it has more than {} KiB", MAX_SCHEMA / 1024));
        }
        if let Some(elsewhere) = find_external_reference(schema) {
            return Err(format!(
                "`{}` refers to another document: move its target into `$defs`",
                ellipsize(elsewhere, MAX_PROBLEM_CHARS).into_owned()
            ));
        }
        let validator = jsonschema::options()
            .build(schema)
            .map_err(|error| ellipsize(&error.to_string(), MAX_PROBLEM_CHARS).into_owned())?;
        Ok(Self { validator })
    }

    /// Checks data. The error lists the values that do not fit, each with its location.
    pub fn check(&self, data: &Value) -> Result<(), String> {
        let problems: Vec<String> = self
            .validator
            .iter_errors(data)
            .take(MAX_PROBLEMS)
            .map(|error| {
                let field = field_of(error.instance_path().as_str());
                let message = ellipsize(&error.to_string(), MAX_PROBLEM_CHARS).into_owned();
                if field.is_empty() { message } else { format!("{field}: {message}") }
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
    }
}

/// Returns a reference to another document, if there is one.
fn find_external_reference(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(object) => object.iter().find_map(|(key, value)| match value.as_str() {
            Some(target) if key.ends_with("Ref") || key == "$ref" => (!target.starts_with('#')).then_some(target),
            _ => find_external_reference(value),
        }),
        Value::Array(items) => items.iter().find_map(find_external_reference),
        _ => None,
    }
}
