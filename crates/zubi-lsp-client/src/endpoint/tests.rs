//! Tests of `endpoint`.

use insta::assert_snapshot;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::EditCapture;
use zubi_base::process::CommandSpec;

use super::*;
use crate::catalogue::ServerAccess;
use crate::checks::BackgroundCheck;
use crate::testing::{FakeServer, FakeStarter, TestWorkspace};

mod overtaken;
mod retention;

/// An endpoint and the servers it starts, one after the other.
struct Fixture {
    workspace: TestWorkspace,
    endpoint: Arc<ServerEndpoint>,
    starts: mpsc::UnboundedReceiver<FakeServer>,
}

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Self {
        Self::with_workspace(TestWorkspace::new(files))
    }

    fn with_workspace(workspace: TestWorkspace) -> Self {
        Self::with_timeouts(workspace, Duration::from_mins(30), Duration::from_mins(1))
    }

    /// With a server that is ended when it receives no request for `idle`, and that has `request_timeout` for an
    /// answer.
    fn with_timeouts(workspace: TestWorkspace, idle: Duration, request_timeout: Duration) -> Self {
        let (starter, starts) = FakeStarter::new();
        let launch = LaunchSpec {
            spec: workspace.spec.clone(),
            command: CommandSpec::new("/none", workspace.root.clone()),
            access: ServerAccess::default(),
            workspace: Arc::new(
                zubi_base::workspace::WorkspaceFolders::open(std::slice::from_ref(&workspace.root)).unwrap(),
            ),
            allowed_commands: vec!["fake.fix".to_owned()],
            per_project: Vec::new(),
            request_timeout,
            retention: RetentionPolicy { idle, memory_mb: None },
            virtual_documents: None,
            caveats: Caveats::default(),
            cures: std::collections::BTreeMap::new(),
        };
        let endpoint = Arc::new(ServerEndpoint::new(launch, starter));
        Self { workspace, endpoint, starts }
    }

    async fn server(&mut self, capabilities: Value) -> FakeServer {
        let mut server = self.starts.recv().await.unwrap();
        server.initialize(capabilities).await;
        server
    }

    fn request(&self, method: &'static str, cx: RequestCx) -> tokio::task::JoinHandle<Result<Value, EndpointError>> {
        let endpoint = Arc::clone(&self.endpoint);
        tokio::spawn(async move { endpoint.request(method, json!({}), &cx).await })
    }

    fn diagnose(&self, name: &str, cx: RequestCx) -> tokio::task::JoinHandle<Result<DiagnosticsReport, EndpointError>> {
        let (endpoint, document) = (Arc::clone(&self.endpoint), DocumentRef::new(self.workspace.path(name)));
        tokio::spawn(async move { endpoint.diagnostics(&document, &cx).await })
    }
}

fn cx() -> RequestCx {
    RequestCx::new(CancellationToken::new(), Instant::now() + Duration::from_secs(20))
}

fn problem(message: &str) -> Value {
    json!({ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } }, "message": message })
}

fn show(report: &DiagnosticsReport) -> String {
    let items: Vec<_> =
        report.items.iter().map(|item| serde_json::to_value(item).unwrap()["message"].clone()).collect();
    format!("{items:?}, current: {}, note: {:?}", report.current, report.note)
}

#[tokio::test]
async fn concurrent_first_requests_share_one_start_and_open_documents_first() {
    let mut fixture = Fixture::new(&[("a.rs", "fn a() {}")]);
    let document_cx = cx().for_document(&DocumentRef::new(fixture.workspace.path("a.rs")));
    let requests = [
        fixture.request("textDocument/hover", document_cx.clone()),
        fixture.request("textDocument/hover", document_cx),
    ];
    let mut server = fixture.server(json!({ "textDocumentSync": 1, "hoverProvider": true })).await;
    server.expect_notification("textDocument/didOpen").await;
    for number in 0..2 {
        let (id, _) = server.expect_request("textDocument/hover").await;
        server.reply(id, json!(number)).await;
    }
    for request in requests {
        request.await.unwrap().unwrap();
    }
    assert!(fixture.starts.try_recv().is_err(), "one start");
    assert_eq!(fixture.endpoint.readiness(), Readiness::Ready);
}

