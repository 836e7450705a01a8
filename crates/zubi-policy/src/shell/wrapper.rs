//! Programs that start another command (wrappers): finds that command among their words.

use std::ops::Range;

use camino::Utf8Path;

use super::names::{self, FOREIGN_SHELLS, SHELLS, WRAPPER_PROGRAMS};
use super::word::{Pattern, ShellWord};
use super::{builtin, git, interpreter, shorten};

/// The analysis of a simple command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CommandAnalysis {
    /// Whether the command only starts another one and does not itself count as a command.
    pub(super) is_wrapper: bool,
    /// Ranges of words that are commands.
    pub(super) commands: Vec<Range<usize>>,
    /// Scripts that the command runs with a shell.
    pub(super) scripts: Vec<String>,
    /// Whether the command is a shell that runs its standard input.
    pub(super) reads_script: bool,
    /// The reason why other effects cannot be determined.
    pub(super) unresolved: Option<String>,
}

impl CommandAnalysis {
    fn from_unresolved(reason: impl Into<String>) -> Self {
        Self { unresolved: Some(reason.into()), ..Self::default() }
    }
}

/// Syntax of a wrapper's words before the command.
struct Wrapper {
    names: &'static [&'static str],
    /// Letters of options without and with a value, then long options without and with a value.
    flags: &'static str,
    values: &'static str,
    long_flags: &'static [&'static str],
    long_values: &'static [&'static str],
    /// The number of words before the command that are not options, such as a duration.
    operands: usize,
    /// Whether the wrapper accepts `NAME=value` before the command.
    assigns: bool,
    /// Whether the wrapper runs the command with other permissions, and therefore counts as a command too.
    is_command: bool,
}

const BASE: Wrapper = Wrapper {
    names: &[],
    flags: "",
    values: "",
    long_flags: &[],
    long_values: &[],
    operands: 0,
    assigns: false,
    is_command: false,
};

/// Omits options that change what runs or that write files (`env -S`, `time -o`); commands with them are unresolved.
const WRAPPERS: &[Wrapper] = &[
    Wrapper { names: &["builtin", "nohup", "busybox", "toybox"], ..BASE },
    Wrapper { names: &["command"], flags: "p", ..BASE },
    Wrapper { names: &["exec"], flags: "cl", values: "a", ..BASE },
    Wrapper {
        names: &["env"],
        flags: "i0v",
        values: "u",
        long_flags: &["ignore-environment", "null", "debug"],
        long_values: &["unset"],
        assigns: true,
        ..BASE
    },
    Wrapper { names: &["setsid"], flags: "cfw", long_flags: &["ctty", "fork", "wait"], ..BASE },
    Wrapper { names: &["nice"], flags: "0123456789", values: "n", long_values: &["adjustment"], ..BASE },
    Wrapper { names: &["ionice"], flags: "t", values: "cn", long_values: &["class", "classdata"], ..BASE },
    Wrapper { names: &["time"], flags: "pv", long_flags: &["portability", "verbose"], ..BASE },
    Wrapper { names: &["stdbuf"], values: "ioe", long_values: &["input", "output", "error"], ..BASE },
    Wrapper {
        names: &["timeout"],
        flags: "fpv",
        values: "ks",
        long_flags: &["foreground", "preserve-status", "verbose"],
        long_values: &["kill-after", "signal"],
        operands: 1,
        ..BASE
    },
    Wrapper {
        names: &["xargs"],
        flags: "0rtpxo",
        values: "nPILsdEa",
        long_flags: &["null", "no-run-if-empty", "verbose", "interactive", "exit", "open-tty"],
        long_values: &["max-args", "max-procs", "replace", "max-lines", "max-chars", "delimiter", "arg-file", "eof"],
        ..BASE
    },
    Wrapper {
        names: &["sudo"],
        flags: "AbEHnPSk",
        values: "ugp",
        long_flags: &["non-interactive", "preserve-env", "set-home", "stdin"],
        long_values: &["user", "group", "prompt"],
        assigns: true,
        is_command: true,
        ..BASE
    },
    Wrapper { names: &["doas"], flags: "n", values: "u", is_command: true, ..BASE },
    Wrapper { names: &["taskset"], flags: "ac", operands: 1, ..BASE },
    Wrapper { names: &["chrt"], flags: "abfior", operands: 1, is_command: true, ..BASE },
    // Does not include the form `-c` with a script.
    Wrapper {
        names: &["flock"],
        flags: "eFnosux",
        values: "wE",
        long_flags: &["exclusive", "nonblock", "nb", "no-fork", "shared", "unlock", "close", "verbose"],
        long_values: &["timeout", "wait", "conflict-exit-code"],
        operands: 1,
        is_command: true,
        ..BASE
    },
    Wrapper { names: &["strace"], flags: "fFcCqrtTvwxyidDkzZ", values: "esabPS", is_command: true, ..BASE },
];

