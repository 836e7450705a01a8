//! The operands of programs: paths, and texts in languages that can run programs or write files.

use super::filters::{is_known_awk, is_known_filter};
use super::options::{ParsedWords, stays_inside};
use super::statements::{is_plain_name, is_plain_statement, is_web_address};
use super::{Operands, Program, has_word};
use crate::pattern::is_glob;

/// Options with which the first operand is a path.
const PATTERN_OPTIONS: &str = "e regexp files";

/// Marks operands that a rule with `*` does not cover.
pub(super) fn refuse_operands(row: &Program, arguments: &mut ParsedWords, argv: &[String]) {
    let operands = arguments.operands.clone();
    let has_option = |names: &[&str]| arguments.options.iter().any(|(name, _)| names.contains(&name.as_str()));
    let has_listing_option = matches!(row.operands, Operands::OnlyWith(options) if has_any(arguments, options));
    let mut refuse = |is_refused: &dyn Fn(&str) -> bool| {
        for index in &operands {
            if argv.get(*index).is_some_and(|word| is_refused(word)) {
                arguments.refused.push(*index);
            }
        }
    };
    match row.operands {
        Operands::Words | Operands::Files | Operands::PatternAndFiles => {}
        Operands::AtMost(count) => {
            // A pattern may become several operands.
            refuse(&is_glob);
            arguments.refused.extend(operands.iter().skip(count));
        }
        // `@file` names a file with more options.
        Operands::Inside => refuse(&|word| {
            // `go run x@latest` fetches and runs another module.
            !stays_inside(word) || word.starts_with('@') || (row.names == "go" && word.contains('@'))
        }),
        Operands::Located => refuse(&|word| {
            let (path, location) = word.split_once([':', '[']).unwrap_or((word, ""));
            !stays_inside(path) || path.starts_with('@') || location.contains('/')
        }),
        Operands::Resources => {
            refuse(&is_secret_resource);
            // `go-template-file=x` reads a file, and prints its beginning in an error.
            let reads_file = |value: &Option<String>| value.as_deref().is_some_and(|value| value.contains("-file"));
            if arguments
                .options
                .iter()
                .any(|(name, value)| matches!(name.as_str(), "o" | "output") && reads_file(value))
            {
                arguments.refused.push(argv.len());
            }
        }
        Operands::None => refuse(&|_| true),
        Operands::Prefixed(prefixes) => refuse(&|word| {
            !prefixes.split(' ').any(|prefix| word.starts_with(prefix)) || word.split('/').any(|name| name == "..")
        }),
        Operands::Script => refuse(&|word| !stays_inside(word) || !word.contains(['.', '/'])),
        Operands::OneOf(words) => refuse(&|word| !has_word(words, word)),
        Operands::OnlyWith(_) => refuse(&|_| !has_listing_option),
        Operands::Verbs(verbs) | Operands::OptionalVerb(verbs) => {
            let verb = operands.first().filter(|index| !argv.get(**index).is_some_and(|word| has_word(verbs, word)));
            arguments.refused.extend(verb);
        }
        Operands::Targets => {
            refuse(&|word| (word.contains('=') && !sets_plain_variable(word)) || word.starts_with(['+', '@']));
        }
        Operands::Recipes => {
            refuse(&|word| {
                word.contains('=') || word.starts_with(['+', '@']) || !stays_inside(&word.replace(':', "/"))
            });
        }
        // See [`super::judge_row`].
        Operands::Runs(_) => {}
        Operands::ScriptName => {
            refuse(&|word| word.contains(['/', '.', '=', '@', '\\']) || word.starts_with('+'));
            arguments.refused.extend(operands.iter().skip(1));
        }
        Operands::TestIds => refuse(&|word| {
            let path = word.split_once("::").map_or(word, |(path, _)| path);
            !stays_inside(path) || path.starts_with('@')
        }),
        Operands::Writes => arguments.refused.push(argv.len()),
        Operands::LooksWith(options) => {
            if !has_any(arguments, options) {
                arguments.refused.push(argv.len());
            }
        }
        Operands::Sed => {
            let has_expression = has_option(&["e", "expression"]);
            if !has_expression
                && let Some(index) = operands.first()
                && !argv.get(*index).is_some_and(|text| is_plain_sed(text))
            {
                arguments.refused.push(*index);
            }
            if sed_expressions(arguments).any(|text| !text.is_some_and(is_plain_sed)) {
                arguments.refused.push(argv.len());
            }
        }
        Operands::Awk => refuse(&|word| !is_plain_awk(word)),
        Operands::Filter => refuse(&|word| !is_plain_filter(word)),
        Operands::Statements => refuse_statements(row, arguments, argv),
        Operands::Addresses => refuse(&|word| !is_web_address(word)),
    }
    // Git does not read the message of a commit as a format.
    if row.names == "git" && row.subcommands != "commit" {
        arguments
            .refused
            .extend((0..argv.len()).filter(|index| argv.get(*index).is_some_and(|word| runs_in_git(word))));
    }
}

