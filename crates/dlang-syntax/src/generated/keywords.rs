//! The table of reserved words and signs.
//!
//! Written by `cargo xtask codegen`; change `dlang.ungram` or `keywords.toml` instead.

use crate::SyntaxKind;
use crate::keywords::{Keyword, Role, Side, Sign};

/// Every reserved word.
pub static KEYWORDS: &[Keyword] = &[
    Keyword {
        kind: SyntaxKind::DOMAIN_KW,
        spellings: &["Domain", "dom"],
        role: Role::Declaration,
        doc: "Declares a domain: a sphere of knowledge or activity of the business, with its vision.",
    },
    Keyword {
        kind: SyntaxKind::BOUNDED_CONTEXT_KW,
        spellings: &["BoundedContext", "bc"],
        role: Role::Declaration,
        doc: "Declares a bounded context: the boundary inside which one model and one language hold.",
    },
    Keyword {
        kind: SyntaxKind::TEAM_KW,
        spellings: &["Team"],
        role: Role::Declaration,
        doc: "Declares a team that can be responsible for bounded contexts.",
    },
    Keyword {
        kind: SyntaxKind::CLASSIFICATION_KW,
        spellings: &["Classification"],
        role: Role::Declaration,
        doc: "Declares a label for domains, bounded contexts and decisions, such as `Core` or `Supporting`.",
    },
    Keyword {
        kind: SyntaxKind::METADATA_KW,
        spellings: &["Metadata"],
        role: Role::Declaration,
        doc: "Declares a key that `metadata` blocks of bounded contexts give values to.",
    },
    Keyword {
        kind: SyntaxKind::CONTEXT_MAP_KW,
        spellings: &["ContextMap", "cmap"],
        role: Role::Declaration,
        doc: "Declares a context map: bounded contexts and the relationships between them.",
    },
    Keyword {
        kind: SyntaxKind::DOMAIN_MAP_KW,
        spellings: &["DomainMap", "dmap"],
        role: Role::Declaration,
        doc: "Declares a domain map: a set of domains that are looked at together.",
    },
    Keyword {
        kind: SyntaxKind::NAMESPACE_KW,
        spellings: &["Namespace", "ns"],
        role: Role::Declaration,
        doc: "Groups elements under a name that becomes part of their fully qualified names.",
    },
    Keyword {
        kind: SyntaxKind::IMPORT_KW,
        spellings: &["import", "Import"],
        role: Role::Import,
        doc: "Makes the elements of another file or package visible in this file.",
    },
    Keyword {
        kind: SyntaxKind::IN_KW,
        spellings: &["in"],
        role: Role::Clause,
        doc: "Names the domain that a domain is part of.",
    },
    Keyword {
        kind: SyntaxKind::FOR_KW,
        spellings: &["for"],
        role: Role::Clause,
        doc: "Names the domain that a bounded context belongs to.",
    },
    Keyword {
        kind: SyntaxKind::AS_KW,
        spellings: &["as"],
        role: Role::Clause,
        doc: "Names the classification of a bounded context, or the alias of an import.",
    },
    Keyword {
        kind: SyntaxKind::BY_KW,
        spellings: &["by"],
        role: Role::Clause,
        doc: "Names the team that is responsible for a bounded context.",
    },
    Keyword {
        kind: SyntaxKind::DESCRIPTION_KW,
        spellings: &["description"],
        role: Role::Property,
        doc: "Says in a sentence what a domain or bounded context is about.",
    },
    Keyword {
        kind: SyntaxKind::VISION_KW,
        spellings: &["vision"],
        role: Role::Property,
        doc: "Says what a domain is there for, and where it is to go.",
    },
    Keyword {
        kind: SyntaxKind::TYPE_KW,
        spellings: &["type"],
        role: Role::Property,
        doc: "Gives a domain its classification.",
    },
    Keyword {
        kind: SyntaxKind::CLASSIFICATION_PROPERTY_KW,
        spellings: &["classification"],
        role: Role::Property,
        doc: "Gives a bounded context its classification; what its header says with `as` comes first.",
    },
    Keyword {
        kind: SyntaxKind::TEAM_PROPERTY_KW,
        spellings: &["team"],
        role: Role::Property,
        doc: "Gives a bounded context its team; what its header says with `by` comes first.",
    },
    Keyword {
        kind: SyntaxKind::BUSINESS_MODEL_KW,
        spellings: &["businessModel"],
        role: Role::Property,
        doc: "Classifies how a bounded context earns or saves money.",
    },
    Keyword {
        kind: SyntaxKind::EVOLUTION_KW,
        spellings: &["evolution"],
        role: Role::Property,
        doc: "Classifies how mature a bounded context is, from genesis to commodity.",
    },
    Keyword {
        kind: SyntaxKind::ARCHETYPE_KW,
        spellings: &["archetype"],
        role: Role::Property,
        doc: "Classifies the kind of work a bounded context does, such as a gateway or an engine.",
    },
    Keyword {
        kind: SyntaxKind::METADATA_BLOCK_KW,
        spellings: &["metadata", "meta"],
        role: Role::Block,
        doc: "Gives values to declared metadata keys.",
    },
    Keyword {
        kind: SyntaxKind::RELATIONSHIPS_KW,
        spellings: &["relationships", "integrations"],
        role: Role::Block,
        doc: "Lists how a bounded context is integrated with others; `this` is the context itself.",
    },
    Keyword {
        kind: SyntaxKind::TERMINOLOGY_KW,
        spellings: &["terminology", "glossary"],
        role: Role::Block,
        doc: "Lists the terms of a bounded context's language.",
    },
    Keyword {
        kind: SyntaxKind::DECISIONS_KW,
        spellings: &["decisions", "rules"],
        role: Role::Block,
        doc: "Lists the decisions, policies and business rules of a bounded context.",
    },
    Keyword {
        kind: SyntaxKind::TERM_KW,
        spellings: &["term", "Term"],
        role: Role::Item,
        doc: "Defines a term, with its meaning, its synonyms and examples.",
    },
    Keyword {
        kind: SyntaxKind::DECISION_KW,
        spellings: &["decision", "Decision"],
        role: Role::Item,
        doc: "Records a decision that was taken, with the reason or the choice as its text.",
    },
    Keyword {
        kind: SyntaxKind::POLICY_KW,
        spellings: &["policy", "Policy"],
        role: Role::Item,
        doc: "Records a policy: what is done whenever something happens.",
    },
    Keyword {
        kind: SyntaxKind::RULE_KW,
        spellings: &["rule", "Rule"],
        role: Role::Item,
        doc: "Records a business rule: what always holds.",
    },
    Keyword {
        kind: SyntaxKind::AKA_KW,
        spellings: &["aka", "synonyms"],
        role: Role::List,
        doc: "Lists other names of a term.",
    },
    Keyword {
        kind: SyntaxKind::EXAMPLES_KW,
        spellings: &["examples"],
        role: Role::List,
        doc: "Lists examples of a term.",
    },
    Keyword {
        kind: SyntaxKind::CONTAINS_KW,
        spellings: &["contains"],
        role: Role::List,
        doc: "Lists what a map shows: bounded contexts in a context map, domains in a domain map.",
    },
    Keyword {
        kind: SyntaxKind::IS_KW,
        spellings: &["is"],
        role: Role::Assignment,
        doc: "Stands between a property and its value, as `:` and `=` do.",
    },
    Keyword {
        kind: SyntaxKind::THIS_KW,
        spellings: &["this"],
        role: Role::Reference,
        doc: "The bounded context that contains the relationship.",
    },
    Keyword {
        kind: SyntaxKind::OPEN_HOST_SERVICE_KW,
        spellings: &["OpenHostService", "OHS"],
        role: Role::Pattern(Side::Upstream),
        doc: "Open Host Service: the upstream side offers one well-documented protocol to everybody.",
    },
    Keyword {
        kind: SyntaxKind::PUBLISHED_LANGUAGE_KW,
        spellings: &["PublishedLanguage", "PL"],
        role: Role::Pattern(Side::Upstream),
        doc: "Published Language: the upstream side exchanges data in a documented, shared format.",
    },
    Keyword {
        kind: SyntaxKind::SUPPLIER_KW,
        spellings: &["Supplier", "S"],
        role: Role::Pattern(Side::Upstream),
        doc: "Supplier: the upstream side plans with the needs of its customer.",
    },
    Keyword {
        kind: SyntaxKind::CUSTOMER_KW,
        spellings: &["Customer", "C"],
        role: Role::Pattern(Side::Downstream),
        doc: "Customer: the downstream side has a say in what its supplier does.",
    },
    Keyword {
        kind: SyntaxKind::CONFORMIST_KW,
        spellings: &["Conformist", "CF"],
        role: Role::Pattern(Side::Downstream),
        doc: "Conformist: the downstream side takes over the upstream model as it is.",
    },
    Keyword {
        kind: SyntaxKind::ANTI_CORRUPTION_LAYER_KW,
        spellings: &["AntiCorruptionLayer", "ACL"],
        role: Role::Pattern(Side::Downstream),
        doc: "Anti-Corruption Layer: the downstream side translates, so that the upstream model stays outside.",
    },
    Keyword {
        kind: SyntaxKind::BIG_BALL_OF_MUD_KW,
        spellings: &["BigBallOfMud", "BBoM"],
        role: Role::Pattern(Side::Either),
        doc: "Big Ball of Mud: a side without clear boundaries or a consistent model.",
    },
    Keyword {
        kind: SyntaxKind::SHARED_KERNEL_KW,
        spellings: &["SharedKernel", "SK"],
        role: Role::Pattern(Side::Symmetric),
        doc: "Shared Kernel: both sides share a small part of the model and change it only together.",
    },
    Keyword {
        kind: SyntaxKind::PARTNERSHIP_KW,
        spellings: &["Partnership", "P"],
        role: Role::Pattern(Side::Symmetric),
        doc: "Partnership: both sides plan together and succeed or fail together.",
    },
    Keyword {
        kind: SyntaxKind::SEPARATE_WAYS_KW,
        spellings: &["SeparateWays", "SW"],
        role: Role::Pattern(Side::Symmetric),
        doc: "Separate Ways: the two sides decided not to integrate.",
    },
];

