//! What tsserver says about the projects whose files were requested: it may have switched off their language service.

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
    /// The directories of the files about whose project tsserver was queried.
    directories: FxHashSet<Utf8PathBuf>,
    /// The names of the projects without a language service: their configuration files.
    disabled: BTreeSet<String>,
}

impl LanguageServices {
    /// Records that the project of a file is being checked. Returns `false` if it was checked before.
    pub(crate) fn begin_check(&self, file: &Utf8Path) -> bool {
        file.parent().is_some_and(|directory| lock(&self.state).directories.insert(directory.to_owned()))
    }

    /// Records a project without a language service.
    pub(crate) fn add_disabled(&self, project: String) {
        lock(&self.state).disabled.insert(project);
    }

    /// Forgets everything, because files of the projects have changed.
    pub(crate) fn clear(&self) {
        *lock(&self.state) = CheckedProjects::default();
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
