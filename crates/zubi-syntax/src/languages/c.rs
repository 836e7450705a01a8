//! C and C++ (tree-sitter-c, tree-sitter-cpp).

use crate::declaration::DeclarationKind::{
    Class, Enum, EnumMember, Field, Function, Interface, Macro, Namespace, Struct, TypeAlias, Variable,
};
use crate::rules::{NameLocation, NodeTable, Rule};

/// The nodes of both languages.
macro_rules! rules {
    ($($more:expr),* $(,)?) => {
        &[
            // Without a body, it is a use or a forward declaration.
            Rule::new("struct_specifier", Struct).with_condition("body", &["field_declaration_list"]),
            Rule::new("union_specifier", Struct).with_condition("body", &["field_declaration_list"]),
            Rule::new("enum_specifier", Enum).with_condition("body", &["enumerator_list"]),
            Rule::new("enumerator", EnumMember),
            Rule::new("function_definition", Function).with_name(NameLocation::Declarators),
            Rule::new("field_declaration", Field).with_name(NameLocation::Declarators),
            Rule::new("declaration", Variable).with_name(NameLocation::Declarators),
            Rule::new("type_definition", TypeAlias).with_name(NameLocation::Declarators),
            Rule::new("preproc_def", Macro),
            Rule::new("preproc_function_def", Macro),
            $($more),*
        ]
    };
}

const SKIPPED: &[&str] = &["call_expression", "initializer_list", "parameter_list", "string_literal", "preproc_arg"];

/// `extern "C"` before a declaration.
const WRAPPERS: &[&str] = &["linkage_specification"];

const PREFIXES: &[&str] = &["attribute_declaration", "attribute_specifier", "ms_declspec_modifier"];

pub(crate) const C: NodeTable =
    NodeTable { rules: rules![], skipped: SKIPPED, wrappers: WRAPPERS, prefixes: PREFIXES, ..NodeTable::EMPTY };

pub(crate) const CPP: NodeTable = NodeTable {
    rules: rules![
        Rule::new("class_specifier", Class).with_condition("body", &["field_declaration_list"]),
        Rule::new("namespace_definition", Namespace),
        Rule::new("namespace_alias_definition", Namespace),
        Rule::new("alias_declaration", TypeAlias),
        Rule::new("concept_definition", Interface),
    ],
    skipped: SKIPPED,
    wrappers: &["linkage_specification", "template_declaration"],
    prefixes: PREFIXES,
    ..NodeTable::EMPTY
};
