//! The servers that a workspace needs, those on this machine, and whether they work: the data for `zubi doctor`.
//!
//! zubi starts every server that is installed and may run, one after the other, so that none slows another down. Paths
//! are absolute, times in milliseconds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::milliseconds;
use zubi_base::endpoint::{Caveats, DocumentRef, Endpoint, Readiness, RequestCx};
use zubi_base::walk::{self, WalkOptions};
use zubi_base::workspace::Folder;

use super::caveats::install_hint;
use super::projects::roots;
use super::recent_roots::RecentRoots;
use super::{NeededServer, ServerPool};
use crate::catalogue::{InstallMethod, ServerEntry};
use crate::detect::{Detection, LanguageFiles, project_root};
use crate::sandbox::ServerProject;

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
    /// The permissions in the sandbox, in one line, if zubi starts the server as a process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
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
        /// The projects in which it was started, that of the language's example first.
        projects: Vec<ProjectReport>,
        /// The number of further projects.
        omitted_projects: usize,
    },
    /// The server was started without success.
    Failed { why: String, hint: String },
    /// The server is installed, but the folder is not trusted.
    NotAllowed { hint: String },
    /// The server is not installed, or the installed program is not usable.
    Missing { why: String, install: Vec<InstallWay> },
}

/// One project of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectReport {
    /// The directory in which the server works.
    pub root: Utf8PathBuf,
    /// `ready`, `readiness unknown`, `failed`, or the progress it made within the time-out.
    pub readiness: String,
    /// See [`ServerState::Works`].
    pub ready_ms: Option<u64>,
    /// The caveats of its answers.
    pub limits: Vec<LimitReport>,
}

/// One caveat of a server's answers in a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LimitReport {
    pub kind: LimitKind,
    pub text: String,
    /// The command that removes the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cure: Option<String>,
}

/// The part of a server's answers that a caveat is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// The server reports an error or a warning about itself. Answers about the project may be incomplete.
    Health,
    /// The server does not read a part of the project. Answers about the project may be incomplete.
    Project,
    /// The server lacks an ability.
    Ability,
    /// The server does not know installed packages or the standard library.
    Libraries,
    /// The environment whose packages the server knows.
    Packages,
}

impl LimitKind {
    /// Whether answers about the project may be incomplete.
    pub fn is_gap(self) -> bool {
        matches!(self, Self::Health | Self::Project)
    }
}

