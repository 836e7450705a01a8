//! The servers that a workspace needs, those on this machine, and whether they work: the data for `zubi doctor`.
//!
//! zubi starts every server that is installed and may run, one after the other, so that none slows another down. Paths
//! are absolute, times in milliseconds.

use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::milliseconds;
use zubi_base::endpoint::{DocumentRef, Endpoint, Readiness, RequestCx};

use super::caveats::install_hint;
use super::{NeededServer, ServerPool};
use crate::catalogue::{InstallMethod, ServerEntry};
use crate::detect::{LanguageFiles, project_root};

/// The server abilities that users know, each with the request that shows it.
const ABILITIES: &[(&str, &str)] = &[
    ("definition", "textDocument/definition"),
    ("references", "textDocument/references"),
    ("hover", "textDocument/hover"),
    ("completion", "textDocument/completion"),
    ("signature help", "textDocument/signatureHelp"),
    ("outline", "textDocument/documentSymbol"),
    ("symbol search", "workspace/symbol"),
    ("implementations", "textDocument/implementation"),
    ("type definition", "textDocument/typeDefinition"),
    ("call hierarchy", "textDocument/prepareCallHierarchy"),
    ("type hierarchy", "textDocument/prepareTypeHierarchy"),
    ("rename", "textDocument/rename"),
    ("code actions", "textDocument/codeAction"),
    ("formatting", "textDocument/formatting"),
];

/// The state of a workspace's languages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Survey {
    /// Languages with files in the workspace that a known server supports, by LSP's id.
    pub languages: Vec<LanguageReport>,
    /// The reason why not all files were scanned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "cut")]
    pub incomplete_reason: Option<String>,
}

/// One language of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LanguageReport {
    pub language: String,
    pub files: usize,
    pub example: Utf8PathBuf,
    /// Whether it is data, markup or scripts, for which `doctor` does not report a missing server.
    pub auxiliary: bool,
    /// The servers in order of preference.
    pub servers: Vec<ServerReport>,
}

impl LanguageReport {
    /// Whether any server works for it.
    pub fn works(&self) -> bool {
        self.servers.iter().any(|server| matches!(server.state, ServerState::Works { .. }))
    }

    /// Whether `doctor` should report a missing server for it.
    pub fn needs_server(&self) -> bool {
        !self.auxiliary && !self.works()
    }
}

/// One server of a language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerReport {
    pub id: String,
    pub title: String,
    /// Whether zubi's own tests run it.
    pub tested: bool,
    /// Only one server of a group is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Utf8PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(flatten)]
    pub state: ServerState,
}

/// The state of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ServerState {
    /// The server was started and answers.
    Works {
        /// `ready`, `readiness unknown`, or the progress it made within the time-out.
        readiness: String,
        /// From starting the process until it was ready; `None` when it was not ready within the time-out.
        ready_ms: Option<u64>,
        abilities: Vec<&'static str>,
        /// The caveats of its answers in this workspace.
        notes: Vec<String>,
    },
    /// The server was started without success.
    Failed { why: String, hint: String },
    /// The server is installed, but the folder is not trusted.
    NotAllowed { hint: String },
    /// The server is not installed, or the installed program is not usable.
    Missing { why: String, install: Vec<InstallWay> },
}

/// One way to install a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstallWay {
    /// The package manager: `npm`, `rustup`.
    pub how: String,
    /// The command to type, or the page to visit.
    pub command: String,
}

impl From<&InstallMethod> for InstallWay {
    fn from(install: &InstallMethod) -> Self {
        Self { how: install.how.clone(), command: install.command.clone() }
    }
}

