//! TypeScript through typescript-language-server and tsserver, which answers from one file until the project is loaded.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::{Project, Zubi};

const SERVERS: &[&str] = &["node", "typescript-language-server"];

/// One start serves all queries; `rename`, `fix` and `format` restore the project before the next part.
#[tokio::test]
async fn answers() {
    let project = Project::fixture("typescript");
    let zubi = Zubi::start(&project, SERVERS).await;
    symbols(&zubi).await;
    check_positions(&zubi).await;
    while_typing(&zubi).await;
    rename(&zubi, &project).await;
    fix(&zubi, &project).await;
    format(&zubi, &project).await;
}

async fn symbols(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_document_symbols", json!({ "path": "src/shape.ts" })).await, @"
    12 symbols in `src/shape.ts`
      interface Shape  2-5
        method area  4  area(): number;
      class Circle  8-14  export class Circle implements Shape {
        constructor constructor  9  constructor(readonly radius: number) {}
        property radius  9
        method area  11-13  area(): number {
      class Rectangle  17-26  export class Rectangle implements Shape {
        constructor constructor  18-21
        property width  19  readonly width: number,
        property height  20  readonly height: number,
        method area  23-25  area(): number {
      function totalArea  29-31  export function totalArea(first: Shape, second: Shape, scale: number): number {
    [typescript-language-server · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"
    2 symbols matching `Circle`
      class Circle  src/shape.ts:8:14  export class Circle implements Shape {
      constant circle  src/report.ts:6:9  const circle = new Circle(radius);
    [typescript-language-server · ready]
    ");
}

async fn check_positions(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_definition", json!({ "at": "src/report.ts:8 totalArea" })).await, @"
    at src/report.ts:8:15 totalArea
    1 definition of `totalArea`
    src/shape.ts
      29:17  export function totalArea(first: Shape, second: Shape, scale: number): number {
    [typescript-language-server · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "totalArea" })).await, @r#"
    at src/shape.ts:29:17 totalArea (function)
    3 references to `totalArea` in 2 files
    src/report.ts
      2:29  import { Circle, Rectangle, totalArea } from "./shape.js";
      8:15  return `📐 ${totalArea(circle, square, 1)} and ${circle.area()}`;
    src/shape.ts
      29:17  export function totalArea(first: Shape, second: Shape, scale: number): number {  (declaration)
    1 further word match in comments or strings: includeText=true
    [typescript-language-server · ready]
    "#);
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "Circle.area", "path": "src/shape.ts" })).await, @"
    at src/shape.ts:11:3 area (method)
    6 references to `area` in 2 files
    src/report.ts
      8:58  return `📐 ${totalArea(circle, square, 1)} and ${circle.area()}`;
    src/shape.ts
      4:3  area(): number;
      11:3  area(): number {  (declaration)
      23:3  area(): number {
      30:25  return scale * (first.area() + second.area());
      30:41  return scale * (first.area() + second.area());
    4 further word matches: 3 in comments or strings, 1 in code that the server does not resolve: includeText=true
    [typescript-language-server · ready · the server does not know whether these are `area`: src/broken.ts:3]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })).await, @"
    at src/report.ts:12:17 forgotten (function)
    0 references to `forgotten` in 0 files
    [typescript-language-server · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_hover", json!({ "symbol": "totalArea" })).await, @"
    at src/shape.ts:29:17 totalArea (function)
    ```typescript
    function totalArea(first: Shape, second: Shape, scale: number): number
    ```
    The area of two shapes together, `scale` times.
    [typescript-language-server · ready]
    ");
}

async fn while_typing(zubi: &Zubi) {
    assert_snapshot!(zubi.call_stable("lsp_completion", json!({ "at": "src/report.ts:8:58", "limit": 5 })).await, @"
    at src/report.ts:8:58
    2 completions
      area (method)  Circle.area(): number
      radius (field)  (property) Circle.radius: number
    [typescript-language-server · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_signature_help", json!({ "at": "src/report.ts:8:34" })).await, @"
    at src/report.ts:8:34
    1 signature
      totalArea(first: Shape, second: Shape, scale: number): number
        parameter: second: Shape
        The area of two shapes together, `scale` times.
    [typescript-language-server · ready]
    ");
}

async fn rename(zubi: &Zubi, project: &Project) {
    let rename = json!({ "symbol": "totalArea", "newName": "combinedArea" });
    assert_snapshot!(round_trip(zubi, project, "lsp_rename_symbol", rename, None).await, @r#"
    at src/shape.ts:29:17 totalArea (function)
    plan p-[plan]: rename `totalArea` to `combinedArea`, 3 edits in 2 files; nothing is written yet
    note: 1 mention of `totalArea` in comments, strings and documents (1 file) will stay: includeText=true
    diff --git a/src/report.ts b/src/report.ts
    --- a/src/report.ts
    +++ b/src/report.ts
    @@ -1,11 +1,11 @@
     // What is printed about shapes. The word totalArea in this comment is not a reference.
    -import { Circle, Rectangle, totalArea } from "./shape.js";
    +import { Circle, Rectangle, combinedArea } from "./shape.js";
     
     /** One line about a circle and a square. */
     export function describe(radius: number): string {
       const circle = new Circle(radius);
       const square = new Rectangle(2, 2);
    -  return `📐 ${totalArea(circle, square, 1)} and ${circle.area()}`;
    +  return `📐 ${combinedArea(circle, square, 1)} and ${circle.area()}`;
     }
     
     /** Nothing calls this. */
    diff --git a/src/shape.ts b/src/shape.ts
    --- a/src/shape.ts
    +++ b/src/shape.ts
    @@ -26,6 +26,6 @@
     }
     
     /** The area of two shapes together, `scale` times. */
    -export function totalArea(first: Shape, second: Shape, scale: number): number {
    +export function combinedArea(first: Shape, second: Shape, scale: number): number {
       return scale * (first.area() + second.area());
     }
    apply_edit {"plan":"p-[plan]"} writes it
    [typescript-language-server · ready]
    ──── apply_edit
    applied p-[plan]: rename `totalArea` to `combinedArea` in 2 files
    undo_edit {"plan":"p-[plan]"} undoes it
      src/report.ts  written
      src/shape.ts  written
    problems: no change
    [typescript-language-server · ready]
    ──── undo_edit
    undone p-[plan]: rename `totalArea` to `combinedArea` in 2 files
      src/shape.ts  written
      src/report.ts  written
    problems: no change
    [typescript-language-server · ready]
    "#);
}

async fn fix(zubi: &Zubi, project: &Project) {
    assert_snapshot!(zubi.call_stable("lsp_diagnostics", json!({ "path": "src/broken.ts" })).await, @"
    1 error in `src/broken.ts`; snapshot d-1
    src/broken.ts
      3:14  error: Cannot find name 'Rectangle'.  [typescript 2304]
    [typescript-language-server · ready]
    ");
    let fix = json!({ "at": "src/broken.ts:3", "context": { "only": ["quickfix"] } });
    let transcript = round_trip(zubi, project, "lsp_code_actions", fix, Some("Add import from")).await;
    assert_snapshot!(transcript, @r#"
    at src/broken.ts:3
    1 code action
      a-[action] Add import from "./shape.js" (quickfix): 1 edit in 1 file  preferred
        diff --git a/src/broken.ts b/src/broken.ts
        --- a/src/broken.ts
        +++ b/src/broken.ts
        @@ -1,3 +1,5 @@
        +import { Rectangle } from "./shape.js";
        +
         // One mistake the language server knows how to mend: an import is missing.
         export function unit(): number {
           return new Rectangle(1, 1).area();
    [typescript-language-server · ready]
    ──── apply_edit
    applied a-[action]: Add import from "./shape.js" in 1 file
    undo_edit {"plan":"a-[action]"} undoes it
      src/broken.ts  written
    problems: 1 fixed
    fixed:
      src/broken.ts:3:14  error: Cannot find name 'Rectangle'.  [typescript 2304]
    [typescript-language-server · ready]
    ──── undo_edit
    undone a-[action]: Add import from "./shape.js" in 1 file
      src/broken.ts  written
    problems: 1 new (1 error)
    new:
      src/broken.ts:3:14  error: Cannot find name 'Rectangle'.  [typescript 2304]
    [typescript-language-server · ready]
    "#);
}

async fn format(zubi: &Zubi, project: &Project) {
    let format = json!({ "path": "src/messy.ts" });
    assert_snapshot!(round_trip(zubi, project, "lsp_format_document", format, None).await, @r#"
    plan p-[plan]: format `src/messy.ts`, 9 edits in 1 file; nothing is written yet
    diff --git a/src/messy.ts b/src/messy.ts
    --- a/src/messy.ts
    +++ b/src/messy.ts
    @@ -1,4 +1,4 @@
     // Not formatted.
    -export function  twice( value :number ):number{
    -  return value+value
    +export function twice(value: number): number {
    +  return value + value
     }
    apply_edit {"plan":"p-[plan]"} writes it
    [typescript-language-server · ready]
    ──── apply_edit
    applied p-[plan]: format `src/messy.ts` in 1 file
    undo_edit {"plan":"p-[plan]"} undoes it
      src/messy.ts  written
    problems: no change
    [typescript-language-server · ready]
    ──── undo_edit
    undone p-[plan]: format `src/messy.ts` in 1 file
      src/messy.ts  written
    problems: no change
    [typescript-language-server · ready]
    "#);
}
