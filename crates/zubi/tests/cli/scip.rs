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

/// Runs a command; replaces the time since the import, and what depends on the machine.
fn check(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = sandbox.check(words);
    let lines = output.lines().map(|line| match line.split_once(", imported ") {
        Some((before, after)) => format!("{before}, imported{}", after.split_once(" ago").unwrap().1),
        None if line.contains(" in [PLACE]/cache/") => "  SIZE in [PLACE]/cache/STORE".to_owned(),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn imported_data_answer_without_a_server() {
    let sandbox = sandbox();
    assert_snapshot!(check(&sandbox, &["index", "import", "../data.scip"]), @r#"
    exit 0
    --- stdout
    [PLACE]/work
      scip-python 0.6.6: 2 documents, 2 exact; 48 occurrences of symbols
    "#);
    assert_snapshot!(check(&sandbox, &["index", "status"]), @r#"
    exit 0
    --- stdout
    [PLACE]/work
      no index yet: `zubi index build`, or the first request of an agent, makes it
      scip-python 0.6.6, imported from [PLACE]/data.scip
        2 documents (python 2), 2 exact now
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--at", "shapes.py:18:5"]), @r#"
    exit 0
    --- stdout
    at shapes.py:18:5 total
    4 references to `total` in 2 files
    app.py
      1:28  from shapes import Square, total
      3:34  LABEL = "Fläche 😀"; print(LABEL, total([Square(2.0), Square(3.0)]))
      4:9  größe = total([]); print("😀", größe)
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:  (declaration)
    [scip scip-python · 2 files exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--symbol", "total"]), @r#"
    exit 0
    --- stdout
    at shapes.py:18:5 total (function)
    4 references to `total` in 2 files
    app.py
      1:28  from shapes import Square, total
      3:34  LABEL = "Fläche 😀"; print(LABEL, total([Square(2.0), Square(3.0)]))
      4:9  größe = total([]); print("😀", größe)
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:  (declaration)
    [scip scip-python · 2 files exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_definition", "--at", "app.py:4:9"]), @r#"
    exit 0
    --- stdout
    at app.py:4:9 total
    1 definition of `total`
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:
    [scip scip-python · 1 file exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_implementations", "--symbol", "Shape/area"]), @r#"
    exit 0
    --- stdout
    at shapes.py:7:9 area (method)
    1 implementation of `area`
    shapes.py
      14:9  def area(self) -> float:
    [scip scip-python · 1 file exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    let output = sandbox.zubi().args(["call", "lsp_references", "--symbol", "total", "--json"]).output().unwrap();
    let answer = String::from_utf8(output.stdout).unwrap();
    assert!(answer.contains(r#""source": "scip""#) || answer.contains(r#""source":"scip""#), "{answer}");

    sandbox.write("work/app.py", "from shapes import Square, total\n\nprint(total([Square(1.0)]))\n");
    assert_snapshot!(check(&sandbox, &["index", "status"]), @r#"
    exit 0
    --- stdout
    [PLACE]/work
      up to date as of the last host; the next one compares it with the files
      words of 3 files, declarations of 3
      SIZE in [PLACE]/cache/STORE
      scip-python 0.6.6, imported from [PLACE]/data.scip
        2 documents (python 2), 1 exact now, 1 changed since
    "#);
    // No exact reference is left, so the texts answer.
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--symbol", "total"]), @r#"
    exit 0
    --- stdout
    at shapes.py:18:5 total (function)
    3 word matches of `total` in 2 files
    app.py
      1:28  from shapes import Square, total
      3:7  print(total([Square(1.0)]))
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:  (declaration)
    [text search: names only · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--at", "shapes.py:10:7"]), @r#"
    exit 0
    --- stdout
    at shapes.py:10:7 Square
    3 word matches of `Square` in 2 files
    app.py
      1:20  from shapes import Square, total
      3:14  print(total([Square(1.0)]))
    shapes.py
      10:7  class Square(Shape):  (declaration)
    [text search: names only · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_references", "--at", "shapes.py:5:7"]), @r#"
    exit 0
    --- stdout
    at shapes.py:5:7 Shape
    3 references to `Shape` in 1 file
    shapes.py
      5:7  class Shape(ABC):  (declaration)
      10:14  class Square(Shape):
      18:24  def total(shapes: list[Shape]) -> float:
    [scip scip-python · 1 file exact · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);
    assert_snapshot!(check(&sandbox, &["call", "lsp_definition", "--at", "app.py:3:7"]), @r#"
    exit 0
    --- stdout
    at app.py:3:7 total
    1 definition of `total`
    shapes.py
      18:5  def total(shapes: list[Shape]) -> float:
    [scip scip-python · 1 file exact · `app.py` has changed since the import: this is the only `total` of the data in it · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    "#);

    // One of two files is exact.
    sandbox.write(
        "work/app.py",
        include_str!("data/python.txt").split("//- ").nth(1).unwrap().split_once('\n').unwrap().1,
    );
    let shapes = sandbox.read("work/shapes.py");
    sandbox.write(
        "work/shapes.py",
        &shapes.replace("\"\"\"Shapes.\"\"\"\n", "\"\"\"All shapes, and their total.\"\"\"\n"),
    );
    let output = check(&sandbox, &["call", "lsp_references", "--at", "app.py:4:9"]);
    assert!(output.contains("\n3 references and 2 word matches of `total` in 2 files\n"), "{output}");
    assert!(output.contains("\n[scip scip-python · 1 file exact, 1 changed since: name only · "), "{output}");

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
