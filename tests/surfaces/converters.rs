//! The SDKs with which programs call models convert the schemas of all tools without loss.

use std::io::Write as _;
use std::process::{Command, Stdio};

use zubi_tests::zubi::{Start, environment};
use zubi_tests::{Project, tools};

/// OpenAI's SDK makes every property required and closes every object; Google's and Anthropic's know a subset of JSON
/// Schema. A schema that one of them refuses loses the tool for every program that uses that SDK.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the converters under test are programs")]
async fn the_sdks_of_model_vendors_convert_every_schema() {
    let project = Project::example("bank");
    let zubi = Start::new(&project, &[]).arguments(&["--toolsets", "all"]).mcp().await;
    let listed = zubi.tools().await;
    assert!(listed.iter().any(|tool| tool.name == "set_setting"), "not all tools are listed");
    let listed = serde_json::to_string(&listed).expect("JSON");
    zubi.close().await;
    let mut command = Command::new(tools::python());
    command.arg(tools::ROOT.join("tests/surfaces/converters.py")).env_clear().envs(environment(&project, &[]));
    command.env("PYTHONPATH", tools::directory("agent-sdks")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut converters = command.spawn().expect("Python starts");
    converters.stdin.take().expect("piped").write_all(listed.as_bytes()).expect("the list is read");
    let output = converters.wait_with_output().expect("Python ends");
    let losses: Vec<String> = serde_json::from_slice(&output.stdout).expect("a list of texts");
    assert_eq!(losses, Vec::<String>::new());
}
