//! The smallest value that satisfies a JSON Schema: the mock's final answer.

use serde_json::{Map, Value, json};
use zubi_tool_api::schema::CompiledSchema;

/// The maximum depth to which a schema is followed, references included.
const MAX_DEPTH: usize = 32;
/// The maximum number of values in one answer.
const MAX_VALUES: usize = 4_096;
/// The maximum length of a text, in characters.
const MAX_TEXT: u64 = 10_000;

/// Returns a value that fits; `None` if none is found, for example because zubi cannot derive one from a pattern.
pub(super) fn minimal_instance(schema: &Value) -> Option<Value> {
    let instance = InstanceGenerator { root: schema, remaining: MAX_VALUES }.generate(schema, MAX_DEPTH)?;
    // Keywords that the code below ignores may require more.
    CompiledSchema::new(schema).ok()?.check(&instance).ok().map(|()| instance)
}

struct InstanceGenerator<'a> {
    root: &'a Value,
    remaining: usize,
}

impl InstanceGenerator<'_> {
    fn generate(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        self.remaining = self.remaining.checked_sub(1)?;
        let depth = depth.checked_sub(1)?;
        let mut schema = match self.resolve_reference(schema)? {
            Value::Bool(true) => return Some(Value::Null),
            Value::Object(schema) => schema,
            _ => return None,
        };
        if let Some(Value::Array(all)) = schema.remove("allOf") {
            for part in &all {
                merge(&mut schema, &self.resolve_reference(part)?);
            }
            return self.generate(&Value::Object(schema), depth);
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = schema.remove(choice) {
                return choices.iter().find_map(|part| {
                    let mut schema = schema.clone();
                    merge(&mut schema, part);
                    let instance = self.generate(&Value::Object(schema.clone()), depth)?;
                    self.fits(schema, &instance).then_some(instance)
                });
            }
        }
        let first = |name: &str| schema.get(name).and_then(Value::as_array).and_then(|values| values.first());
        let candidates = [schema.get("const"), first("enum"), schema.get("default"), first("examples")];
        if let Some(candidate) = candidates.into_iter().flatten().next() {
            return Some(candidate.clone());
        }
        match kind(&schema) {
            "object" => self.object(&schema, depth),
            "array" => self.array(&schema, depth),
            "string" => Some(text(&schema)),
            "integer" | "number" => number(&schema),
            "boolean" => Some(Value::Bool(false)),
            _ => Some(Value::Null),
        }
    }

    /// Returns a schema merged with the target of its reference, which may itself contain a reference.
    fn resolve_reference(&self, schema: &Value) -> Option<Value> {
        let mut schema = schema.clone();
        for _ in 0..MAX_DEPTH {
            let Some(object) = schema.as_object_mut() else { return Some(schema) };
            let Some(target) = object.remove("$ref") else { return Some(schema) };
            merge(object, self.root.pointer(target.as_str()?.strip_prefix('#')?)?);
        }
        None
    }

    /// Returns whether a value fits a part of the schema, as far as that part alone can determine.
    fn fits(&self, mut schema: Map<String, Value>, value: &Value) -> bool {
        for name in ["$defs", "definitions"] {
            if let Some(definitions) = self.root.get(name) {
                schema.insert(name.to_owned(), definitions.clone());
            }
        }
        CompiledSchema::new(&Value::Object(schema)).map_or(true, |validator| validator.check(value).is_ok())
    }

    /// Creates the required fields, and as many more as the schema demands.
    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Option<Value> {
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let mut names: Vec<&str> = required.filter_map(Value::as_str).collect();
        let minimum = usize::try_from(count(schema, "minProperties")).ok()?;
        for name in properties.keys().map(String::as_str) {
            if names.len() < minimum && !names.contains(&name) {
                names.push(name);
            }
        }
        let other = schema.get("additionalProperties").unwrap_or(&Value::Bool(true));
        let members = names.into_iter().map(|name| {
            let value = self.generate(properties.get(name).unwrap_or(other), depth)?;
            Some((name.to_owned(), value))
        });
        members.collect::<Option<Map<_, _>>>().map(Value::Object)
    }

    fn array(&mut self, schema: &Map<String, Value>, depth: usize) -> Option<Value> {
        let first = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let other = schema.get("items").unwrap_or(&Value::Bool(true));
        let items = (0..usize::try_from(count(schema, "minItems")).ok()?)
            .map(|at| self.generate(first.get(at).unwrap_or(other), depth));
        items.collect::<Option<Vec<_>>>().map(Value::Array)
    }
}

