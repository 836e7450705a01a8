//! A toy language and its in-process endpoint, for tests above the endpoint interface.
//!
//! Real servers have end-to-end tests elsewhere; this endpoint can produce every form of response, readiness state and
//! encoding. A `.toy` file declares with `class X`, `def x`, `let x`, nested by indentation; any other identifier is a
//! use of a declaration; `#` begins a comment; a line that contains `bad` has an error, one with
//! `dull` a hint.

#![expect(clippy::expect_used, reason = "a fixture that cannot be created must fail its test")]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::SystemClock;
use zubi_base::endpoint::{
    Caveats, DiagnosticsReport, DocumentRef, Endpoint, EndpointError, EndpointId, EndpointSource, Endpoints,
    MissingServer, OtherProject, ProjectServerState, Readiness, RequestCx,
};
use zubi_base::lsp;
use zubi_base::position::{Encoding, LineCol, TextIndex, TextRange, size};
use zubi_base::text::DiskText;
use zubi_base::walk::{self, WalkOptions};
use zubi_base::workspace::WorkspaceFolders;
use zubi_base::{fs, uri};

mod annotations;
mod exact_index;
mod hierarchy;
mod memory_index;
mod parser;

pub use exact_index::ScriptedExactIndex;
pub use memory_index::MemoryIndex;

use self::parser::ToyParser;
use crate::edit::apply::DiskSink;
use crate::{CallCx, CodeConfig, CodeIntel, text_search};

/// A workspace on disk from a fixture, with the toy endpoint.
pub struct Toy {
    pub intel: Arc<CodeIntel>,
    pub endpoint: Arc<ToyEndpoint>,
    pub root: Utf8PathBuf,
    /// The position of `$0` in the fixture: `path:line:column`, 1-based.
    pub cursor: Option<String>,
    _directory: TempDir,
}

impl Toy {
    /// Creates a workspace. Lines `//- path` separate files; `$0` marks the cursor and is removed.
    pub fn new(fixture: &str) -> Self {
        Self::with_fixture(fixture, Encoding::Utf16)
    }

    pub fn with_fixture(fixture: &str, encoding: Encoding) -> Self {
        Self::with_config(fixture, encoding, |config| config)
    }

    /// Creates a workspace, and changes the configuration of its code intelligence.
    pub fn with_config(fixture: &str, encoding: Encoding, change: impl FnOnce(CodeConfig) -> CodeConfig) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let root = fs::canonical(Utf8Path::from_path(directory.path()).expect("a UTF-8 path")).expect("it exists");
        let project = root.join("project");
        let mut cursor = None;
        for file in fixture.split("//- ").skip(1) {
            let (name, text) = file.split_once('\n').expect("a line end after the file name");
            let mut text = text.to_owned();
            if let Some(at) = text.find("$0") {
                text.replace_range(at..at + 2, "");
                let position = TextIndex::new(&text).to_lsp(size(at), Encoding::Utf32);
                cursor = Some(format!("{name}:{}:{}", position.line + 1, position.character + 1));
            }
            let path = project.join(name);
            std::fs::create_dir_all(path.parent().expect("files have a parent")).expect("a directory");
            fs::write_atomic(&path, text.as_bytes()).expect("a fixture file");
        }
        let workspace = Arc::new(WorkspaceFolders::open(std::slice::from_ref(&project)).expect("the workspace"));
        let endpoint = Arc::new(ToyEndpoint {
            id: "toy".into(),
            root: project.clone(),
            encoding,
            readiness: watch::Sender::new(Readiness::Ready),
            unsupported: Mutex::default(),
            file_changes: Mutex::default(),
            freshness: Mutex::default(),
            other_projects: Mutex::default(),
            declarations_always: Mutex::default(),
            failing: Mutex::default(),
            silent: Mutex::default(),
            files: Mutex::default(),
            definition_requests: Mutex::default(),
            unanswered: Mutex::default(),
            restarts: Mutex::default(),
            early_answers: Mutex::default(),
            deleted: Mutex::default(),
        });
        let state = root.join("state");
        let intel = CodeIntel::new(change(CodeConfig {
            workspace,
            sources: vec![Arc::new(ToySource(Arc::clone(&endpoint)))],
            texts: Arc::new(DiskText),
            sink: Arc::new(DiskSink::new(&state)),
            settings: None,
            state_dir: state,
            parser: Arc::new(ToyParser),
            index: None,
            exact: Vec::new(),
            version_control: None,
            clock: Arc::new(SystemClock),
        }));
        Self { intel, endpoint, root: project, cursor, _directory: directory }
    }

    /// Returns a call context with a time-out long enough for a test.
    pub fn cx() -> CallCx {
        CallCx {
            cancel: CancellationToken::new(),
            deadline: Instant::now() + Duration::from_mins(1),
            wait: Duration::from_secs(30),
            check_wait: Duration::from_secs(30),
            may_use_index: true,
            all_projects: Some(false),
            reads_external: true,
            progress: Arc::new(|_, _| {}),
        }
    }
}

