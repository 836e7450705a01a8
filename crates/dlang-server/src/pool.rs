//! Threads that answer requests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

/// Number of requests that are answered at once. A validation of the whole workspace uses further threads.
const THREADS: usize = 3;

pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// The threads. They end when the pool and its clones are dropped and all jobs are done.
#[derive(Clone)]
pub(crate) struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    pub(crate) fn new() -> std::io::Result<Self> {
        let (jobs, queue) = unbounded();
        for number in 1..=THREADS {
            let queue = queue.clone();
            thread::Builder::new().name(format!("dlang-server {number}")).spawn(move || work(&queue))?;
        }
        Ok(Self { jobs })
    }

    /// Runs a job on one of the threads, after all earlier jobs have started.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        // The threads outlive the sender.
        self.jobs.send(Box::new(job)).ok();
    }
}

fn work(queue: &Receiver<Job>) {
    for job in queue {
        // The sender of the job detects the panic by a value that the job drops; the thread continues.
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("a request panicked");
        }
    }
}
