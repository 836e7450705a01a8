//! The properties of domains and bounded contexts, and their blocks of metadata, terms and decisions.

use crate::diagnostics::SyntaxCode;
use crate::generated::kinds::SyntaxKind::{self, *};
use crate::token_set::TokenSet;

use super::block::{Entries, block};
use super::names::ASSIGN;
use super::relationships::relationship_and_comma;
use super::state::Parser;

pub(super) const DOMAIN_PROPERTIES: TokenSet = TokenSet::new(&[DESCRIPTION_KW, VISION_KW, TYPE_KW]);

pub(super) const CONTEXT_PROPERTIES: TokenSet = TokenSet::new(&[
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
]);

const ALL: TokenSet = DOMAIN_PROPERTIES.union(CONTEXT_PROPERTIES);

/// Tokens that may follow the reference that is a property's value.
const AFTER_VALUE: TokenSet = ALL.union(TokenSet::new(&[R_CURLY, EOF]));

const ITEMS: TokenSet = TokenSet::new(&[DECISION_KW, POLICY_KW, RULE_KW]);

/// Whether a property of the set certainly begins here.
pub(super) fn is_property(p: &Parser<'_>, properties: TokenSet) -> bool {
    p.at_any(properties) && (ASSIGN.contains(p.nth(1)) || p.nth(1) == L_CURLY)
}

/// Parses a property, if one begins here. Properties outside the set are reported as misplaced.
pub(super) fn property(p: &mut Parser<'_>, properties: TokenSet) -> bool {
    if p.at_any(properties) {
        any_property(p);
        return true;
    }
    let has_value = ASSIGN.contains(p.nth(1)) || p.nth(1) == L_CURLY;
    if !has_value {
        return false;
    }
    if let Some(kind) = p.misspelt(properties) {
        p.bump_misspelt_as(kind);
        any_property(p);
        return true;
    }
    if p.at_any(ALL) {
        let hint = if properties.contains(VISION_KW) {
            "A domain only has the properties `description`, `vision` and `type`."
        } else {
            "A bounded context has no such property."
        };
        p.report_unexpected(SyntaxCode::MisplacedProperty, Some(hint));
        p.start(ERROR);
        any_property(p);
        p.finish();
        return true;
    }
    false
}

fn any_property(p: &mut Parser<'_>) {
    match p.current() {
        DESCRIPTION_KW => text(p, DESCRIPTION_PROPERTY),
        VISION_KW => text(p, VISION_PROPERTY),
        TYPE_KW => choice(p, TYPE_PROPERTY),
        CLASSIFICATION_PROPERTY_KW => choice(p, CLASSIFICATION_PROPERTY),
        TEAM_PROPERTY_KW => choice(p, TEAM_PROPERTY),
        BUSINESS_MODEL_KW => choice(p, BUSINESS_MODEL_PROPERTY),
        EVOLUTION_KW => choice(p, EVOLUTION_PROPERTY),
        ARCHETYPE_KW => choice(p, ARCHETYPE_PROPERTY),
        METADATA_BLOCK_KW => metadata(p),
        RELATIONSHIPS_KW => relationships_block(p),
        TERMINOLOGY_KW => terminology(p),
        _ => decisions(p),
    }
}

/// Parses a property with a string.
fn text(p: &mut Parser<'_>, node: SyntaxKind) {
    p.start(node);
    p.bump();
    assign(p);
    string(p);
    p.finish();
}

/// Parses a property with a reference.
fn choice(p: &mut Parser<'_>, node: SyntaxKind) {
    p.start(node);
    p.bump();
    assign(p);
    if p.is_at(STRING) && !p.is_first_on_line() {
        p.missing_with(&[IDENT], Some("The value is the name of an element, without quotes."), None);
        p.wrap(1);
    } else {
        p.reference(AFTER_VALUE);
    }
    p.finish();
}

/// Parses `:`, `=` or `is`.
fn assign(p: &mut Parser<'_>) {
    if p.at_any(ASSIGN) {
        p.bump();
    } else {
        p.report_missing(&[COLON, IS_KW, EQ]);
    }
}

fn string(p: &mut Parser<'_>) {
    if p.is_at(STRING) {
        p.bump();
    } else {
        let is_bare = p.is_at(IDENT) && !p.is_first_on_line();
        p.missing_with(&[STRING], is_bare.then_some("Write texts in quotes."), None);
        if is_bare {
            p.skip(|p| p.is_first_on_line() || !p.is_at(IDENT));
        }
    }
}

/// Whether a property of the bounded context begins here, inside one of its blocks.
fn is_outer_property(p: &Parser<'_>) -> bool {
    is_property(p, CONTEXT_PROPERTIES)
}

fn metadata(p: &mut Parser<'_>) {
    const AFTER_KEY: TokenSet = ASSIGN.union(TokenSet::new(&[DOT]));
    // A word that begins a property of the bounded context is not a key: a brace may be missing before it.
    let is_entry = |p: &Parser<'_>| p.at_name(AFTER_KEY) && !is_outer_property(p);
    p.start(METADATA_BLOCK);
    p.bump();
    let read = |p: &mut Parser<'_>| {
        if is_entry(p) {
            p.start(METADATA_ENTRY);
            p.reference(AFTER_KEY);
            assign(p);
            string(p);
            p.finish();
            return true;
        }
        property_in_block(p)
    };
    block(p, Entries { read, begins: is_entry, ends: is_outer_property });
    p.finish();
}