/// An endpoint for `.toy` files on disk.
pub struct ToyEndpoint {
    id: EndpointId,
    root: Utf8PathBuf,
    encoding: Encoding,
    /// The readiness that the endpoint reports; send to change it.
    pub readiness: watch::Sender<Readiness>,
    /// Methods that the endpoint does not support.
    pub unsupported: Mutex<Vec<&'static str>>,
    /// The number of file changes the endpoint has seen; `None`, the default, if it watches no files.
    pub file_changes: Mutex<Option<u64>>,
    /// The reason why the endpoint may not know every change on disk.
    pub freshness: Mutex<Option<String>>,
    /// Directories whose files count as other projects.
    pub other_projects: Mutex<Vec<&'static str>>,
    /// Whether the endpoint lists declarations among references even if the request excludes them, as some servers do.
    pub declarations_always: Mutex<bool>,
    /// Supported methods to which the endpoint responds with an error of this code.
    pub failing: Mutex<Vec<(&'static str, i64)>>,
    /// Files for whose current text the endpoint sends no diagnostics in time: each entry is for one check.
    pub silent: Mutex<Vec<Utf8PathBuf>>,
    /// Files, by name, that the endpoint treats specially.
    pub files: Mutex<Vec<(&'static str, ToyFile)>>,
    /// The number of requests for definitions.
    pub definition_requests: Mutex<usize>,
    /// The number of restarts.
    pub restarts: Mutex<usize>,
    /// The number of requests for references that the endpoint answers from the first file alone, as if it were still
    /// reading the others.
    pub early_answers: Mutex<usize>,
    /// Files that the endpoint still has although they do not exist on disk, by name, with their texts.
    pub deleted: Mutex<Vec<(&'static str, &'static str)>>,
    /// The times that requests had, if the endpoint answers none of them; `None` if it answers.
    pub unanswered: Mutex<Option<Vec<Duration>>>,
}

/// A file of which the endpoint reports no references in other files' symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToyFile {
    /// The endpoint resolves nothing in the file.
    Unread,
    /// The endpoint resolves only what the file declares.
    Separate,
    /// The endpoint resolves names of other files, but does not report them.
    Unreported,
    /// The endpoint reports the file's uses of names of other files only to requests in such a file.
    OneWay,
}

struct DeclaredSymbol {
    name: String,
    kind: u32,
    depth: usize,
    line: u32,
    range: TextRange,
}

impl ToyEndpoint {
    fn files(&self) -> Vec<(Utf8PathBuf, String)> {
        let deleted = self.deleted.lock().unwrap_or_else(PoisonError::into_inner);
        walk::files(&self.root, WalkOptions { sorted: true, ..WalkOptions::default() })
            .filter(|path| path.extension() == Some("toy"))
            .filter_map(|path| Some((path.clone(), fs::read_text(&path).ok()?)))
            .chain(deleted.iter().map(|(name, text)| (self.root.join(name), (*text).to_owned())))
            .collect()
    }

    fn declared_symbols(text: &str) -> Vec<DeclaredSymbol> {
        let index = TextIndex::new(text);
        let mut found = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let code = line.split('#').next().unwrap_or_default();
            let mut parts = code.split_whitespace();
            let kind = match parts.next() {
                Some("class") => 5,
                Some("def") => 12,
                Some("let") => 13,
                _ => continue,
            };
            let (Some(name), Ok(at)) = (parts.next(), u32::try_from(at)) else { continue };
            let Some(col) = code.find(name) else { continue };
            let start = index.offset(LineCol { line: at, col: size(col).into() });
            let depth = code.len() - code.trim_start().len();
            found.push(DeclaredSymbol {
                name: name.to_owned(),
                kind,
                depth,
                line: at,
                range: TextRange::at(start, size(name.len())),
            });
        }
        found
    }

    fn special(&self, path: &Utf8Path) -> Option<ToyFile> {
        let special = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        special.iter().find(|(name, _)| path.file_name() == Some(*name)).map(|(_, file)| *file)
    }

