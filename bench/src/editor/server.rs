//! A running `dlang lsp` or `zubi lsp`, with the benchmark as its editor.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use camino::Utf8Path;
use serde_json::{Value, json};

use super::EditorBench;
use super::edits::Edit;
use super::questions::{Question, TOKENS_DELTA, TOOL};
use crate::wire::{ErrorResponse, Framing, Reply, Wire};

/// JSON-RPC 2.0, "Method not found".
const METHOD_NOT_FOUND: i64 = -32601;

/// The program under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Dlang,
    /// `zubi lsp`, which also has the channel for an editor's tools.
    Zubi,
}

impl Program {
    pub(crate) const ALL: [Self; 2] = [Self::Dlang, Self::Zubi];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Dlang => "dlang lsp",
            Self::Zubi => "zubi lsp",
        }
    }

    /// The command, isolated from the environment and home directory of the user who runs the benchmark.
    pub(crate) fn command(self, bench: &EditorBench) -> Command {
        let mut command = Command::new(match self {
            Self::Dlang => &bench.dlang,
            Self::Zubi => &bench.zubi,
        });
        command.env_clear().env("HOME", bench.project.home());
        command
    }
}

/// The server and its pipes.
pub(crate) struct Server {
    pub(crate) program: Program,
    wire: Wire,
    folder: String,
    versions: BTreeMap<String, i64>,
    /// The last semantic tokens, and their `resultId`.
    tokens: Option<(Value, Vec<Value>)>,
}

impl Server {
    /// Starts a server for a folder and waits for its answer to `initialize`.
    pub(crate) fn start(bench: &EditorBench, program: Program, folder: &Utf8Path) -> Result<Self> {
        let mut command = program.command(bench);
        command.args(["lsp", "--stdio"]).current_dir(folder);
        // An editor accepts registrations, progress and refreshes with `null`.
        let mut wire = Wire::start(command, Framing::Headers, Box::new(|_, _| Some(Value::Null)))?;
        let folder = format!("file://{folder}");
        wire.request("initialize", &initialize_params(program, &folder))?;
        Ok(Self { program, wire, folder, versions: BTreeMap::new(), tokens: None })
    }

    pub(crate) fn start_time(&self) -> Instant {
        self.wire.started
    }

    pub(crate) fn pid(&self) -> u32 {
        self.wire.pid()
    }

    pub(crate) fn notify_initialized(&self) -> Result<()> {
        self.wire.notify("initialized", &json!({}))
    }

    pub(crate) fn open(&mut self, file: &str, text: &str) -> Result<()> {
        let uri = self.uri(file);
        let document = json!({ "uri": uri, "languageId": "domainlang", "version": 1, "text": text });
        self.versions.insert(uri, 1);
        self.wire.notify("textDocument/didOpen", &json!({ "textDocument": document }))
    }

    /// Makes or reverts an edit without waiting for a response. Returns the time before the first message.
    pub(crate) fn edit(&mut self, edit: &Edit, is_applied: bool) -> Result<Instant> {
        let uri = self.uri(&edit.file);
        let version = self.versions.get_mut(&uri).context("the document is open")?;
        let messages: Vec<Value> = edit
            .changes(is_applied)
            .into_iter()
            .map(|changes| {
                *version += 1;
                json!({ "textDocument": { "uri": uri, "version": *version }, "contentChanges": changes })
            })
            .collect();
        let before = Instant::now();
        for message in &messages {
            self.wire.notify("textDocument/didChange", message)?;
        }
        Ok(before)
    }

