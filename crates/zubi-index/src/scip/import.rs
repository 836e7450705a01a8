//! The import of a SCIP file.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use zubi_base::clock::milliseconds;
use zubi_base::credentials::is_credential_path;
use zubi_base::text::{BOM, SourceText, TextSource};
use zubi_code::exact_index::ExactImport;
use zubi_syntax::SyntaxLanguage;

use super::commit::{BlobId, CommitFiles};
use super::document::{DOCUMENT, DocumentDefect, METADATA, ScipDocument, ScipTool};
use super::limits::ScipLimits;
use super::position::{ColumnUnit, DocumentText};
use super::store::{DocumentEntry, ImportRow, OccurrenceWriter};
use super::symbol::{DescriptorSuffix, ScipSymbol};
use super::team::TeamIndexError;
use super::wire::{StreamError, StreamField, WireStream};
use crate::store::IndexStoreError;

/// The number of documents between two reports of the progress.
const PROGRESS_STEP: usize = 256;

/// The maximum length of the name of a language, in bytes.
const MAX_LANGUAGE: usize = 50;

/// An import to do.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// The absolute path of the SCIP file.
    pub file: Utf8PathBuf,
    /// The absolute path of the folder that the paths in the file are relative to. It is the workspace folder or in it, and
    /// has no links. The producer's own path is that of its machine, so it is not used.
    pub folder: Utf8PathBuf,
    /// The files of the commit that the producer has read. Without it, each document is compared with its present text.
    pub commit: Option<CommitFiles>,
}

/// The progress of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportProgress {
    /// The number of documents so far.
    pub documents: usize,
    /// The number of bytes so far.
    pub bytes: u64,
    /// The size of the file in bytes.
    pub total_bytes: u64,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportReport {
    /// The origin.
    pub import: ExactImport,
    /// The number of stored documents.
    pub documents: usize,
    /// The number of stored documents whose content is known. The data of the others do not fit their present texts, so
    /// only their names can be found.
    pub exact: usize,
    /// The number of stored occurrences.
    pub occurrences: usize,
    /// The number of occurrences of local symbols, which are not stored.
    pub local: usize,
    /// The number of occurrences with an invalid range or an invalid or very long symbol.
    pub invalid: usize,
    /// The documents that are not stored, by reason.
    pub skipped: Vec<SkippedDocuments>,
}

/// Documents that an import does not store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedDocuments {
    /// The reason.
    pub reason: SkipReason,
    /// The number of documents.
    pub count: usize,
    /// The path of the first one, as far as it is known.
    pub example: String,
}

/// The reason why a document is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// The message is damaged.
    Malformed,
    /// The path is absolute, leads outside the folder, or is not in its normal form.
    InvalidPath,
    /// The file can have credentials, of which zubi shows nothing ([`zubi_base::credentials`]).
    Credentials,
    /// The file has another document with this path before.
    Duplicate,
    /// The document is larger than the limits allow.
    TooLarge,
    /// The commit does not have the file; a build may have generated it.
    NotInCommit,
    /// The file does not exist, is a link, or is not text.
    Unreadable,
    /// The import has the maximum number of documents.
    BeyondLimit,
}

impl SkipReason {
    /// Returns a phrase that follows the number of documents.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Malformed => "damaged in the file",
            Self::InvalidPath => "with a path outside the folder",
            Self::Credentials => "that can have credentials",
            Self::Duplicate => "listed twice",
            Self::TooLarge => "too large",
            Self::NotInCommit => "not in the commit",
            Self::Unreadable => "not readable as text",
            Self::BeyondLimit => "beyond the maximum number",
        }
    }
}

/// The reason why an import has failed. The former state remains.
#[derive(Debug, thiserror::Error)]
pub enum ScipImportError {
    #[error("cannot read `{file}`: {reason}")]
    File { file: Utf8PathBuf, reason: String },
    #[error("`{file}` has {bytes} bytes, more than the {limit} that an import reads; index a part of the project")]
    TooLarge { file: Utf8PathBuf, bytes: u64, limit: u64 },
    #[error("`{file}` is not a complete SCIP file ({reason}); make it again with its indexer")]
    Malformed { file: Utf8PathBuf, reason: String },
    #[error(
        "`{file}` has no document of this folder ({skipped}); pass the folder in which the indexer ran, and the commit that \
         it has read"
    )]
    NoDocuments { file: Utf8PathBuf, skipped: String },
    #[error("`{folder}` is not in the workspace folder `{root}`; pass a folder of the workspace without links")]
    Folder { folder: Utf8PathBuf, root: Utf8PathBuf },
    #[error("another zubi process changes the imported data now; try again when it has finished")]
    Locked,
    #[error("the import was cancelled")]
    Cancelled,
    #[error("the imported data cannot be stored: {0}")]
    Store(String),
    #[error(
        "`{0}` cannot be the name of a repository; use 1 to 300 characters without `*`, as in `git.example/team/library`"
    )]
    Repository(String),
    #[error("the team index cannot be changed: {0}")]
    Team(#[from] TeamIndexError),
}

