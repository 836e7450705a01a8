//! The place of one conversation at the desk: the turn that is going on in it, its questions, its session.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{MutexGuard, mpsc};
use tokio_util::sync::CancellationToken;
use zubi_tools::cx::{Caller, Restrictions, Surface};

use super::{Desk, refused};
use crate::chat::ChatError;
use crate::conversation::{Conversation, Digest, OpenError};
use crate::event::{Ended, Reason, What};
use crate::journal::Journal;
use crate::questions::Questions;
use crate::run::Turn;
use crate::wire::{Send, Sent};

/// The place of a conversation. It stays as long as the process does: what was allowed for the session holds on.
pub(super) struct Seat {
    session: u64,
    questions: Questions,
    /// Held while a turn begins or ends, and while something is done that no turn may begin during.
    live: tokio::sync::Mutex<Option<Live>>,
    /// The conversation of the turn that is going on, for whoever does not want to wait.
    shown: Mutex<Option<Arc<Conversation>>>,
}

/// A turn that is going on.
pub(super) struct Live {
    conversation: Arc<Conversation>,
    turn: u64,
    stop: CancellationToken,
    inbox: mpsc::UnboundedSender<String>,
    /// Cancelled when the conversation is nobody's again.
    over: CancellationToken,
}

impl Live {
    pub(super) fn conversation(&self) -> &Conversation {
        &self.conversation
    }
}

impl Seat {
    pub(super) fn new(session: u64, questions: Questions) -> Self {
        Self { session, questions, live: tokio::sync::Mutex::new(None), shown: Mutex::new(None) }
    }

    pub(super) fn questions(&self) -> &Questions {
        &self.questions
    }

    pub(super) async fn live(&self) -> MutexGuard<'_, Option<Live>> {
        self.live.lock().await
    }

    /// Of the turn that is going on.
    pub(super) fn digest(&self) -> Option<Digest> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        shown.map(|conversation| conversation.digest())
    }

    fn show(&self, conversation: Option<Arc<Conversation>>) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = conversation;
    }
}

impl Desk {
    /// Says something: into the turn that is going on, else it begins one.
    pub(super) async fn send(&self, send: Send, door: &str) -> Result<Sent, ChatError> {
        self.open_for_more()?;
        let Some(id) = send.conversation.clone() else {
            let seat = self.new_seat()?;
            let mut live = seat.live().await;
            let model = self.model(send.model.as_deref(), None).await?;
            let conversation = Arc::new(self.aside(Conversation::create).await?);
            self.seats().insert(conversation.id().to_owned(), Arc::clone(&seat));
            return self.begin(&seat, &mut live, conversation, model, send, door);
        };
        loop {
            let seat = self.seat(&id)?;
            let mut live = seat.live().await;
            let over = match live.as_ref() {
                None => {
                    let asked = id.clone();
                    let opened = self.aside(move |keeping| Conversation::open(keeping, &asked)).await;
                    let conversation = Arc::new(opened?);
                    let model = self.model(send.model.as_deref(), conversation.digest().model).await?;
                    return self.begin(&seat, &mut live, conversation, model, send, door);
                }
                Some(going_on) if going_on.inbox.send(send.text.clone()).is_ok() => {
                    return Ok(Sent { conversation: id, turn: going_on.turn });
                }
                // It hears nothing any more: it is just ending.
                Some(going_on) => going_on.over.clone(),
            };
            drop(live);
            over.cancelled().await;
        }
    }

    fn open_for_more(&self) -> Result<Arc<Self>, ChatError> {
        let desk = self.own.upgrade().filter(|_| !self.closing.is_cancelled());
        desk.ok_or_else(|| ChatError::Failed("zubi is ending; start it anew".to_owned()))
    }

    async fn model(
        &self,
        wanted: Option<&str>,
        last: Option<String>,
    ) -> Result<Arc<dyn crate::model::Model>, ChatError> {
        let id = wanted.map(str::to_owned).or(last).unwrap_or_else(|| self.config.models.default_id());
        self.config.models.open(&id).await.map_err(|error| ChatError::Failed(error.with_advice()))
    }

