//! Pages, styles and components: HTML, CSS, Svelte, and TypeScript through vtsls.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::answers;
use zubi_tests::{Project, Zubi};

#[tokio::test]
async fn html() {
    let project = Project::fixture("web");
    let zubi = Zubi::start(&project, &["node", "vscode-langservers"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "index.html" })),
        ("lsp_hover", json!({ "at": "index.html:12 class" })),
        ("lsp_completion", json!({ "at": "index.html:12:18", "limit": 3 })),
        ("lsp_diagnostics", json!({ "path": "index.html" })),
        ("lsp_rename_symbol", json!({ "at": "index.html:11 main", "newName": "section" })),
        ("lsp_definition", json!({ "at": "index.html:12 circle" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"index.html"}
    9 symbols in `index.html`
      field html  2-15  <html lang="en">
        field head  3-9
          field title  4  <title>Shapes</title>
          field link  5  <link rel="stylesheet" href="style.css">
          field style  6-8
            class .messy  7  .messy { colour: red; }
        field body  10-14
          field main#shapes  11-13  <main id="shapes">
            field p.circle  12  <p class="circle">A circle</p>
    [vscode-html-language-server · ready]
    ──── lsp_hover {"at":"index.html:12 class"}
    at index.html:12:10 class
    A space-separated list of the classes of the element. Classes allows CSS and JavaScript to select and access specific elements via the [class selectors](https://developer.mozilla.org/docs/Web/CSS/Class_selectors) or functions like the method [`Document.getElementsByClassName()`](https://developer.mozilla.org/docs/Web/API/Document/getElementsByClassName "returns an array-like object of all child elements which have all of the given class names.").

    [MDN Reference](https://developer.mozilla.org/docs/Web/HTML/Reference/Global_attributes/class)
    [vscode-html-language-server · ready]
    ──── lsp_completion {"at":"index.html:12:18","limit":3} (refused)
    Failed to propose completions: vscode-html-language-server cannot propose completions
    Use another request, or read the file.
    ──── lsp_diagnostics {"path":"index.html"}
    1 warning in `index.html`; snapshot d-1
    index.html
      7:16  warning: Unknown property: 'colour'  [css unknownProperties]
    [vscode-html-language-server · ready]
    ──── lsp_rename_symbol {"at":"index.html:11 main","newName":"section"}
    at index.html:11:6 main
    plan p-[plan]: rename `main` to `section`, 2 edits in 1 file; nothing is written yet
    diff --git a/index.html b/index.html
    --- a/index.html
    +++ b/index.html
    @@ -8,8 +8,8 @@
         </style>
       </head>
       <body>
    -    <main id="shapes">
    +    <section id="shapes">
           <p class="circle">A circle</p>
    -    </main>
    +    </section>
       </body>
     </html>
    apply_edit {"plan":"p-[plan]"} writes it
    [vscode-html-language-server · ready]
    ──── lsp_definition {"at":"index.html:12 circle"}
    at index.html:12:17 circle
    no definition of `circle`: the server found none (a keyword, a literal, or code it cannot resolve)
    [vscode-html-language-server · ready]
    "#);
}

#[tokio::test]
async fn css() {
    let project = Project::fixture("web");
    let zubi = Zubi::start(&project, &["node", "vscode-langservers"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "style.css" })),
        ("lsp_workspace_symbols", json!({ "query": "circle" })),
        ("lsp_definition", json!({ "at": "style.css:7 --circle-colour" })),
        ("lsp_references", json!({ "at": "style.css:3 --circle-colour" })),
        ("lsp_hover", json!({ "at": "style.css:6 .circle" })),
        ("lsp_completion", json!({ "at": "style.css:8:14", "limit": 3 })),
        ("lsp_diagnostics", json!({ "path": "style.css" })),
        ("lsp_rename_symbol", json!({ "at": "style.css:3 --circle-colour", "newName": "--ring-colour" })),
        ("lsp_signature_help", json!({ "at": "style.css:7:14" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"style.css"}
    3 symbols in `style.css`
      class :root  2-4
      class .circle  6-9
      class .rectangle  11-13
    [vscode-css-language-server · ready]
    ──── lsp_workspace_symbols {"query":"circle"}
    2 symbols matching `circle`
      class circle  style.css:6:1
      field circle  index.html:12:7  in html/body/main/shapes/p  <p class="circle">A circle</p>
    [vscode-css-language-server + vscode-html-language-server · ready · vscode-css-language-server + vscode-html-language-server has no symbol index: exact names only, from the outlines of 2 files]
    ──── lsp_definition {"at":"style.css:7 --circle-colour"}
    at style.css:7:23 colour
    1 definition of `colour`
    style.css
      3:3  --circle-colour: #c00;
    [vscode-css-language-server · ready]
    ──── lsp_references {"at":"style.css:3 --circle-colour"}
    at style.css:3:12 colour
    3 references to `colour` in 1 file
    style.css
      3:3  --circle-colour: #c00;  (declaration)
      7:14  color: var(--circle-colour);
      8:25  border: 1px solid var(--circle-colour);
    1 further word match in code (other symbols of the name): includeText=true
    [vscode-css-language-server · ready]
    ──── lsp_hover {"at":"style.css:6 .circle"}
    at style.css:6:2 circle
    ```html
    <element class="circle">
    ```

    [Selector Specificity](https://developer.mozilla.org/docs/Web/CSS/Specificity): (0, 1, 0)
    [vscode-css-language-server · ready]
    ──── lsp_completion {"at":"style.css:8:14","limit":3} (refused)
    Failed to propose completions: vscode-css-language-server cannot propose completions
    Use another request, or read the file.
    ──── lsp_diagnostics {"path":"style.css"}
    1 warning in `style.css`; snapshot d-1
    style.css
      12:3  warning: Unknown property: 'colour'  [css unknownProperties]
    [vscode-css-language-server · ready]
    ──── lsp_rename_symbol {"at":"style.css:3 --circle-colour","newName":"--ring-colour"}
    at style.css:3:12 colour
    plan p-[plan]: rename `colour` to `--ring-colour`, 3 edits in 1 file; nothing is written yet
    diff --git a/style.css b/style.css
    --- a/style.css
    +++ b/style.css
    @@ -1,11 +1,11 @@
     /* Colours of shapes. */
     :root {
    -  --circle-colour: #c00;
    +  --ring-colour: #c00;
     }
     
     .circle {
    -  color: var(--circle-colour);
    -  border: 1px solid var(--circle-colour);
    +  color: var(--ring-colour);
    +  border: 1px solid var(--ring-colour);
     }
     
     .rectangle {
    apply_edit {"plan":"p-[plan]"} writes it
    [vscode-css-language-server · ready]
    ──── lsp_signature_help {"at":"style.css:7:14"} (refused)
    Failed to show signatures: vscode-css-language-server cannot show signatures
    Use another request, or read the file.
    "#);
}

#[tokio::test]
async fn svelte() {
    let project = Project::fixture("svelte");
    let zubi = Zubi::start(&project, &["node", "svelte-language-server"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "src/Rectangle.svelte" })),
        ("lsp_definition", json!({ "at": "src/Rectangle.svelte:7 rectangleArea" })),
        ("lsp_references", json!({ "at": "src/Rectangle.svelte:5 height" })),
        ("lsp_hover", json!({ "at": "src/Rectangle.svelte:7 rectangleArea" })),
        ("lsp_completion", json!({ "at": "src/Report.svelte:7:11", "limit": 3 })),
        ("lsp_diagnostics", json!({ "path": "src/Report.svelte" })),
        ("lsp_rename_symbol", json!({ "at": "src/Report.svelte:4 side", "newName": "edge" })),
        ("lsp_workspace_symbols", json!({ "query": "Rectangle" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"src/Rectangle.svelte"}
    5 symbols in `src/Rectangle.svelte`
      field script  1-8  <script lang="ts">
        variable width  4  export let width: number;
        variable height  5  export let height: number;
        constant area  7  const area = rectangleArea(width, height);
      field p  10  <p>The area is {area}.</p>
    1 import: locals=true
    [svelte-language-server · ready]
    ──── lsp_definition {"at":"src/Rectangle.svelte:7 rectangleArea"}
    at src/Rectangle.svelte:7:16 rectangleArea
    1 definition of `rectangleArea`
    src/shape.ts
      2:17  export function rectangleArea(width: number, height: number): number {
    [svelte-language-server · readiness unknown · completeness unknown: svelte-language-server gives no readiness signal]
    ──── lsp_references {"at":"src/Rectangle.svelte:5 height"}
    at src/Rectangle.svelte:5:14 height
    2 references to `height` in 1 file
    src/Rectangle.svelte
      5:14  export let height: number;  (declaration)
      7:37  const area = rectangleArea(width, height);
    3 further word matches: 1 in comments or strings, 2 in code that no server has read: includeText=true
    [svelte-language-server · readiness unknown · may be incomplete: `height` also occurs in src/shape.ts (2: no queried server reads it)]
    ──── lsp_hover {"at":"src/Rectangle.svelte:7 rectangleArea"}
    at src/Rectangle.svelte:7:16 rectangleArea
    ```typescript
    (alias) rectangleArea(width: number, height: number): number
    import rectangleArea
    ```
    ---
    The area of a rectangle.
    [svelte-language-server · ready]
    ──── lsp_completion {"at":"src/Report.svelte:7:11","limit":3}
    at src/Report.svelte:7:11
    2 completions
      Rectangle (variable)  (alias) class Rectangle import Rectangle
      rectangleArea (function)  ./shape
    [svelte-language-server · readiness unknown · completeness unknown: svelte-language-server gives no readiness signal]
    ──── lsp_diagnostics {"path":"src/Report.svelte"}
    1 error in `src/Report.svelte`; snapshot d-1
    src/Report.svelte
      7:25  error: Type 'string' is not assignable to type 'number'.  [ts 2322]
    [svelte-language-server · readiness unknown · completeness unknown: svelte-language-server gives no readiness signal]
    ──── lsp_rename_symbol {"at":"src/Report.svelte:4 side","newName":"edge"}
    at src/Report.svelte:4:9 side
    plan p-[plan]: rename `side` to `edge`, 2 edits in 1 file; nothing is written yet
    diff --git a/src/Report.svelte b/src/Report.svelte
    --- a/src/Report.svelte
    +++ b/src/Report.svelte
    @@ -1,7 +1,7 @@
     <script lang="ts">
       import Rectangle from "./Rectangle.svelte";
     
    -  const side = 2;
    +  const edge = 2;
     </script>
     
    -<Rectangle width={side} height="one" />
    +<Rectangle width={edge} height="one" />
    apply_edit {"plan":"p-[plan]"} writes it
    [svelte-language-server · ready]
    ──── lsp_workspace_symbols {"query":"Rectangle"}
    4 symbols matching `Rectangle`
      field Rectangle  src/Report.svelte:7:1  <Rectangle width={side} height="one" />
      class Rectangle__SvelteComponent_  src/Rectangle.svelte:1:1  <script lang="ts">
      function rectangleArea()  src/shape.ts:2:1  export function rectangleArea(width: number, height: number): number {
      import Rectangle  src/Report.svelte:2:10  in script  import Rectangle from "./Rectangle.svelte";
    [svelte-language-server · readiness unknown · completeness unknown: svelte-language-server gives no readiness signal · beside an index that may lack names: exact names only, from the outlines of 1 file · `tsc` is not installed: install it with npm: npm install --global typescript@7 · `typescript-language-server` is not installed: install it with npm: npm install --global typescript-language-server typescript@6]
    "#);
}

#[tokio::test]
async fn vtsls() {
    let project = Project::fixture("typescript");
    let zubi = Zubi::start(&project, &["node", "vtsls"]).await;
    let queries = [
        ("lsp_document_symbols", json!({ "path": "src/shape.ts" })),
        ("lsp_workspace_symbols", json!({ "query": "Circle" })),
        ("lsp_definition", json!({ "at": "src/report.ts:8 totalArea" })),
        ("lsp_references", json!({ "symbol": "totalArea" })),
        ("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })),
        ("lsp_hover", json!({ "symbol": "totalArea" })),
        ("lsp_completion", json!({ "at": "src/report.ts:8:58", "limit": 3 })),
        ("lsp_signature_help", json!({ "at": "src/report.ts:8:34" })),
        ("lsp_diagnostics", json!({ "path": "src/broken.ts" })),
        ("lsp_rename_symbol", json!({ "symbol": "totalArea", "newName": "combinedArea" })),
        ("lsp_code_actions", json!({ "at": "src/broken.ts:3", "context": { "only": ["quickfix"] } })),
        ("lsp_format_document", json!({ "path": "src/messy.ts" })),
    ];
    assert_snapshot!(answers(&zubi, &queries).await, @r#"
    ──── lsp_document_symbols {"path":"src/shape.ts"}
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
    [vtsls · ready]
    ──── lsp_workspace_symbols {"query":"Circle"}
    2 symbols matching `Circle`
      class Circle  src/shape.ts:8:14  export class Circle implements Shape {
      variable circle  src/report.ts:6:9  in describe  const circle = new Circle(radius);
    [vtsls · ready]
    ──── lsp_definition {"at":"src/report.ts:8 totalArea"}
    at src/report.ts:8:15 totalArea
    1 definition of `totalArea`
    src/shape.ts
      29:17  export function totalArea(first: Shape, second: Shape, scale: number): number {
    [vtsls · ready]
    ──── lsp_references {"symbol":"totalArea"}
    at src/shape.ts:29:17 totalArea (function)
    3 references to `totalArea` in 2 files
    src/report.ts
      2:29  import { Circle, Rectangle, totalArea } from "./shape.js";
      8:15  return `📐 ${totalArea(circle, square, 1)} and ${circle.area()}`;
    src/shape.ts
      29:17  export function totalArea(first: Shape, second: Shape, scale: number): number {  (declaration)
    1 further word match in comments or strings: includeText=true
    [vtsls · ready]
    ──── lsp_references {"symbol":"forgotten","includeDeclaration":false}
    at src/report.ts:12:17 forgotten (function)
    0 references to `forgotten` in 0 files
    [vtsls · ready]
    ──── lsp_hover {"symbol":"totalArea"}
    at src/shape.ts:29:17 totalArea (function)
    ```typescript
    function totalArea(first: Shape, second: Shape, scale: number): number
    ```
    The area of two shapes together, `scale` times.
    [vtsls · ready]
    ──── lsp_completion {"at":"src/report.ts:8:58","limit":3}
    at src/report.ts:8:58
    2 completions
      area (method)  Circle.area(): number
      radius (field)  (property) Circle.radius: number
    [vtsls · ready]
    ──── lsp_signature_help {"at":"src/report.ts:8:34"}
    at src/report.ts:8:34
    1 signature
      totalArea(first: Shape, second: Shape, scale: number): number
        parameter: second: Shape
        The area of two shapes together, `scale` times.
    [vtsls · ready]
    ──── lsp_diagnostics {"path":"src/broken.ts"}
    1 error in `src/broken.ts`; snapshot d-1
    src/broken.ts
      3:14  error: Cannot find name 'Rectangle'.  [typescript 2304]
    [vtsls · ready]
    ──── lsp_rename_symbol {"symbol":"totalArea","newName":"combinedArea"}
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
    [vtsls · ready]
    ──── lsp_code_actions {"at":"src/broken.ts:3","context":{"only":["quickfix"]}}
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
    [vtsls · ready]
    ──── lsp_format_document {"path":"src/messy.ts"}
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
    [vtsls · ready]
    "#);
}
