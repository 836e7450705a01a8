//! Tests of `readiness`.

use std::fmt::Write as _;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;

use super::*;

/// Runs a script of lines: `initialized`, `open <path>`, or a notification's method and params. `published_version`
/// publishes diagnostics of a version of the document. Returns the state after
/// each.
fn run(signal: ReadinessSignal, root: &Utf8Path, script: &[&str]) -> String {
    let start = Instant::now();
    let mut tracker = Tracker::new(signal, Vec::new());
    let mut states = String::new();
    for line in script {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "initialized" => tracker.on_initialized(start),
            "open" => tracker.on_opened(&root.join(rest), root),
            "published" => {
                let uri = zubi_base::uri::from_path(&root.join(rest)).0;
                tracker.notification("textDocument/publishDiagnostics", &json!({"uri": uri, "diagnostics": []}));
            }
            "published_version" => {
                let uri = zubi_base::uri::from_path(&root.join(rest)).0;
                let diagnostics = json!({"uri": uri, "version": 1, "diagnostics": []});
                tracker.notification("textDocument/publishDiagnostics", &diagnostics);
            }
            "begin" => {
                let (token, title) = rest.split_once(' ').unwrap();
                let value = json!({"kind": "begin", "title": title, "percentage": 0});
                tracker.notification("$/progress", &json!({"token": token, "value": value}));
            }
            "report" => {
                let (token, percent) = rest.split_once(' ').unwrap();
                let value = json!({"kind": "report", "percentage": percent.parse::<u64>().unwrap(), "message": "2/5"});
                tracker.notification("$/progress", &json!({"token": token, "value": value}));
            }
            "end" => tracker.notification("$/progress", &json!({"token": rest, "value": {"kind": "end"}})),
            "status" => {
                let (health, quiescent) = rest.split_once(' ').unwrap();
                let status =
                    json!({"health": health, "quiescent": quiescent == "true", "message": "no Cargo.toml\nmore"});
                tracker.notification("experimental/serverStatus", &status);
            }
            "log" => tracker.notification("window/logMessage", &json!({"type": 3, "message": rest})),
            other => panic!("unknown step {other}"),
        }
        let state = match tracker.readiness(start + Duration::from_secs(2)) {
            Readiness::Loading { percent, message } => format!("loading {percent:?} {message:?}"),
            other => format!("{other:?}"),
        };
        writeln!(
            states,
            "{line:40} → {state}{}",
            tracker.health().map(|health| format!(" ({health:?})")).unwrap_or_default()
        )
        .unwrap();
    }
    states
}

fn tree(files: &[&str]) -> (tempfile::TempDir, Utf8PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(directory.path().to_owned()).unwrap();
    for file in files {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path).unwrap();
    }
    (directory, root)
}

fn clangd() -> ReadinessSignal {
    ReadinessSignal::Progress {
        titles: vec!["backgroundIndexProgress".to_owned()],
        project_files: vec!["compile_commands.json".to_owned(), "build/compile_commands.json".to_owned()],
        confirmations: Vec::new(),
    }
}

