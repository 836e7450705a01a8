//! Status of the host for the editor, and version of the program.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_host::{
    ClientPolicy, EditorIntegration, FilteredService, LocalHost, PublishOptions, PublishedHost, RemoteHost,
    SessionFilters, ToolService,
};
use zubi_ipc::discovery::RunDirectory;
use zubi_ipc::listener::PortChoice;
use zubi_ipc::wire::host::{HostEnvironment, HostKind};

use super::client::{Client, local};
use crate::PublicationReporter;

fn options() -> Value {
    json!({ "zubi": { "editorProtocol": 1 } })
}

/// A host that clients can find.
#[expect(clippy::needless_pass_by_value, reason = "the signature of a host factory")]
fn shared_host(
    spec: EditorIntegration,
    findable: PublicationReporter,
    state: Utf8PathBuf,
) -> Result<Arc<dyn ToolService>, String> {
    let run = RunDirectory::open(run(&state), true).map_err(|error| error.to_string())?;
    let host: Arc<LocalHost> = Arc::new(local(&spec, state)?);
    let publish_options = PublishOptions {
        kind: HostKind::Editor,
        environment: HostEnvironment::default(),
        port: PortChoice::None,
        client_policy: ClientPolicy::default(),
        shutdown_token: None,
    };
    let published = PublishedHost::open(Arc::clone(&host), &run, publish_options).map_err(|error| error.to_string())?;
    findable.set_published(&published);
    Ok(Arc::new(FilteredService::new(host, SessionFilters::default()).with_published(Some(published))))
}

fn run(state: &Utf8Path) -> Utf8PathBuf {
    state.with_file_name("run")
}

/// Next matching status, without values that differ from run to run.
fn status(client: &mut Client, matcher: impl Fn(&Value) -> bool) -> String {
    loop {
        let mut status = client.next_notification("zubi/status");
        if !matcher(&status) {
            continue;
        }
        let tools = status["tools"].as_u64().unwrap();
        status["tools"] = json!(if tools > 0 { "some" } else { "none" });
        status["revision"] = json!("N");
        if let Some(instance) = status["instance"].as_str().map(str::to_owned) {
            let masked = status.to_string().replace(client.root.parent().unwrap().as_str(), "");
            return masked.replace(&instance, "INSTANCE").replace(&std::process::id().to_string(), "PID");
        }
        return status.to_string();
    }
}

#[test]
fn the_answer_to_initialize_contains_the_protocol_version() {
    let capabilities = |zubi: Value| {
        let client = Client::new(&json!({ "zubi": zubi }), "");
        let experimental = client.initialized.pointer("/capabilities/experimental").map(Value::to_string);
        experimental.unwrap_or_default().replace(env!("CARGO_PKG_VERSION"), "VERSION")
    };
    assert_snapshot!(capabilities(json!({ "editorProtocol": 1 })), @r#"{"zubi":{"editorProtocol":1,"version":"VERSION"}}"#);
    // A client with another version needs to know which of the two is outdated.
    assert_snapshot!(capabilities(json!({ "editorProtocol": 2 })), @r#"{"zubi":{"editorProtocol":1,"version":"VERSION"}}"#);
    assert_snapshot!(capabilities(json!({})), @"");
}

#[test]
fn an_unpublished_host_is_reported_with_its_tools() {
    let mut client = Client::new(&options(), "");
    assert_snapshot!(status(&mut client, |_| true), @r#"{"clients":[],"tools":"some","revision":"N","hasModels":false}"#);
}

#[test]
fn models_are_reported() {
    let mut client = Client::new(&options(), "//- shop.dlang\nDomain Shop {}\n");
    assert_snapshot!(status(&mut client, |status| status["hasModels"] == true), @r#"{"clients":[],"tools":"some","revision":"N","hasModels":true}"#);
}

#[test]
fn a_failure_to_create_the_host_is_reported() {
    let mut client = Client::with_host(&options(), "", |_, _| Err("there is no folder".to_owned()));
    assert_snapshot!(status(&mut client, |_| true), @r#"{"problem":"there is no folder","clients":[],"tools":"none","revision":"N","hasModels":false}"#);
}

#[test]
fn connecting_and_disconnecting_clients_are_reported() {
    let mut client = Client::with_published_host(&options(), shared_host);
    assert_snapshot!(status(&mut client, |_| true), @r#"{"instance":"INSTANCE","file":"/run/INSTANCE.json","clients":[],"tools":"some","revision":"N","hasModels":false}"#);
    let run = RunDirectory::open(run(&client.root), false).unwrap();
    let record = run.read().hosts.remove(0);
    let agent = client.runtime().block_on(RemoteHost::attach(&record, "Agent 1", &HostEnvironment::default())).unwrap();
    let named = |status: &Value| status["clients"][0]["name"] == "Agent 1";
    assert_snapshot!(status(&mut client, named), @r#"{"instance":"INSTANCE","file":"/run/INSTANCE.json","clients":[{"name":"Agent 1","pid":PID}],"tools":"some","revision":"N","hasModels":false}"#);
    drop(agent);
    assert_snapshot!(status(&mut client, |status| status["clients"] == json!([])), @r#"{"instance":"INSTANCE","file":"/run/INSTANCE.json","clients":[],"tools":"some","revision":"N","hasModels":false}"#);
}
