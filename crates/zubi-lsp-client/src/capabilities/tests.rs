//! Tests of `capabilities`.

use insta::assert_snapshot;
use serde_json::json;

use super::*;

fn server_capabilities(capabilities: Value) -> ServerCapabilities {
    ServerCapabilities::new(Utf8Path::new("/w"), capabilities, Vec::new())
}

fn rust() -> (&'static Utf8Path, &'static str) {
    (Utf8Path::new("/w/src/a.rs"), "rust")
}

/// Lists every method that is supported for a document.
fn list(capabilities: &ServerCapabilities, document: Option<(&Utf8Path, &str)>) -> String {
    METHODS
        .iter()
        .map(|(method, ..)| *method)
        .filter(|method| capabilities.supports(method, document))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn static_capabilities_are_supported() {
    let capabilities = server_capabilities(json!({
        "hoverProvider": true,
        "definitionProvider": false,
        "referencesProvider": {},
        "codeActionProvider": { "resolveProvider": true },
        "completionProvider": { "triggerCharacters": ["."] },
        "renameProvider": { "prepareProvider": true },
        "callHierarchyProvider": true,
        "workspaceSymbolProvider": true,
        "semanticTokensProvider": { "full": { "delta": true } },
        "workspace": { "fileOperations": { "willRename": { "filters": [{ "pattern": { "glob": "**/*.rs", "matches": "file" } }] } } },
    }));
    assert_snapshot!(list(&capabilities, Some(rust())), @"
    callHierarchy/incomingCalls
    callHierarchy/outgoingCalls
    codeAction/resolve
    textDocument/codeAction
    textDocument/completion
    textDocument/hover
    textDocument/prepareCallHierarchy
    textDocument/prepareRename
    textDocument/references
    textDocument/rename
    textDocument/semanticTokens/full
    workspace/symbol
    workspace/willRenameFiles
    ");
    assert!(!capabilities.supports("workspace/willRenameFiles", Some((Utf8Path::new("/w/a.txt"), "plaintext"))));
    assert!(!capabilities.supports("rust-analyzer/expandMacro", None));
}

#[test]
fn registrations_apply_to_matching_documents_until_unregistered() {
    let mut capabilities = server_capabilities(json!({}));
    capabilities.register(&json!({ "registrations": [
        { "id": "1", "method": "textDocument/hover", "registerOptions": { "documentSelector": [{ "language": "rust" }] } },
        { "id": "2", "method": "textDocument/definition", "registerOptions": { "documentSelector": [{ "pattern": "**/*.py" }] } },
        { "id": "3", "method": "textDocument/completion", "registerOptions": { "documentSelector": null, "resolveProvider": true } },
        { "id": "4", "method": "textDocument/rename", "registerOptions": { "documentSelector": ["rust"] } },
        { "id": "5", "method": "textDocument/diagnostic", "registerOptions": { "identifier": "x", "workspaceDiagnostics": true } },
        { "id": "6", "method": "textDocument/references", "registerOptions": { "documentSelector": [{ "scheme": "untitled" }] } },
        { "id": 7 }, "nonsense",
    ] }));
    assert_snapshot!(list(&capabilities, Some(rust())), @"
    completionItem/resolve
    textDocument/completion
    textDocument/diagnostic
    textDocument/hover
    textDocument/rename
    workspace/diagnostic
    ");
    assert!(capabilities.supports("textDocument/definition", None), "some documents support it");
    assert_eq!(capabilities.diagnostic_identifiers(rust()), [Some("x".to_owned())]);
    capabilities.unregister(&json!({ "unregisterations": [{ "id": "1" }, { "id": "5" }, { "id": "unknown" }] }));
    capabilities.unregister(&json!({ "unregistrations": [{ "id": "3" }] }));
    assert_snapshot!(list(&capabilities, Some(rust())), @"textDocument/rename");
}

#[test]
fn withheld_methods_are_unsupported() {
    let capabilities = ServerCapabilities::new(
        Utf8Path::new("/w"),
        json!({ "hoverProvider": true }),
        vec!["textDocument/hover".to_owned()],
    );
    assert_snapshot!(list(&capabilities, None), @"");
}

#[test]
fn document_sync_follows_server_capabilities() {
    let sync = |capabilities: Value| {
        let Sync { open_close, change, save } = server_capabilities(capabilities).sync(rust());
        format!("open {open_close}, change {change:?}, save {save:?}")
    };
    assert_snapshot!(sync(json!({})), @"open false, change None, save None");
    assert_snapshot!(sync(json!({ "textDocumentSync": 1 })), @"open true, change Whole, save Some(false)");
    assert_snapshot!(sync(json!({ "textDocumentSync": 0 })), @"open true, change None, save None");
    assert_snapshot!(sync(json!({ "textDocumentSync": { "openClose": true, "change": 2, "save": true } })), @"open true, change Whole, save Some(false)");
    assert_snapshot!(sync(json!({ "textDocumentSync": { "change": 2, "save": { "includeText": true } } })), @"open true, change Whole, save Some(true)");
    assert_snapshot!(sync(json!({ "textDocumentSync": { "openClose": false } })), @"open false, change None, save None");
    let mut registered = server_capabilities(json!({}));
    registered.register(&json!({ "registrations": [
        { "id": "1", "method": "textDocument/didOpen", "registerOptions": { "documentSelector": ["rust"] } },
        { "id": "2", "method": "textDocument/didChange", "registerOptions": { "documentSelector": ["rust"], "syncKind": 2 } },
        { "id": "3", "method": "textDocument/didSave", "registerOptions": { "documentSelector": ["python"] } },
    ] }));
    assert_eq!(registered.sync(rust()), Sync { open_close: true, change: ChangeSync::Whole, save: None });
}

#[test]
fn watched_files_are_matched_by_pattern_and_kind() {
    let mut capabilities = server_capabilities(json!({}));
    assert!(!capabilities.has_watchers());
    capabilities.register(&json!({ "registrations": [{ "id": "1", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": [
        { "globPattern": "**/*.rs" },
        { "globPattern": { "baseUri": "file:///w/conf", "pattern": "*.toml" }, "kind": 5 },
        { "globPattern": "[" }, { "globPattern": null }, {},
    ] } }] }));
    assert!(capabilities.has_watchers());
    for (path, kind, expected) in [
        ("/w/src/a.rs", ChangeKind::Changed, true),
        ("/w/src/a.py", ChangeKind::Changed, false),
        ("/w/conf/a.toml", ChangeKind::Created, true),
        ("/w/conf/a.toml", ChangeKind::Changed, false),
        ("/w/conf/a.toml", ChangeKind::Deleted, true),
        ("/w/a.toml", ChangeKind::Created, false),
    ] {
        assert_eq!(capabilities.watches(Utf8Path::new(path), kind, false), expected, "{path} {kind:?}");
    }
}

#[test]
fn registrations_are_bounded() {
    let mut capabilities = server_capabilities(json!({}));
    let registrations: Vec<_> =
        (0..2 * MAX_REGISTRATIONS).map(|id| json!({ "id": id.to_string(), "method": "textDocument/hover" })).collect();
    capabilities.register(&json!({ "registrations": registrations }));
    assert_eq!(capabilities.registrations.len(), MAX_REGISTRATIONS);
}
