//! `zubi ipc`: calls one method of the protocol, as other programs do.

use std::io::Read as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use zubi_base::rpc::ConnectionError;
use zubi_cli::failure::{ENVIRONMENT, Failure, INTERRUPTED, NEGATIVE, USAGE};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal;
use zubi_host::{HostServer, Identity};
use zubi_ipc::wire::host::{self, HostKind};
use zubi_ipc::wire::methods::{self, METHODS, Sender};
use zubi_ipc::wire::{codes, editor, tools};
use zubi_tool_api::cx::Restrictions;

use super::end::end;
use crate::cli::Ipc;
use crate::session::CliSession;

pub(super) fn run(session: &CliSession, ipc: &Ipc) -> Result<ExitCode, Failure> {
    let Some(method) = &ipc.method else {
        // Identical to the published file.
        terminal::print_exact(&format!("{:#}\n", methods::document()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let params = params(ipc)?;
    let timeout = Duration::from_secs(ipc.timeout);
    block_on(async {
        let stop = on_interrupt()?;
        let attached = session.attach(false, |_| {}).await?;
        let remote = attached.host_client.as_ref().and_then(|client| client.remote());
        let is_local = remote.is_none() && attached.local_host.is_some();
        let checked = check_method_allowed(method, &attached.scope.restrictions, is_local)
            .and_then(|()| add_restrictions(method, params, &attached.scope.restrictions));
        let params = match checked {
            Ok(params) => params,
            Err(failure) => {
                end(attached.service.as_ref()).await;
                return Err(failure);
            }
        };
        let answer = match (remote, &attached.local_host) {
            (Some(remote), _) => remote.request_raw(method, params, &stop, timeout).await,
            (None, Some(host)) => {
                let identity = Identity {
                    instance: String::new(),
                    kind: HostKind::InProcess,
                    environment: session.wire_environment(),
                };
                let serving = HostServer::new(Arc::clone(host), identity, attached.client_policy.clone(), None);
                serving.handle_local(method, params, &stop, Instant::now() + timeout).await
            }
            (None, None) => Err(ConnectionError::Closed { reason: "the host has exited".to_owned() }),
        };
        end(attached.service.as_ref()).await;
        match answer {
            Ok(value) => print_result(method, &value),
            Err(ConnectionError::Cancelled) if stop.is_cancelled() => Ok(ExitCode::from(INTERRUPTED)),
            Err(error) => Err(failure(&error)),
        }
    })?
}

/// Whether the method makes sense in this session. Methods that are not tools do not know that a session is read-only,
/// and registered tools end with the connection, which belongs to this process.
fn check_method_allowed(method: &str, restrictions: &Restrictions, is_local: bool) -> Result<(), Failure> {
    let changes = [editor::EXECUTE_COMMAND, tools::REGISTER, host::SHUTDOWN];
    if restrictions.read_only && changes.contains(&method) {
        return Err(Failure::usage(format!("`{method}` makes changes, and this session is read-only"))
            .hint("Leave out --read-only, ZUBI_READ_ONLY or `read-only` in zubi.toml; `zubi stop` ends a daemon."));
    }
    if is_local && method == tools::REGISTER {
        return Err(Failure::usage("no host is running, and tools registered by this command would end with it")
            .hint("Start one with `zubi serve --detach`, and register from a program that stays connected."));
    }
    Ok(())
}

/// Adds this session's restrictions to the parameters, because a host that other processes use too does not know them.
fn add_restrictions(method: &str, params: Value, session_restrictions: &Restrictions) -> Result<Value, Failure> {
    if ![tools::LIST, tools::FIND, tools::CALL, tools::EXPLAIN].contains(&method) {
        return Ok(params);
    }
    let mut params = match params {
        Value::Null => Map::new(),
        Value::Object(params) => params,
        // Positional parameters would bypass the restrictions of this session.
        _ => return Err(Failure::usage(format!("the parameters of `{method}` must be an object"))),
    };
    let requested = match params.remove("restrictions").filter(|value| !value.is_null()) {
        None => tools::Restrictions::default(),
        Some(value) => {
            serde_json::from_value(value).map_err(|error| Failure::usage(format!("`restrictions`: {error}")))?
        }
    };
    let requested =
        Restrictions { read_only: requested.read_only, toolsets: requested.toolsets, tools: requested.tools };
    let all = session_restrictions.combine(&requested);
    let all = tools::Restrictions { read_only: all.read_only, toolsets: all.toolsets, tools: all.tools };
    params.insert("restrictions".to_owned(), json!(all));
    Ok(Value::Object(params))
}

/// Prints the result. A result that reports a failure, or that is empty, gives a negative exit code.
fn print_result(method: &str, value: &Value) -> Result<ExitCode, Failure> {
    if method == tools::READ_RESOURCE && value.as_object().is_some_and(Map::is_empty) {
        let message = "unknown resource".to_owned();
        return Err(Failure::Message { code: NEGATIVE, message, hints: Vec::new() }
            .hint("`zubi ipc resources/list` lists the resources."));
    }
    terminal::print_json(value)?;
    let is_failure = match method {
        tools::CALL => value.get("isError").and_then(Value::as_bool) == Some(true),
        tools::READ_RESOURCE => value.get("error").is_some_and(|error| !error.is_null()),
        _ => false,
    };
    Ok(if is_failure { ExitCode::from(NEGATIVE) } else { ExitCode::SUCCESS })
}

/// Returns the parameters; `-` reads them from stdin.
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
        Failure::usage(format!("the parameters are not valid JSON: {error}"))
            .hint("Pass an object: --params '{\"path\": \"src/main.py\"}'.")
    })
}

fn failure(error: &ConnectionError) -> Failure {
    let with_code = |code, message: String| Failure::Message { code, message, hints: Vec::new() };
    match error {
        ConnectionError::Response { code: codes::METHOD_NOT_FOUND, message, .. } => {
            let names: Vec<_> =
                METHODS.iter().filter(|method| method.sender == Sender::Client).map(|method| method.name).collect();
            with_code(USAGE, message.clone()).hint(format!("Valid methods: {}.", names.join(", ")))
        }
        ConnectionError::Response { code: codes::INVALID_PARAMS | codes::INVALID_REQUEST, message, .. } => {
            with_code(USAGE, message.clone())
        }
        ConnectionError::Response { code: codes::LOADING | codes::UNAUTHENTICATED, message, .. } => {
            with_code(ENVIRONMENT, message.clone())
        }
        ConnectionError::Response { message, .. } => with_code(NEGATIVE, message.clone()),
        ConnectionError::TimedOut { .. } => {
            with_code(ENVIRONMENT, error.to_string()).hint("Wait longer: --timeout SECONDS.")
        }
        _ => with_code(ENVIRONMENT, error.to_string()),
    }
}
