//! The types of items that can be listed, by the names that people and programs use.

use std::fmt;
use std::str::FromStr;

use dlang_model::ElementKind;

/// A type of item that can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntityType {
    /// `domains`
    Domains,
    /// `bcs`, `bounded-contexts` or `contexts`
    BoundedContexts,
    /// `teams`
    Teams,
    /// `classifications`
    Classifications,
    /// `relationships` or `rels`
    Relationships,
    /// `context-maps` or `cmaps`
    ContextMaps,
    /// `domain-maps` or `dmaps`
    DomainMaps,
}

impl EntityType {
    /// All types, in the order in which they are listed.
    pub const ALL: [Self; 7] = [
        Self::Domains,
        Self::BoundedContexts,
        Self::Teams,
        Self::Classifications,
        Self::Relationships,
        Self::ContextMaps,
        Self::DomainMaps,
    ];

    /// Returns the names of the type: first the one that answers use, then other accepted names.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Domains => &["domains"],
            Self::BoundedContexts => &["bcs", "bounded-contexts", "contexts"],
            Self::Teams => &["teams"],
            Self::Classifications => &["classifications"],
            Self::Relationships => &["relationships", "rels"],
            Self::ContextMaps => &["context-maps", "cmaps"],
            Self::DomainMaps => &["domain-maps", "dmaps"],
        }
    }

    /// Returns the name that answers use.
    pub fn as_str(self) -> &'static str {
        self.names().first().copied().unwrap_or_default()
    }

    /// Returns the kind of element of this type; `None` for relationships, which are not elements.
    pub fn kind(self) -> Option<ElementKind> {
        match self {
            Self::Domains => Some(ElementKind::Domain),
            Self::BoundedContexts => Some(ElementKind::BoundedContext),
            Self::Teams => Some(ElementKind::Team),
            Self::Classifications => Some(ElementKind::Classification),
            Self::Relationships => None,
            Self::ContextMaps => Some(ElementKind::ContextMap),
            Self::DomainMaps => Some(ElementKind::DomainMap),
        }
    }
}

impl fmt::Display for EntityType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl FromStr for EntityType {
    type Err = InvalidInput;

    fn from_str(name: &str) -> Result<Self, InvalidInput> {
        let found = Self::ALL.into_iter().find(|entity| entity.names().contains(&name));
        found.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().flat_map(|entity| entity.names()).copied().collect();
            InvalidInput::new("type", format!("unknown type '{name}'. Use one of {}.", names.join(", ")))
        })
    }
}

/// An invalid request. The message names the field and its valid values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidInput {
    /// The invalid field.
    pub field: &'static str,
    /// The reason, and the value to use instead.
    pub message: String,
}

impl InvalidInput {
    pub(super) fn new(field: &'static str, message: String) -> Self {
        Self { field, message }
    }
}

impl fmt::Display for InvalidInput {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Invalid input: {}: {}", self.field, self.message)
    }
}

impl std::error::Error for InvalidInput {}
