//! Filtered lists of a model's elements and relationships.

use std::str::FromStr;

use dlang_model::{Db, Definition, ElementKind, File, definitions_by_fqn, file_index};
use dlang_syntax::ast::PatternKind;
use serde_json::{Map, Value};

use super::collections::Query;
use super::elements::Elements;
use super::entity::{EntityType, InvalidInput};
use super::relationships::Relationships;
use super::rows::{RowContext, relationship_row};
use super::serialize::{serialize, serialize_relationship};

/// The parameters of a list request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListInput {
    /// The type of item.
    pub entity: EntityType,
    /// Elements of this simple name.
    pub name: Option<String>,
    /// Elements of this fully qualified name.
    pub fqn: Option<String>,
    /// Bounded contexts for this domain, by its simple or fully qualified name.
    pub domain: Option<String>,
    /// Bounded contexts whose effective team has this simple or fully qualified name.
    pub team: Option<String>,
    /// Bounded contexts whose effective classification has this simple or fully qualified name.
    pub classification: Option<String>,
    /// Bounded contexts with this metadata: `key`, or `key=value` (the first `=` counts).
    pub metadata: Option<String>,
    /// Relationships that a bounded context of this simple or fully qualified name takes part in.
    pub context: Option<String>,
    /// Relationships with this pattern, by either of its names, in upper or lower case.
    pub pattern: Option<String>,
    /// The detail of each row.
    pub detail: Detail,
}

/// The level of detail of each row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Detail {
    /// The columns of a table ([`EntityType::columns`]).
    #[default]
    Row,
    /// All data.
    Full,
}

impl FromStr for Detail {
    type Err = InvalidInput;

    fn from_str(name: &str) -> Result<Self, InvalidInput> {
        match name {
            "row" => Ok(Self::Row),
            "full" => Ok(Self::Full),
            _ => Err(InvalidInput::new("detail", format!("unknown detail '{name}'. Use row or full."))),
        }
    }
}

/// A filter: its field, and the types that it applies to.
struct Filter {
    field: &'static str,
    value: fn(&ListInput) -> &Option<String>,
    applies_to: fn(EntityType) -> bool,
}

const FILTERS: [Filter; 8] = [
    Filter { field: "name", value: |input| &input.name, applies_to: |entity| entity.kind().is_some() },
    Filter { field: "fqn", value: |input| &input.fqn, applies_to: |entity| entity.kind().is_some() },
    Filter { field: "domain", value: |input| &input.domain, applies_to: is_context },
    Filter { field: "team", value: |input| &input.team, applies_to: is_context },
    Filter { field: "classification", value: |input| &input.classification, applies_to: is_context },
    Filter { field: "metadata", value: |input| &input.metadata, applies_to: is_context },
    Filter { field: "context", value: |input| &input.context, applies_to: |entity| entity.kind().is_none() },
    Filter { field: "pattern", value: |input| &input.pattern, applies_to: |entity| entity.kind().is_none() },
];

fn is_context(entity: EntityType) -> bool {
    entity == EntityType::BoundedContexts
}

impl EntityType {
    /// Returns the fields of [`ListInput`] that can filter this type.
    pub fn filters(self) -> Vec<&'static str> {
        FILTERS.iter().filter(|filter| (filter.applies_to)(self)).map(|filter| filter.field).collect()
    }
}

impl ListInput {
    /// Creates a request for everything of a type, as rows.
    pub fn new(entity: EntityType) -> Self {
        Self {
            entity,
            name: None,
            fqn: None,
            domain: None,
            team: None,
            classification: None,
            metadata: None,
            context: None,
            pattern: None,
            detail: Detail::default(),
        }
    }

    /// Checks that every filter applies to the type: an ignored one would make an unfiltered list look filtered.
    fn check(&self) -> Result<(), InvalidInput> {
        let is_inapplicable = |filter: &&Filter| (filter.value)(self).is_some() && !(filter.applies_to)(self.entity);
        let Some(wrong) = FILTERS.iter().find(is_inapplicable) else { return Ok(()) };
        let fitting = self.entity.filters().join(", ");
        let message = format!("does not filter {}. Filters for {}: {fitting}.", self.entity, self.entity);
        Err(InvalidInput::new(wrong.field, message))
    }

