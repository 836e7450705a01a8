//! C++: clangd, positions in UTF-8 or UTF-16, an index that it builds in the background, pushed diagnostics.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::{Project, Zubi};

const SERVERS: &[&str] = &["clangd"];

/// One start serves all queries; `rename`, `fix` and `format` restore the project before the next part.
#[tokio::test]
async fn answers() {
    let project = Project::fixture("cpp");
    let zubi = Zubi::start(&project, SERVERS).await;
    symbols(&zubi).await;
    check_positions(&zubi).await;
    while_typing(&zubi).await;
    rename(&zubi, &project).await;
    fix(&zubi, &project).await;
    format(&zubi, &project).await;
}

async fn symbols(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_document_symbols", json!({ "path": "include/shape.h" })).await, @"
    14 symbols in `include/shape.h`
      namespace shapes  4-38
        class Shape class  7-12
          constructor ~Shape  9  virtual ~Shape() = default;
          method area double () const  11  virtual double area() const = 0;
        class Circle class  15-22  class Circle : public Shape {
          constructor Circle (double)  17  explicit Circle(double radius) : radius_(radius) {}
          method area double () const  18  double area() const override;
          field radius_ double  21
        class Rectangle class  25-33  class Rectangle : public Shape {
          constructor Rectangle (double, double)  27  Rectangle(double width, double height) : width_(width), height_(height) {}
          method area double () const  28  double area() const override;
          field width_ double  31
          field height_ double  32
        function total_area double (const Shape &, const Shape &, double)  36  double total_area(const Shape& first, const Shape& second, double scale);
    [clangd · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"
    2 symbols matching `Circle`
      class Circle  include/shape.h:15:7  in shapes  class Circle : public Shape {
      constructor Circle  include/shape.h:17:12  in shapes::Circle  explicit Circle(double radius) : radius_(radius) {}
    [clangd · ready]
    ");
}

async fn check_positions(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_definition", json!({ "at": "src/report.cc:9 total_area" })).await, @"
    at src/report.cc:9:34 total_area
    1 definition of `total_area`
    src/shape.cc
      9:8  double total_area(const Shape& first, const Shape& second, double scale) {
    [clangd · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "total_area" })).await, @"
    at src/shape.cc:9:8 total_area (function)
    3 references to `total_area` in 3 files
    include/shape.h
      36:8  double total_area(const Shape& first, const Shape& second, double scale);  (declaration)
    src/report.cc
      9:34  /* 📐 before the call */ return total_area(circle, square, 1.0) + circle.area();
    src/shape.cc
      9:8  double total_area(const Shape& first, const Shape& second, double scale) {
    1 further word match in comments or strings: includeText=true
    [clangd · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "Circle::area", "path": "include/shape.h" })).await, @"
    at include/shape.h:18:10 area (method)
    6 references to `area` in 3 files
    include/shape.h
      11:18  virtual double area() const = 0;
      18:10  double area() const override;
    src/report.cc
      9:75  /* 📐 before the call */ return total_area(circle, square, 1.0) + circle.area();
    src/shape.cc
      5:16  double Circle::area() const { return 3.0 * radius_ * radius_; }  (declaration)
      10:25  return scale * (first.area() + second.area());
      10:41  return scale * (first.area() + second.area());
    6 further word matches: 3 in comments or strings, 3 in code (other symbols of the name): includeText=true
    [clangd · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })).await, @"
    at src/report.cc:13:8 forgotten (function)
    0 references to `forgotten` in 0 files
    [clangd · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_hover", json!({ "symbol": "shapes::total_area" })).await, @r#"
    at src/shape.cc:9:8 total_area (function)
    ```cpp
    // In namespace shapes
    double total_area(const Shape& first, const Shape& second, double scale)
    ```
    ### function `total_area`

    provided by `"shape.h"`

    ---
    → `double`

    Parameters:

    - `const Shape & first`
    - `const Shape & second`
    - `double scale`

    The area of two shapes together, `scale` times.
    [clangd · ready]
    "#);
}

async fn while_typing(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_completion", json!({ "at": "src/report.cc:9:75", "limit": 5 })).await, @"
    at src/report.cc:9:75
    1 completion
      area() const (method)  double
    [clangd · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_signature_help", json!({ "at": "src/report.cc:9:55" })).await, @"
    at src/report.cc:9:55
    1 signature
      total_area(const Shape &first, const Shape &second, double scale) -> double
        parameter: const Shape &second
        The area of two shapes together, `scale` times.
    [clangd · ready]
    ");
}

async fn rename(zubi: &Zubi, project: &Project) {
    let rename = json!({ "symbol": "total_area", "newName": "combined_area" });
    assert_snapshot!(round_trip(zubi, project, "lsp_rename_symbol", rename, None).await, @r#"
    at src/shape.cc:9:8 total_area (function)
    plan p-[plan]: rename `total_area` to `combined_area`, 3 edits in 3 files; nothing is written yet
    note: 1 mention of `total_area` in comments, strings and documents (1 file) will stay: includeText=true
    diff --git a/include/shape.h b/include/shape.h
    --- a/include/shape.h
    +++ b/include/shape.h
    @@ -33,6 +33,6 @@
     };
     
     /// The area of two shapes together, `scale` times.
    -double total_area(const Shape& first, const Shape& second, double scale);
    +double combined_area(const Shape& first, const Shape& second, double scale);
     
     }  // namespace shapes
    diff --git a/src/report.cc b/src/report.cc
    --- a/src/report.cc
    +++ b/src/report.cc
    @@ -6,7 +6,7 @@
     double describe(double radius) {
       Circle circle(radius);
       Rectangle square(2.0, 2.0);
    -  /* 📐 before the call */ return total_area(circle, square, 1.0) + circle.area();
    +  /* 📐 before the call */ return combined_area(circle, square, 1.0) + circle.area();
     }
     
     /// Nothing calls this.
    diff --git a/src/shape.cc b/src/shape.cc
    --- a/src/shape.cc
    +++ b/src/shape.cc
    @@ -6,7 +6,7 @@
     
     double Rectangle::area() const { return width_ * height_; }
     
    -double total_area(const Shape& first, const Shape& second, double scale) {
    +double combined_area(const Shape& first, const Shape& second, double scale) {
       return scale * (first.area() + second.area());
     }
     
    apply_edit {"plan":"p-[plan]"} writes it
    [clangd · ready]
    ──── apply_edit
    applied p-[plan]: rename `total_area` to `combined_area` in 3 files
    undo_edit {"plan":"p-[plan]"} undoes it
      include/shape.h  written
      src/report.cc  written
      src/shape.cc  written
    problems: no change
    [clangd · ready]
    ──── undo_edit
    undone p-[plan]: rename `total_area` to `combined_area` in 3 files
      src/shape.cc  written
      src/report.cc  written
      include/shape.h  written
    problems: no change
    [clangd · ready]
    "#);
}

async fn fix(zubi: &Zubi, project: &Project) {
    assert_snapshot!(zubi.call_stable("lsp_diagnostics", json!({ "path": "src/broken.cc" })).await, @"
    1 error in `src/broken.cc`; snapshot d-1
    src/broken.cc
      8:10  error: Use of undeclared identifier 'sqare'; did you mean 'square'? (fix available)  [clang undeclared_var_use_suggest]
    [clangd · ready]
    ");
    let fix = json!({ "at": "src/broken.cc:8", "context": { "only": ["quickfix"] } });
    assert_snapshot!(round_trip(zubi, project, "lsp_code_actions", fix, Some("change 'sqare' to 'square'")).await, @r#"
    at src/broken.cc:8
    1 code action
      a-[action] change 'sqare' to 'square' (quickfix): 1 edit in 1 file  preferred
        diff --git a/src/broken.cc b/src/broken.cc
        --- a/src/broken.cc
        +++ b/src/broken.cc
        @@ -5,7 +5,7 @@
         
         double unit() {
           Rectangle square(1.0, 1.0);
        -  return sqare.area();
        +  return square.area();
         }
         
         }  // namespace shapes
    [clangd · ready]
    ──── apply_edit
    applied a-[action]: change 'sqare' to 'square' in 1 file
    undo_edit {"plan":"a-[action]"} undoes it
      src/broken.cc  written
    problems: 1 fixed
    fixed:
      src/broken.cc:8:10  error: Use of undeclared identifier 'sqare'; did you mean 'square'? (fix available)  [clang undeclared_var_use_suggest]
    [clangd · ready]
    ──── undo_edit
    undone a-[action]: change 'sqare' to 'square' in 1 file
      src/broken.cc  written
    problems: 1 new (1 error)
    new:
      src/broken.cc:8:10  error: Use of undeclared identifier 'sqare'; did you mean 'square'? (fix available)  [clang undeclared_var_use_suggest]
    [clangd · ready]
    "#);
}

async fn format(zubi: &Zubi, project: &Project) {
    let format = json!({ "path": "src/messy.cc" });
    assert_snapshot!(round_trip(zubi, project, "lsp_format_document", format, None).await, @r#"
    plan p-[plan]: format `src/messy.cc`, 8 edits in 1 file; nothing is written yet
    diff --git a/src/messy.cc b/src/messy.cc
    --- a/src/messy.cc
    +++ b/src/messy.cc
    @@ -1,3 +1,2 @@
     // Not formatted.
    -double  twice( double value ){
    -      return value+value ; }
    +double twice(double value) { return value + value; }
    apply_edit {"plan":"p-[plan]"} writes it
    [clangd · ready]
    ──── apply_edit
    applied p-[plan]: format `src/messy.cc` in 1 file
    undo_edit {"plan":"p-[plan]"} undoes it
      src/messy.cc  written
    problems: no change
    [clangd · ready]
    ──── undo_edit
    undone p-[plan]: format `src/messy.cc` in 1 file
      src/messy.cc  written
    problems: no change
    [clangd · ready]
    "#);
}
