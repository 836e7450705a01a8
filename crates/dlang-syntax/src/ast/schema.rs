//! Schema of the model in JSON: types and properties by name.
//!
//! JSON that describes a model names nodes by these types (`$type`) and has these properties. The typed tree has more
//! levels (a body, a block, a clause); [`assignments`] skips them and returns the properties in the order in which
//! the text assigns them.

use rowan::NodeOrToken;
use rowan::ast::AstNode as _;

use super::{Element, Name, Reference, RelationshipEnd, StringToken, relationships};
use crate::generated::kinds::SyntaxKind::*;
use crate::tree::{SyntaxElement, SyntaxNode, SyntaxToken};

/// Type of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeType {
    pub name: &'static str,
    /// All properties. JSON lists assigned properties in text order, not in this one.
    pub properties: &'static [Property],
}

/// Property of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Property {
    pub name: &'static str,
    /// Whether it holds a list, which is empty if the text assigns nothing.
    pub is_list: bool,
}

const fn single(name: &'static str) -> Property {
    Property { name, is_list: false }
}

const fn list(name: &'static str) -> Property {
    Property { name, is_list: true }
}

/// Returns the type of a node, or `None` for nodes that exist only in the tree.
pub fn node_type(node: &SyntaxNode) -> Option<NodeType> {
    let (name, properties): (_, &'static [Property]) = match node.kind() {
        MODEL => ("Model", const { &[list("imports"), list("children")] }),
        IMPORT_STATEMENT => ("ImportStatement", const { &[single("uri"), single("alias")] }),
        NAMESPACE_DECLARATION => ("NamespaceDeclaration", const { &[single("name"), list("children")] }),
        DOMAIN => (
            "Domain",
            const { &[single("name"), single("parent"), single("description"), single("vision"), single("type")] },
        ),
        BOUNDED_CONTEXT => (
            "BoundedContext",
            const {
                &[
                    single("name"),
                    single("domain"),
                    list("classification"),
                    list("team"),
                    single("description"),
                    single("businessModel"),
                    single("evolution"),
                    single("archetype"),
                    list("metadata"),
                    list("relationships"),
                    list("terminology"),
                    list("decisions"),
                ]
            },
        ),
        METADATA_ENTRY => ("MetadataEntry", const { &[single("key"), single("value")] }),
        TEAM => ("Team", const { &[single("name")] }),
        CLASSIFICATION => ("Classification", const { &[single("name")] }),
        METADATA => ("Metadata", const { &[single("name")] }),
        CONTEXT_MAP => ("ContextMap", const { &[single("name"), list("boundedContexts"), list("relationships")] }),
        DOMAIN_MAP => ("DomainMap", const { &[single("name"), list("domains")] }),
        DIRECTIONAL_RELATIONSHIP => (
            "DirectionalRelationship",
            const { &[single("left"), list("leftPatterns"), single("arrow"), list("rightPatterns"), single("right")] },
        ),
        SYMMETRIC_RELATIONSHIP => {
            ("SymmetricRelationship", const { &[single("left"), single("pattern"), single("arrow"), single("right")] })
        }
        THIS_REF => ("ThisRef", &[]),
        BOUNDED_CONTEXT_REF => ("BoundedContextRef", const { &[single("link")] }),
        PATTERN => (super::Pattern::cast(node.clone())?.kind()?.long_name(), &[]),
        DOMAIN_TERM => {
            ("DomainTerm", const { &[single("name"), single("meaning"), list("synonyms"), list("examples")] })
        }
        DECISION => ("Decision", DECISION_PROPERTIES),
        POLICY => ("Policy", DECISION_PROPERTIES),
        BUSINESS_RULE => ("BusinessRule", DECISION_PROPERTIES),
        _ => return None,
    };
    Some(NodeType { name, properties })
}

const DECISION_PROPERTIES: &[Property] = &[single("classification"), single("name"), single("value")];

/// Property that the text assigns a value, or a further value of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub property: &'static str,
    pub value: Value,
}

/// Value as it is in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// String literal.
    String(StringToken),
    /// Declared name or a synonym: a simple one, or that of a namespace.
    Name(SyntaxNode),
    /// Reference to another element.
    Reference(Reference),
    /// Token that is its own value: an arrow.
    Token(SyntaxToken),
    /// Node with a type of its own.
    Node(SyntaxNode),
}

impl Value {
    /// Returns the text of everything but a node: a string's value, a name, a reference as it is written.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::String(token) => Some(token.value()),
            Self::Name(node) => Name::cast(node.clone())
                .map(|name| name.text())
                .or_else(|| super::QualifiedName::cast(node.clone()).map(|name| name.text())),
            Self::Reference(reference) => Some(reference.text()),
            Self::Token(token) => Some(token.text().to_owned()),
            Self::Node(_) => None,
        }
    }
}

/// Returns the assignments of a node in text order. A property may occur more than once: each occurrence adds to a
/// list property; for other properties the last one counts.
pub fn assignments(node: &SyntaxNode) -> Vec<Assignment> {
    let mut assignments = Vec::new();
    collect(node, node, None, &mut assignments);
    assignments
}

