//! Tests of `pool`.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use zubi_base::trust::TrustStore;

use super::*;
use crate::testing::{FakeServer, FakeStarter};
use crate::watch::WatchInterests;

/// A workspace, a PATH with programs that print a version, and the servers that the pool starts.
struct Fixture {
    _directories: [tempfile::TempDir; 3],
    root: Utf8PathBuf,
    state: Utf8PathBuf,
    pool: Arc<ServerPool>,
    starts: mpsc::UnboundedReceiver<FakeServer>,
}

/// A program on the PATH: its name, and whether it runs.
type FakeProgram<'a> = (&'a str, bool);

impl Fixture {
    fn new(files: &[&str], programs: &[FakeProgram<'_>], trusted: bool) -> Self {
        Self::with_layout(&[""], files, programs, trusted)
    }

    /// Creates a trusted workspace of several folders.
    fn with_folders(folders: &[&str], files: &[&str], programs: &[FakeProgram<'_>]) -> Self {
        Self::with_layout(folders, files, programs, true)
    }

    fn with_layout(folders: &[&str], files: &[&str], programs: &[FakeProgram<'_>], trusted: bool) -> Self {
        Self::with_observer(folders, files, programs, trusted, None)
    }

    fn with_observer(
        folders: &[&str],
        files: &[&str],
        programs: &[FakeProgram<'_>],
        trusted: bool,
        observer: Option<Arc<dyn FileObserver>>,
    ) -> Self {
        let directories = [0; 3].map(|_| tempfile::tempdir().unwrap());
        let [root, path, state] = [0, 1, 2]
            .map(|i: usize| zubi_base::fs::canonical(Utf8Path::from_path(directories[i].path()).unwrap()).unwrap());
        for file in files {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::File::create(root.join(file)).unwrap();
        }
        for (name, runs) in programs {
            let script = if *runs { "#!/bin/sh\necho 9.0.0\n" } else { "#!/bin/sh\necho broken >&2\nexit 1\n" };
            let program = path.join(name);
            zubi_base::fs::write_atomic(&program, script.as_bytes()).unwrap();
            std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let folders: Vec<_> = folders.iter().map(|folder| root.join(folder)).collect();
        let config = PoolConfig {
            workspace: Arc::new(WorkspaceFolders::open(&folders).unwrap()),
            catalogue: Catalogue::builtin().clone(),
            spawner: Spawner::direct(),
            sandbox: None,
            trust: Trust::new(TrustStore::new(&state), trusted),
            search_path: Some(path.as_str().into()),
            python: PythonSearch::default(),
            state_directory: state.join("servers"),
            build_directory: state.join("builds"),
            observer,
        };
        let (starter, starts) = FakeStarter::new();
        let watcher = Arc::new(WatcherCell {
            folders,
            interests: WatchInterests::default(),
            state_directory: config.state_directory.clone(),
            observer: config.observer.clone(),
            cell: OnceCell::new(),
        });
        let pool = Arc::new(ServerPool::with_starter(config, starter, watcher));
        Self { _directories: directories, root, state, pool, starts }
    }

    /// Returns the servers that serve a document, as text.
    async fn answering_servers(&self, document: &str) -> String {
        let document = DocumentRef::new(self.root.join(document));
        self.show(&self.pool.for_document(&document, "textDocument/diagnostic", &cx()).await)
    }

    fn show(&self, endpoints: &Endpoints) -> String {
        let ids = endpoints.endpoints.iter().map(|endpoint| endpoint.id().to_string());
        let absent = endpoints.absent.iter();
        let absent = absent.map(|MissingServer { subject, reason, hint }| format!("{subject}: {reason}. {hint}"));
        ids.chain(absent)
            .chain(endpoints.uncovered.clone())
            .collect::<Vec<_>>()
            .join("\n")
            .replace(self.root.as_str(), "/W")
    }

    async fn server(&mut self) -> FakeServer {
        let mut server = self.starts.recv().await.unwrap();
        server.initialize(json!({ "textDocumentSync": 1, "hoverProvider": true })).await;
        server
    }
}

fn cx() -> RequestCx {
    RequestCx::new(CancellationToken::new(), Instant::now() + Duration::from_secs(20))
}

#[tokio::test]
async fn an_unused_pool_starts_nothing() {
    let mut fixture = Fixture::new(&["a.rs"], &[("rust-analyzer", true)], true);
    assert_eq!(fixture.pool.refresh(&cx()).await, None);
    assert!(!fixture.state.join("servers").exists());
    assert!(fixture.starts.try_recv().is_err());
    fixture.pool.shutdown().await;
}

#[tokio::test]
async fn missing_servers_are_reported_with_reasons() {
    let fixture = Fixture::new(&["a.cob", "Makefile", "a.rs", "a.py"], &[("ruff", true)], true);
    assert_snapshot!(fixture.answering_servers("a.cob").await, @".cob: no server for .cob. add a [[server]] with this language to ~/.config/zubi/servers.toml");
    assert_snapshot!(fixture.answering_servers("Makefile").await, @"Makefile: no server for Makefile. add a [[server]] with this language to ~/.config/zubi/servers.toml");
    assert_snapshot!(fixture.answering_servers("a.rs").await, @"rust-analyzer: `rust-analyzer` is not installed. install it with rustup: rustup component add rust-analyzer");
    assert_snapshot!(fixture.answering_servers("a.py").await, @"
    ruff
    pyright: `pyright-langserver` is not installed. install it with npm: npm install --global pyright
    ty: `ty` is not installed. install it with uv: uv tool install ty
    ");
    assert_snapshot!(fixture.answering_servers("/usr/lib/python3/os.py").await, @"ruff");
}

#[tokio::test]
async fn untrusted_folder_gets_only_servers_that_execute_nothing() {
    let mut fixture = Fixture::new(&["a.rs", "a.cc"], &[("rust-analyzer", true), ("clangd", true)], false);
    assert_snapshot!(fixture.answering_servers("a.rs").await, @"rust-analyzer: rust-analyzer may not run here: the folder is not trusted. `zubi trust /W` allows it; it would run cargo and the compiler that the project names, its build scripts and its procedural macros");
    assert!(fixture.starts.try_recv().is_err(), "nothing was started, not even to look at it");
    assert_snapshot!(fixture.answering_servers("a.cc").await, @"clangd");
}

#[tokio::test]
async fn trust_takes_effect_at_once() {
    let mut fixture = Fixture::new(&["a.py"], &[("pyright-langserver", true)], false);
    assert_snapshot!(fixture.answering_servers("a.py").await, @"pyright");
    let mut restricted = fixture.server().await;
    restricted.expect_notification("textDocument/didOpen").await;
    let items = json!({ "items": [{ "section": "python.pythonPath" }] });
    assert_eq!(restricted.request("workspace/configuration", items.clone()).await.unwrap(), json!(["/dev/null"]));
    TrustStore::new(&fixture.state).trust(&fixture.root, &[], Duration::ZERO).unwrap();
    fixture.answering_servers("a.py").await;
    let mut trusted = fixture.server().await;
    trusted.expect_notification("textDocument/didOpen").await;
    assert_eq!(trusted.request("workspace/configuration", items).await.unwrap(), json!([null]));
    restricted.expect_request("shutdown").await;
}

#[tokio::test]
async fn the_first_runnable_server_of_a_group_answers_with_ungrouped_servers() {
    let all = [("pyright-langserver", true), ("ty", true), ("ruff", true)];
    let fixture = Fixture::new(&["a.py"], &all, true);
    assert_snapshot!(fixture.answering_servers("a.py").await, @"
    pyright
    ruff
    ");
    assert_snapshot!(fixture.answering_servers("a.py").await, @"
    pyright
    ruff
    ");
}

#[tokio::test]
async fn a_server_started_early_is_ended_when_its_program_proves_unusable() {
    let mut fixture = Fixture::new(&["a.py"], &[("pyright-langserver", true), ("pyright", false), ("ty", true)], true);
    assert_snapshot!(fixture.answering_servers("a.py").await, @"ty");
    let mut early = fixture.starts.recv().await.unwrap();
    // The server receives no request, whatever messages it received before, and its input ends.
    while let Some(message) = early.next().await {
        assert!(format!("{message:?}").contains("initialize") || format!("{message:?}").contains("cancelRequest"));
    }
    fixture.server().await;
}

#[tokio::test]
async fn concurrent_requests_share_one_start() {
    let mut fixture = Fixture::new(&["a.rs", "b.rs"], &[("rust-analyzer", true)], true);
    let (one, two) = tokio::join!(fixture.answering_servers("a.rs"), fixture.answering_servers("b.rs"));
    assert_eq!((one.as_str(), two.as_str()), ("rust-analyzer", "rust-analyzer"));
    fixture.server().await;
    assert!(fixture.starts.try_recv().is_err());
    assert_eq!(fixture.pool.started_servers().len(), 1);
}

#[tokio::test]
async fn changes_reach_a_running_server_and_one_that_is_being_started() {
    let mut fixture = Fixture::new(&["a.rs"], &[("rust-analyzer", true)], true);
    fixture.answering_servers("a.rs").await;
    let mut server = fixture.starts.recv().await.unwrap();
    let (id, _) = server.expect_request("initialize").await;
    // It may have read the files already.
    std::fs::File::create(fixture.root.join("b.rs")).unwrap();
    assert_eq!(fixture.pool.refresh(&cx()).await, None);
    server.reply(id, json!({ "capabilities": { "textDocumentSync": 1 } })).await;
    server.expect_notification("initialized").await;
    let uri = |name: &str| zubi_base::uri::from_path(&fixture.root.join(name)).0;
    server.expect_notification("textDocument/didOpen").await;
    let notification = server.expect_notification("workspace/didChangeWatchedFiles").await;
    assert_eq!(notification["changes"], json!([{ "uri": uri("b.rs"), "type": 1 }]));
    // For its check.
    server.expect_notification("textDocument/didOpen").await;
    server.expect_notification("textDocument/didSave").await;
    std::fs::remove_file(fixture.root.join("b.rs")).unwrap();
    assert_eq!(fixture.pool.refresh(&cx()).await, None);
    let notification = server.expect_notification("workspace/didChangeWatchedFiles").await;
    assert_eq!(notification["changes"], json!([{ "uri": uri("b.rs"), "type": 3 }]));
}

#[tokio::test]
async fn a_workspace_gets_every_server_of_its_languages() {
    let programs = [("rust-analyzer", true), ("gopls", true), ("ty", true), ("ruff", true)];
    let files = [
        "one/Cargo.toml",
        "one/src/a.rs",
        "two/Cargo.toml",
        "two/src/a.rs",
        "tool.py",
        "two/inner/Cargo.toml",
        "x.cob",
    ];
    let fixture = Fixture::new(&files, &programs, true);
    let endpoints = fixture.pool.for_workspace("workspace/symbol", &cx()).await;
    assert_snapshot!(fixture.show(&endpoints), @"
    ty
    rust-analyzer
    rust-analyzer
    ");
    let roots: Vec<_> = fixture
        .pool
        .started_servers()
        .iter()
        .map(|endpoint| endpoint.root().strip_prefix(&fixture.root).unwrap().to_string())
        .collect();
    assert_snapshot!(format!("{roots:?}"), @r#"["one", "two", ""]"#);
    // A language that comes later is found too.
    std::fs::File::create(fixture.root.join("main.go")).unwrap();
    assert_eq!(fixture.pool.refresh(&cx()).await, None);
    let endpoints = fixture.pool.for_workspace("workspace/symbol", &cx()).await;
    assert!(fixture.show(&endpoints).contains("gopls"));
}

#[tokio::test]
async fn files_of_other_projects_are_distinguished() {
    let files = [
        "go/a/go.mod",
        "go/a/a.go",
        "go/a/inner/go.mod",
        "go/a/inner/x.go",
        "go/b/go.mod",
        "go/b/two.go",
        "go/b/one.go",
        "one/Cargo.toml",
        "one/src/lib.rs",
    ];
    let fixture = Fixture::new(&files, &[("gopls", true), ("rust-analyzer", true)], true);
    let others = async |document: &str| {
        let document = DocumentRef::new(fixture.root.join(document));
        let method = "textDocument/references";
        fixture.pool.for_document(&document, method, &cx()).await;
        let paths = files.iter().map(|file| fixture.root.join(file)).collect();
        let has = fixture.pool.has_other_projects(&document, method).await;
        let others = fixture.pool.other_projects(&document, method, paths).await;
        let relative_path = |path: &Utf8Path| path.strip_prefix(&fixture.root).unwrap().to_string();
        let lines =
            others.iter().map(|other| format!("{} with {}", relative_path(&other.root), relative_path(&other.example)));
        format!("{has}: {}", lines.collect::<Vec<_>>().join(", "))
    };
    assert_snapshot!(others("go/a/a.go").await, @"true: go/a/inner with go/a/inner/go.mod, go/b with go/b/go.mod");
    assert_snapshot!(others("one/src/lib.rs").await, @"false:");
}

#[tokio::test]
async fn one_server_reads_the_cargo_workspaces_that_depend_on_each_other() {
    let files =
        ["Cargo.toml", "src/lib.rs", "fuzz/Cargo.toml", "fuzz/a.rs", "other/Cargo.toml", "other/b.rs", ".git/HEAD"];
    let mut fixture = Fixture::new(&files, &[("rust-analyzer", true)], true);
    let write =
        |file: &str, text: &str| zubi_base::fs::write_atomic(&fixture.root.join(file), text.as_bytes()).unwrap();
    write("Cargo.toml", "[package]\n[workspace]\n");
    write(".gitignore", "/target\n");
    write("fuzz/Cargo.toml", "[dependencies]\nouter = { path = \"..\" }\n[workspace]\n");
    write("other/Cargo.toml", "[package]\n[workspace]\n");
    let method = "textDocument/references";
    for file in ["fuzz/a.rs", "src/lib.rs", "other/b.rs"] {
        fixture.pool.for_document(&DocumentRef::new(fixture.root.join(file)), method, &cx()).await;
    }
    let (first, second) = (fixture.starts.recv().await.unwrap(), fixture.starts.recv().await.unwrap());
    assert!(fixture.starts.try_recv().is_err(), "two processes");
    let mut options = Vec::new();
    for mut server in [first, second] {
        let (_, params) = server.expect_request("initialize").await;
        let text = params["initializationOptions"].to_string();
        options.push(text.replace(fixture.root.as_str(), "/W").replace(fixture.state.as_str(), "/S"));
    }
    assert!(options[0].contains(r#""linkedProjects":["/W/Cargo.toml","/W/fuzz/Cargo.toml"]"#), "{}", options[0]);
    // Nothing ignores `fuzz/target` and `other/target`.
    assert!(options[0].contains(r#""targetDir":"/W/target/rust-analyzer""#), "{}", options[0]);
    assert!(options[1].contains(r#""targetDir":"/S/builds/rust-analyzer/"#), "{}", options[1]);
    assert!(!options[1].contains("linkedProjects"), "{}", options[1]);
    // A project that does not depend on the symbol's project cannot mention it.
    let document = DocumentRef::new(fixture.root.join("src/lib.rs"));
    let paths = files.iter().map(|file| fixture.root.join(file)).collect();
    assert!(fixture.pool.other_projects(&document, method, paths).await.is_empty());
}

#[tokio::test]
async fn a_note_reports_projects_that_were_not_queried() {
    let modules: Vec<String> = (0..6).flat_map(|n| [format!("m{n}/go.mod"), format!("m{n}/x.go")]).collect();
    let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
    let fixture = Fixture::new(&modules, &[("gopls", true)], true);
    let endpoints = fixture.pool.for_workspace("workspace/symbol", &cx()).await;
    assert_snapshot!(fixture.show(&endpoints), @"
    gopls
    gopls
    gopls
    gopls
    2 further projects of gopls were not queried
    ");
}

#[tokio::test]
async fn every_workspace_folder_is_queried() {
    let fixture = Fixture::with_folders(&["one", "two"], &["one/a.py", "two/deep/b.py"], &[("ty", true)]);
    let endpoints = fixture.pool.for_workspace("workspace/symbol", &cx()).await;
    assert_snapshot!(fixture.show(&endpoints), @r"
    ty
    ty
    ");
    let roots: Vec<_> = fixture.pool.started_servers().iter().map(|endpoint| endpoint.root().to_owned()).collect();
    assert_eq!(roots, ["one", "two"].map(|folder| fixture.root.join(folder)));
}

#[tokio::test]
async fn data_and_markup_languages_are_queried_independently() {
    let programs = [("ty", true), ("vscode-json-language-server", true)];
    let fixture = Fixture::new(&["tool.py", "settings.json", "README.md"], &programs, true);
    let endpoints = fixture.pool.for_workspace("workspace/symbol", &cx()).await;
    assert_snapshot!(fixture.show(&endpoints), @"ty");
    assert_snapshot!(fixture.answering_servers("settings.json").await, @"vscode-json-language-server");
    assert_snapshot!(fixture.answering_servers("README.md").await, @"Marksman: `marksman` is not installed. install it with release: download from https://github.com/artempyanykh/marksman/releases");
    let fixture = Fixture::new(&["settings.json"], &programs, true);
    let endpoints = fixture.pool.for_workspace("workspace/symbol", &cx()).await;
    assert_snapshot!(fixture.show(&endpoints), @"vscode-json-language-server");
}

#[tokio::test]
async fn preferred_servers_are_suggested_when_many_are_missing() {
    let fixture = Fixture::new(&["a.rb"], &[], true);
    assert_snapshot!(fixture.answering_servers("a.rb").await, @"
    Ruby LSP: `ruby-lsp` is not installed. install it with gem: gem install ruby-lsp
    Solargraph: `solargraph` is not installed. install it with gem: gem install solargraph
    ");
}

#[tokio::test]
async fn shutdown_ends_all_servers() {
    let mut fixture = Fixture::new(&["a.rs", "a.cc"], &[("rust-analyzer", true), ("clangd", true)], true);
    fixture.answering_servers("a.rs").await;
    let mut one = fixture.server().await;
    fixture.answering_servers("a.cc").await;
    let mut two = fixture.server().await;
    let pool = Arc::clone(&fixture.pool);
    let ending = tokio::spawn(async move { pool.shutdown().await });
    for server in [&mut one, &mut two] {
        loop {
            match server.next().await {
                Some(zubi_base::framing::Message::Request(request)) => server.reply(request.id, Value::Null).await,
                Some(_) => {}
                None => break,
            }
        }
    }
    ending.await.unwrap();
}

#[tokio::test]
async fn restarted_servers_start_with_the_next_request() {
    let mut fixture = Fixture::new(&["a.rs"], &[("rust-analyzer", true)], true);
    assert_eq!(fixture.pool.restart().await, 0);
    fixture.answering_servers("a.rs").await;
    let mut first = fixture.server().await;
    let pool = Arc::clone(&fixture.pool);
    let ending = tokio::spawn(async move { pool.restart().await });
    while let Some(message) = first.next().await {
        if let zubi_base::framing::Message::Request(request) = message {
            first.reply(request.id, Value::Null).await;
        }
    }
    assert_eq!(ending.await.unwrap(), 1);
    assert!(fixture.starts.try_recv().is_err(), "no request was sent yet");
    assert_snapshot!(fixture.answering_servers("a.rs").await, @"rust-analyzer");
    fixture.server().await;
}

#[tokio::test]
async fn a_new_python_environment_replaces_the_server() {
    let mut fixture = Fixture::new(&["a.py"], &[("pyright-langserver", true)], true);
    let caveats = |fixture: &Fixture| {
        let (pool, document) = (Arc::clone(&fixture.pool), DocumentRef::new(fixture.root.join("a.py")));
        async move {
            let found = pool.for_document(&document, "textDocument/diagnostic", &cx()).await;
            let caveats = found.endpoints[0].caveats(Some(&document));
            [caveats.beyond, caveats.packages].concat().join("; ")
        }
    };
    assert_snapshot!(caveats(&fixture).await, @"no virtual environment: packages of the system's Python");
    let mut without = fixture.server().await;
    without.expect_notification("textDocument/didOpen").await;
    for file in ["pyvenv.cfg", "bin/python"] {
        let path = fixture.root.join(".venv").join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path).unwrap();
    }
    assert_snapshot!(caveats(&fixture).await, @"packages of `.venv`");
    let mut with = fixture.server().await;
    with.expect_notification("textDocument/didOpen").await;
    let items = json!({ "items": [{ "section": "python.pythonPath" }] });
    let interpreter = fixture.root.join(".venv/bin/python");
    assert_eq!(with.request("workspace/configuration", items).await.unwrap(), json!([interpreter]));
    without.expect_request("shutdown").await;
}

/// Records what the watcher reports.
#[derive(Debug, Default)]
struct RecordingObserver {
    starts: std::sync::atomic::AtomicUsize,
    reported: std::sync::Mutex<Vec<Utf8PathBuf>>,
    started: tokio::sync::Notify,
    /// The number of announced comparisons that have not ended.
    comparisons: std::sync::atomic::AtomicI64,
}

impl FileObserver for RecordingObserver {
    fn start(&self) {
        self.starts.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        self.started.notify_one();
    }

    fn report(&self, paths: Vec<Utf8PathBuf>) {
        self.reported.lock().unwrap().extend(paths);
    }

    fn begin_comparison(&self) {
        self.comparisons.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    }

    fn end_comparison(&self) {
        self.comparisons.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
    }
}

/// VS Code has its own servers, and zubi's index follows the files all the same.
#[tokio::test]
async fn a_pool_without_servers_of_its_own_reports_changes() {
    let observer = Arc::new(RecordingObserver::default());
    let as_observer = Some(Arc::clone(&observer) as Arc<dyn FileObserver>);
    let mut fixture = Fixture::with_observer(&[""], &["a.rs"], &[("rust-analyzer", true)], true, as_observer);
    let watch = FolderWatch(Arc::clone(&fixture.pool));
    let document = DocumentRef::new(fixture.root.join("a.rs"));
    assert_eq!(fixture.show(&watch.for_document(&document, "textDocument/diagnostic", &cx()).await), "");
    assert_eq!(fixture.show(&watch.for_workspace("workspace/symbol", &cx()).await), "");
    // The first request starts the watcher.
    assert_eq!(watch.refresh(&cx()).await, None);
    tokio::time::timeout(Duration::from_secs(20), observer.started.notified()).await.unwrap();
    let path = fixture.root.join("b.rs");
    zubi_base::fs::write_atomic(&path, b"fn b() {}").unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    // The watcher starts in the background.
    while !observer.reported.lock().unwrap().contains(&path) {
        assert!(Instant::now() < deadline, "the change is reported");
        assert_eq!(watch.refresh(&cx()).await, None);
        tokio::task::yield_now().await;
    }
    assert_eq!(observer.starts.load(std::sync::atomic::Ordering::SeqCst), 1);
    assert_eq!(watch.file_changes(), Some(0), "the editor's servers follow the files themselves");
    assert!(fixture.starts.try_recv().is_err(), "no server was started");
    watch.shutdown().await;
}

/// Thousands of new files take seconds; without a server, only the index has to know.
#[tokio::test]
async fn a_request_does_not_wait_for_a_long_comparison_without_servers() {
    let observer = Arc::new(RecordingObserver::default());
    let as_observer = Some(Arc::clone(&observer) as Arc<dyn FileObserver>);
    let fixture = Fixture::with_observer(&[""], &["a.rs"], &[], true, as_observer);
    fixture.pool.refresh(&cx()).await;
    tokio::time::timeout(Duration::from_secs(20), observer.started.notified()).await.unwrap();
    while fixture.pool.watch_counts().is_none() {
        tokio::task::yield_now().await;
    }
    let comparisons = || observer.comparisons.load(std::sync::atomic::Ordering::SeqCst);
    let path = fixture.root.join("b.rs");
    zubi_base::fs::write_atomic(&path, b"fn b() {}").unwrap();
    // As long as another comparison runs, this one waits.
    let other = fixture.pool.shared.reporting.lock().await;
    let started = Instant::now();
    for _ in 0..2 {
        assert_eq!(fixture.pool.refresh(&cx()).await, None);
    }
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!((comparisons(), observer.reported.lock().unwrap().len()), (1, 0));
    drop(other);
    let deadline = Instant::now() + Duration::from_secs(20);
    while comparisons() > 0 {
        assert!(Instant::now() < deadline, "the comparison ends");
        tokio::task::yield_now().await;
    }
    assert!(observer.reported.lock().unwrap().contains(&path), "reported before the end");
    fixture.pool.shutdown().await;
}
