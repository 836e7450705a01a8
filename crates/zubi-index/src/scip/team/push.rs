//! Pushes: a file becomes the snapshot of a commit, in one transaction.

use std::time::Duration;

use camino::Utf8PathBuf;
use deadpool_postgres::Object;
use tokio::runtime::Handle;
use tokio_postgres::types::ToSql;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::milliseconds;
use zubi_base::text::TextSource;

use super::connection::{OpenTransaction, TeamDatabase, check_schema};
use super::error::TeamIndexError;
use super::stage::TABLES;
use super::writer::{SnapshotWriter, StageResult};
use crate::scip::import::{ImportJob, ImportProgress, ImportReport, ImportRequest, ScipImportError, run_on_thread};
use crate::scip::limits::ScipLimits;
use crate::scip::store::ImportRow;

/// The maximum length of the name of a repository, in characters.
const MAX_REPOSITORY: usize = 300;

/// The first number of the advisory locks of zubi (`zubi` in ASCII); the second is the repository.
const LOCK: i32 = 0x7a75_6269;

/// The script that creates the tables.
pub(super) const SCHEMA: &str = include_str!("schema.sql");

/// Whether two different contents have one id.
const COLLISION: &str = "SELECT EXISTS (
        SELECT FROM pg_temp.stage_moniker s JOIN zubi.moniker m ON m.id = s.id AND m.repository = $1 WHERE m.text <> s.text
    ) OR EXISTS (
        SELECT FROM pg_temp.stage_moniker GROUP BY id HAVING min(text) <> max(text)
    ) OR EXISTS (
        SELECT FROM pg_temp.stage_blob s JOIN zubi.blob b ON b.id = s.id AND b.repository = $1
        WHERE b.hash <> s.hash OR b.digest <> s.digest
    )";

/// Adds what the repository does not have yet.
const MERGE: [&str; 5] = [
    "INSERT INTO zubi.blob (repository, id, hash, digest, unit, occurrences)
     SELECT $1, id, hash, digest, unit, occurrences FROM pg_temp.stage_blob ON CONFLICT DO NOTHING",
    "INSERT INTO zubi.moniker (repository, id, text, name, kind)
     SELECT DISTINCT ON (id) $1::int, id, text, name, kind FROM pg_temp.stage_moniker ORDER BY id, is_known DESC
     ON CONFLICT DO NOTHING",
    "UPDATE zubi.moniker m SET kind = s.kind FROM pg_temp.stage_moniker s
     WHERE s.is_known AND m.id = s.id AND m.repository = $1 AND m.kind IS DISTINCT FROM s.kind",
    "INSERT INTO zubi.moniker_blob (repository, moniker, role, blob, n)
     SELECT $1, moniker, role, blob, n FROM pg_temp.stage_symbol ON CONFLICT DO NOTHING",
    "INSERT INTO zubi.relation (repository, target, moniker, blob, bits)
     SELECT $1, target, moniker, blob, bits FROM pg_temp.stage_relation ON CONFLICT DO NOTHING",
];

/// Removes the data that no snapshot of the repository uses.
const REMOVE_UNUSED: [&str; 4] = [
    "DELETE FROM zubi.blob b WHERE b.repository = $1
     AND NOT EXISTS (SELECT FROM zubi.document d WHERE d.blob = b.id AND d.repository = $1)",
    "DELETE FROM zubi.moniker_blob m WHERE m.repository = $1
     AND NOT EXISTS (SELECT FROM zubi.blob b WHERE b.id = m.blob AND b.repository = $1)",
    "DELETE FROM zubi.relation r WHERE r.repository = $1
     AND NOT EXISTS (SELECT FROM zubi.blob b WHERE b.id = r.blob AND b.repository = $1)",
    "DELETE FROM zubi.moniker m WHERE m.repository = $1
     AND NOT EXISTS (SELECT FROM zubi.moniker_blob b WHERE b.moniker = m.id AND b.repository = $1)
     AND NOT EXISTS (SELECT FROM zubi.relation r WHERE r.moniker = m.id AND r.repository = $1)
     AND NOT EXISTS (SELECT FROM zubi.relation r WHERE r.target = m.id AND r.repository = $1)",
];

