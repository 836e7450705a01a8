//! JavaScript and TypeScript (tree-sitter-javascript, tree-sitter-typescript).

use crate::declaration::DeclarationKind::{
    Class, Constant, Constructor, Enum, EnumMember, Field, Function, Interface, Method, Namespace, Property, TypeAlias,
    Variable,
};
use crate::rules::{NameLocation, NodeTable, Rule};

const FUNCTIONS: &[&str] = &["arrow_function", "function_expression", "generator_function"];

/// The rules of both languages, and more.
macro_rules! rules {
    ($($more:expr),* $(,)?) => {
        &[
            Rule::new("class_declaration", Class),
            Rule::new("class", Class),
            Rule::new("function_declaration", Function),
            Rule::new("generator_function_declaration", Function),
            Rule::new("method_definition", Method),
            Rule::new("variable_declarator", Function).with_condition("value", FUNCTIONS),
            Rule::new("variable_declarator", Class).with_condition("value", &["class"]),
            Rule::new("variable_declarator", Constant)
                .with_parent_token("const")
                .with_name(NameLocation::Pattern("name")),
            Rule::new("variable_declarator", Variable).with_name(NameLocation::Pattern("name")),
            Rule::new("assignment_expression", Function)
                .with_name(NameLocation::Field("left"))
                .with_parents(&["expression_statement"])
                .with_condition("right", FUNCTIONS),
            Rule::new("pair", Method).with_name(NameLocation::Field("key")).with_condition("value", FUNCTIONS),
            Rule::new("pair", Class).with_name(NameLocation::Field("key")).with_condition("value", &["class"]),
            // Plain data is not in the outline.
            Rule::new("pair", Property)
                .with_name(NameLocation::Field("key"))
                .with_condition("value", &["object"])
                .with_members(),
            $($more),*
        ]
    };
}

/// The nodes of both languages that are skipped, and more.
macro_rules! skipped {
    ($($more:literal),* $(,)?) => {
        &["import_statement", "template_string", "string", $($more),*]
    };
}

const WRAPPERS: &[&str] = &["export_statement", "lexical_declaration", "variable_declaration", "expression_statement"];

pub(crate) const JAVASCRIPT: NodeTable = NodeTable {
    rules: rules![Rule::new("field_definition", Field).with_name(NameLocation::Field("property"))],
    skipped: skipped!["jsx_element", "jsx_self_closing_element"],
    wrappers: WRAPPERS,
    prefixes: &["decorator"],
    scopes: FUNCTIONS,
    constructors: &["constructor"],
    ..NodeTable::EMPTY
};

pub(crate) const TYPESCRIPT: NodeTable = NodeTable {
    rules: rules![
        Rule::new("abstract_class_declaration", Class),
        Rule::new("interface_declaration", Interface),
        Rule::new("enum_declaration", Enum),
        Rule::new("enum_assignment", EnumMember),
        Rule::new("property_identifier", EnumMember).with_name(NameLocation::Whole).with_parents(&["enum_body"]),
        Rule::new("type_alias_declaration", TypeAlias),
        Rule::new("internal_module", Namespace),
        Rule::new("module", Namespace),
        Rule::new("function_signature", Function),
        Rule::new("abstract_method_signature", Method),
        Rule::new("method_signature", Method),
        Rule::new("construct_signature", Constructor).with_name(NameLocation::Token("new")),
        Rule::new("property_signature", Property),
        Rule::new("public_field_definition", Property),
        // A parameter of a constructor that declares a property.
        Rule::new("required_parameter", Property)
            .with_name(NameLocation::Field("pattern"))
            .with_condition("", &["accessibility_modifier", "override_modifier", "readonly"]),
    ],
    skipped: skipped!["type_annotation", "type_parameters", "class_heritage"],
    wrappers: &[
        "export_statement",
        "lexical_declaration",
        "variable_declaration",
        "ambient_declaration",
        "expression_statement",
    ],
    prefixes: &["decorator"],
    scopes: FUNCTIONS,
    constructors: &["constructor"],
    ..NodeTable::EMPTY
};

pub(crate) const TSX: NodeTable = NodeTable {
    skipped: skipped![
        "type_annotation",
        "type_parameters",
        "class_heritage",
        "jsx_element",
        "jsx_self_closing_element"
    ],
    ..TYPESCRIPT
};
