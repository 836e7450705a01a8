//! The kind of element that a reference at a given position expects.

use dlang_model::ElementKind;
use dlang_syntax::SyntaxKind::*;
use dlang_syntax::SyntaxNode;

/// Returns the kind of element that a reference directly in this node names, from the grammar alone.
pub(crate) fn expected_kind(owner: &SyntaxNode) -> Option<ElementKind> {
    Some(match owner.kind() {
        IN_CLAUSE | FOR_CLAUSE => ElementKind::Domain,
        BY_CLAUSE | TEAM_PROPERTY => ElementKind::Team,
        AS_CLAUSE
        | TYPE_PROPERTY
        | CLASSIFICATION_PROPERTY
        | BUSINESS_MODEL_PROPERTY
        | EVOLUTION_PROPERTY
        | ARCHETYPE_PROPERTY
        | DECISION
        | POLICY
        | BUSINESS_RULE => ElementKind::Classification,
        METADATA_ENTRY => ElementKind::Metadata,
        BOUNDED_CONTEXT_REF => ElementKind::BoundedContext,
        CONTAINS_CLAUSE => match owner.parent()?.kind() {
            DOMAIN_MAP_BODY => ElementKind::Domain,
            _ => ElementKind::BoundedContext,
        },
        _ => return None,
    })
}
