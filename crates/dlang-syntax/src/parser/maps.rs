//! Context maps and domain maps.

use crate::diagnostics::SyntaxCode;
use crate::generated::kinds::SyntaxKind::{self, *};
use crate::token_set::TokenSet;

use super::block::{Entries, block, is_closed_unopened, skip_rest_of_header};
use super::names::DECLARATION;
use super::relationships::{self, is_relationship};
use super::state::Parser;

const AFTER_NAME: TokenSet = TokenSet::new(&[L_CURLY]);

/// Tokens that may follow an entry of `contains` that is a reserved word.
const AFTER_ENTRY: TokenSet = TokenSet::new(&[COMMA, R_CURLY, EOF]);

pub(super) fn context_map(p: &mut Parser<'_>) {
    map(p, CONTEXT_MAP, CONTEXT_MAP_BODY, true);
}

pub(super) fn domain_map(p: &mut Parser<'_>) {
    map(p, DOMAIN_MAP, DOMAIN_MAP_BODY, false);
}

fn map(p: &mut Parser<'_>, node: SyntaxKind, body: SyntaxKind, has_relationships: bool) {
    p.start(node);
    p.bump();
    p.name(AFTER_NAME);
    skip_rest_of_header(p, |p| p.is_at(CONTAINS_KW));
    let is_unopened = p.is_at(CONTAINS_KW) || has_relationships && is_relationship(p, 0);
    if p.is_at(L_CURLY) || is_unopened || is_closed_unopened(p) {
        p.start(body);
        entries(p, has_relationships);
        p.finish();
    } else {
        p.report_missing(&[L_CURLY]);
    }
    p.finish();
}

fn entries(p: &mut Parser<'_>, has_relationships: bool) {
    let mut is_late = false;
    let read = |p: &mut Parser<'_>| {
        if p.is_at(CONTAINS_KW) {
            if is_late {
                p.report_unexpected(SyntaxCode::MisplacedContains, Some("Move `contains` before all relationships."));
            }
            contains(p);
            return true;
        }
        let was_read = has_relationships && relationships::relationship_and_comma(p);
        is_late = is_late || was_read;
        was_read
    };
    // Without a keyword, only a new line shows where an entry may begin.
    let begins = |p: &Parser<'_>| p.is_at(CONTAINS_KW) || p.is_at(THIS_KW) || p.is_first_on_line() && p.is_word(0);
    block(p, Entries { read, begins, ends: |_: &Parser<'_>| false });
}

fn contains(p: &mut Parser<'_>) {
    p.start(CONTAINS_CLAUSE);
    p.bump();
    if !entry(p) {
        p.report_missing(&[IDENT]);
    }
    loop {
        if p.is_at(COMMA) {
            if is_relationship(p, 1) {
                break;
            }
            p.bump();
            if !entry(p) {
                p.report_missing(&[IDENT]);
            }
        } else if is_relationship(p, 0) || !entry(p) {
            break;
        }
    }
    p.finish();
}

/// Parses one entry. A reserved word is an entry before a comma or the end, and before another word only if it begins
/// nothing itself.
fn entry(p: &mut Parser<'_>) -> bool {
    let is_start = DECLARATION.contains(p.current()) || matches!(p.current(), CONTAINS_KW | THIS_KW | IMPORT_KW);
    let follow = if is_start {
        AFTER_ENTRY
    } else if is_relationship(p, 1) {
        // The first end of the relationship may also be a reserved word.
        AFTER_ENTRY.union(TokenSet::new(&[p.nth(1)]))
    } else {
        AFTER_ENTRY.union(TokenSet::new(&[IDENT, CONTAINS_KW, THIS_KW]))
    };
    p.at_name(follow.union(TokenSet::new(&[DOT]))) && p.reference(follow)
}
