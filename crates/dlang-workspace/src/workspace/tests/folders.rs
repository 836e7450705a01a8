//! Workspaces of several folders: how paths are shown and found.

use std::sync::Arc;

use camino::Utf8PathBuf;

use super::{load, show};
use crate::testing::in_memory;
use crate::workspace::Root;

#[test]
fn several_folders_have_names() {
    let files = in_memory("//- a/x.dlang\nTeam A\n//- b/x.dlang\nimport \"../a/x\"\nTeam B\n//- c/y.dlang\nTeam C");
    let workspace = load(Arc::new(files), &[Root::Folder("/w/a".into()), Root::Folder("/w/b".into())]);
    let snapshot = workspace.snapshot();
    insta::assert_snapshot!(show(&snapshot), @r"
    a/x.dlang: A
    b/x.dlang: B
    ");
    for path in snapshot.files().unwrap() {
        assert_eq!(snapshot.find(&snapshot.show(&path)), Some(path));
    }
}

#[test]
fn folders_with_the_same_name_are_distinguished() {
    let roots = ["/w/x/models", "/w/y/models", "/w/z/y/models", "/w/other", "/w/x/models/inner"];
    let mut files = roots.map(|root| format!("//- {root}/a.dlang\nTeam A\n")).to_vec();
    // If a backslash is not a separator, it is a character of the name.
    files.push("//- /w/other/back\\slash.dlang\n".to_owned());
    let fixture = files.concat();
    let check = |roots: &[&str]| {
        let folders: Vec<Root> = roots.iter().map(|root| Root::Folder((*root).into())).collect();
        let workspace = load(Arc::new(in_memory(&fixture)), &folders);
        let snapshot = workspace.snapshot();
        let paths = snapshot.files().unwrap().into_iter().chain(roots.iter().map(Utf8PathBuf::from));
        let display_paths = paths.map(|path| {
            let display_path = snapshot.show(&path);
            assert_eq!(snapshot.find(&display_path), Some(path), "{display_path}");
            display_path
        });
        display_paths.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(check(&roots), @r"
    other/a.dlang
    other/back\slash.dlang
    x/models/a.dlang
    inner/a.dlang
    w/y/models/a.dlang
    z/y/models/a.dlang
    x/models
    w/y/models
    z/y/models
    other
    inner
    ");
    let workspace =
        load(Arc::new(in_memory(&fixture)), &[Root::Folder(roots[0].into()), Root::Folder(roots[3].into())]);
    let found = ["other/a.dlang", "a.dlang", "inner", "back\\slash.dlang", "./other", "gone"]
        .map(|path| workspace.snapshot().find(path).map_or_else(String::new, Utf8PathBuf::into_string));
    insta::assert_snapshot!(found.join("\n"), @r"
    /w/other/a.dlang
    /w/x/models/a.dlang
    /w/x/models/inner
    /w/other/back\slash.dlang
    /w/x/models/other
    /w/x/models/gone
    ");
    insta::assert_snapshot!(check(&["/w/x/models"]), @"
    a.dlang
    inner/a.dlang
    .
    ");
    insta::assert_snapshot!(check(&["/", "/w/other"]), @r"
    other/a.dlang
    other/back\slash.dlang
    /w/x/models/a.dlang
    /w/x/models/inner/a.dlang
    /w/y/models/a.dlang
    /w/z/y/models/a.dlang
    /
    other
    ");
}
