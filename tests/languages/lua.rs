//! Lua through `EmmyLua`.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::answers;
use zubi_tests::{Project, Zubi};

#[tokio::test]
async fn emmylua() {
    let project = Project::fixture("lua");
    let zubi = Zubi::start(&project, &["emmylua"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "shape.lua" })),
        ("lsp_workspace_symbols", json!({ "query": "circle" })),
        ("lsp_definition", json!({ "at": "report.lua:7 total_area" })),
        ("lsp_references", json!({ "symbol": "M.total_area" })),
        ("lsp_references", json!({ "at": "shape.lua:27 second" })),
        ("lsp_hover", json!({ "at": "report.lua:7 total_area" })),
        ("lsp_completion", json!({ "at": "report.lua:7:28", "limit": 3 })),
        ("lsp_signature_help", json!({ "at": "report.lua:7:47" })),
        ("lsp_call_hierarchy", json!({ "at": "shape.lua:27 total_area", "direction": "incoming" })),
        ("lsp_diagnostics", json!({ "path": "broken.lua" })),
        ("lsp_rename_symbol", json!({ "at": "shape.lua:27 total_area", "newName": "combined_area" })),
        ("lsp_format_document", json!({ "path": "broken.lua" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"shape.lua"}
    5 symbols in `shape.lua`
      object M  2
      class Circle  7
      function Circle:area ()  12-14
      function M.circle (radius)  18-20
      function M.total_area (first, second, scale)  27-29
    4 locals: locals=true
    [emmylua_ls · ready]
    ──── lsp_workspace_symbols {"query":"circle"}
    1 symbol matching `circle`
      class Circle  shape.lua:5:11
    [emmylua_ls · ready]
    ──── lsp_definition {"at":"report.lua:7 total_area"}
    at report.lua:7:28 total_area
    1 definition of `total_area`
    shape.lua
      27:12  function M.total_area(first, second, scale)
    [emmylua_ls · ready]
    ──── lsp_references {"symbol":"M.total_area"}
    at shape.lua:27:12 total_area (function)
    2 references to `total_area` in 2 files
    report.lua
      7:28  return "area: " .. shape.total_area(circle, circle, 1.0)
    shape.lua
      27:12  function M.total_area(first, second, scale)  (declaration)
    1 further word match in comments or strings: includeText=true
    [emmylua_ls · ready]
    ──── lsp_references {"at":"shape.lua:27 second"}
    at shape.lua:27:30 second
    2 references to `second` in 1 file
    shape.lua
      27:30  function M.total_area(first, second, scale)  (declaration)
      28:34  return scale * (first:area() + second:area())
    1 further word match in comments or strings: includeText=true
    [emmylua_ls · ready]
    ──── lsp_hover {"at":"report.lua:7 total_area"}
    at report.lua:7:28 total_area
    ```lua
    function M.total_area(first: Circle, second: Circle, scale: number) -> number
    ```

    ---

    The area of two circles together, `scale` times.
    [emmylua_ls · ready]
    ──── lsp_completion {"at":"report.lua:7:28","limit":3}
    at report.lua:7:28
    2 completions
      circle(radius) -> Circle (function)  function M.circle(radius: number) -> Circle
      total_area(first, second, scale) -> number (function)  function M.total_area(first: Circle, second: Circle, scale: number) -> number
    [emmylua_ls · ready]
    ──── lsp_signature_help {"at":"report.lua:7:47"}
    at report.lua:7:47
    1 signature
      total_area(first: Circle, second: Circle, scale: number): number
        parameter: second: Circle
        The area of two circles together, `scale` times.
    [emmylua_ls · ready]
    ──── lsp_call_hierarchy {"at":"shape.lua:27 total_area","direction":"incoming"}
    at shape.lua:27:12 total_area
    1 caller of `total_area`
    function M.total_area  shape.lua:27:12  function M.total_area(first, second, scale)
      function describe  report.lua:5:16  7: return "area: " .. shape.total_area(circle, circle, 1.0)
    [emmylua_ls · ready · callers from references and declarations: emmylua_ls has no request for them]
    ──── lsp_diagnostics {"path":"broken.lua"}
    1 error in `broken.lua`; snapshot d-1
    broken.lua
      2:8  error: undefined global variable: missing  [EmmyLua undefined-global]
    [emmylua_ls · ready]
    ──── lsp_rename_symbol {"at":"shape.lua:27 total_area","newName":"combined_area"}
    at shape.lua:27:12 total_area
    plan p-[plan]: rename `total_area` to `combined_area`, 2 edits in 2 files; nothing is written yet
    note: 1 mention of `total_area` in comments, strings and documents (1 file) will stay: includeText=true
    diff --git a/report.lua b/report.lua
    --- a/report.lua
    +++ b/report.lua
    @@ -4,7 +4,7 @@
     --- One line about a circle.
     local function describe(radius)
       local circle = shape.circle(radius)
    -  return "area: " .. shape.total_area(circle, circle, 1.0)
    +  return "area: " .. shape.combined_area(circle, circle, 1.0)
     end
     
     -- Nothing calls this.
    diff --git a/shape.lua b/shape.lua
    --- a/shape.lua
    +++ b/shape.lua
    @@ -24,7 +24,7 @@
     ---@param second Circle
     ---@param scale number
     ---@return number
    -function M.total_area(first, second, scale)
    +function M.combined_area(first, second, scale)
       return scale * (first:area() + second:area())
     end
     
    apply_edit {"plan":"p-[plan]"} writes it
    [emmylua_ls · ready]
    ──── lsp_format_document {"path":"broken.lua"}
    plan p-[plan]: format `broken.lua`, 1 edit in 1 file; nothing is written yet
    diff --git a/broken.lua b/broken.lua
    --- a/broken.lua
    +++ b/broken.lua
    @@ -1,2 +1,2 @@
     -- One mistake, nothing is called so; and not formatted.
    -print( missing(1) )
    +print(missing(1))
    apply_edit {"plan":"p-[plan]"} writes it
    [emmylua_ls · ready]
    "#);
}
