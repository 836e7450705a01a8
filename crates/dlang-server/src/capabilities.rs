//! Capabilities of the server.

use zubi_base::lsp;

use crate::requests::semantic_tokens;
use crate::settings::ClientSettings;

/// Characters after which a new completion starts: a part of a name, a step of a path, a pattern, an alias.
const TRIGGERS: [&str; 5] = [".", "\"", "/", "[", "@"];

/// Returns the server's capabilities for this client.
pub(crate) fn capabilities(settings: &ClientSettings) -> lsp::ServerCapabilities {
    let sync = lsp::TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(lsp::TextDocumentSyncKind::Incremental),
        ..lsp::TextDocumentSyncOptions::default()
    };
    let completion = lsp::CompletionOptions {
        trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
        resolve_provider: Some(true),
        ..lsp::CompletionOptions::default()
    };
    let actions = lsp::CodeActionOptions {
        code_action_kinds: Some(vec![lsp::CodeActionKind::QuickFix]),
        ..lsp::CodeActionOptions::default()
    };
    let tokens = lsp::SemanticTokensOptions {
        legend: semantic_tokens::legend(),
        range: Some(lsp::SemanticTokensOptionsRange::Bool(true)),
        full: Some(lsp::Full::SemanticTokensFullDelta(lsp::SemanticTokensFullDelta { delta: Some(true) })),
        work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
    };
    let diagnostics = lsp::DiagnosticOptions {
        identifier: Some("domain-lang".to_owned()),
        inter_file_dependencies: true,
        workspace_diagnostics: true,
        work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
    };
    lsp::ServerCapabilities {
        position_encoding: Some(settings.encoding_kind()),
        text_document_sync: Some(lsp::TextDocumentSync::Options(sync)),
        completion_provider: Some(completion),
        hover_provider: Some(lsp::HoverProvider::Bool(true)),
        definition_provider: Some(lsp::DefinitionProvider::Bool(true)),
        references_provider: Some(lsp::ReferencesProvider::Bool(true)),
        document_highlight_provider: Some(lsp::DocumentHighlightProvider::Bool(true)),
        document_symbol_provider: Some(lsp::DocumentSymbolProvider::Bool(true)),
        // Options may only be sent to clients that support more than commands.
        code_action_provider: settings
            .has_code_action_literals
            .then_some(lsp::CodeActionProvider::CodeActionOptions(actions)),
        code_lens_provider: Some(lsp::CodeLensOptions {
            resolve_provider: Some(false),
            ..lsp::CodeLensOptions::default()
        }),
        document_link_provider: Some(lsp::DocumentLinkOptions {
            resolve_provider: Some(false),
            ..lsp::DocumentLinkOptions::default()
        }),
        workspace_symbol_provider: Some(lsp::WorkspaceSymbolProvider::Bool(true)),
        document_formatting_provider: Some(lsp::DocumentFormattingProvider::Bool(true)),
        document_range_formatting_provider: Some(lsp::DocumentRangeFormattingProvider::Bool(true)),
        rename_provider: Some(lsp::RenameProvider::RenameOptions(lsp::RenameOptions {
            prepare_provider: Some(true),
            ..lsp::RenameOptions::default()
        })),
        folding_range_provider: Some(lsp::FoldingRangeProvider::Bool(true)),
        selection_range_provider: Some(lsp::SelectionRangeProvider::Bool(true)),
        semantic_tokens_provider: Some(lsp::SemanticTokensProvider::SemanticTokensOptions(tokens)),
        inlay_hint_provider: Some(lsp::InlayHintProvider::Bool(true)),
        diagnostic_provider: settings
            .pulls_diagnostics
            .then_some(lsp::DiagnosticProvider::DiagnosticOptions(diagnostics)),
        workspace: Some(workspace()),
        ..lsp::ServerCapabilities::default()
    }
}

fn workspace() -> lsp::WorkspaceOptions {
    let filter = |glob: &str, matches| lsp::FileOperationFilter {
        scheme: Some("file".to_owned()),
        pattern: lsp::FileOperationPattern { glob: glob.to_owned(), matches: Some(matches), options: None },
    };
    let renames = lsp::FileOperationRegistrationOptions {
        filters: vec![
            filter("**/*.dlang", lsp::FileOperationPatternKind::File),
            filter("**/*", lsp::FileOperationPatternKind::Folder),
        ],
    };
    lsp::WorkspaceOptions {
        workspace_folders: Some(lsp::WorkspaceFoldersServerCapabilities {
            supported: Some(true),
            change_notifications: Some(lsp::ChangeNotifications::Bool(true)),
        }),
        file_operations: Some(lsp::FileOperationOptions {
            will_rename: Some(renames),
            ..lsp::FileOperationOptions::default()
        }),
        text_document_content: None,
    }
}
