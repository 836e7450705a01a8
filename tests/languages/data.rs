//! Data, images and scripts: JSON, YAML, TOML, Dockerfile, shell.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::answers;
use zubi_tests::{Project, Zubi};

#[tokio::test]
async fn json() {
    let project = Project::fixture("json");
    let zubi = Zubi::start(&project, &["node", "vscode-langservers"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "shapes.json" })),
        ("lsp_workspace_symbols", json!({ "query": "circle" })),
        ("lsp_hover", json!({ "at": "shapes.json:3 radius" })),
        ("lsp_completion", json!({ "at": "shapes.json:4:18", "limit": 3 })),
        ("lsp_diagnostics", json!({ "path": "shapes.json" })),
        ("lsp_references", json!({ "at": "shapes.json:3 radius" })),
        ("lsp_rename_symbol", json!({ "at": "shapes.json:3 radius", "newName": "size" })),
        ("lsp_format_document", json!({ "path": "shapes.schema.json" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"shapes.json"}
    6 symbols in `shapes.json`
      string $schema ./shapes.schema.json  2
      module circle  3  "circle": { "radius": 2.0 },
        number radius 2  3
      module rectangle  4  "rectangle": { "width": 2.0, "height": "one" }
        number width 2  4
        string height one  4
    [vscode-json-language-server · ready]
    ──── lsp_workspace_symbols {"query":"circle"}
    2 symbols matching `circle`
      module circle  shapes.schema.json:5:5  in properties
      module circle  shapes.json:3:3  "circle": { "radius": 2.0 },
    [vscode-json-language-server · ready · vscode-json-language-server has no symbol index: exact names only, from the outlines of 2 files]
    ──── lsp_hover {"at":"shapes.json:3 radius"}
    at shapes.json:3:16 radius
    In metres.
    [vscode-json-language-server · ready]
    ──── lsp_completion {"at":"shapes.json:4:18","limit":3} (refused)
    Failed to propose completions: vscode-json-language-server cannot propose completions
    Use another request, or read the file.
    ──── lsp_diagnostics {"path":"shapes.json"}
    1 warning in `shapes.json`; snapshot d-1
    shapes.json
      4:42  warning: Incorrect type. Expected "number".
    [vscode-json-language-server · ready]
    ──── lsp_references {"at":"shapes.json:3 radius"} (refused)
    Failed to find references: vscode-json-language-server cannot find references
    Use another request, or read the file.
    ──── lsp_rename_symbol {"at":"shapes.json:3 radius","newName":"size"} (refused)
    Failed to plan the rename: vscode-json-language-server cannot rename symbols
    Use another request, or read the file.
    ──── lsp_format_document {"path":"shapes.schema.json"}
    plan p-[plan]: format `shapes.schema.json`, 13 edits in 1 file; nothing is written yet
    diff --git a/shapes.schema.json b/shapes.schema.json
    --- a/shapes.schema.json
    +++ b/shapes.schema.json
    @@ -5,12 +5,24 @@
         "circle": {
           "description": "A circle by its radius.",
           "type": "object",
    -      "properties": { "radius": { "description": "In metres.", "type": "number" } }
    +      "properties": {
    +        "radius": {
    +          "description": "In metres.",
    +          "type": "number"
    +        }
    +      }
         },
         "rectangle": {
           "description": "A rectangle by its sides.",
           "type": "object",
    -      "properties": { "width": { "type": "number" }, "height": { "type": "number" } }
    +      "properties": {
    +        "width": {
    +          "type": "number"
    +        },
    +        "height": {
    +          "type": "number"
    +        }
    +      }
         }
       }
    -}
    +}
    \ No newline at end of file
    apply_edit {"plan":"p-[plan]"} writes it
    [vscode-json-language-server · ready]
    "#);
}

