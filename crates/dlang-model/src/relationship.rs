//! Relationships with resolved ends: the contexts, which of them is upstream, and the kind of the relationship.

use dlang_syntax::TextRange;
use dlang_syntax::ast::{Arrow, PatternKind};

use crate::data::{Body, End, Relationship, RelationshipForm, WrittenPattern};
use crate::db::Db;
use crate::index::FileIndex;
use crate::inputs::{Definition, File};
use crate::kind::ElementKind;
use crate::lower::{file_index, file_model};
use crate::resolve::{Resolutions, resolutions};

/// Relationship between two bounded contexts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationshipView {
    /// Bounded context or context map that contains it.
    pub source: Definition,
    /// Kind of `source`.
    pub source_kind: RelationshipSource,
    /// Range in the file of `source`.
    pub range: TextRange,
    /// Kind of the relationship.
    pub kind: RelationshipKind,
    /// Middle of the relationship.
    pub arrow: RelationshipArrow,
    /// Context on the left.
    pub left: RelationshipSide,
    /// Context on the right.
    pub right: RelationshipSide,
}

impl RelationshipView {
    /// Returns the providing side; `None` if neither is.
    pub fn upstream(&self) -> Option<&RelationshipSide> {
        match self.arrow {
            RelationshipArrow::Directional(Arrow::Right) => Some(&self.left),
            RelationshipArrow::Directional(Arrow::Left) => Some(&self.right),
            _ => None,
        }
    }

    /// Returns the consuming side; `None` if neither is.
    pub fn downstream(&self) -> Option<&RelationshipSide> {
        match self.arrow {
            RelationshipArrow::Directional(Arrow::Right) => Some(&self.right),
            RelationshipArrow::Directional(Arrow::Left) => Some(&self.left),
            _ => None,
        }
    }

    /// Whether it has an arrow, including `<->` but not `><`.
    pub fn is_directional(&self) -> bool {
        matches!(self.arrow, RelationshipArrow::Directional(_))
    }
}

/// Side of a relationship.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationshipSide {
    /// Bounded context of the side.
    pub context: Definition,
    /// Whether it is written as `this`.
    pub is_this: bool,
    /// Patterns on this side of an arrow.
    pub patterns: Vec<PatternKind>,
}

/// Kind of element that contains a relationship.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelationshipSource {
    /// Bounded context.
    BoundedContext,
    /// Context map.
    ContextMap,
}

impl RelationshipSource {
    /// Returns its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BoundedContext => "BoundedContext",
            Self::ContextMap => "ContextMap",
        }
    }
}

/// Middle of a relationship, between its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelationshipArrow {
    /// `->`, `<-` or `<->`
    Directional(Arrow),
    /// Symmetric pattern in brackets.
    Pattern(PatternKind),
    /// `><`
    Apart,
}

/// Kind of a relationship.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationshipKind {
    /// One side provides, the other consumes.
    UpstreamDownstream,
    /// One side provides, and the consumer influences its priorities.
    CustomerSupplier,
    /// Both sides provide and consume.
    Bidirectional,
    /// Both sides own a part of the model together.
    SharedKernel,
    /// Both sides succeed or fail together.
    Partnership,
    /// Both sides decided not to integrate.
    SeparateWays,
}

impl RelationshipKind {
    /// Returns its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UpstreamDownstream => "UpstreamDownstream",
            Self::CustomerSupplier => "CustomerSupplier",
            Self::Bidirectional => "Bidirectional",
            Self::SharedKernel => "SharedKernel",
            Self::Partnership => "Partnership",
            Self::SeparateWays => "SeparateWays",
        }
    }

    /// Derives the kind of a relationship from its form alone. `<->` is always bidirectional, with any patterns;
    /// DomainLang's original tools give two different kinds in different outputs.
    pub fn from_form(form: &RelationshipForm) -> Option<Self> {
        match form {
            RelationshipForm::Directional { arrow: Some(Arrow::Both), .. } => Some(Self::Bidirectional),
            RelationshipForm::Directional { arrow: Some(_), left, right } => {
                let has_roles = left
                    .iter()
                    .chain(right)
                    .any(|pattern| matches!(pattern.kind, PatternKind::Supplier | PatternKind::Customer));
                Some(if has_roles { Self::CustomerSupplier } else { Self::UpstreamDownstream })
            }
            RelationshipForm::Directional { arrow: None, .. } => None,
            RelationshipForm::Symmetric { is_apart: true, .. } => Some(Self::SeparateWays),
            RelationshipForm::Symmetric { pattern, .. } => match pattern.as_ref()?.kind {
                PatternKind::SharedKernel => Some(Self::SharedKernel),
                PatternKind::Partnership => Some(Self::Partnership),
                PatternKind::SeparateWays => Some(Self::SeparateWays),
                _ => None,
            },
        }
    }
}

