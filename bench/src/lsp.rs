//! A language server without zubi: the floor.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use zubi_tests::{Project, zubi::environment};

use crate::introduction::Introduction;
use crate::subject::{Position, Ready, Subject};
use crate::wire::{ErrorResponse, Framing, PendingRequest, Reply, Wire};

/// LSP 3.17, `ErrorCodes.ContentModified`.
const CONTENT_MODIFIED: i64 = -32801;

/// The four requests that are timed warm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    Hover,
    Definition,
    References,
    DocumentSymbols,
}

impl Question {
    pub(crate) const ALL: [Self; 4] = [Self::Hover, Self::Definition, Self::References, Self::DocumentSymbols];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Hover => "hover",
            Self::Definition => "definition",
            Self::References => "references",
            Self::DocumentSymbols => "document symbols",
        }
    }
}

/// A running server.
pub(crate) struct Server<'a> {
    wire: Wire,
    project: &'a Project,
    language: &'static str,
    ready: Ready,
    opened: BTreeSet<String>,
}

impl<'a> Server<'a> {
    /// Starts the server and initializes it as zubi does.
    pub(crate) fn start(subject: &Subject, introduction: &Introduction, project: &'a Project) -> Result<Self> {
        let environment = environment(project, subject.components);
        let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_str());
        let words = subject.server_command(path.unwrap_or_default())?;
        let (program, arguments) = words.split_first().context("a server has a program")?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(project.root()).env_clear().envs(environment);
        let introduction = introduction.for_copy(project);
        let answers = introduction.clone();
        let serve = move |method: &str, params: &Value| answers.serve(method, params);
        let mut wire = Wire::start(command, Framing::Headers, Box::new(serve))?;
        wire.request("initialize", introduction.initialize())?;
        wire.notify("initialized", &json!({}))?;
        if let Some(settings) = introduction.changed_file() {
            wire.notify("workspace/didChangeConfiguration", settings)?;
        }
        Ok(Self { wire, project, language: subject.language, ready: subject.ready, opened: BTreeSet::new() })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.wire.pid()
    }

    /// The start time of the process.
    pub(crate) fn start_time(&self) -> Instant {
        self.wire.started
    }

    /// Waits for the server's own signal that it has read the project. Opens `file` if the signal requires an open
    /// document.
    pub(crate) fn wait_until_ready(&mut self, file: &str) -> Result<()> {
        match self.ready {
            Ready::Log(prefix) => {
                // Opening a file first would delay the search for files.
                self.wire.wait_for_notification(|notification| {
                    notification["method"] == "window/logMessage"
                        && notification["params"]["message"].as_str().is_some_and(|line| line.starts_with(prefix))
                })?;
                self.open(file)
            }
            Ready::Progress(token) => {
                self.open(file)?;
                self.wire.wait_for_notification(|notification| {
                    notification["method"] == "$/progress"
                        && notification["params"]["token"] == token
                        && notification["params"]["value"]["kind"] == "end"
                })?;
                Ok(())
            }
            Ready::Titled(title) => {
                self.open(file)?;
                let mut token = Value::Null;
                self.wire.wait_for_notification(|notification| {
                    let params = &notification["params"];
                    let is_progress = notification["method"] == "$/progress";
                    let begins = is_progress && params["value"]["kind"] == "begin";
                    if begins
                        && params["value"]["title"].as_str().is_some_and(|actual_title| actual_title.starts_with(title))
                    {
                        token = params["token"].clone();
                    }
                    is_progress && params["value"]["kind"] == "end" && params["token"] == token
                })?;
                Ok(())
            }
            Ready::Holding => self.open(file),
            Ready::ServerStatus => {
                self.open(file)?;
                let mut was_busy = false;
                self.wire.wait_for_notification(|notification| {
                    let quiescent = &notification["params"]["quiescent"];
                    let is_status = notification["method"] == "experimental/serverStatus";
                    was_busy |= is_status && quiescent == false;
                    is_status && was_busy && quiescent == true
                })?;
                Ok(())
            }
        }
    }

    pub(crate) fn open(&mut self, file: &str) -> Result<()> {
        if self.opened.insert(file.to_owned()) {
            let document = json!({
                "uri": self.uri(file), "languageId": self.language, "version": 1, "text": self.project.read(file)
            });
            self.wire.notify("textDocument/didOpen", &json!({ "textDocument": document }))?;
        }
        Ok(())
    }

    /// Notifies the server of changes on disk: paths with LSP's `FileChangeType`.
    pub(crate) fn notify_changes(&self, files: &[(&str, u8)]) -> Result<()> {
        let changes: Vec<_> = files.iter().map(|(file, kind)| json!({ "uri": self.uri(file), "type": kind })).collect();
        self.wire.notify("workspace/didChangeWatchedFiles", &json!({ "changes": changes }))
    }

    pub(crate) fn send_question(&mut self, question: Question, position: &Position) -> Result<PendingRequest> {
        self.open(&position.file)?;
        let mut params = json!({ "textDocument": { "uri": self.uri(&position.file) } });
        if question != Question::DocumentSymbols {
            params["position"] = json!({ "line": position.line, "character": position.column });
        }
        if question == Question::References {
            params["context"] = json!({ "includeDeclaration": true });
        }
        let method = match question {
            Question::Hover => "textDocument/hover",
            Question::Definition => "textDocument/definition",
            Question::References => "textDocument/references",
            Question::DocumentSymbols => "textDocument/documentSymbol",
        };
        self.wire.send_request(method, &params)
    }

    /// Sends a request that concerns no document and waits for its response.
    pub(crate) fn request_of_workspace(&mut self, method: &str, params: &Value) -> Result<Reply> {
        self.wire.request(method, params)
    }

    pub(crate) fn answer(&mut self, request: &PendingRequest) -> Result<Reply> {
        self.wire.answer(request)
    }

    /// Sends a request and waits; repeats it while the server returns `ContentModified`, as the protocol requires.
    pub(crate) fn request(&mut self, question: Question, position: &Position) -> Result<Reply> {
        loop {
            let request = self.send_question(question, position)?;
            match self.answer(&request) {
                Err(error)
                    if error.downcast_ref::<ErrorResponse>().is_some_and(|error| error.code == CONTENT_MODIFIED) => {}
                other => return other,
            }
        }
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}", self.project.root().join(file))
    }
}

/// The number of locations in a references result.
pub(crate) fn count(result: &Value) -> usize {
    result.as_array().map_or(0, Vec::len)
}
