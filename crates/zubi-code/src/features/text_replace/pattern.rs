//! The pattern of a replacement: plain text, or a regular expression whose groups the replacement can name.

use std::ops::Range;

use regex::{Captures, Regex, RegexBuilder};

/// The maximum length of a pattern, in bytes.
const MAX_PATTERN: usize = 10_000;

/// The maximum sizes of a compiled expression and of its cache, in bytes: `\w{9999}{999}` is refused.
const MAX_COMPILED: usize = 10 << 20;
const MAX_CACHE: usize = 16 << 20;

/// The maximum number of bytes that the replacements of an expression in one file add up to.
const MAX_NEW_TEXT: usize = 64 << 20;

/// A pattern with its replacement.
#[derive(Debug)]
pub struct ReplacePattern {
    pattern: String,
    replacement: String,
    kind: PatternKind,
}

#[derive(Debug)]
enum PatternKind {
    /// The text with line feeds, and its replacement.
    Literal(String),
    Regex(Regex, Vec<ReplacementPart>),
}

/// A part of the replacement of a regular expression.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ReplacementPart {
    Text(String),
    /// The text of a group, by its index.
    Group(usize),
}

impl ReplacePattern {
    /// Creates a pattern of plain text. The error is a clause about the pattern.
    pub fn literal_text(pattern: &str, replacement: &str) -> Result<Self, String> {
        check_length(pattern)?;
        let kind = PatternKind::Literal(pattern.replace("\r\n", "\n"));
        Ok(Self { pattern: pattern.to_owned(), replacement: replacement.to_owned(), kind })
    }

    /// Creates a pattern from a regular expression (Rust's syntax), in which `^` and `$` are the ends of a line. In the
    /// replacement, `$1`, `$name`, `${1}` and `${name}` are groups, and `$$` is a dollar sign. The error has the name of
    /// the argument and a clause.
    pub fn regex(pattern: &str, replacement: &str) -> Result<Self, (&'static str, String)> {
        check_length(pattern).map_err(|problem| ("pattern", problem))?;
        let regex = RegexBuilder::new(pattern)
            .multi_line(true)
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_CACHE)
            .build()
            .map_err(|error| ("pattern", error.to_string().chars().take(400).collect()))?;
        let parts = parse_replacement(replacement, &regex).map_err(|problem| ("replacement", problem))?;
        let kind = PatternKind::Regex(regex, parts);
        Ok(Self { pattern: pattern.to_owned(), replacement: replacement.to_owned(), kind })
    }

    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    pub fn replacement(&self) -> &str {
        &self.replacement
    }

    /// Returns the plain text that every occurrence is, if it has one line.
    pub(super) fn literal(&self) -> Option<&str> {
        match &self.kind {
            PatternKind::Literal(text) if !text.contains('\n') => Some(text),
            _ => None,
        }
    }

    /// Whether a plain text has the characters of a regular expression.
    pub(super) fn looks_like_regex(&self) -> bool {
        let marks = [".*", ".+", "\\b", "\\w", "\\d", "\\s", "\\(", "\\.", "[^", "(?", "|", "^"];
        matches!(self.kind, PatternKind::Literal(_)) && marks.iter().any(|mark| self.pattern.contains(mark))
    }

    /// Returns at most `most` occurrences in a text with line feeds: the range and the new text of each. Returns `None` if
    /// the new texts are larger than any file.
    pub fn find(&self, text: &str, most: usize) -> Option<Vec<(Range<usize>, String)>> {
        match &self.kind {
            PatternKind::Literal(pattern) => {
                let found = text.match_indices(pattern.as_str()).take(most);
                let replacement = self.replacement.replace("\r\n", "\n");
                Some(found.map(|(start, _)| (start..start + pattern.len(), replacement.clone())).collect())
            }
            PatternKind::Regex(regex, parts) => {
                let mut bytes = 0;
                let mut found = Vec::new();
                for captures in regex.captures_iter(text).take(most) {
                    let range = captures.get(0).map_or(0..0, |whole| whole.range());
                    // After the last line end there is no line that `^` and `$` could match.
                    if range.start == text.len() && text.ends_with('\n') {
                        continue;
                    }
                    let new = expand(parts, &captures);
                    bytes += new.len();
                    found.push((range, new));
                    if bytes > MAX_NEW_TEXT {
                        return None;
                    }
                }
                Some(found)
            }
        }
    }
}

