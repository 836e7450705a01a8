//! A tool's arguments as flags: one flag for each parameter of its schema, with the parameter's type.

use std::fmt::Write as _;
use std::io::Read as _;

use clap::builder::Styles;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory as _};
use serde_json::{Map, Value};
use zubi_cli::failure::Failure;
use zubi_tool_api::ToolSpec;

use crate::cli::Cli;

/// The maximum size of `--input`, in bytes.
const MAX_INPUT: u64 = 4 * 1024 * 1024;

/// Flags of `zubi call` itself; a parameter of the same name is given in `--input`.
const RESERVED_FLAGS: [&str; 3] = ["input", "json", "help"];

/// The arguments of a tool call and the format of its answer.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolArguments {
    pub(crate) arguments: Value,
    pub(crate) json: bool,
}

/// Parses the words after the tool's name. Help is a clap error. `name` is the command's name in help texts.
pub(crate) fn read(spec: &ToolSpec, words: &[String], name: &str) -> Result<ToolArguments, Failure> {
    let matches = command(spec, name).try_get_matches_from([&spec.id].into_iter().chain(words)).map_err(|error| {
        let hint = unknown_argument(&error).map(|argument| hint_about(spec, argument));
        let failure = Failure::from(error);
        match hint {
            Some(hint) => failure.with_hint(hint),
            None => failure,
        }
    })?;
    let mut arguments = match matches.get_one::<String>("input") {
        Some(input) => input_object(input)?,
        None => Map::new(),
    };
    for (name, schema) in parameters(spec) {
        if let Some(value) = value_of(&matches, name, schema) {
            arguments.insert(name.clone(), value);
        }
    }
    let json = matches.get_flag("json");
    // A `--json` that belongs to a tool's own `format` parameter (a diagram's, for example) selects another format than
    // that of the answer.
    let has_json =
        |schema: &Value| schema.get("enum").and_then(Value::as_array).is_some_and(|it| it.contains(&"json".into()));
    if json && parameters(spec).any(|(name, schema)| name == "format" && has_json(schema)) {
        arguments.insert("format".to_owned(), "json".into());
    }
    Ok(ToolArguments { arguments: arguments.into(), json })
}

fn parameters(spec: &ToolSpec) -> impl Iterator<Item = (&String, &Value)> {
    let properties = spec.input.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().filter(|(name, _)| !RESERVED_FLAGS.contains(&name.as_str()))
}

fn unknown_argument(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) if error.kind() == ErrorKind::UnknownArgument => Some(argument),
        _ => None,
    }
}

/// Returns the next step after an argument that the tool does not have.
fn hint_about(spec: &ToolSpec, argument: &str) -> String {
    let own = Cli::command();
    let is_own = |arg: &Arg| arg.get_long().is_some_and(|long| argument.strip_prefix("--") == Some(long));
    if own.get_arguments().any(is_own) {
        return format!("zubi's own options go before the tool's name: `zubi {argument} … call {}`", spec.id);
    }
    let names: Vec<_> = parameters(spec).map(|(name, _)| format!("--{name}")).collect();
    format!("The arguments of `{}`: {}", spec.id, names.join(", "))
}

/// Builds a command of its own for the tool, for parsing and for help.
fn command(spec: &ToolSpec, name: &str) -> Command {
    let mut command = Command::new(spec.id.clone())
        .bin_name(format!("{name} {}", spec.id))
        .about(spec.title.clone())
        .long_about(format!("{}\n\n{}", spec.title, spec.description))
        .max_term_width(100)
        .styles(Styles::plain())
        .after_help(examples(spec));
    for (name, schema) in parameters(spec) {
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind = kind_of(schema);
        let mut arg =
            Arg::new(name.clone()).long(name.clone()).help(help(description, schema)).allow_hyphen_values(true);
        let kebab = kebab(name);
        if kebab != *name {
            arg = arg.aliases([kebab.replace('-', "_"), kebab]);
        }
        arg = match kind {
            "boolean" => arg
                .num_args(0..=1)
                .default_missing_value("true")
                .value_name("true|false")
                .value_parser(value_parser("boolean")),
            "array" => arg.action(ArgAction::Append).value_name("VALUE").value_parser(item_or_list(schema)),
            "integer" | "number" => arg.value_name("NUMBER").value_parser(value_parser(kind)),
            "object" => arg.value_name("JSON").value_parser(value_parser("object")),
            _ => arg.value_name("TEXT").value_parser(value_parser("string")),
        };
        command = command.arg(arg);
    }
    command
        .arg(
            Arg::new("input")
                .long("input")
                .value_name("JSON")
                .help("All arguments as a JSON object; - reads it from stdin"),
        )
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON"))
}

