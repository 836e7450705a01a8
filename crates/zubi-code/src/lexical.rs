//! Comments and string literals of source texts, by the syntax of a file's language.
//!
//! The scan reads bytes and knows no grammar: it separates word matches in comments and strings from those in code. An
//! expression inside a string (`f"{name}"`, `${name}`, `#{name}`) counts as code, because servers find names there.

use std::ops::Range;

use camino::Utf8Path;

/// The lexical syntax of a language.
#[derive(Debug, Clone, Copy)]
struct Syntax {
    line_comments: &'static [&'static str],
    block_comments: &'static [(&'static str, &'static str)],
    /// Delimiters of string literals, the longest first.
    strings: &'static [&'static str],
    expressions: StringExpressions,
    /// Whether a string in `"` may continue on the next line.
    has_long_strings: bool,
    /// Whether `'` also begins a lifetime or a digit separator, so that only short literals are strings.
    has_short_chars: bool,
}

/// The expressions in the string literals of a language.
#[derive(Debug, Clone, Copy)]
struct StringExpressions {
    /// The texts that open one. The bracket that matches their last character closes it.
    opens: &'static [&'static str],
    /// Whether a word directly after `$` is one.
    has_dollar_names: bool,
    /// The literals that may contain any.
    literals: TemplateLiterals,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TemplateLiterals {
    All,
    /// Those with a prefix that has one of the first letters and consists of the second ones: `rf"…"`.
    Prefixed(&'static str, &'static str),
    /// Those in backticks.
    Backticks,
    /// All, but an expression is a name with a format: `{name:>8}`.
    Captures,
}

const NO_EXPRESSIONS: StringExpressions =
    StringExpressions { opens: &[], has_dollar_names: false, literals: TemplateLiterals::All };

/// For languages of which zubi does not know more: `{…}`, `${…}` and `#{…}`; a word directly after `$`; `\(…)`.
const ANY_EXPRESSIONS: StringExpressions =
    StringExpressions { opens: &["{", "\\("], has_dollar_names: true, literals: TemplateLiterals::All };

const DOLLAR_EXPRESSIONS: StringExpressions =
    StringExpressions { opens: &["${"], has_dollar_names: true, literals: TemplateLiterals::All };

const C_LIKE: Syntax = Syntax {
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    strings: &["\"\"\"", "\"", "'", "`"],
    expressions: NO_EXPRESSIONS,
    has_long_strings: false,
    has_short_chars: false,
};

const HASH: Syntax = Syntax {
    line_comments: &["#"],
    block_comments: &[],
    strings: &["\"\"\"", "'''", "\"", "'"],
    expressions: ANY_EXPRESSIONS,
    has_long_strings: false,
    has_short_chars: false,
};

