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

use crate::cli::agent::Agent;
use crate::session::Session;

pub(super) fn run(session: &Session, agent: &Agent) -> Result<ExitCode, Failure> {
    match agent {
        Agent::Run(run) => run::run(session, run),
        Agent::Chat(chat) => chat::run(session, chat),
        Agent::Resume(resume) => run::resume(session, resume),
        Agent::List { search, limit, json } => conversations::list(session, search.as_deref(), *limit, *json),
        Agent::Show { id, json } => conversations::show(session, id.as_deref(), *json),
        Agent::Export { id, output } => conversations::export(session, id.as_deref(), output.as_deref()),
        Agent::Replay(replay) => replay::run(session, replay),
        Agent::Models { json } => models::run(session, *json),
        Agent::Delete { id } => conversations::delete(session, id),
    }
}
