//! The typed tree.
//!
//! Written by `cargo xtask codegen`; change `dlang.ungram` or `keywords.toml` instead.

use rowan::ast::{AstChildren, AstNode, support};

use crate::ast::{HasName, StringToken, token_in, tokens_of};
use crate::generated::kinds::SyntaxKind;
use crate::tree::{DomainLang, SyntaxNode, SyntaxToken};

impl Model {
    /// The root of a tree, which always is one.
    pub(crate) fn of(syntax: SyntaxNode) -> Self {
        Self { syntax }
    }
}

/// A node of kind [`SyntaxKind::MODEL`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Model {
    syntax: SyntaxNode,
}

impl AstNode for Model {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::MODEL
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl Model {
    /// Its imports in the order of the text.
    pub fn imports(&self) -> AstChildren<ImportStatement> {
        support::children(&self.syntax)
    }
    /// Its children in the order of the text.
    pub fn children(&self) -> AstChildren<Element> {
        support::children(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::IMPORT_STATEMENT`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ImportStatement {
    syntax: SyntaxNode,
}

impl AstNode for ImportStatement {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::IMPORT_STATEMENT
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl ImportStatement {
    /// Its token of kind [`SyntaxKind::IMPORT_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::IMPORT_KW)
    }
    /// The string.
    pub fn uri(&self) -> Option<StringToken> {
        self.strings().next()
    }
    fn strings(&self) -> impl Iterator<Item = StringToken> + use<> {
        tokens_of(&self.syntax, SyntaxKind::STRING).filter_map(StringToken::cast)
    }
    /// Its token of kind [`SyntaxKind::AS_KW`].
    pub fn as_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::AS_KW)
    }
    /// Absent when it is not written.
    pub fn alias(&self) -> Option<Name> {
        support::child(&self.syntax)
    }
}

/// One of several nodes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Element {
    /// A [`Domain`].
    Domain(Domain),
    /// A [`BoundedContext`].
    BoundedContext(BoundedContext),
    /// A [`Team`].
    Team(Team),
    /// A [`Classification`].
    Classification(Classification),
    /// A [`Metadata`].
    Metadata(Metadata),
    /// A [`ContextMap`].
    ContextMap(ContextMap),
    /// A [`DomainMap`].
    DomainMap(DomainMap),
    /// A [`NamespaceDeclaration`].
    NamespaceDeclaration(NamespaceDeclaration),
}

impl AstNode for Element {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        matches!(
            kind,
            SyntaxKind::DOMAIN
                | SyntaxKind::BOUNDED_CONTEXT
                | SyntaxKind::TEAM
                | SyntaxKind::CLASSIFICATION
                | SyntaxKind::METADATA
                | SyntaxKind::CONTEXT_MAP
                | SyntaxKind::DOMAIN_MAP
                | SyntaxKind::NAMESPACE_DECLARATION
        )
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Some(match syntax.kind() {
            SyntaxKind::DOMAIN => Self::Domain(Domain { syntax }),
            SyntaxKind::BOUNDED_CONTEXT => Self::BoundedContext(BoundedContext { syntax }),
            SyntaxKind::TEAM => Self::Team(Team { syntax }),
            SyntaxKind::CLASSIFICATION => Self::Classification(Classification { syntax }),
            SyntaxKind::METADATA => Self::Metadata(Metadata { syntax }),
            SyntaxKind::CONTEXT_MAP => Self::ContextMap(ContextMap { syntax }),
            SyntaxKind::DOMAIN_MAP => Self::DomainMap(DomainMap { syntax }),
            SyntaxKind::NAMESPACE_DECLARATION => Self::NamespaceDeclaration(NamespaceDeclaration { syntax }),
            _ => return None,
        })
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::Domain(it) => it.syntax(),
            Self::BoundedContext(it) => it.syntax(),
            Self::Team(it) => it.syntax(),
            Self::Classification(it) => it.syntax(),
            Self::Metadata(it) => it.syntax(),
            Self::ContextMap(it) => it.syntax(),
            Self::DomainMap(it) => it.syntax(),
            Self::NamespaceDeclaration(it) => it.syntax(),
        }
    }
}

impl From<Domain> for Element {
    fn from(node: Domain) -> Self {
        Self::Domain(node)
    }
}

impl From<BoundedContext> for Element {
    fn from(node: BoundedContext) -> Self {
        Self::BoundedContext(node)
    }
}

impl From<Team> for Element {
    fn from(node: Team) -> Self {
        Self::Team(node)
    }
}

impl From<Classification> for Element {
    fn from(node: Classification) -> Self {
        Self::Classification(node)
    }
}

impl From<Metadata> for Element {
    fn from(node: Metadata) -> Self {
        Self::Metadata(node)
    }
}

impl From<ContextMap> for Element {
    fn from(node: ContextMap) -> Self {
        Self::ContextMap(node)
    }
}

impl From<DomainMap> for Element {
    fn from(node: DomainMap) -> Self {
        Self::DomainMap(node)
    }
}

