//! Every form of specifier: its target or its error, and that nothing outside is reachable.

mod disk;

use std::fmt::Write as _;

use camino::Utf8Path;
use dlang_syntax::DiagnosticCode as _;
use insta::assert_snapshot;
use proptest::prelude::*;

use crate::files::Files;
use crate::fix::FixAction;
use crate::modules::Modules;
use crate::testing::in_memory;

fn show<F: Files>(modules: &Modules<F>, importer: &Utf8Path, specifier: &str) -> String {
    match modules.resolve(importer, specifier) {
        Ok(found) => {
            let package = found.package.map(|it| format!(" (in {}@{})", it.repository, it.commit)).unwrap_or_default();
            format!("{}{package}", found.path)
        }
        Err(error) => {
            let message = error.text().replace('\n', "⏎");
            // One test covers the common beginning of all messages.
            let general = format!(
                "Cannot resolve import '{specifier}'.⏎Hint: Check that the file exists and the path is correct."
            );
            let message = message.replace(&general, "…");
            format!("{} {}: {message}", error.code.as_str(), error.reason.as_str())
        }
    }
}

/// Renders each specifier with its target, from a file of the fixture.
fn check(fixture: &str, importer: &str, specifiers: &[&str]) -> String {
    let modules = Modules::new(in_memory(fixture));
    let mut lines = String::new();
    for specifier in specifiers {
        writeln!(lines, "{specifier} => {}", show(&modules, &Utf8Path::new("/w").join(importer), specifier)).unwrap();
    }
    lines
}

/// Returns the fixes of an unresolved import: title, file, new text.
fn check_fixes(fixture: &str, specifier: &str) -> String {
    let modules = Modules::new(in_memory(fixture));
    let importer = Utf8Path::new("/w/a.dlang");
    let error = modules.resolve(importer, specifier).unwrap_err();
    let mut lines = String::new();
    for fix in error.fixes(&modules.module_of_file(importer)) {
        let action = match fix.action {
            FixAction::Edit { path, range, text } => format!("{path} {range:?}\n{text}"),
            FixAction::Create { path, text } => format!("{path} new\n{text}"),
            FixAction::Run { folder, command } => format!("{folder} $ {command}\n"),
        };
        write!(lines, "{} (preferred: {})\n{action}", fix.title, fix.preferred).unwrap();
    }
    lines
}

const LOCK: &str = r#"
//- model.lock
{"version": "1", "dependencies": {
  "acme/core": {"ref": "v1.0.0", "refType": "tag", "resolved": "https://x", "commit": "0123abc", "integrity": "sha512-x"},
  "acme/gone": {"ref": "v1.0.0", "resolved": "", "commit": "9999999"}
}}
"#;

const PROJECT: &str = r#"
//- model.yaml
model: {name: shop, version: 1.0.0}
paths:
  "@lib": ./src/lib
  "@lib/special": ./special
  "@file": ./src/lib/two.dlang
  "@short": ./src/lib/two
  "@none": ./src/none
  "@up": ../outside
  "@abs": /abs
dependencies:
  acme/core: v1.0.0
  short: {source: acme/core, ref: v1.0.0}
  acme/core/own: {path: ./packages/own}
  acme/new: v1.0.0
  acme/gone: v1.0.0
  local: {path: ./packages/local}
  one-file: {path: ./packages/local/extra.dlang}
  none: {path: ./packages/none}
  bad/ref: {}
  bad/both: {source: acme/core, path: ./x}
  bad/up: {path: ../x}
//- index.dlang
//- two.txt
//- bad.txt
//- src/a.dlang
//- src/lib/index.dlang
//- src/lib/two.dlang
//- src/no-entry/x.dlang
//- src/v1.2/index.dlang
//- src/both.dlang
//- src/both/x.dlang
//- src/nested/model.yaml
model: {entry: ./start/main.dlang}
//- src/nested/start/main.dlang
//- src/nested/inner/x.dlang
//- src/climbing/model.yaml
model: {entry: ../a.dlang}
//- src/climbing/index.dlang
//- special/index.dlang
//- packages/local/model.yaml
model: {entry: main.dlang}
//- packages/local/main.dlang
//- packages/local/extra.dlang
//- packages/local/sub/index.dlang
//- packages/own/index.dlang
//- .dlang/packages/acme/core/0123abc/model.yaml
model: {entry: main.dlang}
dependencies: {acme/two: v1, acme/core: v1}
//- .dlang/packages/acme/core/0123abc/main.dlang
//- .dlang/packages/acme/core/0123abc/sub/teams.dlang
//- .dlang/packages/acme/core/0123abc/sub/deep.dlang
//- .dlang/packages/acme/core/0123abc/README.md
//- /outside/x.dlang
//- /abs/x.dlang
"#;

