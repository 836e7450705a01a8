//! The tokens that the grammar allows after a given token.
//!
//! [`row`] is a table: for a node and the last token in it, it lists what may come next in that node. If the node may
//! also end there, whatever may follow the node may come next, too. The table is the inverse of `dlang.ungram`; a
//! property test compares it with valid models.

use dlang_syntax::SyntaxKind::{self, *};
use dlang_syntax::{KeywordClass, NodeOrToken, Side, SyntaxElement, SyntaxNode, keyword};

use super::context::CompletionContext;

/// The tokens that are allowed at an offset.
#[derive(Default)]
pub(super) struct ExpectedTokens {
    /// Reserved words and arrows.
    pub(super) words: Vec<SyntaxKind>,
    /// Integration patterns, in brackets of their own.
    pub(super) patterns: Vec<Side>,
    /// Whether a reference is allowed.
    pub(super) names: bool,
    /// The block (or the file) in which an entry begins here.
    pub(super) block: Option<SyntaxNode>,
}

/// The tokens that may come next in a node.
#[derive(Clone, Copy, Default)]
struct Row {
    words: &'static [SyntaxKind],
    patterns: &'static [Side],
    names: bool,
    /// Whether an entry of the node, which is a block, may begin.
    is_entry: bool,
    /// Whether the node may end here.
    ends: bool,
}

const NOTHING: Row = Row { words: &[], patterns: &[], names: false, is_entry: false, ends: false };
const END: Row = Row { ends: true, ..NOTHING };
const NAMES: Row = Row { names: true, ..NOTHING };

const fn words(words: &'static [SyntaxKind]) -> Row {
    Row { words, ..NOTHING }
}

const fn words_or_end(words: &'static [SyntaxKind]) -> Row {
    Row { words, ends: true, ..NOTHING }
}

const fn entries(words: &'static [SyntaxKind], names: bool) -> Row {
    Row { words, names, is_entry: true, ..NOTHING }
}

const ELEMENTS: &[SyntaxKind] = &[
    DOMAIN_KW,
    BOUNDED_CONTEXT_KW,
    TEAM_KW,
    CLASSIFICATION_KW,
    METADATA_KW,
    CONTEXT_MAP_KW,
    DOMAIN_MAP_KW,
    NAMESPACE_KW,
];
const IMPORTS_AND_ELEMENTS: &[SyntaxKind] = &[
    IMPORT_KW,
    DOMAIN_KW,
    BOUNDED_CONTEXT_KW,
    TEAM_KW,
    CLASSIFICATION_KW,
    METADATA_KW,
    CONTEXT_MAP_KW,
    DOMAIN_MAP_KW,
    NAMESPACE_KW,
];
const DOMAIN_PROPERTIES: &[SyntaxKind] = &[DESCRIPTION_KW, VISION_KW, TYPE_KW];
const CONTEXT_PROPERTIES: &[SyntaxKind] = &[
    DESCRIPTION_KW,
    CLASSIFICATION_PROPERTY_KW,
    TEAM_PROPERTY_KW,
    BUSINESS_MODEL_KW,
    EVOLUTION_KW,
    ARCHETYPE_KW,
    METADATA_BLOCK_KW,
    RELATIONSHIPS_KW,
    TERMINOLOGY_KW,
    DECISIONS_KW,
];
const ARROWS: &[SyntaxKind] = &[RIGHT_ARROW, LEFT_ARROW, BOTH_ARROW];
const ALL_ARROWS: &[SyntaxKind] = &[RIGHT_ARROW, LEFT_ARROW, BOTH_ARROW, APART_ARROW];
const SIDE_PATTERNS: &[SyntaxKind] = &[
    OPEN_HOST_SERVICE_KW,
    PUBLISHED_LANGUAGE_KW,
    SUPPLIER_KW,
    CUSTOMER_KW,
    CONFORMIST_KW,
    ANTI_CORRUPTION_LAYER_KW,
    BIG_BALL_OF_MUD_KW,
];
const ALL_PATTERNS: &[SyntaxKind] = &[
    OPEN_HOST_SERVICE_KW,
    PUBLISHED_LANGUAGE_KW,
    SUPPLIER_KW,
    CUSTOMER_KW,
    CONFORMIST_KW,
    ANTI_CORRUPTION_LAYER_KW,
    BIG_BALL_OF_MUD_KW,
    SHARED_KERNEL_KW,
    PARTNERSHIP_KW,
    SEPARATE_WAYS_KW,
];
const ONE_SIDE: &[Side] = &[Side::Upstream, Side::Downstream, Side::Either];
const ALL_SIDES: &[Side] = &[Side::Upstream, Side::Downstream, Side::Either, Side::Symmetric];

