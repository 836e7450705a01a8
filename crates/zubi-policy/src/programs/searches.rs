//! The files that a search over many files reads.

use camino::Utf8Path;
use zubi_base::credentials::SearchScope;

use super::options::{ParsedWords, parse};
use super::{Options, Program, find, has_word, looks_at};

/// The options of a search that select files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchOptions {
    /// Patterns of the files, as those of `rg -g`.
    pub(crate) globs: Vec<String>,
    pub(crate) types: Vec<String>,
    pub(crate) scope: SearchScope,
}

/// Returns the options of a command that prints contents of all files below its folders; `None` for other commands, also
/// for those that print only names.
pub(crate) fn search_options(argv: &[String]) -> Option<SearchOptions> {
    let name = argv.first()?;
    let row = find(name, "")?;
    let arguments = parse(row, Options::Only(row.looking?), argv, 1);
    let options = &arguments.options;
    let count = |names: &str| options.iter().filter(|(name, _)| has_word(names, name)).count();
    if name == "rg" {
        return (count("files type-list") == 0).then(|| ignoring_options(&arguments));
    }
    let is_recursive_grep = has_word("grep egrep fgrep", name) && count("r recursive") > 0;
    is_recursive_grep.then(|| SearchOptions {
        globs: grep_globs(options),
        scope: SearchScope::ALL,
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
pub(crate) struct PassedFiles<'a> {
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
pub(crate) fn passed_files(argv: &[String]) -> Option<PassedFiles<'_>> {
    argv.first().filter(|name| *name == "find")?;
    let words: Vec<&str> = argv.iter().skip(1).map(String::as_str).collect();
    let action = words.iter().position(|word| *word == "-exec")?;
    // Only the tests before a command limit its files.
    let tests = words.get(..action)?;
    let is_operator = |word: &&&str| has_word("( ) ! , -o -or -not", word);
    let values = |option: &str| {
        let pairs = tests.windows(2).filter(|pair| pair.first() == Some(&option));
        pairs.filter_map(|pair| pair.get(1).copied()).collect::<Vec<_>>()
    };
    // With an operator, a file need not match every test.
    let is_conjunction = words.iter().find(is_operator).is_none();
    let names = values("-name");
    let are_plain = names.iter().all(|name| is_plain_glob(name));
    Some(PassedFiles {
        folders: words
            .iter()
            .copied()
            .take_while(|word| !word.starts_with('-') && !has_word("( ) ! ,", word))
            .collect(),
        names: if is_conjunction && are_plain { names } else { Vec::new() },
        may_be_links: !(is_conjunction && values("-type") == ["f"]),
    })
}

/// The files whose contents a command prints although none of its words names them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ContentSearch {
    /// The paths below which it reads; without one, the directory.
    pub(crate) paths: Vec<String>,
    pub(crate) options: SearchOptions,
    pub(crate) source: ContentSource,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ContentSource {
    #[default]
    Folders,
    /// The files that git tracks.
    Tracked,
    /// Changes of files that git tracks or has tracked. `is_past`: also those of files that no longer exist.
    Changes { is_past: bool },
}

/// Options of `git log` that print no changes of files.
const WITHOUT_CHANGES: &str = "-0123456789gs -n= -S= -G= --oneline --stat[=] --name-only --name-status --graph --decorate[=] \
    --no-decorate --format= --pretty[=] --since= --until= --after= --before= --author= --committer= --grep= --no-patch --all \
    --branches[=] --tags[=] --remotes[=] --no-color --color[=] --abbrev-commit --reverse --first-parent --no-merges --merges \
    --max-count= --skip= --date= --shortstat --numstat --summary --follow --cached --staged --diff-filter= --topo-order --raw \
    --date-order --left-right --check --quiet --exit-code";

/// Programs after `-exec` that print no contents of their files.
const NAMES_ONLY: &str = "echo printf ls stat rm rmdir chmod chown touch basename dirname test [ du realpath readlink mv ln mkdir \
    wc md5sum sha1sum sha256sum true";

/// Returns the search that a command makes; `None` if it reads only the files that its words name.
pub(crate) fn content_search(argv: &[String]) -> Option<ContentSearch> {
    let program = argv.first()?;
    match Utf8Path::new(program).file_name()? {
        "git" => git_search(argv),
        "find" => find_search(argv),
        name @ ("rg" | "ag" | "ack") => Some(ignoring_search(argv, find(name, "")?)).filter(|_| !lists_files(argv)),
        name @ ("grep" | "egrep" | "fgrep" | "rgrep" | "diff") => {
            recursive_search(argv, name, find(if name == "rgrep" { "grep" } else { name }, "")?)
        }
        _ => None,
    }
}

fn lists_files(argv: &[String]) -> bool {
    argv.iter().any(|word| word == "--files" || word == "--type-list" || word == "--version")
}

/// A search of `rg` or a similar program.
fn ignoring_search(argv: &[String], row: &Program) -> ContentSearch {
    let arguments = parse(row, row.covered, argv, 1);
    let has_pattern = arguments.options.iter().any(|(name, _)| has_word("e regexp f file", name));
    let operands = arguments.operands.iter().skip(usize::from(!has_pattern));
    ContentSearch { paths: words(argv, operands), options: ignoring_options(&arguments), ..ContentSearch::default() }
}

/// Returns the options of `rg` that select files. One that is not known may select any.
fn ignoring_options(arguments: &ParsedWords) -> SearchOptions {
    let count = |names: &str| arguments.options.iter().filter(|(name, _)| has_word(names, name)).count();
    let values = |names: &str| {
        let named = arguments.options.iter().filter(|(name, _)| has_word(names, name));
        named.filter_map(|(_, value)| value.clone()).collect()
    };
    let is_unknown = !arguments.refused.is_empty();
    let unrestricted = count("u unrestricted");
    SearchOptions {
        globs: values("g glob"),
        types: values("t type"),
        scope: SearchScope {
            has_hidden: is_unknown || unrestricted > 1 || count("hidden .") > 0,
            has_ignored: is_unknown || unrestricted > 0 || count("no-ignore no-ignore-vcs") > 0,
            follows_links: count("L follow") > 0,
        },
    }
}

/// A search of `grep -r` or `diff -r`.
fn recursive_search(argv: &[String], name: &str, row: &Program) -> Option<ContentSearch> {
    let arguments = parse(row, row.covered, argv, 1);
    let has = |names: &[&str]| arguments.options.iter().any(|(name, _)| names.contains(&name.as_str()));
    let is_unknown = arguments.refused.iter().any(|index| argv.get(*index).is_some_and(|word| word.starts_with('-')));
    if name != "rgrep" && !is_unknown && !has(&["r", "R", "recursive"]) {
        return None;
    }
    let scope = SearchScope { follows_links: is_unknown || has(&["R"]), ..SearchScope::ALL };
    let mut options = SearchOptions { scope, ..SearchOptions::default() };
    for (name, value) in &arguments.options {
        match (name.as_str(), value) {
            ("include", Some(value)) => options.globs.push(value.clone()),
            ("exclude" | "exclude-dir", Some(value)) => options.globs.push(format!("!{value}")),
            _ => {}
        }
    }
    let skipped = usize::from(name != "diff" && !has(&["e", "regexp", "f", "file"]));
    let paths = words(argv, arguments.operands.iter().skip(skipped));
    Some(ContentSearch { paths, options, ..ContentSearch::default() })
}

/// The files that `find` gives to another program.
fn find_search(argv: &[String]) -> Option<ContentSearch> {
    let is_action = |word: &String| ["-exec", "-execdir", "-ok", "-okdir"].contains(&word.as_str());
    let actions = argv.iter().enumerate().filter(|(_, word)| is_action(word));
    let mut programs = actions.filter_map(|(at, _)| argv.get(at + 1));
    programs.find(|program| !has_word(NAMES_ONLY, Utf8Path::new(program).file_name().unwrap_or(program)))?;
    let paths = argv.iter().skip(1).skip_while(|word| ["-H", "-L", "-P"].contains(&word.as_str()));
    let paths = paths.take_while(|word| !word.starts_with(['-', '(', '!'])).cloned().collect();
    // Without other conditions, the files have this name.
    let is_plain = !argv.iter().any(|word| ["-o", "-or", "!", "-not", "(", ","].contains(&word.as_str()));
    let tests = argv.iter().position(is_action).and_then(|action| argv.get(..action)).unwrap_or_default();
    let name = tests.iter().position(|word| word == "-name").and_then(|at| tests.get(at + 1)).filter(|_| is_plain);
    let follows_links = argv.iter().any(|word| word == "-L" || word == "-follow");
    Some(ContentSearch {
        paths,
        options: SearchOptions {
            globs: name.into_iter().cloned().collect(),
            scope: SearchScope { follows_links, ..SearchScope::ALL },
            ..SearchOptions::default()
        },
        ..ContentSearch::default()
    })
}

/// The files that a command of git prints without naming them.
fn git_search(argv: &[String]) -> Option<ContentSearch> {
    const SUBCOMMANDS: &[&str] = &[
        "grep",
        "archive",
        "log",
        "show",
        "diff",
        "stash",
        "whatchanged",
        "diff-tree",
        "diff-index",
        "diff-files",
        "format-patch",
        "range-diff",
        "reflog",
    ];
    let at = argv.iter().skip(1).position(|word| SUBCOMMANDS.contains(&word.as_str()))? + 1;
    let subcommand = argv.get(at)?.as_str();
    let arguments = parse(find("git", "log")?, Options::Only(WITHOUT_CHANGES), argv, at + 1);
    let has = |names: &[&str]| arguments.options.iter().any(|(name, _)| names.contains(&name.as_str()));
    let prints_only =
        has(&["stat", "name-only", "name-status", "shortstat", "numstat", "no-patch", "s", "raw", "summary", "check"]);
    let has_other = arguments.refused.iter().any(|index| argv.get(*index).is_some_and(|word| word.starts_with('-')));
    let is_stash_change = argv.get(at + 1).is_some_and(|word| word == "show");
    // `HEAD:a` names the file.
    let mut operands = arguments.operands.iter().filter_map(|index| argv.get(*index)).peekable();
    let names_files = subcommand == "show" && operands.peek().is_some() && operands.all(|word| word.contains(':'));
    let (source, is_printed) = match subcommand {
        _ if names_files => return None,
        "grep" | "archive" => (ContentSource::Tracked, true),
        "log" | "reflog" => (ContentSource::Changes { is_past: true }, has_other),
        "stash" => (ContentSource::Changes { is_past: true }, is_stash_change && has_other),
        "diff" => (
            ContentSource::Changes { is_past: arguments.operands.iter().any(|index| !is_separated(argv, *index)) },
            has_other || !prints_only,
        ),
        _ => (ContentSource::Changes { is_past: true }, has_other || !prints_only),
    };
    let separator = argv.iter().position(|word| word == "--");
    let paths = match separator {
        Some(separator) => argv.iter().skip(separator + 1).cloned().collect(),
        // The first word of a search is its pattern.
        None => words(argv, arguments.operands.iter().skip(usize::from(subcommand == "grep"))),
    };
    is_printed.then(|| ContentSearch { paths, source, ..ContentSearch::default() })
}

/// Returns whether `--` is before a word.
fn is_separated(argv: &[String], index: usize) -> bool {
    argv.iter().take(index).any(|word| word == "--")
}

fn words<'a>(argv: &[String], indices: impl Iterator<Item = &'a usize>) -> Vec<String> {
    indices.filter_map(|index| argv.get(*index)).cloned().collect()
}
