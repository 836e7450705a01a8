//! The files that a search over many files reads.

use super::options::parse;
use super::{Options, find, has_word, looks_at};

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

/// Returns whether a pattern means the same to `rg`, `grep` and `find`.
fn is_plain_glob(glob: &str) -> bool {
    !glob.is_empty() && !glob.contains(['/', '\\', '{', '[', '!'])
}

/// Returns the patterns of `grep` in the form of those of `rg`. Omits a pattern that may mean something else there: the
/// search then has more files.
fn grep_globs(options: &[(String, Option<String>)]) -> Vec<String> {
    let values = |option: &'static str| {
        options.iter().filter(move |(name, _)| name == option).map(|(_, value)| value.as_deref().unwrap_or_default())
    };
    let folders = values("exclude-dir").map(|value| value.trim_end_matches('/'));
    let folders = folders.filter(|name| is_plain_glob(name) && !name.contains(['*', '?']));
    let mut globs: Vec<String> = folders.map(|name| format!("!{name}/")).collect();
    // If the first of these options is `--exclude`, grep also reads files that no `--include` names.
    let first = options.iter().find(|(name, _)| has_word("include exclude", name));
    if first.is_some_and(|(name, _)| name == "include") && values("include").all(is_plain_glob) {
        globs.splice(0..0, values("include").map(str::to_owned));
    }
    globs
}

/// Programs that print something about each file that `find` passes to them.
const COUNTING: &str = "wc grep egrep fgrep ls stat file md5sum sha1sum sha256sum";

/// The files that `find` passes to a program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FoundFiles<'a> {
    /// The folders in which it searches; empty for the current one.
    pub(crate) folders: Vec<&'a str>,
    /// Patterns of which each file matches one; empty for all files.
    pub(crate) names: Vec<&'a str>,
    pub(crate) may_be_links: bool,
}

/// Returns a command of `find` without the commands that it runs for each file (`-exec wc -l {} +`). `None` if one may do
/// more than to print something about the file.
pub(super) fn without_commands(argv: &[String]) -> Option<Vec<String>> {
    let mut rest = argv.iter();
    let mut outer = Vec::new();
    while let Some(word) = rest.next() {
        if word != "-exec" {
            outer.push(word.clone());
            continue;
        }
        let mut inner: Vec<String> = Vec::new();
        loop {
            match rest.next()?.as_str() {
                ";" | "+" => break,
                word => inner.push(word.to_owned()),
            }
        }
        let is_counting = inner.first().is_some_and(|program| has_word(COUNTING, program));
        let is_fed = inner.iter().any(|word| word == "{}");
        if !is_counting || !is_fed || search_options(&inner).is_some() || looks_at(&inner, false).is_none() {
            return None;
        }
    }
    Some(outer)
}

/// Returns the files that `find` passes to a program; `None` for other commands.
pub(crate) fn found_files(argv: &[String]) -> Option<FoundFiles<'_>> {
    argv.first().filter(|name| *name == "find")?;
    let words: Vec<&str> = argv.iter().skip(1).map(String::as_str).collect();
    words.iter().position(|word| *word == "-exec")?;
    let is_operator = |word: &&&str| has_word("( ) ! , -o -or -not", word);
    let values = |option: &str| {
        let pairs = words.windows(2).filter(|pair| pair.first() == Some(&option));
        pairs.filter_map(|pair| pair.get(1).copied()).collect::<Vec<_>>()
    };
    // With an operator, a file need not match every test.
    let is_conjunction = words.iter().find(is_operator).is_none();
    let names = values("-name");
    let are_plain = names.iter().all(|name| is_plain_glob(name));
    Some(FoundFiles {
        folders: words
            .iter()
            .copied()
            .take_while(|word| !word.starts_with('-') && !has_word("( ) ! ,", word))
            .collect(),
        names: if is_conjunction && are_plain { names } else { Vec::new() },
        may_be_links: !(is_conjunction && values("-type") == ["f"]),
    })
}