/// Returns the tokens that are allowed at an offset.
pub(super) fn expected_at(context: &CompletionContext<'_>) -> ExpectedTokens {
    let mut expected = ExpectedTokens::default();
    let Some(previous) = context.previous() else {
        expected.words.extend(IMPORTS_AND_ELEMENTS);
        expected.block = context.mark().parent_ancestors().last();
        return expected;
    };
    // Only another name can follow the dot of a name.
    if previous.kind() == DOT {
        expected.names = true;
        return expected;
    }
    let mut last: SyntaxElement = NodeOrToken::Token(previous);
    while let Some(node) = last.parent() {
        let row = row(&node, &last);
        expected.words.extend(row.words);
        expected.patterns.extend(row.patterns);
        expected.names |= row.names;
        if row.is_entry {
            expected.block = Some(node.clone());
        }
        if !row.ends {
            break;
        }
        last = NodeOrToken::Node(node);
    }
    expected
}

/// Returns the tokens that may come next in `node` after `last`.
fn row(node: &SyntaxNode, last: &SyntaxElement) -> Row {
    match (node.kind(), last.kind()) {
        // ── names, and anything that the parser does not understand ──
        (NAME | REFERENCE | QUALIFIED_NAME, IDENT) => END,
        (PATTERN | THIS_REF | BOUNDED_CONTEXT_REF | ERROR, _) => END,

        // ── files and namespaces ──
        (MODEL, IMPORT_STATEMENT) => entries(IMPORTS_AND_ELEMENTS, false),
        (MODEL, _) => entries(ELEMENTS, false),
        (NAMESPACE_BODY, kind) if kind != R_CURLY => entries(ELEMENTS, false),
        (IMPORT_STATEMENT, STRING) => words_or_end(&[AS_KW]),
        (IMPORT_STATEMENT, NAME) => END,

        // ── headers ──
        (DOMAIN, NAME) => words_or_end(&[IN_KW]),
        (BOUNDED_CONTEXT, NAME) => words_or_end(&[FOR_KW, AS_KW, BY_KW]),
        (BOUNDED_CONTEXT, FOR_CLAUSE) => words_or_end(&[AS_KW, BY_KW]),
        (BOUNDED_CONTEXT, AS_CLAUSE) => words_or_end(&[BY_KW]),
        (TEAM | CLASSIFICATION | METADATA, NAME) => END,
        (DOMAIN, IN_CLAUSE | DOMAIN_BODY) | (BOUNDED_CONTEXT, BY_CLAUSE | CONTEXT_BODY) => END,
        (CONTEXT_MAP, CONTEXT_MAP_BODY) | (DOMAIN_MAP, DOMAIN_MAP_BODY) => END,
        (NAMESPACE_DECLARATION, NAMESPACE_BODY) => END,
        (IN_CLAUSE, IN_KW) | (FOR_CLAUSE, FOR_KW) | (AS_CLAUSE, AS_KW) | (BY_CLAUSE, BY_KW) => NAMES,
        (IN_CLAUSE | FOR_CLAUSE | AS_CLAUSE | BY_CLAUSE, REFERENCE) => END,

        // ── bodies ──
        (
            DOMAIN_BODY | CONTEXT_BODY | CONTEXT_MAP_BODY | DOMAIN_MAP_BODY | NAMESPACE_BODY | METADATA_BLOCK
            | RELATIONSHIPS_BLOCK | TERMINOLOGY_BLOCK | DECISIONS_BLOCK,
            R_CURLY,
        ) => END,
        (DOMAIN_BODY, _) => entries(DOMAIN_PROPERTIES, false),
        (CONTEXT_BODY, _) => entries(CONTEXT_PROPERTIES, false),
        (CONTEXT_MAP_BODY, L_CURLY | CONTAINS_CLAUSE) => entries(&[CONTAINS_KW, THIS_KW], true),
        (CONTEXT_MAP_BODY, _) => entries(&[THIS_KW], true),
        (DOMAIN_MAP_BODY, _) => entries(&[CONTAINS_KW], false),
        (CONTAINS_CLAUSE, CONTAINS_KW | COMMA) => NAMES,
        (CONTAINS_CLAUSE, REFERENCE) if may_be_left_end(node, last) => {
            Row { words: ALL_ARROWS, patterns: ALL_SIDES, names: true, ends: true, ..NOTHING }
        }
        (CONTAINS_CLAUSE, REFERENCE) => Row { names: true, ends: true, ..NOTHING },

        // ── properties ──
        (DESCRIPTION_PROPERTY, DESCRIPTION_KW)
        | (VISION_PROPERTY, VISION_KW)
        | (TYPE_PROPERTY, TYPE_KW)
        | (CLASSIFICATION_PROPERTY, CLASSIFICATION_PROPERTY_KW)
        | (TEAM_PROPERTY, TEAM_PROPERTY_KW)
        | (BUSINESS_MODEL_PROPERTY, BUSINESS_MODEL_KW)
        | (EVOLUTION_PROPERTY, EVOLUTION_KW)
        | (ARCHETYPE_PROPERTY, ARCHETYPE_KW)
        | (METADATA_ENTRY, REFERENCE) => words(&[IS_KW]),
        (DESCRIPTION_PROPERTY | VISION_PROPERTY | METADATA_ENTRY, STRING) => END,
        (
            TYPE_PROPERTY
            | CLASSIFICATION_PROPERTY
            | TEAM_PROPERTY
            | BUSINESS_MODEL_PROPERTY
            | EVOLUTION_PROPERTY
            | ARCHETYPE_PROPERTY,
            kind,
        ) => match kind {
            REFERENCE => END,
            COLON | EQ | IS_KW => NAMES,
            _ => NOTHING,
        },

        // ── blocks and their entries ──
        (METADATA_BLOCK, METADATA_BLOCK_KW)
        | (RELATIONSHIPS_BLOCK, RELATIONSHIPS_KW)
        | (TERMINOLOGY_BLOCK, TERMINOLOGY_KW)
        | (DECISIONS_BLOCK, DECISIONS_KW) => NOTHING,
        (METADATA_BLOCK, _) => entries(&[], true),
        (RELATIONSHIPS_BLOCK, _) => entries(&[THIS_KW], true),
        (TERMINOLOGY_BLOCK, _) => entries(&[TERM_KW], false),
        (DECISIONS_BLOCK, _) => entries(&[DECISION_KW, POLICY_KW, RULE_KW], false),
        (DOMAIN_TERM, NAME) => words_or_end(&[IS_KW, AKA_KW, EXAMPLES_KW]),
        (DOMAIN_TERM, STRING) => words_or_end(&[AKA_KW, EXAMPLES_KW]),
        (DOMAIN_TERM, SYNONYM_LIST) => words_or_end(&[EXAMPLES_KW]),
        (DOMAIN_TERM, EXAMPLE_LIST) => END,
        (SYNONYM_LIST, AKA_KW) | (EXAMPLE_LIST, EXAMPLES_KW) => words(&[IS_KW]),
        (SYNONYM_LIST, NAME) | (EXAMPLE_LIST, STRING) => END,
        (DECISION | POLICY | BUSINESS_RULE, kind) => match kind {
            L_BRACK => NAMES,
            NAME => words(&[IS_KW]),
            STRING => END,
            _ => NOTHING,
        },

        // ── relationships ──
        (DIRECTIONAL_RELATIONSHIP | SYMMETRIC_RELATIONSHIP, _) => relationship(node, last),
        (PATTERN_LIST, R_BRACK) => END,
        (PATTERN_LIST, L_BRACK) if is_after_arrow(node) => words(SIDE_PATTERNS),
        (PATTERN_LIST, L_BRACK) => words(ALL_PATTERNS),
        (PATTERN_LIST, COMMA) => words(SIDE_PATTERNS),
        _ => NOTHING,
    }
}

