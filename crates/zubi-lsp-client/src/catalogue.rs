//! The catalogue: zubi's data about each language server.
//!
//! The binary embeds the files of [`BUILTIN`]; a user's file adds rows and changes fields of known ones. This module
//! has the form of a row and its checks. [`crate::detect`] finds installed servers; the session starts them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::Value;
use zubi_base::position::Encoding;

use crate::checks::BackgroundCheck;
use crate::detect::PythonEnvironment;
use crate::diagnostic_rounds::DiagnosticRounds;
use crate::document_activity::DocumentStatus;
use crate::health::{HealthSign, StatusReason};
use crate::readiness::ReadinessSignal;

mod access;
mod limit;
mod merge;
mod python;
mod reload;
mod role;
mod timeouts;
pub(crate) mod virtual_documents;

use merge::{merge_tables, merge_values};

pub use access::{ProjectPath, ServerAccess, resolve_template};
pub use limit::{CaveatScope, Limit};
pub use python::PythonParams;
pub use reload::ReloadRequest;
pub use role::ServerRole;
pub use timeouts::Timeouts;
pub use virtual_documents::VirtualDocuments;

/// The built-in rows. Tested servers come first, so that the tested one counts if two rows claim a file name.
const BUILTIN: &[&str] = &[
    include_str!("../catalogue.toml"),
    include_str!("../catalogue/more.toml"),
    include_str!("../catalogue/texts.toml"),
    include_str!("../catalogue/listed/native.toml"),
    include_str!("../catalogue/listed/managed.toml"),
    include_str!("../catalogue/listed/web.toml"),
    include_str!("../catalogue/listed/scripts.toml"),
    include_str!("../catalogue/listed/data.toml"),
];

/// All known servers, in the order of the file.
#[derive(Debug, Clone)]
pub struct Catalogue {
    rows: Vec<Arc<ServerEntry>>,
    /// The users' files applied on top of the built-in ones, in order.
    user: Vec<String>,
}

/// The error for an invalid catalogue; the text names the row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    #[error("{0}")]
    Syntax(String),
    #[error("server `{id}`: {message}")]
    Row { id: String, message: String },
}