/// A push to do.
#[derive(Debug, Clone)]
pub struct PushRequest {
    /// The file, its folder and the files of the commit.
    pub import: ImportRequest,
    /// The top folder of the repository, by its absolute path without links. The folder of the import is in it.
    pub root: Utf8PathBuf,
    /// The name of the repository, as [`super::repository_name`] makes it.
    pub repository: String,
    /// The time of the commit, in seconds since the Unix epoch.
    pub committed_at: i64,
    /// Whether to create the tables if the database has none.
    pub creates_schema: bool,
    /// The maximum number of snapshots of the folder and the indexer in the repository. The oldest commits go first.
    pub snapshots: u32,
}

/// The result of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushReport {
    /// The documents and their numbers.
    pub import: ImportReport,
    /// Whether the commit had no snapshot with these data.
    pub is_new: bool,
    /// The number of snapshots that the push has removed.
    pub removed: u64,
}

impl TeamDatabase {
    /// Pushes a file. One that fails, is cancelled or whose future is dropped changes nothing.
    pub async fn push(
        &self,
        request: &PushRequest,
        now: Duration,
        texts: &dyn TextSource,
        cancel: &CancellationToken,
        progress: &(dyn Fn(ImportProgress) + Send + Sync),
    ) -> Result<PushReport, ScipImportError> {
        let repository = request.repository.as_str();
        if repository.is_empty()
            || repository.chars().count() > MAX_REPOSITORY
            || repository.chars().any(|character| character.is_control() || character == '*')
        {
            return Err(ScipImportError::Repository(zubi_base::text::ellipsize(repository, 80).into_owned()));
        }
        let (client, repository) = self.begin_snapshot(request).await?;
        let (import, root) = (request.import.clone(), request.root.clone());
        let runtime = Handle::current();
        let run = move |cancel, caller| {
            let mut writer = SnapshotWriter::new(client, runtime);
            let job = ImportJob { request: import, root, limits: ScipLimits::default(), now, cancel, caller };
            let report = job.run(&mut writer)?;
            Ok::<_, ScipImportError>((report, writer.finish()?))
        };
        let (import, staged) = run_on_thread(texts, cancel, progress, run).await??;
        if cancel.is_cancelled() {
            return Err(ScipImportError::Cancelled);
        }
        let merging = merge(staged, request, repository, now);
        let merged = tokio::select! {
            merged = merging => merged?,
            () = cancel.cancelled() => return Err(ScipImportError::Cancelled),
        };
        let (is_new, removed) = merged;
        Ok(PushReport { import, is_new, removed })
    }

    /// Begins a transaction that alone writes to the repository. Returns the repository's id.
    async fn begin_snapshot(&self, request: &PushRequest) -> Result<(OpenTransaction, i32), TeamIndexError> {
        let client = self.begin_push().await?;
        let version = "SELECT to_regclass('zubi.version') IS NOT NULL";
        if request.creates_schema && !client.query_one(version, &[]).await?.try_get::<_, bool>(0)? {
            client.batch_execute(SCHEMA).await?;
        }
        check_schema(&client).await?;
        let name: &(dyn ToSql + Sync) = &request.repository;
        let select = "SELECT id FROM zubi.repository WHERE name = $1";
        let row = match client.query_opt(select, &[name]).await? {
            Some(row) => row,
            None => {
                client
                    .execute("INSERT INTO zubi.repository (name) VALUES ($1) ON CONFLICT DO NOTHING", &[name])
                    .await?;
                client.query_opt(select, &[name]).await?.ok_or(TeamIndexError::Forbidden)?
            }
        };
        let repository: i32 = row.try_get(0)?;
        client.execute("SELECT pg_advisory_xact_lock($1, $2)", &[&LOCK, &repository]).await?;
        client.batch_execute(TABLES).await?;
        Ok((client, repository))
    }
}

