//! `zubi call`: calls one tool and prints the text an agent would receive.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use zubi_cli::failure::{Failure, INTERRUPTED};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal::{self, ProgressLine};
use zubi_host::{CallAnswer, CallContext, CallRequest, HostError, ToolService};
use zubi_tool_api::ErrorCode;
use zubi_tool_api::cx::{Approver, Caller, NoApprover, NoProgress, ProgressSink, Restrictions, Surface};
use zubi_tool_api::progress::ThrottledProgress;

use super::end::end;
use crate::approver::TerminalApprover;
use crate::arguments;
use crate::session::CliSession;

/// The time-out, longer than any that a tool sets for itself.
const TIMEOUT: Duration = Duration::from_mins(10);

pub(super) fn run(session: &CliSession, words: &[String]) -> Result<ExitCode, Failure> {
    let Some((tool, words)) = words.split_first() else {
        return Err(Failure::usage("missing tool id: `zubi tools list` lists the tools"));
    };
    block_on(async {
        let attached = session.attach(false, |_| {}).await?;
        call(attached.service.as_ref(), tool, words, "zubi call").await
    })?
}

/// Calls a tool with the arguments in these words and prints its answer; `command` is the name in help texts.
pub(super) async fn call(
    host: &dyn ToolService,
    tool: &str,
    words: &[String],
    command: &str,
) -> Result<ExitCode, Failure> {
    let spec = match host.find(tool, &Restrictions::default()).await {
        Ok(spec) => spec,
        // The parameters of an unknown tool are unknown, so these are mere words; `--json` is still meant as the output
        // format.
        Err(error) if words.iter().any(|word| word == "--json") => {
            print_json_error(error.code(), &error.to_string())?;
            return Err(host_failure(&error));
        }
        Err(error) => return Err(host_failure(&error)),
    };
    let parsed = arguments::read(&spec, words, command)?;
    let interrupted = on_interrupt()?;
    let line = ProgressLine::new().map(Arc::new);
    let progress: Arc<dyn ProgressSink> = match &line {
        Some(line) => Arc::new(ThrottledProgress::new(Arc::clone(line) as Arc<dyn ProgressSink>)),
        None => Arc::new(NoProgress),
    };
    let approver: Arc<dyn Approver> = match TerminalApprover::new() {
        Some(terminal) => Arc::new(terminal),
        None => Arc::new(NoApprover),
    };
    let caller =
        Caller { surface: Surface::CommandLine, client: None, session: 0, restrictions: Restrictions::default() };
    let request = CallRequest {
        tool: spec.id.clone(),
        arguments: parsed.arguments,
        caller: Arc::new(caller),
        token_budget: None,
    };
    let context = CallContext { cancel: interrupted.clone(), progress, approver, timeout: TIMEOUT };
    let answer = host.call(&request, &context).await;
    if let Some(line) = &line {
        line.clear();
    }
    end(host).await;
    if interrupted.is_cancelled() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    show(&answer.map_err(|error| host_failure(&error))?, parsed.json)
}

fn show(answer: &CallAnswer, json: bool) -> Result<ExitCode, Failure> {
    match answer.failure {
        None if json => {
            terminal::print_json(&answer.data.clone().unwrap_or_else(|| json!({ "text": answer.text })))?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            terminal::print(&answer.text)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(code) => {
            if json {
                print_json_error(code, &answer.text)?;
            }
            Err(Failure::from_call(code, &answer.text, &answer.next))
        }
    }
}

/// Prints a failure as JSON to stdout, like any answer.
fn print_json_error(code: ErrorCode, message: &str) -> Result<(), Failure> {
    terminal::print_json(&json!({ "error": { "code": code, "message": message } }))
}

/// Converts an error of the host to a failure of the command.
pub(super) fn host_failure(error: &HostError) -> Failure {
    match error {
        HostError::InvalidCall(failure) => Failure::from_call(failure.code, &failure.text, &failure.next),
        HostError::UnknownTool(unknown) => {
            let failure = Failure::from_code(unknown.code, error);
            match unknown.code {
                // The reason contains the hint.
                ErrorCode::Unavailable => failure,
                _ => failure.hint("`zubi tools list` lists the tools."),
            }
        }
        _ => Failure::environment(error).hint(error.hint()),
    }
}
