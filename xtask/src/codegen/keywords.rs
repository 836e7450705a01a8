//! The table of words and signs, the kinds derived from it, and the table as Rust code.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use toml::Value;

use super::NOTICE;
use super::grammar::Grammar;

/// Kinds of tokens that are neither words nor signs, with their documentation.
const OTHER_TOKENS: &[(&str, &str)] = &[
    ("EOF", "The end of the input, as the parser sees it; never in a tree."),
    ("WHITESPACE", "Blanks and line ends, and a byte order mark."),
    ("LINE_COMMENT", "`// …`"),
    ("BLOCK_COMMENT", "`/* … */`"),
    ("DOC_COMMENT", "`/** … */`"),
    ("UNKNOWN", "Characters that no token begins with; the lexer has reported them."),
    ("IDENT", "An identifier, or a reserved word where the grammar allows only a name."),
    ("STRING", "A string with its quotes; the last may be missing, which the lexer has reported."),
];

/// A meaning and its words.
pub(super) struct Keyword {
    pub(super) kind: String,
    pub(super) spellings: Vec<String>,
    pub(super) role: String,
    pub(super) side: Option<String>,
    pub(super) doc: String,
    page: String,
}

pub(super) struct Sign {
    pub(super) kind: String,
    pub(super) text: String,
    pub(super) doc: Option<String>,
    page: Option<String>,
}

pub(super) struct Words {
    pub(super) keywords: Vec<Keyword>,
    pub(super) signs: Vec<Sign>,
}

impl Words {
    /// The kind of a token with the spelling of the grammar.
    pub(super) fn kind(&self, text: &str) -> Option<&str> {
        let keyword = self.keywords.iter().find(|keyword| keyword.spellings.first().is_some_and(|first| first == text));
        let sign = self.signs.iter().find(|sign| sign.text == text);
        keyword.map(|keyword| &*keyword.kind).or(sign.map(|sign| &*sign.kind))
    }
}

pub(super) fn read(text: &str) -> Result<Words> {
    let table: toml::Table = toml::from_str(text).context("keywords.toml is not valid TOML")?;
    let entries = |name: &str| table.get(name).and_then(Value::as_array).into_iter().flatten();
    let words = Words {
        keywords: entries("keyword").map(keyword).collect::<Result<_>>()?,
        signs: entries("sign").map(sign).collect::<Result<_>>()?,
    };
    let mut seen = BTreeSet::new();
    let spellings = words.keywords.iter().flat_map(|keyword| &keyword.spellings);
    let kinds = words.keywords.iter().map(|keyword| &keyword.kind).chain(words.signs.iter().map(|sign| &sign.kind));
    if let Some(twice) = spellings.chain(kinds).find(|word| !seen.insert(word.as_str())) {
        bail!("keywords.toml: `{twice}` is listed twice");
    }
    Ok(words)
}

fn field(entry: &Value, name: &str) -> Result<String> {
    optional(entry, name).with_context(|| format!("keywords.toml: `{name}` is missing in {entry}"))
}

