//! The prose of a file, line by line: comments and string literals of code, the text of documents.

use std::sync::LazyLock;

use camino::Utf8Path;
use fancy_regex::Regex;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

/// One line of prose.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Prose {
    /// 1-based.
    pub(super) number: usize,
    pub(super) text: String,
    /// Whether the line is the first of a documentation comment.
    pub(super) begins_documentation: bool,
}

/// Data for tests, generated files, and files of other programs.
const UNCHECKED: &[&str] = &[
    "Cargo.lock",
    "LICENSE-",
    // Files of the previous release, as it wrote them.
    "crates/zubi/tests/fixtures/",
    "docs/src/reference/command-line.md",
    "docs/src/reference/error-codes.md",
    "docs/src/reference/ipc.md",
    "docs/src/reference/servers.md",
    "docs/src/reference/tools.md",
    "editors/vscode/package-lock.json",
    "editors/vscode/schemas/",
    "editors/vscode/src/protocol.ts",
    "editors/vscode/syntaxes/",
    "examples/bank",
    "examples/lending",
    "examples/shop",
    "fuzz/corpus",
    "fuzz/seeds",
    "tests/fixtures",
    "xtask/words.toml",
];

/// Whether the check reads a file. It checks files written by `cargo xtask generate` at their source.
pub(super) fn is_checked(file: &Utf8Path) -> bool {
    let has_checked_extension =
        matches!(file.extension(), Some("rs" | "ts" | "js" | "md" | "toml" | "html" | "yml" | "yaml"));
    let generated = file.components().any(|part| part.as_str() == "generated");
    has_checked_extension && !generated && !UNCHECKED.iter().any(|prefix| file.as_str().starts_with(prefix))
}

/// Whether a file has tests. Their strings are data: fixtures, and outputs of the product.
pub(super) fn is_test(file: &Utf8Path) -> bool {
    file.components().any(|part| matches!(part.as_str(), "tests" | "tests.rs" | "testing.rs" | "testing"))
}

/// The prose of a file by its extension.
pub(super) fn prose(file: &Utf8Path, content: &str) -> Vec<Prose> {
    match file.extension() {
        Some("rs") => rust(content, is_test(file)),
        Some("ts" | "js") => script(content, is_test(file)),
        Some("md") => markdown(content),
        _ => plain(content),
    }
}

/// Removes the contents of backticks and double quotation marks: names, and mentioned words.
pub(super) fn without_code_spans(text: &str) -> String {
    static SPAN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"`[^`]*`|"[^"]*"|\]\([^)]*\)"#).ok());
    match &*SPAN {
        Some(span) => span.replace_all(text, "`_`").into_owned(),
        None => text.to_owned(),
    }
}

/// Adds the lines of a part of a source; `number` is its first line.
fn push(lines: &mut Vec<Prose>, number: usize, part: &str, begins_documentation: bool) {
    for (offset, line) in part.lines().enumerate() {
        let text = line.trim().trim_start_matches(['/', '!', '*']).trim_end_matches("*/").trim().to_owned();
        lines.push(Prose { number: number + offset, text, begins_documentation: begins_documentation && offset == 0 });
    }
}

/// The comments of a Rust source, and its string literals of more than one word.
fn rust(content: &str, is_test: bool) -> Vec<Prose> {
    let mut lines = Vec::new();
    let (mut offset, mut number) = (0, 1);
    // The last line of documentation: a line of the same style below it continues the comment.
    let mut documented = (None, 0);
    for token in tokenize(content, FrontmatterAllowed::No) {
        let end = offset + token.len as usize;
        let part = content.get(offset..end).unwrap_or_default();
        match token.kind {
            TokenKind::LineComment { doc_style } => {
                let continues = documented == (doc_style, number - 1);
                push(&mut lines, number, part, doc_style.is_some() && !continues);
                documented = (doc_style, number);
            }
            TokenKind::BlockComment { doc_style, .. } => push(&mut lines, number, part, doc_style.is_some()),
            TokenKind::Literal { kind: LiteralKind::Str { .. } | LiteralKind::RawStr { .. }, .. }
                if !is_test && part.trim().contains(' ') =>
            {
                let inner = part.trim_start_matches(['r', '#']).trim_end_matches('#').trim_matches('"');
                push(&mut lines, number, &inner.replace("\\n", " "), false);
            }
            _ => {}
        }
        number += part.matches('\n').count();
        offset = end;
    }
    lines
}

/// The comments and string literals of a TypeScript or JavaScript source.
fn script(content: &str, is_test: bool) -> Vec<Prose> {
    static PARTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?s)//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"#).ok()
    });
    let mut lines = Vec::new();
    for part in PARTS.iter().flat_map(|regex| regex.find_iter(content).flatten()) {
        let text = part.as_str();
        let number = 1 + content.get(..part.start()).unwrap_or_default().matches('\n').count();
        if text.starts_with('/') {
            push(&mut lines, number, text, false);
        } else if !is_test && text.contains(' ') {
            push(&mut lines, number, text.trim_matches(['"', '\'', '`']), false);
        }
    }
    lines
}

/// The text of a Markdown document without code.
fn markdown(content: &str) -> Vec<Prose> {
    let mut code = vec![false; content.lines().count() + 2];
    let line_of = |offset: usize| content.get(..offset).unwrap_or_default().matches('\n').count();
    let mut fenced = false;
    for (event, range) in Parser::new(content).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => fenced = true,
            Event::End(TagEnd::CodeBlock) => fenced = false,
            _ => {}
        }
        if fenced {
            for line in line_of(range.start)..=line_of(range.end.saturating_sub(1)) {
                if let Some(code) = code.get_mut(line) {
                    *code = true;
                }
            }
        }
    }
    let texts = content.lines().enumerate().filter(|(index, _)| !code.get(*index).copied().unwrap_or_default());
    texts.map(|(index, line)| Prose { number: index + 1, text: line.to_owned(), begins_documentation: false }).collect()
}

fn plain(content: &str) -> Vec<Prose> {
    let mut lines = Vec::new();
    push(&mut lines, 1, content, false);
    lines
}
