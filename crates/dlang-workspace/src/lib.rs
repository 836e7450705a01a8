//! DomainLang on disk: [`Workspace`], the object that every surface queries, and its parts: manifests and locks of a
//! folder, import specifiers, and modules.
//!
//! Nothing here knows the syntax of a model. Text goes in, data and [diagnostics](diagnostic) come out: reading never
//! fails and never panics, and uses everything that can be read of a broken file. Ranges are byte offsets
//! ([`TextRange`]) into the given text, a byte-order mark included; callers convert them into other units.
//!
//! - [`manifest`] reads `model.yaml` and returns diagnostics and fixes;
//! - [`lock`] reads `model.lock` and compares it with the manifest;
//! - [`modules`] finds the module of a file and lists the modules below a folder;
//! - [`packages`] checks that dependencies are present and match the lock;
//! - [`template`] has the files of a new model;
//! - [`specifier`] resolves the string of `import "…"`;
//! - [`files`] is the only access to files: a trait, the disk, and a tree in memory.
//!
//! # Differences from DomainLang's original tools
//!
//! Wording, codes and results follow them, except where they are wrong:
//!
//! | the original tools | here |
//! |---|---|
//! | ignore a `model.yaml` with one mistake silently | every mistake is a diagnostic; the rest of the file is valid |
//! | search for the key of a diagnostic by splitting a dotted path | the range is that of the key itself |
//! | never resolve a dependency with `path:` | it resolves, inside the folder of its `model.yaml` |
//! | reject an import of a broken dependency as unknown | the import has the code and message of the mistake |
//! | offer quick fixes as commands that are never registered | a fix is a verified edit of `model.yaml` |
//! | take the first matching dependency key, in file order | take the longest, as for aliases |
//! | report "run `dlang install`" for an unknown key without a lock | report the unknown key first |
//! | ignore a `model.yaml` below the workspace folder | [`modules::Modules::list`] finds every module |
//! | let a file of a cached package reach into the project | it sees only its package and the package's dependencies |
//! | treat a folder with a dot in its name as a file | a folder is a folder; the extension counts for everything else |
//! | do not report a lock that differs from the manifest | [`lock::disagreements`] |

pub mod diagnostic;
pub mod files;
pub mod fix;
pub mod lock;
pub mod manifest;
pub mod modules;
pub mod packages;
mod paths;
pub mod queries;
pub mod specifier;
pub mod template;
pub mod watch;
pub mod workspace;
mod yaml;

#[cfg(test)]
mod testing;

pub use text_size::{TextRange, TextSize};

pub use crate::fix::{Fix, FixAction};
pub use crate::paths::normalize;
pub use crate::workspace::{Workspace, WorkspaceSnapshot};
