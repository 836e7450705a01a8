//! `git`: options and subcommands that run programs named in the words, or in a configuration that the words select.

use super::shorten;
use super::word::ShellWord;

/// The analysis of a `git` command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Git {
    /// Index of the word at which another command begins that `git` runs.
    pub(super) command: Option<usize>,
    /// Scripts that `git` runs with a shell.
    pub(super) scripts: Vec<String>,
    pub(super) unresolved: Option<String>,
}

/// Configuration keys that may be set for one call, because they do not affect which programs run.
const HARMLESS_KEYS: &[&str] = &[
    "user.name",
    "user.email",
    "core.quotepath",
    "core.autocrlf",
    "core.abbrev",
    "core.longpaths",
    "core.ignorecase",
    "init.defaultbranch",
    "log.date",
    "diff.renames",
    "diff.algorithm",
    "protocol.version",
    "gc.auto",
    "pull.rebase",
];

/// Options before the subcommand that take a value.
const VALUE_OPTIONS: &[&str] = &["-C", "--namespace", "--super-prefix"];
/// Options before the subcommand that do not affect which programs run.
const FLAGS: &[&str] = &[
    "--no-pager",
    "-P",
    "--version",
    "--help",
    "-h",
    "-v",
    "--bare",
    "--no-replace-objects",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--no-optional-locks",
    "--html-path",
    "--man-path",
    "--info-path",
    "-p",
    "--paginate",
];

/// Options of subcommands whose value is a program.
const PROGRAM_OPTIONS: &[&str] = &["--exec", "--upload-pack", "--receive-pack", "--extcmd", "--open-files-in-pager"];

pub(super) fn analyze(words: &[ShellWord]) -> Git {
    let mut git = Git::default();
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-') && word.text != "--") {
        let text = word.text.as_str();
        at += 1;
        if text == "-c" {
            let setting = words.get(at).map_or("", |word| word.text.as_str());
            at += 1;
            git.read_setting(setting);
        } else if VALUE_OPTIONS.contains(&text) {
            at += 1;
        } else if !FLAGS.contains(&text) && !text.starts_with("--namespace=") {
            git.mark_unresolved(format!("`git {}` may choose programs", shorten(text)));
            // The next word may belong to this option, but the command is unresolved anyway.
        }
    }
    let subcommand = words.get(at).map_or("", |word| word.text.as_str());
    let rest = words.get(at + 1..).unwrap_or_default();
    git.read_subcommand(subcommand, rest, at + 1);
    git
}

impl Git {
    fn mark_unresolved(&mut self, reason: String) {
        self.unresolved.get_or_insert(reason);
    }

    fn read_setting(&mut self, setting: &str) {
        let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
        let key = key.to_ascii_lowercase();
        let is_color = key.starts_with("color.") || key.starts_with("advice.");
        let is_off = matches!(value, "false" | "0" | "no" | "off" | "") && key.ends_with("gpgsign");
        if key.starts_with("alias.")
            && let Some(script) = value.strip_prefix('!')
        {
            self.scripts.push(script.to_owned());
        } else if key.starts_with("alias.") {
            self.scripts.push(format!("git {value}"));
        }
        let is_plain_pager = key == "core.pager" && value == "cat";
        if !(is_color || is_off || is_plain_pager || HARMLESS_KEYS.contains(&key.as_str())) {
            self.mark_unresolved(format!("`git -c {}` may choose programs", shorten(setting)));
        }
    }

    fn read_subcommand(&mut self, name: &str, rest: &[ShellWord], from: usize) {
        let position = |argument: &str| rest.iter().position(|word| word.text == argument);
        match name {
            "submodule" => {
                if let Some(at) = position("foreach") {
                    self.mark_unresolved("`git submodule foreach` runs a command in each".to_owned());
                    let options = rest.iter().skip(at + 1).take_while(|word| word.text.starts_with('-')).count();
                    self.add_command(rest, at + 1 + options, from);
                }
            }
            "bisect" => {
                if let Some(at) = position("run") {
                    self.mark_unresolved("`git bisect run` runs a command at each step".to_owned());
                    self.add_command(rest, at + 1, from);
                }
            }
            "filter-branch" => self.mark_unresolved("`git filter-branch` runs scripts".to_owned()),
            "config" if !is_config_query(rest) => {
                self.mark_unresolved("`git config` may choose the programs that git runs".to_owned());
            }
            _ => {}
        }
        for (at, word) in rest.iter().enumerate() {
            let text = word.text.as_str();
            let (option, value) = text.split_once('=').map_or((text, None), |(option, value)| (option, Some(value)));
            // Git accepts abbreviated long options.
            let is_abbreviation = |long: &&str| option.len() >= 4 && long.starts_with(option);
            let runs_program = match option {
                _ if PROGRAM_OPTIONS.iter().any(is_abbreviation) => true,
                "-x" => matches!(name, "rebase" | "difftool"),
                "-u" => matches!(name, "clone" | "fetch" | "pull" | "ls-remote"),
                "--config" | "-c" => matches!(name, "clone" | "submodule"),
                option => {
                    option.starts_with("ext::")
                        || (name == "grep" && option.starts_with("-O"))
                        || (name == "rebase" && option.starts_with("-x"))
                }
            };
            if runs_program {
                self.mark_unresolved(format!("`git {name} {}` may choose a program", shorten(option)));
                let attached = option.strip_prefix("-x").filter(|rest| !rest.is_empty()).map(str::to_owned);
                let next = || rest.get(at + 1).map(|word| word.text.clone());
                self.scripts.extend(value.map(str::to_owned).or(attached).or_else(next));
            }
        }
    }

    /// Adds a command argument: a single word is a script, several words are a command.
    fn add_command(&mut self, rest: &[ShellWord], at: usize, from: usize) {
        match rest.get(at..).unwrap_or_default() {
            [] => {}
            [script] => self.scripts.push(script.text.clone()),
            _ => self.command = Some(from + at),
        }
    }
}

/// Returns whether the words of `git config` only query settings: the action comes first, because git takes the same word
/// after a name for a value.
fn is_config_query(rest: &[ShellWord]) -> bool {
    const PLACES: &[&str] = &[
        "--global",
        "--local",
        "--system",
        "--show-origin",
        "--show-scope",
        "--name-only",
        "-z",
        "--null",
        "--includes",
    ];
    let is_place = |word: &&ShellWord| PLACES.contains(&word.text.as_str());
    let words: Vec<&str> = rest.iter().skip_while(is_place).map(|word| word.text.as_str()).collect();
    let Some((action, arguments)) = words.split_first() else { return false };
    // A name without a value: `git config user.name`.
    if arguments.is_empty() && action.contains('.') && !action.starts_with('-') {
        return true;
    }
    let options = ["--all", "--regexp"];
    let are_plain = arguments.iter().all(|word| {
        !word.starts_with('-') || PLACES.contains(word) || options.contains(word) || word.starts_with("--default=")
    });
    let operands = arguments.iter().filter(|word| !word.starts_with('-')).count();
    match *action {
        "list" | "--list" | "-l" => are_plain && operands == 0,
        "get" | "--get" | "--get-all" | "--get-regexp" => are_plain && operands >= 1,
        _ => false,
    }
}
