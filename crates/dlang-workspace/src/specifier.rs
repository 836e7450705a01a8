//! The meaning of an import string.
//!
//! | specifier | target |
//! |---|---|
//! | `./…`, `../…` | relative to the importing file; inside its module, if that has a manifest or is a package |
//! | `@alias`, `@alias/…` | the longest matching key of `paths`, then below its target |
//! | `@/…` | the module's root, if no key matches |
//! | anything else | the longest matching key of `dependencies`: a cached repository, or a folder of the module |
//!
//! A local target (the first three, and a dependency with `path:`) is a file if it ends in `.dlang`; the entry of a
//! folder if it is a folder; the path with `.dlang` added if it has no extension. A path below a package is used
//! unchanged.
//!
//! No specifier reaches a file outside: not through `..`, an absolute path in a manifest, or a link. The answer does
//! not depend on the existence of a file outside either. Links below the module are resolved in results, so that one
//! file has one path, and a link to a parent folder cannot create new paths without end.

pub(crate) mod resolver;
mod unresolved;

use camino::Utf8PathBuf;

pub use unresolved::{Reason, UnresolvedImport};

use crate::modules::Package;

/// The target of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedImport {
    /// A file that exists and ends in `.dlang`; absolute, and spelled like the importing file's folders where it is
    /// below them.
    pub path: Utf8PathBuf,
    /// The package of the target. A file that imports a package's entry also sees what the entry imports from the same
    /// package.
    pub package: Option<Package>,
}

#[cfg(test)]
mod tests;
