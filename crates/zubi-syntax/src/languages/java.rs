//! Java (tree-sitter-java).

use crate::declaration::DeclarationKind::{
    Class, Constant, Constructor, Enum, EnumMember, Field, Interface, Method, Package,
};
use crate::rules::{NameLocation, NodeTable, Rule};

pub(crate) const TABLE: NodeTable = NodeTable {
    rules: &[
        Rule::new("package_declaration", Package).with_name(NameLocation::Child(&["scoped_identifier", "identifier"])),
        Rule::new("class_declaration", Class),
        Rule::new("record_declaration", Class),
        Rule::new("interface_declaration", Interface),
        Rule::new("annotation_type_declaration", Interface),
        Rule::new("enum_declaration", Enum),
        Rule::new("enum_constant", EnumMember),
        Rule::new("constructor_declaration", Constructor),
        Rule::new("compact_constructor_declaration", Constructor),
        Rule::new("method_declaration", Method),
        Rule::new("annotation_type_element_declaration", Method),
        Rule::new("variable_declarator", Field).with_parents(&["field_declaration"]),
        Rule::new("variable_declarator", Constant).with_parents(&["constant_declaration"]),
    ],
    skipped: &["import_declaration", "method_invocation", "formal_parameters", "string_literal"],
    prefixes: &["annotation", "marker_annotation"],
    comments: &["line_comment", "block_comment"],
    wrappers: &["field_declaration", "constant_declaration"],
    ..NodeTable::EMPTY
};
