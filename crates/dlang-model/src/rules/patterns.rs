//! Integration patterns on the sides of an arrow.

use dlang_syntax::ast::{Arrow, PatternKind};

use super::checker::Checker;
use crate::code::ModelCode;
use crate::data::{End, Relationship, RelationshipForm, WrittenPattern};
use crate::diagnostics::ModelDiagnostic;

/// Maximum number of patterns per side without a diagnostic.
const MANY_PATTERNS: usize = 3;

/// Reports an anti-corruption layer upstream: it protects the consumer.
pub(super) fn acl(checker: &mut Checker<'_>, relationship: &Relationship) {
    wrong_side(checker, relationship, PatternKind::AntiCorruptionLayer, ModelCode::AclOnWrongSide, |end, side| {
        format!("Anti-Corruption Layer (ACL) on '{end}' should be on downstream (consuming) side, not {side} side.")
    });
}

/// Reports a conformist upstream: it follows the provider.
pub(super) fn conformist(checker: &mut Checker<'_>, relationship: &Relationship) {
    wrong_side(checker, relationship, PatternKind::Conformist, ModelCode::ConformistOnWrongSide, |end, side| {
        format!("Conformist (CF) on '{end}' should be on downstream (consuming) side, not {side} side.")
    });
}

/// Reports an open host service downstream: the provider offers it.
pub(super) fn ohs(checker: &mut Checker<'_>, relationship: &Relationship) {
    wrong_side(checker, relationship, PatternKind::OpenHostService, ModelCode::OhsOnWrongSide, |end, side| {
        format!("Open Host Service (OHS) on '{end}' should be on upstream (providing) side, not {side} side.")
    });
}

/// Reports a supplier downstream: it is the provider.
pub(super) fn supplier(checker: &mut Checker<'_>, relationship: &Relationship) {
    wrong_side(checker, relationship, PatternKind::Supplier, ModelCode::SupplierOnWrongSide, |end, _| {
        format!(
            "Supplier (S) on '{end}' must be on the upstream side. \
             Supplier is always the provider in a Customer/Supplier relationship."
        )
    });
}

/// Reports a customer upstream: it is the consumer.
pub(super) fn customer(checker: &mut Checker<'_>, relationship: &Relationship) {
    wrong_side(checker, relationship, PatternKind::Customer, ModelCode::CustomerOnWrongSide, |end, _| {
        format!(
            "Customer (C) on '{end}' must be on the downstream side. \
             Customer is always the consumer in a Customer/Supplier relationship."
        )
    });
}

/// Reports a supplier on a relationship without a direction.
pub(super) fn supplier_on_bidirectional(checker: &mut Checker<'_>, relationship: &Relationship) {
    on_bidirectional(checker, relationship, PatternKind::Supplier, ModelCode::SupplierOnBidirectional, "Supplier [S]");
}

/// Reports a customer on a relationship without a direction.
pub(super) fn customer_on_bidirectional(checker: &mut Checker<'_>, relationship: &Relationship) {
    on_bidirectional(checker, relationship, PatternKind::Customer, ModelCode::CustomerOnBidirectional, "Customer [C]");
}

/// Reports a side with too many patterns.
pub(super) fn too_many(checker: &mut Checker<'_>, relationship: &Relationship) {
    for side in sides(relationship) {
        if let [first, .., last] = side.patterns
            && side.patterns.len() > MANY_PATTERNS
        {
            let message = format!(
                "Too many integration patterns ({}) on {} side. Typically use 1-2 patterns per side.",
                side.patterns.len(),
                side.name
            );
            checker.report(ModelDiagnostic::new(first.range.cover(last.range), ModelCode::TooManyPatterns, message));
        }
    }
}

/// Side of an arrow.
struct ArrowSide<'a> {
    name: &'static str,
    end: End,
    patterns: &'a [WrittenPattern],
    /// Whether it is upstream; `None` if neither side is.
    is_upstream: Option<bool>,
}

/// Returns both sides; none for a symmetric relationship, and for one without an arrow.
fn sides(relationship: &Relationship) -> Vec<ArrowSide<'_>> {
    let RelationshipForm::Directional { arrow: Some(arrow), left, right } = &relationship.form else {
        return Vec::new();
    };
    let is_left_upstream = match arrow {
        Arrow::Right => Some(true),
        Arrow::Left => Some(false),
        Arrow::Both => None,
    };
    vec![
        ArrowSide { name: "left", end: relationship.left, patterns: left, is_upstream: is_left_upstream },
        ArrowSide {
            name: "right",
            end: relationship.right,
            patterns: right,
            is_upstream: is_left_upstream.map(|is_upstream| !is_upstream),
        },
    ]
}

fn wrong_side(
    checker: &mut Checker<'_>,
    relationship: &Relationship,
    kind: PatternKind,
    code: ModelCode,
    message: impl Fn(&str, &str) -> String,
) {
    let belongs_upstream = kind.side() == dlang_syntax::Side::Upstream;
    for side in sides(relationship) {
        if side.is_upstream.is_none_or(|is_upstream| is_upstream == belongs_upstream) {
            continue;
        }
        if let Some(pattern) = side.patterns.iter().find(|pattern| pattern.kind == kind)
            && let Some(end) = checker.end_text(side.end)
        {
            checker.report(ModelDiagnostic::new(pattern.range, code, message(end, side.name)));
        }
    }
}

/// Reports a pattern on a bidirectional relationship. If both sides have it, the left one is reported.
fn on_bidirectional(
    checker: &mut Checker<'_>,
    relationship: &Relationship,
    kind: PatternKind,
    code: ModelCode,
    subject: &str,
) {
    let sides = sides(relationship);
    let mut undirected = sides.iter().filter(|side| side.is_upstream.is_none()).flat_map(|side| side.patterns);
    if let Some(pattern) = undirected.find(|pattern| pattern.kind == kind) {
        let message = format!(
            "{subject} cannot be used on a bidirectional (<->) relationship — \
             Customer/Supplier is inherently directional."
        );
        checker.report(ModelDiagnostic::new(pattern.range, code, message));
    }
}