#[tokio::test]
async fn unsupported_methods_are_not_requested() {
    let mut fixture = Fixture::new(&[]);
    let request = fixture.request("textDocument/hover", cx());
    let mut server = fixture.server(json!({})).await;
    assert_snapshot!(request.await.unwrap().unwrap_err(), @"fake does not support `textDocument/hover`");
    // zubi forwards methods beyond LSP.
    let request = fixture.request("fake/own", cx());
    let (id, _) = server.expect_request("fake/own").await;
    server.refuse(id, -32603, None).await;
    assert_snapshot!(request.await.unwrap().unwrap_err(), @"fake answered `fake/own` with an error: no (-32603)");
}

#[tokio::test]
async fn requests_are_retried_on_retriable_errors() {
    let mut fixture = Fixture::new(&[]);
    let request = fixture.request("textDocument/hover", cx());
    let mut server = fixture.server(json!({ "hoverProvider": true })).await;
    for code in [CONTENT_MODIFIED, SERVER_CANCELLED] {
        let (id, _) = server.expect_request("textDocument/hover").await;
        server.refuse(id, code, None).await;
    }
    let (id, _) = server.expect_request("textDocument/hover").await;
    server.reply(id, json!("at last")).await;
    assert_eq!(request.await.unwrap().unwrap(), json!("at last"));

    let request = fixture.request("textDocument/hover", cx());
    let (id, _) = server.expect_request("textDocument/hover").await;
    server.refuse(id, SERVER_CANCELLED, Some(json!({ "retriggerRequest": false }))).await;
    assert_snapshot!(request.await.unwrap().unwrap_err(), @"fake answered `textDocument/hover` with an error: no (-32802)");
}

#[tokio::test]
async fn cancellation_reaches_the_server_at_once() {
    let mut fixture = Fixture::new(&[]);
    let cx = cx();
    let request = fixture.request("textDocument/hover", cx.clone());
    let mut server = fixture.server(json!({ "hoverProvider": true })).await;
    server.expect_request("textDocument/hover").await;
    cx.cancel.cancel();
    assert!(matches!(request.await.unwrap(), Err(EndpointError::Cancelled)));
    server.expect_notification("$/cancelRequest").await;
}

#[tokio::test]
async fn requests_do_not_wait_for_slow_requests() {
    let mut fixture = Fixture::new(&[]);
    let slow = fixture.request("textDocument/references", cx());
    let mut server = fixture.server(json!({ "hoverProvider": true, "referencesProvider": true })).await;
    let (slow_id, _) = server.expect_request("textDocument/references").await;
    let quick = fixture.request("textDocument/hover", cx());
    let (id, _) = server.expect_request("textDocument/hover").await;
    server.reply(id, json!(1)).await;
    quick.await.unwrap().unwrap();
    assert!(!slow.is_finished());
    server.reply(slow_id, json!([])).await;
    slow.await.unwrap().unwrap();
}

#[tokio::test]
async fn dead_server_is_restarted_and_the_request_retried() {
    let mut fixture = Fixture::new(&[("a.rs", "fn a() {}")]);
    let capabilities =
        json!({ "textDocumentSync": 1, "hoverProvider": true, "executeCommandProvider": { "commands": ["x"] } });
    let document_cx = cx().for_document(&DocumentRef::new(fixture.workspace.path("a.rs")));
    let request = fixture.request("textDocument/hover", document_cx);
    let mut server = fixture.server(capabilities.clone()).await;
    server.expect_notification("textDocument/didOpen").await;
    server.expect_request("textDocument/hover").await;
    drop(server);
    let mut server = fixture.server(capabilities.clone()).await;
    server.expect_notification("textDocument/didOpen").await;
    let (id, _) = server.expect_request("textDocument/hover").await;
    server.reply(id, json!("again")).await;
    assert_eq!(request.await.unwrap().unwrap(), json!("again"));

    // zubi does not send a request that changes something twice.
    let request = fixture.request("workspace/executeCommand", cx());
    server.expect_request("workspace/executeCommand").await;
    drop(server);
    assert_snapshot!(request.await.unwrap().unwrap_err(), @"fake is not running: the connection was closed; it wrote: its last words");
}

