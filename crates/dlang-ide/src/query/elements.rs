//! Elements, filtered step by step.

use dlang_model::{Body, Db, Definition, context_domain, effective_classification, effective_team, file_index, target};

use super::lookup::is_called;

/// Elements in the order of the model. Each filter returns a shorter list and does not change this one.
#[derive(Clone)]
pub struct Elements<'db> {
    db: &'db dyn Db,
    definitions: Vec<Definition>,
}

impl<'db> Elements<'db> {
    pub(super) fn new(db: &'db dyn Db, definitions: Vec<Definition>) -> Self {
        Self { db, definitions }
    }

    /// Selects the elements for which a condition holds.
    #[must_use]
    pub fn filter(&self, condition: impl Fn(Definition) -> bool) -> Self {
        Self::new(self.db, self.iter().filter(|definition| condition(*definition)).collect())
    }

    /// Selects the elements with this simple name.
    #[must_use]
    pub fn with_name(&self, name: &str) -> Self {
        self.filter(|it| {
            let element = file_index(self.db, it.file).element(it.number);
            element.is_some_and(|element| element.name.as_deref() == Some(name))
        })
    }

    /// Selects the elements with this fully qualified name; usually one.
    #[must_use]
    pub fn with_fqn(&self, fqn: &str) -> Self {
        self.filter(|it| {
            let element = file_index(self.db, it.file).element(it.number);
            element.is_some_and(|element| element.fqn().is_some_and(|name| name == fqn))
        })
    }

    /// Selects the bounded contexts for a domain, by its simple or fully qualified name.
    #[must_use]
    pub fn in_domain(&self, domain: &str) -> Self {
        self.filter_by_reference(context_domain, domain)
    }

    /// Selects the bounded contexts whose effective team has this simple or fully qualified name.
    #[must_use]
    pub fn with_team(&self, team: &str) -> Self {
        self.filter_by_reference(effective_team, team)
    }

    /// Selects the bounded contexts whose effective classification has this simple or fully qualified name.
    #[must_use]
    pub fn with_classification(&self, classification: &str) -> Self {
        self.filter_by_reference(effective_classification, classification)
    }

    fn filter_by_reference(&self, value: fn(&dyn Db, Definition) -> Option<Definition>, name: &str) -> Self {
        self.filter(|it| value(self.db, it).is_some_and(|value| is_called(self.db, value, name)))
    }

    /// Selects the bounded contexts that give a value to a metadata key, named by its simple or fully qualified name;
    /// with `value`, exactly this one. If a key is repeated, its last value counts.
    #[must_use]
    pub fn with_metadata(&self, key: &str, value: Option<&str>) -> Self {
        self.filter(|it| {
            let Some(Body::Context(context)) = it.body(self.db) else { return false };
            let is_key = |id| target(self.db, it, Some(id)).is_some_and(|it| is_called(self.db, it, key));
            let mut entries = context.metadata.iter().rev();
            let metadata_value = entries.find_map(|entry| entry.value.as_deref().filter(|_| is_key(entry.key)));
            metadata_value.is_some_and(|metadata_value| value.is_none_or(|value| metadata_value == value))
        })
    }

    /// Iterates over the elements.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Definition> + DoubleEndedIterator + '_ {
        self.definitions.iter().copied()
    }

    /// Returns the first element.
    pub fn first(&self) -> Option<Definition> {
        self.definitions.first().copied()
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.definitions.len()
    }

    /// Returns all elements.
    pub fn to_vec(&self) -> Vec<Definition> {
        self.definitions.clone()
    }
}

impl IntoIterator for Elements<'_> {
    type IntoIter = std::vec::IntoIter<Definition>;
    type Item = Definition;

    fn into_iter(self) -> Self::IntoIter {
        self.definitions.into_iter()
    }
}
