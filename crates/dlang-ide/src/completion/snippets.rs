//! Snippets: texts with placeholders.

use dlang_syntax::SyntaxKind::{self, *};

use super::context::CompletionContext;
use super::expected::ExpectedTokens;
use super::{Completion, CompletionKind};

/// A snippet. It is proposed where an entry of one of its blocks begins, if its word is allowed and the block does not
/// have the property yet.
pub(super) struct Snippet {
    blocks: &'static [SyntaxKind],
    word: SyntaxKind,
    /// The node that the block must not contain yet.
    absent: Option<SyntaxKind>,
    pub(super) label: &'static str,
    pub(super) text: &'static str,
}

const ELEMENTS: &[SyntaxKind] = &[MODEL, NAMESPACE_BODY];
const MODEL_ONLY: &[SyntaxKind] = &[MODEL];
const DOMAIN_ONLY: &[SyntaxKind] = &[DOMAIN_BODY];
const CONTEXT_ONLY: &[SyntaxKind] = &[CONTEXT_BODY];
const CONTEXT_MAP_ONLY: &[SyntaxKind] = &[CONTEXT_MAP_BODY];
const DOMAIN_MAP_ONLY: &[SyntaxKind] = &[DOMAIN_MAP_BODY];
const PROPERTIES: &[SyntaxKind] = &[DOMAIN_BODY, CONTEXT_BODY];

const fn element(word: SyntaxKind, label: &'static str, text: &'static str) -> Snippet {
    Snippet { blocks: ELEMENTS, word, absent: None, label, text }
}

const fn property(
    blocks: &'static [SyntaxKind],
    word: SyntaxKind,
    absent: SyntaxKind,
    label: &'static str,
    text: &'static str,
) -> Snippet {
    Snippet { blocks, word, absent: Some(absent), label, text }
}

const fn relationship(label: &'static str, text: &'static str) -> Snippet {
    Snippet { blocks: CONTEXT_MAP_ONLY, word: THIS_KW, absent: None, label, text }
}

/// All snippets, in the order of the proposals.
pub(super) static SNIPPETS: &[Snippet] = &[
    element(DOMAIN_KW, "Domain (simple)", "Domain ${1:Name} {\n    vision: \"${2:What it is there for}\"\n}"),
    element(
        DOMAIN_KW,
        "Domain (detailed)",
        "Domain ${1:Name} {\n    description: \"${2:What it is about}\"\n    vision: \"${3:What it is there for}\"\n    \
         type: ${4:ClassificationName}\n}",
    ),
    element(
        BOUNDED_CONTEXT_KW,
        "BoundedContext (simple)",
        "bc ${1:Name} for ${2:DomainName} as ${3:ClassificationName} by ${4:TeamName}",
    ),
    element(
        BOUNDED_CONTEXT_KW,
        "BoundedContext (detailed)",
        "BoundedContext ${1:Name} for ${2:DomainName} {\n    description: \"${3:What it is about}\"\n    \
         team: ${4:TeamName}\n    classification: ${5:ClassificationName}\n\n    terminology {\n        \
         term ${6:TermName}: \"${7:What it means}\"\n    }\n}",
    ),
    element(CONTEXT_MAP_KW, "ContextMap", "ContextMap ${1:Name} {\n    contains ${2:ContextA}, ${3:ContextB}\n}"),
    element(DOMAIN_MAP_KW, "DomainMap", "DomainMap ${1:Name} {\n    contains ${2:DomainA}, ${3:DomainB}\n}"),
    element(TEAM_KW, "Team", "Team ${1:Name}"),
    element(CLASSIFICATION_KW, "Classification", "Classification ${1:Name}"),
    element(METADATA_KW, "Metadata", "Metadata ${1:Key}"),
    element(NAMESPACE_KW, "Namespace", "Namespace ${1:Name} {\n    $0\n}"),
    Snippet {
        blocks: MODEL_ONLY,
        word: IMPORT_KW,
        absent: None,
        label: "import",
        text: "import \"${1:./file.dlang}\"",
    },
    property(PROPERTIES, DESCRIPTION_KW, DESCRIPTION_PROPERTY, "description", "description: \"${1:What it is about}\""),
    property(DOMAIN_ONLY, VISION_KW, VISION_PROPERTY, "vision", "vision: \"${1:What it is there for}\""),
    property(DOMAIN_ONLY, TYPE_KW, TYPE_PROPERTY, "type", "type: ${1:ClassificationName}"),
    property(CONTEXT_ONLY, TEAM_PROPERTY_KW, TEAM_PROPERTY, "team", "team: ${1:TeamName}"),
    property(
        CONTEXT_ONLY,
        CLASSIFICATION_PROPERTY_KW,
        CLASSIFICATION_PROPERTY,
        "classification",
        "classification: ${1:ClassificationName}",
    ),
    property(
        CONTEXT_ONLY,
        BUSINESS_MODEL_KW,
        BUSINESS_MODEL_PROPERTY,
        "businessModel",
        "businessModel: ${1:ClassificationName}",
    ),
    property(CONTEXT_ONLY, EVOLUTION_KW, EVOLUTION_PROPERTY, "evolution", "evolution: ${1:ClassificationName}"),
    property(CONTEXT_ONLY, ARCHETYPE_KW, ARCHETYPE_PROPERTY, "archetype", "archetype: ${1:ClassificationName}"),
    property(
        CONTEXT_ONLY,
        TERMINOLOGY_KW,
        TERMINOLOGY_BLOCK,
        "terminology",
        "terminology {\n    term ${1:TermName}: \"${2:What it means}\"\n}",
    ),
    property(
        CONTEXT_ONLY,
        DECISIONS_KW,
        DECISIONS_BLOCK,
        "decisions",
        "decisions {\n    decision ${1:Name}: \"${2:What was decided}\"\n}",
    ),
    property(
        CONTEXT_ONLY,
        RELATIONSHIPS_KW,
        RELATIONSHIPS_BLOCK,
        "relationships",
        "relationships {\n    this -> ${1:Context}\n}",
    ),
    property(
        CONTEXT_ONLY,
        METADATA_BLOCK_KW,
        METADATA_BLOCK,
        "metadata",
        "metadata {\n    ${1:Key}: \"${2:value}\"\n}",
    ),
    property(CONTEXT_MAP_ONLY, CONTAINS_KW, CONTAINS_CLAUSE, "contains", "contains ${1:ContextA}, ${2:ContextB}"),
    property(DOMAIN_MAP_ONLY, CONTAINS_KW, CONTAINS_CLAUSE, "contains", "contains ${1:DomainA}, ${2:DomainB}"),
    relationship("relationship (simple)", "${1:ContextA} -> ${2:ContextB}"),
    relationship(
        "relationship (with patterns)",
        "${1:ContextA} [${2|OHS,PL,ACL,CF,S,BBoM|}] -> [${3|CF,ACL,C,BBoM|}] ${4:ContextB}",
    ),
    relationship("relationship (symmetric)", "${1:ContextA} [${2|SK,P,SW|}] ${3:ContextB}"),
];

