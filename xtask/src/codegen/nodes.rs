//! The typed tree: a struct for each node that occurs, an enum for each choice.

use std::fmt::Write as _;

use super::NOTICE;
use super::grammar::{Field, FieldType, Grammar, Node, Shape, kind};

pub(super) fn nodes(grammar: &Grammar) -> String {
    let mut text = format!(
        "//! The typed tree.\n//!\n//! {NOTICE}\n\n\
         use rowan::ast::{{AstChildren, AstNode, support}};\n\n\
         use crate::ast::{{HasName, StringToken, token_in, tokens_of}};\n\
         use crate::generated::kinds::SyntaxKind;\nuse crate::tree::{{DomainLang, SyntaxNode, SyntaxToken}};\n\n"
    );
    if let Some(root) = grammar.nodes.first() {
        let name = &root.name;
        _ = writeln!(
            text,
            "impl {name} {{\n/// The root of a tree, which always is one.\n\
             pub(crate) fn of(syntax: SyntaxNode) -> Self {{ Self {{ syntax }} }}\n}}\n"
        );
    }
    for node in &grammar.nodes {
        match &node.shape {
            Shape::Struct(fields) => structure(&mut text, node, fields),
            Shape::Enum(variants) => choice(&mut text, &node.name, variants),
        }
    }
    text
}

fn structure(text: &mut String, node: &Node, fields: &[Field]) {
    let (name, kind) = (&node.name, node.kind());
    _ = writeln!(
        text,
        "/// A node of kind [`SyntaxKind::{kind}`].\n#[derive(Debug, Clone, PartialEq, Eq, Hash)]\n\
         pub struct {name} {{ syntax: SyntaxNode }}\n\n\
         impl AstNode for {name} {{\n type Language = DomainLang;\n\
         fn can_cast(kind: SyntaxKind) -> bool {{ kind == SyntaxKind::{kind} }}\n\
         fn cast(syntax: SyntaxNode) -> Option<Self> {{ Self::can_cast(syntax.kind()).then_some(Self {{ syntax }}) }}\n\
         fn syntax(&self) -> &SyntaxNode {{ &self.syntax }}\n}}\n"
    );
    if fields.iter().any(|field| field.name == "name" && field.kind == FieldType::Node("Name".to_owned())) {
        _ = writeln!(text, "impl HasName for {name} {{}}\n");
    }
    let methods: String = fields.iter().map(method).collect();
    if !methods.is_empty() {
        _ = writeln!(text, "impl {name} {{\n{methods}}}\n");
    }
}

fn method(field: &Field) -> String {
    let Field { name, kind, many } = field;
    match (kind, many) {
        (FieldType::Node(node), true) => format!(
            "/// Its {} in the order of the text.\npub fn {name}(&self) -> AstChildren<{node}> {{ support::children(&self.syntax) }}\n",
            name.replace('_', " ")
        ),
        // The trait provides the accessor of a name.
        (FieldType::Node(node), false) if node == "Name" && name == "name" => String::new(),
        (FieldType::Node(node), false) => {
            format!(
                "/// Absent when it is not written.\npub fn {name}(&self) -> Option<{node}> {{ support::child(&self.syntax) }}\n"
            )
        }
        (FieldType::Ident, false) => {
            format!(
                "/// The identifier.\npub fn {name}(&self) -> Option<SyntaxToken> {{ support::token(&self.syntax, SyntaxKind::IDENT) }}\n"
            )
        }
        (FieldType::Ident, true) => format!(
            "/// The identifiers between the dots.\npub fn {name}(&self) -> impl Iterator<Item = SyntaxToken> + use<> {{ tokens_of(&self.syntax, SyntaxKind::IDENT) }}\n"
        ),
        (FieldType::String, false) => format!(
            "/// The string.\npub fn {name}(&self) -> Option<StringToken> {{ self.strings().next() }}\n{STRINGS}"
        ),
        (FieldType::String, true) => {
            format!(
                "/// The strings.\npub fn {name}(&self) -> impl Iterator<Item = StringToken> + use<> {{ self.strings() }}\n{STRINGS}"
            )
        }
        (FieldType::Tokens(kinds), _) => match kinds.as_slice() {
            [kind] => format!(
                "/// Its token of kind [`SyntaxKind::{kind}`].\npub fn {name}(&self) -> Option<SyntaxToken> {{ support::token(&self.syntax, SyntaxKind::{kind}) }}\n"
            ),
            kinds => {
                let kinds: Vec<_> = kinds.iter().map(|kind| format!("SyntaxKind::{kind}")).collect();
                format!(
                    "/// One of several tokens.\npub fn {name}(&self) -> Option<SyntaxToken> {{ token_in(&self.syntax, &[{}]) }}\n",
                    kinds.join(", ")
                )
            }
        },
    }
}

const STRINGS: &str = "fn strings(&self) -> impl Iterator<Item = StringToken> + use<> { tokens_of(&self.syntax, SyntaxKind::STRING).filter_map(StringToken::cast) }\n";

fn choice(text: &mut String, name: &str, variants: &[String]) {
    let mut list = String::new();
    let mut casts = String::new();
    let mut syntaxes = String::new();
    let mut conversions = String::new();
    for variant in variants {
        _ = writeln!(list, "/// A [`{variant}`].\n{variant}({variant}),");
        _ = writeln!(casts, "SyntaxKind::{} => Self::{variant}({variant} {{ syntax }}),", kind(variant));
        _ = writeln!(syntaxes, "Self::{variant}(it) => it.syntax(),");
        _ = writeln!(
            conversions,
            "impl From<{variant}> for {name} {{ fn from(node: {variant}) -> Self {{ Self::{variant}(node) }} }}\n"
        );
    }
    let kinds: Vec<_> = variants.iter().map(|variant| format!("SyntaxKind::{}", kind(variant))).collect();
    _ = writeln!(
        text,
        "/// One of several nodes.\n#[derive(Debug, Clone, PartialEq, Eq, Hash)]\npub enum {name} {{\n{list}}}\n\n\
         impl AstNode for {name} {{\n type Language = DomainLang;\n\
         fn can_cast(kind: SyntaxKind) -> bool {{ matches!(kind, {}) }}\n\
         fn cast(syntax: SyntaxNode) -> Option<Self> {{ Some(match syntax.kind() {{ {casts} _ => return None }}) }}\n\
         fn syntax(&self) -> &SyntaxNode {{ match self {{ {syntaxes} }} }}\n}}\n\n{conversions}",
        kinds.join(" | ")
    );
}
