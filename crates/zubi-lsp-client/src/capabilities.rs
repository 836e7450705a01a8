//! The capabilities of a server: the static ones together with those that it registers and unregisters while it runs.
//!
//! Owns the table from LSP methods to capabilities and the stored registrations (document selectors, watched files,
//! file operations). Some servers (pyright, ty, TypeScript 7) register nearly everything later, so the static
//! capabilities alone say little.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::globs::PathGlob;
use crate::size_estimate::estimated_size;

#[cfg(test)]
mod tests;

/// LSP request → its capability in `ServerCapabilities` (a JSON pointer) and the method under which it is registered
/// dynamically, where that differs (LSP 3.18, "Server capabilities" and "client/registerCapability").
const METHODS: &[(&str, &str, Option<&str>)] = &[
    ("callHierarchy/incomingCalls", "/callHierarchyProvider", Some("textDocument/prepareCallHierarchy")),
    ("callHierarchy/outgoingCalls", "/callHierarchyProvider", Some("textDocument/prepareCallHierarchy")),
    ("codeAction/resolve", "/codeActionProvider/resolveProvider", Some("textDocument/codeAction")),
    ("codeLens/resolve", "/codeLensProvider/resolveProvider", Some("textDocument/codeLens")),
    ("completionItem/resolve", "/completionProvider/resolveProvider", Some("textDocument/completion")),
    ("documentLink/resolve", "/documentLinkProvider/resolveProvider", Some("textDocument/documentLink")),
    ("inlayHint/resolve", "/inlayHintProvider/resolveProvider", Some("textDocument/inlayHint")),
    ("textDocument/codeAction", "/codeActionProvider", None),
    ("textDocument/codeLens", "/codeLensProvider", None),
    ("textDocument/completion", "/completionProvider", None),
    ("textDocument/declaration", "/declarationProvider", None),
    ("textDocument/definition", "/definitionProvider", None),
    ("textDocument/diagnostic", "/diagnosticProvider", None),
    ("textDocument/documentColor", "/colorProvider", None),
    ("textDocument/documentHighlight", "/documentHighlightProvider", None),
    ("textDocument/documentLink", "/documentLinkProvider", None),
    ("textDocument/documentSymbol", "/documentSymbolProvider", None),
    ("textDocument/foldingRange", "/foldingRangeProvider", None),
    ("textDocument/formatting", "/documentFormattingProvider", None),
    ("textDocument/hover", "/hoverProvider", None),
    ("textDocument/implementation", "/implementationProvider", None),
    ("textDocument/inlayHint", "/inlayHintProvider", None),
    ("textDocument/inlineValue", "/inlineValueProvider", None),
    ("textDocument/linkedEditingRange", "/linkedEditingRangeProvider", None),
    ("textDocument/moniker", "/monikerProvider", None),
    ("textDocument/onTypeFormatting", "/documentOnTypeFormattingProvider", None),
    ("textDocument/prepareCallHierarchy", "/callHierarchyProvider", None),
    ("textDocument/prepareRename", "/renameProvider/prepareProvider", Some("textDocument/rename")),
    ("textDocument/prepareTypeHierarchy", "/typeHierarchyProvider", None),
    ("textDocument/rangeFormatting", "/documentRangeFormattingProvider", None),
    (
        "textDocument/rangesFormatting",
        "/documentRangeFormattingProvider/rangesSupport",
        Some("textDocument/rangeFormatting"),
    ),
    ("textDocument/references", "/referencesProvider", None),
    ("textDocument/rename", "/renameProvider", None),
    ("textDocument/selectionRange", "/selectionRangeProvider", None),
    ("textDocument/semanticTokens/full", "/semanticTokensProvider/full", Some("textDocument/semanticTokens")),
    ("textDocument/semanticTokens/range", "/semanticTokensProvider/range", Some("textDocument/semanticTokens")),
    ("textDocument/signatureHelp", "/signatureHelpProvider", None),
    ("textDocument/typeDefinition", "/typeDefinitionProvider", None),
    ("typeHierarchy/subtypes", "/typeHierarchyProvider", Some("textDocument/prepareTypeHierarchy")),
    ("typeHierarchy/supertypes", "/typeHierarchyProvider", Some("textDocument/prepareTypeHierarchy")),
    ("workspace/diagnostic", "/diagnosticProvider/workspaceDiagnostics", Some("textDocument/diagnostic")),
    ("workspace/executeCommand", "/executeCommandProvider", None),
    ("workspace/symbol", "/workspaceSymbolProvider", None),
    ("workspace/textDocumentContent", "/workspace/textDocumentContent", None),
    ("workspace/willCreateFiles", "/workspace/fileOperations/willCreate", None),
    ("workspace/willDeleteFiles", "/workspace/fileOperations/willDelete", None),
    ("workspace/willRenameFiles", "/workspace/fileOperations/willRename", None),
    ("workspaceSymbol/resolve", "/workspaceSymbolProvider/resolveProvider", Some("workspace/symbol")),
];

