//! Server capabilities of the editor, beyond the list of its methods.

use serde_json::{Value, json};

use super::connection::Editor;

/// LSP server capabilities of the editor.
pub(super) fn lsp_capabilities(editor: &Editor) -> Value {
    json!({
        "renameProvider": { "prepareProvider": editor.answers("textDocument/prepareRename") },
        // The editor's actions already contain their edits.
        "codeActionProvider": { "resolveProvider": false },
    })
}