fn optional(entry: &Value, name: &str) -> Option<String> {
    entry.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn keyword(entry: &Value) -> Result<Keyword> {
    let spellings = entry.get("spellings").and_then(Value::as_array).into_iter().flatten();
    let keyword = Keyword {
        kind: field(entry, "kind")?,
        spellings: spellings.filter_map(Value::as_str).map(str::to_owned).collect(),
        role: field(entry, "role")?,
        side: optional(entry, "side"),
        doc: field(entry, "doc")?,
        page: field(entry, "page")?,
    };
    if keyword.spellings.is_empty() || (keyword.role == "pattern") != keyword.side.is_some() {
        bail!("keywords.toml: `{}` needs spellings, and a side exactly when it is a pattern", keyword.kind);
    }
    Ok(keyword)
}

fn sign(entry: &Value) -> Result<Sign> {
    let sign = Sign {
        kind: field(entry, "kind")?,
        text: field(entry, "text")?,
        doc: optional(entry, "doc"),
        page: optional(entry, "page"),
    };
    if sign.doc.is_some() != sign.page.is_some() {
        bail!("keywords.toml: `{}` needs a page exactly when it has a sentence", sign.kind);
    }
    Ok(sign)
}

/// Generates `SyntaxKind` and the functions that depend only on the table.
pub(super) fn kinds(words: &Words, grammar: &Grammar) -> String {
    let mut variants = String::new();
    let mut names = Vec::new();
    let mut variant = |name: &str, doc: &str| {
        _ = writeln!(variants, "/// {doc}\n{name},");
        names.push(name.to_owned());
    };
    for (name, doc) in OTHER_TOKENS {
        variant(name, doc);
    }
    for sign in &words.signs {
        variant(&sign.kind, &format!("`{}`", sign.text));
    }
    for keyword in &words.keywords {
        let spellings: Vec<_> = keyword.spellings.iter().map(|word| format!("`{word}`")).collect();
        variant(&keyword.kind, &spellings.join(" or "));
    }
    variant("ERROR", "Text that the parser could not read; a diagnostic reports it.");
    for node in grammar.structs() {
        variant(&node.kind(), &format!("[`{0}`](crate::ast::{0})", node.name));
    }
    let all = names.join(", ");
    let first = |kind: Option<&str>| kind.unwrap_or("ERROR").to_owned();
    let first_keyword = first(words.keywords.first().map(|keyword| &*keyword.kind));
    let last_keyword = first(words.keywords.last().map(|keyword| &*keyword.kind));
    let first_sign = first(words.signs.first().map(|sign| &*sign.kind));
    let last_sign = first(words.signs.last().map(|sign| &*sign.kind));
    let mut from_word = String::new();
    let mut texts = String::new();
    for keyword in &words.keywords {
        let spellings: Vec<_> = keyword.spellings.iter().map(|word| format!("{word:?}")).collect();
        _ = writeln!(from_word, "{} => Self::{},", spellings.join(" | "), keyword.kind);
        let preferred = keyword.spellings.first().map(String::as_str).unwrap_or_default();
        _ = writeln!(texts, "Self::{} => {preferred:?},", keyword.kind);
    }
    for sign in &words.signs {
        _ = writeln!(texts, "Self::{} => {:?},", sign.kind, sign.text);
    }
    format!(
        "//! The kinds of tokens and nodes.\n//!\n//! {NOTICE}\n\n\
         /// The kind of a token or node. A kind of keyword is a meaning: `Domain` and `dom` are one kind.\n\
         #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n\
         #[expect(non_camel_case_types, reason = \"the customary spelling for kinds, which distinguishes them from types\")]\n\
         #[repr(u16)]\npub enum SyntaxKind {{\n{variants}}}\n\n\
         impl SyntaxKind {{\n\
         /// Every kind, in the order of the numbers.\npub(crate) const ALL: &'static [Self] = {{ use SyntaxKind::*; &[{all}] }};\n\n\
         /// Returns whether it is a reserved word.\npub fn is_keyword(self) -> bool {{ self >= Self::{first_keyword} && self <= Self::{last_keyword} }}\n\n\
         /// Returns whether it is a bracket, a separator or an arrow.\npub fn is_sign(self) -> bool {{ self >= Self::{first_sign} && self <= Self::{last_sign} }}\n\n\
         /// Every kind of node.\npub fn nodes() -> impl Iterator<Item = Self> {{ Self::ALL.iter().copied().filter(|kind| !kind.is_token()) }}\n\n\
         /// Whether it is a token.\npub fn is_token(self) -> bool {{ self < Self::ERROR }}\n\n\
         /// The kind of a whole word if it is reserved.\npub fn from_word(word: &str) -> Option<Self> {{ Some(match word {{ {from_word} _ => return None }}) }}\n\n\
         /// How a reserved word (its first spelling) or a sign is written.\npub fn text(self) -> Option<&'static str> {{ Some(match self {{ {texts} _ => return None }}) }}\n\
         }}\n"
    )
}

/// Generates the table as Rust code.
pub(super) fn table(words: &Words) -> String {
    let mut rows = String::new();
    for keyword in &words.keywords {
        let role = match &keyword.side {
            Some(side) => format!("Pattern(Side::{})", capitalize(side)),
            None => capitalize(&keyword.role),
        };
        _ = writeln!(
            rows,
            "Keyword {{ kind: SyntaxKind::{}, spellings: &{:?}, role: KeywordClass::{role}, doc: {:?}, page: {:?} }},",
            keyword.kind, keyword.spellings, keyword.doc, keyword.page
        );
    }
    let mut signs = String::new();
    for sign in &words.signs {
        let (doc, page) = (sign.doc.as_deref().unwrap_or_default(), sign.page.as_deref().unwrap_or_default());
        _ = writeln!(
            signs,
            "Punctuation {{ kind: SyntaxKind::{}, text: {:?}, doc: {doc:?}, page: {page:?} }},",
            sign.kind, sign.text
        );
    }
    format!(
        "//! The table of reserved words and signs.\n//!\n//! {NOTICE}\n\n\
         use crate::generated::kinds::SyntaxKind;\nuse crate::keywords::{{Keyword, KeywordClass, Punctuation, Side}};\n\n\
         /// Every reserved word.\npub static KEYWORDS: &[Keyword] = &[\n{rows}];\n\n\
         /// Every bracket, separator and arrow.\npub static SIGNS: &[Punctuation] = &[\n{signs}];\n"
    )
}

fn capitalize(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(characters).collect()
}
