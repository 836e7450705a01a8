//! What a call consists of as far as permission goes: each part is judged for itself, and the worst one decides.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use zubi_base::credentials;

use super::Places;
use super::pattern::absolute;
use crate::footprint::Footprint;
use crate::spec::{Approval, Effect, ToolSpec};

/// One thing a call does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    Command(Vec<String>),
    Read(Utf8PathBuf),
    Write(Utf8PathBuf),
    Host(String),
    Secret(String),
    /// What is not told more exactly.
    Effect(Effect),
    /// The call as such: its author wants it to be confirmed.
    Call,
    Unresolved(String),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(argv) => write!(f, "it runs `{}`", argv.join(" ")),
            Self::Read(path) => write!(f, "it reads {path}"),
            Self::Write(path) => write!(f, "it writes {path}"),
            Self::Host(host) => write!(f, "it reaches {host}"),
            Self::Secret(name) => write!(f, "it uses the secret {name}"),
            Self::Effect(Effect::Execute) => f.write_str("it runs something whose effect cannot be known"),
            Self::Effect(Effect::Network) => f.write_str("it reaches beyond this machine"),
            Self::Effect(Effect::Write) => f.write_str("it changes files"),
            Self::Effect(Effect::Read | Effect::Plan) => f.write_str("it only looks"),
            Self::Call => f.write_str("its author wants each call to be confirmed"),
            Self::Unresolved(why) => write!(f, "it cannot be told what it does: {why}"),
        }
    }
}

/// What becomes of a part when no rule means it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Otherwise {
    Allow,
    /// A rule for whole calls is enough to allow it.
    Ask,
    /// Only a rule that names this very kind of part can allow it.
    AskAlways(&'static str),
    Deny(&'static str),
}

/// The parts of a call.
pub(super) fn of(spec: &ToolSpec, footprint: &Footprint) -> Vec<Part> {
    let effect = footprint.effect.unwrap_or(spec.effect);
    let mut parts: Vec<Part> = footprint.unresolved.iter().cloned().map(Part::Unresolved).collect();
    parts.extend(footprint.commands.iter().cloned().map(Part::Command));
    parts.extend(footprint.hosts.iter().cloned().map(Part::Host));
    parts.extend(footprint.secrets.iter().cloned().map(Part::Secret));
    parts.extend(footprint.writes.iter().cloned().map(Part::Write));
    parts.extend(footprint.reads.iter().cloned().map(Part::Read));
    let told = match effect {
        Effect::Execute => !footprint.commands.is_empty(),
        Effect::Network => !footprint.hosts.is_empty(),
        Effect::Read | Effect::Plan | Effect::Write => false,
    };
    if !told {
        parts.push(Part::Effect(effect));
    }
    if spec.approval == Approval::Always {
        parts.push(Part::Call);
    }
    for word in footprint.commands.iter().flatten() {
        if let Some(path) = named_credentials(word, footprint.directory.as_deref()) {
            parts.push(Part::Read(path));
        }
    }
    parts
}

/// What becomes of a part when no rule means it.
pub(super) fn otherwise(part: &Part, places: &Places) -> Otherwise {
    match part {
        Part::Effect(Effect::Read | Effect::Plan | Effect::Write) => Otherwise::Allow,
        Part::Effect(_) | Part::Call | Part::Host(_) => Otherwise::Ask,
        Part::Unresolved(_) => Otherwise::AskAlways("what cannot be told is never allowed by a rule"),
        Part::Secret(_) => Otherwise::Ask,
        Part::Command(argv) if argv.first().is_some_and(|program| is_harmless(program, argv)) => Otherwise::Allow,
        Part::Command(_) => Otherwise::Ask,
        Part::Read(path) if credentials::hold(path) => Otherwise::AskAlways("credentials are kept there"),
        Part::Read(_) => Otherwise::Allow,
        Part::Write(path) => places.write(path),
    }
}

impl Places {
    fn write(&self, path: &Utf8Path) -> Otherwise {
        let own = self.own.iter().any(|own| path.starts_with(own));
        let Some(root) = self.roots.iter().find(|root| path.starts_with(root)) else {
            return match () {
                () if own => Otherwise::Deny("a call never changes zubi's own settings and records"),
                () if credentials::hold(path) => Otherwise::AskAlways("credentials are kept there"),
                () if ["/tmp", "/var/tmp"].iter().any(|temporary| path.starts_with(temporary)) => Otherwise::Allow,
                () => Otherwise::Ask,
            };
        };
        if own {
            return Otherwise::Deny("a call never changes zubi's own settings and records");
        }
        let below = path.strip_prefix(root).unwrap_or(path);
        let first = below.components().next().map_or("", |component| component.as_str());
        if below.components().any(|component| component.as_str() == ".git") {
            Otherwise::AskAlways("programs run from `.git`")
        } else if first == ".zubi.toml"
            || below.starts_with(".vscode/agent-tools")
            || below == ".vscode/agent-tools.json"
        {
            Otherwise::AskAlways("it decides what tools may do")
        } else if credentials::hold(path) {
            Otherwise::AskAlways("credentials are kept there")
        } else {
            Otherwise::Allow
        }
    }
}

/// Built-ins of shells that touch nothing besides the shell; what redirections write is judged by itself.
fn is_harmless(program: &str, argv: &[String]) -> bool {
    const NAMES: &[&str] = &[
        "cd", ":", "true", "false", "echo", "printf", "test", "[", "[[", "pwd", "exit", "return", "break", "continue",
        "shift", "set", "export", "local", "readonly", "declare", "wait", "umask", "times", "type", "jobs", "sleep",
        "exec",
    ];
    NAMES.contains(&program) || (program == "command" && matches!(argv.get(1).map(String::as_str), Some("-v" | "-V")))
}

/// The path that a command's word names, if credentials are kept there.
fn named_credentials(word: &str, directory: Option<&Utf8Path>) -> Option<Utf8PathBuf> {
    let value = word.rsplit_once('=').map_or(word, |(_, value)| value);
    let value = value.strip_prefix('@').unwrap_or(value);
    if value.len() > 4096 || value.contains('\n') || value.contains("://") {
        return None;
    }
    let path = absolute(value, directory);
    (credentials::hold(&path) && directory.is_none_or(|directory| path != directory)).then_some(path)
}
