//! Access to a host: by its own user, and by another user of the machine, each as a separate process.

mod planted;

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::hosts::{Daemon, HostsProject, STEP_TIMEOUT, eventually};
use zubi_tests::{Project, tools};

use crate::raw::{PeerUser, Raw, authenticate, port_of, request, socket_of, token_of};

/// Sets the permissions of a file or directory.
pub(crate) fn set_mode(path: &Utf8Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        .unwrap_or_else(|error| panic!("{path}: {error}"));
}

/// The directory that contains all files of a test.
pub(crate) fn base(fixture: &HostsProject) -> &Utf8Path {
    fixture.project.root().parent().expect("the project is in a directory")
}

/// A host's file for this test's process.
pub(crate) fn advertisement(fixture: &HostsProject, instance: &str) -> Value {
    let pid = std::process::id();
    json!({
        "version": 1, "instance": instance, "pid": pid, "startedAt": started_at(pid), "kind": "daemon",
        "workspaceFolders": [fixture.project.root()], "token": "ab".repeat(32),
        "socket": fixture.run_directory().join(format!("{instance}.sock")), "capabilities": [], "program": "0",
    })
}

/// Returns field 22 of the process's `stat`; the part before it may contain blanks.
pub(crate) fn started_at(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    let (_, fields) = stat.rsplit_once(')').expect("a name");
    fields.split_whitespace().nth(19).and_then(|field| field.parse().ok()).expect("a time")
}

pub(crate) const INSTANCE: &str = "aaaaaaaaaaaaaaaa";

/// Gives every user access to the directories above the run directory.
fn grant_access_to_parents(fixture: &HostsProject) {
    let run = fixture.run_directory();
    let parents = run.ancestors().skip(1).take_while(|directory| directory.starts_with(base(fixture)));
    parents.for_each(|directory| set_mode(directory, 0o755));
}

/// A host, and a program that both users can run.
struct Scene {
    fixture: HostsProject,
    _daemon: Daemon,
    host: Value,
    peer_program: Utf8PathBuf,
}

impl Scene {
    fn new() -> Self {
        let fixture = HostsProject::new(Project::empty(), &[]);
        let daemon = fixture.daemon(&[]);
        grant_access_to_parents(&fixture);
        let (host, peer_program) = (fixture.only_host(), peer_program(&fixture));
        Self { fixture, _daemon: daemon, host, peer_program }
    }

    fn file(&self) -> Utf8PathBuf {
        let files = self.fixture.files();
        let [file] = files.as_slice() else { panic!("{files:?}") };
        file.clone()
    }

    fn at_socket(&self, user: PeerUser) -> Raw {
        Raw::process(user, &self.peer_program, &["socket", socket_of(&self.host)])
    }

    fn at_port(&self, user: PeerUser) -> Raw {
        Raw::process(user, &self.peer_program, &["port", &port_of(&self.host).to_string()])
    }

    /// Returns the content of the host's file if this user can read it.
    fn read_record(&self, user: PeerUser) -> Result<Value, String> {
        let text = user.shell("cat \"$1\"", &self.file())?;
        Ok(serde_json::from_str(&text).expect("JSON"))
    }
}

/// Returns a copy of the program that every user can read; the built one may be in a home directory.
fn peer_program(fixture: &HostsProject) -> Utf8PathBuf {
    let copy = base(fixture).join("visitor");
    std::fs::copy(env!("CARGO_BIN_EXE_visitor"), &copy).expect("it was built with this test");
    set_mode(&copy, 0o755);
    copy
}

fn ping() -> Vec<u8> {
    request(7, "ping", &json!({}))
}

/// Returns a summary of the response to `ping`.
fn send_ping(mut raw: Raw) -> String {
    raw.send_bytes(&ping());
    summarize_response(raw.line())
}

fn summarize_response(line: Option<String>) -> String {
    let Some(line) = line else { return "let go without a word".to_owned() };
    if !line.starts_with('{') {
        return line;
    }
    let answer: Value = serde_json::from_str(&line).expect("JSON");
    match (answer["result"].as_object(), &answer["error"]["message"]) {
        (Some(_), _) => "answered".to_owned(),
        (_, message) => format!("{} {message}", answer["error"]["code"]),
    }
}

/// Sends a line instead of a proof, and a request right after it; returns the response.
fn send_instead_of_proof(raw: &mut Raw, line: &[u8]) -> String {
    raw.send_bytes(&[line, &ping()].concat());
    let first = summarize_response(raw.line());
    if first != "answered" {
        assert_eq!(raw.rest(), [""; 0], "a refused client receives nothing more");
    }
    first
}

/// An attempt at access; returns its outcome.
type Attempt = fn(&Scene, PeerUser) -> String;

