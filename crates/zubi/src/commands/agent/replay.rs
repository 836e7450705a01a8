//! `zubi agent replay`: repeats the calls of a scenario and reports the differences.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::json;
use zubi_agent::replay::{Difference, ReplayOutcome, ReplayReport, ReplayedCall};
use zubi_agent::wire::{ConversationRef, ExportedScenario};
use zubi_base::escape::printable;
use zubi_base::fs::ReadError;
use zubi_base::text::pluralize;
use zubi_cli::failure::{Failure, INTERRUPTED, NEGATIVE};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal;
use zubi_models::scenario::Scenario;
use zubi_tool_api::output::clean;

use super::chat_session::request;
use super::conversations::{NO_EVENTS, find, may_be_id};
use crate::agent::{self, AgentOptions};
use crate::cli::agent::ReplayArgs as Words;
use crate::session::CliSession;

/// The maximum number of lines of an outcome that are shown, from the first that differs.
const LINES: usize = 12;

pub(super) fn run(session: &CliSession, words: &Words) -> Result<ExitCode, Failure> {
    let rules = AgentOptions::rules(&words.auto_approve)?;
    let from_file = from_file(&words.what)?;
    block_on(async {
        let stop = on_interrupt()?;
        let agent_session = agent::open_read_only(session).await?;
        let report = async {
            let scenario = match from_file {
                Some(scenario) => scenario,
                None => from_conversation(&agent_session, &words.what).await?,
            };
            agent_session.replay(&scenario, &rules, stop.clone()).await
        };
        let report = report.await;
        agent_session.end().await;
        if stop.is_cancelled() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        print_report(&report?, words.json)
    })?
}

/// Reads the scenario of a file; `None` if the file does not exist, since the name may be a conversation id.
fn from_file(argument: &str) -> Result<Option<Scenario>, Failure> {
    let text = match zubi_base::fs::read_text(&zubi_cli::current_directory()?.join(argument)) {
        Ok(text) => text,
        Err(ReadError::NotFound { .. }) if may_be_id(argument) => return Ok(None),
        Err(ReadError::NotFound { .. }) => {
            let none = Failure::usage(format!("file not found: `{}`", printable(argument)));
            return Err(none.hint("It is not a conversation id either: `zubi agent list` lists the ids."));
        }
        Err(error) => return Err(Failure::usage(error)),
    };
    let scenario = Scenario::read(&text);
    Ok(Some(scenario.map_err(|reason| Failure::usage(format!("`{argument}` is not a valid scenario: {reason}")))?))
}

async fn from_conversation(agent_session: &agent::AgentSession, id: &str) -> Result<Scenario, Failure> {
    let found = find(agent_session.chats(), Some(id), NO_EVENTS).await;
    let found = found.map_err(|failure| failure.hint("There is no file of this name either."))?;
    let conversation = found.summary.id;
    let exported: ExportedScenario =
        request(agent_session.chats(), "export", &ConversationRef { conversation }).await?;
    Scenario::read(&exported.scenario).map_err(Failure::environment)
}

fn print_report(report: &ReplayReport, json: bool) -> Result<ExitCode, Failure> {
    if json {
        terminal::print_json(&json!(report))?;
    } else {
        terminal::print(&render_report(report))?;
    }
    Ok(if report.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(NEGATIVE) })
}

fn render_report(report: &ReplayReport) -> String {
    let mut text: String = report.differences.iter().map(difference).collect();
    let found = match report.differences.len() {
        0 => "as it was".to_owned(),
        differences => pluralize(differences, "difference"),
    };
    let _ = write!(text, "{}, {}: {found}", pluralize(report.turns, "turn"), pluralize(report.calls, "call"));
    clean(text)
}

fn difference(difference: &Difference) -> String {
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    let _ = match difference {
        Difference::Call { turn, call, recorded, now } => writeln!(
            text,
            "turn {turn}, call {call}: another call\n  - {}\n  + {}",
            recorded.as_ref().map_or_else(|| "none".to_owned(), render_call),
            now.as_ref().map_or_else(|| "none".to_owned(), render_call),
        ),
        Difference::Outcome { turn, call, made: replayed_call, recorded, now } => {
            writeln!(
                text,
                "turn {turn}, call {call}: {} has a different result\n{}",
                render_call(replayed_call),
                outcomes(recorded, now)
            )
        }
        Difference::End { turn, recorded, now, problem } => {
            let name = |reason: &zubi_agent::event::StopReason| json!(reason).as_str().unwrap_or_default().to_owned();
            let problem = problem.as_ref().map(|reason| format!(": {}", printable(reason))).unwrap_or_default();
            let recorded = recorded.as_ref().map_or_else(|| "did not end".to_owned(), name);
            writeln!(text, "turn {turn} ended differently\n  - {recorded}\n  + {}{problem}", name(now))
        }
    };
    text
}

fn render_call(call: &ReplayedCall) -> String {
    printable(&format!("{} {}", call.tool, call.arguments)).into_owned()
}

/// Renders both texts from their first difference.
fn outcomes(recorded: &ReplayOutcome, now: &ReplayOutcome) -> String {
    let same = recorded.text.lines().zip(now.text.lines()).take_while(|(old, new)| old == new).count();
    let mut text = String::new();
    if recorded.failed != now.failed {
        let word = |failed: bool| if failed { "failed" } else { "succeeded" };
        let _ = writeln!(text, "  it {}, and {} now", word(recorded.failed), word(now.failed));
    }
    for (mark, outcome) in [('-', recorded), ('+', now)] {
        let lines: Vec<&str> = outcome.text.lines().skip(same).collect();
        for line in lines.iter().take(LINES) {
            let _ = writeln!(text, "  {mark} {}", printable(line));
        }
        let more = lines.len().saturating_sub(LINES);
        if more > 0 {
            let _ = writeln!(text, "  {mark} … and {more} more lines");
        }
    }
    text.trim_end().to_owned()
}
