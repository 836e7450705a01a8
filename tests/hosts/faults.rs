//! Faults of the machine: ports in use, files of killed hosts, read-only directories, and several hosts that start at
//! once.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixListener;
use std::process::{Child, Command, Output, Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::hosts::{Daemon, HostsProject, PATIENCE, eventually, pid};
use zubi_tests::{Agent, Project, processes, tools};

use crate::raw::{OTHER, as_other, port_of};
use crate::security::{INSTANCE, advertisement, base, set_mode, started_at};

/// The ports that hosts try in order.
const NUMBERED: std::ops::RangeInclusive<u16> = 9847..=9857;

fn place() -> HostsProject {
    HostsProject::new(Project::empty(), &[])
}

/// Occupies the free ones of these ports. Concurrent tests have hosts, too.
fn take(ports: impl Iterator<Item = u16>) -> Vec<TcpListener> {
    ports.filter_map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()).collect()
}

fn numbers(taken: &[TcpListener]) -> Vec<u16> {
    taken.iter().map(|taken| taken.local_addr().expect("a port").port()).collect()
}

#[test]
fn a_host_takes_the_next_port_that_is_free() {
    let place = place();
    // A host of a concurrent test may use it, and free it in between.
    let first = eventually(
        "the first port can be had: an editor or a `zubi serve` beside the tests must not keep it",
        PATIENCE,
        || Some(take(std::iter::once(*NUMBERED.start()))).filter(|taken| !taken.is_empty()),
    );
    let daemon = place.daemon(&[]);
    let port = port_of(&place.only_host());
    assert!(port != *NUMBERED.start() && !numbers(&first).contains(&port), "{port}");
    assert!(daemon.stderr_text().contains(&format!("port {port}")), "{}", daemon.stderr_text());
    drop(daemon);

    let all = take(NUMBERED);
    let daemon = place.daemon(&[]);
    let port = eventually("the killed one is forgotten", PATIENCE, || {
        let host = place.live_records().into_iter().find(|host| pid(host) == daemon.pid())?;
        Some(port_of(&host))
    });
    assert!(!numbers(&all).contains(&port) && port > 1023, "{port}");
    drop(daemon);

    // A port from the settings is not replaced by another: clients look for the host there.
    let taken = take(std::iter::once(0));
    let port = numbers(&taken)[0].to_string();
    let told: Vec<String> = [&["serve", "--port", &port][..], &["serve", "--detach", "--port", &port]]
        .into_iter()
        .map(|arguments| {
            let output = place.run(arguments);
            assert_eq!(output.status.code(), Some(3));
            String::from_utf8_lossy(&output.stderr).replace(&port, "[port]")
        })
        .collect();
    assert_eq!(told[0], told[1], "what a detached one says is passed on");
    assert_snapshot!(told[0], @"
    error: port [port] on 127.0.0.1 cannot be had: another program has it, or it needs more rights
    hint: Name another one, or leave --port out: then the next port that is free is taken.
    ");
    processes::nothing_left_within(PATIENCE).expect("nothing is left");
}

#[test]
fn what_a_killed_host_has_left_is_removed_by_whoever_looks() {
    let place = place();
    let mut daemon = place.daemon(&[]);
    let run = place.run_directory();
    let left = || {
        let paths = run.read_dir_utf8().expect("a directory").flatten().map(camino::Utf8DirEntry::into_path);
        let mut names: Vec<Utf8PathBuf> = paths.filter(|path| path.extension() != Some("lock")).collect();
        names.sort();
        names
    };
    daemon.kill();
    assert_eq!(left().len(), 2, "its file and its socket: {:?}", left());
    let status = place.status();
    assert_eq!(
        (&status["hosts"], &status["unreachable"], &status["disbelieved"]),
        (&json!([]), &json!([]), &json!([]))
    );
    assert!(left().is_empty(), "{:?}", left());
    processes::nothing_left_within(PATIENCE).expect("nothing is left");
}

#[test]
fn a_process_with_a_hosts_number_is_not_the_host() {
    let place = place();
    let run = place.run_directory();
    // The process is this test's, but the start time is another one. The path of its socket is arbitrary.
    let socket = run.join(INSTANCE).with_extension("sock");
    let elsewhere = base(&place).join("other.sock");
    let listener = |path: &Utf8Path| UnixListener::bind(path).expect("a socket");
    let cases = [
        ("its own", socket, false),
        ("one elsewhere", elsewhere.clone(), true),
        ("one elsewhere, through the directory", run.join("../../../../other.sock"), true),
        ("another's", run.join("bbbbbbbbbbbbbbbb.sock"), true),
    ];
    place.daemon(&[]).kill();
    place.status();
    for (what, named, stays) in cases {
        let kept =
            if named.starts_with(&run) && !named.as_str().contains("..") { named.clone() } else { elsewhere.clone() };
        let _socket = listener(&kept);
        let mut host = advertisement(&place, INSTANCE);
        host["startedAt"] = json!(started_at(std::process::id()) + 1);
        host["socket"] = json!(named);
        write_own(&run.join(INSTANCE).with_extension("json"), host.to_string().as_bytes());
        let status = place.status();
        let told = (&status["hosts"], &status["unreachable"], &status["disbelieved"]);
        assert_eq!(told, (&json!([]), &json!([]), &json!([])), "{what}");
        assert_eq!((place.files().len(), kept.exists()), (0, stays), "{what}");
        if stays {
            std::fs::remove_file(&kept).expect("a socket");
        }
    }
}

/// Writes a file with the permissions of a host's file.
fn write_own(file: &Utf8Path, content: &[u8]) {
    std::fs::write(file, content).expect("the run directory is there");
    set_mode(file, 0o600);
}

/// Possible contents of a discovery file.
fn contents(place: &HostsProject) -> Vec<(&'static str, Vec<u8>)> {
    let with = |field: &str, value: serde_json::Value| {
        let mut host = advertisement(place, INSTANCE);
        host[field] = value;
        host.to_string().into_bytes()
    };
    vec![
        ("nothing", Vec::new()),
        ("no JSON", b"\xff\xfe\0garbage".to_vec()),
        ("an array", b"[1]".to_vec()),
        ("half a file", advertisement(place, INSTANCE).to_string().into_bytes()[..100].to_vec()),
        ("a huge file", vec![b' '; 1 << 20]),
        ("deep brackets", "{\"a\":".repeat(5_000).into_bytes()),
        ("another version", with("version", json!(2))),
        ("another name", with("instance", json!("bbbbbbbbbbbbbbbb"))),
        ("a path for a name", with("instance", json!("../../aaaaaaaaaa"))),
        ("a number out of bounds", with("pid", json!(-1))),
        ("no token", with("token", json!(""))),
        ("a socket that is a file", with("socket", json!(place.project.home().join("config")))),
        ("no socket", with("socket", json!(null))),
    ]
}

#[test]
fn a_file_that_no_host_has_written_is_told_and_harms_nobody() {
    let place = place();
    let daemon = place.daemon(&[]);
    let file = place.run_directory().join(INSTANCE).with_extension("json");
    let mut told = String::new();
    for (what, content) in contents(&place) {
        write_own(&file, &content);
        let status = place.status();
        assert_eq!(status["hosts"][0]["pid"], daemon.pid(), "{what}: the one that lives is found");
        let why = [&status["disbelieved"][0]["why"], &status["unreachable"][0]["why"]];
        let why = why.into_iter().find_map(|why| why.as_str()).unwrap_or("nothing is told");
        let why = why.replace(base(&place).as_str(), "[base]").replace(env!("CARGO_PKG_VERSION"), "[version]");
        writeln!(told, "{what}: {why}").expect("a text");
    }
    assert_snapshot!(told, @"
    nothing: it is no JSON object; remove it
    no JSON: it is no JSON object; remove it
    an array: it is no JSON object; remove it
    half a file: it is not what a host writes (EOF while parsing a string at line 1 column 100); remove it
    a huge file: it has more than 65536 bytes; remove it
    deep brackets: it is not what a host writes (EOF while parsing a value at line 1 column 25000); remove it
    another version: it speaks version 2 of the protocol (zubi 0), this is zubi [version] with version 1
    another name: it is not named after the host in it; remove it
    a path for a name: it is not named after the host in it; remove it
    a number out of bounds: it is not what a host writes (invalid value: integer `-1`, expected u32 at line 1 column 51); remove it
    no token: its token is not 64 hexadecimal digits; remove it
    a socket that is a file: nobody listens at `[base]/home/config`: No such file or directory (os error 2)
    no socket: the host has no socket
    ");

    // Any number of them.
    std::fs::remove_file(&file).expect("a file");
    for number in 0..300 {
        write_own(&place.run_directory().join(format!("{number:016}.json")), b"x");
    }
    let status = place.status();
    let told = status["disbelieved"].as_array().expect("a list");
    assert!(told.len() <= 257, "{}", told.len());
    assert!(place.agent(&[]).tools().contains(&"lsp_hover".to_owned()));
}

/// The project, its home and the program, owned by the other user.
struct Others {
    place: HostsProject,
    program: Utf8PathBuf,
}

impl Others {
    fn new() -> Self {
        let place = place();
        let program = base(&place).join("zubi");
        std::fs::copy(tools::zubi(), &program).expect("a copy");
        set_mode(&program, 0o755);
        let others = Self { place, program };
        others.give();
        others
    }

    /// Gives the other user everything except the program.
    fn give(&self) {
        set_mode(base(&self.place), 0o755);
        let mine = [self.place.project.root(), self.place.project.home()];
        let script = format!("chown -R {OTHER}:{OTHER} \"$@\"");
        let given = Command::new("/bin/sh").args(["-c", &script, "sh"]).args(mine).status();
        assert!(given.expect("a shell").success());
    }

    fn command(&self) -> Command {
        as_other(&self.place.command(), &self.program)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command().args(arguments).stdin(Stdio::null()).output().expect("setpriv is part of util-linux")
    }

    fn render_output(&self, output: &Output) -> String {
        let text = [output.stdout.as_slice(), &output.stderr].concat();
        let text = String::from_utf8_lossy(&text).replace(base(&self.place).as_str(), "[base]");
        format!("exit {}\n{}", output.status.code().unwrap_or(-1), text.trim_end())
    }
}

#[test]
fn a_file_that_cannot_be_read_is_told() {
    let others = Others::new();
    let daemon = Daemon::start(others.command(), &[]);
    let file = others.place.run_directory().join(INSTANCE).with_extension("json");
    std::fs::write(&file, "{}").expect("root may");
    std::os::unix::fs::chown(&file, Some(OTHER), Some(OTHER)).expect("root may");
    set_mode(&file, 0o000);
    let told = others.render_output(&others.run(&["status"]));
    assert_snapshot!(told.replace(&daemon.pid().to_string(), "[pid]").lines().last().expect("lines"), @"warning: `[base]/home/state/zubi/run/aaaaaaaaaaaaaaaa.json` is not believed: Permission denied (os error 13); remove it");
}

#[test]
fn where_nothing_can_be_written_a_session_shares_with_nobody() {
    let others = Others::new();
    let state = others.place.project.home().join("state");
    std::fs::remove_dir_all(&state).expect("what was written so far");
    std::fs::create_dir(&state).expect("a directory");
    set_mode(&state, 0o555);

    let mut agent = Agent::spawn(others.command(), &[]);
    assert!(agent.tools().contains(&"lsp_hover".to_owned()));
    let said = eventually("it is said", PATIENCE, || Some(agent.stderr_text()).filter(|said| said.contains('\n')));
    assert_snapshot!(said.replace(base(&others.place).as_str(), "[base]").trim_end(), @"warning: this process shares its language servers with no other: `[base]/home/state/zubi/run` cannot be used: Permission denied (os error 13)");
    assert!(agent.close().success());
    assert_snapshot!(others.render_output(&others.run(&["serve"])), @"
    exit 3
    error: `[base]/home/state/zubi/run` cannot be used: Permission denied (os error 13)
    hint: Give yourself alone the right to that directory, or set XDG_RUNTIME_DIR or XDG_STATE_HOME to another.
    ");
    assert_snapshot!(without_hash(&others.render_output(&others.run(&["serve", "--detach"]))), @"
    exit 3
    error: `[base]/home/state/zubi/serve-[hash].log` cannot be written: Permission denied (os error 13)
    hint: Give yourself alone the right to that directory, or set XDG_STATE_HOME to another.
    ");
    assert_snapshot!(others.render_output(&others.run(&["status"])), @"
    exit 0
    no host runs: `zubi serve` starts one, and the first `zubi mcp` of a folder becomes one
    ");
    assert_eq!(state.read_dir_utf8().expect("a directory").count(), 0);
    processes::nothing_left_within(PATIENCE).expect("nothing is left");
}

/// The name of a log without the hash of the folders.
fn without_hash(text: &str) -> String {
    match text.split_once("/serve-").and_then(|(before, rest)| Some((before, rest.split_once(".log")?.1))) {
        Some((before, after)) => format!("{before}/serve-[hash].log{after}"),
        None => text.to_owned(),
    }
}

/// A `zubi serve` that may fail to start. Ends when dropped.
struct Begun(Option<Child>);

impl Begun {
    fn serve(place: &HostsProject) -> Self {
        let mut command = place.command();
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

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            // The process may have ended already.
            child.kill().ok();
            child.wait().ok();
        }
    }
}

#[test]
fn of_six_daemons_that_start_at_once_one_serves() {
    let place = place();
    let mut all: Vec<Begun> = (0..6).map(|_| Begun::serve(&place)).collect();
    let serving = pid(&place.only_host());
    let at = all.iter().position(|begun| begun.child().id() == serving).expect("one of them");
    let mut one = all.swap_remove(at);
    let shown = |output: &Output| {
        let said = String::from_utf8_lossy(&output.stderr).replace(&serving.to_string(), "[pid]");
        format!("exit {}\n{said}", output.status.code().unwrap_or(-1))
    };
    let mut told: Vec<String> = all.into_iter().map(|begun| shown(&begun.output())).collect();
    assert_eq!(one.child_mut().try_wait().expect("a child"), None);
    assert_eq!(pid(&place.status()["hosts"][0]), serving);
    // Later ones print the same, even with `--detach`.
    told.extend([&["serve"][..], &["serve", "--detach"]].map(|arguments| shown(&place.run(arguments))));
    assert_eq!(told.len(), 7);
    told.dedup();
    assert_snapshot!(told.join("\n"), @"
    exit 1
    error: a daemon serves this workspace already (process [pid])
    hint: `zubi status` shows it, `zubi stop` ends it.
    ");
    assert!(place.run(&["stop"]).status.success());
    let ended = eventually("the daemon ends", PATIENCE, || one.child_mut().try_wait().expect("a child"));
    assert_eq!(ended.code(), Some(0));
    processes::nothing_left_within(PATIENCE).expect("nothing is left");
}

#[test]
fn a_daemon_that_cannot_begin_says_why_to_whoever_has_started_it() {
    let place = place();
    place.project.write(".zubi.toml", "read_only = maybe\n");
    let told = |arguments: &[&str]| {
        let output = place.run(arguments);
        let text = String::from_utf8_lossy(&output.stderr).replace(base(&place).as_str(), "[base]");
        format!("exit {}\n{text}", output.status.code().unwrap_or(-1))
    };
    let plain = told(&["serve"]);
    assert_snapshot!(plain, @"
    exit 2
    error: [base]/project/.zubi.toml:1:13: `read_only`: string values must be quoted, expected literal string
    ");
    assert_eq!(told(&["serve", "--detach"]), plain);
    processes::nothing_left_within(PATIENCE).expect("nothing is left");
}
