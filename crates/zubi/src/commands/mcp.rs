//! `zubi mcp`: one agent, over stdin and stdout.

use std::process::ExitCode;
use std::sync::Arc;

use zubi_cli::failure::{Failure, INTERRUPTED};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_host::{RequestedTools, SCRIPT_TOOLSET, SHELL_TOOLSET};
use zubi_mcp::{ElicitationMode, ServerIdentity};

use zubi_base::config::{Effective, McpApprovalFallback, SettingSource, Settings};

use super::end::end;
use crate::session::CliSession;

/// Disables zubi's shell and its scripts unless the user enables them: agents have a shell of their own, under their
/// user's rules, and few need scripts. A workspace's file cannot enable them, because that would bring commands to every
/// user who opens the folder.
fn without_optional_toolsets(settings: &mut Settings) {
    let requested = RequestedTools::from_settings(settings);
    // The user may name a tool instead of its toolset.
    for (toolset, tools) in [(SHELL_TOOLSET, SHELL_TOOLSET), (SCRIPT_TOOLSET, "run_script")] {
        if !requested.has_toolset(toolset) && !requested.has_toolset(tools) {
            settings.toolsets.push(Effective { value: vec![format!("!{toolset}")], source: SettingSource::Default });
        }
    }
}

pub(super) fn run(session: Result<CliSession, Failure>) -> Result<ExitCode, Failure> {
    let mut mode = ElicitationMode::default();
    let session = match session {
        Ok(session) => session,
        Err(failure) => return refuse(failure),
    };
    let served = block_on(async {
        let stop = on_interrupt()?;
        let attached = session.attach(true, |settings| {
            mode.client_prompts = settings.mcp_approval_fallback.value == McpApprovalFallback::Client;
            without_optional_toolsets(settings);
        });
        let service = match attached.await {
            Ok(attached) => attached.service,
            Err(failure) => return Ok(Err(failure)),
        };
        let (input, output) = zubi_mcp::stdio();
        let result =
            zubi_mcp::serve(ServerIdentity::ZUBI, mode, Arc::clone(&service) as _, input, output, stop.clone()).await;
        end(service.as_ref()).await;
        Ok::<_, Failure>(Ok((result, stop)))
    })?;
    match served? {
        Err(failure) => refuse(failure),
        Ok((result, stop)) => match result {
            Ok(()) if stop.is_cancelled() => Ok(ExitCode::from(INTERRUPTED)),
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(error) => Err(Failure::environment(format!("the connection failed: {error:#}"))),
        },
    }
}

/// Reports the start-up failure to the MCP client as well as on stderr, which few clients show.
fn refuse(failure: Failure) -> Result<ExitCode, Failure> {
    let message = format!("zubi cannot start: {}", failure.text());
    let exit = failure.report();
    block_on(async {
        let stop = on_interrupt()?;
        let (input, output) = zubi_mcp::stdio();
        zubi_mcp::serve_startup_error(message, input, output, stop.clone()).await;
        Ok(if stop.is_cancelled() { ExitCode::from(INTERRUPTED) } else { exit })
    })?
}
