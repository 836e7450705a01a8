//! The names in a declaring node.

use std::ops::Range;

use tree_sitter::Node;

use crate::declaration::{Declaration, DeclarationKind};
use crate::languages;
use crate::rules::{NameLocation, Rule};

/// The maximum length of a name in bytes; a longer text is not a name.
const MAX_NAME_BYTES: usize = 400;

/// The maximum number of nested declarators and calls around a name.
const MAX_NESTING: usize = 64;

/// The fields of a qualified name that contain its last part.
const LAST_PARTS: [&str; 4] = ["name", "field", "method", "property"];

/// A name that a node declares.
pub(super) struct DeclaredName {
    pub(super) text: String,
    pub(super) kind: DeclarationKind,
    /// The range of the name, or of its last part.
    pub(super) range: Range<usize>,
}

/// Returns the children of a node. Finding a child by its index takes time that is proportional to the index.
pub(super) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut has_child = cursor.goto_first_child();
    std::iter::from_fn(move || {
        let child = has_child.then(|| cursor.node());
        has_child = has_child && cursor.goto_next_sibling();
        child
    })
}

/// Returns the names that a node declares by a rule.
pub(super) fn names(rule: &Rule, node: Node<'_>, text: &str, enclosing: Option<&Declaration>) -> Vec<DeclaredName> {
    let field = |name| node.child_by_field_name(name);
    let one = |name: Option<Node<'_>>| name.and_then(|name| in_node(rule.kind, name, text)).into_iter().collect();
    match rule.name {
        NameLocation::Field(name) => one(field(name)),
        NameLocation::Fields(name) => {
            let mut cursor = node.walk();
            let found = node.children_by_field_name(name, &mut cursor);
            found.filter(Node::is_named).filter_map(|name| in_node(rule.kind, name, text)).collect()
        }
        NameLocation::Pattern(name) => {
            let mut found = Vec::new();
            let mut next = Some(node);
            for _ in 0..MAX_NESTING {
                let Some(assignment) = next else { break };
                if let Some(pattern) = assignment.child_by_field_name(name) {
                    add_pattern_names(rule.kind, pattern, text, MAX_NESTING, &mut found);
                }
                next = assignment.child_by_field_name("right").filter(|right| right.kind_id() == node.kind_id());
            }
            found
        }
        NameLocation::Child(kinds) => {
            one(children(node).find(|child| child.is_named() && kinds.contains(&child.kind())))
        }
        NameLocation::Inside(kinds, name) => {
            let child = children(node).find(|child| kinds.contains(&child.kind()));
            let Some(child) = child else { return Vec::new() };
            let mut cursor = child.walk();
            let in_field: Vec<_> = child.children_by_field_name(name, &mut cursor).filter(Node::is_named).collect();
            if in_field.is_empty() {
                return one(children(child).find(|inner| inner.kind() == name));
            }
            in_field.into_iter().filter_map(|name| in_node(rule.kind, name, text)).collect()
        }
        NameLocation::Span(name) => {
            let mut cursor = node.walk();
            let parts: Vec<_> = node.children_by_field_name(name, &mut cursor).take(MAX_NESTING).collect();
            let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Vec::new() };
            let whole = text.get(first.start_byte()..last.end_byte()).map(one_line);
            let name = in_node(rule.kind, *last, text);
            name.zip(whole).map(|(name, text)| DeclaredName { text, ..name }).into_iter().collect()
        }
        NameLocation::Token(token) => one(children(node).find(|child| !child.is_named() && child.kind() == token)),
        NameLocation::Whole => one(Some(node)),
        NameLocation::Receiver => receiver(rule, node, text).map_or_else(|| one(field("name")), |name| vec![name]),
        NameLocation::Header => header(rule, node, text).into_iter().collect(),
        NameLocation::Declarators => declarators(rule, node, text, enclosing),
        NameLocation::Id => one(id(node, text)),
        NameLocation::MacroCall => macro_call(node, text).into_iter().collect(),
    }
}