impl From<IndexStoreError> for ScipImportError {
    fn from(error: IndexStoreError) -> Self {
        Self::Store(error.to_string())
    }
}

/// A message of the thread that imports to its caller.
pub(crate) enum ImportMessage {
    /// The thread needs a text, by its absolute path.
    Text(Utf8PathBuf, oneshot::Sender<Option<SourceText>>),
    Progress(ImportProgress),
}

/// The environment of an import.
pub(crate) struct ImportJob {
    pub(crate) request: ImportRequest,
    pub(crate) root: Utf8PathBuf,
    pub(crate) limits: ScipLimits,
    pub(crate) now: Duration,
    pub(crate) cancel: CancellationToken,
    pub(crate) caller: mpsc::Sender<ImportMessage>,
}

/// Runs an import on a thread of its own, and answers its messages. If the caller drops this future, the thread stops.
pub(crate) async fn run_on_thread<T: Send + 'static>(
    texts: &dyn TextSource,
    cancel: &CancellationToken,
    progress: &(dyn Fn(ImportProgress) + Send + Sync),
    run: impl FnOnce(CancellationToken, mpsc::Sender<ImportMessage>) -> T + Send + 'static,
) -> Result<T, ScipImportError> {
    let cancel = cancel.child_token();
    let _stop = cancel.clone().drop_guard();
    let (caller, mut messages) = mpsc::channel(16);
    let import = tokio::task::spawn_blocking(move || run(cancel, caller));
    while let Some(message) = messages.recv().await {
        match message {
            ImportMessage::Text(path, reply) => {
                // If the thread has stopped, it needs no reply.
                reply.send(texts.read(&path).await.ok()).ok();
            }
            ImportMessage::Progress(step) => progress(step),
        }
    }
    import.await.map_err(|error| ScipImportError::Store(error.to_string()))
}

/// The numbers of an import so far.
#[derive(Default)]
struct ImportCounts {
    documents: usize,
    exact: usize,
    occurrences: usize,
    local: usize,
    invalid: usize,
    skipped: BTreeMap<SkipReason, (usize, String)>,
}

impl ImportCounts {
    fn skip(&mut self, reason: SkipReason, path: &str) {
        let entry =
            self.skipped.entry(reason).or_insert_with(|| (0, zubi_base::text::ellipsize(path, 200).into_owned()));
        entry.0 += 1;
    }

    fn into_skipped(self) -> Vec<SkippedDocuments> {
        let list = |(reason, (count, example))| SkippedDocuments { reason, count, example };
        self.skipped.into_iter().map(list).collect()
    }
}

