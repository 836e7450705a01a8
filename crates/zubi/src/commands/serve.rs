//! `zubi serve`: a host that continues to run without clients.

use std::fs::File;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::text::{ContentHash, quote_all};
use zubi_base::{owner_only, process};
use zubi_cli::failure::{Failure, INTERRUPTED, NEGATIVE};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal;
use zubi_host::{Daemon, DaemonConfig, DaemonEnd, DaemonError, LocalHost, split_filters};
use zubi_ipc::discovery::{DiscoveryRecord, RunDirectory};
use zubi_ipc::listener::PortChoice;
use zubi_ipc::wire::host::HostKind;

use super::end::SHUTDOWN;
use crate::cli::Serve;
use crate::session::{self, CliSession};

/// Time-out for a detached daemon to accept connections.
const START: Duration = Duration::from_secs(20);

/// The interval between checks for that.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The size in bytes above which a daemon starts the log again instead of appending to it.
const LOG_BYTES: u64 = 1024 * 1024;

/// The number of hexadecimal digits of the hash that names the log of these folders.
const LOG_DIGITS: usize = 16;

pub(super) fn run(session: &CliSession, serve: &Serve) -> Result<ExitCode, Failure> {
    check_shareable(session)?;
    if serve.detach {
        return detach(session, serve);
    }
    if serve.detached {
        // The daemon must not depend on the terminal that started it.
        process::leave_terminal().map_err(Failure::environment)?;
    }
    let mut config = session.config()?;
    config.kind = HostKind::Daemon;
    let unfiltered_config = config.clone();
    let client_policy = split_filters(&mut config.settings, true);
    let host = Arc::new(LocalHost::new(&config).map_err(Failure::usage)?);
    session::check_names(&host, &unfiltered_config)?;
    let daemon = DaemonConfig {
        folders: session::canonical(&session.folders)?,
        run: session.run_directory(),
        environment: session.wire_environment(),
        port: port(serve),
        client_policy,
        idle: (serve.idle > 0).then(|| Duration::from_secs(serve.idle.saturating_mul(60))),
    };
    block_on(async {
        let stop = on_interrupt()?;
        let daemon = Daemon::open(host, daemon).await.map_err(|error| daemon_failure(&error))?;
        if let (Some(requested_port), None) = (serve.port, daemon.port()) {
            daemon.end().await;
            return Err(port_taken(requested_port));
        }
        let port = daemon.port().map_or_else(|| "no port".to_owned(), |port| format!("port {port}"));
        terminal::print_err(&format!("serving {} as {}, {port}", folders(session), daemon.instance()));
        let exit = tokio::select! {
            ending = daemon.wait_for_shutdown() => {
                let reason = match ending {
                    DaemonEnd::Requested => "shutdown was requested",
                    DaemonEnd::Idle => "no client needs it",
                };
                terminal::print_err(&format!("ending: {reason}"));
                ExitCode::SUCCESS
            }
            () = stop.cancelled() => ExitCode::from(INTERRUPTED),
        };
        // The wait is bounded: supervisors kill the servers that are still running.
        if tokio::time::timeout(SHUTDOWN, daemon.end()).await.is_err() {
            tracing::debug!("servers were still running; their supervisors kill them");
        }
        Ok(exit)
    })?
}

/// Checks that no setting of this session alone would apply to a daemon, which is shared with other processes.
fn check_shareable(session: &CliSession) -> Result<(), Failure> {
    if !session.uses_private_host()? {
        return Ok(());
    }
    Err(if session.has_session_trust() {
        Failure::usage("`--trust` applies to one session only, but a daemon serves every session")
            .hint("`zubi trust` trusts the folder permanently; then `zubi serve` needs no flag.")
    } else {
        Failure::usage("a daemon shares its host, which `--host own` forbids")
            .hint("Remove `--host own` and ZUBI_HOST.")
    })
}

/// Returns the failure for a port that is in use. A named port is never replaced by another one, because clients expect
/// the daemon there.
fn port_taken(port: u16) -> Failure {
    Failure::environment(format!(
        "port {port} on 127.0.0.1 is not available: another program uses it, or it requires more privileges"
    ))
    .hint("Choose another port, or omit --port to use the next free one.")
}

fn port(serve: &Serve) -> PortChoice {
    match serve.port {
        _ if serve.no_port => PortChoice::None,
        Some(port) => PortChoice::Fixed(port),
        None => PortChoice::Default,
    }
}

