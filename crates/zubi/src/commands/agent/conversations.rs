//! The conversations of this workspace: `zubi agent list`, `show`, `export`, `delete`.

use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use camino::Utf8Path;
use chrono::DateTime;
use serde_json::{Value, json};
use zubi_agent::chat::ChatService;
use zubi_agent::wire::{
    ConversationList, ConversationQuery, ConversationRef, ConversationState, ExportedScenario, ListedConversation,
    OpenParams, OpenResult,
};
use zubi_base::escape::printable;
use zubi_base::text::{ellipsize, pluralize};
use zubi_cli::failure::Failure;
use zubi_cli::runtime::block_on;
use zubi_cli::terminal;

use super::chat_session::request;
use super::output::{page, print_event};
use crate::agent;
use crate::session::CliSession;

/// A sequence number that no event exceeds: opening a conversation after it returns only its status.
pub(super) const NO_EVENTS: u64 = u64::MAX;

/// The maximum number of characters of a listed title.
const TITLE: usize = 70;

/// The maximum number of listed conversations that match a prefix.
const MAX_MATCHES: usize = 5;

pub(super) fn list(session: &CliSession, search: Option<&str>, limit: usize, json: bool) -> Result<ExitCode, Failure> {
    let search =
        ConversationQuery { query: search.map(str::to_owned), limit: Some(limit), ..ConversationQuery::default() };
    let list = with_chats(session, async |chats| request::<ConversationList>(chats, "conversations", &search).await)?;
    if json {
        terminal::print_json(&json!(list))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(problem) = &list.problem {
        terminal::print_err(&printable(problem));
    }
    let lines: Vec<String> = list.conversations.iter().map(line).collect();
    if lines.is_empty() {
        terminal::print_err(match &search.query {
            Some(_) => "No conversation in this workspace contains these words.",
            None => "No conversations in this workspace yet: `zubi agent run` starts one.",
        });
        return Ok(ExitCode::SUCCESS);
    }
    terminal::print(&lines.join("\n"))?;
    if list.more > 0 {
        terminal::print_err(&format!("and {} more: --limit, or --search", list.more));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn show(session: &CliSession, id: Option<&str>, json: bool) -> Result<ExitCode, Failure> {
    let opened = with_chats(session, async |chats| find(chats, id, 0).await)?;
    if json {
        opened.events.iter().try_for_each(print_event)?;
    } else {
        terminal::print_err(&format!("conversation {}", opened.summary.id));
        terminal::print(&page(&opened.events))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn export(session: &CliSession, id: Option<&str>, output: Option<&Utf8Path>) -> Result<ExitCode, Failure> {
    let exported: ExportedScenario = with_chats(session, async |chats| {
        let conversation = find(chats, id, NO_EVENTS).await?.summary.id;
        request(chats, "export", &ConversationRef { conversation }).await
    })?;
    let Some(output) = output else {
        terminal::print_exact(&format!("{}\n", exported.scenario.trim_end()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let path = zubi_cli::current_directory()?.join(output);
    std::fs::File::create_new(&path).and_then(|mut file| file.write_all(exported.scenario.as_bytes())).map_err(
        |error| match error.kind() {
            ErrorKind::AlreadyExists => Failure::usage(format!("`{output}` already exists and is not overwritten"))
                .hint("Choose another file, or remove this one first."),
            _ => Failure::usage(format!("cannot write `{output}`: {error}")),
        },
    )?;
    terminal::print_err(&format!("written: {output}"));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn delete(session: &CliSession, id: &str) -> Result<ExitCode, Failure> {
    let conversation = id.to_owned();
    with_chats(session, async |chats| request::<Value>(chats, "delete", &ConversationRef { conversation }).await)?;
    terminal::print_err(&format!("deleted: {}", printable(id)));
    Ok(ExitCode::SUCCESS)
}

/// Runs `action` with a conversation manager that starts no turn.
fn with_chats<T>(
    session: &CliSession,
    action: impl AsyncFnOnce(&dyn ChatService) -> Result<T, Failure>,
) -> Result<T, Failure> {
    block_on(async {
        let agent_session = agent::open_read_only(session).await?;
        let result = action(agent_session.chats()).await;
        agent_session.end().await;
        result
    })?
}

/// Finds the conversation with this id, or the only one whose id begins with it; without an id, the latest. Its events
/// are those after `after`.
pub(super) async fn find(chats: &dyn ChatService, id: Option<&str>, after: u64) -> Result<OpenResult, Failure> {
    if id.is_some_and(|id| id.trim().is_empty()) {
        return Err(Failure::usage("the id is empty").hint(
            "An id looks like `01a20a25dd52-554913fdac59fa64`; a prefix is enough. `zubi agent list` lists them.",
        ));
    }
    let search =
        ConversationQuery { id: id.map(str::to_owned), limit: Some(MAX_MATCHES), ..ConversationQuery::default() };
    let found: ConversationList = request(chats, "conversations", &search).await?;
    let conversation = match (id, found.conversations.as_slice()) {
        (None, [latest, ..]) => latest.id.clone(),
        (None, []) => {
            let none = Failure::usage("no conversations in this workspace");
            return Err(none.hint("`zubi agent run` starts one."));
        }
        (Some(id), matches @ [_, _, ..]) => {
            let mut lines = vec![format!("several conversation ids begin with `{}`:", printable(id))];
            lines.extend(matches.iter().map(|it| format!("  {}  {}", it.id, title(it))));
            if found.more > 0 {
                lines.push(format!("  and {} more", found.more));
            }
            return Err(Failure::usage(lines.join("\n")).hint("Use a longer prefix."));
        }
        (Some(_), [only]) => only.id.clone(),
        (Some(id), []) => id.to_owned(),
    };
    request(chats, "open", &OpenParams { conversation, after }).await
}

/// Whether this may be an id, or a prefix of one: digits of a time, a hyphen, random digits.
pub(super) fn may_be_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'))
}

/// Formats a title on one line, shortened to fit.
fn title(summary: &ListedConversation) -> String {
    printable(&ellipsize(&summary.title, TITLE)).into_owned()
}

/// Formats a conversation for a list.
pub(super) fn line(summary: &ListedConversation) -> String {
    let state = match summary.state {
        ConversationState::Idle => "",
        ConversationState::Running => " · running",
        ConversationState::Waiting => " · waiting for approval",
        ConversationState::Elsewhere => " · in another process",
    };
    let turns = pluralize(summary.turns, "turn");
    let mut line = format!("{}  {}  {}  ({turns}{state})", summary.id, format_time(summary.updated), title(summary));
    if let Some(found) = &summary.excerpt {
        line.push_str("\n    … ");
        line.push_str(&printable(found));
    }
    line
}

/// Formats a time in UTC.
fn format_time(milliseconds: u64) -> String {
    let time = i64::try_from(milliseconds).ok().and_then(DateTime::from_timestamp_millis);
    time.map(|time| time.format("%Y-%m-%d %H:%MZ").to_string()).unwrap_or_default()
}
