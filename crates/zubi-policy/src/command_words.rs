//! Interpretation of a command's words as paths that the command reads or writes, or as a command that it starts. The
//! policy uses it for `ask` and `deny` rules, which no spelling may evade, and to detect credentials, but never for
//! `allow` rules.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::credentials;

use super::pattern::{absolute, is_glob, may_become};
use super::rule::{Action, CompiledRule};
use crate::footprint::Footprint;
use crate::{looking, programs, shell};

mod content;
mod git_paths;
pub(crate) mod matches;

/// The maximum number of paths of one command, and the maximum length of each in bytes.
const MAX_PATHS: usize = 4000;
const MAX_PATH: usize = 4096;
/// The number of start words for which the search for an embedded command reads all following words. For later start
/// words, it reads only this many words.
const MAX_FULL_SUFFIXES: usize = 256;
/// The maximum number of a command's words that are read as scripts, and their maximum total length in bytes.
const MAX_SCRIPTS: usize = 16;
const MAX_TEXT: usize = 16 * 1024;

/// Programs that write nothing except through redirections, whatever their arguments.
const READING_PROGRAMS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "ls",
    "stat",
    "file",
    "wc",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "diff",
    "cmp",
    "comm",
    "du",
    "df",
    "od",
    "xxd",
    "hexdump",
    "strings",
    "nl",
    "cut",
    "tr",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "realpath",
    "readlink",
    "basename",
    "dirname",
    "tree",
    "which",
    "type",
    "jq",
    "cd",
    "test",
    "[",
    "[[",
];

/// Programs that never run their words as a command.
const NON_EXECUTING_PROGRAMS: &[&str] = &[
    "cp", "mv", "ln", "rm", "mkdir", "rmdir", "touch", "chmod", "chown", "sort", "uniq", "tee", "seq", "date", "man",
    "sed", "unzip", "gzip", "gunzip", "curl", "wget", "find", "git", "echo", "printf", "export", "local", "declare",
    "readonly", "set", "kill", "pkill", "pgrep", "ps",
];

/// Programs whose words are their own subcommands and names, unless a subcommand runs programs.
const SUBCOMMANDS: &[&str] = &[
    "cargo",
    "rustup",
    "npm",
    "pnpm",
    "yarn",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "go",
    "gh",
    "kubectl",
    "helm",
    "brew",
    "apt",
    "apt-get",
    "dnf",
    "pacman",
    "systemctl",
];

/// Programs that also act on the contents of directories.
const RECURSIVE: &[&str] = &["rm", "mv", "rsync", "shred", "chmod", "chown", "chgrp", "trash", "srm"];

/// Programs that expand path patterns themselves. Their patterns also match names that begin with a dot.
const PATTERNS: &[&str] = &[
    "git", "hg", "svn", "find", "fd", "rg", "rsync", "scp", "sftp", "tar", "bsdtar", "zip", "unzip", "7z", "docker",
    "podman",
];

/// Names of the Bash and zsh settings that make glob patterns match names that begin with a dot.
const DOTGLOB: &[&str] = &["dotglob", "GLOBIGNORE", "globdots", "GLOBDOTS", "glob_dots", "GLOB_DOTS"];

/// Prefixes of a path in the home directory. A word that is computed at run time still has its quotes.
const HOME: &[&str] = &["~/", "$HOME/", "${HOME}/", "\"$HOME/", "\"${HOME}/", "\"$HOME\"/", "\"${HOME}\"/"];

/// Characters that occur in program texts rather than in paths.
const NON_PATH_CHARS: &[char] = &['(', ')', '{', '}', '<', '>', '\'', '"', '`', ';', '|', '&', '$', '~'];

/// The paths that a command names.
#[derive(Debug, Default)]
pub(super) struct CommandPaths {
    pub(super) paths: Vec<Utf8PathBuf>,
    /// Whether the program writes nothing.
    pub(super) only_reads: bool,
    /// Whether the program also acts on the contents of a directory.
    pub(super) include_parents: bool,
    /// Whether the command has more candidate paths than [`MAX_PATHS`].
    pub(super) too_many: bool,
}

