//! `dlang validate` on models without diagnostics, with warnings and with errors.

use insta::assert_snapshot;

use crate::check::{Sandbox, check};

const WRONG: &str = "\
//- shop.dlang
Domain Sales { vision: \"Sell\" type: Nope }
Team A
Team A
cmap Empty { }
bc Orders for Sales
";

#[test]
fn rich_output() {
    assert_snapshot!(check(WRONG, "validate"), @r#"
    exit 1
    --- stdout
    error[linking-error]: Could not resolve reference to Classification named 'Nope'.
     --> shop.dlang:1:37
      |
    1 | Domain Sales { vision: "Sell" type: Nope }
      |                                     ^^^^

    error[duplicate-element]: Duplicate element: 'A' is already defined.
     --> shop.dlang:3:6
      |
    3 | Team A
      |      ^
      |
     ::: shop.dlang:2:6
      |
    2 | Team A
      |      - defined here first

    warning[context-map-no-contexts]: Context Map 'Empty' contains no bounded contexts.
     --> shop.dlang:4:1
      |
    4 | cmap Empty { }
      | ^^^^^^^^^^^^^^
      |
      = help: Use 'contains ContextA, ContextB' to specify which contexts are in the map.

    warning[bounded-context-no-description]: Bounded Context 'Orders' is missing a description.
     --> shop.dlang:5:1
      |
    5 | bc Orders for Sales
      | ^^

    1 file, 1 domain, 1 bounded context: 2 errors, 2 warnings
    "#);
}

#[test]
fn quiet_output() {
    assert_snapshot!(check(WRONG, "validate shop.dlang -q"), @"
    exit 1
    --- stdout
    shop.dlang:1:37: error: Could not resolve reference to Classification named 'Nope'.
    shop.dlang:3:6: error: Duplicate element: 'A' is already defined.
    shop.dlang:4: warning: Context Map 'Empty' contains no bounded contexts.
    Hint: Use 'contains ContextA, ContextB' to specify which contexts are in the map.
    shop.dlang:5: warning: Bounded Context 'Orders' is missing a description.
    ");
}

#[test]
fn json_output() {
    assert_snapshot!(check(WRONG, "validate --json -q"), @r#"
    exit 1
    --- stdout
    {"valid":false,"fileCount":1,"domainCount":1,"bcCount":1,"errors":[{"severity":1,"message":"Could not resolve reference to Classification named 'Nope'.","code":"linking-error","file":"shop.dlang","line":1,"column":37},{"severity":1,"message":"Duplicate element: 'A' is already defined.","code":"duplicate-element","file":"shop.dlang","line":3,"column":6}],"warnings":[{"severity":2,"message":"Context Map 'Empty' contains no bounded contexts.\nHint: Use 'contains ContextA, ContextB' to specify which contexts are in the map.","code":"context-map-no-contexts","file":"shop.dlang","line":4,"column":1},{"severity":2,"message":"Bounded Context 'Orders' is missing a description.","code":"bounded-context-no-description","file":"shop.dlang","line":5,"column":1}],"infoCount":0}
    "#);
}

#[test]
fn the_exit_code_is_for_ci() {
    const WITH_WARNINGS: &str = "//- a.dlang\nDomain D\n";
    const SOUND: &str = "//- a.dlang\nDomain D { vision: \"v\" }\n";
    assert_snapshot!(check(SOUND, "validate"), @"
    exit 0
    --- stdout
    1 file, 1 domain, 0 bounded contexts: no problems
    ");
    assert_snapshot!(check(SOUND, "validate --deny-warnings -q"), @"
    exit 0
    ");
    assert_snapshot!(check(WITH_WARNINGS, "validate -q"), @"
    exit 0
    --- stdout
    a.dlang:1: warning: Domain 'D' is missing a vision statement.
    ");
    assert_snapshot!(check(WITH_WARNINGS, "validate -q --deny-warnings"), @"
    exit 1
    --- stdout
    a.dlang:1: warning: Domain 'D' is missing a vision statement.
    ");
}

/// A folder means every module below it, a file means its imports too.
#[test]
fn folders_and_files() {
    let sandbox = Sandbox::new(
        r#"
//- model.yaml
model:
  entry: main.dlang
//- main.dlang
import "./common/teams.dlang"
bc B for Missing by T { description: "d" }
//- common/teams.dlang
Team T
//- nested/model.yaml
model:
  version: x
//- nested/index.dlang
Domain D
//- elsewhere.dlang
Domain E
//- .dlang/packages/acme/core/1234567/index.dlang
Domain F
//- node_modules/x/index.dlang
Domain G
"#,
    );
    assert_snapshot!(sandbox.check("validate -q"), @r#"
    exit 1
    --- stdout
    main.dlang:2:10: error: Could not resolve reference to Domain named 'Missing'.
    elsewhere.dlang:1: warning: Domain 'E' is missing a vision statement.
    nested/index.dlang:1: warning: Domain 'D' is missing a vision statement.
    nested/model.yaml:2: warning: Version 'x' is not valid SemVer format.
    Hint: Use SemVer format like "1.0.0" or "1.2.3-beta".
    "#);
    assert_snapshot!(sandbox.check("validate main.dlang -q"), @"
    exit 1
    --- stdout
    main.dlang:2:10: error: Could not resolve reference to Domain named 'Missing'.
    ");
    assert_snapshot!(sandbox.show(sandbox.dlang().current_dir(sandbox.root.join("common")).args(["validate", "../nested", "-q"])), @r#"
    exit 0
    --- stdout
    [PLACE]/nested/index.dlang:1: warning: Domain 'D' is missing a vision statement.
    [PLACE]/nested/model.yaml:2: warning: Version 'x' is not valid SemVer format.
    Hint: Use SemVer format like "1.0.0" or "1.2.3-beta".
    "#);
    assert_snapshot!(sandbox.check("validate main.dlang --json"), @r#"
    exit 1
    --- stdout
    {"valid":false,"fileCount":2,"domainCount":0,"bcCount":1,"errors":[{"severity":1,"message":"Could not resolve reference to Domain named 'Missing'.","code":"linking-error","file":"main.dlang","line":2,"column":10}],"warnings":[],"infoCount":0}
    "#);
}

#[test]
fn unresolved_and_outside_imports() {
    let sandbox = Sandbox::new(
        r#"
//- p/model.yaml
dependencies:
  acme/core: v1.0.0
//- p/index.dlang
import "./nope.dlang"
import "../outside.dlang"
import "./link.dlang"
import "acme/core"
import "@zzz/two.dlang"
import "./a.txt"
//- p/a.txt
//- p/link.dlang -> ../outside.dlang
//- outside.dlang
Team Outside
"#,
    );
    assert_snapshot!(sandbox.check("validate p -q"), @r#"
    exit 1
    --- stdout
    p/index.dlang:1:8: error: Cannot resolve import './nope.dlang'.
    Hint: Check that the file exists and the path is correct.: Check that the file exists and the path is correct.
    p/index.dlang:2:8: error: Cannot resolve import '../outside.dlang'.
    Hint: Check that the file exists and the path is correct.: Relative imports must stay within the workspace directory.
    p/index.dlang:3:8: error: Cannot resolve import './link.dlang'.
    Hint: Check that the file exists and the path is correct.: Relative imports must stay within the workspace directory.
    p/index.dlang:4:8: error: Cannot resolve import 'acme/core'.
    Hint: Check that the file exists and the path is correct.: Run 'dlang install' to fetch dependencies and generate model.lock.
    p/index.dlang:5:8: error: Cannot resolve import '@zzz/two.dlang'.
    Hint: Check that the file exists and the path is correct.: Define it in model.yaml paths section:
      paths:
        "@zzz": "./some/path"
    p/index.dlang:6:8: error: Cannot resolve import './a.txt'.
    Hint: Check that the file exists and the path is correct.: DomainLang files must use the .dlang extension.
    "#);
}

#[test]
fn circular_imports() {
    let circle = "//- a.dlang\nimport \"./b.dlang\"\n//- b.dlang\nimport \"./a.dlang\"\n";
    assert_snapshot!(check(circle, "validate a.dlang"), @r#"
    exit 0
    --- stdout
    warning[import-cycle-detected]: Import cycle detected: [PLACE]/a.dlang → [PLACE]/b.dlang → [PLACE]/a.dlang.
     --> a.dlang:1:8
      |
    1 | import "./b.dlang"
      |        ^^^^^^^^^^^
      |
      = help: Break the cycle by extracting shared definitions into a separate file.

    warning[import-cycle-detected]: Import cycle detected: [PLACE]/b.dlang → [PLACE]/a.dlang → [PLACE]/b.dlang.
     --> b.dlang:1:8
      |
    1 | import "./a.dlang"
      |        ^^^^^^^^^^^
      |
      = help: Break the cycle by extracting shared definitions into a separate file.

    2 files, 0 domains, 0 bounded contexts: 2 warnings
    "#);
}

/// DomainLang's TypeScript CLI silently ignored a broken manifest.
#[test]
fn broken_manifests_are_reported() {
    let broken = "//- index.dlang\nTeam T\n//- model.yaml\nmodel:\n  name: x\n  name: y\npaths: [\n";
    assert_snapshot!(check(broken, "validate"), @"
    exit 1
    --- stdout
    error[manifest-duplicate-key]: YAML parse error: the key 'name' is there twice.
     --> model.yaml:3:3
      |
    3 |   name: y
      |   ^^^^
      |
      = help: The first one counts.

    error[manifest-unexpected-value]: 'paths' must be a mapping of keys to values.
     --> model.yaml:4:1
      |
    4 | paths: [
      | ^^^^^

    error[manifest-yaml-error]: YAML parse error: unclosed bracket '['.
     --> model.yaml:4:8
      |
    4 | paths: [
      |        ^

    1 file, 0 domains, 0 bounded contexts: 3 errors
    ");
    assert_snapshot!(check(broken, "validate index.dlang --json"), @r#"
    exit 1
    --- stdout
    {"valid":false,"fileCount":1,"domainCount":0,"bcCount":0,"errors":[{"severity":1,"message":"YAML parse error: the key 'name' is there twice.\nHint: The first one counts.","code":"manifest-duplicate-key","file":"model.yaml","line":3,"column":3},{"severity":1,"message":"'paths' must be a mapping of keys to values.","code":"manifest-unexpected-value","file":"model.yaml","line":4,"column":1},{"severity":1,"message":"YAML parse error: unclosed bracket '['.","code":"manifest-yaml-error","file":"model.yaml","line":4,"column":8}],"warnings":[],"infoCount":0}
    "#);
}

#[test]
fn mismatched_lock() {
    let disagreeing = r#"
//- index.dlang
Team T
//- model.yaml
dependencies:
  acme/core: v2.0.0
  acme/new: v1.0.0
//- model.lock
{"version":"1","dependencies":{
  "acme/core":{"ref":"v1.0.0","resolved":"r","commit":"1234567"},
  "acme/old":{"ref":"v1.0.0","resolved":"r","commit":"1234567"}}}
"#;
    assert_snapshot!(check(disagreeing, "validate"), @r#"
    exit 0
    --- stdout
    info[lock-unused-entry]: No dependency in model.yaml uses 'acme/old'.
     --> model.lock:3:3
      |
    3 |   "acme/old":{"ref":"v1.0.0","resolved":"r","commit":"1234567"}}}
      |   ^^^^^^^^^^
      |
      = help: 'dlang install' says how to bring model.lock up to date.

    warning[lock-ref-mismatch]: Dependency 'acme/core' has ref 'v2.0.0', and model.lock has 'v1.0.0'.
     --> model.yaml:2:3
      |
    2 |   acme/core: v2.0.0
      |   ^^^^^^^^^
      |
      = help: 'dlang install' says how to bring model.lock up to date.

    warning[lock-missing-entry]: Dependency 'acme/new' is not in model.lock.
     --> model.yaml:3:3
      |
    3 |   acme/new: v1.0.0
      |   ^^^^^^^^
      |
      = help: 'dlang install' says how to bring model.lock up to date.

    1 file, 0 domains, 0 bounded contexts: 2 warnings, 1 remark
    "#);
}
