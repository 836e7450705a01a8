//! Files, namespaces, imports, and declarations without a body.

use crate::diagnostics::SyntaxCode;
use crate::generated::kinds::SyntaxKind::{self, *};
use crate::token_set::TokenSet;

use super::block::{is_closed_unopened, is_too_deep, skip_rest_of_header};
use super::names::{AFTER_ELEMENT, DECLARATION};
use super::state::Parser;
use super::{context, maps};

/// Parses a whole file.
pub(super) fn model(p: &mut Parser<'_>) {
    p.start_root();
    let mut has_elements = false;
    while !p.is_at(EOF) {
        let is_import = p.is_at(IMPORT_KW);
        if is_import && has_elements {
            p.report_unexpected(SyntaxCode::MisplacedImport, Some("Move this import before the first element."));
        }
        // Skipped tokens that are not an element do not make the imports after them misplaced.
        let was_element = element_or_junk(p);
        has_elements = has_elements || was_element && !is_import;
    }
    p.finish_root();
}

/// Parses an element or import, or skips tokens that begin neither. Returns whether it parsed an element or import.
fn element_or_junk(p: &mut Parser<'_>) -> bool {
    let before = p.position;
    let was_element = element(p) || junk(p);
    if p.position == before {
        // Unreachable as far as known; a token in the wrong node is better than an endless loop.
        p.wrap(1);
    }
    was_element
}

/// Parses an element or import, if one begins here.
pub(super) fn element(p: &mut Parser<'_>) -> bool {
    if is_too_deep(p) {
        p.skip_too_deep();
        return true;
    }
    match p.current() {
        IMPORT_KW => import(p),
        DOMAIN_KW => context::domain(p),
        BOUNDED_CONTEXT_KW => context::bounded_context(p),
        TEAM_KW => bare(p, TEAM),
        CLASSIFICATION_KW => bare(p, CLASSIFICATION),
        METADATA_KW => bare(p, METADATA),
        CONTEXT_MAP_KW => maps::context_map(p),
        DOMAIN_MAP_KW => maps::domain_map(p),
        NAMESPACE_KW => namespace(p),
        _ => return false,
    }
    true
}

/// Parses a declaration that is only a word and a name.
fn bare(p: &mut Parser<'_>, kind: SyntaxKind) {
    p.start(kind);
    p.bump();
    p.name(AFTER_ELEMENT);
    p.finish();
}

fn import(p: &mut Parser<'_>) {
    p.start(IMPORT_STATEMENT);
    p.bump();
    if p.is_at(STRING) {
        p.bump();
    } else {
        p.report_missing(&[STRING]);
        if p.is_at(IDENT) && !p.is_first_on_line() {
            p.wrap(1);
        }
    }
    if p.is_at(AS_KW) {
        p.bump();
        p.name(AFTER_ELEMENT);
    }
    p.finish();
}

fn namespace(p: &mut Parser<'_>) {
    p.start(NAMESPACE_DECLARATION);
    p.bump();
    namespace_from_name(p);
    p.finish();
}

fn namespace_from_name(p: &mut Parser<'_>) {
    p.path(QUALIFIED_NAME, TokenSet::new(&[L_CURLY]));
    skip_rest_of_header(p, |p| p.is_at(L_CURLY));
    // A namespace without its brace is assumed to have a body only if a brace is missing somewhere.
    let is_unopened = p.braces.may_lack_open() && DECLARATION.contains(p.current());
    if !p.is_at(L_CURLY) && !is_unopened && !is_closed_unopened(p) {
        p.report_missing(&[L_CURLY]);
        return;
    }
    p.start(NAMESPACE_BODY);
    p.open_block();
    while !p.is_at(EOF) && !p.is_at(R_CURLY) && !p.is_element_of_outer() {
        if p.is_at(IMPORT_KW) {
            p.report_unexpected(SyntaxCode::MisplacedImport, Some("Move this import to the beginning of the file."));
            p.start(ERROR);
            import(p);
            p.finish();
        } else {
            element_or_junk(p);
        }
    }
    p.close_block();
    p.finish();
}

/// Skips tokens that begin no element. Returns whether they were meant to be one and were parsed as such.
fn junk(p: &mut Parser<'_>) -> bool {
    if p.is_word(1)
        && let Some(kind) = p.misspelt(DECLARATION)
    {
        p.bump_misspelt_as(kind);
        return element(p);
    }
    if is_nameless_namespace(p) {
        // The qualified names of its elements stay the same, and references to them still resolve.
        p.report_unexpected(SyntaxCode::UnexpectedToken, Some("Write `Namespace` before the name of a namespace."));
        p.start(NAMESPACE_DECLARATION);
        namespace_from_name(p);
        p.finish();
        return true;
    }
    let hint = hint_for_junk(p);
    p.report_unexpected(SyntaxCode::UnexpectedToken, hint);
    p.skip(|_| false);
    false
}

fn hint_for_junk(p: &Parser<'_>) -> Option<&'static str> {
    match p.current() {
        R_CURLY => Some("This brace has no matching `{`."),
        kind if kind.is_keyword() => Some("This word belongs in the body of an element."),
        _ => None,
    }
}

/// `Shop { Domain A …`: a namespace that lacks only its keyword.
fn is_nameless_namespace(p: &Parser<'_>) -> bool {
    let length = p.path_length(0);
    length > 0 && p.nth(length) == L_CURLY && p.is_declaration(length + 1)
}
