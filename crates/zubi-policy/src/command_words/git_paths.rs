//! Paths in the words of git: after a revision (`HEAD:.env`), and pathspecs (`:(glob).e*`, gitglossary(7)).

use camino::{Utf8Path, Utf8PathBuf};

use super::{absolute, is_glob};

/// Subcommands that print contents of the files that a pattern names.
const PRINTING: &[&str] = &["log", "show", "diff", "grep", "blame", "whatchanged", "cat-file", "archive"];

/// Returns the folder that the options `-C` of a command of git name; `None` without one.
pub(super) fn find_directory(argv: &[String], directory: Option<&Utf8Path>) -> Option<Utf8PathBuf> {
    argv.first().filter(|program| *program == "git" || program.ends_with("/git"))?;
    let folders = argv.windows(2).filter(|pair| pair.first().is_some_and(|word| word == "-C"));
    let folders = folders.filter_map(|pair| pair.get(1));
    folders.fold(None, |at: Option<Utf8PathBuf>, folder| Some(absolute(folder, at.as_deref().or(directory))))
}

/// Returns the paths and patterns that are parts of a command's words, or that git expands itself.
pub(super) fn find(argv: &[String]) -> Vec<&str> {
    if argv.first().is_none_or(|program| program != "git" && !program.ends_with("/git")) {
        return Vec::new();
    }
    let words = argv.iter().skip(1).map(String::as_str);
    let inner = words.clone().filter(|word| super::content::excluded_path(word).is_none()).filter_map(|word| {
        let (before, path) = word.rsplit_once([':', ')'])?;
        // A message can have a colon, too.
        (!before.contains(char::is_whitespace) && !path.contains(char::is_whitespace)).then_some(path)
    });
    let prints = words.clone().any(|word| PRINTING.contains(&word));
    let patterns = words.filter(|word| prints && !word.starts_with('-') && is_glob(word) && !word.contains(':'));
    inner.chain(patterns).filter(|path| !path.is_empty()).collect()
}
