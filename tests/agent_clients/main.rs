//! Agents of other vendors do a whole task over zubi: real programs, with their own MCP clients, offline.
//!
//! Only the model is scripted ([`zubi_tests::models::TaskServer`]). The tests assert what a model would have received, and
//! that the project has the same bytes afterwards. `cargo xtask setup --full` installs the agents.

#![expect(clippy::expect_used, reason = "a failed expectation is a failed test, also in a helper")]

mod clients;

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use zubi_tests::models::tasks::{DONE, PLAN, Route};
use zubi_tests::models::{TaskServer, TaskStep};
use zubi_tests::zubi::{Start, environment};
use zubi_tests::{Project, flows, processes, tools};

use clients::AgentClient;

/// The time in which a host and its language servers end after their last client.
const END_TIMEOUT: Duration = Duration::from_mins(1);

/// Reads a method and its references, renames it, looks at the result, and reverts it.
fn rename() -> Vec<TaskStep> {
    let method = "Console/print_json";
    vec![
        TaskStep::call("read_symbol", json!({ "symbol": method })).contains("def print_json("),
        TaskStep::call("lsp_references", json!({ "symbol": method, "limit": 3 }))
            .contains("rich/__init__.py")
            .contains("print_json("),
        TaskStep::call("lsp_rename_symbol", json!({ "symbol": method, "newName": "print_as_json" }))
            .contains("apply_edit {\"plan\":\"p-"),
        TaskStep::call("apply_edit", json!({ "plan": PLAN })).contains("applied p-").contains("undo_edit"),
        TaskStep::call("lsp_diagnostics", json!({ "path": "rich/console.py" })).contains("`rich/console.py`"),
        TaskStep::call("read_symbol", json!({ "symbol": "Console/print_as_json" })).contains("def print_as_json("),
        TaskStep::call("undo_edit", json!({ "plan": PLAN })).contains("undone p-").contains("rich/__init__.py"),
    ]
}

/// Queries callers with a tool that zubi does not list by default.
fn callers() -> Vec<TaskStep> {
    let arguments = json!({ "symbol": "Console/print_json", "direction": "incoming" });
    vec![TaskStep::call("lsp_call_hierarchy", arguments).contains("rich/__init__.py")]
}

/// Replaces the body of a method, looks at the result, and reverts it.
fn edit() -> Vec<TaskStep> {
    let method = "Console/bell";
    let text =
        "def bell(self) -> None:\n    \"\"\"Rings twice.\"\"\"\n    self.control(Control.bell(), Control.bell())\n";
    vec![
        TaskStep::call("edit_symbol", json!({ "symbol": method, "action": "replace", "text": text }))
            .contains("apply_edit {\"plan\":\"p-"),
        TaskStep::call("apply_edit", json!({ "plan": PLAN })).contains("applied p-").contains("undo_edit"),
        TaskStep::call("lsp_diagnostics", json!({ "path": "rich/console.py" })).contains("`rich/console.py`"),
        TaskStep::call("read_symbol", json!({ "symbol": method })).contains("Rings twice."),
        TaskStep::call("undo_edit", json!({ "plan": PLAN })).contains("undone p-").contains("rich/console.py"),
    ]
}

/// Runs an agent with the whole task; `unlisted` is the way to a tool that zubi does not list by default.
#[expect(clippy::disallowed_methods, reason = "the clients under test are programs")]
fn check(client: fn(&str) -> AgentClient, unlisted: Route) {
    processes::adopt_orphans();
    let project = Project::copy_published("rich");
    let server = TaskServer::start([rename(), edit(), callers()].concat());
    let client = client(&server.url());
    for (path, text) in &client.files {
        let file = project.home().join(path);
        std::fs::create_dir_all(file.parent().expect("below the home directory")).expect("directories");
        std::fs::write(&file, text).expect("a new file");
    }
    let components = ["node", "pyright", client.component];
    let trust = Start::new(&project, &components).command().arg("trust").output().expect("zubi starts");
    assert!(trust.status.success(), "zubi trust failed: {}", String::from_utf8_lossy(&trust.stderr));

    let before = project.everything();
    let mut command = Command::new(tools::program(client.component, client.program));
    command.args(&client.arguments).current_dir(project.root()).stdin(Stdio::null());
    command.env_clear().envs(environment(&project, &components)).envs(clients::without_network());
    let output = command.envs(client.variables).output().expect("the agent starts");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));

    let outcome = server.outcome();
    assert!(outcome.failures.is_empty(), "{}\n──── stdout\n{out}\n──── stderr\n{err}", outcome.failures.join("\n\n"));
    assert!(output.status.success() && out.contains(DONE), "{}\n{out}\n{err}", output.status);
    assert_eq!(outcome.routes.last(), Some(&unlisted), "{:?}", outcome.routes);
    assert!(flows::changed_files(&before, &project.everything()).is_empty(), "the task left a change");
    if let Err(left) = processes::nothing_left_within(END_TIMEOUT) {
        panic!("{} left {left:?}", client.component);
    }
}

#[test]
fn opencode_does_the_task() {
    check(clients::opencode, Route::MetaTool);
}

#[test]
fn codex_does_the_task() {
    check(clients::codex, Route::MetaTool);
}

#[test]
fn gemini_cli_does_the_task() {
    check(clients::gemini_cli, Route::MetaTool);
}

#[test]
fn claude_code_does_the_task() {
    check(clients::claude_code, Route::AgentSearch);
}

#[test]
fn copilot_cli_does_the_task() {
    check(clients::copilot_cli, Route::MetaTool);
}

#[test]
fn qwen_code_does_the_task() {
    check(clients::qwen_code, Route::AgentSearch);
}
