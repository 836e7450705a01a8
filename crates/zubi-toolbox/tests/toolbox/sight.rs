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
use zubi_link::wire::editor::{METHODS, Selection};
use zubi_link::wire::host::HostKind;
use zubi_toolbox::sight::{EditorClient, EditorDiagnostics, OpenEditors, ActiveEditor, ShownFile, EditorService, EditorServiceConfig, EditorCallContext, ViewError};

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
pub(crate) struct FakeView {
    pub(crate) seen: OpenEditors,
    pub(crate) problems: Vec<(String, Vec<Value>)>,
    pub(crate) refuses: Option<ViewError>,
    pub(crate) ran: Mutex<Vec<(String, Vec<Value>)>>,
}

impl FakeView {
    fn diagnostics_of(&self, path: &Utf8Path) -> Result<EditorDiagnostics, ViewError> {
        self.answer()?;
        let uri = uri::from_path(path).0;
        let open = self.seen.open.iter().find(|file| file.uri == uri);
        let items = self.problems.iter().filter(|(known, _)| *known == uri).flat_map(|(_, items)| items);
        Ok(EditorDiagnostics {
            items: items.map(diagnostic).collect(),
            language_id: open.map(|file| file.language_id.clone()),
            is_open: open.is_some(),
            is_current: open.is_some(),
        })
    }

    fn answer(&self) -> Result<(), ViewError> {
        self.refuses.clone().map_or(Ok(()), Err)
    }
}

fn diagnostic(item: &Value) -> lsp::Diagnostic {
    serde_json::from_value(item.clone()).unwrap()
}

#[async_trait]
impl EditorClient for FakeView {
    fn name(&self) -> String {
        "Test Editor 1".to_owned()
    }

    fn open_editors(&self) -> Result<OpenEditors, ViewError> {
        if self.refuses == Some(ViewError::NotYet) { Err(ViewError::NotYet) } else { Ok(self.seen.clone()) }
    }

    async fn diagnostics(&self, path: &Utf8Path, _cx: &RequestCx) -> Result<EditorDiagnostics, ViewError> {
        self.diagnostics_of(path)
    }

    async fn all_diagnostics(&self, _cx: &RequestCx) -> Result<Vec<(String, Vec<lsp::Diagnostic>)>, ViewError> {
        self.answer()?;
        Ok(self.problems.iter().map(|(uri, items)| (uri.clone(), items.iter().map(diagnostic).collect())).collect())
    }

    async fn validate(&self, path: &Utf8Path, _cx: &RequestCx) -> Result<EditorDiagnostics, ViewError> {
        Ok(EditorDiagnostics { is_open: true, is_current: true, language_id: Some("toy".to_owned()), ..self.diagnostics_of(path)? })
    }

    async fn execute(&self, command: &str, args: Vec<Value>, _cx: &RequestCx) -> Result<Value, ViewError> {
        self.answer()?;
        self.ran.lock().unwrap().push((command.to_owned(), args));
        Ok(json!("done"))
    }
}

/// Creates an editor with two open files: `a.toy`, active and unsaved, and one outside the workspace. It has two
/// diagnostics in `a.toy`, one in the other file, and one in a file that is not open.
pub(crate) fn view(toy: &Toy) -> FakeView {
    let uri = |path: &str| uri::from_path(&toy.root.join(path)).0;
    let file = |uri: String| ShownFile { uri, language_id: "toy".to_owned(), is_dirty: true, line_count: 3 };
    let problem = |line: u32, severity: u32, source: &str| {
        let range = json!({ "start": { "line": line, "character": 2 }, "end": { "line": line, "character": 5 } });
        json!({ "range": range, "severity": severity, "source": source, "message": "it is bad", "code": 7 })
    };
    let mut rich = problem(2, 1, "toy");
    let elsewhere = json!({ "uri": uri("good.toy"), "range": rich["range"] });
    rich["relatedInformation"] = json!([{ "location": elsewhere, "message": "because of this" }]);
    rich["tags"] = json!([1, 2]);
    FakeView {
        seen: OpenEditors {
            active: Some(ActiveEditor { file: file(uri("a.toy")), selection: Selection { line: 2, column: 3 } }),
            open: vec![file("file:///etc/hosts".to_owned()), file(uri("a.toy"))],
        },
        problems: vec![
            (uri("deep/b.toy"), vec![problem(0, 1, "lint")]),
            (uri("a.toy"), vec![rich, problem(0, 2, "toy")]),
            ("file:///etc/hosts".to_owned(), vec![problem(0, 1, "toy")]),
            ("untitled:Untitled-1".to_owned(), vec![problem(0, 1, "toy")]),
            (uri("good.toy"), Vec::new()),
        ],
        ..FakeView::default()
    }
}

