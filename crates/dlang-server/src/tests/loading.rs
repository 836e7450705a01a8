//! Behaviour while the workspace loads: waiting requests, answers, progress.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use crossbeam_channel::{TryRecvError, bounded};
use dlang_workspace::files::{Bounds, Files, Kind, ReadError, Stamp, Walk};
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::client::{Client, TestFiles, full_capabilities, options};
use crate::{MethodTable, ServerConfig};

/// Files whose reads block until the test allows them.
struct SlowFiles {
    files: Arc<TestFiles>,
    signal: Mutex<OpenSignal>,
    changed: Condvar,
}

#[derive(Default)]
struct OpenSignal {
    is_open: bool,
    /// Number of reads since it was last closed.
    started: usize,
}

impl SlowFiles {
    fn new(files: &Arc<TestFiles>) -> Arc<Self> {
        Arc::new(Self { files: Arc::clone(files), signal: Mutex::default(), changed: Condvar::new() })
    }

    fn open(&self) {
        self.signal.lock().unwrap().is_open = true;
        self.changed.notify_all();
    }

    fn close(&self) {
        *self.signal.lock().unwrap() = OpenSignal::default();
    }

    /// Waits until this number of reads has started.
    fn wait_for(&self, count: usize) {
        let signal = self.signal.lock().unwrap();
        drop(self.changed.wait_while(signal, |signal| signal.started < count).unwrap());
    }

    fn started_reads(&self) -> usize {
        self.signal.lock().unwrap().started
    }
}

impl Files for SlowFiles {
    fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        self.files.kind(path)
    }

    fn read(&self, path: &Utf8Path, max: usize) -> Result<Vec<u8>, ReadError> {
        let mut signal = self.signal.lock().unwrap();
        signal.started += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(signal, |signal| !signal.is_open).unwrap());
        self.files.read(path, max)
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.files.canonical(path)
    }

    fn stamp(&self, path: &Utf8Path) -> Option<Stamp> {
        self.files.stamp(path)
    }

    fn walk(&self, folder: &Utf8Path, bounds: Bounds) -> Walk {
        self.files.walk(folder, bounds)
    }
}

/// A client of a server that is loading until the files are opened.
fn loading(limit: Duration, capabilities: &Value) -> (Client, Arc<SlowFiles>) {
    loading_fixture("//- a.dlang\nTeam A\n//- b.dlang\nTeam B\n", limit, capabilities)
}

fn loading_fixture(fixture: &str, limit: Duration, capabilities: &Value) -> (Client, Arc<SlowFiles>) {
    let files = TestFiles::new(fixture);
    let slow = SlowFiles::new(&files);
    let options = ServerConfig { files: Arc::clone(&slow) as _, loading_limit: limit, ..options(&files) };
    let mut client = Client::begin(options, files, MethodTable::new());
    client.initialize(capabilities, &["/w"]);
    (client, slow)
}

#[test]
fn programs_receive_loading_progress() {
    let (mut client, slow) = loading(Duration::ZERO, &full_capabilities());
    for method in ["validate", "list", "get", "explain"] {
        assert_eq!(client.send_request(&format!("domainlang/{method}"), json!({}))["error"], "workspace is loading");
    }
    // The count is that of the last report before the blocked read.
    let answer = client.send_request("domainlang/get", json!({}));
    assert_eq!(answer["progress"]["loaded"], 0);
    let (sender, file_counts) = bounded(1);
    client
        .server()
        .model()
        .with_snapshot(move |snapshot| sender.send(snapshot.workspace().files().unwrap().len()).unwrap());
    assert_eq!(client.server().model().progress().loaded, 0);
    assert_eq!(file_counts.try_recv(), Err(TryRecvError::Empty));
    slow.open();
    // An editor's request waits for the model; after that, programs get results, too.
    assert_eq!(client.send_request("workspace/symbol", json!({ "query": "" })).as_array().unwrap().len(), 2);
    assert_eq!(client.send_request("domainlang/get", json!({}))["summary"]["teamCount"], 2);
    assert_eq!(file_counts.recv_timeout(Duration::from_mins(1)), Ok(2));
}

#[test]
fn requests_within_the_limit_are_answered() {
    let (mut client, slow) = loading(Duration::MAX, &full_capabilities());
    client.open("a.dlang", 1, "Team A\nTeam C\n");
    let early = client.begin_request("domainlang/get", json!({}));
    let cancelled = client.begin_request("domainlang/get", json!({}));
    client.notify("$/cancelRequest", json!({ "id": cancelled }));
    assert_eq!(client.answer(&cancelled).unwrap_err()["code"], -32800);
    slow.open();
    assert_eq!(client.answer(&early).unwrap()["summary"]["teamCount"], 3);
}

#[test]
fn the_server_ends_while_loading() {
    let (client, slow) = loading(Duration::MAX, &full_capabilities());
    drop(client);
    slow.open();
}

/// Every thread of the pool is busy with a request that loads a model of its own.
#[test]
fn cancelling_a_request_stops_loading_its_model() {
    const FILES: usize = 400;
    let files: Vec<String> = (0..FILES).map(|number| format!("//- {number}.dlang\nTeam T{number}\n")).collect();
    let (mut client, slow) = loading_fixture(&files.concat(), Duration::MAX, &full_capabilities());
    slow.open();
    assert_eq!(client.send_request("domainlang/get", json!({}))["summary"]["fileCount"], FILES);
    slow.close();
    let ids: Vec<_> = (0..6).map(|_| client.begin_request("domainlang/get", json!({ "path": "." }))).collect();
    slow.wait_for(3);
    for id in ids {
        client.notify("$/cancelRequest", json!({ "id": id }));
        assert_eq!(client.answer(&id).unwrap_err()["code"], -32800);
    }
    slow.open();
    // Answered as soon as a thread is free.
    client.send_request("workspace/symbol", json!({ "query": "T7" }));
    assert!(slow.started_reads() < FILES, "{} files were read", slow.started_reads());
}

#[test]
fn loading_progress_is_reported() {
    let mut capabilities = full_capabilities();
    capabilities["window"] = json!({ "workDoneProgress": true });
    let (mut client, slow) = loading(Duration::ZERO, &capabilities);
    let create = client.request("window/workDoneProgress/create");
    assert_eq!(create.params, json!({ "token": "domainlang/load/1" }));
    client.respond(create.id, Value::Null);
    assert_snapshot!(client.notification("$/progress"), @r#"{"token":"domainlang/load/1","value":{"kind":"begin","title":"DomainLang: Indexing workspace","percentage":0}}"#);
    slow.open();
    assert_snapshot!(client.notification("$/progress"), @r#"{"token":"domainlang/load/1","value":{"kind":"report","percentage":100,"message":"2/2 files"}}"#);
    assert_snapshot!(client.notification("$/progress"), @r#"{"token":"domainlang/load/1","value":{"kind":"end"}}"#);
}

#[test]
fn progress_is_not_reported_when_loading_ends_first() {
    let mut capabilities = full_capabilities();
    capabilities["window"] = json!({ "workDoneProgress": true });
    let (mut client, slow) = loading(Duration::ZERO, &capabilities);
    let create = client.request("window/workDoneProgress/create");
    slow.open();
    client.send_request("workspace/symbol", json!({ "query": "" }));
    client.respond(create.id, Value::Null);
    client.send_request("workspace/symbol", json!({ "query": "" }));
}
