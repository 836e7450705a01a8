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
    /// Whether strings may contain expressions in braces, or after `$`.
    interpolates: bool,
    /// Whether a string in `"` may continue on the next line.
    has_long_strings: bool,
    /// Whether `'` also begins a lifetime or a digit separator, so that only short literals are strings.
    has_short_chars: bool,
}

const C_LIKE: Syntax = Syntax {
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    strings: &["\"\"\"", "\"", "'", "`"],
    interpolates: false,
    has_long_strings: false,
    has_short_chars: false,
};

const HASH: Syntax = Syntax {
    line_comments: &["#"],
    block_comments: &[],
    strings: &["\"\"\"", "'''", "\"", "'"],
    interpolates: true,
    has_long_strings: false,
    has_short_chars: false,
};

/// Returns the syntax for a file name extension, or for a whole file name without one; `None` if the language is not known or its texts mix languages.
fn syntax(extension: &str) -> Option<Syntax> {
    Some(match extension {
        "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "m" | "mm" | "cu" | "cuh" | "zig" => {
            Syntax { has_short_chars: true, ..C_LIKE }
        }
        "rs" => Syntax { interpolates: true, has_long_strings: true, has_short_chars: true, ..C_LIKE },
        "go" | "java" | "proto" | "jsonc" | "json5" | "glsl" | "v" | "dlang" => C_LIKE,
        "scss" | "less" => Syntax { strings: &["\"", "'"], ..C_LIKE },
        "css" => Syntax { line_comments: &[], strings: &["\"", "'"], ..C_LIKE },
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "kt" | "kts" | "cs" | "swift" | "scala"
        | "sc" | "dart" | "groovy" | "gradle" => Syntax { interpolates: true, ..C_LIKE },
        "php" => Syntax { line_comments: &["//", "#"], interpolates: true, has_long_strings: true, ..C_LIKE },
        // `toy` is the language of this crate's tests.
        "py" | "pyi" | "toml" | "yaml" | "yml" | "toy" => HASH,
        "rb" | "sh" | "bash" | "zsh" | "jl" | "ex" | "exs" | "nix" | "pl" | "r" | "R" | "tf" | "cmake" | "just"
        | "justfile" | "Justfile" | "mk" | "Makefile" | "Dockerfile" => Syntax { has_long_strings: true, ..HASH },
        "lua" => Syntax { line_comments: &["--"], block_comments: &[("--[[", "]]")], interpolates: false, ..HASH },
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

/// Whether zubi can separate the comments and strings of a file from its code.
pub(crate) fn has_syntax(path: &Utf8Path) -> bool {
    syntax(path.extension().or(path.file_name()).unwrap_or_default()).is_some()
}

/// The parts of a text that are not code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NonCode {
    /// Byte ranges of comments and strings, in order.
    ranges: Vec<Range<usize>>,
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
        let mut ranges = Vec::new();
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let end = token_end(rest, at, text, syntax);
            match end {
                Some(Token::Skipped(end)) => {
                    push(&mut ranges, at..end);
                    at = end;
                }
                Some(Token::Text { end, is_template }) => {
                    add_string(&mut ranges, text, at..end, syntax, is_template, 0);
                    at = end;
                }
                None => at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        Self { ranges }
    }

    pub(crate) fn contains(&self, offset: usize) -> bool {
        let next = self.ranges.partition_point(|range| range.end <= offset);
        self.ranges.get(next).is_some_and(|range| range.start <= offset)
    }
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
        return Some(Token::Text { end, is_template: false });
    }
    let delimiter = *syntax.strings.iter().find(|delimiter| rest.starts_with(**delimiter))?;
    if delimiter == "'" && syntax.has_short_chars {
        return short_char(rest).map(|length| Token::Text { end: at + length, is_template: false });
    }
    let spans_lines = delimiter.len() > 1 || delimiter == "`" || delimiter == "\"" && syntax.has_long_strings;
    let end = string_end(rest, delimiter, spans_lines).map_or(text.len(), |end| at + end);
    // The prefix of a Python string says whether it contains expressions; other languages mark them in the string.
    let is_template = delimiter == "`" || has_format_prefix(text, at);
    Some(Token::Text { end, is_template })
}

/// Returns the number of `#` before the quote of a raw string, after its `r`.
fn raw_hashes(rest: &str) -> Option<usize> {
    let hashes = rest.bytes().take_while(|byte| *byte == b'#').count();
    (hashes > 0 && rest.as_bytes().get(hashes) == Some(&b'"')).then_some(hashes)
}

fn has_format_prefix(text: &str, at: usize) -> bool {
    let prefix = text.as_bytes().get(at.saturating_sub(2)..at).unwrap_or_default();
    prefix.iter().any(|byte| matches!(byte, b'f' | b'F' | b't' | b'$'))
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

/// Adds the range of a string without the expressions in it.
fn add_string(
    ranges: &mut Vec<Range<usize>>,
    text: &str,
    range: Range<usize>,
    syntax: Syntax,
    is_template: bool,
    depth: usize,
) {
    let bytes = text.as_bytes();
    if !syntax.interpolates && !is_template || depth > MAX_NESTED_STRINGS {
        return push(ranges, range);
    }
    let mut start = range.start;
    let mut at = range.start;
    while at < range.end {
        // `{…}`, `${…}` and `#{…}`; a word directly after `$`; Swift's `\(…)`.
        let close = match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'{'), Some(next)) if *next != b'{' => Some(b'}'),
            (Some(b'\\'), Some(b'(')) => Some(b')'),
            _ => None,
        };
        let expression = close.and_then(|close| expression_end(text, at..range.end, close, syntax, depth));
        if let Some((end, inner)) = expression {
            push(ranges, start..at);
            ranges.extend(inner);
            at = end;
            start = at;
        } else if bytes.get(at..at + 2) == Some(b"{{") {
            // An escaped brace.
            at += 2;
        } else if bytes.get(at) == Some(&b'$') {
            push(ranges, start..at);
            at += 1;
            while bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
                at += 1;
            }
            start = at;
        } else {
            at += 1;
        }
    }
    push(ranges, start..range.end);
}

/// Returns the end of the expression that opens at the start of a range in a string, with the strings and comments in it.
/// `None` if nothing closes it.
fn expression_end(
    text: &str,
    range: Range<usize>,
    close: u8,
    syntax: Syntax,
    depth: usize,
) -> Option<(usize, Vec<Range<usize>>)> {
    let bytes = text.as_bytes();
    // Swift's opening has two bytes: a backslash and a parenthesis.
    let (open, mut at) = if close == b')' { (b'(', range.start + 2) } else { (b'{', range.start + 1) };
    let (mut opened, mut inner) = (1_usize, Vec::new());
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
                    Token::Skipped(_) => push(&mut inner, at..end),
                    Token::Text { is_template, .. } => {
                        add_string(&mut inner, text, at..end, syntax, is_template, depth + 1);
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