#[tokio::test]
async fn capability_queries_restart_a_dead_server() {
    let mut fixture = Fixture::new(&[]);
    let request = fixture.request("textDocument/hover", cx());
    let mut server = fixture.server(json!({ "hoverProvider": true, "positionEncoding": "utf-8" })).await;
    let (id, _) = server.expect_request("textDocument/hover").await;
    server.reply(id, json!(1)).await;
    request.await.unwrap().unwrap();
    assert_eq!(fixture.endpoint.encoding(), Encoding::Utf8);
    drop(server);
    let mut ended = fixture.endpoint.running_now().map(|session| session.end_reason());
    if let Some(ended) = &mut ended {
        ended.wait_for(Option::is_some).await.unwrap();
    }
    assert_eq!(fixture.endpoint.encoding(), Encoding::Utf8, "nor is its encoding forgotten");
    let endpoint = Arc::clone(&fixture.endpoint);
    let supported = tokio::spawn(async move { endpoint.supports("textDocument/hover", None, &cx()).await });
    let again = tokio::time::timeout(Duration::from_secs(10), fixture.server(json!({ "hoverProvider": true }))).await;
    let _server = again.expect("it is started again");
    assert!(supported.await.unwrap());
    // A caller whose deadline has passed does not wait.
    let expired_cx = RequestCx { deadline: Instant::now(), ..cx() };
    let other = Fixture::new(&[]);
    assert!(!other.endpoint.supports("textDocument/hover", None, &expired_cx).await);
}

#[tokio::test]
async fn retry_waits_until_the_new_server_is_ready() {
    let mut workspace = TestWorkspace::new(&[]);
    workspace.spec.signal = crate::readiness::ReadinessSignal::Log {
        prefixes: vec!["ready".to_owned()],
        parts: Vec::new(),
        answers_before: true,
        reloads_for: Vec::new(),
    };
    let mut fixture = Fixture::with_workspace(workspace);
    let request = fixture.request("textDocument/references", cx());
    let log = json!({ "type": 3, "message": "ready" });
    for round in 0..2 {
        let mut server = fixture.server(json!({ "referencesProvider": true })).await;
        // zubi waits for the report that a server is ready, even of the second one, which the caller does not know.
        server.notify("window/logMessage", log.clone()).await;
        let (id, _) = server.expect_request("textDocument/references").await;
        assert_eq!(fixture.endpoint.readiness(), Readiness::Ready);
        if round == 1 {
            server.reply(id, json!([1])).await;
            assert_eq!(request.await.unwrap().unwrap(), json!([1]));
            return;
        }
    }
}

#[tokio::test]
async fn server_that_dies_twice_is_not_restarted_at_once() {
    let mut fixture = Fixture::new(&[]);
    let request = fixture.request("textDocument/hover", cx());
    for _ in 0..2 {
        let mut server = fixture.server(json!({ "hoverProvider": true })).await;
        server.expect_request("textDocument/hover").await;
    }
    assert_snapshot!(request.await.unwrap().unwrap_err(), @"fake is not running: the connection was closed; it wrote: its last words");
    let mut states = fixture.endpoint.readiness_changes();
    crate::testing::wait_until(&mut states, |state| matches!(state, Readiness::Failed { .. })).await;
    assert_snapshot!(fixture.request("textDocument/hover", cx()).await.unwrap().unwrap_err(), @"fake is not running: the connection was closed; it wrote: its last words");
    assert!(fixture.starts.try_recv().is_err());
}

#[tokio::test]
async fn partial_results_are_merged() {
    let mut fixture = Fixture::new(&[]);
    let endpoint = Arc::clone(&fixture.endpoint);
    let request = tokio::spawn(async move {
        endpoint.request("textDocument/references", json!({ "partialResultToken": "p" }), &cx()).await
    });
    let mut server = fixture.server(json!({ "referencesProvider": true })).await;
    let (id, _) = server.expect_request("textDocument/references").await;
    server.notify("$/progress", json!({ "token": "p", "value": [1, 2] })).await;
    server.notify("$/progress", json!({ "token": "other", "value": [9] })).await;
    server.notify("$/progress", json!({ "token": "p", "value": [3] })).await;
    server.reply(id, json!([])).await;
    assert_eq!(request.await.unwrap().unwrap(), json!([1, 2, 3]));
    assert_eq!(merge_partial(vec![json!({ "items": [1] })], json!({ "items": [2] })), json!({ "items": [1, 2] }));
    assert_eq!(merge_partial(Vec::new(), json!(null)), json!(null));
}

