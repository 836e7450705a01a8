//! Kotlin and Scala (tree-sitter-kotlin-ng, tree-sitter-scala), whose grammars are large.

use crate::declaration::DeclarationKind::{
    Class, Constructor, Enum, EnumMember, Function, Interface, Module, Package, Property, TypeAlias, Variable,
};
use crate::rules::{NameLocation, NodeTable, Rule};

pub(crate) const KOTLIN: NodeTable = NodeTable {
    rules: &[
        Rule::new("package_header", Package).with_name(NameLocation::Child(&["qualified_identifier"])),
        Rule::new("class_declaration", Interface).with_condition("", &["interface"]),
        Rule::new("class_declaration", Enum).with_condition("", &["enum_class_body"]),
        Rule::new("class_declaration", Class),
        Rule::new("class_parameter", Property)
            .with_name(NameLocation::Child(&["identifier"]))
            .with_condition("", &["val", "var"]),
        Rule::new("object_declaration", Class),
        Rule::new("companion_object", Class),
        Rule::new("enum_entry", EnumMember).with_name(NameLocation::Child(&["identifier"])),
        Rule::new("function_declaration", Function),
        Rule::new("secondary_constructor", Constructor).with_name(NameLocation::Token("constructor")),
        Rule::new("property_declaration", Variable)
            .with_name(NameLocation::Inside(&["variable_declaration"], "identifier")),
        Rule::new("type_alias", TypeAlias).with_name(NameLocation::Child(&["identifier"])),
    ],
    skipped: &[
        "anonymous_initializer",
        "import",
        "value_arguments",
        "function_value_parameters",
        "string_literal",
        "user_type",
    ],
    prefixes: &["annotation"],
    comments: &["line_comment", "block_comment"],
    bodies: &["class_body", "function_body", "enum_class_body", "block"],
    member: Property,
    ..NodeTable::EMPTY
};

pub(crate) const SCALA: NodeTable = NodeTable {
    rules: &[
        Rule::new("package_clause", Package),
        Rule::new("class_definition", Class),
        Rule::new("object_definition", Module),
        Rule::new("package_object", Module),
        Rule::new("trait_definition", Interface),
        Rule::new("enum_definition", Enum),
        Rule::new("simple_enum_case", EnumMember),
        Rule::new("full_enum_case", EnumMember),
        Rule::new("function_definition", Function),
        Rule::new("function_declaration", Function),
        Rule::new("val_definition", Variable)
            .with_name(NameLocation::Field("pattern"))
            .with_condition("pattern", &["identifier"]),
        Rule::new("val_declaration", Variable),
        Rule::new("var_definition", Variable)
            .with_name(NameLocation::Field("pattern"))
            .with_condition("pattern", &["identifier"]),
        Rule::new("var_declaration", Variable),
        Rule::new("given_definition", Variable),
        Rule::new("type_definition", TypeAlias),
    ],
    skipped: &["import_declaration", "call_expression", "arguments", "parameters", "string", "type_arguments"],
    prefixes: &["annotation"],
    comments: &["comment", "block_comment"],
    ..NodeTable::EMPTY
};