    /// Returns the exception of the file that a request is about.
    fn special_of(&self, params: &Value) -> Option<ToyFile> {
        let uri = params.pointer("/textDocument/uri")?.as_str()?;
        self.special(&uri::to_path(&lsp::Uri(uri.to_owned()))?)
    }

    fn definitions(&self, word: &str, params: &Value) -> Vec<Value> {
        *self.definition_requests.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        let uri = params.pointer("/textDocument/uri").cloned().unwrap_or_default();
        let special = self.special_of(params);
        let mut found: Vec<_> =
            self.declarations(|name| name == word).into_iter().map(|(_, location)| location).collect();
        found.retain(|location| match special {
            Some(ToyFile::Unread) => false,
            Some(ToyFile::Separate) => location["uri"] == uri,
            _ => true,
        });
        if special.is_none() {
            let is_separate = |location: &Value| {
                let uri = location["uri"].as_str().unwrap_or_default().to_owned();
                uri::to_path(&lsp::Uri(uri)).is_some_and(|path| self.special(&path).is_some())
            };
            found.retain(|location| !is_separate(location));
        }
        found
    }

    fn uses(&self, word: &str, params: &Value) -> Vec<Value> {
        let mut found = Vec::new();
        let own = self.special_of(params).filter(|own| *own == ToyFile::OneWay);
        let is_reported = |special: Option<ToyFile>| special.is_none() || special == own;
        for (path, text) in self.files().into_iter().filter(|(path, _)| is_reported(self.special(path))) {
            let index = TextIndex::new(&text);
            for (line, content) in text.lines().enumerate() {
                let code = content.split('#').next().unwrap_or_default();
                for range in text_search::identifiers(code) {
                    if code.get(range.clone()) == Some(word)
                        && let Ok(line) = u32::try_from(line)
                    {
                        let start = index.offset(LineCol { line, col: size(range.start).into() });
                        found.push(self.location(&path, &index, TextRange::at(start, size(range.len()))));
                    }
                }
            }
        }
        found
    }

    fn declarations(&self, is_match: impl Fn(&str) -> bool) -> Vec<(DeclaredSymbol, Value)> {
        let mut found = Vec::new();
        for (path, text) in self.files() {
            let index = TextIndex::new(&text);
            for declared in Self::declared_symbols(&text) {
                if is_match(&declared.name) {
                    let location = self.location(&path, &index, declared.range);
                    found.push((declared, location));
                }
            }
        }
        found
    }

    fn location(&self, path: &Utf8Path, index: &TextIndex, range: TextRange) -> Value {
        json!({ "uri": uri::from_path(path), "range": index.range_to_lsp(range, self.encoding) })
    }

    fn outline(&self, text: &str) -> Value {
        let index = TextIndex::new(text);
        // From the last to the first: each takes the deeper ones that follow it as its children.
        let mut open: Vec<(usize, Value)> = Vec::new();
        for declared in Self::declared_symbols(text).into_iter().rev() {
            let mut children = Vec::new();
            while open.last().is_some_and(|(depth, _)| *depth > declared.depth) {
                children.extend(open.pop().map(|(_, child)| child));
            }
            let range = index.range_to_lsp(declared.range, self.encoding);
            let full_range = index.line_range(declared.line).map(|line| index.range_to_lsp(line, self.encoding));
            open.push((
                declared.depth,
                json!({ "name": declared.name, "kind": declared.kind, "range": full_range, "selectionRange": range, "children": children }),
            ));
        }
        open.into_iter().rev().map(|(_, symbol)| symbol).collect()
    }

    fn word_at(&self, params: &Value) -> Option<(String, String)> {
        let uri = lsp::Uri(params.pointer("/textDocument/uri")?.as_str()?.to_owned());
        let position: lsp::Position = serde_json::from_value(params.get("position")?.clone()).ok()?;
        let text = fs::read_text(&uri::to_path(&uri)?).ok()?;
        let index = TextIndex::new(&text);
        let at = index.line_col(index.from_lsp(position, self.encoding));
        let line = text.lines().nth(at.line as usize)?;
        let range = text_search::identifier_at(line, at.col as usize)?;
        Some((line.get(range)?.to_owned(), line.trim().to_owned()))
    }

    fn rename(&self, word: &str, new_name: &str, params: &Value) -> Value {
        let mut changes: Vec<(String, Vec<Value>)> = Vec::new();
        for usage in self.uses(word, params) {
            let uri = usage.get("uri").and_then(Value::as_str).unwrap_or_default().to_owned();
            let edit = json!({ "range": usage.get("range"), "newText": new_name });
            match changes.iter_mut().find(|(known, _)| *known == uri) {
                Some((_, edits)) => edits.push(edit),
                None => changes.push((uri, vec![edit])),
            }
        }
        json!({ "changes": changes.into_iter().map(|(uri, edits)| (uri, Value::Array(edits))).collect::<serde_json::Map<_, _>>() })
    }
}

