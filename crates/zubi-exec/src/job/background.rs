//! Background jobs.
//!
//! Each has a handle, and ends when it is stopped or the host ends. The number of running jobs is limited, and ended
//! jobs remain available for a while.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{CapturedOutput, JobResult, ProcessJob, RunError, Runner, Streams};

/// The maximum number of running jobs.
const MAX_RUNNING: usize = 16;

/// The time for which ended jobs remain available.
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

/// The outcome of a job; `None` while it runs.
type JobOutcome = Option<Arc<Result<JobResult, RunError>>>;

/// One job in the background.
#[derive(Debug, Clone)]
pub struct Background {
    /// The handle: `j-1`, `j-2`, ….
    pub handle: String,
    /// The title for the user.
    pub title: String,
    pub started: Instant,
    streams: Streams,
    cancel: CancellationToken,
    outcome: watch::Receiver<JobOutcome>,
    _cancel_on_drop: Arc<DropGuard>,
}

impl Background {
    /// Returns the outcome; `None` while the job runs.
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

    /// Waits for the job's end, at most for `timeout`. Returns whether the job has ended.
    pub async fn wait(&self, timeout: Duration) -> bool {
        let mut outcome = self.outcome.clone();
        tokio::time::timeout(timeout, outcome.wait_for(Option::is_some)).await.is_ok()
    }

    /// Ends the job and waits until none of its processes remains.
    pub async fn stop(&self) {
        self.cancel.cancel();
        self.outcome.clone().wait_for(Option::is_some).await.ok();
    }
}

/// All background jobs.
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

    /// Starts a job; `title` identifies it for the user.
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

    /// Returns the job with this handle.
    pub fn get(&self, handle: &str) -> Result<Background, BackgroundError> {
        let number = handle.strip_prefix("j-").and_then(|number| number.parse::<u64>().ok());
        let table = self.table();
        let job = number.and_then(|number| table.jobs.get(&number));
        job.map(|(job, _)| job.clone()).ok_or_else(|| BackgroundError::NotFound(handle.to_owned()))
    }

    /// Returns all available jobs, oldest first.
    pub fn list(&self) -> Vec<Background> {
        self.table().jobs.values().map(|(job, _)| job.clone()).collect()
    }

    /// Ends all jobs and waits until none of their processes remains.
    pub async fn stop_all(&self) {
        let jobs = self.list();
        for job in &jobs {
            job.cancel.cancel();
        }
        for job in &jobs {
            job.stop().await;
        }
        self.runner.end_standby().await;
    }

    /// Locks the table and removes expired jobs from it.
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
