//! A PostgreSQL server of Debian in a folder of its own, on a Unix socket and on loopback.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use zubi_tests::Project;

/// The user and the group `nobody`, as which root runs the server: it refuses root.
const NOBODY: u32 = 65_534;

/// A running server. Any local program can be any role.
pub(super) struct PostgresCluster {
    programs: Utf8PathBuf,
    folder: Utf8PathBuf,
    port: u16,
    server: Child,
}

impl PostgresCluster {
    /// Creates and starts a server beside the project.
    pub(super) fn start(project: &Project) -> Result<Self> {
        let programs = programs()?;
        let base = project.root().parent().context("the project has a folder")?;
        let folder = base.join("postgres");
        std::fs::create_dir(&folder)?;
        if is_root()? {
            for path in [base, &folder] {
                chown(path, Some(NOBODY), Some(NOBODY))?;
            }
        }
        let data = folder.join("data");
        let arguments = ["--no-sync", "--no-locale", "--encoding=UTF8", "--auth=trust", "--username=postgres", "-D"];
        let created = command(&programs.join("initdb"), &folder)?.args(arguments).arg(&data).output()?;
        ensure!(created.status.success(), "initdb: {}", String::from_utf8_lossy(&created.stderr));
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut server = command(&programs.join("postgres"), &folder)?;
        server.args(["-D", data.as_str(), "-k", folder.as_str()]);
        for setting in ["listen_addresses=127.0.0.1", &format!("port={port}"), "shared_buffers=128MB"] {
            server.args(["-c", setting]);
        }
        let mut server = server.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().context("PostgreSQL starts")?;
        let mut log = BufReader::new(server.stderr.take().context("piped")?).lines();
        let is_ready = log.by_ref().map_while(Result::ok).any(|line| line.contains("ready to accept connections"));
        let cluster = Self { programs, folder, port, server };
        ensure!(is_ready, "PostgreSQL ends at its start");
        // Its log is read to the end, since it waits for a full pipe.
        std::thread::spawn(move || log.for_each(drop));
        Ok(cluster)
    }

    /// Returns the connection string of a role over the socket.
    pub(super) fn socket_connection(&self, role: &str) -> String {
        format!("host={} port={} user={role} dbname=postgres", self.folder, self.port)
    }

    /// Returns the connection string of a role over TCP.
    pub(super) fn tcp_connection(&self, role: &str) -> String {
        format!("host=127.0.0.1 port={} user={role} dbname=postgres", self.port)
    }

    /// Runs SQL as the administrator.
    pub(super) fn sql(&self, sql: &str) -> Result<()> {
        let connection = self.socket_connection("postgres");
        let arguments = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &connection, "-c", sql];
        let output = command(&self.programs.join("psql"), &self.folder)?.args(arguments).output()?;
        ensure!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }
}

impl Drop for PostgresCluster {
    fn drop(&mut self) {
        // `SIGINT` ends it with its processes. It may have ended already.
        Command::new("kill").args(["-INT", &self.server.id().to_string()]).status().ok();
        self.server.wait().ok();
    }
}

/// A program as another user than root, which ends with the benchmark.
fn command(program: &Utf8Path, folder: &Utf8Path) -> Result<Command> {
    let mut command = Command::new("/usr/bin/setpriv");
    command.args(["--pdeathsig", "INT"]).current_dir(folder);
    if is_root()? {
        let id = NOBODY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
    }
    command.arg(program).stdout(Stdio::null());
    Ok(command)
}

fn is_root() -> Result<bool> {
    Ok(std::fs::metadata("/proc/self")?.uid() == 0)
}

/// Returns the folder of Debian's programs of the newest version.
fn programs() -> Result<Utf8PathBuf> {
    let versions = Utf8Path::new("/usr/lib/postgresql").read_dir_utf8().context("PostgreSQL is not installed")?;
    let programs = versions.filter_map(Result::ok).map(|version| version.path().join("bin"));
    let number = |bin: &Utf8PathBuf| bin.parent().and_then(|folder| folder.file_name()?.parse::<u32>().ok());
    programs.filter(|bin| bin.join("initdb").is_file()).max_by_key(number).context("PostgreSQL is not installed")
}
