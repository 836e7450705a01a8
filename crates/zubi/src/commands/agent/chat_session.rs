//! The terminal's view of a conversation: it sends messages to the conversation manager, shows the events that come
//! back, and lets the user answer approval prompts and interrupt.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::broadcast::{Receiver, error::RecvError, error::TryRecvError};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use zubi_agent::chat::{ChatError, ChatService};
use zubi_agent::event::{AgentEvent, EventKind, TurnEnded};
use zubi_agent::wire::{
    AnswerParams, ConversationEvent, ConversationRef, OpenParams, OpenResult, SendParams, SendResult,
};
use zubi_cli::failure::Failure;
use zubi_cli::runtime::{Interruption, Interruptions};
use zubi_cli::terminal;
use zubi_tool_api::cx::{ApprovalAnswer, ApprovalRequest};

use super::output::EventOutput;
use crate::approver;

/// The surface name in this process's requests.
const SURFACE: &str = "terminal";

/// Time-out for the reader of stdout once the process is about to end. Output that it has not read by then is lost.
const UNREAD: Duration = Duration::from_secs(2);

/// The maximum length of a line of stdin, in bytes.
pub(super) const LINE: u64 = 1024 * 1024;

/// The next event that the chat must handle.
#[derive(Debug)]
pub(super) enum ChatStep {
    /// A turn has ended.
    Ended(TurnEnded),
    /// The user typed a line that does not answer an approval prompt; `None` at the end of input.
    Typed(Option<String>),
    Interrupted(Interruption),
    /// The reader of stdout has closed it. Reported once.
    Unread,
    /// The background future is complete.
    Done,
}

/// The lines that are read from stdin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputMode {
    /// Only answers to approval prompts.
    Answers,
    /// All lines.
    Everything,
}

pub(super) struct ChatSession {
    chats: Arc<dyn ChatService>,
    event_receiver: Receiver<Arc<ConversationEvent>>,
    interruptions: Interruptions,
    lines: StdinLines,
    /// Whether a user at the terminal can answer approval prompts.
    is_interactive: bool,
    output: EventOutput,
    conversation: Option<String>,
    /// The last event that was shown.
    last: u64,
    /// The last turn that has ended.
    ended: u64,
    writing: Option<PendingOutput>,
    /// Whether stdout is closed, and that was reported.
    is_unread: bool,
    /// The time at which the process must end, whether the output has been read or not.
    deadline: Option<Instant>,
    /// Pending approval prompts; the first one is shown.
    pending_approvals: VecDeque<(String, ApprovalRequest)>,
}

/// Events that are being written. This process handles them afterwards.
struct PendingOutput {
    task: JoinHandle<Result<(), Failure>>,
    events: Vec<AgentEvent>,
}

impl ChatSession {
    pub(super) fn new(chats: Arc<dyn ChatService>, output: EventOutput) -> Result<Self, Failure> {
        Ok(Self {
            event_receiver: chats.listen(),
            chats,
            interruptions: Interruptions::listen()?,
            lines: StdinLines::default(),
            is_interactive: io::stdin().is_terminal() && io::stderr().is_terminal(),
            output,
            conversation: None,
            last: 0,
            ended: 0,
            writing: None,
            is_unread: false,
            deadline: None,
            pending_approvals: VecDeque::new(),
        })
    }

    pub(super) fn is_interactive(&self) -> bool {
        self.is_interactive
    }

    pub(super) fn conversation(&self) -> Option<&str> {
        self.conversation.as_deref()
    }

    /// Writes text that is not an event to stderr.
    pub(super) fn notify(&self, text: &str) {
        self.output.write_notice(text);
    }

    /// Resumes a conversation at its last event; earlier events are not shown.
    pub(super) fn resume(&mut self, opened: &OpenResult) {
        self.conversation = Some(opened.summary.id.clone());
        self.last = opened.last;
        // No turn is running in it, or another process has locked it.
        self.ended = opened.summary.turns;
        self.pending_approvals.clear();
    }

    /// Makes the next message start a new conversation.
    pub(super) fn start_new(&mut self) {
        self.conversation = None;
        (self.last, self.ended) = (0, 0);
        self.pending_approvals.clear();
    }

    /// Sends a message.
    pub(super) async fn send(&mut self, params: SendParams) -> Result<SendResult, Failure> {
        let params = SendParams { conversation: self.conversation.clone(), ..params };
        let sent: SendResult = request(self.chats.as_ref(), "send", &params).await?;
        self.conversation = Some(sent.conversation.clone());
        // If nothing of a turn could be saved, the next turn has the same number.
        self.ended = self.ended.min(sent.turn.saturating_sub(1));
        Ok(sent)
    }

