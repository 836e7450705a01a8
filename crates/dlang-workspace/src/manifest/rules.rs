//! Rules for single values of a manifest, with their messages.

use camino::Utf8Path;
use dlang_model::{DiagnosticData, ModelCode, ModelDiagnostic};
use text_size::TextRange;

use crate::paths;
use crate::yaml::quote_excerpt;

/// Whether a text is a semantic version: `N.N.N`, then `-x`, then `+y`.
pub(super) fn is_version(text: &str) -> bool {
    let (rest, build) = text.split_once('+').map_or((text, None), |(rest, build)| (rest, Some(build)));
    let (core, pre) = rest.split_once('-').map_or((rest, None), |(core, pre)| (core, Some(pre)));
    let numbers: Vec<&str> = core.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_label = |label: &str| {
        label
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
    };
    numbers.len() == 3 && numbers.iter().all(is_number) && pre.is_none_or(is_label) && build.is_none_or(is_label)
}

/// Whether a text is a tag, branch or commit: a name of a git ref that begins with a letter or a digit.
pub(super) fn is_reference(text: &str) -> bool {
    let forbidden = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\<>=|\"'".contains(c);
    text.starts_with(char::is_alphanumeric)
        && !text.contains(forbidden)
        && !text.contains("..")
        && !text.contains("@{")
        && !text.contains("//")
        && !text.ends_with(['/', '.'])
        && Utf8Path::new(text).extension() != Some("lock")
}

