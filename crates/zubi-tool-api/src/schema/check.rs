//! Validation of a call's arguments before anything runs, with errors that a model can act on: the field, the problem,
//! and the expected value.

use jsonschema::Validator;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Map, Value};
use zubi_base::nearest::nearest;
use zubi_base::text::ellipsize;

use super::coerce;
use crate::output::ToolError;
use crate::spec::ToolSpec;

/// The maximum length of a wrong value in an error, in characters.
const MAX_VALUE_CHARS: usize = 60;

/// The maximum length of a text whose schema has no `maxLength`, in characters. Names, paths, patterns and commands are
/// shorter; parameters for whole files set their own limit.
const MAX_TEXT: usize = 20_000;

/// A tool's schema, compiled.
pub struct ArgumentChecker {
    validator: Validator,
}

impl ArgumentChecker {
    /// Compiles a tool's schema; the error describes the problem with the schema.
    pub fn new(spec: &ToolSpec) -> Result<Self, String> {
        let schema = Value::Object(spec.input.clone());
        jsonschema::draft202012::options()
            .build(&schema)
            .map(|validator| Self { validator })
            .map_err(|error| format!("the input is not a valid JSON Schema: {error}"))
    }

    /// Returns the arguments as the tool receives them: an object that satisfies the schema, with defaults filled in
    /// and values converted to the type of the schema ([`mod@coerce`]). `null`, an empty text and a zero below the
    /// minimum mean that an optional argument is not given.
    pub fn check(&self, spec: &ToolSpec, args: Value) -> Result<Value, ToolError> {
        let mut args = match args {
            Value::Null => Map::new(),
            Value::Object(args) => args,
            other => {
                let problem = format!("expected an object, got {}", truncate_value(&other));
                return Err(ToolError::invalid("arguments", problem, signature(spec)));
            }
        };
        coerce::remove_absent(&spec.input, &mut args);
        // Both checks below go by the documented names. Values are converted only after their length is checked.
        coerce::rename_to_documented(&spec.input, &mut args);
        reject_unknown_arguments(spec, &args)?;
        too_long(spec, &args)?;
        coerce::arguments(&spec.input, &mut args);
        let args = Value::Object(args);
        match self.problem(spec, &args) {
            Some(error) => Err(error),
            None => Ok(args),
        }
    }

    /// Returns the first problem with the arguments.
    fn problem(&self, spec: &ToolSpec, args: &Value) -> Option<ToolError> {
        let error = self.validator.iter_errors(args).next()?;
        let mut field = field_of(error.instance_path().as_str());
        let actual = || truncate_value(error.instance());
        let problem = match error.kind() {
            ValidationErrorKind::Required { property } => {
                let property = property.as_str().unwrap_or_default();
                field = if field.is_empty() { property.to_owned() } else { format!("{field}.{property}") };
                "is required".to_owned()
            }
            ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => format!("expected {kind}, got {}", actual()),
            ValidationErrorKind::Enum { options } => {
                let options: Vec<_> = options.as_array().into_iter().flatten().map(Value::to_string).collect();
                format!("expected one of {}, got {}", options.join(", "), actual())
            }
            ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}, got {}", actual()),
            ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}, got {}", actual()),
            _ => ellipsize(&error.to_string(), 4 * MAX_VALUE_CHARS).into_owned(),
        };
        let hint = hint(spec, &field);
        Some(ToolError::invalid(if field.is_empty() { "arguments" } else { &field }, problem, hint))
    }
}

fn properties(spec: &ToolSpec) -> Option<&Map<String, Value>> {
    spec.input.get("properties")?.as_object()
}

/// Returns an error for an argument that the tool does not have: probably a misspelling, which would otherwise be
/// ignored silently.
fn reject_unknown_arguments(spec: &ToolSpec, args: &Map<String, Value>) -> Result<(), ToolError> {
    let parameter_names = || properties(spec).into_iter().flat_map(Map::keys).map(String::as_str);
    // A schema can allow any name explicitly.
    let allows_additional = spec.input.get("additionalProperties").is_some_and(|value| value != &Value::Bool(false));
    let Some(name) =
        args.keys().find(|name| !allows_additional && !parameter_names().any(|parameter| parameter == name.as_str()))
    else {
        return Ok(());
    };
    let problem = match nearest(name, parameter_names(), 1).first() {
        Some(suggestion) => format!("no such parameter; did you mean `{suggestion}`?"),
        None => "no such parameter".to_owned(),
    };
    Err(ToolError::invalid(&ellipsize(name, MAX_VALUE_CHARS), problem, signature(spec)))
}

/// Returns an error for a text of implausible length, so that no tool searches for a megabyte or repeats it.
fn too_long(spec: &ToolSpec, args: &Map<String, Value>) -> Result<(), ToolError> {
    let limit = |name: &str| {
        let schema = properties(spec).and_then(|properties| properties.get(name));
        let limit = schema.and_then(|schema| schema.get("maxLength")).and_then(Value::as_u64);
        limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(MAX_TEXT)
    };
    let long = args.iter().find_map(|(name, value)| {
        let (length, limit) = (value.as_str()?.chars().count(), limit(name));
        (length > limit).then_some((name, length, limit))
    });
    let Some((name, length, limit)) = long else { return Ok(()) };
    let problem = format!("must have at most {limit} characters, got {length}");
    Err(ToolError::invalid(&ellipsize(name, MAX_VALUE_CHARS), problem, hint(spec, name)))
}

/// Returns a summary of the parameters: `lsp_hover takes at (string), line (integer), query* (string)`.
fn signature(spec: &ToolSpec) -> String {
    let required = |name: &str| {
        spec.input.get("required").and_then(Value::as_array).is_some_and(|list| list.iter().any(|item| item == name))
    };
    let parameters: Vec<String> = properties(spec)
        .into_iter()
        .flatten()
        .map(|(name, schema)| format!("{name}{} ({})", if required(name) { "*" } else { "" }, type_of(schema)))
        .collect();
    if parameters.is_empty() {
        return format!("{} takes no arguments.", spec.id);
    }
    let star = if parameters.iter().any(|parameter| parameter.contains('*')) { " (* required)" } else { "" };
    format!("{} takes {}{star}.", spec.id, parameters.join(", "))
}

/// Returns the field's description, and a call that works.
fn hint(spec: &ToolSpec, field: &str) -> String {
    let name = field.split(['.', '[']).next().unwrap_or_default();
    let Some(schema) = properties(spec).and_then(|properties| properties.get(name)) else { return signature(spec) };
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let example = spec.examples.iter().find(|example| example.args.get(name).is_some());
    let example = example.map(|example| format!(" Example: {}", example.args)).unwrap_or_default();
    format!("`{name}` ({}): {description}{example}", type_of(schema))
}

fn type_of(schema: &Value) -> String {
    if let Some(Value::Array(values)) = schema.get("enum") {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join("|");
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => match schema.get("items") {
            Some(items) => format!("array of {}", type_of(items)),
            None => "array".to_owned(),
        },
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|"),
        _ => "any".to_owned(),
    }
}

/// Converts `/context/only/0` to `context.only[0]`.
pub(super) fn field_of(pointer: &str) -> String {
    let mut field = String::new();
    for part in pointer.split('/').skip(1) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) && !field.is_empty() {
            field.push('[');
            field.push_str(part);
            field.push(']');
        } else {
            if !field.is_empty() {
                field.push('.');
            }
            field.push_str(&part.replace("~1", "/").replace("~0", "~"));
        }
    }
    field
}

fn truncate_value(value: &Value) -> String {
    ellipsize(&value.to_string(), MAX_VALUE_CHARS).into_owned()
}
