//! Unresolved imports: the reason in the words of DomainLang's original tools, and the fixes.

use std::borrow::Cow;

use camino::Utf8Path;
use dlang_model::{ImportProblem, ModelCode, rule_codes};
use dlang_syntax::message_with_hint;

use crate::files::MANIFEST;
use crate::fix::{Fix, FixAction};
use crate::manifest::{self, Fault, is_owner_and_repo};
use crate::modules::Module;
use crate::yaml::quote_excerpt;

/// The reason why an import does not resolve. The texts are stable: programs read them as `data.reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    FileNotFound,
    UnknownAlias,
    MissingManifest,
    NotInstalled,
    DependencyNotFound,
    MissingEntry,
    Unresolvable,
    EscapesWorkspace,
}

impl Reason {
    /// Returns the stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FileNotFound => "file-not-found",
            Self::UnknownAlias => "unknown-alias",
            Self::MissingManifest => "missing-manifest",
            Self::NotInstalled => "not-installed",
            Self::DependencyNotFound => "dependency-not-found",
            Self::MissingEntry => "missing-entry",
            Self::Unresolvable => "unresolvable",
            Self::EscapesWorkspace => "escapes-workspace",
        }
    }
}

/// An unresolved import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedImport {
    /// [`ModelCode::ImportUnresolved`], or the code of the manifest's invalid row that is the reason.
    pub code: ModelCode,
    pub reason: Reason,
    /// The message at the import, without the hint.
    pub message: String,
    pub hint: Option<Cow<'static, str>>,
    pub specifier: String,
}

impl UnresolvedImport {
    /// Creates the error; `advice` is a hint for this case only.
    pub(super) fn new(specifier: &str, reason: Reason, advice: Option<String>) -> Self {
        const GENERAL: &str = "Check that the file exists and the path is correct.";
        let hint = Some(advice.map_or(GENERAL.into(), |advice| format!("{GENERAL}: {advice}").into()));
        let message = format!("Cannot resolve import '{}'.", quote_excerpt(specifier));
        Self { code: ModelCode::ImportUnresolved, reason, message, hint, specifier: specifier.to_owned() }
    }

    pub(super) fn empty() -> Self {
        Self {
            code: ModelCode::ImportMissingUri,
            reason: Reason::Unresolvable,
            message: r#"Import statement must have a URI. Use: import "package" or import "./local-path""#.to_owned(),
            hint: None,
            specifier: String::new(),
        }
    }

    pub(super) fn not_found(specifier: &str) -> Self {
        let hint = "Check that the file exists and the path is correct.";
        Self::new(specifier, Reason::FileNotFound, Some(hint.to_owned()))
    }

    pub(super) fn not_found_with_extension(specifier: &str) -> Self {
        let hint = "Check that the path is correct and the file exists.";
        Self::new(specifier, Reason::FileNotFound, Some(hint.to_owned()))
    }

    /// Creates the error for a path below a package. It has no hint, because only the package's maintainers can fix it.
    pub(super) fn not_in_package(specifier: &str) -> Self {
        Self::new(specifier, Reason::FileNotFound, None)
    }

    pub(super) fn extension(specifier: &str) -> Self {
        let hint = "DomainLang files must use the .dlang extension.";
        Self::new(specifier, Reason::Unresolvable, Some(hint.to_owned()))
    }

    pub(super) fn missing_entry(specifier: &str, entry: &str) -> Self {
        let hint = format!("Create '{}' in that folder, or set model.entry in its model.yaml.", quote_excerpt(entry));
        Self::new(specifier, Reason::MissingEntry, Some(hint))
    }

    pub(super) fn outside_workspace(specifier: &str) -> Self {
        let hint = "Relative imports must stay within the workspace directory.";
        Self::new(specifier, Reason::EscapesWorkspace, Some(hint.to_owned()))
    }

    pub(super) fn outside_target(specifier: &str) -> Self {
        let hint = "Import path escapes the alias target directory.";
        Self::new(specifier, Reason::EscapesWorkspace, Some(hint.to_owned()))
    }

    pub(super) fn outside_dependency(specifier: &str) -> Self {
        let hint = "Import path escapes the folder of the dependency.";
        Self::new(specifier, Reason::EscapesWorkspace, Some(hint.to_owned()))
    }

    pub(super) fn missing_manifest(specifier: &str) -> Self {
        let hint = format!("Create model.yaml and add the dependency:\n{}", sample(specifier));
        Self::new(specifier, Reason::MissingManifest, Some(hint))
    }