impl From<NamespaceDeclaration> for Element {
    fn from(node: NamespaceDeclaration) -> Self {
        Self::NamespaceDeclaration(node)
    }
}

/// A node of kind [`SyntaxKind::NAME`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name {
    syntax: SyntaxNode,
}

impl AstNode for Name {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::NAME
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl Name {
    /// The identifier.
    pub fn ident_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::IDENT)
    }
}

/// A node of kind [`SyntaxKind::QUALIFIED_NAME`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct QualifiedName {
    syntax: SyntaxNode,
}

impl AstNode for QualifiedName {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::QUALIFIED_NAME
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl QualifiedName {
    /// The identifiers between the dots.
    pub fn segments(&self) -> impl Iterator<Item = SyntaxToken> + use<> {
        tokens_of(&self.syntax, SyntaxKind::IDENT)
    }
}

/// A node of kind [`SyntaxKind::REFERENCE`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reference {
    syntax: SyntaxNode,
}

impl AstNode for Reference {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::REFERENCE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl Reference {
    /// The identifiers between the dots.
    pub fn segments(&self) -> impl Iterator<Item = SyntaxToken> + use<> {
        tokens_of(&self.syntax, SyntaxKind::IDENT)
    }
}

/// A node of kind [`SyntaxKind::DOMAIN`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Domain {
    syntax: SyntaxNode,
}

impl AstNode for Domain {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DOMAIN
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl HasName for Domain {}

impl Domain {
    /// Its token of kind [`SyntaxKind::DOMAIN_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::DOMAIN_KW)
    }
    /// Absent when it is not written.
    pub fn parent(&self) -> Option<InClause> {
        support::child(&self.syntax)
    }
    /// Absent when it is not written.
    pub fn body(&self) -> Option<DomainBody> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::BOUNDED_CONTEXT`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BoundedContext {
    syntax: SyntaxNode,
}

impl AstNode for BoundedContext {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::BOUNDED_CONTEXT
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl HasName for BoundedContext {}

impl BoundedContext {
    /// Its token of kind [`SyntaxKind::BOUNDED_CONTEXT_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::BOUNDED_CONTEXT_KW)
    }
    /// Absent when it is not written.
    pub fn domain(&self) -> Option<ForClause> {
        support::child(&self.syntax)
    }
    /// Absent when it is not written.
    pub fn classification(&self) -> Option<AsClause> {
        support::child(&self.syntax)
    }
    /// Absent when it is not written.
    pub fn team(&self) -> Option<ByClause> {
        support::child(&self.syntax)
    }
    /// Absent when it is not written.
    pub fn body(&self) -> Option<ContextBody> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::TEAM`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Team {
    syntax: SyntaxNode,
}

impl AstNode for Team {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::TEAM
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl HasName for Team {}

impl Team {
    /// Its token of kind [`SyntaxKind::TEAM_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::TEAM_KW)
    }
}

/// A node of kind [`SyntaxKind::CLASSIFICATION`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Classification {
    syntax: SyntaxNode,
}

impl AstNode for Classification {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::CLASSIFICATION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl HasName for Classification {}

impl Classification {
    /// Its token of kind [`SyntaxKind::CLASSIFICATION_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::CLASSIFICATION_KW)
    }
}

/// A node of kind [`SyntaxKind::METADATA`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Metadata {
    syntax: SyntaxNode,
}

impl AstNode for Metadata {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::METADATA
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl HasName for Metadata {}

impl Metadata {
    /// Its token of kind [`SyntaxKind::METADATA_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::METADATA_KW)
    }
}

/// A node of kind [`SyntaxKind::CONTEXT_MAP`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ContextMap {
    syntax: SyntaxNode,
}

impl AstNode for ContextMap {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::CONTEXT_MAP
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl HasName for ContextMap {}

impl ContextMap {
    /// Its token of kind [`SyntaxKind::CONTEXT_MAP_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::CONTEXT_MAP_KW)
    }
    /// Absent when it is not written.
    pub fn body(&self) -> Option<ContextMapBody> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::DOMAIN_MAP`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DomainMap {
    syntax: SyntaxNode,
}

impl AstNode for DomainMap {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DOMAIN_MAP
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl HasName for DomainMap {}

impl DomainMap {
    /// Its token of kind [`SyntaxKind::DOMAIN_MAP_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::DOMAIN_MAP_KW)
    }
    /// Absent when it is not written.
    pub fn body(&self) -> Option<DomainMapBody> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::NAMESPACE_DECLARATION`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NamespaceDeclaration {
    syntax: SyntaxNode,
}

impl AstNode for NamespaceDeclaration {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::NAMESPACE_DECLARATION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl NamespaceDeclaration {
    /// Its token of kind [`SyntaxKind::NAMESPACE_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::NAMESPACE_KW)
    }
    /// Absent when it is not written.
    pub fn name(&self) -> Option<QualifiedName> {
        support::child(&self.syntax)
    }
    /// Absent when it is not written.
    pub fn body(&self) -> Option<NamespaceBody> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::IN_CLAUSE`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InClause {
    syntax: SyntaxNode,
}

impl AstNode for InClause {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::IN_CLAUSE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl InClause {
    /// Its token of kind [`SyntaxKind::IN_KW`].
    pub fn in_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::IN_KW)
    }
    /// Absent when it is not written.
    pub fn target(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::DOMAIN_BODY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DomainBody {
    syntax: SyntaxNode,
}

impl AstNode for DomainBody {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DOMAIN_BODY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl DomainBody {
    /// Its token of kind [`SyntaxKind::L_CURLY`].
    pub fn l_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_CURLY)
    }
    /// Its properties in the order of the text.
    pub fn properties(&self) -> AstChildren<DomainProperty> {
        support::children(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_CURLY`].
    pub fn r_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_CURLY)
    }
}

