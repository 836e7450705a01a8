//! Options of programs: which arguments only look, and which run, load or write something.
//!
//! [`table`] has one row for each program or subcommand. The policy uses it twice:
//!
//! - A rule with `*` covers only arguments that the row lists ([`refused_words`]). Every other argument must be spelled out
//!   in the rule. For programs without a row, `*` covers everything.
//! - A command that a row lists as looking runs without approval ([`looks_at`]).
//!
//! The lists contain what is harmless, except for rows with [`Options::AllBut`]: an option that is missing costs only a
//! prompt.

mod filters;
mod git;
mod lists;
mod options;
mod projects;
mod runners;
mod searches;
mod statements;
mod table;
mod texts;

use camino::Utf8Path;

use self::options::parse;
pub(crate) use self::searches::{
    ContentSearch, ContentSource, PassedFiles, content_search, passed_files, search_options,
};

/// One program, or some of its subcommands.
#[derive(Debug, Clone, Copy)]
struct Program {
    /// Names, separated by spaces.
    names: &'static str,
    /// Subcommands, separated by spaces; `*` for those that have no row, which a rule must name; empty for a program without subcommands, or for
    /// the options before the subcommand.
    subcommands: &'static str,
    style: Style,
    /// Whether no option writes or runs anything.
    is_inert: bool,
    /// The options with which the program runs without approval, as in [`options`].
    looking: Option<&'static str>,
    /// The options that `*` in a rule covers.
    covered: Options,
    operands: Operands,
    /// The operands with which the program runs without approval, if they differ from `operands`.
    looking_operands: Option<Operands>,
    /// The options after `--`, for programs that pass them to another program.
    rest: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
enum Options {
    Only(&'static str),
    /// All except these, their abbreviations and their letters in clusters.
    AllBut(&'static str),
}

/// The syntax of a program's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Clusters of letters, and long options with two dashes. `--` ends the options.
    Gnu,
    /// Like `Gnu`, but the first operand ends the options: the following words belong to another program.
    Posix,
    /// Like `Posix`, but the second operand ends the options: `ssh host -p 1 command`.
    Remote,
    /// Long options with one or two dashes, as in `go test -run x`.
    Single,
    /// Like `Gnu`, but the first word is a cluster even without a dash, as in `tar tf x`.
    Tar,
}

/// The meaning of the words that are not options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// Words without an effect of their own.
    Words,
    /// Paths that the program reads.
    Files,
    /// At most this many paths: the program writes the next one.
    AtMost(usize),
    /// A pattern, unless `-e` has it, and paths.
    PatternAndFiles,
    /// Words that must stay in the workspace if they are paths.
    Inside,
    /// Paths that must stay in the workspace, each perhaps with a line or the name of a test: `a_spec.rb:12`.
    Located,
    /// Kinds and names of a cluster's objects, except its secrets.
    Resources,
    None,
    /// Words that begin with one of these, separated by spaces.
    Prefixed(&'static str),
    /// Words that do not begin with `+` or `@` and set nothing: `CC=x`.
    Targets,
    /// Targets that must stay in the workspace if they are paths.
    Recipes,
    /// A file of the workspace that an interpreter runs, with a dot or a slash: other words are subcommands.
    Script,
    /// Exactly these words, separated by spaces.
    OneOf(&'static str),
    /// Words after one of these verbs, separated by spaces.
    Verbs(&'static str),
    /// Nothing, or words after one of these verbs, separated by spaces.
    OptionalVerb(&'static str),
    /// Words, but only with one of these options, separated by spaces.
    OnlyWith(&'static str),
    /// Another program and its arguments, after this many words.
    Runs(usize),
    /// The name of one script of the project.
    ScriptName,
    /// Paths of tests that must stay in the workspace, with names of tests after `::`.
    TestIds,
    /// The program writes, whatever its words are.
    Writes,
    /// The program only looks with one of these options, separated by spaces, and writes otherwise.
    LooksWith(&'static str),
    /// A script of `sed`, unless `-e` has it, and paths.
    Sed,
    Awk,
    /// A filter of `jq` or `yq`, and paths.
    Filter,
    /// Statements of a database's shell.
    Statements,
    /// Addresses of web pages.
    Addresses,
}

const BASE: Program = Program {
    names: "",
    subcommands: "",
    style: Style::Gnu,
    is_inert: false,
    looking: None,
    covered: Options::AllBut(""),
    operands: Operands::Files,
    looking_operands: None,
    rest: None,
};

/// Returns the indices of the words of a command that a rule with `*` does not cover, because they run, load or write
/// something, or because their effect is not known. The index after the last word means the command as a whole.
pub(crate) fn refused_words(argv: &[String]) -> Vec<usize> {
    let Some((name, arguments)) = split(argv) else { return Vec::new() };
    let mut refused = Vec::new();
    // `python3 -m pytest` is `pytest`.
    let python = name.starts_with("python").then(|| arguments.iter().position(|word| word == "-m")).flatten();
    if let Some(at) = python
        && let Some(module) = argv.get(at + 2)
    {
        refused.extend([at + 1, at + 2]);
        if find(module, "").is_some() {
            refused.extend(judge(module, argv, at + 3));
        }
        return refused;
    }
    refused.extend(judge(name, argv, 1));
    refused
}

/// Returns whether a rule with `*` would not cover all arguments of this program.
pub(crate) fn has_refused_options(program: &str) -> bool {
    normal_name(program).is_some() && !only_looks(program)
}

/// Returns the number of words after which a rule with `*` is harmless: a program that only looks, or a subcommand of which
/// the table lists the harmless options. `None` if the command has other words, runs a file of its words, or is not in the
/// table.
pub(crate) fn find_harmless_prefix(argv: &[String]) -> Option<usize> {
    // A file elsewhere with the same name may be any program.
    let name = crate::shell::system_name(argv.first()?)?;
    if !refused_words(argv).is_empty() {
        return None;
    }
    if !has_subcommands(name) {
        return only_looks(name).then_some(1);
    }
    let subcommand = argv.get(1)?;
    let row = find(name, subcommand)?;
    let is_listed = matches!(row.covered, Options::Only(_));
    // The words of `cargo run` and `go run` select what runs; `git commit` and `git push` change what others get.
    let is_harmless = !has_word("run r run-script", subcommand) && (name != "git" || is_looking_git(row));
    (is_listed && is_harmless).then_some(2)
}

/// Returns whether a subcommand of git only looks, whatever its operands are.
fn is_looking_git(row: &Program) -> bool {
    matches!(row.looking_operands, Some(Operands::Inside | Operands::Words))
}

/// Returns whether a program only looks, whatever its arguments are.
pub(crate) fn only_looks(program: &str) -> bool {
    let Some(name) = normal_name(program) else { return false };
    rows().filter(|row| has_word(row.names, name)).all(|row| {
        matches!(row.covered, Options::AllBut("")) && matches!(row.operands, Operands::Files | Operands::Words)
    })
}

/// Returns whether no option of a program writes or runs anything, and its words are paths that it reads.
pub(crate) fn is_inert(program: &str) -> bool {
    find(program, "")
        .is_some_and(|row| row.is_inert && matches!(row.operands, Operands::Files | Operands::PatternAndFiles))
}

/// Returns the paths that a command reads if it only looks: it writes nothing, runs no other program, and ends by itself.
/// `None` if it is not known to do so. `is_git_hardened`: the command is started so that git runs no program that the
/// repository's configuration names.
pub(crate) fn looks_at(argv: &[String], is_git_hardened: bool) -> Option<Vec<String>> {
    let name = argv.first()?;
    if prints_version(argv) {
        return Some(Vec::new());
    }
    if name == "find" && argv.iter().any(|word| word == "-exec") {
        return looks_at(&searches::without_commands(argv)?, false);
    }
    if name == "git" && !is_git_hardened {
        return None;
    }
    let at = if name == "git" { find_git_subcommand(argv)? } else { 1 };
    let subcommand = argv.get(at).filter(|_| has_subcommands(name));
    let row = find(name, subcommand.map_or("", String::as_str))?;
    let row = Program { operands: row.looking_operands.unwrap_or(row.operands), ..*row };
    let from = at + usize::from(subcommand.is_some());
    let arguments = parse(&row, Options::Only(row.looking?), argv, from);
    if !arguments.refused.is_empty() || !texts::only_look(&row, &arguments, argv, from) {
        return None;
    }
    let files = texts::files(&row, &arguments, argv);
    let Some(directory) = git_directory(argv) else { return Some(files.into_iter().map(str::to_owned).collect()) };
    let below = files.into_iter().map(|file| Utf8Path::new(directory).join(file).into_string());
    Some(std::iter::once(directory.to_owned()).chain(below).collect())
}

/// Returns whether a command only looks if git runs no program that a repository's configuration names.
pub fn only_prints(argv: &[String]) -> bool {
    looks_at(argv, true).is_some()
}

/// Returns whether a command only prints the version of its program.
pub fn prints_version(argv: &[String]) -> bool {
    let [name, option] = argv else { return false };
    let names = match option.as_str() {
        "--version" | "-V" => table::VERSIONED,
        "-v" => "node npm ruby perl tsc",
        "-version" => "java",
        "version" => "git go",
        _ => return false,
    };
    has_word(names, name)
}

/// Returns the index of the subcommand of git, after options that choose only a directory or the form of the output.
pub fn find_git_subcommand(argv: &[String]) -> Option<usize> {
    const FLAGS: &str = "--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects";
    let mut at = 1;
    loop {
        match argv.get(at)?.as_str() {
            // A second directory would be relative to the first one.
            "-C" if !argv.iter().take(at).any(|word| word == "-C") => at += 2,
            flag if has_word(FLAGS, flag) => at += 1,
            word => return Some(at).filter(|_| !word.starts_with('-')),
        }
    }
}

/// Returns the directory that the option `-C` of git chooses.
pub fn git_directory(argv: &[String]) -> Option<&str> {
    argv.first().filter(|name| Utf8Path::new(name).file_name() == Some("git"))?;
    let leading = argv.get(..find_git_subcommand(argv)?)?;
    let option = leading.iter().position(|word| word == "-C")?;
    leading.get(option + 1).map(String::as_str)
}

/// Returns the index from which on a command only reads the files that its words name. `None` if it may write them.
pub(crate) fn find_read_words(argv: &[String]) -> Option<usize> {
    const GIT: &str = "add commit log show diff status blame annotate grep ls-files ls-tree rev-parse rev-list shortlog \
        push fetch tag branch describe name-rev merge-base cherry-pick revert merge rebase check-ignore check-attr cat-file";
    let name = crate::shell::system_name(argv.first()?)?;
    if name == "git" {
        let row = find(name, "")?;
        let leading = parse(&Program { style: Style::Posix, ..*row }, row.covered, argv, 1);
        let subcommand =
            leading.operands.first().filter(|index| argv.get(**index).is_some_and(|word| has_word(GIT, word)));
        return subcommand.filter(|_| refused_words(argv).is_empty()).map(|index| index + 1);
    }
    let row = find(name, "")?;
    let reads = row.looking.is_some()
        || row.is_inert
        || matches!(
            row.operands,
            Operands::Files
                | Operands::AtMost(_)
                | Operands::PatternAndFiles
                | Operands::Awk
                | Operands::Filter
                | Operands::LooksWith(_)
        )
        || has_word("less more fd fdfind", name);
    (reads && refused_words(argv).is_empty()).then_some(1)
}

/// Returns the indices of refused words from index `from` on.
fn judge(name: &str, argv: &[String], from: usize) -> Vec<usize> {
    if !has_subcommands(name) {
        return find(name, "").map_or_else(Vec::new, |row| judge_row(row, argv, from));
    }
    let mut refused = Vec::new();
    let mut at = from;
    if let Some(row) = find(name, "") {
        let words = argv.len();
        let leading = parse(&Program { style: Style::Posix, ..*row }, row.covered, argv, from);
        refused.extend(leading.refused);
        at = leading.operands.first().copied().unwrap_or(words);
    }
    let Some(subcommand) = argv.get(at) else { return refused };
    match find(name, subcommand) {
        Some(row) => refused.extend(judge_row(row, argv, at + 1)),
        None => match find(name, "*") {
            Some(row) => {
                refused.push(at);
                refused.extend(judge_row(row, argv, at + 1));
            }
            // Another subcommand may do anything, and so may its words.
            None => refused.extend(at..argv.len()),
        },
    }
    refused
}

fn judge_row(row: &Program, argv: &[String], from: usize) -> Vec<usize> {
    let mut arguments = parse(row, row.covered, argv, from);
    texts::refuse_operands(row, &mut arguments, argv);
    if let Operands::Runs(words_before) = row.operands {
        match arguments.operands.first() {
            Some(first) => arguments.refused.extend(refuse_program(argv, first + words_before)),
            // Without a program, a shell or a default starts: `poetry shell`.
            None => arguments.refused.push(argv.len()),
        }
    }
    arguments.refused
}

/// Returns the indices of refused words of a command inside another one, which begins at index `from`. A rule must name its
/// program, and its arguments are judged as those of that program.
fn refuse_program(argv: &[String], from: usize) -> Vec<usize> {
    let is_variable = |word: &&String| word.contains('=');
    let variables = argv.iter().skip(from).take_while(is_variable).count();
    let at = from + variables;
    let mut refused: Vec<usize> = (from..=at).collect();
    let inner = argv.get(at..).unwrap_or_default();
    let name = inner.first().map_or("", |program| Utf8Path::new(program).file_name().unwrap_or(program));
    if normal_name(name).is_some() {
        refused.extend(refused_words(inner).into_iter().map(|index| index + at));
    } else if crate::shell::runs_argument_programs(name) {
        refused.extend(at..argv.len());
    } else if let Some(separator) = inner.iter().position(|word| word == "--") {
        // `mise exec node -- command`
        refused.extend(refuse_program(argv, at + separator + 1));
    }
    refused
}

fn rows() -> impl Iterator<Item = &'static Program> {
    [table::PROGRAMS, git::PROGRAMS, runners::PROGRAMS, projects::PROGRAMS].into_iter().flatten()
}

fn find(name: &str, subcommand: &str) -> Option<&'static Program> {
    let name = normal_name(name)?;
    let mut rows = rows().filter(|row| has_word(row.names, name));
    if subcommand.is_empty() {
        return rows.find(|row| row.subcommands.is_empty());
    }
    rows.find(|row| has_word(row.subcommands, subcommand))
}

pub(crate) fn has_subcommands(name: &str) -> bool {
    let Some(name) = normal_name(name) else { return false };
    rows().any(|row| has_word(row.names, name) && !row.subcommands.is_empty())
}

/// Returns the program's name as in the table: without its directory and its version.
fn normal_name(program: &str) -> Option<&str> {
    let name = Utf8Path::new(program).file_name()?;
    let is_known = |name: &str| rows().any(|row| has_word(row.names, name));
    let without_version = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    [name, without_version].into_iter().find(|name| is_known(name))
}

fn split(argv: &[String]) -> Option<(&str, &[String])> {
    let (program, arguments) = argv.split_first()?;
    Some((Utf8Path::new(program).file_name().unwrap_or(program), arguments))
}

fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|other| other == word && !word.is_empty())
}

#[cfg(test)]
mod tests;
