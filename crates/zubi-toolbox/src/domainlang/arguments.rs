//! Arguments that all DomainLang tools have.

use schemars::JsonSchema;
use serde::Deserialize;

/// Which models are asked: those of the workspace, unless something else is said.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Scope {
    /// Ask this folder, or this file and what it imports, instead of the workspace
    #[schemars(extend("x-common" = true))]
    pub(crate) path: Option<String>,
    /// Ask this DomainLang text instead of files; it imports nothing
    #[schemars(extend("x-common" = true))]
    #[schemars(length(max = 4_000_000))]
    pub(crate) text: Option<String>,
}
