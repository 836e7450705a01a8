//! The session of one conversation: its running turn, its approval prompts and its session number for the policy.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{MutexGuard, mpsc};
use tokio_util::sync::CancellationToken;
use zubi_tool_api::cx::{Caller, Restrictions, Surface};

use super::{ConversationManager, open_error};
use crate::chat::ChatError;
use crate::conversation::{Conversation, ConversationSummary, OpenError};
use crate::event::{EventKind, StopReason, TurnEnded};
use crate::journal::Journal;
use crate::questions::Questions;
use crate::run::Turn;
use crate::wire::{SendParams, SendResult};

/// The session of a conversation. It lives as long as the process, because approvals for the session stay valid that
/// long.
pub(super) struct ConversationSession {
    session: u64,
    questions: Questions,
    /// Locked while a turn begins or ends, and during operations in which no turn may begin.
    active_turn: tokio::sync::Mutex<Option<ActiveTurn>>,
    /// The view of the running turn, for callers that must not wait for `active_turn`.
    active_view: Mutex<Option<ActiveTurnView>>,
}

/// The part of a running turn that can be read and stopped without waiting for a lock.
#[derive(Clone)]
struct ActiveTurnView {
    conversation: Arc<Conversation>,
    stop: CancellationToken,
}

/// A running turn.
pub(super) struct ActiveTurn {
    conversation: Arc<Conversation>,
    turn: u64,
    /// The model of the turn: the name by which the client requested it, and its id.
    model: [String; 2],
    inbox: mpsc::UnboundedSender<String>,
    /// Cancelled when the conversation has been released.
    released: CancellationToken,
}

impl ActiveTurn {
    /// Checks a message that is sent into a running turn. The message may only have a text, because the other
    /// parameters are fixed when the turn begins.
    fn validate_follow_up(&self, send: &SendParams) -> Result<(), ChatError> {
        let other_model = send.model.as_ref().is_some_and(|model| !self.model.contains(model));
        let start_only = [
            (other_model, "model"),
            (send.max_iterations.is_some(), "maxIterations"),
            (!send.tools.is_empty(), "tools"),
            (send.schema.is_some(), "schema"),
            (send.instructions.is_some(), "instructions"),
        ];
        match start_only.into_iter().find(|(is_set, _)| *is_set) {
            None => Ok(()),
            Some((_, name)) => Err(ChatError::Invalid(format!(
                "`{name}` can be set only at the beginning of a turn, and a turn is running in this conversation. Stop the turn, or send the text alone."
            ))),
        }
    }
}

impl ConversationSession {
    pub(super) fn new(session: u64, questions: Questions) -> Self {
        Self { session, questions, active_turn: tokio::sync::Mutex::new(None), active_view: Mutex::new(None) }
    }

    pub(super) fn questions(&self) -> &Questions {
        &self.questions
    }

    pub(super) async fn lock_active_turn(&self) -> MutexGuard<'_, Option<ActiveTurn>> {
        self.active_turn.lock().await
    }

    /// Returns the summary of the conversation, if a turn is running in it.
    pub(super) fn digest(&self) -> Option<ConversationSummary> {
        self.conversation().map(|conversation| conversation.digest())
    }

    /// Returns the conversation, if a turn is running in it.
    pub(super) fn conversation(&self) -> Option<Arc<Conversation>> {
        self.active_view().map(|view| view.conversation)
    }

    fn active_view(&self) -> Option<ActiveTurnView> {
        self.active_view.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn show(&self, view: Option<ActiveTurnView>) {
        *self.active_view.lock().unwrap_or_else(PoisonError::into_inner) = view;
    }
}

impl ConversationManager {
    /// Sends a message to the running turn, or begins a turn with it.
    pub(super) async fn send(&self, send: SendParams, surface: &str) -> Result<SendResult, ChatError> {
        self.ensure_open()?;
        let Some(id) = send.conversation.clone() else {
            let model = self.model(send.model.as_deref(), None).await?;
            let session = self.new_session()?;
            let mut active_turn = session.lock_active_turn().await;
            let conversation = Arc::new(self.run_blocking(Conversation::create).await?);
            self.sessions().insert(conversation.id().to_owned(), Arc::clone(&session));
            return self.begin(&session, &mut active_turn, conversation, model, send, surface);
        };
        let mut model = None;
        loop {
            let session = self.get_session(&id)?;
            let mut active_turn = session.lock_active_turn().await;
            let released = match active_turn.as_ref() {
                None => {
                    let conversation_id = id.clone();
                    let Some(model) = model.take() else {
                        drop(active_turn);
                        // A provider may take a while to answer; other requests do not wait for the session.
                        let last = match &send.model {
                            Some(_) => None,
                            None => {
                                self.run_blocking(move |context| context.load_since(&conversation_id, u64::MAX))
                                    .await?
                                    .0
                                    .digest
                                    .model
                            }
                        };
                        model = Some(self.model(send.model.as_deref(), last).await?);
                        continue;
                    };
                    let opened = self.run_blocking(move |context| Conversation::open(context, &conversation_id)).await;
                    return self.begin(&session, &mut active_turn, Arc::new(opened?), model, send, surface);
                }
                // The turn is ending and does not read any more messages.
                Some(active) if active.inbox.is_closed() => active.released.clone(),
                Some(active) => {
                    active.validate_follow_up(&send)?;
                    match active.inbox.send(send.text.clone()) {
                        Ok(()) => return Ok(SendResult { conversation: id, turn: active.turn }),
                        Err(_) => active.released.clone(),
                    }
                }
            };
            drop(active_turn);
            released.cancelled().await;
        }
    }