impl ImportJob {
    /// Imports the file, in a transaction of the caller. Runs on a thread of its own.
    pub(crate) fn run(&self, writer: &mut impl OccurrenceWriter) -> Result<ImportReport, ScipImportError> {
        self.folder()?;
        let file = &self.request.file;
        let unreadable =
            |error: std::io::Error| ScipImportError::File { file: file.clone(), reason: error.to_string() };
        let input = zubi_base::fs::open(file).map_err(unreadable)?;
        let metadata = input.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(ScipImportError::File { file: file.clone(), reason: "it is not a file".to_owned() });
        }
        let (bytes, limit) = (metadata.len(), self.limits.file_bytes);
        if bytes > limit {
            return Err(ScipImportError::TooLarge { file: file.clone(), bytes, limit });
        }
        let stream = WireStream::new(BufReader::with_capacity(1 << 16, input), self.limits.document_bytes);
        self.import_stream(writer, stream, bytes)
    }

    fn import_stream(
        &self,
        writer: &mut impl OccurrenceWriter,
        mut stream: WireStream<BufReader<std::fs::File>>,
        total_bytes: u64,
    ) -> Result<ImportReport, ScipImportError> {
        let malformed = |reason: String| ScipImportError::Malformed { file: self.request.file.clone(), reason };
        let mut counts = ImportCounts::default();
        let mut origin: Option<(i64, ScipTool)> = None;
        let mut message = Vec::new();
        let mut seen = 0_usize;
        loop {
            if self.cancel.is_cancelled() {
                return Err(ScipImportError::Cancelled);
            }
            let field =
                stream.next(|field| matches!(field, METADATA | DOCUMENT), &mut message).map_err(
                    |error| match error {
                        StreamError::File(error) => {
                            ScipImportError::File { file: self.request.file.clone(), reason: error.to_string() }
                        }
                        StreamError::Format { .. } => malformed(error.to_string()),
                    },
                )?;
            match field {
                None => break,
                Some(StreamField::Skipped) => {}
                Some(StreamField::Message(METADATA)) if origin.is_none() => {
                    let tool = ScipTool::from_metadata(&message).map_err(|error| malformed(error.to_string()))?;
                    origin = Some((writer.add_import(&self.row(&tool)?)?, tool));
                }
                Some(StreamField::Message(METADATA) | StreamField::TooLarge(METADATA)) => {
                    return Err(malformed(
                        "it has more than one description of its producer, or a very long one".to_owned(),
                    ));
                }
                Some(field) => {
                    // The format requires it, and the unit of columns depends on the producer.
                    let Some((import, tool)) = &origin else {
                        return Err(malformed("it does not begin with its producer".to_owned()));
                    };
                    match field {
                        StreamField::TooLarge(_) => counts.skip(SkipReason::TooLarge, ""),
                        _ => self.import_document(writer, *import, tool, &message, &mut counts)?,
                    }
                    seen += 1;
                    if seen.is_multiple_of(PROGRESS_STEP) {
                        self.report(ImportProgress { documents: seen, bytes: stream.offset(), total_bytes })?;
                    }
                }
            }
        }
        let Some((import, tool)) = origin else { return Err(malformed("it is empty".to_owned())) };
        if counts.documents == 0 {
            let skipped = list_skipped(&counts.into_skipped());
            return Err(ScipImportError::NoDocuments { file: self.request.file.clone(), skipped });
        }
        self.report(ImportProgress { documents: seen, bytes: stream.offset(), total_bytes })?;
        let row = self.row(&tool)?;
        writer.remove_former(import, &row.folder, &row.tool)?;
        let ImportCounts { documents, exact, occurrences, local, invalid, .. } = counts;
        let import = exact_import(&row);
        Ok(ImportReport { import, documents, exact, occurrences, local, invalid, skipped: counts.into_skipped() })
    }

    fn import_document(
        &self,
        writer: &mut impl OccurrenceWriter,
        import: i64,
        tool: &ScipTool,
        message: &[u8],
        counts: &mut ImportCounts,
    ) -> Result<(), ScipImportError> {
        let document = match ScipDocument::parse(message, &self.limits) {
            Ok(document) => document,
            Err(defect) => {
                counts.skip(
                    match defect {
                        DocumentDefect::Malformed(_) => SkipReason::Malformed,
                        DocumentDefect::InvalidPath => SkipReason::InvalidPath,
                        DocumentDefect::TooLarge => SkipReason::TooLarge,
                    },
                    "",
                );
                return Ok(());
            }
        };
        let folder = self.folder()?;
        let path = if folder.is_empty() { document.path.to_owned() } else { format!("{folder}/{}", document.path) };
        if counts.documents >= self.limits.documents {
            counts.skip(SkipReason::BeyondLimit, document.path);
            return Ok(());
        }
        let full_path = self.root.join(&path);
        if is_credential_path(&full_path) && !is_credential_path(&self.root) {
            counts.skip(SkipReason::Credentials, document.path);
            return Ok(());
        }
        if writer.has_document(import, &path)? {
            counts.skip(SkipReason::Duplicate, document.path);
            return Ok(());
        }
        let unit = ColumnUnit::from_scip(document.encoding, &tool.name);
        let content = match &self.request.commit {
            Some(commit) => match commit.blob(document.path) {
                Some(blob) => Some(blob),
                None => {
                    counts.skip(SkipReason::NotInCommit, document.path);
                    return Ok(());
                }
            },
            None => match self.read(full_path)? {
                Some(source) => fits(&document, &source, unit).then(|| BlobId::from_bytes(&source.bytes())),
                None => {
                    counts.skip(SkipReason::Unreadable, document.path);
                    return Ok(());
                }
            },
        };
        let hash = content.as_ref().map_or(&[][..], BlobId::as_bytes);
        let language = language(&document);
        let entry = DocumentEntry { import, path: &path, language: &language, hash, unit };
        let stored = writer.add_document(&entry, &document, tool)?;
        counts.documents += 1;
        counts.exact += usize::from(content.is_some());
        counts.occurrences += stored.occurrences;
        counts.local += document.local;
        counts.invalid += document.invalid + stored.invalid;
        Ok(())
    }

    fn row(&self, tool: &ScipTool) -> Result<ImportRow, ScipImportError> {
        Ok(ImportRow {
            id: 0,
            folder: self.folder()?.to_owned(),
            file: self.request.file.to_string(),
            tool: tool.name.clone(),
            version: tool.version.clone(),
            commit: self.request.commit.as_ref().map(|commit| commit.id().to_owned()),
            imported_ms: milliseconds(self.now),
        })
    }

    /// Returns the folder relative to the workspace folder.
    fn folder(&self) -> Result<&str, ScipImportError> {
        let Self { request, root, .. } = self;
        let is_clean = |path: &Utf8Path| path.components().all(|part| matches!(part, camino::Utf8Component::Normal(_)));
        let relative = request.folder.strip_prefix(root).ok().filter(|path| is_clean(path));
        let error = || ScipImportError::Folder { folder: request.folder.clone(), root: root.clone() };
        relative.map(|path| path.as_str().trim_end_matches('/')).ok_or_else(error)
    }

    fn report(&self, progress: ImportProgress) -> Result<(), ScipImportError> {
        self.caller.blocking_send(ImportMessage::Progress(progress)).map_err(|_| ScipImportError::Cancelled)
    }

    fn read(&self, path: Utf8PathBuf) -> Result<Option<SourceText>, ScipImportError> {
        let (reply, text) = oneshot::channel();
        self.caller.blocking_send(ImportMessage::Text(path, reply)).map_err(|_| ScipImportError::Cancelled)?;
        text.blocking_recv().map_err(|_| ScipImportError::Cancelled)
    }
}

