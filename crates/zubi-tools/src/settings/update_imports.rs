//! The setting that controls whether imports of moved files are updated.

use camino::Utf8Path;
use serde_json::Value;
use zubi_base::endpoint::RequestCx;
use zubi_base::fs::ReadError;
use zubi_base::text::Setting;
use zubi_code::features::rename_file::ImportUpdates;
use zubi_code::settings::EditorSettings;
use zubi_code::{CodeError, CodeQuery};

use super::store;

/// Setting for TypeScript files; names and values are VS Code's.
pub(crate) const TYPESCRIPT: &str = "typescript.updateImportsOnFileMove.enabled";
/// Setting for JavaScript files; see [`TYPESCRIPT`].
pub(crate) const JAVASCRIPT: &str = "javascript.updateImportsOnFileMove.enabled";
/// Setting of newer editors for both languages. If set, it takes precedence over the others.
pub(crate) const UNIFIED_KEY: &str = "js/ts.updateImportsOnFileMove.enabled";
/// Whether the editor saves changes made along with a file move.
const AUTO_SAVE: &str = "files.refactoring.autoSave";
/// Values of both settings; see [`TYPESCRIPT`].
pub(crate) const SETTING_VALUES: &[&str] = &["prompt", "always", "never"];

/// Value of the setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpdateImports {
    /// Also zubi's default: a tool call that moves a file implies that its imports change too. VS Code itself would
    /// prompt the user.
    Always,
    Prompt,
    Never,
}

impl UpdateImports {
    /// Interprets a value of the setting; unknown values count as unset.
    pub(crate) fn from_setting(value: Option<&Value>) -> Self {
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

/// Returns the settings for a file, or for the files of a folder; other languages have none.
fn keys_for(path: &Utf8Path) -> &'static [&'static str] {
    if path.is_dir() {
        return &[TYPESCRIPT, JAVASCRIPT];
    }
    match path.extension() {
        Some("ts" | "tsx" | "mts" | "cts") => &[TYPESCRIPT],
        Some("js" | "jsx" | "mjs" | "cjs") => &[JAVASCRIPT],
        _ => &[],
    }
}

/// Handling of the imports of a file that is about to move.
pub(crate) struct ImportUpdatePolicy {
    pub(crate) setting: UpdateImports,
    pub(crate) imports: ImportUpdates,
    /// Editor settings in force during the move.
    pub(crate) overrides: Vec<Setting>,
    /// Editor settings in force during an undo, which restores every text itself, so that no extension may update
    /// imports.
    pub(crate) undo_overrides: Vec<Setting>,
}

impl ImportUpdatePolicy {
    /// Determines the policy for a file or folder, with overrides that suppress prompts.
    pub(crate) async fn for_path(query: &CodeQuery<'_>, path: &Utf8Path, is_saving: bool) -> Result<Self, CodeError> {
        let keys = keys_for(path);
        let Some(editor) = query.intel.settings() else {
            let mut settings = Vec::new();
            for key in keys {
                settings.push(read_setting(query, key).await?);
            }
            let setting = combine(&settings);
            let imports = if setting == UpdateImports::Never { ImportUpdates::Stay } else { ImportUpdates::Planned };
            return Ok(Self { setting, imports, overrides: Vec::new(), undo_overrides: Vec::new() });
        };
        let cx = query.request_cx();
        let override_of = |key: &str, value: Value| Setting { key: key.to_owned(), value };
        let (mut settings, mut overrides, mut undo_overrides) = (Vec::new(), Vec::new(), Vec::new());
        for key in settings_in_force(&**editor, keys, &cx).await? {
            let setting = UpdateImports::from_setting(Some(&editor.get(key, &cx).await?.value));
            if setting == UpdateImports::Prompt {
                overrides.push(override_of(key, "always".into()));
            }
            if setting != UpdateImports::Never {
                undo_overrides.push(override_of(key, "never".into()));
            }
            settings.push(setting);
        }
        let setting = combine(&settings);
        // Otherwise the editor saves the changes that its extensions make.
        if !undo_overrides.is_empty() && !is_saving && editor.get(AUTO_SAVE, &cx).await?.value == Value::Bool(true) {
            overrides.push(override_of(AUTO_SAVE, false.into()));
        }
        let imports = if setting == UpdateImports::Never { ImportUpdates::Stay } else { ImportUpdates::Followed };
        Ok(Self { setting, imports, overrides, undo_overrides })
    }
}

/// Combines the settings of several languages: `never` only if it applies to all of them.
fn combine(settings: &[UpdateImports]) -> UpdateImports {
    match settings {
        [] => UpdateImports::Always,
        all if all.contains(&UpdateImports::Prompt) => UpdateImports::Prompt,
        all if all.contains(&UpdateImports::Always) => UpdateImports::Always,
        _ => UpdateImports::Never,
    }
}

/// Returns the editor settings in force: the unified one if it is set or the older ones no longer exist, otherwise the
/// older ones.
pub(crate) async fn settings_in_force(
    editor: &dyn EditorSettings,
    keys: &'static [&'static str],
    cx: &RequestCx,
) -> Result<&'static [&'static str], CodeError> {
    let Some(first) = keys.first() else { return Ok(keys) };
    let is_unified = editor.get(UNIFIED_KEY, cx).await?.is_set() || editor.get(first, cx).await?.value.is_null();
    Ok(if is_unified { &[UNIFIED_KEY] } else { keys })
}

/// Reads the setting from the workspace's file.
async fn read_setting(query: &CodeQuery<'_>, key: &str) -> Result<UpdateImports, CodeError> {
    let path = query.workspace().root().join(store::SETTINGS_FILE);
    let text = match query.document(&path).await {
        Ok(document) => document.text.clone(),
        Err(ReadError::NotFound { .. }) => return Ok(UpdateImports::Always),
        Err(error) => return Err(error.into()),
    };
    let value = store::find_value(&text, key).map_err(|problem| {
        let message = format!("{}:{problem}, so the setting for updating imports is unknown", store::SETTINGS_FILE);
        CodeError::input("settings", message, "Correct the file, then call again; nothing was changed.")
    })?;
    Ok(UpdateImports::from_setting(value.as_ref()))
}
