//! Capabilities of the client, from the params of `initialize`.
//!
//! They are read leniently: a value that is absent or invalid counts as unsupported.

use camino::Utf8PathBuf;
use dlang_ide::Links;
use dlang_model::File;
use serde_json::Value;
use zubi_base::lsp::{PositionEncodingKind, Uri};
use zubi_base::position::Encoding;
use zubi_base::uri;

/// Capabilities of the client that affect results.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClientSettings {
    /// Encoding of columns.
    pub(crate) encoding: Encoding,
    /// Supports `LocationLink` as result of `textDocument/definition`.
    pub(crate) has_links: bool,
    /// Supports nested symbols.
    pub(crate) has_nested_symbols: bool,
    /// Supports versioned document changes.
    pub(crate) has_document_changes: bool,
    /// Supports creation of files in an edit.
    pub(crate) has_new_files: bool,
    /// Supports code actions that are not commands.
    pub(crate) has_code_action_literals: bool,
    /// Supports snippets in completions.
    pub(crate) has_snippets: bool,
    /// Supports Markdown in hovers.
    pub(crate) has_markdown_hover: bool,
    /// Supports Markdown in the documentation of completions.
    pub(crate) has_markdown_completion: bool,
    /// A program without a connection: explanations contain no links, and paths have links of the disk resolved.
    pub(crate) is_program: bool,
    /// Pulls diagnostics (`textDocument/diagnostic`).
    pub(crate) pulls_diagnostics: bool,
    /// Supports related locations of diagnostics.
    pub(crate) has_related: bool,
    /// Supports related documents in the result of `textDocument/diagnostic`.
    pub(crate) has_related_documents: bool,
    /// Supports `workspace/diagnostic/refresh`.
    pub(crate) refreshes_diagnostics: bool,
    /// Supports `workspace/inlayHint/refresh`.
    pub(crate) refreshes_hints: bool,
    /// Supports `window/workDoneProgress/create`.
    pub(crate) has_progress: bool,
    /// Supports registration of `workspace/didChangeWatchedFiles`.
    pub(crate) can_watch_files: bool,
}

impl ClientSettings {
    /// Reads the parameters of `initialize`.
    pub(crate) fn new(params: &Value) -> Self {
        let get = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let is_enabled = |path: &str| get(path).and_then(Value::as_bool) == Some(true);
        let includes = |path: &str, expected: &str| {
            get(path).and_then(Value::as_array).is_some_and(|list| list.iter().any(|it| it.as_str() == Some(expected)))
        };
        Self {
            encoding: Encoding::from_lsp(encoding(params).as_ref()),
            has_links: is_enabled("textDocument/definition/linkSupport"),
            has_nested_symbols: is_enabled("textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            has_document_changes: is_enabled("workspace/workspaceEdit/documentChanges"),
            has_new_files: is_enabled("workspace/workspaceEdit/documentChanges")
                && includes("workspace/workspaceEdit/resourceOperations", "create"),
            has_code_action_literals: get("textDocument/codeAction/codeActionLiteralSupport")
                .is_some_and(Value::is_object),
            has_snippets: is_enabled("textDocument/completion/completionItem/snippetSupport"),
            has_markdown_hover: includes("textDocument/hover/contentFormat", "markdown"),
            has_markdown_completion: includes("textDocument/completion/completionItem/documentationFormat", "markdown"),
            is_program: false,
            pulls_diagnostics: get("textDocument/diagnostic").is_some_and(Value::is_object),
            has_related: is_enabled("textDocument/publishDiagnostics/relatedInformation")
                || is_enabled("textDocument/diagnostic/relatedInformation"),
            has_related_documents: is_enabled("textDocument/diagnostic/relatedDocumentSupport"),
            refreshes_diagnostics: is_enabled("workspace/diagnostics/refreshSupport"),
            refreshes_hints: is_enabled("workspace/inlayHint/refreshSupport"),
            has_progress: is_enabled("window/workDoneProgress"),
            can_watch_files: is_enabled("workspace/didChangeWatchedFiles/dynamicRegistration"),
        }
    }

    /// Encoding of columns for a program without a connection: that of the texts, so that no conversion is needed.
    pub(crate) const PROGRAM_ENCODING: Encoding = Encoding::Utf8;

    /// Returns the settings of a program without a connection: it reads all data and Markdown, inserts no snippets,
    /// follows no links in explanations, and receives no requests.
    pub(crate) fn for_program() -> Self {
        Self {
            encoding: Self::PROGRAM_ENCODING,
            has_links: true,
            has_nested_symbols: true,
            has_document_changes: true,
            has_new_files: true,
            has_code_action_literals: true,
            has_snippets: false,
            has_markdown_hover: true,
            has_markdown_completion: true,
            is_program: true,
            pulls_diagnostics: true,
            has_related: true,
            has_related_documents: false,
            refreshes_diagnostics: false,
            refreshes_hints: false,
            has_progress: false,
            can_watch_files: false,
        }
    }

    /// Returns how explanations refer to other locations.
    pub(crate) fn links<'a>(&self, uri: &'a dyn Fn(File) -> String) -> Links<'a> {
        if self.is_program { Links::Plain } else { Links::FileUri(uri) }
    }

    /// Returns the name of the encoding in the protocol.
    pub(crate) fn encoding_kind(&self) -> PositionEncodingKind {
        match self.encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }
}

/// Returns the first supported encoding in the client's list, which is in order of preference.
fn encoding(params: &Value) -> Option<PositionEncodingKind> {
    let encodings = params.pointer("/capabilities/general/positionEncodings")?.as_array()?;
    let supported = [PositionEncodingKind::UTF8, PositionEncodingKind::UTF16, PositionEncodingKind::UTF32];
    let names = encodings.iter().filter_map(Value::as_str);
    names.map(|name| PositionEncodingKind::from(name.to_owned())).find(|kind| supported.contains(kind))
}

/// Returns the process id that the client has sent.
pub(crate) fn process_id(params: &Value) -> Option<u32> {
    params.get("processId")?.as_u64()?.try_into().ok()
}

/// Returns the client's open folders, from the most specific parameter: `workspaceFolders`, `rootUri`, `rootPath`.
pub(crate) fn roots(params: &Value) -> Vec<Utf8PathBuf> {
    if let Some(folders) = params.get("workspaceFolders").and_then(Value::as_array) {
        return folders.iter().filter_map(|folder| path_of(folder.get("uri")?.as_str()?)).collect();
    }
    if let Some(uri) = params.get("rootUri").and_then(Value::as_str) {
        return path_of(uri).into_iter().collect();
    }
    let path = params.get("rootPath").and_then(Value::as_str).map(Utf8PathBuf::from);
    path.filter(|path| path.is_absolute()).into_iter().collect()
}

fn path_of(uri: &str) -> Option<Utf8PathBuf> {
    uri::to_path(&Uri(uri.to_owned()))
}
