//! The configuration of a host in this process, with the parts of an open editor next to it.

use std::ffi::OsString;
use std::sync::Arc;

use camino::Utf8PathBuf;
use zubi_base::clock::Clock;
use zubi_base::config::Settings;
use zubi_base::endpoint::EndpointSource;
use zubi_base::process::Spawner;
use zubi_base::text::{EditorSink, TextSource};
use zubi_base::trust::Trust;
use zubi_code::settings::EditorSettings;
use zubi_ipc::wire::host::HostKind;
use zubi_lsp_client::catalogue::CatalogueError;
use zubi_tools::domainlang::DomainModel;
use zubi_tools::editor_state::EditorClient;

use super::editor_options::EditorOptions;

/// The configuration of a host; the composition root supplies it.
#[derive(Clone)]
pub struct HostConfig {
    /// The workspace folders; the first is the base of relative paths.
    pub folders: Vec<Utf8PathBuf>,
    /// The directory of plans, journal, trust and the audit log.
    pub state_dir: Utf8PathBuf,
    /// zubi's directory of files that can be deleted at any time. Without one, there is no index.
    pub cache_dir: Option<Utf8PathBuf>,
    pub settings: Settings,
    pub trust: Trust,
    pub spawner: Spawner,
    /// The user's rows for the catalogue of language servers (`servers.toml`), as text.
    pub user_catalogue: Option<String>,
    /// `PATH`, in which zubi searches for programs.
    pub search_path: Option<OsString>,
    /// The kind of process in which the host runs.
    pub kind: HostKind,
    pub clock: Arc<dyn Clock>,
}

/// The parts of an open editor that a host next to it needs.
#[derive(Clone)]
pub struct EditorIntegration {
    /// The folders that the editor has open, if any.
    pub folders: Vec<Utf8PathBuf>,
    /// The source of answers about code.
    pub source: Arc<dyn EndpointSource>,
    /// The documents that are open in the editor, and its diagnostics.
    pub view: Arc<dyn EditorClient>,
    /// The editor's unsaved texts, and all other texts as its model sees them ([`model_texts`](crate::model_texts)).
    pub texts: Arc<dyn TextSource>,
    /// The target of edits, which are computed on `texts`, in documents open in the editor. `None`: the editor accepts
    /// no edits, so nothing is written.
    pub sink: Option<Arc<dyn EditorSink>>,
    /// The editor's settings, if it sends them.
    pub settings: Option<Arc<dyn EditorSettings>>,
    /// The models that the editor sees.
    pub model: Arc<DomainModel>,
    /// Whether headless servers may answer requests that the editor cannot.
    pub headless_fallback: bool,
    /// The port on 127.0.0.1 for other clients, if the editor names one.
    pub ipc_port: Option<u16>,
    /// The options that the user has chosen in the editor.
    pub options: EditorOptions,
}

/// The reason why a host cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum LocalHostError {
    #[error("{0}")]
    Workspace(std::io::Error),
    /// The folder contains the files of many projects: the home directory, or the root of the file system.
    #[error("zubi makes no index of `{0}`: open the folder of a project")]
    TooBroad(Utf8PathBuf),
    /// A row of the user's catalogue is invalid.
    #[error("catalogue of language servers: {0}")]
    Catalogue(CatalogueError),
}
