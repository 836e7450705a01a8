//! Which calls of one answer may run side by side: those that do not change what another one looks at or changes.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_host::Explanation;
use zubi_policy::rule::Action;
use zubi_tool_api::{Effect, ToolSpec};

/// The most calls at once.
pub(super) const MAX_PARALLEL_CALLS: usize = 8;

/// The tools of files: they look at what they name and at nothing else. Others, those about code above all, look around.
const NAMES_ALL: &str = "file";

/// What a call touches, as far as others care.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallAccess {
    /// It looks at these, or at anything.
    Looks(Option<Vec<Utf8PathBuf>>),
    /// It changes these, and may look at anything else.
    Changes(Vec<Utf8PathBuf>),
    /// It cannot be told, or a person is asked about it.
    Alone,
}

impl CallAccess {
    /// Of a call whose footprint was worked out.
    pub(super) fn from_explanation(spec: &ToolSpec, explained: &Explanation) -> Self {
        let footprint = &explained.footprint;
        let effect = footprint.effect.unwrap_or(spec.effect);
        let is_told = footprint.commands.is_empty() && footprint.hosts.is_empty() && footprint.unresolved.is_empty();
        if explained.judgement.action != Action::Allow || effect > Effect::Write || !is_told {
            return Self::Alone;
        }
        if effect <= Effect::Plan {
            let names_all = spec.toolset == NAMES_ALL && explained.tool == spec.id && !footprint.reads.is_empty();
            return Self::Looks(names_all.then(|| footprint.reads.clone()));
        }
        if footprint.writes.is_empty() {
            return Self::Alone;
        }
        Self::Changes(footprint.writes.iter().chain(&footprint.reads).cloned().collect())
    }

    /// Whether the two must not run at the same time.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Alone, _) | (_, Self::Alone) => true,
            (Self::Looks(_), Self::Looks(_)) => false,
            (Self::Looks(None), Self::Changes(_)) | (Self::Changes(_), Self::Looks(None)) => true,
            (Self::Looks(Some(one)) | Self::Changes(one), Self::Looks(Some(other)) | Self::Changes(other)) => {
                one.iter().any(|path| other.iter().any(|other| overlap(path, other)))
            }
        }
    }
}

fn overlap(one: &Utf8Path, other: &Utf8Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
