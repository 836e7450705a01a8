//! The names that Rust code declares: the refused ones, and those that two crates declare.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use serde::Deserialize;

use super::{Finding, text};

/// The refused names of `words.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefusedNames {
    /// Names of types: participles, pronouns, and metaphors for components.
    types: BTreeSet<String>,
    /// Names of functions: function words, participles, and everyday verbs.
    functions: BTreeSet<String>,
    /// Nouns and idioms that end like a participle.
    nouns: BTreeSet<String>,
}

/// The kinds of declared items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declares {
    Type,
    Function,
}

/// One declaration in a source.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    /// 1-based.
    pub(super) line: usize,
    pub(super) declares: Declares,
    pub(super) name: String,
    /// Whether other modules can see it.
    pub(super) is_visible: bool,
}

/// The types and functions that a source declares, in order, including those inside macros.
pub(super) fn declarations(content: &str) -> Vec<Declaration> {
    let mut declarations = Vec::new();
    let (mut offset, mut line) = (0, 1);
    // The words since the last token that ends the head of a declaration.
    let mut head: Vec<&str> = Vec::new();
    for token in tokenize(content, FrontmatterAllowed::No) {
        let end = offset + token.len as usize;
        let part = content.get(offset..end).unwrap_or_default();
        match token.kind {
            TokenKind::Ident | TokenKind::RawIdent => {
                let declares = match head.last() {
                    Some(&("struct" | "enum" | "trait" | "union" | "type")) => Some(Declares::Type),
                    Some(&"fn") => Some(Declares::Function),
                    _ => None,
                };
                if let Some(declares) = declares {
                    let name = part.trim_start_matches("r#").to_owned();
                    declarations.push(Declaration { line, declares, name, is_visible: head.contains(&"pub") });
                }
                head.push(part);
            }
            TokenKind::Whitespace | TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => {}
            // The parentheses of `pub(crate)`.
            TokenKind::OpenParen | TokenKind::CloseParen if head.first() == Some(&"pub") && head.len() < 4 => {}
            _ => head.clear(),
        }
        line += part.matches('\n').count();
        offset = end;
    }
    declarations
}

impl RefusedNames {
    /// The refused names among the declarations of one file.
    pub(super) fn find(&self, file: &Utf8Path, declarations: &[Declaration]) -> Vec<Finding> {
        let finding = |declaration: &Declaration| {
            let name = declaration.name.as_str();
            let (rule, refused, instead) = match declaration.declares {
                Declares::Type => {
                    ("type", self.types.contains(name) || self.is_participle(name), "a noun of the domain")
                }
                Declares::Function => (
                    "function",
                    self.functions.contains(name) || self.is_participle(name) || is_numbered(name),
                    "a verb and its object",
                ),
            };
            refused.then(|| Finding {
                file: file.to_owned(),
                line: declaration.line,
                rule: rule.to_owned(),
                word: name.to_owned(),
                instead: instead.to_owned(),
            })
        };
        declarations.iter().filter_map(finding).collect()
    }

    /// Whether a name is a single word that ends like a participle and is not a listed noun.
    fn is_participle(&self, name: &str) -> bool {
        let single = !name.contains('_') && name.chars().skip(1).all(|c| c.is_ascii_lowercase());
        let ends = name.ends_with("ed") || name.ends_with("ing");
        single && ends && !self.nouns.contains(&name.to_lowercase())
    }
}

/// Whether a function is named after a row, such as `x04_…`: a comment should name the row. `i32_…` is a type.
fn is_numbered(name: &str) -> bool {
    let mut chars = name.chars();
    let letter = chars.next().is_some_and(|c| c.is_ascii_lowercase() && !matches!(c, 'f' | 'i' | 'u'));
    let digits = chars.by_ref().take_while(char::is_ascii_digit).count();
    letter && digits >= 1 && name.chars().nth(digits + 1) == Some('_')
}

/// The types of each crate that other modules can see.
#[derive(Debug, Default)]
pub(super) struct DeclaredTypes {
    /// For each type name its crates, and for each crate the first file and line.
    types: BTreeMap<String, BTreeMap<String, (camino::Utf8PathBuf, usize)>>,
}

impl DeclaredTypes {
    /// Adds the declarations of a crate's file. Tests, benchmarks and xtask are not part of the product.
    pub(super) fn add(&mut self, file: &Utf8Path, declarations: &[Declaration]) {
        let Some(package) = file.as_str().strip_prefix("crates/").and_then(|rest| rest.split('/').next()) else {
            return;
        };
        if text::is_test(file) {
            return;
        }
        for declaration in declarations.iter().filter(|one| one.is_visible && one.declares == Declares::Type) {
            let crates = self.types.entry(declaration.name.clone()).or_default();
            crates.entry(package.to_owned()).or_insert_with(|| (file.to_owned(), declaration.line));
        }
    }

    /// Returns one finding per declaration of a name that two crates have.
    pub(super) fn duplicates(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (name, crates) in self.types.iter().filter(|(_, crates)| crates.len() > 1) {
            let all = crates.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            for (file, line) in crates.values() {
                findings.push(Finding {
                    file: file.clone(),
                    line: *line,
                    rule: "duplicate".to_owned(),
                    word: name.clone(),
                    instead: format!("a name of its own: {all} have a type of this name"),
                });
            }
        }
        findings
    }
}
