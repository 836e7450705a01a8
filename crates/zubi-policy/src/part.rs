//! The parts of a call that need permission. The policy judges each part, and the strictest decision counts.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use zubi_base::credentials;
use zubi_base::escape::printable;

use super::command_words::{self, Credentials};
use super::file_effect::{FileEffect, classify_file};
use super::pattern::is_glob;
use super::server_files::is_run_by_servers;
use super::{PolicyPaths, looking};
use crate::footprint::Footprint;
use crate::spec::{Approval, Effect, ToolSpec};

/// One part of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    Command(Vec<String>),
    Read(Utf8PathBuf),
    /// A location of credentials among a command's words, or a glob pattern that may expand to one (`.ssh/*`).
    MayRead(Utf8PathBuf),
    /// A word that is not a path, such as a program text, and names a location of credentials.
    Mentions(String),
    Write(Utf8PathBuf),
    Host(String),
    Secret(String),
    /// An effect without further detail.
    Effect(Effect),
    /// The call itself, because the tool's author requires approval of each call.
    Call,
    Unresolved(String),
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(argv) => write!(f, "it runs `{}`", printable(&argv.join(" "))),
            Self::Read(path) => write!(f, "it reads {}", printable(path.as_str())),
            Self::MayRead(path) => write!(f, "it may read {}", printable(path.as_str())),
            Self::Mentions(word) => write!(f, "it mentions a place of credentials: `{}`", printable(word)),
            Self::Write(path) => write!(f, "it writes {}", printable(path.as_str())),
            Self::Host(host) if host == "*" => f.write_str("it reaches any host"),
            Self::Host(host) => write!(f, "it reaches {}", printable(host)),
            Self::Secret(name) => write!(f, "it uses the secret {}", printable(name)),
            Self::Effect(Effect::Execute) => f.write_str("it runs something whose effect cannot be known"),
            Self::Effect(Effect::Network) => f.write_str("it reaches beyond this machine"),
            Self::Effect(Effect::Write) => f.write_str("it changes files"),
            Self::Effect(Effect::Read | Effect::Plan) => f.write_str("it only looks"),
            Self::Call => f.write_str("its author wants each call to be confirmed"),
            Self::Unresolved(reason) => write!(f, "its effects cannot be determined: {reason}"),
        }
    }
}

impl Access {
    /// Returns the words of the command that the part runs.
    pub(super) fn command(&self) -> Option<&[String]> {
        match self {
            Self::Command(argv) => Some(argv),
            _ => None,
        }
    }

    /// Returns whether a rule can describe exactly this part, so that an approval of it can be stored.
    pub(super) fn is_storable(&self) -> bool {
        match self {
            Self::Unresolved(_) | Self::Mentions(_) => false,
            Self::MayRead(path) => !is_glob(path.as_str()),
            _ => true,
        }
    }
}

