//! The kinds of tokens and nodes.
//!
//! Written by `cargo xtask codegen`; change `dlang.ungram` or `keywords.toml` instead.

/// The kind of a token or node. A kind of keyword is a meaning: `Domain` and `dom` are one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(non_camel_case_types, reason = "the customary spelling for kinds, which distinguishes them from types")]
#[repr(u16)]
pub enum SyntaxKind {
    /// The end of the input, as the parser sees it; never in a tree.
    EOF,
    /// Blanks and line ends, and a byte order mark.
    WHITESPACE,
    /// `// …`
    LINE_COMMENT,
    /// `/* … */`
    BLOCK_COMMENT,
    /// `/** … */`
    DOC_COMMENT,
    /// Characters that no token begins with; the lexer has reported them.
    UNKNOWN,
    /// An identifier, or a reserved word where the grammar allows only a name.
    IDENT,
    /// A string with its quotes; the last may be missing, which the lexer has reported.
    STRING,
    /// `{`
    L_CURLY,
    /// `}`
    R_CURLY,
    /// `[`
    L_BRACK,
    /// `]`
    R_BRACK,
    /// `,`
    COMMA,
    /// `.`
    DOT,
    /// `:`
    COLON,
    /// `=`
    EQ,
    /// `<->`
    BOTH_ARROW,
    /// `->`
    RIGHT_ARROW,
    /// `<-`
    LEFT_ARROW,
    /// `><`
    APART_ARROW,
    /// `Domain` or `dom`
    DOMAIN_KW,
    /// `BoundedContext` or `bc`
    BOUNDED_CONTEXT_KW,
    /// `Team`
    TEAM_KW,
    /// `Classification`
    CLASSIFICATION_KW,
    /// `Metadata`
    METADATA_KW,
    /// `ContextMap` or `cmap`
    CONTEXT_MAP_KW,
    /// `DomainMap` or `dmap`
    DOMAIN_MAP_KW,
    /// `Namespace` or `ns`
    NAMESPACE_KW,
    /// `import` or `Import`
    IMPORT_KW,
    /// `in`
    IN_KW,
    /// `for`
    FOR_KW,
    /// `as`
    AS_KW,
    /// `by`
    BY_KW,
    /// `description`
    DESCRIPTION_KW,
    /// `vision`
    VISION_KW,
    /// `type`
    TYPE_KW,
    /// `classification`
    CLASSIFICATION_PROPERTY_KW,
    /// `team`
    TEAM_PROPERTY_KW,
    /// `businessModel`
    BUSINESS_MODEL_KW,
    /// `evolution`
    EVOLUTION_KW,
    /// `archetype`
    ARCHETYPE_KW,
    /// `metadata` or `meta`
    METADATA_BLOCK_KW,
    /// `relationships` or `integrations`
    RELATIONSHIPS_KW,
    /// `terminology` or `glossary`
    TERMINOLOGY_KW,
    /// `decisions` or `rules`
    DECISIONS_KW,
    /// `term` or `Term`
    TERM_KW,
    /// `decision` or `Decision`
    DECISION_KW,
    /// `policy` or `Policy`
    POLICY_KW,
    /// `rule` or `Rule`
    RULE_KW,
    /// `aka` or `synonyms`
    AKA_KW,
    /// `examples`
    EXAMPLES_KW,
    /// `contains`
    CONTAINS_KW,
    /// `is`
    IS_KW,
    /// `this`
    THIS_KW,
    /// `OpenHostService` or `OHS`
    OPEN_HOST_SERVICE_KW,
    /// `PublishedLanguage` or `PL`
    PUBLISHED_LANGUAGE_KW,
    /// `Supplier` or `S`
    SUPPLIER_KW,
    /// `Customer` or `C`
    CUSTOMER_KW,
    /// `Conformist` or `CF`
    CONFORMIST_KW,
    /// `AntiCorruptionLayer` or `ACL`
    ANTI_CORRUPTION_LAYER_KW,
    /// `BigBallOfMud` or `BBoM`
    BIG_BALL_OF_MUD_KW,
    /// `SharedKernel` or `SK`
    SHARED_KERNEL_KW,
    /// `Partnership` or `P`
    PARTNERSHIP_KW,
    /// `SeparateWays` or `SW`
    SEPARATE_WAYS_KW,
    /// Text that the parser could not read; a diagnostic reports it.
    ERROR,
    /// [`Model`](crate::ast::Model)
    MODEL,
    /// [`ImportStatement`](crate::ast::ImportStatement)
    IMPORT_STATEMENT,
    /// [`Name`](crate::ast::Name)
    NAME,
    /// [`QualifiedName`](crate::ast::QualifiedName)
    QUALIFIED_NAME,
    /// [`Reference`](crate::ast::Reference)
    REFERENCE,
    /// [`Domain`](crate::ast::Domain)
    DOMAIN,
    /// [`BoundedContext`](crate::ast::BoundedContext)
    BOUNDED_CONTEXT,
    /// [`Team`](crate::ast::Team)
    TEAM,
    /// [`Classification`](crate::ast::Classification)
    CLASSIFICATION,
    /// [`Metadata`](crate::ast::Metadata)
    METADATA,
    /// [`ContextMap`](crate::ast::ContextMap)
    CONTEXT_MAP,
    /// [`DomainMap`](crate::ast::DomainMap)
    DOMAIN_MAP,
    /// [`NamespaceDeclaration`](crate::ast::NamespaceDeclaration)
    NAMESPACE_DECLARATION,
    /// [`InClause`](crate::ast::InClause)
    IN_CLAUSE,
    /// [`DomainBody`](crate::ast::DomainBody)
    DOMAIN_BODY,
    /// [`DescriptionProperty`](crate::ast::DescriptionProperty)
    DESCRIPTION_PROPERTY,
    /// [`VisionProperty`](crate::ast::VisionProperty)
    VISION_PROPERTY,
    /// [`TypeProperty`](crate::ast::TypeProperty)
    TYPE_PROPERTY,
    /// [`ForClause`](crate::ast::ForClause)
    FOR_CLAUSE,
    /// [`AsClause`](crate::ast::AsClause)
    AS_CLAUSE,
    /// [`ByClause`](crate::ast::ByClause)
    BY_CLAUSE,
    /// [`ContextBody`](crate::ast::ContextBody)
    CONTEXT_BODY,
    /// [`ClassificationProperty`](crate::ast::ClassificationProperty)
    CLASSIFICATION_PROPERTY,
    /// [`TeamProperty`](crate::ast::TeamProperty)
    TEAM_PROPERTY,
    /// [`BusinessModelProperty`](crate::ast::BusinessModelProperty)
    BUSINESS_MODEL_PROPERTY,
    /// [`EvolutionProperty`](crate::ast::EvolutionProperty)
    EVOLUTION_PROPERTY,
    /// [`ArchetypeProperty`](crate::ast::ArchetypeProperty)
    ARCHETYPE_PROPERTY,
    /// [`MetadataBlock`](crate::ast::MetadataBlock)
    METADATA_BLOCK,
    /// [`RelationshipsBlock`](crate::ast::RelationshipsBlock)
    RELATIONSHIPS_BLOCK,
    /// [`TerminologyBlock`](crate::ast::TerminologyBlock)
    TERMINOLOGY_BLOCK,
    /// [`DecisionsBlock`](crate::ast::DecisionsBlock)
    DECISIONS_BLOCK,
    /// [`MetadataEntry`](crate::ast::MetadataEntry)
    METADATA_ENTRY,
    /// [`DomainTerm`](crate::ast::DomainTerm)
    DOMAIN_TERM,
    /// [`SynonymList`](crate::ast::SynonymList)
    SYNONYM_LIST,
    /// [`ExampleList`](crate::ast::ExampleList)
    EXAMPLE_LIST,
    /// [`Decision`](crate::ast::Decision)
    DECISION,
    /// [`Policy`](crate::ast::Policy)
    POLICY,
    /// [`BusinessRule`](crate::ast::BusinessRule)
    BUSINESS_RULE,
    /// [`ContextMapBody`](crate::ast::ContextMapBody)
    CONTEXT_MAP_BODY,
    /// [`ContainsClause`](crate::ast::ContainsClause)
    CONTAINS_CLAUSE,
    /// [`DomainMapBody`](crate::ast::DomainMapBody)
    DOMAIN_MAP_BODY,
    /// [`DirectionalRelationship`](crate::ast::DirectionalRelationship)
    DIRECTIONAL_RELATIONSHIP,
    /// [`SymmetricRelationship`](crate::ast::SymmetricRelationship)
    SYMMETRIC_RELATIONSHIP,
    /// [`PatternList`](crate::ast::PatternList)
    PATTERN_LIST,
    /// [`Pattern`](crate::ast::Pattern)
    PATTERN,
    /// [`ThisRef`](crate::ast::ThisRef)
    THIS_REF,
    /// [`BoundedContextRef`](crate::ast::BoundedContextRef)
    BOUNDED_CONTEXT_REF,
    /// [`NamespaceBody`](crate::ast::NamespaceBody)
    NAMESPACE_BODY,
}

