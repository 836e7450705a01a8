//! A few threads that answer requests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

/// How many requests are answered at once. A validation of everything uses further threads of its own.
const THREADS: usize = 3;

pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// The threads. They end when the pool and its clones are dropped and all jobs are done.
#[derive(Clone)]
pub(crate) struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    pub(crate) fn new() -> std::io::Result<Self> {
        let (jobs, waiting) = unbounded();
        for number in 1..=THREADS {
            let waiting = waiting.clone();
            thread::Builder::new().name(format!("dlang-server {number}")).spawn(move || work(&waiting))?;
        }
        Ok(Self { jobs })
    }

    /// Runs this on one of the threads, after everything that came before it was begun.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        // The threads outlive the sender.
        self.jobs.send(Box::new(job)).ok();
    }
}

fn work(waiting: &Receiver<Job>) {
    for job in waiting {
        // Who sent the job hears of a panic by what the job drops; the thread lives on for others.
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("a request panicked");
        }
    }
}