pub(crate) fn sight(toy: &Toy, view: Option<Arc<dyn EditorClient>>) -> Arc<EditorService> {
    let config = EditorServiceConfig {
        kind: if view.is_some() { HostKind::Editor } else { HostKind::Daemon },
        commands: vec!["added.command".to_owned()],
        clock: Arc::new(FixedClock(Duration::from_millis(1_703_548_800_001))),
    };
    EditorService::new(Arc::clone(&toy.intel), view, config)
}

fn cx() -> EditorCallContext {
    EditorCallContext { cancel: CancellationToken::new(), deadline: Instant::now() + Duration::from_mins(1), read_only: false }
}

/// Returns the result or the error as one line; the fixture's directory is `[root]`.
async fn ask_in(toy: &Toy, sight: &EditorService, method: &str, params: Value, cx: EditorCallContext) -> String {
    let told = match sight.handle(method, params, cx).await {
        Some(Ok(result)) => serde_json::to_string(&result).unwrap(),
        Some(Err(error)) => format!("{} {} ({})", error.code, error.message, error.field.unwrap_or_default()),
        None => "no such method".to_owned(),
    };
    told.replace(toy.root.as_str(), "[root]")
}

async fn headless(method: &str, params: Value) -> String {
    let toy = Toy::new(BAD);
    ask_in(&toy, &sight(&toy, None), method, params, cx()).await
}

async fn call_after_edit(method: &str, params: Value) -> String {
    let toy = Toy::new(BAD);
    let view = Arc::new(view(&toy));
    ask_in(&toy, &sight(&toy, Some(view)), method, params, cx()).await
}

