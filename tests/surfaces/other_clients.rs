//! Clients that share no code with zubi: the protocol's own Python SDK and its inspector (TypeScript SDK).

use std::process::Command;

use serde_json::{Value, json};
use zubi_tests::zubi::{Start, environment};
use zubi_tests::{Project, Zubi, tools};

/// Runs a client program in the project with zubi's environment and returns its output.
#[expect(clippy::disallowed_methods, reason = "the clients under test are programs")]
fn run(project: &Project, components: &[&str], program: &str, arguments: &[&str], python_path: Option<&str>) -> String {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(project.root()).env_clear().envs(environment(project, components));
    if let Some(python_path) = python_path {
        command.env("PYTHONPATH", python_path);
    }
    let output = command.output().expect("the client starts");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} failed:\n{out}\n{err}");
    out.into_owned()
}

#[tokio::test]
async fn the_python_sdk_gets_the_same_answers() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["ty"]).await;
    let script = tools::ROOT.join("tests/surfaces/client.py");
    let arguments = json!({ "symbol": "total_area" });
    let printed = run(
        &project,
        &["ty"],
        tools::python(),
        &[script.as_str(), tools::zubi().as_str(), "lsp_references", &arguments.to_string()],
        Some(tools::directory("mcp-python").as_str()),
    );
    let printed: Value = serde_json::from_str(&printed).expect("the client prints JSON");
    assert_eq!(printed["server"], "zubi");
    assert_eq!(printed["tools"], zubi.tools().await.len());
    assert_eq!(printed["is_error"], false);
    assert_eq!(
        zubi.stable(printed["text"].as_str().unwrap_or_default()),
        zubi.call_stable("lsp_references", arguments).await
    );
    zubi.close().await;
}

#[tokio::test]
async fn the_inspector_gets_the_same_answers() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["ty"]).await;
    let program = tools::zubi();
    let arguments = ["--cli", program.as_str(), "mcp", "--method", "tools/call", "--tool-name", "lsp_definition"];
    let arguments = [arguments.as_slice(), &["--tool-arg", "symbol=total_area"]].concat();
    let inspector = tools::program("mcp-inspector", "mcp-inspector");
    let printed = run(&project, &["node", "ty"], inspector.as_str(), &arguments, None);
    let printed: Value = serde_json::from_str(&printed).expect("the inspector prints JSON");
    let text = printed["content"][0]["text"].as_str().unwrap_or_default();
    assert_eq!(zubi.stable(text), zubi.call_stable("lsp_definition", json!({ "symbol": "total_area" })).await);
    // The inspector starts the program with the same command line as a configuration file.
    assert_eq!(Start::new(&project, &["ty"]).command().get_program(), program.as_str());
    zubi.close().await;
}
