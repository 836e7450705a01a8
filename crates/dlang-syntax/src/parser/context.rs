//! Domains and bounded contexts: their headers and bodies.

use crate::diagnostics::SyntaxCode;
use crate::generated::kinds::SyntaxKind::{self, *};
use crate::token_set::TokenSet;

use super::block::{Entries, block, is_closed_unopened, skip_rest_of_header};
use super::names::AFTER_ELEMENT;
use super::properties::{self, CONTEXT_PROPERTIES, DOMAIN_PROPERTIES};
use super::state::Parser;

/// Differences between the two.
struct ContextForm {
    node: SyntaxKind,
    body: SyntaxKind,
    /// Clauses of the header in their order, with their node kinds.
    clauses: &'static [(SyntaxKind, SyntaxKind)],
    /// Tokens that may follow a name or reference of the header.
    follow: TokenSet,
    properties: TokenSet,
    /// Hint about a clause that belongs to the other kind of element.
    foreign: &'static str,
}

const CLAUSES: TokenSet = TokenSet::new(&[IN_KW, FOR_KW, AS_KW, BY_KW]);

const DOMAIN_FORM: ContextForm = ContextForm {
    node: DOMAIN,
    body: DOMAIN_BODY,
    clauses: &[(IN_KW, IN_CLAUSE)],
    follow: TokenSet::new(&[IN_KW, L_CURLY]).union(AFTER_ELEMENT),
    properties: DOMAIN_PROPERTIES,
    foreign: "A domain only has the clause `in`, which names its parent domain.",
};

const CONTEXT_FORM: ContextForm = ContextForm {
    node: BOUNDED_CONTEXT,
    body: CONTEXT_BODY,
    clauses: &[(FOR_KW, FOR_CLAUSE), (AS_KW, AS_CLAUSE), (BY_KW, BY_CLAUSE)],
    follow: TokenSet::new(&[FOR_KW, AS_KW, BY_KW, L_CURLY]).union(AFTER_ELEMENT),
    properties: CONTEXT_PROPERTIES,
    foreign: "Use `for` to name the domain of a bounded context.",
};

pub(super) fn domain(p: &mut Parser<'_>) {
    element(p, &DOMAIN_FORM);
}

pub(super) fn bounded_context(p: &mut Parser<'_>) {
    element(p, &CONTEXT_FORM);
}

fn element(p: &mut Parser<'_>, form: &ContextForm) {
    p.start(form.node);
    p.bump();
    p.name(form.follow);
    clauses(p, form);
    if p.is_at(L_CURLY) || properties::is_property(p, form.properties) || is_closed_unopened(p) {
        p.start(form.body);
        body(p, form.properties);
        p.finish();
    }
    p.finish();
}

fn clauses(p: &mut Parser<'_>, form: &ContextForm) {
    let mut expected = 0;
    loop {
        let clause_index = form.clauses.iter().position(|(word, _)| p.is_at(*word));
        match clause_index.and_then(|index| Some((index, form.clauses.get(index)?))) {
            Some((index, (_, node))) => {
                if index < expected {
                    p.report_unexpected(
                        SyntaxCode::MisplacedClause,
                        Some("Write each clause at most once, in the order `for`, `as`, `by`."),
                    );
                }
                expected = expected.max(index + 1);
                clause(p, *node, form.follow);
            }
            None if p.at_any(CLAUSES) => {
                p.report_unexpected(SyntaxCode::MisplacedClause, Some(form.foreign));
                p.start(ERROR);
                p.bump();
                if p.at_name(form.follow) {
                    p.reference(form.follow);
                }
                p.finish();
            }
            None => {
                let before = p.position;
                skip_rest_of_header(p, |p| p.at_any(CLAUSES) || properties::is_property(p, form.properties));
                if p.position == before {
                    return;
                }
            }
        }
    }
}

fn clause(p: &mut Parser<'_>, node: SyntaxKind, follow: TokenSet) {
    p.start(node);
    p.bump();
    p.reference(follow);
    p.finish();
}

fn body(p: &mut Parser<'_>, properties: TokenSet) {
    let entries = Entries {
        read: |p: &mut Parser<'_>| properties::property(p, properties),
        begins: |p: &Parser<'_>| properties::is_property(p, CONTEXT_PROPERTIES.union(DOMAIN_PROPERTIES)),
        ends: |_: &Parser<'_>| false,
    };
    block(p, entries);
}
