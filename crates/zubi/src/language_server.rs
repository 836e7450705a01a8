//! What `dlang lsp` and `zubi lsp` share: their flags, and how they end.

use std::process::ExitCode;

use clap::Args;
use dlang_server::{MethodTable, Options};

use crate::failure::{Failure, NEGATIVE};

/// The flags that editors give to language servers.
#[derive(Debug, Args)]
pub struct Flags {
    /// Speak over stdin and stdout; so it does anyway, but many editors say it
    #[arg(long)]
    stdio: bool,
    /// End when this process has ended: the editor's (on Linux)
    #[arg(long = "clientProcessId", value_name = "PID")]
    client: Option<u32>,
}

impl Flags {
    /// How a server of this name behaves.
    pub fn options(&self, name: &str) -> Options {
        Options { name: name.to_owned(), client_process: self.client, ..Options::default() }
    }
}

/// Serves the editor on stdin and stdout; returns when the conversation is over, or, on Linux, when the editor's process has
/// ended.
///
/// # Errors
///
/// Why it broke off. The protocol has one exit code for everything but a goodbye, so this is that one.
pub fn serve(options: Options, methods: MethodTable) -> Result<ExitCode, Failure> {
    match dlang_server::stdio(options, methods) {
        Ok(exit) => Ok(ExitCode::from(exit.code())),
        Err(error) => {
            let message = format!("the conversation broke off: {error}");
            Err(Failure::Told { code: NEGATIVE, message, hints: Vec::new() })
        }
    }
}