#[tokio::test]
async fn the_editor_answers_with_what_it_shows() {
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
async fn without_an_editor_servers_answer_and_say_how_much_they_looked_at() {
    insta::assert_snapshot!(headless("getDiagnostics", json!({ "path": "a.toy" })).await, @r#"{"uri":"file://[root]/a.toy","path":"[root]/a.toy","diagnostics":[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":11}},"message":"this is bad","severity":"error","source":"toy"},{"range":{"start":{"line":2,"character":0},"end":{"line":2,"character":3}},"message":"this is bad","severity":"error","source":"toy"}],"coverage":{"analysed":1,"total":1,"mode":"headless","note":"the toy library was not read"}}"#);
    insta::assert_snapshot!(headless("getDiagnostics", json!({ "path": "good.toy" })).await, @r#"{"uri":"file://[root]/good.toy","path":"[root]/good.toy","diagnostics":[],"coverage":{"analysed":1,"total":1,"mode":"headless"}}"#);
    insta::assert_snapshot!(headless("validateFile", json!({ "path": "deep/b.toy" })).await, @r#"{"uri":"file://[root]/deep/b.toy","path":"[root]/deep/b.toy","languageId":"toy","diagnostics":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"message":"this is bad","severity":"error","source":"toy"}],"coverage":{"analysed":1,"total":1,"mode":"headless","note":"the toy library was not read"}}"#);
    insta::assert_snapshot!(headless("getDiagnostics", json!({ "path": "notes.txt" })).await, @r#"{"uri":"file://[root]/notes.txt","path":"[root]/notes.txt","diagnostics":[],"coverage":{"analysed":0,"total":1,"mode":"none","note":"no server for .txt: Add a catalogue row."}}"#);
    insta::assert_snapshot!(headless("getAllDiagnostics", json!({ "source": "toy", "limit": 0 })).await, @r#"{"fileCount":2,"totalDiagnostics":3,"returned":0,"truncated":true,"files":[],"coverage":{"analysed":3,"total":3,"mode":"headless","note":"the toy library was not read"}}"#);
    insta::assert_snapshot!(headless("getWorkspaceErrors", json!({})).await, @r#"{"summary":{"errors":3,"warnings":0,"info":0,"filesWithErrors":2,"filesWithWarnings":0},"bySource":{"toy":3},"topErrorFiles":[{"path":"[root]/a.toy","errors":2,"warnings":0},{"path":"[root]/deep/b.toy","errors":1,"warnings":0}],"sources":["toy"],"coverage":{"analysed":3,"total":3,"mode":"headless","note":"the toy library was not read"}}"#);
    insta::assert_snapshot!(headless("getOpenFiles", json!({})).await, @r#"{"count":0,"files":[],"note":"no editor is connected, so no file is open in one"}"#);
    insta::assert_snapshot!(headless("getActiveFile", json!({})).await, @r#"{"active":false,"note":"no editor is connected"}"#);
}

#[tokio::test]
async fn what_a_server_has_not_looked_at_is_said() {
    let toy = Toy::new(BAD);
    let sight = sight(&toy, None);
    toy.endpoint.silent.lock().unwrap().push(toy.root.join("good.toy"));
    let params = json!({ "path": "good.toy" });
    insta::assert_snapshot!(ask_in(&toy, &sight, "getDiagnostics", params, cx()).await, @r#"{"uri":"file://[root]/good.toy","path":"[root]/good.toy","diagnostics":[],"coverage":{"analysed":0,"total":1,"mode":"headless","note":"toy has not checked the present text yet; try again"}}"#);
    let params = json!({ "limit": 0 });
    insta::assert_snapshot!(ask_in(&toy, &sight, "getAllDiagnostics", params, cx()).await, @r#"{"fileCount":2,"totalDiagnostics":3,"returned":0,"truncated":true,"files":[],"coverage":{"analysed":2,"total":3,"mode":"headless","note":"not all files were checked in time; try again, or request one file; toy has not checked the present text yet; the toy library was not read"}}"#);
}

#[tokio::test]
async fn a_server_that_is_loading_is_waited_for_until_the_deadline() {
    let toy = Toy::new(BAD);
    let sight = sight(&toy, None);
    toy.endpoint.readiness.send_replace(Readiness::Loading { percent: Some(43), message: None });
    let soon = || EditorCallContext { deadline: Instant::now() + Duration::from_millis(50), ..cx() };
    for (method, params) in [
        ("getDiagnostics", json!({ "path": "good.toy" })),
        ("validateFile", json!({ "path": "good.toy" })),
        ("getAllDiagnostics", json!({})),
        ("getWorkspaceErrors", json!({})),
    ] {
        let told = ask_in(&toy, &sight, method, params, soon()).await;
        assert_eq!(told, "-32003 toy is loading 43 %; try again ()", "{method}");
    }
    let asked = ask_in(&toy, &sight, "getDiagnostics", json!({ "path": "good.toy" }), cx());
    let (told, _) = tokio::join!(asked, async { toy.endpoint.readiness.send_replace(Readiness::Ready) });
    assert!(told.contains(r#""coverage":{"analysed":1,"total":1"#), "{told}");
}

#[tokio::test]
async fn parameters_that_are_wrong_are_named() {
    for (method, params, told) in [
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
        let answer = headless(method, params.clone()).await;
        assert!(answer.starts_with(told), "{method} {params}: {answer}");
        assert!(method == "tools/list" || METHODS.contains(&method));
    }
}

#[tokio::test]
async fn a_path_outside_of_the_workspace_is_refused_whether_it_exists_or_not() {
    let toy = Toy::new(BAD);
    std::os::unix::fs::symlink("/etc/hosts", toy.root.join("link.toy")).unwrap();
    // A folder whose path has the workspace's as a string prefix is outside.
    let beside = format!("{}-2", toy.root);
    std::fs::create_dir(&beside).unwrap();
    for sight in [sight(&toy, None), sight(&toy, Some(Arc::new(view(&toy))))] {
        for path in ["/etc/hosts", "/etc/no such file", "../state", "link.toy", "file:///etc/hosts", &beside] {
            for (method, params) in [
                ("getDiagnostics", json!({ "path": path })),
                ("getDiagnostics", json!({ "uri": path })),
                ("validateFile", json!({ "path": path })),
                ("executeCommand", json!({ "command": "zubi.validateFile", "args": [path] })),
            ] {
                let told = ask_in(&toy, &sight, method, params, cx()).await;
                assert!(
                    told.starts_with(&format!(
                        "-32001 `{}` is not in this workspace",
                        path.replace(toy.root.as_str(), "[root]")
                    )),
                    "{method} {told}"
                );
            }
        }
    }
}

#[tokio::test]
async fn commands_that_are_allowed_run_and_no_other() {
    let toy = Toy::new(BAD);
    let view = Arc::new(view(&toy));
    let (with, without) = (sight(&toy, Some(Arc::clone(&view) as Arc<dyn EditorClient>)), sight(&toy, None));
    let run = |sight: Arc<EditorService>, params: Value, read_only: bool| {
        let toy = &toy;
        async move { ask_in(toy, &sight, "executeCommand", params, EditorCallContext { read_only, ..cx() }).await }
    };
    let command = |name: &str| json!({ "command": name });
    insta::assert_snapshot!(run(Arc::clone(&without), command("zubi.refreshViews"), true).await, @r#"{"executed":true,"command":"zubi.refreshViews","result":true}"#);
    for sight in [&with, &without] {
        let refused = run(Arc::clone(sight), command("zubi.restart"), true).await;
        assert!(refused.starts_with("-32002 `zubi.restart` ends language servers"), "{refused}");
    }
    insta::assert_snapshot!(run(Arc::clone(&without), command("zubi.restart"), false).await, @r#"{"executed":true,"command":"zubi.restart","result":{"restarted":1}}"#);
    assert_eq!(*toy.endpoint.restarts.lock().unwrap(), 1);
    insta::assert_snapshot!(run(Arc::clone(&without), json!({ "command": "zubi.validateFile", "args": ["deep/b.toy"] }), true).await, @r#"{"executed":true,"command":"zubi.validateFile","result":{"uri":"file://[root]/deep/b.toy","path":"[root]/deep/b.toy","languageId":"toy","diagnostics":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"message":"this is bad","severity":"error","source":"toy"}],"coverage":{"analysed":1,"total":1,"mode":"headless","note":"the toy library was not read"}}}"#);
    insta::assert_snapshot!(run(Arc::clone(&without), command("zubi.validateWorkspace"), true).await, @r#"{"executed":true,"command":"zubi.validateWorkspace","result":{"summary":{"errors":3,"warnings":0,"info":0,"filesWithErrors":2,"filesWithWarnings":0},"bySource":{"toy":3},"topErrorFiles":[{"path":"[root]/a.toy","errors":2,"warnings":0},{"path":"[root]/deep/b.toy","errors":1,"warnings":0}],"sources":["toy"],"coverage":{"analysed":3,"total":3,"mode":"headless","note":"the toy library was not read"}}}"#);
    insta::assert_snapshot!(run(Arc::clone(&without), command("editor.action.marker.next"), true).await, @"-32002 `editor.action.marker.next` needs an editor, and none is connected: open the folder in an editor with zubi's extension ()");
    insta::assert_snapshot!(run(Arc::clone(&without), command("workbench.action.terminal.sendSequence"), false).await, @"-32002 `workbench.action.terminal.sendSequence` is not allowed here; allowed: zubi.validateFile, zubi.validateWorkspace, zubi.refreshViews, zubi.restart, workbench.action.problems.focus, editor.action.marker.next, editor.action.marker.prev (command)");
    assert!(run(Arc::clone(&without), command("added.command"), true).await.starts_with("-32002"));
    assert!(run(Arc::clone(&with), command("added.command"), true).await.starts_with("-32002"));
    assert!(run(Arc::clone(&with), command("zubi.restart "), false).await.starts_with("-32002"));
    assert!(view.ran.lock().unwrap().is_empty());

    let large = json!({ "command": "added.command", "args": ["x".repeat(70_000)] });
    assert!(run(Arc::clone(&with), large, false).await.starts_with("-32602"));
    run(Arc::clone(&with), json!({ "command": "added.command", "args": [1, { "a": 2 }] }), false).await;
    for name in ["workbench.action.problems.focus", "editor.action.marker.prev", "zubi.restart", "zubi.refreshViews"] {
        run(Arc::clone(&with), command(name), name != "zubi.restart").await;
    }
    let ran: Vec<_> = view.ran.lock().unwrap().iter().map(|(name, args)| format!("{name} {}", json!(args))).collect();
    insta::assert_snapshot!(ran.join("\n"), @r#"
    added.command [1,{"a":2}]
    workbench.action.problems.focus []
    editor.action.marker.prev []
    zubi.restart []
    zubi.refreshViews []
    "#);
}

#[tokio::test]
async fn an_editor_that_does_not_answer_is_told_or_replaced() {
    let toy = Toy::new(BAD);
    for (refuses, expected) in [
        (ViewError::NotYet, "-32003"),
        (ViewError::Cancelled, "-32800"),
        (ViewError::TimedOut, "-32603"),
        (ViewError::Gone, "-32603"),
        (ViewError::Failed("no".to_owned()), "-32603 the editor answered: no"),
        // Language servers answer instead.
        (ViewError::Unsupported, r#"{"uri":"file://[root]/a.toy""#),
    ] {
        let sight = sight(&toy, Some(Arc::new(FakeView { refuses: Some(refuses.clone()), ..view(&toy) })));
        let told = ask_in(&toy, &sight, "getDiagnostics", json!({ "path": "a.toy" }), cx()).await;
        assert!(told.starts_with(expected), "{refuses:?}: {told}");
        assert_eq!(told.contains("coverage"), refuses == ViewError::Unsupported, "{told}");
    }
    let sight = sight(&toy, Some(Arc::new(FakeView { refuses: Some(ViewError::Unsupported), ..view(&toy) })));
    let told = ask_in(&toy, &sight, "executeCommand", json!({ "command": "editor.action.marker.next" }), cx()).await;
    insta::assert_snapshot!(told, @"-32002 `editor.action.marker.next` needs an editor, and the connected one does not run commands ()");
}

#[tokio::test]
async fn more_problems_than_fit_are_counted() {
    let toy = Toy::new(BAD);
    let uri = uri::from_path(&toy.root.join("a.toy")).0;
    let range = json!({ "start": { "line": 5, "character": 2 }, "end": { "line": 4, "character": 9 } });
    let problem = json!({ "range": range, "message": "long ".repeat(10_000) });
    let problems = vec![(uri, vec![problem; 1_000])];
    let sight = sight(&toy, Some(Arc::new(FakeView { problems, ..view(&toy) })));
    let answer = sight.handle("getDiagnostics", json!({ "path": "a.toy" }), cx()).await.unwrap().unwrap();
    assert!(answer.to_string().len() < 4 * 1024 * 1024);
    let listed = answer["diagnostics"].as_array().unwrap();
    assert_eq!(answer["note"], format!("further diagnostics, omitted for size: {}", 1_000 - listed.len()));
    // The end is never before the start; a diagnostic without severity is an error.
    assert_eq!(listed[0]["range"]["start"], json!({ "line": 4, "character": 9 }));
    assert_eq!(listed[0]["severity"], "error");
}
