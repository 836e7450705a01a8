//! Parts of relationships that differ by type and position, and the meaning of arrows and patterns.

use rowan::TextSize;
use rowan::ast::{AstNode as _, support};

use super::{DirectionalRelationship, Pattern, PatternList, Relationship, RelationshipEnd, SymmetricRelationship};
use crate::generated::kinds::SyntaxKind;
use crate::keywords::{KeywordClass, Side, keyword};
use crate::tree::{SyntaxNode, SyntaxToken};

/// Arrow of a directional relationship.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arrow {
    /// `->`: the left side is upstream.
    Right,
    /// `<-`: the right side is upstream.
    Left,
    /// `<->`: neither.
    Both,
}

impl Arrow {
    pub fn from_kind(kind: SyntaxKind) -> Option<Self> {
        match kind {
            SyntaxKind::RIGHT_ARROW => Some(Self::Right),
            SyntaxKind::LEFT_ARROW => Some(Self::Left),
            SyntaxKind::BOTH_ARROW => Some(Self::Both),
            _ => None,
        }
    }

    /// Returns the arrow as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Right => "->",
            Self::Left => "<-",
            Self::Both => "<->",
        }
    }
}

/// Integration pattern of a relationship.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PatternKind {
    OpenHostService,
    PublishedLanguage,
    Supplier,
    Customer,
    Conformist,
    AntiCorruptionLayer,
    BigBallOfMud,
    SharedKernel,
    Partnership,
    SeparateWays,
}

impl PatternKind {
    pub const ALL: [Self; 10] = [
        Self::OpenHostService,
        Self::PublishedLanguage,
        Self::Supplier,
        Self::Customer,
        Self::Conformist,
        Self::AntiCorruptionLayer,
        Self::BigBallOfMud,
        Self::SharedKernel,
        Self::Partnership,
        Self::SeparateWays,
    ];

    fn syntax_kind(self) -> SyntaxKind {
        match self {
            Self::OpenHostService => SyntaxKind::OPEN_HOST_SERVICE_KW,
            Self::PublishedLanguage => SyntaxKind::PUBLISHED_LANGUAGE_KW,
            Self::Supplier => SyntaxKind::SUPPLIER_KW,
            Self::Customer => SyntaxKind::CUSTOMER_KW,
            Self::Conformist => SyntaxKind::CONFORMIST_KW,
            Self::AntiCorruptionLayer => SyntaxKind::ANTI_CORRUPTION_LAYER_KW,
            Self::BigBallOfMud => SyntaxKind::BIG_BALL_OF_MUD_KW,
            Self::SharedKernel => SyntaxKind::SHARED_KERNEL_KW,
            Self::Partnership => SyntaxKind::PARTNERSHIP_KW,
            Self::SeparateWays => SyntaxKind::SEPARATE_WAYS_KW,
        }
    }

    pub fn from_kind(kind: SyntaxKind) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| pattern.syntax_kind() == kind)
    }

    /// Returns the name of its node type: `OpenHostService`.
    pub fn long_name(self) -> &'static str {
        self.syntax_kind().text().unwrap_or_default()
    }

    /// Returns its other spelling: `OHS`.
    pub fn short_name(self) -> &'static str {
        self.spellings().last().copied().unwrap_or_default()
    }

    /// Returns all its spellings, the long one first.
    pub fn spellings(self) -> &'static [&'static str] {
        keyword(self.syntax_kind()).map(|row| row.spellings).unwrap_or_default()
    }

    /// Whether a word is one of its spellings, ignoring ASCII case: queries need not use the language's case.
    pub fn matches(self, word: &str) -> bool {
        self.spellings().iter().any(|spelling| spelling.eq_ignore_ascii_case(word))
    }

    /// Returns the pattern that a word [matches](Self::matches).
    pub fn from_name(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| pattern.matches(word))
    }

    /// Whether it describes both contexts together and replaces the arrow.
    pub fn is_mutual(self) -> bool {
        self.side() == Side::Symmetric
    }

    /// Returns the position where it may be written.
    pub fn side(self) -> Side {
        match keyword(self.syntax_kind()).map(|row| row.role) {
            Some(KeywordClass::Pattern(side)) => side,
            _ => Side::Either,
        }
    }
}

