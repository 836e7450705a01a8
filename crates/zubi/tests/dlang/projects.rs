//! `dlang init` and `dlang install`.

use insta::assert_snapshot;

use crate::check::{Sandbox, check};

#[test]
fn new_model_is_valid() {
    let sandbox = Sandbox::new("");
    assert_snapshot!(sandbox.check("init shop"), @"
    exit 0
    --- stdout
    created shop/model.yaml
    created shop/index.dlang
    created shop/.gitignore
    created shop/domains/.gitkeep
    --- stderr
    next: edit index.dlang, then run `dlang validate`
    ");
    assert_snapshot!(sandbox.read("shop/model.yaml"), @r#"
    model:
      name: "shop"
      version: 0.1.0
      entry: index.dlang

    paths:
      "@": "."
      "@domains": "./domains"

    dependencies: {}
    "#);
    assert_eq!(sandbox.read("shop/.gitignore"), ".dlang/\n*.log\n.DS_Store\n");
    assert_eq!(sandbox.check("validate shop -q --deny-warnings"), "exit 0");
    assert_eq!(sandbox.check("fmt shop --check -q"), "exit 0");
}

#[test]
fn init_preserves_existing_files() {
    let sandbox = Sandbox::new("//- model.yaml\nmodel: {}\n//- index.dlang -> nowhere\n");
    assert_snapshot!(sandbox.check("init --json --yes"), @r#"
    exit 0
    --- stdout
    {"success":true,"projectPath":"[PLACE]","files":[".gitignore","domains/.gitkeep"],"kept":["model.yaml","index.dlang"]}
    "#);
    assert_eq!(sandbox.read("model.yaml"), "model: {}\n");
    assert!(!sandbox.root.join("nowhere").exists());
    assert_snapshot!(sandbox.check("init"), @"
    exit 0
    --- stdout
    skipped existing model.yaml
    skipped existing index.dlang
    skipped existing .gitignore
    skipped existing domains/.gitkeep
    --- stderr
    next: edit index.dlang, then run `dlang validate`
    ");
    assert_snapshot!(sandbox.check("init -q"), @"
    exit 0
    --- stdout
    [PLACE]
    ");
    assert_snapshot!(sandbox.check("init model.yaml"), @"
    exit 2
    --- stderr
    error: `model.yaml` is not a folder
    hint: Pass a folder, or a path that does not exist yet.
    ");
}

const DEPENDENCIES: &str = r#"
//- model.yaml
dependencies:
  acme/core: v1.0.0
  acme/gone:
    ref: main
  acme/new: v3.0.0
  local:
    path: ./packages/local
//- model.lock
{"version":"1","dependencies":{
  "acme/core":{"ref":"v1.0.0","refType":"tag","resolved":"r","commit":"1111111","integrity":"sha512-a"},
  "acme/gone":{"ref":"main","refType":"branch","resolved":"r","commit":"2222222","integrity":"sha512-b"}}}
//- .dlang/packages/acme/core/1111111/.dlang-metadata.json
{"integrity":"sha512-a","resolved":"r","commitSha":"1111111"}
//- packages/local/index.dlang
"#;

#[test]
fn missing_dependencies_and_their_commands() {
    assert_snapshot!(check(DEPENDENCIES, "install"), @r#"
    exit 1
    --- stdout
    Dependency  From              Commit   State
    ─────────────────────────────────────────────────────────────────────────────────────
    acme/core   acme/core@v1.0.0  1111111  installed
    acme/gone   acme/gone@main    2222222  the package cache does not have commit 2222222
    acme/new    acme/new@v3.0.0   -        model.lock has no entry for it
    local       ./packages/local  -        installed
    --- stderr
    warning[lock-missing-entry]: Dependency 'acme/new' is not in model.lock.
     --> model.yaml:5:3
      |
    5 |   acme/new: v3.0.0
      |   ^^^^^^^^
      |
      = help: 'dlang install' says how to bring model.lock up to date.

    error: dependencies missing or different from model.lock: 2 of 4
    hint: nothing is downloaded here; in `.` run:
      git clone https://github.com/acme/gone .dlang/packages/acme/gone/2222222
      git -C .dlang/packages/acme/gone/2222222 checkout 2222222
      git ls-remote https://github.com/acme/new v3.0.0   # the commit, for the entry in model.lock:
      # "acme/new": {"ref": "v3.0.0", "refType": "tag, branch or commit", "resolved": "https://github.com/acme/new", "commit": "…"}
    "#);
    assert_snapshot!(check(DEPENDENCIES, "install packages -q"), @"
    exit 1
    --- stdout
    acme/gone
    acme/new
    --- stderr
    model.yaml:5:3: warning: Dependency 'acme/new' is not in model.lock.
    Hint: 'dlang install' says how to bring model.lock up to date.
    error: dependencies missing or different from model.lock: 2 of 4
    ");
    assert_snapshot!(check(DEPENDENCIES, "install --json"), @r##"
    exit 1
    --- stdout
    {"success":false,"installed":0,"cached":2,"lockFileModified":false,"warnings":[],"dependencies":[{"name":"acme/core","present":true,"source":"acme/core","ref":"v1.0.0","commit":"1111111","integrity":"sha512-a","folder":".dlang/packages/acme/core/1111111","problems":[],"commands":[]},{"name":"acme/gone","present":false,"source":"acme/gone","ref":"main","commit":"2222222","integrity":"sha512-b","folder":".dlang/packages/acme/gone/2222222","problems":["the package cache does not have commit 2222222"],"commands":["git clone https://github.com/acme/gone .dlang/packages/acme/gone/2222222","git -C .dlang/packages/acme/gone/2222222 checkout 2222222"]},{"name":"acme/new","present":false,"source":"acme/new","ref":"v3.0.0","problems":["model.lock has no entry for it"],"commands":["git ls-remote https://github.com/acme/new v3.0.0   # the commit, for the entry in model.lock:","# \"acme/new\": {\"ref\": \"v3.0.0\", \"refType\": \"tag, branch or commit\", \"resolved\": \"https://github.com/acme/new\", \"commit\": \"…\"}"]},{"name":"local","present":true,"path":"./packages/local","folder":"packages/local","problems":[],"commands":[]}],"added":["acme/new"],"removed":[],"changed":[],"error":"dependencies missing or different from model.lock: 2 of 4"}
    --- stderr
    warning[lock-missing-entry]: Dependency 'acme/new' is not in model.lock.
     --> model.yaml:5:3
      |
    5 |   acme/new: v3.0.0
      |   ^^^^^^^^
      |
      = help: 'dlang install' says how to bring model.lock up to date.

    error: dependencies missing or different from model.lock: 2 of 4
    hint: nothing is downloaded here; in `.` run:
      git clone https://github.com/acme/gone .dlang/packages/acme/gone/2222222
      git -C .dlang/packages/acme/gone/2222222 checkout 2222222
      git ls-remote https://github.com/acme/new v3.0.0   # the commit, for the entry in model.lock:
      # "acme/new": {"ref": "v3.0.0", "refType": "tag, branch or commit", "resolved": "https://github.com/acme/new", "commit": "…"}
    "##);
}

#[test]
fn what_is_there() {
    let complete = r#"
//- model.yaml
dependencies:
  acme/core: v1.0.0
//- model.lock
{"dependencies":{"acme/core":{"ref":"v1.0.0","resolved":"r","commit":"1111111"}}}
//- .dlang/packages/acme/core/1111111/.dlang-metadata.json
{"commitSha":"1111111"}
"#;
    assert_snapshot!(check(complete, "install --frozen"), @"
    exit 0
    --- stdout
    Dependency  From              Commit   State
    ────────────────────────────────────────────────
    acme/core   acme/core@v1.0.0  1111111  installed
    ");
    assert_snapshot!(check(complete, "install --frozen --json"), @r#"
    exit 0
    --- stdout
    {"success":true,"installed":0,"cached":1,"lockFileModified":false,"warnings":[],"dependencies":[{"name":"acme/core","present":true,"source":"acme/core","ref":"v1.0.0","commit":"1111111","folder":".dlang/packages/acme/core/1111111","problems":[],"commands":[]}],"added":[],"removed":[],"changed":[]}
    "#);
    assert_eq!(check(complete, "install -q"), "exit 0");
    assert_snapshot!(check("//- model.yaml\n", "install"), @"
    exit 0
    --- stdout
    no dependencies
    ");
}

/// Imports follow the lock file, so a lock for another ref is an error in CI and a warning elsewhere.
#[test]
fn a_lock_for_something_else() {
    let sandbox = Sandbox::new(
        r#"
//- model.yaml
dependencies:
  acme/core: v2.0.0
//- model.lock
{"dependencies":{"acme/core":{"ref":"v1.0.0","resolved":"r","commit":"1111111"},
                 "acme/old":{"ref":"v1.0.0","resolved":"r","commit":"1111111"}}}
//- .dlang/packages/acme/core/1111111/.dlang-metadata.json
{"commitSha":"1111111"}
"#,
    );
    assert_snapshot!(sandbox.check("install -q"), @"
    exit 0
    --- stderr
    model.yaml:2:3: warning: Dependency 'acme/core' has ref 'v2.0.0', and model.lock has 'v1.0.0'.
    Hint: 'dlang install' says how to bring model.lock up to date.
    model.lock:2:18: info: No dependency in model.yaml uses 'acme/old'.
    Hint: 'dlang install' says how to bring model.lock up to date.
    ");
    assert_snapshot!(sandbox.check("install --frozen --json -q"), @r##"
    exit 1
    --- stdout
    {"success":false,"installed":0,"cached":1,"lockFileModified":false,"warnings":["acme/core: model.yaml has 'v2.0.0', and model.lock has 'v1.0.0'"],"dependencies":[{"name":"acme/core","present":true,"source":"acme/core","ref":"v2.0.0","commit":"1111111","folder":".dlang/packages/acme/core/1111111","problems":["model.yaml has 'v2.0.0', and model.lock has 'v1.0.0'"],"commands":["git ls-remote https://github.com/acme/core v2.0.0   # the commit, for the entry in model.lock:","# \"acme/core\": {\"ref\": \"v2.0.0\", \"refType\": \"tag, branch or commit\", \"resolved\": \"https://github.com/acme/core\", \"commit\": \"…\"}"]}],"added":[],"removed":["acme/old"],"changed":[{"pkg":"acme/core","manifestRef":"v2.0.0","lockRef":"v1.0.0"}],"error":"model.lock does not match model.yaml"}
    --- stderr
    warning[lock-ref-mismatch]: Dependency 'acme/core' has ref 'v2.0.0', and model.lock has 'v1.0.0'.
     --> model.yaml:2:3
      |
    2 |   acme/core: v2.0.0
      |   ^^^^^^^^^
      |
      = help: 'dlang install' says how to bring model.lock up to date.

    info[lock-unused-entry]: No dependency in model.yaml uses 'acme/old'.
     --> model.lock:2:18
      |
    2 |                  "acme/old":{"ref":"v1.0.0","resolved":"r","commit":"1111111"}}}
      |                  ^^^^^^^^^^
      |
      = help: 'dlang install' says how to bring model.lock up to date.

    error: model.lock does not match model.yaml
    hint: nothing is downloaded here; in `.` run:
      git ls-remote https://github.com/acme/core v2.0.0   # the commit, for the entry in model.lock:
      # "acme/core": {"ref": "v2.0.0", "refType": "tag, branch or commit", "resolved": "https://github.com/acme/core", "commit": "…"}
    "##);
    let code = sandbox.dlang().arg("install").env("DLANG_FROZEN", "1").output().unwrap().status.code();
    assert_eq!(code, Some(1));
}

#[test]
fn a_package_that_is_something_else() {
    let other = r#"
//- model.yaml
dependencies:
  acme/core: v1.0.0
//- model.lock
{"dependencies":{"acme/core":{"ref":"v1.0.0","resolved":"r","commit":"1111111","integrity":"sha512-a"}}}
//- .dlang/packages/acme/core/1111111/.dlang-metadata.json
{"integrity":"sha512-z","commitSha":"3333333"}
"#;
    assert_snapshot!(check(other, "install"), @"
    exit 1
    --- stdout
    Dependency  From              Commit   State
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    acme/core   acme/core@v1.0.0  1111111  the package cache has commit 3333333 in the folder of 1111111; its integrity is sha512-z, and sha512-a was promised
    --- stderr
    error: dependencies missing or different from model.lock: 1 of 1
    ");
}

#[test]
fn nothing_to_go_by() {
    assert_snapshot!(check("//- a.dlang\n", "install"), @"
    exit 2
    --- stderr
    error: there is no model.yaml in `.` or above it
    hint: `dlang init` creates one.
    ");
    assert_snapshot!(check("//- a.dlang\n", "install nope --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"Path not found: nope","hints":["Pass a folder, or a file that ends in .dlang."]}
    --- stderr
    error: Path not found: nope
    hint: Pass a folder, or a file that ends in .dlang.
    "#);
    assert_snapshot!(check("//- model.yaml\ndependencies:\n  a/b: [\n", "install"), @"
    exit 2
    --- stderr
    error[manifest-unexpected-value]: Dependency 'a/b' must be a ref or a mapping.
     --> model.yaml:2:3
      |
    2 |   a/b: [
      |   ^^^

    error[manifest-yaml-error]: YAML parse error: unclosed bracket '['.
     --> model.yaml:2:8
      |
    2 |   a/b: [
      |        ^

    error: `model.yaml` has no valid list of dependencies
    hint: Fix the errors above.
    ");
    assert_snapshot!(check("//- .dlang/packages/a/b/1234567/model.yaml\n", "install .dlang/packages/a/b/1234567"), @"
    exit 2
    --- stderr
    error: `.dlang/packages/a/b/1234567` is in the package cache
    hint: Run the command in the project that owns the cache.
    ");
}

/// The dependencies are unknown, so dlang does not report them as installed.
#[test]
fn unreadable_manifest_dependencies_are_reported() {
    let broken = [
        "dependencies: \"x\"\n",
        "dependencies: [a/b]\n",
        "{? [a] : b}\n",
        "dependencies: {? [a] : b}\n",
        "- a\n",
        "x\n",
        "dependencies: {}\ndependencies: {a/b: v1}\n",
        "dependencies: *none\n",
    ];
    let answers = broken.map(|text| check(&format!("//- model.yaml\n{text}"), "install -q"));
    assert_snapshot!(answers.join("\n\n"), @"
    exit 2
    --- stderr
    model.yaml:1:1: error: 'dependencies' must be a mapping of keys to values.
    error: `model.yaml` has no valid list of dependencies
    hint: Fix the errors above.

    exit 2
    --- stderr
    model.yaml:1:1: error: 'dependencies' must be a mapping of keys to values.
    error: `model.yaml` has no valid list of dependencies
    hint: Fix the errors above.

    exit 2
    --- stderr
    model.yaml:1:4: error: YAML parse error: a key must be text.
    error: `model.yaml` has no valid list of dependencies
    hint: Fix the errors above.

    exit 2
    --- stderr
    model.yaml:1:18: error: YAML parse error: a key must be text.
    error: `model.yaml` has no valid list of dependencies
    hint: Fix the errors above.

    exit 2
    --- stderr
    model.yaml:1:1: error: 'model.yaml' must be a mapping of keys to values.
    error: `model.yaml` has no valid list of dependencies
    hint: Fix the errors above.

    exit 2
    --- stderr
    model.yaml:1:1: error: 'model.yaml' must be a mapping of keys to values.
    error: `model.yaml` has no valid list of dependencies
    hint: Fix the errors above.

    exit 2
    --- stderr
    model.yaml:2:1: error: YAML parse error: the key 'dependencies' is there twice.
    Hint: The first one counts.
    error: `model.yaml` has no valid list of dependencies
    hint: Fix the errors above.

    exit 2
    --- stderr
    model.yaml:1:15: error: YAML parse error: there is no anchor '&none' before this alias.
    error: `model.yaml` has no valid list of dependencies
    hint: Fix the errors above.
    ");
    // Other errors do not affect the dependencies.
    let other = "//- model.yaml\npaths: {\"@x\": [1]}\noverrides: {dependencies: [x]}\n";
    assert_snapshot!(check(other, "install -q"), @"
    exit 0
    --- stderr
    model.yaml:1:9: error: '@x' must be text.
    model.yaml:2:13: error: 'dependencies' must be text.
    ");
}
