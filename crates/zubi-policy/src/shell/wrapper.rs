//! Programs that pass a command on: what the command is that they start.

use std::ops::Range;

use camino::Utf8Path;

use super::names::{self, FOREIGN_SHELLS, SHELLS, WRAPPER_PROGRAMS};
use super::word::{Pattern, ShellWord};
use super::{builtin, git, interpreter, short};

/// The analysis of a simple command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CommandAnalysis {
    /// Whether it only passes a command on and does not count as a command itself.
    pub(super) passes: bool,
    /// The words of it that are commands.
    pub(super) commands: Vec<Range<usize>>,
    /// The texts that a shell runs.
    pub(super) scripts: Vec<String>,
    /// Whether it is a shell that runs what it reads.
    pub(super) reads_script: bool,
    /// Why it cannot be determined what else runs.
    pub(super) unsure: Option<String>,
}

impl CommandAnalysis {
    fn unsure(why: impl Into<String>) -> Self {
        Self { unsure: Some(why.into()), ..Self::default() }
    }
}

/// How a wrapper's words are read up to the command.
struct Wrapper {
    names: &'static [&'static str],
    /// Letters of options without and with a value, and long options likewise.
    flags: &'static str,
    values: &'static str,
    long_flags: &'static [&'static str],
    long_values: &'static [&'static str],
    /// The number of words before the command that are not options: a duration.
    operands: usize,
    /// Whether `NAME=value` is allowed before the command.
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

/// Options that change what is started or write files (`env -S`, `time -o`) are left out, so that such a command is
/// unresolved.
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
    Wrapper { names: &["taskset"], flags: "ac", operands: 1, ..PLAIN },
    Wrapper { names: &["chrt"], flags: "abfior", operands: 1, counts: true, ..PLAIN },
    // Without the form in which `-c` has a script.
    Wrapper {
        names: &["flock"],
        flags: "eFnosux",
        values: "wE",
        long_flags: &["exclusive", "nonblock", "nb", "no-fork", "shared", "unlock", "close", "verbose"],
        long_values: &["timeout", "wait", "conflict-exit-code"],
        operands: 1,
        counts: true,
        ..PLAIN
    },
    Wrapper { names: &["strace"], flags: "fFcCqrtTvwxyidDkzZ", values: "esabPS", counts: true, ..PLAIN },
];

/// Returns the name of a program that is found through the search path or in a system directory. A file of that name
/// elsewhere may be any program.
pub(crate) fn system_name(program: &str) -> Option<&str> {
    const DIRECTORIES: &[&str] = &[
        "/bin",
        "/usr/bin",
        "/usr/local/bin",
        "/sbin",
        "/usr/sbin",
        "/usr/local/sbin",
        "/lib",
        "/lib64",
        "/usr/lib64",
    ];
    if !program.contains('/') {
        return Some(program);
    }
    let path = Utf8Path::new(program);
    // Paths are compared by their components: `//usr//bin` is `/usr/bin`.
    path.file_name()
        .filter(|_| path.parent().is_some_and(|parent| DIRECTORIES.iter().any(|directory| parent == *directory)))
}

/// Whether a function of this name would change what commands mean that are looked through.
pub(super) fn runs_nested_commands(name: &str) -> bool {
    name == "find" || WRAPPERS.iter().any(|wrapper| wrapper.names.contains(&name)) || SHELLS.contains(&name)
}

/// Whether a file of this name is what its name says, in whatever directory it lies: a shell or an interpreter.
pub(super) fn is_certain(name: &str) -> bool {
    SHELLS.contains(&name)
        || FOREIGN_SHELLS.contains(&name)
        || interpreter::is_interpreter(name)
        || name.starts_with("ld-linux")
}

/// Whether a program starts a command among its words, in a way that is not read here.
pub(crate) fn starts_others(program: &str) -> bool {
    let name = Utf8Path::new(program).file_name().unwrap_or(program);
    WRAPPER_PROGRAMS.contains(&name)
        || (name.starts_with("ld-linux") && name.contains(".so"))
        || FOREIGN_SHELLS.contains(&name)
}

/// Whether the arguments of a program may be programs themselves, so that no prefix of a command says what it does.
pub(crate) fn runs_arguments(name: &str) -> bool {
    runs_nested_commands(name) || starts_others(name) || interpreter::runs_texts(name)
}