impl SyntaxKind {
    /// Every kind, in the order of the numbers.
    pub(crate) const ALL: &'static [Self] = {
        use SyntaxKind::*;
        &[
            EOF,
            WHITESPACE,
            LINE_COMMENT,
            BLOCK_COMMENT,
            DOC_COMMENT,
            UNKNOWN,
            IDENT,
            STRING,
            L_CURLY,
            R_CURLY,
            L_BRACK,
            R_BRACK,
            COMMA,
            DOT,
            COLON,
            EQ,
            BOTH_ARROW,
            RIGHT_ARROW,
            LEFT_ARROW,
            APART_ARROW,
            DOMAIN_KW,
            BOUNDED_CONTEXT_KW,
            TEAM_KW,
            CLASSIFICATION_KW,
            METADATA_KW,
            CONTEXT_MAP_KW,
            DOMAIN_MAP_KW,
            NAMESPACE_KW,
            IMPORT_KW,
            IN_KW,
            FOR_KW,
            AS_KW,
            BY_KW,
            DESCRIPTION_KW,
            VISION_KW,
            TYPE_KW,
            CLASSIFICATION_PROPERTY_KW,
            TEAM_PROPERTY_KW,
            BUSINESS_MODEL_KW,
            EVOLUTION_KW,
            ARCHETYPE_KW,
            METADATA_BLOCK_KW,
            RELATIONSHIPS_KW,
            TERMINOLOGY_KW,
            DECISIONS_KW,
            TERM_KW,
            DECISION_KW,
            POLICY_KW,
            RULE_KW,
            AKA_KW,
            EXAMPLES_KW,
            CONTAINS_KW,
            IS_KW,
            THIS_KW,
            OPEN_HOST_SERVICE_KW,
            PUBLISHED_LANGUAGE_KW,
            SUPPLIER_KW,
            CUSTOMER_KW,
            CONFORMIST_KW,
            ANTI_CORRUPTION_LAYER_KW,
            BIG_BALL_OF_MUD_KW,
            SHARED_KERNEL_KW,
            PARTNERSHIP_KW,
            SEPARATE_WAYS_KW,
            ERROR,
            MODEL,
            IMPORT_STATEMENT,
            NAME,
            QUALIFIED_NAME,
            REFERENCE,
            DOMAIN,
            BOUNDED_CONTEXT,
            TEAM,
            CLASSIFICATION,
            METADATA,
            CONTEXT_MAP,
            DOMAIN_MAP,
            NAMESPACE_DECLARATION,
            IN_CLAUSE,
            DOMAIN_BODY,
            DESCRIPTION_PROPERTY,
            VISION_PROPERTY,
            TYPE_PROPERTY,
            FOR_CLAUSE,
            AS_CLAUSE,
            BY_CLAUSE,
            CONTEXT_BODY,
            CLASSIFICATION_PROPERTY,
            TEAM_PROPERTY,
            BUSINESS_MODEL_PROPERTY,
            EVOLUTION_PROPERTY,
            ARCHETYPE_PROPERTY,
            METADATA_BLOCK,
            RELATIONSHIPS_BLOCK,
            TERMINOLOGY_BLOCK,
            DECISIONS_BLOCK,
            METADATA_ENTRY,
            DOMAIN_TERM,
            SYNONYM_LIST,
            EXAMPLE_LIST,
            DECISION,
            POLICY,
            BUSINESS_RULE,
            CONTEXT_MAP_BODY,
            CONTAINS_CLAUSE,
            DOMAIN_MAP_BODY,
            DIRECTIONAL_RELATIONSHIP,
            SYMMETRIC_RELATIONSHIP,
            PATTERN_LIST,
            PATTERN,
            THIS_REF,
            BOUNDED_CONTEXT_REF,
            NAMESPACE_BODY,
        ]
    };

    /// Returns whether it is a reserved word.
    pub fn is_keyword(self) -> bool {
        self >= Self::DOMAIN_KW && self <= Self::SEPARATE_WAYS_KW
    }

    /// Returns whether it is a bracket, a separator or an arrow.
    pub fn is_sign(self) -> bool {
        self >= Self::L_CURLY && self <= Self::APART_ARROW
    }

    /// Every kind of node.
    pub fn nodes() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kind| !kind.is_token())
    }

    /// Whether it is a token.
    pub fn is_token(self) -> bool {
        self < Self::ERROR
    }

    /// The kind of a whole word if it is reserved.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "Domain" | "dom" => Self::DOMAIN_KW,
            "BoundedContext" | "bc" => Self::BOUNDED_CONTEXT_KW,
            "Team" => Self::TEAM_KW,
            "Classification" => Self::CLASSIFICATION_KW,
            "Metadata" => Self::METADATA_KW,
            "ContextMap" | "cmap" => Self::CONTEXT_MAP_KW,
            "DomainMap" | "dmap" => Self::DOMAIN_MAP_KW,
            "Namespace" | "ns" => Self::NAMESPACE_KW,
            "import" | "Import" => Self::IMPORT_KW,
            "in" => Self::IN_KW,
            "for" => Self::FOR_KW,
            "as" => Self::AS_KW,
            "by" => Self::BY_KW,
            "description" => Self::DESCRIPTION_KW,
            "vision" => Self::VISION_KW,
            "type" => Self::TYPE_KW,
            "classification" => Self::CLASSIFICATION_PROPERTY_KW,
            "team" => Self::TEAM_PROPERTY_KW,
            "businessModel" => Self::BUSINESS_MODEL_KW,
            "evolution" => Self::EVOLUTION_KW,
            "archetype" => Self::ARCHETYPE_KW,
            "metadata" | "meta" => Self::METADATA_BLOCK_KW,
            "relationships" | "integrations" => Self::RELATIONSHIPS_KW,
            "terminology" | "glossary" => Self::TERMINOLOGY_KW,
            "decisions" | "rules" => Self::DECISIONS_KW,
            "term" | "Term" => Self::TERM_KW,
            "decision" | "Decision" => Self::DECISION_KW,
            "policy" | "Policy" => Self::POLICY_KW,
            "rule" | "Rule" => Self::RULE_KW,
            "aka" | "synonyms" => Self::AKA_KW,
            "examples" => Self::EXAMPLES_KW,
            "contains" => Self::CONTAINS_KW,
            "is" => Self::IS_KW,
            "this" => Self::THIS_KW,
            "OpenHostService" | "OHS" => Self::OPEN_HOST_SERVICE_KW,
            "PublishedLanguage" | "PL" => Self::PUBLISHED_LANGUAGE_KW,
            "Supplier" | "S" => Self::SUPPLIER_KW,
            "Customer" | "C" => Self::CUSTOMER_KW,
            "Conformist" | "CF" => Self::CONFORMIST_KW,
            "AntiCorruptionLayer" | "ACL" => Self::ANTI_CORRUPTION_LAYER_KW,
            "BigBallOfMud" | "BBoM" => Self::BIG_BALL_OF_MUD_KW,
            "SharedKernel" | "SK" => Self::SHARED_KERNEL_KW,
            "Partnership" | "P" => Self::PARTNERSHIP_KW,
            "SeparateWays" | "SW" => Self::SEPARATE_WAYS_KW,
            _ => return None,
        })
    }

    /// How a reserved word (its first spelling) or a sign is written.
    pub fn text(self) -> Option<&'static str> {
        Some(match self {
            Self::DOMAIN_KW => "Domain",
            Self::BOUNDED_CONTEXT_KW => "BoundedContext",
            Self::TEAM_KW => "Team",
            Self::CLASSIFICATION_KW => "Classification",
            Self::METADATA_KW => "Metadata",
            Self::CONTEXT_MAP_KW => "ContextMap",
            Self::DOMAIN_MAP_KW => "DomainMap",
            Self::NAMESPACE_KW => "Namespace",
            Self::IMPORT_KW => "import",
            Self::IN_KW => "in",
            Self::FOR_KW => "for",
            Self::AS_KW => "as",
            Self::BY_KW => "by",
            Self::DESCRIPTION_KW => "description",
            Self::VISION_KW => "vision",
            Self::TYPE_KW => "type",
            Self::CLASSIFICATION_PROPERTY_KW => "classification",
            Self::TEAM_PROPERTY_KW => "team",
            Self::BUSINESS_MODEL_KW => "businessModel",
            Self::EVOLUTION_KW => "evolution",
            Self::ARCHETYPE_KW => "archetype",
            Self::METADATA_BLOCK_KW => "metadata",
            Self::RELATIONSHIPS_KW => "relationships",
            Self::TERMINOLOGY_KW => "terminology",
            Self::DECISIONS_KW => "decisions",
            Self::TERM_KW => "term",
            Self::DECISION_KW => "decision",
            Self::POLICY_KW => "policy",
            Self::RULE_KW => "rule",
            Self::AKA_KW => "aka",
            Self::EXAMPLES_KW => "examples",
            Self::CONTAINS_KW => "contains",
            Self::IS_KW => "is",
            Self::THIS_KW => "this",
            Self::OPEN_HOST_SERVICE_KW => "OpenHostService",
            Self::PUBLISHED_LANGUAGE_KW => "PublishedLanguage",
            Self::SUPPLIER_KW => "Supplier",
            Self::CUSTOMER_KW => "Customer",
            Self::CONFORMIST_KW => "Conformist",
            Self::ANTI_CORRUPTION_LAYER_KW => "AntiCorruptionLayer",
            Self::BIG_BALL_OF_MUD_KW => "BigBallOfMud",
            Self::SHARED_KERNEL_KW => "SharedKernel",
            Self::PARTNERSHIP_KW => "Partnership",
            Self::SEPARATE_WAYS_KW => "SeparateWays",
            Self::L_CURLY => "{",
            Self::R_CURLY => "}",
            Self::L_BRACK => "[",
            Self::R_BRACK => "]",
            Self::COMMA => ",",
            Self::DOT => ".",
            Self::COLON => ":",
            Self::EQ => "=",
            Self::BOTH_ARROW => "<->",
            Self::RIGHT_ARROW => "->",
            Self::LEFT_ARROW => "<-",
            Self::APART_ARROW => "><",
            _ => return None,
        })
    }
}
