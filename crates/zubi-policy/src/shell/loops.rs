//! Variables of `for` loops over plain words: a command that uses one is read once for each value.

use brush_parser::Token;

use super::script::{ConstructFrame, Script, Simple};
use super::word::{self, Pattern, ShellWord};

/// The maximum number of commands that one command of a loop means.
const MAX_VALUES: usize = 64;

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
        // `read f`, `f=x` and `for f` set it; `-vf` does, too.
        let mentions = |token: &&Token| {
            let text = token.to_str().trim_start_matches(['-', 'v', '"', '\'']);
            text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', '+', '[', '"', '\'']))
        };
        let is_set_once = tokens.iter().filter(mentions).count() == 1;
        (is_set_once && values.len() <= MAX_VALUES && values.iter().all(is_plain))
            .then(|| Self { name: name.to_owned(), values })
    }
}

/// Returns the simple commands that a command of a loop means: one for each value of the variables that it uses.
/// Only the command itself if it uses no variable with known values.
pub(super) fn expand(simple: Simple, frames: &[ConstructFrame]) -> Vec<Simple> {
    let mut used: Vec<&LoopVariable> = Vec::new();
    for name in simple.words.iter().flat_map(|word| &word.variables).map(|variable| &variable.name) {
        let known = frames.iter().rev().find_map(|frame| match frame {
            ConstructFrame::Loop(Some(variable)) if variable.name == *name => Some(variable),
            _ => None,
        });
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
