//! A conversation as this process follows it: what is said goes to the desk, what happens comes back as events, and whoever
//! sits in front of the terminal answers questions and interrupts.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::broadcast::{Receiver, error::RecvError, error::TryRecvError};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use zubi_agent::chat::{ChatError, ChatService};
use zubi_agent::event::{TurnEnded, Event, EventKind};
use zubi_agent::wire::{AnswerParams, ConversationRef, OpenParams, OpenResult, SendParams, SendResult, ConversationEvent};
use zubi_cli::failure::Failure;
use zubi_cli::runtime::{Interruption, Interruptions};
use zubi_cli::terminal;
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest};

use super::output::Output;
use crate::ask;

/// Through which door this process asks.
const DOOR: &str = "terminal";

/// How long the reader of stdout may take once the process is to end. What it has not read then is lost.
const UNREAD: Duration = Duration::from_secs(2);

/// The longest line that is read from stdin, in bytes.
pub(super) const LINE: u64 = 1024 * 1024;

/// What may happen next.
#[derive(Debug)]
pub(super) enum Step {
    /// A turn has ended.
    Ended(TurnEnded),
    /// Somebody has typed a line, which answers no question; nothing if nobody will any more.
    Typed(Option<String>),
    Interrupted(Interruption),
    /// Whoever read stdout has gone. Said once.
    Unread,
    /// What was to be waited for meanwhile is there.
    Done,
}

/// Which lines are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputMode {
    /// Those that answer a question.
    Answers,
    /// All of them.
    Everything,
}

pub(super) struct ChatSession {
    chats: Arc<dyn ChatService>,
    told: Receiver<Arc<ConversationEvent>>,
    interruptions: Interruptions,
    lines: Lines,
    /// Somebody sits there who can be asked.
    has_person: bool,
    output: Output,
    conversation: Option<String>,
    /// The last event that was shown.
    last: u64,
    /// The last turn that has ended.
    ended: u64,
    writing: Option<PendingOutput>,
    /// Nobody reads stdout any more, and that was said.
    is_unread: bool,
    /// The process is to end by then, whether it is read or not.
    deadline: Option<Instant>,
    /// Questions that wait, the first of which was put.
    questions: VecDeque<(String, ApprovalRequest)>,
}

/// Events on their way to whoever reads. What they mean for this process comes after that.
struct PendingOutput {
    task: JoinHandle<Result<(), Failure>>,
    events: Vec<Event>,
}

impl ChatSession {
    pub(super) fn new(chats: Arc<dyn ChatService>, output: Output) -> Result<Self, Failure> {
        Ok(Self {
            told: chats.listen(),
            chats,
            interruptions: Interruptions::listen()?,
            lines: Lines::default(),
            has_person: io::stdin().is_terminal() && io::stderr().is_terminal(),
            output,
            conversation: None,
            last: 0,
            ended: 0,
            writing: None,
            is_unread: false,
            deadline: None,
            questions: VecDeque::new(),
        })
    }

    pub(super) fn has_person(&self) -> bool {
        self.has_person
    }

    pub(super) fn conversation(&self) -> Option<&str> {
        self.conversation.as_deref()
    }

    /// Writes something that is no event to stderr.
    pub(super) fn notify(&self, text: &str) {
        self.output.aside(text);
    }

    /// Takes a conversation up where it stands; what was said in it before is not shown.
    pub(super) fn resume(&mut self, opened: &OpenResult) {
        self.conversation = Some(opened.summary.id.clone());
        self.last = opened.last;
        // Nothing goes on in it, or another process has it.
        self.ended = opened.summary.turns;
        self.questions.clear();
    }

    /// The next thing that is said begins a new conversation.
    pub(super) fn start_new(&mut self) {
        self.conversation = None;
        (self.last, self.ended) = (0, 0);
        self.questions.clear();
    }

    /// Says something.
    pub(super) async fn send(&mut self, what: SendParams) -> Result<SendResult, Failure> {
        let what = SendParams { conversation: self.conversation.clone(), ..what };
        let sent: SendResult = request(self.chats.as_ref(), "send", &what).await?;
        self.conversation = Some(sent.conversation.clone());
        // One of which nothing could be kept has left its number to this one.
        self.ended = self.ended.min(sent.turn.saturating_sub(1));
        Ok(sent)
    }

    /// Has the turn stopped that is going on.
    pub(super) async fn stop(&self) -> Result<(), Failure> {
        let Some(conversation) = self.conversation.clone() else { return Ok(()) };
        match demand(self.chats.as_ref(), "stop", &ConversationRef { conversation }).await {
            // It has ended meanwhile.
            Ok(_) | Err(ChatError::Failed(_)) => Ok(()),
            Err(error) => Err(failure(&error)),
        }
    }

