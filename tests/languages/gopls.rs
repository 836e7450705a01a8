//! Go: gopls, which delays answers until it has loaded the workspace.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::{Project, Zubi};

const SERVERS: &[&str] = &["go", "gopls"];

/// One start serves all queries; `rename`, `fix` and `format` restore the project before the next part.
#[tokio::test]
async fn answers() {
    let project = Project::fixture("go");
    let zubi = Zubi::start(&project, SERVERS).await;
    symbols(&zubi).await;
    check_positions(&zubi).await;
    while_typing(&zubi).await;
    rename(&zubi, &project).await;
    fix(&zubi, &project).await;
    format(&zubi, &project).await;
}

async fn symbols(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_document_symbols", json!({ "path": "shape/shape.go" })).await, @"
    10 symbols in `shape/shape.go`
      interface Shape interface{...}  5-8
        method Area func() float64  7
      struct Circle struct{...}  11-13
        field Radius float64  12
      method (Circle).Area func() float64  16-18
      struct Rectangle struct{...}  21-23
        field Width float64  22  Width, Height float64
        field Height float64  22
      method (Rectangle).Area func() float64  26-28
      function TotalArea func(first, second Shape, scale float64) float64  31-33
    [gopls · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"
    3 symbols matching `Circle`
      struct Circle  shape/shape.go:11:6  in example.com/shapes/shape
      method Circle.Area  shape/shape.go:16:17  in example.com/shapes/shape  func (c Circle) Area() float64 {
      field Circle.Radius  shape/shape.go:12:2  in example.com/shapes/shape  Radius float64
    [gopls · ready]
    ");
}

async fn check_positions(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_definition", json!({ "at": "report/report.go:10 TotalArea" })).await, @"
    at report/report.go:10:39 TotalArea
    1 definition of `TotalArea`
    shape/shape.go
      31:6  func TotalArea(first, second Shape, scale float64) float64 {
    [gopls · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "TotalArea" })).await, @"
    at shape/shape.go:31:6 TotalArea (function)
    2 references to `TotalArea` in 2 files
    report/report.go
      10:39  /* 📐 before the call */ return shape.TotalArea(circle, square, 1) + circle.Area()
    shape/shape.go
      31:6  func TotalArea(first, second Shape, scale float64) float64 {  (declaration)
    2 further word matches in comments or strings: includeText=true
    [gopls · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "Circle.Area", "path": "shape/shape.go" })).await, @"
    at shape/shape.go:16:17 Area (method)
    4 references to `Area` in 2 files
    report/report.go
      10:77  /* 📐 before the call */ return shape.TotalArea(circle, square, 1) + circle.Area()
    shape/shape.go
      16:17  func (c Circle) Area() float64 {  (declaration)
      32:24  return scale * (first.Area() + second.Area())
      32:40  return scale * (first.Area() + second.Area())
    5 further word matches: 3 in comments or strings, 2 in code (other symbols of the name): includeText=true
    [gopls · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "Forgotten", "includeDeclaration": false })).await, @"
    at report/report.go:14:6 Forgotten (function)
    0 references to `Forgotten` in 0 files
    1 further word match in comments or strings: includeText=true
    [gopls · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_hover", json!({ "symbol": "TotalArea" })).await, @"
    at shape/shape.go:31:6 TotalArea (function)
    ```go
    func TotalArea(first Shape, second Shape, scale float64) float64
    ```

    TotalArea is the area of two shapes together, scale times.


    [`shape.TotalArea` on pkg.go.dev](https://pkg.go.dev/example.com/shapes/shape#TotalArea)
    [gopls · ready]
    ");
}

async fn while_typing(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_completion", json!({ "at": "report/report.go:10:77", "limit": 5 })).await, @"
    at report/report.go:10:77
    2 completions (incomplete: type more for others)
      Radius (field)  float64
      Area (method)  func() float64
    [gopls · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_signature_help", json!({ "at": "report/report.go:10:60" })).await, @"
    at report/report.go:10:60
    1 signature
      TotalArea(first shape.Shape, second shape.Shape, scale float64) float64
        parameter: second shape.Shape
        TotalArea is the area of two shapes together, scale times.
    [gopls · ready]
    ");
}

async fn rename(zubi: &Zubi, project: &Project) {
    let rename = json!({ "symbol": "TotalArea", "newName": "CombinedArea" });
    assert_snapshot!(round_trip(zubi, project, "lsp_rename_symbol", rename, None).await, @r#"
    at shape/shape.go:31:6 TotalArea (function)
    plan p-[plan]: rename `TotalArea` to `CombinedArea`, 3 edits in 2 files; nothing is written yet
    note: 1 mention of `TotalArea` in comments, strings and documents (1 file) will stay: includeText=true
    diff --git a/report/report.go b/report/report.go
    --- a/report/report.go
    +++ b/report/report.go
    @@ -7,7 +7,7 @@
     func Describe(radius float64) float64 {
     	circle := shape.Circle{Radius: radius}
     	square := shape.Rectangle{Width: 2, Height: 2}
    -	/* 📐 before the call */ return shape.TotalArea(circle, square, 1) + circle.Area()
    +	/* 📐 before the call */ return shape.CombinedArea(circle, square, 1) + circle.Area()
     }
     
     // Forgotten is called by nothing.
    diff --git a/shape/shape.go b/shape/shape.go
    --- a/shape/shape.go
    +++ b/shape/shape.go
    @@ -27,7 +27,7 @@
     	return r.Width * r.Height
     }
     
    -// TotalArea is the area of two shapes together, scale times.
    -func TotalArea(first, second Shape, scale float64) float64 {
    +// CombinedArea is the area of two shapes together, scale times.
    +func CombinedArea(first, second Shape, scale float64) float64 {
     	return scale * (first.Area() + second.Area())
     }
    apply_edit {"plan":"p-[plan]"} writes it
    [gopls · ready]
    ──── apply_edit
    applied p-[plan]: rename `TotalArea` to `CombinedArea` in 2 files
    undo_edit {"plan":"p-[plan]"} undoes it
      report/report.go  written
      shape/shape.go  written
    problems: no change
    [gopls · ready]
    ──── undo_edit
    undone p-[plan]: rename `TotalArea` to `CombinedArea` in 2 files
      shape/shape.go  written
      report/report.go  written
    problems: no change
    [gopls · ready]
    "#);
}

async fn fix(zubi: &Zubi, project: &Project) {
    assert_snapshot!(zubi.call_stable("lsp_diagnostics", json!({ "path": "broken/broken.go" })).await, @r#"
    1 error in `broken/broken.go`; snapshot d-1
    broken/broken.go
      5:2  error: "example.com/shapes/report" imported and not used  [compiler UnusedImport]
    [gopls · ready]
    "#);
    let fix = json!({ "path": "broken/broken.go", "context": { "only": ["source.organizeImports"] } });
    assert_snapshot!(round_trip(zubi, project, "lsp_code_actions", fix, Some("Organize Imports")).await, @r#"
    in broken/broken.go, whole file
    1 code action
      a-[action] Organize Imports (source.organizeImports): 1 edit in 1 file
        diff --git a/broken/broken.go b/broken/broken.go
        --- a/broken/broken.go
        +++ b/broken/broken.go
        @@ -2,7 +2,6 @@
         package broken
         
         import (
        -	"example.com/shapes/report"
         	"example.com/shapes/shape"
         )
    [gopls · ready]
    ──── apply_edit
    applied a-[action]: Organize Imports in 1 file
    undo_edit {"plan":"a-[action]"} undoes it
      broken/broken.go  written
    problems: 1 fixed
    fixed:
      broken/broken.go:5:2  error: "example.com/shapes/report" imported and not used  [compiler UnusedImport]
    [gopls · ready]
    ──── undo_edit
    undone a-[action]: Organize Imports in 1 file
      broken/broken.go  written
    problems: 1 new (1 error)
    new:
      broken/broken.go:5:2  error: "example.com/shapes/report" imported and not used  [compiler UnusedImport]
    [gopls · ready]
    "#);
}

async fn format(zubi: &Zubi, project: &Project) {
    let format = json!({ "path": "report/messy.go" });
    assert_snapshot!(round_trip(zubi, project, "lsp_format_document", format, None).await, @r#"
    plan p-[plan]: format `report/messy.go`, 8 edits in 1 file; nothing is written yet
    diff --git a/report/messy.go b/report/messy.go
    --- a/report/messy.go
    +++ b/report/messy.go
    @@ -1,5 +1,5 @@
     package report
     
    -func  twice( value float64 )float64{
    -  return value+value
    +func twice(value float64) float64 {
    +	return value + value
     }
    apply_edit {"plan":"p-[plan]"} writes it
    [gopls · ready]
    ──── apply_edit
    applied p-[plan]: format `report/messy.go` in 1 file
    undo_edit {"plan":"p-[plan]"} undoes it
      report/messy.go  written
    problems: no change
    [gopls · ready]
    ──── undo_edit
    undone p-[plan]: format `report/messy.go` in 1 file
      report/messy.go  written
    problems: no change
    [gopls · ready]
    "#);
}
