//! One simple command of a script: the programs that it starts, also through wrappers and shells, and builtins.

use std::collections::VecDeque;

use camino::Utf8Path;

use super::names::REINTERPRETING_BUILTINS;
use super::script::{Script, Simple};
use super::word::{Pattern, ShellVariable, ShellWord};
use super::working_dir::WorkingDir;
use super::wrapper::{self, CommandAnalysis};
use super::{builtin, read_into, shorten};
use crate::programs;

/// The maximum number of commands inside one simple command, through wrappers.
const MAX_NESTED_COMMANDS: usize = 64;

/// Returns whether a glob pattern cannot change what a program does: it may become an option, but all options of the program
/// only look. The policy requires approval if a match is a location of credentials.
fn is_readable_pattern(program: &str, word: &ShellWord) -> bool {
    if word.is_dynamic || word.tilde || word.pattern != Pattern::Bare {
        return false;
    }
    matches!(program, "echo" | "ls") || programs::is_inert(program)
}

/// Returns whether a word only prints variables without secrets.
fn prints_public_variables(program: &str, word: &ShellWord) -> bool {
    const PUBLIC: &[&str] =
        &["PATH", "HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TZ", "HOSTNAME", "?"];
    let is_public = |variable: &ShellVariable| PUBLIC.contains(&variable.name.as_str());
    matches!(program, "echo" | "printf")
        && word.pattern == Pattern::Literal
        && word.scripts.is_empty()
        && !word.variables.is_empty()
        && word.variables.iter().all(is_public)
}

/// Returns whether a wrapper is a program in the search path, and not a builtin of the shell.
fn is_program(wrapper: &str) -> bool {
    !wrapper.contains('/') && !matches!(wrapper, "builtin" | "command")
}

