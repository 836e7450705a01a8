//! DomainLang on disk: [`Workspace`], which everybody asks, and what it is made of: what a folder's `model.yaml` and `model.lock` say, what an import specifier means, and which module
//! a file belongs to.
//!
//! Nothing here knows the syntax of a model. Text goes in, data and [`Diagnostic`]s come out: reading never fails and
//! never panics, and what can be read of a broken file is used. Places are byte offsets ([`TextRange`]) into the text
//! that was given, a byte-order mark included; whoever speaks another unit converts.
//!
//! - [`manifest`] reads `model.yaml`, says what is wrong with it and how to put it right;
//! - [`lock`] reads `model.lock` and compares it with the manifest;
//! - [`modules`] knows which module a file belongs to and lists the modules below a folder;
//! - [`packages`] says whether dependencies are there, and are what the lock promises;
//! - [`template`] is what a new model begins with;
//! - [`specifier`] resolves what stands in `import "…"`;
//! - [`files`] is the only way to files: a trait, the disk, and a tree in memory.
//!
//! # Where the existing program is not followed
//!
//! It is the measure for wording, codes and results, except where it is wrong:
//!
//! | it | here |
//! |---|---|
//! | takes a `model.yaml` with one mistake for absent, without a word | every mistake is a diagnostic; the rest of the file holds |
//! | looks for the key of a diagnostic by splitting a dotted path | the range is the key's own, whatever characters it has |
//! | never resolves a dependency with `path:` | it resolves, inside the folder of its `model.yaml` |
//! | rejects an import of a broken dependency as unknown | the import has the code and message of what is broken |
//! | offers quick fixes as commands that nobody registered | a fix is an edit of `model.yaml`, tried before it is offered |
//! | takes the first dependency key that fits, in file order | takes the longest, as for aliases |
//! | says "run `dlang install`" for an unknown key without a lock | the unknown key is said first |
//! | does not look for a `model.yaml` below the workspace folder | [`modules::Modules::list`] finds every module |
//! | lets a file of the package cache climb into the project | a package's files see their package and its dependencies |
//! | takes a folder with a dot in its name for a file | a folder is a folder; the extension counts for everything else |
//! | has nothing to say of a lock that disagrees | [`lock::disagreements`] |

pub mod ask;
pub mod diagnostic;
pub mod files;
pub mod fix;
pub mod lock;
pub mod manifest;
pub mod modules;
pub mod packages;
mod paths;
pub mod specifier;
pub mod template;
pub mod watch;
pub mod workspace;
mod yaml;

#[cfg(test)]
mod testing;

pub use text_size::{TextRange, TextSize};

pub use dlang_model::Severity;

pub use crate::diagnostic::{Code, Diagnostic};
pub use crate::fix::{Action, Fix};
pub use crate::paths::normalize;
pub use crate::workspace::{Workspace, WorkspaceSnapshot};
