//! Faults of the machine: ports in use, files of killed hosts, read-only directories, and several hosts that start at
//! once.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixListener;
use std::process::{Child, Command, Output, Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::hosts::{Daemon, HostsProject, STEP_TIMEOUT, eventually, pid};
use zubi_tests::{Agent, Project, processes, tools};

use crate::raw::{OTHER_UID, as_other, port_of};
use crate::security::{INSTANCE, advertisement, base, set_mode, started_at};

/// The ports that hosts try in order.
const NUMBERED: std::ops::RangeInclusive<u16> = 9847..=9857;

fn hosts_project() -> HostsProject {
    HostsProject::new(Project::empty(), &[])
}

/// Occupies those of these ports that are free; hosts of concurrent tests use others.
fn occupy_ports(ports: impl Iterator<Item = u16>) -> Vec<TcpListener> {
    ports.filter_map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()).collect()
}

fn numbers(listeners: &[TcpListener]) -> Vec<u16> {
    listeners.iter().map(|listener| listener.local_addr().expect("a port").port()).collect()
}

#[test]
fn a_host_uses_the_next_free_port() {
    let fixture = hosts_project();
    // A host of a concurrent test may use the port and free it meanwhile.
    let first = eventually(
        "the first port is free: an editor or a `zubi serve` beside the tests must not use it",
        STEP_TIMEOUT,
        || Some(occupy_ports(std::iter::once(*NUMBERED.start()))).filter(|listeners| !listeners.is_empty()),
    );
    let daemon = fixture.daemon(&[]);
    let port = port_of(&fixture.only_host());
    assert!(port != *NUMBERED.start() && !numbers(&first).contains(&port), "{port}");
    assert!(daemon.stderr_text().contains(&format!("port {port}")), "{}", daemon.stderr_text());
    drop(daemon);

    let busy_ports = occupy_ports(NUMBERED);
    let daemon = fixture.daemon(&[]);
    let port = eventually("the new daemon is found", STEP_TIMEOUT, || {
        let host = fixture.live_records().into_iter().find(|host| pid(host) == daemon.pid())?;
        Some(port_of(&host))
    });
    assert!(!numbers(&busy_ports).contains(&port) && port > 1023, "{port}");
    drop(daemon);

    // zubi does not replace a port from the settings, because clients look for the host there.
    let listeners = occupy_ports(std::iter::once(0));
    let port = numbers(&listeners)[0].to_string();
    let outputs: Vec<String> = [&["serve", "--port", &port][..], &["serve", "--detach", "--port", &port]]
        .into_iter()
        .map(|arguments| {
            let output = fixture.run(arguments);
            assert_eq!(output.status.code(), Some(3));
            String::from_utf8_lossy(&output.stderr).replace(&port, "[port]")
        })
        .collect();
    assert_eq!(outputs[0], outputs[1], "a detached daemon prints the same error");
    assert_snapshot!(outputs[0], @"
    error: port [port] on 127.0.0.1 is not available: another program uses it, or it requires more privileges
    hint: Choose another port, or omit --port to use the next free one.
    ");
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}

#[test]
fn files_of_a_killed_host_are_removed_by_the_next_reader() {
    let fixture = hosts_project();
    let mut daemon = fixture.daemon(&[]);
    let run = fixture.run_directory();
    let remaining_files = || {
        let paths = run.read_dir_utf8().expect("a directory").flatten().map(camino::Utf8DirEntry::into_path);
        let mut names: Vec<Utf8PathBuf> = paths.filter(|path| path.extension() != Some("lock")).collect();
        names.sort();
        names
    };
    daemon.kill();
    assert_eq!(remaining_files().len(), 2, "its file and its socket: {:?}", remaining_files());
    let status = fixture.status();
    assert_eq!(
        (&status["hosts"], &status["unreachable"], &status["disbelieved"]),
        (&json!([]), &json!([]), &json!([]))
    );
    assert!(remaining_files().is_empty(), "{:?}", remaining_files());
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}

#[test]
fn a_reused_process_id_is_not_the_host() {
    let fixture = hosts_project();
    let run = fixture.run_directory();
    // The process is this test's, with another start time. The path of its socket is arbitrary.
    let socket = run.join(INSTANCE).with_extension("sock");
    let outside_socket = base(&fixture).join("other.sock");
    let listener = |path: &Utf8Path| UnixListener::bind(path).expect("a socket");
    let cases = [
        ("its own", socket, false),
        ("one elsewhere", outside_socket.clone(), true),
        ("one elsewhere, through the directory", run.join("../../../../other.sock"), true),
        ("another's", run.join("bbbbbbbbbbbbbbbb.sock"), true),
    ];
    fixture.daemon(&[]).kill();
    fixture.status();
    for (what, recorded_socket, is_preserved) in cases {
        let socket_path = if recorded_socket.starts_with(&run) && !recorded_socket.as_str().contains("..") {
            recorded_socket.clone()
        } else {
            outside_socket.clone()
        };
        let _socket = listener(&socket_path);
        let mut host = advertisement(&fixture, INSTANCE);
        host["startedAt"] = json!(started_at(std::process::id()) + 1);
        host["socket"] = json!(recorded_socket);
        write_own(&run.join(INSTANCE).with_extension("json"), host.to_string().as_bytes());
        let status = fixture.status();
        let listed = (&status["hosts"], &status["unreachable"], &status["disbelieved"]);
        assert_eq!(listed, (&json!([]), &json!([]), &json!([])), "{what}");
        assert_eq!((fixture.files().len(), socket_path.exists()), (0, is_preserved), "{what}");
        if is_preserved {
            std::fs::remove_file(&socket_path).expect("a socket");
        }
    }
}

/// Writes a file with the permissions of a host's file.
fn write_own(file: &Utf8Path, content: &[u8]) {
    std::fs::write(file, content).expect("the run directory is there");
    set_mode(file, 0o600);
}

/// Possible contents of a discovery file.
fn contents(fixture: &HostsProject) -> Vec<(&'static str, Vec<u8>)> {
    let with = |field: &str, value: serde_json::Value| {
        let mut host = advertisement(fixture, INSTANCE);
        host[field] = value;
        host.to_string().into_bytes()
    };
    vec![
        ("nothing", Vec::new()),
        ("no JSON", b"\xff\xfe\0garbage".to_vec()),
        ("an array", b"[1]".to_vec()),
        ("half a file", advertisement(fixture, INSTANCE).to_string().into_bytes()[..100].to_vec()),
        ("a huge file", vec![b' '; 1 << 20]),
        ("deep brackets", "{\"a\":".repeat(5_000).into_bytes()),
        ("another version", with("version", json!(2))),
        ("another name", with("instance", json!("bbbbbbbbbbbbbbbb"))),
        ("a path for a name", with("instance", json!("../../aaaaaaaaaa"))),
        ("a number out of bounds", with("pid", json!(-1))),
        ("no token", with("token", json!(""))),
        ("a socket that is a file", with("socket", json!(fixture.project.home().join("config")))),
        ("no socket", with("socket", json!(null))),
    ]
}

#[test]
fn a_forged_host_file_is_reported_and_does_no_harm() {
    let fixture = hosts_project();
    let daemon = fixture.daemon(&[]);
    let file = fixture.run_directory().join(INSTANCE).with_extension("json");
    let mut report = String::new();
    for (what, content) in contents(&fixture) {
        write_own(&file, &content);
        let status = fixture.status();
        assert_eq!(status["hosts"][0]["pid"], daemon.pid(), "{what}: the running host is not found");
        let why = [&status["disbelieved"][0]["why"], &status["unreachable"][0]["why"]];
        let why = why.into_iter().find_map(|why| why.as_str()).unwrap_or("no reason is given");
        let why = why.replace(base(&fixture).as_str(), "[base]").replace(env!("CARGO_PKG_VERSION"), "[version]");
        writeln!(report, "{what}: {why}").expect("a text");
    }
    assert_snapshot!(report, @"
    nothing: it is not a JSON object; remove it
    no JSON: it is not a JSON object; remove it
    an array: it is not a JSON object; remove it
    half a file: it is not a valid discovery file (EOF while parsing a string at line 1 column 100); remove it
    a huge file: it has more than 65536 bytes; remove it
    deep brackets: it is not a valid discovery file (EOF while parsing a value at line 1 column 25000); remove it
    another version: it speaks version 2 of the protocol (zubi 0), this is zubi [version] with version 1
    another name: it is not named after the host in it; remove it
    a path for a name: it is not named after the host in it; remove it
    a number out of bounds: it is not a valid discovery file (invalid value: integer `-1`, expected u32 at line 1 column 51); remove it
    no token: its token is not 64 hexadecimal digits; remove it
    a socket that is a file: cannot connect to `[base]/home/config`: No such file or directory (os error 2)
    no socket: the host has no socket
    ");

    // The number of invalid files does not matter.
    std::fs::remove_file(&file).expect("a file");
    for number in 0..300 {
        write_own(&fixture.run_directory().join(format!("{number:016}.json")), b"x");
    }
    let status = fixture.status();
    let rejected = status["disbelieved"].as_array().expect("a list");
    assert!(rejected.len() <= 257, "{}", rejected.len());
    assert!(fixture.agent(&[]).tools().contains(&"lsp_definition".to_owned()));
}

/// The project, its home and the program, owned by the other user.
struct OtherUserFixture {
    fixture: HostsProject,
    program: Utf8PathBuf,
}

impl OtherUserFixture {
    fn new() -> Self {
        let fixture = hosts_project();
        let program = base(&fixture).join("zubi");
        std::fs::copy(tools::zubi(), &program).expect("a copy");
        set_mode(&program, 0o755);
        let other_user = Self { fixture, program };
        other_user.change_owner();
        other_user
    }

    /// Gives the other user everything except the program.
    fn change_owner(&self) {
        set_mode(base(&self.fixture), 0o755);
        let folders = [self.fixture.project.root(), self.fixture.project.home()];
        let script = format!("chown -R {OTHER_UID}:{OTHER_UID} \"$@\"");
        let status = Command::new("/bin/sh").args(["-c", &script, "sh"]).args(folders).status();
        assert!(status.expect("a shell").success());
    }

    fn command(&self) -> Command {
        as_other(&self.fixture.command(), &self.program)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command().args(arguments).stdin(Stdio::null()).output().expect("setpriv is part of util-linux")
    }

    fn render_output(&self, output: &Output) -> String {
        let text = [output.stdout.as_slice(), &output.stderr].concat();
        let text = String::from_utf8_lossy(&text).replace(base(&self.fixture).as_str(), "[base]");
        format!("exit {}\n{}", output.status.code().unwrap_or(-1), text.trim_end())
    }
}

#[test]
fn an_unreadable_file_is_reported() {
    let other_user = OtherUserFixture::new();
    let daemon = Daemon::start(other_user.command(), &[]);
    let file = other_user.fixture.run_directory().join(INSTANCE).with_extension("json");
    std::fs::write(&file, "{}").expect("root may");
    std::os::unix::fs::chown(&file, Some(OTHER_UID), Some(OTHER_UID)).expect("root may");
    set_mode(&file, 0o000);
    let output = other_user.render_output(&other_user.run(&["status"]));
    assert_snapshot!(output.replace(&daemon.pid().to_string(), "[pid]").lines().last().expect("lines"), @"warning: ignoring `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json`: Permission denied (os error 13); remove it");
}

#[test]
fn a_read_only_state_directory_disables_sharing() {
    let other_user = OtherUserFixture::new();
    let state = other_user.fixture.project.home().join("state");
    std::fs::remove_dir_all(&state).expect("a directory");
    std::fs::create_dir(&state).expect("a directory");
    set_mode(&state, 0o555);

    let mut agent = Agent::spawn(other_user.command(), &[]);
    assert!(agent.tools().contains(&"lsp_definition".to_owned()));
    let stderr = eventually("the warning is printed", STEP_TIMEOUT, || {
        Some(agent.stderr_text()).filter(|stderr| stderr.contains('\n'))
    });
    assert_snapshot!(stderr.replace(base(&other_user.fixture).as_str(), "[base]").trim_end(), @"warning: this process does not share its language servers: `[base]/home/state/zubi/run` cannot be used: Permission denied (os error 13)");
    assert!(agent.close().success());
    assert_snapshot!(other_user.render_output(&other_user.run(&["serve"])), @"
    exit 3
    error: `[base]/home/state/zubi/run` cannot be used: Permission denied (os error 13)
    hint: Make that directory accessible only to you, or set XDG_RUNTIME_DIR or XDG_STATE_HOME to another one.
    ");
    assert_snapshot!(without_hash(&other_user.render_output(&other_user.run(&["serve", "--detach"]))), @"
    exit 3
    error: `[base]/home/state/zubi/serve-[hash].log` cannot be written: Permission denied (os error 13)
    hint: Give yourself alone the right to that directory, or set XDG_STATE_HOME to another.
    ");
    assert_snapshot!(other_user.render_output(&other_user.run(&["status"])), @"
    exit 0
    no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one
    ");
    assert_eq!(state.read_dir_utf8().expect("a directory").count(), 0);
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}

/// The name of a log without the hash of the folders.
fn without_hash(text: &str) -> String {
    match text.split_once("/serve-").and_then(|(before, rest)| Some((before, rest.split_once(".log")?.1))) {
        Some((before, after)) => format!("{before}/serve-[hash].log{after}"),
        None => text.to_owned(),
    }
}

/// A `zubi serve` that may fail to start. Ends when dropped.
struct ServeProcess(Option<Child>);

impl ServeProcess {
    fn serve(fixture: &HostsProject) -> Self {
        let mut command = fixture.command();
        command.arg("serve").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        Self(Some(command.spawn().expect("zubi starts")))
    }

    fn child(&self) -> &Child {
        self.0.as_ref().expect("not yet asked for its output")
    }

    fn child_mut(&mut self) -> &mut Child {
        self.0.as_mut().expect("not yet asked for its output")
    }

    /// Waits until the process has ended.
    fn output(mut self) -> Output {
        self.0.take().and_then(|child| child.wait_with_output().ok()).expect("a child")
    }
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            // The process may have ended already.
            child.kill().ok();
            child.wait().ok();
        }
    }
}

#[test]
fn only_one_of_six_concurrent_daemons_serves() {
    let fixture = hosts_project();
    let mut processes: Vec<ServeProcess> = (0..6).map(|_| ServeProcess::serve(&fixture)).collect();
    let serving_pid = pid(&fixture.only_host());
    let index = processes.iter().position(|process| process.child().id() == serving_pid).expect("one of them");
    let mut daemon = processes.swap_remove(index);
    let render = |output: &Output| {
        let stderr = String::from_utf8_lossy(&output.stderr).replace(&serving_pid.to_string(), "[pid]");
        format!("exit {}\n{stderr}", output.status.code().unwrap_or(-1))
    };
    let mut outputs: Vec<String> = processes.into_iter().map(|process| render(&process.output())).collect();
    assert_eq!(daemon.child_mut().try_wait().expect("a child"), None);
    assert_eq!(pid(&fixture.status()["hosts"][0]), serving_pid);
    // Later commands print the same, even with `--detach`.
    outputs.extend([&["serve"][..], &["serve", "--detach"]].map(|arguments| render(&fixture.run(arguments))));
    assert_eq!(outputs.len(), 7);
    outputs.dedup();
    assert_snapshot!(outputs.join("\n"), @"
    exit 1
    error: a daemon serves this workspace already (process [pid])
    hint: `zubi status` shows it, `zubi stop` stops it.
    ");
    assert!(fixture.run(&["stop"]).status.success());
    let ended = eventually("the daemon ends", STEP_TIMEOUT, || daemon.child_mut().try_wait().expect("a child"));
    assert_eq!(ended.code(), Some(0));
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}

#[test]
fn a_failed_daemon_start_is_reported_to_the_caller() {
    let fixture = hosts_project();
    fixture.project.write(".zubi.toml", "read_only = maybe\n");
    let run = |arguments: &[&str]| {
        let output = fixture.run(arguments);
        let text = String::from_utf8_lossy(&output.stderr).replace(base(&fixture).as_str(), "[base]");
        format!("exit {}\n{text}", output.status.code().unwrap_or(-1))
    };
    let plain = run(&["serve"]);
    assert_snapshot!(plain, @"
    exit 2
    error: [base]/project/.zubi.toml:1:13: `read_only`: string values must be quoted, expected literal string
    ");
    assert_eq!(run(&["serve", "--detach"]), plain);
    processes::nothing_left_within(STEP_TIMEOUT).expect("nothing is left");
}
