//! JSON Schemas of arguments, in the subset that every client and model understands.
//!
//! The subset: the root is an object; no `$ref`, `$defs` or `$schema`; no `anyOf`, `oneOf` or `allOf` at the root; every
//! property has a description. [`schema_of`] derives such a schema from a Rust type, [`problems()`] checks a whole
//! [`ToolSpec`](crate::ToolSpec), [`ArgumentChecker`] checks arguments before a call, [`parse`] reads them into the tool's type.

mod check;
mod coerce;
mod compiled;
mod portable;
mod problems;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::check::ArgumentChecker;
pub use self::compiled::CompiledSchema;
pub(crate) use self::problems::is_wire_name;
pub use self::problems::problems;
use crate::output::ToolError;
use crate::spec::Schema;

/// Returns the schema of a type's arguments, in the portable subset. Documentation comments become descriptions;
/// `Option<T>` becomes an optional `T`. A type that is not a struct gives a schema that [`problems()`] refuses.
pub fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    portable::make(&mut schema);
    match schema {
        Value::Object(object) => object,
        _ => Schema::new(),
    }
}

/// Parses arguments into a tool's type. The registry has checked them against the schema before, so this fails only if
/// the type requires more than its schema can express; the error names the field in that case too.
pub fn parse<T: DeserializeOwned>(args: Value) -> Result<T, ToolError> {
    serde_path_to_error::deserialize(args).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { "arguments" } else { &path };
        ToolError::invalid(field, error.inner(), "Correct the argument and call again.")
    })
}

#[cfg(test)]
mod tests;