    pub(super) fn not_installed(specifier: &str) -> Self {
        let hint = "Run 'dlang install' to fetch dependencies and generate model.lock.";
        Self::new(specifier, Reason::NotInstalled, Some(hint.to_owned()))
    }

    pub(super) fn unknown_dependency(specifier: &str) -> Self {
        let sample = sample(specifier);
        let hint = format!("Add it to your dependencies:\n{sample}\nThen run 'dlang install' to fetch it.");
        Self::new(specifier, Reason::DependencyNotFound, Some(hint))
    }

    pub(super) fn unknown_alias(specifier: &str) -> Self {
        let alias = specifier.split('/').next().unwrap_or_default();
        let hint = format!(
            "Define it in model.yaml paths section:\n  paths:\n    \"{}\": \"./some/path\"",
            quote_excerpt(alias)
        );
        Self::new(specifier, Reason::UnknownAlias, Some(hint))
    }

    /// Creates the error for a key that is not before an error of the manifest, whose rest was not read.
    pub(super) fn after_yaml_error(specifier: &str, reason: Reason) -> Self {
        let hint = "Put the YAML error of model.yaml right: nothing behind it is read.";
        Self::new(specifier, reason, Some(hint.to_owned()))
    }

    /// Creates the error for a specifier of an invalid row of the manifest, with the message of that row.
    pub(super) fn broken(specifier: &str, fault: &Fault) -> Self {
        Self {
            code: fault.code,
            reason: match fault.code {
                ModelCode::ImportEscapesWorkspace
                | ModelCode::ImportAbsolutePath
                | ModelCode::ManifestPathAliasAbsolutePath => Reason::EscapesWorkspace,
                _ => Reason::Unresolvable,
            },
            message: fault.message.clone(),
            hint: fault.hint.clone(),
            specifier: specifier.to_owned(),
        }
    }

    /// Returns message and hint as one text.
    pub fn text(&self) -> String {
        message_with_hint(&self.message, self.hint.as_deref())
    }

    /// Returns the import's outcome for the model, with [`ModelCode::ImportUnresolved`] instead of a code that no rule
    /// of the model reports.
    pub fn into_outcome(self) -> ImportProblem {
        let code = rule_codes().find(|code| *code == self.code).unwrap_or(ModelCode::ImportUnresolved);
        ImportProblem { code, reason: self.reason.as_str(), message: self.message, hint: self.hint }
    }

    /// Returns the fixes. `module` is the importing file's.
    pub fn fixes(&self, module: &Module) -> Vec<Fix> {
        let key = dependency_key(&self.specifier);
        let manifest = module.manifest.as_ref();
        let fix = match self.reason {
            Reason::MissingManifest => Some(manifest::create(&module.root.join(MANIFEST), key)),
            Reason::DependencyNotFound => {
                manifest.and_then(|file| manifest::add_dependency(&file.path, &file.text, key))
            }
            Reason::NotInstalled => Some(install(&module.root, key)),
            Reason::Unresolvable => manifest.and_then(|file| {
                let mut broken = file
                    .diagnostics
                    .iter()
                    .filter(|it| it.code == self.code && it.message == self.message && it.hint == self.hint);
                broken.find_map(|it| manifest::fixes(&file.path, &file.text, it).into_iter().next())
            }),
            Reason::FileNotFound | Reason::UnknownAlias | Reason::MissingEntry | Reason::EscapesWorkspace => None,
        };
        fix.into_iter().collect()
    }
}

fn install(folder: &Utf8Path, key: &str) -> Fix {
    Fix {
        title: format!("Run 'dlang install' to fetch '{}'", quote_excerpt(key)),
        preferred: true,
        action: FixAction::Run { folder: folder.to_owned(), command: "dlang install" },
    }
}

/// Returns sample rows for a hint.
fn sample(specifier: &str) -> String {
    format!("  dependencies:\n    {}:\n      ref: v1.0.0", quote_excerpt(specifier))
}

/// Returns the key that makes a specifier valid: `owner/repo` if it begins with that, else all of it.
fn dependency_key(specifier: &str) -> &str {
    let end = specifier.match_indices('/').nth(1).map_or(specifier.len(), |(at, _)| at);
    specifier.get(..end).filter(|key| is_owner_and_repo(key)).unwrap_or(specifier)
}