/// The maximum number of registrations stored for one server.
const MAX_REGISTRATIONS: usize = 4096;

/// The maximum number of patterns stored for one registration. TypeScript registers one for each directory it reads.
const MAX_PATTERNS: usize = 8192;

/// The limits for all registrations together: the number of patterns, each of which is a compiled automaton, and the
/// bytes of memory that their options take up. No known server comes near them.
const MAX_ALL_PATTERNS: usize = 4 * MAX_PATTERNS;
const MAX_OPTIONS_WEIGHT: usize = 64 * 1024 * 1024;

/// The kind of a change to a file, in LSP's numbers (`FileChangeType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ChangeKind {
    Created = 1,
    Changed = 2,
    Deleted = 3,
}

impl ChangeKind {
    /// The bit in LSP's `WatchKind`.
    fn watch_bit(self) -> u64 {
        match self {
            Self::Created => 1,
            Self::Changed => 2,
            Self::Deleted => 4,
        }
    }
}

/// How a server wants to be notified about opened documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sync {
    pub(crate) open_close: bool,
    pub(crate) change: ChangeSync,
    /// Whether the server wants `didSave`, and with the text.
    pub(crate) save: Option<bool>,
}

/// How a server receives changes of an opened document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeSync {
    /// Not at all: the document is closed and opened again.
    None,
    /// As a change without a range, which replaces the text. Legal for servers that offer full or incremental
    /// synchronisation (LSP 3.18, `TextDocumentContentChangeWholeDocument`).
    Whole,
}

#[derive(Debug)]
struct Registration {
    method: String,
    options: Value,
    /// The memory that `options` takes up, in bytes.
    weight: usize,
    /// The documents that the registration is for. Empty: every document.
    selector: Vec<DocumentFilter>,
    watchers: Vec<WatchRegistration>,
}

#[derive(Debug)]
struct DocumentFilter {
    language: Option<String>,
    scheme: Option<String>,
    pattern: Option<PathGlob>,
}

#[derive(Debug)]
struct WatchRegistration {
    pattern: PathGlob,
    kinds: u64,
}

/// The current capabilities of one server.
#[derive(Debug)]
pub(crate) struct ServerCapabilities {
    root: camino::Utf8PathBuf,
    capabilities: Value,
    /// The registrations by their ids, which the server chose.
    registrations: BTreeMap<String, Registration>,
    /// Methods that the catalogue excludes although the server supports them.
    withheld: Vec<String>,
}

impl ServerCapabilities {
    pub(crate) fn new(root: &Utf8Path, capabilities: Value, withheld: Vec<String>) -> Self {
        Self { root: root.to_owned(), capabilities, registrations: BTreeMap::new(), withheld }
    }

    /// Replaces the static capabilities. Registrations may arrive before the `initialize` response.
    pub(crate) fn set_capabilities(&mut self, capabilities: Value) {
        self.capabilities = capabilities;
    }

    pub(crate) fn capabilities(&self) -> &Value {
        &self.capabilities
    }

    /// Handles the params of `client/registerCapability`.
    pub(crate) fn register(&mut self, params: &Value) {
        for entry in params.get("registrations").and_then(Value::as_array).into_iter().flatten() {
            let (Some(id), Some(method)) =
                (entry.get("id").and_then(Value::as_str), entry.get("method").and_then(Value::as_str))
            else {
                continue;
            };
            let options = entry.get("registerOptions").cloned().unwrap_or_default();
            let weight = estimated_size(&options);
            let sum = |size: fn(&Registration) -> usize| self.registrations.values().map(size).sum::<usize>();
            if self.registrations.len() >= MAX_REGISTRATIONS
                || sum(|one| one.selector.len() + one.watchers.len()) >= MAX_ALL_PATTERNS
                || sum(|one| one.weight) + weight > MAX_OPTIONS_WEIGHT
            {
                tracing::warn!(%method, "a server registered more capabilities than zubi stores");
                return;
            }
            let mut registration = Registration {
                method: method.to_owned(),
                weight,
                selector: self.filters(options.get("documentSelector")),
                watchers: self.watchers(options.get("watchers")),
                options,
            };
            // pyrefly (1.4) registers the watched files of its project and of the installed packages with the same id.
            if let Some(earlier) = self.registrations.remove(id)
                && earlier.method == registration.method
                && earlier.options != registration.options
            {
                registration.weight += earlier.weight;
                registration.watchers.extend(earlier.watchers);
            }
            self.registrations.insert(id.to_owned(), registration);
        }
    }

