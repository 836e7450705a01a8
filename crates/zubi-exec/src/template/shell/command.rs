//! Determines the role of each word of a simple command, and the commands that run their words as code.

use super::TemplateWord;

/// Words before the name of a command.
const NAME_PREFIXES: &[&str] =
    &["if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "coproc", "}", "fi", "done", "esac"];

/// Commands whose arguments are a command.
const WRAPPERS: &[&str] =
    &["builtin", "command", "doas", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "sudo", "time", "xargs"];

/// Bash builtins that run their arguments, or evaluate the subscripts of names in them.
const EVALUATING_COMMANDS: &[&str] = &[
    "eval",
    "trap",
    "alias",
    "let",
    "unset",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "shopt",
    "enable",
    "complete",
];

/// Builtins that assign: a value after `NAME=` is data.
const DECLARING_COMMANDS: &[&str] = &["export", "readonly", "declare", "typeset", "local"];

/// Programs that run an argument as code, with the option letters before it: `sh -c`, `perl -ne`. A version may follow
/// the name (`python3.12`).
const INTERPRETERS: &[(&str, &str)] = &[
    ("sh", "c"),
    ("bash", "c"),
    ("dash", "c"),
    ("ash", "c"),
    ("zsh", "c"),
    ("ksh", "c"),
    ("mksh", "c"),
    ("fish", "c"),
    ("su", "c"),
    ("python", "c"),
    ("perl", "eE"),
    ("ruby", "e"),
    ("node", "ep"),
    ("deno", "ep"),
    ("bun", "ep"),
    ("php", "rBRE"),
    ("lua", "e"),
    ("osascript", "e"),
    ("pwsh", "c"),
];

/// The long forms of these options.
const CODE_OPTIONS: &[&str] = &["--eval", "--command", "--print", "-Command"];

/// Programs whose first operand is a program in a language that can start other programs.
const FILTERS: &[&str] = &["awk", "gawk", "mawk", "nawk", "sed", "gsed"];

/// Commands that do not need an end-of-options mark: they have no options, or `--` would be text for them.
const COMMANDS_WITHOUT_OPTIONS: &[&str] =
    &["echo", "printf", "[", "test", "for", "case", "export", "readonly", ":", "true", "exit", "return"];

/// The maximum number of stored words of a command.
const MAX_WORDS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct TemplateCommand {
    name: Option<String>,
    /// Whether a wrapper was read, whose options and assignments come before the name.
    wrapped: bool,
    words: Vec<String>,
    /// The number of words after the name that are not options.
    operands: usize,
    /// Whether the next word is the target of a redirection.
    target: bool,
}

/// The analysis of a word.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// The reason why the word may not contain an argument.
    pub(super) refused: Option<&'static str>,
    /// Whether the word may be omitted or become several words.
    pub(super) any_count: bool,
    /// Whether a value that begins with `-` would be an option.
    pub(super) is_option: bool,
    pub(super) undecidable: bool,
}

impl TemplateCommand {
    pub(super) fn expects_name(&self) -> bool {
        self.name.is_none() && !self.target
    }

    pub(super) fn expect_target(&mut self) {
        self.target = true;
    }

    /// Processes one word. `has_argument`: whether it contains an argument's placeholder.
    pub(super) fn read_word(&mut self, word: &TemplateWord, has_argument: bool) -> Verdict {
        if std::mem::take(&mut self.target) {
            return Verdict::default();
        }
        let verdict = match &self.name {
            None => self.before_name(word, has_argument),
            Some(name) => self.after_name(&name.clone(), word),
        };
        if self.name.is_some() && !word.text.starts_with('-') {
            self.operands += 1;
        }
        if self.words.len() < MAX_WORDS {
            self.words.push(word.text.clone());
        }
        verdict
    }

    fn before_name(&mut self, word: &TemplateWord, has_argument: bool) -> Verdict {
        let is_literal = word.placeholders.is_empty() && !word.quoted;
        let before = word.before.as_deref().unwrap_or(&word.text);
        if is_literal && NAME_PREFIXES.contains(&word.text.as_str()) {
            return Verdict::default();
        }
        if is_assignment(before) {
            return Verdict::default();
        }
        if self.wrapped && before.starts_with('-') {
            return Verdict { refused: Some("is in an option of a command that runs another"), ..Verdict::default() };
        }
        if has_argument {
            self.name = Some(String::new());
            let refused = if before.contains('[') {
                "is in a subscript, which the shell evaluates; use a variable of the script"
            } else {
                "would be the name of the command; write the name, or choose with `case $name in …`"
            };
            return Verdict { refused: Some(refused), ..Verdict::default() };
        }
        let name = base(&word.text);
        if WRAPPERS.contains(&name) {
            self.wrapped = true;
            return Verdict::default();
        }
        let undecidable = is_literal && word.text == "function";
        self.name = Some(name.to_owned());
        Verdict { undecidable, ..Verdict::default() }
    }

    fn after_name(&self, name: &str, word: &TemplateWord) -> Verdict {
        let before = word.before.as_deref().unwrap_or(&word.text);
        let last = self.words.last().map_or("", String::as_str);
        let refused = if EVALUATING_COMMANDS.contains(&name) {
            Some("would be evaluated by the shell as code or as a name; give it to a variable (`value=$name`)")
        } else if DECLARING_COMMANDS.contains(&name)
            && (!is_assignment(before) || self.words.iter().any(|word| word.starts_with('-')))
        {
            Some("may only be a value here, after `NAME=` and without options before; declare the variable first")
        } else if name == "[[" {
            Some("is in `[[ … ]]`, which evaluates some of its words; use `[ … ]` or `case`")
        } else if matches!(name, "[" | "test" | "printf") && matches!(last, "-v" | "-R") {
            Some("would be a variable's name, whose brackets the shell evaluates; use another name")
        } else if name == "ssh" && self.operands > 1 {
            Some("would be read by the shell of the other machine; send it as input instead")
        } else if FILTERS.contains(&name) && last != "-v" && (!word.text.is_empty() || self.operands < 2) {
            Some("would be pasted into a program; `awk -v value=$name` hands over a value")
        } else if self.words.iter().any(|word| runs_code(base(word), last) || runs_code(base(word), before)) {
            Some("would be pasted into code; hand it over as an argument: `sh -c 'echo \"$$1\"' sh $name`")
        } else if before.contains("=(") {
            Some("is in an array; assign it to a variable first (`value=$name`)")
        } else {
            None
        };
        Verdict {
            refused,
            any_count: !matches!(name, "case" | "[[" | "select"),
            is_option: refused.is_none()
                && !COMMANDS_WITHOUT_OPTIONS.contains(&name)
                && !self.words.iter().any(|word| word == "--"),
            undecidable: false,
        }
    }
}

/// Whether a text begins with `NAME=` or `NAME+=`.
fn is_assignment(text: &str) -> bool {
    let Some((name, _)) = text.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_')
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether this program runs the argument after this option as code.
fn runs_code(name: &str, option: &str) -> bool {
    let name = name.trim_end_matches(|version: char| version.is_ascii_digit() || version == '.');
    let Some((_, letters)) = INTERPRETERS.iter().find(|(interpreter, _)| *interpreter == name) else { return false };
    let short_flags = option.strip_prefix('-').filter(|rest| rest.chars().all(|letter| letter.is_ascii_alphabetic()));
    CODE_OPTIONS.contains(&option) || short_flags.is_some_and(|flags| flags.ends_with(|last| letters.contains(last)))
}
