//! Relationships between bounded contexts.
//!
//! Only the middle of a relationship shows its kind: an arrow with patterns around it, or one symmetric pattern or
//! `><` instead.

use crate::diagnostics::SyntaxCode;
use crate::generated::kinds::SyntaxKind::{self, *};
use crate::token_set::TokenSet;

use super::state::Parser;

const ARROWS: TokenSet = TokenSet::new(&[BOTH_ARROW, RIGHT_ARROW, LEFT_ARROW]);
const MIDDLE: TokenSet = ARROWS.union(TokenSet::new(&[APART_ARROW, L_BRACK]));

/// The order of the alternatives in the messages of DomainLang's original tools.
const SIDE_PATTERNS: &[SyntaxKind] = &[
    OPEN_HOST_SERVICE_KW,
    PUBLISHED_LANGUAGE_KW,
    CONFORMIST_KW,
    ANTI_CORRUPTION_LAYER_KW,
    SUPPLIER_KW,
    CUSTOMER_KW,
    BIG_BALL_OF_MUD_KW,
];
const SYMMETRIC_PATTERNS: &[SyntaxKind] = &[SHARED_KERNEL_KW, PARTNERSHIP_KW, SEPARATE_WAYS_KW];
const ALL_PATTERNS: &[SyntaxKind] = &[
    OPEN_HOST_SERVICE_KW,
    PUBLISHED_LANGUAGE_KW,
    CONFORMIST_KW,
    ANTI_CORRUPTION_LAYER_KW,
    SUPPLIER_KW,
    CUSTOMER_KW,
    BIG_BALL_OF_MUD_KW,
    SHARED_KERNEL_KW,
    PARTNERSHIP_KW,
    SEPARATE_WAYS_KW,
];
const SIDE: TokenSet = TokenSet::new(SIDE_PATTERNS);
const SYMMETRIC: TokenSet = TokenSet::new(SYMMETRIC_PATTERNS);
const PATTERNS: TokenSet = SIDE.union(SYMMETRIC);

/// Tokens that may follow the left end if it is a reserved word.
const AFTER_LEFT: TokenSet = MIDDLE.union(TokenSet::new(&[DOT]));
/// Tokens that may follow the right end if it is a reserved word.
const AFTER_RIGHT: TokenSet = TokenSet::new(&[COMMA, R_CURLY, EOF, IDENT, THIS_KW, DOT]);

const ENDS: &[SyntaxKind] = &[THIS_KW, IDENT];

/// Whether a relationship with its middle begins at the `n`th token.
pub(super) fn is_relationship(p: &Parser<'_>, n: usize) -> bool {
    let length = p.path_length(n);
    length > 0 && MIDDLE.contains(p.nth(n + length))
}

/// Parses a relationship and the comma between it and the next, if one begins here.
pub(super) fn relationship_and_comma(p: &mut Parser<'_>) -> bool {
    if !is_relationship_start(p) {
        return false;
    }
    relationship(p);
    if p.is_at(COMMA) {
        p.bump();
        if !is_relationship_start(p) {
            p.report_missing(ENDS);
        }
    }
    true
}

fn is_relationship_start(p: &Parser<'_>) -> bool {
    p.is_at(THIS_KW) || p.at_any(MIDDLE) || p.at_name(AFTER_LEFT)
}

fn relationship(p: &mut Parser<'_>) {
    let checkpoint = p.checkpoint();
    if p.is_at(L_BRACK) {
        p.missing_with(ENDS, Some("Write patterns between their context and the arrow: `A [OHS] -> [CF] B`."), None);
        let left = list(p, true);
        if is_relationship(p, 0) && !p.is_first_on_line() {
            // `[OHS] A -> B`: the rest is a relationship of its own.
            p.start_at(checkpoint, ERROR);
            p.finish();
            return;
        }
        let node = middle(p, left);
        p.start_at(checkpoint, node);
        p.finish();
        return;
    }
    if p.at_any(MIDDLE) {
        p.report_missing(ENDS);
    } else {
        end(p, AFTER_LEFT);
    }
    let left = left_patterns(p);
    let node = middle(p, left);
    p.start_at(checkpoint, node);
    p.finish();
}

/// Kind of the patterns on the left side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeftPatterns {
    None,
    Side,
    Symmetric,
    /// Empty list, or a list without an end before it.
    Unknown,
}

fn left_patterns(p: &mut Parser<'_>) -> LeftPatterns {
    if p.is_at(L_BRACK) || is_unopened_list(p) { list(p, true) } else { LeftPatterns::None }
}

/// `OHS] ->`: patterns that lack their opening bracket.
fn is_unopened_list(p: &Parser<'_>) -> bool {
    p.at_any(PATTERNS) && matches!(p.nth(1), COMMA | R_BRACK) && !p.is_first_on_line()
}

