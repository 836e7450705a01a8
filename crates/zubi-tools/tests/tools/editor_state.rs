//! Editor state: the eight methods over a fake editor, and over the toy servers without an editor.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::Utf8Path;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::clock::FixedClock;
use zubi_base::endpoint::{Readiness, RequestCx};
use zubi_base::{lsp, uri};
use zubi_code::testing::Toy;
use zubi_ipc::wire::editor::{METHODS, OpenFile, Selection};
use zubi_ipc::wire::host::HostKind;
use zubi_tools::editor_state::{
    ActiveEditor, EditorCallContext, EditorClient, EditorDiagnostics, EditorService, EditorServiceConfig, OpenEditors,
    ViewError,
};

/// Two diagnostics in one file, one in another, none in the third, and a file without a server.
pub(crate) const BAD: &str = "\
//- a.toy
class Shape
  bad é bad
bad
//- deep/b.toy
bad
//- good.toy
let unit
//- notes.txt
bad
";

/// An editor with scripted state. It performs every request unless the test makes it fail.
#[derive(Default)]
pub(crate) struct ScriptedEditor {
    pub(crate) state: OpenEditors,
    pub(crate) diagnostics: Vec<(String, Vec<Value>)>,
    pub(crate) failure: Option<ViewError>,
    pub(crate) executed: Mutex<Vec<(String, Vec<Value>)>>,
}

impl ScriptedEditor {
    fn diagnostics_of(&self, path: &Utf8Path) -> Result<EditorDiagnostics, ViewError> {
        self.answer()?;
        let uri = uri::from_path(path).0;
        let open = self.state.open.iter().find(|file| file.uri == uri);
        let items = self.diagnostics.iter().filter(|(file_uri, _)| *file_uri == uri).flat_map(|(_, items)| items);
        Ok(EditorDiagnostics {
            items: items.map(diagnostic).collect(),
            language_id: open.map(|file| file.language_id.clone()),
            is_open: open.is_some(),
            is_current: open.is_some(),
        })
    }

    fn answer(&self) -> Result<(), ViewError> {
        self.failure.clone().map_or(Ok(()), Err)
    }
}

fn diagnostic(item: &Value) -> lsp::Diagnostic {
    serde_json::from_value(item.clone()).unwrap()
}

#[async_trait]
impl EditorClient for ScriptedEditor {
    fn name(&self) -> String {
        "Test Editor 1".to_owned()
    }

    fn open_editors(&self) -> Result<OpenEditors, ViewError> {
        if self.failure == Some(ViewError::Loading) { Err(ViewError::Loading) } else { Ok(self.state.clone()) }
    }

    async fn diagnostics(&self, path: &Utf8Path, _cx: &RequestCx) -> Result<EditorDiagnostics, ViewError> {
        self.diagnostics_of(path)
    }

    async fn all_diagnostics(&self, _cx: &RequestCx) -> Result<Vec<(String, Vec<lsp::Diagnostic>)>, ViewError> {
        self.answer()?;
        Ok(self.diagnostics.iter().map(|(uri, items)| (uri.clone(), items.iter().map(diagnostic).collect())).collect())
    }

    async fn validate(&self, path: &Utf8Path, _cx: &RequestCx) -> Result<EditorDiagnostics, ViewError> {
        Ok(EditorDiagnostics {
            is_open: true,
            is_current: true,
            language_id: Some("toy".to_owned()),
            ..self.diagnostics_of(path)?
        })
    }

    async fn execute(&self, command: &str, args: Vec<Value>, _cx: &RequestCx) -> Result<Value, ViewError> {
        self.answer()?;
        self.executed.lock().unwrap().push((command.to_owned(), args));
        Ok(json!("done"))
    }
}