/// Whether a text is `owner/repo`, both of which become folder names.
pub(crate) fn is_owner_and_repo(text: &str) -> bool {
    let is_part = |part: &str| {
        !matches!(part, "" | "." | "..")
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    text.split_once('/').is_some_and(|(owner, repo)| is_part(owner) && is_part(repo))
}

pub(super) fn missing_name() -> ModelDiagnostic {
    let hint = "Add 'name' under 'model'.";
    ModelDiagnostic::new(
        TextRange::default(),
        ModelCode::ManifestModelMissingName,
        "A package to be published needs a name.",
    )
    .hint(hint)
}

pub(super) fn missing_version() -> ModelDiagnostic {
    let hint = "Add 'version' under 'model', like \"1.0.0\".";
    ModelDiagnostic::new(
        TextRange::default(),
        ModelCode::ManifestModelMissingVersion,
        "A package to be published needs a version.",
    )
    .hint(hint)
}

pub(super) fn invalid_version(range: TextRange, version: &str) -> ModelDiagnostic {
    let text = format!("Version '{}' is not valid SemVer format.", quote_excerpt(version));
    ModelDiagnostic::new(range, ModelCode::ManifestModelInvalidVersion, text)
        .hint(r#"Use SemVer format like "1.0.0" or "1.2.3-beta"."#)
}

pub(super) fn conflict(range: TextRange, key: &str) -> ModelDiagnostic {
    let text = format!("Dependency '{}' cannot have both 'source' and 'path'.", quote_excerpt(key));
    let hint = "Use 'source' for git packages or 'path' for local workspace packages.";
    ModelDiagnostic::new(range, ModelCode::ImportConflictingSourcePath, text)
        .hint(hint)
        .data(DiagnosticData::Key(key.into()))
}

pub(super) fn no_source_nor_path(range: TextRange, key: &str) -> ModelDiagnostic {
    let text = format!("Dependency '{}' has neither 'source' nor 'path'.", quote_excerpt(key));
    let hint = "Add 'source: owner/repo' and a 'ref' for a git package, or 'path' for a local workspace package.";
    ModelDiagnostic::new(range, ModelCode::ImportMissingSourceOrPath, text)
        .hint(hint)
        .data(DiagnosticData::Key(key.into()))
}

pub(super) fn missing_reference(range: TextRange, key: &str) -> ModelDiagnostic {
    let text = format!("Git dependency '{}' requires a ref.", quote_excerpt(key));
    let hint = "Add a git ref: 'ref: v1.0.0' (tag), 'ref: main' (branch), or a commit SHA.";
    ModelDiagnostic::new(range, ModelCode::ImportMissingRef, text).hint(hint).data(DiagnosticData::Key(key.into()))
}

pub(super) fn invalid_reference(range: TextRange, key: &str, reference: &str) -> ModelDiagnostic {
    let text = format!("Ref '{}' for '{}' may be invalid.", quote_excerpt(reference), quote_excerpt(key));
    let hint = "Use a tag (v1.0.0), branch name (main), or commit SHA.";
    ModelDiagnostic::new(range, ModelCode::ManifestDependencyInvalidRef, text)
        .hint(hint)
        .data(DiagnosticData::Key(key.into()))
}

pub(super) fn invalid_source(range: TextRange, key: &str, source: &str) -> ModelDiagnostic {
    let text = format!("Source '{}' is not valid owner/repo format.", quote_excerpt(source));
    ModelDiagnostic::new(range, ModelCode::ManifestDependencyInvalidSource, text)
        .hint("Use format 'owner/repo' like 'domainlang/core'.")
        .data(DiagnosticData::Key(key.into()))
}

/// Returns the diagnostic for an invalid path of a dependency.
pub(super) fn dependency_path(range: TextRange, key: &str, path: &str) -> Option<ModelDiagnostic> {
    let hint = "Use a relative path like './packages/shared'.";
    if paths::is_absolute(path) {
        let text = format!("Local path '{}' for '{}' must be relative.", quote_excerpt(path), quote_excerpt(key));
        return Some(
            ModelDiagnostic::new(range, ModelCode::ImportAbsolutePath, text)
                .hint(hint)
                .data(DiagnosticData::Key(key.into())),
        );
    }
    let text = format!(
        "Local path '{}' for '{}' leads out of the folder of model.yaml.",
        quote_excerpt(path),
        quote_excerpt(key)
    );
    paths::is_climbing(path).then(|| {
        ModelDiagnostic::new(range, ModelCode::ImportEscapesWorkspace, text)
            .hint(hint)
            .data(DiagnosticData::Key(key.into()))
    })
}

/// Returns the diagnostic for an invalid target of an alias.
pub(super) fn alias_target(range: TextRange, key: &str, target: &str) -> Option<ModelDiagnostic> {
    let hint = "Use a relative path like './src' or '.'";
    if paths::is_absolute(target) {
        let text =
            format!("Path alias '{}' cannot map to absolute path '{}'.", quote_excerpt(key), quote_excerpt(target));
        return Some(
            ModelDiagnostic::new(range, ModelCode::ManifestPathAliasAbsolutePath, text)
                .hint(hint)
                .data(DiagnosticData::Key(key.into())),
        );
    }
    let text = format!(
        "Path alias '{}' leads out of the folder of model.yaml: '{}'.",
        quote_excerpt(key),
        quote_excerpt(target)
    );
    paths::is_climbing(target).then(|| {
        ModelDiagnostic::new(range, ModelCode::ImportEscapesWorkspace, text)
            .hint(hint)
            .data(DiagnosticData::Key(key.into()))
    })
}

pub(super) fn alias_without_at(range: TextRange, key: &str) -> ModelDiagnostic {
    let quoted_key = quote_excerpt(key);
    let text = format!("Path alias '{quoted_key}' should start with '@'.");
    let hint = format!("Rename to '@{quoted_key}' for consistency.");
    ModelDiagnostic::new(range, ModelCode::ManifestPathAliasMissingAtPrefix, text)
        .hint(hint)
        .data(DiagnosticData::Key(key.into()))
}

/// Returns the diagnostic for an invalid entry.
pub(super) fn entry(range: TextRange, entry: &str) -> Option<ModelDiagnostic> {
    let hint = "Use a path inside the folder, like 'index.dlang'.";
    if paths::is_absolute(entry) {
        let text = format!("Entry '{}' must be relative.", quote_excerpt(entry));
        return Some(ModelDiagnostic::new(range, ModelCode::ImportAbsolutePath, text).hint(hint));
    }
    let text = format!("Entry '{}' leads out of the folder of model.yaml.", quote_excerpt(entry));
    paths::is_climbing(entry).then(|| ModelDiagnostic::new(range, ModelCode::ImportEscapesWorkspace, text).hint(hint))
}

/// Returns the diagnostic for a value of the wrong kind; `expected` includes its article.
pub(super) fn unexpected_key(range: TextRange, subject: &str, expected: &str) -> ModelDiagnostic {
    ModelDiagnostic::new(
        range,
        ModelCode::ManifestUnexpectedValue,
        format!("{} must be {expected}.", quote_excerpt(subject)),
    )
}

pub(super) fn unknown_key(range: TextRange, key: &str, known_keys: &[&str]) -> ModelDiagnostic {
    let hint = format!("Known here: {}.", known_keys.join(", "));
    ModelDiagnostic::new(
        range,
        ModelCode::ManifestUnknownKey,
        format!("The key '{}' means nothing here.", quote_excerpt(key)),
    )
    .hint(hint)
}