    /// Handles the params of `client/unregisterCapability`. LSP spells the field `unregisterations`; some servers send
    /// the correct spelling instead.
    pub(crate) fn unregister(&mut self, params: &Value) {
        let list = params.get("unregisterations").or_else(|| params.get("unregistrations"));
        for entry in list.and_then(Value::as_array).into_iter().flatten() {
            if let Some(id) = entry.get("id").and_then(Value::as_str) {
                self.registrations.remove(id);
            }
        }
    }

    fn filters(&self, selector: Option<&Value>) -> Vec<DocumentFilter> {
        let text = |filter: &Value, name: &str| filter.get(name).and_then(Value::as_str).map(str::to_owned);
        let list = selector.and_then(Value::as_array).into_iter().flatten().take(MAX_PATTERNS);
        list.map(|filter| match filter {
            // The short form: a language id.
            Value::String(language) => DocumentFilter { language: Some(language.clone()), scheme: None, pattern: None },
            _ => DocumentFilter {
                language: text(filter, "language"),
                scheme: text(filter, "scheme"),
                pattern: filter.get("pattern").and_then(|pattern| PathGlob::from_lsp(pattern, &self.root)),
            },
        })
        .collect()
    }

    fn watchers(&self, watchers: Option<&Value>) -> Vec<WatchRegistration> {
        let list = watchers.and_then(Value::as_array).into_iter().flatten().take(MAX_PATTERNS);
        list.filter_map(|watcher| {
            Some(WatchRegistration {
                pattern: PathGlob::from_lsp(watcher.get("globPattern")?, &self.root)?,
                // Missing: all three kinds.
                kinds: watcher.get("kind").and_then(Value::as_u64).unwrap_or(7),
            })
        })
        .collect()
    }

    /// Whether the server supports a request, for a document or in general. Returns `false` for requests that LSP does
    /// not define.
    pub(crate) fn supports(&self, method: &str, document: Option<(&Utf8Path, &str)>) -> bool {
        if self.is_disabled(method) {
            return false;
        }
        let Some((_, pointer, registered_as)) = METHODS.iter().find(|(name, ..)| *name == method) else { return false };
        if let Some(option) = self.capabilities.pointer(pointer).filter(|option| is_enabled(option)) {
            return file_operation_matches(option, document.map(|(path, _)| path), &self.root);
        }
        let registered_as = registered_as.unwrap_or(method);
        self.registrations.values().filter(|registration| registration.method == registered_as).any(|registration| {
            let sub_option = sub_option(method, pointer);
            sub_option.is_none_or(|name| registration.options.get(name).is_some_and(is_enabled))
                && document.is_none_or(|document| registration.covers(document))
                && file_operation_matches(&registration.options, document.map(|(path, _)| path), &self.root)
        })
    }

    /// Whether the server returns the text of documents with URIs of this scheme (LSP 3.18,
    /// `TextDocumentContentOptions`).
    pub(crate) fn provides_content_for(&self, scheme: &str) -> bool {
        let method = "workspace/textDocumentContent";
        let names = |options: &Value| {
            let schemes = options.get("schemes").and_then(Value::as_array);
            schemes.into_iter().flatten().any(|candidate| candidate.as_str() == Some(scheme))
        };
        !self.is_disabled(method)
            && (self.capabilities.pointer("/workspace/textDocumentContent").is_some_and(names)
                || self.registrations.values().any(|one| one.method == method && names(&one.options)))
    }

