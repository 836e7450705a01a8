//! The life cycle of an endpoint over several runs of its server: start, end, and the time of the next start.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::Utf8PathBuf;
use rustc_hash::FxHashMap;
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use zubi_base::endpoint::{Caveats, EndpointError, Readiness};
use zubi_base::position::Encoding;
use zubi_base::sync::lock;

use super::{LaunchSpec, ServerEndpoint};
use crate::session::{ServerSession, StartError};
use crate::watch::WatchedFileChange;

/// The pause before the third start of a server that answered nothing; doubles up to [`LONGEST_BACK_OFF`]. The second
/// start is immediate.
const FIRST_BACK_OFF: Duration = Duration::from_secs(1);
const LONGEST_BACK_OFF: Duration = Duration::from_mins(1);

/// The limits after which an idle or large server is ended.
#[derive(Debug, Clone, Copy)]
pub struct RetentionPolicy {
    /// The time without requests after which the server is ended.
    pub idle: Duration,
    /// The memory in megabytes, of the server and its child processes, above which the server is ended.
    pub memory_mb: Option<u64>,
}

/// The time until the endpoint knows about the end of a process.
const WRITTEN_DOWN: Duration = Duration::from_secs(1);

/// The minimum idle time of a server that is reading its project. No client waits longer for that.
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// The interval at which zubi measures a server's memory, if it is limited. A server grows by less than a gigabyte in
/// that time.
const MEMORY_CHECK_INTERVAL: Duration = Duration::from_secs(2);
const MEGABYTE: u64 = 1024 * 1024;

/// Starts one run of a server: a process, or a task in tests.
#[async_trait]
pub(crate) trait Starter: Send + Sync {
    async fn start(
        &self,
        launch: &LaunchSpec,
        first: Option<Utf8PathBuf>,
        readiness: Arc<watch::Sender<Readiness>>,
        tasks: &TaskTracker,
    ) -> Result<Arc<ServerSession>, StartError>;
}

/// The state that the tasks of an endpoint share.
pub(super) struct EndpointState {
    pub(super) launch: LaunchSpec,
    /// The caveats of answers about the documents of a directory.
    pub(super) caveats: Mutex<FxHashMap<Utf8PathBuf, Caveats>>,
    pub(super) starter: Arc<dyn Starter>,
    pub(super) phase: watch::Sender<EndpointPhase>,
    pub(super) readiness: Arc<watch::Sender<Readiness>>,
    /// Documents to open at the start: those of the first requests, or those that the previous run had open.
    pub(super) documents_to_open: Mutex<Vec<Utf8PathBuf>>,
    /// Only one request is captured at a time, because an edit does not name its request.
    pub(super) capture: tokio::sync::Mutex<()>,
    pub(super) failures: Mutex<u32>,
    /// The encoding that the last run negotiated.
    pub(super) encoding: Mutex<Encoding>,
    /// Changes on disk that came during the start.
    pub(super) pending: Mutex<Vec<WatchedFileChange>>,
    /// Cancelled when the endpoint is shut down.
    pub(super) stop: CancellationToken,
    /// Every task that has a process.
    pub(super) tasks: TaskTracker,
}

/// The phase of an endpoint's life cycle.
#[derive(Clone)]
pub(super) enum EndpointPhase {
    Idle,
    Starting,
    Running(Arc<ServerSession>),
    Down {
        reason: String,
        hint: String,
        retry_at: Instant,
    },
    /// Shut down permanently.
    Closed,
}

