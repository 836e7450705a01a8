//! Many clients at once, and misbehaving clients: the host answers the others, and its memory stays small.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use zubi_tests::hosts::{Daemon, HostsProject, STEP_TIMEOUT, eventually};
use zubi_tests::{Project, processes};

use crate::raw::{Raw, authenticate, port_of, request, socket_of, token_of};

/// The maximum number of connections to a host.
const CONNECTIONS: usize = 64;

/// The maximum number of unauthenticated connections to the port.
const MAX_UNAUTHENTICATED: usize = 16;

/// The time limit of an answer while other clients misbehave, on a busy machine.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

const MB: u64 = 1_000_000;

struct Scene {
    fixture: HostsProject,
    daemon: Daemon,
    host: Value,
}

impl Scene {
    fn new() -> Self {
        let fixture = HostsProject::new(Project::empty(), &[]);
        let daemon = fixture.daemon(&[]);
        let host = fixture.only_host();
        let scene = Self { fixture, daemon, host };
        // The first request creates resources that later ones reuse.
        scene.check_responsive("the first");
        scene.wait_for_clients(0);
        scene
    }

    fn socket(&self) -> Raw {
        Raw::socket(socket_of(&self.host))
    }

    fn stream(&self) -> UnixStream {
        UnixStream::connect(socket_of(&self.host)).expect("the host listens")
    }

    fn authenticate(&self) -> Raw {
        Raw::connect_with_proof(port_of(&self.host), token_of(&self.host))
    }

    /// Checks that another client gets an answer within the time limit.
    fn check_responsive(&self, situation: &str) {
        let start = Instant::now();
        let mut raw = self.socket();
        let tools = raw.request("tools/list", &json!({}));
        assert!(tools["result"]["tools"].is_array(), "{situation}: {tools}");
        assert!(start.elapsed() < RESPONSE_TIMEOUT, "{situation}: {:?}", start.elapsed());
    }

    fn resident(&self) -> u64 {
        processes::resident_bytes(self.daemon.pid()).expect("the host lives")
    }

    fn peak(&self) -> u64 {
        processes::peak_bytes(self.daemon.pid()).expect("the host lives")
    }

    /// The number of the host's file descriptors.
    fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.daemon.pid())).expect("the host lives").count()
    }

    /// Waits until this number of clients is connected, besides the one that counts.
    fn wait_for_clients(&self, count: usize) {
        eventually("the clients have disconnected", STEP_TIMEOUT, || {
            let mut raw = self.socket();
            let status = raw.request("host/status", &json!({}));
            (status["result"]["clients"].as_array()?.len() == count + 1).then_some(())
        });
    }

    /// Waits until the host has no more descriptors than before.
    fn wait_for_descriptors(&self, descriptors: usize) {
        eventually("its descriptors are closed", STEP_TIMEOUT, || (self.descriptors() <= descriptors).then_some(()));
    }
}

#[test]
fn a_client_that_never_reads_is_disconnected() {
    let scene = Scene::new();
    let (before, descriptors) = (scene.peak(), scene.descriptors());
    let mut stream = scene.stream();
    stream.set_write_timeout(Some(STEP_TIMEOUT)).expect("a time");
    // Each answer is about a hundred times as large as its request.
    let mut request_count = 0;
    while stream.write_all(&request(request_count, "tools/list", &json!({}))).is_ok() {
        request_count += 1;
        assert!(request_count < 1_000_000, "the number of requests is unlimited");
    }
    scene.check_responsive("a client does not read");
    drop(stream);
    scene.wait_for_clients(0);
    let growth = scene.peak() - before;
    assert!(growth < 150 * MB, "{} MB after {request_count} questions", growth / MB);
    scene.wait_for_descriptors(descriptors);
}

#[test]
fn garbage_is_answered_with_errors() {
    let scene = Scene::new();
    let before = scene.resident();
    let lines: [&[u8]; 6] = [
        b"\n",
        b"{}\n",
        b"[1,2]\n",
        b"\xff\xfe\0\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":{}}\n",
        b"{\"id\":1,\"method\":7}\n",
    ];
    let garbage = lines.concat().repeat(5_000);
    let mut flooder = scene.socket();
    thread::scope(|scope| {
        let flooder = scope.spawn(|| {
            assert!(flooder.send_bytes(&garbage) && flooder.send_bytes(&request(8, "ping", &json!({}))));
        });
        scene.check_responsive("a flood");
        flooder.join().expect("no panic");
    });
    // One response per line that is not empty.
    for _ in 0..5 * 5_000 {
        let answer = flooder.message();
        assert!(answer["error"]["code"].is_number(), "{answer}");
    }
    assert_eq!(flooder.message()["result"]["status"], "ok");
    drop(flooder);

    // The same requests by a client that does not read.
    let mut silent = scene.stream();
    silent.set_write_timeout(Some(STEP_TIMEOUT)).expect("a time");
    while silent.write_all(b"garbage\n{}\n").is_ok() {}
    scene.check_responsive("a flood by a client that does not read");
    drop(silent);
    scene.wait_for_clients(0);
    let growth = scene.resident().saturating_sub(before);
    assert!(growth < 100 * MB, "{} MB", growth / MB);
}

