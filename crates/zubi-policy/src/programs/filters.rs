//! Programs of `awk` and filters of `jq` that run without approval: every word in them is known to read only the input.

use super::has_word;
use super::texts::{is_plain_filter, skip_delimited};

const AWK_VARIABLES: &str = "NR NF FNR FS OFS ORS RS FILENAME SUBSEP RSTART RLENGTH OFMT CONVFMT IGNORECASE BEGIN END";
/// Words of `awk` before a parenthesis. All other names there may be functions that run something.
const AWK_CALLS: &str = "if for while else return print printf in length substr index split toupper tolower match gsub sub gensub \
    sprintf int sqrt log exp sin cos rand strftime systime";
/// Words of `awk` that read, write or define something, with or without a parenthesis.
const AWK_REFUSED: &str = "getline system close fflush nextfile function func extension";

const JQ_NAMES: &str = "keys keys_unsorted length utf8bytelength map map_values select has in to_entries from_entries with_entries \
    sort sort_by group_by unique unique_by min max min_by max_by add any all flatten range floor ceil round abs sqrt tostring \
    tonumber type test match capture scan split splits join ascii_downcase ascii_upcase ltrimstr rtrimstr trim ltrim rtrim \
    startswith endswith contains inside first last nth limit empty error not if then else elif end and or reduce foreach as try \
    catch recurse values nulls booleans numbers strings arrays objects iterables scalars paths leaf_paths tojson fromjson index \
    indices rindex del delpaths setpath getpath path input inputs sub gsub explode implode reverse transpose walk pick isvalid null \
    true false todate fromdate now";
const JQ_FORMATS: &str = "text json csv tsv html uri sh base64 base64d";

fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Splits off the name at the beginning of a text.
fn split_name(text: &str) -> (&str, &str) {
    let end = text.find(|c| !is_name_part(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Returns the text after a string of `awk` whose first quote is read.
fn skip_string(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Some(chars.as_str()),
            '\\' => {
                chars.next()?;
            }
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// Returns whether a program of `awk` runs nothing, writes only to its output, and reads only its input.
pub(super) fn is_known_awk(text: &str) -> bool {
    let (mut parentheses, mut braces) = (0_usize, 0_usize);
    // The last character other than a space: it decides whether a slash begins a pattern or divides.
    let mut before = '\n';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let next = if c.is_ascii_alphabetic() || c == '_' {
            let (name, after) = split_name(rest);
            // In the head of `for`, `print x > f` would look like a comparison.
            let is_known = parentheses == 0 || !has_word("print printf", name);
            (is_known && is_known_awk_name(name, after)).then_some(after)
        } else {
            match c {
                '"' => skip_string(after),
                '/' if "\n{(,;!~&|}".contains(before) => skip_delimited(after, '/'),
                '/' => skip_ambiguous_pattern(after),
                // Elsewhere, `print x > y` writes a file.
                '>' if !after.starts_with('>') && (braces == 0 || parentheses > 0 || after.starts_with('=')) => {
                    Some(after)
                }
                '|' => after.strip_prefix('|'),
                '(' | ')' => match if c == '(' { parentheses.checked_add(1) } else { parentheses.checked_sub(1) } {
                    Some(depth) => {
                        parentheses = depth;
                        Some(after)
                    }
                    None => None,
                },
                '{' | '}' => match if c == '{' { braces.checked_add(1) } else { braces.checked_sub(1) } {
                    Some(depth) => {
                        braces = depth;
                        Some(after)
                    }
                    None => None,
                },
                c if c.is_ascii_digit() || " \t\n;,$~!?:=+-*%^[]<&.".contains(c) => Some(after),
                _ => None,
            }
        };
        let Some(next) = next else { return false };
        if !matches!(c, ' ' | '\t') {
            let read = rest.len() - next.len();
            before = rest.get(..read).and_then(|read| read.chars().last()).unwrap_or(c);
        }
        rest = next;
    }
    !text.trim().is_empty() && parentheses == 0 && braces == 0
}

fn is_known_awk_name(name: &str, after: &str) -> bool {
    let is_call = after.trim_start_matches([' ', '\t']).starts_with('(');
    match () {
        () if has_word(AWK_REFUSED, name) => false,
        () if name.starts_with(|c: char| c.is_ascii_uppercase()) => has_word(AWK_VARIABLES, name) && !is_call,
        () => !is_call || has_word(AWK_CALLS, name),
    }
}

/// Returns the text after a slash that divides, or after a pattern that means nothing else if it is read as code.
fn skip_ambiguous_pattern(text: &str) -> Option<&str> {
    let Some((inner, after)) = text.split_once('/') else { return Some(text) };
    let is_plain = |c: char| is_name_part(c) || " .^$*+?:,-".contains(c);
    let names = inner.split(|c| !is_name_part(c));
    (inner.chars().all(is_plain) && !names.into_iter().any(|name| has_word(AWK_REFUSED, name))).then_some(after)
}

/// Returns whether a filter of `jq` reads only its input.
pub(super) fn is_known_filter(text: &str) -> bool {
    is_plain_filter(text) && !text.trim().is_empty() && has_known_names(text).is_some()
}

/// Checks the names in a filter. `None` if one is not known.
fn has_known_names(text: &str) -> Option<()> {
    // The open brackets; a quote for a string, in which `\(` opens a filter.
    let mut open: Vec<char> = Vec::new();
    let mut before = '|';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut after = rest.get(c.len_utf8()..)?;
        if open.last() == Some(&'"') {
            match c {
                '"' => {
                    open.pop();
                    before = c;
                }
                '\\' => {
                    if after.starts_with('(') {
                        open.push('(');
                        before = '(';
                    }
                    after = after.get(after.chars().next()?.len_utf8()..)?;
                }
                _ => {}
            }
            rest = after;
            continue;
        }
        match c {
            '"' | '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => {
                let opening = open.pop()?;
                (matches!((opening, c), ('(', ')') | ('[', ']') | ('{', '}'))).then_some(())?;
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let (name, following) = split_name(rest);
                let is_key = open.last() == Some(&'{') && matches!(before, '{' | ',');
                let is_known = match before {
                    '.' | '$' => true,
                    '@' => has_word(JQ_FORMATS, name),
                    _ => is_key || has_word(JQ_NAMES, name),
                };
                is_known.then_some(())?;
                after = following;
            }
            c if c.is_ascii_digit() || " \t\n.|,:;=!<>+-*/%?$@".contains(c) => {}
            _ => return None,
        }
        if !c.is_whitespace() {
            before = c;
        } else if matches!(before, '.' | '$' | '@') {
            before = ' ';
        }
        rest = after;
    }
    open.is_empty().then_some(())
}