#[async_trait]
impl Endpoint for ToyEndpoint {
    fn id(&self) -> &EndpointId {
        &self.id
    }

    fn serves(&self, document: &DocumentRef) -> bool {
        document.path.extension() == Some("toy")
    }

    fn language_id(&self, _document: &DocumentRef) -> Option<String> {
        Some("toy".to_owned())
    }

    fn readiness(&self) -> Readiness {
        self.readiness.borrow().clone()
    }

    fn readiness_changes(&self) -> watch::Receiver<Readiness> {
        self.readiness.subscribe()
    }

    fn encoding(&self) -> Encoding {
        self.encoding
    }

    async fn supports(&self, method: &str, _document: Option<&DocumentRef>, _cx: &RequestCx) -> bool {
        !self.unsupported.lock().unwrap_or_else(PoisonError::into_inner).contains(&method)
    }

    fn capabilities(&self) -> Value {
        json!({ "renameProvider": true, "codeActionProvider": true })
    }

    fn allows_command(&self, command: &str) -> bool {
        command == "toy.sort"
    }

    fn caveats(&self, _document: Option<&DocumentRef>) -> Caveats {
        Caveats { beyond: vec!["the toy library was not read".to_owned()], ..Caveats::default() }
    }

    async fn request(&self, method: &str, params: Value, cx: &RequestCx) -> Result<Value, EndpointError> {
        let word = || self.word_at(&params).map(|(word, _)| word).unwrap_or_default();
        if let Some(times) = &mut *self.unanswered.lock().unwrap_or_else(PoisonError::into_inner) {
            let after = cx.deadline.saturating_duration_since(Instant::now());
            times.push(after);
            return Err(EndpointError::TimedOut { endpoint: self.id.clone(), method: method.to_owned(), after });
        }
        let failing = self
            .failing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .find(|(name, _)| *name == method)
            .copied();
        if let Some((_, code)) = failing {
            let message = "it does not work".to_owned();
            return Err(EndpointError::Server { endpoint: self.id.clone(), method: method.to_owned(), code, message });
        }
        Ok(match method {
            "textDocument/documentSymbol" => {
                let document = cx.documents.first().ok_or(EndpointError::Cancelled)?;
                self.outline(
                    &fs::read_text(&document.path).map_err(|error| EndpointError::Document(error.to_string()))?,
                )
            }
            "workspace/symbol" => {
                let query = params.get("query").and_then(Value::as_str).unwrap_or_default().to_lowercase();
                self.declarations(|name| name.to_lowercase().contains(&query))
                    .into_iter()
                    .map(|(declared, location)| json!({ "name": declared.name, "kind": declared.kind, "location": location }))
                    .collect()
            }
            "workspace/willRenameFiles" => {
                let stem = |pointer| {
                    let uri = params.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
                    let path = uri::to_path(&lsp::Uri(uri)).unwrap_or_default();
                    path.file_stem().unwrap_or_default().to_owned()
                };
                let (old, new) = (stem("/files/0/oldUri"), stem("/files/0/newUri"));
                let mut changes = serde_json::Map::new();
                for usage in self.uses(&old, &params) {
                    let uri = usage["uri"].as_str().unwrap_or_default().to_owned();
                    let edit = json!({ "range": usage["range"], "newText": new });
                    let edits = changes.entry(uri).or_insert_with(|| json!([]));
                    edits.as_array_mut().expect("a list").push(edit);
                }
                json!({ "changes": changes })
            }
            "textDocument/definition" => {
                let word = word();
                Value::Array(self.definitions(&word, &params))
            }
            "textDocument/references" => {
                let word = word();
                let mut uses = self.uses(&word, &params);
                let mut early_answers = self.early_answers.lock().unwrap_or_else(PoisonError::into_inner);
                if *early_answers > 0 {
                    *early_answers -= 1;
                    let first = uses.first().map(|usage| usage["uri"].clone());
                    uses.retain(|usage| Some(&usage["uri"]) == first.as_ref());
                }
                drop(early_answers);
                let always_declares = *self.declarations_always.lock().unwrap_or_else(PoisonError::into_inner);
                if params.pointer("/context/includeDeclaration") == Some(&Value::Bool(false)) && !always_declares {
                    let declared = self.declarations(|name| name == word);
                    uses.retain(|usage| declared.iter().all(|(_, location)| location != usage));
                }
                Value::Array(uses)
            }
            "textDocument/hover" => match self.word_at(&params) {
                Some((_, line)) => json!({ "contents": { "language": "toy", "value": line } }),
                None => Value::Null,
            },
            "textDocument/completion" => {
                let items: Vec<_> = self
                    .declarations(|_| true)
                    .into_iter()
                    .map(|(declared, _)| json!({ "label": declared.name, "kind": 6 }))
                    .collect();
                json!({ "isIncomplete": false, "items": items })
            }
            "textDocument/rename" => {
                let new_name = params.get("newName").and_then(Value::as_str).unwrap_or_default();
                self.rename(&word(), new_name, &params)
            }
            "textDocument/codeAction" => json!([
                { "title": "Rename to fixed", "kind": "quickfix", "isPreferred": true, "edit": self.rename("bad", "good", &params) },
                { "title": "Run it", "command": "toy.run" },
                { "title": "Not now", "disabled": { "reason": "it is Friday" } },
            ]),
            "textDocument/inlayHint" => self.inlay_hints(&params),
            "textDocument/codeLens" => self.lenses(&params),
            "codeLens/resolve" => self.resolved_lens(params),
            _ => {
                let unsupported = EndpointError::Unsupported { endpoint: self.id.clone(), method: method.to_owned() };
                return self.relations(method, &params).unwrap_or(Err(unsupported));
            }
        })
    }

