//! Rows: an element or relationship on one line of a table.
//!
//! A row shows the targets of names. If a reference does not resolve, its column is left out; the serialized element
//! has the reference as it is written.

use dlang_model::{
    Body, ContextData, Db, Definition, DomainData, IndexedElement, MapData, ReferenceId, RelationshipView, Resolutions,
    file_model, resolutions,
};
use dlang_syntax::ast::PatternKind;
use serde_json::{Map, Value};

use super::entity::EntityType;
use super::serialize::{arrow, relationship_name, relationship_type, side_name};

/// The data for the columns of an element, fetched once for the whole row.
pub(super) struct RowContext<'db> {
    db: &'db dyn Db,
    element: &'db IndexedElement,
    body: &'db Body,
    resolutions: &'db Resolutions,
}

impl<'db> RowContext<'db> {
    pub(super) fn new(db: &'db dyn Db, definition: Definition) -> Option<Self> {
        let model = file_model(db, definition.file);
        let element = model.index.element(definition.number)?;
        let body = &model.element(definition.number)?.body;
        Some(Self { db, element, body, resolutions: resolutions(db, definition.file) })
    }

    fn domain(&self) -> Option<&DomainData> {
        if let Body::Domain(domain) = self.body { Some(domain) } else { None }
    }

    fn context(&self) -> Option<&ContextData> {
        if let Body::Context(context) = self.body { Some(context) } else { None }
    }

    fn map(&self) -> Option<&MapData> {
        if let Body::ContextMap(map) | Body::DomainMap(map) = self.body { Some(map) } else { None }
    }

    /// Returns the simple name of a reference's target.
    fn target(&self, reference: Option<ReferenceId>) -> Option<String> {
        self.resolutions.target(reference?)?.name(self.db).map(String::from)
    }
}

/// A column of an element: its name, and its value.
type ElementColumn = (&'static str, fn(&RowContext<'_>) -> Option<String>);

const NAME: ElementColumn = ("name", |it| it.element.name.as_ref().map(ToString::to_string));
const FQN: ElementColumn = ("fqn", |it| it.element.fqn().map(ToString::to_string));

const DOMAIN: &[ElementColumn] = &[
    NAME,
    FQN,
    ("vision", |it| it.domain()?.vision.as_ref().map(ToString::to_string)),
    ("type", |it| it.target(it.domain()?.classification)),
    ("parent", |it| it.target(it.domain()?.parent)),
];
const CONTEXT: &[ElementColumn] = &[
    NAME,
    FQN,
    ("domain", |it| it.target(it.context()?.domain)),
    ("description", |it| it.context()?.description.as_ref().map(ToString::to_string)),
    // The first of several is effective.
    ("classification", |it| it.target(it.context()?.classifications.first().copied())),
    ("team", |it| it.target(it.context()?.teams.first().copied())),
];
const NAME_AND_FQN: &[ElementColumn] = &[NAME, FQN];
const CONTEXT_MAP: &[ElementColumn] = &[NAME, ("contexts", entries)];
const DOMAIN_MAP: &[ElementColumn] = &[NAME, ("domains", entries)];

/// Returns the simple names of a map's entries.
fn entries(it: &RowContext<'_>) -> Option<String> {
    let targets = it.map()?.entries.iter().flat_map(|entry| it.resolutions.targets(*entry));
    Some(targets.filter_map(|target| target.name(it.db)).collect::<Vec<_>>().join(", "))
}

/// A relationship, and the model that resolves its ends.
pub(super) type RelationshipRow<'a> = (&'a dyn Db, &'a RelationshipView);
type RelationshipColumn = (&'static str, fn(&RelationshipRow<'_>) -> Option<String>);

const RELATIONSHIP: &[RelationshipColumn] = &[
    ("name", |(db, view)| Some(relationship_name(*db, view))),
    ("left", |(db, view)| Some(side_name(*db, &view.left))),
    ("right", |(db, view)| Some(side_name(*db, &view.right))),
    ("type", |(_, view)| Some(relationship_type(view).to_owned())),
    ("kind", |(_, view)| Some(view.kind.as_str().to_owned())),
    ("arrow", |(_, view)| Some(arrow(view)?.as_str().to_owned())),
    ("leftPatterns", |(_, view)| arrow(view).map(|_| join_names(&view.left.patterns))),
    ("rightPatterns", |(_, view)| arrow(view).map(|_| join_names(&view.right.patterns))),
];

fn join_names(patterns: &[PatternKind]) -> String {
    patterns.iter().map(|pattern| pattern.long_name()).collect::<Vec<_>>().join(", ")
}

impl EntityType {
    /// Returns the columns of this type's elements; relationships have others.
    fn element_columns(self) -> &'static [ElementColumn] {
        match self {
            Self::Domains => DOMAIN,
            Self::BoundedContexts => CONTEXT,
            Self::Teams | Self::Classifications => NAME_AND_FQN,
            Self::ContextMaps => CONTEXT_MAP,
            Self::DomainMaps => DOMAIN_MAP,
            Self::Relationships => &[],
        }
    }

    /// Returns the names of the columns of its rows, in order. A row has only the columns with a value. A row of an
    /// element that shares its fully qualified name with another one of its type also has `file`, at the end.
    pub fn columns(self) -> Vec<&'static str> {
        match self {
            Self::Relationships => RELATIONSHIP.iter().map(|(name, _)| *name).collect(),
            _ => self.element_columns().iter().map(|(name, _)| *name).collect(),
        }
    }

    pub(super) fn element_row(self, facts: &RowContext<'_>) -> Map<String, Value> {
        row(self.element_columns().iter().map(|(name, value)| (*name, value(facts))))
    }
}

pub(super) fn relationship_row(related: &RelationshipRow<'_>) -> Map<String, Value> {
    row(RELATIONSHIP.iter().map(|(name, value)| (*name, value(related))))
}

fn row(columns: impl ExactSizeIterator<Item = (&'static str, Option<String>)>) -> Map<String, Value> {
    let mut row = Map::with_capacity(columns.len());
    for (name, value) in columns {
        if let Some(value) = value {
            row.insert(name.to_owned(), Value::String(value));
        }
    }
    row
}