    /// Requests that the running turn stop.
    pub(super) async fn stop(&self) -> Result<(), Failure> {
        let Some(conversation) = self.conversation.clone() else { return Ok(()) };
        match call(self.chats.as_ref(), "stop", &ConversationRef { conversation }).await {
            // The turn has ended meanwhile.
            Ok(_) | Err(ChatError::Failed(_)) => Ok(()),
            Err(error) => Err(failure(&error)),
        }
    }

    /// Shows events until one requires action or `background` completes.
    pub(super) async fn step(
        &mut self,
        mode: InputMode,
        background: impl Future<Output = ()>,
    ) -> Result<ChatStep, Failure> {
        tokio::pin!(background);
        loop {
            let awaits_approval = self.is_interactive && !self.pending_approvals.is_empty();
            let is_writing = self.writing.is_some();
            tokio::select! {
                biased;
                interruption = self.interruptions.next() => {
                    if interruption == Interruption::End {
                        self.deadline = self.deadline.or(Instant::now().checked_add(UNREAD));
                    }
                    return Ok(ChatStep::Interrupted(interruption));
                }
                // The output is not read, so the interruption counts again.
                () = sleep_until(self.deadline), if self.writing.is_some() => {
                    return Ok(ChatStep::Interrupted(Interruption::End));
                }
                written = finish_writing(&mut self.writing) => {
                    let ended = match written {
                        Ok(events) => self.handle_events(events).await?,
                        Err(failure) => return Err(self.unwritten(failure)),
                    };
                    if let Some(ended) = ended {
                        return Ok(ChatStep::Ended(ended));
                    }
                    if !self.is_unread && terminal::is_broken_pipe() {
                        self.is_unread = true;
                        return Ok(ChatStep::Unread);
                    }
                }
                event = self.event_receiver.recv(), if !is_writing => self.receive(event).await?,
                // Nothing else is written until the events are.
                () = &mut background, if !is_writing => return Ok(ChatStep::Done),
                line = self.lines.next(), if !is_writing && (awaits_approval || mode == InputMode::Everything) => match line {
                    Some(line) if awaits_approval => self.answer_typed(&line).await?,
                    // The user who could answer has closed the input.
                    None if awaits_approval => {
                        self.is_interactive = false;
                        for (approval_id, _) in std::mem::take(&mut self.pending_approvals) {
                            self.answer(approval_id, &ApprovalAnswer::Unavailable).await?;
                        }
                    }
                    line => return Ok(ChatStep::Typed(line)),
                },
            }
        }
    }

    /// Adds to a write failure a hint that names where the events are saved.
    fn unwritten(&self, failure: Failure) -> Failure {
        match &self.conversation {
            Some(id) => failure.hint(format!(
                "The conversation is saved: `zubi agent show {id}` prints it, `zubi agent resume {id}` resumes \
                 it."
            )),
            None => failure,
        }
    }

