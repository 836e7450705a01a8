//! What a server would say of itself in `initialize` beyond the methods that it has, of the editor.

use serde_json::{Value, json};

use super::Editor;

/// Of the methods that the editor answers, what they do.
pub(super) fn lsp_capabilities(editor: &Editor) -> Value {
    json!({
        "renameProvider": { "prepareProvider": editor.answers("textDocument/prepareRename") },
        // The editor has worked out the changes of its actions when it answers with them.
        "codeActionProvider": { "resolveProvider": false },
    })
}