/// Returns whether a word sets a variable of `make` that only selects how much it prints: `V=1`.
fn sets_plain_variable(word: &str) -> bool {
    let Some((name, value)) = word.split_once('=') else { return false };
    has_word("V VERBOSE DEBUG", name) && !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns whether a word names secrets of a cluster: `secret/x`, `pods,Secrets.v1.`.
fn is_secret_resource(word: &str) -> bool {
    word.split([',', '/', '.']).any(|part| ["secret", "secrets"].iter().any(|kind| part.eq_ignore_ascii_case(kind)))
}

/// Marks statements that do more than to query. Without `-c` or `-e`, the first operand is a database.
fn refuse_statements(row: &Program, arguments: &mut ParsedWords, argv: &[String]) {
    // DuckDB loads extensions for some names of files.
    let is_plain =
        |text: &str| is_plain_statement(text) && !(has_word(row.names, "duckdb") && text.contains(['\'', '"']));
    for (at, index) in arguments.operands.iter().enumerate() {
        let word = argv.get(*index).map_or("", String::as_str);
        if !is_plain(word) && (at > 0 || !is_plain_name(word)) {
            arguments.refused.push(*index);
        }
    }
    let texts = arguments.options.iter().filter(|(name, _)| matches!(name.as_str(), "c" | "command" | "e" | "execute"));
    if texts.into_iter().any(|(_, text)| !text.as_deref().is_some_and(is_plain)) {
        arguments.refused.push(argv.len());
    }
}

/// Returns whether git runs a program because of a word, or prints any object: some formats verify signatures, run the
/// commands of trailers or print the contents of a tagged file, and the transport `ext` runs its address.
fn runs_in_git(word: &str) -> bool {
    // `%+G`, `%-G` and `% G` differ only in the line break before the text, and `%(*x)` is `x` of the tagged object.
    let runs = |(at, _): (usize, &str)| {
        let rest = word.get(at + 1..).unwrap_or_default();
        let rest = rest.strip_prefix(['+', '-', ' ']).unwrap_or(rest);
        let field = rest.strip_prefix('(').map(|field| field.strip_prefix('*').unwrap_or(field));
        rest.starts_with('G')
            || field.is_some_and(|field| ["trailers", "signature", "raw"].iter().any(|name| field.starts_with(name)))
    };
    word.match_indices('%').any(runs) || word.starts_with("ext::")
}

/// Returns the values of the options with a script of `sed`.
fn sed_expressions(arguments: &ParsedWords) -> impl Iterator<Item = Option<&str>> {
    let expressions = arguments.options.iter().filter(|(name, _)| has_word("e expression", name));
    expressions.map(|(_, text)| text.as_deref())
}

/// Returns whether one of these options was given, separated by spaces.
fn has_any(arguments: &ParsedWords, options: &str) -> bool {
    arguments.options.iter().any(|(name, _)| has_word(options, name))
}

/// Returns whether the operands of a command with looking options only look, too. Its options begin at index `from`.
pub(super) fn only_look(row: &Program, arguments: &ParsedWords, argv: &[String], from: usize) -> bool {
    let operands: Vec<&str> =
        arguments.operands.iter().filter_map(|index| argv.get(*index)).map(String::as_str).collect();
    // `HEAD:a` is a file in a revision. `git diff` compares any two files if one is outside the repository.
    let in_repository = |word: &str| stays_inside(word) || stays_inside(&word.replace(':', "/").replace("//", "/"));
    if row.names == "git" {
        let pattern = arguments
            .operands
            .first()
            .filter(|_| row.operands == Operands::PatternAndFiles && !has_any(arguments, PATTERN_OPTIONS));
        // The list may be wrong about the value of an option, so that git reads it as an operand.
        let leaves =
            |(index, word): (usize, &String)| !word.starts_with('-') && Some(&index) != pattern && !in_repository(word);
        if argv.iter().any(|word| runs_in_git(word)) || argv.iter().enumerate().skip(from).any(leaves) {
            return false;
        }
    }
    // `tree` takes the values of a cluster from the next words: `tree -Io pattern output`.
    let has_cluster = |word: &String| word.len() > 2 && !word.starts_with("--") && word.contains(['L', 'I', 'P']);
    if row.names == "tree" && argv.iter().any(|word| word.starts_with('-') && has_cluster(word)) {
        return false;
    }
    match row.operands {
        Operands::Files | Operands::PatternAndFiles => true,
        Operands::Words => !operands.iter().any(|word| word.contains('/') && row.names == "which"),
        Operands::AtMost(count) => operands.len() <= count && !operands.iter().any(|word| is_glob(word)),
        Operands::None => operands.is_empty(),
        Operands::Prefixed(prefix) => operands.iter().all(|word| word.starts_with(prefix)),
        Operands::Sed if has_any(arguments, "e expression") => {
            sed_expressions(arguments).all(|text| text.is_some_and(is_plain_sed))
        }
        Operands::Sed => operands.first().is_some_and(|script| is_plain_sed(script)),
        // An operand with `=` sets a variable.
        Operands::Awk => {
            operands.first().is_some_and(|text| is_known_awk(text))
                && !operands.iter().skip(1).any(|file| file.contains('='))
        }
        Operands::Filter => operands.first().is_some_and(|text| is_known_filter(text)),
        Operands::Inside => operands.iter().all(|word| stays_inside(word) || row.names == "git"),
        Operands::OneOf(words) => matches!(operands.as_slice(), [word] if has_word(words, word)),
        Operands::Verbs(verbs) => operands.first().is_some_and(|verb| has_word(verbs, verb)),
        Operands::OptionalVerb(verbs) => operands.first().is_none_or(|verb| has_word(verbs, verb)),
        Operands::OnlyWith(options) => operands.is_empty() || has_any(arguments, options),
        _ => false,
    }
}

/// Returns the operands that are paths.
pub(super) fn files<'a>(row: &Program, arguments: &ParsedWords, argv: &'a [String]) -> Vec<&'a str> {
    let skipped = match row.operands {
        Operands::PatternAndFiles if !has_any(arguments, PATTERN_OPTIONS) => 1,
        Operands::Sed if !has_any(arguments, "e expression") => 1,
        Operands::Awk | Operands::Filter => 1,
        Operands::Files | Operands::AtMost(_) | Operands::PatternAndFiles | Operands::Sed => 0,
        _ => return Vec::new(),
    };
    arguments.operands.iter().skip(skipped).filter_map(|index| argv.get(*index)).map(String::as_str).collect()
}

