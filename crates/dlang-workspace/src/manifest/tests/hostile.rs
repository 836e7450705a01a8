//! Hostile texts: bombs, deep nesting, large sizes, and random input.

use std::fmt::Write as _;

use camino::Utf8Path;
use insta::assert_snapshot;
use proptest::prelude::*;

use super::check;
use crate::fix::FixAction;
use crate::manifest::{MAX_BYTES, Purpose, add_dependency, fixes, read};

#[test]
fn aliases_are_read_and_bounded() {
    let text = "x-common: &c {ref: v1}\ndependencies: {a/b: *c, c/d: *c}\n";
    assert_eq!(check(text), "");
    assert_eq!(read(text, Purpose::Use).manifest.dependencies.len(), 2);
    // 10^9 values, if they were expanded.
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..10 {
        let items = vec![format!("*a{}", level - 1); 10].join(",");
        writeln!(bomb, "x-a{level}: &a{level} [{items}]").unwrap();
    }
    assert_snapshot!(check(&bomb).lines().take(3).collect::<Vec<_>>().join("\n"), @r#"
    2 manifest-unknown-key 1:1 "a0" The key 'a0' means nothing here.⏎Hint: Known here: model, paths, dependencies, overrides, governance.
    1 manifest-yaml-error 5:40 "*a3" YAML parse error: the aliases of this text repeat too much.⏎Hint: Write the value out.
    1 manifest-yaml-error 5:44 "*a3" YAML parse error: the aliases of this text repeat too much.⏎Hint: Write the value out.
    "#);
    // A chain that is flat as text and deep as a tree.
    let mut chain = "x-0: &a0 [x]\n".to_owned();
    for level in 1..20_000 {
        writeln!(chain, "x-{level}: &a{level} [*a{}]", level - 1).unwrap();
    }
    assert_snapshot!(check(&chain).lines().take(1).collect::<String>(), @r#"1 manifest-yaml-error 31:13 "*a29" YAML parse error: this alias makes the text too deep.⏎Hint: Write the value out."#);
    assert_snapshot!(check("x-a: &a [*a]\n"), @r#"1 manifest-yaml-error 1:10 "*a" YAML parse error: this alias is inside its own anchor.⏎Hint: Write the value out."#);
}

/// A superlinear algorithm would need minutes here, longer than the test runner's time-out.
#[test]
fn large_and_deep_texts_are_bounded() {
    let check = |text: &str| check(text).lines().take(2).collect::<Vec<_>>().join("\n");
    let rows = |row: &str, bytes: usize| row.repeat(bytes / row.len());
    let cases = [
        rows("x", 10 * 1024 * 1024),
        rows("x", MAX_BYTES),
        rows("[", MAX_BYTES),
        rows("{a: ", MAX_BYTES),
        rows("- ", MAX_BYTES),
        rows("? ", MAX_BYTES),
        rows("\"", MAX_BYTES),
        rows("# c\n", MAX_BYTES),
        rows("\r", MAX_BYTES),
        rows("a:\n", MAX_BYTES),
        rows("&a ", MAX_BYTES),
        rows("!", MAX_BYTES),
        format!("dependencies:\n{}", rows("  k: {}\n", MAX_BYTES - 20)),
        format!("dependencies: [{}]", rows("a,", MAX_BYTES - 20)),
        (0..3000).map(|depth| format!("{}a:\n", " ".repeat(depth % 500))).collect::<Vec<_>>().concat(),
        format!("dependencies:\n{}", (0..20_000).map(|n| format!("  a/k{n}: {{}}\n")).collect::<Vec<_>>().concat()),
    ];
    assert_snapshot!(cases.map(|text| check(&text)).join("\n--\n"), @r#"
    1 manifest-unreadable 1:1 "" model.yaml cannot be read: it has more than 1048576 bytes.⏎Hint: It counts as empty until it can.
    --
    1 manifest-unexpected-value 1:1 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" 'model.yaml' must be a mapping of keys to values.
    --
    1 manifest-yaml-error 1:33 "[" YAML parse error: nested more than 32 deep.
    --
    1 manifest-yaml-error 1:129 "{" YAML parse error: nested more than 32 deep.
    --
    1 manifest-unexpected-value 1:1 "- - - - - - - - - - - - - - - " 'model.yaml' must be a mapping of keys to values.
    1 manifest-yaml-error 1:65 "-" YAML parse error: nested more than 32 deep.
    --
    1 manifest-yaml-error 1:3 "? ? ? ? ? ? ? ? ? ? ? ? ? ? ? " YAML parse error: a key must be text.
    1 manifest-yaml-error 1:5 "? ? ? ? ? ? ? ? ? ? ? ? ? ? ? " YAML parse error: a key must be text.
    --
    1 manifest-yaml-error 1:3 "\"" YAML parse error: invalid trailing content after double-quoted scalar.
    --

    --

    --
    1 manifest-duplicate-key 2:1 "a" YAML parse error: the key 'a' is there twice.⏎Hint: The first one counts.
    1 manifest-duplicate-key 3:1 "a" YAML parse error: the key 'a' is there twice.⏎Hint: The first one counts.
    --
    1 manifest-yaml-error 1:4 "&" YAML parse error: did not find expected <document start>.
    --
    1 manifest-yaml-error 1:1 "!" YAML parse error: while parsing a tag, did not find expected tag URI.
    --
    1 manifest-duplicate-key 3:3 "k" YAML parse error: the key 'k' is there twice.⏎Hint: The first one counts.
    1 manifest-duplicate-key 4:3 "k" YAML parse error: the key 'k' is there twice.⏎Hint: The first one counts.
    --
    1 manifest-unexpected-value 1:1 "dependencies" 'dependencies' must be a mapping of keys to values.
    1 manifest-yaml-error 1:200014 "a" YAML parse error: more than 100000 values.⏎Hint: The following text is not read.
    --
    2 manifest-unknown-key 1:1 "a" The key 'a' means nothing here.⏎Hint: Known here: model, paths, dependencies, overrides, governance.
    1 manifest-yaml-error 33:33 "a" YAML parse error: nested more than 32 deep.
    --
    1 import-missing-ref 2:3 "a/k0" Git dependency 'a/k0' requires a ref.⏎Hint: Add a git ref: 'ref: v1.0.0' (tag), 'ref: main' (branch), or a commit SHA.
    1 import-missing-ref 3:3 "a/k1" Git dependency 'a/k1' requires a ref.⏎Hint: Add a git ref: 'ref: v1.0.0' (tag), 'ref: main' (branch), or a commit SHA.
    "#);
}

/// Generates fragments of manifests, so that random texts get past the first character.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        "model",
        "paths",
        "dependencies",
        "overrides",
        "governance",
        "version",
        "entry",
        "source",
        "ref",
        "path",
        ": ",
        ":\n",
        "\n",
        "  ",
        "    ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "\"",
        "'",
        "@lib",
        "a/b",
        "v1.0.0",
        "../x",
        "/abs",
        "&a ",
        "*a",
        "~",
        "# c",
        "|\n",
        ">-\n",
        "\u{feff}",
        "\r\n",
        "é",
        "\0",
        "\t",
        "---\n",
        "? ",
        "!t ",
        "%",
        "0",
    ]);
    prop::collection::vec(fragment, 0..40).prop_map(|fragments| fragments.concat())
}

/// Applies a fix; panics if it does not fit the text.
fn apply_fix(text: &str, fix: &crate::Fix) -> String {
    let FixAction::Edit { range, text: new, .. } = &fix.action else { return fix.title.clone() };
    let mut text = text.to_owned();
    text.replace_range(std::ops::Range::<usize>::from(*range), new);
    text
}

/// Checks the properties that hold for any text.
fn check_fixes_apply(text: &str) {
    let parsed = read(text, Purpose::Publish);
    for diagnostic in &parsed.diagnostics {
        assert!(text.get(std::ops::Range::<usize>::from(diagnostic.range)).is_some(), "{diagnostic:?}");
        for fix in fixes(Utf8Path::new("/w/model.yaml"), text, diagnostic) {
            apply_fix(text, &fix);
        }
    }
    for key in ["acme/core", "x y"] {
        if let Some(fix) = add_dependency(Utf8Path::new("/w/model.yaml"), text, key) {
            apply_fix(text, &fix);
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check_fixes_apply(&text);
    }

    #[test]
    fn any_manifest_is_read(text in fragments()) {
        check_fixes_apply(&text);
    }
}