/// Returns the name of a program in the search path or a system directory. The same name elsewhere may be any program.
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
    // Paths are compared by components: `//usr//bin` is `/usr/bin`.
    path.file_name()
        .filter(|_| path.parent().is_some_and(|parent| DIRECTORIES.iter().any(|directory| parent == *directory)))
}

/// Returns whether a function with this name would change commands that zubi reads through a wrapper.
pub(super) fn runs_nested_commands(name: &str) -> bool {
    name == "find" || WRAPPERS.iter().any(|wrapper| wrapper.names.contains(&name)) || SHELLS.contains(&name)
}

/// Returns whether a file with this name is a shell or an interpreter, whatever its directory.
pub(super) fn is_certain(name: &str) -> bool {
    SHELLS.contains(&name)
        || FOREIGN_SHELLS.contains(&name)
        || interpreter::is_interpreter(name)
        || name.starts_with("ld-linux")
}

/// Returns whether a program starts a command from its words in a way that zubi does not parse.
pub(crate) fn starts_commands(program: &str) -> bool {
    let name = Utf8Path::new(program).file_name().unwrap_or(program);
    WRAPPER_PROGRAMS.contains(&name)
        || (name.starts_with("ld-linux") && name.contains(".so"))
        || FOREIGN_SHELLS.contains(&name)
}

/// Returns whether a program's arguments may be programs, so that no prefix of a command determines its effects.
pub(crate) fn runs_argument_programs(name: &str) -> bool {
    runs_nested_commands(name) || starts_commands(name) || interpreter::runs_argument_text(name)
}

/// Analyzes a simple command whose program is `name`. `has_input`: its standard input may have data.
pub(super) fn analyze(name: &str, words: &[ShellWord], has_input: bool) -> CommandAnalysis {
    if SHELLS.contains(&name) {
        return analyze_shell(words);
    }
    if FOREIGN_SHELLS.contains(&name) {
        let scripts = words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        let unresolved = Some(format!("the language of `{name}` is not read"));
        return CommandAnalysis {
            scripts: scripts.map(|word| word.text.clone()).collect(),
            unresolved,
            ..CommandAnalysis::default()
        };
    }
    if name == "find" {
        return analyze_find(words);
    }
    if name == "git" {
        let git::Git { command, scripts, unresolved } = git::analyze(words);
        let commands = command.map(|at| at..words.len()).into_iter().collect();
        return CommandAnalysis { commands, scripts, unresolved, ..CommandAnalysis::default() };
    }
    if starts_commands(name) {
        return CommandAnalysis::from_unresolved(format!("the text does not determine what `{name}` starts"));
    }
    if interpreter::runs_stdin(name, words, has_input) {
        return CommandAnalysis::from_unresolved(format!("`{name}` runs its standard input"));
    }
    let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name)) else {
        return CommandAnalysis::default();
    };
    if name == "command" && words.get(1).is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V")) {
        return CommandAnalysis::default();
    }
    let mut unresolved = None;
    match wrapper.find_command(words, &mut unresolved) {
        Ok(at) if at >= words.len() => CommandAnalysis { unresolved, ..CommandAnalysis::default() },
        Ok(at) => {
            let commands = std::iter::once(at..words.len()).collect();
            CommandAnalysis { is_wrapper: !wrapper.is_command, commands, unresolved, ..CommandAnalysis::default() }
        }
        Err(option) => CommandAnalysis::from_unresolved(format!(
            "the text does not determine what `{name}` starts after `{option}`"
        )),
    }
}