const ATTEMPTS: &[(&str, Attempt)] = &[
    ("enter the directory", |scene, who| {
        unwrap_either(
            who.shell("cd \"$1\" 2> /dev/null && echo entered || echo not entered", &scene.fixture.run_directory()),
        )
    }),
    ("list it", |scene, who| {
        unwrap_either(who.shell("ls \"$1\" > /dev/null && echo listed", &scene.fixture.run_directory()))
    }),
    ("leave something in it", |scene, who| {
        unwrap_either(who.shell("echo > \"$1/x\" && echo left", &scene.fixture.run_directory()))
    }),
    ("read the file", |scene, who| unwrap_either(who.shell("cat \"$1\" > /dev/null && echo read", &scene.file()))),
    ("the socket", |scene, who| send_ping(scene.at_socket(who))),
    ("the socket, all open", |scene, who| {
        set_mode(&scene.fixture.run_directory(), 0o755);
        set_mode(socket_of(&scene.host).into(), 0o666);
        let answer = send_ping(scene.at_socket(who));
        set_mode(&scene.fixture.run_directory(), 0o700);
        set_mode(socket_of(&scene.host).into(), 0o600);
        answer
    }),
    ("the port, no proof", |scene, who| {
        let mut raw = scene.at_port(who);
        raw.nonce();
        send_instead_of_proof(&mut raw, b"")
    }),
    ("the port, a wrong proof", |scene, who| {
        let mut raw = scene.at_port(who);
        let wrong = authenticate(&"00".repeat(32), &raw.nonce());
        send_instead_of_proof(&mut raw, &wrong)
    }),
    ("the port, a proof of before", |scene, who| {
        // An attacker has recorded the traffic.
        let mut before = Raw::port(port_of(&scene.host));
        let line = authenticate(token_of(&scene.host), &before.nonce());
        assert!(before.send_bytes(&line) && before.message()["result"]["proof"].is_string());
        let mut raw = scene.at_port(who);
        raw.nonce();
        send_instead_of_proof(&mut raw, &line)
    }),
    ("the port, with what he can read", |scene, who| match scene.read_record(who) {
        Err(why) => format!("the file: {why}"),
        Ok(record) => {
            let mut raw = scene.at_port(who);
            let line = authenticate(token_of(&record), &raw.nonce());
            send_instead_of_proof(&mut raw, &line)
        }
    }),
];

fn unwrap_either(result: Result<String, String>) -> String {
    result.unwrap_or_else(|why| why)
}

