//! Hosts of a project from outside: the host process, its clients, and the processes below it.
//!
//! Every [`Project`] has a run directory of its own, so hosts of two tests never find each other.

use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use serde_json::Value;

use crate::agent::StderrCapture;
use crate::processes::{self, Process};
use crate::zubi::Start;
use crate::{Agent, Project};

/// The time limit of each of these steps, on a busy machine.
pub const STEP_TIMEOUT: Duration = Duration::from_secs(30);

/// The polling interval for states without an event.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Polls until `poll` returns a value.
///
/// # Panics
///
/// After the time limit; `description` names the expected state.
pub fn eventually<T>(description: &str, limit: Duration, mut poll: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = poll() {
            return found;
        }
        assert!(start.elapsed() < limit, "not within {limit:?}: {description}");
        std::thread::park_timeout(POLL_INTERVAL);
    }
}

/// A project and the programs on the PATH of all its processes.
#[derive(Debug)]
pub struct HostsProject {
    pub project: Project,
    components: &'static [&'static str],
}

impl HostsProject {
    /// Creates a trusted project; orphaned processes stay below this test.
    pub fn new(project: Project, components: &'static [&'static str]) -> Self {
        processes::adopt_orphans();
        let fixture = Self { project, components };
        fixture.trust();
        fixture
    }

    /// The Python fixture with its fastest server.
    pub fn python() -> Self {
        Self::new(Project::fixture("python"), &["ty"])
    }

    /// Trusts the project in its current state.
    pub fn trust(&self) {
        self.output(&["trust"]);
    }

    /// A `zubi` command in the project's root, with the environment that every test program gets.
    pub fn command(&self) -> Command {
        Start::new(&self.project, self.components).command()
    }

    /// A command in a folder of the project.
    pub fn command_in(&self, folder: &str) -> Command {
        let mut command = self.command();
        command.current_dir(self.project.root().join(folder));
        command
    }

    /// Runs `zubi` with these arguments, which must succeed, and returns its stdout.
    pub fn output(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "zubi {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Runs `zubi` with these arguments, without a terminal.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command().args(arguments).stdin(Stdio::null()).output().expect("zubi starts")
    }

    /// Returns the output of `zubi status --json`.
    pub fn status(&self) -> Value {
        serde_json::from_str(&self.output(&["status", "--json"])).expect("JSON")
    }

    /// Starts an agent with these flags.
    pub fn agent(&self, flags: &[&str]) -> Agent {
        Agent::spawn(self.command(), flags)
    }

    /// Starts several agents at the same time.
    pub fn agents(&self, count: usize) -> Vec<Agent> {
        (0..count).map(|_| self.agent(&[])).collect()
    }

    /// Starts a daemon with these arguments; returns as soon as it can be found.
    pub fn daemon(&self, arguments: &[&str]) -> Daemon {
        Daemon::start(self.command(), arguments)
    }

    pub fn run_directory(&self) -> Utf8PathBuf {
        self.project.home().join("state/zubi/run")
    }

    /// The discovery files of the hosts.
    pub fn files(&self) -> Vec<Utf8PathBuf> {
        let Ok(entries) = self.run_directory().read_dir_utf8() else { return Vec::new() };
        let paths = entries.flatten().map(camino::Utf8DirEntry::into_path);
        paths.filter(|path| path.extension() == Some("json")).collect()
    }

    /// The discovery records of living hosts. The file of a killed host remains until another process removes it, and
    /// no process may do so while the host is still ending.
    pub fn live_records(&self) -> Vec<Value> {
        let texts = self.files().into_iter().filter_map(|file| std::fs::read_to_string(file).ok());
        let records = texts.map(|text| serde_json::from_str(&text).expect("JSON"));
        records.filter(|host| std::fs::exists(format!("/proc/{}", pid(host))).unwrap_or_default()).collect()
    }

    /// The record of the only host, as soon as there is exactly one.
    pub fn only_host(&self) -> Value {
        eventually("there is exactly one host", STEP_TIMEOUT, || {
            let records = self.live_records();
            let [host] = records.as_slice() else { return None };
            Some(host.clone())
        })
    }
}

/// The process ID in a host's file or status.
pub fn pid(host: &Value) -> u32 {
    host["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).unwrap_or_else(|| panic!("no process: {host}"))
}

/// Living descendants of this test that run this program with these arguments, without their supervisors.
pub fn running_programs(program: &str) -> Vec<Process> {
    let mut found = processes::find_by_command(program);
    found.retain(|process| !process.command.contains("__child"));
    found
}

/// Whether a process is a descendant of another one.
pub fn is_below(process: &Process, ancestor: u32) -> bool {
    let all = processes::descendants();
    let mut at = process.parent;
    loop {
        if at.unsigned_abs() == ancestor {
            return true;
        }
        let Some(parent) = all.iter().find(|process| process.pid == at) else { return false };
        at = parent.parent;
    }
}

/// A running `zubi serve`. Ends when dropped.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
    stderr: StderrCapture,
}

impl Daemon {
    /// Starts `zubi`, as this command does, with `serve` and these arguments; returns as soon as it can be found.
    pub fn start(mut command: Command, arguments: &[&str]) -> Self {
        command.arg("serve").args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("zubi starts");
        let stderr = StderrCapture::capture(&mut child);
        eventually("the daemon serves", STEP_TIMEOUT, || stderr.text().contains("serving ").then_some(()));
        Self { child, stderr }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The stderr so far.
    pub fn stderr_text(&self) -> String {
        self.stderr.text()
    }

    /// Kills the process.
    pub fn kill(&mut self) {
        self.child.kill().expect("a child");
        self.child.wait().expect("a child");
    }

    /// Waits until the process has ended by itself; returns its exit code.
    pub fn wait_for_exit(&mut self) -> Option<i32> {
        eventually("the daemon ends", STEP_TIMEOUT, || self.child.try_wait().expect("a child")).code()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // The process may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
