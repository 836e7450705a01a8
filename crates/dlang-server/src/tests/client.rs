//! A client that requires the test to read every message: dropping it with an unread message fails the test.

use std::collections::VecDeque;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use dlang_workspace::files::{Bounds, Files, Kind, MemoryFiles, ReadError, Stamp, Walk};
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use zubi_base::lsp::Uri;
use zubi_base::uri;

use crate::{Exit, MethodTable, Server, ServerConfig, run};

/// Time limit for a message that must arrive.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Files that a test changes while the server runs.
#[derive(Default)]
pub(super) struct TestFiles(RwLock<MemoryFiles>);

impl TestFiles {
    /// Returns the files of a fixture: each after a line `//- path`, below `/w` unless absolute.
    pub(super) fn new(fixture: &str) -> Arc<Self> {
        let files = Self::default();
        for part in fixture.split("//- ").skip(1) {
            let (path, text) = part.split_once('\n').unwrap_or((part, ""));
            files.write(path.trim(), text);
        }
        Arc::new(files)
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        self.0.write().unwrap().insert(Utf8Path::new("/w").join(path), text);
    }

    pub(super) fn remove(&self, path: &str) {
        self.0.write().unwrap().remove(&Utf8Path::new("/w").join(path));
    }

    pub(super) fn is_there(&self, path: &str) -> bool {
        self.kind(&Utf8Path::new("/w").join(path)).is_some()
    }

    fn text(&self, path: &str) -> String {
        self.read_text(&Utf8Path::new("/w").join(path), usize::MAX).unwrap()
    }
}

impl Files for TestFiles {
    fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        self.0.read().unwrap().kind(path)
    }

    fn read(&self, path: &Utf8Path, max: usize) -> Result<Vec<u8>, ReadError> {
        self.0.read().unwrap().read(path, max)
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.0.read().unwrap().canonical(path)
    }

    fn stamp(&self, path: &Utf8Path) -> Option<Stamp> {
        self.0.read().unwrap().stamp(path)
    }

    fn walk(&self, folder: &Utf8Path, bounds: Bounds) -> Walk {
        self.0.read().unwrap().walk(folder, bounds)
    }
}

pub(super) fn uri_of(path: &str) -> String {
    uri::from_path(&Utf8Path::new("/w").join(path)).0
}

/// Returns the path of a `file:` URI, relative to `/w`.
pub(super) fn path_of(uri: &str) -> String {
    let path = uri::to_path(&Uri(uri.to_owned())).unwrap();
    path.strip_prefix("/w").unwrap_or(&path).to_string()
}

/// Returns the capabilities of a client that supports everything except progress and file watching, which cause
/// unsolicited messages.
pub(super) fn full_capabilities() -> Value {
    json!({
        "textDocument": {
            "definition": { "linkSupport": true },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "codeAction": { "codeActionLiteralSupport": {} },
            "completion": { "completionItem": { "snippetSupport": true, "documentationFormat": ["markdown"] } },
            "hover": { "contentFormat": ["markdown"] },
            "diagnostic": { "relatedInformation": true },
        },
        "workspace": { "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create"] } },
    })
}

/// Returns the capabilities of a client that only pulls diagnostics, so that none are published.
pub(super) fn pull_capabilities() -> Value {
    json!({ "textDocument": { "diagnostic": {} } })
}

pub(super) struct Client {
    connection: Option<Connection>,
    server: Option<Server>,
    pub(super) files: Arc<TestFiles>,
    next: i32,
    unread: VecDeque<Message>,
    is_initialized: bool,
}

impl Client {
    /// A server for a fixture, initialized by a client with these capabilities.
    pub(super) fn with_capabilities(fixture: &str, capabilities: &Value) -> Self {
        let files = TestFiles::new(fixture);
        let mut client = Self::begin(options(&files), files, MethodTable::new());
        client.initialize(capabilities, &["/w"]);
        client
    }

    /// Like [`Self::with_capabilities`], with [`full_capabilities`].
    pub(super) fn new(fixture: &str) -> Self {
        Self::with_capabilities(fixture, &full_capabilities())
    }

    /// A server that has not received any message.
    pub(super) fn begin(options: ServerConfig, files: Arc<TestFiles>, extra: MethodTable) -> Self {
        let (connection, server) = Connection::memory();
        let server = run(server, options, extra).unwrap();
        Self {
            connection: Some(connection),
            server: Some(server),
            files,
            next: 0,
            unread: VecDeque::new(),
            is_initialized: false,
        }
    }

    pub(super) fn initialize(&mut self, capabilities: &Value, roots: &[&str]) -> Value {
        let folders: Vec<Value> =
            roots.iter().map(|root| json!({ "uri": format!("file://{root}"), "name": root })).collect();
        let params = json!({ "processId": null, "capabilities": capabilities, "workspaceFolders": folders });
        let result = self.send_request("initialize", params);
        self.notify("initialized", json!({}));
        self.is_initialized = true;
        result
    }

    pub(super) fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    pub(super) fn send(&self, message: impl Into<Message>) {
        self.connection.as_ref().unwrap().sender.send(message.into()).unwrap();
    }

