//! Names as text.

use rowan::TextRange;
use rowan::ast::AstNode as _;

use super::{
    AsClause, ByClause, Element, ForClause, HasName as _, InClause, Name, NamespaceDeclaration, QualifiedName,
    Reference,
};
use crate::generated::kinds::SyntaxKind;
use crate::tree::{SyntaxNode, SyntaxToken};

impl Name {
    /// Returns the name, also if it is a reserved word.
    pub fn text(&self) -> String {
        self.ident_token().map(|token| token.text().to_owned()).unwrap_or_default()
    }
}

/// Joins the segments with single dots. If a segment is missing, the text ends in a dot, so that `Shop.` is not
/// mistaken for `Shop`.
fn join_segments(segments: impl Iterator<Item = SyntaxToken>, is_cut: bool) -> String {
    let mut text = String::new();
    for segment in segments {
        if !text.is_empty() {
            text.push('.');
        }
        text.push_str(segment.text());
    }
    if is_cut {
        text.push('.');
    }
    text
}

impl QualifiedName {
    /// Returns the name without blanks and comments around its dots.
    pub fn text(&self) -> String {
        join_segments(self.segments(), ends_in_dot(self.syntax()))
    }
}

impl Reference {
    /// Returns the name without blanks and comments around its dots.
    pub fn text(&self) -> String {
        join_segments(self.segments(), ends_in_dot(self.syntax()))
    }

    /// Returns everything before the last segment: its text (`Shop.Inner`) and its range.
    pub fn qualifier(&self) -> Option<(String, TextRange)> {
        let mut segments: Vec<_> = self.segments().collect();
        segments.pop()?;
        let range = segments.first()?.text_range().cover(segments.last()?.text_range());
        Some((join_segments(segments.into_iter(), false), range))
    }
}

fn ends_in_dot(node: &SyntaxNode) -> bool {
    node.last_token().is_some_and(|token| token.kind() == SyntaxKind::DOT)
}

impl NamespaceDeclaration {
    /// Returns the declared name, with its dots.
    pub fn name_text(&self) -> Option<String> {
        self.name().map(|name| name.text())
    }
}

impl Element {
    /// Returns the declared name as it is written; a namespace's may contain dots.
    pub fn name_text(&self) -> Option<String> {
        match self {
            Self::NamespaceDeclaration(namespace) => namespace.name_text(),
            _ => self.simple_name().map(|name| name.text()),
        }
    }

    /// Returns the range of the name.
    pub fn name_range(&self) -> Option<TextRange> {
        match self {
            Self::NamespaceDeclaration(namespace) => namespace.name().map(|name| name.syntax().text_range()),
            _ => self.simple_name().map(|name| name.syntax().text_range()),
        }
    }

    /// Returns the declared name of any element except a namespace.
    pub fn simple_name(&self) -> Option<Name> {
        match self {
            Self::Domain(it) => it.name(),
            Self::BoundedContext(it) => it.name(),
            Self::Team(it) => it.name(),
            Self::Classification(it) => it.name(),
            Self::Metadata(it) => it.name(),
            Self::ContextMap(it) => it.name(),
            Self::DomainMap(it) => it.name(),
            Self::NamespaceDeclaration(_) => None,
        }
    }

    /// Returns the keyword that begins the element.
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        match self {
            Self::Domain(it) => it.keyword_token(),
            Self::BoundedContext(it) => it.keyword_token(),
            Self::Team(it) => it.keyword_token(),
            Self::Classification(it) => it.keyword_token(),
            Self::Metadata(it) => it.keyword_token(),
            Self::ContextMap(it) => it.keyword_token(),
            Self::DomainMap(it) => it.keyword_token(),
            Self::NamespaceDeclaration(it) => it.keyword_token(),
        }
    }
}

/// Adds `target_text` to clauses of a header: callers read only their references.
macro_rules! texts_of_clauses {
    ($($clause:ident)*) => {$(
        impl $clause {
            /// Returns the text of the reference.
            pub fn target_text(&self) -> Option<String> {
                self.target().map(|target| target.text())
            }
        }
    )*};
}

texts_of_clauses!(InClause ForClause AsClause ByClause);