/// Returns the name that is the text of a node.
fn in_node(kind: DeclarationKind, name: Node<'_>, text: &str) -> Option<DeclaredName> {
    let plain = trim_range(name.byte_range(), text);
    let own = text.get(plain.clone())?;
    if own.is_empty() || own.len() > MAX_NAME_BYTES || own == "_" {
        return None;
    }
    // A part may be missing in a text with errors.
    let last = Some(trim_range(last_part(name).byte_range(), text)).filter(|range| !range.is_empty());
    Some(DeclaredName { text: one_line(own), kind, range: last.unwrap_or(plain) })
}

/// Adds the names that a pattern binds. An attribute or an element of a list, as in `self.a, b[0] = 1, 2`, is not a name.
fn add_pattern_names(
    kind: DeclarationKind,
    pattern: Node<'_>,
    text: &str,
    depth: usize,
    found: &mut Vec<DeclaredName>,
) {
    if depth == 0 {
        return;
    }
    let mut add_inner = |inner| add_pattern_names(kind, inner, text, depth - 1, found);
    match pattern.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => found.extend(in_node(kind, pattern, text)),
        "pair_pattern" => pattern.child_by_field_name("value").into_iter().for_each(add_inner),
        // With a default value.
        "assignment_pattern" | "object_assignment_pattern" => {
            pattern.child_by_field_name("left").into_iter().for_each(add_inner);
        }
        list if list.ends_with("pattern") || list == "pattern_list" => {
            children(pattern).filter(Node::is_named).for_each(&mut add_inner);
        }
        _ => {}
    }
}

/// Returns a range without the white space and without a pair of quotation marks at its ends.
fn trim_range(range: Range<usize>, text: &str) -> Range<usize> {
    let own = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (own.len() - own.trim_start().len());
    let own = own.trim();
    // A quotation mark may be a part of the name (`foldl'`), and a heading may quote several words.
    let is_quoted = |quote: char| {
        let inner = own.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        inner.is_some_and(|inner| !inner.contains(quote))
    };
    let marks = usize::from(['"', '\'', '`'].into_iter().any(is_quoted));
    start + marks..start + own.len() - marks
}

/// Returns a method's name with the type of its receiver, as `(*Server).Run`.
fn receiver(rule: &Rule, node: Node<'_>, text: &str) -> Option<DeclaredName> {
    let name = in_node(rule.kind, node.child_by_field_name("name")?, text)?;
    let parameters = node.child_by_field_name("receiver")?;
    let parameter = children(parameters).find(|child| child.child_by_field_name("type").is_some())?;
    let receiver = text.get(parameter.child_by_field_name("type")?.byte_range())?;
    let receiver = one_line(receiver.split('[').next().unwrap_or_default());
    Some(DeclaredName { text: format!("({receiver}).{}", name.text), ..name })
}

/// Returns the text before the body.
fn header(rule: &Rule, node: Node<'_>, text: &str) -> Option<DeclaredName> {
    let body = node.child_by_field_name("body").or_else(|| children(node).find(|child| child.kind() == "block"));
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    let header = text.get(node.start_byte()..end)?;
    let header = match body {
        Some(_) => header,
        None => header.lines().next().unwrap_or_default(),
    };
    let header = header.split("where").next().unwrap_or_default().trim_end_matches([' ', '\t', '\r', '\n', '{', ';']);
    (!header.is_empty() && header.len() <= MAX_NAME_BYTES).then(|| DeclaredName {
        text: one_line(header),
        kind: rule.kind,
        range: node.start_byte()..node.start_byte() + header.len(),
    })
}

/// Returns the names in C's declarators.
fn declarators(rule: &Rule, node: Node<'_>, text: &str, enclosing: Option<&Declaration>) -> Vec<DeclaredName> {
    let mut cursor = node.walk();
    let found = node.children_by_field_name("declarator", &mut cursor);
    found
        .flat_map(|declarator| match structured_binding(declarator) {
            Some(binding) => {
                children(binding).filter(Node::is_named).filter_map(|it| in_node(rule.kind, it, text)).collect()
            }
            None => declarator_name(rule, declarator, text, enclosing).into_iter().collect::<Vec<_>>(),
        })
        .collect()
}

