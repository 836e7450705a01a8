//! Reserved words, arrows and patterns.

use dlang_syntax::{KEYWORDS, KeywordClass, keyword, sign};

use super::context::CompletionContext;
use super::expected::ExpectedTokens;
use super::{Completion, CompletionKind};
use crate::hover::with_link;

/// Returns the words that the grammar allows, each in every spelling.
pub(super) fn words(context: &CompletionContext<'_>, expected: &ExpectedTokens) -> Vec<Completion> {
    let completion = |label: &str, kind, detail: &str, documentation: String| Completion {
        label: label.to_owned(),
        kind,
        detail: Some(detail.to_owned()),
        documentation: Some(documentation),
        definition: None,
        filter: label.to_owned(),
        edit: context.edit(label),
        is_snippet: false,
        sort: format!("1_{label}"),
    };
    let mut items = Vec::new();
    for kind in &expected.words {
        if let Some(row) = keyword(*kind) {
            let spellings = row.spellings.iter();
            items.extend(
                spellings.map(|it| completion(it, CompletionKind::Keyword, "Keyword", with_link(row.doc, row.page))),
            );
        } else if let Some(row) = sign(*kind) {
            items.push(completion(row.text, CompletionKind::Arrow, "Arrow", with_link(row.doc, row.page)));
        }
    }
    for row in KEYWORDS {
        if let KeywordClass::Pattern(side) = row.role
            && expected.patterns.contains(&side)
            && let Some(short) = row.spellings.last()
        {
            let documentation = with_link(row.doc, row.page);
            items.push(completion(
                &format!("[{short}]"),
                CompletionKind::Pattern,
                row.preferred_spelling(),
                documentation,
            ));
        }
    }
    items
}
