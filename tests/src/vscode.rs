//! A real VS Code with the extension of this repository in it.
//!
//! The cases run inside VS Code's extension host and are written in TypeScript (`editors/vscode/tests/real`). Here they get a
//! workspace, a `zubi` and a VS Code, and what they came to is brought back.

use std::process::Command;
use std::time::Duration;

use camino::Utf8Path;
use serde_json::{Value, json};

use crate::{Project, processes, tools, zubi};

/// More than a window with all cases takes on a small machine; within it, each case has a limit of its own.
const DEADLINE_SECONDS: u32 = 150;

/// Runs a group of cases on a project with this program as the language server; returns one line for each case.
///
/// # Panics
///
/// With everything that was said, when a case failed or could not run, and when a process is left behind.
pub fn run(group: &str, project: &Project, server: &Utf8Path) -> String {
    run_beside(group, project, server, &[])
}

/// The same while these processes of the test run.
///
/// # Panics
///
/// As [`run`].
pub fn run_beside(group: &str, project: &Project, server: &Utf8Path, others: &[u32]) -> String {
    processes::adopt_orphans();
    let results = project.home().join("results.json");
    let config = project.home().join("config.json");
    let scratch = project.home().join("vscode");
    std::fs::create_dir(&scratch).expect("a new directory");
    let fields = json!({
        "vscode": tools::directory("vscode"),
        "chromium": tools::program("chromium", "chromium"),
        "server": server,
        "workspace": project.root(),
        "scratch": scratch,
        "group": group,
        "results": results,
        "deadline": DEADLINE_SECONDS,
    });
    std::fs::write(&config, fields.to_string()).expect("a new file");
    // The packages of the extension are the harness's too: without them it could not say what is missing.
    assert!(tools::directory("vscode-extension").is_dir(), "run `cargo xtask setup --only vscode-extension`");
    let outcome = Command::new(tools::program("node", "node"))
        .arg(tools::ROOT.join("editors/vscode/tests/real/host.ts"))
        .arg(&config)
        .current_dir(project.root())
        .env_clear()
        .envs(zubi::environment(project, &["node"]))
        .output()
        .expect("node starts");
    let log = format!("{}{}", String::from_utf8_lossy(&outcome.stdout), String::from_utf8_lossy(&outcome.stderr));
    let left = processes::nothing_left_beside(others, Duration::from_secs(10));
    let cases = std::fs::read_to_string(&results).unwrap_or_else(|_| panic!("no case ran\n{log}"));
    let cases: Vec<Value> = serde_json::from_str(&cases).expect("a list of cases");
    let lines = cases.iter().map(line).collect::<Vec<_>>().join("\n");
    assert!(outcome.status.success(), "{log}\n\n{}\n{lines}", outcome.status);
    assert!(left.is_ok(), "still running: {left:?}");
    lines
}

fn line(case: &Value) -> String {
    let name = case["name"].as_str().unwrap_or_default();
    match case["failure"].as_str() {
        None => format!("ok      {name}"),
        Some(failure) => format!("FAILED  {name}\n{failure}"),
    }
}
