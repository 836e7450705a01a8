//! The example clients of the IPC port, in Python and in TypeScript: their own tests, and their results with a real
//! host.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Output, Stdio};

use camino::Utf8PathBuf;
use serde_json::Value;
use zubi_tests::zubi::{Start, environment};
use zubi_tests::{Project, tools};

const COMPONENTS: &[&str] = &["node", "ty"];

fn example(file: &str) -> Utf8PathBuf {
    tools::ROOT.join("examples/ipc").join(file)
}

fn node() -> Utf8PathBuf {
    tools::program("node", "node")
}

/// A program in the project's folder, with the environment that every test program gets.
#[expect(clippy::disallowed_methods, reason = "the clients under test are programs")]
fn command(project: &Project, program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(project.root()).env_clear().envs(environment(project, COMPONENTS));
    command
}

/// Returns the output of both streams, and the exit code.
fn output_and_code(output: &Output) -> (String, Option<i32>) {
    let text = [output.stdout.as_slice(), &output.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), output.status.code())
}

#[test]
fn the_python_client_passes_its_own_tests() {
    let mut tests = command(&Project::empty(), tools::python());
    // `-B` prevents compiled files among the sources.
    let output = tests.args(["-B", "-m", "unittest"]).current_dir(example("python")).output().expect("Python starts");
    let (text, code) = output_and_code(&output);
    assert!(code == Some(0) && text.contains("\nOK\n") && !text.contains("\nRan 0 tests"), "{code:?}\n{text}");
}

#[test]
fn the_typescript_client_passes_its_own_tests() {
    let mut tests = command(&Project::empty(), node().as_str());
    let arguments = ["--test", "--test-reporter=tap"];
    let output = tests.args(arguments).current_dir(example("typescript")).output().expect("Node starts");
    let (text, code) = output_and_code(&output);
    // A Node that cannot run TypeScript finds no tests and exits successfully.
    assert!(code == Some(0) && text.contains("\n# fail 0") && !text.contains("\n# pass 0"), "{code:?}\n{text}");
}

/// A daemon of the project; ends when dropped.
struct Daemon(Child);

impl Daemon {
    fn start(project: &Project) -> Self {
        let mut zubi = Start::new(project, COMPONENTS).command();
        let mut child = zubi.arg("serve").stderr(Stdio::piped()).spawn().expect("zubi starts");
        let stderr = child.stderr.take().expect("piped");
        let mut daemon = Self(child);
        let serving_line = BufReader::new(stderr).lines().map_while(Result::ok).find(|line| line.contains("serving "));
        assert!(serving_line.is_some(), "zubi serve ended: {:?}", daemon.0.wait());
        daemon
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // The daemon may have ended already.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn both_clients_print_the_diagnostics_of_a_host() {
    let project = Project::empty();
    project.write("shop/desk.py", "x: int = undefined_naïve\n");
    let run_clients = |arguments: &[&str]| {
        let python =
            command(&project, tools::python()).arg("-B").arg(example("python/problems.py")).args(arguments).output();
        let node = command(&project, node().as_str()).arg(example("typescript/problems.ts")).args(arguments).output();
        let [python, node] = [python, node].map(|output| output_and_code(&output.expect("the client starts")));
        assert_eq!(python, node);
        python
    };

    let (text, code) = run_clients(&[]);
    assert!(text.contains("No zubi host serves") && code == Some(3), "{code:?} {text}");

    let daemon = Daemon::start(&project);
    let host_line = format!("using the daemon host, process {}\n", daemon.0.id());
    let diagnostic = "shop/desk.py:1:10 error: Name `undefined_naïve` used when not defined (ty)\n";
    assert_eq!(run_clients(&["shop/desk.py"]), (format!("{diagnostic}{host_line}"), Some(1)));
    assert_eq!(run_clients(&[]), (format!("{diagnostic}{host_line}"), Some(1)));
    let (text, code) = run_clients(&["/etc/hostname"]);
    assert!(text.contains("is not in this workspace") && code == Some(3), "{code:?} {text}");
}

/// Sends requests over the port and prints the responses as JSON; the argument is the port.
const OVER_PORT: &str = "
import json, sys
from zubi_ipc import IpcError, VSCodeIPCClient
with VSCodeIPCClient(port=int(sys.argv[1]), timeout=60.0) as client:
    def code(ask):
        try:
            ask()
        except IpcError as error:
            return error.code
    print(json.dumps([
        client.ping()['status'],
        code(lambda: client.get_diagnostics('/etc/hostname')),
        code(lambda: client.get_all_diagnostics(severity='bad')),
        code(lambda: client.execute_command('no.such.command')),
        code(lambda: client.call('no/such/method')),
        code(lambda: client.call('host/shutdown')),
    ]))
";

#[test]
fn a_port_client_authenticates_and_reads() {
    let project = Project::empty();
    let _daemon = Daemon::start(&project);
    let run = project.home().join("state/zubi/run");
    let files = run.read_dir_utf8().expect("the daemon has a directory").flatten();
    let file = files.map(camino::Utf8DirEntry::into_path).find(|path| path.extension() == Some("json"));
    let text = std::fs::read_to_string(file.expect("the daemon has a file")).expect("readable");
    let record: Value = serde_json::from_str(&text).expect("JSON");
    let port = record["port"].to_string();
    let mut python = command(&project, tools::python());
    python.env("PYTHONPATH", example("python")).args(["-B", "-c", OVER_PORT, &port]);
    let output = python.output().expect("Python starts");
    assert_eq!(output_and_code(&output), ("[\"ok\", -32001, -32602, -32002, -32601, -32000]\n".to_owned(), Some(0)));
}