#[tokio::test]
async fn edits_are_returned_to_the_request_that_caused_them() {
    let mut fixture = Fixture::new(&[]);
    let captured = EditCapture::default();
    let request = fixture.request("workspace/executeCommand", RequestCx { edits: Some(captured.clone()), ..cx() });
    let mut server = fixture.server(json!({ "executeCommandProvider": { "commands": ["fake.fix"] } })).await;
    let (id, _) = server.expect_request("workspace/executeCommand").await;
    let edit = json!({ "edit": { "changes": {} } });
    assert_eq!(server.request("workspace/applyEdit", edit.clone()).await.unwrap()["applied"], json!(true));
    server.reply(id, Value::Null).await;
    request.await.unwrap().unwrap();
    assert_eq!(captured.take().len(), 1);
    assert_eq!(server.request("workspace/applyEdit", edit).await.unwrap()["applied"], json!(false));
    assert!(fixture.endpoint.allows_command("fake.fix") && !fixture.endpoint.allows_command("fake.other"));
}

#[tokio::test]
async fn pushed_diagnostics_are_awaited_for_the_current_text() {
    let mut fixture = Fixture::new(&[("a.rs", "1")]);
    let request = fixture.diagnose("a.rs", cx());
    let mut server = fixture.server(json!({ "textDocumentSync": 1 })).await;
    let opened = server.expect_notification("textDocument/didOpen").await;
    let document = &opened["textDocument"];
    let publication = |version: &Value, message: &str| json!({ "uri": document["uri"], "version": version, "diagnostics": [problem(message)] });
    server.notify("textDocument/publishDiagnostics", publication(&document["version"], "one")).await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("one")], current: true, note: None"#);

    fixture.workspace.write("a.rs", "2");
    let request = fixture.diagnose("a.rs", cx());
    let changed = server.expect_notification("textDocument/didChange").await;
    server.notify("textDocument/publishDiagnostics", publication(&document["version"], "late")).await;
    server.notify("textDocument/publishDiagnostics", publication(&changed["textDocument"]["version"], "two")).await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("two")], current: true, note: None"#);

    fixture.workspace.write("a.rs", "3");
    let short_cx = RequestCx { deadline: Instant::now() + Duration::from_millis(50), ..cx() };
    assert_snapshot!(show(&fixture.diagnose("a.rs", short_cx).await.unwrap().unwrap()), @r#"[String("two")], current: false, note: None"#);
}

/// Pulls `native`, publishes the diagnostics of `check`, and simulates its run.
struct CheckedServer {
    fixture: Fixture,
    server: FakeServer,
    uri: Value,
}

impl CheckedServer {
    async fn start(begins_within_ms: u64) -> (Self, tokio::task::JoinHandle<Result<DiagnosticsReport, EndpointError>>) {
        Self::start_with(BackgroundCheck { begins_within_ms, ..crate::testing::checker() }).await
    }

    async fn start_with(
        checker: BackgroundCheck,
    ) -> (Self, tokio::task::JoinHandle<Result<DiagnosticsReport, EndpointError>>) {
        let mut workspace = TestWorkspace::new(&[("a.rs", "1")]);
        workspace.spec.checker = Some(checker);
        let mut fixture = Fixture::with_workspace(workspace);
        let request = fixture.diagnose("a.rs", cx());
        let mut server = fixture
            .server(json!({ "textDocumentSync": { "change": 1, "openClose": true, "save": true }, "diagnosticProvider": {} }))
            .await;
        let opened = server.expect_notification("textDocument/didOpen").await;
        let uri = opened["textDocument"]["uri"].clone();
        (Self { fixture, server, uri }, request)
    }

    async fn expect_pull(&mut self, message: &str) {
        let (id, _) = self.server.expect_request("textDocument/diagnostic").await;
        self.server.reply(id, json!({ "kind": "full", "items": [problem(message)] })).await;
    }

    async fn publish(&mut self, message: &str) {
        let params = json!({ "uri": self.uri, "diagnostics": [problem(message), problem("native")] });
        self.server.notify("textDocument/publishDiagnostics", params).await;
    }

    async fn check(&mut self, kind: &str) {
        let value = json!({ "kind": kind, "title": "cargo check" });
        self.server.notify("$/progress", json!({ "token": "check/0", "value": value })).await;
    }

    /// Simulates a run of a check that the client starts, and its publications.
    async fn run_check(&mut self, publications: &[&[&str]]) {
        self.check("begin").await;
        for messages in publications {
            let items: Vec<Value> = messages.iter().map(|message| problem(message)).collect();
            let params = json!({ "uri": self.uri, "diagnostics": items });
            self.server.notify("textDocument/publishDiagnostics", params).await;
        }
        self.check("end").await;
        self.expect_pull("native").await;
    }