/// Parses a property of the bounded context inside one of its blocks, as a misplaced one.
fn property_in_block(p: &mut Parser<'_>) -> bool {
    if !is_outer_property(p) {
        return false;
    }
    p.report_unexpected(
        SyntaxCode::MisplacedProperty,
        Some("This property belongs to the bounded context, outside these braces."),
    );
    p.start(ERROR);
    any_property(p);
    p.finish();
    true
}

fn relationships_block(p: &mut Parser<'_>) {
    p.start(RELATIONSHIPS_BLOCK);
    p.bump();
    let read = |p: &mut Parser<'_>| !is_outer_property(p) && relationship_and_comma(p) || property_in_block(p);
    let begins = |p: &Parser<'_>| p.is_at(THIS_KW) || p.is_first_on_line() && p.is_word(0);
    block(p, Entries { read, begins, ends: is_outer_property });
    p.finish();
}

fn terminology(p: &mut Parser<'_>) {
    p.start(TERMINOLOGY_BLOCK);
    p.bump();
    let read = |p: &mut Parser<'_>| {
        if p.is_at(TERM_KW) {
            term(p);
            comma(p);
            return true;
        }
        property_in_block(p)
    };
    block(p, Entries { read, begins: |p: &Parser<'_>| p.is_at(TERM_KW), ends: is_outer_property });
    p.finish();
}

/// Consumes the optional comma after a term or decision.
fn comma(p: &mut Parser<'_>) {
    if p.is_at(COMMA) {
        p.bump();
    }
}

fn term(p: &mut Parser<'_>) {
    const AFTER_NAME: TokenSet = ASSIGN.union(TokenSet::new(&[AKA_KW, EXAMPLES_KW, COMMA, TERM_KW, R_CURLY, EOF]));
    p.start(DOMAIN_TERM);
    p.bump();
    p.name(AFTER_NAME);
    if p.at_any(ASSIGN) || p.is_at(STRING) {
        assign(p);
        string(p);
    }
    if p.is_at(AKA_KW) {
        synonyms(p);
    }
    if p.is_at(EXAMPLES_KW) {
        examples(p);
    }
    while p.is_at(AKA_KW) || p.is_at(EXAMPLES_KW) {
        p.report_unexpected(
            SyntaxCode::MisplacedClause,
            Some("A term has at most one `aka` and one `examples`, in this order."),
        );
        p.start(ERROR);
        if p.is_at(AKA_KW) {
            synonyms(p);
        } else {
            examples(p);
        }
        p.finish();
    }
    p.finish();
}

const TRAILING: &str = "A comma after `aka` or `examples` continues the list; remove it before the next term.";

fn synonyms(p: &mut Parser<'_>) {
    const FOLLOW: TokenSet = TokenSet::new(&[COMMA, AKA_KW, EXAMPLES_KW, TERM_KW, R_CURLY, EOF]);
    p.start(SYNONYM_LIST);
    p.bump();
    // `aka is, are` lists two reserved words; anywhere else `is` introduces the list.
    if p.at_any(ASSIGN) && !(p.is_at(IS_KW) && p.at_name(FOLLOW)) {
        p.bump();
    }
    p.name(FOLLOW);
    while p.is_at(COMMA) {
        p.bump();
        if !p.at_name(FOLLOW) {
            p.missing_with(&[IDENT], Some(TRAILING), None);
            if !p.is_at(STRING) || p.is_first_on_line() {
                break;
            }
        }
        p.name(FOLLOW);
    }
    p.finish();
}

fn examples(p: &mut Parser<'_>) {
    p.start(EXAMPLE_LIST);
    p.bump();
    if p.at_any(ASSIGN) {
        p.bump();
    }
    string(p);
    while p.is_at(COMMA) {
        p.bump();
        if !p.is_at(STRING) && !p.is_at(IDENT) {
            p.missing_with(&[STRING], Some(TRAILING), None);
            break;
        }
        string(p);
    }
    p.finish();
}

fn decisions(p: &mut Parser<'_>) {
    p.start(DECISIONS_BLOCK);
    p.bump();
    let read = |p: &mut Parser<'_>| {
        if p.at_any(ITEMS) {
            decision(p);
            comma(p);
            return true;
        }
        property_in_block(p)
    };
    block(p, Entries { read, begins: |p: &Parser<'_>| p.at_any(ITEMS), ends: is_outer_property });
    p.finish();
}

fn decision(p: &mut Parser<'_>) {
    const AFTER_CLASSIFICATION: TokenSet = TokenSet::new(&[R_BRACK]);
    let node = match p.current() {
        DECISION_KW => DECISION,
        POLICY_KW => POLICY,
        _ => BUSINESS_RULE,
    };
    p.start(node);
    p.bump();
    let length = p.path_length(0);
    let is_bracket_missing = length > 0 && p.nth(length) == R_BRACK;
    if p.is_at(L_BRACK) || is_bracket_missing {
        p.expect(L_BRACK);
        p.reference(AFTER_CLASSIFICATION);
        p.expect(R_BRACK);
    }
    p.name(ASSIGN);
    assign(p);
    string(p);
    p.finish();
}
