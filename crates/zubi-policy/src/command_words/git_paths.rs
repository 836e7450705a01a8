//! Paths in the words of git: after a revision (`HEAD:.env`), and pathspecs (`:(glob).e*`, gitglossary(7)).

use super::is_glob;

/// Subcommands that print contents of the files that a pattern names.
const PRINTING: &[&str] = &["log", "show", "diff", "grep", "blame", "whatchanged", "cat-file", "archive"];

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
