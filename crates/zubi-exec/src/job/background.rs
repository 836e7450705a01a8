//! Jobs that run on while their caller does something else.
//!
//! Each has a handle. They end when the host ends, which drops them, and when they are stopped. How many there may be has
//! a bound, and what has ended is remembered for a while.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{CapturedOutput, JobResult, ProcessJob, RunError, Runner, Streams};

/// The maximum number of running jobs.
const MAX_RUNNING: usize = 16;

/// The retention of ended jobs.
const OUTCOME_RETENTION: Duration = Duration::from_mins(10);

/// The reason why a background job is not available.
#[derive(Debug, thiserror::Error)]
pub enum BackgroundError {
    #[error("there are {MAX_RUNNING} jobs in the background already")]
    TooMany,
    #[error("there is no job `{0}`; jobs that have ended are remembered for ten minutes")]
    NotFound(String),
    #[error(transparent)]
    Run(#[from] RunError),
}

/// How a job ended, once it has.
type JobOutcome = Option<Arc<Result<JobResult, RunError>>>;

/// One job in the background.
#[derive(Debug, Clone)]
pub struct Background {
    /// `j-1`, `j-2`, ….
    pub handle: String,
    /// The request, for people.
    pub title: String,
    pub started: Instant,
    streams: Streams,
    cancel: CancellationToken,
    outcome: watch::Receiver<JobOutcome>,
    _cancel_on_drop: Arc<DropGuard>,
}

impl Background {
    /// How it ended, if it has.
    pub fn outcome(&self) -> JobOutcome {
        self.outcome.borrow().clone()
    }

    /// Returns the output so far: stdout and stderr.
    pub fn output(&self) -> (CapturedOutput, CapturedOutput) {
        match self.outcome().as_deref() {
            Some(Ok(finished)) => (finished.stdout.clone(), finished.stderr.clone()),
            _ => self.streams.output(),
        }
    }

    /// Waits for its end, so long. Whether it has ended.
    pub async fn wait(&self, timeout: Duration) -> bool {
        let mut outcome = self.outcome.clone();
        tokio::time::timeout(timeout, outcome.wait_for(Option::is_some)).await.is_ok()
    }

    /// Ends it, and waits until nothing is left of it.
    pub async fn stop(&self) {
        self.cancel.cancel();
        self.outcome.clone().wait_for(Option::is_some).await.ok();
    }
}

/// All jobs in the background.
#[derive(Debug)]
pub struct Jobs {
    runner: Runner,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    jobs: BTreeMap<u64, (Background, Option<Instant>)>,
}

impl Jobs {
    pub fn new(runner: Runner) -> Self {
        Self { runner, table: Mutex::default() }
    }

    pub fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Starts a job; `title` is what people know it by.
    pub fn start(&self, job: ProcessJob, title: &str) -> Result<Background, BackgroundError> {
        let streams = self.runner.streams(&job)?;
        let mut table = self.table();
        if table.jobs.values().filter(|(job, _)| job.outcome().is_none()).count() >= MAX_RUNNING {
            return Err(BackgroundError::TooMany);
        }
        let cancel = CancellationToken::new();
        let (sender, outcome) = watch::channel(None);
        let running = (self.runner.clone(), streams.clone(), cancel.clone());
        tokio::spawn(async move {
            let (runner, streams, cancel) = running;
            let result = runner.run_into(&job, &cancel, &streams).await;
            sender.send_replace(Some(Arc::new(result)));
        });
        table.last += 1;
        let number = table.last;
        let background = Background {
            handle: format!("j-{number}"),
            title: title.to_owned(),
            started: Instant::now(),
            streams,
            outcome,
            _cancel_on_drop: Arc::new(cancel.clone().drop_guard()),
            cancel,
        };
        table.jobs.insert(number, (background.clone(), None));
        Ok(background)
    }

    /// The job with this handle.
    pub fn get(&self, handle: &str) -> Result<Background, BackgroundError> {
        let number = handle.strip_prefix("j-").and_then(|number| number.parse::<u64>().ok());
        let table = self.table();
        let job = number.and_then(|number| table.jobs.get(&number));
        job.map(|(job, _)| job.clone()).ok_or_else(|| BackgroundError::NotFound(handle.to_owned()))
    }

    /// All that are remembered, the oldest first.
    pub fn list(&self) -> Vec<Background> {
        self.table().jobs.values().map(|(job, _)| job.clone()).collect()
    }

    /// Ends all of them, and waits until nothing is left.
    pub async fn stop_all(&self) {
        let jobs = self.list();
        for job in &jobs {
            job.cancel.cancel();
        }
        for job in &jobs {
            job.stop().await;
        }
    }

    /// The table without what has ended long ago.
    fn table(&self) -> MutexGuard<'_, Table> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        table.jobs.retain(|_, (job, noticed)| {
            if job.outcome().is_none() {
                return true;
            }
            now.duration_since(*noticed.get_or_insert(now)) < OUTCOME_RETENTION
        });
        table
    }
}
