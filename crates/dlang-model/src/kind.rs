//! Kinds of elements.

use dlang_syntax::SyntaxKind;

/// Kind of an element: a named declaration in a file or namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementKind {
    /// `Domain`
    Domain,
    /// `BoundedContext`
    BoundedContext,
    /// `Team`
    Team,
    /// `Classification`
    Classification,
    /// `Metadata`: a key for the entries of `metadata` blocks.
    Metadata,
    /// `ContextMap`
    ContextMap,
    /// `DomainMap`
    DomainMap,
    /// `Namespace`
    Namespace,
}

impl ElementKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Domain,
        Self::BoundedContext,
        Self::Team,
        Self::Classification,
        Self::Metadata,
        Self::ContextMap,
        Self::DomainMap,
        Self::Namespace,
    ];

    /// Kinds that references can name. They come first in [`Self::ALL`], so that tables by kind need no more rows.
    pub const REFERENCEABLE: [Self; 5] =
        [Self::Domain, Self::BoundedContext, Self::Team, Self::Classification, Self::Metadata];

    /// Whether a reference can name it and other files can import it.
    pub fn is_referenceable(self) -> bool {
        self.table_row().is_some()
    }

    /// Returns its row in a table of the referenceable kinds.
    pub(crate) fn table_row(self) -> Option<usize> {
        Self::REFERENCEABLE.iter().position(|kind| *kind == self)
    }

    /// Returns the kind of a node; `None` for nodes that declare no element.
    pub fn from_syntax(kind: SyntaxKind) -> Option<Self> {
        Some(match kind {
            SyntaxKind::DOMAIN => Self::Domain,
            SyntaxKind::BOUNDED_CONTEXT => Self::BoundedContext,
            SyntaxKind::TEAM => Self::Team,
            SyntaxKind::CLASSIFICATION => Self::Classification,
            SyntaxKind::METADATA => Self::Metadata,
            SyntaxKind::CONTEXT_MAP => Self::ContextMap,
            SyntaxKind::DOMAIN_MAP => Self::DomainMap,
            SyntaxKind::NAMESPACE_DECLARATION => Self::Namespace,
            _ => return None,
        })
    }

    /// Returns the name of its type in JSON and messages.
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Domain => "Domain",
            Self::BoundedContext => "BoundedContext",
            Self::Team => "Team",
            Self::Classification => "Classification",
            Self::Metadata => "Metadata",
            Self::ContextMap => "ContextMap",
            Self::DomainMap => "DomainMap",
            Self::Namespace => "NamespaceDeclaration",
        }
    }
}
