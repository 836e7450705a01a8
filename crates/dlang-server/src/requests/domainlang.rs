//! `domainlang/validate`, `domainlang/list`, `domainlang/get`, `domainlang/explain`: queries of programs about a model,
//! with the same parameters, results and error messages as on every other surface.

use std::ops::ControlFlow;

use camino::Utf8PathBuf;
use dlang_ide::query::{EntityType, ListInput};
use dlang_workspace::queries::{self, QueryError};
use dlang_workspace::workspace::{LoadError, Root};
use dlang_workspace::{Workspace, WorkspaceSnapshot};
use serde_json::{Map, Value};
use zubi_base::lsp::Uri;
use zubi_base::nearest::nearest;
use zubi_base::uri;
use zubi_base::workspace::PathError;

use crate::request::{Answer, Cancel, RequestError};
use crate::snapshot::Snapshot;

/// Parameters that the protocol allows in every request.
const PROTOCOL: [&str; 2] = ["workDoneToken", "partialResultToken"];

/// Parameters that every request here accepts: a model to query instead of the workspace.
const SCOPE: [&str; 2] = ["path", "text"];

/// Maximum length of an invalid value in an error message, in characters.
const MAX_EXCERPT_CHARS: usize = 60;

pub(super) fn validate(snapshot: Snapshot, params: Value, cancel: &Cancel) -> Answer {
    let mut input = Input::new(params, &["file"])?;
    let file = input.text("file")?.map(|path_or_uri| (path_of(&snapshot, &path_or_uri), path_or_uri));
    input.run_query(snapshot, cancel, |queried| {
        let file = file.map(|(resolved, given)| {
            // Paths as shown in results take precedence; the queried workspace may be another one than the client's.
            let displayed_file = queried.find(&given).filter(|path| matches!(queried.file(path), Ok(Some(_))));
            displayed_file.or(resolved).or_else(|| queried.find(&given)).unwrap_or_else(|| given.into())
        });
        Ok(queries::validate(queried, file.as_deref())?.to_json(queried))
    })
}

pub(super) fn list(snapshot: Snapshot, params: Value, cancel: &Cancel) -> Answer {
    let fields =
        ["type", "name", "fqn", "domain", "team", "classification", "metadata", "context", "pattern", "detail"];
    let mut input = Input::new(params, &fields)?;
    let types = EntityType::ALL.map(EntityType::as_str).join(", ");
    let entity = input.require_text("type", &format!("Use one of {types}."))?;
    let list_input = ListInput {
        name: input.text("name")?,
        fqn: input.text("fqn")?,
        domain: input.text("domain")?,
        team: input.text("team")?,
        classification: input.text("classification")?,
        metadata: input.text("metadata")?,
        context: input.text("context")?,
        pattern: input.text("pattern")?,
        ..ListInput::new(entity.parse().map_err(QueryError::from)?)
    };
    let detail = input.text("detail")?.map(|detail| detail.parse()).transpose().map_err(QueryError::from)?;
    let list_input = ListInput { detail: detail.unwrap_or_default(), ..list_input };
    input.run_query(snapshot, cancel, |queried| Ok(queries::list(queried, &list_input)?))
}

pub(super) fn get(snapshot: Snapshot, params: Value, cancel: &Cancel) -> Answer {
    let mut input = Input::new(params, &["fqn"])?;
    let fqn = input.text("fqn")?;
    input.run_query(snapshot, cancel, |queried| Ok(queries::get(queried, fqn.as_deref())?))
}

pub(super) fn explain(snapshot: Snapshot, params: Value, cancel: &Cancel) -> Answer {
    let mut input = Input::new(params, &["fqn"])?;
    let fqn = input.require_text("fqn", "Name the element to explain.")?;
    input.run_query(snapshot, cancel, |queried| Ok(queries::explain(queried, &fqn)?))
}

/// Resolves a path as shown in results, or a URI, in the client's workspace. A name that contains a colon looks like a
/// URI: it is treated as one if the scheme is `file:` or `//` follows the colon, as on every other surface, or if that
/// path does not exist.
fn path_of(snapshot: &Snapshot, path_or_uri: &str) -> Option<Utf8PathBuf> {
    let uri = Uri(path_or_uri.to_owned());
    let scheme = uri::scheme(&uri);
    if scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("file")) || path_or_uri.contains("://") {
        return snapshot.path(&uri);
    }
    let workspace = snapshot.workspace();
    let displayed_path = workspace.find(path_or_uri);
    let is_there = |path: &Utf8PathBuf| workspace.shared_files().kind(path).is_some();
    match scheme {
        Some(_) if !displayed_path.as_ref().is_some_and(is_there) => snapshot.path(&uri).or(displayed_path),
        _ => displayed_path,
    }
}