impl CommandPaths {
    /// Collects every word that could be a path, resolved against each directory in which the command may run.
    pub(super) fn new(argv: &[String], footprint: &Footprint, home: Option<&Utf8Path>) -> Self {
        let Some((program, arguments)) = argv.split_first() else { return Self::default() };
        let name = shell::system_name(program).unwrap_or_default();
        // These builtins only print their arguments or store them in the shell.
        if ["echo", "printf", "export", "local", "declare", "readonly", "set", ":", "true", "false"].contains(&name) {
            return Self::default();
        }
        let entered = git_paths::find_directory(argv, footprint.directory.as_deref());
        let mut directories = vec![footprint.directory.as_deref()];
        directories.extend(entered.as_deref().map(Some));
        if footprint.commands.iter().any(|argv| argv.first().is_some_and(|program| program == "cd")) {
            directories.extend(footprint.reads.iter().map(|path| Some(path.as_path())));
        }
        let include_parents = RECURSIVE.contains(&name)
            || (name == "find" && arguments.iter().any(|word| word == "-delete" || word.starts_with("-exec")));
        let mut named =
            Self { paths: Vec::new(), only_reads: READING_PROGRAMS.contains(&name), include_parents, too_many: false };
        let program = Some(program.as_str()).filter(|program| program.contains('/'));
        let inner = git_paths::find(argv);
        for word in program.into_iter().chain(arguments.iter().map(String::as_str)).chain(inner) {
            for text in path_candidates(word) {
                for directory in &directories {
                    if named.paths.len() >= MAX_PATHS {
                        named.too_many = true;
                        return named;
                    }
                    let path = match text.strip_prefix("~/").zip(home) {
                        Some((rest, home)) => home.join(rest),
                        None => absolute(text, *directory),
                    };
                    // If the path is a symlink, rules about the link and about its target both apply, also to the matches
                    // of a pattern.
                    let matches =
                        if is_glob(path.as_str()) { matches::expand(&path) } else { Some(vec![path.clone()]) };
                    named.too_many |= matches.is_none();
                    let target = |path: Utf8PathBuf| {
                        zubi_base::fs::canonical_for_creation(&path).ok().filter(|target| *target != path)
                    };
                    named.paths.extend(matches.into_iter().flatten().filter_map(target));
                    named.paths.push(path);
                }
            }
        }
        named
    }
}

/// A file that a command reads without naming it, by its path, and a rule about it.
pub(super) enum SearchedFile<'a> {
    Found(Utf8PathBuf, &'a CompiledRule),
    /// Whether the command reads such a file is not known.
    Possible(&'a CompiledRule),
}

/// Finds a file that a command searches and that a rule is about.
pub(super) fn find_searched_file<'a>(
    argv: &[String],
    footprint: &Footprint,
    rules: &[&'a CompiledRule],
) -> Option<SearchedFile<'a>> {
    let mut possible = None;
    for rule in rules.iter().filter(|rule| rule.has_read_paths()) {
        for directory in looking::find_directories(footprint) {
            let Some(found) = content::find_files(argv, &directory, &|path| rule.reads(path)) else { continue };
            if let Some(path) = found.paths.into_iter().next() {
                return Some(SearchedFile::Found(path, rule));
            }
            if !found.is_complete && rule.reads_below(&directory) {
                possible = Some(SearchedFile::Possible(rule));
            }
        }
    }
    possible
}

/// Returns whether an option names files that a program leaves out.
fn is_exclusion(word: &str) -> bool {
    ["--exclude=", "--exclude-dir="].iter().any(|option| word.starts_with(option))
}

/// Returns the parts of a word that could be a path: the whole word, and the text after `=`, `@` or an option's letter.
fn path_candidates(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value).filter(|_| !is_exclusion(word));
    let option_value = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).map(|rest| {
        let mut letters = rest.chars();
        letters.next();
        letters.as_str()
    });
    let plain_word = Some(word).filter(|word| !word.starts_with('-'));
    let at =
        word.split_once('@').filter(|(before, _)| before.is_empty() || before.ends_with('=')).map(|(_, path)| path);
    let all = [plain_word, value, option_value, at].into_iter().flatten();
    all.filter(|text| {
        !text.is_empty() && text.len() <= MAX_PATH && !text.contains(['\n', '\0']) && !text.contains("://")
    })
}

