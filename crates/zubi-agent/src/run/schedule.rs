//! Decides which calls of one answer may run in parallel: those that do not change paths that another call reads or
//! changes.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_host::Explanation;
use zubi_policy::rule::Action;
use zubi_tool_api::{Effect, ToolSpec};

/// The maximum number of parallel calls.
pub(super) const MAX_PARALLEL_CALLS: usize = 8;

/// The toolset whose tools read only the paths in their arguments. Other tools, above all those for code, may read
/// more.
const FILE_TOOLSET: &str = "file";

/// The paths that a call accesses, as far as they matter to other calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallAccess {
    /// The call reads these paths, or any path if `None`.
    Reads(Option<Vec<Utf8PathBuf>>),
    /// The call changes these paths, and may read any other.
    Changes(Vec<Utf8PathBuf>),
    /// The call's paths are unknown, or it requires approval.
    Alone,
}

impl CallAccess {
    /// Derives the access from a call's footprint.
    pub(super) fn from_explanation(spec: &ToolSpec, explained: &Explanation) -> Self {
        let footprint = &explained.footprint;
        let effect = footprint.effect.unwrap_or(spec.effect);
        let has_only_paths =
            footprint.commands.is_empty() && footprint.hosts.is_empty() && footprint.unresolved.is_empty();
        if explained.decision.action != Action::Allow || effect > Effect::Write || !has_only_paths {
            return Self::Alone;
        }
        if effect <= Effect::Plan {
            let has_exact_paths =
                spec.toolset == FILE_TOOLSET && explained.tool == spec.id && !footprint.reads.is_empty();
            return Self::Reads(has_exact_paths.then(|| footprint.reads.clone()));
        }
        if footprint.writes.is_empty() {
            return Self::Alone;
        }
        Self::Changes(footprint.writes.iter().chain(&footprint.reads).cloned().collect())
    }

    /// Whether the two calls must not run at the same time.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Alone, _) | (_, Self::Alone) => true,
            (Self::Reads(_), Self::Reads(_)) => false,
            (Self::Reads(None), Self::Changes(_)) | (Self::Changes(_), Self::Reads(None)) => true,
            (Self::Reads(Some(one)) | Self::Changes(one), Self::Reads(Some(other)) | Self::Changes(other)) => {
                one.iter().any(|path| other.iter().any(|other| overlap(path, other)))
            }
        }
    }
}

fn overlap(one: &Utf8Path, other: &Utf8Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
