//! The catalogue: what zubi knows about each language server, as data.
//!
//! The files of [`BUILTIN`] are embedded in the binary; a user's file adds rows and changes fields of known ones. Owns the
//! form of a row and its checks. Whether a server is installed is [`crate::detect`]'s question, starting it the session's.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::Value;

use crate::checks::Checker;
use crate::readiness::ReadinessSignal;
use crate::document_activity::DocumentStatus;

mod limit;
mod role;
mod timeouts;
pub(crate) mod virtual_documents;

pub use limit::{CaveatScope, Limit};
pub use role::Role;
pub use timeouts::Timeouts;
pub use virtual_documents::VirtualDocuments;

/// The rows that come with zubi: those that its tests run before those that it only knows of, so that of two claims to a
/// file name the tested one counts.
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
    /// The users' files that were laid over the built-in ones, in order.
    user: Vec<String>,
}

/// Why a catalogue is not usable. The text names the row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    #[error("{0}")]
    Syntax(String),
    #[error("server `{id}`: {what}")]
    Row { id: String, what: String },
}

/// One language server.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerEntry {
    /// The name in answers and in a user's rows.
    pub id: String,
    /// What the program is called.
    pub title: String,
    /// The program: a name that is looked for, or an absolute path.
    pub command: String,
    #[serde(default)]
    pub args: Vec<String>,
    /// Arguments with which it prints its version and ends. Empty: its presence is proof enough.
    #[serde(default = "default_version_args")]
    pub version_args: Vec<String>,
    /// A program beside `command` that is asked for the version instead; without it there, nothing is asked.
    #[serde(default)]
    pub version_command: Option<String>,
    /// The lowest usable version, as numbers with dots: `7`, `1.20`.
    #[serde(default)]
    pub minimum_version: Option<String>,
    pub languages: Vec<Language>,
    /// Where a document's project begins.
    #[serde(default)]
    pub root: RootRule,
    /// Files that mark a project's directory, best group first. Paths relative to that directory.
    #[serde(default)]
    pub root_markers: Vec<Vec<String>>,
    /// Those of `root_markers` that inside a root mark a project which the server reads only while a file of it is open.
    #[serde(default)]
    pub inner_projects: Vec<String>,
    /// Whether a question about the whole workspace also starts it in roots inside other roots, which the outer one's
    /// server does not read. Otherwise they wait until one of their documents is asked about.
    #[serde(default)]
    pub nested_apart: bool,
    /// Sent with `initialize`; `Null` for none.
    #[serde(default)]
    pub initialization_options: Value,
    /// Answers to `workspace/configuration`, an object by section.
    #[serde(default)]
    pub settings: Value,
    /// Whether it reads settings only from `workspace/didChangeConfiguration`.
    #[serde(default)]
    pub push_settings: bool,
    /// Whether it does not begin to read a project before a document of it is open.
    #[serde(default)]
    pub needs_document: bool,
    /// By which signal it is known to have read the project.
    #[serde(with = "RecipeForm")]
    pub readiness: ReadinessSignal,
    /// LSP methods that are not used although the server offers them.
    #[serde(default)]
    pub withheld: Vec<String>,
    /// How it learns of files that changed on disk.
    #[serde(default)]
    pub freshness: Freshness,
    /// Commands of `workspace/executeCommand` that do nothing but produce edits.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Ways to install it, the best first.
    #[serde(default)]
    pub install: Vec<Install>,
    pub untrusted: UntrustedRule,
    /// After how long without a question it is ended, in milliseconds; the next question starts it again.
    #[serde(default = "default_idle_ms")]
    pub idle_ms: u64,
    /// How much memory it and what it starts may hold, in megabytes; beyond that it is ended. No limit by default.
    #[serde(default)]
    pub max_memory_mb: Option<u64>,
    /// What it executes that the project's authors chose, as an object of "would run …". Empty when `untrusted` is
    /// `run`.
    #[serde(default)]
    pub runs: String,
    #[serde(default)]
    pub timeouts: Timeouts,
    /// What it is asked; everything by default.
    #[serde(default = "default_roles")]
    pub roles: Vec<Role>,
    /// Lower comes first, within a language and within a group.
    #[serde(default = "default_priority")]
    pub priority: u32,
    /// Of the servers of one group only the first that can run serves a document.
    #[serde(default)]
    pub group: Option<String>,
    /// Whether zubi's own tests run it.
    #[serde(default)]
    pub tested: bool,
    /// Whether its languages are data, markup or scripts that most projects have beside their code. Such a server is
    /// asked about its own documents, and about a whole workspace only where nothing else is: otherwise every search in
    /// a Rust project would start a server for its README, or regret that there is none.
    #[serde(default)]
    pub auxiliary: bool,
    /// What works out further diagnostics after a file was saved, besides its own analysis.
    #[serde(default)]
    pub checker: Option<Checker>,
    /// How it tells that it is done with a document, where its first publication of problems is no sign of that.
    #[serde(default)]
    pub document_status: Option<DocumentStatus>,
    /// A request with nothing but `textDocument` in its params, which is answered before anything is asked after a text of
    /// that document was sent: the server works on several messages at once, and would answer without the text.
    #[serde(default)]
    pub fence: Option<String>,
    /// Whether whatever it publishes about an open document names the document's version.
    #[serde(default)]
    pub names_versions: bool,
    /// A command of `workspace/executeCommand` that passes a request of tsserver's protocol on: problems are asked for
    /// with it instead of waiting for publications in parts.
    #[serde(default)]
    pub tsserver_command: Option<String>,
    /// How it gives the text of documents that are no files, where that is not LSP's own `workspace/textDocumentContent`.
    #[serde(default)]
    pub virtual_documents: Option<VirtualDocuments>,
    /// What limits its answers, to be said in them.
    #[serde(default)]
    pub limits: Vec<Limit>,
    /// `false` switches the server off: in a user's row, or where it must be wanted, because it stands beside others
    /// (a linter that needs settings) and has not been tried. A user's row with `true` switches it on.
    #[serde(default = "default_enabled")]
    pub enabled: bool,
}