    async fn diagnostics(&self, document: &DocumentRef, _cx: &RequestCx) -> Result<DiagnosticsReport, EndpointError> {
        let text = fs::read_text(&document.path).map_err(|error| EndpointError::Document(error.to_string()))?;
        let mut silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = silent.iter().position(|path| *path == document.path) {
            silent.remove(at);
            return Ok(DiagnosticsReport { items: Vec::new(), current: false, is_partial: false, note: None });
        }
        let index = TextIndex::new(&text);
        let items = text.lines().enumerate().filter_map(|(line, text)| {
            let (word, severity) =
                [("bad", 1), ("dull", 4)].into_iter().find(|it| text_search::count(text, it.0) > 0)?;
            let range = index.line_range(u32::try_from(line).ok()?)?;
            let range = index.range_to_lsp(range, self.encoding);
            serde_json::from_value(
                json!({ "range": range, "severity": severity, "message": format!("this is {word}"), "source": "toy" }),
            )
            .ok()
        });
        Ok(DiagnosticsReport { items: items.collect(), current: true, is_partial: false, note: None })
    }
}

struct ToySource(Arc<ToyEndpoint>);

#[async_trait]
impl EndpointSource for ToySource {
    async fn for_document(&self, document: &DocumentRef, _method: &str, _cx: &RequestCx) -> Endpoints {
        if self.0.serves(document) {
            return Endpoints { endpoints: vec![Arc::clone(&self.0) as Arc<dyn Endpoint>], ..Endpoints::default() };
        }
        let subject = format!(".{}", document.path.extension().unwrap_or_default());
        let reason = format!("no server for {subject}");
        let absent = MissingServer { reason, hint: "Add a catalogue row.".to_owned(), subject };
        Endpoints { absent: vec![absent], ..Endpoints::default() }
    }

    async fn for_workspace(&self, _method: &str, _cx: &RequestCx) -> Endpoints {
        Endpoints { endpoints: vec![Arc::clone(&self.0) as Arc<dyn Endpoint>], ..Endpoints::default() }
    }

    async fn has_other_projects(&self, _document: &DocumentRef, _method: &str) -> bool {
        !self.0.other_projects.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    async fn other_projects(
        &self,
        _document: &DocumentRef,
        _method: &str,
        files: Vec<Utf8PathBuf>,
    ) -> Vec<OtherProject> {
        let directories = self.0.other_projects.lock().unwrap_or_else(PoisonError::into_inner);
        let roots = directories.iter().map(|directory| self.0.root.join(directory));
        let example = |root: &Utf8PathBuf| files.iter().find(|file| file.starts_with(root)).cloned();
        let project = |root: Utf8PathBuf| {
            let (example, server_root) = (example(&root)?, root.clone());
            Some(OtherProject { root, example, server_root, server_state: ProjectServerState::Stopped })
        };
        roots.filter_map(project).collect()
    }

    async fn refresh(&self, _cx: &RequestCx) -> Option<String> {
        self.0.freshness.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn file_changes(&self) -> Option<u64> {
        *self.0.file_changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn restart(&self) -> usize {
        *self.0.restarts.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        1
    }

    async fn shutdown(&self) {}
}