/// Creates an editor with two open files: `a.toy`, active and unsaved, and one outside the workspace. It has two
/// diagnostics in `a.toy`, one in the other file, and one in a file that is not open.
pub(crate) fn fake_editor(toy: &Toy) -> ScriptedEditor {
    let uri = |path: &str| uri::from_path(&toy.root.join(path)).0;
    let file = |uri: String| OpenFile {
        uri,
        path: String::new(),
        language_id: "toy".to_owned(),
        is_dirty: true,
        line_count: 3,
    };
    let diagnostic_json = |line: u32, severity: u32, source: &str| {
        let range = json!({ "start": { "line": line, "character": 2 }, "end": { "line": line, "character": 5 } });
        json!({ "range": range, "severity": severity, "source": source, "message": "it is bad", "code": 7 })
    };
    let mut rich = diagnostic_json(2, 1, "toy");
    let elsewhere = json!({ "uri": uri("good.toy"), "range": rich["range"] });
    rich["relatedInformation"] = json!([{ "location": elsewhere, "message": "because of this" }]);
    rich["tags"] = json!([1, 2]);
    ScriptedEditor {
        state: OpenEditors {
            active: Some(ActiveEditor { file: file(uri("a.toy")), selection: Selection { line: 2, column: 3 } }),
            open: vec![file("file:///etc/hosts".to_owned()), file(uri("a.toy"))],
        },
        diagnostics: vec![
            (uri("deep/b.toy"), vec![diagnostic_json(0, 1, "lint")]),
            (uri("a.toy"), vec![rich, diagnostic_json(0, 2, "toy")]),
            ("file:///etc/hosts".to_owned(), vec![diagnostic_json(0, 1, "toy")]),
            ("untitled:Untitled-1".to_owned(), vec![diagnostic_json(0, 1, "toy")]),
            (uri("good.toy"), Vec::new()),
        ],
        ..ScriptedEditor::default()
    }
}

pub(crate) fn service(toy: &Toy, client: Option<Arc<dyn EditorClient>>) -> Arc<EditorService> {
    let config = EditorServiceConfig {
        kind: if client.is_some() { HostKind::Editor } else { HostKind::Daemon },
        commands: vec!["added.command".to_owned()],
        clock: Arc::new(FixedClock(Duration::from_millis(1_703_548_800_001))),
    };
    EditorService::new(Arc::clone(&toy.intel), client, config)
}

fn cx() -> EditorCallContext {
    EditorCallContext {
        cancel: CancellationToken::new(),
        deadline: Instant::now() + Duration::from_mins(1),
        read_only: false,
    }
}

/// Returns the result or the error as one line; the fixture's directory is `[root]`.
async fn handle_in(toy: &Toy, service: &EditorService, method: &str, params: Value, cx: EditorCallContext) -> String {
    let answer = match service.handle(method, params, cx).await {
        Some(Ok(result)) => serde_json::to_string(&result).unwrap(),
        Some(Err(error)) => format!("{} {} ({})", error.code, error.message, error.field.unwrap_or_default()),
        None => "no such method".to_owned(),
    };
    answer.replace(toy.root.as_str(), "[root]")
}

async fn call_headless(method: &str, params: Value) -> String {
    let toy = Toy::new(BAD);
    handle_in(&toy, &service(&toy, None), method, params, cx()).await
}

async fn call_after_edit(method: &str, params: Value) -> String {
    let toy = Toy::new(BAD);
    let view = Arc::new(fake_editor(&toy));
    handle_in(&toy, &service(&toy, Some(view)), method, params, cx()).await
}

