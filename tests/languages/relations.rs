//! Implementations, types, call and type hierarchies, and explanations, on servers with different capabilities.

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::{Project, Zubi};

const RUST: &[&str] = &["rust-analyzer"];
const CPP: &[&str] = &["clangd"];
const GO: &[&str] = &["go", "gopls"];
const PYTHON: &[&str] = &["node", "pyright"];
const TYPESCRIPT: &[&str] = &["node", "typescript"];

fn incoming_calls(symbol: &str, depth: u32) -> Value {
    json!({ "symbol": symbol, "direction": "incoming", "depth": depth })
}

#[tokio::test]
async fn rust() {
    let project = Project::fixture("rust");
    let zubi = Zubi::start(&project, RUST).await;
    assert_snapshot!(zubi.call_stable("lsp_implementations", json!({ "symbol": "Shape" })).await, @"
    at src/shape.rs:4:11 Shape (interface)
    2 implementations of `Shape`
    src/shape.rs
      15:16  impl Shape for Circle {
      27:16  impl Shape for Rectangle {
    [rust-analyzer · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_type_definition", json!({ "at": "src/report.rs:9 circle" })).await, @"
    at src/report.rs:9:41 circle
    1 type definition of `circle`
    src/shape.rs
      10:12  pub struct Circle {
    [rust-analyzer · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_call_hierarchy", incoming_calls("total_area", 2)).await, @"
    at src/shape.rs:34:8 total_area (function)
    1 caller of `total_area`, up to 2 steps away
    function total_area  src/shape.rs:34:8  pub fn total_area(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64 {
      function describe  src/report.rs:6:8  9: /* 📐 before the call */ total_area(&circle, &square, 1.0) + circle.area()
    [rust-analyzer · ready]
    ");
    let outgoing = json!({ "symbol": "describe", "direction": "outgoing", "depth": 2 });
    assert_snapshot!(zubi.call_stable("lsp_call_hierarchy", outgoing).await, @"
    at src/report.rs:6:8 describe (function)
    3 callees of `describe`, up to 2 steps away
    function describe  src/report.rs:6:8  pub fn describe(radius: f64) -> f64 {
      function Circle.area  src/shape.rs:16:8  9: /* 📐 before the call */ total_area(&circle, &square, 1.0) + circle.area()
      function total_area  src/shape.rs:34:8  9: /* 📐 before the call */ total_area(&circle, &square, 1.0) + circle.area()
        function Shape.area  src/shape.rs:6:8  35: scale * (first.area() + second.area())
    [rust-analyzer · ready]
    ");
    // rust-analyzer has no type hierarchy, so its implementations answer.
    let subtypes = json!({ "symbol": "Shape", "direction": "subtypes" });
    assert_snapshot!(zubi.call_stable("lsp_type_hierarchy", subtypes).await, @"
    at src/shape.rs:4:11 Shape (interface)
    2 subtypes of `Shape`
    interface Shape  src/shape.rs:4:11  pub trait Shape {
      object Circle  src/shape.rs:15:1  impl Shape for Circle {
      object Rectangle  src/shape.rs:27:1  impl Shape for Rectangle {
    [rust-analyzer · ready · subtypes of any distance from implementations: rust-analyzer has no request for subtypes]
    ");
    assert_snapshot!(zubi.call_stable("lsp_explain", json!({ "symbol": "total_area" })).await, @"
    at src/shape.rs:34:8 total_area (function)
    ```rust
    shapes::shape
    ```

    ```rust
    pub fn total_area(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64
    ```

    ---

    The area of two shapes together, `scale` times.
    1 definition in 1 file
    src/shape.rs
      34:8
           31  }
           32  
           33  /// The area of two shapes together, `scale` times.
       >   34  pub fn total_area(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64 {
           35      scale * (first.area() + second.area())
           36  }
           37  
    2 references in 1 file
    src/report.rs
      3:20  use crate::shape::{total_area, Circle, Rectangle, Shape};
      9:29  /* 📐 before the call */ total_area(&circle, &square, 1.0) + circle.area()
    no implementations
    1 caller
      function describe  src/report.rs:6:8  9: /* 📐 before the call */ total_area(&circle, &square, 1.0) + circle.area()
    [rust-analyzer · ready]
    ");
}

#[tokio::test]
async fn cpp() {
    let project = Project::fixture("cpp");
    let zubi = Zubi::start(&project, CPP).await;
    assert_snapshot!(zubi.call_stable("lsp_implementations", json!({ "symbol": "Shape::area" })).await, @"
    at include/shape.h:11:18 area (method)
    2 implementations of `area`
    src/shape.cc
      5:16  double Circle::area() const { return 3.0 * radius_ * radius_; }
      7:19  double Rectangle::area() const { return width_ * height_; }
    [clangd · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_type_definition", json!({ "at": "src/report.cc:9 circle" })).await, @"
    at src/report.cc:9:45 circle
    1 type definition of `circle`
    include/shape.h
      15:7  class Circle : public Shape {
    [clangd · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_call_hierarchy", incoming_calls("total_area", 2)).await, @"
    at src/shape.cc:9:8 total_area (function)
    1 caller of `total_area`, up to 2 steps away
    function shapes.total_area  src/shape.cc:9:8  double total_area(const Shape& first, const Shape& second, double scale) {
      function shapes.describe  src/report.cc:6:8  9: /* 📐 before the call */ return total_area(circle, square, 1.0) + circle.area();
    [clangd · ready]
    ");
    let subtypes = json!({ "symbol": "Shape", "direction": "subtypes", "depth": 2 });
    assert_snapshot!(zubi.call_stable("lsp_type_hierarchy", subtypes).await, @"
    at include/shape.h:7:7 Shape (class)
    2 subtypes of `Shape`, up to 2 steps away
    class Shape  include/shape.h:7:7  class Shape {
      class Circle  include/shape.h:15:7  class Circle : public Shape {
      class Rectangle  include/shape.h:25:7  class Rectangle : public Shape {
    [clangd · ready]
    ");
    let supertypes = json!({ "symbol": "Circle", "direction": "supertypes", "path": "include/shape.h" });
    assert_snapshot!(zubi.call_stable("lsp_type_hierarchy", supertypes).await, @"
    at include/shape.h:15:7 Circle (class); also `shapes/Circle/Circle`
    1 supertype of `Circle`
    class Circle  include/shape.h:15:7  class Circle : public Shape {
      class Shape  include/shape.h:7:7  class Shape {
    [clangd · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_explain", json!({ "symbol": "Rectangle/area" })).await, @r#"
    at src/shape.cc:7:19 area (method)
    ```cpp
    // In Rectangle
    public: double Rectangle::area() const
    ```
    ### instance-method `Rectangle::area`

    provided by `"shape.h"`

    ---
    → `double`
    1 definition in 2 files
    src/shape.cc
      7:19
            4  
            5  double Circle::area() const { return 3.0 * radius_ * radius_; }
            6  
       >    7  double Rectangle::area() const { return width_ * height_; }
            8  
            9  double total_area(const Shape& first, const Shape& second, double scale) {
           10    return scale * (first.area() + second.area());
    include/shape.h
      28:10  (declaration)
           25  class Rectangle : public Shape {
           26   public:
           27    Rectangle(double width, double height) : width_(width), height_(height) {}
       >   28    double area() const override;
           29  
           30   private:
           31    double width_;
    4 references in 3 files
    include/shape.h
      11:18  virtual double area() const = 0;
    src/broken.cc
      8:16  return sqare.area();
    src/shape.cc
      10:25  return scale * (first.area() + second.area());
      10:41  return scale * (first.area() + second.area());
    no implementations
    2 callers
      function shapes.unit  src/broken.cc:6:8  8: return sqare.area();
      function shapes.total_area  src/shape.cc:9:8  10: return scale * (first.area() + second.area());
    [clangd · ready]
    "#);
}

#[tokio::test]
async fn go() {
    let project = Project::fixture("go");
    let zubi = Zubi::start(&project, GO).await;
    assert_snapshot!(zubi.call_stable("lsp_implementations", json!({ "symbol": "Shape" })).await, @"
    at shape/shape.go:5:6 Shape (interface)
    2 implementations of `Shape`
    shape/shape.go
      11:6  type Circle struct {
      21:6  type Rectangle struct {
    [gopls · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_type_definition", json!({ "at": "report/report.go:10 circle" })).await, @"
    at report/report.go:10:49 circle
    1 type definition of `circle`
    shape/shape.go
      11:6  type Circle struct {
    [gopls · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_call_hierarchy", incoming_calls("TotalArea", 2)).await, @"
    at shape/shape.go:31:6 TotalArea (function)
    1 caller of `TotalArea`, up to 2 steps away
    function TotalArea  shape/shape.go:31:6  func TotalArea(first, second Shape, scale float64) float64 {
      function Describe  report/report.go:7:6  10: /* 📐 before the call */ return shape.TotalArea(circle, square, 1) + circle.Area()
    [gopls · ready]
    ");
    let outgoing = json!({ "symbol": "Describe", "direction": "outgoing", "depth": 2 });
    assert_snapshot!(zubi.call_stable("lsp_call_hierarchy", outgoing).await, @"
    at report/report.go:7:6 Describe (function)
    3 callees of `Describe`, up to 2 steps away
    function Describe  report/report.go:7:6  func Describe(radius float64) float64 {
      function Circle.Area  shape/shape.go:16:17  10: /* 📐 before the call */ return shape.TotalArea(circle, square, 1) + circle.Area()
      function TotalArea  shape/shape.go:31:6  10: /* 📐 before the call */ return shape.TotalArea(circle, square, 1) + circle.Area()
        function Shape.Area  shape/shape.go:7:2  32: return scale * (first.Area() + second.Area())
    [gopls · ready]
    ");
    let subtypes = json!({ "symbol": "Shape", "direction": "subtypes" });
    assert_snapshot!(zubi.call_stable("lsp_type_hierarchy", subtypes).await, @"
    at shape/shape.go:5:6 Shape (interface)
    2 subtypes of `Shape`
    interface Shape  shape/shape.go:5:6  type Shape interface {
      struct Circle  shape/shape.go:11:6  type Circle struct {
      struct Rectangle  shape/shape.go:21:6  type Rectangle struct {
    [gopls · ready · subtypes of any distance from implementations: gopls has no request for subtypes]
    ");
    assert_snapshot!(zubi.call_stable("lsp_explain", json!({ "symbol": "TotalArea" })).await, @"
    at shape/shape.go:31:6 TotalArea (function)
    ```go
    func TotalArea(first Shape, second Shape, scale float64) float64
    ```

    TotalArea is the area of two shapes together, scale times.


    [`shape.TotalArea` on pkg.go.dev](https://pkg.go.dev/example.com/shapes/shape#TotalArea)
    1 definition in 1 file
    shape/shape.go
      31:6
           28  }
           29  
           30  // TotalArea is the area of two shapes together, scale times.
       >   31  func TotalArea(first, second Shape, scale float64) float64 {
           32      return scale * (first.Area() + second.Area())
           33  }
           34  
    1 reference in 1 file
    report/report.go
      10:39  /* 📐 before the call */ return shape.TotalArea(circle, square, 1) + circle.Area()
    implementations: failed: gopls answered `textDocument/implementation` with an error: TotalArea is a function, not a method (0)
    1 caller
      function Describe  report/report.go:7:6  10: /* 📐 before the call */ return shape.TotalArea(circle, square, 1) + circle.Area()
    [gopls · ready]
    ");
}

#[tokio::test]
async fn python() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, PYTHON).await;
    assert_snapshot!(zubi.call_stable("lsp_type_definition", json!({ "at": "shapes/report.py:10 circle" })).await, @"
    at shapes/report.py:10:28 circle
    1 type definition of `circle`
    shapes/shape.py
      14:7  class Circle(Shape):
    [pyright · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_call_hierarchy", incoming_calls("total_area", 2)).await, @r#"
    at shapes/shape.py:35:5 total_area (function)
    1 caller of `total_area`, up to 2 steps away
    function total_area  shapes/shape.py:35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:
      function describe  shapes/report.py:6:5  10: return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
    [pyright · ready]
    "#);
    let outgoing = json!({ "symbol": "describe", "direction": "outgoing", "depth": 2 });
    assert_snapshot!(zubi.call_stable("lsp_call_hierarchy", outgoing).await, @r#"
    at shapes/report.py:6:5 describe (function)
    5 callees of `describe`, up to 2 steps away
    function describe  shapes/report.py:6:5  def describe(radius: float) -> str:
      class Circle  shapes/shape.py:14:7  8: circle = Circle(radius)
      method Circle.area  shapes/shape.py:20:9  10: return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
      class Rectangle  shapes/shape.py:24:7  9: square = Rectangle(2.0, 2.0)
      function total_area  shapes/shape.py:35:5  10: return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
        method Shape.area  shapes/shape.py:10:9  37: return scale * (first.area() + second.area())
    [pyright · ready]
    "#);
    // pyright has neither implementations nor a type hierarchy, so references answer.
    let hierarchy = |symbol: &str, direction: &str| json!({ "symbol": symbol, "direction": direction, "depth": 2 });
    assert_snapshot!(zubi.call_stable("lsp_type_hierarchy", hierarchy("Shape", "subtypes")).await, @"
    at shapes/shape.py:6:7 Shape (class)
    2 subtypes of `Shape`, up to 2 steps away
    class Shape  shapes/shape.py:6:7  class Shape(ABC):
      class Circle  shapes/shape.py:14:7  class Circle(Shape):
      class Rectangle  shapes/shape.py:24:7  class Rectangle(Shape):
    [pyright · ready · subtypes from references and declarations: pyright has no request for them]
    ");
    assert_snapshot!(zubi.call_stable("lsp_type_hierarchy", hierarchy("Circle", "supertypes")).await, @"
    at shapes/shape.py:14:7 Circle (class)
    2 supertypes of `Circle`, up to 2 steps away
    class Circle  shapes/shape.py:14:7  class Circle(Shape):
      class Shape  shapes/shape.py:6:7  class Shape(ABC):
        class ABC  /usr/lib/python3.11/abc.py:184:7 (external)  class ABC(metaclass=ABCMeta):
    [pyright · ready · supertypes from references and declarations: pyright has no request for them]
    ");
    assert_snapshot!(zubi.call_stable("lsp_implementations", json!({ "symbol": "Shape/area" })).await, @"
    at shapes/shape.py:10:9 area (method)
    2 implementations of `area`
    shapes/shape.py
      20:9  def area(self) -> float:
      31:9  def area(self) -> float:
    [pyright · ready · from references and declarations: pyright has no request for implementations]
    ");
    assert_snapshot!(zubi.call_refused("lsp_format_document", json!({ "path": "shapes/shape.py" })).await, @"
    Failed to format the file: pyright cannot format this file
    No formatter for Python is installed. With `ruff` on the PATH zubi formats by its server; `black`, `autopep8` and `yapf` are commands to run yourself.
    ");
    // A name of the class, and one that another file imports.
    let rename = |symbol: &str, name: &str| json!({ "symbol": symbol, "newName": name });
    assert_snapshot!(zubi.call_refused("lsp_rename_symbol", rename("Circle/area", "radius")).await, @"
    Invalid input: newName: `radius` is already taken in `Circle`: shapes/shape.py:18:14  self.radius = radius
    Choose another name, or rename that symbol first.
    ");
    assert_snapshot!(zubi.call_refused("lsp_rename_symbol", rename("Circle", "Rectangle")).await, @"
    Invalid input: newName: `Rectangle` is already taken: shapes/report.py:3:34  from shapes.shape import Circle, Rectangle, total_area
    Choose another name, or rename that symbol first.
    ");
    assert_snapshot!(zubi.call_stable("lsp_implementations", json!({ "symbol": "Shape" })).await, @"
    at shapes/shape.py:6:7 Shape (class)
    2 implementations of `Shape`
    shapes/shape.py
      14:7  class Circle(Shape):
      24:7  class Rectangle(Shape):
    [pyright · ready · from references and declarations: pyright has no request for implementations]
    ");
    assert_snapshot!(zubi.call_stable("lsp_explain", json!({ "symbol": "Circle" })).await, @r#"
    at shapes/shape.py:14:7 Circle (class)
    ```python
    class Circle(radius: float)
    ```
    ---
    A circle by its radius.
    1 definition in 1 file
    shapes/shape.py
      14:7
           11          """The area in square metres."""
           12  
           13  
       >   14  class Circle(Shape):
           15      """A circle by its radius."""
           16  
           17      def __init__(self, radius: float) -> None:
    3 references in 1 file
    shapes/report.py
      3:26  from shapes.shape import Circle, Rectangle, total_area
      8:14  circle = Circle(radius)
      15:14  circle = Circle(1.0)
    no implementations
    2 callers
      function describe  shapes/report.py:6:5  8: circle = Circle(radius)
      function forgotten  shapes/report.py:13:5  15: circle = Circle(1.0)
    [pyright · ready · from references and declarations: pyright has no request for implementations]
    "#);
}

#[tokio::test]
async fn python_with_ty() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["ty"]).await;
    let subtypes = json!({ "symbol": "Shape", "direction": "subtypes", "depth": 2 });
    assert_snapshot!(zubi.call_stable("lsp_type_hierarchy", subtypes).await, @"
    at shapes/shape.py:6:7 Shape (class)
    2 subtypes of `Shape`, up to 2 steps away
    class Shape  shapes/shape.py:6:7  class Shape(ABC):
      class Circle  shapes/shape.py:14:7  class Circle(Shape):
      class Rectangle  shapes/shape.py:24:7  class Rectangle(Shape):
    [ty · ready]
    ");
    let supertypes = json!({ "symbol": "Circle", "direction": "supertypes" });
    assert_snapshot!(zubi.call_stable("lsp_type_hierarchy", supertypes).await, @"
    at shapes/shape.py:14:7 Circle (class)
    1 supertype of `Circle`
    class Circle  shapes/shape.py:14:7  class Circle(Shape):
      class Shape  shapes/shape.py:6:7  class Shape(ABC):
    [ty · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_call_hierarchy", incoming_calls("total_area", 1)).await, @r#"
    at shapes/shape.py:35:5 total_area (function)
    1 caller of `total_area`
    function total_area  shapes/shape.py:35:5  def total_area(first: Shape, second: Shape, scale: float) -> float:
      function describe  shapes/report.py:6:5  10: return f"📐 {total_area(circle, square, 1.0)} and {circle.area()}"
    [ty · ready]
    "#);
}

#[tokio::test]
async fn typescript() {
    let project = Project::fixture("typescript");
    let zubi = Zubi::start(&project, TYPESCRIPT).await;
    assert_snapshot!(zubi.call_stable("lsp_implementations", json!({ "symbol": "Shape" })).await, @"
    at src/shape.ts:2:18 Shape (interface)
    2 implementations of `Shape`
    src/shape.ts
      8:14  export class Circle implements Shape {
      17:14  export class Rectangle implements Shape {
    [typescript · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_type_definition", json!({ "at": "src/report.ts:8 circle" })).await, @"
    at src/report.ts:8:25 circle
    1 type definition of `circle`
    src/shape.ts
      8:14  export class Circle implements Shape {
    [typescript · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_call_hierarchy", incoming_calls("totalArea", 2)).await, @"
    at src/shape.ts:29:17 totalArea (function)
    1 caller of `totalArea`, up to 2 steps away
    function totalArea  src/shape.ts:29:17  export function totalArea(first: Shape, second: Shape, scale: number): number {
      function describe  src/report.ts:5:17  8: return `📐 ${totalArea(circle, square, 1)} and ${circle.area()}`;
    [typescript · ready]
    ");
    let subtypes = json!({ "symbol": "Shape", "direction": "subtypes" });
    assert_snapshot!(zubi.call_stable("lsp_type_hierarchy", subtypes).await, @"
    at src/shape.ts:2:18 Shape (interface)
    2 subtypes of `Shape`
    interface Shape  src/shape.ts:2:18  export interface Shape {
      class Circle  src/shape.ts:8:14  export class Circle implements Shape {
      class Rectangle  src/shape.ts:17:14  export class Rectangle implements Shape {
    [typescript · ready · subtypes of any distance from implementations: typescript has no request for subtypes]
    ");
    assert_snapshot!(zubi.call_stable("lsp_explain", json!({ "symbol": "totalArea" })).await, @"
    at src/shape.ts:29:17 totalArea (function)
    ```typescript
    function totalArea(first: Shape, second: Shape, scale: number): number
    ```
    The area of two shapes together, `scale` times.
    1 definition in 1 file
    src/shape.ts
      29:17
           26  }
           27  
           28  /** The area of two shapes together, `scale` times. */
       >   29  export function totalArea(first: Shape, second: Shape, scale: number): number {
           30    return scale * (first.area() + second.area());
           31  }
           32  
    1 reference in 1 file
    src/report.ts
      8:15  return `📐 ${totalArea(circle, square, 1)} and ${circle.area()}`;
    1 implementation in 1 file
    src/shape.ts
      29:17  export function totalArea(first: Shape, second: Shape, scale: number): number {
    1 caller
      function describe  src/report.ts:5:17  8: return `📐 ${totalArea(circle, square, 1)} and ${circle.area()}`;
    [typescript · ready]
    ");
}

#[tokio::test]
async fn references_with_text_matches() {
    let project = Project::fixture("rust");
    let zubi = Zubi::start(&project, RUST).await;
    let query = json!({ "symbol": "total_area", "includeText": true });
    assert_snapshot!(zubi.call_stable("lsp_references", query).await, @"
    at src/shape.rs:34:8 total_area (function)
    3 references to `total_area` in 2 files
    src/report.rs
      3:20  use crate::shape::{total_area, Circle, Rectangle, Shape};
      9:29  /* 📐 before the call */ total_area(&circle, &square, 1.0) + circle.area()
    src/shape.rs
      34:8  pub fn total_area(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64 {  (declaration)
    src/report.rs
      1:44  //! What is printed about shapes. The word total_area in this comment is not a reference.  (text)
    1 further word match in comments or strings; marked (text)
    [rust-analyzer · ready]
    ");
    // The next query sees the words of a new file, like every other change.
    let total = async || zubi.call_stable("lsp_references", json!({ "symbol": "total_area" })).await;
    let further = |answer: String| answer.lines().find(|line| line.contains("further")).map(str::to_owned);
    assert_eq!(further(total().await), further(total().await));
    project.write("src/notes.rs", "// total_area, and total_area again\n");
    assert_snapshot!(further(total().await).unwrap_or_default(), @"3 further word matches in comments or strings: includeText=true");
}
