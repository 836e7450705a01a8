//! The parts that the programs of this package share: failures and exit codes ([`failure`]), running a language server
//! ([`language_server`]), output to stdout and stderr ([`terminal`]), and the runtime for asynchronous commands
//! ([`runtime`]).

pub mod failure;
pub mod language_server;
pub mod runtime;
pub mod terminal;

use camino::Utf8PathBuf;

use crate::failure::Failure;

/// Returns the directory in which the program was started, absolute.
#[expect(clippy::disallowed_methods, reason = "the composition root is who passes the directory")]
pub fn current_directory() -> Result<Utf8PathBuf, Failure> {
    let path = std::env::current_dir()
        .map_err(|error| Failure::environment(format!("cannot determine the current directory: {error}")))?;
    Utf8PathBuf::from_path_buf(path).map_err(|path| Failure::environment(format!("`{}` is not UTF-8", path.display())))
}