/// Runs the server once: starts it, waits for its end, and records the reason.
pub(super) async fn run(shared: Arc<EndpointState>) {
    let documents_to_open = std::mem::take(&mut *lock(&shared.documents_to_open));
    let readiness = Arc::clone(&shared.readiness);
    let start = shared.starter.start(&shared.launch, documents_to_open.first().cloned(), readiness, &shared.tasks);
    let started = tokio::select! {
        started = start => started,
        () = shared.stop.cancelled() => return,
    };
    let session = match started {
        Ok(session) => session,
        Err(error) => {
            let hint = match &error {
                StartError::Spawn(_) => "check that the program is installed".to_owned(),
                StartError::Handshake(_) => format!("try `{}` by hand", shared.launch.command.program),
                StartError::ConfinedHandshake(_) => confined_hint(&shared.launch),
            };
            shared.mark_down(error.to_string(), hint, false);
            return;
        }
    };
    for path in &documents_to_open {
        if let Err(error) = session.sync_document(path, false) {
            tracing::debug!(%error, "a document cannot be opened again");
        }
    }
    let running = Arc::clone(&session);
    let (published, changes) = {
        let mut pending = lock(&shared.pending);
        let published = shared.phase.send_if_modified(|phase| {
            let is_starting = matches!(phase, EndpointPhase::Starting);
            if is_starting {
                *phase = EndpointPhase::Running(running);
            }
            is_starting
        });
        (published, std::mem::take(&mut *pending))
    };
    if !published {
        session.shutdown().await;
        return;
    }
    if !changes.is_empty() {
        session.notify_changes(&changes);
    }
    // Last, so that a client that sees a ready server can send it requests.
    session.peer().activate();
    let Some(reason) = await_end(&shared, &session).await else {
        session.shutdown().await;
        return;
    };
    session.peer().deactivate();
    if shared.stop.is_cancelled() || !shared.is_running(&session) {
        // The server was ended on request. Only the next request may start another.
        return;
    }
    lock(&shared.documents_to_open).extend(session.open_documents().into_iter().rev());
    shared.mark_down(reason, RETRY_HINT.to_owned(), session.was_useful());
}

/// Waits until a running server has ended and returns the reason; `None` when the server is no longer needed and the
/// caller must end it. Ends the server when it uses more memory than allowed.
async fn await_end(shared: &EndpointState, session: &Arc<ServerSession>) -> Option<String> {
    let retention = shared.launch.retention;
    let mut ended = session.end_reason();
    let mut memory_check = tokio::time::interval(MEMORY_CHECK_INTERVAL);
    memory_check.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        // A client may be waiting for a server that reads its project.
        let settled = session.peer().readiness().is_settled();
        let idle = if settled { retention.idle } else { retention.idle.max(LONGEST_WAIT) };
        let idle_at = session.unused_since().unwrap_or_else(Instant::now) + idle;
        let end = async { ended.wait_for(Option::is_some).await.map(|reason| reason.clone()).ok().flatten() };
        tokio::select! {
            reason = end => return Some(reason.unwrap_or_else(|| "the process is gone".to_owned())),
            () = tokio::time::sleep_until(idle_at.into()) => {
                let is_idle = session.unused_since().is_some_and(|since| since.elapsed() >= idle);
                if is_idle && shared.end_idle(session) {
                    return None;
                }
            }
            // The kernel sends no notification about a process's memory, so zubi must poll here.
            _ = memory_check.tick(), if retention.memory_mb.is_some() => {}
        }
        let Some(limit) = retention.memory_mb else { continue };
        let used_mb = session.memory().await.unwrap_or_default() / MEGABYTE;
        if used_mb > limit {
            tracing::warn!(server = %shared.launch.spec.name, used_mb, limit, "a language server is too large");
            session.end_with_reason(format!(
                "it used more than {limit} MB of memory and was ended; `max_memory_mb` in servers.toml allows more"
            ));
        }
    }
}

impl ServerEndpoint {
    /// Returns the error for a process that has ended; the next request starts a new one.
    pub(super) fn on_process_exit(&self, reason: String) -> EndpointError {
        EndpointError::Exited { endpoint: self.id.clone(), reason, hint: RETRY_HINT.to_owned() }
    }

    /// Like [`Self::on_process_exit`], after waiting for the time of the next start.
    pub(super) async fn on_exit(&self, reason: String) -> EndpointError {
        let mut phases = self.shared.phase.subscribe();
        // The task that watches the process records its end in the next moment.
        let is_known = |phase: &EndpointPhase| !matches!(phase, EndpointPhase::Running(session) if session.end_reason().borrow().is_some());
        let phase = tokio::time::timeout(WRITTEN_DOWN, phases.wait_for(is_known)).await;
        let retry_at = match phase.ok().and_then(Result::ok).as_deref() {
            Some(EndpointPhase::Down { retry_at, .. }) => *retry_at,
            _ => return self.on_process_exit(reason),
        };
        EndpointError::Exited { endpoint: self.id.clone(), reason, hint: retry_hint(RETRY_HINT, retry_at) }
    }
}

impl EndpointState {
    /// Ends an idle server; the next request starts another. Returns `false` if a request came at the same moment.
    fn end_idle(&self, session: &Arc<ServerSession>) -> bool {
        let is_ended = self.retire(session);
        if is_ended {
            tracing::info!(server = %self.launch.spec.name, "the server received no request for a while: zubi ends it");
        }
        is_ended
    }