/// A language as LSP names it, and how its files are recognized.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// LSP's `languageId`.
    pub id: String,
    /// Without the dot, compared without regard to case. Sources before headers: the first is opened first.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Whole file names.
    #[serde(default)]
    pub file_names: Vec<String>,
    /// Interpreters on a script's first line, without directory.
    #[serde(default)]
    pub shebangs: Vec<String>,
}

/// How the directory of a project is found from a document in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootRule {
    /// The nearest directory above with a marker of the first group, else of the second, and so on.
    #[default]
    Nearest,
    /// Like `Nearest`, then from a `Cargo.toml` to the one of its workspace (Cargo Book, "Workspaces").
    CargoWorkspace,
}

/// How a server learns of files that are not open and changed on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// `workspace/didChangeWatchedFiles` is enough.
    #[default]
    WatchedFiles,
    /// The same, but a new file is noticed at once only when it is opened.
    OpenCreated,
    /// It looks at no file that is not open: a changed one is opened, a deleted one is given to it as an empty text.
    OpenedOnly,
}

/// One way to install a server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Install {
    /// The package manager: `npm`, `rustup`.
    pub how: String,
    /// What to type, or where to go.
    pub command: String,
}

/// What a server may do in a folder that is not trusted.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum UntrustedRule {
    /// It executes nothing that the project's authors chose.
    Run,
    /// It may run with these settings laid over its own; they keep it from executing anything.
    Restricted(Restriction),
    Never,
}

/// Values that replace a row's own where they name the same thing.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restriction {
    #[serde(default)]
    pub settings: Value,
    #[serde(default)]
    pub initialization_options: Value,
}

/// [`Recipe`] as it is written in the catalogue.
#[derive(Deserialize)]
#[serde(remote = "ReadinessSignal", rename_all = "snake_case", deny_unknown_fields)]
enum RecipeForm {
    ServerStatus,
    Progress {
        titles: Vec<String>,
        project_files: Vec<String>,
    },
    Log {
        #[serde(default)]
        prefixes: Vec<String>,
        #[serde(default)]
        parts: Vec<String>,
        #[serde(default = "default_answers_before")]
        answers_before: bool,
    },
    Initialized,
    Unknown,
}

fn default_version_args() -> Vec<String> {
    vec!["--version".to_owned()]
}

/// A year, in milliseconds; longer times do not fit every clock.
const MAX_IDLE_MS: u64 = 365 * 24 * 60 * 60 * 1000;

/// Half an hour: an agent that comes back later waits for the start rather than have gigabytes held all day.
fn default_idle_ms() -> u64 {
    30 * 60 * 1000
}