fn daemon_failure(error: &DaemonError) -> Failure {
    match error {
        DaemonError::Exists { .. } => {
            let failure = Failure::Message { code: NEGATIVE, message: error.to_string(), hints: Vec::new() };
            failure.hint("`zubi status` shows it, `zubi stop` stops it.")
        }
        DaemonError::Busy => Failure::environment(error).hint("Try again; `zubi status` lists the running hosts."),
        DaemonError::Run { .. } => Failure::environment(error).hint(
            "Make that directory accessible only to you, or set XDG_RUNTIME_DIR or XDG_STATE_HOME to another one.",
        ),
    }
}

/// Starts this command again in a separate process, and returns when that accepts connections.
fn detach(session: &CliSession, serve: &Serve) -> Result<ExitCode, Failure> {
    let executable = std::env::current_exe().map_err(Failure::environment)?;
    let executable = Utf8PathBuf::from_path_buf(executable)
        .map_err(|path| Failure::environment(format!("`{}` is not UTF-8", path.display())))?;
    // The same arguments, except for `--detach`.
    let arguments = std::env::args_os().skip(1).map(|word| if word == "--detach" { "--detached".into() } else { word });
    let log = log_file(session)?;
    let (file, log_start) = open_log(session, &log)?;
    let mut child = process::detach(&executable, arguments, file).map_err(Failure::environment)?;
    let run = RunDirectory::open(session.run_directory(), false).map_err(Failure::environment)?;
    let deadline = Instant::now() + START;
    // A daemon without the named port is about to end.
    let pid = child.id();
    let serves = |host: &DiscoveryRecord| host.pid == pid && (serve.port.is_none() || host.port.is_some());
    loop {
        if run.read().hosts.iter().any(serves) {
            terminal::print_err(&format!("serving in process {pid}; its log is `{log}`"));
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(status) = child.try_wait().map_err(Failure::environment)? {
            return Err(exit_failure(status.code(), &log, log_start));
        }
        if Instant::now() >= deadline {
            let seconds = START.as_secs();
            return Err(Failure::environment(format!(
                "process {} does not accept connections after {seconds} s",
                child.id()
            ))
            .hint(format!("Its log is `{log}`; end it with `kill {}`.", child.id())));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Returns the log file of the daemons of these folders; daemons of other folders have separate logs.
fn log_file(session: &CliSession) -> Result<Utf8PathBuf, Failure> {
    let folders = session::canonical(&session.folders)?;
    let named: Vec<&[u8]> = folders.iter().flat_map(|folder| [folder.as_str().as_bytes(), b"\n"]).collect();
    let digits: String = ContentHash::from_parts(&named).0.chars().take(LOG_DIGITS).collect();
    Ok(session.state_directory().join(format!("serve-{digits}.log")))
}

/// Opens the log for appending and returns its length, since it may have output of earlier daemons.
fn open_log(session: &CliSession, log: &Utf8Path) -> Result<(File, u64), Failure> {
    let open = || {
        owner_only::create_directory(session.state_directory())?;
        let file = owner_only::open_append(log)?;
        if file.metadata()?.len() > LOG_BYTES {
            file.set_len(0)?;
        }
        let log_start = file.metadata()?.len();
        Ok((file, log_start))
    };
    open().map_err(|error: io::Error| {
        let hint = if log.is_symlink() {
            "It is a link, and is not written through; remove it."
        } else {
            "Give yourself alone the right to that directory, or set XDG_STATE_HOME to another."
        };
        Failure::environment(format!("`{log}` cannot be written: {error}")).hint(hint)
    })
}

/// Returns the failure of a process that exited at once, with the text that its log has from byte `log_start` on.
fn exit_failure(code: Option<i32>, log: &Utf8Path, log_start: u64) -> Failure {
    let bytes = owner_only::read(log, 2 * LOG_BYTES).unwrap_or_default();
    let new = usize::try_from(log_start).ok().and_then(|log_start| bytes.get(log_start..)).unwrap_or_default();
    let log_text = String::from_utf8_lossy(new);
    let lines = log_text.lines().map(str::trim);
    let message = lines.clone().find_map(|line| line.strip_prefix("error: ")).unwrap_or("it exited at once");
    let hints = lines.filter_map(|line| line.strip_prefix("hint: ")).map(str::to_owned).collect();
    let code = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(NEGATIVE);
    Failure::Message { code, message: message.to_owned(), hints }
}

fn folders(session: &CliSession) -> String {
    quote_all(&session.folders)
}
