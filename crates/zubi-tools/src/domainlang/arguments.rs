//! Arguments that all DomainLang tools share.

use schemars::JsonSchema;
use serde::Deserialize;

/// Models to query: those of the workspace by default.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct QueryScope {
    /// Folder, or file with its imports, to query instead of the workspace
    #[schemars(extend("x-common" = true))]
    pub(crate) path: Option<String>,
    /// DomainLang text to query instead of files; it cannot import
    #[schemars(extend("x-common" = true))]
    #[schemars(length(max = 4_000_000))]
    pub(crate) text: Option<String>,
}
