//! `lsp_references`, and word matches that are not references.

use std::time::Duration;

use serde_json::json;
use zubi_base::endpoint::Readiness;
use zubi_code::exact_index::ExactIndexError;
use zubi_code::testing::{ScriptedExactIndex, Toy, ToyFile};

use crate::support::{SHAPES, call, check};

#[tokio::test]
async fn other_word_matches_are_counted() {
    // One match in a comment of app.toy.
    insta::assert_snapshot!(check(SHAPES, "lsp_references", json!({ "symbol": "unit", "limit": 1 })).await, @r#"
    at shapes.toy:6:5 unit (variable)
    3 references to `unit` in 2 files
    app.toy
      2:14  print area unit
    … 2 more: cursor="1"
    1 further word match in comments or strings: includeText=true
    [toy · ready]
    "#);
    let fixture = "//- a.toy\nlet x # x, x and exact x\nuse x\n//- b.txt\nx x x\n";
    insta::assert_snapshot!(check(fixture, "lsp_references", json!({ "symbol": "x" })).await, @"
    at a.toy:1:5 x (variable)
    2 references to `x` in 1 file
    a.toy
      1:5  let x # x, x and exact x  (declaration)
      2:5  use x
    3 further word matches in comments or strings: includeText=true
    [toy · ready]
    ");
}

#[tokio::test]
async fn an_omitted_declaration_is_not_counted() {
    let fixture = "//- a.toy\nlet x\nuse x\n";
    let args = json!({ "symbol": "x", "includeDeclaration": false });
    insta::assert_snapshot!(check(fixture, "lsp_references", args).await, @"
    at a.toy:1:5 x (variable)
    1 reference to `x` in 1 file
    a.toy
      2:5  use x
    [toy · ready]
    ");
}

#[tokio::test]
async fn other_word_matches_are_listed_on_request() {
    insta::assert_snapshot!(check(SHAPES, "lsp_references", json!({ "symbol": "unit", "includeText": true })).await, @"
    at shapes.toy:6:5 unit (variable)
    3 references to `unit` in 2 files
    app.toy
      2:14  print area unit
      4:12  let élan → unit
    shapes.toy
      6:5  let unit  (declaration)
    app.toy
      3:10  # naïve: unit  (text)
    1 further word match in comments or strings; marked (text)
    [toy · ready]
    ");
    let last = json!({ "symbol": "unit", "includeText": true, "cursor": "3", "context": 1 });
    insta::assert_snapshot!(check(SHAPES, "lsp_references", last).await, @"
    at shapes.toy:6:5 unit (variable)
    3 references to `unit` in 2 files
    app.toy
      3:10  (text)
            2    print area unit
       >    3  # naïve: unit
            4  let élan → unit
    1 further word match in comments or strings; marked (text)
    [toy · ready]
    ");
    let machine = json!({ "symbol": "unit", "includeText": true, "cursor": "3", "format": "json" });
    insta::assert_snapshot!(check(SHAPES, "lsp_references", machine).await, @r##"{"resolved":{"at":"shapes.toy:6:5","name":"unit","kind":"variable"},"items":[{"path":"app.toy","range":{"start":{"line":2,"character":9},"end":{"line":2,"character":13}},"text":"# naïve: unit","textOnly":true}],"total":3,"furtherWordMatches":1,"status":{"endpoint":"toy","readiness":"ready","complete":true,"source":"server"}}"##);
}

#[tokio::test]
async fn incomplete_answers_count_no_other_matches() {
    let toy = Toy::new(SHAPES);
    toy.endpoint.readiness.send_replace(Readiness::Unknown { elapsed: Duration::ZERO });
    insta::assert_snapshot!(call(&toy, "lsp_references", json!({ "at": "shapes.toy:6:5" })).await, @"
    at shapes.toy:6:5 unit
    3 references to `unit` in 2 files
    app.toy
      2:14  print area unit
      4:12  let élan → unit
    shapes.toy
      6:5  let unit  (declaration)
    1 further word match in comments or strings: includeText=true
    [toy · ready]
    ");
}

#[tokio::test]
async fn too_many_words_are_not_counted() {
    // Reaching the search limit has the same effect as the time limit: the answer claims nothing.
    let fixture = format!("//- a.toy\nlet x # {}\nuse x\n", "x ".repeat(10_000));
    let answer = check(&fixture, "lsp_references", json!({ "symbol": "x", "includeDeclaration": false })).await;
    insta::assert_snapshot!(answer, @"
    at a.toy:1:5 x (variable)
    1 reference to `x` in 1 file
    a.toy
      2:5  use x
    further word matches were not counted: time-out
    [toy · ready · zubi did not look for `x` in files that the servers do not read: too many matches]
    ");
}

#[tokio::test]
async fn word_search_repeats_after_a_change() {
    let toy = Toy::new("//- a.toy\nlet x # x\nuse x\n");
    let further = async || {
        let answer = call(&toy, "lsp_references", json!({ "symbol": "x" })).await;
        answer.lines().find(|line| line.contains("further")).unwrap_or("none").to_owned()
    };
    let changed = |number| *toy.endpoint.file_changes.lock().unwrap() = Some(number);
    changed(1);
    insta::assert_snapshot!(further().await, @"1 further word match in comments or strings: includeText=true");
    // No notification reports the change, so an unchanged answer proves that the tool did not read the files again.
    zubi_base::fs::write_atomic(&toy.root.join("b.toy"), b"# x x\n").unwrap();
    insta::assert_snapshot!(further().await, @"1 further word match in comments or strings: includeText=true");
    changed(2);
    insta::assert_snapshot!(further().await, @"3 further word matches in comments or strings: includeText=true");
}

#[tokio::test]
async fn symbol_lookup_repeats_after_a_change() {
    let toy = Toy::new("//- a.toy\nlet x\nuse x\n");
    let answer = async || {
        let answer = call(&toy, "lsp_references", json!({ "symbol": "x", "path": "a.toy" })).await;
        answer.lines().next().unwrap_or("none").to_owned()
    };
    let changed = |number| *toy.endpoint.file_changes.lock().unwrap() = Some(number);
    changed(1);
    insta::assert_snapshot!(answer().await, @"at a.toy:1:5 x (variable)");
    // Outlines fail from here on, so a successful answer proves that the tool requested none.
    *toy.endpoint.failing.lock().unwrap() = vec![("textDocument/documentSymbol", -32603)];
    insta::assert_snapshot!(answer().await, @"at a.toy:1:5 x (variable)");
    changed(2);
    insta::assert_snapshot!(answer().await, @"Failed to find references: toy answered `textDocument/documentSymbol` with an error: it does not work (-32603)");
}

#[tokio::test]
async fn an_outline_is_not_applied_to_another_text() {
    let toy = Toy::new("//- a.toy\nlet x\nuse x\n");
    let answer = async || {
        let answer = call(&toy, "lsp_references", json!({ "symbol": "x", "path": "a.toy" })).await;
        answer.lines().next().unwrap_or("none").to_owned()
    };
    *toy.endpoint.file_changes.lock().unwrap() = Some(1);
    insta::assert_snapshot!(answer().await, @"at a.toy:1:5 x (variable)");
    // zubi does not watch files that git ignores: it does not count their changes, but the server knows them.
    zubi_base::fs::write_atomic(&toy.root.join("a.toy"), b"let first\nlet x\nuse x\n").unwrap();
    insta::assert_snapshot!(answer().await, @"at a.toy:2:5 x (variable)");
}

#[tokio::test]
async fn failed_file_watching_is_reported() {
    let toy = Toy::new("//- a.toy\nlet x\nuse x\n");
    *toy.endpoint.freshness.lock().unwrap() = Some("no watches left: files were compared one by one".to_owned());
    let answer = call(&toy, "lsp_references", json!({ "symbol": "x", "includeDeclaration": false })).await;
    insta::assert_snapshot!(answer, @"
    at a.toy:1:5 x (variable)
    1 reference to `x` in 1 file
    a.toy
      2:5  use x
    [toy · ready · no watches left: files were compared one by one]
    ");
}

/// Returns the status line of an answer about `x` in a workspace with other projects.
async fn status_with_projects(directories: &[&'static str], fixture: &str, tool: &str) -> String {
    let toy = Toy::new(fixture);
    *toy.endpoint.other_projects.lock().unwrap() = directories.to_vec();
    let mut args = json!({ "symbol": "x", "path": "a.toy" });
    if tool == "lsp_call_hierarchy" {
        args["direction"] = json!("incoming");
    }
    if tool == "lsp_rename_symbol" {
        args["newName"] = json!("y");
    }
    call(&toy, tool, args).await.lines().last().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn matches_in_too_many_other_projects_are_reported() {
    // The files contain only comments: the toy server returns no locations for them, so the tool queries the projects.
    let others = ["b", "c", "d", "e", "f", "g"].map(|directory| format!("//- {directory}/one.toy\n# x\n"));
    let fixture = format!("//- a.toy\ndef x\n{}", others.concat());
    let two_projects = status_with_projects(&["b", "c"], &fixture, "lsp_references").await;
    insta::assert_snapshot!(two_projects, @"[toy · ready]");
    let six_projects = status_with_projects(&["b", "c", "d", "e", "f", "g"], &fixture, "lsp_references").await;
    insta::assert_snapshot!(six_projects, @"[toy · ready · may be incomplete: `x` also occurs in f, g (not queried; allProjects=true queries all)]");
    let tree = status_with_projects(&["b", "c", "d", "e", "f", "g"], &fixture, "lsp_call_hierarchy").await;
    insta::assert_snapshot!(tree, @"[toy · ready · may be incomplete: `x` also occurs in b, c, d, 3 more: `lsp_references` looks there · the toy library was not read]");
}

#[tokio::test]
async fn too_frequent_names_are_reported() {
    let fixture = format!("//- a.toy\ndef x # {}\n", "x ".repeat(10_000));
    insta::assert_snapshot!(status_with_projects(&["b"], &fixture, "lsp_references").await, @"[toy · ready · may be incomplete: whether other projects of the workspace use it was not found out: looking for the name took too long]");
    insta::assert_snapshot!(status_with_projects(&["b"], &fixture, "lsp_rename_symbol").await, @"[toy · ready · may be incomplete: looking for the name in other projects took too long]");
}

#[tokio::test]
async fn references_from_imported_data_are_a_list_of_their_own() {
    let projects = (1..=5).map(|project| format!("//- p{project}/use.toy\nunit\n"));
    let fixture = projects.fold("//- a.toy\nlet unit\nunit\n".to_owned(), |all, project| all + &project);
    let (toy, index) =
        ScriptedExactIndex::toy(&fixture, &["a.toy:1:unit definition", "a.toy:2:unit", "p5/use.toy:1:unit"]);
    toy.endpoint.files.lock().unwrap().push(("use.toy", ToyFile::Unread));
    toy.endpoint.other_projects.lock().unwrap().extend(["p1", "p2", "p3", "p4", "p5"]);
    insta::assert_snapshot!(call(&toy, "lsp_references", json!({ "symbol": "unit" })).await, @"
    at a.toy:1:5 unit (variable)
    2 references to `unit` in 1 file
    a.toy
      1:5  let unit  (declaration)
      2:1  unit
    5 further word matches in code (not checked): includeText=true
    1 more reference in 1 file of projects that no server has answered about (scip 3f2a91c, not checked by a server)
    p5/use.toy
      1:1  unit
    [toy · ready · may be incomplete: `unit` also occurs in p5 (not queried; allProjects=true queries all)]
    ");
    insta::assert_snapshot!(call(&toy, "lsp_references", json!({ "symbol": "unit", "format": "json" })).await, @r#"{"resolved":{"at":"a.toy:1:5","name":"unit","kind":"variable"},"items":[{"path":"a.toy","range":{"start":{"line":0,"character":4},"end":{"line":0,"character":8}},"text":"let unit","declaration":true},{"path":"a.toy","range":{"start":{"line":1,"character":0},"end":{"line":1,"character":4}},"text":"unit"}],"total":2,"furtherWordMatches":5,"unqueriedProjects":{"source":"scip","origins":["3f2a91c"],"items":[{"path":"p5/use.toy","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":4}},"text":"unit"}],"total":1},"status":{"endpoint":"toy","readiness":"ready","complete":false,"note":"may be incomplete: `unit` also occurs in p5 (not queried; allProjects=true queries all)","source":"server"}}"#);
    *index.error.lock().unwrap() = Some(ExactIndexError::Unreachable("connection refused".to_owned()));
    let status = call(&toy, "lsp_references", json!({ "symbol": "unit" })).await;
    insta::assert_snapshot!(status.lines().last().unwrap(), @"[toy · ready · may be incomplete: `unit` also occurs in p5 (not queried; allProjects=true queries all) · team index unreachable: connection refused]");
    *index.error.lock().unwrap() = None;
    // The other pages have the servers' list only, as has the answer about the symbol.
    let next = json!({ "symbol": "unit", "limit": 1, "cursor": "1" });
    for (tool, arguments) in [("lsp_references", next), ("lsp_explain", json!({ "symbol": "unit" }))] {
        let answer = call(&toy, tool, arguments).await;
        assert!(!answer.contains("3f2a91c"), "{answer}");
    }
}
