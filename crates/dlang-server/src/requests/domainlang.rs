//! `domainlang/validate`, `domainlang/list`, `domainlang/get`, `domainlang/explain`: what programs ask about a model, with the
//! same answers as on every other channel.

use std::str::FromStr as _;

use camino::Utf8PathBuf;
use dlang_ide::query::{Detail, EntityType, ListInput};
use dlang_workspace::{Workspace, ask};
use serde_json::{Map, Value};
use zubi_base::lsp::Uri;
use zubi_base::uri;

use crate::methods::{Answer, RequestError};
use crate::snapshot::Snapshot;

/// What every request of the protocol may carry besides its own.
const COMMON: [&str; 2] = ["workDoneToken", "partialResultToken"];

pub(super) fn validate(snapshot: &Snapshot, params: Value) -> Answer {
    let mut input = Input::new(params, &["file", "path", "text"])?;
    let (file, path, text) = (input.text("file")?, input.text("path")?, input.text("text")?);
    match (file.or(path), text) {
        (Some(_), Some(_)) => Err(invalid("text", "it is validated by itself, so leave `file` and `path` out")),
        (None, Some(text)) => {
            let workspace = Workspace::of_text(ask::TEXT, text);
            let snapshot = workspace.snapshot();
            Ok(ask::validate(&snapshot, None)?.to_json(&snapshot))
        }
        (file, None) => {
            let file = file.map(|file| path_of(snapshot, &file)).transpose()?;
            let workspace = snapshot.workspace();
            Ok(ask::validate(workspace, file.as_deref())?.to_json(workspace))
        }
    }
}

pub(super) fn list(snapshot: &Snapshot, params: Value) -> Answer {
    let fields =
        ["type", "name", "fqn", "domain", "team", "classification", "metadata", "context", "pattern", "detail"];
    let mut input = Input::new(params, &fields)?;
    let Some(entity) = input.text("type")? else {
        let types = EntityType::ALL.map(EntityType::as_str).join(", ");
        return Err(invalid("type", &format!("it is missing. Use one of {types}.")));
    };
    let wanted = ListInput {
        name: input.text("name")?,
        fqn: input.text("fqn")?,
        domain: input.text("domain")?,
        team: input.text("team")?,
        classification: input.text("classification")?,
        metadata: input.text("metadata")?,
        context: input.text("context")?,
        pattern: input.text("pattern")?,
        detail: match input.text("detail")? {
            Some(detail) => Detail::from_str(&detail).map_err(ask::AskError::from)?,
            None => Detail::default(),
        },
        ..ListInput::new(EntityType::from_str(&entity).map_err(ask::AskError::from)?)
    };
    Ok(ask::list(snapshot.workspace(), &wanted)?)
}

pub(super) fn get(snapshot: &Snapshot, params: Value) -> Answer {
    let fqn = Input::new(params, &["fqn"])?.text("fqn")?;
    Ok(ask::get(snapshot.workspace(), fqn.as_deref())?)
}

pub(super) fn explain(snapshot: &Snapshot, params: Value) -> Answer {
    let Some(fqn) = Input::new(params, &["fqn"])?.text("fqn")? else {
        return Err(invalid("fqn", "it is missing: name the element to explain"));
    };
    Ok(ask::explain(snapshot.workspace(), &fqn)?)
}

/// A URI, or a path as answers show it.
fn path_of(snapshot: &Snapshot, file: &str) -> Result<Utf8PathBuf, RequestError> {
    let uri = Uri(file.to_owned());
    let path = match uri::scheme(&uri) {
        Some(_) => snapshot.path(&uri),
        None => snapshot.workspace().find(file),
    };
    path.ok_or_else(|| invalid("file", &format!("`{file}` is no file of the workspace")))
}

/// Parameters by name.
struct Input(Map<String, Value>);

impl Input {
    /// No parameters are none; one that nobody knows is refused, because it is most likely another one misspelt.
    fn new(params: Value, known: &[&str]) -> Result<Self, RequestError> {
        let fields = match params {
            Value::Null => Map::new(),
            Value::Object(fields) => fields,
            _ => {
                return Err(RequestError::InvalidParams {
                    field: String::new(),
                    message: "Invalid input: the parameters are an object".to_owned(),
                });
            }
        };
        match fields.keys().find(|name| !known.contains(&name.as_str()) && !COMMON.contains(&name.as_str())) {
            Some(name) => Err(invalid(name, &format!("there is no such parameter. Use {}.", known.join(", ")))),
            None => Ok(Self(fields)),
        }
    }

    fn text(&mut self, name: &str) -> Result<Option<String>, RequestError> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(invalid(name, "it is a text")),
        }
    }
}

fn invalid(field: &str, message: &str) -> RequestError {
    RequestError::InvalidParams { field: field.to_owned(), message: format!("Invalid input: {field}: {message}") }
}
