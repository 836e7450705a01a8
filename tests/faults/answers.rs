//! Servers whose answers are too large, broken, for another request, or about foreign locations.

use insta::assert_snapshot;
use serde_json::json;

use crate::harness::{FaultyServer, hover, run_calls};

/// The settings for answers that take long to send.
const LONG_TIMEOUT: &str = "timeouts = { request_ms = 20000 }";

#[tokio::test]
async fn a_frame_of_a_gigabyte() {
    assert_snapshot!(run_calls("huge-frame", LONG_TIMEOUT, &[hover()]).await, @"
    Failed to explain the symbol: hostile broke the protocol: the answer has 1073741824 bytes, more than the 67108864 that are read
    Retry; if it happens again, report a defect of the server.
    ");
}

#[tokio::test]
async fn an_announced_frame_of_a_gigabyte_that_never_arrives() {
    assert_snapshot!(run_calls("huge-announced", "", &[hover(), hover()]).await, @"
    Failed to explain the symbol: hostile did not answer `textDocument/hover` within 2 s
    Retry: the server may be ready by then; zubi ends one that stays silent and starts it again.
    ────
    Failed to explain the symbol: hostile is not running: it sent no message while two requests ran out of time, and was ended
    retry the request: zubi starts the server again
    ");
}

#[tokio::test]
async fn an_answer_that_would_fill_the_memory() {
    assert_snapshot!(run_calls("many-values", LONG_TIMEOUT, &[hover()]).await, @"
    Failed to explain the symbol: hostile broke the protocol: a message is malformed: it has more than 2000000 values
    Retry; if it happens again, report a defect of the server.
    ");
}

#[tokio::test]
async fn unlimited_nesting() {
    assert_snapshot!(run_calls("deep", "", &[hover()]).await, @"
    Failed to explain the symbol: hostile broke the protocol: a message is malformed: not JSON: recursion limit exceeded at line 1 column 144
    Retry; if it happens again, report a defect of the server.
    ");
}

#[tokio::test]
async fn bytes_that_are_not_utf8() {
    assert_snapshot!(run_calls("not-utf8", "", &[hover()]).await, @"
    at a.hostile:1:1 alpha
    a ���� word
    [hostile · ready]
    ");
}

#[tokio::test]
async fn responses_with_unknown_ids() {
    assert_snapshot!(run_calls("wrong-ids", "", &[hover(), hover()]).await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ────
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
    assert_snapshot!(run_calls("lost-ids", "", &[hover()]).await, @"
    Failed to explain the symbol: hostile did not answer `textDocument/hover` within 2 s
    Retry: the server may be ready by then; zubi ends one that stays silent and starts it again.
    ");
}

#[tokio::test]
async fn capabilities_registered_late_never_or_removed() {
    assert_snapshot!(run_calls("late-registration", "", &[hover()]).await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
    assert_snapshot!(run_calls("no-capabilities", "", &[hover()]).await, @"
    Failed to explain the symbol: hostile cannot explain symbols
    Use another request, or read the file.
    ");
    assert_snapshot!(run_calls("unregisters", "", &[hover(), hover()]).await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ────
    Failed to explain the symbol: hostile cannot explain symbols
    Use another request, or read the file.
    ");
}

#[tokio::test]
async fn readiness_reported_early_never_or_twice() {
    let row = "readiness = { progress = { titles = [\"Indexing\"], project_files = [] } }";
    let short_wait = ("lsp_hover", json!({ "at": "a.hostile:1:1", "waitMs": 500 }));
    assert_snapshot!(run_calls("ready-never", row, &[short_wait]).await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · loading · may be incomplete: hostile was still loading; call again]
    ");
    assert_snapshot!(run_calls("ready-early", row, &[hover()]).await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
    assert_snapshot!(run_calls("ready-twice", row, &[hover()]).await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
}

#[tokio::test]
async fn a_silent_server_leaves_the_answer_to_the_texts() {
    let references = ("lsp_references", json!({ "at": "a.hostile:1:1" }));
    assert_snapshot!(run_calls("lost-ids", "", &[references]).await, @"
    at a.hostile:1:1 alpha
    1 word match of `alpha` in 1 file
    a.hostile
      1:1  alpha beta
    [text search: names only · hostile did not answer `textDocument/references` within 2 s: Retry: the server may be ready by then; zubi ends one that stays silent and starts it again.]
    ");
}

/// Every query about code.
const QUERIES: &[&str] = &[
    "lsp_hover",
    "lsp_definition",
    "lsp_references",
    "lsp_completion",
    "lsp_signature_help",
    "lsp_document_symbols",
    "lsp_code_actions",
    "lsp_format_document",
    "lsp_diagnostics",
    "lsp_rename_symbol",
];

#[tokio::test]
async fn answers_of_the_wrong_type() {
    let server = FaultyServer::with_fault("wrong-types", "").await;
    let mut texts = Vec::new();
    for tool in QUERIES {
        let arguments = match *tool {
            "lsp_document_symbols" | "lsp_format_document" | "lsp_diagnostics" => json!({ "path": "a.hostile" }),
            "lsp_rename_symbol" => json!({ "at": "a.hostile:1:1", "newName": "gamma" }),
            _ => json!({ "at": "a.hostile:1:1" }),
        };
        texts.push(format!("{tool}: {}", server.call_text((tool, arguments)).await));
    }
    server.end().await;
    assert_snapshot!(texts.join("\n"), @r#"
    lsp_hover: Failed to explain the symbol: hostile broke the protocol: its answer to `textDocument/hover` is not of a form that the protocol has
    Retry; if it happens again, report a defect of the server.
    lsp_definition: Failed to find the definition: hostile broke the protocol: its answer to `textDocument/definition` is not of a form that the protocol has
    Retry; if it happens again, report a defect of the server.
    lsp_references: Failed to find references: hostile broke the protocol: its answer to `textDocument/references` is not of a form that the protocol has
    Retry; if it happens again, report a defect of the server.
    lsp_completion: Failed to propose completions: hostile broke the protocol: its answer to `textDocument/completion` is not of a form that the protocol has
    Retry; if it happens again, report a defect of the server.
    lsp_signature_help: Failed to show signatures: hostile broke the protocol: its answer to `textDocument/signatureHelp` is not of a form that the protocol has
    Retry; if it happens again, report a defect of the server.
    lsp_document_symbols: Failed to outline the file: hostile broke the protocol: its answer to `textDocument/documentSymbol` is not of a form that the protocol has
    Retry; if it happens again, report a defect of the server.
    lsp_code_actions: Failed to list code actions: hostile broke the protocol: its answer to `textDocument/codeAction` is not of a form that the protocol has
    Retry; if it happens again, report a defect of the server.
    lsp_format_document: Failed to format the file: hostile broke the protocol: its formatting is not a list of edits: invalid type: string "a word", expected a sequence
    Retry; if it happens again, report a defect of the server.
    lsp_diagnostics: Failed to check for diagnostics: hostile broke the protocol: its diagnostic report is neither full nor unchanged
    Retry; if it happens again, report a defect of the server.
    lsp_rename_symbol: Failed to plan the rename: the server's edit is not a workspace edit: it is not an object
    Nothing was planned. Make this change by hand, or request a smaller one.
    "#);
}

#[tokio::test]
async fn locations_outside_the_workspace() {
    let at = json!({ "at": "a.hostile:1:1" });
    assert_snapshot!(run_calls("foreign-uris", "", &[("lsp_definition", at.clone()), ("lsp_references", at)]).await, @"
    at a.hostile:1:1 alpha
    9 definitions of `alpha`
     [31m  (external)
      7:3  (no text)
    /dev/zero (external)
      7:3  (cannot be read)
    /nowhere/at/all.hostile (external)
      7:3  (cannot be read)
    /proc/kmsg (external)
      7:3  (cannot be read)
    file:///%FF%FE (external)
      7:3  (no text: hostile gives none for `file:`)
    file:///%ZZ%00/a.hostile (external)
      7:3  (no text: hostile gives none for `file:`)
    file://host/share/a.hostile (external)
      7:3  (no text: hostile gives none for `file:`)
    http://example.com/a.hostile?x=1 (external)
      7:3  (no text: hostile gives none for `http:`)
    jdt://contents/java.base/java.lang/String.class (external)
      7:3  (no text: hostile gives none for `jdt:`)
    [hostile · ready · may be incomplete: 1 of the items that hostile answered cannot be read]
    ────
    at a.hostile:1:1 alpha
    9 references to `alpha` in 9 files
     [31m  (external)
      7:3  (no text)  (declaration)
    /dev/zero (external)
      7:3  (cannot be read)  (declaration)
    /nowhere/at/all.hostile (external)
      7:3  (cannot be read)  (declaration)
    /proc/kmsg (external)
      7:3  (cannot be read)  (declaration)
    file:///%FF%FE (external)
      7:3  (no text: hostile gives none for `file:`)  (declaration)
    file:///%ZZ%00/a.hostile (external)
      7:3  (no text: hostile gives none for `file:`)  (declaration)
    file://host/share/a.hostile (external)
      7:3  (no text: hostile gives none for `file:`)  (declaration)
    http://example.com/a.hostile?x=1 (external)
      7:3  (no text: hostile gives none for `http:`)  (declaration)
    jdt://contents/java.base/java.lang/String.class (external)
      7:3  (no text: hostile gives none for `jdt:`)  (declaration)
    [hostile · ready · may be incomplete: 1 of the items that hostile answered cannot be read]
    ");
}

#[tokio::test]
async fn forbidden_edits() {
    let rename = ("lsp_rename_symbol", json!({ "at": "a.hostile:1:1", "newName": "gamma" }));
    assert_snapshot!(run_calls("edit-outside", "", std::slice::from_ref(&rename)).await, @"
    Failed to plan the rename: the server wants to change `file://[beside]/outside.txt`, which is outside the workspace
    Nothing was planned. Make the change by hand in the files that may be edited.
    ");
    assert_snapshot!(run_calls("edit-through-link", "", std::slice::from_ref(&rename)).await, @"
    Failed to plan the rename: the server wants to change `file://[project]/link/secret.txt`, which is outside the workspace
    Nothing was planned. Make the change by hand in the files that may be edited.
    ");
    assert_snapshot!(run_calls("edit-overlap", "", &[rename]).await, @"
    Failed to plan the rename: two edits of `a.hostile` overlap: one at 1:1 and one at 1:3
    Nothing was planned. Make this change by hand, or request a smaller one.
    ");
}

#[tokio::test]
async fn unsolicited_edits() {
    assert_snapshot!(run_calls("unasked-edit", "", &[hover(), hover()]).await, @"
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ────
    at a.hostile:1:1 alpha
    a word
    [hostile · ready]
    ");
}