fn relationship(node: &SyntaxNode, last: &SyntaxElement) -> Row {
    const ENDS: Row = Row { words: &[THIS_KW], names: true, ..NOTHING };
    match last.kind() {
        // The token at the start of the relationship is its left end.
        THIS_REF | BOUNDED_CONTEXT_REF if last.text_range().start() == node.text_range().start() => {
            Row { words: ALL_ARROWS, patterns: ALL_SIDES, ..NOTHING }
        }
        THIS_REF | BOUNDED_CONTEXT_REF => END,
        APART_ARROW => ENDS,
        RIGHT_ARROW | LEFT_ARROW | BOTH_ARROW => Row { patterns: ONE_SIDE, ..ENDS },
        PATTERN_LIST => match last.as_node() {
            Some(list) if is_after_arrow(list) || is_symmetric(list) => ENDS,
            _ => words(ARROWS),
        },
        ERROR => END,
        _ => NOTHING,
    }
}

/// Whether a name that is now an entry of a map may become the left end of a relationship: `contains A B` may become
/// `contains A` and `B -> C`.
fn may_be_left_end(clause: &SyntaxNode, entry: &SyntaxElement) -> bool {
    let is_before = |element: &SyntaxElement| element.text_range().end() <= entry.text_range().start();
    let before = clause.children_with_tokens().take_while(is_before).filter(|element| !element.kind().is_trivia());
    let is_in_context_map = clause.parent().is_some_and(|body| body.kind() == CONTEXT_MAP_BODY);
    is_in_context_map && before.last().is_some_and(|element| element.kind() == REFERENCE)
}

/// Whether a list of patterns belongs to the right side.
fn is_after_arrow(list: &SyntaxNode) -> bool {
    let mut before = std::iter::successors(list.prev_sibling_or_token(), SyntaxElement::prev_sibling_or_token);
    before.any(|element| ALL_ARROWS.contains(&element.kind()))
}

/// Whether a list contains a pattern of both sides, and so replaces an arrow.
fn is_symmetric(list: &SyntaxNode) -> bool {
    let words = list.descendants_with_tokens().filter_map(|element| keyword(element.kind()));
    words.map(|word| word.role).any(|role| role == KeywordClass::Pattern(Side::Symmetric))
}