/// Finds a rule about a command that is embedded in the words of another command. Returns the action, the rule and the
/// embedded command. The action is the rule's if the program is known to start commands, and `ask` otherwise.
pub(super) fn find_embedded_command<'a>(
    argv: &[String],
    directory: Option<&Utf8Path>,
    rules: &(impl Iterator<Item = &'a CompiledRule> + Clone),
) -> Option<(Action, &'a CompiledRule, String)> {
    let (program, arguments) = argv.split_first()?;
    let name = shell::system_name(program).unwrap_or_default();
    if READING_PROGRAMS.contains(&name)
        || NON_EXECUTING_PROGRAMS.contains(&name)
        || (name == "command" && matches!(argv.get(1).map(String::as_str), Some("-v" | "-V")))
    {
        return None;
    }
    let is_run_command = |word: &String| matches!(word.as_str(), "exec" | "run" | "dlx" | "x");
    if SUBCOMMANDS.contains(&name) && !arguments.iter().any(is_run_command) {
        return None;
    }
    let is_launcher = shell::starts_commands(program);
    let find_rule = |argv: &[String]| rules.clone().find(|rule| rule.matches_command(argv, directory));
    let found = |rule: &'a CompiledRule, argv: &[String]| {
        let action = if is_launcher { rule.text.action } else { Action::Ask };
        (action, rule, argv.join(" "))
    };
    for at in 0..arguments.len() {
        let end = if at < MAX_FULL_SUFFIXES { arguments.len() } else { arguments.len().min(at + MAX_FULL_SUFFIXES) };
        let rest = arguments.get(at..end).unwrap_or_default();
        if let Some(rule) = find_rule(rest) {
            return Some(found(rule, rest));
        }
    }
    let texts = arguments.iter().filter(|word| word.contains(char::is_whitespace) && word.len() <= MAX_TEXT);
    let mut remaining = MAX_TEXT;
    for text in texts.take(MAX_SCRIPTS) {
        remaining = remaining.checked_sub(text.len())?;
        let commands = shell::read(text, directory.unwrap_or_else(|| Utf8Path::new("/"))).commands;
        if let Some((rule, argv)) = commands.iter().find_map(|argv| find_rule(argv).map(|rule| (rule, argv))) {
            return Some(found(rule, argv));
        }
    }
    None
}

/// A word that names a location of credentials.
pub(super) enum Credentials {
    /// The path of such a location, or a glob pattern that may expand to one.
    Path(Utf8PathBuf),
    /// A text other than a path that names such a location: a program text, or a directory computed at run time.
    Mentioned(String),
    /// The reason why a search may print credentials.
    Searched(String),
}

/// Returns the locations of credentials that the words of a call's commands name.
pub(super) fn credentials(footprint: &Footprint, home: Option<&Utf8Path>) -> Vec<Credentials> {
    let matches_hidden = |argv: &[String]| {
        let program = argv.first().map_or("", String::as_str);
        PATTERNS.contains(&Utf8Path::new(program).file_name().unwrap_or(program))
    };
    // Any command can set this shell option, and so can a part that cannot be determined.
    let dotglob = !footprint.unresolved.is_empty()
        || footprint.commands.iter().flatten().any(|word| DOTGLOB.iter().any(|name| word.contains(name)));
    let directory = footprint.directory.as_deref();
    let directories = crate::looking::find_directories(footprint);
    // `find` reads nothing at the paths that its patterns match.
    let prints_names = |argv: &[String]| {
        argv.first().is_some_and(|program| program == "find")
            && !footprint.wrappers.iter().any(|wrapper| wrapper == "xargs")
            && !argv.iter().any(|word| word == "-exec")
            && programs::only_prints(argv)
    };
    let mut found = Vec::new();
    for (index, argv) in footprint.commands.iter().enumerate().filter(|(_, argv)| !prints_names(argv)) {
        let hidden = dotglob || matches_hidden(argv);
        // Another command could change the matches of a pattern first.
        let others = footprint.commands.iter().enumerate().filter(|(other, _)| *other != index);
        let are_fixed = !hidden && others.into_iter().all(|(_, argv)| crate::looking::changes_nothing(argv));
        let matches = if are_fixed { directories.as_slice() } else { &[] };
        let is_inert = argv.first().is_some_and(|program| programs::is_inert(program) && program != "ls");
        found.extend(argv.iter().filter_map(|word| credentials_in(word, directory, home, hidden, is_inert, matches)));
    }
    for path in footprint.commands.iter().flat_map(|argv| git_paths::find(argv)) {
        let path = absolute(path, directory);
        // The pathspec `icase` ignores case.
        let lower = Utf8PathBuf::from(path.as_str().to_ascii_lowercase());
        let is_known = found.iter().any(|known| matches!(known, Credentials::Path(known) if *known == path));
        if !is_known && (may_be_credentials(&path, true) || may_be_credentials(&lower, true)) {
            found.push(Credentials::Path(path));
        }
    }
    let directories = looking::find_directories(footprint);
    let searches =
        footprint.commands.iter().flat_map(|argv| directories.iter().map(move |directory| (argv, directory)));
    for (argv, directory) in searches {
        let Some(searched) = content::find_credentials(argv, directory) else { continue };
        for path in searched.paths {
            if !found.iter().any(|known| matches!(known, Credentials::Path(known) if *known == path)) {
                found.push(Credentials::Path(path));
            }
        }
        if !searched.is_complete {
            let command = shell::shorten(&argv.join(" "));
            found.push(Credentials::Searched(format!("`{command}` reads too many files to look for all credentials")));
        }
    }
    found
}

