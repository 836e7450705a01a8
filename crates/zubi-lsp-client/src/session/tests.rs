//! Tests of `session`.

use std::fmt::Write as _;

use insta::assert_snapshot;
use zubi_base::framing::Message;

use super::delivery::MAX_OPENED_AT_ONCE;
use super::*;
use crate::capabilities::ChangeKind;
use crate::testing::TestWorkspace;
use crate::watch::{WatchedEntry, WatchedFileChange};

fn change(workspace: &TestWorkspace, name: &str, kind: ChangeKind) -> WatchedFileChange {
    WatchedFileChange { path: workspace.path(name), kind, entry: WatchedEntry::File }
}

/// Returns the next messages in a short form, up to the `end` notification.
async fn sync_messages(session: &ServerSession, server: &mut crate::testing::FakeServer, root: &Utf8Path) -> String {
    OutgoingSync::notify(&session.connection, "end", Value::Null);
    let mut lines = Vec::new();
    loop {
        match server.next().await {
            Some(Message::Notification(message)) if message.method == "end" => return lines.join("\n"),
            Some(Message::Notification(message)) => {
                let method = message.method.rsplit('/').next().unwrap().to_owned();
                let what = match message.params.get("changes") {
                    Some(Value::Array(changes)) => changes.iter().fold(String::new(), |mut text, change| {
                        write!(text, " {} {}", change["type"], change["uri"]).unwrap();
                        text
                    }),
                    _ => format!(" {}", message.params.pointer("/textDocument/uri").unwrap_or(&Value::Null)),
                };
                lines.push(format!("{method}{what}").replace(root.as_str(), "/W").replace('"', ""));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn the_handshake_identifies_zubi_and_reads_the_server_capabilities() {
    let mut workspace = TestWorkspace::new(&[]);
    workspace.spec.push_settings = true;
    workspace.spec.initialization_options = json!({ "x": 1 });
    let (mut server, session) = workspace.connect();
    let (id, params) = server.expect_request("initialize").await;
    assert_eq!(params["rootUri"], json!(zubi_base::uri::from_path(&workspace.root)));
    assert_eq!(params["initializationOptions"], json!({ "x": 1 }));
    assert_eq!(
        params.pointer("/capabilities/general/positionEncodings").unwrap(),
        &json!(["utf-8", "utf-32", "utf-16"])
    );
    assert_eq!(params["processId"], json!(std::process::id()));
    // Some servers register before their `initialize` response.
    let registration = json!({ "registrations": [{ "id": "1", "method": "textDocument/hover" }] });
    server.request("client/registerCapability", registration).await.unwrap();
    let answer =
        json!({ "capabilities": { "positionEncoding": "utf-32" }, "serverInfo": { "name": "s", "version": "2" } });
    server.reply(id, answer).await;
    let session = session.await.unwrap().unwrap();
    server.expect_notification("initialized").await;
    assert_eq!(
        server.expect_notification("workspace/didChangeConfiguration").await["settings"]["fake.dotted"],
        json!(2)
    );
    assert_eq!((session.encoding(), session.server_version()), (Encoding::Utf32, Some("s 2")));
    assert!(session.peer().capabilities().supports("textDocument/hover", None));
    // The endpoint cannot send requests to the server yet.
    assert_eq!(*workspace.readiness.borrow(), Readiness::Starting);
    session.peer().activate();
    assert_eq!(*workspace.readiness.borrow(), Readiness::Ready);
}

#[tokio::test]
async fn the_encoding_of_the_catalogue_counts_more_than_the_one_that_the_server_names() {
    for (named, known, expected) in [
        (json!({}), None, Encoding::Utf16),
        (json!({}), Some(Encoding::Utf32), Encoding::Utf32),
        (json!({ "positionEncoding": "utf-8" }), None, Encoding::Utf8),
        (json!({ "positionEncoding": "utf-8" }), Some(Encoding::Utf32), Encoding::Utf32),
    ] {
        let mut workspace = TestWorkspace::new(&[]);
        workspace.spec.encoding = known;
        let (mut server, session) = workspace.connect();
        let (id, _) = server.expect_request("initialize").await;
        server.reply(id, json!({ "capabilities": named })).await;
        assert_eq!(session.await.unwrap().unwrap().encoding(), expected);
    }
}

#[tokio::test]
async fn a_server_that_refuses_or_exits_is_not_started() {
    let workspace = TestWorkspace::new(&[]);
    let (mut server, session) = workspace.connect();
    let (id, _) = server.expect_request("initialize").await;
    server.refuse(id, -32603, None).await;
    assert_snapshot!(session.await.unwrap().err().unwrap(), @"`initialize` failed: no (-32603)");
    let (mut server, session) = workspace.connect();
    server.expect_request("initialize").await;
    drop(server);
    assert_snapshot!(session.await.unwrap().err().unwrap(), @"the connection was closed");
}

#[tokio::test]
async fn a_server_that_needs_a_document_gets_one_and_is_not_ready_before() {
    let mut workspace = TestWorkspace::new(&[("src/a.rs", "fn a() {}"), ("proj.json", "{}")]);
    workspace.spec.needs_document = true;
    workspace.spec.signal = ReadinessSignal::Progress {
        titles: vec!["indexing".to_owned()],
        project_files: vec!["proj.json".to_owned()],
        confirmations: Vec::new(),
    };
    let mut states = workspace.readiness.subscribe();
    let (session, mut server) = workspace.start(json!({ "textDocumentSync": 1 })).await;
    let opened = server.expect_notification("textDocument/didOpen").await;
    assert_eq!(opened.pointer("/textDocument/languageId").unwrap(), "rust");
    assert!(matches!(*states.borrow_and_update(), Readiness::Loading { .. }));
    server.notify("$/progress", json!({ "token": 1, "value": { "kind": "begin", "title": "indexing" } })).await;
    server.notify("$/progress", json!({ "token": 1, "value": { "kind": "end" } })).await;
    crate::testing::wait_until(&mut states, |state| *state == Readiness::Ready).await;
    drop(session);
}

#[tokio::test]
async fn server_without_a_document_to_open_is_not_awaited() {
    let mut workspace = TestWorkspace::new(&[("proj.json", "{}")]);
    workspace.spec.needs_document = true;
    workspace.spec.signal = ReadinessSignal::Progress {
        titles: Vec::new(),
        project_files: vec!["proj.json".to_owned()],
        confirmations: Vec::new(),
    };
    let (_session, _server) = workspace.start(json!({ "textDocumentSync": 1 })).await;
    assert!(matches!(*workspace.readiness.borrow(), Readiness::Unknown { .. }));
}

#[tokio::test]
async fn changes_on_disk_reach_a_server_as_it_registered_for_them() {
    let workspace = TestWorkspace::new(&[("a.rs", "1"), ("b.rs", "1"), ("c.py", "1"), ("Cargo.toml", "")]);
    let (session, mut server) = workspace.start(json!({ "textDocumentSync": { "change": 2, "save": true } })).await;
    session.sync_document(&workspace.path("a.rs"), false).unwrap();
    server.expect_notification("textDocument/didOpen").await;
    let changes: Vec<_> =
        ["a.rs", "b.rs", "c.py", "Cargo.toml"].map(|name| change(&workspace, name, ChangeKind::Changed)).to_vec();
    workspace.write("a.rs", "2");
    // Without a registration: its own languages and project files.
    session.notify_changes(&changes);
    assert_snapshot!(sync_messages(&session, &mut server, &workspace.root).await, @"
    didChangeWatchedFiles 2 file:///W/a.rs 2 file:///W/b.rs 2 file:///W/Cargo.toml
    didChange file:///W/a.rs
    didSave file:///W/a.rs
    ");
    let watchers = json!([{ "globPattern": "**/*.py" }]);
    let registration =
        json!({ "id": "1", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": watchers } });
    server.request("client/registerCapability", json!({ "registrations": [registration] })).await.unwrap();
    session.notify_changes(&changes);
    session.notify_changes(&[change(&workspace, "a.rs", ChangeKind::Deleted)]);
    assert_snapshot!(sync_messages(&session, &mut server, &workspace.root).await, @"
    didChangeWatchedFiles 2 file:///W/c.py
    didClose file:///W/a.rs
    ");
}

#[tokio::test]
async fn changed_files_are_opened_up_to_a_limit() {
    let mut workspace = TestWorkspace::new(&[("c.py", "1")]);
    workspace.spec.freshness = Freshness::OpenedOnly;
    let (session, mut server) = workspace.start(json!({ "textDocumentSync": 1 })).await;
    let mut changes = vec![change(&workspace, "c.py", ChangeKind::Changed)];
    for number in 0..MAX_OPENED_AT_ONCE + 3 {
        workspace.write(&format!("{number}.rs"), "x");
        changes.push(change(&workspace, &format!("{number}.rs"), ChangeKind::Created));
    }
    assert_snapshot!(session.notify_changes(&changes).unwrap(), @"3 more files changed at once; fake may still be reading them");
    let messages = sync_messages(&session, &mut server, &workspace.root).await;
    assert_eq!(messages.lines().filter(|line| line.starts_with("didOpen")).count(), MAX_OPENED_AT_ONCE);
    assert!(!messages.contains("c.py"));
}

#[tokio::test]
async fn shutdown_is_orderly() {
    let workspace = TestWorkspace::new(&[]);
    let (session, mut server) = workspace.start(json!({})).await;
    let ending = tokio::spawn({
        let session = Arc::clone(&session);
        async move { session.shutdown().await }
    });
    let (id, params) = server.expect_request("shutdown").await;
    assert_eq!(params, Value::Null);
    server.reply(id, Value::Null).await;
    server.expect_notification("exit").await;
    assert!(server.next().await.is_none(), "the input is closed");
    ending.await.unwrap();
    assert_snapshot!(session.end_reason().borrow().clone().unwrap(), @"the connection was closed");
}

#[tokio::test]
async fn a_check_is_due_after_reading_the_project_and_after_saving() {
    let mut workspace = TestWorkspace::new(&[("a.rs", "1")]);
    workspace.spec.checker = Some(crate::testing::checker());
    let (session, mut server) = workspace.start(json!({ "textDocumentSync": { "change": 1, "save": true } })).await;
    let progress = |kind: &str| json!({ "token": "check/0", "value": { "kind": kind, "title": "cargo check" } });
    let checks = &session.peer().checks;
    assert_eq!(checks.pending_note().as_deref(), Some("cargo check still running"), "it runs once at the start");
    for (kind, expected) in [("begin", Some("cargo check still running")), ("end", None)] {
        server.notify("$/progress", progress(kind)).await;
        server.request("workspace/workspaceFolders", Value::Null).await.unwrap();
        assert_eq!(checks.pending_note().as_deref(), expected);
    }
    session.sync_document(&workspace.path("a.rs"), false).unwrap();
    assert_eq!(checks.pending_note().as_deref(), None);
    workspace.write("a.rs", "2");
    session.sync_document(&workspace.path("a.rs"), false).unwrap();
    assert_eq!(checks.pending_note().as_deref(), Some("cargo check still running"));
}

#[tokio::test]
async fn a_created_file_is_opened_for_a_server_that_finds_it_late() {
    let mut workspace = TestWorkspace::new(&[("a.rs", "1"), ("b.rs", "1")]);
    workspace.spec.freshness = Freshness::OpenCreated;
    let (session, mut server) = workspace.start(json!({ "textDocumentSync": 1, "diagnosticProvider": {} })).await;
    session.notify_changes(&[
        change(&workspace, "a.rs", ChangeKind::Created),
        change(&workspace, "b.rs", ChangeKind::Changed),
    ]);
    std::fs::remove_file(workspace.path("a.rs")).unwrap();
    session.notify_changes(&[change(&workspace, "a.rs", ChangeKind::Deleted)]);
    assert_snapshot!(sync_messages(&session, &mut server, &workspace.root).await, @"
    didChangeWatchedFiles 1 file:///W/a.rs 2 file:///W/b.rs
    didOpen file:///W/a.rs
    didSave file:///W/a.rs
    didChangeWatchedFiles 3 file:///W/a.rs
    didClose file:///W/a.rs
    ");
}

#[tokio::test]
async fn a_server_that_reads_only_opened_files_becomes_ready_after_reading_the_change() {
    let mut workspace = TestWorkspace::new(&[("a.rs", "1"), ("b.rs", "1")]);
    workspace.spec.freshness = Freshness::OpenedOnly;
    let (session, mut server) = workspace.start(json!({ "textDocumentSync": 1 })).await;
    let mut states = workspace.readiness.subscribe();
    std::fs::remove_file(workspace.path("b.rs")).unwrap();
    session.notify_changes(&[
        change(&workspace, "a.rs", ChangeKind::Changed),
        change(&workspace, "b.rs", ChangeKind::Deleted),
    ]);
    server.expect_notification("workspace/didChangeWatchedFiles").await;
    let mut opened = Vec::new();
    for text in ["1", ""] {
        let document = server.expect_notification("textDocument/didOpen").await["textDocument"].take();
        assert_eq!(document["text"], json!(text), "a deleted file is an empty one");
        server.expect_notification("textDocument/didSave").await;
        opened.push(document);
    }
    // Diagnostics for an older text do not show that the server has read this one.
    let publication = |version: i64| json!({ "uri": opened[0]["uri"], "version": version, "diagnostics": [] });
    server.notify("textDocument/publishDiagnostics", publication(0)).await;
    server.notify("textDocument/publishDiagnostics", json!({ "uri": opened[1]["uri"], "diagnostics": [] })).await;
    let reading =
        |state: &Readiness| matches!(state, Readiness::Loading { message: Some(text), .. } if text.contains(" 1 "));
    crate::testing::wait_until(&mut states, reading).await;
    server.notify("textDocument/publishDiagnostics", publication(opened[0]["version"].as_i64().unwrap())).await;
    crate::testing::wait_until(&mut states, |state| *state == Readiness::Ready).await;
    // Written again, it is no longer empty.
    workspace.write("b.rs", "2");
    session.notify_changes(&[change(&workspace, "b.rs", ChangeKind::Created)]);
    server.expect_notification("workspace/didChangeWatchedFiles").await;
    let changed = server.expect_notification("textDocument/didChange").await;
    assert_eq!(changed.pointer("/contentChanges/0/text"), Some(&json!("2")));
}

#[tokio::test]
async fn changes_of_closed_files_count_as_saved() {
    let mut workspace = TestWorkspace::new(&[("a.rs", "1"), ("b.rs", "1"), ("c.py", "1")]);
    workspace.spec.freshness = Freshness::OpenedOnly;
    let sync = json!({ "textDocumentSync": { "openClose": true, "change": 1, "save": true } });
    let (session, mut server) = workspace.start(sync.clone()).await;
    // A document that a request opens was not saved just now.
    session.sync_document(&workspace.path("a.rs"), false).unwrap();
    session.notify_changes(&[change(&workspace, "b.rs", ChangeKind::Changed)]);
    assert_snapshot!(sync_messages(&session, &mut server, &workspace.root).await, @"
    didOpen file:///W/a.rs
    didChangeWatchedFiles 2 file:///W/b.rs
    didOpen file:///W/b.rs
    didSave file:///W/b.rs
    ");

    workspace.spec.freshness = Freshness::WatchedFiles;
    workspace.spec.checker = Some(crate::testing::checker());
    let (session, mut server) = workspace.start(sync).await;
    session.notify_changes(&[
        change(&workspace, "a.rs", ChangeKind::Created),
        change(&workspace, "b.rs", ChangeKind::Changed),
        change(&workspace, "c.py", ChangeKind::Changed),
    ]);
    assert_snapshot!(sync_messages(&session, &mut server, &workspace.root).await, @"
    didChangeWatchedFiles 1 file:///W/a.rs 2 file:///W/b.rs
    didOpen file:///W/a.rs
    didSave file:///W/a.rs
    didOpen file:///W/b.rs
    didSave file:///W/b.rs
    ");
}

#[tokio::test]
async fn requests_wait_until_a_concurrent_server_has_processed_the_texts() {
    let mut workspace = TestWorkspace::new(&[("a.rs", "1")]);
    workspace.spec.barrier_method = Some("fake/barrier".to_owned());
    let (session, mut server) = workspace.start(json!({ "textDocumentSync": 1 })).await;
    let send_request = |method: &'static str| {
        let session = Arc::clone(&session);
        let deadline = Instant::now() + Duration::from_secs(10);
        tokio::spawn(async move { session.request(method, Value::Null, &CancellationToken::new(), deadline).await })
    };
    session.sync_document(&workspace.path("a.rs"), false).unwrap();
    server.expect_notification("textDocument/didOpen").await;
    // Both wait at one barrier, whatever its response is.
    let requests = [send_request("fake/one"), send_request("fake/two")];
    let (id, params) = server.expect_request("fake/barrier").await;
    assert_eq!(params["textDocument"]["uri"], json!(zubi_base::uri::from_path(&workspace.path("a.rs"))));
    server.refuse(id, -32803, None).await;
    for _ in &requests {
        match server.next().await {
            Some(Message::Request(request)) if request.method != "fake/barrier" => {
                server.reply(request.id, json!(1)).await;
            }
            other => panic!("{other:?}"),
        }
    }
    for request in requests {
        assert_eq!(request.await.unwrap().unwrap(), json!(1));
    }
    // No text was sent since, so no barrier is needed.
    let request = send_request("fake/three");
    let (id, _) = server.expect_request("fake/three").await;
    server.reply(id, json!(3)).await;
    request.await.unwrap().unwrap();
}

#[tokio::test]
async fn requests_wait_until_a_server_has_read_its_configuration_again() {
    let mut workspace = TestWorkspace::new(&[("a.rs", "1"), ("Cargo.toml", ""), ("sub/Cargo.toml", "")]);
    workspace.spec.signal = ReadinessSignal::ServerStatus;
    workspace.spec.reload = Some(ReloadRequest {
        method: "fake/reload".to_owned(),
        params: json!({ "all": true }),
        files: vec!["Cargo.toml".to_owned()],
        packages: Vec::new(),
    });
    let (session, mut server) = workspace.start(json!({ "textDocumentSync": 1 })).await;
    let mut states = workspace.readiness.subscribe();
    for quiescent in [false, true] {
        server.notify("experimental/serverStatus", json!({ "health": "ok", "quiescent": quiescent })).await;
    }
    crate::testing::wait_until(&mut states, |state| *state == Readiness::Ready).await;
    session.notify_changes(&[change(&workspace, "a.rs", ChangeKind::Changed)]);
    server.expect_notification("workspace/didChangeWatchedFiles").await;
    assert_eq!(*states.borrow(), Readiness::Ready, "a source is no configuration");
    session.notify_changes(&[change(&workspace, "sub/Cargo.toml", ChangeKind::Changed)]);
    assert!(matches!(*states.borrow(), Readiness::Loading { .. }));
    server.expect_notification("workspace/didChangeWatchedFiles").await;
    let (id, params) = server.expect_request("fake/reload").await;
    assert_eq!(params, json!({ "all": true }));
    let request = tokio::spawn({
        let session = Arc::clone(&session);
        let deadline = Instant::now() + Duration::from_secs(10);
        async move { session.request("fake/one", Value::Null, &CancellationToken::new(), deadline).await }
    });
    // This may still be about the old configuration.
    server.notify("experimental/serverStatus", json!({ "health": "ok", "quiescent": true })).await;
    server.request("workspace/workspaceFolders", Value::Null).await.unwrap();
    assert!(matches!(*states.borrow(), Readiness::Loading { .. }));
    server.reply(id, Value::Null).await;
    let (id, _) = server.expect_request("fake/one").await;
    server.reply(id, json!(1)).await;
    assert_eq!(request.await.unwrap().unwrap(), json!(1));
    for quiescent in [false, true] {
        server.notify("experimental/serverStatus", json!({ "health": "ok", "quiescent": quiescent })).await;
    }
    crate::testing::wait_until(&mut states, |state| *state == Readiness::Ready).await;
    // Another version of the server may not have the request.
    session.notify_changes(&[change(&workspace, "Cargo.toml", ChangeKind::Changed)]);
    server.expect_notification("workspace/didChangeWatchedFiles").await;
    let (id, _) = server.expect_request("fake/reload").await;
    server.refuse(id, -32601, None).await;
    crate::testing::wait_until(&mut states, |state| *state == Readiness::Ready).await;
}