/// The maximum number of projects in which each server is started.
const MAX_PROJECTS: usize = 10;

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
                        let report = self.examine(&row, files, &detection, ready_timeout, progress).await;
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
        row: &Arc<ServerEntry>,
        files: &LanguageFiles,
        detection: &Detection,
        ready_timeout: Duration,
        progress: &(dyn Fn(&str) + Send + Sync),
    ) -> ServerReport {
        let shared = &self.shared;
        let mut report = ServerReport {
            id: row.id.clone(),
            title: row.title.clone(),
            tested: row.tested,
            group: row.group.clone(),
            path: None,
            version: None,
            sandbox: None,
            state: ServerState::Missing {
                why: install_hint(row),
                install: row.install.iter().map(InstallWay::from).collect(),
            },
        };
        let Some(folder) = shared.workspace.folder_of(&files.example).cloned() else { return report };
        progress(&row.title);
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
        report.sandbox = self.describe_sandbox(row, &root, &folder, &files.example).await;
        report.state = self.examine_project(row, &root, &folder, &files.example, ready_timeout).await;
        if let ServerState::Works { projects, omitted_projects, .. } = &mut report.state {
            let others = self.other_projects(row, files, detection, &root).await;
            *omitted_projects = others.len().saturating_sub(MAX_PROJECTS - 1);
            for project in others.into_iter().take(MAX_PROJECTS - 1) {
                progress(&format!("{} in {}", row.title, shared.workspace.display(&project.root)));
                let OtherRoot { root, folder, example } = project;
                let state = self.examine_project(row, &root, &folder, &example, ready_timeout).await;
                projects.extend(ProjectReport::from_state(root, state));
            }
        }
        report
    }

    /// Describes what a server may do in one project.
    async fn describe_sandbox(
        &self,
        row: &Arc<ServerEntry>,
        root: &Utf8Path,
        folder: &Folder,
        example: &Utf8Path,
    ) -> Option<String> {
        let sandbox = self.shared.sandbox.as_ref()?;
        let needed = self.select_server(row, root, folder, example);
        let cargo = self.shared.cargo_launch(&needed).await;
        let access = cargo.extend_access(row.access.clone());
        Some(sandbox.describe(&ServerProject { server: row.id.clone(), root: root.to_owned(), access }).await)
    }

    fn select_server(
        &self,
        row: &Arc<ServerEntry>,
        root: &Utf8Path,
        folder: &Folder,
        example: &Utf8Path,
    ) -> NeededServer {
        NeededServer {
            row: Arc::clone(row),
            root: root.to_owned().into(),
            roots: Arc::clone(&self.shared.roots),
            folder: folder.clone(),
            document: example.to_owned(),
        }
    }

    /// Starts a server in one project, and ends it.
    async fn examine_project(
        &self,
        row: &Arc<ServerEntry>,
        root: &Utf8Path,
        folder: &Folder,
        example: &Utf8Path,
        ready_timeout: Duration,
    ) -> ServerState {
        let needed = self.select_server(row, root, folder, example);
        let started = Instant::now();
        match self.shared.start(&needed).await {
            Ok(endpoint) => {
                let state = state(endpoint.as_ref(), root, &DocumentRef::new(example), started, ready_timeout).await;
                // The next server must not share the machine.
                endpoint.shutdown().await;
                state
            }
            Err(not) => ServerState::NotAllowed { hint: not.absent.hint },
        }
    }

    /// Returns the projects of a server that have files in its languages, except the one at `own`.
    async fn other_projects(
        &self,
        row: &Arc<ServerEntry>,
        files: &LanguageFiles,
        detection: &Detection,
        own: &Utf8Path,
    ) -> Vec<OtherRoot> {
        let mut found: Vec<OtherRoot> = Vec::new();
        // No question began here, so the store of the last one may be outdated.
        let known = RecentRoots::default();
        for (path, example) in &files.examples {
            let Some(folder) = self.shared.workspace.folder_of(path) else { continue };
            let (roots, _) = roots(row, detection, example, folder, true, &known, |_| false);
            let new = roots.into_iter().filter(|root| root != own);
            found.extend(new.map(|root| OtherRoot { root, folder: folder.clone(), example: example.clone() }));
        }
        let (row, languages) = (Arc::clone(row), Arc::clone(&self.shared.languages));
        // Reads names; a root has few files before the first one of its language.
        let with_example = move || {
            let is_own = |file: &Utf8PathBuf| languages.for_file(file).is_some_and(|language| row.serves(language));
            let examples = found.into_iter().filter_map(|other| {
                let is_in_root = |file: &Utf8PathBuf| project_root(&row, file, &other.folder.path) == other.root;
                let example =
                    walk::files(&other.root, WalkOptions::default()).find(|file| is_own(file) && is_in_root(file))?;
                Some(OtherRoot { example, ..other })
            });
            examples.collect()
        };
        tokio::task::spawn_blocking(with_example).await.unwrap_or_default()
    }
}

/// A project of a server, with one of its documents.
struct OtherRoot {
    root: Utf8PathBuf,
    folder: Folder,
    example: Utf8PathBuf,
}

impl ProjectReport {
    /// Returns the report on a project from the state of its server; `None` if the server may not run there.
    fn from_state(root: Utf8PathBuf, state: ServerState) -> Option<Self> {
        match state {
            ServerState::Works { mut projects, .. } => projects.pop(),
            ServerState::Failed { why, .. } => Some(Self {
                root,
                readiness: "failed".to_owned(),
                ready_ms: None,
                limits: vec![LimitReport { kind: LimitKind::Health, text: why, cure: None }],
            }),
            ServerState::NotAllowed { .. } | ServerState::Missing { .. } => None,
        }
    }
}

/// Returns the caveats with their kinds and cures.
fn limits(caveats: Caveats) -> Vec<LimitReport> {
    let Caveats { project, health, failures, notes, beyond, packages, cures } = caveats;
    let kinds = [
        (LimitKind::Health, failures),
        (LimitKind::Health, health),
        (LimitKind::Project, project),
        (LimitKind::Ability, notes),
        (LimitKind::Libraries, beyond),
        (LimitKind::Packages, packages),
    ];
    let reports = kinds.into_iter().flat_map(|(kind, texts)| texts.into_iter().map(move |text| (kind, text)));
    reports.map(|(kind, text)| LimitReport { kind, cure: cures.get(&text).cloned(), text }).collect()
}

/// Returns the state of an endpoint that was started at `started`, once it is ready or the time-out has passed.
pub async fn state(
    endpoint: &dyn Endpoint,
    root: &Utf8Path,
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
    let project = ProjectReport {
        root: root.to_owned(),
        readiness: readiness.to_string(),
        ready_ms,
        limits: limits(endpoint.caveats(Some(document))),
    };
    let readiness = project.readiness.clone();
    ServerState::Works { readiness, ready_ms, abilities, projects: vec![project], omitted_projects: 0 }
}
