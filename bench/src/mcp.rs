//! `zubi mcp` over its pipes.

use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use zubi_tests::Project;
use zubi_tests::zubi::Start;

use crate::lsp::Question;
use crate::subject::Position;
use crate::wire::{Framing, PendingRequest, Reply, Wire};

/// The longest wait for a loading server, in milliseconds: the first build of a repository's build scripts takes minutes.
const WAIT_MS: u32 = 290_000;

/// A running `zubi mcp`.
pub(crate) struct Zubi {
    pub(crate) wire: Wire,
}

/// An answer of a tool.
#[derive(Debug)]
pub(crate) struct ToolReply {
    pub(crate) reply: Reply,
    pub(crate) text: String,
}

impl ToolReply {
    /// The number in the line with the count, `5 references to …`.
    pub(crate) fn count(&self) -> Option<usize> {
        self.text.lines().find_map(|line| {
            let (number, rest) = line.split_once(' ')?;
            rest.starts_with("reference").then(|| number.replace(',', "").parse().ok())?
        })
    }

    /// Whether the status line reports a complete answer.
    pub(crate) fn is_ready(&self) -> bool {
        let status = self.text.lines().last().unwrap_or_default();
        status.contains("· ready") && !status.contains("may be incomplete") && !status.contains("completeness unknown")
    }
}

impl Zubi {
    /// Starts zubi and performs the handshake.
    pub(crate) fn start(project: &Project, components: &[&str]) -> Result<Self> {
        Self::start_with(project, components, &[])
    }

    /// Starts zubi with flags and performs the handshake.
    pub(crate) fn start_with(project: &Project, components: &[&str], flags: &[&str]) -> Result<Self> {
        let mut command = Start::new(project, components).command();
        command.args(flags).arg("mcp");
        Self::start_command(command)
    }

    /// Starts a command and performs the handshake.
    pub(crate) fn start_command(command: Command) -> Result<Self> {
        let mut zubi = Self { wire: Wire::start(command, Framing::Lines, Box::new(|_, _| None))? };
        zubi.initialize()?;
        Ok(zubi)
    }

    /// Starts zubi without the handshake.
    pub(crate) fn spawn(project: &Project, components: &[&str]) -> Result<Self> {
        let mut command = Start::new(project, components).command();
        command.arg("mcp");
        Ok(Self { wire: Wire::start(command, Framing::Lines, Box::new(|_, _| None))? })
    }

    /// Trusts the project, so that its own programs may run.
    pub(crate) fn trust(project: &Project) -> Result<()> {
        let output = Start::new(project, &[]).command().arg("trust").output().context("zubi starts")?;
        ensure!(output.status.success(), "zubi trust failed: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    /// Performs the handshake.
    pub(crate) fn initialize(&mut self) -> Result<Reply> {
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "zubi-bench", "version": env!("CARGO_PKG_VERSION") },
        });
        let reply = self.wire.request("initialize", &params)?;
        self.wire.notify("notifications/initialized", &json!({}))?;
        Ok(reply)
    }

    pub(crate) fn send_question(&mut self, question: Question, position: &Position) -> Result<PendingRequest> {
        let (tool, arguments) = match question {
            Question::Hover => ("lsp_hover", json!({ "at": position.to_at_argument(), "waitMs": WAIT_MS })),
            Question::Definition => ("lsp_definition", json!({ "at": position.to_at_argument(), "waitMs": WAIT_MS })),
            Question::References => ("lsp_references", json!({ "at": position.to_at_argument(), "waitMs": WAIT_MS })),
            Question::DocumentSymbols => ("lsp_document_symbols", json!({ "path": position.file, "waitMs": WAIT_MS })),
        };
        self.wire.send_request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool. Fails if the tool does.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<ToolReply> {
        let request = self.wire.send_request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        self.answer(&request)
    }

    pub(crate) fn answer(&mut self, request: &PendingRequest) -> Result<ToolReply> {
        let reply = self.wire.answer(request)?;
        let text = text(&reply.result)?;
        if reply.result["isError"] == true {
            bail!("zubi refused: {text}");
        }
        Ok(ToolReply { reply, text })
    }

    pub(crate) fn request(&mut self, question: Question, position: &Position) -> Result<ToolReply> {
        let request = self.send_question(question, position)?;
        self.answer(&request)
    }
}

fn text(result: &Value) -> Result<String> {
    result["content"][0]["text"].as_str().map(str::to_owned).with_context(|| format!("no text in {result}"))
}
