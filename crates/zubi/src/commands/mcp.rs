//! `zubi mcp`: one agent, over stdin and stdout.

use std::process::ExitCode;
use std::sync::Arc;

use zubi_cli::failure::{Failure, INTERRUPTED};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_mcp::Introduction;

use super::end;
use crate::session::Session;

pub(super) fn run(session: &Session) -> Result<ExitCode, Failure> {
    let host = Arc::new(session.host()?);
    block_on(async {
        let stop = on_interrupt()?;
        let (input, output) = zubi_mcp::stdio();
        let result = zubi_mcp::serve(Introduction::ZUBI, Arc::clone(&host) as _, input, output, stop.clone()).await;
        end(&host).await;
        match result {
            Ok(()) if stop.is_cancelled() => Ok(ExitCode::from(INTERRUPTED)),
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(error) => Err(Failure::environment(format!("the conversation broke off: {error:#}"))),
        }
    })?
}
