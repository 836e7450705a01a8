//! What `dlang lsp` and `zubi lsp` share: their flags, and the end of a server whose editor is gone.

use std::process::ExitCode;
use std::sync::mpsc;
use std::{io, thread};

use clap::Args;
use dlang_server::Exit;
use zubi_base::process;

use crate::failure::{Failure, NEGATIVE};

/// The flags that editors give to language servers.
#[derive(Debug, Args)]
pub struct Flags {
    /// Speak over stdin and stdout; so it does anyway, but many editors say it
    #[arg(long)]
    stdio: bool,
    /// End when this process has ended: the editor's
    #[arg(long = "clientProcessId", value_name = "PID")]
    client: Option<u32>,
}

impl Flags {
    /// Runs a server until its conversation is over, or until the editor's process has ended: the connection alone does not
    /// always tell, because other processes may hold its other end.
    ///
    /// # Errors
    ///
    /// What `serve` says, or that there are no threads.
    pub fn run(&self, serve: impl FnOnce() -> Result<Exit, Failure> + Send + 'static) -> Result<ExitCode, Failure> {
        let (ended, end) = mpsc::channel();
        if let Some(client) = self.client {
            let ended = ended.clone();
            spawn("client's end", move || match process::wait_until_gone(client) {
                // It did not say goodbye.
                Ok(()) => drop(ended.send(Ok(Exit::Abrupt))),
                Err(error) => tracing::warn!("the end of the client's process {client} will not be noticed: {error}"),
            })?;
        }
        spawn("language server", move || drop(ended.send(serve())))?;
        // This is the main thread: when it returns the process ends, whatever other threads are waiting for.
        match end.recv() {
            Ok(exit) => Ok(ExitCode::from(exit?.code())),
            Err(_) => Ok(ExitCode::from(NEGATIVE)),
        }
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    thread::Builder::new().name(name.to_owned()).spawn(run).map_err(|error| no_thread(&error)).map(drop)
}

fn no_thread(error: &io::Error) -> Failure {
    Failure::environment(format!("cannot start a thread: {error}"))
}