/// One of several nodes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DomainProperty {
    /// A [`DescriptionProperty`].
    DescriptionProperty(DescriptionProperty),
    /// A [`VisionProperty`].
    VisionProperty(VisionProperty),
    /// A [`TypeProperty`].
    TypeProperty(TypeProperty),
}

impl AstNode for DomainProperty {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        matches!(kind, SyntaxKind::DESCRIPTION_PROPERTY | SyntaxKind::VISION_PROPERTY | SyntaxKind::TYPE_PROPERTY)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Some(match syntax.kind() {
            SyntaxKind::DESCRIPTION_PROPERTY => Self::DescriptionProperty(DescriptionProperty { syntax }),
            SyntaxKind::VISION_PROPERTY => Self::VisionProperty(VisionProperty { syntax }),
            SyntaxKind::TYPE_PROPERTY => Self::TypeProperty(TypeProperty { syntax }),
            _ => return None,
        })
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::DescriptionProperty(it) => it.syntax(),
            Self::VisionProperty(it) => it.syntax(),
            Self::TypeProperty(it) => it.syntax(),
        }
    }
}

impl From<DescriptionProperty> for DomainProperty {
    fn from(node: DescriptionProperty) -> Self {
        Self::DescriptionProperty(node)
    }
}

impl From<VisionProperty> for DomainProperty {
    fn from(node: VisionProperty) -> Self {
        Self::VisionProperty(node)
    }
}

impl From<TypeProperty> for DomainProperty {
    fn from(node: TypeProperty) -> Self {
        Self::TypeProperty(node)
    }
}

/// A node of kind [`SyntaxKind::DESCRIPTION_PROPERTY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DescriptionProperty {
    syntax: SyntaxNode,
}

impl AstNode for DescriptionProperty {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DESCRIPTION_PROPERTY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl DescriptionProperty {
    /// Its token of kind [`SyntaxKind::DESCRIPTION_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::DESCRIPTION_KW)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// The string.
    pub fn value(&self) -> Option<StringToken> {
        self.strings().next()
    }
    fn strings(&self) -> impl Iterator<Item = StringToken> + use<> {
        tokens_of(&self.syntax, SyntaxKind::STRING).filter_map(StringToken::cast)
    }
}

/// A node of kind [`SyntaxKind::VISION_PROPERTY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VisionProperty {
    syntax: SyntaxNode,
}

impl AstNode for VisionProperty {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::VISION_PROPERTY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl VisionProperty {
    /// Its token of kind [`SyntaxKind::VISION_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::VISION_KW)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// The string.
    pub fn value(&self) -> Option<StringToken> {
        self.strings().next()
    }
    fn strings(&self) -> impl Iterator<Item = StringToken> + use<> {
        tokens_of(&self.syntax, SyntaxKind::STRING).filter_map(StringToken::cast)
    }
}

/// A node of kind [`SyntaxKind::TYPE_PROPERTY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TypeProperty {
    syntax: SyntaxNode,
}

impl AstNode for TypeProperty {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::TYPE_PROPERTY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl TypeProperty {
    /// Its token of kind [`SyntaxKind::TYPE_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::TYPE_KW)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// Absent when it is not written.
    pub fn target(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::FOR_CLAUSE`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ForClause {
    syntax: SyntaxNode,
}

impl AstNode for ForClause {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::FOR_CLAUSE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl ForClause {
    /// Its token of kind [`SyntaxKind::FOR_KW`].
    pub fn for_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::FOR_KW)
    }
    /// Absent when it is not written.
    pub fn target(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::AS_CLAUSE`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AsClause {
    syntax: SyntaxNode,
}

impl AstNode for AsClause {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::AS_CLAUSE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl AsClause {
    /// Its token of kind [`SyntaxKind::AS_KW`].
    pub fn as_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::AS_KW)
    }
    /// Absent when it is not written.
    pub fn target(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::BY_CLAUSE`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ByClause {
    syntax: SyntaxNode,
}

impl AstNode for ByClause {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::BY_CLAUSE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl ByClause {
    /// Its token of kind [`SyntaxKind::BY_KW`].
    pub fn by_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::BY_KW)
    }
    /// Absent when it is not written.
    pub fn target(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::CONTEXT_BODY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ContextBody {
    syntax: SyntaxNode,
}

impl AstNode for ContextBody {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::CONTEXT_BODY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl ContextBody {
    /// Its token of kind [`SyntaxKind::L_CURLY`].
    pub fn l_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_CURLY)
    }
    /// Its properties in the order of the text.
    pub fn properties(&self) -> AstChildren<ContextProperty> {
        support::children(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_CURLY`].
    pub fn r_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_CURLY)
    }
}