/// Resolves the folder or file of the client's workspace to query instead of all of it.
fn root_of(snapshot: &Snapshot, path_or_uri: &str) -> Result<Root, PathError> {
    let files = snapshot.workspace().shared_files();
    let folders: Vec<Utf8PathBuf> =
        snapshot.workspace().folders().filter_map(|folder| files.canonical(folder)).collect();
    let (folder, given) = (folders.first().cloned().unwrap_or_default(), path_or_uri.to_owned());
    if given.is_empty() || given.contains('\0') {
        return Err(PathError::NotAPath { input: given });
    }
    let Some(path) = path_of(snapshot, &given) else { return Err(PathError::NotAPath { input: given }) };
    match files.canonical(&path) {
        None => Err(PathError::NotFound { input: given, folder }),
        Some(real) if !folders.iter().any(|folder| real.starts_with(folder)) => {
            Err(PathError::Outside { input: given, folder })
        }
        Some(_) if files.is_directory(&path) => Ok(Root::Folder(path)),
        Some(_) => Ok(Root::File(path)),
    }
}

/// Parameters by name.
struct Input(Map<String, Value>);

impl Input {
    /// Accepts `null` as empty parameters, and rejects unknown ones, which are most likely misspelt.
    fn new(params: Value, own: &[&str]) -> Result<Self, RequestError> {
        let fields = match params {
            Value::Null => Map::new(),
            Value::Object(fields) => fields,
            _ => {
                return Err(RequestError::InvalidParams {
                    field: String::new(),
                    message: "Invalid input: the parameters must be an object".to_owned(),
                });
            }
        };
        let allowed = || own.iter().chain(&SCOPE).copied();
        if let Some(name) =
            fields.keys().find(|name| !allowed().chain(PROTOCOL).any(|parameter| parameter == name.as_str()))
        {
            let suggestion =
                nearest(name, allowed(), 1).first().map(|suggestion| format!("; did you mean `{suggestion}`?"));
            let all = allowed().collect::<Vec<&str>>().join(", ");
            return Err(invalid(name, &format!("no such parameter{}\nUse {all}.", suggestion.unwrap_or_default())));
        }
        Ok(Self(fields))
    }

    /// Returns an optional parameter; an empty text means, as on every other surface, that it is not given.
    fn text(&mut self, name: &str) -> Result<Option<String>, RequestError> {
        Ok(self.any_text(name)?.filter(|text| !text.is_empty()))
    }

    fn any_text(&mut self, name: &str) -> Result<Option<String>, RequestError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => {
                let other = other.to_string();
                let ellipsis = if other.chars().count() > MAX_EXCERPT_CHARS { "…" } else { "" };
                let excerpt: String = other.chars().take(MAX_EXCERPT_CHARS).collect();
                Err(invalid(name, &format!("expected string, got {excerpt}{ellipsis}")))
            }
        }
    }

    /// Returns a required parameter; `hint` says what to do if it is missing.
    fn require_text(&mut self, name: &str, hint: &str) -> Result<String, RequestError> {
        self.any_text(name)?.ok_or_else(|| invalid(name, &format!("is required\n{hint}")))
    }

    /// Queries the client's workspace, or the model that the parameters name, which is loaded for this request only.
    /// The client's changes do not wait for it, because the snapshot is dropped before. Loading and querying end when
    /// the client cancels the request.
    fn run_query(
        mut self,
        snapshot: Snapshot,
        cancel: &Cancel,
        question: impl FnOnce(&WorkspaceSnapshot) -> Answer,
    ) -> Answer {
        let (path, text) = (self.text("path")?, self.text("text")?);
        queries::check_text(&self.0).map_err(QueryError::from)?;
        let workspace = match (path, text) {
            (None, None) => return question(snapshot.workspace()),
            (_, Some(text)) => {
                drop(snapshot);
                Workspace::from_text(queries::TEXT, text)
            }
            (Some(path), None) => {
                let root = root_of(&snapshot, &path).map_err(|error| invalid("path", &error.to_string()))?;
                let files = snapshot.workspace().shared_files();
                drop(snapshot);
                let mut watch =
                    |_| if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
                Workspace::load(files, vec![root], &mut watch).map_err(|error| match error {
                    LoadError::Interrupted => RequestError::Cancelled,
                    LoadError::NotAModel(_) => invalid("path", &error.to_string()),
                    error => RequestError::Failed(format!("Failed to load the model: {error}")),
                })?
            }
        };
        let queried = workspace.snapshot();
        let token = queried.cancellation_token();
        cancel.on_cancel(move || token.cancel());
        question(&queried)
    }
}

fn invalid(field: &str, message: &str) -> RequestError {
    RequestError::InvalidParams { field: field.to_owned(), message: format!("Invalid input: {field}: {message}") }
}
