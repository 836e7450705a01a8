//! Markdown explanations: of the element or word at an offset for hovering, and by name
//! ([`explain`](crate::explain())).
//!
//! Both come from one builder. `page` has the two styles of links and prevents a model's texts from being read as
//! Markdown, `element` and `part` write the content, `words` explains reserved words and arrows.
//!
//! # Layout
//!
//! An optional documentation comment and a rule; a header, `🎯 **(bounded context) Shop.Orders**`; then fields. An
//! element's title is its fully qualified name, or, if a file imports it with an alias, `alias.` and that name. An
//! unresolved name is printed as written, followed by *(not found)*.
//!
//! Lists end after [`MAX_ITEMS`] entries and texts after [`MAX_TEXT`] characters, and report how much is left out.

pub(crate) mod element;
pub(crate) mod page;
mod part;
mod segment;
mod words;

use dlang_model::{Db, Definition, ElementKind, File, containing_context, definition_at, file_model, parse};
use dlang_syntax::ast::{ImportStatement, NamespaceDeclaration};
use dlang_syntax::{AstNode as _, SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize};

use self::page::Page;
pub use self::page::{Links, MAX_ITEMS, MAX_TEXT};
pub(crate) use self::words::with_link;
use self::words::word;

/// An explanation of the text at an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// The explained range.
    pub range: TextRange,
    pub markdown: String,
}

/// Explains the text at an offset of a file: a name, each part of a dotted name, a reserved word, an arrow, an import.
/// Returns `None` elsewhere, in comments and in other strings.
pub fn hover(db: &dyn Db, file: File, offset: TextSize, links: Links<'_>) -> Option<Hover> {
    let root = parse(db, file).syntax();
    if offset > root.text_range().end() {
        return None;
    }
    let tokens = root.token_at_offset(offset);
    // Between two tokens, the pointer is on the second one.
    let candidates = [tokens.clone().right_biased(), tokens.left_biased()];
    candidates.into_iter().flatten().find_map(|token| {
        let markdown = token_markdown(&mut Page::new(db, links), file, &token)?;
        Some(Hover { range: range_of(&token), markdown })
    })
}

/// Returns the Markdown about an element, as hovering over its name shows it, for the documentation of a completion.
pub fn element_markdown(db: &dyn Db, definition: Definition, links: Links<'_>) -> Option<String> {
    element::element(&mut Page::new(db, links), definition, definition.file)
}

/// Returns the range to explain: a declared dotted name as a whole, but each part of a dotted reference by itself.
fn range_of(token: &SyntaxToken) -> TextRange {
    match token.parent() {
        Some(parent) if parent.kind() == SyntaxKind::QUALIFIED_NAME => parent.text_range(),
        _ => token.text_range(),
    }
}

fn token_markdown(page: &mut Page<'_>, file: File, token: &SyntaxToken) -> Option<String> {
    let node = token.parent()?;
    match (token.kind(), node.kind()) {
        (SyntaxKind::IDENT, SyntaxKind::REFERENCE) => segment::segment(page, file, token, &node),
        (SyntaxKind::IDENT, SyntaxKind::NAME) => name_markdown(page, file, &node),
        (SyntaxKind::IDENT | SyntaxKind::DOT, SyntaxKind::QUALIFIED_NAME) => {
            let namespace = node.parent().and_then(NamespaceDeclaration::cast)?;
            let definition = definition_at(page.db, file, namespace.syntax().text_range())?;
            element::element(page, definition, file)
        }
        (SyntaxKind::STRING, SyntaxKind::IMPORT_STATEMENT) => part::import(page, file, &ImportStatement::cast(node)?),
        (SyntaxKind::THIS_KW, SyntaxKind::THIS_REF) => {
            let model = file_model(page.db, file);
            let relationship = part::relationship_around(model, token);
            let context = relationship.and_then(|it| containing_context(page.db, file, it));
            context.map_or_else(|| word(token), |context| element::element(page, context, file))
        }
        (SyntaxKind::L_BRACK | SyntaxKind::R_BRACK, SyntaxKind::PATTERN_LIST) => part::relationship(page, file, token),
        (
            SyntaxKind::RIGHT_ARROW | SyntaxKind::LEFT_ARROW | SyntaxKind::BOTH_ARROW | SyntaxKind::APART_ARROW,
            SyntaxKind::DIRECTIONAL_RELATIONSHIP | SyntaxKind::SYMMETRIC_RELATIONSHIP,
        ) => {
            let (relationship, arrow) = (part::relationship(page, file, token), word(token));
            let both: Vec<_> = relationship.into_iter().chain(arrow).collect();
            (!both.is_empty()).then(|| both.join(page::RULE))
        }
        _ => word(token),
    }
}

/// Explains the entity that a declared name names.
fn name_markdown(page: &mut Page<'_>, file: File, name: &SyntaxNode) -> Option<String> {
    let owner = name.parent()?;
    if ElementKind::from_syntax(owner.kind()).is_some() {
        let definition = definition_at(page.db, file, owner.text_range())?;
        return element::element(page, definition, file);
    }
    match owner.kind() {
        SyntaxKind::IMPORT_STATEMENT => part::import(page, file, &ImportStatement::cast(owner)?),
        SyntaxKind::DOMAIN_TERM => part::term(page, file, &owner),
        SyntaxKind::SYNONYM_LIST => part::term(page, file, &owner.parent()?),
        SyntaxKind::DECISION | SyntaxKind::POLICY | SyntaxKind::BUSINESS_RULE => part::decision(page, file, &owner),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
