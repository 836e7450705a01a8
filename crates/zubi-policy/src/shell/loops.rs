//! Variables of `for` loops over plain words, and variables with one plain value: a command that uses one is read once for
//! each value.

use brush_parser::Token;
use zubi_base::env::is_name;

use super::script::{CommandTerminator, ConstructFrame, Script, Simple};
use super::word::{self, Pattern, ShellWord};

/// The maximum number of commands that one command of a loop means.
const MAX_VALUES: usize = 64;

/// Builtins that set variables or change what words mean. A script with one of them can set the variable of a loop in ways
/// that its text does not show.
const SETTERS: &[&str] = &[
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "let",
    "select",
    "eval",
    "source",
    ".",
    "unset",
    "alias",
    "coproc",
    "exec",
    "set",
    "shopt",
    "trap",
    "enable",
    "((",
    "wait",
];

/// The variable of a loop and its values.
pub(super) struct LoopVariable {
    name: String,
    values: Vec<ShellWord>,
}

impl LoopVariable {
    /// Creates the variable of a loop. `None` if its values are not known: a word is computed at run time, or something
    /// else in the script may set the variable.
    pub(super) fn new(name: &str, values: Vec<ShellWord>, tokens: &[Token]) -> Option<Self> {
        let is_plain = |word: &ShellWord| {
            let plain = |c: char| c.is_alphanumeric() || "_./-,:@%+=*?".contains(c);
            !word.is_dynamic && !word.tilde && !word.text.is_empty() && word.text.chars().all(plain)
        };
        // The loop itself is one mention.
        let is_set_once = tokens.iter().map(|token| count_mentions(token.to_str(), name)).sum::<usize>() == 1;
        // The shell sets `_` itself.
        (name != "_"
            && is_set_once
            && !may_set_unseen(tokens)
            && values.len() <= MAX_VALUES
            && values.iter().all(is_plain))
        .then(|| Self { name: name.to_owned(), values })
    }
}

/// Counts the places of a token that name a variable other than as `$name` or `${name}`, whatever the quotes are.
fn count_mentions(token: &str, name: &str) -> usize {
    let text = token.replace(['\\', '"', '\''], "");
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mentions = text.match_indices(name).filter(|(at, _)| {
        let (before, after) = (text.get(..*at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
        let is_use = before.ends_with('$') || (before.ends_with("${") && after.starts_with('}'));
        !is_use && !before.ends_with(is_part) && !after.starts_with(is_part)
    });
    mentions.count()
}

/// Returns whether a script may set a variable without its name in the text: by a builtin whose words are worked out when it
/// runs, or by an expansion (`${!x:=y}`, `$((x=1))`, `{x,y}`).
fn may_set_unseen(tokens: &[Token]) -> bool {
    let words: Vec<String> = tokens.iter().map(|token| token.to_str().replace(['\\', '"', '\''], "")).collect();
    let is_setter = |word: &String| SETTERS.contains(&word.as_str());
    let expands = |word: &String| {
        let is_plain_use = |rest: &str| rest.split_once('}').is_some_and(|(name, _)| is_name(name));
        word.split("${").skip(1).any(|rest| !is_plain_use(rest))
            || ["$(", "$[", "`"].iter().any(|part| word.contains(part))
            || (word.replace("${", "").contains('{') && word != "{")
    };
    // The option `-v` of `printf` sets a variable.
    let prints_to_variable = |pair: &[String]| matches!(pair, [program, first] if program == "printf" && first.starts_with(['-', '$', '*', '?', '[']));
    words.iter().any(|word| is_setter(word) || expands(word)) || words.windows(2).any(prints_to_variable)
}

/// Returns the simple commands that a command of a loop means: one for each value of the variables that it uses.
/// Only the command itself if it uses no variable with known values.
pub(super) fn expand(simple: Simple, frames: &[ConstructFrame], assigned: &[LoopVariable]) -> Vec<Simple> {
    let mut used: Vec<&LoopVariable> = Vec::new();
    for name in simple.words.iter().flat_map(|word| &word.variables).map(|variable| &variable.name) {
        let known = frames.iter().rev().find_map(|frame| match frame {
            ConstructFrame::Loop(Some(variable)) if variable.name == *name => Some(variable),
            _ => None,
        });
        let known = known.or_else(|| assigned.iter().find(|variable| variable.name == *name));
        let Some(variable) = known else { return vec![simple] };
        if !used.iter().any(|other| other.name == *name) {
            used.push(variable);
        }
    }
    let count = used.iter().map(|variable| variable.values.len()).product::<usize>();
    if used.is_empty() || count == 0 || count > MAX_VALUES {
        return vec![simple];
    }
    let mut expanded = vec![simple.clone()];
    for variable in used {
        let with = |simple: &Simple, value: &ShellWord| {
            let words: Option<Vec<ShellWord>> =
                simple.words.iter().map(|word| replace(word, &variable.name, value)).collect();
            words.map(|words| simple.with_words(words))
        };
        let all: Option<Vec<Simple>> =
            expanded.iter().flat_map(|simple| variable.values.iter().map(move |value| with(simple, value))).collect();
        match all {
            Some(all) => expanded = all,
            None => return vec![simple],
        }
    }
    expanded
}

/// Returns the word with the value in place of the variable. `None` if the shell would split it or expand it again.
fn replace(word: &ShellWord, name: &str, value: &ShellWord) -> Option<ShellWord> {
    let mut raw = word.raw.clone();
    let mut has_pattern = false;
    for variable in word.variables.iter().rev().filter(|variable| variable.name == name) {
        if value.pattern != Pattern::Literal && !variable.is_quoted {
            return None;
        }
        has_pattern |= value.pattern != Pattern::Literal;
        raw.replace_range(variable.range.clone(), &value.text);
    }
    let mut replaced = word::read(&raw);
    if has_pattern {
        replaced.pattern = value.pattern;
    }
    Some(replaced)
}

impl Script<'_> {
    /// Stores the variables that a command without words sets, if it certainly runs before the following ones.
    pub(super) fn store_assignments(&mut self, simple: &Simple, end: CommandTerminator) {
        let is_certain = self.has_only_simple
            && simple.words.is_empty()
            && self.chain.is_empty()
            && matches!(end, CommandTerminator::And | CommandTerminator::List);
        for (name, word) in simple.assignments.iter().filter(|_| is_certain) {
            let value = word.raw.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('=')).map(word::read);
            let value = value.filter(|value| value.pattern == Pattern::Literal);
            self.assigned.extend(value.and_then(|value| LoopVariable::new(name, vec![value], self.tokens)));
        }
    }

    /// Ends the loop whose `done` was read.
    pub(super) fn end_loop(&mut self) {
        match self.frames.pop() {
            Some(ConstructFrame::Loop(_)) => {}
            frame => {
                self.frames.extend(frame);
                self.mark_undecidable("a `done` without its loop");
            }
        }
    }
}