#[tokio::test]
async fn yaml() {
    let project = Project::fixture("yaml");
    let zubi = Zubi::start(&project, &["node", "yaml-language-server"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "shapes.yaml" })),
        ("lsp_definition", json!({ "at": "shapes.yaml:8 circle" })),
        ("lsp_hover", json!({ "at": "shapes.yaml:3 radius" })),
        ("lsp_diagnostics", json!({ "path": "shapes.yaml" })),
        ("lsp_rename_symbol", json!({ "at": "shapes.yaml:8 circle", "newName": "ring" })),
        ("lsp_references", json!({ "at": "shapes.yaml:8 circle" })),
        ("lsp_format_document", json!({ "path": "shapes.yaml" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"shapes.yaml"}
    10 symbols in `shapes.yaml`
      module circle  2-4
        number radius 2  3  radius: 2.0
      module rectangle  4-7
        number width 2  5  width: 2.0
        string height one  6
      array again  7-10
        module 0  3-4  radius: 2.0
          number radius 2  3
        module 1  3-4
          number radius 2  3
    [yaml-language-server · ready]
    ──── lsp_definition {"at":"shapes.yaml:8 circle"}
    at shapes.yaml:8:6 circle
    1 definition of `circle`
    shapes.yaml
      3:3  radius: 2.0
    [yaml-language-server · ready]
    ──── lsp_hover {"at":"shapes.yaml:3 radius"}
    at shapes.yaml:3:3 radius
    In metres.

    Source: [shapes.schema.json](file://[project]/shapes.schema.json)
    [yaml-language-server · ready]
    ──── lsp_diagnostics {"path":"shapes.yaml"}
    1 error in `shapes.yaml`; snapshot d-1
    shapes.yaml
      6:11  error: Incorrect type. Expected "number".  [yaml-schema: file://[project]/shapes.schema.json 0]
    [yaml-language-server · ready · yaml-language-server publishes diagnostics in parts: more may follow]
    ──── lsp_rename_symbol {"at":"shapes.yaml:8 circle","newName":"ring"}
    at shapes.yaml:8:6 circle
    plan p-[plan]: rename `circle` to `ring`, 3 edits in 1 file; nothing is written yet
    diff --git a/shapes.yaml b/shapes.yaml
    --- a/shapes.yaml
    +++ b/shapes.yaml
    @@ -1,9 +1,9 @@
     # yaml-language-server: $schema=./shapes.schema.json
    -circle: &circle
    +circle: &ring
       radius: 2.0
     rectangle:
       width: 2.0
       height: one
     again:
    -  - *circle
    -  - *circle
    +  - *ring
    +  - *ring
    apply_edit {"plan":"p-[plan]"} writes it
    [yaml-language-server · ready · the server does not know whether these are `circle`: shapes.yaml:2]
    ──── lsp_references {"at":"shapes.yaml:8 circle"} (refused)
    Failed to find references: yaml-language-server cannot find references
    Use another request, or read the file.
    ──── lsp_format_document {"path":"shapes.yaml"}
    `shapes.yaml` is already formatted; nothing to change
    [yaml-language-server · ready]
    "#);
}

#[tokio::test]
async fn toml() {
    let project = Project::fixture("toml");
    let zubi = Zubi::start(&project, &["tombi"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "shapes.toml" })),
        ("lsp_workspace_symbols", json!({ "query": "circle" })),
        ("lsp_definition", json!({ "at": "member/Cargo.toml:6 serde" })),
        ("lsp_hover", json!({ "at": "shapes.toml:5 radius" })),
        ("lsp_diagnostics", json!({ "path": "shapes.toml" })),
        ("lsp_diagnostics", json!({ "path": "broken.toml" })),
        ("lsp_references", json!({ "at": "shapes.toml:5 radius" })),
        ("lsp_rename_symbol", json!({ "at": "shapes.toml:5 radius", "newName": "size" })),
        ("lsp_format_document", json!({ "path": "shapes.toml" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"shapes.toml"}
    5 symbols in `shapes.toml`
      object circle  4-7
        number radius  5  radius = 2.0
      object rectangle  7-10
        number width  8  width   = 2.0
        string height  9  height = "one"
    [tombi · ready]
    ──── lsp_workspace_symbols {"query":"circle"}
    2 symbols matching `circle`
      key circle  shapes.schema.json:5:6  in properties
      object circle  shapes.toml:4:1
    [tombi + syntax only: names not resolved · ready · without a server: exact names only, from the outlines of 2 files · `vscode-json-language-server` is not installed: install it with npm: npm install --global vscode-langservers-extracted]
    ──── lsp_definition {"at":"member/Cargo.toml:6 serde"}
    at member/Cargo.toml:6:1 serde
    1 definition of `serde`
    Cargo.toml
      5:1  serde = "1"
    [tombi · ready]
    ──── lsp_hover {"at":"shapes.toml:5 radius"}
    at shapes.toml:5:1 radius
    In metres.

    Keys: `circle.radius`

    Value: `Float?`

    Schema: [shapes.schema.json](file://[project]/shapes.schema.json)
    [tombi · ready]
    ──── lsp_diagnostics {"path":"shapes.toml"}
    1 error in `shapes.toml`; snapshot d-1
    shapes.toml
      9:10  error: expected a value of type Float, but found String  [Tombi type-mismatch]
    [tombi · ready]
    ──── lsp_diagnostics {"path":"broken.toml"}
    1 error in `broken.toml`; snapshot d-2
    broken.toml
      3:1  error: duplicate key: side  [Tombi duplicate-key]
    [tombi · ready]
    ──── lsp_references {"at":"shapes.toml:5 radius"} (refused)
    Failed to find references: tombi cannot find references
    Use another request, or read the file.
    ──── lsp_rename_symbol {"at":"shapes.toml:5 radius","newName":"size"} (refused)
    Failed to plan the rename: tombi cannot rename symbols
    Use another request, or read the file.
    ──── lsp_format_document {"path":"shapes.toml"}
    plan p-[plan]: format `shapes.toml`, 1 edit in 1 file; nothing is written yet
    diff --git a/shapes.toml b/shapes.toml
    --- a/shapes.toml
    +++ b/shapes.toml
    @@ -5,5 +5,5 @@
     radius = 2.0
     
     [rectangle]
    -width   = 2.0
    +width = 2.0
     height = "one"
    apply_edit {"plan":"p-[plan]"} writes it
    [tombi · ready]
    "#);
}

#[tokio::test]
async fn dockerfile() {
    let project = Project::fixture("docker");
    let zubi = Zubi::start(&project, &["node", "docker-langserver"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "Dockerfile" })),
        ("lsp_definition", json!({ "at": "Dockerfile:7 build" })),
        ("lsp_hover", json!({ "at": "Dockerfile:5 AREA" })),
        ("lsp_diagnostics", json!({ "path": "Dockerfile" })),
        ("lsp_rename_symbol", json!({ "at": "Dockerfile:2 build", "newName": "make" })),
        ("lsp_references", json!({ "at": "Dockerfile:2 build" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"Dockerfile"}
    7 symbols in `Dockerfile`
      function FROM  2  FROM debian:bookworm AS build
      function ARG  3  ARG SIDE=2
      function ENV  4  ENV AREA=$SIDE
      function RUN  5  RUN echo ${AREA}
      function FROM  6  FROM debian:bookworm
      function COPY  7  COPY --from=build /shapes /shapes
      function EXPOSE  8  EXPOSE many
    [docker-langserver · ready]
    ──── lsp_definition {"at":"Dockerfile:7 build"}
    at Dockerfile:7:13 build
    1 definition of `build`
    Dockerfile
      2:25  FROM debian:bookworm AS build
    [docker-langserver · ready]
    ──── lsp_hover {"at":"Dockerfile:5 AREA"}
    at Dockerfile:5:12 AREA
    $SIDE
    [docker-langserver · ready]
    ──── lsp_diagnostics {"path":"Dockerfile"}
    1 error in `Dockerfile`; snapshot d-1
    Dockerfile
      8:8  error: Invalid containerPort: many  [dockerfile-utils 24]
    [docker-langserver · ready · docker-langserver publishes diagnostics in parts: more may follow]
    ──── lsp_rename_symbol {"at":"Dockerfile:2 build","newName":"make"}
    at Dockerfile:2:25 build
    plan p-[plan]: rename `build` to `make`, 2 edits in 1 file; nothing is written yet
    diff --git a/Dockerfile b/Dockerfile
    --- a/Dockerfile
    +++ b/Dockerfile
    @@ -1,8 +1,8 @@
     # How shapes are packed.
    -FROM debian:bookworm AS build
    +FROM debian:bookworm AS make
     ARG SIDE=2
     ENV AREA=$SIDE
     RUN echo ${AREA}
     FROM debian:bookworm
    -COPY --from=build /shapes /shapes
    +COPY --from=make /shapes /shapes
     EXPOSE many
    apply_edit {"plan":"p-[plan]"} writes it
    [docker-langserver · ready]
    ──── lsp_references {"at":"Dockerfile:2 build"} (refused)
    Failed to find references: docker-langserver cannot find references
    Use another request, or read the file.
    "#);
}

#[tokio::test]
async fn bash() {
    let project = Project::fixture("shell");
    let zubi = Zubi::start(&project, &["node", "bash-language-server"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "shapes.sh" })),
        ("lsp_workspace_symbols", json!({ "query": "rectangle" })),
        ("lsp_definition", json!({ "at": "report.sh:6 rectangle_area" })),
        ("lsp_references", json!({ "symbol": "rectangle_area" })),
        ("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })),
        ("lsp_hover", json!({ "at": "report.sh:9 rectangle_area" })),
        ("lsp_completion", json!({ "at": "report.sh:10:4", "limit": 3 })),
        ("lsp_diagnostics", json!({ "path": "broken.sh" })),
        ("lsp_rename_symbol", json!({ "symbol": "rectangle_area", "newName": "box_area" })),
        ("lsp_signature_help", json!({ "at": "report.sh:9:16" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"shapes.sh"}
    2 symbols in `shapes.sh`
      function rectangle_area  5-8
      function forgotten  11-13
    2 locals: locals=true
    [bash-language-server · ready · shellcheck is not installed: no diagnostics]
    ──── lsp_workspace_symbols {"query":"rectangle"}
    1 symbol matching `rectangle`
      function rectangle_area  shapes.sh:5:1
    [bash-language-server · ready · shellcheck is not installed: no diagnostics]
    ──── lsp_definition {"at":"report.sh:6 rectangle_area"}
    at report.sh:6:17 rectangle_area
    1 definition of `rectangle_area`
    shapes.sh
      5:1  rectangle_area() {
    [bash-language-server · ready · shellcheck is not installed: no diagnostics]
    ──── lsp_references {"symbol":"rectangle_area"}
    at shapes.sh:5:1 rectangle_area (function)
    3 references to `rectangle_area` in 2 files
    report.sh
      6:17  echo "area: $(rectangle_area 2 2)"
      9:1  rectangle_area 1 1
    shapes.sh
      5:1  rectangle_area() {  (declaration)
    1 further word match in comments or strings: includeText=true
    [bash-language-server · ready · shellcheck is not installed: no diagnostics]
    ──── lsp_references {"symbol":"forgotten","includeDeclaration":false}
    at shapes.sh:11:1 forgotten (function)
    0 references to `forgotten` in 0 files
    [bash-language-server · ready · shellcheck is not installed: no diagnostics]
    ──── lsp_hover {"at":"report.sh:9 rectangle_area"}
    at report.sh:9:1 rectangle_area
    Function: **rectangle_area** - *defined in shapes.sh*

    ```txt
    The area of a rectangle.
    ```
    [bash-language-server · ready · shellcheck is not installed: no diagnostics]
    ──── lsp_completion {"at":"report.sh:10:4","limit":3}
    at report.sh:10:4
    1 completion
      describe (function)
    [bash-language-server · ready · shellcheck is not installed: no diagnostics]
    ──── lsp_diagnostics {"path":"broken.sh"}
    no problems in `broken.sh`; snapshot d-1
    [bash-language-server · ready · shellcheck is not installed: no diagnostics]
    ──── lsp_rename_symbol {"symbol":"rectangle_area","newName":"box_area"}
    at shapes.sh:5:1 rectangle_area (function)
    plan p-[plan]: rename `rectangle_area` to `box_area`, 3 edits in 2 files; nothing is written yet
    note: 1 mention of `rectangle_area` in comments, strings and documents (1 file) will stay: includeText=true
    diff --git a/report.sh b/report.sh
    --- a/report.sh
    +++ b/report.sh
    @@ -3,8 +3,8 @@
     source ./shapes.sh
     
     describe() {
    -  echo "area: $(rectangle_area 2 2)"
    +  echo "area: $(box_area 2 2)"
     }
     
    -rectangle_area 1 1
    +box_area 1 1
     describe
    diff --git a/shapes.sh b/shapes.sh
    --- a/shapes.sh
    +++ b/shapes.sh
    @@ -2,7 +2,7 @@
     # Areas of shapes.
     
     # The area of a rectangle.
    -rectangle_area() {
    +box_area() {
       local width=$1 height=$2
       echo $((width * height))
     }
    apply_edit {"plan":"p-[plan]"} writes it
    [bash-language-server · ready · shellcheck is not installed: no diagnostics]
    ──── lsp_signature_help {"at":"report.sh:9:16"} (refused)
    Failed to show signatures: bash-language-server cannot show signatures
    Use another request, or read the file.
    "#);
}