/// Collects the assignments in the children of `node`, which is `owner` or a part of it. A part such as a clause
/// assigns its contents to `property`.
fn collect(owner: &SyntaxNode, node: &SyntaxNode, property: Option<&'static str>, found: &mut Vec<Assignment>) {
    for child in node.children_with_tokens() {
        let kind = child.kind();
        if let NodeOrToken::Node(part_node) = &child
            && let Some(part) = Part::classify(owner, part_node)
        {
            let property = if let Part::Property(property) = part { Some(property) } else { None };
            collect(owner, part_node, property, found);
            continue;
        }
        let Some(property) = property.or_else(|| direct(owner, &child)) else { continue };
        let value = match child {
            NodeOrToken::Token(token) => match kind {
                STRING => StringToken::cast(token).map(Value::String),
                RIGHT_ARROW | LEFT_ARROW | BOTH_ARROW | APART_ARROW => Some(Value::Token(token)),
                _ => None,
            },
            NodeOrToken::Node(node) => match kind {
                NAME | QUALIFIED_NAME => Some(Value::Name(node)),
                REFERENCE => Reference::cast(node).map(Value::Reference),
                ERROR => None,
                _ => Some(Value::Node(node)),
            },
        };
        found.extend(value.map(|value| Assignment { property, value }));
    }
}

/// Node that is only a part of another one in the tree.
#[derive(Clone, Copy)]
enum Part {
    /// Grouping without a meaning of its own.
    Body,
    /// Value, or holder of values, of this property.
    Property(&'static str),
}

impl Part {
    fn classify(owner: &SyntaxNode, part: &SyntaxNode) -> Option<Self> {
        match part.kind() {
            DOMAIN_BODY | CONTEXT_BODY | CONTEXT_MAP_BODY | DOMAIN_MAP_BODY | NAMESPACE_BODY => Some(Self::Body),
            _ => part_property(owner, part).map(Self::Property),
        }
    }
}

/// Returns the property that a part of a node assigns.
fn part_property(owner: &SyntaxNode, part: &SyntaxNode) -> Option<&'static str> {
    Some(match part.kind() {
        IN_CLAUSE => "parent",
        FOR_CLAUSE => "domain",
        AS_CLAUSE | CLASSIFICATION_PROPERTY => "classification",
        BY_CLAUSE | TEAM_PROPERTY => "team",
        DESCRIPTION_PROPERTY => "description",
        VISION_PROPERTY => "vision",
        TYPE_PROPERTY => "type",
        BUSINESS_MODEL_PROPERTY => "businessModel",
        EVOLUTION_PROPERTY => "evolution",
        ARCHETYPE_PROPERTY => "archetype",
        METADATA_BLOCK => "metadata",
        RELATIONSHIPS_BLOCK => "relationships",
        TERMINOLOGY_BLOCK => "terminology",
        DECISIONS_BLOCK => "decisions",
        SYNONYM_LIST => "synonyms",
        EXAMPLE_LIST => "examples",
        CONTAINS_CLAUSE if owner.kind() == DOMAIN_MAP => "domains",
        CONTAINS_CLAUSE => "boundedContexts",
        PATTERN_LIST if owner.kind() == SYMMETRIC_RELATIONSHIP => "pattern",
        PATTERN_LIST if relationships::is_left(owner, part) => "leftPatterns",
        PATTERN_LIST => "rightPatterns",
        _ => return None,
    })
}

/// Returns the property that has a direct child of a node as its value.
fn direct(owner: &SyntaxNode, child: &SyntaxElement) -> Option<&'static str> {
    Some(match (owner.kind(), child.kind()) {
        (IMPORT_STATEMENT, NAME) => "alias",
        (_, NAME | QUALIFIED_NAME) => "name",
        (IMPORT_STATEMENT, STRING) => "uri",
        (DOMAIN_TERM, STRING) => "meaning",
        (METADATA_ENTRY | DECISION | POLICY | BUSINESS_RULE, STRING) => "value",
        (METADATA_ENTRY, REFERENCE) => "key",
        (DECISION | POLICY | BUSINESS_RULE, REFERENCE) => "classification",
        (BOUNDED_CONTEXT_REF, REFERENCE) => "link",
        (MODEL, IMPORT_STATEMENT) => "imports",
        (MODEL | NAMESPACE_DECLARATION, kind) if Element::can_cast(kind) => "children",
        (CONTEXT_MAP, DIRECTIONAL_RELATIONSHIP | SYMMETRIC_RELATIONSHIP) => "relationships",
        (DIRECTIONAL_RELATIONSHIP | SYMMETRIC_RELATIONSHIP, kind) if RelationshipEnd::can_cast(kind) => {
            if relationships::is_left(owner, child.as_node()?) {
                "left"
            } else {
                "right"
            }
        }
        (_, RIGHT_ARROW | LEFT_ARROW | BOTH_ARROW | APART_ARROW) => "arrow",
        _ => return None,
    })
}
