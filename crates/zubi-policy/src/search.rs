//! Rules about reading, applied to a tool that shows contents of files below a folder.

use camino::Utf8Path;
use zubi_base::credentials::{FileSearch, SearchScope};
use zubi_base::escape::printable;

use crate::footprint::Footprint;
use crate::rule::{Action, CompiledRule};

/// Returns the action, the source and the reason of each rule about a file below a folder that a call searches.
pub(super) fn apply_rules(
    folder: &Utf8Path,
    footprint: &Footprint,
    rules: &[&CompiledRule],
) -> Vec<(Action, String, String)> {
    let globs: Vec<&str> = footprint.search_pattern.as_deref().into_iter().collect();
    let scope = SearchScope { has_hidden: true, ..SearchScope::default() };
    let rules = rules.iter().filter(|rule| rule.has_read_paths() && folder.is_dir());
    let apply = |rule: &&&CompiledRule| {
        // The search itself leaves out files with credentials.
        let is_wanted = |path: &Utf8Path| rule.reads(path) && !zubi_base::credentials::is_credential_path(path);
        let found = FileSearch { globs: &globs, types: &[], scope }.find_files(folder, &is_wanted);
        let (action, reason) = match found.paths.first() {
            Some(path) => {
                let name = printable(path.as_str());
                (rule.text.action, format!("it searches {name}, and a rule is about that; narrow its path or pattern"))
            }
            None if found.is_complete || !rule.reads_below(folder) => return None,
            None => (Action::Ask, "it searches more files than are looked at, and a rule is about some".to_owned()),
        };
        Some((action, rule.source.clone(), reason))
    };
    rules.filter_map(|rule| apply(&rule)).collect()
}