    /// Changes the document and requests its diagnostics.
    async fn change(
        &mut self,
        text: &str,
        cx: RequestCx,
    ) -> tokio::task::JoinHandle<Result<DiagnosticsReport, EndpointError>> {
        self.fixture.workspace.write("a.rs", text);
        let request = self.fixture.diagnose("a.rs", cx);
        self.server.expect_notification("textDocument/didChange").await;
        self.server.expect_notification("textDocument/didSave").await;
        request
    }
}

#[tokio::test]
async fn diagnostics_wait_for_the_background_check() {
    let (mut checked, request) = CheckedServer::start(10_000).await;
    checked.expect_pull("native").await;
    checked.check("begin").await;
    checked.publish("from cargo").await;
    checked.check("end").await;
    checked.expect_pull("native").await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("native"), String("from cargo")], current: true, note: None"#);

    let request = checked.change("2", cx()).await;
    checked.expect_pull("new native").await;
    checked.check("begin").await;
    // Its last publications come after its end.
    checked.check("end").await;
    let (id, _) = checked.server.expect_request("textDocument/diagnostic").await;
    checked.publish("new from cargo").await;
    checked.server.reply(id, json!({ "kind": "full", "items": [problem("new native")] })).await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("new native"), String("new from cargo"), String("native")], current: true, note: None"#);

    let deadline = Instant::now() + Duration::from_secs(1);
    let request = checked.change("3", RequestCx { deadline, ..cx() }).await;
    checked.expect_pull("third native").await;
    checked.check("begin").await;
    let report = request.await.unwrap().unwrap();
    assert!(Instant::now() < deadline, "the answer comes while someone listens");
    assert_snapshot!(show(&report), @r#"[String("third native")], current: true, note: Some("cargo check still running")"#);
}

#[tokio::test]
async fn a_check_that_restarts_during_the_final_pull_is_awaited() {
    let (mut checked, request) = CheckedServer::start(10_000).await;
    checked.expect_pull("native").await;
    checked.check("begin").await;
    checked.check("end").await;
    let (id, _) = checked.server.expect_request("textDocument/diagnostic").await;
    // rust-analyzer requests a check twice when it has read the project again.
    checked.check("begin").await;
    checked.server.reply(id, json!({ "kind": "full", "items": [problem("native")] })).await;
    // Once this is answered, the reply has been read.
    checked.server.request("workspace/configuration", json!({ "items": [] })).await.unwrap();
    assert!(!request.is_finished());
    checked.publish("from cargo").await;
    checked.check("end").await;
    checked.expect_pull("native").await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("native"), String("from cargo")], current: true, note: None"#);
}

#[tokio::test]
async fn check_that_never_begins_is_awaited_once() {
    let (mut checked, request) = CheckedServer::start(20).await;
    checked.expect_pull("native").await;
    checked.expect_pull("native").await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("native")], current: true, note: None"#);
    let request = checked.change("2", cx()).await;
    checked.expect_pull("native").await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("native")], current: true, note: None"#);
}

