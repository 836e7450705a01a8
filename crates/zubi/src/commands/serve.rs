//! `zubi serve`: a host that stays when its clients go.

use std::fs::File;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::text::ContentHash;
use zubi_base::{private, process};
use zubi_cli::failure::{Failure, INTERRUPTED, NEGATIVE};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_cli::terminal;
use zubi_host::{Daemon, DaemonConfig, DaemonError, DaemonEnd, LocalHost, split_filters};
use zubi_ipc::discovery::{DiscoveryRecord, RunDirectory};
use zubi_ipc::listener::PortChoice;
use zubi_ipc::wire::host::HostKind;

use super::SHUTDOWN;
use crate::cli::Serve;
use crate::session::{self, Session};

/// How long a daemon may take until it can be found.
const START: Duration = Duration::from_secs(20);

/// Between looks whether it can.
const LOOK: Duration = Duration::from_millis(20);

/// The largest log that is added to, in bytes; a larger one begins anew.
const LOG_BYTES: u64 = 1024 * 1024;

/// How many hexadecimal digits of a hash name the log of these folders.
const LOG_DIGITS: usize = 16;

pub(super) fn run(session: &Session, serve: &Serve) -> Result<ExitCode, Failure> {
    check_shareable(session)?;
    if serve.detach {
        return detach(session, serve);
    }
    if serve.detached {
        // The terminal that it was started from is not its own.
        process::leave_terminal().map_err(Failure::environment)?;
    }
    let mut config = session.config()?;
    config.kind = HostKind::Daemon;
    let told = config.clone();
    let limits = split_filters(&mut config.settings, true);
    let host = Arc::new(LocalHost::new(&config).map_err(Failure::usage)?);
    session::warn_unknown_names(&host, &told);
    let daemon = DaemonConfig {
        folders: session::canonical(&session.folders)?,
        run: session.run_directory(),
        environment: session.shown_environment(),
        port: port(serve),
        limits,
        idle: (serve.idle > 0).then(|| Duration::from_secs(serve.idle.saturating_mul(60))),
    };
    block_on(async {
        let stop = on_interrupt()?;
        let daemon = Daemon::open(host, daemon).await.map_err(|error| daemon_failure(&error))?;
        if let (Some(wanted), None) = (serve.port, daemon.port()) {
            daemon.end().await;
            return Err(port_taken(wanted));
        }
        let port = daemon.port().map_or_else(|| "no port".to_owned(), |port| format!("port {port}"));
        terminal::print_err(&format!("serving {} as {}, {port}", folders(session), daemon.instance()));
        let exit = tokio::select! {
            ending = daemon.wait_for_shutdown() => {
                let why = match ending {
                    DaemonEnd::Asked => "it was asked to",
                    DaemonEnd::Idle => "nobody needs it",
                };
                terminal::print_err(&format!("ending: {why}"));
                ExitCode::SUCCESS
            }
            () = stop.cancelled() => ExitCode::from(INTERRUPTED),
        };
        // Within a bound: what is still ending is ended by its supervisor.
        if tokio::time::timeout(SHUTDOWN, daemon.end()).await.is_err() {
            tracing::debug!("servers were still ending; their supervisors see to it");
        }
        Ok(exit)
    })?
}

/// A daemon is lent to others, so what this session alone is to have has no place in it.
fn check_shareable(session: &Session) -> Result<(), Failure> {
    if !session.uses_private_host()? {
        return Ok(());
    }
    Err(if session.has_session_trust() {
        Failure::usage("`--trust` holds for one session only, and a daemon answers every session")
            .hint("`zubi trust` trusts the folder for good; then `zubi serve` needs no flag.")
    } else {
        Failure::usage("a daemon is there to be shared, and `--host own` shares with nobody")
            .hint("Leave out `--host own` and ZUBI_HOST.")
    })
}

