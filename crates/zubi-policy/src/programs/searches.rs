//! The files that a search over many files reads.

use super::options::parse;
use super::{Options, find, has_word};

/// The options of a search that select files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchOptions {
    /// Patterns of the files, as those of `rg -g`.
    pub(crate) globs: Vec<String>,
    pub(crate) types: Vec<String>,
    pub(crate) reads_hidden: bool,
    pub(crate) reads_ignored: bool,
}

/// Returns the options of a command that prints contents of all files below its folders; `None` for other commands, also
/// for those that print only names.
pub(crate) fn search_options(argv: &[String]) -> Option<SearchOptions> {
    let name = argv.first()?;
    let row = find(name, "")?;
    let options = parse(row, Options::Only(row.looking?), argv, 1).options;
    let count = |names: &str| options.iter().filter(|(name, _)| has_word(names, name)).count();
    if name == "rg" {
        if count("files type-list") > 0 {
            return None;
        }
        let values = |names: &str| {
            let named = options.iter().filter(|(name, _)| has_word(names, name));
            named.filter_map(|(_, value)| value.clone()).collect()
        };
        let unrestricted = count("u unrestricted");
        return Some(SearchOptions {
            globs: values("g glob"),
            types: values("t type"),
            reads_hidden: unrestricted > 1 || count("hidden .") > 0,
            reads_ignored: unrestricted > 0 || count("no-ignore no-ignore-vcs") > 0,
        });
    }
    let is_recursive_grep = has_word("grep egrep fgrep", name) && count("r recursive") > 0;
    is_recursive_grep.then(|| SearchOptions {
        globs: grep_globs(&options),
        reads_hidden: true,
        reads_ignored: true,
        ..SearchOptions::default()
    })
}

/// Returns the patterns of `grep` in the form of those of `rg`. Omits a pattern that may mean something else there: the
/// search then has more files.
fn grep_globs(options: &[(String, Option<String>)]) -> Vec<String> {
    let is_plain = |value: &str| !value.is_empty() && !value.contains(['/', '\\', '{', '[', '!']);
    let values = |option: &'static str| {
        options.iter().filter(move |(name, _)| name == option).map(|(_, value)| value.as_deref().unwrap_or_default())
    };
    let folders = values("exclude-dir").map(|value| value.trim_end_matches('/'));
    let folders = folders.filter(|name| is_plain(name) && !name.contains(['*', '?']));
    let mut globs: Vec<String> = folders.map(|name| format!("!{name}/")).collect();
    // If the first of these options is `--exclude`, grep also reads files that no `--include` names.
    let first = options.iter().find(|(name, _)| has_word("include exclude", name));
    if first.is_some_and(|(name, _)| name == "include") && values("include").all(is_plain) {
        globs.splice(0..0, values("include").map(str::to_owned));
    }
    globs
}
