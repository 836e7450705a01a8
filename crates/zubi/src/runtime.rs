//! The runtime of asynchronous commands, and how they receive interruptions.

use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::failure::Failure;

/// Stack of a thread for blocking work, in bytes. The deepest recursion is a directory walk's.
pub const STACK: usize = 1024 * 1024;

/// Runs a command's work and returns without waiting for threads that block in a read.
pub fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = runtime()?;
    let result = runtime.block_on(future);
    runtime.shutdown_background();
    Ok(result)
}

/// One thread drives the servers' pipes and the tools: they mostly wait, and waking another thread costs more than the
/// work itself. Blocking work (walks, searches, hashing of programs) runs on a separate thread pool.
fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(|error| Failure::environment(format!("cannot start the runtime: {error}")))
}

/// Returns a token that is cancelled by Ctrl-C, SIGTERM or the closing of the terminal.
pub fn on_interrupt() -> Result<CancellationToken, Failure> {
    let token = CancellationToken::new();
    let interrupted = token.clone();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let listen =
            |kind| signal(kind).map_err(|error| Failure::environment(format!("cannot listen to signals: {error}")));
        let (mut int, mut term, mut hup) =
            (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?, listen(SignalKind::hangup())?);
        tokio::spawn(async move {
            tokio::select! {
                _ = int.recv() => {}
                _ = term.recv() => {}
                _ = hup.recv() => {}
            }
            interrupted.cancel();
        });
    }
    #[cfg(not(unix))]
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            interrupted.cancel();
        }
    });
    Ok(token)
}

/// A request of the user or the system to the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interruption {
    /// Ctrl-C: stop the current work.
    Stop,
    /// SIGTERM, or the terminal was closed: end the process.
    End,
}

/// Interruptions, one after the other, for a command that does not end with the first.
#[derive(Debug)]
pub struct Interruptions {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 3],
}

impl Interruptions {
    pub fn listen() -> Result<Self, Failure> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let listen =
                |kind| signal(kind).map_err(|error| Failure::environment(format!("cannot listen to signals: {error}")));
            let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
            let [int, term, hup] = kinds.map(listen);
            Ok(Self { signals: [int?, term?, hup?] })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    /// Returns the next interruption. Cancel safe: no interruption is lost if the future is dropped.
    pub async fn next(&mut self) -> Interruption {
        #[cfg(unix)]
        {
            let [int, term, hup] = &mut self.signals;
            tokio::select! {
                _ = int.recv() => Interruption::Stop,
                _ = term.recv() => Interruption::End,
                _ = hup.recv() => Interruption::End,
            }
        }
        #[cfg(not(unix))]
        match tokio::signal::ctrl_c().await {
            Ok(()) => Interruption::Stop,
            Err(_) => std::future::pending().await,
        }
    }
}