#[test]
fn a_partial_message_waits_without_blocking_other_clients() {
    let scene = Scene::new();
    let message = request(1, "ping", &json!({}));
    let (first, second) = message.split_at(20);
    let mut halves: Vec<Raw> = (0..10).map(|_| scene.socket()).collect();
    for half in &mut halves {
        assert!(half.send_bytes(first));
    }
    scene.check_responsive("halves");
    for half in &mut halves {
        assert!(half.send_bytes(second));
        assert_eq!(half.message()["result"]["status"], "ok");
    }
    // Incomplete large requests are freed when their clients disconnect.
    let before = scene.resident();
    let chunk = vec![b' '; 7 * 1024 * 1024];
    let mut large: Vec<UnixStream> = (0..8).map(|_| scene.stream()).collect();
    for stream in &mut large {
        stream.write_all(&chunk).expect("the host reads");
    }
    scene.check_responsive("large halves");
    drop((large, halves));
    scene.wait_for_clients(0);
    let limit = before + 60 * MB;
    eventually("the memory is freed", STEP_TIMEOUT, || (scene.resident() < limit).then_some(()));
}

#[test]
fn an_oversized_message_is_rejected_and_the_next_is_answered() {
    let scene = Scene::new();
    let long = "x".repeat(9 * 1024 * 1024);
    for mut raw in [scene.socket(), scene.authenticate()] {
        let answer = raw.request("ping", &json!({ "long": long }));
        let why = answer["error"]["message"].as_str().expect("a reason");
        assert!(why.contains("more than the 8388608 that are read"), "{why}");
        assert_eq!(raw.request("ping", &json!({}))["result"]["status"], "ok");
    }
}

/// Sends this body as a page in a browser would; each line of it would be a request.
fn post(port: u16, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://example.com\r\n\
         Content-Type: text/plain;charset=UTF-8\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

#[test]
fn a_browser_page_has_no_effect() {
    let fixture = HostsProject::python();
    let _daemon = fixture.daemon(&[]);
    let host = fixture.only_host();
    fixture.output(&["call", "lsp_hover", "--at", "shapes/shape.py:35 total_area"]);
    let servers = || -> Vec<Value> {
        let servers = fixture.status()["hosts"][0]["servers"].clone();
        servers.as_array().expect("servers").iter().map(|server| server["pid"].clone()).collect()
    };
    let before = servers();
    assert_eq!(before.len(), 1);
    let restart = request(1, "executeCommand", &json!({ "command": "zubi.restart" }));
    let create = json!({ "tool": "create_file", "arguments": { "path": "new.txt", "content": "x" } });
    let stop = request(3, "host/shutdown", &json!({}));
    let body = [restart, request(2, "tools/call", &create), stop].concat();

    // Even if the client knows the token, the first line is not a proof.
    let token_line = authenticate(token_of(&host), &"0".repeat(64));
    for body in [body.clone(), [token_line, body].concat()] {
        let mut raw = Raw::port(port_of(&host));
        raw.send_bytes(&post(port_of(&host), &body));
        raw.nonce();
        assert_eq!(raw.rest(), [""; 0]);
    }
    assert_eq!(servers(), before, "a server was restarted");
    assert!(!fixture.project.root().join("new.txt").exists());

    // A socket does not serve web pages. A program of the user that sends HTTP receives a protocol error.
    let mut raw = Raw::socket(socket_of(&host));
    raw.send_bytes(&post(0, &request(4, "ping", &json!({}))));
    let answers: Vec<Value> = (0..6).map(|_| raw.message()).collect();
    let codes: Vec<_> = answers.iter().map(|answer| answer["error"]["code"].clone()).collect();
    assert_eq!(codes, [json!(-32700), json!(-32700), json!(-32700), json!(-32700), json!(-32700), Value::Null]);
    assert_eq!(servers(), before);

    // The same command succeeds over the socket.
    assert_eq!(
        Raw::socket(socket_of(&host)).request("executeCommand", &json!({ "command": "zubi.restart" }))["error"],
        Value::Null
    );
    eventually("the server is another one", STEP_TIMEOUT, || (servers() != before).then_some(()));
}

/// Raises this process's limit of file descriptors to the maximum.
fn many_descriptors() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).expect("within the maximum");
}

