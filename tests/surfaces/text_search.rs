//! Without a server and without an index, zubi still finds names, and the answer says that it is based on names only.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::zubi::Start;
use zubi_tests::{Project, Zubi};

#[tokio::test]
async fn a_language_without_an_installed_server() {
    let project = Project::fixture("typescript");
    project.write(".zubi.toml", "index = false\n");
    let zubi = Zubi::start(&project, &[]).await;
    assert_snapshot!(zubi.call_stable("lsp_document_symbols", json!({ "path": "src/shape.ts" })).await, @"
    12 symbols in `src/shape.ts`
      interface Shape  2-5
        method area (): number  4
      class Circle  8-14  export class Circle implements Shape {
        constructor constructor (readonly radius: number)  9
        property radius  9
        method area (): number  11-13
      class Rectangle  17-26  export class Rectangle implements Shape {
        constructor constructor ( readonly width: number, readonly height: number, )  18-21
        property width  19  readonly width: number,
        property height  20  readonly height: number,
        method area (): number  23-25
      function totalArea (first: Shape, second: Shape, scale: number): number  29-31
    [syntax only: names not resolved · `tsc` is not installed: install it with npm: npm install --global typescript@7 · `typescript-language-server` is not installed: install it with npm: npm install --global typescript-language-server typescript@6]
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "totalArea" })).await, @r#"
    at src/shape.ts:29:17 totalArea (function)
    4 word matches of `totalArea` in 2 files
    src/report.ts
      1:43  // What is printed about shapes. The word totalArea in this comment is not a reference.
      2:29  import { Circle, Rectangle, totalArea } from "./shape.js";
      8:15  return `📐 ${totalArea(circle, square, 1)} and ${circle.area()}`;
    src/shape.ts
      29:17  export function totalArea(first: Shape, second: Shape, scale: number): number {  (declaration)
    [text search: names only · `tsc` is not installed · `typescript-language-server` is not installed]
    "#);
    assert_snapshot!(zubi.call_stable("lsp_definition", json!({ "at": "src/report.ts:8 totalArea" })).await, @"
    at src/report.ts:8:15 totalArea
    1 definition of `totalArea`
    src/shape.ts
      29:17  export function totalArea(first: Shape, second: Shape, scale: number): number {
    [syntax only: names not resolved · `tsc` is not installed · `typescript-language-server` is not installed]
    ");
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"
    1 symbol matching `Circle`
      class Circle  src/shape.ts:8:14  export class Circle implements Shape {
    [syntax only: names not resolved · without a server: exact names only, from the outlines of 2 files · `tsc` is not installed · `typescript-language-server` is not installed]
    ");
    assert_snapshot!(zubi.call_stable("lsp_document_symbols", json!({ "path": "src" })).await, @"
    8 symbols in 4 files of `src`, depth 1
    src/broken.ts
      function unit (): number  2-4
    src/messy.ts
      function twice ( value :number ):number  2-4
    src/report.ts
      function describe (radius: number): string  5-9
      function forgotten (): number  12-14
    src/shape.ts
      interface Shape  2-5
      class Circle  8-14  export class Circle implements Shape {
      class Rectangle  17-26  export class Rectangle implements Shape {
      function totalArea (first: Shape, second: Shape, scale: number): number  29-31
    [syntax only: names not resolved]
    ");
    assert_snapshot!(zubi.call_stable("read_symbol", json!({ "symbol": "Circle" })).await, @"
    src/shape.ts:7  class Circle
     7  /** A circle by its radius. */
     8  export class Circle implements Shape {
     9    constructor(readonly radius: number) {}
    10  
    11    area(): number {
        … 2 lines
    14  }
    [syntax only: names not resolved · `tsc` is not installed · `typescript-language-server` is not installed]
    ");
    // A file that is too large to parse may declare the name.
    project.write("src/large.ts", &format!("export class Vast {{}}\n// {}\n", "x".repeat(300_000)));
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Vast" })).await, @"
    0 symbols matching `Vast`
    [syntax only: names not resolved · may be incomplete: not parsed: src/large.ts (the file has 300025 bytes, which is too large to parse; the maximum is 262144 bytes) · without a server: exact names only, from the outlines of 1 file · `tsc` is not installed · `typescript-language-server` is not installed]
    ");
    assert_snapshot!(zubi.call_refused("read_symbol", json!({ "symbol": "Vast" })).await, @r#"
    Invalid input: symbol: no symbol `Vast` in the workspace so far (may be incomplete: not parsed: src/large.ts (the file has 300025 bytes, which is too large to parse; the maximum is 262144 bytes) · `tsc` is not installed: install it with npm: npm install --global typescript@7 · `typescript-language-server` is not installed: install it with npm: npm install --global typescript-language-server typescript@6)
    Look for it with `lsp_workspace_symbols`, or give its place as at: "file:line".
    "#);
    // A text search cannot know the kind of a name.
    assert_snapshot!(zubi.call_refused("lsp_hover", json!({ "symbol": "totalArea" })).await, @"
    Failed to explain the symbol: `tsc` is not installed; `typescript-language-server` is not installed
    install it with npm: npm install --global typescript@7
    install it with npm: npm install --global typescript-language-server typescript@6
    ");
}

#[tokio::test]
async fn a_domain_model_does_not_hide_other_code() {
    let project = Project::fixture("typescript");
    project.write(".zubi.toml", "index = false\n");
    project.write("shop.dlang", "Domain Shapes { vision: \"v\" }\nbc Circle for Shapes { description: \"d\" }\n");
    // A text file about the code declares nothing, even if its lines look like declarations.
    project.write("notes.md", "class Circle\n");
    let zubi = Zubi::start(&project, &[]).await;
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @r#"
    2 symbols matching `Circle`
      package Circle  shop.dlang:2:4  bc Circle for Shapes { description: "d" }
      class Circle  src/shape.ts:8:14  export class Circle implements Shape {
    [domainlang + syntax only: names not resolved · ready · without a server: exact names only, from the outlines of 2 files · `tsc` is not installed: install it with npm: npm install --global typescript@7 · `typescript-language-server` is not installed: install it with npm: npm install --global typescript-language-server typescript@6]
    "#);
    assert_snapshot!(zubi.call_refused("lsp_references", json!({ "symbol": "Circle" })).await, @r#"
    Invalid input: symbol: `Circle` names 2 symbols
    Use one of:
      at: "shop.dlang:2:4"   package at shop.dlang:2:4  bc Circle for Shapes { description: "d" }
      at: "src/shape.ts:8:14"   class at src/shape.ts:8:14  export class Circle implements Shape {
    "#);
}

#[tokio::test]
async fn an_untrusted_folder() {
    let project = Project::fixture("rust");
    project.write(".zubi.toml", "index = false\n");
    let zubi = Start::new(&project, &["rust-analyzer"]).without_trust().mcp().await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "total_area" })).await, @"
    at src/shape.rs:34:8 total_area (function)
    4 word matches of `total_area` in 2 files
    src/report.rs
      1:44  //! What is printed about shapes. The word total_area in this comment is not a reference.
      3:20  use crate::shape::{total_area, Circle, Rectangle, Shape};
      9:29  /* 📐 before the call */ total_area(&circle, &square, 1.0) + circle.area()
    src/shape.rs
      34:8  pub fn total_area(first: &dyn Shape, second: &dyn Shape, scale: f64) -> f64 {  (declaration)
    [text search: names only · rust-analyzer may not run here: the folder is not trusted: `zubi trust [project]` allows it; it would run cargo and the compiler that the project names, its build scripts and its procedural macros]
    ");
    assert_eq!(zubi_tests::processes::find_by_command("rust-analyzer"), Vec::new());
}

#[tokio::test]
async fn an_unknown_language() {
    let project = Project::fixture("typescript");
    project.write(".zubi.toml", "index = false\n");
    project.write("lib/desk.odd", "module Desk\n  proc lend(book)\n    note book\n  end\nend\n");
    let zubi = Zubi::start(&project, &[]).await;
    assert_snapshot!(zubi.call_refused("lsp_document_symbols", json!({ "path": "lib/desk.odd" })).await, @"
    Failed to outline the file: no server for .odd
    add a [[server]] with this language to ~/.config/zubi/servers.toml
    ");
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "lib/desk.odd:2:13" })).await, @"
    at lib/desk.odd:2:13 book
    2 word matches of `book` in 1 file
    lib/desk.odd
      2:13  proc lend(book)
      3:10  note book
    [text search: names only · no server for .odd: add a [[server]] with this language to ~/.config/zubi/servers.toml]
    ");
}