fn kind_of(schema: &Value) -> &str {
    schema.get("type").and_then(Value::as_str).unwrap_or("string")
}

fn help(description: String, schema: &Value) -> String {
    match schema.get("enum").and_then(Value::as_array) {
        Some(values) => {
            let values: Vec<_> = values.iter().filter_map(Value::as_str).collect();
            format!("{description} [possible values: {}]", values.join(", "))
        }
        None => description,
    }
}

fn examples(spec: &ToolSpec) -> String {
    let mut text = "Examples:".to_owned();
    // Writing to a `String` cannot fail.
    for example in &spec.examples {
        let _ = write!(text, "\n  {}\n    zubi call {}", example.title, spec.id);
        for (name, value) in example.args.as_object().into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/:".contains(&byte));
            let value = if plain { value } else { format!("'{value}'") };
            let _ = write!(text, " --{name} {value}");
        }
    }
    if spec.examples.is_empty() { String::new() } else { text }
}

/// Converts `includeDeclaration` to `include-declaration`.
fn kebab(name: &str) -> String {
    let mut kebab = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        match c {
            '_' => kebab.push('-'),
            c if c.is_ascii_uppercase() => {
                kebab.push('-');
                kebab.push(c.to_ascii_lowercase());
            }
            c => kebab.push(c),
        }
    }
    kebab
}

/// Parses a word as a JSON value of a type. A word that does not fit the type is a command-line error, reported before
/// any call.
fn value_parser(kind: &str) -> impl Fn(&str) -> Result<Value, String> + Clone + Send + Sync + use<> {
    let kind = kind.to_owned();
    move |word| value(&kind, word)
}

fn value(kind: &str, word: &str) -> Result<Value, String> {
    let parsed = || serde_json::from_str::<Value>(word);
    match kind {
        "string" => Ok(word.into()),
        "boolean" => word.parse::<bool>().map(Value::from).map_err(|_| "expected true or false".to_owned()),
        "integer" => word.parse::<i64>().map(Value::from).map_err(|_| "expected a whole number".to_owned()),
        "number" => parsed().ok().filter(Value::is_number).ok_or_else(|| "expected a number".to_owned()),
        "object" => parsed().ok().filter(Value::is_object).ok_or_else(|| "expected a JSON object".to_owned()),
        _ => Ok(parsed().unwrap_or_else(|_| word.into())),
    }
}

/// Returns a parser of one item of a list, or of the whole list as JSON.
fn item_or_list(schema: &Value) -> impl Fn(&str) -> Result<Value, String> + Clone + Send + Sync + use<> {
    let kind = schema.get("items").map_or("string", kind_of).to_owned();
    move |word| match serde_json::from_str::<Value>(word) {
        Ok(list @ Value::Array(_)) => Ok(list),
        _ => value(&kind, word),
    }
}

fn value_of(matches: &ArgMatches, name: &str, schema: &Value) -> Option<Value> {
    if kind_of(schema) != "array" {
        return matches.get_one::<Value>(name).cloned();
    }
    let mut items = Vec::new();
    for value in matches.get_many::<Value>(name)? {
        match value {
            Value::Array(list) => items.extend(list.iter().cloned()),
            item => items.push(item.clone()),
        }
    }
    Some(items.into())
}

fn input_object(input: &str) -> Result<Map<String, Value>, Failure> {
    let mut text = input.to_owned();
    if input == "-" {
        text.clear();
        let read = std::io::stdin().take(MAX_INPUT + 1).read_to_string(&mut text);
        read.map_err(|error| Failure::usage(format!("cannot read the input from stdin: {error}")))?;
    }
    if text.len() as u64 > MAX_INPUT {
        return Err(Failure::usage(format!("the input is larger than {MAX_INPUT} bytes")));
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Failure::usage("--input is not a JSON object").hint("Write it as '{\"name\": \"value\"}'.")),
        Err(error) => {
            Err(Failure::usage(format!("--input is not JSON: {error}")).hint("Write it as '{\"name\": \"value\"}'."))
        }
    }
}

#[cfg(test)]
mod tests;