    /// Makes the next request start another server instead of this one, which the caller ends. Returns `false` if this
    /// one is no longer running.
    pub(super) fn retire(&self, session: &Arc<ServerSession>) -> bool {
        self.phase.send_if_modified(|phase| {
            let is_current = matches!(phase, EndpointPhase::Running(running) if Arc::ptr_eq(running, session));
            if is_current {
                // All of this must happen before another task can see the idle phase and start a server.
                session.peer().deactivate();
                lock(&self.documents_to_open).extend(session.open_documents().into_iter().rev());
                self.readiness.send_replace(Readiness::Starting);
                *phase = EndpointPhase::Idle;
            }
            is_current
        })
    }

    fn is_running(&self, session: &Arc<ServerSession>) -> bool {
        matches!(&*self.phase.borrow(), EndpointPhase::Running(running) if Arc::ptr_eq(running, session))
    }

    /// Returns the readiness of a server that is not running, with the remaining pause.
    pub(super) fn readiness_without_session(&self) -> Readiness {
        match &*self.phase.borrow() {
            EndpointPhase::Down { reason, hint, retry_at } => {
                Readiness::Failed { reason: reason.clone(), hint: retry_hint(hint, *retry_at) }
            }
            _ => self.readiness.borrow().clone(),
        }
    }

    pub(super) fn new(launch: LaunchSpec, starter: Arc<dyn Starter>) -> Self {
        Self {
            launch,
            caveats: Mutex::default(),
            starter,
            phase: watch::Sender::new(EndpointPhase::Idle),
            readiness: Arc::new(watch::Sender::new(Readiness::Starting)),
            documents_to_open: Mutex::default(),
            capture: tokio::sync::Mutex::new(()),
            failures: Mutex::new(0),
            encoding: Mutex::default(),
            pending: Mutex::default(),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Records that the server is not running. The next request starts a useful server again at once; a server that
    /// died repeatedly without an answer is started only after a pause.
    fn mark_down(&self, reason: String, hint: String, useful: bool) {
        let failures = {
            let mut failures = lock(&self.failures);
            *failures = if useful { 1 } else { failures.saturating_add(1) };
            *failures
        };
        let pause = match failures.checked_sub(2) {
            None => Duration::ZERO,
            Some(exponent) => FIRST_BACK_OFF.saturating_mul(1 << exponent.min(6)).min(LONGEST_BACK_OFF),
        };
        let retry_at = Instant::now() + pause;
        if !self.stop.is_cancelled() {
            tracing::warn!(server = %self.launch.spec.name, %reason, "a language server is down");
        }
        self.readiness.send_replace(Readiness::Failed { reason: reason.clone(), hint: hint.clone() });
        self.phase.send_if_modified(|phase| {
            let closed = matches!(phase, EndpointPhase::Closed);
            if !closed {
                *phase = EndpointPhase::Down { reason, hint, retry_at };
            }
            !closed
        });
    }
}

/// The hint for a server that has ended.
pub(super) const RETRY_HINT: &str = "retry the request: zubi starts the server again";

/// Returns the hint for a server that did not start in the sandbox.
fn confined_hint(launch: &LaunchSpec) -> String {
    let (program, id) = (&launch.command.program, &launch.spec.name);
    format!(
        "try `{program}` by hand; if it starts there, the sandbox may be the cause: `zubi doctor` lists what {id} may do, and `[servers.{id}] sandbox = \"off\"` in your zubi.toml starts it without the sandbox"
    )
}

/// Returns the hint for a server that is started again only after a pause.
pub(super) fn retry_hint(hint: &str, retry_at: Instant) -> String {
    let pause = retry_at.saturating_duration_since(Instant::now());
    if pause.is_zero() {
        return hint.to_owned();
    }
    // Rounded up, because an earlier request would not start it.
    let seconds = pause.as_millis().div_ceil(1000);
    let next_step = if hint == RETRY_HINT { "retry the request then" } else { hint };
    format!("it failed several times in a row and is started again only after {seconds} s; {next_step}")
}

/// Returns the reason and the hint for a server that was ended on request.
pub(super) fn was_shut_down() -> (String, String) {
    ("it was shut down".to_owned(), "start zubi again".to_owned())
}

/// Returns the reason with the exit status and the last lines of standard error, which are known a moment after the
/// pipe closed.
pub(super) async fn await_end_reason(session: &ServerSession, fallback: String) -> String {
    let mut ended = session.end_reason();
    let reason = ended.wait_for(Option::is_some).await;
    reason.ok().and_then(|reason| reason.clone()).unwrap_or(fallback)
}
