//! The kinds of requests that a server receives, and which LSP methods belong to each.

use serde::Deserialize;

/// A kind of request. Requests for symbols never wait for a server that only checks and formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerRole {
    /// Definition, references, implementations, hierarchies.
    Navigation,
    /// Outlines and the search for symbols.
    Symbols,
    Hover,
    /// Completion and signatures.
    Completion,
    /// Renaming of symbols and files.
    Rename,
    Diagnostics,
    CodeActions,
    Format,
}

impl ServerRole {
    pub(super) const ALL: [Self; 8] = [
        Self::Navigation,
        Self::Symbols,
        Self::Hover,
        Self::Completion,
        Self::Rename,
        Self::Diagnostics,
        Self::CodeActions,
        Self::Format,
    ];

    /// Returns the role that an LSP request belongs to; `None` for requests that only a server with every role
    /// receives.
    pub fn from_method(method: &str) -> Option<Self> {
        Some(match method {
            "textDocument/declaration"
            | "textDocument/definition"
            | "textDocument/documentHighlight"
            | "textDocument/implementation"
            | "textDocument/prepareCallHierarchy"
            | "textDocument/prepareTypeHierarchy"
            | "textDocument/references"
            | "textDocument/typeDefinition"
            | "callHierarchy/incomingCalls"
            | "callHierarchy/outgoingCalls"
            | "typeHierarchy/subtypes"
            | "typeHierarchy/supertypes" => Self::Navigation,
            "textDocument/documentSymbol" | "workspace/symbol" | "workspaceSymbol/resolve" => Self::Symbols,
            "textDocument/hover" | "textDocument/inlayHint" | "inlayHint/resolve" => Self::Hover,
            "textDocument/completion" | "completionItem/resolve" | "textDocument/signatureHelp" => Self::Completion,
            "textDocument/prepareRename" | "textDocument/rename" | "workspace/willRenameFiles" => Self::Rename,
            "textDocument/diagnostic" | "workspace/diagnostic" => Self::Diagnostics,
            "textDocument/codeAction" | "codeAction/resolve" | "workspace/executeCommand" => Self::CodeActions,
            "textDocument/formatting" | "textDocument/rangeFormatting" | "textDocument/rangesFormatting" => {
                Self::Format
            }
            _ => return None,
        })
    }
}