/// One language server.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerEntry {
    /// The name in answers and in a user's rows.
    pub id: String,
    /// The display name of the program.
    pub title: String,
    /// The program: a name that is searched on PATH, or an absolute path.
    pub command: String,
    #[serde(default)]
    pub args: Vec<String>,
    /// Arguments with which it prints its version and exits. Empty: the program counts as usable if it exists.
    #[serde(default = "default_version_args")]
    pub version_args: Vec<String>,
    /// A program in the same directory as `command` that prints the version instead; if it is missing, the version is
    /// not queried.
    #[serde(default)]
    pub version_command: Option<String>,
    /// The lowest usable version, as numbers with dots: `7`, `1.20`.
    #[serde(default)]
    pub minimum_version: Option<String>,
    pub languages: Vec<Language>,
    /// The rule that finds the root directory of a document's project.
    #[serde(default)]
    pub root: RootRule,
    /// Files that mark a project's directory, best group first. Paths relative to that directory.
    #[serde(default)]
    pub root_markers: Vec<Vec<String>>,
    /// Those of `root_markers` that mark a project inside a root which the server reads only while a file of it is
    /// open.
    #[serde(default)]
    pub inner_projects: Vec<String>,
    /// LSP methods whose answer is only about the project of the request's document, although the server reads several.
    #[serde(default)]
    pub per_project: Vec<String>,
    /// Whether a request about the whole workspace also starts the server in roots inside other roots, which the outer
    /// root's server does not read. Otherwise they are started by the first request about one of their documents.
    #[serde(default)]
    pub nested_apart: bool,
    /// The options sent with `initialize`; `Null` for none.
    #[serde(default)]
    pub initialization_options: Value,
    /// Answers to `workspace/configuration`, an object by section.
    #[serde(default)]
    pub settings: Value,
    /// Whether the server reads settings only from `workspace/didChangeConfiguration`.
    #[serde(default)]
    pub push_settings: bool,
    /// Whether the server does not begin to read a project before a document of it is open.
    #[serde(default)]
    pub needs_document: bool,
    /// The signal by which the server is known to have read the project.
    #[serde(with = "ReadinessSignalForm")]
    pub readiness: ReadinessSignal,
    /// LSP methods that zubi does not use although the server supports them.
    #[serde(default)]
    pub withheld: Vec<String>,
    /// How the server is notified about files that changed on disk.
    #[serde(default)]
    pub freshness: Freshness,
    /// Files that decide how the server reads the project, relative to the project's directory or one above it, and
    /// that it reads only when it starts. zubi starts it again when one of them appears, vanishes or changes.
    #[serde(default)]
    pub restart_on: Vec<String>,
    /// Names of files and of directories of packages that the server reads again only when its settings change. zubi
    /// sends `workspace/didChangeConfiguration` when such a file, or a file in such a directory, changes.
    #[serde(default)]
    pub configure_on: Vec<String>,
    /// The request that makes the server read its project again, if a notification about changed files is not enough.
    #[serde(default)]
    pub reload: Option<ReloadRequest>,
    /// The time, in milliseconds, in which the server notices changes on disk, for a server that ignores notifications
    /// about them and watches the files itself. Requests after a change wait for it.
    #[serde(default)]
    pub own_watcher_ms: Option<u64>,
    /// Commands of `workspace/executeCommand` that only produce edits.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Ways to install it, the best first.
    #[serde(default)]
    pub install: Vec<InstallMethod>,
    pub untrusted: UntrustedRule,
    /// The time without requests after which the server is ended, in milliseconds; the next request starts it again.
    #[serde(default = "default_idle_ms")]
    pub idle_ms: u64,
    /// The memory in megabytes, of the server and its child processes, above which the server is ended. No limit by
    /// default.
    #[serde(default)]
    pub max_memory_mb: Option<u64>,
    /// The code chosen by the project's authors that the server executes, as an object of "would run …". Empty when
    /// `untrusted` is `run`.
    #[serde(default)]
    pub runs: String,
    /// The permissions in the sandbox.
    #[serde(default)]
    pub access: ServerAccess,
    #[serde(default)]
    pub timeouts: Timeouts,
    /// The kinds of requests that zubi sends to the server; all by default.
    #[serde(default = "default_roles")]
    pub roles: Vec<ServerRole>,
    /// The order within a language and within a group; the lowest comes first.
    #[serde(default = "default_priority")]
    pub priority: u32,
    /// The group of alternatives that the server belongs to: only the first server of a group that can run serves a
    /// document.
    #[serde(default)]
    pub group: Option<String>,
    /// Whether zubi's own tests run it.
    #[serde(default)]
    pub tested: bool,
    /// Whether its languages are data, markup or scripts that accompany the code of most projects. Such a server
    /// receives requests about its own documents, and about a whole workspace only if no other server can answer them.
    /// Otherwise every search in a Rust project would start a server for its README, or report that none is installed.
    #[serde(default)]
    pub auxiliary: bool,
    /// The check that computes diagnostics in addition to the server's own after a file was saved.
    #[serde(default)]
    pub checker: Option<BackgroundCheck>,
    /// How the server signals that it has finished with a document, for servers whose first publication of diagnostics
    /// does not show that.
    #[serde(default)]
    pub document_status: Option<DocumentStatus>,
    /// How the server reports each round of diagnostics, for servers that only publish diagnostics.
    #[serde(default)]
    pub diagnostic_rounds: Option<DiagnosticRounds>,
    /// A request with nothing but `textDocument` in its params. zubi waits for its answer before it sends any other
    /// request after a new text of that document: the server works on several messages at once, and would answer
    /// without the text.
    #[serde(default)]
    #[serde(rename = "fence")]
    pub barrier_method: Option<String>,
    /// The unit of its columns (`utf-8`, `utf-16`, `utf-32`), if it is not the one that the server names.
    #[serde(default)]
    pub encoding: Option<Encoding>,
    /// Whether every publication about an open document has the document's version.
    #[serde(default)]
    pub names_versions: bool,
    /// Whether it publishes the diagnostics of one text in several parts, even if each has the version.
    #[serde(default)]
    pub publishes_in_parts: bool,
    /// Whether the diagnostics of a document depend on no other file.
    #[serde(default)]
    pub diagnoses_text_only: bool,
    /// Extensions of files in other languages that it reads, for a server that registers no watched files: schemas,
    /// included fragments of code.
    #[serde(default)]
    pub also_reads: Vec<String>,
    /// A command of `workspace/executeCommand` that passes a request of tsserver's protocol on: zubi requests
    /// diagnostics with it instead of waiting for them to be published in parts.
    #[serde(default)]
    pub tsserver_command: Option<String>,
    /// Whether that command takes paths instead of URIs.
    #[serde(default)]
    pub tsserver_takes_paths: bool,
    /// How the server returns the text of documents that are not files, if it does not use LSP's
    /// `workspace/textDocumentContent`.
    #[serde(default)]
    pub virtual_documents: Option<VirtualDocuments>,
    /// The reasons why its answers may be incomplete, which are reported with them.
    #[serde(default)]
    pub limits: Vec<Limit>,
    /// How the server is given the Python environment of a project, if it needs one.
    #[serde(default)]
    pub python: Option<PythonParams>,
    /// The ways in which the server reports errors and warnings about itself or the project, besides
    /// `experimental/serverStatus`.
    #[serde(default)]
    #[serde(rename = "health")]
    pub health_signs: Vec<HealthSign>,
    /// How a server with `experimental/serverStatus` explains an error or a warning.
    #[serde(default)]
    pub status_reason: StatusReason,
    /// Commands that cure what the server reports about its own state, by a part of its message.
    #[serde(default)]
    pub cures: BTreeMap<String, String>,
    /// `false` disables the server: in a user's row, or in a built-in row for a server that users must choose because
    /// it runs beside others (a linter that needs settings) and has not been tested. `true` in a user's row enables it.
    #[serde(default = "default_enabled")]
    pub enabled: bool,
}

