//! Rust (tree-sitter-rust).

use crate::declaration::DeclarationKind::{
    Constant, Enum, EnumMember, Field, Function, Implementation, Interface, Macro, Module, Struct, TypeAlias, Variable,
};
use crate::rules::{NameLocation, NodeTable, Rule};

pub(crate) const TABLE: NodeTable = NodeTable {
    rules: &[
        Rule::new("mod_item", Module),
        Rule::new("struct_item", Struct),
        Rule::new("union_item", Struct),
        Rule::new("enum_item", Enum),
        Rule::new("enum_variant", EnumMember),
        Rule::new("trait_item", Interface),
        Rule::new("impl_item", Implementation).with_name(NameLocation::Header),
        Rule::new("function_item", Function),
        Rule::new("function_signature_item", Function),
        Rule::new("field_declaration", Field),
        Rule::new("const_item", Constant),
        Rule::new("static_item", Variable),
        Rule::new("type_item", TypeAlias),
        Rule::new("associated_type", TypeAlias),
        Rule::new("macro_definition", Macro),
    ],
    skipped: &[
        "token_tree",
        "token_tree_pattern",
        "use_declaration",
        "call_expression",
        "struct_expression",
        "string_literal",
        "raw_string_literal",
        "parameters",
        "type_parameters",
        "where_clause",
    ],
    prefixes: &["attribute_item"],
    comments: &["line_comment", "block_comment"],
    ..NodeTable::EMPTY
};
