//! Diagrams of maps, read by the program that draws them.

use std::io::Write as _;
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::{Project, Zubi, tools};

/// What Mermaid understands of these diagrams.
#[expect(clippy::disallowed_methods, reason = "the client under test is a program")]
fn understood(diagrams: &[String]) -> String {
    let script = tools::ROOT.join("tests/surfaces/mermaid.mjs");
    let mut command = Command::new(tools::program("node", "node"));
    command.arg(script).arg(tools::directory("mermaid")).env_clear();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node starts");
    let mut stdin = child.stdin.take().expect("its input");
    stdin.write_all(json!(diagrams).to_string().as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "Mermaid does not understand {diagrams:?}");
    String::from_utf8(output.stdout).expect("it prints text")
}

#[tokio::test]
async fn mermaid_understands_every_name() {
    let project = Project::fixture("drawing");
    let zubi = Zubi::start(&project, &[]).await;
    let mut diagrams = Vec::new();
    for map in ["end.graph", "style", "Empty"] {
        let call = json!({ "tool": "domainlang_diagram", "arguments": { "fqn": map } });
        let answer: Value = serde_json::from_str(&zubi.ask("call_read_tool", call).await).expect("JSON");
        diagrams.push(answer["diagram"].as_str().expect("a diagram").to_owned());
    }
    assert_snapshot!(understood(&diagrams), @"
    # a diagram
    click: n0
    default: n1 n2
    n0 end.end
    n1 subgraph.end
    n2 __init__
    n3 A--B
    n4 class
    n5 Missing.Thing<br>not found
    n0 normal arrow_point n1 U [OHS, PL] → D [ACL]
    n4 normal arrow_open n2 [SK]
    n0 normal double_arrow_point n3 [BBoM] ↔
    n3 dotted arrow_open n4 [SW]
    # a diagram
    n0 default
    n1 click<br>Core
    n0 normal arrow_point n1
    # a diagram
    ");
}
