//! The queries of a team's data for one question: one transaction, the snapshots of one repository.

use std::num::TryFromIntError;

use async_trait::async_trait;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use zubi_base::credentials::is_credential_path;
use zubi_code::exact_index::ExactIndexError;

use super::connection::{OpenTransaction, TeamDatabase, check_schema};
use super::error::TeamIndexError;
use super::{MAX_OCCURRENCES, moniker_id};
use crate::scip::document::{has_normal_form, printable};
use crate::scip::store::{
    DocumentPage, DocumentRow, ImportRow, ListedDocument, MonikerRow, OccurrenceStore, RelationDirection,
};

/// The maximum number of snapshots of a question: folders and indexers of a repository.
const MAX_SNAPSHOTS: usize = 100;

/// The columns of a symbol; `$1` is the repository, `$2` the snapshots.
const MONIKER: &str = "m.id, m.text, m.kind, (
    SELECT min(d.path) FROM zubi.moniker_blob b JOIN zubi.document d ON d.blob = b.blob AND d.snapshot = ANY($2)
    WHERE b.moniker = m.id AND b.role = 0 AND b.repository = $1
) FROM zubi.moniker m WHERE m.repository = $1";

/// The place of a workspace folder in a team's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TeamWorkspace {
    /// The name of the repository.
    pub(super) repository: String,
    /// The workspace folder relative to the repository: empty, or with a slash at its end.
    pub(super) prefix: String,
    /// The ids of `HEAD` and its ancestors, nearest first.
    pub(super) history: Vec<String>,
}

/// The data for one question.
pub(super) struct TeamSession {
    client: OpenTransaction,
    repository: i32,
    prefix: String,
    imports: Vec<ImportRow>,
    /// The ids of the snapshots.
    snapshots: Vec<i64>,
    /// The number of commits between `HEAD` and each snapshot.
    pub(super) distances: Vec<usize>,
}

impl TeamDatabase {
    /// Begins a question: selects the snapshot of the nearest ancestor for each folder and indexer.
    pub(super) async fn begin_question(&self, workspace: &TeamWorkspace) -> Result<TeamSession, TeamIndexError> {
        let client = self.begin_reading().await?;
        check_schema(&client).await?;
        let statement = client
            .prepare_cached(
                "SELECT s.id, s.repository, s.folder, s.tool, s.tool_version, s.commit_id, s.pushed_ms
                 FROM zubi.repository r JOIN zubi.snapshot s ON s.repository = r.id
                 WHERE r.name = $1 AND s.commit_id = ANY($2)
                 ORDER BY s.folder, s.tool, array_position($2, s.commit_id) LIMIT 10000",
            )
            .await?;
        let rows = client.query(&statement, &[&workspace.repository, &workspace.history]).await?;
        let (mut repository, mut imports, mut distances) = (0, Vec::<ImportRow>::new(), Vec::new());
        for row in &rows {
            repository = row.try_get(1)?;
            let commit: String = row.try_get(5)?;
            let import = ImportRow {
                id: row.try_get(0)?,
                folder: row.try_get(2)?,
                file: String::new(),
                tool: printable(row.try_get(3)?),
                version: printable(row.try_get(4)?),
                commit: Some(commit.clone()).filter(|commit| !commit.is_empty()),
                imported_ms: u64::try_from(row.try_get::<_, i64>(6)?).unwrap_or_default(),
            };
            let is_nearest =
                imports.last().is_none_or(|last| (&last.folder, &last.tool) != (&import.folder, &import.tool));
            if !is_nearest {
                continue;
            }
            // A snapshot of another folder has no document below the prefix, so it only costs a row.
            let folder = import.folder.as_str();
            if !folder.is_empty() && !has_normal_form(folder) {
                return Err(TeamIndexError::Damaged("a snapshot has an invalid folder".to_owned()));
            }
            let distance = workspace.history.iter().position(|known| *known == commit);
            imports.push(import);
            distances.push(distance.unwrap_or_default());
            if imports.len() >= MAX_SNAPSHOTS {
                break;
            }
        }
        let snapshots = imports.iter().map(|import| import.id).collect();
        let prefix = workspace.prefix.clone();
        Ok(TeamSession { client, repository, prefix, imports, snapshots, distances })
    }
}

