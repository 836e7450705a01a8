//! Links, which only a real disk has: none leaves the folder, and none is followed endlessly.

use std::fmt::Write as _;

use insta::assert_snapshot;

use super::show;
use crate::files::DiskFiles;
use crate::modules::Modules;
use crate::testing::on_disk;

/// Renders each specifier with its target, from a file of the fixture; its folder is shown as `/w`.
fn check_on_disk(fixture: &str, importer: &str, specifiers: &[&str]) -> String {
    let (_guard, root) = on_disk(fixture);
    let modules = Modules::new(DiskFiles);
    let mut lines = String::new();
    for specifier in specifiers {
        writeln!(lines, "{specifier} => {}", show(&modules, &root.join(importer), specifier)).unwrap();
    }
    lines.replace(root.as_str(), "/w")
}

#[test]
fn links_on_disk() {
    let fixture = "
//- w/model.yaml
paths: {\"@link\": ./link, \"@out\": ./out}
dependencies: {out: {path: ./out}, link: {path: ./link}, a/b: v1, c/d: v1}
//- w/model.lock
{\"dependencies\": {\"a/b\": {\"ref\": \"v1\", \"resolved\": \"\", \"commit\": \"0123abc\"},
  \"c/d\": {\"ref\": \"v1\", \"resolved\": \"\", \"commit\": \"0123abc\"}}}
//- w/a.dlang
//- w/real/index.dlang
//- w/real/x.dlang
//- w/link -> real
//- w/out -> ../outside
//- w/leak.dlang -> ../outside/secret.dlang
//- w/dangling.dlang -> ../outside/none.dlang
//- w/circle.dlang -> circle.dlang
//- w/loop -> .
//- w/text.dlang -> text.txt
//- w/text.txt
//- w/null.dlang -> /dev/null
//- w/.dlang/packages/a/b/0123abc/index.dlang -> ../../../../../../outside/secret.dlang
//- w/.dlang/packages/c/d/0123abc -> ../../../../../outside
//- outside/index.dlang
//- outside/secret.dlang
";
    let specifiers = [
        "./link/x.dlang",
        "@link/x",
        "link/x.dlang",
        "link",
        "./out/secret.dlang",
        "./out/none.dlang",
        "./out/none/none",
        "@out/secret",
        "out",
        "./leak.dlang",
        "./leak",
        "./dangling.dlang",
        "./circle.dlang",
        "./loop/a.dlang",
        "./loop/loop/loop/loop/a.dlang",
        "./loop",
        "./text.dlang",
        "./null.dlang",
        "./link/../a.dlang",
        "./out/../a.dlang",
        "a/b",
        "c/d",
        "c/d/secret.dlang",
    ];
    assert_snapshot!(check_on_disk(fixture, "w/a.dlang", &specifiers), @r"
    ./link/x.dlang => /w/w/real/x.dlang
    @link/x => /w/w/real/x.dlang
    link/x.dlang => /w/w/real/x.dlang
    link => /w/w/real/index.dlang
    ./out/secret.dlang => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    ./out/none.dlang => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    ./out/none/none => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    @out/secret => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    out => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    ./leak.dlang => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    ./leak => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    ./dangling.dlang => import-unresolved file-not-found: …: Check that the file exists and the path is correct.
    ./circle.dlang => import-unresolved file-not-found: …: Check that the file exists and the path is correct.
    ./loop/a.dlang => /w/w/a.dlang
    ./loop/loop/loop/loop/a.dlang => /w/w/a.dlang
    ./loop => import-unresolved missing-entry: …: Create 'index.dlang' in that folder, or set model.entry in its model.yaml.
    ./text.dlang => import-unresolved unresolvable: …: DomainLang files must use the .dlang extension.
    ./null.dlang => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    ./link/../a.dlang => /w/w/a.dlang
    ./out/../a.dlang => /w/w/a.dlang
    a/b => import-unresolved escapes-workspace: …: Import path escapes the folder of the dependency.
    c/d => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    c/d/secret.dlang => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    ");
    // The same file has one path, even if it is opened through a link.
    assert_snapshot!(check_on_disk(fixture, "w/link/x.dlang", &["./x.dlang", "./index", "../a.dlang"]), @r"
    ./x.dlang => /w/w/real/x.dlang
    ./index => /w/w/real/index.dlang
    ../a.dlang => /w/w/a.dlang
    ");
}

#[test]
fn links_without_a_manifest() {
    let fixture = "//- real/w/a.dlang\n//- real/b.dlang\n//- c.dlang\n//- w -> real/w\n//- real/w/up -> ..\n";
    assert_snapshot!(check_on_disk(fixture, "w/a.dlang", &["./a.dlang", "../b.dlang", "../c.dlang", "./up/b.dlang", "./up/up"]), @r"
    ./a.dlang => /w/w/a.dlang
    ../b.dlang => import-unresolved file-not-found: …: Check that the file exists and the path is correct.
    ../c.dlang => /w/c.dlang
    ./up/b.dlang => /w/real/b.dlang
    ./up/up => import-unresolved file-not-found: …: Check that the path is correct and the file exists.
    ");
    assert_snapshot!(check_on_disk(fixture, "real/w/a.dlang", &["./up/w/up/w/a.dlang", "../b", "../../c"]), @r"
    ./up/w/up/w/a.dlang => /w/real/w/a.dlang
    ../b => /w/real/b.dlang
    ../../c => /w/c.dlang
    ");
}
