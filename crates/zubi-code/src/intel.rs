//! The object that answers requests about code, and the state that requests share.

use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_base::clock::Clock;
use zubi_base::endpoint::{Endpoint, EndpointSource};
use zubi_base::text::{EditSink, TextSource};
use zubi_base::workspace::WorkspaceFolders;

use crate::diagnostics::snapshot::SnapshotStore;
use crate::document::RecentDocuments;
use crate::edit::EditService;
use crate::exact_index::ExactIndex;
use crate::external_files::ExternalFiles;
use crate::features::mentions::RecentDefinitions;
use crate::outline::RecentOutlines;
use crate::router::Router;
use crate::session_remarks::SessionRemarks;
use crate::settings::EditorSettings;
use crate::symbol_index::SymbolIndex;
use crate::syntax::{RecentSyntax, SyntaxParser};
use crate::text_search::RecentWords;
use crate::version_control::VersionControl;

/// The parts of [`CodeIntel`] that the host supplies.
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
    /// Parses files whose server is absent.
    pub parser: Arc<dyn SyntaxParser>,
    /// The index of the folders' declarations and words, unless it is turned off.
    pub index: Option<Arc<dyn SymbolIndex>>,
    /// The imported exact data of the folders.
    pub exact: Vec<Arc<dyn ExactIndex>>,
    /// The history of the folders' files, if its program is installed.
    pub version_control: Option<Arc<dyn VersionControl>>,
    pub clock: Arc<dyn Clock>,
}

/// Answers requests about code. All callers of a workspace share one.
pub struct CodeIntel {
    pub(crate) workspace: Arc<WorkspaceFolders>,
    pub(crate) router: Arc<Router>,
    pub(crate) texts: Arc<dyn TextSource>,
    pub(crate) recent: RecentDocuments,
    pub(crate) edits: EditService,
    pub(crate) external: Arc<ExternalFiles>,
    settings: Option<Arc<dyn EditorSettings>>,
    pub(crate) parser: Arc<dyn SyntaxParser>,
    pub(crate) index: Option<Arc<dyn SymbolIndex>>,
    pub(crate) exact: Vec<Arc<dyn ExactIndex>>,
    pub(crate) version_control: Option<Arc<dyn VersionControl>>,
    pub(crate) snapshots: SnapshotStore,
    pub(crate) words: RecentWords,
    pub(crate) definitions: RecentDefinitions,
    pub(crate) outlines: RecentOutlines,
    pub(crate) syntax: RecentSyntax,
    remarks: SessionRemarks,
}

impl CodeIntel {
    /// Does no slow work: the first request detects the servers.
    pub fn new(config: CodeConfig) -> Arc<Self> {
        let external =
            Arc::new(ExternalFiles::new(&config.state_dir, Arc::clone(&config.workspace), Arc::clone(&config.clock)));
        let edits = EditService::new(
            Arc::clone(&config.workspace),
            Arc::clone(&config.texts),
            config.sink,
            &config.state_dir,
            config.clock,
        );
        Arc::new(Self {
            router: Arc::new(Router::new(config.sources, Arc::clone(&config.workspace), Arc::clone(&external))),
            workspace: config.workspace,
            external,
            texts: config.texts,
            recent: RecentDocuments::default(),
            edits,
            settings: config.settings,
            parser: config.parser,
            index: config.index,
            exact: config.exact,
            version_control: config.version_control,
            snapshots: SnapshotStore::default(),
            words: RecentWords::default(),
            definitions: RecentDefinitions::default(),
            outlines: RecentOutlines::default(),
            syntax: RecentSyntax::default(),
            remarks: SessionRemarks::default(),
        })
    }

    pub fn workspace(&self) -> &Arc<WorkspaceFolders> {
        &self.workspace
    }

    /// Returns the files outside the workspace that answers have shown.
    pub fn external_files(&self) -> &Arc<ExternalFiles> {
        &self.external
    }

    /// Returns the remarks that each session has seen.
    pub fn remarks(&self) -> &SessionRemarks {
        &self.remarks
    }

    /// Returns the service that makes all changes to files of the workspace.
    pub fn edits(&self) -> &EditService {
        &self.edits
    }

    /// Returns the settings of the open editor, if it exposes them.
    pub fn settings(&self) -> Option<&Arc<dyn EditorSettings>> {
        self.settings.as_ref()
    }

    /// Returns the open editor, which alone knows what its user is looking at.
    pub fn editor(&self) -> Option<Arc<dyn Endpoint>> {
        self.router.editor()
    }

    /// Stops the servers that zubi started and returns their number; the next request starts them again.
    pub async fn restart_servers(&self) -> usize {
        self.router.restart().await
    }

    /// Stops every server that zubi started.
    pub async fn shutdown(&self) {
        self.router.shutdown().await;
    }
}