#[test]
fn only_the_owner_can_access_a_host() {
    let scene = Scene::new();
    let mut table = String::new();
    for (name, attempt) in ATTEMPTS {
        writeln!(table, "{name}").expect("a text");
        for user in [PeerUser::Owner, PeerUser::Other] {
            writeln!(table, "    {user:?}: {}", attempt(&scene, user)).expect("a text");
        }
    }
    assert_snapshot!(table, @r#"
    enter the directory
        Owner: entered
        Other: not entered
    list it
        Owner: listed
        Other: Permission denied
    leave something in it
        Owner: left
        Other: Permission denied
    read the file
        Owner: read
        Other: Permission denied
    the socket
        Owner: answered
        Other: not let in: Permission denied (os error 13)
    the socket, all open
        Owner: answered
        Other: let go without a word
    the port, no proof
        Owner: let go without a word
        Other: let go without a word
    the port, a wrong proof
        Owner: -32000 "the proof is wrong: read the discovery file of this host again"
        Other: -32000 "the proof is wrong: read the discovery file of this host again"
    the port, a proof of before
        Owner: -32000 "the proof is wrong: read the discovery file of this host again"
        Other: -32000 "the proof is wrong: read the discovery file of this host again"
    the port, with what he can read
        Owner: answered
        Other: the file: Permission denied
    "#);
    let files = scene.fixture.files();
    assert_eq!((files.len(), scene.fixture.status()["disbelieved"].clone()), (1, json!([])));
}

#[test]
fn the_port_is_read_only_and_the_socket_is_not() {
    let scene = Scene::new();
    let protocol: Value = serde_json::from_str(&scene.fixture.output(&["ipc", "--schema"])).expect("JSON");
    let methods = protocol["methods"].as_object().expect("methods");
    let mut socket = Raw::socket(socket_of(&scene.host));
    let mut port = Raw::connect_with_proof(port_of(&scene.host), token_of(&scene.host));
    let refused = |raw: &mut Raw, method: &str, params: &Value| {
        let answer = raw.request(method, params);
        answer["error"]["message"].as_str().is_some_and(|why| why.contains("over the port"))
    };
    let mut socket_methods = Vec::new();
    for (method, _) in methods.iter().filter(|(_, spec)| spec["from"] == "client") {
        let denied = refused(&mut port, method, &json!({}));
        assert_eq!(denied, methods[method]["port"] == false, "{method} over the port");
        if method != "host/shutdown" {
            assert!(!refused(&mut socket, method, &json!({})), "{method} over the socket");
        }
        if denied {
            socket_methods.push(method.as_str());
        }
    }
    assert_snapshot!(socket_methods.join(" "), @"tools/find tools/explain tools/policy tools/register tools/unregister resources/list resources/read host/status host/shutdown");

    // Only read-only tools are listed.
    let file = scene.fixture.project.root().join("new.txt");
    let create = json!({ "tool": "create_file", "arguments": { "path": "new.txt", "content": "x" } });
    let tools = |raw: &mut Raw| {
        let listed = raw.request("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().expect("tools").clone();
        let effects = tools.iter().map(|tool| tool["effect"].as_str().expect("an effect").to_owned());
        effects.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(tools(&mut port).into_iter().collect::<Vec<_>>(), ["read"]);
    assert!(tools(&mut socket).contains("write"));
    let answer = port.request("tools/call", &create);
    assert!(answer["result"]["isError"] != false && !file.exists(), "{answer}");

    assert_eq!(socket.request("host/shutdown", &json!({}))["result"], true);
    eventually("the host has ended", STEP_TIMEOUT, || scene.fixture.files().is_empty().then_some(()));
}

/// A client script that sends requests over the port in its first argument; the token is in the host's file.
const CLIENT: &str = "
import sys
from zubi_ipc import IpcError, VSCodeIPCClient
try:
    with VSCodeIPCClient(port=int(sys.argv[1]), timeout=20.0) as client:
        print(client.ping())
except IpcError as error:
    print(error)
";

/// The answers of a program that occupies the port and has received the client's proof.
fn forged_answers(request: &Value) -> Vec<(&'static str, Option<Value>)> {
    let result = |value: Value| Some(json!({ "jsonrpc": "2.0", "id": request["id"], "result": value }));
    vec![
        ("nothing, and goes", None),
        ("a proof of its own making", result(json!({ "proof": "0".repeat(64) }))),
        ("the client's own proof", result(json!({ "proof": request["params"]["proof"] }))),
        ("that no proof is needed", result(json!({ "status": "ok" }))),
    ]
}

#[test]
fn an_impostor_at_the_port_learns_nothing_and_is_not_trusted() {
    let scene = Scene::new();
    let (token, names) = (token_of(&scene.host), forged_answers(&Value::Null));
    let mut report = String::new();
    for (index, (name, _)) in names.iter().enumerate() {
        let mut squatter = Raw::process(PeerUser::Other, &scene.peer_program, &["listen"]);
        let port: u16 = squatter.line().and_then(|port| port.parse().ok()).expect("a port");
        // A file that a host left behind, whose port another user has taken.
        let mut record = scene.host.clone();
        record["port"] = json!(port);
        std::fs::write(scene.file(), record.to_string()).expect("the host's file");
        let client = client(&scene.fixture, port);
        squatter.send_bytes(format!("{}\n", json!({ "nonce": "5a".repeat(32) })).as_bytes());
        let request = squatter.message();
        assert_eq!(request["method"], "authenticate", "{name}");
        let remaining_lines = match forged_answers(&request).swap_remove(index).1 {
            Some(answer) => {
                squatter.send_bytes(format!("{answer}\n").as_bytes());
                squatter.rest()
            }
            None => {
                drop(squatter);
                Vec::new()
            }
        };
        assert_eq!(remaining_lines, [""; 0], "{name}: an unauthenticated host receives no request");
        assert!(!request.to_string().contains(token), "{name}");
        let output = client.wait_with_output().expect("Python ends");
        let text = String::from_utf8_lossy(&output.stdout).replace(&port.to_string(), "[port]");
        writeln!(report, "{name}\n    {}", text.trim_end()).expect("a text");
    }
    assert_snapshot!(report, @"
    nothing, and goes
        The host on port [port] did not accept our proof. The host closed the connection.
    a proof of its own making
        The process on port [port] does not know the host's token; no request was sent.
    the client's own proof
        The process on port [port] does not know the host's token; no request was sent.
    that no proof is needed
        The process on port [port] does not know the host's token; no request was sent.
    ");
}

/// A client that uses this port.
fn client(fixture: &HostsProject, port: u16) -> std::process::Child {
    let mut python = fixture.command();
    let environment: Vec<_> =
        python.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    python = Command::new(tools::python());
    python.current_dir(fixture.project.root()).env_clear().envs(environment);
    python.env("PYTHONPATH", tools::ROOT.join("examples/ipc/python"));
    python.args(["-B", "-c", CLIENT, &port.to_string()]).stdout(std::process::Stdio::piped());
    python.spawn().expect("Python starts")
}
