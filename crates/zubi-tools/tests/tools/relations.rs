//! Implementations, types, and hierarchies of calls and types.

use std::fmt::Write as _;

use serde_json::json;
use zubi_code::testing::Toy;

use crate::support::{call, check};

/// Calls: main → parse → next → parse, parse → log (a library), next → log, other → next.
const CALLS: &str = "\
//- app.toy
def main
  parse parse
  parse
def other
  next
//- parser.toy
def parse
  next
  log
def next
  parse
  log
def alone
let value
//- ../library/log.toy
def log
  write
def write
";

const TYPES: &str = "\
//- types.toy
class Shape
class Round < Shape
class Circle < Round
class Square < Shape
let unit = Square
";

#[tokio::test]
async fn implementations() {
    insta::assert_snapshot!(check(TYPES, "lsp_implementations", json!({ "symbol": "Shape" })).await, @"
    at types.toy:1:7 Shape (class)
    2 implementations of `Shape`
    types.toy
      2:7  class Round < Shape
      4:7  class Square < Shape
    [toy · ready]
    ");
    insta::assert_snapshot!(check(TYPES, "lsp_implementations", json!({ "symbol": "Shape", "limit": 1 })).await, @r#"
    at types.toy:1:7 Shape (class)
    2 implementations of `Shape`
    types.toy
      2:7  class Round < Shape
    … 1 more: cursor="1"
    [toy · ready]
    "#);
    insta::assert_snapshot!(check(TYPES, "lsp_implementations", json!({ "symbol": "Circle" })).await, @"
    at types.toy:3:7 Circle (class)
    no implementation of `Circle`: nothing implements or overrides it, or it cannot be implemented
    [toy · ready · the toy library was not read]
    ");
}

#[tokio::test]
async fn type_definition() {
    insta::assert_snapshot!(check(TYPES, "lsp_type_definition", json!({ "symbol": "unit", "context": 1 })).await, @"
    at types.toy:5:5 unit (variable)
    1 type definition of `unit`
    types.toy
      4:7
            3  class Circle < Round
       >    4  class Square < Shape
            5  let unit = Square
    [toy · ready]
    ");
    insta::assert_snapshot!(check(TYPES, "lsp_type_definition", json!({ "symbol": "Shape" })).await, @"
    at types.toy:1:7 Shape (class)
    no type definition of `Shape`: the server found none (a built-in type, a function, or code it cannot resolve)
    [toy · ready · the toy library was not read]
    ");
}

#[tokio::test]
async fn callers() {
    insta::assert_snapshot!(check(CALLS, "lsp_call_hierarchy", json!({ "symbol": "parse", "direction": "incoming" })).await, @"
    at parser.toy:1:5 parse (function)
    2 callers of `parse`
    function parse  parser.toy:1:5  def parse
      function main  app.toy:1:5  2: parse parse  also 3
      function next  parser.toy:4:5  5: parse
    [toy · ready]
    ");
    insta::assert_snapshot!(check(CALLS, "lsp_call_hierarchy", json!({ "symbol": "alone", "direction": "incoming" })).await, @"
    at parser.toy:7:5 alone (function)
    no callers of `alone`
    function alone  parser.toy:7:5  def alone
    [toy · ready · the toy library was not read]
    ");
    insta::assert_snapshot!(check(CALLS, "lsp_call_hierarchy", json!({ "symbol": "value", "direction": "incoming" })).await, @"
    at parser.toy:8:5 value (variable)
    no callers of `value`: it is not a function known to the server
    [toy · ready · the toy library was not read]
    ");
}

#[tokio::test]
async fn recursive_calls_are_listed_once() {
    insta::assert_snapshot!(check(CALLS, "lsp_call_hierarchy", json!({ "symbol": "parse", "direction": "incoming", "depth": 5 })).await, @"
    at parser.toy:1:5 parse (function)
    4 callers of `parse`, up to 5 steps away
    function parse  parser.toy:1:5  def parse
      function main  app.toy:1:5  2: parse parse  also 3
      function next  parser.toy:4:5  5: parse
        function other  app.toy:4:5  5: next
        function parse  parser.toy:1:5  2: next  (cycle: see above)
    [toy · ready]
    ");
}

#[tokio::test]
async fn hierarchies_stop_at_libraries() {
    insta::assert_snapshot!(check(CALLS, "lsp_call_hierarchy", json!({ "symbol": "main", "direction": "outgoing", "depth": 3 })).await, @"
    at app.toy:1:5 main (function)
    5 callees of `main`, up to 3 steps away
    function main  app.toy:1:5  def main
      function parse  parser.toy:1:5  2: parse parse  also 3
        function next  parser.toy:4:5  2: next
          function parse  parser.toy:1:5  5: parse  (cycle: see above)
          function log  [beside]/library/log.toy:1:5 (external)  6: log  (repeated: see elsewhere)
        function log  [beside]/library/log.toy:1:5 (external, not entered)  3: log
    [toy · ready]
    ");
    insta::assert_snapshot!(check(CALLS, "lsp_call_hierarchy", json!({ "symbol": "next", "direction": "outgoing" })).await, @"
    at parser.toy:4:5 next (function)
    2 callees of `next`
    function next  parser.toy:4:5  def next
      function parse  parser.toy:1:5  5: parse
      function log  [beside]/library/log.toy:1:5 (external)  6: log
    [toy · ready]
    ");
}

#[tokio::test]
async fn json_hierarchies_are_nested() {
    let question = json!({ "symbol": "next", "direction": "incoming", "depth": 2, "format": "json" });
    insta::assert_snapshot!(check(CALLS, "lsp_call_hierarchy", question).await, @r#"{"resolved":{"at":"parser.toy:4:5","name":"next","kind":"function"},"items":[{"path":"parser.toy","range":{"start":{"line":3,"character":4},"end":{"line":3,"character":8}},"text":"def next","name":"next","kind":"function","items":[{"path":"app.toy","range":{"start":{"line":3,"character":4},"end":{"line":3,"character":9}},"text":"def other","name":"other","kind":"function","calls":[{"path":"app.toy","range":{"start":{"line":4,"character":2},"end":{"line":4,"character":6}},"text":"next"}],"items":[]},{"path":"parser.toy","range":{"start":{"line":0,"character":4},"end":{"line":0,"character":9}},"text":"def parse","name":"parse","kind":"function","calls":[{"path":"parser.toy","range":{"start":{"line":1,"character":2},"end":{"line":1,"character":6}},"text":"next"}],"items":[{"path":"app.toy","range":{"start":{"line":0,"character":4},"end":{"line":0,"character":8}},"text":"def main","name":"main","kind":"function","calls":[{"path":"app.toy","range":{"start":{"line":1,"character":2},"end":{"line":1,"character":7}},"text":"parse parse"},{"path":"app.toy","range":{"start":{"line":1,"character":8},"end":{"line":1,"character":13}},"text":"parse parse"},{"path":"app.toy","range":{"start":{"line":2,"character":2},"end":{"line":2,"character":7}},"text":"parse"}],"items":[]},{"path":"parser.toy","range":{"start":{"line":3,"character":4},"end":{"line":3,"character":8}},"text":"def next","name":"next","kind":"function","calls":[{"path":"parser.toy","range":{"start":{"line":4,"character":2},"end":{"line":4,"character":7}},"text":"parse"}],"cycle":true,"items":[]}]}]}],"total":4,"cut":false,"status":{"endpoint":"toy","readiness":"ready","complete":true,"source":"server"}}"#);
}

#[tokio::test]
async fn symbols_with_the_same_name_stay_separate() {
    let fixture = "//- a.toy\nclass A\n  def run\n    step\nclass B\n  def run\n    leap\ndef step\ndef leap\n";
    insta::assert_snapshot!(check(fixture, "lsp_call_hierarchy", json!({ "at": "a.toy:2 def run", "direction": "outgoing" })).await, @"
    at a.toy:2:7 run (function)
    2 callees of `run`
    function run  a.toy:2:7  def run
      function step  a.toy:7:5  3: step
    function run  a.toy:5:7  def run
      function leap  a.toy:8:5  6: leap
    [toy · ready]
    ");
}

#[tokio::test]
async fn types() {
    insta::assert_snapshot!(check(TYPES, "lsp_type_hierarchy", json!({ "symbol": "Shape", "direction": "subtypes" })).await, @"
    at types.toy:1:7 Shape (class)
    2 subtypes of `Shape`
    class Shape  types.toy:1:7  class Shape
      class Round  types.toy:2:7  class Round < Shape
      class Square  types.toy:4:7  class Square < Shape
    [toy · ready]
    ");
    insta::assert_snapshot!(check(TYPES, "lsp_type_hierarchy", json!({ "symbol": "Shape", "direction": "subtypes", "depth": 2 })).await, @"
    at types.toy:1:7 Shape (class)
    3 subtypes of `Shape`, up to 2 steps away
    class Shape  types.toy:1:7  class Shape
      class Round  types.toy:2:7  class Round < Shape
        class Circle  types.toy:3:7  class Circle < Round
      class Square  types.toy:4:7  class Square < Shape
    [toy · ready]
    ");
    insta::assert_snapshot!(check(TYPES, "lsp_type_hierarchy", json!({ "symbol": "Circle", "direction": "supertypes", "depth": 5 })).await, @"
    at types.toy:3:7 Circle (class)
    2 supertypes of `Circle`, up to 5 steps away
    class Circle  types.toy:3:7  class Circle < Round
      class Round  types.toy:2:7  class Round < Shape
        class Shape  types.toy:1:7  class Shape
    [toy · ready]
    ");
    insta::assert_snapshot!(check(TYPES, "lsp_type_hierarchy", json!({ "symbol": "unit", "direction": "subtypes" })).await, @"
    at types.toy:5:5 unit (variable)
    no subtypes of `unit`: it is not a type known to the server
    [toy · ready · the toy library was not read]
    ");
}

#[tokio::test]
async fn a_reached_limit_is_reported() {
    let mut fixture = "//- a.toy\ndef hub\n".to_owned();
    for number in 0..300 {
        write!(fixture, "def f{number}\n  hub\n").unwrap();
    }
    let question = json!({ "symbol": "hub", "direction": "incoming", "maxTokens": 100 });
    insta::assert_snapshot!(check(&fixture, "lsp_call_hierarchy", question).await, @"
    at a.toy:1:5 hub (function)
    199 callers of `hub`, cut at 200 symbols
    function hub  a.toy:1:5  def hub
      function f0  a.toy:2:5  3: hub
      function f1  a.toy:4:5  5: hub
      function f2  a.toy:6:5  7: hub
      function f3  a.toy:8:5  9: hub
      function f4  a.toy:10:5  11: hub
    … 194 more: raise maxTokens, or use a smaller depth
    [toy · ready · may be incomplete: the tree was cut at 200 symbols; request a smaller depth, or the tree of one of them]
    ");
    let all = json!({ "symbol": "hub", "direction": "incoming", "maxTokens": 20_000 });
    let answer = check(&fixture, "lsp_call_hierarchy", all).await;
    assert_eq!(answer.lines().filter(|line| line.ends_with(": hub")).count(), 199);
    insta::assert_snapshot!(check(CALLS, "lsp_call_hierarchy", json!({ "symbol": "next", "direction": "outgoing", "depth": 6 })).await, @r#"
    Invalid input: depth: must be at most 5, got 6
    `depth` (integer): Steps, default 1, at most 5 Example: {"symbol":"parse","direction":"incoming","depth":2}
    "#);
}

#[tokio::test]
async fn partial_failures_are_reported() {
    // The request for `bad` fails.
    let fixture = "//- a.toy\ndef end\ndef bad\n  end\ndef good\n  end\ndef first\n  good\n";
    insta::assert_snapshot!(check(fixture, "lsp_call_hierarchy", json!({ "symbol": "end", "direction": "incoming", "depth": 2 })).await, @"
    at a.toy:1:5 end (function)
    3 callers of `end`, up to 2 steps away
    function end  a.toy:1:5  def end
      function bad  a.toy:2:5  3: end
      function good  a.toy:4:5  5: end
        function first  a.toy:6:5  7: good
    [toy · ready · may be incomplete: toy answered `callHierarchy/incomingCalls` with an error: this is bad (-32603)]
    ");
    insta::assert_snapshot!(check(fixture, "lsp_call_hierarchy", json!({ "symbol": "bad", "direction": "incoming" })).await, @"
    Failed to walk the call hierarchy: toy answered `callHierarchy/incomingCalls` with an error: this is bad (-32603)
    Check the position with `lsp_document_symbols`, then retry.
    ");
}

#[tokio::test]
async fn unsupported_queries_suggest_an_alternative() {
    let toy = Toy::new(CALLS);
    toy.endpoint.unsupported.lock().unwrap().push("textDocument/prepareCallHierarchy");
    let incoming = || json!({ "symbol": "parse", "direction": "incoming" });
    insta::assert_snapshot!(call(&toy, "lsp_call_hierarchy", incoming()).await, @"
    Failed to walk the call hierarchy: toy cannot find callers
    The nearest supported request: `lsp_references` lists every place that names it, calls among them.
    ");
    insta::assert_snapshot!(call(&toy, "lsp_call_hierarchy", json!({ "symbol": "parse", "direction": "outgoing" })).await, @"
    Failed to walk the call hierarchy: toy cannot find callees
    The nearest supported request: `read_symbol` shows its source, which names them.
    ");
    toy.endpoint.unsupported.lock().unwrap().push("textDocument/references");
    insta::assert_snapshot!(call(&toy, "lsp_call_hierarchy", incoming()).await, @"
    Failed to walk the call hierarchy: toy cannot find callers
    Use another request, or read the file.
    ");
    // Supported in one direction only, which a server cannot declare beforehand.
    let toy = Toy::new(CALLS);
    toy.endpoint.failing.lock().unwrap().push(("callHierarchy/outgoingCalls", -32601));
    insta::assert_snapshot!(call(&toy, "lsp_call_hierarchy", json!({ "symbol": "parse", "direction": "outgoing" })).await, @"
    Failed to walk the call hierarchy: toy cannot find callees
    The nearest supported request: `read_symbol` shows its source, which names them.
    ");
}

#[tokio::test]
async fn explain() {
    insta::assert_snapshot!(check(CALLS, "lsp_explain", json!({ "symbol": "parse" })).await, @"
    at parser.toy:1:5 parse (function)
    ```toy
    def parse
    ```
    1 definition in 1 file
    parser.toy
      1:5
       >    1  def parse
            2    next
            3    log
            4  def next
    4 references in 2 files
    app.toy
      2:3  parse parse
      2:9  parse parse
      3:3  parse
    parser.toy
      5:3  parse
    no implementations
    2 callers
      function main  app.toy:1:5  2: parse parse  also 3
      function next  parser.toy:4:5  5: parse
    [toy · ready · the toy library was not read]
    ");
    insta::assert_snapshot!(check(TYPES, "lsp_explain", json!({ "symbol": "Shape" })).await, @"
    at types.toy:1:7 Shape (class)
    ```toy
    class Shape
    ```
    1 definition in 1 file
    types.toy
      1:7
       >    1  class Shape
            2  class Round < Shape
            3  class Circle < Round
            4  class Square < Shape
    code lenses: 3 uses
    2 references in 1 file
    types.toy
      2:15  class Round < Shape
      4:16  class Square < Shape
    2 implementations in 1 file
    types.toy
      2:7  class Round < Shape
      4:7  class Square < Shape
    [toy · ready · the toy library was not read]
    ");
    insta::assert_snapshot!(check(CALLS, "lsp_explain", json!({ "symbol": "alone", "format": "json" })).await, @r#"{"resolved":{"at":"parser.toy:7:5","name":"alone","kind":"function"},"documentation":"```toy\ndef alone\n```","definitions":{"total":1,"items":[{"path":"parser.toy","range":{"start":{"line":6,"character":4},"end":{"line":6,"character":9}},"text":"def alone"}]},"references":{"total":0,"items":[]},"implementations":{"total":0,"items":[]},"callers":{"total":0,"items":[]},"status":{"endpoint":"toy","readiness":"ready","complete":true,"note":"the toy library was not read","source":"server"}}"#);
}

#[tokio::test]
async fn explain_shows_the_first_items_of_each_list() {
    let mut fixture = "//- a.toy\ndef hub\n".to_owned();
    for number in 0..7 {
        write!(fixture, "def f{number}\n  hub\n").unwrap();
    }
    insta::assert_snapshot!(check(&fixture, "lsp_explain", json!({ "symbol": "hub" })).await, @"
    at a.toy:1:5 hub (function)
    ```toy
    def hub
    ```
    1 definition in 1 file
    a.toy
      1:5
       >    1  def hub
            2  def f0
            3    hub
            4  def f1
    7 references in 1 file
    a.toy
      3:3  hub
      5:3  hub
      7:3  hub
      9:3  hub
      11:3  hub
    … 2 more: lsp_references lists them
    no implementations
    7 callers
      function f0  a.toy:2:5  3: hub
      function f1  a.toy:4:5  5: hub
      function f2  a.toy:6:5  7: hub
      function f3  a.toy:8:5  9: hub
      function f4  a.toy:10:5  11: hub
    … 2 more: lsp_call_hierarchy lists them
    [toy · ready · the toy library was not read]
    ");
}

#[tokio::test]
async fn explain_omits_unsupported_parts_and_reports_failures() {
    let toy = Toy::new(CALLS);
    let unsupported = ["textDocument/prepareCallHierarchy", "textDocument/implementation", "textDocument/hover"];
    toy.endpoint.unsupported.lock().unwrap().extend(unsupported);
    toy.endpoint.failing.lock().unwrap().push(("textDocument/references", -32603));
    insta::assert_snapshot!(call(&toy, "lsp_explain", json!({ "symbol": "parse" })).await, @"
    at parser.toy:1:5 parse (function)
    1 definition in 1 file
    parser.toy
      1:5
       >    1  def parse
            2    next
            3    log
            4  def next
    references: failed: toy answered `textDocument/references` with an error: it does not work (-32603)
    [toy · ready]
    ");
    toy.endpoint.failing.lock().unwrap().push(("textDocument/definition", -32603));
    insta::assert_snapshot!(call(&toy, "lsp_explain", json!({ "symbol": "parse" })).await, @"
    Failed to explain the symbol: toy answered `textDocument/definition` with an error: it does not work (-32603)
    Check the position with `lsp_document_symbols`, then retry.
    ");
}

const INFERRED: &str = "//- a.toy\nclass Circle\nlet one = Circle\nuse one Circle\n";

#[tokio::test]
async fn explain_shows_inlay_hints_and_code_lenses() {
    insta::assert_snapshot!(check(INFERRED, "lsp_explain", json!({ "symbol": "one" })).await, @"
    at a.toy:2:5 one (variable)
    ```toy
    let one = Circle
    ```
    1 definition in 1 file
    a.toy
      2:5
            1  class Circle
       >    2  let one = Circle
            3  use one Circle
            4  
    inferred types
          2  let one: Circle = Circle
    1 reference in 1 file
    a.toy
      3:5  use one Circle
    no implementations
    [toy · ready · the toy library was not read]
    ");
    // At a use, the answer has the same lines of the definition.
    let use_answer = check(INFERRED, "lsp_explain", json!({ "at": "a.toy:3:5" })).await;
    assert!(use_answer.contains("  2  let one: Circle = Circle\n"), "{use_answer}");
    let class_answer = check(INFERRED, "lsp_explain", json!({ "symbol": "Circle" })).await;
    assert!(class_answer.contains("\ncode lenses: 3 uses\n"), "{class_answer}");
    let json = check(INFERRED, "lsp_explain", json!({ "symbol": "one", "format": "json" })).await;
    assert!(
        json.contains(r#""inferredTypes":{"total":1,"items":[{"line":1,"text":"let one: Circle = Circle"}]}"#),
        "{json}"
    );
}

#[tokio::test]
async fn failing_hints_do_not_fail_explain() {
    let toy = Toy::new(INFERRED);
    let failing = ["textDocument/inlayHint", "codeLens/resolve"].map(|method| (method, -32603));
    toy.endpoint.failing.lock().unwrap().extend(failing);
    insta::assert_snapshot!(call(&toy, "lsp_explain", json!({ "symbol": "Circle" })).await, @"
    at a.toy:1:7 Circle (class)
    ```toy
    class Circle
    ```
    1 definition in 1 file
    a.toy
      1:7
       >    1  class Circle
            2  let one = Circle
            3  use one Circle
            4  
    inferred types: failed: toy answered `textDocument/inlayHint` with an error: it does not work (-32603)
    2 references in 1 file
    a.toy
      2:11  let one = Circle
      3:9  use one Circle
    no implementations
    [toy · ready · may be incomplete: toy answered `codeLens/resolve` with an error: it does not work (-32603) · the toy library was not read]
    ");
    let toy = Toy::new(INFERRED);
    toy.endpoint.unsupported.lock().unwrap().extend(["textDocument/inlayHint", "textDocument/codeLens"]);
    let unsupported_answer = call(&toy, "lsp_explain", json!({ "symbol": "one" })).await;
    assert!(
        !unsupported_answer.contains("inferred")
            && unsupported_answer.ends_with("[toy · ready · the toy library was not read]"),
        "{unsupported_answer}"
    );
}
