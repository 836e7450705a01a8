//! C#, Swift, Haskell, OCaml and SQL, whose grammars are large.

use crate::declaration::DeclarationKind::{
    Class, Constructor, Enum, EnumMember, Event, Field, Function, Implementation, Interface, Key, Method, Module,
    Namespace, Operator, Property, Struct, TypeAlias, Variable,
};
use crate::rules::{NameLocation, NodeTable, Rule};

pub(crate) const CSHARP: NodeTable = NodeTable {
    rules: &[
        Rule::new("namespace_declaration", Namespace),
        Rule::new("file_scoped_namespace_declaration", Namespace),
        Rule::new("class_declaration", Class),
        Rule::new("record_declaration", Class),
        Rule::new("struct_declaration", Struct),
        Rule::new("interface_declaration", Interface),
        Rule::new("enum_declaration", Enum),
        Rule::new("enum_member_declaration", EnumMember),
        Rule::new("delegate_declaration", Class),
        Rule::new("constructor_declaration", Constructor),
        Rule::new("destructor_declaration", Method),
        Rule::new("method_declaration", Method),
        Rule::new("local_function_statement", Function),
        Rule::new("operator_declaration", Operator).with_name(NameLocation::Field("operator")),
        Rule::new("conversion_operator_declaration", Operator).with_name(NameLocation::Field("type")),
        Rule::new("indexer_declaration", Property).with_name(NameLocation::Token("this")),
        Rule::new("property_declaration", Property),
        Rule::new("event_declaration", Event),
        Rule::new("variable_declarator", Field),
    ],
    skipped: &[
        "using_directive",
        "invocation_expression",
        "parameter_list",
        "attribute_list",
        "local_declaration_statement",
    ],
    prefixes: &["attribute_list"],
    wrappers: &["field_declaration", "event_field_declaration", "variable_declaration"],
    ..NodeTable::EMPTY
};

pub(crate) const SWIFT: NodeTable = NodeTable {
    rules: &[
        Rule::new("class_declaration", Struct).with_condition("declaration_kind", &["struct"]),
        Rule::new("class_declaration", Enum).with_condition("declaration_kind", &["enum"]),
        Rule::new("class_declaration", Implementation).with_condition("declaration_kind", &["extension"]),
        Rule::new("class_declaration", Class),
        Rule::new("protocol_declaration", Interface),
        Rule::new("enum_entry", EnumMember).with_name(NameLocation::Fields("name")),
        Rule::new("function_declaration", Function),
        Rule::new("protocol_function_declaration", Method),
        Rule::new("init_declaration", Constructor),
        Rule::new("deinit_declaration", Method).with_name(NameLocation::Token("deinit")),
        Rule::new("subscript_declaration", Method).with_name(NameLocation::Token("subscript")),
        Rule::new("property_declaration", Variable).with_name(NameLocation::Inside(&["pattern"], "bound_identifier")),
        Rule::new("protocol_property_declaration", Property)
            .with_name(NameLocation::Inside(&["pattern"], "bound_identifier")),
        Rule::new("typealias_declaration", TypeAlias),
        Rule::new("associatedtype_declaration", TypeAlias),
    ],
    skipped: &["import_declaration", "call_suffix", "line_string_literal", "user_type", "modifiers"],
    prefixes: &["attribute"],
    comments: &["comment", "multiline_comment"],
    member: Property,
    ..NodeTable::EMPTY
};

