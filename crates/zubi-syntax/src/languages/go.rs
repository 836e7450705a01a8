//! Go (tree-sitter-go).

use crate::declaration::DeclarationKind::{
    Class, Constant, Field, Function, Interface, Method, Struct, TypeAlias, Variable,
};
use crate::rules::{NameLocation, NodeTable, Rule};

pub(crate) const TABLE: NodeTable = NodeTable {
    rules: &[
        Rule::new("function_declaration", Function),
        Rule::new("method_declaration", Method).with_name(NameLocation::Receiver),
        Rule::new("type_spec", Struct).with_condition("type", &["struct_type"]),
        Rule::new("type_spec", Interface).with_condition("type", &["interface_type"]),
        Rule::new("type_spec", Class),
        Rule::new("type_alias", TypeAlias),
        Rule::new("field_declaration", Field).with_name(NameLocation::Fields("name")),
        Rule::new("method_elem", Method),
        Rule::new("const_spec", Constant).with_name(NameLocation::Fields("name")),
        Rule::new("var_spec", Variable).with_name(NameLocation::Fields("name")),
    ],
    skipped: &[
        "import_declaration",
        "call_expression",
        "composite_literal",
        "parameter_list",
        "type_parameter_list",
        "interpreted_string_literal",
        "raw_string_literal",
    ],
    wrappers: &["const_declaration", "var_declaration", "type_declaration"],
    ..NodeTable::EMPTY
};
