//! Python with two servers for one document: ty for types, ruff for linting and formatting.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::{Project, Zubi};

const SERVERS: &[&str] = &["ty", "ruff"];

/// One start serves all queries; `rename`, `fix` and `format` restore the project before the next part.
#[tokio::test]
async fn answers() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, SERVERS).await;
    symbols(&zubi).await;
    check_positions(&zubi).await;
    while_typing(&zubi).await;
    rename(&zubi, &project).await;
    fix(&zubi, &project).await;
    format(&zubi, &project).await;
}

async fn symbols(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_document_symbols", json!({ "path": "shapes/shape.py" })).await, @"
    9 symbols in `shapes/shape.py`
      class Shape  6-11  class Shape(ABC):
        method area  10-11  def area(self) -> float:
      class Circle  14-21  class Circle(Shape):
        constructor __init__  17-18  def __init__(self, radius: float) -> None:
        method area  20-21  def area(self) -> float:
      class Rectangle  24-32  class Rectangle(Shape):
        constructor __init__  27-29  def __init__(self, width: float, height: float) -> None:
        method area  31-32  def area(self) -> float:
      function total_area  35-37  def total_area(first: Shape, second: Shape, scale: float) -> float:
    [ty · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"
    1 symbol matching `Circle`
      class Circle  shapes/shape.py:14:7  class Circle(Shape):
    [ty · ready]
    ");
}

async fn check_positions(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_definition", json!({ "at": "shapes/report.py:10 total_area" })).await, @"
    at shapes/report.py:10:17 total_area
    1 definition of `total_area`
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:
    [ty · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "total_area" })).await, @r#"
    at shapes/shape.py:35:5 total_area (function)
    3 references to `total_area` in 2 files
    shapes/report.py
      3:45  from shapes.shape import Circle, Rectangle, total_area
      10:17  return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:  (declaration)
    1 further word match in comments or strings: includeText=true
    [ty · ready]
    "#);
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "Circle.area", "path": "shapes/shape.py" })).await, @r#"
    at shapes/shape.py:20:9 area (method)
    2 references to `area` in 2 files
    shapes/report.py
      10:62  return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
    shapes/shape.py
      20:9  def area(self) -> float:  (declaration)
    7 further word matches: 3 in comments or strings, 4 in code (other symbols of the name): includeText=true
    [ty · ready]
    "#);
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })).await, @"
    at shapes/report.py:13:5 forgotten (function)
    0 references to `forgotten` in 0 files
    [ty · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_hover", json!({ "symbol": "total_area" })).await, @"
    at shapes/shape.py:35:5 total_area (function)
    ```python
    def total_area(
        first: Shape,
        second: Shape,
        scale: float
    ) -> float
    ```
    ---
    The area of two shapes together, `scale` times.
    [ty · ready]
    ");
}