/// Returns the location of credentials that a word names. `hidden` is whether `*` and `?` match a leading dot; `is_inert`
/// whether the shell expands a pattern without a folder, too; `directories` are those in which its matches are those of now.
fn credentials_in(
    word: &str,
    directory: Option<&Utf8Path>,
    home: Option<&Utf8Path>,
    hidden: bool,
    is_inert: bool,
    directories: &[Utf8PathBuf],
) -> Option<Credentials> {
    let value = word.rsplit_once('=').map_or(word, |(_, value)| value);
    let value = value.strip_prefix('@').unwrap_or(value);
    if value.len() > MAX_PATH || value.contains('\n') || value.contains("://") || is_exclusion(word) {
        return None;
    }
    let in_home = HOME
        .iter()
        .find_map(|prefix| value.strip_prefix(prefix))
        .zip(home)
        .map(|(rest, home)| home.join(rest.trim_end_matches('"')));
    // A sentence can also contain the path of credentials.
    let is_sentence = value.contains(char::is_whitespace) && !value.starts_with(['/', '.']);
    let is_path = in_home.is_some() || !(is_sentence || value.contains(NON_PATH_CHARS));
    let path = absolute(in_home.as_ref().map_or(value, |path| path.as_str()), directory);
    // The shell expands a pattern only to paths if a directory precedes it. Otherwise the word is unresolved anyway, unless the
    // program has only harmless options.
    let is_pattern = match value.split_once('/') {
        Some((folder, rest)) => is_glob(rest) || (is_inert && is_glob(folder)),
        None => is_inert && is_glob(value),
    };
    let has_none = || {
        in_home.is_none()
            && !directories.is_empty()
            && directories.iter().all(|base| matches::have_no_credentials(&absolute(value, Some(base)), base))
    };
    let becomes = is_pattern && may_be_credentials(&path, hidden) && !has_none();
    if !becomes && (!credentials::is_credential_path(&path) || directory.is_some_and(|directory| path == directory)) {
        return None;
    }
    Some(if is_path { Credentials::Path(path) } else { Credentials::Mentioned(shell::shorten(value)) })
}

/// Returns whether a path with glob patterns may expand to a location of credentials.
fn may_be_credentials(path: &Utf8Path, hidden: bool) -> bool {
    // POSIX.1-2024, XCU 2.14.3: `*` and `?` do not match a leading period; brackets are unspecified.
    let may_become = |glob: &str, name: &str| {
        let begins_with_any = glob.starts_with(['*', '?']) && !glob.get(1..).is_some_and(|rest| rest.starts_with('('));
        may_become(glob, name) && (hidden || !name.starts_with('.') || !begins_with_any)
    };
    let names: Vec<&str> = path.components().map(|name| name.as_str()).collect();
    let with = |at: usize, name: &str| -> Utf8PathBuf {
        names.iter().enumerate().map(|(other, old)| if other == at { name } else { old }).collect()
    };
    let is_match =
        |glob: &str, name: &str| if is_glob(glob) { may_become(glob, name) } else { glob.eq_ignore_ascii_case(name) };
    let contains_store = |store: &&str| {
        let store: Vec<&str> = store.split('/').collect();
        names.windows(store.len()).any(|part| part.iter().zip(&store).all(|(glob, name)| is_match(glob, name)))
    };
    credentials::is_credential_path(path)
        || credentials::store_paths().iter().any(contains_store)
        || names.iter().enumerate().filter(|(_, name)| is_glob(name)).any(|(at, glob)| {
            let mut candidates = credentials::names().filter(|candidate| may_become(glob, candidate));
            candidates.any(|candidate| credentials::is_credential_path(&with(at, candidate)))
        })
}
