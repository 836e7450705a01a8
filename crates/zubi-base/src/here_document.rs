//! Here-documents of shell scripts (POSIX XCU 2.7.4), as far as bash and dash agree about their ends.
//!
//! The shells agree if the delimiter is a plain word, such a word in one pair of quotes, or one after a backslash.
//! Anything else has different meanings: bash ends `<<$'E'` at `E`, dash at `$E`.

/// A here-document whose body begins after the current line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HereDocument {
    pub delimiter: String,
    /// Whether the operator is `<<-`, so that tabs at the start of a line are ignored.
    pub strips_tabs: bool,
    /// Whether the shell expands the body, because no part of the delimiter is quoted.
    pub is_expanded: bool,
}

impl HereDocument {
    /// Parses the delimiter at the start of `rest`, the text after `<<` or `<<-`. Returns the here-document and the length
    /// of the parsed text in bytes; `None` if shells may disagree about the delimiter.
    pub fn parse(rest: &str, strips_tabs: bool) -> Option<(Self, usize)> {
        let after_blanks = rest.trim_start_matches([' ', '\t']);
        let (quote, word) = match after_blanks.chars().next()? {
            '\\' => (None, after_blanks.get(1..)?),
            quote @ ('\'' | '"') => (Some(quote), after_blanks.get(1..)?),
            _ => (None, after_blanks),
        };
        let is_quoted = word.len() < after_blanks.len();
        let length = word.find(|c: char| !is_plain(c)).unwrap_or(word.len());
        let (delimiter, after_word) = word.split_at_checked(length)?;
        let end = match quote {
            Some(quote) => after_word.strip_prefix(quote)?,
            None => after_word,
        };
        let is_complete = end.chars().next().is_none_or(|next| " \t\n;|&<>)".contains(next));
        // `<< -E` is a delimiter that begins with `-`, which readers confuse with the operator `<<-`.
        if delimiter.is_empty() || delimiter.starts_with('-') || !is_complete {
            return None;
        }
        let document = Self { delimiter: delimiter.to_owned(), strips_tabs, is_expanded: !is_quoted };
        Some((document, rest.len() - end.len()))
    }

    /// Returns whether a line of the body, without its line break, is the end of the here-document.
    pub fn is_end(&self, line: &str) -> bool {
        self.without_tabs(line) == self.delimiter
    }

    /// Returns the part of a line that belongs to the text.
    pub fn without_tabs<'a>(&self, line: &'a str) -> &'a str {
        if self.strips_tabs { line.trim_start_matches('\t') } else { line }
    }

    /// Returns whether shells may disagree about where the here-document ends because of a line of its body: some do not
    /// look for the end inside a substitution, and a backslash at its end joins the line with the next one.
    pub fn is_ambiguous(&self, line: &str) -> bool {
        self.is_expanded && (line.contains("$(") || line.contains("${") || line.contains('`') || line.ends_with('\\'))
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// Returns whether a backslash at the end of a line may join two parts of one token: the characters `before` the
/// backslash and `after` the line break. Readers that see the parts separately would misread the token.
pub fn joins_token(before: Option<char>, after: Option<char>) -> bool {
    let is_blank = |c: Option<char>| c.is_none_or(|c| matches!(c, ' ' | '\t' | '\n'));
    let is_special = |c: Option<char>| c.is_some_and(|c| "$<>`#\\".contains(c));
    is_special(before) || is_special(after) || !(is_blank(before) || is_blank(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rest: &str, expected: Option<(&str, bool, &str)>) {
        let parsed = HereDocument::parse(rest, false);
        let parsed = parsed.as_ref().map(|(document, length)| {
            (document.delimiter.as_str(), document.is_expanded, rest.get(*length..).unwrap_or_default())
        });
        assert_eq!(parsed, expected, "{rest:?}");
    }

    #[test]
    fn plain_delimiters_are_parsed() {
        check("E", Some(("E", true, "")));
        check("EOF_1.x-y\nbody", Some(("EOF_1.x-y", true, "\nbody")));
        check(" \tE | wc", Some(("E", true, " | wc")));
        check("'E' > a", Some(("E", false, " > a")));
        check("\"E\";", Some(("E", false, ";")));
        check("\\E)", Some(("E", false, ")")));
    }

    #[test]
    fn other_delimiters_are_refused() {
        for rest in [
            "", " ", "''", "'E", "'E'F", "E'F'", "E\\F", "$'E'", "$\"E\"", "x$'E'", "'\\E'", "\"\\E\"", "\"E'F\"",
            "\rE", "\u{c}E", "E\r", "$E", "`E`", "${E}", "E$X", "*", "~", "{E,F}", "E#", "#E", "-E", "é", "E\\\nF",
            "\\\nE", "E(", "\\\\E", "(E",
        ] {
            check(rest, None);
        }
    }

    #[test]
    fn ends_and_ambiguous_lines_are_recognized() {
        let (document, _) = HereDocument::parse("E", true).unwrap();
        assert!(document.is_end("E") && document.is_end("\t\tE"));
        assert!(!document.is_end(" E") && !document.is_end("E\r") && !document.is_end("E "));
        for line in ["$(x)", "${x}", "`x`", "a\\"] {
            assert!(document.is_ambiguous(line), "{line}");
            assert!(!HereDocument { is_expanded: false, ..document.clone() }.is_ambiguous(line), "{line}");
        }
        assert!(!document.is_ambiguous("$x \\a \" '"));
    }

    #[test]
    fn joined_tokens_are_recognized() {
        for (before, after) in [("<", "<"), ("$", "("), ("a", "b"), (" ", "#"), (">", " "), ("", "$"), ("\\", " ")] {
            assert!(joins_token(before.chars().next(), after.chars().next()), "{before}{after}");
        }
        for (before, after) in [(" ", "b"), ("a", " "), ("|", " "), ("", "a"), ("a", "")] {
            assert!(!joins_token(before.chars().next(), after.chars().next()), "{before}{after}");
        }
    }
}