/// Returns the syntax for a file name extension, or for a whole file name without one; `None` if the language is not known or its texts mix languages.
fn syntax(extension: &str) -> Option<Syntax> {
    Some(match extension {
        "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "m" | "mm" | "cu" | "cuh" | "zig" => {
            Syntax { has_short_chars: true, ..C_LIKE }
        }
        "rs" => Syntax {
            expressions: with_opens(&["{"], TemplateLiterals::Captures),
            has_long_strings: true,
            has_short_chars: true,
            ..C_LIKE
        },
        "go" | "java" | "proto" | "jsonc" | "json5" | "glsl" | "v" | "dlang" => C_LIKE,
        "scss" | "less" => Syntax { strings: &["\"", "'"], ..C_LIKE },
        "css" => Syntax { line_comments: &[], strings: &["\"", "'"], ..C_LIKE },
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
            Syntax { expressions: with_opens(&["${"], TemplateLiterals::Backticks), ..C_LIKE }
        }
        "cs" => Syntax { expressions: with_opens(&["{"], TemplateLiterals::Prefixed("$", "$@")), ..C_LIKE },
        "swift" => Syntax { expressions: with_opens(&["\\("], TemplateLiterals::All), ..C_LIKE },
        "kt" | "kts" | "scala" | "sc" | "dart" | "groovy" | "gradle" => {
            Syntax { expressions: DOLLAR_EXPRESSIONS, ..C_LIKE }
        }
        "php" => Syntax { line_comments: &["//", "#"], expressions: ANY_EXPRESSIONS, has_long_strings: true, ..C_LIKE },
        "py" | "pyi" => {
            Syntax { expressions: with_opens(&["{"], TemplateLiterals::Prefixed("fFtT", "fFrRtT")), ..HASH }
        }
        "rb" | "ex" | "exs" => {
            Syntax { expressions: with_opens(&["#{"], TemplateLiterals::All), has_long_strings: true, ..HASH }
        }
        // `toy` is the language of this crate's tests.
        "toml" | "yaml" | "yml" | "toy" => HASH,
        "sh" | "bash" | "zsh" | "jl" | "nix" | "pl" | "r" | "R" | "tf" | "cmake" | "just" | "justfile" | "Justfile"
        | "mk" | "Makefile" | "Dockerfile" => Syntax { has_long_strings: true, ..HASH },
        "lua" => {
            Syntax { line_comments: &["--"], block_comments: &[("--[[", "]]")], expressions: NO_EXPRESSIONS, ..HASH }
        }
        "hs" | "elm" => Syntax { line_comments: &["--"], block_comments: &[("{-", "-}")], strings: &["\""], ..HASH },
        "sql" | "adb" | "ads" => Syntax { line_comments: &["--"], block_comments: &[("/*", "*/")], ..HASH },
        "ml" | "mli" | "fs" | "fsi" => {
            Syntax { line_comments: &["//"], block_comments: &[("(*", "*)")], strings: &["\""], ..HASH }
        }
        "clj" | "cljs" | "lisp" | "el" | "scm" => Syntax { line_comments: &[";"], strings: &["\""], ..HASH },
        "erl" | "hrl" | "tex" => Syntax { line_comments: &["%"], strings: &["\""], ..HASH },
        "f90" | "f95" | "f03" | "f08" => Syntax { line_comments: &["!"], strings: &["\"", "'"], ..HASH },
        _ => return None,
    })
}

const fn with_opens(opens: &'static [&'static str], literals: TemplateLiterals) -> StringExpressions {
    StringExpressions { opens, has_dollar_names: false, literals }
}

/// Whether zubi can separate the comments and strings of a file from its code.
pub(crate) fn has_syntax(path: &Utf8Path) -> bool {
    syntax(path.extension().or(path.file_name()).unwrap_or_default()).is_some()
}

/// The parts of a text that are not code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NonCode {
    /// Byte ranges of comments and strings, in order, without the expressions in strings.
    ranges: Vec<Range<usize>>,
    /// Byte ranges of the expressions in strings, in order.
    expressions: Vec<Range<usize>>,
}

impl NonCode {
    /// Scans a text of the language that the name of its file shows; `None` if zubi does not know its syntax.
    pub(crate) fn of_known_file(path: &Utf8Path, text: &str) -> Option<Self> {
        has_syntax(path).then(|| Self::of_file(path, text))
    }

    /// Whether a word at a byte offset is a whole string literal. One letter in quotes does not count.
    pub(crate) fn is_literal(&self, text: &str, offset: usize, word: &str) -> bool {
        let next = self.ranges.partition_point(|range| range.end <= offset);
        let literal = self.ranges.get(next).filter(|_| word.len() > 1);
        let (Some(open), end) = (offset.checked_sub(1), offset + word.len()) else { return false };
        let quote = |at: usize| text.as_bytes().get(at).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        literal.is_some_and(|literal| *literal == (open..end + 1)) && quote(open).is_some() && quote(open) == quote(end)
    }

    /// Scans a text of the language that the name of its file shows.
    pub(crate) fn of_file(path: &Utf8Path, text: &str) -> Self {
        Self::scan(text, path.extension().or(path.file_name()).unwrap_or_default())
    }