/// Returns the names in brackets of a declarator in C++: `auto [first, second] = pair;`, also of a reference.
fn structured_binding(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut inner = declarator;
    for _ in 0..MAX_NESTING {
        if inner.kind() == "structured_binding_declarator" {
            return Some(inner);
        }
        let next = inner.child_by_field_name("declarator");
        inner = next.or_else(|| children(inner).find(|it| it.kind() == "structured_binding_declarator"))?;
    }
    None
}

fn declarator_name(
    rule: &Rule,
    declarator: Node<'_>,
    text: &str,
    enclosing: Option<&Declaration>,
) -> Option<DeclaredName> {
    let (mut innermost, mut is_function) = (declarator, false);
    for _ in 0..MAX_NESTING {
        match innermost.kind() {
            "function_declarator" => is_function = true,
            // `(*callback)(int)` is a pointer.
            "parenthesized_declarator" => is_function = false,
            "operator_cast" => {
                is_function = true;
                break;
            }
            _ => {}
        }
        let is_declarator = innermost.kind().ends_with("_declarator");
        let inner = innermost
            .child_by_field_name("declarator")
            .or_else(|| children(innermost).find(|child| child.kind().ends_with("_declarator")))
            .or_else(|| {
                children(innermost).filter(|_| is_declarator).find(|child| child.kind().ends_with("identifier"))
            });
        let Some(inner) = inner else { break };
        innermost = inner;
    }
    let mut name = in_node(rule.kind, innermost, text)?;
    if innermost.kind() == "operator_cast" {
        // Without the parameters.
        let own = text.get(name.range.clone())?;
        name.range.end = name.range.start + own.find('(').unwrap_or(own.len());
        name.text = one_line(text.get(name.range.clone())?);
    }
    if rule.kind != DeclarationKind::TypeAlias && is_function {
        let last = text.get(name.range.clone()).unwrap_or_default();
        let qualifier = name.text.rsplit("::").nth(1).or_else(|| {
            let class = enclosing.filter(|enclosing| enclosing.kind.is_type());
            class.map(|class| class.name.as_str())
        });
        name.kind = match last_part(innermost).kind() {
            "operator_name" | "operator_cast" => DeclarationKind::Operator,
            "destructor_name" => DeclarationKind::Method,
            _ if qualifier.is_some_and(|class| class.split('<').next() == Some(last)) => DeclarationKind::Constructor,
            _ if qualifier.is_some() => DeclarationKind::Method,
            _ => DeclarationKind::Function,
        };
    }
    // Without a body, a declaration of a function in a function is a call or a variable.
    let is_in_function = enclosing.is_some_and(|enclosing| enclosing.kind.is_callable());
    (!is_in_function).then_some(name)
}

/// Returns the value of the attribute `id` of an element.
fn id<'t>(element: Node<'t>, text: &str) -> Option<Node<'t>> {
    let tag = children(element).find(|child| matches!(child.kind(), "start_tag" | "self_closing_tag"))?;
    let is_id = |attribute: &Node<'t>| {
        let name = attribute.named_child(0);
        attribute.kind() == "attribute"
            && name.and_then(|name| text.get(name.byte_range())).is_some_and(|name| name.eq_ignore_ascii_case("id"))
    };
    children(tag).find(is_id)?.named_child(1)
}

/// Returns the name that a call to one of Elixir's macros declares.
fn macro_call(node: Node<'_>, text: &str) -> Option<DeclaredName> {
    let target = node.child_by_field_name("target")?;
    let kind = languages::scripts::elixir_macro(text.get(target.byte_range())?)?;
    let arguments = children(node).find(|child| child.kind() == "arguments");
    let mut name = arguments?.named_child(0)?;
    for _ in 0..MAX_NESTING {
        // `price(x) when x > 0`
        name = match name.kind() {
            "binary_operator" => name.child_by_field_name("left")?,
            "call" => name.child_by_field_name("target")?,
            _ => break,
        };
    }
    in_node(kind, name, text)
}

/// Returns the last part of a qualified name.
fn last_part(name: Node<'_>) -> Node<'_> {
    let mut part = name;
    for _ in 0..MAX_NESTING {
        match LAST_PARTS.iter().find_map(|field| part.child_by_field_name(field)) {
            Some(inner) => part = inner,
            None => break,
        }
    }
    part
}

/// Joins the lines of a text.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
