//! `zubi index import`: exact data of a real indexer, their state, and answers from them without a server.
//!
//! `data/python.scip` is the output of scip-python for the files in `data/python.txt`.

use camino::Utf8Path;
use insta::assert_snapshot;
use serde_json::Value;

use crate::check::Sandbox;

/// A workspace with the files of the data, and the data outside of it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for part in include_str!("data/python.txt").split("//- ").skip(1) {
        let (path, text) = part.split_once('\n').unwrap();
        sandbox.write(&format!("work/{path}"), text);
    }
    write(&sandbox, "data.scip", include_bytes!("data/python.scip"));
    sandbox
}

fn write(sandbox: &Sandbox, path: &str, bytes: &[u8]) {
    let path = sandbox.path(path);
    zubi_base::fs::write_atomic(Utf8Path::from_path(&path).unwrap(), bytes).unwrap();
}

/// Runs a command; replaces the time since the import.
fn check(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = sandbox.check(words);
    let lines = output.lines().map(|line| match line.split_once(", imported ") {
        Some((before, after)) => format!("{before}, imported{}", after.split_once(" ago").unwrap().1),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn imported_data_answer_without_a_server() {
    let sandbox = sandbox();
    assert_snapshot!(check(&sandbox, &["index", "import", "../data.scip"]), @"");
    assert_snapshot!(check(&sandbox, &["index", "status"]), @"");
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--at", "shapes.py:18:5"]), @"");
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--symbol", "total"]), @"");
    assert_snapshot!(check(&sandbox, &["call", "lsp_definition", "--at", "app.py:4:9"]), @"");
    assert_snapshot!(check(&sandbox, &["call", "lsp_implementations", "--symbol", "Shape/area"]), @"");
    let output = sandbox.zubi().args(["call", "lsp_references", "--symbol", "total", "--json"]).output().unwrap();
    let answer = String::from_utf8(output.stdout).unwrap();
    assert!(answer.contains(r#""source": "scip""#) || answer.contains(r#""source":"scip""#), "{answer}");

    sandbox.write("work/app.py", "from shapes import Square, total\n\nprint(total([Square(1.0)]))\n");
    assert_snapshot!(check(&sandbox, &["index", "status"]), @"");
    // No exact reference is left, so the texts answer.
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--symbol", "total"]), @"");
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--at", "shapes.py:10:7"]), @"");
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--at", "shapes.py:5:7"]), @"");
    assert_snapshot!(check(&sandbox, &["call", "lsp_definition", "--at", "app.py:3:7"]), @"");

    let cleared = check(&sandbox, &["index", "clear"]);
    assert!(cleared.contains("deleted"), "{cleared}");
    let output = sandbox.zubi().args(["index", "status", "--json"]).output().unwrap();
    let state: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(state.pointer("/folders/0/imports"), Some(&Value::Array(Vec::new())), "{state}");
}

#[test]
fn refused_imports_say_what_to_do() {
    let sandbox = sandbox();
    write(&sandbox, "cut.scip", &include_bytes!("data/python.scip")[..3_000]);
    for (words, expected) in [
        (["absent.scip", "--folder", "."], "cannot read"),
        (["../cut.scip", "--folder", "."], "make it again with its indexer"),
        (["../data.scip", "--folder", "src"], "pass the folder in which the indexer ran"),
        (["../data.scip", "--folder", ".."], "pass a folder of the workspace"),
        (["../data.scip", "--folder", "absent"], "is not a folder"),
        (["../data.scip", "--commit", "HEAD"], "is not in a git repository"),
    ] {
        let output = check(&sandbox, &[&["index", "import"], &words[..]].concat());
        assert!(output.starts_with("exit 2") && output.contains(expected), "{words:?}: {output}");
    }
    let output = sandbox.check(&["index", "import", "../data.scip", "--commit=--output=x"]);
    assert!(output.starts_with("exit 2"), "{output}");
}
