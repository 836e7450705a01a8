//! Python (tree-sitter-python).

use crate::declaration::DeclarationKind::{Class, Function, TypeAlias, Variable};
use crate::rules::{NameLocation, NodeTable, Rule};

pub(crate) const TABLE: NodeTable = NodeTable {
    rules: &[
        Rule::new("class_definition", Class),
        Rule::new("function_definition", Function),
        Rule::new("assignment", Variable)
            .with_name(NameLocation::Pattern("left"))
            .with_parents(&["expression_statement"]),
        Rule::new("type_alias_statement", TypeAlias).with_name(NameLocation::Field("left")),
    ],
    skipped: &[
        "call",
        "dictionary",
        "list",
        "set",
        "string",
        "parameters",
        "argument_list",
        "comparison_operator",
        "import_statement",
        "import_from_statement",
        "type",
    ],
    wrappers: &["decorated_definition", "expression_statement"],
    prefixes: &["decorator"],
    member: Variable,
    has_doc_strings: true,
    ..NodeTable::EMPTY
};
