//! The queries of the SQLite store.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::store::{DocumentPage, DocumentRow, ImportRow, ListedDocument, MonikerRow, RelationDirection};
use crate::store::IndexStoreError;
use crate::store::database::StoreFile;
use crate::store::reader::{FileIdentity, identity_of};

/// A connection that only reads.
pub(crate) struct ExactReader {
    connection: Connection,
    identity: Option<FileIdentity>,
}

const MONIKER: &str = "moniker.id, moniker.text, moniker.kind, (
    SELECT min(document.path) FROM moniker_blob JOIN document ON document.blob = moniker_blob.blob
    WHERE moniker_blob.moniker = moniker.id AND moniker_blob.role = 0)";

impl ExactReader {
    pub(crate) fn open(file: &StoreFile) -> Result<Self, IndexStoreError> {
        // Before the connection: if the file is replaced in between, the next query opens the new one.
        let identity = identity_of(&file.path);
        Ok(Self { connection: file.open_for_reading()?, identity })
    }

    /// Whether the file is still the one that the reader has opened.
    pub(crate) fn is_current(&self, file: &StoreFile) -> bool {
        self.identity.is_some() && self.identity == identity_of(&file.path)
    }

    pub(crate) fn imports(&self) -> Result<Vec<ImportRow>, IndexStoreError> {
        read_imports(&self.connection)
    }

    pub(crate) fn documents_at(&self, path: &str) -> Result<Vec<DocumentRow>, IndexStoreError> {
        let sql = "SELECT document.path, document.import, blob.hash, blob.unit, blob.occurrences, 0 FROM document
            JOIN blob ON blob.id = document.blob WHERE document.path = ?1 ORDER BY document.import";
        self.rows(sql, [path], read_document)
    }

    pub(crate) fn documents_after(
        &self,
        import: i64,
        after: &str,
        limit: usize,
    ) -> Result<Vec<ListedDocument>, IndexStoreError> {
        let sql = "SELECT document.path, document.language, blob.hash FROM document
            JOIN blob ON blob.id = document.blob WHERE document.path > ?2 AND document.import = ?1
            ORDER BY document.path LIMIT ?3";
        self.rows(sql, params![import, after, to_i64(limit)], |row| {
            Ok(ListedDocument { path: row.get(0)?, language: row.get(1)?, hash: row.get(2)? })
        })
    }

    pub(crate) fn monikers_named(&self, name: &str, limit: usize) -> Result<Vec<MonikerRow>, IndexStoreError> {
        let sql = format!("SELECT {MONIKER} FROM moniker WHERE name = ?1 ORDER BY id LIMIT ?2");
        self.rows(&sql, params![name, to_i64(limit)], read_moniker)
    }

    pub(crate) fn monikers(&self, ids: &[i64]) -> Result<Vec<MonikerRow>, IndexStoreError> {
        let sql = format!("SELECT {MONIKER} FROM moniker WHERE id = ?1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut monikers = Vec::with_capacity(ids.len());
        for id in ids {
            monikers.extend(statement.query_row([id], read_moniker).optional()?);
        }
        Ok(monikers)
    }

    pub(crate) fn find_related(
        &self,
        ids: &[i64],
        bits: u8,
        direction: RelationDirection,
        limit: usize,
    ) -> Result<Vec<i64>, IndexStoreError> {
        let sql = match direction {
            RelationDirection::ToTargets => {
                "SELECT DISTINCT target FROM relation WHERE moniker IN (SELECT value FROM json_each(?1))
                 AND bits & ?2 <> 0 ORDER BY target LIMIT ?3"
            }
            RelationDirection::FromTargets => {
                "SELECT DISTINCT moniker FROM relation WHERE target IN (SELECT value FROM json_each(?1))
                 AND bits & ?2 <> 0 ORDER BY moniker LIMIT ?3"
            }
        };
        self.rows(sql, params![json_list(ids), bits, to_i64(limit)], |row| row.get(0))
    }

    pub(crate) fn documents_with(&self, page: &DocumentPage) -> Result<Vec<DocumentRow>, IndexStoreError> {
        let (path, import) = page.after.as_ref().map_or(("", -1), |(path, import)| (path.as_str(), *import));
        // The data are joined after the limit, so that they are not sorted with the rows.
        let sql = "SELECT found.path, found.import, blob.hash, blob.unit, blob.occurrences, found.n FROM (
                SELECT document.path, document.import, document.blob, sum(moniker_blob.n) AS n FROM moniker_blob
                JOIN document ON document.blob = moniker_blob.blob
                WHERE moniker_blob.moniker IN (SELECT value FROM json_each(?1)) AND moniker_blob.role = ?2
                AND (document.path, document.import) > (?3, ?4)
                GROUP BY document.path, document.import ORDER BY document.path, document.import LIMIT ?5
            ) AS found JOIN blob ON blob.id = found.blob ORDER BY found.path, found.import";
        let role = i64::from(!page.definitions);
        let monikers = json_list(&page.monikers);
        self.rows(sql, params![monikers, role, path, import, to_i64(page.limit)], read_document)
    }

    fn rows<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, IndexStoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(parameters, read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

pub(crate) fn read_imports(connection: &Connection) -> Result<Vec<ImportRow>, IndexStoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, folder, file, tool, version, commit_id, imported_ms FROM import ORDER BY folder, tool, id",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(ImportRow {
            id: row.get(0)?,
            folder: row.get(1)?,
            file: row.get(2)?,
            tool: row.get(3)?,
            version: row.get(4)?,
            commit: row.get(5)?,
            imported_ms: u64::try_from(row.get::<_, i64>(6)?).unwrap_or_default(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read_document(row: &Row<'_>) -> rusqlite::Result<DocumentRow> {
    Ok(DocumentRow {
        path: row.get(0)?,
        import: row.get(1)?,
        hash: row.get(2)?,
        unit: row.get(3)?,
        occurrences: row.get(4)?,
        count: usize::try_from(row.get::<_, i64>(5)?).unwrap_or_default(),
    })
}

fn read_moniker(row: &Row<'_>) -> rusqlite::Result<MonikerRow> {
    Ok(MonikerRow { id: row.get(0)?, text: row.get(1)?, kind: row.get(2)?, definition: row.get(3)? })
}

fn json_list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}

pub(crate) fn to_i64(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
