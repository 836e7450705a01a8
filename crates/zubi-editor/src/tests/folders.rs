//! Changes of the editor's open folders.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use async_trait::async_trait;
use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use zubi_host::{CallContext, CallRequest};

use super::client::Client;
use super::host::{Calls, Fake};

/// Time limit for events that must happen.
const EVENT_TIMEOUT: Duration = Duration::from_mins(1);

fn options() -> Value {
    json!({ "zubi": { "editorProtocol": 1 } })
}

/// Reports opened and closed folders, as paths below the first one; "" is that one.
pub(super) fn change(client: &mut Client, opened: &[&str], closed: &[&str]) {
    let folders = |paths: &[&str]| -> Vec<Value> {
        let folder = |path: &&str| json!({ "uri": client.uri(path).trim_end_matches('/'), "name": path });
        paths.iter().map(folder).collect()
    };
    let event = json!({ "added": folders(opened), "removed": folders(closed) });
    client.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
}

#[test]
fn tools_use_the_open_folders() {
    let shapes = "//- one/circle.ts\nexport class Shape {}\n//- two/square.ts\nexport class Shape {}\n";
    let mut client = Client::new(&options(), shapes);
    let shapes = |client: &mut Client| {
        let answer = client.call("lsp_workspace_symbols", &json!({ "query": "Shape" }));
        // The next line lists the servers.
        answer.lines().filter(|line| line.starts_with("  ")).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(shapes(&mut client), @"
    class Shape  one/circle.ts:1:14
    class Shape  two/square.ts:1:14
    ");
    change(&mut client, &["two"], &[""]);
    assert_snapshot!(shapes(&mut client), @"  class Shape  square.ts:1:14");
    change(&mut client, &["one"], &[]);
    assert_snapshot!(shapes(&mut client), @"
    class Shape  one/circle.ts:1:14
    class Shape  two/square.ts:1:14
    ");
}

/// A host whose tool answers with the host's folder; `wait` answers only when permitted.
struct Slow {
    folder: String,
    permits: Arc<Semaphore>,
    sender: Sender<String>,
}

impl Slow {
    fn report(&self, event: &str) {
        self.sender.send(format!("{} {event}", self.folder)).unwrap();
    }
}

#[async_trait]
impl Calls for Slow {
    async fn call(&self, request: CallRequest, _context: CallContext) -> String {
        self.report("asked");
        if request.tool == "wait" {
            self.permits.acquire().await.unwrap().forget();
        }
        self.folder.clone()
    }

    fn end(&self) {
        self.report("ended");
    }
}

/// An editor, the events of its hosts, and the permits for `wait`.
fn slow_hosts() -> (Client, Receiver<String>, Arc<Semaphore>) {
    let (sender, events) = channel();
    let permits = Arc::new(Semaphore::new(0));
    let permits_handle = Arc::clone(&permits);
    let client = Client::with_host(&options(), "", move |spec, _| {
        let folder = spec.folders.iter().filter_map(|folder| folder.file_name()).collect::<Vec<_>>().join("+");
        let host = Slow { folder, permits: Arc::clone(&permits), sender: sender.clone() };
        host.report("made");
        Ok(Arc::new(Fake(host)))
    });
    (client, events, permits_handle)
}

#[test]
fn a_host_ends_when_its_last_call_is_over() {
    let (mut client, events, permits_handle) = slow_hosts();
    let next = || events.recv_timeout(EVENT_TIMEOUT).unwrap();
    let waiting = client.begin("zubi/tools/call", json!({ "id": "wait" }));
    assert_eq!([next(), next()], ["project made", "project asked"]);
    change(&mut client, &["two"], &[""]);
    // Another host answers while the previous one still has a running call.
    assert_eq!(client.call("now", &json!({})), "two");
    assert_eq!([next(), next()], ["two made", "two asked"]);
    assert_eq!(events.try_recv().ok(), None);
    permits_handle.add_permits(1);
    assert_eq!(client.answer(&waiting).unwrap()["text"], "project");
    assert_eq!(next(), "project ended");
    drop(client);
    assert_eq!(next(), "two ended");
    assert_eq!(events.try_recv().ok(), None);
}

#[test]
fn a_host_is_created_before_the_first_request() {
    let (mut client, events, _) = slow_hosts();
    let next = || events.recv_timeout(EVENT_TIMEOUT).unwrap();
    assert_eq!(next(), "project made");
    change(&mut client, &["two"], &[""]);
    let mut next_events = [next(), next()];
    next_events.sort();
    assert_eq!(next_events, ["project ended", "two made"]);
    drop(client);
    assert_eq!(next(), "two ended");
}

#[test]
fn unchanged_folders_reuse_their_host() {
    let (mut client, events, _) = slow_hosts();
    assert_eq!(client.call("now", &json!({})), "project");
    change(&mut client, &[""], &[]);
    assert_eq!(client.call("now", &json!({})), "project");
    change(&mut client, &["two"], &[""]);
    change(&mut client, &["three"], &[]);
    assert_eq!(client.call("now", &json!({})), "two+three");
    drop(client);
    // Until every sender is dropped.
    let mut all_events: Vec<String> = events.iter().collect();
    assert_eq!(all_events[..3], ["project made", "project asked", "project asked"]);
    // The order of the ends varies, and the host in between may not have been created.
    all_events[3..].sort();
    let (between, rest): (Vec<_>, Vec<_>) = all_events[3..].iter().partition(|event| event.starts_with("two "));
    assert!(between.is_empty() || between == ["two ended", "two made"], "{between:?}");
    assert_eq!(rest, ["project ended", "two+three asked", "two+three ended", "two+three made"]);
}