/// One of several nodes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ContextProperty {
    /// A [`DescriptionProperty`].
    DescriptionProperty(DescriptionProperty),
    /// A [`ClassificationProperty`].
    ClassificationProperty(ClassificationProperty),
    /// A [`TeamProperty`].
    TeamProperty(TeamProperty),
    /// A [`BusinessModelProperty`].
    BusinessModelProperty(BusinessModelProperty),
    /// A [`EvolutionProperty`].
    EvolutionProperty(EvolutionProperty),
    /// A [`ArchetypeProperty`].
    ArchetypeProperty(ArchetypeProperty),
    /// A [`MetadataBlock`].
    MetadataBlock(MetadataBlock),
    /// A [`RelationshipsBlock`].
    RelationshipsBlock(RelationshipsBlock),
    /// A [`TerminologyBlock`].
    TerminologyBlock(TerminologyBlock),
    /// A [`DecisionsBlock`].
    DecisionsBlock(DecisionsBlock),
}

impl AstNode for ContextProperty {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        matches!(
            kind,
            SyntaxKind::DESCRIPTION_PROPERTY
                | SyntaxKind::CLASSIFICATION_PROPERTY
                | SyntaxKind::TEAM_PROPERTY
                | SyntaxKind::BUSINESS_MODEL_PROPERTY
                | SyntaxKind::EVOLUTION_PROPERTY
                | SyntaxKind::ARCHETYPE_PROPERTY
                | SyntaxKind::METADATA_BLOCK
                | SyntaxKind::RELATIONSHIPS_BLOCK
                | SyntaxKind::TERMINOLOGY_BLOCK
                | SyntaxKind::DECISIONS_BLOCK
        )
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Some(match syntax.kind() {
            SyntaxKind::DESCRIPTION_PROPERTY => Self::DescriptionProperty(DescriptionProperty { syntax }),
            SyntaxKind::CLASSIFICATION_PROPERTY => Self::ClassificationProperty(ClassificationProperty { syntax }),
            SyntaxKind::TEAM_PROPERTY => Self::TeamProperty(TeamProperty { syntax }),
            SyntaxKind::BUSINESS_MODEL_PROPERTY => Self::BusinessModelProperty(BusinessModelProperty { syntax }),
            SyntaxKind::EVOLUTION_PROPERTY => Self::EvolutionProperty(EvolutionProperty { syntax }),
            SyntaxKind::ARCHETYPE_PROPERTY => Self::ArchetypeProperty(ArchetypeProperty { syntax }),
            SyntaxKind::METADATA_BLOCK => Self::MetadataBlock(MetadataBlock { syntax }),
            SyntaxKind::RELATIONSHIPS_BLOCK => Self::RelationshipsBlock(RelationshipsBlock { syntax }),
            SyntaxKind::TERMINOLOGY_BLOCK => Self::TerminologyBlock(TerminologyBlock { syntax }),
            SyntaxKind::DECISIONS_BLOCK => Self::DecisionsBlock(DecisionsBlock { syntax }),
            _ => return None,
        })
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::DescriptionProperty(it) => it.syntax(),
            Self::ClassificationProperty(it) => it.syntax(),
            Self::TeamProperty(it) => it.syntax(),
            Self::BusinessModelProperty(it) => it.syntax(),
            Self::EvolutionProperty(it) => it.syntax(),
            Self::ArchetypeProperty(it) => it.syntax(),
            Self::MetadataBlock(it) => it.syntax(),
            Self::RelationshipsBlock(it) => it.syntax(),
            Self::TerminologyBlock(it) => it.syntax(),
            Self::DecisionsBlock(it) => it.syntax(),
        }
    }
}

impl From<DescriptionProperty> for ContextProperty {
    fn from(node: DescriptionProperty) -> Self {
        Self::DescriptionProperty(node)
    }
}

impl From<ClassificationProperty> for ContextProperty {
    fn from(node: ClassificationProperty) -> Self {
        Self::ClassificationProperty(node)
    }
}

impl From<TeamProperty> for ContextProperty {
    fn from(node: TeamProperty) -> Self {
        Self::TeamProperty(node)
    }
}

impl From<BusinessModelProperty> for ContextProperty {
    fn from(node: BusinessModelProperty) -> Self {
        Self::BusinessModelProperty(node)
    }
}

impl From<EvolutionProperty> for ContextProperty {
    fn from(node: EvolutionProperty) -> Self {
        Self::EvolutionProperty(node)
    }
}

