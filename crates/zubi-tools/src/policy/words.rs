//! What the words of a command may be besides words: paths that it reads or writes, and a command that it starts. For rules
//! that ask or deny, which a spelling must not slip by; what allows never looks here.

use camino::{Utf8Path, Utf8PathBuf};

use super::pattern::absolute;
use super::rule::{Action, Rule};
use crate::footprint::Footprint;
use crate::shell;

/// How many paths of one command are looked at, and how long each may be.
const MAX_PATHS: usize = 4000;
const MAX_PATH: usize = 4096;
/// How many words may begin a command that is looked at to its end; of others as many words are looked at.
const MAX_WHOLE: usize = 256;
/// How many texts among the words of a command are read as scripts, and how long all of them may be.
const MAX_SCRIPTS: usize = 16;
const MAX_TEXT: usize = 16 * 1024;

/// Programs that write nothing, whatever they are given, but for what redirections say.
const READERS: &[&str] = &[
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

/// Programs that run nothing that stands among their words.
const KNOWN: &[&str] = &[
    "cp", "mv", "ln", "rm", "mkdir", "rmdir", "touch", "chmod", "chown", "sort", "uniq", "tee", "seq", "date", "man",
    "sed", "unzip", "gzip", "gunzip", "curl", "wget", "find", "git", "echo", "printf", "export", "local", "declare",
    "readonly", "set", "kill", "pkill", "pgrep", "ps",
];

/// Programs whose words are subcommands and names of their own, unless a subcommand is there to run something.
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

/// Programs that take what lies below their directories too.
const RECURSIVE: &[&str] = &["rm", "mv", "rsync", "shred", "chmod", "chown", "chgrp", "trash", "srm"];

/// The paths that a command names.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) paths: Vec<Utf8PathBuf>,
    /// The program writes nothing.
    pub(super) only_reads: bool,
    /// It takes what lies below a directory too.
    pub(super) above: bool,
    /// There were too many words to look at each.
    pub(super) too_many: bool,
}

impl Named {
    /// Every word that could be a path, below each directory in which the command may stand.
    pub(super) fn new(argv: &[String], footprint: &Footprint) -> Self {
        let Some((program, arguments)) = argv.split_first() else { return Self::default() };
        let name = shell::system_name(program).unwrap_or_default();
        // These only say what they are given, or keep it in the shell.
        if ["echo", "printf", "export", "local", "declare", "readonly", "set", ":", "true", "false"].contains(&name) {
            return Self::default();
        }
        let mut directories = vec![footprint.directory.as_deref()];
        if footprint.commands.iter().any(|argv| argv.first().is_some_and(|program| program == "cd")) {
            directories.extend(footprint.reads.iter().map(|path| Some(path.as_path())));
        }
        let above = RECURSIVE.contains(&name)
            || (name == "find" && arguments.iter().any(|word| word == "-delete" || word.starts_with("-exec")));
        let mut named = Self { paths: Vec::new(), only_reads: READERS.contains(&name), above, too_many: false };
        let program = Some(program.as_str()).filter(|program| program.contains('/'));
        for word in program.into_iter().chain(arguments.iter().map(String::as_str)) {
            for text in readings(word) {
                for directory in &directories {
                    if named.paths.len() >= MAX_PATHS {
                        named.too_many = true;
                        return named;
                    }
                    let path = absolute(text, *directory);
                    // Links lead elsewhere; both count.
                    named.paths.extend(zubi_base::fs::canonical_for_creation(&path).ok().filter(|led| *led != path));
                    named.paths.push(path);
                }
            }
        }
        named
    }
}

/// What of a word could be a path: all of it, or what follows `=`, `@` or an option's letter.
fn readings(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value);
    let glued = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).map(|rest| {
        let mut letters = rest.chars();
        letters.next();
        letters.as_str()
    });
    let whole = Some(word).filter(|word| !word.starts_with('-'));
    let at =
        word.split_once('@').filter(|(before, _)| before.is_empty() || before.ends_with('=')).map(|(_, path)| path);
    let all = [whole, value, glued, at].into_iter().flatten();
    all.filter(|text| {
        !text.is_empty() && text.len() <= MAX_PATH && !text.contains(['\n', '\0']) && !text.contains("://")
    })
}

/// The rule about a command that stands among the words of another, and that command. A program that is known to start
/// others does what the rule says; about one that is not known a person is asked.
pub(super) fn hidden<'a>(
    argv: &[String],
    directory: Option<&Utf8Path>,
    rules: &(impl Iterator<Item = &'a Rule> + Clone),
) -> Option<(Action, &'a Rule, String)> {
    let (program, arguments) = argv.split_first()?;
    let name = shell::system_name(program).unwrap_or_default();
    if READERS.contains(&name)
        || KNOWN.contains(&name)
        || (name == "command" && matches!(argv.get(1).map(String::as_str), Some("-v" | "-V")))
    {
        return None;
    }
    let runs = |word: &String| matches!(word.as_str(), "exec" | "run" | "dlx" | "x");
    if SUBCOMMANDS.contains(&name) && !arguments.iter().any(runs) {
        return None;
    }
    let starts = shell::starts_others(program);
    let about = |argv: &[String]| rules.clone().find(|rule| rule.means_command(argv, directory));
    let found = |rule: &'a Rule, argv: &[String]| {
        let action = if starts { rule.text.action } else { Action::Ask };
        (action, rule, argv.join(" "))
    };
    for at in 0..arguments.len() {
        let end = if at < MAX_WHOLE { arguments.len() } else { arguments.len().min(at + MAX_WHOLE) };
        let rest = arguments.get(at..end).unwrap_or_default();
        if let Some(rule) = about(rest) {
            return Some(found(rule, rest));
        }
    }
    let texts = arguments.iter().filter(|word| word.contains(char::is_whitespace) && word.len() <= MAX_TEXT);
    let mut left = MAX_TEXT;
    for text in texts.take(MAX_SCRIPTS) {
        left = left.checked_sub(text.len())?;
        let commands = shell::read(text, directory.unwrap_or_else(|| Utf8Path::new("/"))).commands;
        if let Some((rule, argv)) = commands.iter().find_map(|argv| about(argv).map(|rule| (rule, argv))) {
            return Some(found(rule, argv));
        }
    }
    None
}
