//! Relationships as they are meant: which contexts, which of them is upstream, and what kind of relationship it is.

use dlang_syntax::TextRange;
use dlang_syntax::ast::{Arrow, PatternKind};

use crate::data::{Body, End, Relationship, RelationshipForm, WrittenPattern};
use crate::db::Db;
use crate::definition::Definition;
use crate::index::{FileIndex, file_index};
use crate::inputs::File;
use crate::kind::ElementKind;
use crate::lower::file_model;
use crate::resolve::{Resolutions, resolutions};

/// A relationship between two bounded contexts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationshipView {
    /// The bounded context or context map that it stands in.
    pub source: Definition,
    /// Which of the two that is.
    pub source_kind: RelationshipSource,
    /// Where it stands in the file of its source.
    pub range: TextRange,
    /// What it is.
    pub kind: RelationshipKind,
    /// How its middle is written.
    pub arrow: RelationshipArrow,
    /// The context on the left.
    pub left: RelationshipSide,
    /// The context on the right.
    pub right: RelationshipSide,
}

impl RelationshipView {
    /// The side that what is offered comes from; nothing where neither is.
    pub fn upstream(&self) -> Option<&RelationshipSide> {
        match self.arrow {
            RelationshipArrow::Directional(Arrow::Right) => Some(&self.left),
            RelationshipArrow::Directional(Arrow::Left) => Some(&self.right),
            _ => None,
        }
    }

    /// The side that uses what is offered; nothing where neither is.
    pub fn downstream(&self) -> Option<&RelationshipSide> {
        match self.arrow {
            RelationshipArrow::Directional(Arrow::Right) => Some(&self.right),
            RelationshipArrow::Directional(Arrow::Left) => Some(&self.left),
            _ => None,
        }
    }

    /// Whether it has an arrow that points somewhere, `<->` included.
    pub fn is_directional(&self) -> bool {
        matches!(self.arrow, RelationshipArrow::Directional(_))
    }
}

/// One side of a relationship.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationshipSide {
    /// The bounded context.
    pub context: Definition,
    /// Whether it is written as `this`.
    pub is_this: bool,
    /// The patterns on this side of an arrow.
    pub patterns: Vec<PatternKind>,
}

/// Where relationships stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelationshipSource {
    /// In a bounded context.
    BoundedContext,
    /// In a context map.
    ContextMap,
}

impl RelationshipSource {
    /// Its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BoundedContext => "BoundedContext",
            Self::ContextMap => "ContextMap",
        }
    }
}

/// What stands between the ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelationshipArrow {
    /// `->`, `<-` or `<->`
    Directional(Arrow),
    /// A pattern of both sides in brackets.
    Pattern(PatternKind),
    /// `><`
    Apart,
}

/// What a relationship is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationshipKind {
    /// One provides, the other consumes.
    UpstreamDownstream,
    /// The same, and the consumer has a say.
    CustomerSupplier,
    /// Both provide and consume.
    Bidirectional,
    /// Both own a part of the model together.
    SharedKernel,
    /// Both succeed or fail together.
    Partnership,
    /// They have nothing to do with each other, and it is said.
    SeparateWays,
}

impl RelationshipKind {
    /// Its name in JSON.
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

    /// The kind of a relationship by its form alone. `<->` is always bidirectional, whatever its patterns: there is one
    /// answer to the question, where the existing program has two.
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

/// The bounded context that `this` means in a relationship: the one that it stands in.
pub fn containing_context(db: &dyn Db, file: File, relationship: &Relationship) -> Option<Definition> {
    let owner = Definition { file, number: relationship.owner };
    (owner.kind(db)? == ElementKind::BoundedContext).then_some(owner)
}

/// A relationship as it is meant; nothing when an end means nothing or a mistake left out the middle.
pub fn relationship_view(db: &dyn Db, file: File, relationship: &Relationship) -> Option<RelationshipView> {
    Facts::new(db, file).view(relationship)
}

/// The relationships of a file: those of bounded contexts, in the order of the text, then those of context maps.
pub fn relationship_views(db: &dyn Db, file: File) -> Vec<RelationshipView> {
    let facts = Facts::new(db, file);
    let model = file_model(db, file);
    let of_kind = |wanted: ElementKind| {
        let elements = facts.index.elements.iter().zip(&model.elements);
        elements.filter(move |(element, _)| element.kind == wanted).flat_map(|(_, places)| match &places.body {
            Body::Context(context) => model.relationships_in(&context.relationships),
            Body::ContextMap(map) => model.relationships_in(&map.relationships),
            _ => &[],
        })
    };
    let ordered = of_kind(ElementKind::BoundedContext).chain(of_kind(ElementKind::ContextMap));
    ordered.filter_map(|relationship| facts.view(relationship)).collect()
}

/// What relationships of a file are made from, fetched once for all of them: a model has thousands, and each would look
/// it up several times.
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
