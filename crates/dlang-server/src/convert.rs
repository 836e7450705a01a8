//! Conversions from the model's types to the protocol's: positions, edits, kinds.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};
use dlang_ide::SymbolKind;
use dlang_model::edit::TextEdit;
use dlang_model::{Db, ElementKind, File, QueryCancelled};
use dlang_syntax::{Severity, TextRange, TextSize};
use rustc_hash::FxHashMap;
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextIndex};

use crate::snapshot::Snapshot;

/// Positions of one text, in the client's encoding.
pub(crate) struct DocumentLines {
    index: TextIndex,
    encoding: Encoding,
}

impl DocumentLines {
    pub(crate) fn new(text: &str, encoding: Encoding) -> Self {
        Self { index: TextIndex::new(text), encoding }
    }

    /// Returns the byte offset of a client's position. Clamps a position outside the text.
    pub(crate) fn offset(&self, position: lsp::Position) -> TextSize {
        self.index.from_lsp(position, self.encoding)
    }

    /// Returns the byte range of a client's range.
    pub(crate) fn bytes(&self, range: &lsp::Range) -> TextRange {
        self.index.range_from_lsp(range, self.encoding)
    }

    pub(crate) fn position(&self, offset: TextSize) -> lsp::Position {
        self.index.to_lsp(offset, self.encoding)
    }

    pub(crate) fn range(&self, range: TextRange) -> lsp::Range {
        self.index.range_to_lsp(range, self.encoding)
    }

    pub(crate) fn edit(&self, edit: &TextEdit) -> lsp::TextEdit {
        lsp::TextEdit { range: self.range(edit.range), new_text: edit.insert.clone() }
    }

    /// Splits a range at line ends, without the line ends and without empty parts.
    pub(crate) fn split(&self, range: TextRange) -> impl Iterator<Item = TextRange> {
        let (first, last) = (self.index.line_col(range.start()).line, self.index.line_col(range.end()).line);
        let parts = (first..=last).filter_map(move |line| self.index.line_range(line)?.intersect(range));
        parts.filter(|part| !part.is_empty())
    }
}

/// Positions in several texts, each of which is indexed once.
pub(crate) struct PositionMapper<'s> {
    snapshot: &'s Snapshot,
    cache: RefCell<FxHashMap<Utf8PathBuf, Rc<DocumentLines>>>,
}

impl<'s> PositionMapper<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, cache: RefCell::default() }
    }

    /// Returns the positions in a model.
    pub(crate) fn file_lines(&self, db: &dyn Db, file: File) -> Rc<DocumentLines> {
        self.text_lines(Utf8Path::new(file.path(db)), || file.text(db))
    }

    /// Returns the positions in a model, a manifest or a lock; for any other path, those of an empty text.
    pub(crate) fn path_lines(&self, path: &Utf8Path) -> Result<Rc<DocumentLines>, QueryCancelled> {
        if let Some(lines) = self.cache.borrow().get(path) {
            return Ok(Rc::clone(lines));
        }
        if let Some(file) = self.snapshot.workspace().file(path)? {
            return self.snapshot.query(|db| self.file_lines(db, file));
        }
        Ok(self.text_lines(path, || self.snapshot.workspace().own_text(path).map_or("", |own| own.text)))
    }

    pub(crate) fn location(&self, db: &dyn Db, file: File, range: TextRange) -> lsp::Location {
        let uri = self.snapshot.uri(Utf8Path::new(file.path(db)));
        lsp::Location { uri, range: self.file_lines(db, file).range(range) }
    }

    fn text_lines<'t>(&self, path: &Utf8Path, text: impl FnOnce() -> &'t str) -> Rc<DocumentLines> {
        let mut cache = self.cache.borrow_mut();
        if let Some(lines) = cache.get(path) {
            return Rc::clone(lines);
        }
        let lines = Rc::new(DocumentLines::new(text(), self.snapshot.settings.encoding));
        cache.insert(path.to_owned(), Rc::clone(&lines));
        lines
    }
}

/// Edits of several documents, in the protocol's format.
#[derive(Default)]
pub(crate) struct Edits {
    texts: BTreeMap<Utf8PathBuf, Vec<lsp::TextEdit>>,
    new_file: Option<(Utf8PathBuf, String)>,
}

impl Edits {
    pub(crate) fn add(&mut self, path: &Utf8Path, edits: impl IntoIterator<Item = lsp::TextEdit>) {
        self.texts.entry(path.to_owned()).or_default().extend(edits);
    }