    /// Shows what happens until there is something to do, or something else is done.
    pub(super) async fn step(&mut self, reads: InputMode, meanwhile: impl Future<Output = ()>) -> Result<Step, Failure> {
        tokio::pin!(meanwhile);
        loop {
            let is_asked = self.has_person && !self.questions.is_empty();
            let is_writing = self.writing.is_some();
            tokio::select! {
                biased;
                interruption = self.interruptions.next() => {
                    if interruption == Interruption::End {
                        self.deadline = self.deadline.or(Instant::now().checked_add(UNREAD));
                    }
                    return Ok(Step::Interrupted(interruption));
                }
                // Nobody reads: the interruption counts once more.
                () = sleep_until(self.deadline), if self.writing.is_some() => {
                    return Ok(Step::Interrupted(Interruption::End));
                }
                written = finish_writing(&mut self.writing) => {
                    let ended = match written {
                        Ok(events) => self.understand(events).await?,
                        Err(failure) => return Err(self.unwritten(failure)),
                    };
                    if let Some(ended) = ended {
                        return Ok(Step::Ended(ended));
                    }
                    if !self.is_unread && terminal::is_broken_pipe() {
                        self.is_unread = true;
                        return Ok(Step::Unread);
                    }
                }
                told = self.told.recv(), if !is_writing => self.receive(told).await?,
                // Nothing else is written until that is.
                () = &mut meanwhile, if !is_writing => return Ok(Step::Done),
                line = self.lines.next(), if !is_writing && (is_asked || reads == InputMode::Everything) => match line {
                    Some(line) if is_asked => self.answer_typed(&line).await?,
                    // Whoever could be asked has gone.
                    None if is_asked => {
                        self.has_person = false;
                        for (question, _) in std::mem::take(&mut self.questions) {
                            self.answer(question, &ApprovalAnswer::Unavailable).await?;
                        }
                    }
                    line => return Ok(Step::Typed(line)),
                },
            }
        }
    }

    /// A failure to write what happens, with where it is kept.
    fn unwritten(&self, failure: Failure) -> Failure {
        match &self.conversation {
            Some(id) => failure.hint(format!(
                "What was said and done is kept: `zubi agent show {id}` prints it, `zubi agent resume {id}` goes \
                 on with it."
            )),
            None => failure,
        }
    }

    /// Shows what was told, and everything that was told meanwhile.
    async fn receive(&mut self, told: Result<Arc<ConversationEvent>, RecvError>) -> Result<(), Failure> {
        let mut events = Vec::new();
        let mut next = match told {
            Ok(told) => Some(told),
            Err(RecvError::Lagged(_)) => {
                events = self.missed_events().await?;
                None
            }
            Err(RecvError::Closed) => return Err(Failure::environment("the conversations were closed")),
        };
        while let Some(told) = next.take() {
            let is_ours = self.conversation.as_deref() == Some(told.conversation.as_str());
            if is_ours {
                events.push(told.event.clone());
            }
            // What follows an end is for whoever begins the next turn.
            if is_ours && matches!(told.event.what, EventKind::Ended(_)) {
                break;
            }
            match self.told.try_recv() {
                Ok(more) => next = Some(more),
                Err(TryRecvError::Lagged(_)) => events.extend(self.missed_events().await?),
                Err(TryRecvError::Empty | TryRecvError::Closed) => {}
            }
        }
        self.show(events);
        Ok(())
    }

    /// What has been kept since, for whoever has fallen out of the stream.
    async fn missed_events(&self) -> Result<Vec<Event>, Failure> {
        let Some(conversation) = self.conversation.clone() else { return Ok(Vec::new()) };
        let opened: OpenResult = request(self.chats.as_ref(), "open", &OpenParams { conversation, after: self.last }).await?;
        Ok(opened.events.into_iter().chain(opened.passing).collect())
    }

    /// Begins to show events.
    fn show(&mut self, events: Vec<Event>) {
        let mut new = Vec::with_capacity(events.len());
        for event in events {
            // The end of a turn that could not be kept has the number of what was kept last.
            let is_unkept_end = turn_end(&event.what).is_some_and(|ended| ended.turn > self.ended);
            if !event.what.is_persisted() || (event.seq <= self.last && is_unkept_end) {
                new.push(event);
            } else if event.seq > self.last {
                self.last = event.seq;
                new.push(event);
            }
        }
        if !new.is_empty() {
            self.writing = Some(PendingOutput { task: self.output.write(new.clone()), events: new });
        }
    }

