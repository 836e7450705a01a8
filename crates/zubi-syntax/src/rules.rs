//! The form of a language's table.

use crate::declaration::DeclarationKind;

/// A kind of node that declares something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    /// The node's kind in the grammar.
    pub(crate) node: &'static str,
    pub(crate) kind: DeclarationKind,
    pub(crate) name: NameLocation,
    /// The kinds of parent below which the rule applies; empty: below any.
    pub(crate) parents: &'static [&'static str],
    /// The text of an anonymous child at the start of the parent.
    pub(crate) parent_token: Option<&'static str>,
    /// A field of the node, and the kinds of nodes in it for which the rule applies. With an empty name of the field, one
    /// of the children must have such a kind; `kind/field` is a field of the first child of a kind.
    pub(crate) condition: Option<(&'static str, &'static [&'static str])>,
    /// Whether the node is a declaration only if it contains one.
    pub(crate) is_container: bool,
}

/// The position of the name in a declaring node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NameLocation {
    /// The first child in the field. If that node has a name itself, it is the last part of a qualified name.
    Field(&'static str),
    /// Every child in the field: one node declares several names.
    Fields(&'static str),
    /// Every name in the pattern in the field, as `a` and `b` in `const { a, x: [b] } = c`. An assignment in the field
    /// `right` has a pattern of its own, as in `a = b = c`.
    Pattern(&'static str),
    /// The first child of one of these kinds.
    Child(&'static [&'static str]),
    /// The first child of one of these kinds, and in it every child in the field or the first one of the kind.
    Inside(&'static [&'static str], &'static str),
    /// Every child in the field together, as `Rate.named` in Dart.
    Span(&'static str),
    /// The first anonymous child with this text, as `init` in Swift.
    Token(&'static str),
    /// C's declarators: in each child in the field `declarator`, the innermost one. A function's declarator makes the
    /// declaration a function.
    Declarators,
    /// The name in the field `name` after the type in the field `receiver`, as in `(*Server).Run`.
    Receiver,
    /// The text before the body, as in Rust's `impl Display for Rate`.
    Header,
    /// The node's own text.
    Whole,
    /// The value of the attribute `id` in the tag of an element.
    Id,
    /// The first argument of a call to one of Elixir's macros that declare something. The macro determines the kind.
    MacroCall,
}

impl Rule {
    /// Creates the rule for a node with its name in the field `name`.
    pub(crate) const fn new(node: &'static str, kind: DeclarationKind) -> Self {
        Self {
            node,
            kind,
            name: NameLocation::Field("name"),
            parents: &[],
            parent_token: None,
            condition: None,
            is_container: false,
        }
    }

    pub(crate) const fn with_name(self, name: NameLocation) -> Self {
        Self { name, ..self }
    }

    pub(crate) const fn with_parents(self, parents: &'static [&'static str]) -> Self {
        Self { parents, ..self }
    }

    pub(crate) const fn with_parent_token(self, token: &'static str) -> Self {
        Self { parent_token: Some(token), ..self }
    }

    pub(crate) const fn with_condition(self, field: &'static str, kinds: &'static [&'static str]) -> Self {
        Self { condition: Some((field, kinds)), ..self }
    }

    /// Restricts the rule to nodes that contain a declaration.
    pub(crate) const fn with_members(self) -> Self {
        Self { is_container: true, ..self }
    }
}

/// The table of a language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeTable {
    /// The rules; for a node with several, the first one that applies.
    pub(crate) rules: &'static [Rule],
    /// Nodes without declarations that matter, into which the extraction does not descend.
    pub(crate) skipped: &'static [&'static str],
    /// Nodes around a declaration that belong to it, such as `export`.
    pub(crate) wrappers: &'static [&'static str],
    /// Annotations: siblings before a declaration or nodes at its start that belong to it, but not to its signature.
    pub(crate) prefixes: &'static [&'static str],
    /// The beginnings of the texts of annotations, if not every node of `prefixes` is one; else empty.
    pub(crate) prefix_texts: &'static [&'static str],
    /// Comments.
    pub(crate) comments: &'static [&'static str],
    /// The fields or kinds of a declaration's body.
    pub(crate) bodies: &'static [&'static str],
    /// The kind of a variable that is a member of a type.
    pub(crate) member: DeclarationKind,
    /// Functions without a name, whose values are local.
    pub(crate) scopes: &'static [&'static str],
    /// The names of methods that are constructors.
    pub(crate) constructors: &'static [&'static str],
    /// Whether the first string of a body is its documentation.
    pub(crate) has_doc_strings: bool,
    /// Whether successive functions with one name are clauses of one declaration.
    pub(crate) has_clauses: bool,
}

impl NodeTable {
    pub(crate) const EMPTY: Self = Self {
        rules: &[],
        skipped: &[],
        wrappers: &[],
        prefixes: &[],
        prefix_texts: &[],
        comments: &["comment"],
        bodies: &["body"],
        member: DeclarationKind::Field,
        scopes: &[],
        constructors: &[],
        has_doc_strings: false,
        has_clauses: false,
    };
}

/// The names in a table, for the check against its grammar.
#[cfg(test)]
#[derive(Default)]
pub(crate) struct TableNames {
    pub(crate) nodes: Vec<&'static str>,
    pub(crate) fields: Vec<&'static str>,
    pub(crate) nodes_or_fields: Vec<&'static str>,
}

#[cfg(test)]
impl NodeTable {
    pub(crate) fn names(&self) -> TableNames {
        let mut names = TableNames::default();
        for rule in self.rules {
            names.nodes.extend(rule.parents.iter().copied().chain(rule.parent_token));
            if let Some((field, kinds)) = rule.condition {
                names.nodes.extend(kinds);
                match field.split_once('/') {
                    Some((kind, field)) => {
                        names.nodes.push(kind);
                        names.fields.push(field);
                    }
                    None => names.fields.extend(Some(field).filter(|field| !field.is_empty())),
                }
            }
            match rule.name {
                NameLocation::Field(field)
                | NameLocation::Fields(field)
                | NameLocation::Pattern(field)
                | NameLocation::Span(field) => names.fields.push(field),
                NameLocation::Child(kinds) => names.nodes.extend(kinds),
                NameLocation::Inside(kinds, inner) => {
                    names.nodes.extend(kinds);
                    names.nodes_or_fields.push(inner);
                }
                NameLocation::Token(token) => names.nodes.push(token),
                NameLocation::Declarators => names.fields.push("declarator"),
                NameLocation::Receiver => names.fields.extend(["name", "receiver", "type"]),
                NameLocation::MacroCall => names.fields.push("target"),
                NameLocation::Id => names.nodes.extend(["start_tag", "self_closing_tag", "attribute"]),
                NameLocation::Header | NameLocation::Whole => {}
            }
        }
        for kinds in [self.skipped, self.wrappers, self.prefixes, self.comments, self.scopes] {
            names.nodes.extend(kinds);
        }
        names.nodes_or_fields.extend(self.bodies);
        names
    }
}
