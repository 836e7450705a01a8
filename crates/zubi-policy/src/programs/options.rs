//! Reads the words of a command according to a list of options.
//!
//! A list has options separated by spaces: `-abc` are letters, `-n=` and `--name=` take a value, `-j[=]` takes one only if
//! it is attached, and the value of `-C@` must stay in the workspace.

use super::{Options, Program, Style};

/// The words of a command, by their meaning. All numbers are indices of words.
#[derive(Debug, Default)]
pub(super) struct ParsedWords {
    /// Words that the list does not cover.
    pub(super) refused: Vec<usize>,
    pub(super) operands: Vec<usize>,
    /// Options that were given, by their letter or long name, with their values.
    pub(super) options: Vec<(String, Option<String>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    None,
    Required,
    Attached,
    /// Required, and below the workspace.
    Inside,
}

pub(super) fn parse(row: &Program, options: Options, argv: &[String], from: usize) -> ParsedWords {
    let list = match options {
        Options::Only(list) => list,
        Options::AllBut(list) => return parse_all_but(row, list, argv, from),
    };
    let mut arguments = ParsedWords::default();
    let mut at = from;
    while let Some(word) = argv.get(at) {
        let index = at;
        at += 1;
        let text = word.as_str();
        if text == "--" && row.style != Style::Single {
            read_rest(row, argv, at, &mut arguments);
            break;
        }
        let is_first_cluster = row.style == Style::Tar && index == from && !text.starts_with('-');
        if !is_first_cluster && (text == "-" || !text.starts_with('-')) {
            arguments.operands.push(index);
            if ends_options(row.style, &arguments.operands) {
                break;
            }
            continue;
        }
        if is_first_cluster {
            at = read_old_cluster(list, argv, index, &mut arguments);
            continue;
        }
        let mut needs_value = None;
        let is_covered = if let Some(long) = text.strip_prefix("--").filter(|_| row.style != Style::Single) {
            read_named(list, "--", long, &mut arguments, &mut needs_value)
        } else if row.style == Style::Single {
            let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-')).unwrap_or(text);
            read_named(list, "-", name, &mut arguments, &mut needs_value)
        } else {
            read_cluster(list, text.strip_prefix('-').unwrap_or(text), &mut arguments, &mut needs_value)
        };
        if !is_covered {
            arguments.refused.push(index);
        }
        let Some(value) = needs_value else { continue };
        let Some(next) = argv.get(at) else { continue };
        // A word that looks like an option is judged as one: the list may be wrong about the value.
        // `find -mtime -7`.
        let is_number =
            row.names == "find" && next.get(1..).is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()));
        if next.starts_with('-') && next.len() > 1 && !is_number {
            arguments.refused.push(index);
            continue;
        }
        if value == Value::Inside && !stays_inside(next) {
            arguments.refused.extend([index, at]);
        }
        if let Some((_, stored)) = arguments.options.last_mut() {
            *stored = Some(next.clone());
        }
        at += 1;
    }
    arguments
}

/// Returns whether the operands so far end the options, so that the following words belong to another program.
fn ends_options(style: Style, operands: &[usize]) -> bool {
    match style {
        Style::Posix => true,
        Style::Remote => operands.len() > 1,
        Style::Gnu | Style::Single | Style::Tar => false,
    }
}

/// Reads a cluster without a dash, whose letters take their values in order from the following words: `tar tfX a b`.
/// Returns the index after the values.
fn read_old_cluster(list: &str, argv: &[String], index: usize, arguments: &mut ParsedWords) -> usize {
    let mut at = index + 1;
    for letter in argv.get(index).map_or("", String::as_str).chars() {
        let mut needs_value = None;
        let is_covered = read_cluster(list, letter.encode_utf8(&mut [0; 4]), arguments, &mut needs_value);
        if !is_covered {
            arguments.refused.push(index);
        }
        if needs_value.is_some() {
            if !argv.get(at).is_some_and(|value| needs_value != Some(Value::Inside) || stays_inside(value)) {
                arguments.refused.extend([index, at]);
            }
            at += 1;
        }
    }
    at
}

