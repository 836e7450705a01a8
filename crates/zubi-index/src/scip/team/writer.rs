//! The rows of one push. Runs on the import's thread.

use rustc_hash::FxHashSet;
use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;

use super::connection::OpenTransaction;
use super::stage::{BlobRow, DocumentStage, MonikerStage, RelationStage, StageRows, SymbolStage};
use super::{MAX_OCCURRENCES, content_id, moniker_id};
use crate::scip::document::{ScipDocument, ScipTool};
use crate::scip::encoded::{EncodedDocument, SymbolCount};
use crate::scip::import::ScipImportError;
use crate::scip::kind;
use crate::scip::store::{DocumentCounts, DocumentEntry, ImportRow, OccurrenceWriter};
use crate::scip::symbol::ScipSymbol;

/// The number of bytes of rows in memory, about.
const BATCH: usize = 4 << 20;

/// The maximum number of ids in memory. A row that is sent twice costs time only.
const MAX_KNOWN: usize = 500_000;

/// The maximum length of a name, in bytes: PostgreSQL indexes no longer value than 2,700.
const MAX_NAME: usize = 1_000;

/// Sends the documents of a push to the temporary tables.
pub(super) struct SnapshotWriter {
    client: OpenTransaction,
    runtime: Handle,
    rows: StageRows,
    /// The number of bytes in `rows`, about.
    bytes: usize,
    monikers: FxHashSet<(i64, bool)>,
    blobs: FxHashSet<i64>,
    paths: FxHashSet<String>,
    digest: Sha256,
    /// The origin, which the file begins with.
    row: Option<ImportRow>,
}

/// The result of a push before it is merged.
pub(super) struct StageResult {
    pub(super) client: OpenTransaction,
    pub(super) row: ImportRow,
    /// The hash of all documents.
    pub(super) digest: [u8; 32],
}

impl SnapshotWriter {
    /// The connection is in a transaction that has the temporary tables. `runtime` drives it.
    pub(super) fn new(client: OpenTransaction, runtime: Handle) -> Self {
        Self {
            client,
            runtime,
            rows: StageRows::default(),
            bytes: 0,
            monikers: FxHashSet::default(),
            blobs: FxHashSet::default(),
            paths: FxHashSet::default(),
            digest: Sha256::new(),
            row: None,
        }
    }

    /// Sends the remaining rows.
    pub(super) fn finish(mut self) -> Result<StageResult, ScipImportError> {
        self.send()?;
        let row = self.row.ok_or_else(|| ScipImportError::Store("the file has no producer".to_owned()))?;
        Ok(StageResult { client: self.client, row, digest: self.digest.finalize().into() })
    }

    fn send(&mut self) -> Result<(), ScipImportError> {
        self.bytes = 0;
        let rows = std::mem::take(&mut self.rows);
        self.runtime.block_on(rows.send(&self.client)).map_err(ScipImportError::Team)
    }

    fn moniker(&mut self, text: &str, kind: Option<u32>) -> Option<i64> {
        let id = moniker_id(text);
        if self.monikers.contains(&(id, kind.is_some())) {
            return Some(id);
        }
        // PostgreSQL has no texts with this character.
        let symbol = ScipSymbol::parse(text).filter(|_| !text.contains('\0'))?;
        let name = symbol.searchable_name().filter(|name| name.len() <= MAX_NAME);
        let is_known = kind.is_some();
        let kind = kind.or_else(|| kind::from_symbol(&symbol)).and_then(|kind| i16::try_from(kind).ok());
        self.bytes += text.len() * 2;
        self.rows.monikers.push(MonikerStage {
            id,
            text: text.to_owned(),
            name: name.map(str::to_owned),
            kind,
            is_known,
        });
        if self.monikers.len() >= MAX_KNOWN {
            self.monikers.clear();
        }
        self.monikers.insert((id, is_known));
        Some(id)
    }

    fn add_blob(&mut self, id: i64, entry: &DocumentEntry<'_>, encoded: &EncodedDocument) {
        for SymbolCount { moniker, is_reference, number } in encoded.symbols() {
            let number = i32::try_from(number).unwrap_or(i32::MAX);
            self.rows.symbols.push(SymbolStage { moniker, role: i16::from(is_reference), blob: id, number });
        }
        for (moniker, target, bits) in &encoded.relations {
            let relation = RelationStage { target: *target, moniker: *moniker, blob: id, bits: i16::from(*bits) };
            self.rows.relations.push(relation);
        }
        self.bytes += encoded.bytes.len() + 32 * (encoded.symbols().len() + encoded.relations.len());
        self.rows.blobs.push(BlobRow {
            id,
            hash: entry.hash.to_owned(),
            digest: encoded.digest.to_vec(),
            unit: i16::from(entry.unit.code()),
            occurrences: encoded.bytes.clone(),
        });
    }
}

impl OccurrenceWriter for SnapshotWriter {
    fn add_import(&mut self, row: &ImportRow) -> Result<i64, ScipImportError> {
        self.row = Some(row.clone());
        Ok(0)
    }

    fn has_document(&mut self, _import: i64, path: &str) -> Result<bool, ScipImportError> {
        Ok(self.paths.contains(path))
    }

    fn add_document(
        &mut self,
        entry: &DocumentEntry<'_>,
        document: &ScipDocument<'_>,
        tool: &ScipTool,
    ) -> Result<DocumentCounts, ScipImportError> {
        let encoded = EncodedDocument::new(entry.unit, document, tool, |text, kind| {
            Ok::<_, ScipImportError>(self.moniker(text, kind))
        })?;
        if i64::try_from(encoded.bytes.len()).is_ok_and(|bytes| bytes > MAX_OCCURRENCES) {
            let path = entry.path;
            return Err(ScipImportError::Store(format!("`{path}` has too many occurrences; index it separately")));
        }
        let blob = content_id(&[entry.hash, &encoded.digest]);
        if self.blobs.insert(blob) {
            self.add_blob(blob, entry, &encoded);
        }
        self.digest.update((entry.path.len() as u64).to_le_bytes());
        self.digest.update(entry.path);
        self.digest.update([0]);
        self.digest.update(entry.language);
        self.digest.update([0]);
        self.digest.update(blob.to_le_bytes());
        self.bytes += 2 * entry.path.len() + 64;
        let (path, language) = (entry.path.to_owned(), entry.language.to_owned());
        self.paths.insert(path.clone());
        self.rows.documents.push(DocumentStage { path, language, blob });
        if self.bytes >= BATCH {
            self.send()?;
        }
        Ok(encoded.counts)
    }

    fn remove_former(&mut self, _import: i64, _folder: &str, _tool: &str) -> Result<(), ScipImportError> {
        // The merge does it, when all rows are there.
        Ok(())
    }
}