async fn while_typing(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_completion", json!({ "at": "shapes/report.py:16:25", "limit": 5 })).await, @"
    at shapes/report.py:16:25
    1 completion (incomplete: type more for others)
      radius (struct)  float
    [ty · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_signature_help", json!({ "at": "shapes/report.py:10:36" })).await, @"
    at shapes/report.py:10:36
    1 signature
      (first: Shape, second: Shape, scale: float) -> float
        parameter: second: Shape
        The area of two shapes together, `scale` times.
    [ty · ready]
    ");
}

async fn rename(zubi: &Zubi, project: &Project) {
    let rename = json!({ "symbol": "total_area", "newName": "combined_area" });
    assert_snapshot!(round_trip(zubi, project, "lsp_rename_symbol", rename, None).await, @r#"
    at shapes/shape.py:35:5 total_area (function)
    plan p-[plan]: rename `total_area` to `combined_area`, 3 edits in 2 files; nothing is written yet
    note: 1 mention of `total_area` in comments, strings and documents (1 file) will stay: includeText=true
    diff --git a/shapes/report.py b/shapes/report.py
    --- a/shapes/report.py
    +++ b/shapes/report.py
    @@ -1,13 +1,13 @@
     """What is printed about shapes. The word total_area in this text is not a reference."""
     
    -from shapes.shape import Circle, Rectangle, total_area
    +from shapes.shape import Circle, Rectangle, combined_area
     
     
     def describe(radius: float) -> str:
         """One line about a circle and a square."""
         circle = Circle(radius)
         square = Rectangle(2.0, 2.0)
    -    return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
    +    return f"📐 {combined_area(circle, square, 1.0)} and {circle.area()}"
     
     
     def forgotten() -> float:
    diff --git a/shapes/shape.py b/shapes/shape.py
    --- a/shapes/shape.py
    +++ b/shapes/shape.py
    @@ -32,6 +32,6 @@
             return self.width * self.height
     
     
    -def total_area(first: Shape, second: Shape, scale: float) -> float:
    +def combined_area(first: Shape, second: Shape, scale: float) -> float:
         """The area of two shapes together, `scale` times."""
         return scale * (first.area() + second.area())
    apply_edit {"plan":"p-[plan]"} writes it
    [ty · ready]
    ──── apply_edit
    applied p-[plan]: rename `total_area` to `combined_area` in 2 files
    undo_edit {"plan":"p-[plan]"} undoes it
      shapes/report.py  written
      shapes/shape.py  written
    problems: no change
    [ty + ruff · ready]
    ──── undo_edit
    undone p-[plan]: rename `total_area` to `combined_area` in 2 files
      shapes/shape.py  written
      shapes/report.py  written
    problems: no change
    [ty + ruff · ready]
    "#);
}

async fn fix(zubi: &Zubi, project: &Project) {
    assert_snapshot!(zubi.call_stable("lsp_diagnostics", json!({ "path": "shapes/broken.py" })).await, @r#"
    1 error, 1 warning in `shapes/broken.py`; snapshot d-1
    shapes/broken.py
      9:27  error: Argument to `Rectangle.__init__` is incorrect: Expected `float`, found `Literal["one"]`  [ty invalid-argument-type]
      3:8  warning: `os` imported but unused
          
          help: Remove unused import: `os`  [Ruff F401]
    [ty + ruff · ready · no virtual environment: installed packages may be unknown]
    "#);
    let fix = json!({ "at": "shapes/broken.py:3", "context": { "only": ["quickfix"] } });
    assert_snapshot!(round_trip(zubi, project, "lsp_code_actions", fix, Some("Remove unused import")).await, @r#"
    at shapes/broken.py:3
    2 code actions
      a-[action] Ruff (F401): Remove unused import: `os` (quickfix): 1 edit in 1 file  preferred
        diff --git a/shapes/broken.py b/shapes/broken.py
        --- a/shapes/broken.py
        +++ b/shapes/broken.py
        @@ -1,6 +1,5 @@
         """Mistakes the servers know: an import that is not used, and a wrong type."""
         
        -import os
         
         from shapes.shape import Rectangle
         
      a-[action] Ruff (F401): Disable for this line (quickfix): 1 edit in 1 file
        diff --git a/shapes/broken.py b/shapes/broken.py
        --- a/shapes/broken.py
        +++ b/shapes/broken.py
        @@ -1,6 +1,6 @@
         """Mistakes the servers know: an import that is not used, and a wrong type."""
         
        -import os
        +import os  # noqa: F401
         
         from shapes.shape import Rectangle
    [ty + ruff · ready]
    ──── apply_edit
    applied a-[action]: Ruff (F401): Remove unused import: `os` in 1 file
    undo_edit {"plan":"a-[action]"} undoes it
      shapes/broken.py  written
    problems: 1 fixed
    fixed:
      shapes/broken.py:3:8  warning: `os` imported but unused
          
          help: Remove unused import: `os`  [Ruff F401]
    [ty + ruff · ready]
    ──── undo_edit
    undone a-[action]: Ruff (F401): Remove unused import: `os` in 1 file
      shapes/broken.py  written
    problems: 1 new (1 warning)
    new:
      shapes/broken.py:3:8  warning: `os` imported but unused
          
          help: Remove unused import: `os`  [Ruff F401]
    [ty + ruff · ready]
    "#);
}

async fn format(zubi: &Zubi, project: &Project) {
    let format = json!({ "path": "shapes/messy.py" });
    assert_snapshot!(round_trip(zubi, project, "lsp_format_document", format, None).await, @r#"
    plan p-[plan]: format `shapes/messy.py`, 1 edit in 1 file; nothing is written yet
    diff --git a/shapes/messy.py b/shapes/messy.py
    --- a/shapes/messy.py
    +++ b/shapes/messy.py
    @@ -1,3 +1,5 @@
     """Not formatted."""
    -def  twice( value :float )->float:
    -  return value+value
    +
    +
    +def twice(value: float) -> float:
    +    return value + value
    apply_edit {"plan":"p-[plan]"} writes it
    [ruff · ready]
    ──── apply_edit
    applied p-[plan]: format `shapes/messy.py` in 1 file
    undo_edit {"plan":"p-[plan]"} undoes it
      shapes/messy.py  written
    problems: no change
    [ty + ruff · ready]
    ──── undo_edit
    undone p-[plan]: format `shapes/messy.py` in 1 file
      shapes/messy.py  written
    problems: no change
    [ty + ruff · ready]
    "#);
}
