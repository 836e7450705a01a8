//! The new name of a rename: names that are taken, and mentions that a server does not rename.

use serde_json::json;
use zubi_code::testing::Toy;

use crate::support::{call, check, without_ids};

const NAMES: &str = "\
//- shapes.toy
class Shape
  def area
  let size
class Square
  def width
let unit
//- app.toy
use Shape
  print area # the area of a Shape
//- README.md
A `Shape` has an area; Shapes do not count.
";

#[tokio::test]
async fn names_of_the_same_scope_are_refused() {
    let rename = async |symbol: &str, name: &str| {
        check(NAMES, "lsp_rename_symbol", json!({ "symbol": symbol, "newName": name })).await
    };
    insta::assert_snapshot!(rename("Shape", "Square").await, @"
    Invalid input: newName: `Square` is already taken: shapes.toy:4:7  class Square
    Choose another name, or rename that symbol first.
    ");
    // Another scope, and another kind.
    for (symbol, name) in [("Shape/area", "width"), ("unit", "size"), ("Shape", "Unit")] {
        let answer = rename(symbol, name).await;
        assert!(answer.contains("plan p-") && !answer.contains("taken"), "{answer}");
    }
    let answer = rename("Shape/area", "size").await;
    assert!(answer.contains("plan p-") && answer.contains("note: `size` is already taken in `Shape`"), "{answer}");
}

#[tokio::test]
async fn mentions_stay_unless_they_are_requested() {
    let toy = Toy::new(NAMES);
    let plan = async |args| without_ids(&call(&toy, "lsp_rename_symbol", args).await);
    insta::assert_snapshot!(plan(json!({ "symbol": "Shape", "newName": "Figure" })).await, @r#"
    at shapes.toy:1:7 Shape (class)
    plan p-…: rename `Shape` to `Figure`, 2 edits in 2 files; nothing is written yet
    note: 2 mentions of `Shape` in comments, strings and documents (2 files) will stay: includeText=true
    diff --git a/app.toy b/app.toy
    --- a/app.toy
    +++ b/app.toy
    @@ -1,2 +1,2 @@
    -use Shape
    +use Figure
       print area # the area of a Shape
    diff --git a/shapes.toy b/shapes.toy
    --- a/shapes.toy
    +++ b/shapes.toy
    @@ -1,4 +1,4 @@
    -class Shape
    +class Figure
       def area
       let size
     class Square
    apply_edit {"plan":"p-…"} writes it
    [toy · ready]
    "#);
    insta::assert_snapshot!(plan(json!({ "symbol": "Shape", "newName": "Figure", "includeText": true })).await, @r#"
    at shapes.toy:1:7 Shape (class)
    plan p-…: rename `Shape` to `Figure`, 4 edits in 3 files; nothing is written yet
    note: 2 mentions of `Shape` in comments, strings and documents (2 files) are part of it, found by their text
    diff --git a/README.md b/README.md
    --- a/README.md
    +++ b/README.md
    @@ -1 +1 @@
    -A `Shape` has an area; Shapes do not count.
    +A `Figure` has an area; Shapes do not count.
    diff --git a/app.toy b/app.toy
    --- a/app.toy
    +++ b/app.toy
    @@ -1,2 +1,2 @@
    -use Shape
    -  print area # the area of a Shape
    +use Figure
    +  print area # the area of a Figure
    diff --git a/shapes.toy b/shapes.toy
    --- a/shapes.toy
    +++ b/shapes.toy
    @@ -1,4 +1,4 @@
    -class Shape
    +class Figure
       def area
       let size
     class Square
    apply_edit {"plan":"p-…"} writes it
    [toy · ready]
    "#);
}