    /// Sends a request and waits for its response. The time counts from `since`, or from sending the request.
    pub(crate) fn request(
        &mut self,
        question: &Question,
        is_edited: bool,
        since: Option<Instant>,
    ) -> Result<(Duration, Value)> {
        let mut params = question.params[usize::from(is_edited)].clone();
        if question.method == TOKENS_DELTA {
            if self.tokens.is_none() {
                self.all_tokens(&params)?;
            }
            params["previousResultId"] = self.tokens.as_ref().map_or(Value::Null, |(id, _)| id.clone());
        }
        let request = self.wire.send_request(question.method, &params)?;
        let Reply { elapsed, result, .. } = self.wire.answer(&match since {
            Some(since) => request.timed_from(since),
            None => request,
        })?;
        let answer = if question.method == TOKENS_DELTA { self.with_difference(result)? } else { result };
        ensure!(question.method != TOOL || answer["isError"] == false, "{} fails: {answer}", question.title);
        Ok((elapsed, answer))
    }

    /// Requests all semantic tokens of a document.
    pub(crate) fn all_tokens(&mut self, params: &Value) -> Result<Value> {
        let mut tokens = self.wire.request("textDocument/semanticTokens/full", params)?.result;
        let Value::Array(data) = tokens["data"].take() else { bail!("no tokens: {tokens}") };
        self.tokens = Some((tokens["resultId"].take(), data.clone()));
        Ok(data.into())
    }

    /// Applies a delta to the previous tokens. It applies the edits from the last to the first, so that the positions
    /// of the others stay valid.
    fn with_difference(&mut self, mut result: Value) -> Result<Value> {
        let (id, data) = self.tokens.as_mut().context("nothing to be different from")?;
        let Value::Array(mut edits) = result["edits"].take() else { bail!("no difference of tokens: {result}") };
        edits.sort_by_key(|edit| std::cmp::Reverse(edit["start"].as_u64()));
        for edit in edits {
            let number = |field: &str| edit[field].as_u64().and_then(|number| usize::try_from(number).ok());
            let start = number("start").context("a difference has a start")?;
            let end = start + number("deleteCount").context("a difference says how much it replaces")?;
            ensure!(end <= data.len(), "the difference leads out of the tokens: {edit}");
            data.splice(start..end, edit["data"].as_array().cloned().unwrap_or_default());
        }
        *id = result["resultId"].take();
        Ok(data.clone().into())
    }

    /// Requests the summary of the model.
    pub(crate) fn summary(&mut self) -> Result<Value> {
        Ok(self.wire.request("domainlang/get", &json!({}))?.result)
    }

    /// Sends a request with an unknown method and returns the time to its error.
    pub(crate) fn request_unknown_method(&mut self) -> Result<Duration> {
        match self.wire.request("$/unknown", &json!({})) {
            Ok(_) => bail!("a method that does not exist was answered"),
            Err(error) => match error.downcast_ref::<ErrorResponse>() {
                Some(error) if error.code == METHOD_NOT_FOUND => Ok(error.elapsed),
                _ => Err(error),
            },
        }
    }

    fn uri(&self, file: &str) -> String {
        format!("{}/{file}", self.folder)
    }
}

/// The parameters of `initialize` as VS Code sends them, reduced to those that the servers use.
fn initialize_params(program: Program, folder: &str) -> Value {
    let options = match program {
        Program::Dlang => Value::Null,
        Program::Zubi => json!({ "zubi": { "editorProtocol": 1 } }),
    };
    json!({
        "processId": std::process::id(),
        "clientInfo": { "name": "zubi-bench", "version": env!("CARGO_PKG_VERSION") },
        "workspaceFolders": [{ "uri": folder, "name": "model" }],
        "initializationOptions": options,
        "capabilities": {
            "textDocument": {
                "completion": { "completionItem": { "snippetSupport": true, "documentationFormat": ["markdown"] } },
                "definition": { "linkSupport": true },
                "diagnostic": { "relatedInformation": true },
                "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                "hover": { "contentFormat": ["markdown"] },
            },
            "workspace": {
                "didChangeWatchedFiles": { "dynamicRegistration": true },
                "diagnostics": { "refreshSupport": true },
                "inlayHint": { "refreshSupport": true },
            },
            "window": { "workDoneProgress": true },
        },
    })
}
