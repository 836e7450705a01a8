//! Reference page of the syntax.

/// Whole syntax on one page of Markdown, with grammar, words and examples: for users, and for models that write
/// DomainLang. `cargo xtask codegen` generates it from the tables that define the parser.
pub const SYNTAX_REFERENCE: &str = include_str!("generated/reference.md");

#[cfg(test)]
mod tests {
    use super::SYNTAX_REFERENCE;
    use crate::{KEYWORDS, parse};

    #[test]
    fn reference_examples_are_valid() {
        let examples: Vec<_> = SYNTAX_REFERENCE.split("```dlang\n").skip(1).collect();
        assert!(examples.len() > 5);
        for example in examples {
            let example = example.split("```").next().unwrap_or_default();
            assert_eq!(parse(example).diagnostics(), [], "{example}");
        }
    }

    #[test]
    fn every_word_is_explained() {
        for keyword in KEYWORDS {
            let cells: Vec<_> = keyword.spellings.iter().map(|word| format!("`{word}`")).collect();
            let row = format!("| {}", cells.join(", "));
            let rows = SYNTAX_REFERENCE.lines().filter(|line| line.starts_with(&row) && line.ends_with(" |"));
            assert_eq!(rows.filter(|line| line.contains(keyword.doc)).count(), 1, "{row}");
        }
    }
}
