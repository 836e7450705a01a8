//! `zubi agent chat`: a conversation in the terminal.

use std::process::ExitCode;
use std::sync::Arc;

use tokio::task::JoinHandle;
use zubi_agent::wire::{ConversationList, ConversationQuery, ModelList, SendParams, ServerInfo};
use zubi_base::escape::printable;
use zubi_cli::failure::{Failure, INTERRUPTED};
use zubi_cli::runtime::{Interruption, block_on};
use zubi_cli::terminal;
use zubi_models::registry::ModelRegistry;

use super::chat_session::{ChatSession, ChatStep, InputMode, LINE, request};
use super::conversations::{self, find};
use super::output::{EventOutput, page};
use super::run::{code, text_of};
use crate::agent;
use crate::cli::agent::Chat as Words;
use crate::session::CliSession;

/// The maximum number of conversations that `/list` shows.
const LISTED: usize = 20;

const HELP: &str = "\
/model [ID]   show the model; with an id, use that one from now on
/models       list the models
/new          start a new conversation
/list         list the conversations of this workspace
/open ID      resume one of them
/stop         stop the turn, as Ctrl-C does
/quit         exit, as Ctrl-D does
End a line with \\ to continue it on the next line. Text you type during a turn is sent with the next model request.";

pub(super) fn run(session: &CliSession, words: &Words) -> Result<ExitCode, Failure> {
    let instructions = words.instructions.as_deref().map(text_of).transpose()?;
    block_on(async {
        let models = agent::models(session, Vec::new(), words.turns.model.clone())?;
        if let Some(model) = &words.turns.model {
            agent::check_model(&models, model).await?;
        }
        let agent_session = agent::open(session, &words.turns).await?;
        let exit = async {
            let session = ChatSession::new(agent_session.chat_service(), EventOutput::live())?;
            let model = words.turns.model.clone();
            let mut chat = Chat {
                agent_session: &agent_session,
                models,
                session,
                words,
                model,
                instructions,
                is_busy: false,
                model_query: None,
                pending_lines: String::new(),
                codes: Codes::default(),
            };
            if let Some(id) = &words.conversation {
                chat.open(id).await?;
            } else {
                chat.greet().await?;
            }
            chat.run().await
        };
        let exit = exit.await;
        agent_session.end().await;
        exit
    })?
}

struct Chat<'a> {
    agent_session: &'a agent::AgentSession,
    models: Arc<ModelRegistry>,
    session: ChatSession,
    words: &'a Words,
    /// The model in use: the conversation's, or the default.
    model: Option<String>,
    instructions: Option<String>,
    /// Whether a turn is running.
    is_busy: bool,
    /// The query to the providers, each of which may take long to list its models.
    model_query: Option<ModelQuery>,
    /// Lines that the next line continues.
    pending_lines: String,
    codes: Codes,
}

/// The exit code for a program that writes to the chat. A person has already seen the error and continued.
#[derive(Debug, Default)]
struct Codes {
    /// The exit code of the last turn.
    turn: u8,
    /// The exit code of the first invalid line.
    line: u8,
}

struct ModelQuery {
    task: JoinHandle<Result<ModelsState, Failure>>,
    result: Option<Result<ModelsState, Failure>>,
    /// The message if the query is cancelled.
    cancelled_message: String,
}

/// The result of a query about models.
enum ModelsState {
    List(ModelList),
    /// The result for one model: its full id, and whether its provider lists it.
    Single {
        requested: String,
        id: Option<String>,
        is_listed: Option<bool>,
    },
}

/// Whether the chat continues after a line.
#[derive(PartialEq, Eq)]
enum LineOutcome {
    Continues,
    Leaves,
}

