//! Modules of files and below folders, in memory and on a real disk.

use std::fmt::Write as _;

use dlang_syntax::DiagnosticCode as _;
use insta::assert_snapshot;

use super::*;
use crate::files::{DiskFiles, MemoryFiles};
use crate::testing::{in_memory, on_disk, write_file};

/// Renders the module of a file: root, manifest, package.
fn check(fixture: &str, file: &str) -> String {
    let module = Modules::new(in_memory(fixture)).module_of_file(Utf8Path::new(file));
    let manifest = if module.manifest.is_some() { "with" } else { "without" };
    let package = module.package.as_ref().map(|it| format!(" {}@{} of {}", it.repository, it.commit, it.project));
    format!("{} {manifest} manifest{}", module.root, package.unwrap_or_default())
}

fn show(listing: &Listing, below: &Utf8Path) -> String {
    let short = |path: &Utf8Path| path.strip_prefix(below).map_or(path.to_string(), |it| format!("./{it}"));
    let mut lines = String::new();
    for listed in &listing.modules {
        let files: Vec<_> = listed.files.iter().map(|file| short(file)).collect();
        let entry = listed.module.entry().map(|entry| short(&entry)).unwrap_or_default();
        writeln!(lines, "{} entry {entry}: {}", short(&listed.module.root), files.join(" ")).unwrap();
    }
    writeln!(lines, "loose {:?}", listing.loose.iter().map(|it| short(it)).collect::<Vec<_>>()).unwrap();
    for cut in &listing.skipped {
        writeln!(lines, "cut {}", format!("{cut:?}").replace(below.as_str(), ".")).unwrap();
    }
    lines
}

fn check_list(fixture: &str, folder: &str, bounds: Bounds) -> String {
    let modules: Modules<MemoryFiles> = Modules::new(in_memory(fixture));
    show(&modules.list(Utf8Path::new(folder), bounds), Utf8Path::new("/w"))
}

const PROJECT: &str = "
//- model.yaml
model: {entry: main.dlang}
//- main.dlang
//- sub/a.dlang
//- packages/x/model.yaml
//- packages/x/index.dlang
//- packages/x/deep/b.dlang
//- .dlang/packages/acme/core/0123abc/index.dlang
//- .dlang/packages/acme/core/0123abc/sub/c.dlang
//- .dlang/packages/acme/two/0123abd/model.yaml
//- .dlang/packages/acme/two/0123abd/index.dlang
//- node_modules/p/d.dlang
//- /elsewhere/e.dlang
";