/// A language as LSP names it, and how its files are recognized.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// LSP's `languageId`.
    pub id: String,
    /// The extensions without the dot, compared without regard to case. Sources before headers: a file with the first
    /// extension is opened first.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Whole file names.
    #[serde(default)]
    pub file_names: Vec<String>,
    /// Interpreters on a script's first line, without directory.
    #[serde(default)]
    pub shebangs: Vec<String>,
}

/// The rule that finds a project's directory from a document in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootRule {
    /// The nearest directory above with a marker of the first group, else of the second, and so on.
    #[default]
    Nearest,
    /// Like `Nearest`, then from a `Cargo.toml` to the one of its workspace (Cargo Book, "Workspaces"), and to an outer
    /// workspace on which that one depends. The server gets the manifests of both as `linkedProjects`.
    CargoWorkspace,
    /// Like `Nearest`, then to the outermost directory above whose `tsconfig.json` references or includes the document's
    /// project (TypeScript Handbook, "Project References"), or whose `package.json` has `workspaces`.
    TypescriptSolution,
}

/// How a server is notified about files that are not open and changed on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// `workspace/didChangeWatchedFiles` is enough.
    #[default]
    WatchedFiles,
    /// Like the previous variant, but the server notices a new file at once only when it is opened.
    OpenCreated,
    /// The server reads only open files: zubi opens a changed file, and sends an empty text for a deleted one.
    OpenedOnly,
}

/// One way to install a server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstallMethod {
    /// The package manager: `npm`, `rustup`.
    pub how: String,
    /// The command to type, or the page to visit.
    pub command: String,
}

/// The permission of a server to run in a folder that is not trusted.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum UntrustedRule {
    /// The server executes nothing that the project's authors chose.
    Run,
    /// The server may run with these settings laid over its own; they prevent it from executing anything.
    Restricted(Restriction),
    Never,
}

/// Values that replace a row's own values with the same keys.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restriction {
    #[serde(default)]
    pub settings: Value,
    #[serde(default)]
    pub initialization_options: Value,
}

/// [`ReadinessSignal`] as it is written in the catalogue.
#[derive(Deserialize)]
#[serde(remote = "ReadinessSignal", rename_all = "snake_case", deny_unknown_fields)]
enum ReadinessSignalForm {
    ServerStatus,
    Progress {
        titles: Vec<String>,
        project_files: Vec<String>,
        #[serde(default)]
        #[serde(rename = "confirmed_by")]
        confirmations: Vec<String>,
    },
    Log {
        #[serde(default)]
        prefixes: Vec<String>,
        #[serde(default)]
        parts: Vec<String>,
        #[serde(default = "default_answers_before")]
        answers_before: bool,
        #[serde(default)]
        reloads_for: Vec<String>,
    },
    Initialized,
    Unknown,
}