impl TeamSession {
    async fn rows(&self, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, TeamIndexError> {
        let statement = self.client.prepare_cached(sql).await?;
        Ok(self.client.query(&statement, parameters).await?)
    }

    /// Returns a path relative to the workspace folder.
    fn relative(&self, path: &str) -> Result<String, TeamIndexError> {
        let relative = path.strip_prefix(&self.prefix).filter(|path| has_normal_form(path));
        let relative = relative.filter(|path| !is_credential_path(path.as_ref()));
        relative.map(str::to_owned).ok_or_else(|| TeamIndexError::Damaged("a document has an invalid path".to_owned()))
    }

    fn read_document(&self, row: &Row) -> Result<DocumentRow, TeamIndexError> {
        let occurrences: Option<Vec<u8>> = row.try_get(4)?;
        let damaged = |_: TryFromIntError| TeamIndexError::Damaged("a number is out of its range".to_owned());
        Ok(DocumentRow {
            path: self.relative(row.try_get(0)?)?,
            import: row.try_get(1)?,
            hash: row.try_get(2)?,
            unit: row.try_get::<_, i16>(3)?.try_into().map_err(damaged)?,
            occurrences: occurrences.ok_or_else(|| TeamIndexError::Damaged("a document is too large".to_owned()))?,
            count: row.try_get::<_, i64>(5)?.try_into().map_err(damaged)?,
        })
    }

    fn read_moniker(&self, row: &Row) -> Result<MonikerRow, TeamIndexError> {
        let (id, text): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
        if moniker_id(&text) != id {
            return Err(TeamIndexError::Damaged("a symbol has the id of another one".to_owned()));
        }
        let kind: Option<i16> = row.try_get(2)?;
        let definition: Option<&str> = row.try_get(3)?;
        // A definition outside the workspace folder has no path in it.
        let definition = definition.and_then(|path| self.relative(path).ok());
        Ok(MonikerRow { id, text, kind: kind.and_then(|kind| u32::try_from(kind).ok()), definition })
    }

    async fn find_documents_at(&self, path: &str) -> Result<Vec<DocumentRow>, TeamIndexError> {
        let sql = "SELECT d.path, d.snapshot, b.hash, b.unit,
            CASE WHEN length(b.occurrences) <= $4 THEN b.occurrences END, 0::bigint
            FROM zubi.document d JOIN zubi.blob b ON b.id = d.blob AND b.repository = $1
            WHERE d.snapshot = ANY($2) AND d.path = $3 ORDER BY d.snapshot";
        let path = format!("{}{path}", self.prefix);
        let limit = i32::try_from(MAX_OCCURRENCES).unwrap_or(i32::MAX);
        let rows = self.rows(sql, &[&self.repository, &self.snapshots, &path, &limit]).await?;
        rows.iter().map(|row| self.read_document(row)).collect()
    }

    async fn list_documents(
        &self,
        import: i64,
        after: &str,
        limit: usize,
    ) -> Result<Vec<ListedDocument>, TeamIndexError> {
        let sql = "SELECT d.path, d.language, b.hash FROM zubi.document d
            JOIN zubi.blob b ON b.id = d.blob AND b.repository = $1
            WHERE d.snapshot = $2 AND d.path > $3 AND starts_with(d.path, $4) ORDER BY d.path LIMIT $5";
        let after = format!("{}{after}", self.prefix);
        let rows = self.rows(sql, &[&self.repository, &import, &after, &self.prefix, &to_limit(limit)]).await?;
        let read = |row: &Row| {
            let (path, language): (&str, &str) = (row.try_get(0)?, row.try_get(1)?);
            Ok(ListedDocument { path: self.relative(path)?, language: printable(language), hash: row.try_get(2)? })
        };
        rows.iter().map(read).collect()
    }

    async fn find_monikers(
        &self,
        condition: &str,
        parameter: &(dyn ToSql + Sync),
        limit: usize,
    ) -> Result<Vec<MonikerRow>, TeamIndexError> {
        let sql = format!("SELECT {MONIKER} AND {condition} ORDER BY m.id LIMIT $4");
        let rows = self.rows(&sql, &[&self.repository, &self.snapshots, parameter, &to_limit(limit)]).await?;
        rows.iter().map(|row| self.read_moniker(row)).collect()
    }

    async fn find_relations(
        &self,
        ids: &[i64],
        bits: u8,
        direction: RelationDirection,
        limit: usize,
    ) -> Result<Vec<i64>, TeamIndexError> {
        let sql = match direction {
            RelationDirection::ToTargets => {
                "SELECT DISTINCT target FROM zubi.relation WHERE moniker = ANY($1) AND repository = $2 AND bits & $3 <> 0
                 AND EXISTS (SELECT FROM zubi.document d WHERE d.blob = relation.blob AND d.snapshot = ANY($5))
                 ORDER BY target LIMIT $4"
            }
            RelationDirection::FromTargets => {
                "SELECT DISTINCT moniker FROM zubi.relation WHERE target = ANY($1) AND repository = $2 AND bits & $3 <> 0
                 AND EXISTS (SELECT FROM zubi.document d WHERE d.blob = relation.blob AND d.snapshot = ANY($5))
                 ORDER BY moniker LIMIT $4"
            }
        };
        let parameters: [&(dyn ToSql + Sync); 5] =
            [&ids, &self.repository, &i16::from(bits), &to_limit(limit), &self.snapshots];
        self.rows(sql, &parameters).await?.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    async fn find_page(&self, page: &DocumentPage) -> Result<Vec<DocumentRow>, TeamIndexError> {
        // The data are joined after the limit, so that they are not sorted with the rows.
        let sql = "SELECT found.path, found.snapshot, b.hash, b.unit,
                CASE WHEN length(b.occurrences) <= $9 THEN b.occurrences END, found.n
            FROM (
                SELECT d.path, d.snapshot, d.blob, sum(m.n) AS n FROM zubi.moniker_blob m
                JOIN zubi.document d ON d.blob = m.blob AND d.snapshot = ANY($2)
                WHERE m.moniker = ANY($3) AND m.role = $4 AND m.repository = $1 AND starts_with(d.path, $5)
                AND (d.path, d.snapshot) > ($6, $7)
                GROUP BY d.path, d.snapshot, d.blob ORDER BY d.path, d.snapshot LIMIT $8
            ) AS found JOIN zubi.blob b ON b.id = found.blob AND b.repository = $1 ORDER BY found.path, found.snapshot";
        let (path, import) = page.after.as_ref().map_or(("", -1), |(path, import)| (path.as_str(), *import));
        let after = format!("{}{path}", self.prefix);
        let role = i16::from(!page.definitions);
        let limit = i32::try_from(MAX_OCCURRENCES).unwrap_or(i32::MAX);
        let parameters: [&(dyn ToSql + Sync); 9] = [
            &self.repository,
            &self.snapshots,
            &page.monikers,
            &role,
            &self.prefix,
            &after,
            &import,
            &to_limit(page.limit),
            &limit,
        ];
        self.rows(sql, &parameters).await?.iter().map(|row| self.read_document(row)).collect()
    }
}

#[async_trait]
impl OccurrenceStore for TeamSession {
    async fn imports(&self) -> Result<Vec<ImportRow>, ExactIndexError> {
        let mut imports = self.imports.clone();
        for import in &mut imports {
            // The folder of an answer is relative to the workspace folder.
            let prefix = self.prefix.trim_end_matches('/');
            let below = import.folder.strip_prefix(prefix).map(|folder| folder.trim_start_matches('/').to_owned());
            import.folder = below.unwrap_or_default();
        }
        Ok(imports)
    }

    async fn documents_at(&self, path: &str) -> Result<Vec<DocumentRow>, ExactIndexError> {
        Ok(self.find_documents_at(path).await?)
    }

    async fn documents_after(
        &self,
        import: i64,
        after: &str,
        limit: usize,
    ) -> Result<Vec<ListedDocument>, ExactIndexError> {
        Ok(self.list_documents(import, after, limit).await?)
    }

    async fn monikers_named(&self, name: &str, limit: usize) -> Result<Vec<MonikerRow>, ExactIndexError> {
        // The name can be that of other commits only.
        let condition = "m.name = $3 AND EXISTS (SELECT FROM zubi.moniker_blob b
            JOIN zubi.document d ON d.blob = b.blob AND d.snapshot = ANY($2)
            WHERE b.moniker = m.id AND b.repository = $1)";
        if name.contains('\0') {
            return Ok(Vec::new());
        }
        Ok(self.find_monikers(condition, &name, limit).await?)
    }

    async fn monikers(&self, ids: &[i64]) -> Result<Vec<MonikerRow>, ExactIndexError> {
        let mut rows = self.find_monikers("m.id = ANY($3)", &ids, ids.len()).await?;
        rows.sort_by_key(|row| ids.iter().position(|id| *id == row.id));
        Ok(rows)
    }

    async fn find_related(
        &self,
        ids: &[i64],
        bits: u8,
        direction: RelationDirection,
        limit: usize,
    ) -> Result<Vec<i64>, ExactIndexError> {
        Ok(self.find_relations(ids, bits, direction, limit).await?)
    }

    async fn documents_with(&self, query: &DocumentPage) -> Result<Vec<DocumentRow>, ExactIndexError> {
        Ok(self.find_page(query).await?)
    }

    async fn discard(&self) {
        tracing::warn!("the team's data are damaged; push the commit again");
    }
}

fn to_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
