//! Properties 1–3 and 7–11: what every tool and every resource states about itself, and where it is defined in the
//! sources.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use zubi_host::{CallContext, ToolService as _};
use zubi_tool_api::cx::{Caller, NoApprover, NoProgress, Restrictions, Surface};
use zubi_tool_api::{ToolSpec, schema};

use crate::place::Sandbox;

async fn specs(sandbox: &Sandbox) -> Vec<Arc<ToolSpec>> {
    sandbox.host.list(&Restrictions::default()).await.unwrap()
}

/// The sources of the tools.
fn toolbox() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("zubi-tools/src")
}

fn sources(directory: &Utf8Path, found: &mut BTreeMap<Utf8PathBuf, String>) {
    for entry in directory.read_dir_utf8().unwrap() {
        let path = entry.unwrap().into_path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension() == Some("rs") {
            let text = zubi_base::fs::read_text(&path).unwrap();
            found.insert(path.strip_prefix(toolbox()).unwrap().to_owned(), text);
        }
    }
}

/// Files that define a tool: those that state an id. A tool's own file is the only one in which its id appears in that
/// form.
fn definitions(sources: &BTreeMap<Utf8PathBuf, String>, id: &str) -> Vec<Utf8PathBuf> {
    let forms = [format!("id: \"{id}\""), format!("ID: &str = \"{id}\""), format!("NAME: &str = \"{id}\"")];
    let defines = |text: &String| forms.iter().any(|form| text.contains(form));
    sources.iter().filter(|(_, text)| defines(text)).map(|(path, _)| path.clone()).collect()
}

/// Properties 1 and 4 of the structure: one file per tool, which has its name.
#[tokio::test]
async fn every_tool_has_one_file_of_its_own() {
    let sandbox = Sandbox::new();
    let mut all = BTreeMap::new();
    sources(&toolbox(), &mut all);
    let mut claimed_by: BTreeMap<Utf8PathBuf, String> = BTreeMap::new();
    for spec in specs(&sandbox).await.iter().filter(|spec| !is_of_the_workspace(spec)) {
        let files = definitions(&all, &spec.id);
        let [file] = files.as_slice() else { panic!("`{}` is defined in {files:?}", spec.id) };
        let words: Vec<String> = words(file.file_stem().unwrap());
        let name = words_of_id(&spec.id);
        assert!(words.iter().all(|word| name.contains(word)), "`{}` is in {file}", spec.id);
        if let Some(other) = claimed_by.insert(file.clone(), spec.id.clone()) {
            panic!("{file} defines `{other}` and `{}`", spec.id);
        }
    }
}

/// A tool that a file of the workspace declares has no source file in this repository.
fn is_of_the_workspace(spec: &ToolSpec) -> bool {
    spec.toolset == "declared"
}

fn words(name: &str) -> Vec<String> {
    name.split('_').map(str::to_lowercase).collect()
}

/// `file.getCurrent` as `file`, `get`, `current`.
fn words_of_id(id: &str) -> Vec<String> {
    let mut separated = String::new();
    for c in id.chars() {
        match c {
            '.' => separated.push('_'),
            c if c.is_uppercase() => separated.extend(['_', c.to_ascii_lowercase()]),
            c => separated.push(c),
        }
    }
    words(&separated)
}

/// Properties 2, 7 and 8: a schema that every client understands, a description, every parameter described.
#[tokio::test]
async fn every_tool_describes_itself() {
    let sandbox = Sandbox::new();
    for spec in specs(&sandbox).await {
        assert_eq!(schema::problems(&spec), Vec::<String>::new(), "{}", spec.id);
        assert_eq!(spec.input.get("type"), Some(&Value::from("object")), "{}", spec.id);
        assert!(!spec.description.trim().is_empty() && !spec.title.trim().is_empty(), "{}", spec.id);
        let properties = spec.input.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
            assert!(!description.trim().is_empty(), "{}: `{name}` is not described", spec.id);
        }
    }
}