    /// Scans a text. Without a known syntax, everything counts as code.
    pub(crate) fn scan(text: &str, extension: &str) -> Self {
        let Some(syntax) = syntax(extension) else { return Self::default() };
        let mut scanned = Self::default();
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let end = token_end(rest, at, text, syntax);
            match end {
                Some(Token::Skipped(end)) => {
                    push(&mut scanned.ranges, at..end);
                    at = end;
                }
                Some(Token::Text { end, is_template }) => {
                    scanned.add_string(text, at..end, syntax, is_template, 0);
                    at = end;
                }
                None => at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        scanned
    }

    /// Replaces comments and strings with the expressions in them by spaces. Offsets stay; a string of several lines becomes a part of one line, and so
    /// does the end of a line in a comment.
    pub(crate) fn blank(&self, text: &str) -> String {
        let mut code = String::with_capacity(text.len());
        for (at, character) in text.char_indices() {
            if self.contains(at) || self.is_in_string_expression(at) {
                code.extend(std::iter::repeat_n(' ', character.len_utf8()));
            } else {
                code.push(character);
            }
        }
        code
    }

    pub(crate) fn contains(&self, offset: usize) -> bool {
        contains(&self.ranges, offset)
    }

    /// Whether an offset is in an expression of a string literal.
    pub(crate) fn is_in_string_expression(&self, offset: usize) -> bool {
        contains(&self.expressions, offset)
    }

    /// Adds the range of a string without the expressions in it.
    fn add_string(&mut self, text: &str, range: Range<usize>, syntax: Syntax, is_template: bool, depth: usize) {
        let bytes = text.as_bytes();
        if !is_template || depth > MAX_NESTED_STRINGS {
            return push(&mut self.ranges, range);
        }
        let StringExpressions { opens, has_dollar_names, literals } = syntax.expressions;
        let mut start = range.start;
        let mut at = range.start;
        while at < range.end {
            let tail = bytes.get(at..range.end).unwrap_or_default();
            if tail.starts_with(b"{{") && opens.contains(&"{") {
                // An escaped brace.
                at += 2;
                continue;
            }
            let open = opens.iter().find(|open| tail.starts_with(open.as_bytes()));
            let expression = match (open, literals) {
                (Some(_), TemplateLiterals::Captures) => capture_end(tail).map(|length| (at + length, Self::default())),
                (Some(open), _) => expression_end(text, at..range.end, open, syntax, depth),
                (None, _) => None,
            };
            if let Some((end, inner)) = expression {
                push(&mut self.ranges, start..at);
                self.ranges.extend(inner.ranges);
                push(&mut self.expressions, at..end);
                at = end;
                start = at;
            } else if has_dollar_names && tail.first() == Some(&b'$') {
                push(&mut self.ranges, start..at);
                let begin = at;
                at += 1;
                while bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
                    at += 1;
                }
                push(&mut self.expressions, begin..at);
                start = at;
            } else {
                at += 1;
            }
        }
        push(&mut self.ranges, start..range.end);
    }
}

fn contains(ranges: &[Range<usize>], offset: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= offset);
    ranges.get(next).is_some_and(|range| range.start <= offset)
}

/// The maximum depth of strings in expressions in strings; deeper ones count as text.
const MAX_NESTED_STRINGS: usize = 8;

enum Token {
    /// A comment.
    Skipped(usize),
    /// A string literal.
    Text { end: usize, is_template: bool },
}

fn push(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    if !range.is_empty() {
        ranges.push(range);
    }
}

/// Returns the comment or string that begins at `at`, where `rest` begins too.
fn token_end(rest: &str, at: usize, text: &str, syntax: Syntax) -> Option<Token> {
    for (open, close) in syntax.block_comments {
        if rest.starts_with(open) {
            let end = rest.get(open.len()..).and_then(|inner| inner.find(close));
            return Some(Token::Skipped(end.map_or(text.len(), |end| at + open.len() + end + close.len())));
        }
    }
    if syntax.line_comments.iter().any(|open| rest.starts_with(open)) {
        return Some(Token::Skipped(rest.find('\n').map_or(text.len(), |end| at + end)));
    }
    // Raw strings of Rust (`r#"…"#`): no escapes.
    if let Some(hashes) = rest.strip_prefix('r').and_then(raw_hashes)
        && !text
            .get(..at)
            .and_then(|head| head.chars().next_back())
            .is_some_and(|one| one.is_alphanumeric() || one == '_')
    {
        let close = format!("\"{}", "#".repeat(hashes));
        let begin = hashes + 2;
        let end = rest.get(begin..).and_then(|inner| inner.find(&close));
        let end = end.map_or(text.len(), |end| at + begin + end + close.len());
        return Some(Token::Text { end, is_template: true });
    }
    let delimiter = *syntax.strings.iter().find(|delimiter| rest.starts_with(**delimiter))?;
    if delimiter == "'" && syntax.has_short_chars {
        return short_char(rest).map(|length| Token::Text { end: at + length, is_template: false });
    }
    let spans_lines = delimiter.len() > 1 || delimiter == "`" || delimiter == "\"" && syntax.has_long_strings;
    let end = string_end(rest, delimiter, spans_lines).map_or(text.len(), |end| at + end);
    let is_template = match syntax.expressions.literals {
        TemplateLiterals::Backticks => delimiter == "`",
        TemplateLiterals::Prefixed(marks, letters) => has_prefix(text, at, marks, letters),
        TemplateLiterals::All | TemplateLiterals::Captures => !syntax.expressions.opens.is_empty(),
    };
    Some(Token::Text { end, is_template })
}

