//! C++: clangd, positions in UTF-8 or UTF-16, an index it builds in the background, diagnostics pushed.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::{Project, Zubi};

const SERVERS: &[&str] = &["clangd"];

#[tokio::test]
async fn symbols() {
    let project = Project::fixture("cpp");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_document_symbols", json!({ "path": "include/shape.h" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"");
}

#[tokio::test]
async fn places() {
    let project = Project::fixture("cpp");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_definition", json!({ "at": "src/report.cc:9 total_area" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "total_area" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "Circle::area", "path": "include/shape.h" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })).await, @"");
    assert_snapshot!(zubi.ask("lsp_hover", json!({ "symbol": "shapes::total_area" })).await, @"");
}

#[tokio::test]
async fn while_typing() {
    let project = Project::fixture("cpp");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_completion", json!({ "at": "src/report.cc:9:75", "limit": 5 })).await, @"");
    assert_snapshot!(zubi.ask("lsp_signature_help", json!({ "at": "src/report.cc:9:55" })).await, @"");
}

#[tokio::test]
async fn rename() {
    let project = Project::fixture("cpp");
    let zubi = Zubi::start(&project, SERVERS).await;
    let rename = json!({ "symbol": "total_area", "newName": "combined_area" });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_rename_symbol", rename, None).await, @"");
}

#[tokio::test]
async fn fix() {
    let project = Project::fixture("cpp");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_diagnostics", json!({ "path": "src/broken.cc" })).await, @"");
    let fix = json!({ "at": "src/broken.cc:8", "context": { "only": ["quickfix"] } });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_code_actions", fix, Some("change 'sqare' to 'square'")).await, @"");
}

#[tokio::test]
async fn format() {
    let project = Project::fixture("cpp");
    let zubi = Zubi::start(&project, SERVERS).await;
    let format = json!({ "path": "src/messy.cc" });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_format_document", format, None).await, @"");
}