    pub(super) fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params });
    }

    /// Sends a request without waiting for the answer.
    pub(super) fn begin_request(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.send(Request { id: id.clone(), method: method.to_owned(), params });
        id
    }

    /// Returns the next message of any kind.
    pub(super) fn receive(&mut self) -> Message {
        self.unread.pop_front().unwrap_or_else(|| {
            self.connection.as_ref().unwrap().receiver.recv_timeout(TIMEOUT).expect("a message within the time limit")
        })
    }

    /// Returns the next message that matches; earlier messages stay unread.
    fn receive_matching<T>(&mut self, matcher: impl Fn(&Message) -> Option<T>) -> T {
        let mut passed = VecDeque::new();
        loop {
            let message = self.receive();
            if let Some(found) = matcher(&message) {
                passed.append(&mut self.unread);
                self.unread = passed;
                return found;
            }
            passed.push_back(message);
        }
    }

    /// Returns the response to a request: its result, or its error as JSON.
    pub(super) fn answer(&mut self, id: &RequestId) -> Result<Value, Value> {
        let response: Response = self.receive_matching(|message| match message {
            Message::Response(response) if response.id == *id => Some(response.clone()),
            _ => None,
        });
        response.response_result.map_err(|error| serde_json::to_value(error).unwrap())
    }

    pub(super) fn try_send_request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin_request(method, params);
        self.answer(&id)
    }

    pub(super) fn send_request(&mut self, method: &str, params: Value) -> Value {
        self.try_send_request(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Returns the next notification of this method.
    pub(super) fn notification(&mut self, method: &str) -> Value {
        self.receive_matching(|message| match message {
            Message::Notification(it) if it.method == method => Some(it.params.clone()),
            _ => None,
        })
    }

    /// Returns the next request of the server with this method.
    pub(super) fn request(&mut self, method: &str) -> Request {
        self.receive_matching(|message| match message {
            Message::Request(it) if it.method == method => Some(it.clone()),
            _ => None,
        })
    }

    pub(super) fn respond(&self, id: RequestId, result: Value) {
        self.send(Response { id, response_result: Ok(result) });
    }

    pub(super) fn open(&self, path: &str, version: i32, text: &str) {
        self.open_uri(&uri_of(path), version, text);
    }

    pub(super) fn open_uri(&self, uri: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri, "languageId": "domain-lang", "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the text of an open document.
    pub(super) fn replace(&self, path: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri_of(path), "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.notify("textDocument/didChange", params);
    }

    pub(super) fn close(&self, path: &str) {
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri_of(path) } }));
    }

    /// Returns the text of a file after all edits of a `WorkspaceEdit` or of a list of edits.
    pub(super) fn text_after_edits(&self, path: &str, edits: &Value) -> String {
        apply(&self.files.text(path), edits)
    }

    /// Ends the connection with `shutdown` and `exit`.
    pub(super) fn finish(&mut self) -> Exit {
        if self.is_initialized {
            assert_eq!(self.send_request("shutdown", Value::Null), Value::Null);
        }
        self.exit()
    }

    /// Sends `exit` without `shutdown`.
    pub(super) fn exit(&mut self) -> Exit {
        self.notify("exit", Value::Null);
        self.server.take().unwrap().join()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        if self.server.is_some() {
            assert_eq!(self.finish(), if self.is_initialized { Exit::Orderly } else { Exit::Abrupt });
        }
        let connection = self.connection.take().unwrap();
        let unread: Vec<Message> = self.unread.drain(..).chain(connection.receiver.try_iter()).collect();
        assert!(unread.is_empty(), "unread messages: {unread:#?}");
    }
}

/// Returns options for tests: no delays, no watcher.
pub(super) fn options(files: &Arc<TestFiles>) -> ServerConfig {
    let files = Arc::clone(files);
    ServerConfig { files, version: "0".to_owned(), debounce: Duration::ZERO, watch: false, ..ServerConfig::default() }
}

/// Applies LSP edits with UTF-16 columns to a text.
pub(super) fn apply(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| {
        let number = |name: &str| usize::try_from(position[name].as_u64().unwrap()).unwrap();
        let line: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
        let mut units = number("character");
        let column: usize = text[line..]
            .chars()
            .take_while(|it| {
                let is_before = units > 0;
                units = units.saturating_sub(it.len_utf16());
                is_before
            })
            .map(char::len_utf8)
            .sum();
        line + column
    };
    let mut replacements: Vec<(usize, usize, String)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let (range, new) = (&edit["range"], edit["newText"].as_str().unwrap());
            (offset(&range["start"]), offset(&range["end"]), new.to_owned())
        })
        .collect();
    replacements.sort();
    let mut edited = text.to_owned();
    for (from, to, new) in replacements.into_iter().rev() {
        edited.replace_range(from..to, &new);
    }
    edited
}

/// Splits a fixture in which `$0` marks a position: the fixture without the marker, the file, the position.
pub(super) fn split_marker(fixture: &str) -> (String, String, Value) {
    let at = fixture.find("$0").expect("a marked position");
    let (before, after) = (&fixture[..at], &fixture[at + 2..]);
    let header = before.rfind("//- ").expect("a file that contains the position");
    let (path, text) = before[header + 4..].split_once('\n').unwrap();
    let line = text.matches('\n').count();
    let character = text.rsplit('\n').next().unwrap().encode_utf16().count();
    (format!("{before}{after}"), path.trim().to_owned(), json!({ "line": line, "character": character }))
}