#[test]
fn the_nearest_manifest_applies() {
    let files = [
        "/w/main.dlang",
        "/w/new/new.dlang",
        "/w/packages/x/deep/b.dlang",
        "/w/packages/y.dlang",
        "/w/packages/../sub/./a.dlang",
        "/w/.dlang/packages/acme/core/0123abc/sub/c.dlang",
        "/w/.dlang/packages/acme/two/0123abd/index.dlang",
        "/w/.dlang/packages/acme/x.dlang",
        "/elsewhere/e.dlang",
        "/",
        "relative.dlang",
        "",
    ];
    assert_snapshot!(files.map(|file| check(PROJECT, file)).join("\n"), @r"
    /w with manifest
    /w with manifest
    /w/packages/x with manifest
    /w with manifest
    /w with manifest
    /w/.dlang/packages/acme/core/0123abc without manifest acme/core@0123abc of /w
    /w/.dlang/packages/acme/two/0123abd with manifest acme/two@0123abd of /w
    /w with manifest
    /elsewhere without manifest
    / without manifest
     without manifest
     without manifest
    ");
}

#[test]
fn a_nested_package_has_its_project_and_folder() {
    let path = Utf8Path::new("/p/.dlang/packages/a/b/1111111/.dlang/packages/c/d/2222222/x.dlang");
    let package = Package::from_path(path).unwrap();
    assert_eq!(package.project, "/p");
    assert_eq!((package.repository.as_str(), package.commit.as_str()), ("c/d", "2222222"));
    assert_eq!(package.folder, path.parent().unwrap());
    assert_eq!(Package::from_path("/p/.dlang/packages/a/b".into()), None);
}

#[test]
fn every_module_below_a_folder_is_found() {
    assert_snapshot!(check_list(PROJECT, "/w", Bounds::default()), @r"
    ./ entry ./main.dlang: ./main.dlang ./sub/a.dlang
    ./packages/x entry ./packages/x/index.dlang: ./packages/x/deep/b.dlang ./packages/x/index.dlang
    loose []
    ");
    assert_snapshot!(check_list(PROJECT, "/w/packages", Bounds::default()), @r"
    ./ entry ./main.dlang: 
    ./packages/x entry ./packages/x/index.dlang: ./packages/x/deep/b.dlang ./packages/x/index.dlang
    loose []
    ");
    assert_snapshot!(check_list(PROJECT, "/elsewhere", Bounds::default()), @r#"loose ["/elsewhere/e.dlang"]"#);
    assert_snapshot!(check_list(PROJECT, "/none", Bounds::default()), @"loose []");
    assert_snapshot!(check_list(PROJECT, "/w", Bounds { entries: 200_000, depth: 2 }), @r#"
    ./ entry ./main.dlang: ./main.dlang ./sub/a.dlang
    loose []
    cut Depth("./packages/x")
    "#);
    assert_snapshot!(check_list(PROJECT, "/w", Bounds { entries: 9, depth: 9 }), @r"
    ./ entry ./main.dlang: ./main.dlang
    ./packages/x entry ./packages/x/index.dlang: ./packages/x/deep/b.dlang ./packages/x/index.dlang
    loose []
    cut Entries(9)
    ");
}

#[test]
fn an_unreadable_manifest_is_reported() {
    let mut files = in_memory("//- a.dlang\n");
    files.insert("/w/model.yaml", [0xff, 0xfe]);
    files.insert("/w/model.lock", "[");
    let modules = Modules::new(files);
    let module = modules.module_of_file("/w/a.dlang".into());
    let texts =
        |diagnostics: &[ModelDiagnostic]| diagnostics.iter().map(ModelDiagnostic::text).collect::<Vec<_>>().join("\n");
    assert_snapshot!(texts(&module.manifest.as_ref().unwrap().diagnostics), @r"
    model.yaml cannot be read: it is not UTF-8 text (byte 0).
    Hint: It counts as empty until it can.
    ");
    assert_snapshot!(texts(&module.lock.as_ref().unwrap().diagnostics), @"
    model.lock is not a valid lock: invalid type: sequence, expected an object.
    Hint: Write it again; 'dlang install' prints the expected content.
    ");
}

#[test]
fn a_lock_is_compared_with_its_manifest() {
    let modules = Modules::new(in_memory("//- model.yaml\ndependencies: {a/b: v1}\n//- model.lock\n{}"));
    let module = modules.module_of_file("/w/a.dlang".into());
    let codes: Vec<_> = module.manifest.as_ref().unwrap().diagnostics.iter().map(|it| it.code.as_str()).collect();
    assert_eq!(codes, ["lock-missing-entry"]);
}

#[test]
fn modules_are_cached_until_invalidated() {
    let (_guard, root) = on_disk("//- a/x.dlang\n");
    let modules = Modules::new(DiskFiles);
    let file = root.join("a/x.dlang");
    assert_eq!(modules.module_of_file(&file).root, root.join("a"));
    write_file(&root.join("model.yaml"), "");
    assert_eq!(modules.module_of_file(&file).root, root.join("a"));
    modules.invalidate();
    assert_eq!(modules.module_of_file(&file).root, root);
}

#[test]
fn ignored_folders_are_not_walked() {
    let (_guard, root) = on_disk(
        "
//- .gitignore
made/
//- model.yaml
//- index.dlang
//- made/a.dlang
//- x/model.yaml
//- x/b.dlang
//- x/loop -> ..
//- .dlang/packages/a/b/0123abc/index.dlang
//- linked.dlang -> x/b.dlang
//- a/b/c/d/e.dlang
",
    );
    let modules = Modules::new(DiskFiles);
    assert_snapshot!(show(&modules.list(&root, Bounds::default()), &root), @r"
    ./ entry ./index.dlang: ./a/b/c/d/e.dlang ./index.dlang
    ./x entry ./x/index.dlang: ./x/b.dlang
    loose []
    ");
    assert_snapshot!(show(&modules.list(&root, Bounds { entries: 100, depth: 3 }), &root), @r#"
    ./ entry ./index.dlang: ./index.dlang
    ./x entry ./x/index.dlang: ./x/b.dlang
    loose []
    cut Depth("./a/b/c")
    "#);
    assert_snapshot!(show(&modules.list(&root, Bounds { entries: 0, depth: 3 }), &root), @r"
    ./ entry ./index.dlang: 
    loose []
    cut Entries(0)
    ");
    assert_snapshot!(show(&modules.list(&root.join("none"), Bounds::default()), &root), @r#"
    ./ entry ./index.dlang: 
    loose []
    cut Unreadable { path: "./none", reason: "entity not found" }
    "#);
}

#[test]
fn a_manifest_linked_from_outside_is_not_read() {
    let (_guard, root) =
        on_disk("//- secret.yaml\nmodel: {name: secret}\n//- w/model.yaml -> ../secret.yaml\n//- w/a.dlang\n");
    let module = Modules::new(DiskFiles).module_of_file(&root.join("w/a.dlang"));
    let file = module.manifest.as_ref().unwrap();
    assert_eq!((file.text.as_str(), file.manifest.name.as_ref()), ("", None));
    assert_snapshot!(file.diagnostics[0].text(), @r"
    model.yaml cannot be read: it is a link that leads out of its folder.
    Hint: It counts as empty until it can.
    ");
}