/// Merges the temporary tables and commits. Returns whether there was no such snapshot, and how many were removed.
async fn merge(
    staged: StageResult,
    request: &PushRequest,
    repository: i32,
    now: Duration,
) -> Result<(bool, u64), TeamIndexError> {
    let StageResult { client, row, digest } = staged;
    let ImportRow { folder, tool, version, commit, .. } = &row;
    let commit = commit.as_deref().unwrap_or_default();
    let key: [&(dyn ToSql + Sync); 4] = [&repository, &commit, folder, tool];
    let existing =
        "SELECT digest FROM zubi.snapshot WHERE repository = $1 AND commit_id = $2 AND folder = $3 AND tool = $4";
    if let Some(row) = client.query_opt(existing, &key).await?
        && row.try_get::<_, &[u8]>(0)? == digest
    {
        return Ok((false, 0));
    }
    client.batch_execute("ANALYZE pg_temp.stage_blob; ANALYZE pg_temp.stage_moniker").await?;
    if client.query_one(COLLISION, &[&repository]).await?.try_get(0)? {
        return Err(TeamIndexError::Collision);
    }
    for statement in MERGE {
        client.execute(statement, &[&repository]).await?;
    }
    let removed = client
        .execute(
            "DELETE FROM zubi.snapshot WHERE repository = $1 AND commit_id = $2 AND folder = $3 AND tool = $4",
            &key,
        )
        .await?;
    let pushed = i64::try_from(milliseconds(now)).unwrap_or(i64::MAX);
    let snapshot: i64 = client
        .query_one(
            "INSERT INTO zubi.snapshot
             (repository, commit_id, folder, tool, tool_version, committed_at, pushed_ms, digest)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
            &[&repository, &commit, folder, tool, version, &request.committed_at, &pushed, &digest.as_slice()],
        )
        .await?
        .try_get(0)?;
    client
        .execute(
            "INSERT INTO zubi.document (snapshot, path, repository, language, blob)
             SELECT $1, path, $2, language, blob FROM pg_temp.stage_document",
            &[&snapshot, &repository],
        )
        .await?;
    let removed = removed + remove_old(&client, [&repository, folder, tool], request.snapshots).await?;
    if removed > 0 {
        for statement in REMOVE_UNUSED {
            client.execute(statement, &[&repository]).await?;
        }
    }
    client.commit().await?;
    Ok((true, removed))
}

/// Marks the newest snapshot of a folder and an indexer, and removes those beyond a number. Returns how many.
async fn remove_old(
    client: &Object,
    [repository, folder, tool]: [&(dyn ToSql + Sync); 3],
    number: u32,
) -> Result<u64, TeamIndexError> {
    let key = [repository, folder, tool];
    client
        .execute(
            "UPDATE zubi.snapshot s SET is_newest = NOT s.is_newest FROM (
                SELECT id, row_number() OVER (ORDER BY committed_at DESC, id DESC) = 1 AS is_newest
                FROM zubi.snapshot WHERE repository = $1 AND folder = $2 AND tool = $3
             ) AS ranked WHERE ranked.id = s.id AND ranked.is_newest <> s.is_newest",
            &key,
        )
        .await?;
    let number = i64::from(number.max(1));
    let removed = client
        .execute(
            "DELETE FROM zubi.snapshot WHERE id IN (
                SELECT id FROM zubi.snapshot WHERE repository = $1 AND folder = $2 AND tool = $3
                ORDER BY committed_at DESC, id DESC OFFSET $4
             )",
            &[repository, folder, tool, &number],
        )
        .await?;
    Ok(removed)
}