    /// Returns the methods of this table.
    pub(crate) fn methods() -> impl Iterator<Item = &'static str> {
        METHODS.iter().map(|(method, ..)| *method)
    }

    /// Whether this table has the method; all other requests are sent to the server without a check.
    pub(crate) fn is_known(method: &str) -> bool {
        METHODS.iter().any(|(name, ..)| *name == method)
    }

    pub(crate) fn is_disabled(&self, method: &str) -> bool {
        self.withheld.iter().any(|withheld| withheld == method)
    }

    /// Returns the identifier of each provider of pull diagnostics for a document. A server may have several providers,
    /// which differ in their `identifier`.
    pub(crate) fn diagnostic_identifiers(&self, document: (&Utf8Path, &str)) -> Vec<Option<String>> {
        let identifier = |options: &Value| options.get("identifier").and_then(Value::as_str).map(str::to_owned);
        let mut found: Vec<Option<String>> = Vec::new();
        if let Some(options) = self.capabilities.get("diagnosticProvider").filter(|option| is_enabled(option)) {
            found.push(identifier(options));
        }
        for registration in self.registrations.values() {
            if registration.method == "textDocument/diagnostic" && registration.covers(document) {
                let identifier = identifier(&registration.options);
                if !found.contains(&identifier) {
                    found.push(identifier);
                }
            }
        }
        found
    }

    /// Returns how the server wants opened documents to be synchronized.
    pub(crate) fn sync(&self, document: (&Utf8Path, &str)) -> Sync {
        let option = self.capabilities.get("textDocumentSync").unwrap_or(&Value::Null);
        let (mut open_close, mut change, mut save) = match option {
            // The old form: one number.
            Value::Number(kind) => {
                let change = kind.as_u64().unwrap_or(0);
                (true, change, (change > 0).then_some(false))
            }
            Value::Object(options) => (
                // Servers that omit it still expect documents.
                options.get("openClose").and_then(Value::as_bool).unwrap_or(true),
                options.get("change").and_then(Value::as_u64).unwrap_or(0),
                match options.get("save") {
                    Some(Value::Bool(true)) => Some(false),
                    Some(save @ Value::Object(_)) => Some(include_text(save)),
                    _ => None,
                },
            ),
            _ => (false, 0, None),
        };
        for registration in self.registrations.values().filter(|registration| registration.covers(document)) {
            match registration.method.as_str() {
                "textDocument/didOpen" => open_close = true,
                "textDocument/didChange" => {
                    change = registration.options.get("syncKind").and_then(Value::as_u64).unwrap_or(1);
                }
                "textDocument/didSave" => save = Some(include_text(&registration.options)),
                _ => {}
            }
        }
        Sync { open_close, change: if change == 0 { ChangeSync::None } else { ChangeSync::Whole }, save }
    }

    /// Whether the server registered any watched files.
    pub(crate) fn has_watchers(&self) -> bool {
        self.registrations.values().any(|registration| !registration.watchers.is_empty())
    }

    /// Returns the directories in which the server watches files, as far as its patterns name them.
    pub(crate) fn watched_directories(&self) -> BTreeSet<Utf8PathBuf> {
        let watchers = self.registrations.values().flat_map(|registration| &registration.watchers);
        watchers.filter_map(|watcher| watcher.pattern.directory()).collect()
    }

    /// Whether the server wants to be notified about this change.
    pub(crate) fn watches(&self, path: &Utf8Path, kind: ChangeKind, is_directory: bool) -> bool {
        self.registrations
            .values()
            .flat_map(|registration| &registration.watchers)
            .any(|watcher| watcher.kinds & kind.watch_bit() != 0 && watcher.pattern.is_match_of(path, is_directory))
    }

    /// Whether the server declares that it can run this command.
    pub(crate) fn supports_command(&self, command: &str) -> bool {
        let lists = |options: &Value| {
            options
                .get("commands")
                .and_then(Value::as_array)
                .is_some_and(|commands| commands.iter().any(|candidate| candidate.as_str() == Some(command)))
        };
        self.capabilities.get("executeCommandProvider").is_some_and(lists)
            || self
                .registrations
                .values()
                .any(|registration| registration.method == "workspace/executeCommand" && lists(&registration.options))
    }
}

impl Registration {
    fn covers(&self, (path, language): (&Utf8Path, &str)) -> bool {
        self.selector.is_empty() || self.selector.iter().any(|filter| filter.covers(path, language))
    }
}

impl DocumentFilter {
    fn covers(&self, path: &Utf8Path, language: &str) -> bool {
        self.language.as_deref().is_none_or(|expected| expected == language || expected == "*")
            && self.scheme.as_deref().is_none_or(|scheme| scheme == "file")
            && self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(path))
    }
}

fn is_enabled(option: &Value) -> bool {
    !matches!(option, Value::Null | Value::Bool(false))
}

fn include_text(options: &Value) -> bool {
    options.get("includeText").and_then(Value::as_bool).unwrap_or(false)
}

/// Returns the option that a request needs in a registration: the second part of its pointer
/// (`/renameProvider/prepareProvider` → `prepareProvider`).
fn sub_option<'a>(method: &str, pointer: &'a str) -> Option<&'a str> {
    if method.starts_with("workspace/will") {
        return None;
    }
    pointer.trim_start_matches('/').split_once('/').map(|(_, option)| option)
}

/// Whether a file operation's filters cover a path. Options without filters cover everything.
fn file_operation_matches(options: &Value, path: Option<&Utf8Path>, root: &Utf8Path) -> bool {
    let (Some(path), Some(filters)) = (path, options.get("filters").and_then(Value::as_array)) else { return true };
    filters.iter().take(MAX_PATTERNS).any(|filter| {
        let scheme = filter.get("scheme").and_then(Value::as_str).is_none_or(|scheme| scheme == "file");
        let pattern = filter.get("pattern");
        let kind = match pattern.and_then(|pattern| pattern.get("matches")).and_then(Value::as_str) {
            Some("file") => !path.is_dir(),
            Some("folder") => path.is_dir(),
            _ => true,
        };
        let glob = pattern.and_then(|pattern| pattern.get("glob"));
        scheme && kind && glob.and_then(|glob| PathGlob::from_lsp(glob, root)).is_some_and(|glob| glob.is_match(path))
    })
}