/// No other port takes the place of one that was named: who named it will look there.
fn port_taken(port: u16) -> Failure {
    Failure::environment(format!(
        "port {port} on 127.0.0.1 cannot be had: another program has it, or it needs more rights"
    ))
    .hint("Name another one, or leave --port out: then the next port that is free is taken.")
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
            let failure = Failure::Told { code: NEGATIVE, message: error.to_string(), hints: Vec::new() };
            failure.hint("`zubi status` shows it, `zubi stop` ends it.")
        }
        DaemonError::Busy => Failure::environment(error).hint("Try again; `zubi status` shows what runs."),
        DaemonError::Run { .. } => Failure::environment(error).hint(
            "Give yourself alone the right to that directory, or set XDG_RUNTIME_DIR or XDG_STATE_HOME to another.",
        ),
    }
}

/// Starts this very command in a process of its own, and returns when others can find it.
fn detach(session: &Session, serve: &Serve) -> Result<ExitCode, Failure> {
    let executable = std::env::current_exe().map_err(Failure::environment)?;
    let executable = Utf8PathBuf::from_path_buf(executable)
        .map_err(|path| Failure::environment(format!("`{}` is not UTF-8", path.display())))?;
    // Everything as it was given, but for the one flag.
    let arguments = std::env::args_os().skip(1).map(|word| if word == "--detach" { "--detached".into() } else { word });
    let log = log_file(session)?;
    let (file, begin) = open_log(session, &log)?;
    let mut child = process::detach(&executable, arguments, file).map_err(Failure::environment)?;
    let run = RunDirectory::open(session.run_directory(), false).map_err(Failure::environment)?;
    let deadline = Instant::now() + START;
    // One that does not have the port that was named is about to end.
    let pid = child.id();
    let serves = |host: &DiscoveryRecord| host.pid == pid && (serve.port.is_none() || host.port.is_some());
    loop {
        if run.read().hosts.iter().any(serves) {
            terminal::print_err(&format!("serving in process {pid}; its log is `{log}`"));
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(status) = child.try_wait().map_err(Failure::environment)? {
            return Err(exit_failure(status.code(), &log, begin));
        }
        if Instant::now() >= deadline {
            let seconds = START.as_secs();
            return Err(Failure::environment(format!("process {} cannot be found after {seconds} s", child.id()))
                .hint(format!("Its log is `{log}`; end it with `kill {}`.", child.id())));
        }
        std::thread::sleep(LOOK);
    }
}

/// Where the daemons of these folders write: those of other folders have logs of their own.
fn log_file(session: &Session) -> Result<Utf8PathBuf, Failure> {
    let folders = session::canonical(&session.folders)?;
    let named: Vec<&[u8]> = folders.iter().flat_map(|folder| [folder.as_str().as_bytes(), b"\n"]).collect();
    let digits: String = ContentHash::of_parts(&named).0.chars().take(LOG_DIGITS).collect();
    Ok(session.state_directory().join(format!("serve-{digits}.log")))
}

/// The log, and how long it is already: what another daemon has said there stays.
fn open_log(session: &Session, log: &Utf8Path) -> Result<(File, u64), Failure> {
    let open = || {
        private::create_directory(session.state_directory())?;
        let file = private::open_append(log)?;
        if file.metadata()?.len() > LOG_BYTES {
            file.set_len(0)?;
        }
        let begin = file.metadata()?.len();
        Ok((file, begin))
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

/// What the process said that has ended at once: what its log holds from `begin` on.
fn exit_failure(code: Option<i32>, log: &Utf8Path, begin: u64) -> Failure {
    let bytes = private::read(log, 2 * LOG_BYTES).unwrap_or_default();
    let new = usize::try_from(begin).ok().and_then(|begin| bytes.get(begin..)).unwrap_or_default();
    let said = String::from_utf8_lossy(new);
    let lines = said.lines().map(str::trim);
    let message = lines.clone().find_map(|line| line.strip_prefix("error: ")).unwrap_or("it has ended at once");
    let hints = lines.filter_map(|line| line.strip_prefix("hint: ")).map(str::to_owned).collect();
    let code = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(NEGATIVE);
    Failure::Told { code, message: message.to_owned(), hints }
}

fn folders(session: &Session) -> String {
    session.folders.iter().map(|folder| format!("`{folder}`")).collect::<Vec<_>>().join(", ")
}
