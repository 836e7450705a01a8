//! Relationships, filtered step by step.

use dlang_model::{Db, RelationshipArrow, RelationshipView};
use dlang_syntax::ast::PatternKind;

use super::lookup::is_called;

/// Relationships in the order of the model. Each filter returns a shorter list and does not change this one.
#[derive(Clone)]
pub struct Relationships<'db> {
    db: &'db dyn Db,
    views: Vec<RelationshipView>,
}

impl<'db> Relationships<'db> {
    pub(super) fn new(db: &'db dyn Db, views: Vec<RelationshipView>) -> Self {
        Self { db, views }
    }

    /// Selects the relationships for which a condition holds.
    #[must_use]
    pub fn filter(&self, condition: impl Fn(&RelationshipView) -> bool) -> Self {
        Self::new(self.db, self.views.iter().filter(|view| condition(view)).cloned().collect())
    }

    /// Selects the relationships with a bounded context of this simple or fully qualified name at one end.
    #[must_use]
    pub fn filter_by_context(&self, context: &str) -> Self {
        self.filter(|view| {
            is_called(self.db, view.left.context, context) || is_called(self.db, view.right.context, context)
        })
    }

    /// Selects the relationships with a pattern on a side or between the ends. `><` is a spelling of separate ways.
    #[must_use]
    pub fn with_pattern(&self, pattern: PatternKind) -> Self {
        self.filter(|view| {
            let is_between = match view.arrow {
                RelationshipArrow::Directional(_) => false,
                RelationshipArrow::Pattern(between) => between == pattern,
                RelationshipArrow::Apart => pattern == PatternKind::SeparateWays,
            };
            is_between || view.left.patterns.contains(&pattern) || view.right.patterns.contains(&pattern)
        })
    }

    /// Iterates over the relationships.
    pub fn iter(&self) -> std::slice::Iter<'_, RelationshipView> {
        self.views.iter()
    }

    /// Returns the first relationship.
    pub fn first(&self) -> Option<&RelationshipView> {
        self.views.first()
    }

    /// Returns the number of relationships.
    pub fn count(&self) -> usize {
        self.views.len()
    }

    /// Returns all relationships.
    pub fn to_vec(&self) -> Vec<RelationshipView> {
        self.views.clone()
    }
}

impl<'a> IntoIterator for &'a Relationships<'_> {
    type IntoIter = std::slice::Iter<'a, RelationshipView>;
    type Item = &'a RelationshipView;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