/// Returns the type of the schema, given explicitly or implied by its keywords.
fn kind(schema: &Map<String, Value>) -> &str {
    let named = match schema.get("type") {
        Some(Value::Array(names)) => names.first(),
        named => named,
    };
    if let Some(named) = named.and_then(Value::as_str) {
        return named;
    }
    let has = |names: &[&str]| names.iter().any(|name| schema.contains_key(*name));
    match () {
        () if has(&["properties", "required", "minProperties"]) => "object",
        () if has(&["items", "prefixItems", "minItems"]) => "array",
        () if has(&["minLength", "pattern", "format"]) => "string",
        () if has(&["minimum", "exclusiveMinimum", "multipleOf", "maximum"]) => "number",
        () => "null",
    }
}

fn text(schema: &Map<String, Value>) -> Value {
    let example = match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2000-01-01",
        Some("time") => "00:00:00Z",
        Some("date-time") => "2000-01-01T00:00:00Z",
        Some("email") => "a@example.com",
        Some("uri") => "https://example.com/",
        Some("uuid") => "00000000-0000-0000-0000-000000000000",
        _ => "",
    };
    let minimum = count(schema, "minLength").min(MAX_TEXT);
    let missing = usize::try_from(minimum).unwrap_or(0).saturating_sub(example.len());
    format!("{example}{}", "x".repeat(missing)).into()
}

fn number(schema: &Map<String, Value>) -> Option<Value> {
    let get = |name: &str| schema.get(name).and_then(Value::as_f64);
    let is_integer = kind(schema) == "integer";
    let exclusive = get("exclusiveMinimum").map(|limit| if is_integer { limit.floor() + 1.0 } else { limit + 1.0 });
    let minimum = [get("minimum"), exclusive].into_iter().flatten().reduce(f64::max);
    let maximum =
        [get("maximum"), get("exclusiveMaximum").map(|limit| limit - 1.0)].into_iter().flatten().reduce(f64::min);
    let mut value = minimum.unwrap_or_else(|| maximum.map_or(0.0, |maximum| maximum.min(0.0)));
    if let (false, Some(maximum)) = (is_integer, maximum)
        && value > maximum
    {
        // A step of 1 is too large for these bounds.
        let bound = |names: [&str; 2], inner: fn(f64, f64) -> f64| names.into_iter().filter_map(get).reduce(inner);
        let (low, high) =
            (bound(["minimum", "exclusiveMinimum"], f64::max), bound(["maximum", "exclusiveMaximum"], f64::min));
        value = low?.midpoint(high?);
    }
    if is_integer {
        value = if minimum.is_some() { value.ceil() } else { value.floor() };
    }
    if let Some(step) = get("multipleOf").filter(|step| *step > 0.0) {
        value = if minimum.is_some() { (value / step).ceil() * step } else { (value / step).floor() * step };
    }
    // Whole numbers have no decimal point, as people write them.
    let integer: Result<i64, _> = format!("{value:.0}").parse();
    match integer {
        Ok(integer) if value.fract() == 0.0 => Some(json!(integer)),
        _ => serde_json::Number::from_f64(value).map(Value::Number),
    }
}

fn count(schema: &Map<String, Value>, name: &str) -> u64 {
    schema.get(name).and_then(Value::as_u64).unwrap_or(0)
}

/// Merges another schema: adds its properties and required fields to the present ones, and other keywords if they are
/// missing.
fn merge(schema: &mut Map<String, Value>, other: &Value) {
    for (key, value) in other.as_object().into_iter().flatten() {
        match (schema.get_mut(key), value) {
            (Some(Value::Object(known)), Value::Object(more)) if key == "properties" => {
                for (name, property) in more {
                    known.entry(name.clone()).or_insert_with(|| property.clone());
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if key == "required" || key == "allOf" => {
                known.extend(more.iter().cloned());
            }
            (Some(_), _) => {}
            (None, _) => drop(schema.insert(key.clone(), value.clone())),
        }
    }
}