impl Chat<'_> {
    async fn run(&mut self) -> Result<ExitCode, Failure> {
        let (mut is_over, mut is_stopping) = (false, false);
        self.prompt();
        loop {
            // From a pipe, the next line is read only after the last answer, and after the result of the model query.
            let listens = !is_over && self.model_query.is_none() && (self.session.is_interactive() || !self.is_busy);
            let reads = if listens { InputMode::Everything } else { InputMode::Answers };
            match self.session.step(reads, wait_for_models(&mut self.model_query)).await? {
                ChatStep::Ended(ended) => {
                    self.codes.turn = if is_stopping { INTERRUPTED } else { code(&ended) };
                    (self.is_busy, is_stopping) = (false, false);
                    if is_over {
                        return Ok(self.exit());
                    }
                    self.prompt();
                }
                ChatStep::Typed(None) if self.is_busy => is_over = true,
                ChatStep::Typed(None) => return Ok(self.exit()),
                ChatStep::Typed(Some(line)) => match self.handle_input(line).await {
                    Ok(LineOutcome::Continues) if self.is_busy => {}
                    Ok(LineOutcome::Continues) => self.prompt(),
                    Ok(LineOutcome::Leaves) => return Ok(self.exit()),
                    Err(failure) => self.wrong(&failure),
                },
                ChatStep::Done => match self.show_models() {
                    Ok(()) if self.is_busy => {}
                    Ok(()) => self.prompt(),
                    Err(failure) => self.wrong(&failure),
                },
                // The next line of a pipe is for the model that the last one selected.
                ChatStep::Interrupted(Interruption::Stop)
                    if (self.model_query.is_some() && self.session.is_interactive())
                        || (self.is_busy && !is_stopping) =>
                {
                    if let Some(model_query) = self.model_query.take() {
                        model_query.task.abort();
                        terminal::print_err(&model_query.cancelled_message);
                    }
                    if self.is_busy {
                        is_stopping = true;
                        self.session.stop().await?;
                    } else {
                        self.prompt();
                    }
                }
                ChatStep::Unread if !self.is_busy => return Ok(self.exit()),
                ChatStep::Unread => {
                    terminal::print_err("Output closed: stopping the turn.");
                    self.session.stop().await?;
                    is_over = true;
                }
                ChatStep::Interrupted(_) => return Ok(ExitCode::from(INTERRUPTED)),
            }
        }
    }

    /// Reports an invalid line; the chat continues.
    fn wrong(&mut self, failure: &Failure) {
        terminal::print_err(&failure.text());
        if self.codes.line == 0 {
            self.codes.line = failure.code();
        }
        self.prompt();
    }

    fn exit(&self) -> ExitCode {
        let Codes { turn, line } = self.codes;
        ExitCode::from(if self.session.is_interactive() {
            0
        } else {
            [turn, line].into_iter().find(|code| *code > 0).unwrap_or(0)
        })
    }

    async fn handle_input(&mut self, line: String) -> Result<LineOutcome, Failure> {
        if let Some(line) = line.strip_suffix('\\') {
            if self.pending_lines.len() + line.len() < usize::try_from(LINE).unwrap_or(usize::MAX) {
                self.pending_lines.push_str(line);
                self.pending_lines.push('\n');
            }
            return Ok(LineOutcome::Continues);
        }
        let text = std::mem::take(&mut self.pending_lines) + &line;
        match text.trim().strip_prefix('/') {
            Some(command) => self.command(command).await,
            None if text.trim().is_empty() => Ok(LineOutcome::Continues),
            None => {
                // The options of a turn are fixed from its start to its end.
                let begins = !self.is_busy;
                let what = SendParams {
                    conversation: None,
                    text,
                    model: self.model.clone().filter(|_| begins),
                    max_iterations: begins.then_some(self.words.turns.max_iterations),
                    tools: Vec::new(),
                    schema: None,
                    instructions: self.instructions.clone().filter(|_| begins),
                };
                self.session.send(what).await?;
                self.is_busy = true;
                Ok(LineOutcome::Continues)
            }
        }
    }

    async fn command(&mut self, command: &str) -> Result<LineOutcome, Failure> {
        let (name, argument) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        let argument = argument.trim();
        match name {
            "quit" | "exit" => return Ok(LineOutcome::Leaves),
            "help" => terminal::print_err(HELP),
            "stop" => self.session.stop().await?,
            "list" => {
                let search = ConversationQuery { limit: Some(LISTED), ..ConversationQuery::default() };
                let list: ConversationList = request(self.agent_session.chats(), "conversations", &search).await?;
                list.problem.iter().for_each(|problem| terminal::print_err(&printable(problem)));
                list.conversations.iter().for_each(|it| terminal::print_err(&conversations::line(it)));
            }
            "models" => {
                let chats = self.agent_session.chat_service();
                let query = async move { request(chats.as_ref(), "models", &()).await.map(ModelsState::List) };
                self.query_models(query, "Cancelled the query to the providers.".to_owned());
            }
            "model" if argument.is_empty() => terminal::print_err(&printable(&self.model_name())),
            "model" => {
                let (models, wanted) = (Arc::clone(&self.models), argument.to_owned());
                let as_before = format!("Still using {}.", printable(&self.model_name()));
                let cancelled_message = as_before.clone();
                let found = async move {
                    let named = agent::open_model(&models, &wanted)
                        .await
                        .map_err(|failure| failure.hint(format!("/models lists the models. {as_before}")))?;
                    let is_listed = match &named {
                        Some(model) => models.is_listed(model.info()).await,
                        None => None,
                    };
                    Ok(ModelsState::Single {
                        requested: wanted,
                        id: named.map(|model| model.info().id.clone()),
                        is_listed,
                    })
                };
                self.query_models(found, cancelled_message);
            }
            "new" | "open" if self.is_busy => {
                return Err(Failure::usage("A turn is running: /stop stops it."));
            }
            "new" => {
                self.session.start_new();
                self.greet().await?;
            }
            "open" if argument.is_empty() => return Err(Failure::usage("/open needs an id: /list shows them.")),
            "open" => self.open(argument).await?,
            _ => {
                let name = printable(name);
                return Err(Failure::usage(format!("unknown command /{name}: /help lists the commands")));
            }
        }
        Ok(LineOutcome::Continues)
    }

    /// Returns the name of the model in use.
    fn model_name(&self) -> String {
        self.model.clone().unwrap_or_else(|| self.models.default_id())
    }

    /// Queries providers in the background, so that events are still shown and Ctrl-C still works.
    fn query_models(
        &mut self,
        what: impl Future<Output = Result<ModelsState, Failure>> + std::marker::Send + 'static,
        cancelled_message: String,
    ) {
        self.model_query = Some(ModelQuery { task: tokio::spawn(what), result: None, cancelled_message });
    }

    /// Shows the result of the query. If the requested model exists, it is used from now on.
    fn show_models(&mut self) -> Result<(), Failure> {
        let Some(ModelQuery { result: Some(result), .. }) = self.model_query.take() else { return Ok(()) };
        match result? {
            ModelsState::List(list) => terminal::print_err(&super::models::render_models(&list)),
            ModelsState::Single { requested: wanted, id, is_listed } => {
                let when = if self.is_busy { "once this turn has ended" } else { "from now on" };
                let note = match (&id, is_listed) {
                    (None, _) => "; its provider did not confirm that it exists",
                    (_, Some(false)) => "; its provider does not list it, /models shows those it does",
                    _ => "",
                };
                let model = id.unwrap_or(wanted);
                terminal::print_err(&format!("Using {} {when}{note}", printable(&model)));
                self.model = Some(model);
            }
        }
        Ok(())
    }

    async fn open(&mut self, id: &str) -> Result<(), Failure> {
        let opened = find(self.agent_session.chats(), Some(id), 0).await?;
        self.session.resume(&opened);
        terminal::print_err(&page(&opened.events));
        Ok(())
    }

    async fn greet(&self) -> Result<(), Failure> {
        if self.session.is_interactive() {
            let server_info: ServerInfo = request(self.agent_session.chats(), "hello", &()).await?;
            terminal::print_err(&format!("zubi {} · {} · /help", server_info.version, printable(&self.model_name())));
        }
        Ok(())
    }

    fn prompt(&self) {
        if self.session.is_interactive() && self.model_query.is_none() {
            self.session.notify(if self.pending_lines.is_empty() { "> " } else { "… " });
        }
    }
}

/// Waits for the result of the query; without a query, forever.
async fn wait_for_models(model_query: &mut Option<ModelQuery>) {
    match model_query {
        Some(ModelQuery { task, result, .. }) => {
            *result = Some(task.await.unwrap_or_else(|error| Err(Failure::environment(error))));
        }
        None => std::future::pending().await,
    }
}
