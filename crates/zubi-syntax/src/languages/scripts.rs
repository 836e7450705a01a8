//! Ruby, PHP, Bash, Lua and Elixir.

use crate::declaration::DeclarationKind::{
    Class, Constant, Enum, EnumMember, Function, Implementation, Interface, Macro, Method, Module, Namespace, Property,
    Variable,
};
use crate::rules::{NameLocation, NodeTable, Rule};

pub(crate) const RUBY: NodeTable = NodeTable {
    rules: &[
        Rule::new("module", Module),
        Rule::new("class", Class),
        Rule::new("singleton_class", Class).with_name(NameLocation::Header),
        Rule::new("method", Method),
        Rule::new("singleton_method", Method),
        Rule::new("alias", Method),
        Rule::new("assignment", Constant).with_name(NameLocation::Field("left")).with_condition("left", &["constant"]),
    ],
    skipped: &["argument_list", "method_parameters", "string", "hash", "array"],
    ..NodeTable::EMPTY
};

pub(crate) const PHP: NodeTable = NodeTable {
    rules: &[
        Rule::new("namespace_definition", Namespace),
        Rule::new("class_declaration", Class),
        Rule::new("interface_declaration", Interface),
        Rule::new("trait_declaration", Class),
        Rule::new("enum_declaration", Enum),
        Rule::new("enum_case", EnumMember),
        Rule::new("function_definition", Function),
        Rule::new("method_declaration", Method),
        Rule::new("property_element", Property),
        Rule::new("property_promotion_parameter", Property),
        Rule::new("const_element", Constant).with_name(NameLocation::Child(&["name"])),
    ],
    skipped: &["arguments", "array_creation_expression", "string", "encapsed_string"],
    prefixes: &["attribute_list"],
    constructors: &["__construct"],
    wrappers: &["property_declaration", "const_declaration"],
    ..NodeTable::EMPTY
};

pub(crate) const BASH: NodeTable = NodeTable {
    rules: &[
        Rule::new("function_definition", Function),
        Rule::new("variable_assignment", Variable).with_parents(&[
            "program",
            "declaration_command",
            "list",
            "if_statement",
        ]),
    ],
    skipped: &["command", "string", "raw_string", "heredoc_body"],
    wrappers: &["declaration_command"],
    ..NodeTable::EMPTY
};

pub(crate) const LUA: NodeTable = NodeTable {
    rules: &[
        Rule::new("function_declaration", Function),
        Rule::new("assignment_statement", Function)
            .with_name(NameLocation::Inside(&["variable_list"], "name"))
            .with_condition("expression_list/value", &["function_definition"]),
        Rule::new("assignment_statement", Variable).with_name(NameLocation::Inside(&["variable_list"], "name")),
        Rule::new("field", Function).with_condition("value", &["function_definition"]),
    ],
    // Not the arguments: `setmetatable(M, { __index = function() … end })`.
    skipped: &["parameters", "string"],
    scopes: &["function_definition"],
    wrappers: &["variable_declaration"],
    ..NodeTable::EMPTY
};

/// Elixir declares by calls of macros, whose names determine the kind.
pub(crate) const ELIXIR: NodeTable = NodeTable {
    rules: &[Rule::new("call", Function).with_name(NameLocation::MacroCall)],
    skipped: &["list", "map", "string", "charlist"],
    // The attributes about the next function (hexdocs.pm/elixir, `Module`); others are constants of the module.
    prefixes: &["unary_operator"],
    prefix_texts: &["@deprecated ", "@doc ", "@doc(", "@impl ", "@spec ", "@since "],
    ..NodeTable::EMPTY
};

/// Returns the kind of what one of Elixir's macros declares.
pub(crate) fn elixir_macro(name: &str) -> Option<crate::DeclarationKind> {
    Some(match name {
        "defmodule" => Module,
        "defprotocol" => Interface,
        "defimpl" => Implementation,
        "defmacro" | "defmacrop" => Macro,
        "def" | "defp" | "defguard" | "defguardp" | "defdelegate" => Function,
        _ => return None,
    })
}
