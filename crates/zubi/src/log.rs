//! The log, on stderr, because stdout is for data and protocols.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;
use zubi_base::env::{Environment, ZUBI_LOG};
use zubi_cli::failure::Failure;

/// Starts the log. `ZUBI_LOG` overrides `-v`.
pub(crate) fn start(verbose: u8, environment: &Environment) -> Result<(), Failure> {
    let directives = match (&environment.log, verbose) {
        (Some(directives), _) => directives.as_str(),
        // rmcp warns of every invalid request of a client; the client already has the error response.
        (None, 0) => "warn,rmcp=off",
        (None, 1) => "info,rmcp=warn",
        (None, 2) => "debug,rmcp=info",
        (None, _) => "trace",
    };
    // The model library logs responses of servers, and servers that reject a key return it.
    let filter = EnvFilter::try_new(format!("{directives},genai=off"))
        .map_err(|error| Failure::usage(format!("environment variable `{}`: {error}", ZUBI_LOG.name)))?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && !environment.no_color)
        .compact()
        .try_init()
        .map_err(Failure::environment)
}
