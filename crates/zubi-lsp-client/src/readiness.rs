//! Follows how far a server has read its project: a state machine on its messages, without requests or polling.
//!
//! This module has the rules and their states; the layers above decide who waits for them, and for how long. The rules
//! come from traces of the real servers (versions in brackets) on published projects, cold and with caches:
//!
//! - **rust-analyzer** (1.96) sends `experimental/serverStatus`. Without a `Cargo.toml` the very first status was
//!   `quiescent: true`, one millisecond after `initialized` and before anything was loaded; a `false` followed in the
//!   same millisecond. With a `Cargo.toml` the first one was `false`. So `true` counts only after a `false` or after a
//!   "Fetching" progress began. A references request sent at the first `true` that counts was complete in every run.
//!   `health` other than `ok` does not make it less ready: it is reported as a note.
//! - **clangd** (22) begins the progress `backgroundIndexProgress` about 4 ms after the first `didOpen` of a file that
//!   a `compile_commands.json` above it covers, and ends it when everything is indexed, also when all of it came from
//!   its cache (0.2 s). In between it answers from the part of the index that it has: 16, then 118 for eight seconds,
//!   then 434 of 434 references to one class. Without a compilation database, or with an empty or malformed one, no
//!   progress ever comes and references stay within the opened file; the proof is that the file's diagnostics are
//!   published (0.3 s) and nothing has begun. That is [`Readiness::Unknown`], not ready: other files were not read.
//! - **typescript-language-server** (6) begins "Initializing JS/TS language features…" 0.2 to 0.5 s after the first
//!   `didOpen` of a file that a `tsconfig.json` covers and ends it when that project is loaded; to an earlier request
//!   it answered 1 of 901 references. Without a configuration file nothing begins; diagnostics are published as for
//!   clangd.
//! - **gopls** (0.16) begins "Setting up workspace" before it answers anything else and holds requests back until its
//!   end.
//! - **pyright** (1.1.414) logs "Found 100 source files" ("Found 1 source file", "No source files found.") when it
//!   knows which files there are; from then on one references request is complete (216 of 216, 383 of 383), before that
//!   it is not (12). It looks for files only when idle: an early request delayed the line from 0.6 s to 1.6 s.
//! - **bash-language-server** (5.8) logs `BackgroundAnalysis: Completed after 0.01 seconds.` when it has read all
//!   scripts.
//! - **ty** (0.0.104), **ruff** (0.17) and **TypeScript 7** hold requests back until they can answer them whole: ready
//!   when initialized.
//!
//! clangd answers about other files from an index that it updates a moment after a file was opened or changed, just
//! before it publishes that file's diagnostics (0.1 to 0.5 s); until then it counts as loading again.
//!
//! A server reads one *project* for each configuration file it meets (`compile_commands.json`, `tsconfig.json`). When a
//! document of a project is opened that the server has not seen yet, the state goes back to loading at once, so that no
//! client relies on the readiness of another project.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use zubi_base::endpoint::Readiness;

use crate::health::{Health, HealthMonitor, HealthSign, message_of};

#[cfg(test)]
mod tests;

/// The signal by which a server is known to be ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadinessSignal {
    /// `experimental/serverStatus` with `quiescent`.
    ServerStatus,
    /// The end of a progress.
    Progress {
        /// The progress that matters, by the beginning of its title or by its token.
        titles: Vec<String>,
        /// The names of project files, relative to a directory above the document, to which the progress belongs.
        /// Empty: it belongs to the server and begins without a document.
        project_files: Vec<String>,
        /// Parts of log messages that confirm that the project was loaded without an error. Empty: the end of the
        /// progress is enough. See [`Tracker::is_confirmed`].
        confirmations: Vec<String>,
    },
    /// A log line (`window/logMessage`).
    Log {
        /// The line begins with one of these.
        prefixes: Vec<String>,
        /// Or the line contains one of these, after the time of day with which the server begins its lines.
        parts: Vec<String>,
        /// Whether the server answers requests about one file's text before that. bash-language-server (5.8) does, but
        /// returns no declarations for any file until it has read its settings.
        answers_before: bool,
        /// The names of configuration files in the project's directory. After a change of the first one that exists, the
        /// server reads the project again and logs the line once more.
        reloads_for: Vec<String>,
    },
    /// Answers are complete right after the `initialize` response.
    Initialized,
    /// No signal.
    Unknown,
}

