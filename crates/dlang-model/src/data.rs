//! A file as plain data, with places in its text.
//!
//! Elements and relationships are numbered in the order of the text; the numbers of elements are those of
//! [`FileIndex`].

use std::ops::Range;
use std::sync::Arc;

use dlang_syntax::ast::{Arrow, PatternKind};
use dlang_syntax::{TextRange, TextSize};
use smol_str::SmolStr;

use crate::diagnostics::Diagnostic;
use crate::index::FileIndex;
use crate::kind::ElementKind;

/// A whole file.
#[derive(Debug, PartialEq, Eq)]
pub struct FileModel {
    /// What is wrong with its syntax.
    pub syntax: Box<[Diagnostic]>,
    /// What it declares, without places.
    pub index: Arc<FileIndex>,
    /// The places of the imports, as many as the index has.
    pub imports: Box<[ImportData]>,
    /// The places and contents of the elements, as many as the index has.
    pub elements: Box<[ElementData]>,
    /// Every reference to an element, in the order of the text.
    pub references: Box<[Reference]>,
    /// Every relationship, in the order of the text.
    pub relationships: Box<[Relationship]>,
}

impl FileModel {
    /// An element by its number.
    pub fn element(&self, number: u32) -> Option<&ElementData> {
        self.elements.get(number as usize)
    }

    /// A reference by its number.
    pub fn reference(&self, id: ReferenceId) -> Option<&Reference> {
        self.references.get(id.0 as usize)
    }

    /// The references with their numbers.
    pub fn numbered_references(&self) -> impl Iterator<Item = (ReferenceId, &Reference)> {
        (0..).map(ReferenceId).zip(self.references.iter())
    }

    /// The reference that stands exactly there.
    pub fn reference_at(&self, range: TextRange) -> Option<ReferenceId> {
        let number = self.references.binary_search_by_key(&range.start(), |reference| reference.range.start()).ok()?;
        let is_there = self.references.get(number).is_some_and(|reference| reference.range == range);
        is_there.then(|| ReferenceId(u32::try_from(number).unwrap_or(u32::MAX)))
    }

    /// The reference that an offset is in or at the edge of.
    pub fn reference_touching(&self, offset: TextSize) -> Option<ReferenceId> {
        let after = self.references.partition_point(|reference| reference.range.start() <= offset);
        let number = after.checked_sub(1)?;
        let touches = self.references.get(number)?.range.contains_inclusive(offset);
        touches.then(|| ReferenceId(u32::try_from(number).unwrap_or(u32::MAX)))
    }

    /// The relationships of a context or map.
    pub fn relationships_in(&self, numbers: &Range<u32>) -> &[Relationship] {
        self.relationships.get(numbers.start as usize..numbers.end as usize).unwrap_or_default()
    }
}

/// The places of an import statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportData {
    /// All of it.
    pub range: TextRange,
    /// The word `import`.
    pub keyword: TextRange,
    /// The string, with its quotes.
    pub specifier: Option<TextRange>,
    /// The alias.
    pub alias: Option<TextRange>,
}

/// The places and the content of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementData {
    /// All of it.
    pub range: TextRange,
    /// The word that it begins with.
    pub keyword: TextRange,
    /// Its name, as far as it is written.
    pub name: Option<TextRange>,
    /// What is in it.
    pub body: Body,
}

/// The content of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Nothing but a name, or other elements.
    None,
    /// Of a domain.
    Domain(Box<DomainData>),
    /// Of a bounded context.
    Context(Box<ContextData>),
    /// Of a context map.
    ContextMap(MapData),
    /// Of a domain map.
    DomainMap(MapData),
}

/// The content of a domain. A property that comes more than once has the last of its values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DomainData {
    /// `in`
    pub parent: Option<ReferenceId>,
    /// `description`
    pub description: Option<SmolStr>,
    /// `vision`
    pub vision: Option<SmolStr>,
    /// `type`
    pub classification: Option<ReferenceId>,
}

/// The content of a bounded context. A property that comes more than once has the last of its values, except where
/// there is a list; blocks that come more than once are joined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextData {
    /// Where `for …` stands, also when the name behind it is missing.
    pub for_clause: Option<TextRange>,
    /// `for`
    pub domain: Option<ReferenceId>,
    /// `as`, then each `classification`. The first is the one that holds.
    pub classifications: Vec<ReferenceId>,
    /// `by`, then each `team`. The first is the one that holds.
    pub teams: Vec<ReferenceId>,
    /// `description`
    pub description: Option<SmolStr>,
    /// `businessModel`
    pub business_model: Option<ReferenceId>,
    /// `evolution`
    pub evolution: Option<ReferenceId>,
    /// `archetype`
    pub archetype: Option<ReferenceId>,
    /// The entries of `metadata`.
    pub metadata: Vec<MetadataData>,
    /// The entries of `terminology`.
    pub terms: Vec<TermData>,
    /// The entries of `decisions`.
    pub decisions: Vec<DecisionData>,
    /// The entries of `relationships`, by their numbers.
    pub relationships: Range<u32>,
}

/// A value for a metadata key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataData {
    /// The key.
    pub key: ReferenceId,
    /// The value.
    pub value: Option<SmolStr>,
    /// All of it.
    pub range: TextRange,
}