#[tokio::test]
async fn the_editor_reports_its_state() {
    insta::assert_snapshot!(call_after_edit("ping", json!({})).await, @r#"{"status":"ok","timestamp":1703548800001}"#);
    insta::assert_snapshot!(call_after_edit("getDiagnostics", json!({ "path": "a.toy" })).await, @r#"{"uri":"file://[root]/a.toy","path":"[root]/a.toy","diagnostics":[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":5}},"message":"it is bad","severity":"warning","source":"toy","code":"7"},{"range":{"start":{"line":2,"character":2},"end":{"line":2,"character":5}},"message":"it is bad","severity":"error","source":"toy","code":"7","relatedInformation":[{"location":{"uri":"file://[root]/good.toy","path":"[root]/good.toy","range":{"start":{"line":2,"character":2},"end":{"line":2,"character":5}}},"message":"because of this"}],"tags":["unnecessary","deprecated"]}]}"#);
    insta::assert_snapshot!(call_after_edit("getDiagnostics", json!({ "path": "deep/b.toy" })).await, @r#"{"uri":"file://[root]/deep/b.toy","path":"[root]/deep/b.toy","diagnostics":[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":5}},"message":"it is bad","severity":"error","source":"lint","code":"7"}],"note":"the file is not open in the editor, so it may be unchecked; validating it opens it"}"#);
    insta::assert_snapshot!(call_after_edit("validateFile", json!({ "path": "deep/b.toy" })).await, @r#"{"uri":"file://[root]/deep/b.toy","path":"[root]/deep/b.toy","languageId":"toy","diagnostics":[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":5}},"message":"it is bad","severity":"error","source":"lint","code":"7"}]}"#);
    insta::assert_snapshot!(call_after_edit("getAllDiagnostics", json!({ "severity": "error", "limit": 1 })).await, @r#"{"fileCount":2,"totalDiagnostics":2,"returned":1,"truncated":true,"files":[{"uri":"file://[root]/a.toy","path":"[root]/a.toy","diagnostics":[{"range":{"start":{"line":2,"character":2},"end":{"line":2,"character":5}},"message":"it is bad","severity":"error","source":"toy","code":"7","relatedInformation":[{"location":{"uri":"file://[root]/good.toy","path":"[root]/good.toy","range":{"start":{"line":2,"character":2},"end":{"line":2,"character":5}}},"message":"because of this"}],"tags":["unnecessary","deprecated"]}]}],"note":"from the editor: most of its servers check only open files; validating a file opens it"}"#);
    insta::assert_snapshot!(call_after_edit("getWorkspaceErrors", Value::Null).await, @r#"{"summary":{"errors":2,"warnings":1,"info":0,"filesWithErrors":2,"filesWithWarnings":1},"bySource":{"lint":1,"toy":2},"topErrorFiles":[{"path":"[root]/a.toy","errors":1,"warnings":1},{"path":"[root]/deep/b.toy","errors":1,"warnings":0}],"sources":["lint","toy"],"note":"from the editor: most of its servers check only open files; validating a file opens it"}"#);
    insta::assert_snapshot!(call_after_edit("getOpenFiles", json!({})).await, @r#"{"count":1,"files":[{"uri":"file://[root]/a.toy","path":"[root]/a.toy","languageId":"toy","isDirty":true,"lineCount":3}],"note":"open files outside the workspace, not listed: 1"}"#);
    insta::assert_snapshot!(call_after_edit("getActiveFile", json!({})).await, @r#"{"active":true,"uri":"file://[root]/a.toy","path":"[root]/a.toy","languageId":"toy","isDirty":true,"lineCount":3,"selection":{"line":2,"column":3},"diagnostics":[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":5}},"message":"it is bad","severity":"warning","source":"toy","code":"7"},{"range":{"start":{"line":2,"character":2},"end":{"line":2,"character":5}},"message":"it is bad","severity":"error","source":"toy","code":"7","relatedInformation":[{"location":{"uri":"file://[root]/good.toy","path":"[root]/good.toy","range":{"start":{"line":2,"character":2},"end":{"line":2,"character":5}}},"message":"because of this"}],"tags":["unnecessary","deprecated"]}]}"#);
}

#[tokio::test]
async fn without_an_editor_servers_answer_with_coverage() {
    insta::assert_snapshot!(call_headless("getDiagnostics", json!({ "path": "a.toy" })).await, @r#"{"uri":"file://[root]/a.toy","path":"[root]/a.toy","diagnostics":[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":11}},"message":"this is bad","severity":"error","source":"toy"},{"range":{"start":{"line":2,"character":0},"end":{"line":2,"character":3}},"message":"this is bad","severity":"error","source":"toy"}],"coverage":{"analysed":1,"total":1,"mode":"headless","note":"the toy library was not read"}}"#);
    insta::assert_snapshot!(call_headless("getDiagnostics", json!({ "path": "good.toy" })).await, @r#"{"uri":"file://[root]/good.toy","path":"[root]/good.toy","diagnostics":[],"coverage":{"analysed":1,"total":1,"mode":"headless"}}"#);
    insta::assert_snapshot!(call_headless("validateFile", json!({ "path": "deep/b.toy" })).await, @r#"{"uri":"file://[root]/deep/b.toy","path":"[root]/deep/b.toy","languageId":"toy","diagnostics":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"message":"this is bad","severity":"error","source":"toy"}],"coverage":{"analysed":1,"total":1,"mode":"headless","note":"the toy library was not read"}}"#);
    insta::assert_snapshot!(call_headless("getDiagnostics", json!({ "path": "notes.txt" })).await, @r#"{"uri":"file://[root]/notes.txt","path":"[root]/notes.txt","diagnostics":[],"coverage":{"analysed":0,"total":1,"mode":"none","note":"no server for .txt: Add a catalogue row."}}"#);
    insta::assert_snapshot!(call_headless("getAllDiagnostics", json!({ "source": "toy", "limit": 0 })).await, @r#"{"fileCount":2,"totalDiagnostics":3,"returned":0,"truncated":true,"files":[],"coverage":{"analysed":3,"total":3,"mode":"headless","note":"the toy library was not read"}}"#);
    insta::assert_snapshot!(call_headless("getWorkspaceErrors", json!({})).await, @r#"{"summary":{"errors":3,"warnings":0,"info":0,"filesWithErrors":2,"filesWithWarnings":0},"bySource":{"toy":3},"topErrorFiles":[{"path":"[root]/a.toy","errors":2,"warnings":0},{"path":"[root]/deep/b.toy","errors":1,"warnings":0}],"sources":["toy"],"coverage":{"analysed":3,"total":3,"mode":"headless","note":"the toy library was not read"}}"#);
    insta::assert_snapshot!(call_headless("getOpenFiles", json!({})).await, @r#"{"count":0,"files":[],"note":"no editor is connected, so no file is open in one"}"#);
    insta::assert_snapshot!(call_headless("getActiveFile", json!({})).await, @r#"{"active":false,"note":"no editor is connected"}"#);
}

#[tokio::test]
async fn unchecked_files_are_reported() {
    let toy = Toy::new(BAD);
    let service = service(&toy, None);
    let silent = toy.root.join("good.toy");
    toy.endpoint.silent.lock().unwrap().extend([silent.clone(), silent]);
    let params = json!({ "path": "good.toy" });
    insta::assert_snapshot!(handle_in(&toy, &service, "getDiagnostics", params, cx()).await, @r#"{"uri":"file://[root]/good.toy","path":"[root]/good.toy","diagnostics":[],"coverage":{"analysed":0,"total":1,"mode":"headless","note":"toy has not checked the present text yet; try again"}}"#);
    let params = json!({ "limit": 0 });
    insta::assert_snapshot!(handle_in(&toy, &service, "getAllDiagnostics", params, cx()).await, @r#"{"fileCount":2,"totalDiagnostics":3,"returned":0,"truncated":true,"files":[],"coverage":{"analysed":2,"total":3,"mode":"headless","note":"not all files were checked in time; try again, or request one file; toy has not checked the present text yet; the toy library was not read"}}"#);
}

#[tokio::test]
async fn a_loading_server_is_awaited_until_the_deadline() {
    let toy = Toy::new(BAD);
    let service = service(&toy, None);
    toy.endpoint.readiness.send_replace(Readiness::Loading { percent: Some(43), message: None });
    let short_deadline_cx = || EditorCallContext { deadline: Instant::now() + Duration::from_millis(50), ..cx() };
    for (method, params) in [
        ("getDiagnostics", json!({ "path": "good.toy" })),
        ("validateFile", json!({ "path": "good.toy" })),
        ("getAllDiagnostics", json!({})),
        ("getWorkspaceErrors", json!({})),
    ] {
        let answer = handle_in(&toy, &service, method, params, short_deadline_cx()).await;
        assert_eq!(answer, "-32003 toy is loading 43 %; try again ()", "{method}");
    }
    let pending = handle_in(&toy, &service, "getDiagnostics", json!({ "path": "good.toy" }), cx());
    let (answer, _) = tokio::join!(pending, async { toy.endpoint.readiness.send_replace(Readiness::Ready) });
    assert!(answer.contains(r#""coverage":{"analysed":1,"total":1"#), "{answer}");
}

#[tokio::test]
async fn invalid_parameters_are_named() {
    for (method, params, expected) in [
        ("getDiagnostics", json!({}), "-32602 Invalid params: path: missing"),
        ("getDiagnostics", json!({ "path": "a.toy", "uri": "file:///a" }), "-32602 Invalid params: uri:"),
        ("getDiagnostics", json!({ "path": 7 }), "-32602 Invalid params: path: invalid type"),
        ("getDiagnostics", json!({ "path": "deep" }), "-32602 Invalid params: path: `deep` is a folder"),
        ("getDiagnostics", json!({ "path": "" }), "-32602 Invalid params: path:"),
        ("getDiagnostics", json!({ "path": "none.toy" }), "-32602 Invalid params: path:"),
        ("getDiagnostics", json!({ "uri": "https://a/b" }), "-32602 Invalid params: uri:"),
        ("getDiagnostics", json!(["a.toy"]), "-32602 Invalid params: params:"),
        ("getAllDiagnostics", json!({ "severity": "fatal" }), "-32602 Invalid params: severity: unknown variant"),
        ("getAllDiagnostics", json!({ "severity": 1 }), "-32602 Invalid params: severity:"),
        ("getAllDiagnostics", json!({ "limit": -1 }), "-32602 Invalid params: limit:"),
        ("getAllDiagnostics", json!({ "serverity": "error" }), "-32602 Invalid params: serverity: unknown parameter"),
        ("getWorkspaceErrors", json!({ "groupBy": "file" }), "-32602 Invalid params: groupBy:"),
        ("validateFile", json!({}), "-32602 Invalid params: path: missing field"),
        ("ping", json!("x"), "-32602 Invalid params: params:"),
        ("executeCommand", json!({ "command": "zubi.restart", "args": [1] }), "-32602 Invalid params: args:"),
        ("executeCommand", json!({ "command": "zubi.validateFile" }), "-32602 Invalid params: args:"),
        ("executeCommand", json!({ "command": "zubi.validateFile", "args": ["none"] }), "-32602 Invalid params: args:"),
        ("executeCommand", json!({ "command": "zubi.restart", "args": "x" }), "-32602 Invalid params: args:"),
        ("tools/list", json!({}), "no such method"),
    ] {
        let answer = call_headless(method, params.clone()).await;
        assert!(answer.starts_with(expected), "{method} {params}: {answer}");
        assert!(method == "tools/list" || METHODS.contains(&method));
    }
}

#[tokio::test]
async fn paths_outside_the_workspace_are_rejected_alike() {
    let toy = Toy::new(BAD);
    std::os::unix::fs::symlink("/etc/hosts", toy.root.join("link.toy")).unwrap();
    // A folder whose path has the workspace's as a string prefix is outside.
    let sibling = format!("{}-2", toy.root);
    std::fs::create_dir(&sibling).unwrap();
    for editor_service in [service(&toy, None), service(&toy, Some(Arc::new(fake_editor(&toy))))] {
        for path in ["/etc/hosts", "/etc/no such file", "../state", "link.toy", "file:///etc/hosts", &sibling] {
            for (method, params) in [
                ("getDiagnostics", json!({ "path": path })),
                ("getDiagnostics", json!({ "uri": path })),
                ("validateFile", json!({ "path": path })),
                ("executeCommand", json!({ "command": "zubi.validateFile", "args": [path] })),
            ] {
                let answer = handle_in(&toy, &editor_service, method, params, cx()).await;
                assert!(
                    answer.starts_with(&format!(
                        "-32001 `{}` is not in this workspace",
                        path.replace(toy.root.as_str(), "[root]")
                    )),
                    "{method} {answer}"
                );
            }
        }
    }
}

#[tokio::test]
async fn only_allowed_commands_run() {
    let toy = Toy::new(BAD);
    let editor = Arc::new(fake_editor(&toy));
    let (with_editor, without_editor) =
        (service(&toy, Some(Arc::clone(&editor) as Arc<dyn EditorClient>)), service(&toy, None));
    let run = |editor_service: Arc<EditorService>, params: Value, read_only: bool| {
        let toy = &toy;
        async move {
            handle_in(toy, &editor_service, "executeCommand", params, EditorCallContext { read_only, ..cx() }).await
        }
    };
    let command = |name: &str| json!({ "command": name });
    insta::assert_snapshot!(run(Arc::clone(&without_editor), command("zubi.refreshViews"), true).await, @r#"{"executed":true,"command":"zubi.refreshViews","result":true}"#);
    for editor_service in [&with_editor, &without_editor] {
        let answer = run(Arc::clone(editor_service), command("zubi.restart"), true).await;
        assert!(answer.starts_with("-32002 `zubi.restart` ends language servers"), "{answer}");
    }
    insta::assert_snapshot!(run(Arc::clone(&without_editor), command("zubi.restart"), false).await, @r#"{"executed":true,"command":"zubi.restart","result":{"restarted":1}}"#);
    assert_eq!(*toy.endpoint.restarts.lock().unwrap(), 1);
    insta::assert_snapshot!(run(Arc::clone(&without_editor), json!({ "command": "zubi.validateFile", "args": ["deep/b.toy"] }), true).await, @r#"{"executed":true,"command":"zubi.validateFile","result":{"uri":"file://[root]/deep/b.toy","path":"[root]/deep/b.toy","languageId":"toy","diagnostics":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"message":"this is bad","severity":"error","source":"toy"}],"coverage":{"analysed":1,"total":1,"mode":"headless","note":"the toy library was not read"}}}"#);
    insta::assert_snapshot!(run(Arc::clone(&without_editor), command("zubi.validateWorkspace"), true).await, @r#"{"executed":true,"command":"zubi.validateWorkspace","result":{"summary":{"errors":3,"warnings":0,"info":0,"filesWithErrors":2,"filesWithWarnings":0},"bySource":{"toy":3},"topErrorFiles":[{"path":"[root]/a.toy","errors":2,"warnings":0},{"path":"[root]/deep/b.toy","errors":1,"warnings":0}],"sources":["toy"],"coverage":{"analysed":3,"total":3,"mode":"headless","note":"the toy library was not read"}}}"#);
    insta::assert_snapshot!(run(Arc::clone(&without_editor), command("editor.action.marker.next"), true).await, @"-32002 `editor.action.marker.next` needs an editor, and none is connected: open the folder in an editor with zubi's extension ()");
    insta::assert_snapshot!(run(Arc::clone(&without_editor), command("workbench.action.terminal.sendSequence"), false).await, @"-32002 `workbench.action.terminal.sendSequence` is not allowed here; allowed: zubi.validateFile, zubi.validateWorkspace, zubi.refreshViews, zubi.restart, workbench.action.problems.focus, editor.action.marker.next, editor.action.marker.prev (command)");
    assert!(run(Arc::clone(&without_editor), command("added.command"), true).await.starts_with("-32002"));
    assert!(run(Arc::clone(&with_editor), command("added.command"), true).await.starts_with("-32002"));
    assert!(run(Arc::clone(&with_editor), command("zubi.restart "), false).await.starts_with("-32002"));
    assert!(editor.executed.lock().unwrap().is_empty());

    let large = json!({ "command": "added.command", "args": ["x".repeat(70_000)] });
    assert!(run(Arc::clone(&with_editor), large, false).await.starts_with("-32602"));
    run(Arc::clone(&with_editor), json!({ "command": "added.command", "args": [1, { "a": 2 }] }), false).await;
    for name in ["workbench.action.problems.focus", "editor.action.marker.prev", "zubi.restart", "zubi.refreshViews"] {
        run(Arc::clone(&with_editor), command(name), name != "zubi.restart").await;
    }
    let executed: Vec<_> =
        editor.executed.lock().unwrap().iter().map(|(name, args)| format!("{name} {}", json!(args))).collect();
    insta::assert_snapshot!(executed.join("\n"), @r#"
    added.command [1,{"a":2}]
    workbench.action.problems.focus []
    editor.action.marker.prev []
    zubi.restart []
    zubi.refreshViews []
    "#);
}

#[tokio::test]
async fn editor_failures_are_reported_or_replaced() {
    let toy = Toy::new(BAD);
    for (failure, expected) in [
        (ViewError::Loading, "-32003"),
        (ViewError::Cancelled, "-32800"),
        (ViewError::TimedOut, "-32603"),
        (ViewError::Disconnected, "-32603"),
        (ViewError::Failed("no".to_owned()), "-32603 the editor answered: no"),
        // Language servers answer instead.
        (ViewError::Unsupported, r#"{"uri":"file://[root]/a.toy""#),
    ] {
        let editor_service =
            service(&toy, Some(Arc::new(ScriptedEditor { failure: Some(failure.clone()), ..fake_editor(&toy) })));
        let answer = handle_in(&toy, &editor_service, "getDiagnostics", json!({ "path": "a.toy" }), cx()).await;
        assert!(answer.starts_with(expected), "{failure:?}: {answer}");
        assert_eq!(answer.contains("coverage"), failure == ViewError::Unsupported, "{answer}");
    }
    let editor_service =
        service(&toy, Some(Arc::new(ScriptedEditor { failure: Some(ViewError::Unsupported), ..fake_editor(&toy) })));
    let answer =
        handle_in(&toy, &editor_service, "executeCommand", json!({ "command": "editor.action.marker.next" }), cx())
            .await;
    insta::assert_snapshot!(answer, @"-32002 `editor.action.marker.next` needs an editor, and the connected one does not run commands ()");
}

#[tokio::test]
async fn omitted_diagnostics_are_counted() {
    let toy = Toy::new(BAD);
    let uri = uri::from_path(&toy.root.join("a.toy")).0;
    let range = json!({ "start": { "line": 5, "character": 2 }, "end": { "line": 4, "character": 9 } });
    let problem = json!({ "range": range, "message": "long ".repeat(10_000) });
    let problems = vec![(uri, vec![problem; 1_000])];
    let editor_service = service(&toy, Some(Arc::new(ScriptedEditor { diagnostics: problems, ..fake_editor(&toy) })));
    let answer = editor_service.handle("getDiagnostics", json!({ "path": "a.toy" }), cx()).await.unwrap().unwrap();
    assert!(answer.to_string().len() < 4 * 1024 * 1024);
    let listed = answer["diagnostics"].as_array().unwrap();
    assert_eq!(answer["note"], format!("further diagnostics, omitted for size: {}", 1_000 - listed.len()));
    // The end is never before the start; a diagnostic without severity is an error.
    assert_eq!(listed[0]["range"]["start"], json!({ "line": 4, "character": 9 }));
    assert_eq!(listed[0]["severity"], "error");
}