/// Returns the number of `#` before the quote of a raw string, after its `r`.
fn raw_hashes(rest: &str) -> Option<usize> {
    let hashes = rest.bytes().take_while(|byte| *byte == b'#').count();
    (hashes > 0 && rest.as_bytes().get(hashes) == Some(&b'"')).then_some(hashes)
}

/// Whether a string at an offset has a prefix of `letters` with one of `marks`.
fn has_prefix(text: &str, at: usize, marks: &str, letters: &str) -> bool {
    let head = text.get(..at).unwrap_or_default();
    let is_prefix = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '@');
    let prefix = head.get(head.trim_end_matches(is_prefix).len()..).unwrap_or_default();
    prefix.contains(|letter| marks.contains(letter)) && prefix.chars().all(|letter| letters.contains(letter))
}

/// Returns the length of a character literal: `'x'` or an escape; `None` for a lifetime.
fn short_char(rest: &str) -> Option<usize> {
    let inner = rest.get(1..)?;
    let mut characters = inner.char_indices();
    let (_, first) = characters.next()?;
    if first == '\\' {
        return inner.get(2..)?.find('\'').filter(|end| *end <= 10).map(|end| end + 4);
    }
    let (end, second) = characters.next()?;
    (second == '\'').then_some(end + 2)
}

/// Returns the length of the string literal at the beginning of `rest`. One that does not span lines ends with its line.
fn string_end(rest: &str, delimiter: &str, spans_lines: bool) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = delimiter.len();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1 + bytes.get(at + 1).map_or(1, |_| escaped_length(rest, at + 1)),
            b'\n' if !spans_lines => return Some(at),
            _ if bytes.get(at..).is_some_and(|tail| tail.starts_with(delimiter.as_bytes())) => {
                return Some(at + delimiter.len());
            }
            _ => at += 1,
        }
    }
    None
}

/// Returns the length of the escaped character, which may have several bytes.
fn escaped_length(rest: &str, at: usize) -> usize {
    rest.get(at..).and_then(|tail| tail.chars().next()).map_or(1, char::len_utf8)
}

/// The maximum length of a captured name with its format.
const MAX_CAPTURE: usize = 80;

/// Returns the length of `{name` or `{name:format` at the beginning of a text; `None` if it is something else.
fn capture_end(bytes: &[u8]) -> Option<usize> {
    let end = bytes.iter().take(MAX_CAPTURE).position(|byte| *byte == b'}')?;
    let mut parts = bytes.get(1..end)?.splitn(2, |byte| *byte == b':');
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#') || !byte.is_ascii();
    let is_format = |byte: &u8| is_word(byte) || b"<^>+-.$?* =".contains(byte);
    let name = parts.next()?;
    (name.iter().all(is_word) && parts.next().is_none_or(|format| format.iter().all(is_format))).then_some(end)
}

