//! What the string of an import means.
//!
//! | specifier | leads to |
//! |---|---|
//! | `./…`, `../…` | relative to the importing file; not out of its module, if that has a manifest or is a package |
//! | `@alias`, `@alias/…` | the longest key of `paths` that fits, then on from its target and not out of it |
//! | `@/…` | the module's root, if no key fits |
//! | anything else | the longest key of `dependencies` that fits: a repository in the package cache, or a folder of the module |
//!
//! A local target (the first three, and a dependency with `path:`) is a file if it ends in `.dlang`; a folder's entry if
//! it is a folder; with `.dlang` added if it has no extension. A path below a package is taken to the letter.
//!
//! Nothing outside is ever reached: not by `..`, not by an absolute path in a manifest, not by a link. Whether a file
//! exists outside does not change an answer either. Paths of results have their links below the module resolved, so that
//! one file has one path, and a link to a folder above cannot make a file a new one each time.

pub(crate) mod resolver;
mod unresolved;

use camino::Utf8PathBuf;

pub use unresolved::{Reason, UnresolvedImport};

use crate::modules::Package;

/// Where an import leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedImport {
    /// A file that exists and ends in `.dlang`; absolute, spelled below the importing file's folders as they are.
    pub path: Utf8PathBuf,
    /// The package it lies in. What its entry imports from the same package is seen by who imports the entry.
    pub package: Option<Package>,
}

#[cfg(test)]
mod tests;
