//! Answers of the tools that search and replace by structure.

use serde_json::{Value, json};
use zubi_base::fs;
use zubi_code::testing::Toy;

use crate::support::{call, plan_of, without_ids};

const LOGS: &str = "\
//- app/a.py
import logging
log = logging.getLogger(__name__)


def price(value):
    log.info('%s', value)  # log.info('no', 1)
    if value:
        return log.info(
            'é %s',  # a comment
            log.info('x', 1),
        )
//- app/b.ts
const log = logging.getLogger(\"b\");
//- app/c.css
a { color: red }
//- app/broken.py
log.info('a', 1)
def (
//- notes.txt
log.info('a', 1)
";

fn read(toy: &Toy, path: &str) -> String {
    String::from_utf8(std::fs::read(toy.root.join(path)).unwrap()).unwrap()
}

async fn check(tool: &str, args: Value) -> String {
    let toy = Toy::new(LOGS);
    without_ids(&call(&toy, tool, args).await).replace(toy.root.as_str(), "[root]")
}

#[tokio::test]
async fn search() {
    insta::assert_snapshot!(check("ast_search", json!({ "pattern": "log.info($A, $B)", "path": "app" })).await, @r"
    4 matches in 2 files, of 3 files searched (python, typescript)
    app/a.py
      6:5  log.info('%s', value)  # log.info('no', 1)
      8:16  return log.info(  (to line 11)
      10:13  log.info('x', 1),
    app/broken.py
      1:1  log.info('a', 1)
    [syntax only: names not resolved · syntax errors, so matches may be missing: app/broken.py · not searched, because the pattern or the kind is not valid in the language: css (1)]
    ");
    insta::assert_snapshot!(check("ast_search", json!({ "pattern": "logging.getLogger($A)", "captures": true })).await, @r#"
    2 matches in 2 files, of 3 files searched (python, typescript)
    app/a.py
      2:7  log = logging.getLogger(__name__)
          $A: __name__
    app/b.ts
      1:13  const log = logging.getLogger("b");
          $A: "b"
    [syntax only: names not resolved · not searched, because the pattern or the kind is not valid in the language: css (1) · 1 file in other languages]
    "#);
    insta::assert_snapshot!(check("ast_search", json!({ "pattern": "log.debug($$$)", "language": "py" })).await, @r"
    no match in 2 files (python)
    [syntax only: names not resolved · 3 files in other languages]
    ");
}

#[tokio::test]
async fn search_by_kind() {
    let kind = async |args: Value| check("ast_search", args).await;
    insta::assert_snapshot!(kind(json!({ "kind": "if_statement", "path": "app" })).await, @"
    1 match in 1 file, of 3 files searched (python, typescript)
    app/a.py
      7:5  if value:  (to line 11)
    [syntax only: names not resolved · syntax errors, so matches may be missing: app/broken.py · not searched, because the pattern or the kind is not valid in the language: css (1)]
    ");
    insta::assert_snapshot!(kind(json!({ "kind": "return_statement", "pattern": "return $A", "path": "app" })).await, @"
    1 match in 1 file, of 3 files searched (python, typescript)
    app/a.py
      8:9  return log.info(  (to line 11)
    [syntax only: names not resolved · syntax errors, so matches may be missing: app/broken.py · not searched, because the pattern or the kind is not valid in the language: css (1)]
    ");
    insta::assert_snapshot!(kind(json!({ "kind": "if_statment", "language": "python" })).await, @"
    Invalid input: kind: no node of python has the kind `if_statment`; there are if_statement, with_statement, for_statement, try_statement, print_statement
    Use a kind of the language's tree-sitter grammar, and a pattern that can be such a node, or none.
    ");
    insta::assert_snapshot!(kind(json!({ "kind": "xyz", "language": "python" })).await, @"
    Invalid input: kind: no node of python has the kind `xyz`; there are class_definition, decorated_definition, function_definition, with_item
    Use a kind of the language's tree-sitter grammar, and a pattern that can be such a node, or none.
    ");
    insta::assert_snapshot!(kind(json!({ "kind": "if_statement", "pattern": "log.info($A)", "language": "python" })).await, @"
    no match in 2 files (python)
    [syntax only: names not resolved · syntax errors, so matches may be missing: app/broken.py · 3 files in other languages]
    ");
    insta::assert_snapshot!(kind(json!({ "path": "app" })).await, @"
    Invalid input: pattern: there is neither a pattern nor a kind
    Give a pattern such as `$VALUE.unwrap()`, or the kind of a node such as `function_item`.
    ");
}

#[tokio::test]
async fn search_in_pages() {
    let args = json!({ "pattern": "log.info($$$)", "language": "python", "path": "app/a.py", "limit": 2 });
    insta::assert_snapshot!(check("ast_search", args).await, @r#"
    3 matches in 1 file, of 1 file searched (python)
    app/a.py
      6:5  log.info('%s', value)  # log.info('no', 1)
      8:16  return log.info(  (to line 11)
    … 1 more: cursor="2"
    [syntax only: names not resolved]
    "#);
    let args = json!({ "pattern": "log.info($$$)", "language": "python", "path": "app/a.py", "cursor": "2" });
    insta::assert_snapshot!(check("ast_search", args).await, @r"
    3 matches in 1 file, of 1 file searched (python)
    app/a.py
      10:13  log.info('x', 1),
    [syntax only: names not resolved]
    ");
}

#[tokio::test]
async fn search_as_json() {
    let args = json!({ "pattern": "logging.getLogger($A)", "path": "**/*.ts", "captures": true, "format": "json" });
    let answer: Value = serde_json::from_str(&check("ast_search", args).await).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer).unwrap(), @r#"
    {
      "items": [
        {
          "path": "app/b.ts",
          "range": {
            "start": {
              "line": 0,
              "character": 12
            },
            "end": {
              "line": 0,
              "character": 34
            }
          },
          "text": "const log = logging.getLogger(\"b\");",
          "language": "typescript",
          "captures": {
            "$A": {
              "range": {
                "start": {
                  "line": 0,
                  "character": 30
                },
                "end": {
                  "line": 0,
                  "character": 33
                }
              },
              "text": "\"b\""
            }
          }
        }
      ],
      "total": 1,
      "searchedFiles": 1,
      "languages": [
        "typescript"
      ],
      "status": {
        "endpoint": "syntax only: names not resolved",
        "readiness": "",
        "complete": null,
        "source": "syntax"
      }
    }
    "#);
}

/// None of them is an empty answer.
#[tokio::test]
async fn errors() {
    let mut errors = Vec::new();
    for args in [
        json!({ "pattern": "log.info(", "path": "app/a.py" }),
        json!({ "pattern": "log.info(", "language": "python" }),
        json!({ "pattern": "log.info($A)", "language": "cobol" }),
        json!({ "pattern": "log.info($A)", "path": "notes.txt" }),
        json!({ "pattern": "log.info($A)", "path": "absent" }),
        json!({ "pattern": "$A", "language": "python" }),
        json!({ "pattern": "log.info(", "path": "app" }),
    ] {
        errors.push(check("ast_search", args).await);
    }
    for args in [
        json!({ "pattern": "log.debug($A)", "rewrite": "x($A)", "path": "app/a.py" }),
        json!({ "pattern": "log.info($$$A)", "rewrite": "x($B)", "path": "app/a.py" }),
        json!({ "pattern": "log.info($$$A)", "rewrite": "log.info($$$A)", "path": "app/broken.py" }),
    ] {
        errors.push(check("ast_rewrite", args).await);
    }
    insta::assert_snapshot!(errors.join("\n---\n"), @r#"
    Invalid input: pattern: the pattern is not valid python code; an example: `print($$$ARGS)`
    Write a whole expression, statement or declaration as in the file; `$NAME` matches one part, `$$$ARGS` any number.
    ---
    Invalid input: pattern: the pattern is not valid python code; an example: `print($$$ARGS)`
    Write a whole expression, statement or declaration as in the file; `$NAME` matches one part, `$$$ARGS` any number.
    ---
    Invalid input: language: unknown language `cobol`
    Use one of: astro, c, cpp, css, dart, elixir, go, html, java, javascript, json, lua, markdown, php, python, ruby, rust, shellscript, svelte, toml, typescript, typescriptreact, vue, yaml, zig.
    ---
    Invalid input: path: no file is in a language that zubi can parse
    Name a file, a folder or a pattern with sources, such as path: "src".
    ---
    Invalid input: path: `absent` does not exist in the workspace; paths are relative to `[root]`
    Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    ---
    Invalid input: pattern: the pattern matches everything; add code to it, as in `print($$$ARGS)`
    Write a whole expression, statement or declaration as in the file; `$NAME` matches one part, `$$$ARGS` any number.
    ---
    Invalid input: pattern: the pattern is not valid python code; an example: `print($$$ARGS)`; the pattern is not valid typescript code; an example: `console.log($$$ARGS)`; the pattern is not valid css code; an example: `color: $COLOR`
    Write a whole expression, statement or declaration as in the file; `$NAME` matches one part, `$$$ARGS` any number.
    ---
    Invalid input: pattern: no match in 1 file (python)
    Check the pattern with `ast_search`: a shorter one shows which part differs.
    ---
    Invalid input: rewrite: the pattern does not capture `$B`; it captures `$$$A`
    Use only metavariables of the pattern, as it writes them.
    ---
    Failed to plan the rewrite: the edit changes nothing
    There is nothing to apply.
    "#);
}

#[tokio::test]
async fn rewrite_apply_and_undo() {
    let toy = Toy::new(LOGS);
    let before = read(&toy, "app/a.py");
    let args =
        json!({ "pattern": "log.info($TEXT, $VALUE)", "rewrite": "log.info($TEXT, extra=$VALUE)", "path": "app" });
    let answer = call(&toy, "ast_rewrite", args).await;
    insta::assert_snapshot!(without_ids(&answer), @r#"
    plan p-…: rewrite `log.info($TEXT, $VALUE)` to `log.info($TEXT, extra=$VALUE)`, 3 edits in 2 files; nothing is written yet
    note: 1 match inside other matches left: app/a.py:10:13; apply this plan, then rewrite again
    note: comments between the parts of a match are lost: app/a.py:8:16
    diff --git a/app/a.py b/app/a.py
    --- a/app/a.py
    +++ b/app/a.py
    @@ -3,9 +3,6 @@
     
     
     def price(value):
    -    log.info('%s', value)  # log.info('no', 1)
    +    log.info('%s', extra=value)  # log.info('no', 1)
         if value:
    -        return log.info(
    -            'é %s',  # a comment
    -            log.info('x', 1),
    -        )
    +        return log.info('é %s', extra=log.info('x', 1))
    diff --git a/app/broken.py b/app/broken.py
    --- a/app/broken.py
    +++ b/app/broken.py
    @@ -1,2 +1,2 @@
    -log.info('a', 1)
    +log.info('a', extra=1)
     def (
    apply_edit {"plan":"p-…"} writes it
    [syntax only: names not resolved · syntax errors, so matches may be missing: app/broken.py · not searched, because the pattern or the kind is not valid in the language: css (1)]
    "#);
    assert_eq!(read(&toy, "app/a.py"), before);
    let plan = plan_of(&answer);
    insta::assert_snapshot!(without_ids(&call(&toy, "apply_edit", json!({ "plan": plan })).await), @r#"
    applied p-…: rewrite `log.info($TEXT, $VALUE)` to `log.info($TEXT, extra=$VALUE)` in 2 files
    undo_edit {"plan":"p-…"} undoes it
      app/a.py  written
      app/broken.py  written
    [no server · problems not compared: no server for .py]
    "#);
    insta::assert_snapshot!(read(&toy, "app/a.py"), @r"
    import logging
    log = logging.getLogger(__name__)


    def price(value):
        log.info('%s', extra=value)  # log.info('no', 1)
        if value:
            return log.info('é %s', extra=log.info('x', 1))
    ");
    insta::assert_snapshot!(without_ids(&call(&toy, "undo_edit", json!({ "plan": plan })).await), @r"
    undone p-…: rewrite `log.info($TEXT, $VALUE)` to `log.info($TEXT, extra=$VALUE)` in 2 files
      app/broken.py  written
      app/a.py  written
    [no server · problems not compared: no server for .py]
    ");
    assert_eq!(read(&toy, "app/a.py"), before);
}

#[tokio::test]
async fn a_rewrite_that_breaks_the_syntax_says_so() {
    let args = json!({ "pattern": "log.info($TEXT, $VALUE)", "rewrite": "log.info($TEXT", "path": "app/a.py" });
    let answer = check("ast_rewrite", args).await;
    assert!(answer.contains("note: the result has syntax errors: app/a.py"), "{answer}");
}

#[tokio::test]
async fn line_ends_and_marks_remain() {
    let toy = Toy::new(LOGS);
    let path = toy.root.join("app/d.py");
    fs::write_atomic(&path, "\u{feff}f(1)\r\nf(\r\n  'é', 2)\r\n".as_bytes()).unwrap();
    let args = json!({ "pattern": "f($$$A)", "rewrite": "g(\n    $$$A,\n)", "path": "app/d.py" });
    let answer = call(&toy, "ast_rewrite", args).await;
    let plan = plan_of(&answer);
    call(&toy, "apply_edit", json!({ "plan": plan })).await;
    let expected = "\u{feff}g(\r\n    1,\r\n)\r\ng(\r\n    'é', 2,\r\n)\r\n";
    assert_eq!(read(&toy, "app/d.py"), expected);
}
