//! File contents as plain data, with ranges in the text.
//!
//! Elements and relationships are numbered in text order; the numbers of elements are those of [`FileIndex`].

use std::ops::Range;
use std::sync::Arc;

use dlang_syntax::ast::{Arrow, PatternKind};
use dlang_syntax::{TextRange, TextSize};
use smol_str::SmolStr;

use crate::diagnostics::ModelDiagnostic;
use crate::index::FileIndex;
use crate::kind::ElementKind;

/// Whole file.
#[derive(Debug, PartialEq, Eq)]
pub struct FileModel {
    /// Syntax diagnostics.
    pub syntax: Box<[ModelDiagnostic]>,
    /// Declarations, without ranges.
    pub index: Arc<FileIndex>,
    /// Ranges of the imports, one for each import of the index.
    pub imports: Box<[ImportData]>,
    /// Ranges and contents of the elements, one for each element of the index.
    pub elements: Box<[ElementData]>,
    /// All references to elements, in text order.
    pub references: Box<[Reference]>,
    /// All relationships, in text order.
    pub relationships: Box<[Relationship]>,
}

impl FileModel {
    /// Returns an element by its number.
    pub fn element(&self, number: u32) -> Option<&ElementData> {
        self.elements.get(number as usize)
    }

    /// Returns a reference by its number.
    pub fn reference(&self, id: ReferenceId) -> Option<&Reference> {
        self.references.get(id.0 as usize)
    }

    /// Returns the references with their numbers.
    pub fn numbered_references(&self) -> impl Iterator<Item = (ReferenceId, &Reference)> {
        (0..).map(ReferenceId).zip(self.references.iter())
    }

    /// Returns the reference with exactly this range.
    pub fn reference_at(&self, range: TextRange) -> Option<ReferenceId> {
        let number = self.references.binary_search_by_key(&range.start(), |reference| reference.range.start()).ok()?;
        let is_there = self.references.get(number).is_some_and(|reference| reference.range == range);
        is_there.then(|| ReferenceId(u32::try_from(number).unwrap_or(u32::MAX)))
    }

    /// Returns the reference that contains an offset or ends at it.
    pub fn reference_touching(&self, offset: TextSize) -> Option<ReferenceId> {
        let after = self.references.partition_point(|reference| reference.range.start() <= offset);
        let number = after.checked_sub(1)?;
        let touches = self.references.get(number)?.range.contains_inclusive(offset);
        touches.then(|| ReferenceId(u32::try_from(number).unwrap_or(u32::MAX)))
    }

    /// Returns the relationships of a context or map.
    pub fn relationships_in(&self, numbers: &Range<u32>) -> &[Relationship] {
        self.relationships.get(numbers.start as usize..numbers.end as usize).unwrap_or_default()
    }
}

/// Ranges of an import statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportData {
    /// Whole statement.
    pub range: TextRange,
    /// The word `import`.
    pub keyword: TextRange,
    /// String with its quotes.
    pub specifier: Option<TextRange>,
    /// Alias after `as`.
    pub alias: Option<TextRange>,
}

/// Ranges and content of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementData {
    /// Whole element.
    pub range: TextRange,
    /// Keyword that begins it.
    pub keyword: TextRange,
    /// Name, as far as it is written.
    pub name: Option<TextRange>,
    /// Content of the element.
    pub body: Body,
}

/// Content of an element, by kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Only a name, or other elements.
    None,
    /// Content of a domain.
    Domain(Box<DomainData>),
    /// Content of a bounded context.
    Context(Box<ContextData>),
    /// Content of a context map.
    ContextMap(MapData),
    /// Content of a domain map.
    DomainMap(MapData),
}

/// Content of a domain. The last value of a repeated property wins.
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

/// Content of a bounded context. The last value of a repeated property wins, except for the lists here; repeated
/// blocks are joined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextData {
    /// Range of `for …`, also if the name after it is missing.
    pub for_clause: Option<TextRange>,
    /// `for`
    pub domain: Option<ReferenceId>,
    /// `as`, then each `classification`. The first one is effective.
    pub classifications: Vec<ReferenceId>,
    /// `by`, then each `team`. The first one is effective.
    pub teams: Vec<ReferenceId>,
    /// `description`
    pub description: Option<SmolStr>,
    /// `businessModel`
    pub business_model: Option<ReferenceId>,
    /// `evolution`
    pub evolution: Option<ReferenceId>,
    /// `archetype`
    pub archetype: Option<ReferenceId>,
    /// Entries of `metadata`.
    pub metadata: Vec<MetadataData>,
    /// Entries of `terminology`.
    pub terms: Vec<TermData>,
    /// Entries of `decisions`.
    pub decisions: Vec<DecisionData>,
    /// Numbers of the entries of `relationships`.
    pub relationships: Range<u32>,
}