/// The decision about a part that no rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DefaultAction {
    Allow,
    /// A rule for whole calls is sufficient to allow the part.
    Ask,
    /// Only a rule about this kind of part can allow it.
    AskUnlessSpecificRule(&'static str),
    Deny(&'static str),
}

/// Returns the parts of a call.
pub(super) fn find_accesses(spec: &ToolSpec, footprint: &Footprint, home: Option<&Utf8Path>) -> Vec<Access> {
    let effect = footprint.effect.unwrap_or(spec.effect);
    if footprint.delegated_call.is_some() {
        return vec![Access::Effect(effect)];
    }
    let mut parts: Vec<Access> = footprint.unresolved.iter().cloned().map(Access::Unresolved).collect();
    parts.extend(footprint.commands.iter().cloned().map(Access::Command));
    parts.extend(footprint.hosts.iter().cloned().map(Access::Host));
    parts.extend(footprint.secrets.iter().cloned().map(Access::Secret));
    parts.extend(footprint.writes.iter().cloned().map(Access::Write));
    parts.extend(footprint.reads.iter().cloned().map(Access::Read));
    let is_effect_covered = match effect {
        Effect::Execute => !footprint.commands.is_empty(),
        Effect::Network => !footprint.hosts.is_empty(),
        Effect::Read | Effect::Plan | Effect::Write => false,
    };
    if !is_effect_covered {
        parts.push(Access::Effect(effect));
    }
    if spec.approval == Approval::Always {
        parts.push(Access::Call);
    }
    for found in command_words::credentials(footprint, home) {
        parts.push(match found {
            Credentials::Path(path) => Access::MayRead(path),
            Credentials::Mentioned(word) => Access::Mentions(word),
            Credentials::Searched(reason) => Access::Unresolved(reason),
        });
    }
    parts
}

/// Returns the decision about a part that no rule matches.
pub(super) fn default_action(part: &Access, policy_paths: &PolicyPaths, footprint: &Footprint) -> DefaultAction {
    match part {
        Access::Effect(Effect::Read | Effect::Plan | Effect::Write) => DefaultAction::Allow,
        Access::Effect(_) | Access::Call | Access::Host(_) => DefaultAction::Ask,
        // The user who trusted the file has read this text, and arguments cannot add to its effects.
        Access::Unresolved(_) if footprint.is_reviewed => DefaultAction::Ask,
        Access::Unresolved(_) => {
            DefaultAction::AskUnlessSpecificRule("a rule never allows effects that cannot be determined")
        }
        Access::Secret(_) => DefaultAction::Ask,
        Access::Command(argv) if looking::is_harmless(argv, footprint, policy_paths) => DefaultAction::Allow,
        Access::Command(_) => DefaultAction::Ask,
        Access::Read(path) if credentials::is_credential_path(path) => {
            DefaultAction::AskUnlessSpecificRule("credentials are stored there")
        }
        Access::MayRead(path) if is_glob(path.as_str()) && !credentials::is_credential_path(path) => {
            DefaultAction::AskUnlessSpecificRule("its matches may include credentials")
        }
        Access::MayRead(_) => DefaultAction::AskUnlessSpecificRule("credentials are stored there"),
        Access::Mentions(_) => {
            DefaultAction::AskUnlessSpecificRule("whether it reads the files there cannot be determined")
        }
        Access::Read(path) if looking::has_key(path) => {
            DefaultAction::AskUnlessSpecificRule("the file begins like a private key")
        }
        Access::Read(_) => DefaultAction::Allow,
        Access::Write(path) => policy_paths.write_action(path, footprint.checked),
    }
}

impl PolicyPaths {
    /// Returns the decision about a written path that no rule matches. For `checked`, see [`Footprint::checked`].
    fn write_action(&self, path: &Utf8Path, checked: bool) -> DefaultAction {
        let is_own = self.zubi_directories.iter().any(|directory| path.starts_with(directory));
        let Some(root) = self.roots.iter().find(|root| path.starts_with(root)) else {
            return match () {
                () if is_own => DefaultAction::Deny("a call never changes zubi's own settings and records"),
                () if credentials::is_credential_path(path) => {
                    DefaultAction::AskUnlessSpecificRule("credentials are stored there")
                }
                () if ["/tmp", "/var/tmp"].iter().any(|temporary| path.starts_with(temporary)) => DefaultAction::Allow,
                () => DefaultAction::Ask,
            };
        };
        if is_own {
            return DefaultAction::Deny("a call never changes zubi's own settings and records");
        }
        let relative = path.strip_prefix(root).unwrap_or(path);
        match classify_file(relative) {
            Some(FileEffect::Programs(_)) if checked => DefaultAction::Allow,
            Some(FileEffect::Programs(reason) | FileEffect::Rights(reason)) => {
                DefaultAction::AskUnlessSpecificRule(reason)
            }
            None if credentials::is_credential_path(path) => {
                DefaultAction::AskUnlessSpecificRule("credentials are stored there")
            }
            None => match self.server_file_reason(root, relative) {
                Some(reason) if !checked => DefaultAction::AskUnlessSpecificRule(reason),
                _ => DefaultAction::Allow,
            },
        }
    }

    /// Returns the reason why writing a path needs approval whatever the rule, because programs run or obey the file of
    /// themselves.
    pub(super) fn automatic_file_reason(&self, path: &Utf8Path) -> Option<&'static str> {
        if self.zubi_directories.iter().any(|directory| path.starts_with(directory)) {
            return Some("zubi's own settings and records are there");
        }
        let root = self.roots.iter().find(|root| path.starts_with(root))?;
        let relative = path.strip_prefix(root).unwrap_or(path);
        match classify_file(relative) {
            Some(FileEffect::Programs(reason) | FileEffect::Rights(reason)) => Some(reason),
            None => self.server_file_reason(root, relative),
        }
    }

    /// Returns the reason why writing a file below a workspace folder needs approval: servers run it without a sandbox.
    fn server_file_reason(&self, root: &Utf8Path, relative: &Utf8Path) -> Option<&'static str> {
        (self.server_files.need_approval() && is_run_by_servers(root, relative))
            .then_some("language servers without a sandbox run what is written there")
    }
}
