//! The `initialize` params that zubi sends to a server: only the capabilities that zubi really handles.

use serde_json::{Value, json};
use zubi_base::workspace::Folder;

/// Returns the params of `initialize` for a server that works in `folder`. `process_id` is zubi's, if the server can see
/// the process: a server that cannot find it takes it for ended, and exits.
pub(crate) fn params(folder: &Folder, process_id: Option<u32>, initialization_options: &Value) -> Value {
    let uri = zubi_base::uri::from_path(&folder.path).0;
    let mut params = json!({
        "processId": process_id,
        "clientInfo": { "name": "zubi", "version": env!("CARGO_PKG_VERSION") },
        "locale": "en",
        "rootPath": folder.path,
        "rootUri": uri,
        "workspaceFolders": [{ "uri": uri, "name": folder.name }],
        "capabilities": capabilities(),
        "trace": "off",
    });
    if !initialization_options.is_null()
        && let Some(object) = params.as_object_mut()
    {
        object.insert("initializationOptions".to_owned(), initialization_options.clone());
    }
    params
}

/// zubi's client capabilities (LSP 3.18). Dynamic registration is declared wherever `crate::capabilities` stores and
/// uses registrations; snippets are not declared, because a model reads the answers.
fn capabilities() -> Value {
    // From `File` to `TypeParameter`: all kinds of LSP 3.18.
    let symbol_kinds: Vec<u32> = (1..=26).collect();
    let dynamic = json!({ "dynamicRegistration": true });
    let links = json!({ "dynamicRegistration": true, "linkSupport": true });
    let markup = json!(["markdown", "plaintext"]);
    json!({
        "general": {
            "positionEncodings": ["utf-8", "utf-32", "utf-16"],
            "staleRequestSupport": { "cancel": true, "retryOnContentModified": [] },
            "markdown": { "parser": "commonmark", "version": "0.31" },
        },
        "window": {
            "workDoneProgress": true,
            "showDocument": { "support": false },
            "showMessage": { "messageActionItem": { "additionalPropertiesSupport": false } },
        },
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": {
                "documentChanges": true,
                "resourceOperations": ["create", "rename", "delete"],
                "failureHandling": "transactional",
                "normalizesLineEndings": false,
                "changeAnnotationSupport": { "groupsOnLabel": false },
            },
            "configuration": true,
            "workspaceFolders": true,
            "didChangeConfiguration": dynamic,
            "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
            "symbol": {
                "dynamicRegistration": true,
                "symbolKind": { "valueSet": symbol_kinds },
                "tagSupport": { "valueSet": [1] },
            },
            "executeCommand": dynamic,
            // No `fileOperations`: zubi applies an edit that moves files without a preceding
            // `workspace/willRenameFiles` request. For a client that promises this request, rust-analyzer omits every
            // text edit from a module's rename.
            "diagnostics": { "refreshSupport": true },
            "semanticTokens": { "refreshSupport": true },
            "inlayHint": { "refreshSupport": true },
            "inlineValue": { "refreshSupport": true },
            "codeLens": { "refreshSupport": true },
            "foldingRange": { "refreshSupport": true },
            "textDocumentContent": dynamic,
        },
        "textDocument": {
            "synchronization": { "dynamicRegistration": true, "didSave": true },
            "completion": {
                "dynamicRegistration": true,
                "contextSupport": true,
                "completionItem": {
                    "snippetSupport": false,
                    "commitCharactersSupport": false,
                    "documentationFormat": markup,
                    "deprecatedSupport": true,
                    "tagSupport": { "valueSet": [1] },
                    "labelDetailsSupport": true,
                    "resolveSupport": { "properties": ["documentation", "detail", "additionalTextEdits"] },
                },
            },
            "hover": { "dynamicRegistration": true, "contentFormat": markup },
            "signatureHelp": {
                "dynamicRegistration": true,
                "contextSupport": true,
                "signatureInformation": {
                    "documentationFormat": markup,
                    "parameterInformation": { "labelOffsetSupport": true },
                    "activeParameterSupport": true,
                    "noActiveParameterSupport": true,
                },
            },
            "declaration": links,
            "definition": links,
            "typeDefinition": links,
            "implementation": links,
            "references": dynamic,
            "documentHighlight": dynamic,
            "documentSymbol": {
                "dynamicRegistration": true,
                "hierarchicalDocumentSymbolSupport": true,
                "symbolKind": { "valueSet": symbol_kinds },
                "tagSupport": { "valueSet": [1] },
            },
            "codeAction": {
                "dynamicRegistration": true,
                "codeActionLiteralSupport": {
                    "codeActionKind": {
                        "valueSet": [
                            "", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.move",
                            "refactor.rewrite", "source", "source.organizeImports", "source.fixAll",
                        ],
                    },
                },
                "isPreferredSupport": true,
                "disabledSupport": true,
                "dataSupport": true,
                "resolveSupport": { "properties": ["edit", "command"] },
                "honorsChangeAnnotations": true,
            },
            "formatting": dynamic,
            "rangeFormatting": dynamic,
            "rename": {
                "dynamicRegistration": true,
                "prepareSupport": true,
                "prepareSupportDefaultBehavior": 1,
                "honorsChangeAnnotations": true,
            },
            "publishDiagnostics": {
                "relatedInformation": true,
                "versionSupport": true,
                "codeDescriptionSupport": true,
                "dataSupport": true,
                "tagSupport": { "valueSet": [1, 2] },
            },
            "diagnostic": {
                "dynamicRegistration": true,
                "relatedDocumentSupport": true,
                "relatedInformation": true,
                "codeDescriptionSupport": true,
                "dataSupport": true,
                "tagSupport": { "valueSet": [1, 2] },
            },
            "callHierarchy": dynamic,
            "typeHierarchy": dynamic,
            "selectionRange": dynamic,
            "foldingRange": { "dynamicRegistration": true, "lineFoldingOnly": true },
            "inlayHint": dynamic,
            "codeLens": { "dynamicRegistration": true, "resolveSupport": { "properties": ["command"] } },
        },
        // rust-analyzer's extensions. Without the first, it does not report when it has read the project; without the
        // second, it has no lenses, of which zubi reads only the titles.
        "experimental": {
            "serverStatusNotification": true,
            "commands": { "commands": ["rust-analyzer.runSingle", "rust-analyzer.showReferences"] },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::capabilities;

    /// A server that is promised `workspace/willRenameFiles` may hold a rename's text edits back until that request.
    #[test]
    fn file_operations_are_not_advertised() {
        assert_eq!(capabilities().pointer("/workspace/fileOperations"), None);
    }
}
