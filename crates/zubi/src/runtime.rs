//! What commands that wait for many things at once run on, and how they hear of an interruption.

use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::failure::Failure;

/// Stack of a thread for blocking work, in bytes. The deepest recursion is a directory walk's.
pub const STACK: usize = 1024 * 1024;

/// Runs a command's work and ends without waiting for threads that hang in a read.
pub fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = runtime()?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    Ok(result)
}

/// One thread drives the servers' pipes and the tools: the work is waiting, and waking another thread costs more than
/// what it would do. What blocks (walks, searches, hashing of programs) goes to threads for blocking work.
fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(|error| Failure::environment(format!("cannot start the runtime: {error}")))
}

/// A token that is cancelled by Ctrl-C, SIGTERM or the terminal's end.
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

/// What a person or the system wants of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interruption {
    /// Ctrl-C: what is being done is to stop.
    Stop,
    /// SIGTERM, or the terminal has gone: the process is to end.
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

    /// The next one. None is lost if this is given up.
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
