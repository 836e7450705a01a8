//! Semantic tokens, for syntax highlighting.
//!
//! They depend on the text alone: a declared name has the kind of its declaration, a reference the kind that its
//! position expects, whether or not it resolves.

use dlang_model::ElementKind;
use dlang_syntax::SyntaxKind::{self, *};
use dlang_syntax::{KeywordClass, NodeOrToken, Parse, SyntaxElement, SyntaxToken, TextRange, WalkEvent, keyword};

use crate::expected_kind::expected_kind;

/// A token and its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    /// The range of the token. Strings and comments may have several lines.
    pub range: TextRange,
    /// The kind of the token.
    pub kind: TokenKind,
    /// Whether it declares the name.
    pub is_declaration: bool,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A reserved word, by its grammatical function. `this` counts as a reference.
    Keyword(KeywordClass),
    /// An arrow.
    Arrow,
    /// A string.
    String,
    /// A comment.
    Comment,
    /// A documentation comment.
    Documentation,
    /// The name of a domain.
    Domain,
    /// The name of a bounded context.
    BoundedContext,
    /// The name of a team.
    Team,
    /// The name of a classification.
    Classification,
    /// A key for metadata.
    Metadata,
    /// The name of a context map or domain map.
    Map,
    /// A namespace, or the alias of an import.
    Namespace,
    /// A term, or another name for it.
    Term,
    /// The name of a decision, policy or rule.
    Decision,
}

/// Returns the tokens of a text, or those that a range touches, in order. Brackets and separators are left out, as are
/// names at positions that the parser does not understand.
pub fn semantic_tokens(parse: &Parse, range: Option<TextRange>) -> Vec<SemanticToken> {
    let mut tokens = Vec::new();
    let root = parse.syntax();
    let mut walk = root.preorder_with_tokens();
    while let Some(event) = walk.next() {
        let WalkEvent::Enter(element) = event else { continue };
        let is_outside = range.is_some_and(|range| element.text_range().intersect(range).is_none());
        match element {
            _ if is_outside => walk.skip_subtree(),
            NodeOrToken::Node(_) => {}
            NodeOrToken::Token(token) => tokens.extend(semantic_token(&token)),
        }
    }
    tokens
}

fn semantic_token(token: &SyntaxToken) -> Option<SemanticToken> {
    let (kind, is_declaration) = match token.kind() {
        LINE_COMMENT | BLOCK_COMMENT => (TokenKind::Comment, false),
        DOC_COMMENT => (TokenKind::Documentation, false),
        STRING => (TokenKind::String, false),
        RIGHT_ARROW | LEFT_ARROW | BOTH_ARROW | APART_ARROW => (TokenKind::Arrow, false),
        IDENT => name_kind(token)?,
        kind => (TokenKind::Keyword(keyword(kind)?.role), false),
    };
    Some(SemanticToken { range: token.text_range(), kind, is_declaration })
}

/// Returns the kind of a name, and whether it is declared here.
fn name_kind(token: &SyntaxToken) -> Option<(TokenKind, bool)> {
    let node = token.parent()?;
    let owner = node.parent()?;
    match node.kind() {
        NAME => Some((declaration_kind(owner.kind())?, true)),
        QUALIFIED_NAME => Some((TokenKind::Namespace, true)),
        REFERENCE if !is_last_segment(token) => Some((TokenKind::Namespace, false)),
        REFERENCE => Some((element_kind(expected_kind(&owner)?), false)),
        _ => None,
    }
}

/// Returns the kind of the entity that the name of such a node declares.
fn declaration_kind(owner: SyntaxKind) -> Option<TokenKind> {
    Some(match owner {
        IMPORT_STATEMENT => TokenKind::Namespace,
        DOMAIN_TERM | SYNONYM_LIST => TokenKind::Term,
        DECISION | POLICY | BUSINESS_RULE => TokenKind::Decision,
        element => element_kind(ElementKind::from_syntax(element)?),
    })
}

/// Returns the kind of an element's name.
fn element_kind(kind: ElementKind) -> TokenKind {
    match kind {
        ElementKind::Domain => TokenKind::Domain,
        ElementKind::BoundedContext => TokenKind::BoundedContext,
        ElementKind::Team => TokenKind::Team,
        ElementKind::Classification => TokenKind::Classification,
        ElementKind::Metadata => TokenKind::Metadata,
        ElementKind::ContextMap | ElementKind::DomainMap => TokenKind::Map,
        ElementKind::Namespace => TokenKind::Namespace,
    }
}

