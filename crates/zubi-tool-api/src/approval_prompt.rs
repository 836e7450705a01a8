//! The text of an approval prompt, the same on every surface: what the call would do and why it needs approval.
//!
//! The facts come from models, files and servers, and the user relies on them. Each fact therefore has its own line,
//! non-printing characters are escaped, and a long text states how much of its middle is missing. The end stays,
//! because a command can hide there.

use std::fmt::Write as _;

use zubi_base::escape::printable;
use zubi_base::text::quote_for_shell;

use crate::cx::ApprovalRequest;
use zubi_policy::ApprovalOption;

/// The maximum number of commands, paths or hosts of one kind in the prompt.
const MAX_LISTED: usize = 20;
/// The maximum number of lines of a preview, and how many of them are from its end.
const PREVIEW_LINES: usize = 30;
const PREVIEW_END: usize = 12;
/// The maximum length of one fact, in characters.
const MAX_FACT_CHARS: usize = 1_000;
/// How many of these characters are from its end.
const FACT_END_CHARS: usize = 300;

/// Returns the lines that describe the call: first the tool and the reason, then its effects, then the changes or the
/// data that it sends.
pub fn prompt_text(request: &ApprovalRequest) -> String {
    let footprint = &request.footprint;
    let mut prompt = format!("{} wants to run: {}\n", escape(&request.tool), escape(&request.reason));
    let mut list = |name: &str, items: Vec<String>| {
        for item in items.iter().take(MAX_LISTED) {
            // Writing to a `String` cannot fail.
            let _ = writeln!(prompt, "  {name:<10} {}", escape(item));
        }
        let more = items.len().saturating_sub(MAX_LISTED);
        if more > 0 {
            let _ = writeln!(prompt, "  {name:<10} … and {more} more");
        }
    };
    list("rule", request.rule.iter().cloned().collect());
    list("command", footprint.commands.iter().map(|argv| words(argv)).collect());
    list("in", footprint.directory.iter().map(ToString::to_string).collect());
    list("writes", footprint.writes.iter().map(ToString::to_string).collect());
    list("reads", footprint.reads.iter().map(ToString::to_string).collect());
    list("host", footprint.hosts.clone());
    list("secret", footprint.secrets.clone());
    list("dynamic", footprint.unresolved.clone());
    list("sandbox", footprint.sandbox.iter().cloned().collect());
    if let Some(preview) = &footprint.preview {
        let lines: Vec<&str> = preview.lines().collect();
        let omitted = lines.len().saturating_sub(PREVIEW_LINES);
        let end = if omitted > 0 { lines.len() - PREVIEW_END } else { lines.len() };
        for (at, line) in lines.iter().enumerate() {
            if at >= end || at + omitted < end {
                let _ = writeln!(prompt, "  | {}", escape(line));
            } else if at + omitted == end {
                // Without the prefix of preview lines, so that a preview line cannot imitate this one.
                let _ = writeln!(prompt, "  … {omitted} lines between …");
            }
        }
    }
    prompt
}

/// Returns the arguments of a call as a line of the prompt.
pub fn arguments(request: &ApprovalRequest, note: &str) -> String {
    format!("  {:<10} {}\n  {:<10} {note}\n", "arguments", escape(&request.arguments.to_string()), "")
}

/// Shortens a text to about `most` bytes: both ends, and the size of the omitted middle.
pub fn ellipsize_middle(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let start = text.floor_char_boundary(most - most / 3);
    let end = text.ceil_char_boundary(text.len() - most / 3);
    let parts = text.get(..start).zip(text.get(end..));
    parts.map_or_else(String::new, |(first, last)| format!("{first}\n… {} bytes between …\n{last}", end - start))
}

/// Returns one approval option, with the earlier calls that it would have allowed as well.
pub fn option(option: &ApprovalOption) -> (String, Vec<String>) {
    (escape(&option.label), option.would_also_allow.iter().map(|other| escape(other)).collect())
}

/// Returns a command in shell quoting, so that words with spaces are recognizable.
fn words(argv: &[String]) -> String {
    let needs_quotes = |word: &str| word.is_empty() || word.contains([' ', '\t', '\n', '\'', '"', ';', '|', '&']);
    let word = |word: &String| {
        if needs_quotes(word) { quote_for_shell(word) } else { word.clone() }
    };
    argv.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the text on one line, with non-printing characters escaped and the middle of a long text replaced by its
/// size.
pub fn escape(text: &str) -> String {
    let count = text.chars().count();
    if count <= MAX_FACT_CHARS {
        return printable(text).into_owned();
    }
    let start: String = text.chars().take(MAX_FACT_CHARS - FACT_END_CHARS).collect();
    let end: String = text.chars().skip(count - FACT_END_CHARS).collect();
    format!("{} … {} characters … {}", printable(&start), count - MAX_FACT_CHARS, printable(&end))
}

#[cfg(test)]
mod tests;
