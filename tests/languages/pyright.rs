//! Python: pyright, which registers its capabilities late and looks for files only when idle.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::{Project, Zubi};

const SERVERS: &[&str] = &["node", "pyright"];

#[tokio::test]
async fn symbols() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_document_symbols", json!({ "path": "shapes/shape.py" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"");
}

#[tokio::test]
async fn places() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_definition", json!({ "at": "shapes/report.py:10 total_area" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "total_area" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "Circle.area", "path": "shapes/shape.py" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })).await, @"");
    assert_snapshot!(zubi.ask("lsp_hover", json!({ "symbol": "total_area" })).await, @"");
}

#[tokio::test]
async fn while_typing() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_completion", json!({ "at": "shapes/report.py:10:62", "limit": 5 })).await, @"");
    assert_snapshot!(zubi.ask("lsp_signature_help", json!({ "at": "shapes/report.py:10:36" })).await, @"");
}

#[tokio::test]
async fn rename() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, SERVERS).await;
    let rename = json!({ "symbol": "total_area", "newName": "combined_area" });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_rename_symbol", rename, None).await, @"");
}

#[tokio::test]
async fn fix() {
    let project = Project::fixture("python");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_diagnostics", json!({ "path": "shapes/broken.py" })).await, @"");
}