#[test]
fn rust_analyzer_is_ready_only_after_it_was_busy() {
    let (_guard, root) = tree(&[]);
    assert_snapshot!(run(ReadinessSignal::ServerStatus, &root, &[
        "initialized",
        "status warning true",
        "status ok false",
        "begin rustAnalyzer/Fetching Fetching",
        "end rustAnalyzer/Fetching",
        "begin rustAnalyzer/cachePriming Indexing",
        "report rustAnalyzer/cachePriming 43",
        "end rustAnalyzer/cachePriming",
        "status error true",
        "status ok false",
        "status ok true",
    ]), @r#"
    initialized                              → loading None None
    status warning true                      → loading None None (Warning("no Cargo.toml\nmore"))
    status ok false                          → loading None None
    begin rustAnalyzer/Fetching Fetching     → loading Some(0) Some("Fetching")
    end rustAnalyzer/Fetching                → loading None None
    begin rustAnalyzer/cachePriming Indexing → loading Some(0) Some("Indexing")
    report rustAnalyzer/cachePriming 43      → loading Some(43) Some("Indexing: 2/5")
    end rustAnalyzer/cachePriming            → loading None None
    status error true                        → Ready (Error("no Cargo.toml\nmore"))
    status ok false                          → loading None None
    status ok true                           → Ready
    "#);
}

#[test]
fn rust_analyzer_fetching_counts_as_busy() {
    let (_guard, root) = tree(&[]);
    assert_snapshot!(run(ReadinessSignal::ServerStatus, &root, &[
        "initialized",
        "status ok true",
        "begin rustAnalyzer/Fetching Fetching",
        "status ok true",
    ]), @r#"
    initialized                              → loading None None
    status ok true                           → loading None None
    begin rustAnalyzer/Fetching Fetching     → loading Some(0) Some("Fetching")
    status ok true                           → Ready
    "#);
}

fn gopls() -> ReadinessSignal {
    ReadinessSignal::Progress {
        titles: vec!["Setting up workspace".to_owned()],
        project_files: Vec::new(),
        confirmations: vec!["go/packages.Load #".to_owned()],
    }
}

#[test]
fn gopls_is_ready_when_it_has_reported_whether_it_could_load_the_workspace() {
    let (_guard, root) = tree(&["go.mod", "a.go"]);
    assert_snapshot!(run(gopls(), &root, &[
        "initialized",
        "open a.go",
        "begin 1 Setting up workspace",
        "end 1",
        "log go/packages.Load #1: unusable",
    ]), @r#"
    initialized                              → loading None None
    open a.go                                → loading None None
    begin 1 Setting up workspace             → loading Some(0) Some("Setting up workspace")
    end 1                                    → loading None None
    log go/packages.Load #1: unusable        → Ready
    "#);
    // It logs nothing about a `go.mod` with a syntax error.
    assert_snapshot!(run(gopls(), &root, &[
        "initialized",
        "open a.go",
        "begin 1 Setting up workspace",
        "end 1",
        "published_version a.go",
    ]), @r#"
    initialized                              → loading None None
    open a.go                                → loading None None
    begin 1 Setting up workspace             → loading Some(0) Some("Setting up workspace")
    end 1                                    → loading None None
    published_version a.go                   → Ready
    "#);
}

#[test]
fn clangd_is_ready_when_its_index_is() {
    let (_guard, root) = tree(&["compile_commands.json", "src/a.cc", "src/b.cc"]);
    assert_snapshot!(run(clangd(), &root, &[
        "initialized",
        "open src/a.cc",
        "begin backgroundIndexProgress indexing",
        "report backgroundIndexProgress 40",
        "published src/a.cc",
        "end backgroundIndexProgress",
        "open src/b.cc",
        "begin backgroundIndexProgress indexing",
        "end backgroundIndexProgress",
    ]), @r#"
    initialized                              → loading None None
    open src/a.cc                            → loading None None
    begin backgroundIndexProgress indexing   → loading Some(0) Some("indexing")
    report backgroundIndexProgress 40        → loading Some(40) Some("indexing: 2/5")
    published src/a.cc                       → loading Some(40) Some("indexing: 2/5")
    end backgroundIndexProgress              → Ready
    open src/b.cc                            → Ready
    begin backgroundIndexProgress indexing   → loading Some(0) Some("indexing")
    end backgroundIndexProgress              → Ready
    "#);
}

#[test]
fn clangd_without_a_compilation_database_is_never_ready() {
    let (_guard, root) = tree(&["src/a.cc"]);
    assert_snapshot!(run(clangd(), &root, &["initialized", "open src/a.cc", "published src/a.cc"]), @"
    initialized                              → loading None None
    open src/a.cc                            → Unknown { elapsed: 2s }
    published src/a.cc                       → Unknown { elapsed: 2s }
    ");
}

#[test]
fn clangd_with_an_unreadable_database_is_never_ready() {
    let (_guard, root) = tree(&["compile_commands.json", "src/a.cc", "src/b.cc"]);
    assert_snapshot!(run(clangd(), &root, &[
        "initialized",
        "open src/a.cc",
        "published src/b.cc",
        "published src/a.cc",
    ]), @"
    initialized                              → loading None None
    open src/a.cc                            → loading None None
    published src/b.cc                       → loading None None
    published src/a.cc                       → Unknown { elapsed: 2s }
    ");
}

#[test]
fn second_project_is_awaited_before_ready() {
    let (_guard, root) =
        tree(&["one/build/compile_commands.json", "one/a.cc", "two/compile_commands.json", "two/b.cc"]);
    assert_snapshot!(run(clangd(), &root, &[
        "open one/a.cc",
        "initialized",
        "begin backgroundIndexProgress indexing",
        "end backgroundIndexProgress",
        "open two/b.cc",
        "begin backgroundIndexProgress indexing",
        "end backgroundIndexProgress",
        "open /usr/include/stdio.h",
    ]), @r#"
    open one/a.cc                            → Starting
    initialized                              → loading None None
    begin backgroundIndexProgress indexing   → loading Some(0) Some("indexing")
    end backgroundIndexProgress              → Ready
    open two/b.cc                            → loading None None
    begin backgroundIndexProgress indexing   → loading Some(0) Some("indexing")
    end backgroundIndexProgress              → Ready
    open /usr/include/stdio.h                → Ready
    "#);
}

#[test]
fn gopls_waits_only_for_its_own_progress() {
    let (_guard, root) = tree(&[]);
    let signal = ReadinessSignal::Progress {
        titles: vec!["Setting up workspace".to_owned()],
        project_files: Vec::new(),
        confirmations: Vec::new(),
    };
    assert_snapshot!(run(signal, &root, &[
        "initialized",
        "begin 1 Setting up workspace",
        "begin 2 diagnosing",
        "end 2",
        "end 1",
        "begin 3 diagnosing",
    ]), @r#"
    initialized                              → loading None None
    begin 1 Setting up workspace             → loading Some(0) Some("Setting up workspace")
    begin 2 diagnosing                       → loading Some(0) Some("Setting up workspace")
    end 2                                    → loading Some(0) Some("Setting up workspace")
    end 1                                    → Ready
    begin 3 diagnosing                       → Ready
    "#);
}

#[test]
fn pyright_is_ready_when_it_has_found_its_files() {
    let (_guard, root) = tree(&[]);
    let prefixes = vec!["Found ".to_owned(), "No source files found".to_owned()];
    let signal = ReadinessSignal::Log { prefixes, parts: Vec::new(), answers_before: true, reloads_for: Vec::new() };
    assert_snapshot!(run(signal, &root, &[
        "log Pyright language server 1.1.414 starting",
        "initialized",
        "begin a Finding references",
        "end a",
        "log Found 1 source file",
    ]), @r#"
    log Pyright language server 1.1.414 starting → Starting
    initialized                              → loading None None
    begin a Finding references               → loading Some(0) Some("Finding references")
    end a                                    → loading None None
    log Found 1 source file                  → Ready
    "#);
}

#[test]
fn servers_without_a_signal_report_their_uptime() {
    let (_guard, root) = tree(&[]);
    assert_snapshot!(run(ReadinessSignal::Unknown, &root, &["begin a Indexing", "initialized", "end a"]), @"
    begin a Indexing                         → Starting
    initialized                              → Unknown { elapsed: 2s }
    end a                                    → Unknown { elapsed: 2s }
    ");
    assert_snapshot!(run(ReadinessSignal::Initialized, &root, &["initialized", "begin a Indexing"]), @"
    initialized                              → Ready
    begin a Indexing                         → Ready
    ");
}

#[test]
fn progress_is_bounded_and_hostile_values_are_harmless() {
    let mut tracker = Tracker::new(ReadinessSignal::ServerStatus, Vec::new());
    tracker.on_initialized(Instant::now());
    for token in 0..2 * MAX_PROGRESSES {
        tracker.notification(
            "$/progress",
            &json!({"token": token, "value": {"kind": "begin", "title": "x".repeat(10_000)}}),
        );
    }
    assert_eq!(tracker.progresses.len(), MAX_PROGRESSES);
    assert!(tracker.progresses.values().all(|progress| progress.title.len() <= MAX_TEXT_CHARS));
    for params in
        [json!(null), json!([]), json!({"token": null}), json!({"token": {}, "value": 3}), json!({"value": {}})]
    {
        tracker.notification("$/progress", &params);
        tracker.notification("experimental/serverStatus", &params);
        tracker.notification("window/logMessage", &params);
        tracker.notification("textDocument/publishDiagnostics", &params);
    }
}

#[test]
fn bash_language_server_begins_its_lines_with_the_time() {
    let (_guard, root) = tree(&[]);
    let parts = vec!["BackgroundAnalysis: Completed".to_owned()];
    let signal = ReadinessSignal::Log { prefixes: Vec::new(), parts, answers_before: false, reloads_for: Vec::new() };
    let script =
        ["initialized", "log 12:00 INFO BackgroundAnalysis: resolving", "log 12:01 INFO BackgroundAnalysis: Completed"];
    assert_snapshot!(run(signal, &root, &script), @"
    initialized                              → Starting
    log 12:00 INFO BackgroundAnalysis: resolving → Starting
    log 12:01 INFO BackgroundAnalysis: Completed → Ready
    ");
}
