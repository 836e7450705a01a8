//! Answers that cover a long list in a small size. The rest follows with `cursor`, or as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::check;

/// A class with many uses in 30 files.
fn used_class() -> String {
    let mut fixture = "//- lib/shape.toy\nclass Shape\n".to_owned();
    for file in 0..30 {
        let _ = writeln!(fixture, "//- app/part_{file}.toy");
        for line in 0..7 {
            let _ = writeln!(fixture, "use Shape # the use {line} with a comment that takes a line of the answer");
        }
    }
    fixture
}

#[tokio::test]
async fn references() {
    let answer = check(&used_class(), "lsp_references", json!({ "symbol": "Shape" })).await;
    assert!(answer.len() <= 3_000, "{} bytes", answer.len());
    assert!(answer.contains("211 references to `Shape` in 31 files"), "{answer}");
    let (shown, tail) = answer.split_once('…').unwrap();
    assert!(shown.contains("app/part_0.toy\n  1:5  use Shape # the use 0"), "{answer}");
    assert!(tail.contains(" more, by line; with source: cursor=\""), "{answer}");
    assert!(tail.contains("app/part_9.toy  1, 2, 3, 4, 5, 6, 7\nlib/shape.toy  1 (declaration)\n"), "{answer}");
    let shown = shown.lines().filter(|line| line.contains("use Shape")).count();
    assert!(tail.contains(&format!("cursor=\"{shown}\"")), "{answer}");
    let next = check(&used_class(), "lsp_references", json!({ "symbol": "Shape", "cursor": shown.to_string() })).await;
    assert!(next.contains("use Shape # the use") && !next.contains("by line"), "{next}");
    let large = check(&used_class(), "lsp_references", json!({ "symbol": "Shape", "maxTokens": 20_000 })).await;
    assert!(!large.contains('…'), "{large}");
}

#[tokio::test]
async fn references_in_many_files() {
    let mut fixture = "//- shape.toy\nclass Shape\n".to_owned();
    for file in 0..150 {
        let _ = writeln!(fixture, "//- app/a_part_with_a_long_name_{file}.toy\nuse Shape");
    }
    let answer = check(&fixture, "lsp_references", json!({ "symbol": "Shape" })).await;
    assert!(answer.len() <= 3_000, "{} bytes", answer.len());
    assert!(answer.contains("part_with_a_long_name_1.toy\n  1:5  use Shape"), "{answer}");
    assert!(answer.contains(" other files\n"), "{answer}");
}

#[tokio::test]
async fn plan_of_many_files() {
    let args = json!({ "symbol": "Shape", "newName": "Figure" });
    let answer = check(&used_class(), "lsp_rename_symbol", args.clone()).await;
    assert!(answer.len() <= 1_500, "{} bytes", answer.len());
    assert!(answer.contains("211 edits in 31 files; nothing is written yet"), "{answer}");
    assert!(answer.contains("app/: part_0.toy 7, part_1.toy 7, part_10.toy 7"), "{answer}");
    assert!(answer.contains("lib/: shape.toy 1\n"), "{answer}");
    let mut args = args;
    args["format"] = json!("json");
    let data: Value = serde_json::from_str(&check(&used_class(), "lsp_rename_symbol", args).await).unwrap();
    assert_eq!(data["items"].as_array().unwrap().len(), 31);
    assert!(data["diff"].as_str().unwrap().contains("+++ b/lib/shape.toy"));
}

#[tokio::test]
async fn outline() {
    let mut fixture = "//- shape.toy\nlet unit\ndef make\n  let inner\n".to_owned();
    for class in 0..4 {
        let _ = writeln!(fixture, "class Shape{class}");
        for member in 0..20 {
            let _ = writeln!(fixture, "  def method_{member}\n    let local\n  let value_{member}");
        }
        let _ = writeln!(fixture, "  def _hidden");
    }
    let outline = async |args: Value| check(&fixture, "lsp_document_symbols", args).await;
    let answer = outline(json!({ "path": "shape.toy" })).await;
    assert!(answer.len() <= 2_500, "{} bytes", answer.len());
    insta::assert_snapshot!(answer);
    let whole = outline(json!({ "path": "shape.toy", "locals": true, "maxTokens": 20_000 })).await;
    assert!(whole.starts_with("251 symbols") && whole.contains("      variable local  "), "{whole}");
    let page = outline(json!({ "path": "shape.toy", "cursor": "0" })).await;
    assert!(page.contains("  class Shape0  4\n    function method_0  5\n    variable value_0  7\n"), "{page}");
    let folder = outline(json!({ "path": "*.toy", "depth": 2 })).await;
    assert!(folder.contains("\nshape.toy\n"), "{folder}");
}

#[tokio::test]
async fn diagnostics_begin_with_the_errors() {
    let fixture = "//- a.toy\n# dull\n# dull\n# bad\n//- b.toy\n# bad\n//- c.toy\n# dull\n";
    insta::assert_snapshot!(check(fixture, "lsp_diagnostics", json!({})).await, @"
    2 errors in 3 files; snapshot d-1
    a.toy
      3:1  error: this is bad  [toy]
    b.toy
      1:1  error: this is bad  [toy]
    3 hints: severity=hint
    [toy · ready · the toy library was not read]
    ");
    insta::assert_snapshot!(check(fixture, "lsp_diagnostics", json!({ "path": "c.toy" })).await, @"
    no errors or warnings in `c.toy`; snapshot d-1
    1 hint: severity=hint
    [toy · ready · the toy library was not read]
    ");
    insta::assert_snapshot!(check(fixture, "lsp_diagnostics", json!({ "severity": "hint" })).await, @"
    2 errors, 3 hints in 3 files; snapshot d-1
    a.toy
      3:1  error: this is bad  [toy]
    b.toy
      1:1  error: this is bad  [toy]
    a.toy
      1:1  hint: this is dull  [toy]
      2:1  hint: this is dull  [toy]
    c.toy
      1:1  hint: this is dull  [toy]
    [toy · ready · the toy library was not read]
    ");
}