/// A progress that the server has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenProgress {
    pub title: String,
    pub message: Option<String>,
    pub percent: Option<u8>,
}

/// The maximum number of progresses followed at once; zubi ignores others.
const MAX_PROGRESSES: usize = 256;

/// The maximum length of a stored title, message or token, in characters.
const MAX_TEXT_CHARS: usize = 200;

/// The maximum length of a status, in characters. Its reason may follow many warnings.
const MAX_STATUS_CHARS: usize = 8000;

/// LSP's `MessageType.Error`.
const ERROR_MESSAGE: u64 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrackerState {
    Starting,
    Loading,
    Ready,
    Unknown,
}

/// The first opened document of its project.
#[derive(Debug)]
struct ExpectedDocument {
    document: Utf8PathBuf,
    /// Whether an awaited progress was open at any time since; it may include the project.
    progress_seen: bool,
}

/// The state machine for one run of one server.
#[derive(Debug)]
pub struct Tracker {
    signal: ReadinessSignal,
    state: TrackerState,
    initialized_at: Option<Instant>,
    progresses: BTreeMap<String, OpenProgress>,
    /// Tokens of open progresses that the signal waits for.
    awaited_tokens: BTreeSet<String>,
    /// Whether the server has reported that it is busy. Before that, its "idle" means nothing.
    was_busy: bool,
    /// The server's own health report, unless it is `ok`.
    health: Option<Health>,
    /// Errors and warnings that it reports in other ways.
    monitor: HealthMonitor,
    /// Whether an awaited progress has ended.
    was_loaded: bool,
    /// Whether the server has reported that it could load the project, or is known to report nothing else about that.
    is_confirmed: bool,
    /// Documents whose project is not known to be loading, the oldest first.
    expected: Vec<ExpectedDocument>,
    /// Projects that were expected once; zubi does not expect them again.
    opened_projects: BTreeSet<Utf8PathBuf>,
    /// Whether a document was opened that no project covers, or whose project the server did not load.
    uncovered: bool,
    /// Changed files sent to the server, with the version for which it has not published diagnostics yet.
    digesting: BTreeMap<Utf8PathBuf, i32>,
}

impl Tracker {
    pub fn new(signal: ReadinessSignal, signs: Vec<HealthSign>) -> Self {
        let is_confirmed =
            !matches!(&signal, ReadinessSignal::Progress { confirmations, .. } if !confirmations.is_empty());
        Self {
            signal,
            monitor: HealthMonitor::new(signs),
            was_loaded: false,
            is_confirmed,
            state: TrackerState::Starting,
            initialized_at: None,
            progresses: BTreeMap::new(),
            awaited_tokens: BTreeSet::new(),
            was_busy: false,
            health: None,
            expected: Vec::new(),
            opened_projects: BTreeSet::new(),
            uncovered: false,
            digesting: BTreeMap::new(),
        }
    }

    /// Records the `initialize` response.
    pub fn on_initialized(&mut self, now: Instant) {
        self.initialized_at = Some(now);
        self.state = match &self.signal {
            ReadinessSignal::Initialized => TrackerState::Ready,
            ReadinessSignal::Unknown => TrackerState::Unknown,
            ReadinessSignal::Log { answers_before: false, .. } => TrackerState::Starting,
            ReadinessSignal::ServerStatus | ReadinessSignal::Progress { .. } | ReadinessSignal::Log { .. } => {
                TrackerState::Loading
            }
        };
        if self.uncovered {
            self.update_state();
        }
    }

