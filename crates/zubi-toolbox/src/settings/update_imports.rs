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
/// See [`TYPESCRIPT`].
pub(crate) const VALUES: &[&str] = &["prompt", "always", "never"];

/// What the setting says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpdateImports {
    /// Also where nothing is set: a tool that is called to move a file is called to move its imports as well. VS Code
    /// itself would ask then, but it asks a person.
    Always,
    Prompt,
    Never,
}

impl UpdateImports {
    /// What a value of the setting means; one that VS Code does not know means as little as none.
    pub(crate) fn of(value: Option<&Value>) -> Self {
        match value.and_then(Value::as_str) {
            Some("never") => Self::Never,
            Some("prompt") => Self::Prompt,
            _ => Self::Always,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Prompt => "prompt",
            Self::Never => "never",
        }
    }
}

/// The setting that is about a file; other languages have none.
pub(crate) fn key_for(path: &Utf8Path) -> Option<&'static str> {
    match path.extension()? {
        "ts" | "tsx" | "mts" | "cts" => Some(TYPESCRIPT),
        "js" | "jsx" | "mjs" | "cjs" => Some(JAVASCRIPT),
        _ => None,
    }
}

/// What the workspace's settings say.
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
    Ok(UpdateImports::of(value.as_ref()))
}