    /// Creates a file, which must not exist. Only for clients that support it.
    pub(crate) fn create(path: Utf8PathBuf, text: String) -> Self {
        Self { texts: BTreeMap::new(), new_file: Some((path, text)) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.texts.values().all(Vec::is_empty) && self.new_file.is_none()
    }

    /// Converts the edits. Includes versions if the client can compare them, so that it refuses edits of an older text.
    pub(crate) fn into_lsp(self, snapshot: &Snapshot) -> lsp::WorkspaceEdit {
        let texts = self.texts.into_iter().filter(|(_, edits)| !edits.is_empty());
        if !snapshot.settings.has_document_changes {
            let changes = texts.map(|(path, edits)| (snapshot.uri(&path), edits)).collect();
            return lsp::WorkspaceEdit { changes: Some(changes), ..lsp::WorkspaceEdit::default() };
        }
        let mut changes = Vec::new();
        if let Some((path, text)) = self.new_file {
            let uri = snapshot.uri(&path);
            changes.push(lsp::DocumentChange::CreateFile(lsp::CreateFile::new(uri.clone(), None, None)));
            let start = lsp::Position { line: 0, character: 0 };
            let edit = lsp::TextEdit { range: lsp::Range { start, end: start }, new_text: text };
            changes.push(document_edit(uri, None, vec![edit]));
        }
        changes.extend(texts.map(|(path, edits)| document_edit(snapshot.uri(&path), snapshot.version(&path), edits)));
        lsp::WorkspaceEdit { document_changes: Some(changes), ..lsp::WorkspaceEdit::default() }
    }
}

fn document_edit(uri: lsp::Uri, version: Option<i32>, edits: Vec<lsp::TextEdit>) -> lsp::DocumentChange {
    lsp::DocumentChange::TextDocumentEdit(lsp::TextDocumentEdit {
        text_document: lsp::OptionalVersionedTextDocumentIdentifier {
            version,
            text_document_identifier: lsp::TextDocumentIdentifier { uri },
        },
        edits: edits.into_iter().map(lsp::Edit::TextEdit).collect(),
    })
}

pub(crate) fn severity(severity: Severity) -> lsp::DiagnosticSeverity {
    match severity {
        Severity::Error => lsp::DiagnosticSeverity::Error,
        Severity::Warning => lsp::DiagnosticSeverity::Warning,
        Severity::Info => lsp::DiagnosticSeverity::Information,
        Severity::Hint => lsp::DiagnosticSeverity::Hint,
    }
}

/// Returns the kind in DomainLang's original server; for elements that it does not have, the closest kind.
pub(crate) fn symbol_kind(kind: SymbolKind) -> lsp::SymbolKind {
    match kind {
        SymbolKind::Domain | SymbolKind::Namespace => lsp::SymbolKind::Namespace,
        SymbolKind::BoundedContext | SymbolKind::ContextMap | SymbolKind::DomainMap => lsp::SymbolKind::Package,
        SymbolKind::Team | SymbolKind::Relationship => lsp::SymbolKind::Interface,
        SymbolKind::Classification | SymbolKind::Metadata => lsp::SymbolKind::Enum,
        SymbolKind::Folder => lsp::SymbolKind::Object,
        SymbolKind::Term | SymbolKind::Decision | SymbolKind::Policy | SymbolKind::Rule | SymbolKind::MetadataEntry => {
            lsp::SymbolKind::Field
        }
    }
}

/// Returns the kind in DomainLang's original server.
pub(crate) fn completion_kind(kind: ElementKind) -> lsp::CompletionItemKind {
    match kind {
        ElementKind::Domain => lsp::CompletionItemKind::Folder,
        ElementKind::BoundedContext | ElementKind::ContextMap | ElementKind::DomainMap | ElementKind::Namespace => {
            lsp::CompletionItemKind::Module
        }
        ElementKind::Team => lsp::CompletionItemKind::Interface,
        ElementKind::Classification | ElementKind::Metadata => lsp::CompletionItemKind::Enum,
    }
}

pub(crate) fn markup(is_markdown: bool, text: String) -> lsp::MarkupContent {
    let kind = if is_markdown { lsp::MarkupKind::Markdown } else { lsp::MarkupKind::PlainText };
    lsp::MarkupContent { kind, value: text }
}
