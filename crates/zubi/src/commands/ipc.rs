//! `zubi ipc`: one method of the protocol, as other programs call it.

use std::io::Read as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use zubi_base::rpc::ConnectionError;
use zubi_cli::failure::{ENVIRONMENT, Failure, INTERRUPTED, NEGATIVE, USAGE};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal;
use zubi_host::{Identity, Limits, Serving};
use zubi_link::wire::codes;
use zubi_link::wire::host::HostKind;
use zubi_link::wire::methods::{self, METHODS, Sender};

use super::end;
use crate::cli::Ipc;
use crate::session::Session;

pub(super) fn run(session: &Session, ipc: &Ipc) -> Result<ExitCode, Failure> {
    let Some(method) = &ipc.method else {
        // The same text as the published file.
        terminal::print_exact(&format!("{:#}\n", methods::document()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let params = params(ipc)?;
    let patience = Duration::from_secs(ipc.timeout);
    block_on(async {
        let stop = on_interrupt()?;
        let attached = session.attach(false, |_| {}).await?;
        let remote = attached.front.as_ref().and_then(|front| front.remote());
        let answer = match (remote, &attached.own) {
            (Some(remote), _) => remote.ask_raw(method, params, &stop, patience).await,
            (None, Some(host)) => {
                let identity = Identity {
                    instance: String::new(),
                    kind: HostKind::Front,
                    environment: session.shown_environment(),
                };
                let serving = Serving::new(Arc::clone(host), identity, Limits::default(), None);
                serving.ask_here(method, params, &stop, Instant::now() + patience).await
            }
            (None, None) => Err(ConnectionError::Closed { why: "the host has gone".to_owned() }),
        };
        end(attached.service.as_ref()).await;
        match answer {
            Ok(value) => {
                terminal::print_json(&value)?;
                Ok(ExitCode::SUCCESS)
            }
            Err(ConnectionError::Cancelled) if stop.is_cancelled() => Ok(ExitCode::from(INTERRUPTED)),
            Err(error) => Err(failure(&error)),
        }
    })?
}

/// The parameters; `-` stands for standard input.
fn params(ipc: &Ipc) -> Result<Value, Failure> {
    let text = match ipc.params.as_deref() {
        None => return Ok(Value::Null),
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(Failure::usage)?;
            text
        }
        Some(text) => text.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("the parameters are no JSON: {error}"))
            .hint("Give an object: --params '{\"path\": \"src/main.py\"}'.")
    })
}

fn failure(error: &ConnectionError) -> Failure {
    let told = |code, message: String| Failure::Told { code, message, hints: Vec::new() };
    match error {
        ConnectionError::Response { code: codes::METHOD_NOT_FOUND, message, .. } => {
            let names: Vec<_> =
                METHODS.iter().filter(|method| method.sender == Sender::Client).map(|method| method.name).collect();
            told(USAGE, message.clone()).hint(format!("There are: {}.", names.join(", ")))
        }
        ConnectionError::Response { code: codes::INVALID_PARAMS | codes::INVALID_REQUEST, message, .. } => {
            told(USAGE, message.clone())
        }
        ConnectionError::Response { code: codes::LOADING | codes::UNAUTHENTICATED, message, .. } => {
            told(ENVIRONMENT, message.clone())
        }
        ConnectionError::Response { message, .. } => told(NEGATIVE, message.clone()),
        ConnectionError::TimedOut { .. } => {
            told(ENVIRONMENT, error.to_string()).hint("Give it longer: --timeout SECONDS.")
        }
        _ => told(ENVIRONMENT, error.to_string()),
    }
}