/// Returns the end of the expression that opens at the start of a range in a string, with the strings and comments in it.
/// `None` if nothing closes it.
fn expression_end(
    text: &str,
    range: Range<usize>,
    open: &str,
    syntax: Syntax,
    depth: usize,
) -> Option<(usize, NonCode)> {
    let bytes = text.as_bytes();
    let mut at = range.start + open.len();
    let (open, close) = if open.ends_with('(') { (b'(', b')') } else { (b'{', b'}') };
    let (mut opened, mut inner) = (1_usize, NonCode::default());
    while at < range.end {
        let byte = *bytes.get(at)?;
        if byte == open {
            opened += 1;
        } else if byte == close {
            opened -= 1;
            if opened == 0 {
                return Some((at, inner));
            }
        } else if let Some(rest) = text.get(at..range.end)
            && let Some(token) = token_end(rest, at, text, syntax)
        {
            // `#x` after a colon is a format, not a comment.
            let (Token::Skipped(end) | Token::Text { end, .. }) = token;
            if end < range.end {
                match token {
                    Token::Skipped(_) => push(&mut inner.ranges, at..end),
                    Token::Text { is_template, .. } => {
                        inner.add_string(text, at..end, syntax, is_template, depth + 1);
                    }
                }
                at = end;
                continue;
            }
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_search::occurrences;

    /// Shows a text with each `word` in code as `CODE`, and each other one as `text`.
    fn check(text: &str, extension: &str) -> String {
        let other = NonCode::scan(text, extension);
        let mut shown = text.to_owned();
        let all: Vec<_> = occurrences(text, "word").collect();
        for at in all.into_iter().rev() {
            shown.replace_range(at..at + 4, if other.contains(at) { "text" } else { "CODE" });
        }
        shown
    }

    #[test]
    fn comments_and_strings_are_separated_from_code() {
        for (extension, text, expected) in [
            ("rs", "word(); // word\n/* word */ word", "CODE(); // text\n/* text */ CODE"),
            (
                "rs",
                r#"fn f<'word>(a: &'word str) { '"'; "word"; word }"#,
                r#"fn f<'CODE>(a: &'CODE str) { '"'; "text"; CODE }"#,
            ),
            ("rs", r###"r#"word " word"# + word"###, r###"r#"text " text"# + CODE"###),
            ("rs", r#"println!("word {word} {{word}} {}", word)"#, r#"println!("text {CODE} {{text}} {}", CODE)"#),
            ("ts", "`word ${word + 1} word` + 'word'", "`text ${CODE + 1} text` + 'text'"),
            (
                "py",
                "\"\"\"word\nword\"\"\"\nf\"word {word}\" # word\nword",
                "\"\"\"text\ntext\"\"\"\nf\"text {CODE}\" # text\nCODE",
            ),
            ("go", "word := `word\nword` // word", "CODE := `text\ntext` // text"),
            ("c", "#define X 1'000 /* word\n */ word \"\\\"word\"", "#define X 1'000 /* text\n */ CODE \"\\\"text\""),
            ("py", "f\"{d['word']} {word:#x} {word}\" + word", "f\"{d['text']} {CODE:#x} {CODE}\" + CODE"),
            (
                "ts",
                "`${s.get(\"word\")} ${f({ a: { word } })} word`",
                "`${s.get(\"text\")} ${f({ a: { CODE } })} text`",
            ),
            (
                "rs",
                r##"r#"f({ word: 1, (word) }) {word:?} {:>word$}"#"##,
                r##"r#"f({ text: 1, (text) }) {CODE:?} {:>CODE$}"#"##,
            ),
            ("ts", "\"{word} ${word}\" + `{word}`", "\"{text} ${text}\" + `{text}`"),
            ("py", "print(\"{word}\", rf\"{word}\")", "print(\"{text}\", rf\"{CODE}\")"),
            ("go", "x := `{word}`", "x := `{text}`"),
            ("cs", "M(\"{word}\", $\"{word}\", $@\"{word}\")", "M(\"{text}\", $\"{CODE}\", $@\"{CODE}\")"),
            ("rb", "\"{word} #{word}\"", "\"{text} #{CODE}\""),
            ("swift", "\"\\(word) {word}\"", "\"\\(CODE) {text}\""),
            ("kt", "\"$word ${word} word\"", "\"$CODE ${CODE} text\""),
            ("vue", "<b>{{ word }}</b> // word", "<b>{{ CODE }}</b> // CODE"),
            ("rs", "\"word", "\"text"),
        ] {
            assert_eq!(check(text, extension), expected, "{extension}: {text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn ranges_are_ordered_and_inside_the_text(
            text in r#"([a-z'"`{}$#\\/*\n é(]|r#"|"""|//|/\*|\*/){0,60}"#,
            extension in proptest::sample::select(vec!["rs", "py", "ts", "go", "c", "swift", "lua", "vue"]),
        ) {
            let scanned = NonCode::scan(&text, extension);
            let mut last = 0;
            for range in &scanned.ranges {
                proptest::prop_assert!(range.start >= last && range.start < range.end && range.end <= text.len());
                last = range.end;
            }
        }
    }
}