    fn begin(
        &self,
        seat: &Arc<Seat>,
        live: &mut Option<Live>,
        conversation: Arc<Conversation>,
        model: Arc<dyn crate::model::Model>,
        send: Send,
        door: &str,
    ) -> Result<Sent, ChatError> {
        // What begins after this is stopped at once.
        let desk = self.open_for_more()?;
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
            client: Some(format!("zubi-agent ({door})")),
            session: seat.session,
            restrictions,
        };
        let (inbox, heard) = mpsc::unbounded_channel();
        let (stop, over) = (self.closing.child_token(), CancellationToken::new());
        let turn = Turn {
            service: Arc::clone(&self.config.service),
            model,
            budgets,
            caller: Arc::new(caller),
            instructions: send.instructions,
            schema: send.schema,
            approvers: Arc::new(seat.questions.clone()),
            clock: Arc::clone(&self.config.clock),
            stop: stop.clone(),
            inbox: heard,
        };
        let number = conversation.digest().turns + 1;
        let sent = Sent { conversation: conversation.id().to_owned(), turn: number };
        seat.show(Some(Arc::clone(&conversation)));
        *live = Some(Live { conversation: Arc::clone(&conversation), turn: number, stop, inbox, over: over.clone() });
        let seat = Arc::clone(seat);
        desk.turns.clone().spawn(async move {
            let journal: Arc<dyn Journal> = Arc::clone(&conversation) as Arc<dyn Journal>;
            // In a task of its own: if it panics, the turn ends nevertheless.
            let run = tokio::spawn(turn.run(number, send.text, journal));
            let ended = match run.await {
                Ok(ended) => ended,
                Err(error) => {
                    let ended = failed(number, &error.to_string());
                    drop(conversation.add(What::Ended(ended.clone())));
                    ended
                }
            };
            if conversation.digest().open.is_some() {
                conversation.tell_end(ended);
            }
            // Whoever hears of the end and says more finds the seat taken until here.
            let mut live = seat.live().await;
            seat.show(None);
            *live = None;
            drop(conversation);
            drop(live);
            over.cancel();
        });
        Ok(sent)
    }

    pub(super) async fn stop(&self, id: &str) -> Result<(), ChatError> {
        if id == crate::wire::INSPECTOR {
            self.inspector.stop();
            return Ok(());
        }
        let seat = self.seat(id)?;
        if let Some(live) = seat.live().await.as_ref() {
            live.stop.cancel();
            return Ok(());
        }
        let id = id.to_owned();
        let held = self.aside(move |keeping| Ok(keeping.place.held(std::iter::once(id.as_str()))?)).await?;
        if held.is_empty() { Ok(()) } else { Err(refused(&OpenError::Elsewhere)) }
    }

    pub(super) async fn rename(&self, id: String, title: String) -> Result<(), ChatError> {
        let seat = self.seat(&id)?;
        let live = seat.live().await;
        let titled = What::Titled { title };
        let unkept = |error: crate::journal::NotKept| ChatError::Failed(error.to_string());
        match live.as_ref() {
            Some(live) => live.conversation.add(titled).map_err(unkept),
            None => self.aside(move |keeping| Conversation::open(keeping, &id)).await?.add(titled).map_err(unkept),
        }
    }

    pub(super) async fn delete(&self, id: String) -> Result<(), ChatError> {
        let seat = self.seat(&id)?;
        let live = seat.live().await;
        if live.is_some() {
            return Err(ChatError::Failed("a turn is going on in this conversation. Stop it first.".to_owned()));
        }
        let asked = id.clone();
        self.aside(move |keeping| keeping.place.delete(&asked)).await?;
        self.seats().remove(&id);
        Ok(())
    }
}

fn failed(turn: u64, why: &str) -> Ended {
    Ended {
        turn,
        reason: Reason::Failed,
        text: "This turn was cut off by a defect of zubi.".to_owned(),
        data: None,
        problem: Some(format!("{why}. What was done until then is kept; please report it.")),
        iterations: 0,
        calls: 0,
        usage: crate::message::Usage::default(),
        duration: 0,
    }
}
