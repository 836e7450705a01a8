//! Properties 1–3 and 7–11: the descriptions of all tools and resources, and their definitions in the sources.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use zubi_host::ToolService as _;
use zubi_host::verify::{CheckStatus, verify};
use zubi_tool_api::ToolSpec;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::spec::{Effect, Exposure};

use crate::sandbox::Sandbox;

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

/// The files that define a tool: those that state its id. Only the tool's own file states it in that form.
fn definitions(sources: &BTreeMap<Utf8PathBuf, String>, id: &str) -> Vec<Utf8PathBuf> {
    let forms = [format!("id: \"{id}\""), format!("ID: &str = \"{id}\""), format!("NAME: &str = \"{id}\"")];
    let defines = |text: &String| forms.iter().any(|form| text.contains(form));
    sources.iter().filter(|(_, text)| defines(text)).map(|(path, _)| path.clone()).collect()
}

/// Properties 1 and 4 of the structure: one file per tool, with its name.
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
        let name = split_id(&spec.id);
        assert!(words.iter().all(|word| name.contains(word)), "`{}` is in {file}", spec.id);
        if let Some(other) = claimed_by.insert(file.clone(), spec.id.clone()) {
            panic!("{file} defines `{other}` and `{}`", spec.id);
        }
    }
}

/// Whether a file of the workspace declares the tool, so that it has no source file in this repository.
fn is_of_the_workspace(spec: &ToolSpec) -> bool {
    spec.toolset == "declared"
}

fn words(name: &str) -> Vec<String> {
    name.split('_').map(str::to_lowercase).collect()
}

/// Splits `file.getCurrent` into `file`, `get`, `current`.
fn split_id(id: &str) -> Vec<String> {
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

/// Properties 2, 3 and 7 to 9, by the checks of `zubi verify`: every client understands the schema; the tool and all
/// its parameters have descriptions; each tool is found under its id and its wire name; every resource can be read.
#[tokio::test]
async fn verify_accepts_every_tool_and_resource() {
    let sandbox = Sandbox::new();
    let mut checks = verify(Ok(sandbox.config.clone()), &|_| {}).await;
    checks.retain(|check| check.status == CheckStatus::Failed);
    assert!(checks.is_empty(), "{checks:?}");
}

/// Property 3: MCP lists a tool as it describes itself.
#[tokio::test]
async fn mcp_lists_every_tool_as_it_describes_itself() {
    let sandbox = Sandbox::new();
    let listed = specs(&sandbox).await;
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

/// The hints by which MCP clients decide about a prompt, of every tool, also of those that no list contains.
#[tokio::test]
async fn mcp_hints_say_what_a_call_can_do() {
    let sandbox = Sandbox::new();
    let direct = |spec: &Arc<ToolSpec>| Arc::new(ToolSpec { exposure: Exposure::Direct, ..ToolSpec::clone(spec) });
    let specs: Vec<_> = specs(&sandbox).await.iter().map(direct).collect();
    let list: Vec<Value> = serde_json::from_str(&zubi_mcp::tool_list_json(&specs)).unwrap();
    let mut reversible = Vec::new();
    for (spec, tool) in specs.iter().zip(&list) {
        let hints = &tool["annotations"];
        let (reads, destroys) = (&hints["readOnlyHint"], &hints["destructiveHint"]);
        let (repeats, is_open) = (&hints["idempotentHint"], &hints["openWorldHint"]);
        if !spec.is_to_be_confirmed() {
            let harmless = serde_json::json!({
                "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
            });
            assert_eq!(hints, &harmless, "{}", spec.id);
            continue;
        }
        assert_eq!(reads, false, "{}", spec.id);
        assert_eq!(is_open, spec.effect >= Effect::Execute, "{}", spec.id);
        assert!(destroys == true || spec.effect == Effect::Write, "{} executes", spec.id);
        assert!(repeats == false || spec.toolset == "edit", "{}", spec.id);
        if destroys == false {
            reversible.push(spec.id.as_str());
        }
    }
    insta::assert_snapshot!(reversible.join(" "), @"apply_edit undo_edit file.write file.edit rename_file rename_symbol organize_imports edit_symbol edit_files replace_in_files set_setting set_update_imports_setting");
}

/// Property 9: a resource has a URI, a name, a description and a type.
#[tokio::test]
async fn every_resource_describes_itself() {
    let sandbox = Sandbox::new();
    let resources = sandbox.host.resources().await.unwrap();
    assert!(!resources.is_empty());
    for resource in resources {
        assert!(resource.uri.contains("://"), "{}", resource.uri);
        for text in [&resource.name, &resource.description, &resource.mime_type] {
            assert!(!text.trim().is_empty(), "{}", resource.uri);
        }
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
    assert!(resources > 0, "no resource was found: was the trait renamed?");
}

/// Property 11: tools reach a registry only through a provider's table, and only one function creates registries.
#[test]
fn tools_share_one_registration_path() {
    let mut constructors = Vec::new();
    let crates = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for entry in crates.read_dir_utf8().unwrap() {
        let source = entry.unwrap().into_path().join("src");
        let mut all = BTreeMap::new();
        collect(&source, &mut all);
        for (path, text) in all {
            let is_full_name = |at: usize| !text.get(..at).unwrap().ends_with(|c: char| c.is_alphanumeric());
            if text.match_indices("Registry::new(").any(|(at, _)| is_full_name(at)) {
                constructors.push(path.strip_prefix(crates).unwrap().to_string());
            }
        }
    }
    constructors.sort();
    // The others are for `zubi verify`, which tests registries, and for the tests in tool files, which replace the
    // tools that they call.
    assert_eq!(
        constructors,
        ["zubi-declared/src/testing.rs", "zubi-host/src/local.rs", "zubi-host/src/verify/self_tests.rs"]
    );
}

/// Collects the sources below a directory, without tests.
fn collect(directory: &Utf8Path, found: &mut BTreeMap<Utf8PathBuf, String>) {
    let Ok(entries) = directory.read_dir_utf8() else { return };
    for entry in entries.flatten() {
        let path = entry.into_path();
        if path.file_stem() == Some("tests") {
            // Tests create registries of their own.
        } else if path.is_dir() {
            collect(&path, found);
        } else if path.extension() == Some("rs") {
            let text = zubi_base::fs::read_text(&path).unwrap();
            found.insert(path, text);
        }
    }
}
