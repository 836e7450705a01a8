//! Code intelligence over endpoints: the knowledge of the language servers (or the open editor) as plain data that an
//! agent can read.
//!
//! [`CodeIntel`] is the one object. Each request has the same steps: it notifies the servers of changed files
//! ([`router`]), resolves the target ([`locate`]), waits for the servers by their own signals ([`readiness`]), sends
//! one request to each, and adds a verdict on the completeness of the answer ([`status`]).
//!
//! This crate starts no process and speaks no protocol besides LSP's shapes over [`zubi_base::endpoint::Endpoint`]; it
//! does not know `zubi-lsp-client`.

pub mod actions;
pub mod apply;
mod cache;
pub mod diagnostics;
pub mod edit;
pub mod error;
pub mod features;
pub mod locate;
pub mod location;
pub mod markup;
pub mod outline;
pub mod query;
pub mod readiness;
mod response_check;
pub mod router;
pub mod settings;
pub mod status;
#[cfg(feature = "testing")]
pub mod testing;
mod text_fallback;
pub mod text_search;
mod virtual_documents;

use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_base::clock::Clock;
use zubi_base::endpoint::{Endpoint, EndpointSource};
use zubi_base::text::{EditSink, TextSource};
use zubi_base::workspace::WorkspaceFolders;

pub use crate::error::CodeError;
pub use crate::query::{CallCx, CodeQuery};
pub use crate::status::{AnswerStatus, Completeness, QualifiedAnswer};

use crate::diagnostics::SnapshotStore;
use crate::edit::EditService;
use crate::features::text_matches::RecentWords;
use crate::outline::RecentOutlines;
use crate::query::RecentDocuments;
use crate::router::Router;
use crate::settings::EditorSettings;

/// The parts of [`CodeIntel`], which the host supplies.
pub struct CodeConfig {
    pub workspace: Arc<WorkspaceFolders>,
    /// The sources of endpoints, in order of preference.
    pub sources: Vec<Arc<dyn EndpointSource>>,
    pub texts: Arc<dyn TextSource>,
    pub sink: Arc<dyn EditSink>,
    /// The settings of an open editor that exposes them.
    pub settings: Option<Arc<dyn EditorSettings>>,
    /// The directory of plans and journals.
    pub state_dir: Utf8PathBuf,
    pub clock: Arc<dyn Clock>,
}

/// Answers questions about code. One for each workspace, shared by all callers.
pub struct CodeIntel {
    workspace: Arc<WorkspaceFolders>,
    router: Router,
    texts: Arc<dyn TextSource>,
    recent: RecentDocuments,
    edits: EditService,
    settings: Option<Arc<dyn EditorSettings>>,
    snapshots: SnapshotStore,
    words: RecentWords,
    outlines: RecentOutlines,
}

impl CodeIntel {
    /// Does no slow work: servers are looked for with the first question.
    pub fn new(config: CodeConfig) -> Arc<Self> {
        let edits = EditService::new(
            Arc::clone(&config.workspace),
            Arc::clone(&config.texts),
            config.sink,
            &config.state_dir,
            config.clock,
        );
        Arc::new(Self {
            workspace: config.workspace,
            router: Router::new(config.sources),
            texts: config.texts,
            recent: RecentDocuments::default(),
            edits,
            settings: config.settings,
            snapshots: SnapshotStore::default(),
            words: RecentWords::default(),
            outlines: RecentOutlines::default(),
        })
    }

    pub fn workspace(&self) -> &Arc<WorkspaceFolders> {
        &self.workspace
    }

    /// The one way to change files of the workspace.
    pub fn edits(&self) -> &EditService {
        &self.edits
    }

    /// Returns the settings of the open editor, if it exposes them.
    pub fn settings(&self) -> Option<&Arc<dyn EditorSettings>> {
        self.settings.as_ref()
    }

    /// The open editor, which alone knows what its user looks at; `None` without one.
    pub fn editor(&self) -> Option<Arc<dyn Endpoint>> {
        self.router.editor()
    }

    /// Begins a request: notifies the servers of every file that changed on disk before anything else is sent.
    pub async fn query(&self, cx: CallCx) -> CodeQuery<'_> {
        CodeQuery::begin(self, cx).await
    }

    /// Ends the servers that were started for these answers, so that the next request starts them again; returns their
    /// number.
    pub async fn restart_servers(&self) -> usize {
        self.router.restart().await
    }

    /// Stops every server that was started for these answers.
    pub async fn shutdown(&self) {
        self.router.shutdown().await;
    }
}
