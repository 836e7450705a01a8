//! Every channel gives the same answer about a model: the same JSON to the byte, and the same error for an invalid
//! query.
//!
//! The queries come from the tools' schemas ([`inputs`]), so they cover new properties, and go over every channel
//! ([`channels`]). Channels that start a process for each query get a part of them.

mod channels;
mod inputs;

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
use serde_json::{Map, Value};
use zubi_tests::zubi::Start;
use zubi_tests::{Project, Zubi, tools};

use self::channels::{Channel, ChannelReply, UNSUPPORTED};
use self::inputs::ModelFacts;

const TOOLS: [&str; 4] = ["domainlang_validate", "domainlang_list", "domainlang_get", "domainlang_explain"];

/// The approximate number of queries for each channel that starts a process per query, in addition to those that first
/// answer or refuse a property.
const PER_CALL_COUNT: usize = 20;

/// The maximum number of differences shown.
const MAX_DIFFERENCES: usize = 20;

/// Sends at least `min_count` queries about the whole project over every channel.
async fn check(project: &Project, min_count: usize) {
    check_folders(project, &[], min_count).await;
}

/// Checks a workspace of these folders of the project; without folders, the project itself.
async fn check_folders(project: &Project, folders: &[&str], min_count: usize) {
    let folders: Vec<Utf8PathBuf> = folders.iter().map(|folder| project.root().join(folder)).collect();
    let arguments = channels::arguments(&folders);
    // The list of a session has only the tool that follows each change.
    let listed = [&arguments[..], &["--toolsets", "default,domainlang"]].concat();
    let zubi = Start::new(project, &[]).arguments(&listed).mcp().await;
    let schemas = schemas(&zubi).await;
    let mut reference = Channel::Mcp(zubi.into());
    let facts = ModelFacts::collect(&mut reference, project, properties(&schemas[1].1)).await;
    let questions: Vec<_> = schemas.iter().flat_map(|(tool, schema)| inputs::questions(tool, schema, &facts)).collect();
    assert!(questions.len() >= min_count, "there are only {} queries", questions.len());

    let (mut persistent, mut per_call) =
        (channels::persistent_channels(project, &folders).await, channels::per_call_channels(project, &folders));
    let step = questions.len().div_ceil(PER_CALL_COUNT);
    let mut queried = BTreeSet::new();
    let (mut differences, mut answers) = (Vec::new(), BTreeMap::new());
    for (number, question) in questions.iter().enumerate() {
        let expected = reference.query(question).await;
        let mut aspects = |name: &'static str| {
            let properties = question.input.keys().map(String::as_str).chain(["none"]);
            let aspects =
                properties.map(|property| (name, question.tool.clone(), property.to_owned(), expected.is_ok()));
            aspects.filter(|aspect| queried.insert(aspect.clone())).count()
        };
        aspects("");
        let mut active: Vec<&mut (&'static str, Channel<'_>)> = persistent.iter_mut().collect();
        active.extend(
            per_call
                .iter_mut()
                .filter(|(name, channel)| channel.supports(question) && (aspects(name) > 0 || number % step == 0)),
        );
        for (name, channel) in active {
            let actual = channel.query(question).await;
            *answers.entry(*name).or_insert(0) += 1;
            if actual != expected {
                let (expected, actual) = (render_reply(&expected), render_reply(&actual));
                differences.push(format!("{question}\n  expected {expected}\n  {name}: {actual}"));
            }
        }
    }
    let number = differences.len();
    differences.truncate(MAX_DIFFERENCES);
    assert!(differences.is_empty(), "{number} differences:\n{}", differences.join("\n"));

    // Checks that every channel supported most queries, and that each property was both answered and refused.
    for (name, _) in persistent.iter().chain(&per_call) {
        let number = answers.get(name).copied().unwrap_or(0);
        assert!(number > PER_CALL_COUNT, "{name} received only {number} of {} queries", questions.len());
    }
    for (tool, schema) in &schemas {
        for (property, is_answer) in properties(schema).keys().flat_map(|name| [(name, true), (name, false)]) {
            let aspect = ("", tool.clone(), property.clone(), is_answer);
            assert!(queried.contains(&aspect), "{tool}: no query with `{property}` whose answer is {is_answer}");
        }
    }
}

/// The tools with their input schemas, as the running server lists them.
async fn schemas(zubi: &Zubi) -> Vec<(String, Value)> {
    let listed = zubi.tools().await;
    let schema = |name: &str| {
        let tool = listed.iter().find(|tool| tool.name == name).unwrap_or_else(|| panic!("{name} is not listed"));
        (name.to_owned(), Value::Object((*tool.input_schema).clone()))
    };
    TOOLS.map(schema).into()
}

fn properties(schema: &Value) -> &Map<String, Value> {
    schema["properties"].as_object().expect("properties")
}

fn render_reply(reply: &ChannelReply) -> String {
    let (kind, text) = match reply {
        Ok(text) => ("answer", text),
        Err(text) => ("refusal", text),
    };
    format!("{kind} {}", text.chars().take(600).collect::<String>())
}

#[tokio::test]
async fn answers_about_the_shop() {
    check(&Project::example("shop"), 300).await;
}

#[tokio::test]
async fn answers_about_the_bank() {
    check(&Project::example("bank"), 400).await;
}

/// Two folders with the same last name.
#[tokio::test]
async fn answers_about_a_workspace_of_two_folders() {
    let project = Project::empty();
    let folders = ["retail/model", "money/model"];
    for (example, folder) in ["examples/shop", "examples/bank"].into_iter().zip(folders) {
        project.add(example, folder);
    }
    check_folders(&project, &folders, 500).await;
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the program that writes the model")]
async fn answers_about_a_generated_model() {
    let project = Project::empty();
    let mut write = std::process::Command::new(tools::large_example());
    let written = write.arg(project.root()).args(["--areas", "3", "--contexts", "4"]).output().expect("it starts");
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    check(&project, 400).await;
}

#[test]
fn unsupported_properties_have_no_option() {
    let project = Project::empty();
    for (tool, property) in UNSUPPORTED {
        let mut command = Start::dlang(&project).command();
        let help = command.args([channels::subcommand(tool), "--help"]).output().expect("dlang starts").stdout;
        let help = String::from_utf8(help).expect("UTF-8");
        assert!(help.contains("Usage: dlang"), "{help}");
        assert!(!help.contains(&format!("--{property}")), "`dlang` supports --{property}: remove it from UNSUPPORTED");
    }
}