impl Wrapper {
    /// Returns the index at which the command begins, or the word that is not understood. May store a reason about a
    /// variable that the wrapper sets in `unresolved`.
    fn find_command(&self, words: &[ShellWord], unresolved: &mut Option<String>) -> Result<usize, String> {
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if text == "--" {
                at += 1;
                break;
            }
            let unknown = || shorten(text);
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
            *unresolved = unresolved.take().or_else(|| builtin::export_problem(name, value));
            at += 1;
        }
        Ok(at)
    }
}

/// Analyzes `sh -c 'text'`, `sh file`, or a shell that runs its standard input.
fn analyze_shell(words: &[ShellWord]) -> CommandAnalysis {
    let mut at = 1;
    let (mut has_text, mut reads_stdin, mut shows_info) = (false, false, false);
    let mut unresolved = None;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        at += 1;
        if text == "--" || text == "-" {
            break;
        } else if let Some(long) = text.strip_prefix("--") {
            shows_info |= ["help", "version"].contains(&long);
            if !["norc", "noprofile", "posix", "help", "version"].contains(&long) {
                unresolved = Some(format!("what a shell runs because of `{}`", shorten(text)));
            }
        } else if let Some(letters) = text.strip_prefix(['-', '+']) {
            has_text |= letters.contains('c') && text.starts_with('-');
            reads_stdin |= letters.contains('s') && text.starts_with('-');
            if letters.contains(['i', 'l', 'k']) {
                unresolved =
                    Some(format!("`{}` makes a shell read files first, or its words another way", shorten(text)));
            } else if letters.contains('x') && text.starts_with('-') {
                unresolved = Some("`-x` works out a prompt".to_owned());
            } else if letters.contains('O') {
                unresolved = Some("`-O` changes what the script means".to_owned());
            }
            at += letters.chars().filter(|letter| matches!(letter, 'o' | 'O')).count();
        } else {
            at -= 1;
            break;
        }
    }
    match words.get(at) {
        _ if shows_info => CommandAnalysis { unresolved, ..CommandAnalysis::default() },
        Some(word) if has_text && word.is_static() && word.pattern == Pattern::Literal => CommandAnalysis {
            is_wrapper: true,
            scripts: vec![word.text.clone()],
            unresolved,
            ..CommandAnalysis::default()
        },
        _ if has_text => {
            CommandAnalysis::from_unresolved("a shell is given a text that is worked out only when it runs")
        }
        Some(word) if !reads_stdin && !interpreter::names_stdin(word) => {
            CommandAnalysis { unresolved, ..CommandAnalysis::default() }
        }
        _ => CommandAnalysis { reads_script: true, unresolved, ..CommandAnalysis::default() },
    }
}

/// Analyzes `find … -exec command {} ;`, with any number of `-exec`.
fn analyze_find(words: &[ShellWord]) -> CommandAnalysis {
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
        let is_spliced =
            |(index, word): (usize, &ShellWord)| word.text.contains("{}") && (index == 0 || word.text != "{}");
        if inner.is_empty() || inner.iter().enumerate().any(is_spliced) {
            return CommandAnalysis::from_unresolved("`find` makes a command of the names it finds");
        }
        commands.push(start..at);
    }
    CommandAnalysis { commands, ..CommandAnalysis::default() }
}