impl Script<'_> {
    /// Adds a simple command and the commands that it starts. Returns the new directory if the command is a `cd`.
    pub(super) fn simple_command(&mut self, simple: &Simple) -> Option<WorkingDir> {
        let words = simple.words.as_slice();
        let name = words.first().filter(|word| word.is_static()).map_or("", |word| word.text.as_str());
        for word in words {
            self.read_scripts_in(word);
            if !word.is_static() && !is_readable_pattern(name, word) && !prints_public_variables(name, word) {
                self.mark_undecidable(format!("`{}` is worked out only when it runs", shorten(&word.raw)));
            }
        }
        self.read_test_words(words);
        let mut new_dir = None;
        let mut due = VecDeque::from([words]);
        for _ in 0..MAX_NESTED_COMMANDS {
            let Some(words) = due.pop_front() else { return new_dir };
            let Some(program) = words.first() else { continue };
            if program.tilde || program.pattern != Pattern::Literal {
                self.mark_undecidable(format!(
                    "which program `{}` is, is known only when it runs",
                    shorten(&program.raw)
                ));
            }
            let has_static_name = program.is_static();
            let name = match program.text.as_str() {
                _ if !has_static_name => "",
                path if path.contains('/') => Utf8Path::new(path).file_name().unwrap_or_default(),
                name => name,
            };
            let is_system = wrapper::system_name(&program.text).is_some();
            let analysis = wrapper::analyze(name, words, self.reading.has_input);
            // Outside the system directories, a file with a wrapper's name is any program, which may do the same.
            let is_wrapper =
                analysis.is_wrapper || (analysis.reads_script && matches!(simple.input.as_slice(), [Some(_)]));
            if !is_wrapper || !is_system {
                self.record_command(words);
            } else if is_program(&program.text) && !self.reading.wrappers.contains(&program.text) {
                self.reading.wrappers.push(program.text.clone());
            }
            self.read_nested_scripts(name, is_system, &analysis, simple);
            due.extend(analysis.commands.into_iter().filter_map(|range| words.get(range)));
            match name {
                "xargs" => self.mark_undecidable("`xargs` adds arguments from what it reads"),
                // A program with a path is not a built-in.
                _ if !has_static_name || program.text.contains('/') => {}
                "cd" => new_dir = Some(self.change_directory(words)),
                name => self.read_builtin(name, words),
            }
        }
        self.mark_undecidable("a command contains too many others");
        new_dir
    }

    /// Reads the scripts in a command's words, and records what cannot be determined about the command.
    fn read_nested_scripts(&mut self, name: &str, is_system: bool, analysis: &CommandAnalysis, simple: &Simple) {
        for script in &analysis.scripts {
            read_into(self.reading, script, &self.working_dir, self.depth + 1);
        }
        if analysis.reads_script {
            match simple.input.as_slice() {
                [Some(script)] => read_into(self.reading, script, &self.working_dir, self.depth + 1),
                _ => self.mark_undecidable(format!("`{}` runs what it reads", shorten(name))),
            }
        }
        if let Some(reason) = analysis.unresolved.as_ref().filter(|_| is_system || wrapper::is_certain(name)) {
            self.mark_undecidable(reason.clone());
        }
    }

    /// Reads the words inside `[[ … ]]`, which are always a test in Bash and commands in other shells.
    fn read_test_words(&mut self, words: &[ShellWord]) {
        self.in_test |= words.first().is_some_and(|word| word.text == "[[");
        if self.in_test
            && let Some(reason) = builtin::test_problem(words)
        {
            self.mark_undecidable(reason);
        }
        self.in_test &= words.last().is_none_or(|word| word.text != "]]");
    }

    /// Adds the words as a command. A program with a slash becomes an absolute path.
    fn record_command(&mut self, words: &[ShellWord]) {
        let mut argv: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
        if let (Some(program), Some(word)) = (argv.first_mut(), words.first())
            && word.is_static()
            && !word.tilde
            && program.contains('/')
            && let Some(path) = self.path(&word.text)
        {
            *program = path.into_string();
        }
        let git = argv
            .first()
            .and_then(|program| Utf8Path::new(program).file_name())
            .and_then(|name| name.strip_prefix("git-"));
        // Git's own programs: `git-push` is `git push`.
        let git_argv = git.map(|subcommand| {
            let words = ["git", subcommand].map(str::to_owned);
            words.into_iter().chain(argv.iter().skip(1).cloned()).collect::<Vec<_>>()
        });
        self.reading.add_command(argv);
        if let Some(git_argv) = git_argv {
            self.reading.add_command(git_argv);
        }
    }

    fn change_directory(&mut self, words: &[ShellWord]) -> WorkingDir {
        if self.repeats {
            self.mark_undecidable("`cd` is used in a script with loops or functions");
            return WorkingDir::Unknown;
        }
        let mut operands = words.iter().skip(1).skip_while(|word| word.text.starts_with('-') && word.text != "-");
        match (operands.next(), operands.next()) {
            (Some(word), None)
                if word.is_static() && word.pattern == Pattern::Literal && !word.tilde && word.text != "-" =>
            {
                let Some(path) = self.path(&word.text) else { return WorkingDir::Unknown };
                self.reading.reads.push(path.clone());
                WorkingDir::Moved(path)
            }
            _ => WorkingDir::Unknown,
        }
    }

    /// Reads a builtin that may change the meaning of the script.
    fn read_builtin(&mut self, name: &str, words: &[ShellWord]) {
        let arguments = words.get(1..).unwrap_or_default();
        if REINTERPRETING_BUILTINS.contains(&name) {
            self.mark_undecidable(format!("`{name}` changes what the script means"));
            if arguments.iter().all(ShellWord::is_static) {
                let texts: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
                match name {
                    "eval" => read_into(self.reading, &texts.join(" "), &self.working_dir, self.depth + 1),
                    "trap" => {
                        read_into(self.reading, texts.first().unwrap_or(&""), &self.working_dir, self.depth + 1);
                    }
                    _ => {}
                }
            }
        }
        if let Some(reason) = builtin::problem(name, words) {
            self.mark_undecidable(reason);
        }
    }
}
