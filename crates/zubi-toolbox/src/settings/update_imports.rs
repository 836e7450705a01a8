//! The setting that says whether imports follow a file that moves.

use camino::Utf8Path;
use serde_json::Value;
use zubi_base::fs::ReadError;
use zubi_code::{CodeError, Question};

use super::store;

/// The setting for TypeScript files, and the one for JavaScript files; names and values are VS Code's.
pub(crate) const TYPESCRIPT: &str = "typescript.updateImportsOnFileMove.enabled";
/// See [`TYPESCRIPT`].
pub(crate) const JAVASCRIPT: &str = "javascript.updateImportsOnFileMove.enabled";
/// VS Code's value where nothing is set.
pub(crate) const DEFAULT: &str = "prompt";
/// See [`TYPESCRIPT`].
pub(crate) const VALUES: &[&str] = &["prompt", "always", "never"];

/// What the setting says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpdateImports {
    Always,
    /// Ask; which is the default and not spoken of unless somebody has set it.
    Prompt,
    Never,
}

/// The setting that is about a file; other languages have none.
pub(crate) fn key_for(path: &Utf8Path) -> Option<&'static str> {
    match path.extension()? {
        "ts" | "tsx" | "mts" | "cts" => Some(TYPESCRIPT),
        "js" | "jsx" | "mjs" | "cjs" => Some(JAVASCRIPT),
        _ => None,
    }
}

/// What the workspace's settings say. Not set is [`UpdateImports::Always`]: a tool that is called to move a file is
/// called to move its imports as well.
pub(crate) async fn read(question: &Question<'_>, key: &str) -> Result<UpdateImports, CodeError> {
    let path = question.workspace().root().join(store::FILE);
    let text = match question.document(&path).await {
        Ok(document) => document.text.clone(),
        Err(ReadError::NotFound { .. }) => return Ok(UpdateImports::Always),
        Err(error) => return Err(error.into()),
    };
    let value = store::value(&text, key).map_err(|why| {
        let what = format!("{}:{why}, so it is not known whether imports shall follow", store::FILE);
        CodeError::input("settings", what, "Correct the file, then call again; nothing was changed.")
    })?;
    Ok(match value.as_ref().and_then(Value::as_str) {
        Some("never") => UpdateImports::Never,
        Some("prompt") => UpdateImports::Prompt,
        _ => UpdateImports::Always,
    })
}
