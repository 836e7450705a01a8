//! Reserved words, arrows and the separators between a property and its value.

use dlang_syntax::{DOCUMENTATION, SyntaxToken, keyword, sign};

/// Explains a word or sign in one sentence, with a link to more; `None` for brackets and separators.
pub(crate) fn word(token: &SyntaxToken) -> Option<String> {
    let row = keyword(token.kind()).map(|row| (row.doc, row.page));
    let (doc, page) = row.or_else(|| sign(token.kind()).map(|row| (row.doc, row.page)))?;
    (!doc.is_empty()).then(|| format!("💡 **{}** - {}", token.text(), with_link(doc, page)))
}

/// Appends a link to a page of the documentation to a sentence.
pub(crate) fn with_link(doc: &str, page: &str) -> String {
    format!("{doc}\n\n[Read more]({DOCUMENTATION}{page})")
}
