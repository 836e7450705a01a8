//! TypeScript 7: `tsc --lsp`, which ends only when its input is closed.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::{Project, Zubi};

const SERVERS: &[&str] = &["node", "typescript"];

#[tokio::test]
async fn symbols() {
    let project = Project::fixture("typescript");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_document_symbols", json!({ "path": "src/shape.ts" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"");
}

#[tokio::test]
async fn places() {
    let project = Project::fixture("typescript");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_definition", json!({ "at": "src/report.ts:8 totalArea" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "totalArea" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "Circle.area", "path": "src/shape.ts" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "forgotten", "includeDeclaration": false })).await, @"");
    assert_snapshot!(zubi.ask("lsp_hover", json!({ "symbol": "totalArea" })).await, @"");
}

#[tokio::test]
async fn while_typing() {
    let project = Project::fixture("typescript");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_completion", json!({ "at": "src/report.ts:8:58", "limit": 5 })).await, @"");
    assert_snapshot!(zubi.ask("lsp_signature_help", json!({ "at": "src/report.ts:8:34" })).await, @"");
}

#[tokio::test]
async fn rename() {
    let project = Project::fixture("typescript");
    let zubi = Zubi::start(&project, SERVERS).await;
    let rename = json!({ "symbol": "totalArea", "newName": "combinedArea" });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_rename_symbol", rename, None).await, @"");
}

#[tokio::test]
async fn fix() {
    let project = Project::fixture("typescript");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_diagnostics", json!({ "path": "src/broken.ts" })).await, @"");
    let fix = json!({ "at": "src/broken.ts:6", "context": { "only": ["quickfix"] } });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_code_actions", fix, Some("Change spelling")).await, @"");
}

#[tokio::test]
async fn format() {
    let project = Project::fixture("typescript");
    let zubi = Zubi::start(&project, SERVERS).await;
    let format = json!({ "path": "src/messy.ts" });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_format_document", format, None).await, @"");
}
