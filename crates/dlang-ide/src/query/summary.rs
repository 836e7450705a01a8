//! Counts of a model.

use std::collections::BTreeMap;

use dlang_model::{Db, effective_classification};
use serde_json::{Value, json};
use smol_str::SmolStr;

use super::collections::Query;

/// The counts of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Files.
    pub files: usize,
    /// Domains.
    pub domains: usize,
    /// Bounded contexts.
    pub bounded_contexts: usize,
    /// Teams.
    pub teams: usize,
    /// Classifications that are declared.
    pub classifications: usize,
    /// Context maps.
    pub context_maps: usize,
    /// Domain maps.
    pub domain_maps: usize,
    /// Namespaces; each block of a reopened one counts.
    pub namespaces: usize,
    /// Relationships whose ends both resolve.
    pub relationships: usize,
    /// The number of bounded contexts per effective classification, by its simple name: as many as a filter by that
    /// name lists. Sorted by descending number, then alphabetically.
    pub by_classification: Vec<(SmolStr, usize)>,
}

impl Summary {
    /// Counts the whole project.
    pub fn count_project(db: &dyn Db) -> Self {
        let query = Query::new(db);
        let contexts = query.bounded_contexts();
        let mut counts: BTreeMap<SmolStr, usize> = BTreeMap::new();
        for context in contexts.iter() {
            if let Some(name) = effective_classification(db, context).and_then(|it| it.name(db)) {
                *counts.entry(name).or_default() += 1;
            }
        }
        let mut by_classification: Vec<(SmolStr, usize)> = counts.into_iter().collect();
        by_classification.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Self {
            files: query.file_count(),
            domains: query.domains().count(),
            bounded_contexts: contexts.count(),
            teams: query.teams().count(),
            classifications: query.classifications().count(),
            context_maps: query.context_maps().count(),
            domain_maps: query.domain_maps().count(),
            namespaces: query.namespaces().count(),
            relationships: query.relationships().count(),
            by_classification,
        }
    }

    /// Renders the counts as JSON, with the names that programs know.
    pub fn to_json(&self) -> Value {
        let breakdown = self.by_classification.iter().map(|(name, count)| (name.to_string(), Value::from(*count)));
        json!({
            "fileCount": self.files,
            "domainCount": self.domains,
            "boundedContextCount": self.bounded_contexts,
            "teamCount": self.teams,
            "classificationCount": self.classifications,
            "contextMapCount": self.context_maps,
            "domainMapCount": self.domain_maps,
            "namespaceCount": self.namespaces,
            "relationshipCount": self.relationships,
            "classificationBreakdown": Value::Object(breakdown.collect()),
        })
    }
}
