//! The TextMate grammar of DomainLang for editors: the lexer's rules as regular expressions.
//!
//! Colours need no parser: they need comments, strings, words by their role in the table, and the name after a
//! declaring word. An identifier is matched as a whole, so that no word is found inside another one.

use serde_json::{Value, json};

use super::keywords::{Keyword, Words};

/// The end of a word: no identifier character follows. A `-` directly before `>` belongs to the arrow.
const WORD_END: &str = "(?![A-Za-z0-9_]|-(?!>))";
const IDENTIFIER: &str = "[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*";

/// The scope of each role in the table.
const SCOPES: &[(&str, &str)] = &[
    ("declaration", "storage.type"),
    ("import", "keyword.control.import"),
    ("item", "keyword.other.item"),
    ("clause", "keyword.other.clause"),
    ("property", "support.type.property-name"),
    ("block", "support.type.property-name.block"),
    ("list", "keyword.other.list"),
    ("assignment", "keyword.operator.assignment.word"),
    ("reference", "variable.language.this"),
    ("pattern", "constant.language.pattern"),
];

/// The grammar as JSON.
pub(super) fn grammar(words: &Words) -> String {
    let mut patterns = vec![
        json!({ "name": "comment.block.documentation.domain-lang", "begin": r"/\*\*(?!/)", "end": r"\*/" }),
        json!({ "name": "comment.block.domain-lang", "begin": r"/\*", "end": r"\*/" }),
        json!({ "name": "comment.line.double-slash.domain-lang", "match": "//.*$" }),
        string("double", "\""),
        string("single", "'"),
        declaration(words),
    ];
    patterns.extend(SCOPES.iter().map(|(role, scope)| {
        json!({ "name": format!("{scope}.domain-lang"), "match": format!("(?:{}){WORD_END}", spellings(words, role)) })
    }));
    patterns.extend([
        json!({ "name": "variable.other.domain-lang", "match": IDENTIFIER }),
        json!({ "name": "keyword.operator.arrow.domain-lang", "match": signs(words, |text| text.contains(['<', '>'])) }),
        json!({ "name": "keyword.operator.assignment.domain-lang", "match": signs(words, |text| [":", "="].contains(&text)) }),
        json!({ "name": "punctuation.domain-lang", "match": signs(words, |text| !text.contains(['<', '>', ':', '='])) }),
    ]);
    let grammar = json!({
        "information_for_contributors": [super::NOTICE],
        "name": "DomainLang",
        "scopeName": "source.domain-lang",
        "fileTypes": ["dlang"],
        "patterns": patterns,
    });
    format!("{grammar:#}\n")
}

fn string(kind: &str, quote: &str) -> Value {
    json!({
        "name": format!("string.quoted.{kind}.domain-lang"),
        "begin": quote,
        "end": quote,
        "patterns": [{ "name": "constant.character.escape.domain-lang", "match": r"\\." }],
    })
}

/// A declaring word with the name after it, which may be dotted and may be a reserved word.
fn declaration(words: &Words) -> Value {
    let word = format!("({}){WORD_END}", spellings(words, "declaration"));
    json!({
        "match": format!(r"{word}\s+({IDENTIFIER}(?:\.{IDENTIFIER})*)"),
        "captures": {
            "1": { "name": "storage.type.domain-lang" },
            "2": { "name": "entity.name.type.domain-lang" },
        },
    })
}

/// The words of a role as alternatives, longer ones first: `C` is a prefix of `CF`, and the regular expression checks
/// the end of a word only after the first matching alternative.
fn spellings(words: &Words, role: &str) -> String {
    let has_role = |keyword: &&Keyword| keyword.role == role;
    let mut spellings: Vec<_> = words.keywords.iter().filter(has_role).flat_map(|keyword| &keyword.spellings).collect();
    spellings.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    spellings.iter().map(|spelling| spelling.as_str()).collect::<Vec<_>>().join("|")
}

/// The matching signs as alternatives, longer ones first.
fn signs(words: &Words, is_match: impl Fn(&str) -> bool) -> String {
    let mut signs: Vec<_> = words.signs.iter().map(|sign| sign.text.as_str()).filter(|text| is_match(text)).collect();
    signs.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    signs.iter().map(|sign| escape_regex(sign)).collect::<Vec<_>>().join("|")
}

/// A regular expression that matches exactly this sign.
fn escape_regex(sign: &str) -> String {
    let special = |c: char| if "{}[].".contains(c) { format!("\\{c}") } else { c.to_string() };
    sign.chars().map(special).collect()
}

#[cfg(test)]
mod tests {
    use super::SCOPES;
    use crate::codegen::keywords;
    use crate::paths;

    #[test]
    fn every_role_of_the_table_has_a_scope() {
        let table = std::fs::read_to_string(paths::ROOT.join("crates/dlang-syntax/keywords.toml")).unwrap();
        for keyword in keywords::read(&table).unwrap().keywords {
            assert!(SCOPES.iter().any(|(role, _)| *role == keyword.role), "{} has no scope", keyword.role);
        }
    }
}
