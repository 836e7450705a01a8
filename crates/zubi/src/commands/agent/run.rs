//! `zubi agent run` and `resume`: one turn, whose end determines the exit code.

use std::io::Read as _;
use std::process::ExitCode;

use camino::Utf8Path;
use serde_json::Value;
use zubi_agent::event::{StopReason, TurnEnded};
use zubi_agent::wire::{OpenResult, SendParams};
use zubi_cli::failure::{ENVIRONMENT, Failure, INTERRUPTED, NEGATIVE};
use zubi_cli::runtime::block_on;
use zubi_cli::terminal;

use super::chat_session::{ChatSession, ChatStep, InputMode};
use super::conversations::{NO_EVENTS, find};
use super::output::EventOutput;
use crate::agent;
use crate::cli::agent::{OutputArgs, Resume, RunArgs, TurnArgs};
use crate::session::CliSession;

/// The maximum size of a task, instruction or schema, in bytes.
const TEXT: u64 = 1024 * 1024;

/// The default message.
const CONTINUE_PROMPT: &str = "Continue where you left off.";

pub(super) fn run(session: &CliSession, run: &RunArgs) -> Result<ExitCode, Failure> {
    let text = match run.task.as_str() {
        "-" => from_stdin()?,
        task => task.to_owned(),
    };
    let params = send_params(text, &run.turns, &run.output_args, run.instructions.as_deref())?;
    block_on(async {
        let agent_session = agent::open(session, &run.turns).await?;
        let exit = turn(&agent_session, None, params, &run.output_args).await;
        agent_session.end().await;
        exit
    })?
}

pub(super) fn resume(session: &CliSession, resume: &Resume) -> Result<ExitCode, Failure> {
    // An argument with spaces cannot be an id.
    let (id, text) = match (&resume.id, &resume.text) {
        (Some(text), None) if text.contains(char::is_whitespace) => (None, Some(text)),
        (id, text) => (id.as_deref(), text.as_ref()),
    };
    let text = text.map_or(CONTINUE_PROMPT, String::as_str).to_owned();
    let params = send_params(text, &resume.turns, &resume.output_args, resume.instructions.as_deref())?;
    block_on(async {
        let agent_session = agent::open(session, &resume.turns).await?;
        let exit = async {
            let opened = find(agent_session.chats(), id, NO_EVENTS).await?;
            turn(&agent_session, Some(opened), params, &resume.output_args).await
        };
        let exit = exit.await;
        agent_session.end().await;
        exit
    })?
}

/// Builds the parameters of the request to the conversation manager.
fn send_params(
    text: String,
    turns: &TurnArgs,
    output_args: &OutputArgs,
    instructions: Option<&Utf8Path>,
) -> Result<SendParams, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::usage("the task is empty").hint("Describe the task: `zubi agent run 'list the files'`."));
    }
    Ok(SendParams {
        conversation: None,
        text,
        model: turns.model.clone(),
        max_iterations: Some(turns.max_iterations),
        tools: Vec::new(),
        schema: output_args.output_schema.as_deref().map(schema).transpose()?,
        instructions: instructions.map(text_of).transpose()?,
    })
}

async fn turn(
    agent_session: &agent::AgentSession,
    conversation: Option<OpenResult>,
    params: SendParams,
    output_args: &OutputArgs,
) -> Result<ExitCode, Failure> {
    let output = EventOutput::turn(output_args.json, output_args.output_schema.is_some());
    let mut session = ChatSession::new(agent_session.chat_service(), output)?;
    if let Some(opened) = &conversation {
        session.resume(opened);
    }
    session.send(params).await?;
    let mut interruptions = 0;
    loop {
        match session.step(InputMode::Answers, std::future::pending()).await? {
            ChatStep::Ended(ended) => {
                if ended.reason != StopReason::Completed
                    && !output_args.json
                    && let Some(id) = session.conversation()
                {
                    terminal::print_err(&format!("hint: `zubi agent resume {id}` resumes it."));
                }
                return Ok(ExitCode::from(if interruptions > 0 { INTERRUPTED } else { code(&ended) }));
            }
            ChatStep::Typed(_) | ChatStep::Done => {}
            // Stops the turn, as a closed stdout would stop a program that only writes.
            ChatStep::Unread => {
                terminal::print_err("Output closed: stopping the turn.");
                session.stop().await?;
            }
            ChatStep::Interrupted(_) if interruptions > 0 => return Ok(ExitCode::from(INTERRUPTED)),
            ChatStep::Interrupted(_) => {
                interruptions += 1;
                session.stop().await?;
            }
        }
    }
}

/// Returns the exit code for the end of a turn.
pub(super) fn code(ended: &TurnEnded) -> u8 {
    match ended.reason {
        // A truncated answer is not the requested one, although there will be no more.
        StopReason::Completed if ended.problem.is_some() => NEGATIVE,
        StopReason::Completed => 0,
        // No answer, no host or a full disk: a failure of the environment.
        StopReason::Model | StopReason::Failed => ENVIRONMENT,
        _ => NEGATIVE,
    }
}

fn schema(file: &Utf8Path) -> Result<Value, Failure> {
    let text = text_of(file)?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("`{file}` is not valid JSON: {error}"))
            .hint("--output-schema takes a JSON Schema of an object.")
    })
}

/// Reads the text of a file that the user named.
pub(super) fn text_of(file: &Utf8Path) -> Result<String, Failure> {
    let file = zubi_cli::current_directory()?.join(file);
    let text = zubi_base::fs::read_text(&file).map_err(Failure::usage)?;
    if text.len() as u64 > TEXT {
        return Err(Failure::usage(format!("`{file}` is larger than {TEXT} bytes")));
    }
    Ok(text)
}

fn from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .take(TEXT + 1)
        .read_to_string(&mut text)
        .map_err(|error| Failure::usage(format!("cannot read stdin: {error}")))?;
    if text.len() as u64 > TEXT {
        return Err(Failure::usage(format!("stdin has more than {TEXT} bytes"))
            .hint("Name the file in the task; the agent reads the parts that it needs."));
    }
    Ok(text)
}
