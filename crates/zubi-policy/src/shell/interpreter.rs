//! Programs that run the text that they read: whether a command names that text, or the program reads it from standard
//! input, where neither an approval prompt nor a rule would show it.

use super::word::ShellWord;

/// An interpreter and how it receives the text that it runs.
struct Interpreter {
    /// Names without a version: `python` also matches `python3.12`.
    names: &'static [&'static str],
    /// Options whose value is the text or the file that contains it.
    texts: &'static [&'static str],
    /// Letters of options that do not affect where the text comes from.
    flags: &'static str,
    stdin: Stdin,
}

/// Condition under which an interpreter runs its standard input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stdin {
    /// No argument names a file.
    WithoutFile,
    /// No option contains the text. The operands are databases, files or hosts.
    Unless,
    /// A word names standard input as the file.
    WhereNamed,
}

const BASE: Interpreter = Interpreter { names: &[], texts: &[], flags: "", stdin: Stdin::WithoutFile };

const INTERPRETERS: &[Interpreter] = &[
    Interpreter { names: &["python", "pypy", "ipython"], texts: &["-c", "-m"], flags: "BEIOPRSbdqsuv", ..BASE },
    Interpreter { names: &["perl"], texts: &["-e", "-E"], flags: "TWXalnpsw", ..BASE },
    Interpreter { names: &["ruby", "irb", "jruby"], texts: &["-e"], flags: "alnpsw", ..BASE },
    Interpreter {
        names: &["node", "nodejs", "deno", "bun", "ts-node", "tsx"],
        texts: &["-e", "--eval", "-p", "--print", "-pe"],
        ..BASE
    },
    Interpreter { names: &["php"], texts: &["-r", "-f", "-R", "-F"], flags: "nqC", ..BASE },
    Interpreter { names: &["lua", "luajit", "julia", "elixir", "groovy", "scala", "guile"], texts: &["-e"], ..BASE },
    Interpreter { names: &["R", "r", "Rscript"], texts: &["-e", "-f"], ..BASE },
    Interpreter {
        names: &[
            "tclsh", "wish", "expect", "racket", "sbcl", "clisp", "ocaml", "ghci", "jshell", "erl", "iex", "octave",
        ],
        ..BASE
    },
    Interpreter { names: &["gnuplot", "pry", "bb", "clojure", "clj", "swift", "osascript"], ..BASE },
    Interpreter { names: &["psql"], texts: &["-c", "-f", "--command", "--file"], stdin: Stdin::Unless, ..BASE },
    Interpreter { names: &["mysql", "mariadb"], texts: &["-e", "--execute"], stdin: Stdin::Unless, ..BASE },
    Interpreter { names: &["sqlite", "duckdb", "mongosh"], texts: &["-c", "--eval"], stdin: Stdin::Unless, ..BASE },
    Interpreter { names: &["ed", "ex", "red", "dc", "gdb", "lldb"], stdin: Stdin::Unless, ..BASE },
    Interpreter { names: &["at", "batch", "crontab", "sftp", "ftp", "lftp"], stdin: Stdin::Unless, ..BASE },
    Interpreter { names: &["awk", "gawk", "mawk", "nawk", "sed", "gsed"], stdin: Stdin::WhereNamed, ..BASE },
    Interpreter { names: &["make", "gmake", "cmake", "jq", "ninja"], stdin: Stdin::WhereNamed, ..BASE },
];

fn find(name: &str) -> Option<&'static Interpreter> {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.iter().find(|interpreter| interpreter.names.contains(&name))
}

pub(super) fn is_interpreter(name: &str) -> bool {
    find(name).is_some()
}

/// Returns whether a program runs text from its arguments.
pub(super) fn runs_argument_text(name: &str) -> bool {
    find(name).is_some_and(|interpreter| interpreter.stdin != Stdin::WhereNamed)
}

/// Returns whether the program `name` runs its standard input. `has_input`: its standard input may have data.
pub(super) fn runs_stdin(name: &str, words: &[ShellWord], has_input: bool) -> bool {
    let Some(interpreter) = find(name) else { return false };
    let arguments = words.get(1..).unwrap_or_default();
    let is_info_option =
        |word: &ShellWord| matches!(word.text.as_str(), "--version" | "-V" | "-v" | "--help" | "-h" | "-?");
    match interpreter.stdin {
        Stdin::WhereNamed => has_input && arguments.iter().any(names_stdin),
        Stdin::Unless => {
            has_input && !(arguments.iter().any(|word| interpreter.is_text_option(word)) && arguments.len() > 1)
        }
        Stdin::WithoutFile if matches!(arguments, [only] if is_info_option(only)) => false,
        Stdin::WithoutFile if has_input => !interpreter.names_program(arguments),
        Stdin::WithoutFile => {
            !arguments.iter().any(|word| interpreter.is_text_option(word) || !word.text.starts_with('-'))
                || arguments
                    .iter()
                    .find(|word| !word.text.starts_with('-') || word.text == "-")
                    .is_some_and(names_stdin)
        }
    }
}

/// Returns whether a word is a name of standard input, or an option with such a name as its value.
pub(super) fn names_stdin(word: &ShellWord) -> bool {
    let text = word.text.rsplit_once('=').map_or(word.text.as_str(), |(_, value)| value);
    let text = text.strip_prefix("-f").filter(|rest| !rest.is_empty()).unwrap_or(text);
    let is_device = text.starts_with("/dev/") || text.starts_with("/proc/");
    text == "-" || (is_device && (text.contains("stdin") || text.contains("/fd/")))
}

impl Interpreter {
    fn is_text_option(&self, word: &ShellWord) -> bool {
        let text = word.text.as_str();
        let is_long_form = |option: &&str| option.starts_with("--") && text.starts_with(&format!("{option}="));
        self.texts.contains(&text)
            || self.texts.iter().any(is_long_form)
            || self.has_attached_text(text)
            || self.cluster(text) == Some(true)
    }

    /// Returns whether a word is an option with its value attached: `-mjson.tool`.
    fn has_attached_text(&self, text: &str) -> bool {
        let short_options = self.texts.iter().filter(|option| !option.starts_with("--") && option.len() == 2);
        short_options.into_iter().any(|option| text.strip_prefix(option).is_some_and(|value| !value.is_empty()))
    }

    /// Parses a group of letter options. Returns whether the last one takes a text; `None` if a letter is unknown.
    fn cluster(&self, text: &str) -> Option<bool> {
        let letters = text.strip_prefix('-').filter(|letters| !letters.is_empty() && !letters.starts_with('-'))?;
        let last = letters.chars().last()?;
        let before = letters.strip_suffix(last)?;
        let with_text = self.texts.contains(&format!("-{last}").as_str());
        let all_flags_known = before.chars().all(|letter| self.flags.contains(letter));
        (all_flags_known && (with_text || self.flags.contains(last))).then_some(with_text)
    }

    /// Returns whether the words certainly determine the text that runs.
    fn names_program(&self, arguments: &[ShellWord]) -> bool {
        for (at, word) in arguments.iter().enumerate() {
            if self.has_attached_text(&word.text) && self.cluster(&word.text).is_none() {
                return !names_stdin(word);
            }
            if self.is_text_option(word) {
                return arguments.get(at + 1).is_some_and(|text| !names_stdin(text)) || word.text.contains('=');
            }
            if !word.text.starts_with('-') {
                return !arguments.iter().any(names_stdin);
            }
            if self.cluster(&word.text).is_none() {
                return false;
            }
        }
        false
    }
}
