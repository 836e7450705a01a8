//! `domainlang_validate`: the diagnostics of the model.

use camino::Utf8PathBuf;
use dlang_workspace::queries::{self, QueryError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::lsp::Uri;
use zubi_base::uri;

use super::domain_tool::{DOMAIN_TOOL, DomainCall, DomainTool};
use crate::adapter::ToolMeta;

pub(super) struct ValidateModel;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Default all
    file: Option<String>,
}

impl DomainTool for ValidateModel {
    const META: ToolMeta = ToolMeta {
        id: "domainlang_validate",
        title: "Validate the model",
        description: "Errors and warnings of the domain model.",
        tags: &["domain", "ddd", "validate", "errors", "check"],
        example: || ("Is the model correct?", json!({})),
        ..DOMAIN_TOOL
    };
    type Input = Input;

    fn answer(call: &DomainCall<'_>, input: &Input) -> Result<Value, QueryError> {
        let file = input.file.as_deref().map(|name| resolve_file(call, name));
        let validation = queries::validate(call.snapshot, file.as_deref())?;
        Ok(validation.to_json(call.snapshot))
    }
}

/// Resolves the file argument: a path as answers show it, another path, or a URI. Returns the name of a missing file
/// unchanged, so that the query reports it.
fn resolve_file(call: &DomainCall<'_>, argument: &str) -> Utf8PathBuf {
    let by_display_path =
        || call.snapshot.find(argument).filter(|path| matches!(call.snapshot.file(path), Ok(Some(_))));
    let by_uri = || uri::to_path(&Uri(argument.to_owned()));
    let by_path = || call.workspace.resolve(argument).ok();
    by_display_path()
        .or_else(by_path)
        .or_else(by_uri)
        .or_else(|| call.snapshot.find(argument))
        .unwrap_or_else(|| argument.into())
}