    /// What events that were shown mean: questions to put, and the end of a turn.
    async fn understand(&mut self, new: Vec<Event>) -> Result<Option<TurnEnded>, Failure> {
        // A rule of this run decides at once: nobody is to be asked then.
        let is_decided =
            |id: &str| new.iter().any(|event| matches!(&event.what, EventKind::Decision { question, .. } if question == id));
        let open: Vec<bool> = new
            .iter()
            .map(|event| !matches!(&event.what, EventKind::Question { question, .. } if is_decided(question)))
            .collect();
        let mut end = None;
        for (event, is_open) in new.into_iter().zip(open) {
            match event.what {
                EventKind::Question { question, request, .. } if is_open => self.add_approval(question, request).await?,
                EventKind::Decision { question, .. } => self.remove_approval(&question),
                // Of one that was over already, the end may have been kept only now.
                EventKind::Ended(ended) if ended.turn > self.ended => {
                    self.questions.clear();
                    self.ended = ended.turn;
                    end = Some(ended);
                }
                _ => {}
            }
        }
        Ok(end)
    }

    async fn add_approval(&mut self, question: String, request: Value) -> Result<(), Failure> {
        let request = match serde_json::from_value(request) {
            Ok(request) if self.has_person => request,
            _ => return self.answer(question, &ApprovalAnswer::Unavailable).await,
        };
        self.questions.push_back((question, request));
        if self.questions.len() == 1 {
            self.show_next_approval();
        }
        Ok(())
    }

    /// Puts the question that is next.
    fn show_next_approval(&self) {
        if let Some((_, request)) = self.questions.front() {
            self.output.aside(&ask::render_prompt(request));
        }
    }

    fn remove_approval(&mut self, question: &str) {
        let was_put = self.questions.front().is_some_and(|(first, _)| first == question);
        self.questions.retain(|(other, _)| other != question);
        if was_put {
            self.show_next_approval();
        }
    }

    async fn answer_typed(&mut self, line: &str) -> Result<(), Failure> {
        let Some((question, request)) = self.questions.front() else { return Ok(()) };
        match ask::read(line, request.options.len()) {
            Ok(answer) => self.answer(question.clone(), &answer).await,
            Err(wrong) => {
                self.output.aside(&wrong);
                Ok(())
            }
        }
    }

    async fn answer(&self, question: String, answer: &ApprovalAnswer) -> Result<(), Failure> {
        let Some(conversation) = self.conversation.clone() else { return Ok(()) };
        let answer = AnswerParams { conversation, question, answer: json!(answer) };
        match demand(self.chats.as_ref(), "answer", &answer).await {
            // Another one has answered, or the turn has ended.
            Ok(_) | Err(ChatError::NotFound(_)) => Ok(()),
            Err(error) => Err(failure(&error)),
        }
    }
}

fn turn_end(what: &EventKind) -> Option<&TurnEnded> {
    match what {
        EventKind::Ended(ended) => Some(ended),
        _ => None,
    }
}

/// Lines of stdin, read on a thread of their own as far as somebody wants them.
#[derive(Debug, Default)]
struct Lines {
    reading: Option<JoinHandle<Option<String>>>,
}

impl Lines {
    /// The next one; nothing when there are no more. None is lost if this is given up.
    async fn next(&mut self) -> Option<String> {
        let reading = self.reading.get_or_insert_with(|| tokio::task::spawn_blocking(read_line));
        let line = reading.await.unwrap_or_default();
        self.reading = None;
        line
    }
}

fn read_line() -> Option<String> {
    let mut line = Vec::new();
    let read = io::stdin().lock().take(LINE).read_until(b'\n', &mut line);
    let text = String::from_utf8_lossy(&line);
    matches!(read, Ok(1..)).then(|| text.trim_end_matches(['\n', '\r']).to_owned())
}

/// Waits until events are written, which they are then; without any it waits for ever.
async fn finish_writing(writing: &mut Option<PendingOutput>) -> Result<Vec<Event>, Failure> {
    let Some(PendingOutput { task, .. }) = writing else { return std::future::pending().await };
    let result = task.await.map_err(Failure::environment);
    let events = writing.take().map(|writing| writing.events).unwrap_or_default();
    result?.map(|()| events)
}

/// Waits for a moment; without one for ever.
async fn sleep_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Asks the desk.
pub(super) async fn request<T: serde::de::DeserializeOwned>(
    chats: &dyn ChatService,
    method: &str,
    params: &impl serde::Serialize,
) -> Result<T, Failure> {
    let answer = demand(chats, method, params).await.map_err(|error| failure(&error))?;
    serde_json::from_value(answer).map_err(Failure::environment)
}

async fn demand(chats: &dyn ChatService, method: &str, params: &impl serde::Serialize) -> Result<Value, ChatError> {
    chats.request(method, json!(params), DOOR).await
}

/// How a refusal of the desk ends a command.
pub(super) fn failure(error: &ChatError) -> Failure {
    match error {
        ChatError::Invalid(message) | ChatError::NotFound(message) => Failure::usage(message),
        ChatError::UnknownMethod(_) | ChatError::Failed(_) => Failure::environment(error),
    }
}