/// Reads the words after `--`: operands, or the arguments of another program.
fn read_rest(row: &Program, argv: &[String], from: usize, arguments: &mut ParsedWords) {
    let Some(list) = row.rest else { return arguments.operands.extend(from..argv.len()) };
    let plain = Program { rest: None, style: Style::Gnu, ..*row };
    let inner = parse(&plain, if list == "*" { Options::AllBut("") } else { Options::Only(list) }, argv, from);
    arguments.refused.extend(inner.refused);
    // Without any option, the words themselves are not covered either.
    if list.is_empty() {
        arguments.refused.extend(inner.operands);
    }
}

/// Reads an option with a name of several letters, without its dashes. `dashes` are those of the list.
fn read_named(
    list: &str,
    dashes: &str,
    text: &str,
    arguments: &mut ParsedWords,
    needs_value: &mut Option<Value>,
) -> bool {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let Some(kind) = list.split_whitespace().find_map(|option| {
        let (option, kind) = read_option(option.strip_prefix(dashes)?);
        (option == name).then_some(kind)
    }) else {
        return false;
    };
    arguments.options.push((name.to_owned(), value.map(str::to_owned)));
    match (kind, value) {
        // `-v=true` is a flag of Go; GNU's long flags take no value.
        (Value::None, Some(_)) => dashes == "-",
        (Value::Required | Value::Inside, None) => {
            *needs_value = Some(kind);
            true
        }
        (Value::Inside, Some(value)) => stays_inside(value),
        _ => true,
    }
}

fn read_cluster(list: &str, letters: &str, arguments: &mut ParsedWords, needs_value: &mut Option<Value>) -> bool {
    let mut rest = letters.chars();
    while let Some(letter) = rest.next() {
        let Some(kind) = list.split_whitespace().find_map(|option| {
            let (letters, kind) = read_option(option.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?);
            letters.contains(letter).then_some(kind)
        }) else {
            return false;
        };
        let attached = Some(rest.as_str()).filter(|rest| !rest.is_empty());
        match kind {
            Value::None => arguments.options.push((letter.to_string(), None)),
            kind => {
                arguments.options.push((letter.to_string(), attached.map(str::to_owned)));
                match attached {
                    Some(value) => return kind != Value::Inside || stays_inside(value),
                    None if kind == Value::Attached => {}
                    None => *needs_value = Some(kind),
                }
            }
        }
    }
    true
}

/// Splits an option of a list into its name or letters and the kind of its value.
fn read_option(option: &str) -> (&str, Value) {
    for (suffix, kind) in [("[=]", Value::Attached), ("=", Value::Required), ("@", Value::Inside)] {
        if let Some(name) = option.strip_suffix(suffix) {
            return (name, kind);
        }
    }
    (option, Value::None)
}

fn parse_all_but(row: &Program, list: &str, argv: &[String], from: usize) -> ParsedWords {
    let mut arguments = ParsedWords::default();
    let refused = |prefix: &'static str| {
        list.split_whitespace()
            .filter_map(move |option| option.strip_prefix(prefix).filter(|rest| !rest.starts_with('-')))
    };
    let mut has_ended = false;
    for (index, word) in argv.iter().enumerate().skip(from) {
        if !has_ended && word == "--" {
            has_ended = true;
        } else if has_ended || word == "-" || !word.starts_with('-') {
            arguments.operands.push(index);
            if ends_options(row.style, &arguments.operands) {
                break;
            }
        } else {
            let text = word.trim_start_matches('-');
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            let is_refused = match () {
                // Most programs accept abbreviations of long options.
                () if word.starts_with("--") => refused("--").any(|long| long.starts_with(name)),
                () if row.style == Style::Single => refused("-").chain(refused("--")).any(|option| option == name),
                () => refused("-").flat_map(str::chars).any(|letter| text.contains(letter)),
            };
            arguments.options.push((name.to_owned(), None));
            if is_refused || (row.style == Style::Single && refused("-").any(|option| option == name)) {
                arguments.refused.push(index);
            }
        }
    }
    arguments
}

/// Returns whether a path certainly stays below the directory of the command, apart from symlinks.
pub(super) fn stays_inside(path: &str) -> bool {
    !path.starts_with(['/', '~', '$']) && !path.contains(':') && !path.split('/').any(|name| name == "..")
}
