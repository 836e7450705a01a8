//! `dlang lsp`: a language server for editors, on stdin and stdout.

use std::io;
use std::process::ExitCode;

use dlang_server::MethodTable;
use tracing::Level;
use zubi_cli::failure::Failure;
use zubi_cli::language_server::{self, Flags};

pub(super) fn run(flags: &Flags) -> Result<ExitCode, Failure> {
    // stdout belongs to the protocol; editors show what a server says on stderr.
    tracing_subscriber::fmt()
        .with_max_level(Level::WARN)
        .with_writer(io::stderr)
        .with_ansi(false)
        .compact()
        .try_init()
        .map_err(Failure::environment)?;
    language_server::serve(flags.options("dlang"), MethodTable::new())
}