#[test]
fn sixty_four_of_a_thousand_connections_are_accepted() {
    many_descriptors();
    let scene = Scene::new();
    let (descriptors, before) = (scene.descriptors(), scene.peak());
    let mut accepted: Vec<Raw> =
        (0..CONNECTIONS).map(|number| if number % 4 == 0 { scene.authenticate() } else { scene.socket() }).collect();
    for raw in &mut accepted {
        assert_eq!(raw.request("ping", &json!({}))["result"]["status"], "ok");
    }
    let refused: Vec<UnixStream> = (CONNECTIONS..1_000).map(|_| scene.stream()).collect();
    for mut stream in &refused {
        stream.set_read_timeout(Some(STEP_TIMEOUT)).expect("a time");
        let mut refusal = String::new();
        stream.read_to_string(&mut refusal).expect("a reason, and the end");
        assert!(refusal.contains("this host already has 64 connections, which is its limit; close one"), "{refusal}");
        assert_eq!(refusal.lines().count(), 1, "{refusal}");
    }
    // Over the port only an authenticated client gets a response; others receive nothing.
    let mut raw = Raw::port(port_of(&scene.host));
    let answer = raw.prove(token_of(&scene.host)).expect("a reason");
    assert!(answer["error"]["message"].as_str().is_some_and(|why| why.contains("64 connections")), "{answer}");
    // `zubi status` is one more client, and lists itself.
    let status = scene.fixture.status();
    assert!(status["unreachable"][0]["why"].as_str().is_some_and(|why| why.contains("64 connections")), "{status}");
    for raw in &mut accepted {
        assert_eq!(raw.request("ping", &json!({}))["result"]["status"], "ok");
    }
    let growth = scene.peak() - before;
    assert!(growth < 100 * MB, "{} MB", growth / MB);

    drop((accepted, refused));
    eventually("all clients have disconnected", STEP_TIMEOUT, || {
        scene.fixture.status()["hosts"].as_array().filter(|all| all.len() == 1).map(drop)
    });
    scene.wait_for_descriptors(descriptors);
    scene.check_responsive("after all have disconnected");
}

/// The maximum number of concurrent requests of one connection.
const BATCH: usize = 20;

#[test]
fn many_concurrent_clients_get_their_own_answers() {
    many_descriptors();
    let scene = Scene::new();
    let listed = scene.socket().request("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let ids: Vec<String> = tools.iter().map(|tool| tool["id"].as_str().expect("an id").to_owned()).collect();
    let (ids, scene) = (&ids, &scene);
    let start = Instant::now();
    thread::scope(|scope| {
        for client in 0..CONNECTIONS {
            let mut raw = scene.socket();
            scope.spawn(move || {
                for round in 0..100 / BATCH {
                    let number = |question: usize| 1_000 * client + BATCH * round + question;
                    let tool = |number: usize| ids.get(number % ids.len()).expect("one of them");
                    let questions = (0..BATCH).map(number);
                    let lines: Vec<Vec<u8>> =
                        questions.map(|n| request(n as u64, "tools/find", &json!({ "name": tool(n) }))).collect();
                    assert!(raw.send_bytes(&lines.concat()));
                    let mut answered: Vec<usize> = (0..BATCH)
                        .map(|_| {
                            let answer = raw.message();
                            let n = answer["id"].as_u64().and_then(|id| usize::try_from(id).ok()).expect("a number");
                            assert_eq!(answer["result"]["id"], *tool(n), "{answer}");
                            n
                        })
                        .collect();
                    answered.sort_unstable();
                    assert_eq!(answered, (0..BATCH).map(number).collect::<Vec<_>>());
                }
            });
        }
    });
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
    scene.wait_for_clients(0);
}

#[test]
fn silent_unauthenticated_clients_are_disconnected() {
    let scene = Scene::new();
    let descriptors = scene.descriptors();
    let start = Instant::now();
    let pending: Vec<Raw> = (0..MAX_UNAUTHENTICATED).map(|_| Raw::port(port_of(&scene.host))).collect();
    for raw in &pending {
        raw.nonce();
    }
    scene.check_responsive("unauthenticated clients occupy the port");
    // The host admits an authenticated client and closes the oldest pending connection.
    let mut owner = scene.authenticate();
    assert_eq!(owner.request("ping", &json!({}))["result"]["status"], "ok");
    assert!(start.elapsed() < RESPONSE_TIMEOUT, "the owner was admitted too late");
    for raw in &pending {
        assert_eq!(raw.rest(), [""; 0]);
    }
    let elapsed = start.elapsed();
    assert!((Duration::from_secs(4)..Duration::from_secs(15)).contains(&elapsed), "{elapsed:?}");
    drop((owner, pending));
    scene.wait_for_clients(0);
    scene.wait_for_descriptors(descriptors);
}

#[test]
fn a_flood_of_connections_does_not_lock_out_the_owner() {
    let scene = Scene::new();
    let (descriptors, port) = (scene.descriptors(), port_of(&scene.host));
    let stop = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut last = std::collections::VecDeque::new();
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                // A connection fails if the accept queue is full; the next one may succeed.
                last.extend(TcpStream::connect((Ipv4Addr::LOCALHOST, port)));
                if last.len() > 100 {
                    last.pop_front();
                }
            }
        });
        scene.check_responsive("a flood at the port");
        eventually("the owner is admitted over the port", STEP_TIMEOUT, || {
            let mut raw = Raw::port(port);
            raw.try_prove(token_of(&scene.host)).then_some(())
        });
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    scene.wait_for_descriptors(descriptors);
    scene.wait_for_clients(0);
}