/// Property 3: a tool is registered as it describes itself, under its id and its wire name, and listed alike by MCP.
#[tokio::test]
async fn every_tool_is_registered_under_its_names() {
    let sandbox = Sandbox::new();
    let everyone = Restrictions::default();
    let listed = specs(&sandbox).await;
    for spec in &listed {
        for name in [spec.id.clone(), spec.wire_name()] {
            let found = sandbox.host.find(&name, &everyone).await.unwrap();
            assert_eq!((&found.id, &found.description), (&spec.id, &spec.description));
            assert_eq!(found.input, spec.input, "{name}");
        }
    }
    let list: Vec<Value> = serde_json::from_str(&zubi_mcp::tool_list_json(&listed)).unwrap();
    for tool in &list {
        let spec = listed.iter().find(|spec| tool["name"] == spec.wire_name()).expect("a tool of the registry");
        assert_eq!(tool["description"], spec.description);
        let names =
            |schema: &Value| schema["properties"].as_object().map(|all| all.keys().cloned().collect::<Vec<_>>());
        let declared_names = names(&Value::from(spec.input.clone())).unwrap_or_default();
        assert!(
            names(&tool["inputSchema"]).unwrap_or_default().iter().all(|name| declared_names.contains(name)),
            "{}",
            spec.id
        );
    }
}

/// Property 9: a resource has a URI, a name, a description and a type, and can be read.
#[tokio::test]
async fn every_resource_describes_itself_and_can_be_read() {
    let sandbox = Sandbox::new();
    let resources = sandbox.host.resources().await.unwrap();
    assert!(!resources.is_empty());
    for resource in resources {
        assert!(resource.uri.contains("://"), "{}", resource.uri);
        for text in [&resource.name, &resource.description, &resource.mime_type] {
            assert!(!text.trim().is_empty(), "{}", resource.uri);
        }
        let caller = Caller { surface: Surface::Mcp, client: None, session: 0, restrictions: Restrictions::default() };
        let circumstances = CallContext {
            cancel: CancellationToken::new(),
            progress: Arc::new(NoProgress),
            approver: Arc::new(NoApprover),
            timeout: std::time::Duration::from_secs(20),
        };
        let read = sandbox.host.read_resource(&resource.uri, &Arc::new(caller), &circumstances).await;
        let text = read.expect("it is listed and can be read");
        assert!(!text.text.is_empty(), "{}", resource.uri);
        assert_eq!(text.mime_type, resource.mime_type);
    }
}

/// Property 10: no file has both a tool and a resource.
#[test]
fn tools_and_resources_are_in_separate_files() {
    let mut all = BTreeMap::new();
    sources(&toolbox(), &mut all);
    let mut resources = 0;
    for (path, text) in &all {
        let is_resource = text.contains("impl Resource for");
        resources += usize::from(is_resource);
        assert!(!(is_resource && text.contains("Tool for ")), "{path} has a tool and a resource");
    }
    assert!(resources > 0, "no resource was found: has the trait another name?");
}

/// Property 11: tools reach a registry in one way, through a provider's table; and one place makes registries.
#[test]
fn tools_share_one_registration_path() {
    let mut makers = Vec::new();
    let crates = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for entry in crates.read_dir_utf8().unwrap() {
        let source = entry.unwrap().into_path().join("src");
        let mut all = BTreeMap::new();
        collect(&source, &mut all);
        for (path, text) in all {
            let is_whole_name = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric());
            if text.match_indices("Registry::new(").any(|(at, _)| is_whole_name(at)) {
                makers.push(path.strip_prefix(crates).unwrap().to_string());
            }
        }
    }
    makers.sort();
    // The others are for `zubi verify`, which tests registries, and for the tests in tool files, which run with other
    // tools in place of those that they call.
    let expected = ["zubi-declared/src/testing.rs", "zubi-host/src/local.rs", "zubi-host/src/verify/self_tests.rs"];
    assert_eq!(makers, expected);
}

/// The sources below a directory, without tests.
fn collect(directory: &Utf8Path, found: &mut BTreeMap<Utf8PathBuf, String>) {
    let Ok(entries) = directory.read_dir_utf8() else { return };
    for entry in entries.flatten() {
        let path = entry.into_path();
        if path.file_stem() == Some("tests") {
            // Tests make registries of their own.
        } else if path.is_dir() {
            collect(&path, found);
        } else if path.extension() == Some("rs") {
            let text = zubi_base::fs::read_text(&path).unwrap();
            found.insert(path, text);
        }
    }
}