/// Whether no further segment of a dotted name follows.
fn is_last_segment(token: &SyntaxToken) -> bool {
    let mut rest = std::iter::successors(token.next_sibling_or_token(), SyntaxElement::next_sibling_or_token);
    // Only white space and comments come before the next dot.
    rest.find(|it| !it.kind().is_trivia()).is_none_or(|it| it.kind() != DOT)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::ops::Range;

    use dlang_syntax::{TextRange, TextSize, parse};

    use super::semantic_tokens;

    /// Renders one line per token: its text and its kind.
    #[track_caller]
    fn check_range(text: &str, range: Option<TextRange>) -> String {
        let mut rendered = String::new();
        for token in semantic_tokens(&parse(text), range) {
            let declares = if token.is_declaration { ", declaration" } else { "" };
            _ = writeln!(rendered, "{} {:?}{declares}", &text[Range::<usize>::from(token.range)], token.kind);
        }
        rendered
    }

    fn check(text: &str) -> String {
        check_range(text, None)
    }

    #[test]
    fn elements() {
        insta::assert_snapshot!(check(
            "import 'x' as y // c\n/** d */ Namespace N.M { dom A in B { type: C } } Team T Classification K Metadata E \
             dmap P { contains y.A }"
        ), @r"
        import Keyword(Import)
        'x' String
        as Keyword(Clause)
        y Namespace, declaration
        // c Comment
        /** d */ Documentation
        Namespace Keyword(Declaration)
        N Namespace, declaration
        M Namespace, declaration
        dom Keyword(Declaration)
        A Domain, declaration
        in Keyword(Clause)
        B Domain
        type Keyword(Property)
        C Classification
        Team Keyword(Declaration)
        T Team, declaration
        Classification Keyword(Declaration)
        K Classification, declaration
        Metadata Keyword(Declaration)
        E Metadata, declaration
        dmap Keyword(Declaration)
        P Map, declaration
        contains Keyword(List)
        y Namespace
        A Domain
        ");
    }

    #[test]
    fn a_bounded_context() {
        insta::assert_snapshot!(check(
            "bc A for D as C by T { team is T evolution = E metadata { K: '1' } terminology { term W aka V examples 'e' } \
             decisions { rule [C] R: 't' } relationships { this [OHS] -> [ACL] X . Y A [SK] B A >< B } }"
        ), @r"
        bc Keyword(Declaration)
        A BoundedContext, declaration
        for Keyword(Clause)
        D Domain
        as Keyword(Clause)
        C Classification
        by Keyword(Clause)
        T Team
        team Keyword(Property)
        is Keyword(Assignment)
        T Team
        evolution Keyword(Property)
        E Classification
        metadata Keyword(Block)
        K Metadata
        '1' String
        terminology Keyword(Block)
        term Keyword(Item)
        W Term, declaration
        aka Keyword(List)
        V Term, declaration
        examples Keyword(List)
        'e' String
        decisions Keyword(Block)
        rule Keyword(Item)
        C Classification
        R Decision, declaration
        't' String
        relationships Keyword(Block)
        this Keyword(Reference)
        OHS Keyword(Pattern(Upstream))
        -> Arrow
        ACL Keyword(Pattern(Downstream))
        X Namespace
        Y BoundedContext
        A BoundedContext
        SK Keyword(Pattern(Symmetric))
        B BoundedContext
        A BoundedContext
        >< Arrow
        B BoundedContext
        ");
    }

    #[test]
    fn reserved_words_used_as_names_are_highlighted_as_names() {
        insta::assert_snapshot!(check("Team team cmap S { contains C C [C] <- S }"), @r"
        Team Keyword(Declaration)
        team Team, declaration
        cmap Keyword(Declaration)
        S Map, declaration
        contains Keyword(List)
        C BoundedContext
        C BoundedContext
        C Keyword(Pattern(Downstream))
        <- Arrow
        S BoundedContext
        ");
    }

    #[test]
    fn unparsed_text_has_no_tokens() {
        insta::assert_snapshot!(check("foo Domain # bar baz { vision: }"), @r"
        Domain Keyword(Declaration)
        bar Domain, declaration
        vision Keyword(Property)
        ");
    }

    #[test]
    fn a_range() {
        let range = TextRange::at(TextSize::new(7), TextSize::new(5));
        insta::assert_snapshot!(check_range("Team A Team B Team C", Some(range)), @r"
        Team Keyword(Declaration)
        B Team, declaration
        ");
    }
}
