//! Dart and Zig.

use crate::declaration::DeclarationKind::{
    Class, Constructor, Enum, EnumMember, Field, Function, Implementation, Operator, Property, Struct, TypeAlias,
    Variable,
};
use crate::rules::{NameLocation, NodeTable, Rule};

pub(crate) const DART: NodeTable = NodeTable {
    rules: &[
        Rule::new("class_declaration", Class),
        Rule::new("mixin_declaration", Class),
        Rule::new("extension_declaration", Implementation),
        Rule::new("extension_type_declaration", Class),
        Rule::new("enum_declaration", Enum),
        Rule::new("enum_entry", EnumMember),
        Rule::new("type_alias", TypeAlias).with_name(NameLocation::Child(&["type_identifier"])),
        Rule::new("function_signature", Function),
        Rule::new("getter_signature", Property),
        Rule::new("setter_signature", Property),
        Rule::new("operator_signature", Operator).with_name(NameLocation::Field("operator")),
        Rule::new("constructor_signature", Constructor).with_name(NameLocation::Span("name")),
        Rule::new("constant_constructor_signature", Constructor).with_name(NameLocation::Span("name")),
        Rule::new("factory_constructor_signature", Constructor).with_name(NameLocation::Span("name")),
        Rule::new("redirecting_factory_constructor_signature", Constructor).with_name(NameLocation::Span("name")),
        Rule::new("static_final_declaration", Variable),
        Rule::new("initialized_identifier", Variable),
    ],
    skipped: &["import_or_export", "arguments", "formal_parameter_list", "string_literal", "type"],
    prefixes: &["annotation"],
    comments: &["comment", "documentation_comment"],
    wrappers: &[
        "method_signature",
        "method_declaration",
        "function_declaration",
        "getter_declaration",
        "setter_declaration",
        "local_function_declaration",
        "declaration",
        "member_declaration",
        "initialized_identifier_list",
        "static_final_declaration_list",
        "top_level_variable_declaration",
    ],
    bodies: &["body", "function_body"],
    ..NodeTable::EMPTY
};

pub(crate) const ZIG: NodeTable = NodeTable {
    rules: &[
        Rule::new("function_declaration", Function),
        Rule::new("variable_declaration", Struct)
            .with_name(NameLocation::Child(&["identifier"]))
            .with_condition("", &["struct_declaration", "union_declaration", "opaque_declaration"]),
        Rule::new("variable_declaration", Enum)
            .with_name(NameLocation::Child(&["identifier"]))
            .with_condition("", &["enum_declaration", "error_set_declaration"]),
        Rule::new("variable_declaration", Variable).with_name(NameLocation::Child(&["identifier"])),
        Rule::new("container_field", EnumMember).with_parents(&["enum_declaration"]),
        Rule::new("container_field", Field),
        Rule::new("test_declaration", Function).with_name(NameLocation::Child(&["string"])),
    ],
    skipped: &["builtin_function", "call_expression", "parameters", "string"],
    ..NodeTable::EMPTY
};