impl From<ArchetypeProperty> for ContextProperty {
    fn from(node: ArchetypeProperty) -> Self {
        Self::ArchetypeProperty(node)
    }
}

impl From<MetadataBlock> for ContextProperty {
    fn from(node: MetadataBlock) -> Self {
        Self::MetadataBlock(node)
    }
}

impl From<RelationshipsBlock> for ContextProperty {
    fn from(node: RelationshipsBlock) -> Self {
        Self::RelationshipsBlock(node)
    }
}

impl From<TerminologyBlock> for ContextProperty {
    fn from(node: TerminologyBlock) -> Self {
        Self::TerminologyBlock(node)
    }
}

impl From<DecisionsBlock> for ContextProperty {
    fn from(node: DecisionsBlock) -> Self {
        Self::DecisionsBlock(node)
    }
}

/// A node of kind [`SyntaxKind::CLASSIFICATION_PROPERTY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClassificationProperty {
    syntax: SyntaxNode,
}

impl AstNode for ClassificationProperty {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::CLASSIFICATION_PROPERTY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl ClassificationProperty {
    /// Its token of kind [`SyntaxKind::CLASSIFICATION_PROPERTY_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::CLASSIFICATION_PROPERTY_KW)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// Absent when it is not written.
    pub fn target(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::TEAM_PROPERTY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TeamProperty {
    syntax: SyntaxNode,
}

impl AstNode for TeamProperty {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::TEAM_PROPERTY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl TeamProperty {
    /// Its token of kind [`SyntaxKind::TEAM_PROPERTY_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::TEAM_PROPERTY_KW)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// Absent when it is not written.
    pub fn target(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::BUSINESS_MODEL_PROPERTY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BusinessModelProperty {
    syntax: SyntaxNode,
}

impl AstNode for BusinessModelProperty {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::BUSINESS_MODEL_PROPERTY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl BusinessModelProperty {
    /// Its token of kind [`SyntaxKind::BUSINESS_MODEL_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::BUSINESS_MODEL_KW)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// Absent when it is not written.
    pub fn target(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::EVOLUTION_PROPERTY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EvolutionProperty {
    syntax: SyntaxNode,
}

impl AstNode for EvolutionProperty {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::EVOLUTION_PROPERTY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl EvolutionProperty {
    /// Its token of kind [`SyntaxKind::EVOLUTION_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::EVOLUTION_KW)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// Absent when it is not written.
    pub fn target(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::ARCHETYPE_PROPERTY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ArchetypeProperty {
    syntax: SyntaxNode,
}

impl AstNode for ArchetypeProperty {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::ARCHETYPE_PROPERTY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl ArchetypeProperty {
    /// Its token of kind [`SyntaxKind::ARCHETYPE_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::ARCHETYPE_KW)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// Absent when it is not written.
    pub fn target(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::METADATA_BLOCK`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MetadataBlock {
    syntax: SyntaxNode,
}

impl AstNode for MetadataBlock {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::METADATA_BLOCK
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl MetadataBlock {
    /// Its token of kind [`SyntaxKind::METADATA_BLOCK_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::METADATA_BLOCK_KW)
    }
    /// Its token of kind [`SyntaxKind::L_CURLY`].
    pub fn l_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_CURLY)
    }
    /// Its entries in the order of the text.
    pub fn entries(&self) -> AstChildren<MetadataEntry> {
        support::children(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_CURLY`].
    pub fn r_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_CURLY)
    }
}

/// A node of kind [`SyntaxKind::RELATIONSHIPS_BLOCK`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RelationshipsBlock {
    syntax: SyntaxNode,
}

impl AstNode for RelationshipsBlock {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::RELATIONSHIPS_BLOCK
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl RelationshipsBlock {
    /// Its token of kind [`SyntaxKind::RELATIONSHIPS_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::RELATIONSHIPS_KW)
    }
    /// Its token of kind [`SyntaxKind::L_CURLY`].
    pub fn l_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_CURLY)
    }
    /// Its relationships in the order of the text.
    pub fn relationships(&self) -> AstChildren<Relationship> {
        support::children(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_CURLY`].
    pub fn r_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_CURLY)
    }
}

/// A node of kind [`SyntaxKind::TERMINOLOGY_BLOCK`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TerminologyBlock {
    syntax: SyntaxNode,
}

impl AstNode for TerminologyBlock {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::TERMINOLOGY_BLOCK
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl TerminologyBlock {
    /// Its token of kind [`SyntaxKind::TERMINOLOGY_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::TERMINOLOGY_KW)
    }
    /// Its token of kind [`SyntaxKind::L_CURLY`].
    pub fn l_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_CURLY)
    }
    /// Its terms in the order of the text.
    pub fn terms(&self) -> AstChildren<DomainTerm> {
        support::children(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_CURLY`].
    pub fn r_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_CURLY)
    }
}

/// A node of kind [`SyntaxKind::DECISIONS_BLOCK`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DecisionsBlock {
    syntax: SyntaxNode,
}

impl AstNode for DecisionsBlock {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DECISIONS_BLOCK
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl DecisionsBlock {
    /// Its token of kind [`SyntaxKind::DECISIONS_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::DECISIONS_KW)
    }
    /// Its token of kind [`SyntaxKind::L_CURLY`].
    pub fn l_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_CURLY)
    }
    /// Its decisions in the order of the text.
    pub fn decisions(&self) -> AstChildren<DecisionItem> {
        support::children(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_CURLY`].
    pub fn r_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_CURLY)
    }
}

/// A node of kind [`SyntaxKind::METADATA_ENTRY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MetadataEntry {
    syntax: SyntaxNode,
}

impl AstNode for MetadataEntry {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::METADATA_ENTRY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl MetadataEntry {
    /// Absent when it is not written.
    pub fn key(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// The string.
    pub fn value(&self) -> Option<StringToken> {
        self.strings().next()
    }
    fn strings(&self) -> impl Iterator<Item = StringToken> + use<> {
        tokens_of(&self.syntax, SyntaxKind::STRING).filter_map(StringToken::cast)
    }
}

/// One of several nodes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Relationship {
    /// A [`DirectionalRelationship`].
    DirectionalRelationship(DirectionalRelationship),
    /// A [`SymmetricRelationship`].
    SymmetricRelationship(SymmetricRelationship),
}

impl AstNode for Relationship {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        matches!(kind, SyntaxKind::DIRECTIONAL_RELATIONSHIP | SyntaxKind::SYMMETRIC_RELATIONSHIP)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Some(match syntax.kind() {
            SyntaxKind::DIRECTIONAL_RELATIONSHIP => Self::DirectionalRelationship(DirectionalRelationship { syntax }),
            SyntaxKind::SYMMETRIC_RELATIONSHIP => Self::SymmetricRelationship(SymmetricRelationship { syntax }),
            _ => return None,
        })
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::DirectionalRelationship(it) => it.syntax(),
            Self::SymmetricRelationship(it) => it.syntax(),
        }
    }
}

impl From<DirectionalRelationship> for Relationship {
    fn from(node: DirectionalRelationship) -> Self {
        Self::DirectionalRelationship(node)
    }
}

impl From<SymmetricRelationship> for Relationship {
    fn from(node: SymmetricRelationship) -> Self {
        Self::SymmetricRelationship(node)
    }
}

/// A node of kind [`SyntaxKind::DOMAIN_TERM`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DomainTerm {
    syntax: SyntaxNode,
}

impl AstNode for DomainTerm {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DOMAIN_TERM
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl HasName for DomainTerm {}

impl DomainTerm {
    /// Its token of kind [`SyntaxKind::TERM_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::TERM_KW)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// The string.
    pub fn meaning(&self) -> Option<StringToken> {
        self.strings().next()
    }
    fn strings(&self) -> impl Iterator<Item = StringToken> + use<> {
        tokens_of(&self.syntax, SyntaxKind::STRING).filter_map(StringToken::cast)
    }
    /// Absent when it is not written.
    pub fn synonyms(&self) -> Option<SynonymList> {
        support::child(&self.syntax)
    }
    /// Absent when it is not written.
    pub fn examples(&self) -> Option<ExampleList> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::SYNONYM_LIST`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SynonymList {
    syntax: SyntaxNode,
}

impl AstNode for SynonymList {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::SYNONYM_LIST
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl SynonymList {
    /// Its token of kind [`SyntaxKind::AKA_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::AKA_KW)
    }
    /// Its token of kind [`SyntaxKind::COLON`].
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::COLON)
    }
    /// Its names in the order of the text.
    pub fn names(&self) -> AstChildren<Name> {
        support::children(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::EXAMPLE_LIST`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExampleList {
    syntax: SyntaxNode,
}

impl AstNode for ExampleList {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::EXAMPLE_LIST
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl ExampleList {
    /// Its token of kind [`SyntaxKind::EXAMPLES_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::EXAMPLES_KW)
    }
    /// Its token of kind [`SyntaxKind::COLON`].
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::COLON)
    }
    /// The strings.
    pub fn values(&self) -> impl Iterator<Item = StringToken> + use<> {
        self.strings()
    }
    fn strings(&self) -> impl Iterator<Item = StringToken> + use<> {
        tokens_of(&self.syntax, SyntaxKind::STRING).filter_map(StringToken::cast)
    }
}