/// A term of a context's language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermData {
    /// The term.
    pub name: Option<SmolStr>,
    /// Where it stands.
    pub name_range: Option<TextRange>,
    /// What it means.
    pub meaning: Option<SmolStr>,
    /// `aka`
    pub synonyms: Box<[SmolStr]>,
    /// `examples`
    pub examples: Box<[SmolStr]>,
    /// All of it.
    pub range: TextRange,
}

/// A decision, policy or rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionData {
    /// Which of them.
    pub kind: DecisionKind,
    /// What stands in its brackets.
    pub classification: Option<ReferenceId>,
    /// Its name.
    pub name: Option<SmolStr>,
    /// Where that stands.
    pub name_range: Option<TextRange>,
    /// What it says.
    pub value: Option<SmolStr>,
    /// All of it.
    pub range: TextRange,
}

/// The three kinds of entries of a `decisions` block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DecisionKind {
    /// `decision`
    Decision,
    /// `policy`
    Policy,
    /// `rule`
    Rule,
}

/// The content of a map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MapData {
    /// What stands behind `contains`.
    pub entries: Box<[ReferenceId]>,
    /// The relationships of a context map, by their numbers.
    pub relationships: Range<u32>,
}

/// The number of a reference in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReferenceId(pub u32);

/// A name that refers to an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The name without the blanks that may stand around its dots. It ends in a dot when its last part is missing.
    pub text: SmolStr,
    /// Where it stands.
    pub range: TextRange,
    /// What it is for.
    pub role: ReferenceRole,
    /// The element that it is part of, by its number.
    pub owner: u32,
}

/// What a reference is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReferenceRole {
    /// `in` of a domain.
    DomainParent,
    /// `type` of a domain.
    DomainType,
    /// `for` of a bounded context.
    ContextDomain,
    /// `as` of a bounded context.
    HeaderClassification,
    /// `classification` of a bounded context.
    BodyClassification,
    /// `by` of a bounded context.
    HeaderTeam,
    /// `team` of a bounded context.
    BodyTeam,
    /// `businessModel`
    BusinessModel,
    /// `evolution`
    Evolution,
    /// `archetype`
    Archetype,
    /// The key of a metadata entry.
    MetadataKey,
    /// The classification of a decision.
    DecisionClassification,
    /// An end of a relationship.
    RelationshipEnd,
    /// An entry of a context map's `contains`.
    MapContext,
    /// An entry of a domain map's `contains`.
    MapDomain,
}

impl ReferenceRole {
    /// What kind of element it wants.
    pub fn expected_kind(self) -> ElementKind {
        match self {
            Self::DomainParent | Self::ContextDomain | Self::MapDomain => ElementKind::Domain,
            Self::DomainType
            | Self::HeaderClassification
            | Self::BodyClassification
            | Self::BusinessModel
            | Self::Evolution
            | Self::Archetype
            | Self::DecisionClassification => ElementKind::Classification,
            Self::HeaderTeam | Self::BodyTeam => ElementKind::Team,
            Self::MetadataKey => ElementKind::Metadata,
            Self::RelationshipEnd | Self::MapContext => ElementKind::BoundedContext,
        }
    }

    /// Whether it stands for every element of its name instead of one.
    pub fn is_many(self) -> bool {
        matches!(self, Self::MapContext | Self::MapDomain)
    }

    /// The property that JSON has it in.
    pub fn property(self) -> &'static str {
        match self {
            Self::DomainParent => "parent",
            Self::DomainType => "type",
            Self::ContextDomain => "domain",
            Self::HeaderClassification | Self::BodyClassification | Self::DecisionClassification => "classification",
            Self::HeaderTeam | Self::BodyTeam => "team",
            Self::BusinessModel => "businessModel",
            Self::Evolution => "evolution",
            Self::Archetype => "archetype",
            Self::MetadataKey => "key",
            Self::RelationshipEnd => "link",
            Self::MapContext => "boundedContexts",
            Self::MapDomain => "domains",
        }
    }
}

/// A relationship as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relationship {
    /// All of it.
    pub range: TextRange,
    /// The arrow, of whichever kind.
    pub arrow: Option<TextRange>,
    /// The bounded context or context map that it stands in, by its number.
    pub owner: u32,
    /// What stands before the arrow or the pattern.
    pub left: End,
    /// What stands behind it.
    pub right: End,
    /// What stands between the ends.
    pub form: RelationshipForm,
}

/// An end of a relationship.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum End {
    /// It is not there.
    #[default]
    Missing,
    /// `this`
    This(TextRange),
    /// A bounded context.
    Context(ReferenceId),
}

/// What stands between the ends of a relationship.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelationshipForm {
    /// An arrow, with patterns on its sides.
    Directional {
        /// The arrow, unless a mistake left it out.
        arrow: Option<Arrow>,
        /// The patterns before it.
        left: Box<[WrittenPattern]>,
        /// The patterns behind it.
        right: Box<[WrittenPattern]>,
    },
    /// A pattern of both sides, or `><`.
    Symmetric {
        /// The pattern; nothing for `><`.
        pattern: Option<WrittenPattern>,
        /// Whether it is `><`.
        is_apart: bool,
    },
}

/// A pattern and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenPattern {
    /// Which one.
    pub kind: PatternKind,
    /// Where.
    pub range: TextRange,
}
