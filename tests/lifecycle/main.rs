//! Every process that zubi starts ends with zubi, however zubi ends; and zubi replaces a dead server.

use std::time::Duration;

use serde_json::json;
use zubi_tests::processes::{self, Process};
use zubi_tests::{Project, Zubi};

/// The maximum time for which a process may outlive zubi.
const LIMIT: Duration = Duration::from_secs(1);

/// A fixture, the components on PATH, a file to query, and a part of the server's command line.
const SERVERS: &[(&str, &[&str], &str, &str)] = &[
    ("rust", &["rust-analyzer"], "src/shape.rs", "rust-analyzer"),
    ("cpp", &["clangd"], "src/shape.cc", "clangd"),
    ("go", &["go", "gopls"], "shape/shape.go", "gopls"),
    ("python", &["node", "pyright"], "shapes/shape.py", "pyright"),
    ("typescript", &["node", "typescript"], "src/shape.ts", "tsc"),
    ("typescript", &["node", "typescript-language-server"], "src/shape.ts", "typescript-language-server"),
];

/// Starts a zubi whose server has answered; returns every process below this test.
async fn start_zubi(fixture: &str, components: &[&str], file: &str, server: &str) -> (Project, Zubi, Vec<Process>) {
    processes::adopt_orphans();
    let project = Project::fixture(fixture);
    let zubi = Zubi::start(&project, components).await;
    zubi.call_stable("lsp_document_symbols", json!({ "path": file })).await;
    let processes = processes::descendants();
    assert!(processes.iter().any(|process| process.command.contains(server)), "no {server} in {processes:?}");
    (project, zubi, processes)
}

#[tokio::test]
async fn killing_zubi_leaves_no_process() {
    for (fixture, components, file, server) in SERVERS {
        let (_project, zubi, all) = start_zubi(fixture, components, file, server).await;
        let zubi_process = all.iter().find(|process| process.pid.unsigned_abs() == zubi.pid()).expect("zubi runs");
        processes::kill(zubi_process);
        let alive = processes::nothing_left_within(LIMIT);
        alive.unwrap_or_else(|alive| panic!("{server}: still running {LIMIT:?} after zubi was killed: {alive:?}"));
    }
}

#[tokio::test]
async fn killing_zubi_during_start_leaves_no_process() {
    processes::adopt_orphans();
    for (fixture, components, file, server) in SERVERS {
        let project = Project::fixture(fixture);
        let zubi = Zubi::start(&project, components).await;
        let pid = zubi.pid();
        let zubi_process = processes::descendants().into_iter().find(|process| process.pid.unsigned_abs() == pid);
        // The call never gets an answer; it only makes zubi start a server.
        let call = zubi.result("lsp_document_symbols", json!({ "path": file }));
        tokio::pin!(call);
        let is_pending = std::future::poll_fn(|cx| std::task::Poll::Ready(call.as_mut().poll(cx).is_pending()));
        assert!(is_pending.await, "nothing was sent");
        processes::kill(&zubi_process.expect("zubi runs"));
        let alive = processes::nothing_left_within(LIMIT);
        alive.unwrap_or_else(|alive| panic!("{server}: still running {LIMIT:?} after zubi was killed: {alive:?}"));
    }
}

#[tokio::test]
async fn closing_stdin_ends_all_processes() {
    for (fixture, components, file, server) in SERVERS {
        let (_project, zubi, all) = start_zubi(fixture, components, file, server).await;
        let watched = processes::watch(all);
        let code = zubi.close();
        let code = tokio::time::timeout(LIMIT, code).await.unwrap_or_else(|_| panic!("{server}: zubi did not end"));
        assert_eq!(code, Some(0), "{server}");
        let alive = watched.ended_within(LIMIT);
        alive.unwrap_or_else(|alive| panic!("{server}: still running {LIMIT:?} after the input closed: {alive:?}"));
        assert_eq!(processes::descendants(), Vec::<Process>::new(), "{server}");
    }
}

/// Installs a clangd that resists its end: it ignores signals, and has one helper in its group and a second that left
/// its group and session. Real servers end by themselves when their input closes, so they would not show that the
/// supervisor ends them.
fn stubborn(project: &Project) {
    let real = zubi_tests::tools::program("clangd", "clangd");
    let script = format!(
        "#!/bin/sh\n\
         [ \"$1\" = --version ] && exec {real} --version\n\
         trap '' HUP INT TERM\n\
         sleep 3600 &\n\
         setsid sleep 3600 &\n\
         {real} \"$@\"\n\
         sleep 3600\n"
    );
    project.install("clangd", &script);
}

#[tokio::test]
async fn stubborn_server_is_ended() {
    for kill in [true, false] {
        processes::adopt_orphans();
        let project = Project::fixture("cpp");
        stubborn(&project);
        let zubi = Zubi::start(&project, &["clangd"]).await;
        zubi.call_stable("lsp_document_symbols", json!({ "path": "src/shape.cc" })).await;
        assert!(processes::find_by_command("sleep 3600").len() >= 2, "{:?}", processes::descendants());
        if kill {
            let pid = zubi.pid();
            let zubi_process = processes::descendants().into_iter().find(|process| process.pid.unsigned_abs() == pid);
            processes::kill(&zubi_process.expect("zubi runs"));
        } else {
            tokio::time::timeout(LIMIT, zubi.close()).await.expect("zubi ends in time");
        }
        let alive = processes::nothing_left_within(LIMIT);
        alive.unwrap_or_else(|alive| panic!("killed {kill}: still running after {LIMIT:?}: {alive:?}"));
    }
}

#[tokio::test]
async fn the_question_after_a_server_was_killed_is_answered() {
    for (fixture, components, file, server) in SERVERS {
        let (_project, zubi, _) = start_zubi(fixture, components, file, server).await;
        let before = zubi.call_stable("lsp_document_symbols", json!({ "path": file })).await;
        for process in
            processes::find_by_command(server).iter().filter(|process| process.pid.unsigned_abs() != zubi.pid())
        {
            processes::kill(process);
        }
        let after = zubi.call_stable("lsp_document_symbols", json!({ "path": file })).await;
        assert_eq!(before, after, "{server}");
        zubi.close().await;
    }
}
