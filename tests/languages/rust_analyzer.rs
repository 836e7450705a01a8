//! Rust: rust-analyzer, positions in UTF-8, diagnostics both pulled and pushed.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::{Project, Zubi};

const SERVERS: &[&str] = &["rust-analyzer"];

/// One start serves all queries; `rename`, `fix` and `format` restore the project before the next part.
#[tokio::test]
async fn answers() {
    let project = Project::fixture("rust");
    let zubi = Zubi::start(&project, SERVERS).await;
    symbols(&zubi).await;
    check_positions(&zubi).await;
    while_typing(&zubi).await;
    assert!(!has_checked(&project), "`cargo check` runs although nothing has requested diagnostics");
    rename(&zubi, &project).await;
    assert!(has_checked(&project));
    fix(&zubi, &project).await;
    format(&zubi, &project).await;
}

/// Whether rust-analyzer has run `cargo check`, which leaves a fingerprint of the project's package.
fn has_checked(project: &Project) -> bool {
    let fingerprints = std::fs::read_dir(project.root().join("target/rust-analyzer/debug/.fingerprint"));
    let mut names = fingerprints.into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.any(|name| name.to_string_lossy().starts_with("shapes-"))
}

async fn symbols(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_document_symbols", json!({ "path": "src/shape.rs" })).await, @"
    12 symbols in `src/shape.rs`
      interface Shape  4-7
        method area fn(&self) -> f64  6
      struct Circle  10-13
        field radius f64  12
      object impl Shape for Circle  15-19
        method area fn(&self) -> f64  16-18
      struct Rectangle  22-25
        field width f64  23
        field height f64  24
      object impl Shape for Rectangle  27-31
        method area fn(&self) -> f64  28-30
      function total_area fn(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64  34-36
    [rust-analyzer · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"
    1 symbol matching `Circle`
      struct Circle  src/shape.rs:10:12
    [rust-analyzer · ready]
    ");
}

async fn check_positions(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_definition", json!({ "at": "src/report.rs:9 total_area" })).await, @"
    at src/report.rs:9:29 total_area
    1 definition of `total_area`
    src/shape.rs
      34:8  pub fn total_area(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64 {
    [rust-analyzer · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "total_area" })).await, @"
    at src/shape.rs:34:8 total_area (function)
    3 references to `total_area` in 2 files
    src/report.rs
      3:20  use crate::shape::{total_area, Circle, Rectangle, Shape};
      9:29  /* 📐 before the call */ total_area(&circle, &square, 1.0) + circle.area()
    src/shape.rs
      34:8  pub fn total_area(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64 {  (declaration)
    1 further word match in comments or strings: includeText=true
    [rust-analyzer · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "Circle/area", "path": "src/shape.rs" })).await, @"
    at src/shape.rs:16:8 area (method)
    2 references to `area` in 2 files
    src/report.rs
      9:72  /* 📐 before the call */ total_area(&circle, &square, 1.0) + circle.area()
    src/shape.rs
      16:8  fn area(&self) -> f64 {  (declaration)
    7 further word matches: 3 in comments or strings, 4 in code (other symbols of the name): includeText=true
    [rust-analyzer · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })).await, @"
    at src/report.rs:13:8 forgotten (function)
    0 references to `forgotten` in 0 files
    [rust-analyzer · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_hover", json!({ "symbol": "shape::total_area" })).await, @"
    at src/shape.rs:34:8 total_area (function)
    ```rust
    shapes::shape
    ```

    ```rust
    pub fn total_area(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64
    ```

    ---

    The area of two shapes together, `scale` times.
    [rust-analyzer · ready]
    ");
}

async fn while_typing(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_completion", json!({ "at": "src/report.rs:15:12", "limit": 5 })).await, @"
    at src/report.rs:15:12
    5 completions (incomplete: type more for others)
      radius (field)  f64
      into(as Into) (method)  fn(self) -> T
      area(as Shape) (method)  fn(&self) -> f64
      try_into(as TryInto) (method)  fn(self) -> Result<T, <Self as TryInto<T>>::Error>
      type_id(use std::any::Any) (method)  fn(&self) -> TypeId
    [rust-analyzer · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_signature_help", json!({ "at": "src/report.rs:9:58" })).await, @"
    at src/report.rs:9:58
    1 signature
      fn total_area(first: &(dyn Shape + 'static), second: &(dyn Shape + 'static), scale: f64) -> f64
        parameter: scale: f64
        The area of two shapes together, `scale` times.
    [rust-analyzer · ready]
    ");
}

async fn rename(zubi: &Zubi, project: &Project) {
    let rename = json!({ "symbol": "total_area", "newName": "combined_area" });
    assert_snapshot!(round_trip(zubi, project, "lsp_rename_symbol", rename, None).await, @r#"
    at src/shape.rs:34:8 total_area (function)
    plan p-[plan]: rename `total_area` to `combined_area`, 3 edits in 2 files; nothing is written yet
    note: 1 mention of `total_area` in comments, strings and documents (1 file) will stay: includeText=true
    diff --git a/src/report.rs b/src/report.rs
    --- a/src/report.rs
    +++ b/src/report.rs
    @@ -1,12 +1,12 @@
     //! What is printed about shapes. The word total_area in this comment is not a reference.
     
    -use crate::shape::{total_area, Circle, Rectangle, Shape};
    +use crate::shape::{combined_area, Circle, Rectangle, Shape};
     
     /// Metres to square metres.
     pub fn describe(radius: f64) -> f64 {
         let circle = Circle { radius };
         let square = Rectangle { width: 2.0, height: 2.0 };
    -    /* 📐 before the call */ total_area(&circle, &square, 1.0) + circle.area()
    +    /* 📐 before the call */ combined_area(&circle, &square, 1.0) + circle.area()
     }
     
     /// Nothing calls this.
    diff --git a/src/shape.rs b/src/shape.rs
    --- a/src/shape.rs
    +++ b/src/shape.rs
    @@ -31,6 +31,6 @@
     }
     
     /// The area of two shapes together, `scale` times.
    -pub fn total_area(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64 {
    +pub fn combined_area(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64 {
         scale * (first.area() + second.area())
     }
    apply_edit {"plan":"p-[plan]"} writes it
    [rust-analyzer · ready]
    ──── apply_edit
    applied p-[plan]: rename `total_area` to `combined_area` in 2 files
    undo_edit {"plan":"p-[plan]"} undoes it
      src/report.rs  written
      src/shape.rs  written
    problems: no change
    [rust-analyzer · ready]
    ──── undo_edit
    undone p-[plan]: rename `total_area` to `combined_area` in 2 files
      src/shape.rs  written
      src/report.rs  written
    problems: no change
    [rust-analyzer · ready]
    "#);
}

async fn fix(zubi: &Zubi, project: &Project) {
    assert_snapshot!(zubi.call_stable("lsp_diagnostics", json!({ "path": "src/broken.rs" })).await, @"
    1 error in `src/broken.rs`; snapshot d-1
    src/broken.rs
      6:5  error: missing field `height` in initializer of `Rectangle`
          missing `height`  [rustc E0063]
    [rust-analyzer · ready]
    ");
    let fix = json!({ "at": "src/broken.rs:6", "context": { "only": ["quickfix"] } });
    assert_snapshot!(round_trip(zubi, project, "lsp_code_actions", fix, Some("Fill struct fields")).await, @r#"
    at src/broken.rs:6
    1 code action
      a-[action] Fill struct fields (quickfix): 2 edits in 1 file
        diff --git a/src/broken.rs b/src/broken.rs
        --- a/src/broken.rs
        +++ b/src/broken.rs
        @@ -3,5 +3,5 @@
         use crate::shape::Rectangle;
         
         pub fn unit() -> Rectangle {
        -    Rectangle { width: 1.0 }
        +    Rectangle { width: 1.0, height: todo!() }
         }
    [rust-analyzer · ready]
    ──── apply_edit
    applied a-[action]: Fill struct fields in 1 file
    undo_edit {"plan":"a-[action]"} undoes it
      src/broken.rs  written
    problems: 1 new (1 warning), 1 fixed
    new:
      src/broken.rs:6:5  warning: unreachable expression
          `#[warn(unreachable_code)]` (part of `#[warn(unused)]`) on by default  [rustc unreachable_code]
    fixed:
      src/broken.rs:6:5  error: missing field `height` in initializer of `Rectangle`
          missing `height`  [rustc E0063]
    [rust-analyzer · ready]
    ──── undo_edit
    undone a-[action]: Fill struct fields in 1 file
      src/broken.rs  written
    problems: 1 new (1 error), 1 fixed
    new:
      src/broken.rs:6:5  error: missing field `height` in initializer of `Rectangle`
          missing `height`  [rustc E0063]
    fixed:
      src/broken.rs:6:5  warning: unreachable expression
          `#[warn(unreachable_code)]` (part of `#[warn(unused)]`) on by default  [rustc unreachable_code]
    [rust-analyzer · ready]
    "#);
}

async fn format(zubi: &Zubi, project: &Project) {
    // Formatting needs no project, but the later comparison of diagnostics does.
    assert_snapshot!(zubi.call_stable("lsp_diagnostics", json!({ "path": "src/messy.rs" })).await, @"
    no problems in `src/messy.rs`; snapshot d-2
    [rust-analyzer · ready]
    ");
    let format = json!({ "path": "src/messy.rs" });
    assert_snapshot!(round_trip(zubi, project, "lsp_format_document", format, None).await, @r#"
    plan p-[plan]: format `src/messy.rs`, 10 edits in 1 file; nothing is written yet
    diff --git a/src/messy.rs b/src/messy.rs
    --- a/src/messy.rs
    +++ b/src/messy.rs
    @@ -1,5 +1,5 @@
     //! Not formatted.
     
    -pub fn  twice( value :f64 )->f64{
    -  value+value
    +pub fn twice(value: f64) -> f64 {
    +    value + value
     }
    apply_edit {"plan":"p-[plan]"} writes it
    [rust-analyzer · ready]
    ──── apply_edit
    applied p-[plan]: format `src/messy.rs` in 1 file
    undo_edit {"plan":"p-[plan]"} undoes it
      src/messy.rs  written
    problems: no change
    [rust-analyzer · ready]
    ──── undo_edit
    undone p-[plan]: format `src/messy.rs` in 1 file
      src/messy.rs  written
    problems: no change
    [rust-analyzer · ready]
    "#);
}
