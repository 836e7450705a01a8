//! Answers of the tools that replace texts in several files, and the bytes that they write.

use std::sync::Arc;

use serde_json::{Value, json};
use zubi_code::testing::Toy;
use zubi_tool_api::audit::NoAudit;
use zubi_tool_api::cx::Restrictions;

use crate::support::{call, call_in, cx, plan_of, registry, restricted_registry, without_ids};

const NOTES: &str = "\
//- app.toy
let unit
print unit unit
//- docs/guide.md
The unit is one.
Another unit.
";

async fn call_masked(toy: &Toy, tool: &str, args: Value) -> String {
    without_ids(&call(toy, tool, args).await).replace(toy.root.as_str(), "[root]")
}

fn read(toy: &Toy, path: &str) -> String {
    String::from_utf8(std::fs::read(toy.root.join(path)).unwrap()).unwrap()
}

fn write(toy: &Toy, path: &str, text: &str) {
    zubi_base::fs::write_atomic(&toy.root.join(path), text.as_bytes()).unwrap();
}

#[tokio::test]
async fn edit_files() {
    let toy = Toy::new(NOTES);
    write(&toy, "docs/windows.md", "\u{feff}The unit\r\nis one.\r\nEnd");
    let edits = json!([
        { "path": "app.toy", "old": "unit", "new": "size", "all": true },
        { "path": "docs/windows.md", "old": "unit\nis", "new": "size\n\nis" },
        { "file_path": "docs/guide.md", "old_string": "unit", "new_string": "", "at": 2 },
    ]);
    let answer = call(&toy, "edit_files", json!({ "edits": edits })).await;
    insta::assert_snapshot!(without_ids(&answer).replace("\u{feff}", "[BOM]"), @r#"
    plan p-…: edit app.toy, docs/guide.md, docs/windows.md, 5 edits in 3 files; nothing is written yet
    diff --git a/app.toy b/app.toy
    --- a/app.toy
    +++ b/app.toy
    @@ -1,2 +1,2 @@
    -let unit
    -print unit unit
    +let size
    +print size size
    diff --git a/docs/guide.md b/docs/guide.md
    --- a/docs/guide.md
    +++ b/docs/guide.md
    @@ -1,2 +1,2 @@
     The unit is one.
    -Another unit.
    +Another .
    diff --git a/docs/windows.md b/docs/windows.md
    --- a/docs/windows.md
    +++ b/docs/windows.md
    @@ -1,3 +1,4 @@
    -The unit
    +The size
    +
     is one.
     End
    \ No newline at end of file
    apply_edit {"plan":"p-…"} writes it
    [disk · 3 files]
    "#);
    assert!(read(&toy, "app.toy").contains("unit"), "nothing is written");
    let plan = plan_of(&answer);
    insta::assert_snapshot!(call_masked(&toy, "apply_edit", json!({ "plan": plan })).await, @r#"
    applied p-…: edit app.toy, docs/guide.md, docs/windows.md in 3 files
    undo_edit {"plan":"p-…"} undoes it
      app.toy  written
      docs/guide.md  written
      docs/windows.md  written
    problems: no change
    [toy · ready]
    "#);
    assert_eq!(read(&toy, "docs/windows.md"), "\u{feff}The size\r\n\r\nis one.\r\nEnd");
    assert_eq!(read(&toy, "docs/guide.md"), "The unit is one.\nAnother .\n");
    insta::assert_snapshot!(call_masked(&toy, "undo_edit", json!({ "plan": plan })).await, @"
    undone p-…: edit app.toy, docs/guide.md, docs/windows.md in 3 files
      docs/windows.md  written
      docs/guide.md  written
      app.toy  written
    problems: no change
    [toy · ready]
    ");
    assert_eq!(read(&toy, "docs/windows.md"), "\u{feff}The unit\r\nis one.\r\nEnd");

    let once = json!({ "edits": [{ "path": "docs/guide.md", "old": "one", "new": "two" }], "apply": true });
    insta::assert_snapshot!(call_masked(&toy, "edit_files", once.clone()).await, @r#"
    applied p-…: edit docs/guide.md in 1 file
    undo_edit {"plan":"p-…"} undoes it
    note: 1 edit
      docs/guide.md  written
    [no server · problems not compared: no server for .md]
    "#);
    assert!(read(&toy, "docs/guide.md").contains("two"));
    insta::assert_snapshot!(call_masked(&toy, "edit_files", once).await, @"
    Invalid input: edits: edits[0].old: not in `docs/guide.md`
    Nothing is planned. Give old exactly as in the file, with all: true for every occurrence, or at: a line for the nearest one.
    ");
    let data = json!({ "edits": [{ "path": "docs/guide.md", "old": "two", "new": "one" }], "format": "json" });
    insta::assert_snapshot!(call_masked(&toy, "edit_files", data).await, @r#"{"plan":"p-…","title":"edit docs/guide.md","items":[{"path":"docs/guide.md","edits":1}],"total":1,"diff":"diff --git a/docs/guide.md b/docs/guide.md\n--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -1,2 +1,2 @@\n-The unit is two.\n+The unit is one.\n Another unit.\n","notes":[],"status":{"endpoint":"disk","readiness":"1 file","complete":true}}"#);
}

#[tokio::test]
async fn invalid_edits_are_refused() {
    let toy = Toy::new(NOTES);
    let edit = |path: &str, old: &str, at: &str| json!({ "path": path, "old": old, "new": "x", "at": at });
    for (edits, expected) in [
        (json!([edit("docs/guide.md", "unit", "docs/guide.md:1:5")]), "plan p-…"),
        (json!([edit("./docs/guide.md", "unit", "docs/guide.md:2")]), "plan p-…"),
        (
            json!([edit("docs/guide.md", "unit", "app.toy:2")]),
            "Invalid input: edits: edits[0].at: `app.toy` is not the file of the edit",
        ),
        (
            json!([edit("docs/guide.md", "unit", "line two")]),
            "Invalid input: edits: edits[0].at: `line two` has no line",
        ),
        (json!([edit("docs/guide.md", "unit", "0")]), "Invalid input: edits: edits[0].at: `0` has no line"),
        (json!([edit(".git/config", "unit", "")]), "Invalid input: edits: edits[0].path: `.git/config` does not exist"),
        (json!([]), "Invalid input: edits: there must be 1 to 1000 edits"),
        (json!([{ "path": "app.toy", "old": "unit" }]), "Invalid input: edits[0].new: is required"),
    ] {
        let answer = call_masked(&toy, "edit_files", json!({ "edits": edits })).await;
        assert!(answer.starts_with(expected), "{edits}: {answer}");
    }
}

#[tokio::test]
async fn replace_in_files() {
    let toy = Toy::new(NOTES);
    let all = json!({ "pattern": "unit", "replacement": "size", "glob": "." });
    insta::assert_snapshot!(call_masked(&toy, "replace_in_files", all.clone()).await, @r#"
    plan p-…: replace `unit` by `size`, 5 edits in 2 files; nothing is written yet
    app.toy
      1. 1:5  let unit
           →  let size
      2. 2:7  print unit unit
           →  print size unit
      3. 2:12  print unit unit
            →  print unit size
    docs/guide.md
      4. 1:5  The unit is one.
           →  The size is one.
      5. 2:9  Another unit.
           →  Another size.
    apply_edit {"plan":"p-…"} writes it
    [disk · 2 files searched]
    "#);
    let with = |more: Value| {
        let mut args = all.clone();
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    let page = json!({ "limit": 2, "cursor": "1", "occurrences": [1, "3-4"] });
    insta::assert_snapshot!(call_masked(&toy, "replace_in_files", with(page)).await, @r#"
    plan p-…: replace `unit` by `size`, 3 edits in 2 files; nothing is written yet
    3 of 5 occurrences chosen
    app.toy
      3. 2:12  print unit unit
            →  print unit size
    docs/guide.md
      4. 1:5  The unit is one.
           →  The size is one.
    apply_edit {"plan":"p-…"} writes it
    [disk · 2 files searched]
    "#);
    let data = json!({ "format": "json", "occurrences": "5" });
    insta::assert_snapshot!(call_masked(&toy, "replace_in_files", with(data)).await, @r#"{"plan":"p-…","title":"replace `unit` by `size`","items":[{"number":5,"path":"docs/guide.md","line":2,"column":9,"before":"Another unit.","after":"Another size."}],"planned":1,"total":5,"files":1,"searchedFiles":2,"notes":[],"status":{"endpoint":"disk","readiness":"2 files searched","complete":true}}"#);
    for (more, expected) in [
        (json!({ "occurrences": "0" }), "Invalid input: occurrences: invalid number `0`; write 1-3,7"),
        (json!({ "occurrences": [9] }), "Invalid input: occurrences: there is no number 9: the numbers are 1 to 5"),
        (json!({ "glob": "../x" }), "Invalid input: glob: `../x` "),
        (json!({ "pattern": "(", "regex": true }), "Invalid input: pattern: regex parse error"),
        (
            json!({ "pattern": "u(n)", "replacement": "$2", "regex": true }),
            "Invalid input: replacement: the pattern has no group `2`",
        ),
        (json!({ "cursor": "99" }), "Invalid input: cursor: past the end"),
    ] {
        let answer = call_masked(&toy, "replace_in_files", with(more.clone())).await;
        assert!(answer.starts_with(expected), "{more}: {answer}");
    }
    let regex = json!({ "pattern": r"(\w+) unit", "replacement": "$1", "regex": true, "apply": true, "glob": "*.md" });
    let answer = call(&toy, "replace_in_files", with(regex)).await;
    insta::assert_snapshot!(without_ids(&answer), @r#"
    applied p-…: replace `(\w+) unit` by `$1` in 1 file
    undo_edit {"plan":"p-…"} undoes it
    note: 2 edits
      docs/guide.md  written
    [no server · problems not compared: no server for .md]
    "#);
    assert_eq!(read(&toy, "docs/guide.md"), "The is one.\nAnother.\n");
    call(&toy, "undo_edit", json!({ "plan": plan_of(&answer) })).await;
    assert_eq!(read(&toy, "docs/guide.md"), "The unit is one.\nAnother unit.\n");
}

/// The plan is applied by `apply_edit` with its own rights.
#[tokio::test]
async fn a_session_that_cannot_apply_plans_cannot_apply_at_once() {
    let toy = Toy::new(NOTES);
    let args = json!({ "pattern": "unit", "replacement": "size", "glob": ".", "apply": true });
    let restricted = |tools: &[&str]| Restrictions {
        tools: vec![tools.iter().map(|tool| (*tool).to_owned()).collect()],
        ..Restrictions::default()
    };
    let own_registry = registry(&toy);
    let answer = call_in(&own_registry, "replace_in_files", args.clone(), cx(&toy, restricted(&["!apply_edit"]))).await;
    assert!(without_ids(&answer).contains("`apply_edit`: it is switched off here (`tools`)"), "{answer}");
    let read_only = Restrictions { read_only: true, ..Restrictions::default() };
    let registry = restricted_registry(&toy, read_only, Arc::new(NoAudit));
    let answer = call_in(&registry, "replace_in_files", args.clone(), cx(&toy, Restrictions::default())).await;
    assert!(answer.starts_with("unknown tool replace_in_files"), "{answer}");
    assert!(read(&toy, "app.toy").contains("unit"), "nothing is written");
    // A session that lists only this tool has those that apply and revert its plans.
    let answer = call_in(&own_registry, "replace_in_files", args, cx(&toy, restricted(&["replace_in_files"]))).await;
    assert!(answer.starts_with("applied p-"), "{answer}");
}

const PLACES: &str = "//- a.py\nclass K:\n    a = 1  # tail\n    def m(self): return 1\n    def n(self):\n        x = 1\n        return x\ndef one(): return 1\nb = 1; c = 2\n";

/// A line means the symbol that it declares, never the one around it.
#[tokio::test]
async fn edit_symbol_takes_the_symbol_of_the_line() {
    for (at, expected) in [
        ("a.py:1", "delete `K`"),
        ("a.py:2", "delete `K/a`"),
        ("a.py:2 a = 1", "delete `K/a`"),
        ("a.py:2:5", "delete `K/a`"),
        ("a.py:3", "delete `K/m`"),
        ("a.py:4 def n", "delete `K/n`"),
        ("a.py:5", "no symbol is declared there; it is inside `K/n` (method 4)"),
        ("a.py:6:9", "no symbol is declared there; it is inside `K/n` (method 4)"),
        ("a.py:7", "delete `one`"),
        ("a.py:8", "several symbols are declared there: `b`, `c`"),
        ("a.py:8 c = 2", "delete `c`"),
    ] {
        let toy = Toy::new(PLACES);
        let answer = call(&toy, "edit_symbol", json!({ "at": at, "action": "delete", "force": true })).await;
        assert!(answer.contains(expected), "{at}: {answer}");
    }
    let toy = Toy::new(PLACES);
    let both = json!({ "at": "a.py:7", "symbol": "K", "action": "delete", "force": true });
    let answer = call(&toy, "edit_symbol", both).await;
    assert!(answer.starts_with("Invalid input: symbol: given together with at\n"), "{answer}");
    for (at, expected) in [("a.py:3", "method K/m"), ("a.py:5", "method K/n"), ("a.py:7", "function one")] {
        let answer = call(&toy, "read_symbol", json!({ "at": at })).await;
        assert!(answer.lines().next().is_some_and(|line| line.contains(expected)), "{at}: {answer}");
    }
}