fn default_version_args() -> Vec<String> {
    vec!["--version".to_owned()]
}

/// A year, in milliseconds; some clocks cannot represent longer times.
const MAX_IDLE_MS: u64 = 365 * 24 * 60 * 60 * 1000;

/// Half an hour: an agent that returns later waits for the start, but gigabytes are not in use all day.
fn default_idle_ms() -> u64 {
    30 * 60 * 1000
}

fn default_roles() -> Vec<ServerRole> {
    ServerRole::ALL.to_vec()
}

fn default_priority() -> u32 {
    100
}

fn default_answers_before() -> bool {
    true
}

fn default_enabled() -> bool {
    true
}

impl ServerEntry {
    /// Whether zubi sends requests with this method to the server.
    pub fn answers(&self, method: &str) -> bool {
        match ServerRole::from_method(method) {
            Some(role) => self.roles.contains(&role),
            None => ServerRole::ALL.iter().all(|role| self.roles.contains(role)),
        }
    }

    /// All file extensions, in the order of the languages.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.languages.iter().flat_map(|language| language.extensions.iter().map(String::as_str))
    }

    /// Whether the server supports a language, by LSP's id.
    pub fn serves(&self, language: &str) -> bool {
        self.languages.iter().any(|own| own.id == language)
    }

    /// Returns `settings` for a folder, with the values of its Python environment, and with the restriction laid over
    /// them when it is not trusted.
    pub fn settings(&self, trusted: bool, python: Option<&PythonEnvironment>) -> Value {
        let own = self.with_python(&self.settings, python, |params| &params.settings);
        self.restriction(trusted).map_or_else(|| own.clone(), |over| merge_values(&own, &over.settings))
    }

    /// Returns `initialization_options` for a folder, like [`Self::settings`].
    pub fn initialization_options(&self, trusted: bool, python: Option<&PythonEnvironment>) -> Value {
        let own = self.with_python(&self.initialization_options, python, |params| &params.initialization_options);
        self.restriction(trusted).map_or_else(|| own.clone(), |over| merge_values(&own, &over.initialization_options))
    }

    /// Returns the variables that the server's process gets in addition to the inherited ones.
    pub fn variables(&self, python: Option<&PythonEnvironment>) -> Vec<(String, String)> {
        let (Some(params), Some(python)) = (&self.python, python) else { return Vec::new() };
        let value = |template: &String| match python.fill(&Value::from(template.as_str())) {
            Value::String(text) => Some(text),
            Value::Array(paths) => {
                let paths = std::env::join_paths(paths.iter().filter_map(Value::as_str)).ok()?;
                paths.into_string().ok()
            }
            _ => None,
        };
        params.variables.iter().filter_map(|(name, template)| Some((name.clone(), value(template)?))).collect()
    }

    fn with_python(
        &self,
        own: &Value,
        python: Option<&PythonEnvironment>,
        part: impl Fn(&PythonParams) -> &Value,
    ) -> Value {
        match (&self.python, python) {
            (Some(params), Some(python)) => merge_values(own, &python.fill(part(params))),
            _ => own.clone(),
        }
    }

    /// Returns the restriction that applies in a folder.
    fn restriction(&self, trusted: bool) -> Option<&Restriction> {
        match &self.untrusted {
            UntrustedRule::Restricted(restriction) if !trusted => Some(restriction),
            _ => None,
        }
    }

    /// Whether the server may run in a folder that is not trusted, with or without restrictions.
    pub fn runs_untrusted(&self) -> bool {
        self.untrusted != UntrustedRule::Never
    }

    /// Checks the rules that the types cannot express.
    fn check(&self) -> Result<(), String> {
        let invalid = |message: &str| Err(message.to_owned());
        if self.command.is_empty() {
            return invalid("`command` is empty");
        }
        if self.languages.is_empty() {
            return invalid("it has no `languages`");
        }
        if self.extensions().any(|extension| extension.is_empty() || extension.starts_with('.')) {
            return invalid("`extensions` must be written without the dot");
        }
        if self
            .languages
            .iter()
            .flat_map(|language| &language.file_names)
            .any(|name| name.is_empty() || name.contains('/'))
        {
            return invalid("`file_names` must not contain a directory");
        }
        if self
            .inner_projects
            .iter()
            .any(|marker| !self.root_markers.iter().flatten().any(|root_marker| root_marker == marker))
        {
            return invalid("`inner_projects` must be among its `root_markers`");
        }
        if self
            .minimum_version
            .as_deref()
            .is_some_and(|version| crate::detect::version::version_numbers(version).is_none())
        {
            return invalid("`minimum_version` must be numbers with dots");
        }
        if !self.settings.is_null() && !self.settings.is_object() {
            return invalid("`settings` must be a table");
        }
        self.access.check()?;
        if !(100..=MAX_IDLE_MS).contains(&self.idle_ms) {
            return invalid("`idle_ms` must be at least 100 and at most a year");
        }
        if self.runs.is_empty() != (self.untrusted == UntrustedRule::Run) {
            return invalid(
                "`runs` must describe what an untrusted project could execute, unless `untrusted` is `run`",
            );
        }
        Ok(())
    }
}

