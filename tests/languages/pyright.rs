//! Python: pyright, which registers its capabilities late and looks for files only when idle.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::{Project, Zubi};

const SERVERS: &[&str] = &["node", "pyright"];

/// One start serves all queries; `rename`, `fix` and `format` restore the project before the next part.
#[tokio::test]
async fn answers() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, SERVERS).await;
    symbols(&zubi).await;
    check_positions(&zubi).await;
    while_typing(&zubi).await;
    rename(&zubi, &project).await;
    fix(&zubi).await;
}

async fn symbols(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_document_symbols", json!({ "path": "shapes/shape.py" })).await, @"
    12 symbols in `shapes/shape.py`
      class Shape  6-11  class Shape(ABC):
        method area  10-11  def area(self) -> float:
      class Circle  14-21  class Circle(Shape):
        method __init__  17-18  def __init__(self, radius: float) -> None:
        variable radius  18  self.radius = radius
        method area  20-21  def area(self) -> float:
      class Rectangle  24-32  class Rectangle(Shape):
        method __init__  27-29  def __init__(self, width: float, height: float) -> None:
        variable width  28  self.width = width
        variable height  29  self.height = height
        method area  31-32  def area(self) -> float:
      function total_area  35-37  def total_area(first: Shape, second: Shape, scale: float) -> float:
    6 locals: locals=true
    [pyright · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"
    3 symbols matching `Circle`
      class Circle  shapes/shape.py:14:7  class Circle(Shape):
      variable circle  shapes/report.py:8:5  in describe  circle = Circle(radius)
      variable circle  shapes/report.py:15:5  in forgotten  circle = Circle(1.0)
    [pyright · ready]
    ");
}

async fn check_positions(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_definition", json!({ "at": "shapes/report.py:10 total_area" })).await, @"
    at shapes/report.py:10:17 total_area
    1 definition of `total_area`
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:
    [pyright · ready]
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
    [pyright · ready]
    "#);
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "Circle.area", "path": "shapes/shape.py" })).await, @r#"
    at shapes/shape.py:20:9 area (method)
    2 references to `area` in 2 files
    shapes/report.py
      10:62  return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
    shapes/shape.py
      20:9  def area(self) -> float:  (declaration)
    7 further word matches: 3 in comments or strings, 4 in code (other symbols of the name): includeText=true
    [pyright · ready]
    "#);
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })).await, @"
    at shapes/report.py:13:5 forgotten (function)
    0 references to `forgotten` in 0 files
    [pyright · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_hover", json!({ "symbol": "total_area" })).await, @"
    at shapes/shape.py:35:5 total_area (function)
    ```python
    (function) def total_area(
        first: Shape,
        second: Shape,
        scale: float
    ) -> float
    ```
    ---
    The area of two shapes together, `scale` times.
    [pyright · ready]
    ");
}

async fn while_typing(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_completion", json!({ "at": "shapes/report.py:16:19", "limit": 5 })).await, @r#"
    at shapes/report.py:16:19
    26 completions, best 5 (incomplete: type more for others)
      area (method)  def area() -> float
      radius (variable)  radius: float
      __annotations__ (variable)  __annotations__: dict[str, Any]
      __class__ (property)  __class__: type[Self@object] (property)
      __delattr__ (method)  def __delattr__( name: str, / ) -> None
    … 21 more: cursor="5"
    [pyright · ready]
    "#);
    assert_snapshot!(zubi.call_stable("lsp_signature_help", json!({ "at": "shapes/report.py:10:36" })).await, @"
    at shapes/report.py:10:36
    1 signature
      (first: Shape, second: Shape, scale: float) -> float
        parameter: second: Shape
        The area of two shapes together, `scale` times.
    [pyright · ready]
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
    [pyright · ready]
    ──── apply_edit
    applied p-[plan]: rename `total_area` to `combined_area` in 2 files
    undo_edit {"plan":"p-[plan]"} undoes it
      shapes/report.py  written
      shapes/shape.py  written
    problems: no change
    [pyright · ready]
    ──── undo_edit
    undone p-[plan]: rename `total_area` to `combined_area` in 2 files
      shapes/shape.py  written
      shapes/report.py  written
    problems: no change
    [pyright · ready]
    "#);
}

async fn fix(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_diagnostics", json!({ "path": "shapes/broken.py" })).await, @r#"
    1 error in `shapes/broken.py`; snapshot d-1
    shapes/broken.py
      9:27  error: Argument of type "Literal['one']" cannot be assigned to parameter "height" of type "float" in function "__init__"
            "Literal['one']" is not assignable to "float"  [Pyright reportArgumentType]
    1 hint: severity=hint
    [pyright · ready · no virtual environment: packages of the system's Python]
    "#);
}

/// pyright's stubs of Python's standard library are files outside the workspace.
#[tokio::test]
async fn stubs_of_the_library() {
    let project = Project::fixture("python");
    project.write("library.py", "size: int = len([])\n");
    let zubi = Zubi::start(&project, SERVERS).await;
    let without_machine = |answer: String| {
        let lines = answer.lines().map(|line| match line.split_once("/typeshed-fallback/") {
            Some((_, path)) => format!("[pyright]/typeshed-fallback/{path}"),
            None => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    // The function is built in, so no Python source defines it.
    let definition = zubi.call_stable("lsp_definition", json!({ "at": "library.py:1 len" })).await;
    assert_snapshot!(without_machine(definition), @"
    at library.py:1:13 len
    1 definition of `len`
    [pyright]/typeshed-fallback/stdlib/builtins.pyi (external)
      1827:5  def len(obj: Sized, /) -> int: ...
    [pyright · ready]
    ");
    let type_definition = json!({ "tool": "lsp_type_definition", "arguments": { "at": "library.py:1 size" } });
    assert_snapshot!(without_machine(zubi.call_stable("zubi_call_read_tool", type_definition).await), @"
    at library.py:1:1 size
    1 type definition of `size`
    [pyright]/typeshed-fallback/stdlib/builtins.pyi (external)
      253:7  class int:
    [pyright · ready]
    ");
}