    /// Records that there is no document to open, so that a signal that needs one will not come.
    pub fn nothing_to_open(&mut self) {
        let ReadinessSignal::Progress { project_files, .. } = &self.signal else { return };
        if !project_files.is_empty() {
            self.uncovered = true;
            self.update_state();
        }
        self.confirm();
    }

    /// Records that the server has reported whether it could load the project.
    ///
    /// A server may end its progress the same way if it could not load the project, and report the reason a moment
    /// later. Until then an empty answer would look complete. The reason comes before the server publishes diagnostics
    /// of an open document.
    fn confirm(&mut self) {
        if !self.is_confirmed {
            self.is_confirmed = true;
            if self.was_loaded {
                self.update_state();
            }
        }
    }

    /// Records that a document will be opened. `root` limits the search for the project that covers it.
    pub fn on_opened(&mut self, document: &Utf8Path, root: &Utf8Path) {
        let ReadinessSignal::Progress { project_files, .. } = &self.signal else { return };
        // A library's file does not belong to the project.
        if project_files.is_empty() || !document.starts_with(root) {
            return;
        }
        match project_of(document, root, project_files) {
            Some(project) => {
                if self.opened_projects.insert(project) {
                    let progress_seen = !self.awaited_tokens.is_empty();
                    self.expected.push(ExpectedDocument { document: document.to_owned(), progress_seen });
                }
            }
            None => self.uncovered = true,
        }
        self.update_state();
    }

    /// Records that a changed file was sent to the server, which publishes diagnostics after reading it. Until then,
    /// its answers about other files do not include the change.
    pub fn awaiting_diagnostics(&mut self, document: &Utf8Path, version: i32) {
        self.digesting.insert(document.to_owned(), version);
    }

    /// Records that a configuration file has changed, after which the server reads the project again. Returns whether
    /// it was ready.
    pub(crate) fn on_configuration_changed(&mut self) -> bool {
        let was_ready = self.state == TrackerState::Ready;
        if was_ready {
            self.state = TrackerState::Loading;
            // The next "idle" may still be about the old configuration.
            self.was_busy = false;
        }
        was_ready
    }

    /// Records that a server that was ready does not read the project again.
    pub(crate) fn on_reload_refused(&mut self) {
        if self.state == TrackerState::Loading && !self.was_busy {
            self.was_busy = true;
            self.state = TrackerState::Ready;
        }
    }

    /// Records that a document was closed; the server publishes nothing for it.
    pub fn on_closed(&mut self, document: &Utf8Path) {
        self.digesting.remove(document);
    }

    /// Records that the document could not be opened.
    pub fn not_opened(&mut self, document: &Utf8Path, root: &Utf8Path) {
        let ReadinessSignal::Progress { project_files, .. } = &self.signal else { return };
        let before = self.expected.len();
        self.expected.retain(|expected| expected.document != document);
        if self.expected.len() < before {
            if let Some(project) = project_of(document, root, project_files) {
                self.opened_projects.remove(&project);
            }
            self.update_state();
        }
    }

    /// Handles a notification from the server; ignores those that do not concern readiness.
    pub fn notification(&mut self, method: &str, params: &Value) {
        match method {
            "$/progress" => self.progress(params),
            "experimental/serverStatus" => self.server_status(params),
            "window/logMessage" => {
                self.log(params);
                self.message(params);
            }
            "window/showMessage" => self.message(params),
            "textDocument/publishDiagnostics" => self.on_published(params),
            _ => {}
        }
    }