    fn ensure_open(&self) -> Result<Arc<Self>, ChatError> {
        let manager = self.weak_self.upgrade().filter(|_| !self.closing.is_cancelled());
        manager.ok_or_else(|| ChatError::Failed("zubi is shutting down; start it again".to_owned()))
    }

    async fn model(
        &self,
        requested: Option<&str>,
        last: Option<String>,
    ) -> Result<Arc<dyn zubi_models::LanguageModel>, ChatError> {
        let id = requested.map(str::to_owned).or(last).unwrap_or_else(|| self.config.models.default_id());
        self.config.models.open(&id).await.map_err(|error| ChatError::Failed(error.with_default_hint()))
    }

    fn begin(
        &self,
        session: &Arc<ConversationSession>,
        active_turn: &mut Option<ActiveTurn>,
        conversation: Arc<Conversation>,
        model: Arc<dyn zubi_models::LanguageModel>,
        send: SendParams,
        surface: &str,
    ) -> Result<SendResult, ChatError> {
        // Refuses a turn after a shutdown; `closing` stops one that has begun.
        let manager = self.ensure_open()?;
        let mut budgets = self.config.budgets.clone();
        if let Some(iterations) = send.max_iterations {
            budgets.iterations = iterations;
        }
        let restrictions = Restrictions {
            tools: if send.tools.is_empty() { Vec::new() } else { vec![send.tools] },
            ..Restrictions::default()
        };
        let caller = Caller {
            surface: Surface::Agent,
            client: Some(format!("zubi-agent ({surface})")),
            session: session.session,
            restrictions,
        };
        let (inbox, receiver) = mpsc::unbounded_channel();
        let (stop, released) = (self.closing.child_token(), CancellationToken::new());
        let id = model.info().id.clone();
        let names = [send.model.unwrap_or_else(|| id.clone()), id];
        let turn = Turn {
            service: Arc::clone(&self.config.service),
            model,
            budgets,
            caller: Arc::new(caller),
            instructions: send.instructions,
            schema: send.schema,
            approvers: Arc::new(session.questions.clone()),
            clock: Arc::clone(&self.config.clock),
            stop: stop.clone(),
            inbox: receiver,
        };
        let number = conversation.digest().turns + 1;
        let sent = SendResult { conversation: conversation.id().to_owned(), turn: number };
        session.show(Some(ActiveTurnView { conversation: Arc::clone(&conversation), stop }));
        *active_turn = Some(ActiveTurn {
            conversation: Arc::clone(&conversation),
            turn: number,
            model: names,
            inbox,
            released: released.clone(),
        });
        let session = Arc::clone(session);
        manager.turns.clone().spawn(async move {
            let journal: Arc<dyn Journal> = Arc::clone(&conversation) as Arc<dyn Journal>;
            // A separate task, so that the turn ends even if it panics.
            let run = tokio::spawn(turn.run(number, send.text, journal));
            let ended = match run.await {
                Ok(ended) => ended,
                Err(error) => {
                    let ended = failed_end(number, &error.to_string());
                    drop(conversation.add(EventKind::Ended(ended.clone())));
                    ended
                }
            };
            let digest = conversation.digest();
            // If not even the beginning of the turn could be saved, there is no saved end either.
            if digest.open.is_some() || digest.turns < number {
                conversation.publish_unsaved_end(ended);
            }
            // A client that sends a message as soon as it sees the end of the turn waits for the session until here.
            let mut active_turn = session.lock_active_turn().await;
            session.show(None);
            *active_turn = None;
            drop(conversation);
            drop(active_turn);
            released.cancel();
        });
        Ok(sent)
    }

    pub(super) async fn stop(&self, id: &str) -> Result<(), ChatError> {
        if id == crate::wire::INSPECTOR {
            self.inspector.stop();
            return Ok(());
        }
        let session = self.get_session(id)?;
        let stop_active = || session.active_view().map(|view| view.stop.cancel()).is_some();
        if stop_active() {
            return Ok(());
        }
        // Wait for a turn that is about to begin.
        drop(session.lock_active_turn().await);
        if stop_active() {
            return Ok(());
        }
        let id = id.to_owned();
        let locked =
            self.run_blocking(move |context| Ok(context.dir.locked_ids(std::iter::once(id.as_str()))?)).await?;
        if locked.is_empty() { Ok(()) } else { Err(open_error(&OpenError::Elsewhere)) }
    }

    pub(super) async fn rename(&self, id: String, title: String) -> Result<(), ChatError> {
        let session = self.get_session(&id)?;
        let active_turn = session.lock_active_turn().await;
        let titled = EventKind::Titled { title };
        let save_error = |error: crate::journal::PersistError| ChatError::Failed(error.to_string());
        match active_turn.as_ref() {
            Some(active_turn) => active_turn.conversation.add(titled).map_err(save_error),
            None => self
                .run_blocking(move |context| Conversation::open(context, &id))
                .await?
                .add(titled)
                .map_err(save_error),
        }
    }

    pub(super) async fn delete(&self, id: String) -> Result<(), ChatError> {
        let session = self.get_session(&id)?;
        let active_turn = session.lock_active_turn().await;
        if active_turn.is_some() {
            return Err(ChatError::Failed("a turn is running in this conversation. Stop it first.".to_owned()));
        }
        let conversation_id = id.clone();
        self.run_blocking(move |context| context.delete(&conversation_id)).await?;
        self.sessions().remove(&id);
        Ok(())
    }
}

fn failed_end(turn: u64, why: &str) -> TurnEnded {
    TurnEnded {
        turn,
        reason: StopReason::Failed,
        text: "This turn was cut off by a defect of zubi.".to_owned(),
        data: None,
        problem: Some(format!("{why}. The work up to this point is saved; please report the defect.")),
        iterations: 0,
        calls: 0,
        usage: zubi_models::message::TokenUsage::default(),
        duration: 0,
    }
}
