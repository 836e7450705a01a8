//! Random scripts: if a placeholder is accepted, its value runs as code in none of the available shells.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::json;

use super::super::{Escaping, Template};
use super::names;
use super::values::{TESTED_SHELLS, render, run};

/// Fragments of scripts: syntax. Commands that evaluate their words have a separate table, because an author can hide
/// the command (`$x $text`). No fragment loops, waits, or writes outside the test's directory.
const FRAGMENTS: &[&str] = &[
    "echo ",
    "echo ",
    " ",
    " ",
    "a",
    "x=",
    "x=1 ",
    "\"",
    "\"",
    "\"",
    "'",
    "'",
    "\\",
    "\\\n",
    "\n",
    "\n",
    ";",
    "; echo ",
    "|cat",
    "&&",
    "||",
    "$(",
    "$(echo ",
    ")",
    ")",
    "`",
    "`echo ",
    "${x:-",
    "${x#",
    "${",
    "}",
    "}",
    "$((",
    "((",
    "))",
    "$[",
    "]",
    "$'",
    "$\"",
    "$$",
    "$1",
    "$HOME",
    "<<EOF\n",
    "<<'EOF'\n",
    "<<-E\n",
    "cat <<EOF\n",
    "cat <<\\EOF; ",
    "cat <<E\"F\"\n",
    "\nEOF\n",
    "\nE\n",
    "<<<",
    "<(",
    ">/dev/null ",
    "2>&1 ",
    "# ",
    "#",
    "(",
    "{ ",
    "; }",
    "case a in a) ",
    ";; esac",
    "case ",
    " in ",
    "if :; then ",
    "; fi",
    "[ ",
    " ]",
    "[[ ",
    " ]]",
    " -eq 1",
    "a[",
    "]=",
    "=(",
    "@(",
    "f() ",
    "! ",
    ": ",
    "=",
    "+=",
    "~",
    "*",
    "\t",
    "&",
];

/// Complete constructs, so that enough scripts are valid.
const CONSTRUCTS: &[&str] = &[
    "echo a \"b\" ",
    "echo \"$(echo \"c)\")\" ",
    "`echo a` ",
    "x=${y:-z} ",
    "$((1+2)) ",
    "cat <<EOF\nb\nEOF\necho ",
    "cat <<'EOF' | cat\n'\nEOF\necho ",
    "(cd .; ",
    "echo \"pre ",
    "$text\" ",
    "\"$text\" ",
    "\"${arg:other} b\" ",
    "--x=$text ",
    "v=$text ",
    "'a' ",
    "\"'\" ",
    "\\' ",
    "case $text in *) echo ",
    "x=$(",
    "<<<$text ",
    "# '\n",
    "$(( (2) )) ",
    "if :; then echo $text; fi; echo ",
    "for i in $list; do echo \"$i\" $text; done; echo ",
    "cat <<-E \"a\"\n\tE\necho ",
    "\"`echo \\\"`\" ",
    "echo ${x#$y} ",
];

/// Values that escape from each kind of quoting if they are not escaped correctly.
const HOSTILE: &[&str] = &[
    "'; touch canary; '",
    "\"; touch canary; \"",
    "; touch canary;",
    "$(touch canary)",
    "`touch canary`",
    "\nEOF\nE\ntouch canary\n",
    "a[$(touch canary)]",
    "\\'; touch canary #",
];

fn skeleton() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        3 => prop::sample::select(FRAGMENTS),
        8 => prop::sample::select(CONSTRUCTS),
        3 => prop::sample::select(&["$text ", "$text", "${arg:other} ", "$list "][..]),
    ];
    prop::collection::vec(fragment, 1..7).prop_map(|fragments| fragments.concat())
}

/// Returns the rendered scripts of a skeleton, if it is accepted.
fn scripts(skeleton: &str) -> Option<Vec<String>> {
    let template = Template::parse(skeleton, Escaping::Shell, &names()).ok()?;
    if template.arguments().is_empty() {
        return None;
    }
    let render_with = |text: &str, other: &str| {
        render(skeleton, Escaping::Shell, &json!({"text": text, "other": other, "list": [text, other]}))
    };
    let (texts, others) = HOSTILE.split_at(HOSTILE.len() / 2);
    let pairs = texts.iter().zip(others);
    Some(pairs.flat_map(|(text, other)| [render_with(text, other), render_with(other, text)]).collect())
}

#[test]
fn values_are_never_executed() {
    const MIN_ACCEPTED: usize = 60;
    let mut runner = TestRunner::deterministic();
    let directory = tempfile::tempdir().unwrap();
    let (mut attempts, mut accepted, mut quoted, mut substituted, mut documents) = (0, 0, 0, 0, 0);
    while accepted < MIN_ACCEPTED {
        let skeleton = skeleton().new_tree(&mut runner).unwrap().current();
        attempts += 1;
        let Some(scripts) = scripts(&skeleton) else { continue };
        accepted += 1;
        quoted += usize::from(skeleton.contains('"'));
        substituted += usize::from(skeleton.contains("$(") || skeleton.contains('`'));
        documents += usize::from(skeleton.contains("<<"));
        for script in &scripts {
            for shell in TESTED_SHELLS {
                run(shell, script, directory.path());
                let is_executed = directory.path().join("canary").exists();
                assert!(!is_executed, "{shell} ran a value\n--- template\n{skeleton}\n--- script\n{script}");
            }
        }
    }
    println!(
        "{accepted} of {attempts} accepted: {quoted} with double quotes, {substituted} with substitutions, {documents} with <<"
    );
    assert!(attempts < 20 * MIN_ACCEPTED && quoted > 10 && substituted > 5 && documents > 5);
}

/// The test above can fail: unescaped values run.
#[test]
fn unquoted_values_are_executed() {
    for shell in TESTED_SHELLS {
        for wrapper in ["echo X", "echo \"X\"", "echo 'X'", "cat <<EOF\nX\nEOF"] {
            let directory = tempfile::tempdir().unwrap();
            for value in HOSTILE {
                run(shell, &wrapper.replace('X', value), directory.path());
            }
            assert!(directory.path().join("canary").exists(), "{shell} {wrapper}");
        }
    }
}
