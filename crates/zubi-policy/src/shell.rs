//! Reads a shell script and says which programs it would run, without running anything: what the policy decides on.
//!
//! Owns the reading of text; who may run what is the policy's. The one promise is that nothing is overlooked: a program
//! that the script could start stands in [`ShellReading::commands`], or [`ShellReading::unresolved`] says why it cannot
//! be told. Where shells disagree (`[[ a || b ]]` is a test in Bash and runs `b` in others) both readings count.
//!
//! The words come from brush-parser's tokenizer. Its grammar is not used: it goes back and forth over what does not
//! parse, and sixteen open parentheses take it minutes. Simple commands are found on the tokens instead, in one pass.
//!
//! How words are shown: quotes are removed. An argument that cannot be told keeps its source text (`$HOME`), with a clause
//! in `unresolved`. A name pattern is kept as it is where it can only become paths (`src/*.rs`); elsewhere (`*.rs`) it is
//! unresolved, for a file may be called `--force`. A program with a slash in its name is an absolute path. Wrappers that
//! only pass a command on (`env`, `timeout`, `sh -c`, …) are looked through and are no commands themselves.
//!
//! What only looks harmless is listed nowhere; what is harmless is: arguments of built-ins ([`builtin`]), variables that
//! programs may be given ([`names`]), settings of git ([`git`]).

mod builtin;
mod git;
mod interpreter;
mod names;
mod place;
mod script;
mod simple;
mod word;
mod wrapper;

pub(crate) use self::wrapper::{runs_arguments, starts_others, system_name};

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::{Token, TokenizerOptions, uncached_tokenize_str};
use camino::{Utf8Path, Utf8PathBuf};

use self::place::WorkingDir;
use self::script::Script;

/// The longest script that is read, in bytes. Longer ones are for a file.
pub const MAX_SCRIPT: usize = 64 * 1024;
/// How many substitutions a script may hold. The tokenizer calls itself for each nested one and takes up to 25 KiB of
/// stack for it; threads have 2 MiB.
const MAX_SUBSTITUTIONS: usize = 24;
/// How deep scripts inside scripts (`sh -c '…'`, `$(…)`) are read.
const MAX_DEPTH: usize = 8;
/// How many commands are kept; nobody reads more than this before saying yes.
const MAX_COMMANDS: usize = 1000;
/// How many clauses say why it cannot be told.
const MAX_CLAUSES: usize = 16;

/// What a script would do, as far as its text says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellReading {
    /// Programs and built-ins with their arguments, in the order of the text; see the module on how words are shown.
    pub commands: Vec<Vec<String>>,
    /// Absolute paths that redirections read and directories that are entered.
    pub reads: Vec<Utf8PathBuf>,
    /// Absolute paths that redirections write.
    pub writes: Vec<Utf8PathBuf>,
    /// Why it cannot be told what the script does, one clause each.
    pub unresolved: Vec<String>,
    /// Something may stand on the standard input of its commands.
    fed: bool,
}

/// Reads a script for a POSIX shell or Bash that starts in `directory` (absolute). Never fails and never panics.
pub fn read(text: &str, directory: &Utf8Path) -> ShellReading {
    read_fed(text, directory, false)
}

/// The same where its standard input may have something: what an interpreter reads there is part of no command.
pub fn read_fed(text: &str, directory: &Utf8Path, fed: bool) -> ShellReading {
    let mut reading = ShellReading { fed, ..ShellReading::default() };
    read_into(&mut reading, text, &WorkingDir::Known(directory.to_owned()), 0);
    reading
}

/// Why it cannot be told what a script does whose environment has this variable, as if it began with `NAME=value`; `None`
/// where that decides nothing.
pub fn variable(name: &str, value: &str) -> Option<String> {
    builtin::reaches(name, Some(value))
}

/// Whether whoever sets this variable chooses a command that programs run: `PAGER`, `GIT_SSH_COMMAND`, `NODE_OPTIONS`.
pub fn chooses_commands(variable: &str) -> bool {
    names::commands(variable)
}

/// Adds what a script says that stands `depth` deep inside others.
fn read_into(reading: &mut ShellReading, text: &str, place: &WorkingDir, depth: usize) {
    if depth > MAX_DEPTH {
        return reading.cannot_tell("scripts are nested too deeply");
    }
    if text.len() > MAX_SCRIPT {
        return reading.cannot_tell(format!("the script has more than {} KiB", MAX_SCRIPT / 1024));
    }
    if text.contains('\0') {
        return reading.cannot_tell("the script has a NUL character");
    }
    if substitutions(text) > MAX_SUBSTITUTIONS {
        return reading.cannot_tell(format!("the script has more than {MAX_SUBSTITUTIONS} substitutions"));
    }
    match tokens(text) {
        Ok(tokens) => Script::new(reading, place.clone(), depth, &tokens).walk(),
        Err(why) => reading.cannot_tell(format!("the script cannot be read: {why}")),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    // Patterns like `!(x)` are off in shells that run scripts: there it is `!` and a subshell.
    let options = TokenizerOptions { enable_extended_globbing: false, posix_mode: false, sh_mode: false };
    // The tokenizer is foreign code that hostile text goes into.
    catch_unwind(AssertUnwindSafe(|| uncached_tokenize_str(text, &options)))
        .map_err(|_| "the tokenizer gave up".to_owned())?
        .map_err(|error| error.to_string())
}

/// How often the tokenizer could call itself, at most.
fn substitutions(text: &str) -> usize {
    let bytes = text.as_bytes();
    let opened = bytes.windows(2).filter(|pair| matches!(pair, [b'$', b'(' | b'{' | b'[']));
    opened.count() + text.matches('`').count()
}

impl ShellReading {
    fn cannot_tell(&mut self, why: impl Into<String>) {
        let why = why.into();
        if self.unresolved.len() < MAX_CLAUSES && !self.unresolved.contains(&why) {
            self.unresolved.push(why);
        }
    }

    fn add_command(&mut self, argv: Vec<String>) {
        if self.commands.len() < MAX_COMMANDS {
            self.commands.push(argv);
        } else {
            self.cannot_tell(format!("the script has more than {MAX_COMMANDS} commands"));
        }
    }
}

/// A piece of a script, short enough for a clause.
pub(crate) fn short(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut shown: String = text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
