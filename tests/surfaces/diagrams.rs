//! Diagrams of maps, parsed by the programs that draw them.

use std::io::Write as _;
use std::process::{Command, Stdio};

use camino::Utf8Path;
use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::{Project, Zubi, tools};

/// Returns Mermaid's result of parsing these diagrams.
fn read_by_mermaid(diagrams: &[String]) -> String {
    let (script, modules) = (tools::ROOT.join("tests/surfaces/mermaid.mjs"), tools::directory("mermaid"));
    let node = tools::program("node", "node");
    run(&node, &[script.as_str(), modules.as_str()], &json!(diagrams).to_string())
}

/// Returns PlantUML's result of parsing these diagrams: the kind and the number of boxes and groups of each, or
/// `ERROR`; then their groups, boxes and lines.
fn read_by_plantuml(diagrams: &[String]) -> String {
    let (java, jar) = (tools::program("java", "java"), tools::program("plantuml", "plantuml.jar"));
    let plantuml = |flags: &[&str]| {
        let program = ["-Djava.awt.headless=true", "-Dfile.encoding=UTF-8", "-jar", jar.as_str()];
        run(&java, &[&program, flags, &["-charset", "UTF-8"]].concat(), &diagrams.concat())
    };
    let kinds = plantuml(&["-syntax"]);
    // PlantUML writes only this format without a program that draws.
    let elements = plantuml(&["-pipe", "-txmi:star"]);
    let element = |line: &str| {
        let (indent, rest) = line.split_once('<')?;
        let kind = ["UML:Component", "UML:Class", "UML:Association"]
            .into_iter()
            .find(|kind| rest.strip_prefix(kind).is_some_and(|rest| rest.starts_with(' ')))?;
        let (_, name) = rest.split_once(" name=\"")?;
        let name = name.split_once('"')?.0.replace("&lt;", "<").replace("&gt;", ">");
        Some(format!("{}{} {name}\n", indent.get(16..)?, kind.trim_start_matches("UML:")))
    };
    kinds + &elements.lines().filter_map(element).collect::<String>()
}

/// Runs a program that reads diagrams, and returns its output.
#[expect(clippy::disallowed_methods, reason = "the client under test is a program")]
fn run(program: &Utf8Path, arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(program);
    command.args(arguments).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("its input");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let printed = String::from_utf8(output.stdout).expect("it prints text");
    assert!(output.status.success(), "{program} does not understand {input}:\n{printed}");
    printed
}

/// The maps of the project as diagrams.
async fn diagrams(format: &str) -> Vec<String> {
    let project = Project::fixture("drawing");
    let zubi = Zubi::start(&project, &[]).await;
    let mut diagrams = Vec::new();
    for map in ["end.graph", "style", "Empty"] {
        let call = json!({ "tool": "domainlang_diagram", "arguments": { "fqn": map, "format": format } });
        let answer: Value = serde_json::from_str(&zubi.call_stable("zubi_call_read_tool", call).await).expect("JSON");
        diagrams.push(answer["diagram"].as_str().expect("a diagram").to_owned());
    }
    diagrams
}

#[tokio::test]
async fn mermaid_understands_every_name() {
    assert_snapshot!(read_by_mermaid(&diagrams("mermaid").await), @"
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

#[tokio::test]
async fn plantuml_understands_every_name() {
    assert_snapshot!(read_by_plantuml(&diagrams("plantuml").await), @"
    DESCRIPTION
    (6 entities)
    DESCRIPTION
    (2 entities)
    CLASS
    (0 entities)
    Component click
        Component end.end
    Component default
        Component subgraph.end
        Component <U+005F><U+005F>init<U+005F><U+005F>
    Component A<U+002D><U+002D>B
    Component class
    Component Missing.Thing
    Association U [OHS, PL] → D [ACL]
    Association [SK]
    Association [BBoM] ↔
    Association [SW]
    Component default
    Component click
    ");
}