/// Returns the origin of an import for an answer.
pub(crate) fn exact_import(row: &ImportRow) -> ExactImport {
    ExactImport {
        tool: row.tool.clone(),
        version: row.version.clone(),
        commit: row.commit.clone(),
        imported_at: Duration::from_millis(row.imported_ms),
    }
}

fn list_skipped(skipped: &[SkippedDocuments]) -> String {
    let phrases: Vec<String> =
        skipped.iter().map(|entry| format!("{} {}", entry.count, entry.reason.describe())).collect();
    if phrases.is_empty() { "it lists none".to_owned() } else { phrases.join(", ") }
}

/// Returns zubi's identifier of the language, or the producer's name.
fn language(document: &ScipDocument<'_>) -> String {
    let name = document.path.rsplit('/').next().unwrap_or_default();
    if let Some(language) = SyntaxLanguage::from_file_name(name) {
        return language.id.to_owned();
    }
    let known: String = document.language.chars().filter(|character| !character.is_control()).collect();
    let known = zubi_base::text::ellipsize(known.trim(), MAX_LANGUAGE).to_lowercase();
    if known.is_empty() { "unknown".to_owned() } else { known }
}

/// Whether the producer can have read a text: it sends the same one, or every occurrence is between words of the text and
/// every definition contains its name. A change of the text that moves nothing is not found.
pub(super) fn fits(document: &ScipDocument<'_>, source: &SourceText, unit: ColumnUnit) -> bool {
    if let Some(text) = document.text {
        return text.strip_prefix(BOM).unwrap_or(text) == &*source.text;
    }
    let text = DocumentText::new(&source.text, source.bom, unit);
    document.occurrences.iter().all(|occurrence| {
        let Some(range) = text.convert(occurrence.range) else { return text.is_uncertain(occurrence.range) };
        if !occurrence.range.is_name() {
            return true;
        }
        if !text.has_whole_words(&range) {
            return false;
        }
        !occurrence.roles.is_definition() || has_name(occurrence.symbol, text.slice(&range))
    })
}

/// Whether the text of a definition can be that of a symbol.
fn has_name(symbol: &str, text: &str) -> bool {
    let Some(symbol) = ScipSymbol::parse(symbol) else { return true };
    let is_word = |name: &str| name.chars().all(|character| character.is_alphanumeric() || character == '_');
    match symbol.suffix() {
        // The definition of a module is its file, or a word of its declaration.
        DescriptorSuffix::Namespace | DescriptorSuffix::Meta | DescriptorSuffix::TypeParameter => true,
        _ => !is_word(symbol.name()) || text.contains(symbol.name()),
    }
}
