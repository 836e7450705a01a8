//! Rust: rust-analyzer, positions in UTF-8, diagnostics pulled and pushed.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::{Project, Zubi};

const SERVERS: &[&str] = &["rust-analyzer"];

#[tokio::test]
async fn symbols() {
    let project = Project::fixture("rust");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_document_symbols", json!({ "path": "src/shape.rs" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"");
}

#[tokio::test]
async fn places() {
    let project = Project::fixture("rust");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_definition", json!({ "at": "src/report.rs:9 total_area" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "total_area" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "Circle/area", "path": "src/shape.rs" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })).await, @"");
    assert_snapshot!(zubi.ask("lsp_hover", json!({ "symbol": "shape::total_area" })).await, @"");
}

#[tokio::test]
async fn while_typing() {
    let project = Project::fixture("rust");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_completion", json!({ "at": "src/report.rs:15:12", "limit": 5 })).await, @"");
    assert_snapshot!(zubi.ask("lsp_signature_help", json!({ "at": "src/report.rs:9:58" })).await, @"");
}

#[tokio::test]
async fn rename() {
    let project = Project::fixture("rust");
    let zubi = Zubi::start(&project, SERVERS).await;
    let rename = json!({ "symbol": "total_area", "newName": "combined_area" });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_rename_symbol", rename, None).await, @"");
}

#[tokio::test]
async fn fix() {
    let project = Project::fixture("rust");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_diagnostics", json!({ "path": "src/broken.rs" })).await, @"");
    let fix = json!({ "at": "src/broken.rs:6", "context": { "only": ["quickfix"] } });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_code_actions", fix, Some("Fill struct fields")).await, @"");
}

#[tokio::test]
async fn format() {
    let project = Project::fixture("rust");
    let zubi = Zubi::start(&project, SERVERS).await;
    let format = json!({ "path": "src/messy.rs" });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_format_document", format, None).await, @"");
}
