//! Programs that pass a command on: what the command is that they start.

use camino::Utf8Path;

use super::names::{self, SHELLS};
use super::word::{Pattern, Word};

/// What a simple command amounts to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// It is what it says.
    Itself,
    /// It starts the command that begins at this word.
    Through(usize),
    /// It counts, and the command that begins at this word too.
    Both(usize),
    /// It counts, and so do the commands at these words (`find -exec`).
    And(Vec<std::ops::Range<usize>>),
    /// A shell that runs the text of this word.
    Script(usize),
    /// It counts, and why it cannot be told what else runs.
    Unknown(String),
}

/// How a wrapper's words are read up to the command.
struct Wrapper {
    names: &'static [&'static str],
    /// Letters of options without and with a value, and long options likewise.
    flags: &'static str,
    values: &'static str,
    long_flags: &'static [&'static str],
    long_values: &'static [&'static str],
    /// Words before the command that are no options: a duration.
    operands: usize,
    /// `NAME=value` may stand before the command.
    assigns: bool,
    /// Runs with other rights, so that it is a command of its own.
    counts: bool,
}

const PLAIN: Wrapper = Wrapper {
    names: &[],
    flags: "",
    values: "",
    long_flags: &[],
    long_values: &[],
    operands: 0,
    assigns: false,
    counts: false,
};

/// Options that change what is started or write files (`env -S`, `time -o`) are left out, so that they are not told.
const WRAPPERS: &[Wrapper] = &[
    Wrapper { names: &["builtin", "nohup", "busybox", "toybox"], ..PLAIN },
    Wrapper { names: &["command"], flags: "p", ..PLAIN },
    Wrapper { names: &["exec"], flags: "cl", values: "a", ..PLAIN },
    Wrapper {
        names: &["env"],
        flags: "i0v",
        values: "u",
        long_flags: &["ignore-environment", "null", "debug"],
        long_values: &["unset"],
        assigns: true,
        ..PLAIN
    },
    Wrapper { names: &["setsid"], flags: "cfw", long_flags: &["ctty", "fork", "wait"], ..PLAIN },
    Wrapper { names: &["nice"], flags: "0123456789", values: "n", long_values: &["adjustment"], ..PLAIN },
    Wrapper { names: &["ionice"], flags: "t", values: "cn", long_values: &["class", "classdata"], ..PLAIN },
    Wrapper { names: &["time"], flags: "pv", long_flags: &["portability", "verbose"], ..PLAIN },
    Wrapper { names: &["stdbuf"], values: "ioe", long_values: &["input", "output", "error"], ..PLAIN },
    Wrapper {
        names: &["timeout"],
        flags: "fpv",
        values: "ks",
        long_flags: &["foreground", "preserve-status", "verbose"],
        long_values: &["kill-after", "signal"],
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        names: &["xargs"],
        flags: "0rtpxo",
        values: "nPILsdEa",
        long_flags: &["null", "no-run-if-empty", "verbose", "interactive", "exit", "open-tty"],
        long_values: &["max-args", "max-procs", "replace", "max-lines", "max-chars", "delimiter", "arg-file", "eof"],
        ..PLAIN
    },
    Wrapper {
        names: &["sudo"],
        flags: "AbEHnPSk",
        values: "ugp",
        long_flags: &["non-interactive", "preserve-env", "set-home", "stdin"],
        long_values: &["user", "group", "prompt"],
        assigns: true,
        counts: true,
        ..PLAIN
    },
    Wrapper { names: &["doas"], flags: "n", values: "u", counts: true, ..PLAIN },
];

/// The name of a program that is searched for or lies where systems keep theirs; another file of that name is any program.
pub(crate) fn system_name(program: &str) -> Option<&str> {
    const DIRECTORIES: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin"];
    if !program.contains('/') {
        return Some(program);
    }
    let path = Utf8Path::new(program);
    path.file_name().filter(|_| path.parent().is_some_and(|parent| DIRECTORIES.contains(&parent.as_str())))
}

