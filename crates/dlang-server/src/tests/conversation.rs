//! Protocol rules: start and shutdown; unknown, cancelled and invalid requests; panics.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use dlang_model::{file_index, project_files};
use insta::assert_snapshot;
use lsp_server::{Message, Request, RequestId};
use serde_json::{Value, json};

use super::client::{Client, TestFiles, full_capabilities, options, pull_capabilities, uri_of};
use crate::{ClientError, Exit, Initialize, MethodTable, RequestError, RequestResponder};

fn begin(extra: MethodTable) -> Client {
    let files = TestFiles::new("//- a.dlang\nTeam A\n");
    Client::begin(options(&files), files, extra)
}

/// Returns an initialized client of a server with this table.
fn client_with_table(extra: MethodTable) -> Client {
    let mut client = begin(extra);
    client.initialize(&full_capabilities(), &["/w"]);
    client
}

#[test]
fn server_capabilities() {
    let mut client = begin(MethodTable::new());
    assert_snapshot!(client.initialize(&full_capabilities(), &["/w"]), @r#"{"capabilities":{"positionEncoding":"utf-16","textDocumentSync":{"openClose":true,"change":2},"completionProvider":{"triggerCharacters":[".","\"","/","[","@"],"resolveProvider":true},"hoverProvider":true,"definitionProvider":true,"referencesProvider":true,"documentHighlightProvider":true,"documentSymbolProvider":true,"codeActionProvider":{"codeActionKinds":["quickfix"]},"codeLensProvider":{"resolveProvider":false},"documentLinkProvider":{"resolveProvider":false},"workspaceSymbolProvider":true,"documentFormattingProvider":true,"documentRangeFormattingProvider":true,"renameProvider":{"prepareProvider":true},"foldingRangeProvider":true,"selectionRangeProvider":true,"semanticTokensProvider":{"legend":{"tokenTypes":["keyword","operator","string","comment","namespace","class","type","enum","property","struct","variable","enumMember"],"tokenModifiers":["declaration","documentation"]},"range":true,"full":{"delta":true}},"inlayHintProvider":true,"diagnosticProvider":{"identifier":"domain-lang","interFileDependencies":true,"workspaceDiagnostics":true},"workspace":{"workspaceFolders":{"supported":true,"changeNotifications":true},"fileOperations":{"willRename":{"filters":[{"scheme":"file","pattern":{"glob":"**/*.dlang","matches":"file"}},{"scheme":"file","pattern":{"glob":"**/*","matches":"folder"}}]}}}},"serverInfo":{"name":"domainlang","version":"0"}}"#);
    let mut client = begin(MethodTable::new());
    let plain = client.initialize(&json!({ "general": { "positionEncodings": ["x", "utf-32", "utf-8"] } }), &[]);
    assert_eq!(plain["capabilities"]["positionEncoding"], "utf-32");
    assert_eq!(plain["capabilities"].get("diagnosticProvider"), None);
    assert_eq!(plain["capabilities"].get("codeActionProvider"), None);
}

#[test]
fn requests_before_initialize_are_rejected() {
    let mut client = begin(MethodTable::new());
    client.open("a.dlang", 1, "Team A");
    assert_snapshot!(client.try_send_request("textDocument/hover", json!({})).unwrap_err(), @r#"{"code":-32002,"message":"`initialize` comes first"}"#);
    assert_snapshot!(client.try_send_request("shutdown", Value::Null).unwrap_err(), @r#"{"code":-32002,"message":"`initialize` comes first"}"#);
    assert_eq!(client.finish(), Exit::Abrupt);
}

#[test]
fn no_messages_are_sent_before_the_initialize_response() {
    let extra = MethodTable::new().extend(|Initialize { client, .. }| {
        client.notify("test/told", json!({}));
        let request_id = client.request("test/asked", json!({}), drop);
        client.cancel(&request_id);
        client.notify("window/logMessage", json!({}));
        MethodTable::new()
    });
    let mut client = begin(extra);
    client.begin_request("initialize", json!({}));
    let mut received = Vec::new();
    while received.len() < 5 {
        received.push(match client.receive() {
            Message::Response(_) => "the answer".to_owned(),
            Message::Request(it) => it.method,
            Message::Notification(it) => it.method,
        });
    }
    assert_snapshot!(received.join(", "), @"window/logMessage, the answer, test/told, test/asked, $/cancelRequest");
    assert_eq!(client.exit(), Exit::Abrupt);
}

#[test]
fn initialize_and_shutdown_are_accepted_once() {
    let mut client = client_with_table(MethodTable::new());
    assert_snapshot!(client.try_send_request("initialize", json!({})).unwrap_err(), @r#"{"code":-32600,"message":"the server is initialized already"}"#);
    assert_eq!(client.send_request("shutdown", Value::Null), Value::Null);
    assert_snapshot!(client.try_send_request("shutdown", Value::Null).unwrap_err(), @r#"{"code":-32600,"message":"the server is shut down"}"#);
    assert_eq!(client.exit(), Exit::Orderly);
}

#[test]
fn the_server_exits_when_the_client_disconnects() {
    let (connection, server) = lsp_server::Connection::memory();
    let server = crate::run(server, options(&TestFiles::new("")), MethodTable::new()).unwrap();
    drop(connection);
    assert_eq!(server.join(), Exit::Abrupt);
}

#[test]
fn invalid_parameters_are_rejected() {
    let mut client = client_with_table(MethodTable::new());
    let params_at = |position: &Value| json!({ "textDocument": { "uri": uri_of("a.dlang") }, "position": position });
    let params = params_at(&json!({ "line": "one", "character": 1 }));
    assert_snapshot!(client.try_send_request("textDocument/hover", params).unwrap_err(), @r#"{"code":-32602,"message":"Invalid params: position.line: invalid type: string \"one\", expected u32","data":{"field":"position.line"}}"#);
    assert_snapshot!(client.try_send_request("textDocument/hover", Value::Null).unwrap_err(), @r#"{"code":-32602,"message":"Invalid params: invalid type: null, expected struct HoverParams"}"#);
    assert_snapshot!(client.try_send_request("textDocument/nothing", Value::Null).unwrap_err(), @r#"{"code":-32601,"message":"there is no method `textDocument/nothing`"}"#);
    for (method, params) in [
        ("textDocument/didOpen", json!({ "textDocument": 1 })),
        ("textDocument/didChange", json!([])),
        (
            "textDocument/didChange",
            json!({ "textDocument": { "uri": "file:///w/no.dlang", "version": 1 }, "contentChanges": [{ "text": "" }] }),
        ),
        ("textDocument/didClose", json!({ "textDocument": { "uri": "file:///w/no.dlang" } })),
        ("workspace/didChangeWorkspaceFolders", json!({ "event": 7 })),
        ("workspace/didChangeWatchedFiles", json!("?")),
        ("$/cancelRequest", json!({ "id": 1.5 })),
        ("$/setTrace", json!({})),
        ("unknown", Value::Null),
    ] {
        client.notify(method, params);
    }
    let far = params_at(&json!({ "line": 0, "character": 4_000_000_000_u32 }));
    assert_eq!(client.send_request("textDocument/hover", far)["range"]["start"]["character"], 5);
}

#[test]
fn a_response_without_a_request_is_dropped() {
    let mut client = client_with_table(MethodTable::new());
    client.respond(RequestId::from(99), json!(1));
    client.send_request("domainlang/get", json!({}));
}

#[test]
fn a_panic_ends_one_request() {
    let extra = MethodTable::new()
        .with_query("test/panic", |_, _, _| panic!("intended"))
        .start("test/panics", |_, _| panic!("intended"))
        .on_notification("test/heard", |_| panic!("intended"));
    let mut client = client_with_table(extra);
    assert_snapshot!(client.try_send_request("test/panic", Value::Null).unwrap_err(), @r#"{"code":-32603,"message":"test/panic failed: a defect of the server"}"#);
    assert_snapshot!(client.try_send_request("test/panics", Value::Null).unwrap_err(), @r#"{"code":-32603,"message":"the request was dropped without an answer"}"#);
    client.notify("test/heard", Value::Null);
    assert_eq!(client.send_request("domainlang/get", json!({}))["summary"]["teamCount"], 1);
}

#[test]
fn server_methods_take_precedence() {
    let mut client = client_with_table(MethodTable::new().with_query("domainlang/get", |_, _, _| Ok(json!("another"))));
    assert_eq!(client.send_request("domainlang/get", json!({}))["summary"]["teamCount"], 1);
}

/// Returns a method that reports its start and its cancellation; its first runs end only on cancellation.
fn blocking_method(runs: usize) -> (MethodTable, Receiver<&'static str>) {
    let (sender, events) = channel();
    let state = Mutex::new((sender, runs));
    let table = MethodTable::new().with_query("test/work", move |snapshot, _, _| {
        let (sender, is_blocking) = {
            let mut state = state.lock().unwrap();
            let left = state.1;
            state.1 = left.saturating_sub(1);
            (state.0.clone(), left > 0)
        };
        sender.send("begins").unwrap();
        loop {
            let count = snapshot.query(|db| {
                let files = project_files(db);
                files.iter().map(|file| file_index(db, *file).elements.len()).sum::<usize>()
            });
            match count {
                Ok(count) if !is_blocking => return Ok(json!(count)),
                Ok(_) => std::thread::yield_now(),
                Err(cancelled) => {
                    sender.send("is cancelled").unwrap();
                    return Err(cancelled.into());
                }
            }
        }
    });
    (table, events)
}

#[test]
fn a_cancelled_request_is_answered_at_once() {
    let (table, runs) = blocking_method(1);
    let mut client = client_with_table(table);
    let id = client.begin_request("test/work", Value::Null);
    assert_eq!(runs.recv(), Ok("begins"));
    client.notify("$/cancelRequest", json!({ "id": id }));
    assert_snapshot!(client.answer(&id).unwrap_err(), @r#"{"code":-32800,"message":"cancelled by the client"}"#);
    assert_eq!(runs.recv(), Ok("is cancelled"));
    // The next change is applied without delay.
    client.open("a.dlang", 1, "Team A\nTeam B");
    assert_eq!(client.send_request("test/work", Value::Null), json!(2));
    // A request that has been answered can no longer be cancelled.
    client.notify("$/cancelRequest", json!({ "id": id }));
}

#[test]
fn a_change_retries_the_query_once() {
    let (table, runs) = blocking_method(1);
    let mut client = client_with_table(table);
    let id = client.begin_request("test/work", Value::Null);
    assert_eq!(runs.recv(), Ok("begins"));
    client.open("a.dlang", 1, "Team A\nTeam B");
    assert_eq!(client.answer(&id), Ok(json!(2)));
}

#[test]
fn after_two_changes_the_query_returns_content_modified() {
    let (table, runs) = blocking_method(2);
    let mut client = client_with_table(table);
    let id = client.begin_request("test/work", Value::Null);
    assert_eq!(runs.recv(), Ok("begins"));
    client.open("a.dlang", 1, "Team A\nTeam B");
    assert_eq!(runs.recv(), Ok("is cancelled"));
    assert_eq!(runs.recv(), Ok("begins"));
    client.replace("a.dlang", 2, "Team A\nTeam C");
    assert_snapshot!(client.answer(&id).unwrap_err(), @r#"{"code":-32801,"message":"the model changed; retry the request"}"#);
}

#[test]
fn two_requests_with_one_id() {
    let (table, runs) = blocking_method(1);
    let mut client = client_with_table(table);
    let id = client.begin_request("test/work", Value::Null);
    assert_eq!(runs.recv(), Ok("begins"));
    client.send(Request { id: id.clone(), method: "test/work".to_owned(), params: Value::Null });
    assert_snapshot!(client.answer(&id).unwrap_err(), @r#"{"code":-32600,"message":"a request with this id has no answer yet"}"#);
    client.open("a.dlang", 1, "Team A\nTeam B");
    assert_eq!(client.answer(&id), Ok(json!(2)));
}

#[test]
fn a_started_request_can_be_answered_later() {
    let (sender, responders) = channel::<RequestResponder>();
    let sender = Mutex::new(sender);
    let extra = MethodTable::new().start("test/start", move |params, responder| {
        if params.is_null() {
            drop(responder);
        } else {
            sender.lock().unwrap().send(responder).unwrap();
        }
    });
    let mut client = client_with_table(extra);
    let id = client.begin_request("test/start", json!(1));
    let responder = responders.recv().unwrap();
    assert!(!responder.cancel().is_cancelled());
    responder.answer(Err(RequestError::Failed("no".to_owned())));
    assert_snapshot!(client.answer(&id).unwrap_err(), @r#"{"code":-32803,"message":"no"}"#);

    let id = client.begin_request("test/start", json!(1));
    let responder = responders.recv().unwrap();
    let (sender, cancelled) = channel();
    responder.cancel().on_cancel(move || sender.send(()).unwrap());
    client.notify("$/cancelRequest", json!({ "id": id }));
    cancelled.recv().unwrap();
    assert!(responder.cancel().is_cancelled());
    responder.answer(Ok(json!("too late")));
    assert_eq!(client.answer(&id).unwrap_err()["code"], -32800);

    assert_snapshot!(client.try_send_request("test/start", Value::Null).unwrap_err(), @r#"{"code":-32603,"message":"the request was dropped without an answer"}"#);
}

#[test]
fn host_methods_are_added_for_clients_that_support_them() {
    let table = || {
        MethodTable::new().extend(|client: Initialize<'_>| {
            assert_eq!(client.folders, ["/w"]);
            match client.params.pointer("/capabilities/experimental/more") {
                Some(_) => MethodTable::new()
                    .experimental("more", json!({ "version": 1 }))
                    .start("test/more", |_, responder| responder.answer(Ok(json!("more")))),
                None => MethodTable::new(),
            }
        })
    };
    for (capabilities, expected) in [
        (json!({ "experimental": { "more": true } }), Ok(json!("more"))),
        (json!({}), Err(json!({ "code": -32601, "message": "there is no method `test/more`" }))),
    ] {
        let mut client = begin(table());
        let mut client_capabilities = pull_capabilities();
        client_capabilities["experimental"] = capabilities["experimental"].clone();
        let answer = client.initialize(&client_capabilities, &["/w"]);
        let version = answer.pointer("/capabilities/experimental/more/version");
        assert_eq!(version.is_some(), expected.is_ok(), "{answer}");
        assert_eq!(client.try_send_request("test/more", json!({})), expected);
    }
}

#[test]
fn host_notifications_are_delivered_in_order() {
    let received = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&received);
    let mut client = client_with_table(
        MethodTable::new().on_notification("test/say", move |params| sink.lock().unwrap().push(params)),
    );
    (0..3).for_each(|number| client.notify("test/say", json!(number)));
    client.send_request("domainlang/get", json!({}));
    assert_eq!(*received.lock().unwrap(), [json!(0), json!(1), json!(2)]);
}

#[test]
fn the_host_sends_requests_to_the_client() {
    let mut client = client_with_table(MethodTable::new());
    let handle = client.server().client().clone();
    let (answers, answered) = channel();
    let send = || {
        let answers = answers.clone();
        let report = move |answer| answers.send(answer).unwrap();
        handle.request("zubi/editor/request", json!({ "method": "m" }), report)
    };
    send();
    let request = client.request("zubi/editor/request");
    client.respond(request.id, json!("yes"));
    assert_eq!(answered.recv().unwrap(), Ok(json!("yes")));

    let id = send();
    client.request("zubi/editor/request");
    handle.cancel(&id);
    assert_eq!(client.notification("$/cancelRequest")["id"], json!(id));

    send();
    client.request("zubi/editor/request");
    assert_eq!(client.finish(), Exit::Orderly);
    assert_eq!(answered.recv().unwrap(), Err(ClientError::Closed));
    send();
    assert_eq!(answered.recv().unwrap(), Err(ClientError::Closed));
}

/// Started requests are stored by the test, so that they pile up.
#[test]
fn excess_pending_requests_are_refused() {
    let responders = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&responders);
    let extra = MethodTable::new().start("test/hold", move |_, responder| sink.lock().unwrap().push(responder));
    let mut client = client_with_table(extra);
    let ids: Vec<RequestId> = (0..4097).map(|_| client.begin_request("test/hold", Value::Null)).collect();
    let (last, others) = ids.split_last().unwrap();
    assert_snapshot!(client.answer(last).unwrap_err(), @r#"{"code":-32803,"message":"too many pending requests, limit 4096"}"#);
    // They are dropped with the server.
    responders.lock().unwrap().clear();
    client.notify("$/setTrace", json!({}));
    for id in others {
        client.notify("$/cancelRequest", json!({ "id": id }));
    }
    for id in others {
        assert!(client.answer(id).is_err());
    }
    responders.lock().unwrap().clear();
}