/// Metadata entry: a key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataData {
    /// Key of the entry.
    pub key: ReferenceId,
    /// Value of the entry.
    pub value: Option<SmolStr>,
    /// Range of the entry.
    pub range: TextRange,
}

/// Term of a context's language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermData {
    /// The term itself.
    pub name: Option<SmolStr>,
    /// Range of the name.
    pub name_range: Option<TextRange>,
    /// Meaning of the term.
    pub meaning: Option<SmolStr>,
    /// `aka`
    pub synonyms: Box<[SmolStr]>,
    /// `examples`
    pub examples: Box<[SmolStr]>,
    /// Range of the whole term.
    pub range: TextRange,
}

/// Decision, policy or rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionData {
    /// Kind of the entry.
    pub kind: DecisionKind,
    /// Classification in brackets.
    pub classification: Option<ReferenceId>,
    /// Name of the entry.
    pub name: Option<SmolStr>,
    /// Range of the name.
    pub name_range: Option<TextRange>,
    /// Text of the entry.
    pub value: Option<SmolStr>,
    /// Range of the whole entry.
    pub range: TextRange,
}

/// Kinds of entries of a `decisions` block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DecisionKind {
    /// `decision`
    Decision,
    /// `policy`
    Policy,
    /// `rule`
    Rule,
}

/// Content of a map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MapData {
    /// Entries after `contains`.
    pub entries: Box<[ReferenceId]>,
    /// Numbers of the relationships of a context map.
    pub relationships: Range<u32>,
}

/// Number of a reference in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReferenceId(pub u32);

/// Name that refers to an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Name without blanks around its dots. It ends in a dot if its last segment is missing.
    pub text: SmolStr,
    /// Range of the name.
    pub range: TextRange,
    /// Grammatical role of the reference.
    pub role: ReferenceRole,
    /// Number of the element that contains the reference.
    pub owner: u32,
}

/// Grammatical role of a reference.
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
    /// Key of a metadata entry.
    MetadataKey,
    /// Classification of a decision.
    DecisionClassification,
    /// End of a relationship.
    RelationshipEnd,
    /// Entry of a context map's `contains`.
    MapContext,
    /// Entry of a domain map's `contains`.
    MapDomain,
}

impl ReferenceRole {
    /// Returns the kind of element that it refers to.
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

    /// Whether it refers to every element of its name instead of one.
    pub fn is_many(self) -> bool {
        matches!(self, Self::MapContext | Self::MapDomain)
    }

    /// Returns the JSON property of the reference.
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

/// Relationship as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relationship {
    /// Whole relationship.
    pub range: TextRange,
    /// Arrow of any kind.
    pub arrow: Option<TextRange>,
    /// Number of the bounded context or context map that contains it.
    pub owner: u32,
    /// End before the arrow or the pattern.
    pub left: End,
    /// End after the arrow or the pattern.
    pub right: End,
    /// Everything between the ends.
    pub form: RelationshipForm,
}

/// End of a relationship.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum End {
    /// Missing in the text.
    #[default]
    Missing,
    /// `this`
    This(TextRange),
    /// Reference to a bounded context.
    Context(ReferenceId),
}

/// Everything between the ends of a relationship.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelationshipForm {
    /// Arrow, with patterns on its sides.
    Directional {
        /// The arrow, unless it is missing.
        arrow: Option<Arrow>,
        /// Patterns before it.
        left: Box<[WrittenPattern]>,
        /// Patterns after it.
        right: Box<[WrittenPattern]>,
    },
    /// Symmetric pattern, or `><`.
    Symmetric {
        /// The pattern; `None` for `><`.
        pattern: Option<WrittenPattern>,
        /// Whether it is `><`.
        is_apart: bool,
    },
}

/// Pattern with its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenPattern {
    /// Kind of the pattern.
    pub kind: PatternKind,
    /// Range of the pattern.
    pub range: TextRange,
}