impl Pattern {
    pub fn kind(&self) -> Option<PatternKind> {
        self.word_token().and_then(|token| PatternKind::from_kind(token.kind()))
    }
}

/// Returns the offset where the middle of a relationship begins: its arrow, or else its list of patterns. Everything
/// before it belongs to the left side.
fn middle(node: &SyntaxNode) -> TextSize {
    let arrow = node.children_with_tokens().find(|element| element.as_token().is_some_and(is_arrow));
    let list = node.children().find(|child| PatternList::can_cast(child.kind()));
    let start = arrow.map(|element| element.text_range().start()).or(list.map(|list| list.text_range().start()));
    // Two ends with nothing between them: the middle is the start of the second.
    let second = || node.children().filter(|child| RelationshipEnd::can_cast(child.kind())).nth(1);
    start.or_else(|| second().map(|end| end.text_range().start())).unwrap_or(node.text_range().end())
}

fn is_arrow(token: &SyntaxToken) -> bool {
    Arrow::from_kind(token.kind()).is_some() || token.kind() == SyntaxKind::APART_ARROW
}

/// Whether an end or a list of patterns belongs to the left side.
pub(super) fn is_left(relationship: &SyntaxNode, part: &SyntaxNode) -> bool {
    let (start, middle) = (part.text_range().start(), middle(relationship));
    // Without an arrow, the list itself is the middle.
    start < middle || start == middle && PatternList::can_cast(part.kind())
}

fn left_end(node: &SyntaxNode) -> Option<RelationshipEnd> {
    support::children(node).find(|end: &RelationshipEnd| is_left(node, end.syntax()))
}

fn right_end(node: &SyntaxNode) -> Option<RelationshipEnd> {
    support::children(node).find(|end: &RelationshipEnd| !is_left(node, end.syntax()))
}

impl DirectionalRelationship {
    pub fn left(&self) -> Option<RelationshipEnd> {
        left_end(self.syntax())
    }

    pub fn right(&self) -> Option<RelationshipEnd> {
        right_end(self.syntax())
    }

    pub fn arrow(&self) -> Option<Arrow> {
        self.arrow_token().and_then(|token| Arrow::from_kind(token.kind()))
    }

    /// Returns the patterns before the arrow.
    pub fn left_patterns(&self) -> Option<PatternList> {
        self.lists().find(|list| is_left(self.syntax(), list.syntax()))
    }

    /// Returns the patterns after the arrow.
    pub fn right_patterns(&self) -> Option<PatternList> {
        self.lists().find(|list| !is_left(self.syntax(), list.syntax()))
    }

    fn lists(&self) -> impl Iterator<Item = PatternList> + use<> {
        support::children(self.syntax())
    }
}

impl SymmetricRelationship {
    pub fn left(&self) -> Option<RelationshipEnd> {
        left_end(self.syntax())
    }

    pub fn right(&self) -> Option<RelationshipEnd> {
        right_end(self.syntax())
    }

    /// Returns the pattern; `><` is an arrow, not a pattern.
    pub fn pattern(&self) -> Option<Pattern> {
        self.patterns().and_then(|list| list.patterns().next())
    }
}

impl Relationship {
    pub fn left(&self) -> Option<RelationshipEnd> {
        left_end(self.syntax())
    }

    pub fn right(&self) -> Option<RelationshipEnd> {
        right_end(self.syntax())
    }
}

impl RelationshipEnd {
    /// Returns the end as it is written: `this`, or the reference's text.
    pub fn text(&self) -> String {
        match self {
            Self::ThisRef(_) => "this".to_owned(),
            Self::BoundedContextRef(end) => end.link().map(|link| link.text()).unwrap_or_default(),
        }
    }
}
