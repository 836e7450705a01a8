//! PHP through Intelephense and Fortran through fortls.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::answers;
use zubi_tests::{Project, Zubi};

#[tokio::test]
async fn intelephense() {
    let project = Project::fixture("php");
    let zubi = Zubi::start(&project, &["node", "intelephense"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "src/Circle.php" })),
        ("lsp_workspace_symbols", json!({ "query": "Circle" })),
        ("lsp_definition", json!({ "at": "src/report.php:15 total_area" })),
        ("lsp_references", json!({ "symbol": "total_area" })),
        ("lsp_references", json!({ "symbol": "Circle", "path": "src/Circle.php" })),
        ("lsp_hover", json!({ "symbol": "total_area" })),
        ("lsp_completion", json!({ "at": "src/report.php:8:30", "limit": 3 })),
        ("lsp_signature_help", json!({ "at": "src/report.php:15:34" })),
        ("lsp_diagnostics", json!({ "path": "src/report.php" })),
        ("lsp_rename_symbol", json!({ "symbol": "total_area", "newName": "combined_area" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"src/Circle.php"}
    4 symbols in `src/Circle.php`
      namespace Shapes  3
      class Circle  6-16  class Circle implements Shape
        constructor __construct  8-10  public function __construct(public readonly float $radius)
        method area  12-15  public function area(): float
    1 local: locals=true
    [intelephense · ready]
    ──── lsp_workspace_symbols {"query":"Circle"}
    1 symbol matching `Circle`
      class Circle  src/Circle.php:6:7  in Shapes  class Circle implements Shape
    [intelephense · ready]
    ──── lsp_definition {"at":"src/report.php:15 total_area"}
    at src/report.php:15:23 total_area
    1 definition of `total_area`
    src/report.php
      6:10  function total_area(Shape $first, Shape $second, float $scale): float
    [intelephense · ready]
    ──── lsp_references {"symbol":"total_area"}
    at src/report.php:6:10 total_area (function)
    2 references to `total_area` in 1 file
    src/report.php
      6:10  function total_area(Shape $first, Shape $second, float $scale): float  (declaration)
      15:23  return "area: " . total_area($circle, $circle, 1.0);
    [intelephense · ready]
    ──── lsp_references {"symbol":"Circle","path":"src/Circle.php"}
    at src/Circle.php:6:7 Circle (class)
    2 references to `Circle` in 2 files
    src/Circle.php
      6:7  class Circle implements Shape  (declaration)
    src/report.php
      14:19  $circle = new Circle($radius);
    [intelephense · ready]
    ──── lsp_hover {"symbol":"total_area"}
    at src/report.php:6:10 total_area (function)
    ```php
    <?php
    function total_area(Shape $first, Shape $second, float $scale): float { }
    ```
    __Shapes\total_area__

    The area of two shapes together, `scale` times.
    _@param_ `\Shapes\Shape $first`

    _@param_ `\Shapes\Shape $second`

    _@param_ `float $scale`

    _@return_ `float`
    [intelephense · ready]
    ──── lsp_completion {"at":"src/report.php:8:30","limit":3}
    at src/report.php:8:30
    1 completion
      area() (method)  float
    [intelephense · ready]
    ──── lsp_signature_help {"at":"src/report.php:15:34"}
    at src/report.php:15:34
    1 signature
      (Shape $first, Shape $second, float $scale)
        parameter: Shape $first (_@param_ `\Shapes\Shape $first`)
    [intelephense · ready]
    ──── lsp_diagnostics {"path":"src/report.php"}
    1 error in `src/report.php`; snapshot d-1
    src/report.php
      20:12  error: Undefined function 'Shapes\missing'.  [intelephense P1010]
    [intelephense · ready · intelephense publishes diagnostics in parts: more may follow]
    ──── lsp_rename_symbol {"symbol":"total_area","newName":"combined_area"} (refused)
    Failed to plan the rename: intelephense cannot rename symbols
    Use another request, or read the file.
    "#);
}

#[tokio::test]
async fn fortls() {
    let project = Project::fixture("fortran");
    let zubi = Zubi::start(&project, &["fortls"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "shapes.f90" })),
        ("lsp_workspace_symbols", json!({ "query": "circle" })),
        ("lsp_definition", json!({ "at": "report.f90:8 circle_area" })),
        ("lsp_references", json!({ "symbol": "circle_area" })),
        ("lsp_hover", json!({ "at": "report.f90:8 circle_area" })),
        ("lsp_completion", json!({ "at": "report.f90:7:9", "limit": 3 })),
        ("lsp_signature_help", json!({ "at": "report.f90:8:24" })),
        ("lsp_diagnostics", json!({ "path": "broken.f90" })),
        ("lsp_rename_symbol", json!({ "symbol": "circle_area", "newName": "disc_area" })),
        ("lsp_format_document", json!({ "path": "report.f90" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"shapes.f90"}
    4 symbols in `shapes.f90`
      module shapes  2-18
        class circle  6-8
          variable radius  7  real :: radius
        function circle_area  13-16  real function circle_area(shape)
    [fortls · ready]
    ──── lsp_workspace_symbols {"query":"circle"}
    2 symbols matching `circle`
      class circle  shapes.f90:6:11  in shapes
      function circle_area  shapes.f90:13:17  in shapes  real function circle_area(shape)
    [fortls · readiness unknown · completeness unknown: fortls gives no readiness signal]
    ──── lsp_definition {"at":"report.f90:8 circle_area"}
    at report.f90:8:12 circle_area
    1 definition of `circle_area`
    shapes.f90
      13:17  real function circle_area(shape)
    [fortls · readiness unknown · completeness unknown: fortls gives no readiness signal]
    ──── lsp_references {"symbol":"circle_area"}
    at shapes.f90:13:17 circle_area (function)
    5 references to `circle_area` in 2 files
    report.f90
      3:29  use shapes, only: circle, circle_area
      8:12  print *, circle_area(round) + circle_area(round)
      8:33  print *, circle_area(round) + circle_area(round)
    shapes.f90
      13:17  real function circle_area(shape)  (declaration)
      16:16  end function circle_area
    2 further word matches: 1 in comments or strings, 1 in code that the server does not confirm: includeText=true
    [fortls · readiness unknown · may be incomplete: `circle_area` also occurs in shapes.f90 (1: the server resolves it to this symbol, but does not report it)]
    ──── lsp_hover {"at":"report.f90:8 circle_area"}
    at report.f90:8:12 circle_area
    ```fortran90
    FUNCTION circle_area(shape) RESULT(circle_area)
     TYPE(circle), INTENT(IN) :: shape
     REAL :: circle_area
    ```
    -----
    The area of a circle.
    [fortls · ready]
    ──── lsp_completion {"at":"report.f90:7:9","limit":3}
    at report.f90:7:9
    1 completion
      radius (variable)  REAL
    [fortls · readiness unknown · completeness unknown: fortls gives no readiness signal]
    ──── lsp_signature_help {"at":"report.f90:8:24"}
    at report.f90:8:24
    1 signature
      circle_area(shape)
        parameter: shape (```fortran90)
        The area of a circle.
    [fortls · ready]
    ──── lsp_diagnostics {"path":"broken.f90"}
    no errors or warnings in `broken.f90`; snapshot d-1
    1 info: severity=hint
    [fortls · readiness unknown · completeness unknown: fortls gives no readiness signal · fortls publishes diagnostics in parts: more may follow]
    ──── lsp_rename_symbol {"symbol":"circle_area","newName":"disc_area"} (refused)
    Failed to plan the rename: fortls cannot rename symbols
    Use another request, or read the file.
    ──── lsp_format_document {"path":"report.f90"} (refused)
    Failed to format the file: fortls cannot format this file
    Use another request, or read the file.
    "#);
}
