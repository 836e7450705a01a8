//! Python with the alternatives to pyright and ty.

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::flows::answers;
use zubi_tests::{Project, Zubi};

/// Identical queries for every server, so that their answers can be compared.
fn queries() -> Vec<(&'static str, Value)> {
    vec![
        ("lsp_document_symbols", json!({ "path": "shapes/shape.py" })),
        ("lsp_workspace_symbols", json!({ "query": "Circle" })),
        ("lsp_definition", json!({ "at": "shapes/report.py:10 total_area" })),
        ("lsp_references", json!({ "symbol": "total_area" })),
        ("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })),
        ("lsp_hover", json!({ "symbol": "Circle" })),
        ("lsp_completion", json!({ "at": "shapes/report.py:16:19", "limit": 3 })),
        ("lsp_signature_help", json!({ "at": "shapes/report.py:10:36" })),
        ("lsp_diagnostics", json!({ "path": "shapes/broken.py" })),
        ("lsp_rename_symbol", json!({ "symbol": "total_area", "newName": "combined_area" })),
        ("lsp_format_document", json!({ "path": "shapes/messy.py" })),
    ]
}

#[tokio::test]
async fn basedpyright() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["node", "basedpyright"]).await;
    assert_snapshot!(answers(&zubi, &queries()).await, @r#"
    ──── lsp_document_symbols {"path":"shapes/shape.py"}
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
    [basedpyright · ready]
    ──── lsp_workspace_symbols {"query":"Circle"}
    3 symbols matching `Circle`
      class Circle  shapes/shape.py:14:7  class Circle(Shape):
      variable circle  shapes/report.py:8:5  in describe  circle = Circle(radius)
      variable circle  shapes/report.py:15:5  in forgotten  circle = Circle(1.0)
    [basedpyright · ready]
    ──── lsp_definition {"at":"shapes/report.py:10 total_area"}
    at shapes/report.py:10:17 total_area
    1 definition of `total_area`
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:
    [basedpyright · ready]
    ──── lsp_references {"symbol":"total_area"}
    at shapes/shape.py:35:5 total_area (function)
    3 references to `total_area` in 2 files
    shapes/report.py
      3:45  from shapes.shape import Circle, Rectangle, total_area
      10:17  return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:  (declaration)
    1 further word match in comments or strings: includeText=true
    [basedpyright · ready]
    ──── lsp_references {"symbol":"forgotten","includeDeclaration":false}
    at shapes/report.py:13:5 forgotten (function)
    0 references to `forgotten` in 0 files
    [basedpyright · ready]
    ──── lsp_hover {"symbol":"Circle"}
    at shapes/shape.py:14:7 Circle (class)
    ```python
    class Circle(radius: float)
    ```
    ---
    A circle by its radius.
    [basedpyright · ready]
    ──── lsp_completion {"at":"shapes/report.py:16:19","limit":3}
    at shapes/report.py:16:19
    26 completions, best 3 (incomplete: type more for others)
      area (method)  def area() -> float
      radius (variable)  radius: float
      __annotations__ (variable)  __annotations__: dict[str, Any]
    … 23 more: cursor="3"
    [basedpyright · ready]
    ──── lsp_signature_help {"at":"shapes/report.py:10:36"}
    at shapes/report.py:10:36
    1 signature
      (first: Shape, second: Shape, scale: float) -> float
        parameter: second: Shape
        The area of two shapes together, `scale` times.
    [basedpyright · ready]
    ──── lsp_diagnostics {"path":"shapes/broken.py"}
    1 error, 1 warning in `shapes/broken.py`; snapshot d-1
    shapes/broken.py
      9:27  error: Argument of type "Literal['one']" cannot be assigned to parameter "height" of type "float" in function "__init__"
            "Literal['one']" is not assignable to "float"  [basedpyright reportArgumentType]
      3:8  warning: Import "os" is not accessed  [basedpyright reportUnusedImport]
    [basedpyright · ready · no virtual environment: packages of the system's Python]
    ──── lsp_rename_symbol {"symbol":"total_area","newName":"combined_area"}
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
    [basedpyright · ready]
    ──── lsp_format_document {"path":"shapes/messy.py"} (refused)
    Failed to format the file: basedpyright cannot format this file
    No formatter for Python is installed. With `ruff` on the PATH zubi formats by its server; `black`, `autopep8` and `yapf` are commands to run yourself.
    "#);
}

#[tokio::test]
async fn pyrefly() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["pyrefly"]).await;
    assert_snapshot!(answers(&zubi, &queries()).await, @r#"
    ──── lsp_document_symbols {"path":"shapes/shape.py"}
    9 symbols in `shapes/shape.py`
      class Shape  6-11  class Shape(ABC):
        method area  10-11  def area(self) -> float:
      class Circle  14-21  class Circle(Shape):
        method __init__  17-18  def __init__(self, radius: float) -> None:
        method area  20-21  def area(self) -> float:
      class Rectangle  24-32  class Rectangle(Shape):
        method __init__  27-29  def __init__(self, width: float, height: float) -> None:
        method area  31-32  def area(self) -> float:
      function total_area  35-37  def total_area(first: Shape, second: Shape, scale: float) -> float:
    [pyrefly · ready]
    ──── lsp_workspace_symbols {"query":"Circle"}
    1 symbol matching `Circle`
      class Circle  shapes/shape.py:14:7  class Circle(Shape):
    [pyrefly · readiness unknown · completeness unknown: pyrefly gives no readiness signal]
    ──── lsp_definition {"at":"shapes/report.py:10 total_area"}
    at shapes/report.py:10:17 total_area
    1 definition of `total_area`
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:
    [pyrefly · readiness unknown · completeness unknown: pyrefly gives no readiness signal]
    ──── lsp_references {"symbol":"total_area"}
    at shapes/shape.py:35:5 total_area (function)
    3 references to `total_area` in 2 files
    shapes/report.py
      3:45  from shapes.shape import Circle, Rectangle, total_area
      10:17  return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:  (declaration)
    1 further word match in comments or strings: includeText=true
    [pyrefly · ready]
    ──── lsp_references {"symbol":"forgotten","includeDeclaration":false}
    at shapes/report.py:13:5 forgotten (function)
    0 references to `forgotten` in 0 files
    [pyrefly · ready]
    ──── lsp_hover {"symbol":"Circle"}
    at shapes/shape.py:14:7 Circle (class)
    ```python
    (class) Circle: type[Circle]
    ```
    ---
    A circle by its radius.

    Go to [Circle](file://[project]/shapes/shape.py#L14,7)
    [pyrefly · ready]
    ──── lsp_completion {"at":"shapes/report.py:16:19","limit":3}
    at shapes/report.py:16:19
    26 completions, best 3
      radius (field)  float
      area (method)  def area(self: Circle) -> float: ...
      __annotations__ (field)  dict[str, Any]
    … 23 more: cursor="3"
    [pyrefly · readiness unknown · completeness unknown: pyrefly gives no readiness signal]
    ──── lsp_signature_help {"at":"shapes/report.py:10:36"}
    at shapes/report.py:10:36
    1 signature
      def total_area(first: Shape, second: Shape, scale: float) -> float: ...
        parameter: second: Shape
        The area of two shapes together, `scale` times.
    [pyrefly · ready]
    ──── lsp_diagnostics {"path":"shapes/broken.py"}
    1 error in `shapes/broken.py`; snapshot d-1
    shapes/broken.py
      9:27  error: Argument `Literal['one']` is not assignable to parameter `height` with type `float` in function `shapes.shape.Rectangle.__init__`  [Pyrefly bad-argument-type]
    1 hint: severity=hint
    [pyrefly · readiness unknown · completeness unknown: pyrefly gives no readiness signal · no virtual environment: packages of the system's Python]
    ──── lsp_rename_symbol {"symbol":"total_area","newName":"combined_area"}
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
    [pyrefly · ready]
    ──── lsp_format_document {"path":"shapes/messy.py"} (refused)
    Failed to format the file: pyrefly cannot format this file
    No formatter for Python is installed. With `ruff` on the PATH zubi formats by its server; `black`, `autopep8` and `yapf` are commands to run yourself.
    "#);
}

#[tokio::test]
async fn zuban() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["zuban"]).await;
    assert_snapshot!(answers(&zubi, &queries()).await, @r#"
    ──── lsp_document_symbols {"path":"shapes/shape.py"}
    9 symbols in `shapes/shape.py`
      class Shape  6-14  class Shape(ABC):
        method area Shape  10-14  def area(self) -> float:
      class Circle  14-24  class Circle(Shape):
        constructor __init__ Circle  17-20  def __init__(self, radius: float) -> None:
        method area Circle  20-24  def area(self) -> float:
      class Rectangle  24-35  class Rectangle(Shape):
        constructor __init__ Rectangle  27-31  def __init__(self, width: float, height: float) -> None:
        method area Rectangle  31-35  def area(self) -> float:
      function total_area  35-38  def total_area(first: Shape, second: Shape, scale: float) -> float:
    2 imports: locals=true
    [zuban · ready]
    ──── lsp_workspace_symbols {"query":"Circle"}
    2 symbols matching `Circle`
      class Circle  shapes/shape.py:14:7  class Circle(Shape):
      import Circle  shapes/report.py:3:26  from shapes.shape import Circle, Rectangle, total_area
    [zuban · readiness unknown · completeness unknown: zuban gives no readiness signal]
    ──── lsp_definition {"at":"shapes/report.py:10 total_area"}
    at shapes/report.py:10:17 total_area
    1 definition of `total_area`
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:
    [zuban · readiness unknown · completeness unknown: zuban gives no readiness signal]
    ──── lsp_references {"symbol":"total_area"}
    at shapes/shape.py:35:5 total_area (function)
    3 references to `total_area` in 2 files
    shapes/report.py
      3:45  from shapes.shape import Circle, Rectangle, total_area
      10:17  return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:  (declaration)
    1 further word match in comments or strings: includeText=true
    [zuban · ready]
    ──── lsp_references {"symbol":"forgotten","includeDeclaration":false}
    at shapes/report.py:13:5 forgotten (function)
    0 references to `forgotten` in 0 files
    [zuban · ready]
    ──── lsp_hover {"symbol":"Circle"}
    at shapes/shape.py:14:7 Circle (class)
    ```python
    (class) Circle(radius) -> Circle
    ```
    ---
    A circle by its radius.
    [zuban · ready]
    ──── lsp_completion {"at":"shapes/report.py:16:19","limit":3}
    at shapes/report.py:16:19
    26 completions, best 3
      area (method)
      radius (field)
      __annotations__ (field)
    … 23 more: cursor="3"
    [zuban · readiness unknown · completeness unknown: zuban gives no readiness signal]
    ──── lsp_signature_help {"at":"shapes/report.py:10:36"}
    at shapes/report.py:10:36
    1 signature
      (first: Shape, second: Shape, scale: float) -> float
        parameter: second
    [zuban · ready]
    ──── lsp_diagnostics {"path":"shapes/broken.py"}
    1 error in `shapes/broken.py`; snapshot d-1
    shapes/broken.py
      9:27  error: Argument 2 to "Rectangle" has incompatible type "str"; expected "float"  [zuban arg-type]
    [zuban · readiness unknown · completeness unknown: zuban gives no readiness signal · no virtual environment: installed packages may be unknown]
    ──── lsp_rename_symbol {"symbol":"total_area","newName":"combined_area"}
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
    [zuban · ready]
    ──── lsp_format_document {"path":"shapes/messy.py"} (refused)
    Failed to format the file: zuban cannot format this file
    No formatter for Python is installed. With `ruff` on the PATH zubi formats by its server; `black`, `autopep8` and `yapf` are commands to run yourself.
    "#);
}

#[tokio::test]
async fn jedi_language_server() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["jedi-language-server"]).await;
    assert_snapshot!(answers(&zubi, &queries()).await, @r#"
    ──── lsp_document_symbols {"path":"shapes/shape.py"}
    14 symbols in `shapes/shape.py`
      class ABC class ABC  3  from abc import ABC, abstractmethod
      function abstractmethod def abstractmethod  3
      class Shape class Shape  6-11  class Shape(ABC):
        method area def area  10-11  def area(self) -> float:
      class Circle class Circle  14-21  class Circle(Shape):
        method __init__ def __init__  17-18  def __init__(self, radius: float) -> None:
        property radius self.radius = radius  18
        method area def area  20-21  def area(self) -> float:
      class Rectangle class Rectangle  24-32  class Rectangle(Shape):
        method __init__ def __init__  27-29  def __init__(self, width: float, height: float) -> None:
        property width self.width = width  28
        property height self.height = height  29
        method area def area  31-32  def area(self) -> float:
      function total_area def total_area  35-37  def total_area(first: Shape, second: Shape, scale: float) -> float:
    [jedi-language-server · ready · syntax diagnostics only]
    ──── lsp_workspace_symbols {"query":"Circle"}
    1 symbol matching `Circle`
      class Circle  shapes/shape.py:14:7  in shapes.shape.Circle  class Circle(Shape):
    [jedi-language-server · readiness unknown · completeness unknown: jedi-language-server gives no readiness signal · syntax diagnostics only]
    ──── lsp_definition {"at":"shapes/report.py:10 total_area"}
    at shapes/report.py:10:17 total_area
    1 definition of `total_area`
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:
    [jedi-language-server · readiness unknown · completeness unknown: jedi-language-server gives no readiness signal · syntax diagnostics only]
    ──── lsp_references {"symbol":"total_area"}
    at shapes/shape.py:35:5 total_area (function)
    3 references to `total_area` in 2 files
    shapes/report.py
      3:45  from shapes.shape import Circle, Rectangle, total_area
      10:17  return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
    shapes/shape.py
      35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:  (declaration)
    1 further word match in comments or strings: includeText=true
    [jedi-language-server · ready · syntax diagnostics only]
    ──── lsp_references {"symbol":"forgotten","includeDeclaration":false}
    at shapes/report.py:13:5 forgotten (function)
    0 references to `forgotten` in 0 files
    [jedi-language-server · ready · syntax diagnostics only]
    ──── lsp_hover {"symbol":"Circle"}
    at shapes/shape.py:14:7 Circle (class)
    ```python
    class Circle(radius: float)
    ```
    ---
    A circle by its radius.
    **Full name:** `shapes.shape.Circle`
    [jedi-language-server · ready · syntax diagnostics only]
    ──── lsp_completion {"at":"shapes/report.py:16:19","limit":3}
    at shapes/report.py:16:19
    26 completions, best 3
      area (function)  def area() -> float
      radius (variable)  self.radius = radius
      __annotations__ (variable)  __annotations__: dict[str, Any]
    … 23 more: cursor="3"
    [jedi-language-server · readiness unknown · completeness unknown: jedi-language-server gives no readiness signal · syntax diagnostics only]
    ──── lsp_signature_help {"at":"shapes/report.py:10:36"}
    at shapes/report.py:10:36
    1 signature
      def total_area(first: Shape, second: Shape, scale: float) -> float
        parameter: second: Shape
        ```text
        The area of two shapes together, `scale` times.
        ```
    [jedi-language-server · ready]
    ──── lsp_diagnostics {"path":"shapes/broken.py"}
    no problems in `shapes/broken.py`; snapshot d-1
    [jedi-language-server · readiness unknown · completeness unknown: jedi-language-server gives no readiness signal · syntax diagnostics only]
    ──── lsp_rename_symbol {"symbol":"total_area","newName":"combined_area"}
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
    [jedi-language-server · ready · syntax diagnostics only]
    ──── lsp_format_document {"path":"shapes/messy.py"} (refused)
    Failed to format the file: jedi-language-server cannot format this file
    No formatter for Python is installed. With `ruff` on the PATH zubi formats by its server; `black`, `autopep8` and `yapf` are commands to run yourself.
    "#);
}