/// Analyzes a simple command whose program is `name`. `fed`: its standard input may have data.
pub(super) fn analyze(name: &str, words: &[ShellWord], fed: bool) -> CommandAnalysis {
    if SHELLS.contains(&name) {
        return shell(words);
    }
    if FOREIGN_SHELLS.contains(&name) {
        let scripts = words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        let unsure = Some(format!("the language of `{name}` is not read"));
        return CommandAnalysis {
            scripts: scripts.map(|word| word.text.clone()).collect(),
            unsure,
            ..CommandAnalysis::default()
        };
    }
    if name == "find" {
        return find(words);
    }
    if name == "git" {
        let git = git::analyze(words);
        let commands = git.command.map(|at| at..words.len()).into_iter().collect();
        return CommandAnalysis { commands, scripts: git.scripts, unsure: git.unsure, ..CommandAnalysis::default() };
    }
    if starts_others(name) {
        return CommandAnalysis::unsure(format!("the text does not determine what `{name}` starts"));
    }
    if interpreter::reads_program(name, words, fed) {
        return CommandAnalysis::unsure(format!("`{name}` runs its standard input"));
    }
    let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name)) else {
        return CommandAnalysis::default();
    };
    if name == "command" && words.get(1).is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V")) {
        return CommandAnalysis::default();
    }
    let mut unsure = None;
    match wrapper.command(words, &mut unsure) {
        Ok(at) if at >= words.len() => CommandAnalysis { unsure, ..CommandAnalysis::default() },
        Ok(at) => {
            let commands = std::iter::once(at..words.len()).collect();
            CommandAnalysis { passes: !wrapper.counts, commands, unsure, ..CommandAnalysis::default() }
        }
        Err(option) => {
            CommandAnalysis::unsure(format!("the text does not determine what `{name}` starts after `{option}`"))
        }
    }
}

impl Wrapper {
    /// Returns the index at which the command begins, or the word that is not understood. A variable that the wrapper
    /// sets may be stored in `unsure` as a reason.
    fn command(&self, words: &[ShellWord], unsure: &mut Option<String>) -> Result<usize, String> {
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if text == "--" {
                at += 1;
                break;
            }
            let unknown = || short(text);
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
            && let Some(word) = words.get(at)
            && let Some(name) = names::assigned_name(&word.text)
        {
            let value = word.text.split_once('=').map(|(_, value)| value);
            *unsure = unsure.take().or_else(|| builtin::reaches(name, value));
            at += 1;
        }
        Ok(at)
    }
}

/// `sh -c 'text'`, `sh file`, or a shell that runs what it reads.
fn shell(words: &[ShellWord]) -> CommandAnalysis {
    let mut at = 1;
    let (mut text_given, mut reads, mut asks) = (false, false, false);
    let mut unsure = None;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        at += 1;
        if text == "--" || text == "-" {
            break;
        } else if let Some(long) = text.strip_prefix("--") {
            asks |= ["help", "version"].contains(&long);
            if !["norc", "noprofile", "posix", "help", "version"].contains(&long) {
                unsure = Some(format!("what a shell runs because of `{}`", short(text)));
            }
        } else if let Some(letters) = text.strip_prefix(['-', '+']) {
            text_given |= letters.contains('c') && text.starts_with('-');
            reads |= letters.contains('s') && text.starts_with('-');
            if letters.contains(['i', 'l', 'k']) {
                unsure = Some(format!("`{}` makes a shell read files first, or its words another way", short(text)));
            } else if letters.contains('x') && text.starts_with('-') {
                unsure = Some("`-x` works out a prompt".to_owned());
            } else if letters.contains('O') {
                unsure = Some("`-O` changes what the script means".to_owned());
            }
            at += letters.chars().filter(|letter| matches!(letter, 'o' | 'O')).count();
        } else {
            at -= 1;
            break;
        }
    }
    match words.get(at) {
        _ if asks => CommandAnalysis { unsure, ..CommandAnalysis::default() },
        Some(word) if text_given && word.is_static() && word.pattern == Pattern::Literal => {
            CommandAnalysis { passes: true, scripts: vec![word.text.clone()], unsure, ..CommandAnalysis::default() }
        }
        _ if text_given => CommandAnalysis::unsure("a shell is given a text that is worked out only when it runs"),
        Some(word) if !reads && !interpreter::names_stdin(word) => {
            CommandAnalysis { unsure, ..CommandAnalysis::default() }
        }
        _ => CommandAnalysis { reads_script: true, unsure, ..CommandAnalysis::default() },
    }
}

/// `find … -exec command {} ;`, any number of times.
fn find(words: &[ShellWord]) -> CommandAnalysis {
    let mut commands = Vec::new();
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
        let spliced =
            |(index, word): (usize, &ShellWord)| word.text.contains("{}") && (index == 0 || word.text != "{}");
        if inner.is_empty() || inner.iter().enumerate().any(spliced) {
            return CommandAnalysis::unsure("`find` makes a command of the names it finds");
        }
        commands.push(start..at);
    }
    CommandAnalysis { commands, ..CommandAnalysis::default() }
}
