//! Files and folders: updates of imports after renames, several roots, watching.

use std::fmt::Write as _;
use std::sync::Arc;

use camino::Utf8Path;
use dlang_workspace::files::DiskFiles;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::client::{Client, TestFiles, full_capabilities, options, path_of, uri_of};
use crate::{MethodTable, ServerConfig};

const PROJECT: &str = r#"
//- model.yaml
paths:
  "@lib": ./lib
//- main.dlang
import "./lib/teams"
import "@lib/classes.dlang" as c
import "@/lib/teams.dlang" as t
//- lib/teams.dlang
import "./classes.dlang"
//- lib/classes.dlang
Classification Core
"#;

/// Texts that change when these files are renamed.
fn check(renames: &[(&str, &str)]) -> String {
    let mut client = Client::new(PROJECT);
    let files: Vec<Value> =
        renames.iter().map(|(old, new)| json!({ "oldUri": uri_of(old), "newUri": uri_of(new) })).collect();
    let edit = client.send_request("workspace/willRenameFiles", json!({ "files": files }));
    let mut rendered = String::new();
    for change in edit["documentChanges"].as_array().unwrap_or(&Vec::new()) {
        let path = path_of(change["textDocument"]["uri"].as_str().unwrap());
        writeln!(rendered, "{path}\n{}", client.text_after_edits(&path, &change["edits"]).trim_end()).unwrap();
    }
    rendered
}

#[test]
fn imports_follow_files() {
    assert_snapshot!(check(&[("lib/teams.dlang", "lib/people/teams.dlang")]), @r#"
    lib/teams.dlang
    import "../classes.dlang"
    main.dlang
    import "./lib/people/teams"
    import "@lib/classes.dlang" as c
    import "@/lib/people/teams.dlang" as t
    "#);
    assert_snapshot!(check(&[("lib", "shared")]), @r#"
    main.dlang
    import "./shared/teams"
    import "./shared/classes.dlang" as c
    import "@/shared/teams.dlang" as t
    "#);
    assert_snapshot!(check(&[("main.dlang", "app/main.dlang")]), @r#"
    main.dlang
    import "../lib/teams"
    import "@lib/classes.dlang" as c
    import "@/lib/teams.dlang" as t
    "#);
    // The whole project moves, or a file that is not imported, or no file.
    assert_eq!(check(&[("", "../elsewhere")]), "");
    assert_eq!(check(&[("other.dlang", "another.dlang")]), "");
    assert_eq!(check(&[]), "");
}

#[test]
fn workspace_folders_are_added_and_removed() {
    let fixture = "//- /one/a.dlang\nTeam A\n//- /two/b.dlang\nTeam B\n//- /two/c.dlang\nTeam C\n";
    let files = TestFiles::new(fixture);
    let mut client = Client::begin(options(&files), files, MethodTable::new());
    client.initialize(&full_capabilities(), &["/one", "/gone"]);
    let names = |client: &mut Client| {
        let list = client.send_request("domainlang/list", json!({ "type": "teams" }));
        let names = list["results"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&mut client), "A");
    let folder = |path: &str| json!({ "uri": format!("file://{path}"), "name": path });
    let change = |added: &[Value], removed: &[Value]| json!({ "event": { "added": added, "removed": removed } });
    // Open documents stay open.
    client.open("new.dlang", 1, "Team New\n");
    client.notify("workspace/didChangeWorkspaceFolders", change(&[folder("/two")], &[]));
    assert_eq!(names(&mut client), "A B C New");
    client.notify("workspace/didChangeWorkspaceFolders", change(&[], &[folder("/one")]));
    assert_eq!(names(&mut client), "B C New");
    client.close("new.dlang");
    assert_eq!(names(&mut client), "B C");
}

#[test]
fn roots_of_older_clients() {
    for params in [json!({ "rootUri": "file:///w" }), json!({ "rootPath": "/w" })] {
        let files = TestFiles::new("//- a.dlang\nTeam A\n");
        let mut client = Client::begin(options(&files), files, MethodTable::new());
        client.send_request("initialize", params);
        client.notify("initialized", json!({}));
        assert_eq!(client.send_request("domainlang/get", json!({}))["summary"]["teamCount"], 1);
    }
}

#[test]
fn clients_that_watch_files_receive_a_registration() {
    let mut capabilities = full_capabilities();
    capabilities["workspace"]["didChangeWatchedFiles"] = json!({ "dynamicRegistration": true });
    let mut client = Client::with_capabilities("", &capabilities);
    let request = client.request("client/registerCapability");
    assert_snapshot!(request.params, @r#"{"registrations":[{"id":"domainlang/files","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":"**/*.dlang"},{"globPattern":"**/model.yaml"},{"globPattern":"**/model.lock"}]}}]}"#);
    client.respond(request.id, Value::Null);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a fixture need not survive a crash")]
fn the_server_watches_the_disk_for_other_clients() {
    let guard = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(guard.path()).unwrap().canonicalize_utf8().unwrap();
    std::fs::write(root.join("a.dlang"), "Team A\nTeam A\n").unwrap();
    let nothing = TestFiles::new("");
    let options = ServerConfig { files: Arc::new(DiskFiles), watch: true, ..options(&nothing) };
    let mut client = Client::begin(options, nothing, MethodTable::new());
    client.initialize(&json!({}), &[root.as_str()]);
    let mut published = || {
        let params = client.notification("textDocument/publishDiagnostics");
        let name = params["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        (name, params["diagnostics"].as_array().unwrap().len())
    };
    assert_eq!(published(), ("a.dlang".to_owned(), 1));
    std::fs::create_dir(root.join("new")).unwrap();
    std::fs::write(root.join("new/b.dlang"), "Team B\nTeam B\n").unwrap();
    assert_eq!(published(), ("b.dlang".to_owned(), 1));
    // A folder that is created later is watched, too.
    std::fs::write(root.join("new/b.dlang"), "Team B\n").unwrap();
    assert_eq!(published(), ("b.dlang".to_owned(), 0));
}