/// Returns whether a script of `sed` has only commands that write to its output. Errs towards `false`.
fn is_plain_sed(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']);
        if rest.is_empty() {
            return true;
        }
        for _ in 0..2 {
            let Some(after) = skip_sed_address(rest) else { return false };
            rest = after.strip_prefix(',').unwrap_or(after);
        }
        rest = rest.trim_start_matches([' ', '!']);
        if rest.starts_with('{') {
            continue;
        }
        let mut chars = rest.chars();
        let Some(command) = chars.next() else { return false };
        rest = chars.as_str();
        match command {
            'p' | 'd' | 'q' | 'Q' | '=' | 'n' | 'N' | 'P' | 'D' | 'h' | 'H' | 'g' | 'G' | 'x' | 'l' | 'z' => {
                rest = rest.trim_start_matches([' ', '\t']);
                if !(rest.is_empty() || rest.starts_with([';', '\n', '}'])) {
                    return false;
                }
            }
            's' | 'y' => {
                let Some(delimiter) = rest.chars().next().filter(|c| !c.is_alphanumeric() && !matches!(c, '\\' | '\n'))
                else {
                    return false;
                };
                rest = rest.get(delimiter.len_utf8()..).unwrap_or_default();
                for _ in 0..2 {
                    let Some(after) = skip_delimited(rest, delimiter) else { return false };
                    rest = after;
                }
                let flags = if command == 's' { "gpIiM0123456789" } else { "" };
                rest = rest.trim_start_matches(|c: char| flags.contains(c)).trim_start_matches([' ', '\t']);
                if !(rest.is_empty() || rest.starts_with([';', '\n', '}'])) {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

fn skip_sed_address(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('$') {
        return Some(rest);
    }
    match text.strip_prefix('/') {
        Some(pattern) => skip_delimited(pattern, '/').map(|rest| rest.trim_start_matches(['I', 'M'])),
        None => Some(text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '~')),
    }
}

/// Returns the text after the next delimiter without a backslash. Refuses a delimiter in brackets, where only some
/// implementations take it literally.
pub(super) fn skip_delimited(text: &str, delimiter: char) -> Option<&str> {
    let mut chars = text.chars();
    let mut in_brackets = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next()?;
            }
            c if c == delimiter => return Some(chars.as_str()).filter(|_| !in_brackets),
            '\n' => return None,
            '[' if chars.as_str().starts_with([']', '^']) => return None,
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ => {}
        }
    }
    None
}

/// Returns whether a program of `awk` runs nothing and writes only to its output. Errs towards `false`: `>` may also be a
/// comparison.
fn is_plain_awk(text: &str) -> bool {
    const PARTS: &[&str] =
        &["system", "getline", "close", "@", "|", ">", "fflush", "ENVIRON", "PROCINFO", "extension", "inplace"];
    let without_or = text.replace("||", "");
    !PARTS.iter().any(|part| without_or.contains(part))
}

/// Returns whether a filter of `jq` or `yq` reads only its input. Errs towards `false`.
pub(super) fn is_plain_filter(text: &str) -> bool {
    const NAMES: &[&str] =
        &["env", "import", "include", "input_filename", "load", "strenv", "envsubst", "system", "debug", "modulemeta"];
    let lower = text.to_ascii_lowercase();
    !NAMES.iter().any(|name| lower.contains(name)) && !text.contains("$__")
}
