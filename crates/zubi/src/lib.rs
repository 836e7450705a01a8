//! What the programs of this package share: how a command fails and with which exit code ([`failure`]), how a language
//! server runs ([`language_server`]), the way to stdout and stderr ([`terminal`]), and what runs commands that wait
//! ([`runtime`]).

pub mod failure;
pub mod language_server;
pub mod runtime;
pub mod terminal;

use camino::Utf8PathBuf;

use crate::failure::Failure;

/// Where the program was started, absolute.
#[expect(clippy::disallowed_methods, reason = "the composition root is who passes the directory")]
pub fn current_directory() -> Result<Utf8PathBuf, Failure> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::environment(format!("cannot tell the current directory: {error}")))?;
    Utf8PathBuf::from_path_buf(here).map_err(|path| Failure::environment(format!("`{}` is not UTF-8", path.display())))
}
