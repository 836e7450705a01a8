//! Invalid calls. The agent receives the error and a hint; nothing else happens. The surfaces' tests cover misspelt
//! names, missing positions and unknown plans.

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::{Project, Zubi};

/// A file larger than any source, in bytes.
const LARGE: usize = 20 * 1024 * 1024;

#[tokio::test]
async fn invalid_inputs_are_rejected_with_a_hint() {
    let project = Project::fixture("python");
    project.write("large.py", &"# filler\n".repeat(LARGE / 9));
    std::fs::write(project.root().join("binary.py"), [0, 159, 146, 150, 0, 1]).expect("a new file");
    std::fs::write(project.root().join("latin.py"), b"name = 'caf\xe9'\n").expect("a new file");
    let outside = project.root().parent().expect("a parent").join("outside.py");
    std::fs::write(&outside, "secret = 1\n").expect("a new file");
    std::os::unix::fs::symlink(&outside, project.root().join("link.py")).expect("a new link");
    std::os::unix::fs::symlink("circle.py", project.root().join("circle.py")).expect("a new link");
    let zubi = Zubi::start(&project, &["ty"]).await;
    let path = |path: &str| json!({ "path": path });
    let at = |at: &str| json!({ "at": at });
    let table: &[(&str, Value)] = &[
        ("lsp_document_symbols", path("nowhere.py")),
        ("lsp_document_symbols", path("")),
        ("lsp_document_symbols", path("a\u{0}b.py")),
        ("lsp_document_symbols", path("http://example.com/a.py")),
        ("lsp_document_symbols", path("shapes/*.rs")),
        ("lsp_document_symbols", path("binary.py")),
        ("lsp_document_symbols", path("latin.py")),
        ("lsp_document_symbols", path("large.py")),
        ("lsp_document_symbols", path(outside.as_str())),
        ("lsp_document_symbols", path("link.py")),
        ("lsp_document_symbols", path("circle.py")),
        ("lsp_diagnostics", path("binary.py")),
        ("lsp_format_document", path("large.py")),
        ("lsp_hover", at("shapes/shape.py:9999:1")),
        ("lsp_hover", at("shapes/shape.py:4294967295:4294967295")),
        ("lsp_hover", at("shapes/shape.py:0:1")),
        ("lsp_hover", at("shapes/shape.py:35:9999")),
        ("lsp_hover", at("shapes/shape.py")),
        ("lsp_hover", at("link.py:1:1")),
        ("lsp_hover", json!({ "uri": "shapes/shape.py", "line": 9999, "character": 0 })),
        ("lsp_hover", json!({ "uri": "shapes/shape.py", "line": -1, "character": 0 })),
        ("lsp_hover", json!({ "uri": "shapes/shape.py", "line": 34, "character": 1.5 })),
        ("lsp_hover", json!({ "symbol": "total_area", "at": "shapes/shape.py:35:5" })),
        ("lsp_hover", json!({ "symbol": "total_area", "path": 7 })),
        ("lsp_hover", json!({ "symbol": "total_area", "waitMs": "long" })),
        ("lsp_hover", json!({ "symbol": "total_area", "nonsense": true })),
        ("lsp_references", json!({ "symbol": "total_area", "cursor": "x" })),
        ("lsp_workspace_symbols", json!({ "query": "" })),
        ("lsp_rename_symbol", json!({ "symbol": "total_area", "newName": "" })),
        ("lsp_rename_symbol", json!({ "symbol": "total_area", "newName": "a\nb" })),
        ("apply_edit", json!({ "plan": "../../etc/passwd" })),
        ("undo_edit", json!({})),
    ];
    let mut texts = Vec::new();
    for (tool, arguments) in table {
        let answer = zubi.call(tool, arguments.clone()).await;
        assert!(answer.is_error, "{tool} {arguments}:\n{}", answer.text);
        let text = answer.text.replace(outside.as_str(), "[outside]");
        texts.push(format!("{tool} {}\n{text}", arguments.to_string().replace(outside.as_str(), "[outside]")));
    }
    assert_snapshot!(texts.join("\n────\n"), @r#"
    lsp_document_symbols {"path":"nowhere.py"}
    Invalid input: path: `nowhere.py` does not exist in the workspace; paths are relative to `[project]`
    Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    ────
    lsp_document_symbols {"path":""}
    Invalid input: path: missing
    Pass path: "src/lib.rs".
    ────
    lsp_document_symbols {"path":"a\u0000b.py"}
    Invalid input: path: `ab.py` is not a file path or `file://` URI
    Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    ────
    lsp_document_symbols {"path":"http://example.com/a.py"}
    Invalid input: path: `http://example.com/a.py` is not a file path or `file://` URI
    Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    ────
    lsp_document_symbols {"path":"shapes/*.rs"}
    Invalid input: path: no file of the workspace matches
    Ignored and generated files are left out. A pattern such as `src/**/*.rs` is relative to the workspace: `*` matches within a name, `**` any folders, `[[]` a bracket.
    ────
    lsp_document_symbols {"path":"binary.py"}
    Failed to outline the file: `[project]/binary.py` is not UTF-8 text
    Name a text file of the workspace.
    ────
    lsp_document_symbols {"path":"latin.py"}
    Failed to outline the file: `[project]/latin.py` is not UTF-8 text
    Name a text file of the workspace.
    ────
    lsp_document_symbols {"path":"large.py"}
    Failed to outline the file: `[project]/large.py` has 20971512 bytes, more than the 8388608 that are read as source text
    Name a text file of the workspace.
    ────
    lsp_document_symbols {"path":"[outside]"}
    Invalid input: path: `[outside]` is outside the workspace `[project]`
    Outside the workspace, only a file that an answer has shown can be read: `lsp_definition` from a use in the workspace shows the source of a library. The user can start zubi with that folder.
    ────
    lsp_document_symbols {"path":"link.py"}
    Invalid input: path: `link.py` is outside the workspace `[project]`
    Outside the workspace, only a file that an answer has shown can be read: `lsp_definition` from a use in the workspace shows the source of a library. The user can start zubi with that folder.
    ────
    lsp_document_symbols {"path":"circle.py"}
    Invalid input: path: `circle.py` leads nowhere: `circle.py` is a symbolic link to `circle.py`, which leads in a circle
    Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    ────
    lsp_diagnostics {"path":"binary.py"}
    Failed to check for diagnostics: `[project]/binary.py` is not UTF-8 text
    Name a text file of the workspace.
    ────
    lsp_format_document {"path":"large.py"}
    Failed to format the file: ty cannot format this file
    No formatter for Python is installed. With `ruff` on the PATH zubi formats by its server; `black`, `autopep8` and `yapf` are commands to run yourself.
    ────
    lsp_hover {"at":"shapes/shape.py:9999:1"}
    Invalid input: at: line 9999 is past the end; `shapes/shape.py` has 38 lines
    `lsp_document_symbols` shows where things are now.
    ────
    lsp_hover {"at":"shapes/shape.py:4294967295:4294967295"}
    Invalid input: at: line 4294967295 is past the end; `shapes/shape.py` has 38 lines
    `lsp_document_symbols` shows where things are now.
    ────
    lsp_hover {"at":"shapes/shape.py:0:1"}
    Invalid input: at: lines count from 1
    Use at: "src/lib.rs:12:5" (1-based line and column) or at: "src/lib.rs:12 fn parse" (text of that line).
    ────
    lsp_hover {"at":"shapes/shape.py:35:9999"}
    Invalid input: at: there is no identifier at column 68 of line 35
    Identifiers on line 35:
      at: "shapes/shape.py:35:1" (`def`)
      at: "shapes/shape.py:35:5" (`total_area`)
      at: "shapes/shape.py:35:16" (`first`)
      at: "shapes/shape.py:35:23" (`Shape`)
      at: "shapes/shape.py:35:30" (`second`)
      at: "shapes/shape.py:35:38" (`Shape`)
      at: "shapes/shape.py:35:45" (`scale`)
      at: "shapes/shape.py:35:52" (`float`)
    ────
    lsp_hover {"at":"shapes/shape.py"}
    Invalid input: at: `shapes/shape.py` is not a place
    Use at: "src/lib.rs:12:5" (1-based line and column) or at: "src/lib.rs:12 fn parse" (text of that line).
    ────
    lsp_hover {"at":"link.py:1:1"}
    Invalid input: path: `link.py` is outside the workspace `[project]`
    Outside the workspace, only a file that an answer has shown can be read: `lsp_definition` from a use in the workspace shows the source of a library. The user can start zubi with that folder.
    ────
    lsp_hover {"uri":"shapes/shape.py","line":9999,"character":0}
    Invalid input: line: line 9999 (0-based) is past the end; `shapes/shape.py` has 38 lines
    Lines of `uri`/`line`/`character` count from 0; the `at` form counts from 1.
    ────
    lsp_hover {"uri":"shapes/shape.py","line":-1,"character":0}
    Invalid input: line: must be at least 0, got -1
    `line` (integer): 0-based
    ────
    lsp_hover {"uri":"shapes/shape.py","line":34,"character":1.5}
    Invalid input: character: expected integer, got 1.5
    `character` (integer): 0-based, in UTF-16
    ────
    lsp_hover {"symbol":"total_area","at":"shapes/shape.py:35:5"}
    Invalid input: position: the position was given in more than one way
    Give the position in exactly one of two ways:
      symbol: "Type/method" (optionally with path: "src/lib.rs")
      at: "src/lib.rs:12:5" (1-based, as answers print it) or at: "src/lib.rs:12 fn parse"
    ────
    lsp_hover {"symbol":"total_area","path":7}
    Invalid input: path: expected string, got 7
    `path` (string): File or folder
    ────
    lsp_hover {"symbol":"total_area","waitMs":"long"}
    Invalid input: waitMs: expected integer, got "long"
    `waitMs` (integer): For servers, default 30000
    ────
    lsp_hover {"symbol":"total_area","nonsense":true}
    Invalid input: nonsense: no such parameter
    lsp_hover takes symbol (string), path (string), at (string), uri (string), line (integer), character (integer), maxTokens (integer), waitMs (integer), format ("text"|"json").
    ────
    lsp_references {"symbol":"total_area","cursor":"x"}
    Invalid input: cursor: not a cursor
    Pass the cursor from the cut answer, or omit it.
    ────
    lsp_workspace_symbols {"query":""}
    Invalid input: query: the query is empty
    Give (the beginning of) a name.
    ────
    lsp_rename_symbol {"symbol":"total_area","newName":""}
    Invalid input: newName: the new name is empty or holds control characters
    Give an identifier of the language.
    ────
    lsp_rename_symbol {"symbol":"total_area","newName":"a\nb"}
    Invalid input: newName: the new name is empty or holds control characters
    Give an identifier of the language.
    ────
    apply_edit {"plan":"../../etc/passwd"}
    Failed to apply the edit: `../../etc/passwd` is neither a plan (`p-…`) nor an action (`a-…`)
    Give the `plan` or `action` exactly as the tool that made it printed it.
    ────
    undo_edit {}
    Invalid input: plan: is required
    `plan` (string): Applied p-… or a-… Example: {"plan":"p-[plan]"}
    "#);
    let hover = zubi.call_stable("lsp_hover", at("shapes/shape.py:35 total_area")).await;
    assert!(hover.ends_with("[ty · ready]"), "{hover}");
}

#[tokio::test]
async fn a_workspace_deleted_during_a_session() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, &["ty"]).await;
    zubi.call_stable("lsp_hover", json!({ "symbol": "total_area" })).await;
    std::fs::remove_dir_all(project.root()).expect("removed");
    let mut texts = Vec::new();
    for (tool, arguments) in [
        ("lsp_hover", json!({ "symbol": "total_area" })),
        ("lsp_document_symbols", json!({ "path": "shapes/shape.py" })),
        ("lsp_workspace_symbols", json!({ "query": "total_area" })),
        ("lsp_diagnostics", json!({})),
    ] {
        texts.push(format!("{tool}: {}", zubi.call(tool, arguments).await.text));
    }
    assert_snapshot!(texts.join("\n"), @"
    lsp_hover: Failed to explain the symbol: the workspace folder `[project]` no longer exists
    restore it, or start zubi in another folder
    lsp_document_symbols: Invalid input: path: `shapes/shape.py` does not exist in the workspace; paths are relative to `[project]`
    Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    lsp_workspace_symbols: Failed to search symbols: the workspace folder `[project]` no longer exists
    restore it, or start zubi in another folder
    lsp_diagnostics: Failed to check for diagnostics: the workspace folder `[project]` no longer exists
    restore it, or start zubi in another folder
    ");
    assert_eq!(zubi.close().await, Some(0));
}