fn default_roles() -> Vec<Role> {
    Role::ALL.to_vec()
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
    /// Whether this server is asked a request at all.
    pub fn answers(&self, method: &str) -> bool {
        match Role::of_method(method) {
            Some(role) => self.roles.contains(&role),
            None => Role::ALL.iter().all(|role| self.roles.contains(role)),
        }
    }

    /// All file extensions, in the order of the languages.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.languages.iter().flat_map(|language| language.extensions.iter().map(String::as_str))
    }

    /// Whether the server serves a language, by LSP's id.
    pub fn serves(&self, language: &str) -> bool {
        self.languages.iter().any(|own| own.id == language)
    }

    /// `settings` for a folder, with the restriction laid over them when it is not trusted.
    pub fn settings(&self, trusted: bool) -> Value {
        match &self.untrusted {
            UntrustedRule::Restricted(restriction) if !trusted => merge_values(&self.settings, &restriction.settings),
            _ => self.settings.clone(),
        }
    }

    /// `initialization_options` for a folder, with the restriction laid over them when it is not trusted.
    pub fn initialization_options(&self, trusted: bool) -> Value {
        match &self.untrusted {
            UntrustedRule::Restricted(restriction) if !trusted => {
                merge_values(&self.initialization_options, &restriction.initialization_options)
            }
            _ => self.initialization_options.clone(),
        }
    }

    /// Whether the server may run in a folder that is not trusted, be it restricted.
    pub fn runs_untrusted(&self) -> bool {
        self.untrusted != UntrustedRule::Never
    }

    /// What types could not say.
    fn check(&self) -> Result<(), String> {
        let wrong = |what: &str| Err(what.to_owned());
        if self.command.is_empty() {
            return wrong("`command` is empty");
        }
        if self.languages.is_empty() {
            return wrong("it has no `languages`");
        }
        if self.extensions().any(|extension| extension.is_empty() || extension.starts_with('.')) {
            return wrong("an extension is written without the dot");
        }
        if self
            .languages
            .iter()
            .flat_map(|language| &language.file_names)
            .any(|name| name.is_empty() || name.contains('/'))
        {
            return wrong("a file name has no directory");
        }
        if self.inner_projects.iter().any(|marker| !self.root_markers.iter().flatten().any(|known| known == marker)) {
            return wrong("`inner_projects` are among its `root_markers`");
        }
        if self.minimum_version.as_deref().is_some_and(|version| crate::detect::version_numbers(version).is_none()) {
            return wrong("`minimum_version` is numbers with dots");
        }
        if !self.settings.is_null() && !self.settings.is_object() {
            return wrong("`settings` is a table");
        }
        if !(100..=MAX_IDLE_MS).contains(&self.idle_ms) {
            return wrong("`idle_ms` is at least 100 and at most a year");
        }
        if self.runs.is_empty() != (self.untrusted == UntrustedRule::Run) {
            return wrong("`runs` says what an untrusted project could make it execute, unless `untrusted` is `run`");
        }
        Ok(())
    }
}

/// `base` with `over` laid on top: objects key by key, anything else replaced. Nothing laid over changes nothing.
fn merge_values(base: &Value, over: &Value) -> Value {
    match (base, over) {
        (_, Value::Null) => base.clone(),
        (Value::Object(base), Value::Object(over)) => {
            let mut result = base.clone();
            for (key, value) in over {
                let value = result.get(key).map_or_else(|| value.clone(), |own| merge_values(own, value));
                result.insert(key.clone(), value);
            }
            Value::Object(result)
        }
        _ => over.clone(),
    }
}

/// The same for TOML, where a user's row changes a known one.
fn merge_tables(base: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(base)), toml::Value::Table(over)) => merge_tables(base, over),
            (_, value) => {
                base.insert(key, value);
            }
        }
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
    /// The servers that come with zubi, read once.
    pub fn builtin() -> &'static Self {
        // A test holds the embedded files to their form, so that they are read without the checks, and the way over
        // tables, that a user's file needs: half the time in which zubi starts.
        static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
            let files = BUILTIN.iter().filter_map(|text| toml::from_str::<CatalogueFile<ServerEntry>>(text).ok());
            Catalogue { rows: files.flat_map(|file| file.server).map(Arc::new).collect(), user: Vec::new() }
        });
        &CATALOGUE
    }

    /// This catalogue with the rows of a user's file: new ids are added at the end, known ones get the fields that are
    /// named (tables key by key, lists as a whole).
    pub fn with_user(&self, text: &str) -> Result<Self, CatalogueError> {
        let user: Vec<String> = self.user.iter().cloned().chain([text.to_owned()]).collect();
        let rows = read(BUILTIN.iter().copied().chain(user.iter().map(String::as_str)))?;
        Ok(Self { rows, user })
    }

    /// Every server that is not switched off, in the order of the file.
    pub fn rows(&self) -> impl Iterator<Item = &Arc<ServerEntry>> {
        self.rows.iter().filter(|row| row.enabled)
    }

    /// A server by its id, switched off or not.
    pub fn row(&self, id: &str) -> Option<&Arc<ServerEntry>> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// The servers for a language (LSP's id), the preferred first.
    pub fn for_language(&self, language: &str) -> Vec<Arc<ServerEntry>> {
        let mut rows: Vec<_> = self.rows().filter(|row| row.serves(language)).cloned().collect();
        rows.sort_by_key(|row| row.priority);
        rows
    }
}

fn id_of(table: &toml::Table) -> Option<&str> {
    table.get("id").and_then(toml::Value::as_str).filter(|id| !id.is_empty())
}

/// The rows of several files, each laid over those before it.
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
                return Err(CatalogueError::Row { id, what: "it stands in the file twice".to_owned() });
            }
            match tables.iter_mut().find(|known| id_of(known) == Some(id.as_str())) {
                Some(known) => merge_tables(known, table),
                None => tables.push(table),
            }
            seen.push(id);
        }
    }
    tables.iter().map(|table| row(table).map(Arc::new)).collect()
}

fn row(table: &toml::Table) -> Result<ServerEntry, CatalogueError> {
    let failed = |what: String| CatalogueError::Row { id: id_of(table).unwrap_or_default().to_owned(), what };
    let row: ServerEntry = table.clone().try_into().map_err(|error: toml::de::Error| failed(error.message().to_owned()))?;
    row.check().map_err(failed)?;
    Ok(row)
}

#[cfg(test)]
mod tests;