/// Returns the snippets for an offset where an entry begins on a line of its own or directly after a brace.
pub(super) fn snippets(context: &CompletionContext<'_>, expected: &ExpectedTokens) -> Vec<Completion> {
    let Some(block) = &expected.block else { return Vec::new() };
    let is_after_brace = context.previous().is_none_or(|token| matches!(token.kind(), L_CURLY | R_CURLY));
    if !context.is_first_on_line() && !is_after_brace {
        return Vec::new();
    }
    let is_for = |snippet: &&Snippet| {
        snippet.blocks.contains(&block.kind())
            && expected.words.contains(&snippet.word)
            && snippet.absent.is_none_or(|absent| block.children().all(|child| child.kind() != absent))
    };
    let snippets = SNIPPETS.iter().enumerate().filter(|(_, snippet)| is_for(snippet));
    let completion = |(number, snippet): (usize, &Snippet)| Completion {
        label: format!("⚡ {}", snippet.label),
        kind: CompletionKind::Snippet,
        detail: None,
        documentation: Some(format!("```domain-lang\n{}\n```", plain(snippet.text))),
        definition: None,
        filter: snippet.label.to_owned(),
        edit: context.edit(snippet.text),
        is_snippet: true,
        sort: format!("0_snippet_{number:02}"),
    };
    snippets.map(completion).collect()
}

/// Returns a snippet with its placeholders replaced by their default texts.
pub(super) fn plain(snippet: &str) -> String {
    let mut text = String::with_capacity(snippet.len());
    let mut rest = snippet;
    while let Some((before, placeholder)) = rest.split_once('$') {
        text.push_str(before);
        let (content, after) = match placeholder.strip_prefix('{').and_then(|it| it.split_once('}')) {
            Some(parts) => parts,
            // `$0` is the final position of the cursor.
            None => ("", placeholder.trim_start_matches(|digit: char| digit.is_ascii_digit())),
        };
        let content = content.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let value = match content.strip_prefix('|') {
            Some(choices) => choices.split([',', '|']).next(),
            None => content.strip_prefix(':'),
        };
        text.push_str(value.unwrap_or_default());
        rest = after;
    }
    text.push_str(rest);
    text
}
