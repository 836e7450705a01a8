//! Go: gopls, which holds questions back until it has loaded the workspace.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::flows::round_trip;
use zubi_tests::{Project, Zubi};

const SERVERS: &[&str] = &["go", "gopls"];

#[tokio::test]
async fn symbols() {
    let project = Project::fixture("go");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_document_symbols", json!({ "path": "shape/shape.go" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_workspace_symbols", json!({ "query": "Circle" })).await, @"");
}

#[tokio::test]
async fn places() {
    let project = Project::fixture("go");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_definition", json!({ "at": "report/report.go:10 TotalArea" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "TotalArea" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "Circle.Area", "path": "shape/shape.go" })).await, @"");
    assert_snapshot!(zubi.ask("lsp_references", json!({ "symbol": "Forgotten", "includeDeclaration": false })).await, @"");
    assert_snapshot!(zubi.ask("lsp_hover", json!({ "symbol": "TotalArea" })).await, @"");
}

#[tokio::test]
async fn while_typing() {
    let project = Project::fixture("go");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_completion", json!({ "at": "report/report.go:10:77", "limit": 5 })).await, @"");
    assert_snapshot!(zubi.ask("lsp_signature_help", json!({ "at": "report/report.go:10:60" })).await, @"");
}

#[tokio::test]
async fn rename() {
    let project = Project::fixture("go");
    let zubi = Zubi::start(&project, SERVERS).await;
    let rename = json!({ "symbol": "TotalArea", "newName": "CombinedArea" });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_rename_symbol", rename, None).await, @"");
}

#[tokio::test]
async fn fix() {
    let project = Project::fixture("go");
    let zubi = Zubi::start(&project, SERVERS).await;
    assert_snapshot!(zubi.ask("lsp_diagnostics", json!({ "path": "broken/broken.go" })).await, @"");
    let fix = json!({ "at": "broken/broken.go:5", "context": { "only": ["quickfix"] } });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_code_actions", fix, Some("Remove import")).await, @"");
}

#[tokio::test]
async fn format() {
    let project = Project::fixture("go");
    let zubi = Zubi::start(&project, SERVERS).await;
    let format = json!({ "path": "report/messy.go" });
    assert_snapshot!(round_trip(&zubi, &project, "lsp_format_document", format, None).await, @"");
}
