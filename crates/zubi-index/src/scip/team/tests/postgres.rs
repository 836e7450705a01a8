//! A PostgreSQL server for a test: Debian's programs, a data directory of its own, and a Unix socket.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::process::{Pid, Signal};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;
use zubi_base::process::{Child, CommandSpec, Spawner};

/// The time limit of every wait.
const TIMEOUT: Duration = Duration::from_secs(50);

/// The user and the group `nobody`, as which a test of root runs the server: it refuses root.
const NOBODY: u32 = 65_534;

/// A running server. Any program that reaches its socket can be any role.
pub(crate) struct PostgresServer {
    programs: Utf8PathBuf,
    /// The folder of its data and its socket, which belongs to its user.
    pub(crate) folder: Utf8PathBuf,
    /// The settings, which the server reads at its start.
    pub(crate) settings: Vec<String>,
    server: Child,
    log: Lines<BufReader<ChildStderr>>,
    _directory: TempDir,
}

/// A connection of `psql`, whose transaction stays open between two calls.
pub(crate) struct PsqlSession {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl PostgresServer {
    /// Creates and starts a server.
    pub(crate) async fn start() -> Self {
        let programs = programs();
        let directory = tempfile::Builder::new().prefix("pg").tempdir().unwrap();
        let folder = Utf8Path::from_path(directory.path()).unwrap().canonicalize_utf8().unwrap();
        if rustix::process::getuid().is_root() {
            std::os::unix::fs::chown(&folder, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let arguments = ["--no-sync", "--no-locale", "--encoding=UTF8", "--auth=trust", "--username=postgres", "-D"];
        run(&programs.join("initdb"), &folder, &[&arguments[..], &[folder.join("data").as_str()]].concat()).await;
        let settings = [
            "listen_addresses=",
            "fsync=off",
            "shared_buffers=128MB",
            // A wait for a lock is in the log, so that a test can wait for it.
            "log_lock_waits=on",
            "deadlock_timeout=20ms",
        ];
        let settings = settings.map(str::to_owned).to_vec();
        let (server, log) = start(&programs, &folder, &settings).await;
        Self { programs, folder, settings, server, log, _directory: directory }
    }

    /// Returns the connection string of a role.
    pub(crate) fn connection(&self, role: &str) -> String {
        format!("host={} user={role} dbname=postgres", self.folder)
    }

    /// Ends the server as an administrator does: connections end at once.
    pub(crate) async fn stop(&mut self) {
        let pid = Pid::from_raw(i32::try_from(self.server.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, Signal::INT).unwrap();
        timeout(TIMEOUT, self.server.wait()).await.unwrap().unwrap();
    }

    /// Starts the server again with its data.
    pub(crate) async fn start_again(&mut self) {
        (self.server, self.log) = start(&self.programs, &self.folder, &self.settings).await;
    }

    /// Waits for a line of the server's log.
    pub(crate) async fn wait_for_log(&mut self, text: &str) {
        wait_for(&mut self.log, text).await;
    }

    /// Runs SQL as a role. Returns the rows, with `|` between columns, or the error.
    pub(crate) async fn sql(&self, role: &str, sql: &str) -> Result<String, String> {
        let arguments = ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d"];
        let connection = self.connection(role);
        let arguments = arguments.into_iter().chain([connection.as_str(), "-c", sql]);
        let spec = command(&self.programs.join("psql"), &self.folder, arguments);
        let output = Spawner::direct().output(&spec, 1 << 20, TIMEOUT).await.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().trim().to_owned();
        if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
    }

    /// Runs SQL as the administrator.
    pub(crate) async fn admin(&self, sql: &str) -> String {
        self.sql("postgres", sql).await.unwrap()
    }

    /// Opens a connection that can hold locks.
    pub(crate) fn session(&self, role: &str) -> PsqlSession {
        let connection = self.connection(role);
        let arguments = ["-X", "-A", "-t", "-q", "-d", connection.as_str()];
        let mut child =
            Spawner::direct().spawn(&command(&self.programs.join("psql"), &self.folder, arguments)).unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        PsqlSession { _child: child, input, output: BufReader::new(output).lines() }
    }
}

impl PsqlSession {
    /// Runs SQL and waits until it is done.
    pub(crate) async fn run(&mut self, sql: &str) {
        self.input.write_all([sql, ";\n\\echo done\n"].concat().as_bytes()).await.unwrap();
        wait_for(&mut self.output, "done").await;
    }
}

async fn start(programs: &Utf8Path, folder: &Utf8Path, settings: &[String]) -> (Child, Lines<BufReader<ChildStderr>>) {
    let data = folder.join("data");
    let arguments = ["-D", data.as_str(), "-k", folder.as_str()];
    let arguments = arguments.into_iter().chain(settings.iter().flat_map(|setting| ["-c", setting.as_str()]));
    let mut server = Spawner::direct().spawn(&command(&programs.join("postgres"), folder, arguments)).unwrap();
    let mut log = BufReader::new(server.stderr.take().unwrap()).lines();
    wait_for(&mut log, "ready to accept connections").await;
    (server, log)
}

async fn wait_for(lines: &mut Lines<impl tokio::io::AsyncBufRead + Unpin>, text: &str) {
    let mut seen = String::new();
    let waiting = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains(text) {
                return true;
            }
            seen.extend([&line, "\n"]);
        }
        false
    };
    let found = timeout(TIMEOUT, waiting).await.unwrap_or_default();
    assert!(found, "`{text}` is not in:\n{seen}");
}

/// Runs a program as the server's user to its end.
pub(crate) async fn run(program: &Utf8Path, folder: &Utf8Path, arguments: &[&str]) -> String {
    let spec = command(program, folder, arguments.iter().copied());
    let output = Spawner::direct().output(&spec, 1 << 20, TIMEOUT).await.unwrap();
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A program as another user than root, which ends when the test's thread ends.
fn command<'a>(program: &Utf8Path, folder: &Utf8Path, arguments: impl IntoIterator<Item = &'a str>) -> CommandSpec {
    let spec = CommandSpec::new("/usr/bin/setpriv", folder).args(["--pdeathsig", "INT"]);
    let spec = if rustix::process::getuid().is_root() {
        let id = NOBODY.to_string();
        spec.args(["--reuid", &id, "--regid", &id, "--clear-groups"])
    } else {
        spec
    };
    spec.args([program.as_str()]).args(arguments)
}

/// Returns the folder of Debian's programs of the newest version.
fn programs() -> Utf8PathBuf {
    let versions = Utf8Path::new("/usr/lib/postgresql").read_dir_utf8().into_iter().flatten().filter_map(Result::ok);
    let programs = versions.map(|version| version.path().join("bin")).filter(|bin| bin.join("initdb").is_file());
    let number = |bin: &Utf8PathBuf| bin.parent().and_then(|folder| folder.file_name()?.parse::<u32>().ok());
    programs.max_by_key(number).expect("PostgreSQL is missing; `cargo xtask setup --only postgresql` installs it")
}
