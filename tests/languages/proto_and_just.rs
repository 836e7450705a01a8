//! Protocol Buffers through Buf and justfiles through just-lsp. Both read only open files.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::answers;
use zubi_tests::{Project, Zubi};

#[tokio::test]
async fn buf() {
    let project = Project::fixture("proto");
    let zubi = Zubi::start(&project, &["buf"]).await;
    let queries = [
        ("lsp_workspace_symbols", json!({ "query": "ReportService" })),
        ("lsp_document_symbols", json!({ "path": "shapes/v1/report.proto" })),
        ("lsp_definition", json!({ "at": "shapes/v1/report.proto:9 Circle" })),
        ("lsp_references", json!({ "at": "shapes/v1/shape.proto:6 Circle" })),
        ("lsp_hover", json!({ "at": "shapes/v1/report.proto:10 Shape" })),
        ("lsp_completion", json!({ "at": "shapes/v1/report.proto:18:20", "limit": 3 })),
        ("lsp_signature_help", json!({ "at": "shapes/v1/report.proto:18:20" })),
        ("lsp_diagnostics", json!({ "path": "shapes/v1/broken.proto" })),
        ("lsp_rename_symbol", json!({ "at": "shapes/v1/shape.proto:6 Circle", "newName": "Ring" })),
        ("lsp_format_document", json!({ "path": "shapes/v1/broken.proto" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_workspace_symbols {"query":"ReportService"}
    2 symbols matching `ReportService`
      interface shapes.v1.ReportService  shapes/v1/report.proto:17:9  in shapes.v1  service ReportService {
      method shapes.v1.ReportService.Describe  shapes/v1/report.proto:18:7  in shapes.v1.ReportService  rpc Describe(DescribeRequest) returns (DescribeResponse);
    [buf · ready · `yaml-language-server` is not installed: install it with npm: npm install --global yaml-language-server]
    ──── lsp_document_symbols {"path":"shapes/v1/report.proto"}
    8 symbols in `shapes/v1/report.proto`
      class shapes.v1.DescribeRequest  8  message DescribeRequest {
      field shapes.v1.DescribeRequest.circle  9  Circle circle = 1;
      field shapes.v1.DescribeRequest.others  10  repeated Shape others = 2;
      class shapes.v1.DescribeResponse  13  message DescribeResponse {
      field shapes.v1.DescribeResponse.text  14  string text = 1;
      interface shapes.v1.ReportService  17  service ReportService {
      method shapes.v1.ReportService.Describe  18  rpc Describe(DescribeRequest) returns (DescribeResponse);
      class shapes.v1.Forgotten  22  message Forgotten {}
    [buf · ready]
    ──── lsp_definition {"at":"shapes/v1/report.proto:9 Circle"}
    at shapes/v1/report.proto:9:3 Circle
    1 definition of `Circle`
    shapes/v1/shape.proto
      6:9  message Circle {
    [buf · ready]
    ──── lsp_references {"at":"shapes/v1/shape.proto:6 Circle"}
    at shapes/v1/shape.proto:6:9 Circle
    3 references to `Circle` in 2 files
    shapes/v1/report.proto
      9:3  Circle circle = 1;
    shapes/v1/shape.proto
      6:9  message Circle {  (declaration)
      20:5  Circle circle = 1;
    1 further word match in comments or strings: includeText=true
    [buf · ready]
    ──── lsp_hover {"at":"shapes/v1/report.proto:10 Shape"}
    at shapes/v1/report.proto:10:12 Shape
    One of the shapes.
    [buf · ready]
    ──── lsp_completion {"at":"shapes/v1/report.proto:18:20","limit":3}
    at shapes/v1/report.proto:18:20
    14 completions, best 3
      DescribeRequest (class)
      DescribeResponse (class)
      google.protobuf.DescriptorProto (class)
    … 11 more: cursor="3"
    [buf · ready]
    ──── lsp_signature_help {"at":"shapes/v1/report.proto:18:20"} (refused)
    Failed to show signatures: buf cannot show signatures
    Use another request, or read the file.
    ──── lsp_diagnostics {"path":"shapes/v1/broken.proto"}
    1 error in `shapes/v1/broken.proto`; snapshot d-1
    shapes/v1/broken.proto
      7:3  error: cannot find `Missing` in this scope
          help: the full name of this scope is `shapes.v1.Broken`  [buf-lsp]
    [buf · ready · buf publishes diagnostics in parts: more may follow]
    ──── lsp_rename_symbol {"at":"shapes/v1/shape.proto:6 Circle","newName":"Ring"}
    at shapes/v1/shape.proto:6:9 Circle
    plan p-[plan]: rename `Circle` to `Ring`, 3 edits in 2 files; nothing is written yet
    note: 1 mention of `Circle` in comments, strings and documents (1 file) will stay: includeText=true
    diff --git a/shapes/v1/report.proto b/shapes/v1/report.proto
    --- a/shapes/v1/report.proto
    +++ b/shapes/v1/report.proto
    @@ -6,7 +6,7 @@
     
     // What is asked about shapes. The word Circle in this comment is not a reference.
     message DescribeRequest {
    -  Circle circle = 1;
    +  Ring circle = 1;
       repeated Shape others = 2;
     }
     
    diff --git a/shapes/v1/shape.proto b/shapes/v1/shape.proto
    --- a/shapes/v1/shape.proto
    +++ b/shapes/v1/shape.proto
    @@ -3,7 +3,7 @@
     package shapes.v1;
     
     // A circle by its radius.
    -message Circle {
    +message Ring {
       // In metres.
       double radius = 1;
     }
    @@ -17,7 +17,7 @@
     // One of the shapes.
     message Shape {
       oneof kind {
    -    Circle circle = 1;
    +    Ring circle = 1;
         Rectangle rectangle = 2;
       }
     }
    apply_edit {"plan":"p-[plan]"} writes it
    [buf · ready]
    ──── lsp_format_document {"path":"shapes/v1/broken.proto"}
    plan p-[plan]: format `shapes/v1/broken.proto`, 1 edit in 1 file; nothing is written yet
    diff --git a/shapes/v1/broken.proto b/shapes/v1/broken.proto
    --- a/shapes/v1/broken.proto
    +++ b/shapes/v1/broken.proto
    @@ -3,6 +3,6 @@
     package shapes.v1;
     
     // One mistake: there is no such type; and not formatted.
    -message  Broken {
    +message Broken {
       Missing shape = 1;
     }
    apply_edit {"plan":"p-[plan]"} writes it
    [buf · ready]
    "#);
}

#[tokio::test]
async fn just_lsp() {
    let project = Project::fixture("just");
    let zubi = Zubi::start(&project, &["just-lsp"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "justfile" })),
        ("lsp_workspace_symbols", json!({ "query": "draw" })),
        ("lsp_definition", json!({ "at": "justfile:7 draw" })),
        ("lsp_references", json!({ "symbol": "measure" })),
        ("lsp_references", json!({ "at": "justfile:4 side" })),
        ("lsp_hover", json!({ "at": "justfile:7 draw" })),
        ("lsp_completion", json!({ "at": "justfile:7:7", "limit": 3 })),
        ("lsp_diagnostics", json!({ "path": "justfile" })),
        ("lsp_rename_symbol", json!({ "at": "justfile:4 side", "newName": "edge" })),
        ("lsp_format_document", json!({ "path": "justfile" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"justfile"}
    4 symbols in `justfile`
      variable side  4-5  side := "2"
      function all  7-8  all: measure (draw side)
      function measure  10-13
      function broken  14-15  broken: missing
    [just-lsp · ready · just is not installed: no formatting]
    ──── lsp_workspace_symbols {"query":"draw"}
    1 symbol matching `draw`
      function draw  shapes.just:2:1  draw side: measure
    [just-lsp · ready · just is not installed: no formatting · just-lsp has no symbol index: exact names only, from the outlines of 2 files]
    ──── lsp_definition {"at":"justfile:7 draw"}
    at justfile:7:15 draw
    1 definition of `draw`
    shapes.just
      2:1  draw side: measure
    [just-lsp · readiness unknown · completeness unknown: just-lsp gives no readiness signal · just is not installed: no formatting]
    ──── lsp_references {"symbol":"measure"}
    at justfile:10:1 measure (function)
    2 references to `measure` in 1 file
    justfile
      7:6  all: measure (draw side)
      10:1  measure:  (declaration)
    2 further word matches: 1 in comments or strings, 1 in code that the server does not confirm: includeText=true
    [just-lsp · readiness unknown · may be incomplete: `measure` also occurs in shapes.just (1: the server resolves it to this symbol, but does not report it) · just is not installed: no formatting]
    ──── lsp_references {"at":"justfile:4 side"}
    at justfile:4:1 side
    3 references to `side` in 1 file
    justfile
      4:1  side := "2"  (declaration)
      7:20  all: measure (draw side)
      11:13  echo {{ side }} squared
    3 further word matches: 1 in comments or strings, 2 in code (other symbols of the name): includeText=true
    [just-lsp · ready · just is not installed: no formatting]
    ──── lsp_hover {"at":"justfile:7 draw"}
    at justfile:7:15 draw
    draw side: measure
        echo {{ side }}
    [just-lsp · ready · just is not installed: no formatting]
    ──── lsp_completion {"at":"justfile:7:7","limit":3}
    at justfile:7:7
    45 completions, best 3
      measure (function)
      macos (keyword)
      metadata (keyword)
    … 42 more: cursor="3"
    [just-lsp · readiness unknown · completeness unknown: just-lsp gives no readiness signal · just is not installed: no formatting]
    ──── lsp_diagnostics {"path":"justfile"}
    1 error in `justfile`; snapshot d-1
    justfile
      14:9  error: Recipe `missing` not found  [just-lsp unresolved-dependency]
    [just-lsp · readiness unknown · completeness unknown: just-lsp gives no readiness signal · just is not installed: no formatting]
    ──── lsp_rename_symbol {"at":"justfile:4 side","newName":"edge"}
    at justfile:4:1 side
    plan p-[plan]: rename `side` to `edge`, 3 edits in 1 file; nothing is written yet
    note: 1 mention of `side` in comments, strings and documents (1 file) will stay: includeText=true
    diff --git a/justfile b/justfile
    --- a/justfile
    +++ b/justfile
    @@ -1,14 +1,14 @@
     # How shapes are measured. The word measure in this comment is not a reference.
     import "shapes.just"
     
    -side := "2"
    +edge := "2"
     
     # Everything.
    -all: measure (draw side)
    +all: measure (draw edge)
     
     # The area of a square.
     measure:
    -    echo {{ side }} squared
    +    echo {{ edge }} squared
     
     # One mistake: there is no such recipe.
     broken: missing
    apply_edit {"plan":"p-[plan]"} writes it
    [just-lsp · ready · just is not installed: no formatting]
    ──── lsp_format_document {"path":"justfile"}
    `justfile` is already formatted; nothing to change
    [just-lsp · ready · just is not installed: no formatting]
    "#);
}

#[tokio::test]
async fn just_sees_an_imported_file_that_changed() {
    let project = Project::fixture("just");
    let zubi = Zubi::start(&project, &["just-lsp"]).await;
    let queries =
        [("lsp_definition", json!({ "at": "justfile:7 draw" })), ("lsp_diagnostics", json!({ "path": "justfile" }))];
    answers(&zubi, &queries).await;
    project.write("shapes.just", "# Two lines of comment\n# come first.\ndraw side:\nmissing:\n");
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_definition {"at":"justfile:7 draw"}
    at justfile:7:15 draw
    1 definition of `draw`
    shapes.just
      3:1  draw side:
    [just-lsp · readiness unknown · completeness unknown: just-lsp gives no readiness signal · just is not installed: no formatting]
    ──── lsp_diagnostics {"path":"justfile"}
    no problems in `justfile`; snapshot d-2
    [just-lsp · readiness unknown · completeness unknown: just-lsp gives no readiness signal · just is not installed: no formatting]
    "#);
}
