//! Outlines of many files, and the source of symbols, by the syntax of languages without a server.

use serde_json::json;

use crate::support::check;

const SHOP: &str = r#"
//- src/rate.py
import functools


# A rate.
@functools.total_ordering
class Rate(Base):
    """The rate of a product."""

    value: int = 0

    def price(self, count: int) -> int:
        """The price."""
        return self.value * count

    @property
    def name(self):
        return "rate"


def price():
    pass
//- src/rate.ts
export class Rate {
  price(count: number): number;
  price(count: string): number;
  price(count: unknown): number {
    return Number(count);
  }
}
export const limit = 3;
//- src/broken.go
package broken

func Open( {
}

func Close() {}
//- notes.txt
class Notes
"#;

#[tokio::test]
async fn outlines_of_folders_and_patterns() {
    insta::assert_snapshot!(check(SHOP, "lsp_document_symbols", json!({ "path": "." })).await, @"
    6 symbols in 3 files of `.`, depth 1
    src/broken.go
      function Open (  3-4
      function Close ()  6
    src/rate.py
      class Rate  6-17  class Rate(Base):
      function price ()  20-21
    src/rate.ts
      class Rate  1-7
      constant limit  8  export const limit = 3;
    [syntax only: names not resolved · syntax errors, so declarations may be missing: src/broken.go · 1 file in languages that zubi cannot parse]
    ");
    insta::assert_snapshot!(check(SHOP, "lsp_document_symbols", json!({ "path": "src/*.py", "depth": 2 })).await, @"
    5 symbols in 1 file of `src/*.py`, depth 2
    src/rate.py
      class Rate  6-17  class Rate(Base):
        variable value  9  value: int = 0
        method price (self, count: int) -> int  11-13
        method name (self)  16-17
      function price ()  20-21
    [syntax only: names not resolved]
    ");
    insta::assert_snapshot!(check(SHOP, "lsp_document_symbols", json!({ "path": "src/**/*.rs" })).await, @"
    Invalid input: path: no file of the workspace matches
    Ignored and generated files are left out. A pattern such as `src/**/*.rs` is relative to the workspace: `*` matches within a name, `**` any folders, `[[]` a bracket.
    ");
    insta::assert_snapshot!(check(SHOP, "lsp_document_symbols", json!({ "path": "src/[" })).await, @"
    Invalid input: path: unclosed character class; missing ']'
    A pattern such as `src/**/*.rs` is relative to the workspace: `*` matches within a name, `**` any folders, `[[]` a bracket.
    ");
    insta::assert_snapshot!(
        check(SHOP, "lsp_document_symbols", json!({ "path": "src/rate.ts", "format": "json" })).await, @r#"{"items":[{"name":"Rate","kind":"class","detail":null,"depth":0,"range":{"start":{"line":0,"character":13},"end":{"line":0,"character":17}},"endLine":7,"path":"src/rate.ts"},{"name":"price","kind":"method","detail":"(count: number): number","depth":1,"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":7}},"endLine":2,"path":"src/rate.ts"},{"name":"price","kind":"method","detail":"(count: string): number","depth":1,"range":{"start":{"line":2,"character":2},"end":{"line":2,"character":7}},"endLine":3,"path":"src/rate.ts"},{"name":"price","kind":"method","detail":"(count: unknown): number","depth":1,"range":{"start":{"line":3,"character":2},"end":{"line":3,"character":7}},"endLine":6,"path":"src/rate.ts"},{"name":"limit","kind":"constant","detail":null,"depth":0,"range":{"start":{"line":7,"character":13},"end":{"line":7,"character":18}},"endLine":8,"path":"src/rate.ts"}],"total":5,"status":{"endpoint":"syntax only: names not resolved","readiness":"","complete":null,"note":"no server for .ts: Add a catalogue row.","source":"syntax"}}"#);
}

#[tokio::test]
async fn sources_of_symbols() {
    let read = async |arguments: serde_json::Value| check(SHOP, "read_symbol", arguments).await;
    // The signatures of a class's methods.
    insta::assert_snapshot!(read(json!({ "symbol": "Rate", "path": "src/rate.py" })).await, @r#"
    src/rate.py:5  class Rate
     5  @functools.total_ordering
     6  class Rate(Base):
     7      """The rate of a product."""
     8  
     9      value: int = 0
    10  
    11      def price(self, count: int) -> int:
        … 2 lines
    14  
    15      @property
    16      def name(self):
    17          return "rate"
    [syntax only: names not resolved · no server for .py: Add a catalogue row.]
    "#);
    insta::assert_snapshot!(read(json!({ "symbol": "Rate", "path": "src/rate.py", "part": "signature" })).await, @"
    src/rate.py:6  class Rate
    6  class Rate(Base):
    [syntax only: names not resolved · no server for .py: Add a catalogue row.]
    ");
    insta::assert_snapshot!(read(json!({ "symbol": "Rate/price", "path": "src/rate.py", "part": "doc" })).await, @r#"
    src/rate.py:12  method Rate/price
    12          """The price."""
    [syntax only: names not resolved · no server for .py: Add a catalogue row.]
    "#);
    insta::assert_snapshot!(read(json!({ "symbol": "Rate/name", "path": "src/rate.py", "part": "body" })).await, @r#"
    src/rate.py:15  method Rate/name
    15      @property
    16      def name(self):
    17          return "rate"
    [syntax only: names not resolved · no server for .py: Add a catalogue row.]
    "#);
    // Overloads together.
    insta::assert_snapshot!(read(json!({ "symbol": "Rate/price", "path": "src/rate.ts" })).await, @"
    src/rate.ts:2  method Rate/price
    2    price(count: number): number;
    src/rate.ts:3  method Rate/price
    3    price(count: string): number;
    src/rate.ts:4  method Rate/price
    4    price(count: unknown): number {
    5      return Number(count);
    6    }
    [syntax only: names not resolved · no server for .ts: Add a catalogue row.]
    ");
    // The declaration around a line.
    insta::assert_snapshot!(read(json!({ "at": "src/rate.py:14" })).await, @r#"
    src/rate.py:5  class Rate
     5  @functools.total_ordering
     6  class Rate(Base):
     7      """The rate of a product."""
     8  
     9      value: int = 0
    10  
    11      def price(self, count: int) -> int:
        … 2 lines
    14  
    15      @property
    16      def name(self):
    17          return "rate"
    [syntax only: names not resolved]
    "#);
    insta::assert_snapshot!(read(json!({ "symbols": ["limit", "Nothing", "Close"] })).await, @r#"
    src/rate.ts:8  constant limit
    8  export const limit = 3;
    symbol: no symbol `Nothing` in the workspace
    Look for it with `lsp_workspace_symbols`, or give its place as at: "file:line".
    src/broken.go:6  function Close
    6  func Close() {}
    [syntax only: names not resolved · syntax errors, so declarations may be missing: src/broken.go · no server for .ts: Add a catalogue row. · no server for .go: Add a catalogue row.]
    "#);
    insta::assert_snapshot!(read(json!({ "symbol": "Rate" })).await, @r#"
    Invalid input: symbol: `Rate` names 2 symbols
    Use one of:
      at: "src/rate.py:6:7"   class at src/rate.py:6:7  class Rate(Base):
      at: "src/rate.ts:1:14"   class at src/rate.ts:1:14  export class Rate {
    "#);
    insta::assert_snapshot!(read(json!({})).await, @r#"
    Invalid input: symbol: missing
    Pass symbol: "Type/method", symbols: ["A", "B"], or at: "src/lib.rs:12".
    "#);
    insta::assert_snapshot!(read(json!({ "symbol": "limit", "format": "json" })).await, @r#"{"items":[{"name":"limit","kind":"constant","path":"src/rate.ts","lines":[{"line":8,"text":"export const limit = 3;"}]}],"total":1,"status":{"endpoint":"syntax only: names not resolved","readiness":"","complete":null,"note":"no server for .ts: Add a catalogue row.","source":"syntax"}}"#);
    insta::assert_snapshot!(read(json!({ "symbol": "Rate", "path": "src/rate.py", "part": "all", "limit": 5 })).await, @r#"
    src/rate.py:5  class Rate
     5  @functools.total_ordering
     6  class Rate(Base):
     7      """The rate of a product."""
     8  
     9      value: int = 0
    … 8 more: cursor="5"
    [syntax only: names not resolved · no server for .py: Add a catalogue row.]
    "#);
}

const MIXED: &str = r#"
//- package.json
{ "version": 1, "render": 2 }
//- src/app.ts
export class App {
  version = 1;
  render() {
    return 1;
  } stop() {
    return 2;
  }
}
//- src/rate.rs
struct Rate;
impl Rate {
    fn new() -> Self {
        Self
    }
}
fn go() {}
mod inner {
    pub fn go() {}
}
//- .aws/keys.py
class Keys:
    secret = "s3cr3t"
"#;

#[tokio::test]
async fn sources_of_names_with_several_meanings() {
    let read = async |arguments: serde_json::Value| check(MIXED, "read_symbol", arguments).await;
    // Code, not the key of a data file.
    insta::assert_snapshot!(read(json!({ "symbol": "render" })).await, @"
    src/app.ts:3  method App/render
    3    render() {
    4      return 1;
    5    } stop() {
    [syntax only: names not resolved · also key at package.json:1:18 · no server for .ts: Add a catalogue row.]
    ");
    // The line in which a body ends is shown if another declaration begins in it.
    insta::assert_snapshot!(read(json!({ "symbol": "App" })).await, @"
    src/app.ts:1  class App
    1  export class App {
    2    version = 1;
    3    render() {
    4      return 1;
    5    } stop() {
       … 2 lines
    8  }
    [syntax only: names not resolved · no server for .ts: Add a catalogue row.]
    ");
    // The name that other tools accept.
    insta::assert_snapshot!(read(json!({ "symbol": "new" })).await, @"
    src/rate.rs:3  method Rate/new
    3      fn new() -> Self {
    4          Self
    5      }
    [syntax only: names not resolved · no server for .rs: Add a catalogue row.]
    ");
    insta::assert_snapshot!(read(json!({ "symbol": "go" })).await, @"
    src/rate.rs:7  function go
    7  fn go() {}
    [syntax only: names not resolved · also `inner/go` · no server for .rs: Add a catalogue row.]
    ");
    insta::assert_snapshot!(read(json!({ "symbol": "Keys", "path": ".aws/keys.py" })).await, @r#"
    Failed to run read_symbol: it reads [root]/.aws/keys.py (credentials are stored there), and no one can approve it here
    The user can allow it in zubi.toml with
    [[policy]]
    action = "allow"
    tools = ["read_symbol"]
    read = ["[root]/.aws/keys.py"]
    "#);
    insta::assert_snapshot!(read(json!({ "symbol": "go", "format": "json", "limit": 1 })).await, @r#"{"items":[{"name":"go","kind":"function","path":"src/rate.rs","lines":[{"line":7,"text":"fn go() {}"}]}],"total":1,"status":{"endpoint":"syntax only: names not resolved","readiness":"","complete":null,"note":"also `inner/go` · no server for .rs: Add a catalogue row.","source":"syntax"}}"#);
}

#[tokio::test]
async fn files_that_are_not_parsed_are_named() {
    let large =
        format!("//- src/large.py\ndef target(): pass\n{}\n//- src/small.py\ndef other(): pass\n", "#".repeat(300_000));
    insta::assert_snapshot!(check(&large, "read_symbol", json!({ "symbol": "target" })).await, @r#"
    Invalid input: symbol: no symbol `target` in the workspace so far (may be incomplete: not parsed: src/large.py (the file has 300020 bytes, which is too large to parse; the maximum is 262144 bytes))
    Look for it with `lsp_workspace_symbols`, or give its place as at: "file:line".
    "#);
    insta::assert_snapshot!(check(&large, "lsp_document_symbols", json!({ "path": "src" })).await, @"
    1 symbol in 1 file of `src`, depth 1
    src/small.py
      function other ()  1  def other(): pass
    [syntax only: names not resolved · not parsed: src/large.py (the file has 300020 bytes, which is too large to parse; the maximum is 262144 bytes)]
    ");
    insta::assert_snapshot!(check(&large, "lsp_document_symbols", json!({ "path": "src/large.py" })).await, @"
    Failed to outline the file: zubi cannot parse `src/large.py`: the file has 300020 bytes, which is too large to parse; the maximum is 262144 bytes; no server for .py
    Add a catalogue row.
    ");
    for pattern in ["{".repeat(3_000), format!("{}a{}", "{".repeat(200), "}".repeat(200))] {
        let answer = check(&large, "lsp_document_symbols", json!({ "path": pattern })).await;
        assert!(answer.starts_with("Invalid input: path: "), "{answer}");
    }
}