/// One of several nodes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DecisionItem {
    /// A [`Decision`].
    Decision(Decision),
    /// A [`Policy`].
    Policy(Policy),
    /// A [`BusinessRule`].
    BusinessRule(BusinessRule),
}

impl AstNode for DecisionItem {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        matches!(kind, SyntaxKind::DECISION | SyntaxKind::POLICY | SyntaxKind::BUSINESS_RULE)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Some(match syntax.kind() {
            SyntaxKind::DECISION => Self::Decision(Decision { syntax }),
            SyntaxKind::POLICY => Self::Policy(Policy { syntax }),
            SyntaxKind::BUSINESS_RULE => Self::BusinessRule(BusinessRule { syntax }),
            _ => return None,
        })
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::Decision(it) => it.syntax(),
            Self::Policy(it) => it.syntax(),
            Self::BusinessRule(it) => it.syntax(),
        }
    }
}

impl From<Decision> for DecisionItem {
    fn from(node: Decision) -> Self {
        Self::Decision(node)
    }
}

impl From<Policy> for DecisionItem {
    fn from(node: Policy) -> Self {
        Self::Policy(node)
    }
}

impl From<BusinessRule> for DecisionItem {
    fn from(node: BusinessRule) -> Self {
        Self::BusinessRule(node)
    }
}

