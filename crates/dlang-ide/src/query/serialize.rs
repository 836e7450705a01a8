//! Elements and relationships as JSON.
//!
//! An object begins with `$type`. Its properties follow in the order in which the text first gives them values, then
//! the lists that the text does not mention, empty and in alphabetical order. A relationship ends with `inferredKind`;
//! an object with a name ends with `fqn`, which is empty if no reference can name it (terms, decisions). A property
//! without a value in the text is left out.
//!
//! A reference is the simple name of its target, or the written text if it does not resolve. An entry of a map may mean
//! several elements, and each of them is in the list. So an object holds names and parts of its node and no back
//! references: its size is that of the text.

use dlang_model::{
    Db, Definition, ElementKind, File, RelationshipArrow, RelationshipKind, RelationshipSide, RelationshipView,
    definition_at, file_model, resolve_reference,
};
use dlang_syntax::ast::schema::{Value as Written, assignments, node_type};
use dlang_syntax::ast::{Arrow, PatternKind, Reference};
use dlang_syntax::{AstNode as _, SyntaxNode};
use serde_json::{Map, Value};

/// Serializes an element with all its contents; `None` for a definition of an earlier state of the file.
pub fn serialize(db: &dyn Db, definition: Definition) -> Option<Map<String, Value>> {
    serialize_node(db, definition.file, definition.syntax(db)?.syntax())
}

/// Serializes a node of the tree of `file`; `None` for a node without a type, such as a body or a clause.
pub fn serialize_node(db: &dyn Db, file: File, node: &SyntaxNode) -> Option<Map<String, Value>> {
    // Only namespaces nest, and the parser limits their depth.
    let node_type = node_type(node)?;
    let is_list = |name: &str| node_type.properties.iter().any(|property| property.name == name && property.is_list);
    let mut object = Map::new();
    object.insert("$type".to_owned(), node_type.name.into());
    for assignment in assignments(node) {
        let name = assignment.property;
        let mut values = values(db, file, &assignment.value);
        if is_list(name) {
            let list = object.entry(name).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(list) = list {
                list.append(&mut values);
            }
        } else if let Some(value) = values.into_iter().next() {
            object.insert(name.to_owned(), value);
        }
    }
    let mut lists: Vec<&str> = node_type.properties.iter().filter(|it| it.is_list).map(|it| it.name).collect();
    lists.sort_unstable();
    for name in lists {
        object.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    }
    if let Some(kind) = relationship_kind(db, file, node) {
        object.insert("inferredKind".to_owned(), kind.as_str().into());
    }
    if object.contains_key("name") {
        let element = ElementKind::from_syntax(node.kind()).and_then(|_| definition_at(db, file, node.text_range()));
        let fqn = element.and_then(|element| element.fqn(db));
        object.insert("fqn".to_owned(), fqn.as_deref().unwrap_or_default().into());
    }
    Some(object)
}

/// Returns the JSON for a written value: several values for an entry of a map, otherwise one, or none for an error.
fn values(db: &dyn Db, file: File, written: &Written) -> Vec<Value> {
    match written {
        Written::Node(node) => serialize_node(db, file, node).map(Value::Object).into_iter().collect(),
        Written::Reference(reference) => names(db, file, reference).into_iter().map(Value::String).collect(),
        Written::String(_) | Written::Name(_) | Written::Token(_) => {
            written.text().map(Value::String).into_iter().collect()
        }
    }
}

fn names(db: &dyn Db, file: File, reference: &Reference) -> Vec<String> {
    let targets = resolve_reference(db, file, reference);
    let names: Vec<String> = targets.iter().filter_map(|target| target.name(db)).map(String::from).collect();
    if names.is_empty() { vec![reference.text()] } else { names }
}

fn relationship_kind(db: &dyn Db, file: File, node: &SyntaxNode) -> Option<RelationshipKind> {
    let relationships = &file_model(db, file).relationships;
    let range = node.text_range();
    let number = relationships.binary_search_by_key(&range.start(), |relationship| relationship.range.start()).ok()?;
    let relationship = relationships.get(number).filter(|relationship| relationship.range == range)?;
    RelationshipKind::from_form(&relationship.form)
}

/// Returns the name of a relationship: its ends, and the arrow or pattern between them.
pub(super) fn relationship_name(db: &dyn Db, view: &RelationshipView) -> String {
    let (left, right) = (side_name(db, &view.left), side_name(db, &view.right));
    match view.arrow {
        RelationshipArrow::Directional(arrow) => format!("{left} {} {right}", arrow.as_str()),
        RelationshipArrow::Pattern(pattern) if pattern != PatternKind::SeparateWays => {
            format!("{left} [{}] {right}", pattern.long_name())
        }
        // The reference implementation has one name for both spellings of separate ways.
        RelationshipArrow::Pattern(_) | RelationshipArrow::Apart => format!("{left} >< {right}"),
    }
}

/// Returns the simple name of the context of a side.
pub(super) fn side_name(db: &dyn Db, side: &RelationshipSide) -> String {
    side.context.name(db).map(String::from).unwrap_or_default()
}

/// Returns `directional` or `symmetric`.
pub(super) fn relationship_type(view: &RelationshipView) -> &'static str {
    if view.is_directional() { "directional" } else { "symmetric" }
}

/// Returns the arrow of a directional relationship.
pub(super) fn arrow(view: &RelationshipView) -> Option<Arrow> {
    match view.arrow {
        RelationshipArrow::Directional(arrow) => Some(arrow),
        RelationshipArrow::Pattern(_) | RelationshipArrow::Apart => None,
    }
}

/// Serializes a resolved relationship. `inferredType` repeats `kind` under the name that programs know. Both kinds of
/// relationships have the same properties, except that only those with an arrow have `arrow`, and only those with a
/// direction have `upstreamPatterns` and `downstreamPatterns`.
pub fn serialize_relationship(db: &dyn Db, view: &RelationshipView) -> Map<String, Value> {
    let patterns = |patterns: &[PatternKind]| patterns.iter().map(|pattern| pattern.long_name()).collect::<Value>();
    let side_patterns = |side: Option<&RelationshipSide>| side.map(|side| patterns(&side.patterns));
    let properties: [(&str, Option<Value>); 12] = [
        ("type", Some(relationship_type(view).into())),
        ("kind", Some(view.kind.as_str().into())),
        ("inferredType", Some(view.kind.as_str().into())),
        ("name", Some(relationship_name(db, view).into())),
        ("left", Some(side_name(db, &view.left).into())),
        ("right", Some(side_name(db, &view.right).into())),
        ("arrow", arrow(view).map(|arrow| arrow.as_str().into())),
        ("leftPatterns", side_patterns(Some(&view.left))),
        ("rightPatterns", side_patterns(Some(&view.right))),
        ("upstreamPatterns", side_patterns(view.upstream())),
        ("downstreamPatterns", side_patterns(view.downstream())),
        ("source", Some(view.source_kind.as_str().into())),
    ];
    properties.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