pub(crate) const HASKELL: NodeTable = NodeTable {
    rules: &[
        Rule::new("data_type", Enum),
        Rule::new("newtype", Struct),
        Rule::new("record", EnumMember).with_parents(&["data_constructor"]),
        Rule::new("prefix", EnumMember).with_parents(&["data_constructor"]),
        Rule::new("newtype_constructor", Constructor),
        Rule::new("field", Field).with_condition("name", &["field_name"]),
        Rule::new("type_synonym", TypeAlias),
        Rule::new("class", Interface),
        Rule::new("instance", Implementation).with_name(NameLocation::Header),
        Rule::new("function", Function).with_condition("name", &["variable", "prefix_id"]),
        Rule::new("bind", Function).with_condition("name", &["variable"]).with_parents(&["declarations"]),
        Rule::new("signature", Function).with_condition("name", &["variable", "prefix_id"]),
    ],
    skipped: &["imports", "match", "patterns", "type_params"],
    comments: &["comment", "haddock"],
    has_clauses: true,
    bodies: &["declarations", "match"],
    ..NodeTable::EMPTY
};

pub(crate) const OCAML: NodeTable = NodeTable {
    rules: &[
        Rule::new("let_binding", Function)
            .with_name(NameLocation::Field("pattern"))
            .with_parents(&["value_definition"])
            .with_condition("body", &["function_expression", "fun_expression"]),
        Rule::new("let_binding", Function)
            .with_name(NameLocation::Field("pattern"))
            .with_parents(&["value_definition"])
            .with_condition("", &["parameter"]),
        Rule::new("let_binding", Variable)
            .with_name(NameLocation::Field("pattern"))
            .with_parents(&["value_definition"]),
        Rule::new("type_binding", Struct).with_condition("body", &["record_declaration"]),
        Rule::new("type_binding", Enum).with_condition("body", &["variant_declaration"]),
        Rule::new("type_binding", TypeAlias),
        Rule::new("field_declaration", Field).with_name(NameLocation::Child(&["field_name"])),
        Rule::new("constructor_declaration", Event)
            .with_name(NameLocation::Child(&["constructor_name"]))
            .with_parents(&["exception_definition"]),
        Rule::new("constructor_declaration", EnumMember).with_name(NameLocation::Child(&["constructor_name"])),
        Rule::new("module_binding", Module).with_name(NameLocation::Child(&["module_name"])),
        Rule::new("module_type_definition", Interface).with_name(NameLocation::Child(&["module_type_name"])),
        Rule::new("value_specification", Function).with_name(NameLocation::Child(&["value_name"])),
        Rule::new("class_binding", Class).with_name(NameLocation::Child(&["class_name"])),
        Rule::new("method_definition", Method).with_name(NameLocation::Child(&["method_name"])),
        Rule::new("instance_variable_definition", Field).with_name(NameLocation::Child(&["instance_variable_name"])),
        Rule::new("external", Function).with_name(NameLocation::Child(&["value_name"])),
    ],
    skipped: &["application_expression", "string", "value_path"],
    wrappers: &["value_definition", "type_definition", "module_definition", "class_definition", "exception_definition"],
    ..NodeTable::EMPTY
};

/// SQL's statements declare tables, views and functions; columns are fields.
pub(crate) const SQL: NodeTable = NodeTable {
    rules: &[
        Rule::new("create_table", Struct).with_name(NameLocation::Child(&["object_reference"])),
        Rule::new("create_view", Struct).with_name(NameLocation::Child(&["object_reference"])),
        Rule::new("create_materialized_view", Struct).with_name(NameLocation::Child(&["object_reference"])),
        Rule::new("create_index", Key).with_name(NameLocation::Field("column")),
        Rule::new("create_function", Function).with_name(NameLocation::Child(&["object_reference"])),
        Rule::new("create_type", Enum).with_name(NameLocation::Child(&["object_reference"])),
        Rule::new("create_schema", Module).with_name(NameLocation::Child(&["identifier"])),
        Rule::new("create_sequence", Variable).with_name(NameLocation::Child(&["object_reference"])),
        Rule::new("create_trigger", Event).with_name(NameLocation::Child(&["object_reference"])),
        Rule::new("column_definition", Field),
    ],
    skipped: &["select", "from", "function_body"],
    wrappers: &["statement"],
    bodies: &[],
    ..NodeTable::EMPTY
};
