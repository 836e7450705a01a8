//! Ctrl-C during long work: the first one requests a stop at the next safe point, the second ends the process at once.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag;
use zubi_cli::failure::{Failure, INTERRUPTED};

/// Whether the user has requested a stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    requested: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens for Ctrl-C until the process ends.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let interrupt = Self::default();
        // Actions run in the order in which they are registered, so the first Ctrl-C does not end the process yet.
        flag::register_conditional_shutdown(SIGINT, INTERRUPTED.into(), Arc::clone(&interrupt.requested))
            .and_then(|_| flag::register(SIGINT, Arc::clone(&interrupt.requested)))
            .map_err(|error| Failure::environment(format!("cannot listen to signals: {error}")))?;
        Ok(interrupt)
    }

    pub(crate) fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// Ends the part of the work that must not be left half done: from now on Ctrl-C ends the process at once.
    pub(crate) fn disarm(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// Returns the exit code of an interrupted command.
    pub(crate) fn code() -> ExitCode {
        ExitCode::from(INTERRUPTED)
    }
}