/// Parses everything after the left side and returns the kind of the relationship.
fn middle(p: &mut Parser<'_>, left: LeftPatterns) -> SyntaxKind {
    if p.at_any(ARROWS) && left == LeftPatterns::Symmetric {
        p.missing_with(ENDS, Some("Write a symmetric pattern without an arrow: `A [SK] B`."), None);
        p.start(ERROR);
        p.bump();
        if p.is_at(L_BRACK) {
            list(p, false);
        }
        p.finish();
        right(p);
        return SYMMETRIC_RELATIONSHIP;
    }
    if p.at_any(ARROWS) {
        p.bump();
        if p.is_at(L_BRACK) || is_unopened_list(p) {
            list(p, false);
        }
        right(p);
        return DIRECTIONAL_RELATIONSHIP;
    }
    if p.is_at(APART_ARROW) {
        if left != LeftPatterns::None {
            p.report_unexpected(SyntaxCode::MisplacedPattern, Some("`><` has no patterns."));
        }
        p.bump();
        if p.is_at(L_BRACK) {
            p.report_unexpected(SyntaxCode::MisplacedPattern, Some("`><` has no patterns."));
            p.start(ERROR);
            list(p, false);
            p.finish();
        }
        right(p);
        return SYMMETRIC_RELATIONSHIP;
    }
    if left == LeftPatterns::Symmetric || left == LeftPatterns::Unknown {
        right(p);
        return SYMMETRIC_RELATIONSHIP;
    }
    p.report_missing(&[BOTH_ARROW, RIGHT_ARROW, LEFT_ARROW, APART_ARROW]);
    // On the same line, the rest still belongs to this relationship.
    if !p.is_first_on_line() {
        if p.is_at(L_BRACK) {
            list(p, false);
        }
        if is_end(p) && !is_relationship(p, 0) {
            end(p, AFTER_RIGHT);
        }
    }
    DIRECTIONAL_RELATIONSHIP
}

/// Parses the right end. An end on the next line that is followed by an arrow begins the next relationship.
fn right(p: &mut Parser<'_>) {
    if p.is_first_on_line() && is_relationship(p, 0) {
        p.report_missing(ENDS);
    } else if is_end(p) {
        end(p, AFTER_RIGHT);
    } else {
        p.report_missing(ENDS);
    }
}

fn is_end(p: &Parser<'_>) -> bool {
    p.is_at(THIS_KW) || p.at_name(AFTER_RIGHT) || is_end_before_relationship(p)
}

/// Whether a reserved word is an end before a relationship that begins with another one: `A -> Customer`, `Supplier
/// -> B`.
fn is_end_before_relationship(p: &Parser<'_>) -> bool {
    p.current().is_keyword() && !p.is_declaration(0) && p.nth(1).is_keyword() && is_relationship(p, 1)
}

fn end(p: &mut Parser<'_>, follow: TokenSet) {
    if p.is_at(THIS_KW) {
        p.start(THIS_REF);
        p.bump();
    } else if is_end_before_relationship(p) {
        p.start(BOUNDED_CONTEXT_REF);
        p.start(REFERENCE);
        p.bump_name();
        p.finish();
    } else {
        p.start(BOUNDED_CONTEXT_REF);
        p.reference(follow);
    }
    p.finish();
}

/// Parses patterns in brackets. On the left side, a single symmetric pattern may replace the patterns of a side.
fn list(p: &mut Parser<'_>, is_left: bool) -> LeftPatterns {
    let mut result = LeftPatterns::Unknown;
    p.start(PATTERN_LIST);
    p.expect(L_BRACK);
    loop {
        match pattern(p, is_left, result) {
            Some(kind) if result == LeftPatterns::Unknown => result = kind,
            Some(_) => {}
            None => break,
        }
        if !p.is_at(COMMA) {
            break;
        }
        if result == LeftPatterns::Symmetric {
            p.unexpected_for("]", SyntaxCode::MisplacedPattern, Some("A symmetric pattern must be the only one."));
        }
        p.bump();
    }
    p.expect(R_BRACK);
    p.finish();
    result
}

/// Parses one pattern and returns the resulting kind of list.
fn pattern(p: &mut Parser<'_>, is_left: bool, before: LeftPatterns) -> Option<LeftPatterns> {
    let allowed: &[SyntaxKind] = match before {
        LeftPatterns::Unknown if is_left => ALL_PATTERNS,
        LeftPatterns::Symmetric => SYMMETRIC_PATTERNS,
        _ => SIDE_PATTERNS,
    };
    if !p.at_any(PATTERNS)
        && matches!(p.nth(1), COMMA | R_BRACK)
        && let Some(kind) = p.misspelt(PATTERNS)
    {
        p.bump_misspelt_as(kind);
    }
    if p.at_any(TokenSet::new(allowed)) {
        let kind = if p.at_any(SYMMETRIC) { LeftPatterns::Symmetric } else { LeftPatterns::Side };
        p.start(PATTERN);
        p.bump();
        p.finish();
        return Some(kind);
    }
    if p.at_any(PATTERNS) {
        p.unexpected_for(
            "]",
            SyntaxCode::MisplacedPattern,
            Some("Write symmetric patterns without an arrow: `A [SK] B`."),
        );
        p.wrap(1);
        return Some(before);
    }
    p.report_missing(allowed);
    if p.is_word(0) && matches!(p.nth(1), COMMA | R_BRACK) && !p.is_first_on_line() {
        p.wrap(1);
        return Some(before);
    }
    None
}