/// Looks at a simple command whose program is `name`.
pub(super) fn look(name: &str, words: &[Word]) -> Look {
    if SHELLS.contains(&name) {
        return shell(words);
    }
    if name == "find" {
        return find(words);
    }
    let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name)) else { return Look::Itself };
    if name == "command" && words.get(1).is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V")) {
        return Look::Itself;
    }
    match wrapper.command(words) {
        Ok(at) if at >= words.len() => Look::Itself,
        Ok(at) if wrapper.counts => Look::Both(at),
        Ok(at) => Look::Through(at),
        Err(option) => Look::Unknown(format!("what `{name}` starts after `{option}` is not told by the text")),
    }
}

impl Wrapper {
    /// Where the command begins, or the word that is not understood.
    fn command(&self, words: &[Word]) -> Result<usize, String> {
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if text == "--" {
                at += 1;
                break;
            }
            let unknown = || super::short(text);
            if let Some(long) = text.strip_prefix("--") {
                let (name, value) = long.split_once('=').map_or((long, false), |(name, _)| (name, true));
                at += match () {
                    () if self.long_flags.contains(&name) || (value && self.long_values.contains(&name)) => 1,
                    () if self.long_values.contains(&name) => 2,
                    () => return Err(unknown()),
                };
            } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                at += 1;
                let mut letters = letters.chars();
                while let Some(letter) = letters.next() {
                    if self.values.contains(letter) {
                        at += usize::from(letters.as_str().is_empty());
                        break;
                    } else if !self.flags.contains(letter) {
                        return Err(unknown());
                    }
                }
            } else {
                break;
            }
        }
        at += self.operands;
        while self.assigns
            && let Some(name) = words.get(at).and_then(|word| names::assigned(&word.text))
        {
            if names::steers(name) {
                return Err(super::short(name));
            }
            at += 1;
        }
        Ok(at)
    }
}

/// `sh -c 'text'`; a shell without it runs a file or what it reads, and counts as itself.
fn shell(words: &[Word]) -> Look {
    let mut at = 1;
    let mut text_given = false;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        at += 1;
        if text == "--" || text == "-" {
            break;
        } else if let Some(long) = text.strip_prefix("--") {
            if !["norc", "noprofile", "posix", "login", "help", "version"].contains(&long) {
                return Look::Unknown(format!("what a shell runs because of `{}`", super::short(text)));
            }
        } else if let Some(letters) = text.strip_prefix(['-', '+']) {
            text_given |= letters.contains('c') && text.starts_with('-');
            at += letters.chars().filter(|letter| matches!(letter, 'o' | 'O')).count();
        } else {
            at -= 1;
            break;
        }
    }
    match words.get(at) {
        _ if !text_given => Look::Itself,
        Some(word) if word.is_told() && word.pattern == Pattern::No => Look::Script(at),
        _ => Look::Unknown("a shell is given a text that is worked out only when it runs".to_owned()),
    }
}

/// `find … -exec command {} ;`, any number of times.
fn find(words: &[Word]) -> Look {
    let mut found = Vec::new();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        at += 1;
        if !["-exec", "-execdir", "-ok", "-okdir"].contains(&word.text.as_str()) {
            continue;
        }
        let start = at;
        while words.get(at).is_some_and(|word| word.text != ";" && word.text != "+") {
            at += 1;
        }
        let inner = words.get(start..at).unwrap_or_default();
        let spliced = |(index, word): (usize, &Word)| word.text.contains("{}") && (index == 0 || word.text != "{}");
        if inner.is_empty() || inner.iter().enumerate().any(spliced) {
            return Look::Unknown("`find` makes a command of the names it finds".to_owned());
        }
        found.push(start..at);
    }
    if found.is_empty() { Look::Itself } else { Look::And(found) }
}
