//! The grammars with their tables.

use std::sync::OnceLock;

use crate::languages;
use crate::rules::{NodeTable, Rule};

/// The treatment of one kind of node.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeAction {
    /// The rules for the node, in the table's order.
    pub(crate) rules: Vec<&'static Rule>,
    /// Whether the extraction does not descend into it.
    pub(crate) is_skipped: bool,
    pub(crate) is_comment: bool,
    /// Whether it is an annotation that belongs to the declaration after it.
    pub(crate) is_prefix: bool,
    /// Whether the values in it are local.
    pub(crate) is_scope: bool,
    /// Whether it belongs to the declaration in it.
    pub(crate) is_wrapper: bool,
}

/// A table by the grammar's numbers of node kinds.
#[derive(Debug)]
pub(crate) struct CompiledTable {
    pub(crate) table: NodeTable,
    actions: Vec<NodeAction>,
    other: NodeAction,
}

impl CompiledTable {
    fn new(table: NodeTable, language: &tree_sitter::Language) -> Self {
        let mut actions = vec![NodeAction::default(); language.node_kind_count()];
        for (id, action) in (0..).zip(&mut actions) {
            let kind = language.node_kind_for_id(id).filter(|_| language.node_kind_is_named(id));
            let Some(kind) = kind else { continue };
            *action = NodeAction {
                rules: table.rules.iter().filter(|rule| rule.node == kind).collect(),
                is_skipped: table.skipped.contains(&kind),
                is_comment: table.comments.contains(&kind),
                is_prefix: table.prefixes.contains(&kind),
                is_scope: table.scopes.contains(&kind),
                is_wrapper: table.wrappers.contains(&kind),
            };
        }
        Self { table, actions, other: NodeAction::default() }
    }

    /// Returns the treatment of a node by the number of its kind.
    pub(crate) fn action(&self, kind_id: u16) -> &NodeAction {
        // The node of a syntax error has a number of its own.
        self.actions.get(usize::from(kind_id)).unwrap_or(&self.other)
    }
}

/// A grammar with its table, which is compiled when it is first needed.
#[derive(Debug)]
pub(crate) struct Grammar {
    language: fn() -> tree_sitter::Language,
    pub(crate) table: NodeTable,
    compiled: OnceLock<CompiledTable>,
}

impl Grammar {
    const fn new(language: fn() -> tree_sitter::Language, table: NodeTable) -> Self {
        Self { language, table, compiled: OnceLock::new() }
    }

    pub(crate) fn language(&self) -> tree_sitter::Language {
        (self.language)()
    }

    pub(crate) fn compiled_table(&self) -> &CompiledTable {
        self.compiled.get_or_init(|| CompiledTable::new(self.table, &self.language()))
    }
}

macro_rules! grammars {
    ($($(#[$attribute:meta])* $name:ident = $language:expr, $table:expr;)*) => {
        $(
            $(#[$attribute])*
            pub(crate) static $name: Grammar = Grammar::new(|| $language.into(), $table);
        )*
    };
}

grammars! {
    BASH = tree_sitter_bash::LANGUAGE, languages::scripts::BASH;
    C = tree_sitter_c::LANGUAGE, languages::c::C;
    CPP = tree_sitter_cpp::LANGUAGE, languages::c::CPP;
    CSS = tree_sitter_css::LANGUAGE, languages::data::CSS;
    DART = tree_sitter_dart::LANGUAGE, languages::others::DART;
    ELIXIR = tree_sitter_elixir::LANGUAGE, languages::scripts::ELIXIR;
    GO = tree_sitter_go::LANGUAGE, languages::go::TABLE;
    HTML = tree_sitter_html::LANGUAGE, languages::data::HTML;
    JAVA = tree_sitter_java::LANGUAGE, languages::java::TABLE;
    JAVASCRIPT = tree_sitter_javascript::LANGUAGE, languages::javascript::JAVASCRIPT;
    JSON = tree_sitter_json::LANGUAGE, languages::data::JSON;
    LUA = tree_sitter_lua::LANGUAGE, languages::scripts::LUA;
    MARKDOWN = tree_sitter_md::LANGUAGE, languages::data::MARKDOWN;
    PHP = tree_sitter_php::LANGUAGE_PHP, languages::scripts::PHP;
    PYTHON = tree_sitter_python::LANGUAGE, languages::python::TABLE;
    RUBY = tree_sitter_ruby::LANGUAGE, languages::scripts::RUBY;
    RUST = tree_sitter_rust::LANGUAGE, languages::rust::TABLE;
    TOML = tree_sitter_toml_ng::LANGUAGE, languages::data::TOML;
    TSX = tree_sitter_typescript::LANGUAGE_TSX, languages::javascript::TSX;
    TYPESCRIPT = tree_sitter_typescript::LANGUAGE_TYPESCRIPT, languages::javascript::TYPESCRIPT;
    YAML = tree_sitter_yaml::LANGUAGE, languages::data::YAML;
    ZIG = tree_sitter_zig::LANGUAGE, languages::others::ZIG;
    #[cfg(feature = "heavy")]
    CSHARP = tree_sitter_c_sharp::LANGUAGE, languages::heavy::CSHARP;
    #[cfg(feature = "heavy")]
    HASKELL = tree_sitter_haskell::LANGUAGE, languages::heavy::HASKELL;
    #[cfg(feature = "heavy")]
    KOTLIN = tree_sitter_kotlin_ng::LANGUAGE, languages::jvm::KOTLIN;
    #[cfg(feature = "heavy")]
    OCAML = tree_sitter_ocaml::LANGUAGE_OCAML, languages::heavy::OCAML;
    #[cfg(feature = "heavy")]
    OCAML_INTERFACE = tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE, languages::heavy::OCAML;
    #[cfg(feature = "heavy")]
    SCALA = tree_sitter_scala::LANGUAGE, languages::jvm::SCALA;
    #[cfg(feature = "heavy")]
    SQL = tree_sitter_sequel::LANGUAGE, languages::heavy::SQL;
    #[cfg(feature = "heavy")]
    SWIFT = tree_sitter_swift::LANGUAGE, languages::heavy::SWIFT;
}