fn check_length(pattern: &str) -> Result<(), String> {
    if pattern.is_empty() || pattern.len() > MAX_PATTERN {
        return Err(format!("it is empty or longer than {MAX_PATTERN} bytes"));
    }
    Ok(())
}

fn expand(parts: &[ReplacementPart], captures: &Captures<'_>) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            ReplacementPart::Text(part) => text.push_str(part),
            ReplacementPart::Group(index) => {
                text.push_str(captures.get(*index).map(|group| group.as_str()).unwrap_or_default());
            }
        }
    }
    text
}

/// Parses the replacement of an expression. Refuses groups that the expression does not have: they would be empty.
fn parse_replacement(replacement: &str, regex: &Regex) -> Result<Vec<ReplacementPart>, String> {
    let normalized = replacement.replace("\r\n", "\n");
    let (mut parts, mut text) = (Vec::new(), String::new());
    let mut rest = normalized.as_str();
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        if let Some(after) = after.strip_prefix('$') {
            text.push('$');
            rest = after;
            continue;
        }
        let Some((name, after)) = group_name(after) else {
            text.push('$');
            rest = after;
            continue;
        };
        let index = match name.parse::<usize>() {
            Ok(index) => Some(index).filter(|index| *index < regex.captures_len()),
            Err(_) => regex.capture_names().position(|known| known == Some(name)),
        };
        let Some(index) = index else {
            let name: String = name.chars().take(40).collect();
            let groups = regex.captures_len() - 1;
            return Err(format!(
                "the pattern has no group `{name}`, only {groups} numbered from 1; write $$ for a dollar sign"
            ));
        };
        if !text.is_empty() {
            parts.push(ReplacementPart::Text(std::mem::take(&mut text)));
        }
        parts.push(ReplacementPart::Group(index));
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() {
        parts.push(ReplacementPart::Text(text));
    }
    Ok(parts)
}

/// Splits the name of a group after a dollar sign from the rest: `{name}`, digits, or a name.
fn group_name(text: &str) -> Option<(&str, &str)> {
    if let Some(braced) = text.strip_prefix('{') {
        return braced.split_once('}').filter(|(name, _)| !name.is_empty());
    }
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
    let belongs = |c: char| if is_number { c.is_ascii_digit() } else { c.is_ascii_alphanumeric() || c == '_' };
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    Some(text.split_at(end)).filter(|(name, _)| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, replacement: &str, text: &str) -> String {
        let pattern = match ReplacePattern::regex(pattern, replacement) {
            Ok(pattern) => pattern,
            Err((field, problem)) => return format!("{field}: {problem}"),
        };
        let found = pattern.find(text, 100).unwrap();
        found.into_iter().map(|(range, new)| format!("{range:?}={new}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn groups() {
        assert_eq!(check(r"(\w)=(\w)", "$2=$1", "a=b c=d"), "0..3=b=a 4..7=d=c");
        assert_eq!(check(r"(\w)=(\w)", "$1a ${2}3 $$1 $ $", "a=b"), "0..3=aa b3 $1 $ $");
        assert_eq!(check(r"(?<key>\w)=(x)?", "$key:${key}[$2]", "a="), "0..2=a:a[]");
        assert_eq!(check("^", "# ", "a\nb"), "0..0=#  2..2=# ");
        assert_eq!(check("a$", "-", "a\nba"), "0..1=- 3..4=-");
        insta::assert_snapshot!(check("(a)", "$2", "a"), @"replacement: the pattern has no group `2`, only 1 numbered from 1; write $$ for a dollar sign");
        insta::assert_snapshot!(check("(a)", "$x", "a"), @"replacement: the pattern has no group `x`, only 1 numbered from 1; write $$ for a dollar sign");
        assert!(check("(", "", "").starts_with("pattern: regex parse error"));
        assert!(check(r"\w{9999}{999}", "", "").starts_with("pattern: "));
        assert_eq!(check("", "", ""), "pattern: it is empty or longer than 10000 bytes");
    }

    proptest::proptest! {
        #[test]
        fn every_replacement_is_parsed_or_refused(replacement in "[$}{a1 ]{0,8}|.{0,20}", text in "[ab]{0,10}") {
            if let Ok(pattern) = ReplacePattern::regex("(?<a>a)|b", &replacement) {
                let found = pattern.find(&text, 5).unwrap();
                proptest::prop_assert_eq!(found.len(), text.len().min(5));
            }
        }
    }
}