impl ServerPool {
    /// Examines all languages and servers. Each server may take `ready_timeout` to become ready. Calls `progress` at
    /// each step.
    pub async fn survey(&self, ready_timeout: Duration, progress: &(dyn Fn(&str) + Send + Sync)) -> Survey {
        progress("scanning the files");
        let detection = self.shared.detect().await;
        let mut languages = Vec::new();
        let mut reports: Vec<ServerReport> = Vec::new();
        for (language, files) in &detection.languages {
            let mut servers = Vec::new();
            let rows = self.shared.catalogue.for_language(language);
            let auxiliary = rows.iter().all(|row| row.auxiliary);
            for row in rows {
                // A language and its dialects share servers.
                let report = match reports.iter().find(|existing| existing.id == row.id) {
                    Some(report) => report.clone(),
                    None => {
                        progress(&row.title);
                        let report = self.examine(&row, files, ready_timeout).await;
                        reports.push(report.clone());
                        report
                    }
                };
                servers.push(report);
            }
            languages.push(LanguageReport {
                language: language.clone(),
                files: files.count,
                example: files.example.clone(),
                auxiliary,
                servers,
            });
        }
        Survey { languages, incomplete_reason: detection.incomplete_reason.clone() }
    }

    async fn examine(
        &self,
        row: &std::sync::Arc<ServerEntry>,
        files: &LanguageFiles,
        ready_timeout: Duration,
    ) -> ServerReport {
        let shared = &self.shared;
        let mut report = ServerReport {
            id: row.id.clone(),
            title: row.title.clone(),
            tested: row.tested,
            group: row.group.clone(),
            path: None,
            version: None,
            state: ServerState::Missing {
                why: install_hint(row),
                install: row.install.iter().map(InstallWay::from).collect(),
            },
        };
        let Some(folder) = shared.workspace.folder_of(&files.example).cloned() else { return report };
        let root = project_root(row, &files.example, &folder.path);
        let trusted = shared.trust.folder(&folder.path);
        match shared.finder.find(row, &root, &folder.path, trusted).await {
            Ok(program) => {
                report.path = Some(program.path);
                report.version = program.version;
            }
            Err(missing) => {
                let install = row.install.iter().map(InstallWay::from).collect();
                report.state = ServerState::Missing { why: missing.to_string(), install };
                return report;
            }
        }
        let needed = NeededServer {
            row: std::sync::Arc::clone(row),
            root: root.into(),
            folder,
            document: files.example.clone(),
        };
        let started = Instant::now();
        report.state = match shared.start(&needed).await {
            Ok(endpoint) => {
                let state = state(endpoint.as_ref(), &DocumentRef::new(&files.example), started, ready_timeout).await;
                // The next server must not share the machine.
                endpoint.shutdown().await;
                state
            }
            Err(not) => ServerState::NotAllowed { hint: not.absent.hint },
        };
        report
    }
}

/// Returns the state of an endpoint that was started at `started`, once it is ready or the time-out has passed.
pub async fn state(
    endpoint: &dyn Endpoint,
    document: &DocumentRef,
    started: Instant,
    ready_timeout: Duration,
) -> ServerState {
    let deadline = started + ready_timeout;
    let mut changes = endpoint.readiness_changes();
    let settled = tokio::time::timeout_at(deadline.into(), changes.wait_for(Readiness::is_settled)).await;
    let ready_ms = settled.is_ok().then(|| milliseconds(started.elapsed()));
    drop(settled);
    let readiness = endpoint.readiness();
    if let Readiness::Failed { reason, hint } = readiness {
        return ServerState::Failed { why: reason, hint };
    }
    let cx = RequestCx::new(CancellationToken::new(), Instant::now() + Duration::from_secs(1));
    let mut abilities = Vec::new();
    for (name, method) in ABILITIES {
        if endpoint.supports(method, Some(document), &cx).await {
            abilities.push(*name);
        }
    }
    let caveats = endpoint.caveats(Some(document));
    ServerState::Works {
        readiness: readiness.to_string(),
        ready_ms,
        abilities,
        notes: [caveats.failures, caveats.health, caveats.project, caveats.notes, caveats.beyond, caveats.packages]
            .concat(),
    }
}
