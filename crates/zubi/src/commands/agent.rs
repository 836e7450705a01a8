//! `zubi agent`: zubi's own agent, from the command line.

mod chat;
mod chat_session;
mod conversations;
mod models;
mod output;
mod replay;
mod run;
mod view;

use std::process::ExitCode;

use zubi_cli::failure::Failure;

use crate::cli::agent::AgentCommand;
use crate::session::CliSession;

pub(super) fn run(session: &CliSession, agent: &AgentCommand) -> Result<ExitCode, Failure> {
    match agent {
        AgentCommand::Run(run) => run::run(session, run),
        AgentCommand::Chat(chat) => chat::run(session, chat),
        AgentCommand::Resume(resume) => run::resume(session, resume),
        AgentCommand::List { search, limit, json } => conversations::list(session, search.as_deref(), *limit, *json),
        AgentCommand::Show { id, json } => conversations::show(session, id.as_deref(), *json),
        AgentCommand::Export { id, output } => conversations::export(session, id.as_deref(), output.as_deref()),
        AgentCommand::Replay(replay) => replay::run(session, replay),
        AgentCommand::Models { json } => models::run(session, *json),
        AgentCommand::Delete { id } => conversations::delete(session, id),
    }
}