/// Every bracket, separator and arrow.
pub static SIGNS: &[Sign] = &[
    Sign { kind: SyntaxKind::L_CURLY, text: "{", doc: "" },
    Sign { kind: SyntaxKind::R_CURLY, text: "}", doc: "" },
    Sign { kind: SyntaxKind::L_BRACK, text: "[", doc: "" },
    Sign { kind: SyntaxKind::R_BRACK, text: "]", doc: "" },
    Sign { kind: SyntaxKind::COMMA, text: ",", doc: "" },
    Sign { kind: SyntaxKind::DOT, text: ".", doc: "" },
    Sign { kind: SyntaxKind::COLON, text: ":", doc: "Stands between a property and its value." },
    Sign { kind: SyntaxKind::EQ, text: "=", doc: "Stands between a property and its value, as `:` does." },
    Sign {
        kind: SyntaxKind::BOTH_ARROW,
        text: "<->",
        doc: "Both sides influence each other: neither is upstream alone.",
    },
    Sign { kind: SyntaxKind::RIGHT_ARROW, text: "->", doc: "The left side is upstream, the right side downstream." },
    Sign { kind: SyntaxKind::LEFT_ARROW, text: "<-", doc: "The right side is upstream, the left side downstream." },
    Sign { kind: SyntaxKind::APART_ARROW, text: "><", doc: "Separate ways: the two sides decided not to integrate." },
];
