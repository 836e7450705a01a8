//! Reads the grammar and lowers it for a typed tree: each node has children that occur once or many times.

use anyhow::{Context as _, Result, bail};
use ungrammar::Rule;

use super::keywords::Words;

pub(super) struct Grammar {
    pub(super) nodes: Vec<Node>,
}

impl Grammar {
    /// The nodes that occur in trees.
    pub(super) fn structs(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| matches!(node.shape, Shape::Struct(_)))
    }
}

pub(super) struct Node {
    pub(super) name: String,
    pub(super) shape: Shape,
}

impl Node {
    /// The name of the node's kind, such as `DOMAIN_TERM` for `DomainTerm`.
    pub(super) fn kind(&self) -> String {
        kind(&self.name)
    }
}

pub(super) fn kind(name: &str) -> String {
    snake(name).to_ascii_uppercase()
}

pub(super) enum Shape {
    /// A choice between nodes.
    Enum(Vec<String>),
    Struct(Vec<Field>),
}

pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: FieldType,
    pub(super) many: bool,
}

#[derive(PartialEq, Eq)]
pub(super) enum FieldType {
    Node(String),
    Ident,
    String,
    /// A token of one of these kinds.
    Tokens(Vec<String>),
}

pub(super) fn read(text: &str, words: &Words) -> Result<Grammar> {
    let grammar: ungrammar::Grammar = text.parse().map_err(|error| anyhow::anyhow!("dlang.ungram: {error}"))?;
    let nodes = grammar.iter().map(|node| {
        let data = &grammar[node];
        Ok(Node { name: data.name.clone(), shape: shape(&grammar, &data.rule, words)? })
    });
    Ok(Grammar { nodes: nodes.collect::<Result<_>>()? })
}

fn shape(grammar: &ungrammar::Grammar, rule: &Rule, words: &Words) -> Result<Shape> {
    if let Rule::Alt(rules) = rule {
        let names: Option<Vec<_>> = rules
            .iter()
            .map(|rule| if let Rule::Node(node) = rule { Some(grammar[*node].name.clone()) } else { None })
            .collect();
        return names.map(Shape::Enum).context("an alternative of dlang.ungram is not made of nodes only");
    }
    let mut fields = Vec::new();
    collect(grammar, rule, words, None, false, &mut fields)?;
    Ok(Shape::Struct(by_hand(fields)))
}

/// Removes node fields of the same type, which the type cannot distinguish; their accessors are written by hand.
fn by_hand(fields: Vec<Field>) -> Vec<Field> {
    let twice: Vec<_> = fields
        .iter()
        .map(|field| {
            let count = fields.iter().filter(|other| other.kind == field.kind).count();
            count > 1 && matches!(field.kind, FieldType::Node(_))
        })
        .collect();
    fields.into_iter().zip(twice).filter(|(_, twice)| !twice).map(|(field, _)| field).collect()
}

fn collect(
    grammar: &ungrammar::Grammar,
    rule: &Rule,
    words: &Words,
    label: Option<&str>,
    many: bool,
    fields: &mut Vec<Field>,
) -> Result<()> {
    let mut add = |name: String, kind: FieldType| match fields.iter_mut().find(|field| field.name == name) {
        Some(field) => {
            field.many = field.many || kind != FieldType::Tokens(Vec::new()) && !matches!(kind, FieldType::Tokens(_));
        }
        None => fields.push(Field { name, kind, many }),
    };
    match rule {
        Rule::Labeled { label, rule } => {
            if let Some(kinds) = alternatives(grammar, rule, words) {
                add(format!("{label}_token"), FieldType::Tokens(kinds?));
                return Ok(());
            }
            collect(grammar, rule, words, Some(label), many, fields)
        }
        Rule::Node(node) => {
            let name = &grammar[*node].name;
            add(label.map_or_else(|| snake(name), str::to_owned), FieldType::Node(name.clone()));
            Ok(())
        }
        Rule::Token(token) => {
            match grammar[*token].name.as_str() {
                "#ident" => add(label.unwrap_or("ident_token").to_owned(), FieldType::Ident),
                "#string" => add(label.unwrap_or("string").to_owned(), FieldType::String),
                // Separators have no field.
                "," | "." => {}
                text => {
                    let kind =
                        words.kind(text).with_context(|| format!("dlang.ungram: no keyword or sign `{text}`"))?;
                    let name = label.map_or_else(|| token_name(kind), |label| format!("{label}_token"));
                    add(name, FieldType::Tokens(vec![kind.to_owned()]));
                }
            }
            Ok(())
        }
        Rule::Seq(rules) | Rule::Alt(rules) => {
            rules.iter().try_for_each(|rule| collect(grammar, rule, words, label, many, fields))
        }
        Rule::Opt(rule) => collect(grammar, rule, words, label, many, fields),
        Rule::Rep(rule) => collect(grammar, rule, words, label, true, fields),
    }
}

/// The kinds of the tokens, if the rule is a choice between tokens.
fn alternatives(grammar: &ungrammar::Grammar, rule: &Rule, words: &Words) -> Option<Result<Vec<String>>> {
    let Rule::Alt(rules) = rule else { return None };
    let kinds = rules.iter().map(|rule| match rule {
        Rule::Token(token) => match words.kind(&grammar[*token].name) {
            Some(kind) => Ok(kind.to_owned()),
            None => bail!("dlang.ungram: no keyword or sign `{}`", grammar[*token].name),
        },
        _ => bail!("dlang.ungram: a labelled choice must be between tokens"),
    });
    Some(kinds.collect())
}

/// The field name of a token. The keyword of a declaration, property or block is `keyword_token`, whatever it is.
fn token_name(kind: &str) -> String {
    match kind {
        "AS_KW" | "IN_KW" | "FOR_KW" | "BY_KW" => {
            format!("{}_token", kind.trim_end_matches("_KW").to_ascii_lowercase())
        }
        _ if kind.ends_with("_KW") => "keyword_token".to_owned(),
        _ => format!("{}_token", kind.to_ascii_lowercase()),
    }
}

/// Converts `DomainTerm` to `domain_term`.
pub(super) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (index, character) in name.chars().enumerate() {
        if character.is_ascii_uppercase() && index > 0 {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}