    fn elements<'db>(&self, db: &'db dyn Db, kind: ElementKind) -> Result<Elements<'db>, InvalidInput> {
        let mut found = Query::new(db).elements(kind);
        if let Some(name) = &self.name {
            found = found.with_name(name);
        }
        if let Some(fqn) = &self.fqn {
            found = found.with_fqn(fqn);
        }
        if let Some(domain) = &self.domain {
            found = found.in_domain(domain);
        }
        if let Some(team) = &self.team {
            found = found.with_team(team);
        }
        if let Some(classification) = &self.classification {
            found = found.with_classification(classification);
        }
        if let Some(metadata) = &self.metadata {
            let (key, value) = match metadata.split_once('=') {
                Some((key, value)) => (key, Some(value)),
                None => (metadata.as_str(), None),
            };
            if key.is_empty() {
                return Err(InvalidInput::new("metadata", "the key is missing. Use key or key=value.".to_owned()));
            }
            found = found.with_metadata(key, value);
        }
        Ok(found)
    }

    fn relationships<'db>(&self, db: &'db dyn Db) -> Result<Relationships<'db>, InvalidInput> {
        let mut found = Query::new(db).relationships();
        if let Some(context) = &self.context {
            found = found.filter_by_context(context);
        }
        if let Some(pattern) = &self.pattern {
            found = found.with_pattern(PatternKind::from_name(pattern).ok_or_else(|| unknown_pattern(pattern))?);
        }
        Ok(found)
    }
}

fn unknown_pattern(name: &str) -> InvalidInput {
    let pattern_names = PatternKind::ALL.map(|pattern| format!("{} ({})", pattern.short_name(), pattern.long_name()));
    InvalidInput::new("pattern", format!("unknown pattern '{name}'. Use one of {}.", pattern_names.join(", ")))
}

/// Lists elements or relationships of the project: `{entityType, count, results[]}`. `show` formats the path of a file.
///
/// # Errors
///
/// Fails for a filter that does not fit the type, an unknown pattern, or metadata without a key.
pub fn list(db: &dyn Db, input: &ListInput, show: &dyn Fn(File) -> String) -> Result<Value, InvalidInput> {
    input.check()?;
    let results: Vec<Value> = match input.entity.kind() {
        Some(kind) => {
            let elements = input.elements(db, kind)?;
            elements.iter().filter_map(|it| element(db, input, kind, it, show)).map(Value::Object).collect()
        }
        None => {
            let relationships = input.relationships(db)?;
            let object = |view| match input.detail {
                Detail::Row => relationship_row(&(db, view)),
                Detail::Full => serialize_relationship(db, view),
            };
            relationships.iter().map(object).map(Value::Object).collect()
        }
    };
    // `json!` would serialize every row again.
    let mut answer = Map::new();
    answer.insert("entityType".to_owned(), input.entity.as_str().into());
    answer.insert("count".to_owned(), results.len().into());
    answer.insert("results".to_owned(), Value::Array(results));
    Ok(Value::Object(answer))
}

fn element(
    db: &dyn Db,
    input: &ListInput,
    kind: ElementKind,
    definition: Definition,
    show: &dyn Fn(File) -> String,
) -> Option<Map<String, Value>> {
    let mut object = match input.detail {
        Detail::Row => input.entity.element_row(&RowContext::new(db, definition)?),
        Detail::Full => serialize(db, definition)?,
    };
    // Only the file distinguishes two declarations of one name.
    let fqn = file_index(db, definition.file).element(definition.number)?.fqn();
    let namesakes = fqn.map(|fqn| definitions_by_fqn(db, fqn)).unwrap_or_default();
    if namesakes.iter().any(|other| *other != definition && other.kind(db) == Some(kind)) {
        object.insert("file".to_owned(), show(definition.file).into());
    }
    Some(object)
}