    fn progress(&mut self, params: &Value) {
        let token = token_text(params.get("token"));
        let Some(value) = params.get("value") else { return };
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(shorten);
        let percent =
            value.get("percentage").and_then(Value::as_u64).and_then(|percent| u8::try_from(percent.min(100)).ok());
        match value.get("kind").and_then(Value::as_str) {
            Some("begin") => {
                let title = text("title").unwrap_or_default();
                self.monitor.on_begin(&token, &title, message_of(value));
                if self.progresses.len() >= MAX_PROGRESSES {
                    return;
                }
                if self.is_awaited(&token, &title) {
                    self.awaited_tokens.insert(token.clone());
                    // One beginning counts for one project, in the order of opening. A server with a single progress
                    // for all projects (clangd) begins once; for the others, seeing that progress is enough.
                    if !self.expected.is_empty() {
                        self.expected.remove(0);
                    }
                    for expected in &mut self.expected {
                        expected.progress_seen = true;
                    }
                    self.state = TrackerState::Loading;
                }
                if self.signal == ReadinessSignal::ServerStatus && title == "Fetching" {
                    self.was_busy = true;
                }
                self.progresses.insert(token, OpenProgress { title, message: text("message"), percent });
            }
            Some("report") => {
                if let Some(message) = message_of(value) {
                    self.monitor.on_report(&token, message);
                }
                if let Some(progress) = self.progresses.get_mut(&token) {
                    progress.message = text("message").or_else(|| progress.message.take());
                    progress.percent = percent.or(progress.percent);
                }
            }
            Some("end") => {
                self.monitor.on_end(&token);
                self.progresses.remove(&token);
                if self.awaited_tokens.remove(&token) && self.awaited_tokens.is_empty() {
                    self.was_loaded = true;
                    self.update_state();
                }
            }
            _ => {}
        }
        self.confirm_failure();
    }

    /// Confirms the load if the server has reported its failure.
    fn confirm_failure(&mut self) {
        if matches!(self.monitor.health(), Some(Health::Error(_))) {
            self.confirm();
        }
    }

    /// Handles a message to the user or the log.
    fn message(&mut self, params: &Value) {
        let message = params.get("message").and_then(Value::as_str).unwrap_or_default();
        self.monitor.on_message(message);
        self.confirm_failure();
        let is_error = params.get("type").and_then(Value::as_u64) == Some(ERROR_MESSAGE);
        if let ReadinessSignal::Progress { confirmations, .. } = &self.signal
            && !is_error
            && confirmations.iter().any(|part| message.contains(part.as_str()))
        {
            self.confirm();
        }
    }

    fn is_awaited(&self, token: &str, title: &str) -> bool {
        match &self.signal {
            ReadinessSignal::Progress { titles, .. } => {
                titles.iter().any(|expected| token == expected || title.starts_with(expected))
            }
            _ => false,
        }
    }

    fn server_status(&mut self, params: &Value) {
        if self.signal != ReadinessSignal::ServerStatus {
            return;
        }
        self.health = match params.get("health").and_then(Value::as_str) {
            None | Some("ok") => None,
            Some(health) => {
                let message = params.get("message").and_then(Value::as_str).unwrap_or_default();
                let what = if message.is_empty() { health } else { message };
                let what: String = what.chars().take(MAX_STATUS_CHARS).collect();
                Some(if health == "error" { Health::Error(what) } else { Health::Warning(what) })
            }
        };
        match params.get("quiescent").and_then(Value::as_bool) {
            Some(false) => {
                self.was_busy = true;
                self.state = TrackerState::Loading;
            }
            Some(true) if self.was_busy => self.state = TrackerState::Ready,
            // The server sent this before the first load; it counts only once the server has been busy.
            Some(true) | None => {}
        }
    }

    fn log(&mut self, params: &Value) {
        let ReadinessSignal::Log { prefixes, parts, .. } = &self.signal else { return };
        let message = params.get("message").and_then(Value::as_str).unwrap_or_default();
        let has_prefix = prefixes.iter().any(|prefix| message.starts_with(prefix.as_str()));
        if has_prefix || parts.iter().any(|part| message.contains(part.as_str())) {
            self.state = TrackerState::Ready;
        }
    }