fn project() -> String {
    format!("{PROJECT}{LOCK}")
}

#[test]
fn the_complete_message() {
    let modules = Modules::new(in_memory("//- a.dlang\n"));
    let error = modules.resolve("/w/a.dlang".into(), "core").unwrap_err();
    assert_snapshot!(error.text(), @r"
    Cannot resolve import 'core'.
    Hint: Check that the file exists and the path is correct.: Create model.yaml and add the dependency:
      dependencies:
        core:
          ref: v1.0.0
    ");
}

/// The recorded output of DomainLang's original tools for a file without a manifest.
#[test]
fn without_a_manifest() {
    let specifiers =
        ["./nope.dlang", "./nope", "./bad.txt", "core", "@x/y", "~/x.dlang", "", "/abs/x.dlang", "../outside/x", "@/b"];
    let fixture = "//- a.dlang\n//- b.dlang\n//- bad.txt\n//- /outside/x.dlang\n";
    assert_snapshot!(check(fixture, "a.dlang", &specifiers), @r#"
    ./nope.dlang => import-unresolved file-not-found: …: Check that the file exists and the path is correct.
    ./nope => import-unresolved file-not-found: …: Check that the path is correct and the file exists.
    ./bad.txt => import-unresolved unresolvable: …: DomainLang files must use the .dlang extension.
    core => import-unresolved missing-manifest: …: Create model.yaml and add the dependency:⏎  dependencies:⏎    core:⏎      ref: v1.0.0
    @x/y => import-unresolved unknown-alias: …: Define it in model.yaml paths section:⏎  paths:⏎    "@x": "./some/path"
    ~/x.dlang => import-unresolved missing-manifest: …: Create model.yaml and add the dependency:⏎  dependencies:⏎    ~/x.dlang:⏎      ref: v1.0.0
     => import-missing-uri unresolvable: Import statement must have a URI. Use: import "package" or import "./local-path"
    /abs/x.dlang => import-unresolved missing-manifest: …: Create model.yaml and add the dependency:⏎  dependencies:⏎    /abs/x.dlang:⏎      ref: v1.0.0
    ../outside/x => /outside/x.dlang
    @/b => /w/b.dlang
    "#);
}

#[test]
fn relative() {
    let specifiers = [
        "./a.dlang",
        "./lib",
        "./lib/",
        "./lib/two",
        "./lib/two.dlang",
        "../index.dlang",
        ".",
        "..",
        "./../src/./lib",
        ".\\lib\\two.dlang",
        "./no-entry",
        "./v1.2",
        "./both",
        "./nested",
        "./climbing",
        "../two.txt",
        "./lib/two.dlang/x",
        "../../x.dlang",
        "../../outside/x.dlang",
        "../../outside/none.dlang",
    ];
    assert_snapshot!(check(&project(), "src/a.dlang", &specifiers), @r"
    ./a.dlang => /w/src/a.dlang
    ./lib => /w/src/lib/index.dlang
    ./lib/ => /w/src/lib/index.dlang
    ./lib/two => /w/src/lib/two.dlang
    ./lib/two.dlang => /w/src/lib/two.dlang
    ../index.dlang => /w/index.dlang
    . => import-unresolved missing-entry: …: Create 'index.dlang' in that folder, or set model.entry in its model.yaml.
    .. => /w/index.dlang
    ./../src/./lib => /w/src/lib/index.dlang
    .\lib\two.dlang => /w/src/lib/two.dlang
    ./no-entry => import-unresolved missing-entry: …: Create 'index.dlang' in that folder, or set model.entry in its model.yaml.
    ./v1.2 => /w/src/v1.2/index.dlang
    ./both => import-unresolved missing-entry: …: Create 'index.dlang' in that folder, or set model.entry in its model.yaml.
    ./nested => /w/src/nested/start/main.dlang
    ./climbing => import-escapes-workspace escapes-workspace: Entry '../a.dlang' leads out of the folder of model.yaml.⏎Hint: Use a path inside the folder, like 'index.dlang'.
    ../two.txt => import-unresolved unresolvable: …: DomainLang files must use the .dlang extension.
    ./lib/two.dlang/x => import-unresolved file-not-found: …: Check that the path is correct and the file exists.
    ../../x.dlang => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    ../../outside/x.dlang => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    ../../outside/none.dlang => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    ");
}

#[test]
fn aliases() {
    let specifiers = [
        "@lib",
        "@lib/two",
        "@lib/two.dlang",
        "@lib/special",
        "@library",
        "@file",
        "@file/x",
        "@short",
        "@none",
        "@none/x.dlang",
        "@/src/lib/two.dlang",
        "@/",
        "@",
        "@zzz/two.dlang",
        "@/../x.dlang",
        "@lib/../lib/two.dlang",
        "@lib/../../index.dlang",
        "@lib//abs/x.dlang",
        "@up/x.dlang",
        "@abs/x.dlang",
    ];
    assert_snapshot!(check(&project(), "src/a.dlang", &specifiers), @r#"
    @lib => /w/src/lib/index.dlang
    @lib/two => /w/src/lib/two.dlang
    @lib/two.dlang => /w/src/lib/two.dlang
    @lib/special => /w/special/index.dlang
    @library => import-unresolved unknown-alias: …: Define it in model.yaml paths section:⏎  paths:⏎    "@library": "./some/path"
    @file => /w/src/lib/two.dlang
    @file/x => import-unresolved file-not-found: …: Check that the path is correct and the file exists.
    @short => /w/src/lib/two.dlang
    @none => import-unresolved file-not-found: …: Check that the path is correct and the file exists.
    @none/x.dlang => import-unresolved file-not-found: …: Check that the file exists and the path is correct.
    @/src/lib/two.dlang => /w/src/lib/two.dlang
    @/ => /w/index.dlang
    @ => import-unresolved unknown-alias: …: Define it in model.yaml paths section:⏎  paths:⏎    "@": "./some/path"
    @zzz/two.dlang => import-unresolved unknown-alias: …: Define it in model.yaml paths section:⏎  paths:⏎    "@zzz": "./some/path"
    @/../x.dlang => import-unresolved escapes-workspace: …: Import path escapes the alias target directory.
    @lib/../lib/two.dlang => import-unresolved escapes-workspace: …: Import path escapes the alias target directory.
    @lib/../../index.dlang => import-unresolved escapes-workspace: …: Import path escapes the alias target directory.
    @lib//abs/x.dlang => import-unresolved file-not-found: …: Check that the file exists and the path is correct.
    @up/x.dlang => import-escapes-workspace escapes-workspace: Path alias '@up' leads out of the folder of model.yaml: '../outside'.⏎Hint: Use a relative path like './src' or '.'
    @abs/x.dlang => manifest-path-alias-absolute-path escapes-workspace: Path alias '@abs' cannot map to absolute path '/abs'.⏎Hint: Use a relative path like './src' or '.'
    "#);
}

#[test]
fn dependencies() {
    let specifiers = [
        "acme/core",
        "short",
        "acme/core/sub/teams.dlang",
        "acme/core/sub/deep",
        "acme/core/README.md",
        "acme/core/sub",
        "acme/core/../../x",
        "acme/core/own",
        "acme/cor",
        "acme/new",
        "acme/gone",
        "local",
        "local/extra.dlang",
        "local/extra",
        "local/sub",
        "local/../own/index.dlang",
        "one-file",
        "one-file/x",
        "none",
        "zzz/yyy",
        "bad/ref",
        "bad/both",
        "bad/up/x",
    ];
    assert_snapshot!(check(&project(), "src/a.dlang", &specifiers), @r"
    acme/core => /w/.dlang/packages/acme/core/0123abc/main.dlang (in acme/core@0123abc)
    short => /w/.dlang/packages/acme/core/0123abc/main.dlang (in acme/core@0123abc)
    acme/core/sub/teams.dlang => /w/.dlang/packages/acme/core/0123abc/sub/teams.dlang (in acme/core@0123abc)
    acme/core/sub/deep => import-unresolved file-not-found: …
    acme/core/README.md => import-unresolved unresolvable: …: DomainLang files must use the .dlang extension.
    acme/core/sub => import-unresolved file-not-found: …
    acme/core/../../x => import-unresolved escapes-workspace: …: Import path escapes the folder of the dependency.
    acme/core/own => /w/packages/own/index.dlang
    acme/cor => import-unresolved dependency-not-found: …: Add it to your dependencies:⏎  dependencies:⏎    acme/cor:⏎      ref: v1.0.0⏎Then run 'dlang install' to fetch it.
    acme/new => import-unresolved not-installed: …: Run 'dlang install' to fetch dependencies and generate model.lock.
    acme/gone => import-unresolved not-installed: …: Run 'dlang install' to fetch dependencies and generate model.lock.
    local => /w/packages/local/main.dlang
    local/extra.dlang => /w/packages/local/extra.dlang
    local/extra => /w/packages/local/extra.dlang
    local/sub => /w/packages/local/sub/index.dlang
    local/../own/index.dlang => import-unresolved escapes-workspace: …: Import path escapes the folder of the dependency.
    one-file => /w/packages/local/extra.dlang
    one-file/x => import-unresolved file-not-found: …: Check that the path is correct and the file exists.
    none => import-unresolved file-not-found: …: Check that the path is correct and the file exists.
    zzz/yyy => import-unresolved dependency-not-found: …: Add it to your dependencies:⏎  dependencies:⏎    zzz/yyy:⏎      ref: v1.0.0⏎Then run 'dlang install' to fetch it.
    bad/ref => import-missing-ref unresolvable: Git dependency 'bad/ref' requires a ref.⏎Hint: Add a git ref: 'ref: v1.0.0' (tag), 'ref: main' (branch), or a commit SHA.
    bad/both => import-conflicting-source-path unresolvable: Dependency 'bad/both' cannot have both 'source' and 'path'.⏎Hint: Use 'source' for git packages or 'path' for local workspace packages.
    bad/up/x => import-escapes-workspace escapes-workspace: Local path '../x' for 'bad/up' leads out of the folder of model.yaml.⏎Hint: Use a relative path like './packages/shared'.
    ");
    assert_snapshot!(check(PROJECT, "src/a.dlang", &["acme/core", "local", "zzz/yyy"]), @r"
    acme/core => import-unresolved not-installed: …: Run 'dlang install' to fetch dependencies and generate model.lock.
    local => /w/packages/local/main.dlang
    zzz/yyy => import-unresolved dependency-not-found: …: Add it to your dependencies:⏎  dependencies:⏎    zzz/yyy:⏎      ref: v1.0.0⏎Then run 'dlang install' to fetch it.
    ");
}

#[test]
fn nested_modules_have_their_own_rules() {
    let specifiers = ["./x.dlang", "../start/main", "../../a.dlang", "@lib", "@/start/main", "acme/core"];
    assert_snapshot!(check(&project(), "src/nested/inner/x.dlang", &specifiers), @r#"
    ./x.dlang => /w/src/nested/inner/x.dlang
    ../start/main => /w/src/nested/start/main.dlang
    ../../a.dlang => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    @lib => import-unresolved unknown-alias: …: Define it in model.yaml paths section:⏎  paths:⏎    "@lib": "./some/path"
    @/start/main => /w/src/nested/start/main.dlang
    acme/core => import-unresolved dependency-not-found: …: Add it to your dependencies:⏎  dependencies:⏎    acme/core:⏎      ref: v1.0.0⏎Then run 'dlang install' to fetch it.
    "#);
}

#[test]
fn packages_resolve_themselves_and_locked_packages() {
    let importer = ".dlang/packages/acme/core/0123abc/sub/teams.dlang";
    let specifiers = [
        "./deep.dlang",
        "../main",
        "../../0123abc/main.dlang",
        "../../../../../../index.dlang",
        "@lib",
        "acme/core",
        "acme/two",
        "short",
    ];
    assert_snapshot!(check(&project(), importer, &specifiers), @r#"
    ./deep.dlang => /w/.dlang/packages/acme/core/0123abc/sub/deep.dlang (in acme/core@0123abc)
    ../main => /w/.dlang/packages/acme/core/0123abc/main.dlang (in acme/core@0123abc)
    ../../0123abc/main.dlang => /w/.dlang/packages/acme/core/0123abc/main.dlang (in acme/core@0123abc)
    ../../../../../../index.dlang => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    @lib => import-unresolved unknown-alias: …: Define it in model.yaml paths section:⏎  paths:⏎    "@lib": "./some/path"
    acme/core => /w/.dlang/packages/acme/core/0123abc/main.dlang (in acme/core@0123abc)
    acme/two => import-unresolved not-installed: …: Run 'dlang install' to fetch dependencies and generate model.lock.
    short => import-unresolved dependency-not-found: …: Add it to your dependencies:⏎  dependencies:⏎    short:⏎      ref: v1.0.0⏎Then run 'dlang install' to fetch it.
    "#);
    // Without a manifest of its own.
    let bare = project()
        .replace("//- .dlang/packages/acme/core/0123abc/model.yaml", "//- .dlang/packages/acme/core/0123abc/x.yaml");
    assert_snapshot!(check(&bare, importer, &specifiers), @r#"
    ./deep.dlang => /w/.dlang/packages/acme/core/0123abc/sub/deep.dlang (in acme/core@0123abc)
    ../main => /w/.dlang/packages/acme/core/0123abc/main.dlang (in acme/core@0123abc)
    ../../0123abc/main.dlang => /w/.dlang/packages/acme/core/0123abc/main.dlang (in acme/core@0123abc)
    ../../../../../../index.dlang => import-unresolved escapes-workspace: …: Relative imports must stay within the workspace directory.
    @lib => import-unresolved unknown-alias: …: Define it in model.yaml paths section:⏎  paths:⏎    "@lib": "./some/path"
    acme/core => import-unresolved missing-entry: …: Create 'index.dlang' in that folder, or set model.entry in its model.yaml.
    acme/two => import-unresolved dependency-not-found: …: Add it to your dependencies:⏎  dependencies:⏎    acme/two:⏎      ref: v1.0.0⏎Then run 'dlang install' to fetch it.
    short => import-unresolved missing-entry: …: Create 'index.dlang' in that folder, or set model.entry in its model.yaml.
    "#);
}

#[test]
fn an_invalid_manifest_is_not_treated_as_absent() {
    let fixture =
        "//- a.dlang\n//- lib/index.dlang\n//- model.yaml\npaths: {\"@lib\": lib}\ndependencies:\n  a/b: {ref: [\n";
    assert_snapshot!(check(fixture, "a.dlang", &["@lib", "@other", "a/b", "c/d"]), @r"
    @lib => /w/lib/index.dlang
    @other => import-unresolved unknown-alias: …: Put the YAML error of model.yaml right: nothing behind it is read.
    a/b => manifest-yaml-error unresolvable: Dependency 'a/b' is cut off by a YAML error.⏎Hint: Put the YAML error of model.yaml right.
    c/d => import-unresolved dependency-not-found: …: Put the YAML error of model.yaml right: nothing behind it is read.
    ");
}

#[test]
fn unresolved_imports_have_fixes() {
    assert_snapshot!(check_fixes("//- a.dlang\n", "acme/core/sub/x.dlang"), @r"
    Create model.yaml with the dependency 'acme/core' (preferred: true)
    /w/model.yaml new
    dependencies:
      acme/core:
        ref: v1.0.0
    ");
    assert_snapshot!(check_fixes("//- model.yaml\ndependencies:\n  a/b: v1\n", "acme/core"), @r"
    Add 'acme/core' to the dependencies in model.yaml (preferred: true)
    /w/model.yaml 24..24
      acme/core:
        ref: v1.0.0
    ");
    assert_snapshot!(check_fixes("//- model.yaml\ndependencies:\n  a/b: v1\n", "a/b/x"), @r"
    Run 'dlang install' to fetch 'a/b' (preferred: true)
    /w $ dlang install
    ");
    assert_snapshot!(check_fixes("//- model.yaml\ndependencies:\n  a/b: {}\n", "a/b/x"), @r"
    Add a git ref to 'a/b' (preferred: false)
    /w/model.yaml 22..22
    ref: v1.0.0
    ");
    assert_snapshot!(check_fixes("//- model.yaml\n", "./none"), @"");
}

/// Generates fragments of specifiers, so that random ones match the rules.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        ".",
        "..",
        "/",
        "/",
        "/",
        "\\",
        "@lib",
        "@",
        "@up",
        "@abs",
        "acme/core",
        "local",
        "src",
        "lib",
        "two",
        ".dlang",
        "a",
        "é",
        "\0",
        " ",
        "out",
        "link",
        "loop",
        "x",
    ]);
    prop::collection::vec(fragment, 0..12).prop_map(|fragments| fragments.concat())
}

proptest! {
    #[test]
    fn any_specifier_resolves_inside_the_workspace(specifier in prop_oneof![fragments(), any::<String>()]) {
        let modules = Modules::new(in_memory(&project()));
        for importer in ["/w/src/a.dlang", "/w/src/nested/inner/x.dlang", "/w/.dlang/packages/acme/core/0123abc/main.dlang"] {
            if let Ok(found) = modules.resolve(importer.into(), &specifier) {
                prop_assert!(modules.files().is_file(&found.path));
                prop_assert!(found.path.starts_with("/w"), "{}", found.path);
                prop_assert!(found.path.components().all(|part| part.as_str() != ".."), "{}", found.path);
            }
        }
    }

    #[test]
    fn any_importer_is_accepted(importer in any::<String>(), specifier in fragments()) {
        drop(Modules::new(in_memory(&project())).resolve(Utf8Path::new(&importer), &specifier));
    }
}
