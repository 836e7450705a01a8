//! Data and texts: JSON, YAML, TOML, Markdown, HTML, CSS.

use crate::declaration::DeclarationKind::{Heading, Key, Module, Style};
use crate::rules::{NameLocation, NodeTable, Rule};

pub(crate) const JSON: NodeTable = NodeTable {
    rules: &[Rule::new("pair", Key).with_name(NameLocation::Field("key"))],
    bodies: &[],
    ..NodeTable::EMPTY
};

pub(crate) const YAML: NodeTable = NodeTable {
    rules: &[
        Rule::new("block_mapping_pair", Key).with_name(NameLocation::Field("key")),
        Rule::new("flow_pair", Key).with_name(NameLocation::Field("key")),
    ],
    bodies: &[],
    ..NodeTable::EMPTY
};

const KEYS: &[&str] = &["bare_key", "dotted_key", "quoted_key"];

pub(crate) const TOML: NodeTable = NodeTable {
    rules: &[
        Rule::new("table", Module).with_name(NameLocation::Child(KEYS)),
        Rule::new("table_array_element", Module).with_name(NameLocation::Child(KEYS)),
        Rule::new("pair", Key).with_name(NameLocation::Child(KEYS)),
    ],
    skipped: &["array", "string"],
    bodies: &[],
    ..NodeTable::EMPTY
};

pub(crate) const MARKDOWN: NodeTable = NodeTable {
    rules: &[
        Rule::new("atx_heading", Heading).with_name(NameLocation::Field("heading_content")),
        Rule::new("setext_heading", Heading).with_name(NameLocation::Field("heading_content")),
    ],
    skipped: &["paragraph", "fenced_code_block", "list", "pipe_table", "html_block"],
    comments: &[],
    bodies: &[],
    ..NodeTable::EMPTY
};

/// Elements with an id. A page has no other declarations.
pub(crate) const HTML: NodeTable = NodeTable {
    rules: &[Rule::new("element", Key).with_name(NameLocation::Id)],
    skipped: &["script_element", "style_element"],
    bodies: &[],
    ..NodeTable::EMPTY
};

pub(crate) const CSS: NodeTable = NodeTable {
    rules: &[
        Rule::new("rule_set", Style).with_name(NameLocation::Child(&["selectors"])),
        Rule::new("keyframes_statement", Style).with_name(NameLocation::Child(&["keyframes_name"])),
        Rule::new("media_statement", Module).with_name(NameLocation::Header),
        Rule::new("at_rule", Style).with_name(NameLocation::Header),
    ],
    skipped: &["declaration"],
    bodies: &["block", "keyframe_block_list"],
    ..NodeTable::EMPTY
};