    /// Handles published diagnostics: the server has read the document, so loading its project has begun by now or
    /// never will.
    fn on_published(&mut self, params: &Value) {
        if params.get("version").is_some_and(Value::is_number) {
            self.confirm();
        }
        if self.expected.is_empty() && self.digesting.is_empty() {
            return;
        }
        let Some(uri) = params.get("uri").and_then(Value::as_str) else { return };
        let Some(path) = zubi_base::uri::to_path(&zubi_base::lsp::Uri(uri.to_owned())) else { return };
        let version = params.get("version").and_then(Value::as_i64);
        let digested =
            self.digesting.get(&path).is_some_and(|sent| version.is_none_or(|version| version >= i64::from(*sent)));
        if digested {
            self.digesting.remove(&path);
        }
        if let Some(index) = self.expected.iter().position(|expected| expected.document == path) {
            let expected = self.expected.remove(index);
            self.uncovered |= !expected.progress_seen;
            self.update_state();
        }
    }

    /// Decides between loading, ready and unknown after an event, for a signal that waits for progress.
    fn update_state(&mut self) {
        if self.initialized_at.is_none() {
            return;
        }
        self.state = if !self.awaited_tokens.is_empty() || !self.expected.is_empty() || !self.is_confirmed {
            TrackerState::Loading
        } else if self.uncovered {
            TrackerState::Unknown
        } else {
            TrackerState::Ready
        };
    }

    /// Returns the current state. `now` only serves to compute the uptime of a server without a signal.
    pub fn readiness(&self, now: Instant) -> Readiness {
        match self.state {
            TrackerState::Starting => Readiness::Starting,
            TrackerState::Ready | TrackerState::Unknown if !self.digesting.is_empty() => Readiness::Loading {
                percent: None,
                message: Some(format!("reading {} changed files", self.digesting.len())),
            },
            TrackerState::Ready => Readiness::Ready,
            TrackerState::Unknown => Readiness::Unknown {
                elapsed: self.initialized_at.map(|at| now.saturating_duration_since(at)).unwrap_or_default(),
            },
            TrackerState::Loading => {
                // The awaited progress is the most useful, then the first with a percentage.
                let displayed = self
                    .awaited_tokens
                    .iter()
                    .find_map(|token| self.progresses.get(token))
                    .or_else(|| self.progresses.values().find(|progress| progress.percent.is_some()))
                    .or_else(|| self.progresses.values().next());
                Readiness::Loading {
                    percent: displayed.and_then(|progress| progress.percent),
                    message: displayed.map(|progress| match &progress.message {
                        Some(message) => format!("{}: {message}", progress.title),
                        None => progress.title.clone(),
                    }),
                }
            }
        }
    }

    /// Returns the error or warning that the server reports about itself or the project.
    pub fn health(&self) -> Option<Health> {
        self.health.clone().or_else(|| self.monitor.health())
    }

    /// Whether the server has reported, by a sign of the catalogue, that it cannot work on the project, or a state
    /// whose end it does not report.
    pub(crate) fn needs_restart(&self) -> bool {
        matches!(self.monitor.health(), Some(Health::Error(_))) || self.monitor.is_lasting()
    }
}

/// Returns the nearest directory, from the document's up to `root`, that contains one of the project files.
pub(crate) fn project_of(document: &Utf8Path, root: &Utf8Path, project_files: &[String]) -> Option<Utf8PathBuf> {
    document
        .ancestors()
        .skip(1)
        .take_while(|directory| directory.starts_with(root))
        .find(|directory| project_files.iter().any(|name| directory.join(name).is_file()))
        .map(Utf8Path::to_owned)
}

/// Converts a progress token to text. LSP allows numbers and strings, which never mean the same token. Cuts a long
/// token, because its beginning is distinctive.
pub(crate) fn token_text(token: Option<&Value>) -> String {
    match token {
        Some(Value::String(text)) => text.chars().take(MAX_TEXT_CHARS).collect(),
        // LSP allows only numbers and strings.
        Some(Value::Array(_) | Value::Object(_)) => String::new(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// Returns the first line without control characters, at most [`MAX_TEXT_CHARS`] long.
fn shorten(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().filter(|c| !c.is_control()).take(MAX_TEXT_CHARS).collect()
}
