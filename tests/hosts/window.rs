//! A window of an editor with zubi's extension: it starts `zubi lsp` and answers its requests about the open code.

use std::io::{BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use zubi_tests::agent::StderrCapture;
use zubi_tests::hosts::{HostsProject, STEP_TIMEOUT, eventually};

/// The methods that a window answers itself.
const METHODS: [&str; 5] = [
    "textDocument/definition",
    "textDocument/hover",
    "textDocument/diagnostic",
    "workspace/diagnostic",
    "zubi/validate",
];

/// The method of an edit, which a window answers only if a test wants that.
const APPLY: &str = "zubi/editor/applyEdit";

/// A window. Ends when dropped.
pub(crate) struct Window {
    child: Child,
    folder: Utf8PathBuf,
    wire: Arc<Wire>,
    stderr: StderrCapture,
}

/// The connection to `zubi lsp`, for the test and for the thread that answers.
struct Wire {
    input: Mutex<Option<ChildStdin>>,
    /// The answers to the window's requests, in the order of arrival.
    answers: Mutex<Vec<Value>>,
    /// The methods of all received requests.
    received_methods: Mutex<Vec<String>>,
}

impl Wire {
    fn send(&self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let body = message.to_string();
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(input) = input.as_mut() {
            // The other side may have ended; some tests want that.
            write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| input.flush()).ok();
        }
    }
}

impl Window {
    /// Opens a folder of the project in a window whose hovers contain its name; returns when the host can be found.
    pub(crate) fn open(fixture: &HostsProject, folder: &str, name: &'static str) -> Self {
        Self::open_with(fixture, folder, name, &METHODS)
    }

    /// Opens a window that accepts edits and never answers them.
    pub(crate) fn open_with_stuck_edits(fixture: &HostsProject) -> Self {
        Self::open_with(fixture, ".", "Window", &[METHODS.as_slice(), &[APPLY]].concat())
    }

    fn open_with(fixture: &HostsProject, folder: &str, name: &'static str, methods: &[&str]) -> Self {
        let window = Self::start_with(fixture.command(), &fixture.project.root().join(folder), name, methods);
        let folders = json!([window.folder]);
        eventually("the window's host can be found", STEP_TIMEOUT, || {
            fixture
                .live_records()
                .into_iter()
                .find(|host| host["kind"] == "editor" && host["workspaceFolders"] == folders)
        });
        window
    }

    /// Starts the program and waits only for the handshake.
    pub(crate) fn start(command: Command, folder: &Utf8Path, name: &'static str) -> Self {
        Self::start_with(command, folder, name, &METHODS)
    }

