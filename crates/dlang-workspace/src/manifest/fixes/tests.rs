//! The text that each fix produces.

use insta::assert_snapshot;

use super::*;

/// Renders the first fix of the first diagnostic that has one: its title and the new text.
fn check_fix(text: &str) -> String {
    let path = Utf8Path::new("/w/model.yaml");
    let diagnostics = read(text, Purpose::Use).diagnostics;
    let fix = diagnostics.iter().flat_map(|diagnostic| fixes(path, text, diagnostic)).next();
    fix.map_or("none".to_owned(), |fix| apply_fix(text, &fix))
}

fn check_add(text: &str, key: &str) -> String {
    add_dependency(Utf8Path::new("/w/model.yaml"), text, key).map_or("none".to_owned(), |fix| apply_fix(text, &fix))
}

fn apply_fix(text: &str, fix: &Fix) -> String {
    let FixAction::Edit { range, text: new, .. } = &fix.action else { return fix.title.clone() };
    let mut text = text.to_owned();
    text.replace_range(std::ops::Range::<usize>::from(*range), new);
    format!("{}{}\n{text}", fix.title, if fix.preferred { " (preferred)" } else { "" })
}

#[test]
fn a_dependency_is_added_where_it_belongs() {
    let cases = [
        "",
        "# only a comment",
        "model:\n  name: x\n",
        "dependencies:\n",
        "dependencies: # ours\n\nmodel:\n  name: x\n",
        "dependencies: {}\n",
        "dependencies: {a/b: v1}",
        "dependencies:\n    a/b: v1 # one\n    c/d:\n        ref: v1\n\n# the end\nmodel: {}\n",
        "dependencies:\n  a/b: v1",
        "\u{feff}dependencies:\r\n  a/b: v1\r\n",
        "{model: {name: x}}\n",
        "dependencies: text\n",
        "dependencies:\n  acme/core: v1\n",
        "dependencies:\n  a/b: \"v1\n",
        "model:\n  name: x\n...\n",
    ];
    assert_snapshot!(cases.map(|text| check_add(text, "acme/core")).join("\n--\n"), @r"
    Add 'acme/core' to the dependencies in model.yaml (preferred)
    dependencies:
      acme/core:
        ref: v1.0.0

    --
    Add 'acme/core' to the dependencies in model.yaml (preferred)
    # only a comment
    dependencies:
      acme/core:
        ref: v1.0.0
    --
    Add 'acme/core' to the dependencies in model.yaml (preferred)
    model:
      name: x
    dependencies:
      acme/core:
        ref: v1.0.0

    --
    Add 'acme/core' to the dependencies in model.yaml (preferred)
    dependencies:
      acme/core:
        ref: v1.0.0

    --
    Add 'acme/core' to the dependencies in model.yaml (preferred)
    dependencies: # ours
      acme/core:
        ref: v1.0.0

    model:
      name: x

    --
    Add 'acme/core' to the dependencies in model.yaml (preferred)
    dependencies: {acme/core: {ref: v1.0.0}}

    --
    Add 'acme/core' to the dependencies in model.yaml (preferred)
    dependencies: {acme/core: {ref: v1.0.0}, a/b: v1}
    --
    Add 'acme/core' to the dependencies in model.yaml (preferred)
    dependencies:
        a/b: v1 # one
        c/d:
            ref: v1
        acme/core:
          ref: v1.0.0

    # the end
    model: {}

    --
    Add 'acme/core' to the dependencies in model.yaml (preferred)
    dependencies:
      a/b: v1
      acme/core:
        ref: v1.0.0
    --
    Add 'acme/core' to the dependencies in model.yaml (preferred)
    ﻿dependencies:
      a/b: v1
      acme/core:
        ref: v1.0.0

    --
    none
    --
    none
    --
    none
    --
    none
    --
    none
    ");
    let keys = ["core", "~/x.dlang", "/abs/x.dlang", "a: b", "\"quoted\"\n", "true", "é", "a/b/c"];
    assert_snapshot!(keys.map(|key| check_add("", key)).join("--\n"), @r#"
    Add 'core' to the dependencies in model.yaml (preferred)
    dependencies:
      core:
        source: owner/core
        ref: v1.0.0
    --
    Add '~/x.dlang' to the dependencies in model.yaml (preferred)
    dependencies:
      "~/x.dlang":
        source: owner/xdlang
        ref: v1.0.0
    --
    Add '/abs/x.dlang' to the dependencies in model.yaml (preferred)
    dependencies:
      "/abs/x.dlang":
        source: owner/xdlang
        ref: v1.0.0
    --
    Add 'a: b' to the dependencies in model.yaml (preferred)
    dependencies:
      "a: b":
        source: owner/ab
        ref: v1.0.0
    --
    Add '"quoted" ' to the dependencies in model.yaml (preferred)
    dependencies:
      "\"quoted\"\u000A":
        source: owner/quoted
        ref: v1.0.0
    --
    Add 'true' to the dependencies in model.yaml (preferred)
    dependencies:
      "true":
        source: owner/true
        ref: v1.0.0
    --
    Add 'é' to the dependencies in model.yaml (preferred)
    dependencies:
      "é":
        source: owner/repo
        ref: v1.0.0
    --
    Add 'a/b/c' to the dependencies in model.yaml (preferred)
    dependencies:
      a/b/c:
        source: owner/c
        ref: v1.0.0
    "#);
}

#[test]
fn a_ref_is_added() {
    let cases = [
        "dependencies:\n  a/b:\n",
        "dependencies:\n  a/b: # why\n  c/d: v1\n",
        "dependencies:\n  a/b: ~\n",
        "dependencies:\n  a/b: {}\n",
        "dependencies: {a/b: {source: o/r}}\n",
        "dependencies:\n  a/b:\n    source: o/r\n    description: d\n",
        "dependencies:\n  a/b:\n    ref:\n",
        "dependencies:\n  a/b: ''\n",
    ];
    assert_snapshot!(cases.map(check_fix).join("--\n"), @r"
    Add a git ref to 'a/b'
    dependencies:
      a/b: v1.0.0
    --
    Add a git ref to 'a/b'
    dependencies:
      a/b: v1.0.0 # why
      c/d: v1
    --
    Add a git ref to 'a/b'
    dependencies:
      a/b: v1.0.0
    --
    Add a git ref to 'a/b'
    dependencies:
      a/b: {ref: v1.0.0}
    --
    Add a git ref to 'a/b'
    dependencies: {a/b: {ref: v1.0.0, source: o/r}}
    --
    Add a git ref to 'a/b'
    dependencies:
      a/b:
        ref: v1.0.0
        source: o/r
        description: d
    --
    Add a git ref to 'a/b'
    dependencies:
      a/b:
        ref: v1.0.0
    --
    Add a git ref to 'a/b'
    dependencies:
      a/b: v1.0.0
    ");
}

#[test]
fn an_alias_gets_its_at_sign() {
    assert_snapshot!(check_fix("paths:\n  lib: ./src # c\n"), @r#"
    Rename to '@lib' (preferred)
    paths:
      "@lib": ./src # c
    "#);
    assert_snapshot!(check_fix("paths:\n  lib: ./src\n  \"@lib\": ./x\n"), @"none");
}
