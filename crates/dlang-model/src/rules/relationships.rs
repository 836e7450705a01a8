//! Ends of relationships.

use super::checker::Checker;
use crate::code::ModelCode;
use crate::data::{Body, End, Relationship, RelationshipForm};
use crate::diagnostics::ModelDiagnostic;

/// Reports a symmetric relationship of a context with itself, if its ends are written the same.
pub(super) fn with_itself(checker: &mut Checker<'_>, relationship: &Relationship) {
    if !matches!(relationship.form, RelationshipForm::Symmetric { .. }) {
        return;
    }
    if let Some(left) = checker.end_text(relationship.left)
        && checker.end_text(relationship.right) == Some(left)
    {
        let message = format!(
            "Symmetric relationship with self: '{left}' has a symmetric relationship with itself. \
             This is likely unintended."
        );
        checker.report(ModelDiagnostic::new(relationship.range, ModelCode::SelfSymmetricRelationship, message));
    }
}

/// Reports `this` in a map, where it refers to no context.
pub(super) fn this_outside_context(checker: &mut Checker<'_>, relationship: &Relationship) {
    let owner = checker.model.element(relationship.owner);
    if owner.is_some_and(|owner| matches!(owner.body, Body::Context(_))) {
        return;
    }
    for end in [relationship.left, relationship.right] {
        if let End::This(range) = end {
            let message = "'this' refers to no bounded context here, so the relationship is ignored.";
            checker.report(
                ModelDiagnostic::new(range, ModelCode::ThisOutsideContext, message.to_owned())
                    .hint("In a context map, name both bounded contexts."),
            );
        }
    }
}
