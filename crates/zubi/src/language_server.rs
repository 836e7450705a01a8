//! The flags and the exit of `dlang lsp` and `zubi lsp`.

use std::process::ExitCode;

use clap::Args;
use dlang_server::{MethodTable, ServerConfig};

use crate::failure::{Failure, NEGATIVE};

/// The flags that editors give to language servers.
#[derive(Debug, Args)]
pub struct Flags {
    /// Use stdin and stdout (always the case; accepted because many editors pass it)
    #[arg(long)]
    stdio: bool,
    /// Exit when this process, usually the editor, has exited (Linux only)
    #[arg(long = "clientProcessId", value_name = "PID")]
    client: Option<u32>,
}

impl Flags {
    /// Returns the options of a server with this name.
    pub fn options(&self, name: &str) -> ServerConfig {
        ServerConfig { name: name.to_owned(), client_process: self.client, ..ServerConfig::default() }
    }
}

/// Serves the editor on stdin and stdout; returns at the end of the session or, on Linux, when the editor's process has
/// exited.
///
/// # Errors
///
/// Fails if the session breaks off. LSP has one exit code for every end without `shutdown`, which this failure has too.
pub fn serve(options: ServerConfig, methods: MethodTable) -> Result<ExitCode, Failure> {
    match dlang_server::stdio(options, methods) {
        Ok(exit) => Ok(ExitCode::from(exit.code())),
        Err(error) => {
            let message = format!("the connection failed: {error}");
            Err(Failure::Message { code: NEGATIVE, message, hints: Vec::new() })
        }
    }
}
