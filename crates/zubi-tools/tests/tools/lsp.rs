//! Answers of each code tool to a model.

use serde_json::{Value, json};
use zubi_code::testing::Toy;

use crate::support::{SHAPES, call, check, plan_of, without_ids};

#[tokio::test]
async fn definition() {
    insta::assert_snapshot!(check(SHAPES, "lsp_definition", json!({ "at": "app.toy:1:5" })).await, @"
    at app.toy:1:5 Shape
    1 definition of `Shape`
    shapes.toy
      1:7  class Shape
    [toy · ready]
    ");
    insta::assert_snapshot!(check(SHAPES, "lsp_definition", json!({ "at": "app.toy:2 area" })).await, @"
    at app.toy:2:9 area
    2 definitions of `area`
    shapes.toy
      2:7  def area
      5:7  def area # area of a square
    [toy · ready]
    ");
    insta::assert_snapshot!(check(SHAPES, "lsp_definition", json!({ "at": "app.toy:2 print" })).await, @"
    at app.toy:2:3 print
    no definition of `print`: the server found none (a keyword, a literal, or code it cannot resolve)
    [toy · ready · the toy library was not read]
    ");
    insta::assert_snapshot!(check(SHAPES, "lsp_definition", json!({ "symbol": "Square", "context": 1 })).await, @"
    at shapes.toy:4:7 Square (class)
    1 definition of `Square`
    shapes.toy
      4:7
            3    def name
       >    4  class Square
            5    def area # area of a square
    [toy · ready]
    ");
}

#[tokio::test]
async fn references() {
    insta::assert_snapshot!(check(SHAPES, "lsp_references", json!({ "symbol": "unit" })).await, @"
    at shapes.toy:6:5 unit (variable)
    3 references to `unit` in 2 files
    app.toy
      2:14  print area unit
      4:12  let élan → unit
    shapes.toy
      6:5  let unit  (declaration)
    1 further word match in comments or strings: includeText=true
    [toy · ready]
    ");
    insta::assert_snapshot!(check(SHAPES, "lsp_references", json!({ "symbol": "unit", "limit": 1 })).await, @r#"
    at shapes.toy:6:5 unit (variable)
    3 references to `unit` in 2 files
    app.toy
      2:14  print area unit
    … 2 more: cursor="1"
    1 further word match in comments or strings: includeText=true
    [toy · ready]
    "#);
    insta::assert_snapshot!(check(SHAPES, "lsp_references", json!({ "symbol": "unit", "cursor": "2" })).await, @"
    at shapes.toy:6:5 unit (variable)
    3 references to `unit` in 2 files
    shapes.toy
      6:5  let unit  (declaration)
    1 further word match in comments or strings: includeText=true
    [toy · ready]
    ");
    insta::assert_snapshot!(check(SHAPES, "lsp_references", json!({ "symbol": "unit", "cursor": "9" })).await, @"
    Invalid input: cursor: past the end; there are 3 items now
    Call again without `cursor`.
    ");
    insta::assert_snapshot!(check(SHAPES, "lsp_references", json!({ "symbol": "Shape", "format": "json" })).await, @r#"{"resolved":{"at":"shapes.toy:1:7","name":"Shape","kind":"class"},"items":[{"path":"app.toy","range":{"start":{"line":0,"character":4},"end":{"line":0,"character":9}},"text":"use Shape"},{"path":"shapes.toy","range":{"start":{"line":0,"character":6},"end":{"line":0,"character":11}},"text":"class Shape","declaration":true}],"total":2,"furtherWordMatches":0,"status":{"endpoint":"toy","readiness":"ready","complete":true,"source":"server"}}"#);
}

#[tokio::test]
async fn hover() {
    insta::assert_snapshot!(check(SHAPES, "lsp_hover", json!({ "symbol": "Square/area" })).await, @"
    at shapes.toy:5:7 area (function)
    ```toy
    def area # area of a square
    ```
    [toy · ready]
    ");
}

#[tokio::test]
async fn symbols() {
    insta::assert_snapshot!(check(SHAPES, "lsp_document_symbols", json!({ "path": "shapes.toy" })).await, @"
    6 symbols in `shapes.toy`
      class Shape  1
        function area  2
        function name  3
      class Square  4
        function area  5  def area # area of a square
      variable unit  6
    [toy · ready]
    ");
    insta::assert_snapshot!(check(SHAPES, "lsp_document_symbols", json!({ "path": "shapes.toy", "depth": 1 })).await, @"
    3 symbols in `shapes.toy`
      class Shape  1
      class Square  4
      variable unit  6
    [toy · ready]
    ");
    insta::assert_snapshot!(check(SHAPES, "lsp_workspace_symbols", json!({ "query": "ar" })).await, @"
    3 symbols matching `ar`
      function area  shapes.toy:2:7
      function area  shapes.toy:5:7  def area # area of a square
      class Square  shapes.toy:4:7
    [toy · ready]
    ");
    insta::assert_snapshot!(check(SHAPES, "lsp_workspace_symbols", json!({ "query": "nothing" })).await, @"
    0 symbols matching `nothing`
    [toy · ready]
    ");
    insta::assert_snapshot!(check(SHAPES, "lsp_workspace_symbols", json!({ "query": "x", "kind": "klass" })).await, @"
    Invalid input: kind: no kind `klass`
    Use one of: file, module, namespace, package, class, method, property, field, constructor, enum, interface, function, variable, constant, string, number, boolean, array, object, key, null, enum member, struct, event, operator, type parameter, type alias, import.
    ");
}

#[tokio::test]
async fn symbols_of_some_files() {
    let find = async |args: Value| check(SHAPES, "lsp_workspace_symbols", args).await;
    insta::assert_snapshot!(find(json!({ "query": "ar", "path": "shapes.toy", "kind": "class" })).await, @"
    1 symbol matching `ar`
      class Square  shapes.toy:4:7
    [toy · ready]
    ");
    insta::assert_snapshot!(find(json!({ "query": "ar", "path": "**/app.toy" })).await, @"
    0 symbols matching `ar`
    [toy · ready]
    ");
    insta::assert_snapshot!(find(json!({ "query": "ar", "path": "*.toy" })).await, @"
    3 symbols matching `ar`
      function area  shapes.toy:2:7
      function area  shapes.toy:5:7  def area # area of a square
      class Square  shapes.toy:4:7
    [toy · ready]
    ");
    insta::assert_snapshot!(find(json!({ "query": "ar", "language": "python" })).await, @"
    0 symbols matching `ar`
    [toy · ready · no file of the workspace has this path and language]
    ");
    insta::assert_snapshot!(find(json!({ "query": "ar", "language": "klingon" })).await, @"
    Invalid input: language: unknown language `klingon`
    Use one of: astro, c, cpp, css, dart, elixir, go, html, java, javascript, json, lua, markdown, php, python, ruby, rust, shellscript, svelte, toml, typescript, typescriptreact, vue, yaml, zig.
    ");
}

/// A notebook without a server.
const NOTEBOOK: &str = r##"//- notes/explore.ipynb
{"cells": [
  {"cell_type": "markdown", "source": ["# def title(): pass"]},
  {"cell_type": "code", "outputs": [], "source": ["%matplotlib inline\n", "LIMIT = 3"]},
  {"cell_type": "code", "source": ["%%bash\n", "function no() { ls; }"]},
  {"cell_type": "code", "source": ["class Shape:\n", "    \"\"\"A shape.\"\"\"\n", "    def area(self, name=\"x\"):\n", "        return 1\n"]}
], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}
//- notes/broken.ipynb
{"cells": [
//- notes/statistics.ipynb
{"cells": [{"cell_type": "code", "source": "f <- 1"}], "metadata": {"language_info": {"name": "R"}}}
"##;

#[tokio::test]
async fn symbols_of_notebooks() {
    let outline = async |path: &str| check(NOTEBOOK, "lsp_document_symbols", json!({ "path": path, "depth": 3 })).await;
    insta::assert_snapshot!(outline("notes/explore.ipynb").await, @r#"
    3 symbols in `notes/explore.ipynb`
      variable LIMIT  cell 2:2
      class Shape  cell 4:1-4
        method area (self, name="x")  cell 4:3-4
    [syntax only: names not resolved · no server for .ipynb: Add a catalogue row.]
    "#);
    insta::assert_snapshot!(outline("notes").await, @r#"
    3 symbols in 1 file of `notes`, depth 3
    notes/explore.ipynb
      variable LIMIT  cell 2:2
      class Shape  cell 4:1-4
        method area (self, name="x")  cell 4:3-4
    [syntax only: names not resolved · not parsed: notes/broken.ipynb (the file is not a Jupyter notebook of format 4), notes/statistics.ipynb (zubi cannot parse the language of the notebook)]
    "#);
    insta::assert_snapshot!(outline("notes/broken.ipynb").await, @"
    Failed to outline the file: zubi cannot parse `notes/broken.ipynb`: the file is not a Jupyter notebook of format 4; no server for .ipynb
    Add a catalogue row.
    ");
    insta::assert_snapshot!(check(NOTEBOOK, "read_symbol", json!({ "symbol": "Shape" })).await, @r#"
    notes/explore.ipynb cell 4:1  class Shape
    1  class Shape:
    2      """A shape."""
    3      def area(self, name="x"):
    4          return 1
    [syntax only: names not resolved · no server for .ipynb: Add a catalogue row.]
    "#);
    insta::assert_snapshot!(check(NOTEBOOK, "read_symbol", json!({ "symbol": "Shape/area", "part": "body" })).await, @r#"
    notes/explore.ipynb cell 4:3  method Shape/area
    3      def area(self, name="x"):
    4          return 1
    [syntax only: names not resolved · no server for .ipynb: Add a catalogue row.]
    "#);
    insta::assert_snapshot!(check(NOTEBOOK, "lsp_workspace_symbols", json!({ "query": "area" })).await, @r#"
    1 symbol matching `area`
      method area  notes/explore.ipynb cell 4:3:9  in Shape  def area(self, name="x"):
    [toy + syntax only: names not resolved · ready · without a server: exact names only, from the outlines of 1 file · no server for .ipynb: Add a catalogue row.]
    "#);
}

#[tokio::test]
async fn positions_in_notebooks() {
    let at = async |tool: &str, position: &str| {
        check(NOTEBOOK, tool, json!({ "at": format!("notes/explore.ipynb cell {position}") })).await
    };
    insta::assert_snapshot!(at("read_symbol", "4:3").await, @r#"
    notes/explore.ipynb cell 4:3  method Shape/area
    3      def area(self, name="x"):
    4          return 1
    [syntax only: names not resolved]
    "#);
    insta::assert_snapshot!(at("lsp_definition", "4:1:7").await, @"
    at notes/explore.ipynb cell 4:1:7 Shape
    1 definition of `Shape`
    notes/explore.ipynb
      cell 4:1:7  class Shape:
    [syntax only: names not resolved · no server for .ipynb: Add a catalogue row.]
    ");
    insta::assert_snapshot!(at("lsp_references", "4:3 def area").await, @r#"
    at notes/explore.ipynb cell 4:3:9 area (method)
    1 word match of `area` in 1 file
    notes/explore.ipynb
      cell 4:3:9  def area(self, name="x"):  (declaration)
    [text search: names only · no server for .ipynb: Add a catalogue row.]
    "#);
    insta::assert_snapshot!(at("lsp_hover", "4:1:7").await, @"
    Failed to explain the symbol: no server for .ipynb
    Add a catalogue row.
    ");
    insta::assert_snapshot!(at("lsp_completion", "4:1").await, @"
    Failed to propose completions: no server for .ipynb
    Add a catalogue row.
    ");
    insta::assert_snapshot!(at("lsp_hover", "1:1").await, @"
    Invalid input: at: cell 1 of `notes/explore.ipynb` has no code
    These cells have code: 2, 3, 4.
    ");
}

#[tokio::test]
async fn completion() {
    insta::assert_snapshot!(check(SHAPES, "lsp_completion", json!({ "at": "app.toy:1 use Sh" })).await, @"
    at app.toy:1:7
    1 completion
      Shape (variable)
    [toy · ready]
    ");
    let fixture = "//- a.toy\nuse gr\u{fc}n.unit\n";
    for at in ["a.toy:1:10", "a.toy:1:12"] {
        let answer = check(fixture, "lsp_completion", json!({ "at": at })).await;
        let note = "the cursor is before the end of `unit`, where some servers propose nothing]";
        assert!(answer.contains("\n0 completions\n[toy · ready") && answer.contains(note), "{answer}");
    }
    let answer = check(fixture, "lsp_completion", json!({ "at": "a.toy:1:14" })).await;
    assert!(!answer.contains("the cursor is"), "{answer}");
}

#[tokio::test]
async fn rename_apply_undo() {
    let toy = Toy::new(SHAPES);
    let planned = call(&toy, "lsp_rename_symbol", json!({ "symbol": "unit", "newName": "bad" })).await;
    insta::assert_snapshot!(without_ids(&planned), @r#"
    at shapes.toy:6:5 unit (variable)
    plan p-…: rename `unit` to `bad`, 3 edits in 2 files; nothing is written yet
    note: 1 mention of `unit` in comments, strings and documents (1 file) will stay: includeText=true
    diff --git a/app.toy b/app.toy
    --- a/app.toy
    +++ b/app.toy
    @@ -1,4 +1,4 @@
     use Shape
    -  print area unit
    +  print area bad
     # naïve: unit
    -let élan → unit
    +let élan → bad
    diff --git a/shapes.toy b/shapes.toy
    --- a/shapes.toy
    +++ b/shapes.toy
    @@ -3,4 +3,4 @@
       def name
     class Square
       def area # area of a square
    -let unit
    +let bad
    apply_edit {"plan":"p-…"} writes it
    [toy · ready]
    "#);
    let at = planned.find("p-").unwrap();
    let plan = &planned[at..at + 12];
    insta::assert_snapshot!(without_ids(&call(&toy, "apply_edit", json!({ "plan": plan })).await), @r#"
    applied p-…: rename `unit` to `bad` in 2 files
    undo_edit {"plan":"p-…"} undoes it
      app.toy  written
      shapes.toy  written
    problems: 3 new (3 errors)
    new:
      app.toy:2:1  error: this is bad  [toy]
      app.toy:4:1  error: this is bad  [toy]
      shapes.toy:6:1  error: this is bad  [toy]
    [toy · ready]
    "#);
    insta::assert_snapshot!(without_ids(&call(&toy, "undo_edit", json!({ "plan": plan })).await), @"
    undone p-…: rename `unit` to `bad` in 2 files
      shapes.toy  written
      app.toy  written
    problems: 3 fixed
    fixed:
      app.toy:2:1  error: this is bad  [toy]
      app.toy:4:1  error: this is bad  [toy]
      shapes.toy:6:1  error: this is bad  [toy]
    [toy · ready]
    ");
    insta::assert_snapshot!(call(&toy, "apply_edit", json!({ "plan": "p-unknown" })).await, @"
    Failed to apply the edit: `p-unknown` is neither a plan (`p-…`) nor an action (`a-…`)
    Give the `plan` or `action` exactly as the tool that made it printed it.
    ");
    insta::assert_snapshot!(call(&toy, "apply_edit", json!({})).await, @"
    Invalid input: plan: pass exactly one of `plan` and `action`
    Plans come from the tools that plan a change, such as edit_symbol and lsp_rename_symbol, actions from lsp_code_actions.
    ");
}

#[tokio::test]
async fn the_budget_cuts_lists_and_never_the_undo_line() {
    let uses = "use unit\n".repeat(60);
    let toy = Toy::new(&format!("//- app.toy\n{uses}//- shapes.toy\nlet unit\n"));
    let planned = call(&toy, "lsp_rename_symbol", json!({ "symbol": "unit", "newName": "bad" })).await;
    let at = planned.find("p-").unwrap();
    let applied = call(&toy, "apply_edit", json!({ "plan": &planned[at..at + 12], "maxTokens": 60 })).await;
    let applied = without_ids(&applied);
    let begin = "applied p-…: rename `unit` to `bad` in 2 files\nundo_edit {\"plan\":\"p-…\"} undoes it\n";
    assert!(applied.starts_with(begin), "{applied}");
    assert!(applied.contains("\nproblems: 61 new (61 errors)\nnew:\n") && applied.contains("\n… cut: "), "{applied}");
}

#[tokio::test]
async fn code_actions() {
    let fixture = "//- a.toy\nlet x\nuse bad\n";
    insta::assert_snapshot!(check(fixture, "lsp_code_actions", json!({ "at": "a.toy:2" })).await, @"
    at a.toy:2
    3 code actions
      a-… Rename to fixed (quickfix): 1 edit in 1 file  preferred
      (no action) Run it: it runs the command `toy.run`, which cannot be previewed
      (no action) Not now: it is Friday
    [toy · ready]
    ");
    insta::assert_snapshot!(check(fixture, "lsp_code_actions", json!({ "path": "a.toy", "diff": true })).await, @"
    in a.toy, whole file
    3 code actions
      a-… Rename to fixed (quickfix): 1 edit in 1 file  preferred
        diff --git a/a.toy b/a.toy
        --- a/a.toy
        +++ b/a.toy
        @@ -1,2 +1,2 @@
         let x
        -use bad
        +use good
      (no action) Run it: it runs the command `toy.run`, which cannot be previewed
      (no action) Not now: it is Friday
    [toy · ready]
    ");
}

#[tokio::test]
async fn diagnostics() {
    let fixture = "//- a.toy\nlet x\nuse bad\n//- b.toy\nlet y\n";
    insta::assert_snapshot!(check(fixture, "lsp_diagnostics", json!({ "path": "a.toy" })).await, @"
    1 error in `a.toy`; snapshot d-1
    a.toy
      2:1  error: this is bad  [toy]
    [toy · ready · the toy library was not read]
    ");
    insta::assert_snapshot!(check(fixture, "lsp_diagnostics", json!({})).await, @"
    1 error in 2 files; snapshot d-1
    a.toy
      2:1  error: this is bad  [toy]
    [toy · ready · the toy library was not read]
    ");
    let toy = Toy::new(fixture);
    call(&toy, "lsp_diagnostics", json!({})).await;
    zubi_base::fs::write_atomic(&toy.root.join("b.toy"), b"# bad\nlet bad\n").unwrap();
    zubi_base::fs::write_atomic(&toy.root.join("a.toy"), b"let x\n").unwrap();
    insta::assert_snapshot!(call(&toy, "lsp_diagnostics", json!({ "since": "d-1" })).await, @"
    problems: 2 new (2 errors), 1 fixed
    2 problems now in 2 files; snapshot d-2
    new:
      b.toy:1:1  error: this is bad  [toy]
      b.toy:2:1  error: this is bad  [toy]
    fixed:
      a.toy:2:1  error: this is bad  [toy]
    [toy · ready]
    ");
    insta::assert_snapshot!(call(&toy, "lsp_diagnostics", json!({ "since": "d-9" })).await, @"
    Invalid input: since: no snapshot `d-9` is stored
    Leave `since` out to get all problems and a new snapshot.
    ");
}

/// A file whose check failed or was late has no diagnostics in one of the two lists.
#[tokio::test]
async fn unchecked_files_are_not_compared() {
    let toy = Toy::new("//- a.toy\nlet unit\n//- b.toy\nuse unit\nuse bad\n//- c.toy\nuse unit\nuse bad\n");
    let silence = |file: &str| toy.endpoint.silent.lock().unwrap().push(toy.root.join(file));
    let plan = call(&toy, "lsp_rename_symbol", json!({ "symbol": "unit", "newName": "metre" })).await;
    let plan = plan_of(&plan);
    silence("b.toy");
    insta::assert_snapshot!(without_ids(&call(&toy, "apply_edit", json!({ "plan": plan })).await), @r#"
    applied p-…: rename `unit` to `metre` in 3 files
    undo_edit {"plan":"p-…"} undoes it
      a.toy  written
      b.toy  written
      c.toy  written
    problems: no change
    [toy · ready · may be incomplete: toy has not checked the present text yet · problems not compared in `b.toy`]
    "#);
    silence("a.toy");
    silence("b.toy");
    silence("c.toy");
    insta::assert_snapshot!(without_ids(&call(&toy, "undo_edit", json!({ "plan": plan })).await), @"
    undone p-…: rename `unit` to `metre` in 3 files
      c.toy  written
      b.toy  written
      a.toy  written
    [toy · ready · may be incomplete: toy has not checked the present text yet · problems not compared in `a.toy`, `b.toy`, `c.toy`]
    ");
    silence("b.toy");
    insta::assert_snapshot!(call(&toy, "lsp_diagnostics", json!({})).await, @"
    1 error in 3 files; snapshot d-1
    c.toy
      2:1  error: this is bad  [toy]
    [toy · ready · may be incomplete: toy has not checked the present text yet · the toy library was not read]
    ");
    insta::assert_snapshot!(call(&toy, "lsp_diagnostics", json!({ "since": "d-1" })).await, @"
    problems: no change
    2 problems now in 3 files; snapshot d-2
    [toy · ready · not compared, because `d-1` has no complete check: `b.toy`]
    ");
    silence("c.toy");
    insta::assert_snapshot!(call(&toy, "lsp_diagnostics", json!({ "since": "d-2" })).await, @"
    problems: no change
    1 problem now in 3 files; snapshot d-3
    [toy · ready · may be incomplete: toy has not checked the present text yet]
    ");
    call(&toy, "lsp_diagnostics", json!({ "path": "a.toy" })).await;
    insta::assert_snapshot!(call(&toy, "lsp_diagnostics", json!({ "path": "b.toy", "since": "d-4" })).await, @"
    problems: no change
    1 problem now in `b.toy`; snapshot d-5
    [toy · ready · compared only in `a.toy`, because `d-4` covers nothing else]
    ");
    insta::assert_snapshot!(call(&toy, "lsp_diagnostics", json!({ "path": "c.toy", "since": "d-2" })).await, @"
    problems: no change
    1 problem now in `c.toy`; snapshot d-6
    [toy · ready]
    ");
}

#[tokio::test]
async fn invalid_arguments_are_reported() {
    insta::assert_snapshot!(check(SHAPES, "lsp_hover", json!({})).await, @r#"
    Invalid input: position: no position was given
    Give the position in exactly one of two ways:
      symbol: "Type/method" (optionally with path: "src/lib.rs")
      at: "src/lib.rs:12:5" (1-based, as answers print it) or at: "src/lib.rs:12 fn parse"
    "#);
    insta::assert_snapshot!(check(SHAPES, "lsp_hover", json!({ "at": 7 })).await, @r#"
    Invalid input: at: expected string, got 7
    `at` (string): path:line:col or path:line text Example: {"at":"src/lib.rs:12:9"}
    "#);
    insta::assert_snapshot!(check(SHAPES, "lsp_hover", json!({ "symbl": "x" })).await, @r#"
    Invalid input: symbl: no such parameter; did you mean `symbol`?
    lsp_hover takes symbol (string), path (string), at (string), uri (string), line (integer), character (integer), maxTokens (integer), waitMs (integer), format ("text"|"json").
    "#);
    insta::assert_snapshot!(check(SHAPES, "lsp_hover", json!({ "at": "app.toy:1:5", "line": 3 })).await, @r#"
    Invalid input: position: the position was given in more than one way
    Give the position in exactly one of two ways:
      symbol: "Type/method" (optionally with path: "src/lib.rs")
      at: "src/lib.rs:12:5" (1-based, as answers print it) or at: "src/lib.rs:12 fn parse"
    "#);
    insta::assert_snapshot!(check(SHAPES, "lsp_document_symbols", json!({ "path": "." })).await, @"
    7 symbols in 2 files of `.`, depth 1
    app.toy
      class élan  4  let élan → unit
    shapes.toy
      class Shape  1
      class area  2
      class name  3
      class Square  4
      class area  5  def area # area of a square
      class unit  6
    [syntax only: names not resolved]
    ");
    insta::assert_snapshot!(check(SHAPES, "lsp_document_symbols", json!({ "path": "/etc/passwd" })).await, @"
    Invalid input: path: `/etc/passwd` is outside the workspace `[root]`
    Outside the workspace, only a file that an answer has shown can be read: `lsp_definition` from a use in the workspace shows the source of a library. The user can start zubi with that folder.
    ");
}
