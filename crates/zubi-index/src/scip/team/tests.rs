//! Tests with a real server.
#![expect(clippy::string_slice, reason = "a test that cuts a character should fail")]

mod faults;
mod postgres;
mod pushes;
mod repositories;
mod security;
mod tls;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use tokio_util::sync::CancellationToken;
use zubi_base::text::{DiskText, TextSource};
use zubi_code::exact_index::{ExactAnswer, ExactImportStatus, ExactIndex, ExactIndexError, ExactQuery};

use self::postgres::PostgresServer;
use super::session::TeamWorkspace;
use super::{PushReport, PushRequest, TeamDatabase};
use crate::scip::answer::{self, QueryFolder};
use crate::scip::tests::conformance::{ConformanceStore, check_store};
use crate::scip::{ImportReport, ImportRequest, ScipImportError};

/// The time of every push.
const NOW: Duration = Duration::from_secs(1_000);

/// A folder whose data are those of one repository.
pub(super) struct TeamFolder {
    pub(super) database: Arc<TeamDatabase>,
    pub(super) root: Utf8PathBuf,
    pub(super) workspace: TeamWorkspace,
}

impl TeamFolder {
    /// A folder at the commit of [`crate::scip::tests::commit`].
    pub(super) fn new(database: &Arc<TeamDatabase>, root: &Utf8Path, repository: &str) -> Self {
        let history = vec![String::new(), "ab".repeat(20)];
        let workspace = TeamWorkspace { repository: repository.to_owned(), prefix: String::new(), history };
        Self { database: Arc::clone(database), root: root.to_owned(), workspace }
    }

    pub(super) fn push_request(&self, import: &ImportRequest) -> PushRequest {
        PushRequest {
            import: import.clone(),
            root: self.root.clone(),
            repository: self.workspace.repository.clone(),
            committed_at: 500,
            creates_schema: true,
            snapshots: 50,
        }
    }

    pub(super) async fn push(&self, import: &ImportRequest) -> Result<PushReport, ScipImportError> {
        push(&self.database, &self.push_request(import)).await
    }

    fn folder(&self) -> QueryFolder<'_> {
        QueryFolder { root: &self.root, now: NOW, checked_documents: 1_000 }
    }
}

pub(super) async fn push(database: &TeamDatabase, request: &PushRequest) -> Result<PushReport, ScipImportError> {
    database.push(request, NOW, &DiskText, &CancellationToken::new(), &|_| {}).await
}

#[async_trait]
impl ExactIndex for TeamFolder {
    async fn find(&self, query: &ExactQuery, texts: &dyn TextSource) -> Result<ExactAnswer, ExactIndexError> {
        let session = self.database.begin_question(&self.workspace).await?;
        answer::find(&session, &self.folder(), query, texts).await
    }

    async fn status(&self, texts: &dyn TextSource) -> Result<Vec<ExactImportStatus>, ExactIndexError> {
        let session = self.database.begin_question(&self.workspace).await?;
        answer::status(&session, &self.folder(), texts).await
    }

    async fn find_uncovered(
        &self,
        paths: &[Utf8PathBuf],
        texts: &dyn TextSource,
    ) -> Result<Vec<Utf8PathBuf>, ExactIndexError> {
        let session = self.database.begin_question(&self.workspace).await?;
        answer::find_uncovered(&session, &self.folder(), paths, texts).await
    }
}

#[async_trait]
impl ConformanceStore for TeamFolder {
    fn index(&self) -> &dyn ExactIndex {
        self
    }

    async fn import(&self, request: &ImportRequest) -> Result<ImportReport, ScipImportError> {
        self.push(request).await.map(|report| report.import)
    }
}

/// Returns a server with zubi's tables, and a database of its administrator.
pub(super) async fn server() -> (PostgresServer, Arc<TeamDatabase>) {
    let server = PostgresServer::start().await;
    server.admin(super::push::SCHEMA).await;
    let database = database(&server, "postgres");
    (server, database)
}

pub(super) fn database(server: &PostgresServer, role: &str) -> Arc<TeamDatabase> {
    Arc::new(TeamDatabase::new(&server.connection(role), "the test").unwrap())
}

#[tokio::test]
async fn the_store_of_a_team_behaves_as_the_local_one() {
    let (mut server, database) = server().await;
    let number = AtomicU32::new(0);
    check_store(async |root, _| {
        let repository = format!("test/{}", number.fetch_add(1, Ordering::Relaxed));
        Box::new(TeamFolder::new(&database, root, &repository)) as Box<dyn ConformanceStore>
    })
    .await;
    server.stop().await;
}
