//! Reads a shell script and lists the programs that it would run, without running anything.
//!
//! The policy decides about the result. This module guarantees completeness: each program that the script could start
//! is in [`ShellReading::commands`], or [`ShellReading::unresolved`] gives the reason why it cannot be determined. If
//! shells disagree (`[[ a || b ]]` is a test in Bash and runs `b` in others), both readings count.
//!
//! First, [`normal`] refuses what shells may read differently, and replaces here-documents by here-strings. Then the
//! words come from brush-parser's tokenizer. Its grammar is not used: it backtracks over input that does not parse,
//! and sixteen open parentheses take it minutes. Instead, one pass over the tokens finds the simple commands.
//!
//! Quotes are removed from words. An argument that cannot be determined retains its source text (`$HOME`), with a
//! clause in `unresolved`. A glob pattern stays unchanged if it can only expand to paths (`src/*.rs`); otherwise
//! (`*.rs`) it is unresolved, because a file may have the name `--force`. A program with a slash in its name becomes an
//! absolute path. Wrappers that only start another command (`env`, `timeout`, `sh -c`, …) are replaced by that command.
//!
//! The module has no list of dangerous things, only lists of harmless ones: arguments of builtins ([`builtin`]),
//! variables that programs may receive ([`names`]), settings of git ([`git`]).

mod builtin;
mod git;
mod interpreter;
mod loops;
mod names;
mod normal;
mod script;
mod simple;
mod word;
mod working_dir;
mod wrapper;

pub(crate) use self::wrapper::{runs_argument_programs, starts_commands, system_name};

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::{Token, TokenizerOptions, uncached_tokenize_str};
use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::text::ellipsize;

use self::normal::Normal;
use self::script::Script;
use self::working_dir::WorkingDir;

/// The maximum size of a script that is read, in bytes. A longer script belongs in a file.
pub const MAX_SCRIPT: usize = 64 * 1024;
/// The maximum number of substitutions in a script. The tokenizer recurses into each nested one and uses up to 25 KiB
/// of stack for it; threads have 2 MiB.
const MAX_SUBSTITUTIONS: usize = 24;
/// The maximum depth of scripts inside scripts (`sh -c '…'`, `$(…)`) that are read.
const MAX_DEPTH: usize = 8;
/// The maximum number of commands in a reading. Users do not read more than this before they approve a call.
const MAX_COMMANDS: usize = 1000;
/// The maximum number of clauses in [`ShellReading::unresolved`].
const MAX_CLAUSES: usize = 16;

/// The effects of a script, as far as its text determines them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellReading {
    /// Programs and builtins with their arguments, in the order of the text; see the module about the format of words.
    pub commands: Vec<Vec<String>>,
    /// Absolute paths that redirections read, and directories that `cd` enters.
    pub reads: Vec<Utf8PathBuf>,
    /// Absolute paths that redirections write.
    pub writes: Vec<Utf8PathBuf>,
    /// Reasons why the effects of the script cannot be determined, one clause each.
    pub unresolved: Vec<String>,
    /// Programs without a slash that only start another command (`env`, `sh -c`). They are not in `commands`.
    pub wrappers: Vec<String>,
    /// Whether the commands may have data on their standard input.
    has_input: bool,
}

/// Reads a script for a POSIX shell or Bash that starts in `directory` (absolute). Never fails and never panics.
pub fn read(text: &str, directory: &Utf8Path) -> ShellReading {
    read_with_input(text, directory, false)
}

/// Like [`read`], for a script whose standard input may have data. `commands` does not include programs that an
/// interpreter reads from there.
pub fn read_with_input(text: &str, directory: &Utf8Path, has_input: bool) -> ShellReading {
    let mut reading = ShellReading { has_input, ..ShellReading::default() };
    read_into(&mut reading, text, &WorkingDir::Initial(directory.to_owned()), 0);
    reading
}

/// Returns the reason why the effects of a script cannot be determined if its environment has this variable, as if the
/// script began with `NAME=value`. Returns `None` if the variable has no influence.
pub fn variable_problem(name: &str, value: &str) -> Option<String> {
    builtin::export_problem(name, Some(value))
}

/// Returns whether a variable selects a command that programs run: `PAGER`, `GIT_SSH_COMMAND`, `NODE_OPTIONS`.
pub fn selects_commands(variable: &str) -> bool {
    names::selects_commands(variable)
}

/// Adds the effects of a script at nesting depth `depth`.
fn read_into(reading: &mut ShellReading, text: &str, working_dir: &WorkingDir, depth: usize) {
    if depth > MAX_DEPTH {
        return reading.mark_unresolved("scripts are nested too deeply");
    }
    if text.len() > MAX_SCRIPT {
        return reading.mark_unresolved(format!("the script has more than {} KiB", MAX_SCRIPT / 1024));
    }
    if text.contains('\0') {
        return reading.mark_unresolved("the script has a NUL character");
    }
    if count_substitutions(text) > MAX_SUBSTITUTIONS {
        return reading.mark_unresolved(format!("the script has more than {MAX_SUBSTITUTIONS} substitutions"));
    }
    // A script that shells may read differently is read nevertheless, for the rules and the prompt.
    let normal = normal::normalize(text).unwrap_or_else(|reason| {
        reading.mark_unresolved(reason);
        Normal { text: text.to_owned(), has_cat: false }
    });
    if normal.has_cat && !reading.wrappers.iter().any(|wrapper| wrapper == "cat") {
        reading.wrappers.push("cat".to_owned());
    }
    match tokenize(&normal.text) {
        Ok(tokens) => Script::new(reading, working_dir.clone(), depth, &tokens).walk(),
        Err(reason) => reading.mark_unresolved(format!("the script cannot be read: {reason}")),
    }
}

fn tokenize(text: &str) -> Result<Vec<Token>, String> {
    // Shells that run scripts have patterns like `!(x)` turned off and read them as `!` and a subshell.
    let options = TokenizerOptions { enable_extended_globbing: false, posix_mode: false, sh_mode: false };
    // The tokenizer is a third-party crate, and the text may be hostile.
    catch_unwind(AssertUnwindSafe(|| uncached_tokenize_str(text, &options)))
        .map_err(|_| "the tokenizer failed".to_owned())?
        .map_err(|error| error.to_string())
}

/// Returns an upper bound of the tokenizer's recursive calls.
fn count_substitutions(text: &str) -> usize {
    let bytes = text.as_bytes();
    let opened = bytes.windows(2).filter(|pair| matches!(pair, [b'$', b'(' | b'{' | b'[']));
    opened.count() + text.matches('`').count()
}

impl ShellReading {
    fn mark_unresolved(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if self.unresolved.len() < MAX_CLAUSES && !self.unresolved.contains(&reason) {
            self.unresolved.push(reason);
        }
    }

    fn add_command(&mut self, argv: Vec<String>) {
        if self.commands.len() < MAX_COMMANDS {
            self.commands.push(argv);
        } else {
            self.mark_unresolved(format!("the script has more than {MAX_COMMANDS} commands"));
        }
    }
}

/// Shortens a part of a script, for a clause.
pub(crate) fn shorten(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    ellipsize(text, MAX_CHARS).replace(char::is_control, " ")
}

#[cfg(test)]
mod tests;
