//! The projects of a tsserver without a language service.

use std::collections::BTreeSet;
use std::sync::Mutex;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use zubi_base::sync::lock;

/// The projects of one tsserver without a language service. Empty for other servers.
#[derive(Debug, Default)]
pub(crate) struct LanguageServices {
    state: Mutex<CheckedProjects>,
}

#[derive(Debug, Default)]
struct CheckedProjects {
    /// The number of changes of files, by which the result of an earlier check is known.
    changes: u64,
    /// The files whose projects are known. The files of a directory can be in different projects.
    files: FxHashSet<Utf8PathBuf>,
    /// The names of the projects without a language service: their configuration files.
    disabled: BTreeSet<String>,
}

impl LanguageServices {
    /// Returns the number of changes so far, for [`Self::add`]. `None` if the project of the file is known.
    pub(crate) fn begin_check(&self, file: &Utf8Path) -> Option<u64> {
        let state = lock(&self.state);
        (!state.files.contains(file)).then_some(state.changes)
    }

    /// Records the result of a check: the name of the file's project if it has no language service.
    pub(crate) fn add(&self, file: &Utf8Path, changes: u64, disabled: Option<String>) {
        let mut state = lock(&self.state);
        if state.changes == changes {
            state.files.insert(file.to_owned());
            state.disabled.extend(disabled);
        }
    }

    /// Forgets all results, because files of the projects have changed.
    pub(crate) fn clear(&self) {
        let mut state = lock(&self.state);
        *state = CheckedProjects { changes: state.changes + 1, ..CheckedProjects::default() };
    }

    /// Returns the reason why answers are incomplete.
    pub(crate) fn describe(&self) -> Option<String> {
        let state = lock(&self.state);
        let project = state.disabled.first()?;
        let more = if state.disabled.len() > 1 { " and of others" } else { "" };
        Some(format!(
            "the language service of `{project}`{more} is off, because the project has more than 20 MB of JavaScript: \
             exclude it, or set `disableSizeLimit` in compilerOptions"
        ))
    }
}