/// The form of a catalogue file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueFile<R> {
    #[serde(default = "Vec::new")]
    server: Vec<R>,
}

impl Catalogue {
    /// Returns the built-in servers, which are read once.
    pub fn builtin() -> &'static Self {
        // A test checks the embedded files, so that they are read without the checks, and without the conversion to
        // tables that a user's file needs: these would double zubi's start time.
        static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
            let files = BUILTIN.iter().filter_map(|text| toml::from_str::<CatalogueFile<ServerEntry>>(text).ok());
            Catalogue { rows: files.flat_map(|file| file.server).map(Arc::new).collect(), user: Vec::new() }
        });
        &CATALOGUE
    }

    /// Returns this catalogue with the rows of a user's file: new ids are added at the end, and known ones get the
    /// fields that the file names (tables key by key, lists as a whole).
    pub fn with_user(&self, text: &str) -> Result<Self, CatalogueError> {
        let user: Vec<String> = self.user.iter().cloned().chain([text.to_owned()]).collect();
        let rows = read(BUILTIN.iter().copied().chain(user.iter().map(String::as_str)))?;
        Ok(Self { rows, user })
    }

    /// Returns every server that is not disabled, in the order of the file.
    pub fn rows(&self) -> impl Iterator<Item = &Arc<ServerEntry>> {
        self.rows.iter().filter(|row| row.enabled)
    }

    /// Returns a server by its id, disabled or not.
    pub fn row(&self, id: &str) -> Option<&Arc<ServerEntry>> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// Returns the servers for a language (LSP's id), the preferred first.
    pub fn for_language(&self, language: &str) -> Vec<Arc<ServerEntry>> {
        let mut rows: Vec<_> = self.rows().filter(|row| row.serves(language)).cloned().collect();
        rows.sort_by_key(|row| row.priority);
        rows
    }
}

fn id_of(table: &toml::Table) -> Option<&str> {
    table.get("id").and_then(toml::Value::as_str).filter(|id| !id.is_empty())
}

/// Reads the rows of several files, each laid over those before it.
fn read<'a>(files: impl Iterator<Item = &'a str>) -> Result<Vec<Arc<ServerEntry>>, CatalogueError> {
    let mut tables: Vec<toml::Table> = Vec::new();
    for text in files {
        let file: CatalogueFile<toml::Table> =
            toml::from_str(text).map_err(|error| CatalogueError::Syntax(error.to_string()))?;
        let mut seen: Vec<String> = Vec::new();
        for table in file.server {
            let Some(id) = id_of(&table).map(str::to_owned) else {
                return Err(CatalogueError::Syntax("a [[server]] without an `id`".to_owned()));
            };
            if seen.contains(&id) {
                return Err(CatalogueError::Row { id, message: "it is in the file twice".to_owned() });
            }
            match tables.iter_mut().find(|existing| id_of(existing) == Some(id.as_str())) {
                Some(existing) => merge_tables(existing, table),
                None => tables.push(table),
            }
            seen.push(id);
        }
    }
    tables.iter().map(|table| row(table).map(Arc::new)).collect()
}

fn row(table: &toml::Table) -> Result<ServerEntry, CatalogueError> {
    let failed = |message: String| CatalogueError::Row { id: id_of(table).unwrap_or_default().to_owned(), message };
    let row: ServerEntry =
        table.clone().try_into().map_err(|error: toml::de::Error| failed(error.message().to_owned()))?;
    row.check().map_err(failed)?;
    Ok(row)
}

#[cfg(test)]
mod tests;