    /// Shows the received event, and all events that arrived meanwhile.
    async fn receive(&mut self, received: Result<Arc<ConversationEvent>, RecvError>) -> Result<(), Failure> {
        let mut events = Vec::new();
        let mut next = match received {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(_)) => {
                events = self.missed_events().await?;
                None
            }
            Err(RecvError::Closed) => return Err(Failure::environment("the conversations were closed")),
        };
        while let Some(event) = next.take() {
            let is_own = self.conversation.as_deref() == Some(event.conversation.as_str());
            if is_own {
                events.push(event.event.clone());
            }
            // Events after an end belong to the next turn.
            if is_own && matches!(event.event.kind, EventKind::Ended(_)) {
                break;
            }
            match self.event_receiver.try_recv() {
                Ok(more) => next = Some(more),
                Err(TryRecvError::Lagged(_)) => events.extend(self.missed_events().await?),
                Err(TryRecvError::Empty | TryRecvError::Closed) => {}
            }
        }
        self.show(events);
        Ok(())
    }

    /// Returns the events saved since the last shown one, for a receiver that has lagged behind.
    async fn missed_events(&self) -> Result<Vec<AgentEvent>, Failure> {
        let Some(conversation) = self.conversation.clone() else { return Ok(Vec::new()) };
        let opened: OpenResult =
            request(self.chats.as_ref(), "open", &OpenParams { conversation, after: self.last }).await?;
        Ok(opened.events.into_iter().chain(opened.partial_answer).collect())
    }

    /// Begins to show events.
    fn show(&mut self, events: Vec<AgentEvent>) {
        let mut new = Vec::with_capacity(events.len());
        for event in events {
            // The end of a turn that could not be saved has the sequence number of the last saved event.
            let is_unsaved_end = turn_end(&event.kind).is_some_and(|ended| ended.turn > self.ended);
            if !event.kind.is_persisted() || (event.seq <= self.last && is_unsaved_end) {
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

    /// Handles the meaning of events that were shown: approval prompts, and the end of a turn.
    async fn handle_events(&mut self, new: Vec<AgentEvent>) -> Result<Option<TurnEnded>, Failure> {
        // If a rule of this run decides at once, there is no prompt.
        let is_decided = |id: &str| {
            new.iter().any(|event| matches!(&event.kind, EventKind::Decision { question, .. } if question == id))
        };
        let open: Vec<bool> = new
            .iter()
            .map(|event| !matches!(&event.kind, EventKind::Question { question, .. } if is_decided(question)))
            .collect();
        let mut end = None;
        for (event, is_open) in new.into_iter().zip(open) {
            match event.kind {
                EventKind::Question { question: approval_id, request, .. } if is_open => {
                    self.add_approval(approval_id, request).await?;
                }
                EventKind::Decision { question, .. } => self.remove_approval(&question),
                // The end of a turn that was already over may have been saved only now.
                EventKind::Ended(ended) if ended.turn > self.ended => {
                    self.pending_approvals.clear();
                    self.ended = ended.turn;
                    end = Some(ended);
                }
                _ => {}
            }
        }
        Ok(end)
    }

    async fn add_approval(&mut self, approval_id: String, request: Value) -> Result<(), Failure> {
        let request = match serde_json::from_value(request) {
            Ok(request) if self.is_interactive => request,
            _ => return self.answer(approval_id, &ApprovalAnswer::Unavailable).await,
        };
        self.pending_approvals.push_back((approval_id, request));
        if self.pending_approvals.len() == 1 {
            self.show_next_approval();
        }
        Ok(())
    }

    /// Shows the next approval prompt.
    fn show_next_approval(&self) {
        if let Some((_, request)) = self.pending_approvals.front() {
            self.output.write_notice(&approver::render_prompt(request));
        }
    }

    fn remove_approval(&mut self, approval_id: &str) {
        let was_displayed = self.pending_approvals.front().is_some_and(|(first, _)| first == approval_id);
        self.pending_approvals.retain(|(other, _)| other != approval_id);
        if was_displayed {
            self.show_next_approval();
        }
    }

    async fn answer_typed(&mut self, line: &str) -> Result<(), Failure> {
        let Some((approval_id, request)) = self.pending_approvals.front() else { return Ok(()) };
        match approver::read(line, request.options.len()) {
            Ok(answer) => self.answer(approval_id.clone(), &answer).await,
            Err(wrong) => {
                self.output.write_notice(&wrong);
                Ok(())
            }
        }
    }

    async fn answer(&self, approval_id: String, answer: &ApprovalAnswer) -> Result<(), Failure> {
        let Some(conversation) = self.conversation.clone() else { return Ok(()) };
        let answer = AnswerParams { conversation, question: approval_id, answer: json!(answer) };
        match call(self.chats.as_ref(), "answer", &answer).await {
            // Another client has answered, or the turn has ended.
            Ok(_) | Err(ChatError::NotFound(_)) => Ok(()),
            Err(error) => Err(failure(&error)),
        }
    }
}

fn turn_end(kind: &EventKind) -> Option<&TurnEnded> {
    match kind {
        EventKind::Ended(ended) => Some(ended),
        _ => None,
    }
}

/// Lines of stdin, read on a separate thread, one at a time on demand.
#[derive(Debug, Default)]
struct StdinLines {
    reading: Option<JoinHandle<Option<String>>>,
}

impl StdinLines {
    /// Returns the next line; `None` at the end of input. Cancel safe: no line is lost if the future is dropped.
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

/// Waits until the pending events are written, and returns them; without any, waits forever.
async fn finish_writing(writing: &mut Option<PendingOutput>) -> Result<Vec<AgentEvent>, Failure> {
    let Some(PendingOutput { task, .. }) = writing else { return std::future::pending().await };
    let result = task.await.map_err(Failure::environment);
    let events = writing.take().map(|writing| writing.events).unwrap_or_default();
    result?.map(|()| events)
}

/// Sleeps until the deadline; without one, forever.
async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Sends a request to the conversation manager.
pub(super) async fn request<T: serde::de::DeserializeOwned>(
    chats: &dyn ChatService,
    method: &str,
    params: &impl serde::Serialize,
) -> Result<T, Failure> {
    let answer = call(chats, method, params).await.map_err(|error| failure(&error))?;
    serde_json::from_value(answer).map_err(Failure::environment)
}

async fn call(chats: &dyn ChatService, method: &str, params: &impl serde::Serialize) -> Result<Value, ChatError> {
    chats.request(method, json!(params), SURFACE).await
}

/// Converts an error of the conversation manager into a failure of the command.
pub(super) fn failure(error: &ChatError) -> Failure {
    match error {
        ChatError::Invalid(message) | ChatError::NotFound(message) => Failure::usage(message),
        ChatError::UnknownMethod(_) | ChatError::Failed(_) => Failure::environment(error),
    }
}