/// Returns the bounded context that `this` refers to in a relationship: the one that contains it.
pub fn containing_context(db: &dyn Db, file: File, relationship: &Relationship) -> Option<Definition> {
    let owner = Definition { file, number: relationship.owner };
    (owner.kind(db)? == ElementKind::BoundedContext).then_some(owner)
}

/// Returns a relationship with resolved ends; `None` if an end is unresolved or the middle is missing.
pub fn relationship_view(db: &dyn Db, file: File, relationship: &Relationship) -> Option<RelationshipView> {
    Facts::new(db, file).view(relationship)
}

/// Returns the relationships of a file: those of bounded contexts in text order, then those of context maps.
pub fn relationship_views(db: &dyn Db, file: File) -> Vec<RelationshipView> {
    let facts = Facts::new(db, file);
    let model = file_model(db, file);
    let by_kind = |kind: ElementKind| {
        let elements = facts.index.elements.iter().zip(&model.elements);
        elements.filter(move |(element, _)| element.kind == kind).flat_map(|(_, data)| match &data.body {
            Body::Context(context) => model.relationships_in(&context.relationships),
            Body::ContextMap(map) => model.relationships_in(&map.relationships),
            _ => &[],
        })
    };
    let ordered = by_kind(ElementKind::BoundedContext).chain(by_kind(ElementKind::ContextMap));
    ordered.filter_map(|relationship| facts.view(relationship)).collect()
}

/// Shared inputs of a file's relationships, fetched once: a model has thousands of them, and each would otherwise
/// look them up several times.
struct Facts<'db> {
    file: File,
    index: &'db FileIndex,
    resolutions: &'db Resolutions,
}

impl<'db> Facts<'db> {
    fn new(db: &'db dyn Db, file: File) -> Self {
        Self { file, index: file_index(db, file), resolutions: resolutions(db, file) }
    }

    fn view(&self, relationship: &Relationship) -> Option<RelationshipView> {
        let source = Definition { file: self.file, number: relationship.owner };
        let source_kind = match self.index.element(relationship.owner)?.kind {
            ElementKind::BoundedContext => RelationshipSource::BoundedContext,
            _ => RelationshipSource::ContextMap,
        };
        let kinds = |patterns: &[WrittenPattern]| patterns.iter().map(|pattern| pattern.kind).collect();
        let (arrow, left, right) = match &relationship.form {
            RelationshipForm::Directional { arrow, left, right } => {
                (RelationshipArrow::Directional((*arrow)?), kinds(left), kinds(right))
            }
            RelationshipForm::Symmetric { is_apart: true, .. } => (RelationshipArrow::Apart, Vec::new(), Vec::new()),
            RelationshipForm::Symmetric { pattern, .. } => {
                (RelationshipArrow::Pattern((*pattern)?.kind), Vec::new(), Vec::new())
            }
        };
        let side = |end: End, patterns: Vec<PatternKind>| {
            let context = match end {
                End::Missing => None,
                End::This(_) => (source_kind == RelationshipSource::BoundedContext).then_some(source),
                End::Context(reference) => self.resolutions.target(reference),
            }?;
            Some(RelationshipSide { context, is_this: matches!(end, End::This(_)), patterns })
        };
        Some(RelationshipView {
            source,
            source_kind,
            range: relationship.range,
            kind: RelationshipKind::from_form(&relationship.form)?,
            arrow,
            left: side(relationship.left, left)?,
            right: side(relationship.right, right)?,
        })
    }
}