/// A node of kind [`SyntaxKind::DECISION`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decision {
    syntax: SyntaxNode,
}

impl AstNode for Decision {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DECISION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl HasName for Decision {}

impl Decision {
    /// Its token of kind [`SyntaxKind::DECISION_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::DECISION_KW)
    }
    /// Its token of kind [`SyntaxKind::L_BRACK`].
    pub fn l_brack_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_BRACK)
    }
    /// Absent when it is not written.
    pub fn classification(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_BRACK`].
    pub fn r_brack_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_BRACK)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// The string.
    pub fn value(&self) -> Option<StringToken> {
        self.strings().next()
    }
    fn strings(&self) -> impl Iterator<Item = StringToken> + use<> {
        tokens_of(&self.syntax, SyntaxKind::STRING).filter_map(StringToken::cast)
    }
}

/// A node of kind [`SyntaxKind::POLICY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Policy {
    syntax: SyntaxNode,
}

impl AstNode for Policy {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::POLICY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl HasName for Policy {}

impl Policy {
    /// Its token of kind [`SyntaxKind::POLICY_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::POLICY_KW)
    }
    /// Its token of kind [`SyntaxKind::L_BRACK`].
    pub fn l_brack_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_BRACK)
    }
    /// Absent when it is not written.
    pub fn classification(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_BRACK`].
    pub fn r_brack_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_BRACK)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// The string.
    pub fn value(&self) -> Option<StringToken> {
        self.strings().next()
    }
    fn strings(&self) -> impl Iterator<Item = StringToken> + use<> {
        tokens_of(&self.syntax, SyntaxKind::STRING).filter_map(StringToken::cast)
    }
}

/// A node of kind [`SyntaxKind::BUSINESS_RULE`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BusinessRule {
    syntax: SyntaxNode,
}

impl AstNode for BusinessRule {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::BUSINESS_RULE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl HasName for BusinessRule {}

impl BusinessRule {
    /// Its token of kind [`SyntaxKind::RULE_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::RULE_KW)
    }
    /// Its token of kind [`SyntaxKind::L_BRACK`].
    pub fn l_brack_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_BRACK)
    }
    /// Absent when it is not written.
    pub fn classification(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_BRACK`].
    pub fn r_brack_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_BRACK)
    }
    /// One of several tokens.
    pub fn assign_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::COLON, SyntaxKind::EQ, SyntaxKind::IS_KW])
    }
    /// The string.
    pub fn value(&self) -> Option<StringToken> {
        self.strings().next()
    }
    fn strings(&self) -> impl Iterator<Item = StringToken> + use<> {
        tokens_of(&self.syntax, SyntaxKind::STRING).filter_map(StringToken::cast)
    }
}

/// A node of kind [`SyntaxKind::CONTEXT_MAP_BODY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ContextMapBody {
    syntax: SyntaxNode,
}

impl AstNode for ContextMapBody {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::CONTEXT_MAP_BODY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl ContextMapBody {
    /// Its token of kind [`SyntaxKind::L_CURLY`].
    pub fn l_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_CURLY)
    }
    /// Its contains in the order of the text.
    pub fn contains(&self) -> AstChildren<ContainsClause> {
        support::children(&self.syntax)
    }
    /// Its relationships in the order of the text.
    pub fn relationships(&self) -> AstChildren<Relationship> {
        support::children(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_CURLY`].
    pub fn r_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_CURLY)
    }
}

/// A node of kind [`SyntaxKind::CONTAINS_CLAUSE`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ContainsClause {
    syntax: SyntaxNode,
}

impl AstNode for ContainsClause {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::CONTAINS_CLAUSE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl ContainsClause {
    /// Its token of kind [`SyntaxKind::CONTAINS_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::CONTAINS_KW)
    }
    /// Its entries in the order of the text.
    pub fn entries(&self) -> AstChildren<Reference> {
        support::children(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::DOMAIN_MAP_BODY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DomainMapBody {
    syntax: SyntaxNode,
}

impl AstNode for DomainMapBody {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DOMAIN_MAP_BODY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl DomainMapBody {
    /// Its token of kind [`SyntaxKind::L_CURLY`].
    pub fn l_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_CURLY)
    }
    /// Its contains in the order of the text.
    pub fn contains(&self) -> AstChildren<ContainsClause> {
        support::children(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_CURLY`].
    pub fn r_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_CURLY)
    }
}

/// A node of kind [`SyntaxKind::DIRECTIONAL_RELATIONSHIP`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DirectionalRelationship {
    syntax: SyntaxNode,
}

impl AstNode for DirectionalRelationship {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DIRECTIONAL_RELATIONSHIP
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl DirectionalRelationship {
    /// One of several tokens.
    pub fn arrow_token(&self) -> Option<SyntaxToken> {
        token_in(&self.syntax, &[SyntaxKind::RIGHT_ARROW, SyntaxKind::LEFT_ARROW, SyntaxKind::BOTH_ARROW])
    }
}

/// A node of kind [`SyntaxKind::SYMMETRIC_RELATIONSHIP`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SymmetricRelationship {
    syntax: SyntaxNode,
}

impl AstNode for SymmetricRelationship {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::SYMMETRIC_RELATIONSHIP
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl SymmetricRelationship {
    /// Absent when it is not written.
    pub fn patterns(&self) -> Option<PatternList> {
        support::child(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::APART_ARROW`].
    pub fn arrow_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::APART_ARROW)
    }
}

/// One of several nodes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RelationshipEnd {
    /// A [`ThisRef`].
    ThisRef(ThisRef),
    /// A [`BoundedContextRef`].
    BoundedContextRef(BoundedContextRef),
}