    fn start_with(mut command: Command, folder: &Utf8Path, name: &'static str, methods: &[&str]) -> Self {
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("zubi starts");
        let folder: Utf8PathBuf = folder.components().filter(|part| part.as_str() != ".").collect();
        let input = Mutex::new(child.stdin.take());
        let wire = Arc::new(Wire { input, answers: Mutex::default(), received_methods: Mutex::default() });
        let (output, stderr) = (child.stdout.take().expect("piped"), StderrCapture::capture(&mut child));
        let (connection, root) = (Arc::clone(&wire), folder.clone());
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                connection.handle_message(message, &root, name);
            }
        });
        let window = Self { child, folder, wire, stderr };
        window.request(
            "initialize",
            &json!({
                "processId": null,
                "clientInfo": { "name": name, "version": "1" },
                "capabilities": {},
                "initializationOptions": { "zubi": { "editorProtocol": 1, "editorMethods": methods } },
                "workspaceFolders": [{ "uri": window.uri(""), "name": name }],
            }),
        );
        window.notify("initialized", &json!({}));
        window
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The stderr so far.
    pub(crate) fn stderr_text(&self) -> String {
        self.stderr.text()
    }

    /// The URI of a file in the window's folder.
    pub(crate) fn uri(&self, file: &str) -> String {
        uri(&self.folder, file)
    }

    /// The number of requests with this method.
    pub(crate) fn request_count(&self, method: &str) -> usize {
        let methods = self.wire.received_methods.lock().unwrap_or_else(PoisonError::into_inner);
        methods.iter().filter(|received| *received == method).count()
    }

    fn notify(&self, method: &str, params: &Value) {
        self.wire.send(json!({ "method": method, "params": params }));
    }

    fn request(&self, method: &str, params: &Value) -> Value {
        self.wire.send(json!({ "id": method, "method": method, "params": params }));
        eventually(&format!("an answer to {method}: {}", self.stderr_text()), STEP_TIMEOUT, || {
            let answers = self.wire.answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.iter().find(|answer| answer["id"] == method).cloned()
        })
    }

    /// Reports that a file is open, active, and not saved.
    pub(crate) fn report_active_file(&self, file: &str) {
        self.report_file(file, &json!({ "isDirty": true }));
    }

    /// Reports that a file is open, active and saved, with its version, so that edits of it go to the editor.
    pub(crate) fn report_saved_file(&self, file: &str) {
        self.report_file(file, &json!({ "isDirty": false, "version": 1 }));
    }

    fn report_file(&self, file: &str, state: &Value) {
        let mut open = state.clone();
        open["uri"] = self.uri(file).into();
        open["languageId"] = "python".into();
        open["lineCount"] = 40.into();
        let mut active = open.clone();
        active["selection"] = json!({ "line": 35, "column": 5 });
        self.notify("zubi/editor/didChange", &json!({ "active": active, "open": [open], "diagnosticsUris": [] }));
    }

    /// Waits until the window has received an edit.
    pub(crate) fn wait_for_edit(&self) {
        eventually("the window receives an edit", STEP_TIMEOUT, || (self.request_count(APPLY) > 0).then_some(()));
    }

    /// Kills the program.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("a child");
        self.child.wait().expect("a child");
    }

    /// Closes the window as an editor does.
    pub(crate) fn close(mut self) {
        self.request("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        let status = eventually("zubi ends", STEP_TIMEOUT, || self.child.try_wait().expect("a child"));
        assert!(status.success(), "{status}: {}", self.stderr_text());
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // The process may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Wire {
    fn handle_message(&self, message: Value, folder: &Utf8Path, name: &str) {
        match (message.get("id"), message["method"].as_str()) {
            (Some(id), Some("zubi/editor/request")) => {
                let method = message["params"]["method"].as_str().unwrap_or_default();
                self.received_methods.lock().unwrap_or_else(PoisonError::into_inner).push(method.to_owned());
                self.send(json!({ "id": id, "result": answer(method, folder, name) }));
            }
            (Some(_), Some(APPLY)) => {
                self.received_methods.lock().unwrap_or_else(PoisonError::into_inner).push(APPLY.to_owned());
            }
            (Some(id), Some(_)) => self.send(json!({ "id": id, "result": null })),
            (Some(_), None) => self.answers.lock().unwrap_or_else(PoisonError::into_inner).push(message),
            (None, _) => {}
        }
    }
}

/// The editor's responses: a hover with its name, and one diagnostic in one file.
fn answer(method: &str, folder: &Utf8Path, name: &str) -> Value {
    let range = json!({ "start": { "line": 34, "character": 4 }, "end": { "line": 34, "character": 14 } });
    let diagnostic =
        json!({ "range": range, "severity": 1, "source": "window", "message": format!("not saved in {name}") });
    match method {
        "textDocument/hover" => json!({ "contents": { "kind": "plaintext", "value": format!("typed in {name}") } }),
        "textDocument/definition" => json!([{ "uri": uri(folder, "shapes/shape.py"), "range": range }]),
        "workspace/diagnostic" => {
            json!({ "items": [{ "uri": uri(folder, "shapes/shape.py"), "kind": "full", "items": [diagnostic] }] })
        }
        _ => {
            json!({ "kind": "full", "items": [diagnostic], "isOpen": true, "isCurrent": true, "languageId": "python" })
        }
    }
}

/// The paths of test folders need no escaping.
fn uri(folder: &Utf8Path, file: &str) -> String {
    format!("file://{}", if file.is_empty() { folder.to_owned() } else { folder.join(file) })
}

fn read(output: &mut impl std::io::BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().ok()?,
            None if line == "\r\n" => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
