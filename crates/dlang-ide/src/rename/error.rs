//! Reasons for refusing a rename.

use dlang_model::File;

use crate::definition::FileRange;

/// The reason why a rename is refused. The messages contain no positions; the caller formats those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenameError {
    /// There is no name at the offset.
    NoName,
    /// The name does not resolve.
    Unresolved,
    /// The entry of a map names this number of entities.
    Ambiguous(usize),
    /// The word is `this`.
    This,
    /// The word is in the string of an import.
    ImportString,
    /// The entity is declared or named in this file of an installed package.
    Installed(File),
    /// The new name is not one identifier.
    NotAName(String),
    /// The new name would change whether an element can be named from outside its namespace: the length of paths is
    /// limited.
    Length(String),
    /// The new name would not be read as a name everywhere: it is a reserved word.
    Reserved {
        /// The new name.
        name: String,
        /// A file in which it would be read as something else.
        file: File,
    },
    /// Another declaration in the same scope has the new name.
    Declared {
        /// The new name.
        name: String,
        /// The location of the declaration.
        location: FileRange,
    },
    /// A reference would get another target.
    Captured {
        /// The reference as it is written now.
        text: String,
        /// The location of the reference.
        location: FileRange,
    },
}

impl std::fmt::Display for RenameError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoName => formatter.write_str("There is no name here that can be changed."),
            Self::Unresolved => formatter.write_str("The name means nothing, so there is nothing to rename."),
            Self::Ambiguous(count) => {
                write!(
                    formatter,
                    "The name means {count} things here. Rename the one that is meant where it is declared."
                )
            }
            Self::This => formatter
                .write_str("`this` always means the bounded context around it. Rename that where it is declared."),
            Self::ImportString => formatter.write_str("The string of an import is a path. Rename the file instead."),
            Self::Installed(_) => {
                formatter.write_str("An installed package names it. A package is changed in its own repository.")
            }
            Self::NotAName(name) => {
                write!(
                    formatter,
                    "`{name}` is not a name: names are letters, digits, `_` and `-`, and begin with a letter or `_`."
                )
            }
            Self::Length(name) => {
                write!(
                    formatter,
                    "With `{name}` a path would cross the length up to which elements can be referred to."
                )
            }
            Self::Reserved { name, .. } => {
                write!(formatter, "`{name}` is a reserved word and would not be read as a name everywhere.")
            }
            Self::Declared { name, .. } => write!(formatter, "`{name}` is declared in the same place already."),
            Self::Captured { text, .. } => {
                write!(formatter, "The reference `{text}` would mean something else afterwards.")
            }
        }
    }
}

impl std::error::Error for RenameError {}