#[tokio::test]
async fn diagnostics_published_while_the_server_works_are_ignored() {
    let mut workspace = TestWorkspace::new(&[("a.rs", "1"), ("b.rs", "1")]);
    workspace.spec.document_status = Some(crate::testing::document_status());
    let mut fixture = Fixture::with_workspace(workspace);
    let request = fixture.diagnose("a.rs", cx());
    let mut server =
        fixture.server(json!({ "textDocumentSync": { "change": 1, "openClose": true, "save": true } })).await;
    let mut document = server.expect_notification("textDocument/didOpen").await["textDocument"].take();
    let status = |document: &Value, state: &str| json!({ "uri": document["uri"], "state": state });
    let publication = |document: &Value, message: &str| json!({ "uri": document["uri"], "version": document["version"], "diagnostics": [problem(message)] });
    server.notify("fake/status", status(&document, "rebuilding, running")).await;
    server.notify("textDocument/publishDiagnostics", publication(&document, "one")).await;
    server.notify("fake/status", status(&document, "idle")).await;
    let (id, _) = server.expect_request("textDocument/documentLink").await;
    server.reply(id, json!([])).await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("one")], current: true, note: None"#);

    // The first diagnostics come from old headers; and `idle` comes before those found with the new ones.
    fixture.workspace.write("a.rs", "2");
    let request = fixture.diagnose("a.rs", cx());
    document["version"] = server.expect_notification("textDocument/didChange").await["textDocument"]["version"].take();
    server.expect_notification("textDocument/didSave").await;
    server.notify("textDocument/publishDiagnostics", publication(&document, "false")).await;
    server.notify("fake/status", status(&document, "rebuilding")).await;
    server.notify("fake/status", status(&document, "idle")).await;
    let (id, params) = server.expect_request("textDocument/documentLink").await;
    assert_eq!(params, json!({ "textDocument": { "uri": document["uri"] } }));
    server.notify("textDocument/publishDiagnostics", publication(&document, "two")).await;
    server.reply(id, json!([])).await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("two")], current: true, note: None"#);

    // A header was saved: the text is the same, its diagnostics may differ.
    let document_cx = cx().for_document(&DocumentRef::new(fixture.workspace.path("b.rs")));
    let other = fixture.request("fake/own", document_cx.clone());
    server.expect_notification("textDocument/didOpen").await;
    let (id, _) = server.expect_request("fake/own").await;
    server.reply(id, Value::Null).await;
    other.await.unwrap().unwrap();
    fixture.workspace.write("b.rs", "2");
    let other = fixture.request("fake/own", document_cx);
    server.expect_notification("textDocument/didChange").await;
    server.expect_notification("textDocument/didSave").await;
    let (id, _) = server.expect_request("fake/own").await;
    server.reply(id, Value::Null).await;
    other.await.unwrap().unwrap();
    let short_cx = RequestCx { deadline: Instant::now() + Duration::from_millis(50), ..cx() };
    assert_snapshot!(show(&fixture.diagnose("a.rs", short_cx).await.unwrap().unwrap()), @r#"[String("two")], current: false, note: Some("problems may be from before the last change")"#);
    let request = fixture.diagnose("a.rs", cx());
    server.notify("fake/status", status(&document, "idle")).await;
    server.notify("fake/status", status(&document, "rebuilding")).await;
    server.notify("textDocument/publishDiagnostics", publication(&document, "three")).await;
    server.notify("fake/status", status(&document, "idle")).await;
    let (id, _) = server.expect_request("textDocument/documentLink").await;
    server.reply(id, json!([])).await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("three")], current: true, note: None"#);
}

#[tokio::test]
async fn non_text_documents_are_reported() {
    let mut fixture = Fixture::new(&[("a.rs", "\0")]);
    let request =
        fixture.request("textDocument/hover", cx().for_document(&DocumentRef::new(fixture.workspace.path("a.rs"))));
    let _server = fixture.server(json!({ "textDocumentSync": 1, "hoverProvider": true })).await;
    assert!(matches!(request.await.unwrap(), Err(EndpointError::Document(_))));
}

#[tokio::test]
async fn shutdown_ends_running_and_starting_servers() {
    let mut fixture = Fixture::new(&[]);
    fixture.endpoint.ensure_started(None);
    let mut starting = fixture.starts.recv().await.unwrap();
    starting.expect_request("initialize").await;
    fixture.endpoint.shutdown().await;
    starting.expect_notification("$/cancelRequest").await;
    assert!(starting.next().await.is_none(), "its input is closed");
    assert_snapshot!(fixture.request("textDocument/hover", cx()).await.unwrap().unwrap_err(), @"fake is not running: it was shut down");

    let mut fixture = Fixture::new(&[]);
    fixture.endpoint.ensure_started(None);
    let mut server = fixture.server(json!({})).await;
    let mut states = fixture.endpoint.readiness_changes();
    crate::testing::wait_until(&mut states, |state| *state == Readiness::Ready).await;
    drop(fixture.request("textDocument/hover", cx()).await);
    let endpoint = Arc::clone(&fixture.endpoint);
    let ending = tokio::spawn(async move { endpoint.shutdown().await });
    let (id, _) = server.expect_request("shutdown").await;
    server.reply(id, Value::Null).await;
    server.expect_notification("exit").await;
    ending.await.unwrap();
    // The exit status of a process is worth reporting and logging only for a server that no client ended.
    assert_snapshot!(format!("{:?}", fixture.endpoint.readiness()), @r#"Failed { reason: "it was shut down", hint: "start zubi again" }"#);
}
