//! Reads one configuration file. Errors name the file, line, column and key, and suggest the nearest known key.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};

use super::key;
use super::{Layer, Layers, USER_FILE, UserLayer, WORKSPACE_FILE, WorkspaceLayer};
use crate::nearest::nearest;
use crate::owner_only;
use crate::text::ContentHash;
use crate::trust::Trust;

/// The maximum size of a configuration file, in bytes. A real one has a few settings.
const MAX_BYTES: u64 = 256 * 1024;

/// The reason why a configuration file cannot be used. zubi never applies a part of an invalid file: the rejected part
/// could have narrowed what the rest widens.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read configuration `{path}`: {source}")]
    Read { path: Utf8PathBuf, source: std::io::Error },
    #[error("configuration `{path}` is not UTF-8 text")]
    NotText { path: Utf8PathBuf },
    /// `line` and `column` are 1-based; `column` counts characters.
    #[error("{path}:{line}:{column}: unknown setting `{key}`{}", suggestion.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default())]
    UnknownKey { path: Utf8PathBuf, line: usize, column: usize, key: String, suggestion: Option<&'static str> },
    /// `line` and `column` as above; `setting` is the key on that line, if there is one.
    #[error("{path}:{line}:{column}: {}{message}", setting.as_ref().map(|setting| format!("`{setting}`: ")).unwrap_or_default())]
    Syntax { path: Utf8PathBuf, line: usize, column: usize, setting: Option<String>, message: String },
}

/// Parses the text of a configuration file. `path` is for errors only.
pub fn parse(text: &str, path: &Utf8Path) -> Result<Layer, ConfigError> {
    let layer: Result<Layer, _> = toml::from_str(text);
    let layer = layer.map(|mut layer| {
        for rule in &mut layer.policy {
            rule.line = line_and_column(text, rule.line).0;
        }
        layer
    });
    layer.map_err(|error| {
        let span = error.span().unwrap_or_default();
        let (line, column) = line_and_column(text, span.start);
        // serde's wording for `deny_unknown_fields`. The key itself comes from the file.
        if error.message().starts_with("unknown field") {
            let key = key_at(text, span);
            let suggestion = nearest(&key, key::leaf_names(), 1).into_iter().next();
            let suggestion = suggestion.and_then(|found| key::leaf_names().find(|leaf| *leaf == found));
            return ConfigError::UnknownKey { path: path.to_owned(), line, column, key, suggestion };
        }
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        ConfigError::Syntax { path: path.to_owned(), line, column, setting: setting_on_line(text, line), message }
    })
}

/// Reads the user's file and the workspace's file, if they exist. The workspace's file is in the first folder. It is
/// trusted if its folder is trusted and the user has trusted its present content.
pub fn load(config_directory: &Utf8Path, workspace_root: &Utf8Path, trust: &Trust) -> Result<Layers, ConfigError> {
    let user_path = config_directory.join(USER_FILE);
    let user = match std::fs::metadata(&user_path) {
        // Follows links, because dotfile managers link the user's own file.
        Ok(_) => {
            let path = crate::fs::canonical(&user_path)
                .map_err(|source| ConfigError::Read { path: user_path.clone(), source })?;
            read(&path)?.map(|(text, _)| parse(&text, &user_path)).transpose()?
        }
        Err(_) => None,
    };
    let workspace_path = workspace_root.join(WORKSPACE_FILE);
    let workspace = match read(&workspace_path)? {
        Some((text, hash)) => Some(WorkspaceLayer {
            layer: parse(&text, &workspace_path)?,
            trusted: trust.file(workspace_root, &workspace_path, &hash),
            path: workspace_path,
        }),
        None => None,
    };
    Ok(Layers { user: user.map(|layer| UserLayer { path: user_path, layer }), workspace, ..Layers::default() })
}

fn read(path: &Utf8Path) -> Result<Option<(String, ContentHash)>, ConfigError> {
    let bytes = match owner_only::read(path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(ConfigError::Read { path: path.to_owned(), source }),
    };
    let hash = ContentHash::from_bytes(&bytes);
    let text = String::from_utf8(bytes).map_err(|_| ConfigError::NotText { path: path.to_owned() })?;
    Ok(Some((text, hash)))
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// Returns the key in `span` without quotes, at most 60 characters.
fn key_at(text: &str, span: Range<usize>) -> String {
    let key = text.get(span).unwrap_or_default();
    key.trim_matches(['"', '\'']).chars().filter(|c| !c.is_control()).take(60).collect()
}

/// Returns the text left of the `=` on a line.
fn setting_on_line(text: &str, line: usize) -> Option<String> {
    let (key, _) = text.lines().nth(line - 1)?.split_once('=')?;
    let key: String = key.trim().chars().filter(|c| !c.is_control()).take(60).collect();
    (!key.is_empty() && !key.starts_with('#')).then_some(key)
}