impl AstNode for RelationshipEnd {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        matches!(kind, SyntaxKind::THIS_REF | SyntaxKind::BOUNDED_CONTEXT_REF)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Some(match syntax.kind() {
            SyntaxKind::THIS_REF => Self::ThisRef(ThisRef { syntax }),
            SyntaxKind::BOUNDED_CONTEXT_REF => Self::BoundedContextRef(BoundedContextRef { syntax }),
            _ => return None,
        })
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::ThisRef(it) => it.syntax(),
            Self::BoundedContextRef(it) => it.syntax(),
        }
    }
}

impl From<ThisRef> for RelationshipEnd {
    fn from(node: ThisRef) -> Self {
        Self::ThisRef(node)
    }
}

impl From<BoundedContextRef> for RelationshipEnd {
    fn from(node: BoundedContextRef) -> Self {
        Self::BoundedContextRef(node)
    }
}

/// A node of kind [`SyntaxKind::PATTERN_LIST`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PatternList {
    syntax: SyntaxNode,
}

impl AstNode for PatternList {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::PATTERN_LIST
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl PatternList {
    /// Its token of kind [`SyntaxKind::L_BRACK`].
    pub fn l_brack_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_BRACK)
    }
    /// Its patterns in the order of the text.
    pub fn patterns(&self) -> AstChildren<Pattern> {
        support::children(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_BRACK`].
    pub fn r_brack_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_BRACK)
    }
}

/// A node of kind [`SyntaxKind::PATTERN`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    syntax: SyntaxNode,
}

impl AstNode for Pattern {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::PATTERN
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl Pattern {
    /// One of several tokens.
    pub fn word_token(&self) -> Option<SyntaxToken> {
        token_in(
            &self.syntax,
            &[
                SyntaxKind::OPEN_HOST_SERVICE_KW,
                SyntaxKind::PUBLISHED_LANGUAGE_KW,
                SyntaxKind::SUPPLIER_KW,
                SyntaxKind::CUSTOMER_KW,
                SyntaxKind::CONFORMIST_KW,
                SyntaxKind::ANTI_CORRUPTION_LAYER_KW,
                SyntaxKind::BIG_BALL_OF_MUD_KW,
                SyntaxKind::SHARED_KERNEL_KW,
                SyntaxKind::PARTNERSHIP_KW,
                SyntaxKind::SEPARATE_WAYS_KW,
            ],
        )
    }
}

/// A node of kind [`SyntaxKind::THIS_REF`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ThisRef {
    syntax: SyntaxNode,
}

impl AstNode for ThisRef {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::THIS_REF
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl ThisRef {
    /// Its token of kind [`SyntaxKind::THIS_KW`].
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::THIS_KW)
    }
}

/// A node of kind [`SyntaxKind::BOUNDED_CONTEXT_REF`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BoundedContextRef {
    syntax: SyntaxNode,
}

impl AstNode for BoundedContextRef {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::BOUNDED_CONTEXT_REF
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl BoundedContextRef {
    /// Absent when it is not written.
    pub fn link(&self) -> Option<Reference> {
        support::child(&self.syntax)
    }
}

/// A node of kind [`SyntaxKind::NAMESPACE_BODY`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NamespaceBody {
    syntax: SyntaxNode,
}

impl AstNode for NamespaceBody {
    type Language = DomainLang;
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::NAMESPACE_BODY
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

impl NamespaceBody {
    /// Its token of kind [`SyntaxKind::L_CURLY`].
    pub fn l_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::L_CURLY)
    }
    /// Its children in the order of the text.
    pub fn children(&self) -> AstChildren<Element> {
        support::children(&self.syntax)
    }
    /// Its token of kind [`SyntaxKind::R_CURLY`].
    pub fn r_curly_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::R_CURLY)
    }
}
