//! Code intelligence over endpoints: what the language servers (or the open editor) know, as plain data an agent can
//! read.
//!
//! [`CodeIntel`] is the one object. Each question goes the same way: files that changed reach the servers first
//! ([`router`]), the place that is meant is worked out ([`locate`]), the servers are waited for by their own signals
//! ([`readiness`]), each is asked once, and the answer carries a verdict on its completeness ([`status`]).
//!
//! This crate starts no process and speaks no protocol besides LSP's shapes over [`zubi_base::endpoint::Endpoint`]; it
//! does not know `zubi-lsp-client`.

pub mod actions;
pub mod apply;
pub mod diagnostics;
pub mod edit;
pub mod error;
pub mod features;
pub mod locate;
pub mod markup;
mod cache;
pub mod outline;
pub mod place;
pub mod question;
pub mod readiness;
pub mod router;
pub mod settings;
mod response_check;
pub mod status;
#[cfg(feature = "testing")]
pub mod testing;
mod text_fallback;
mod virtual_documents;
pub mod text_search;

use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_base::clock::Clock;
use zubi_base::endpoint::{Endpoint, EndpointSource};
use zubi_base::text::{EditSink, TextSource};
use zubi_base::workspace::Workspace;

pub use crate::error::CodeError;
pub use crate::question::{CallCx, Question};
pub use crate::status::{Answer, AnswerStatus, Completeness};

use crate::diagnostics::SnapshotStore;
use crate::edit::Edits;
use crate::features::text_matches::RecentWords;
use crate::outline::RecentOutlines;
use crate::question::RecentDocuments;
use crate::router::Router;
use crate::settings::EditorSettings;

/// What [`CodeIntel`] is made of; the host hands it in.
pub struct CodeConfig {
    pub workspace: Arc<Workspace>,
    /// Who answers, in order of preference.
    pub sources: Vec<Arc<dyn EndpointSource>>,
    pub texts: Arc<dyn TextSource>,
    pub sink: Arc<dyn EditSink>,
    /// Of an open editor that tells them.
    pub settings: Option<Arc<dyn EditorSettings>>,
    /// Where plans and journals are kept.
    pub state_dir: Utf8PathBuf,
    pub clock: Arc<dyn Clock>,
}

/// Answers questions about code. One for each workspace, shared by all callers.
pub struct CodeIntel {
    workspace: Arc<Workspace>,
    router: Router,
    texts: Arc<dyn TextSource>,
    recent: RecentDocuments,
    edits: Edits,
    settings: Option<Arc<dyn EditorSettings>>,
    snapshots: SnapshotStore,
    words: RecentWords,
    outlines: RecentOutlines,
}

impl CodeIntel {
    /// Does no slow work: servers are looked for with the first question.
    pub fn new(config: CodeConfig) -> Arc<Self> {
        let edits = Edits::new(
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

    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// The one way to change files of the workspace.
    pub fn edits(&self) -> &Edits {
        &self.edits
    }

    /// The settings of the open editor, if it tells them.
    pub fn settings(&self) -> Option<&Arc<dyn EditorSettings>> {
        self.settings.as_ref()
    }

    /// The open editor, which alone knows what its user looks at; `None` without one.
    pub fn editor(&self) -> Option<Arc<dyn Endpoint>> {
        self.router.editor()
    }

    /// Begins a question: every file that changed on disk is made known to the servers before anything is asked.
    pub async fn question(&self, cx: CallCx) -> Question<'_> {
        Question::begin(self, cx).await
    }

    /// Ends the servers that were started for these answers, so that the next question starts them anew; says how many there
    /// were.
    pub async fn restart_servers(&self) -> usize {
        self.router.restart().await
    }

    /// Stops every server that was started for these answers.
    pub async fn shutdown(&self) {
        self.router.shutdown().await;
    }
}
