//! The index of exact occurrences: a source of answers made by a compiler or a language server in another run, and read
//! from its file.
//!
//! Such data describe the files that the producer has read. Every answer says for each file whether it has this content
//! now: if it has, the positions are exact; if not, only the names are known. The data cover only what the producer has
//! read, so an empty answer proves nothing, and no answer is the basis of an edit.

use std::ops::Range;
use std::time::Duration;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use zubi_base::text::TextSource;
use zubi_syntax::DeclarationKind;

/// An index of exact occurrences of a workspace folder. It compares the present texts with those that the producer has
/// read before it returns a position.
#[async_trait]
pub trait ExactIndex: Send + Sync {
    /// Returns the definitions, references or implementations of a symbol.
    async fn find(&self, query: &ExactQuery, texts: &dyn TextSource) -> Result<ExactAnswer, ExactIndexError>;

    /// Returns the imports, in the order of their folders and tools, and how many of their documents are exact now. Reads
    /// the documents, up to a limit.
    async fn status(&self, texts: &dyn TextSource) -> Result<Vec<ExactImportStatus>, ExactIndexError>;

    /// Returns those of some files, given by their absolute paths, whose present texts are not in the data: the producer has
    /// not read them, or another text. The data say nothing about a name in them.
    async fn find_uncovered(
        &self,
        paths: &[Utf8PathBuf],
        texts: &dyn TextSource,
    ) -> Result<Vec<Utf8PathBuf>, ExactIndexError>;

    /// Returns the imports that have failed, so that their data are missing.
    async fn failed_imports(&self) -> Vec<ExactImportFailure> {
        Vec::new()
    }
}

/// The reason why an index has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExactIndexError {
    #[error("no exact data of this folder are imported; `zubi index import FILE` imports a SCIP file")]
    NothingImported,
    #[error("the imported data do not cover `{0}`")]
    UnknownDocument(Utf8PathBuf),
    #[error("`{0}` has changed since the import, so its positions are unknown; search for the symbol by its name")]
    ChangedDocument(Utf8PathBuf),
    #[error("the imported data have no symbol at byte {offset} of `{path}`")]
    NoSymbol { path: Utf8PathBuf, offset: usize },
    #[error("{0}")]
    Unreadable(String),
    #[error("the commit of the workspace folder is unknown: {0}")]
    Unversioned(String),
    /// The store of a team does not answer now; a later query may have an answer. The answer says so.
    #[error("team index unreachable: {0}")]
    Unreachable(String),
    /// The store of a team has no answer until someone changes what the text names. The answer says so.
    #[error("team index unusable: {0}")]
    Unusable(String),
    /// The store does not work. A call that works without the index ignores this.
    #[error("the imported data cannot be read: {0}")]
    Store(String),
}

/// A query for occurrences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactQuery {
    /// The symbol.
    pub target: ExactTarget,
    /// The occurrences to find.
    pub role: ExactRole,
    /// The maximum number of documents, and of locations in all documents together.
    pub limit: usize,
}

/// The symbol of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExactTarget {
    /// The symbols at a position.
    Position {
        /// The absolute path of the file, with links resolved.
        path: Utf8PathBuf,
        /// A byte offset in the text without its byte-order mark. The end of a name belongs to the name.
        offset: usize,
    },
    /// The symbols with a name or a name path (`Type/method`); see [`crate::locate::NamePath`].
    Name(String),
}

/// The relation of occurrences to a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExactRole {
    /// The definitions.
    Definitions,
    /// All occurrences apart from the definitions, among them imports.
    References,
    /// The definitions of the symbols that implement or override it, as far as the producer says so.
    Implementations,
}

/// The occurrences of a symbol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExactAnswer {
    /// The symbols that the target means, and then those that a location refers to. Empty if the data have no such symbol.
    pub symbols: Vec<ExactSymbol>,
    /// The documents with occurrences, sorted by path.
    pub documents: Vec<ExactDocument>,
    /// The imports that have these documents.
    pub imports: Vec<ExactImport>,
    /// Whether the limit of the query, or of the index's own work, omitted symbols, documents or locations.
    pub has_more: bool,
}

impl ExactAnswer {
    /// Returns the number of documents that have the content that the producer has read.
    pub fn exact_documents(&self) -> usize {
        self.documents.iter().filter(|document| matches!(document.content, ExactContent::Exact(_))).count()
    }

    /// Returns the number of documents that have another content now.
    pub fn changed_documents(&self) -> usize {
        self.documents.len() - self.exact_documents()
    }
}

/// A symbol in the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactSymbol {
    /// The producer's identifier, which is the same in all data that refer to this version of the symbol's package.
    pub moniker: String,
    /// The name of the package, if the producer knows it.
    pub package: Option<String>,
    /// The name.
    pub name: String,
    /// The names of the enclosing symbols, outermost first.
    pub containers: Vec<String>,
    /// The kind, if the producer knows it.
    pub kind: Option<DeclarationKind>,
}

/// A file with occurrences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactDocument {
    /// The absolute path.
    pub path: Utf8PathBuf,
    /// The index of the import in [`ExactAnswer::imports`].
    pub import: usize,
    /// The occurrences.
    pub content: ExactContent,
}

/// The occurrences in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExactContent {
    /// The present text is the one that the producer has read. The locations are sorted by their ranges.
    Exact(Vec<ExactLocation>),
    /// The text has changed since the import, or is gone: only the names of the symbols are known. The value is the number
    /// of occurrences that the document had.
    Changed(usize),
}

/// An occurrence in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactLocation {
    /// The range in bytes of the text without its byte-order mark. It begins and ends between characters. The definition of
    /// a module can be empty, or the whole file.
    pub range: Range<usize>,
    /// The 0-based line of the start.
    pub line: u32,
    /// The index of the symbol in [`ExactAnswer::symbols`].
    pub symbol: usize,
    /// Whether this is a definition.
    pub is_definition: bool,
    /// Whether the symbol's value changes here, if the producer says so.
    pub is_write: bool,
    /// Whether this is in an import, if the producer says so.
    pub is_import: bool,
}

/// The origin of data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactImport {
    /// The program that made the data.
    pub tool: String,
    /// The version of the program; may be empty.
    pub version: String,
    /// The id of the commit that the program has read. `None` if the import compared the data with the files themselves.
    pub commit: Option<String>,
    /// The time of the import since the Unix epoch.
    pub imported_at: Duration,
}

/// An import that has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactImportFailure {
    /// The absolute path of the file that was not imported.
    pub file: Utf8PathBuf,
    /// The absolute path of the folder that its data describe.
    pub folder: Utf8PathBuf,
    /// The reason, on one line.
    pub reason: String,
    /// The time since the attempt.
    pub age: Duration,
}

/// The state of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactImportStatus {
    /// The origin.
    pub import: ExactImport,
    /// The absolute path of the file that was imported. It may be gone.
    pub file: Utf8PathBuf,
    /// The absolute path of the folder that the data describe.
    pub folder: Utf8PathBuf,
    /// The time since the import.
    pub age: Duration,
    /// The number of documents.
    pub documents: usize,
    /// The number of documents whose content is now the one that the producer has read.
    pub exact: usize,
    /// The number of documents with another content, among them deleted ones.
    pub changed: usize,
    /// The number of documents that were not compared, because there are too many.
    pub unchecked: usize,
    /// The number of documents in each language, by its identifier; sorted. The identifier is the one of
    /// [`zubi_syntax::SyntaxLanguage`] if zubi knows the language, else the producer's name in lower case.
    pub languages: Vec<(String, usize)>,
}
