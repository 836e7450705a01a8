//! The columns: zubi, other bridges in the versions that `setup` installs, and the shell alone.

use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use zubi_tests::zubi::{Start, environment};
use zubi_tests::{Project, tools};

use crate::wire::{Framing, Wire};

/// A column.
pub(super) struct Peer {
    pub(super) name: &'static str,
    /// The command that starts its server; `None` for the shell.
    command: Option<fn(&Project, &str) -> Command>,
    /// The calls that load the server of a language, by the name of the published project.
    warm_up: fn(&str, &Project) -> Vec<(&'static str, Value)>,
}

/// All columns, in the order of the table.
pub(super) const PEERS: &[Peer] = &[
    Peer { name: "zubi", command: Some(zubi), warm_up: warm_up_zubi },
    Peer { name: "agent-lsp", command: Some(agent_lsp), warm_up: warm_up_agent_lsp },
    Peer { name: "codescout", command: Some(codescout), warm_up: warm_up_codescout },
    Peer { name: "serena", command: Some(serena), warm_up: warm_up_serena },
    Peer { name: "shell", command: None, warm_up: |_, _| Vec::new() },
];

/// The components on the PATH of a column.
pub(super) fn components(column: &str) -> Vec<&'static str> {
    let mut components = vec!["node", "pyright", "typescript", "typescript-language-server", "ripgrep"];
    components.extend(match column {
        "agent-lsp" => Some("agent-lsp"),
        "codescout" => Some("codescout"),
        "serena" => Some("serena"),
        _ => None,
    });
    components
}

/// The language of a published project.
fn language(source: &str) -> &'static str {
    if source == "rxjs" { "typescript" } else { "python" }
}

fn zubi(project: &Project, _: &str) -> Command {
    let mut command = Start::new(project, &components("zubi")).command();
    command.arg("mcp");
    command
}

fn agent_lsp(project: &Project, source: &str) -> Command {
    let server = match language(source) {
        "typescript" => "typescript:typescript-language-server,--stdio",
        _ => "python:pyright-langserver,--stdio",
    };
    let mut command = peer(project, "agent-lsp", "agent-lsp");
    command.arg(server);
    command
}

fn codescout(project: &Project, _: &str) -> Command {
    let mut command = peer(project, "codescout", "codescout");
    command.args(["start", "--project", project.root().as_str()]);
    command
}

/// Serena would otherwise download language servers of its own.
const SERENA_CONFIGURATION: &str = "\
projects: []
ls_specific_settings:
  python: { ls_path: pyright-langserver }
  typescript: { ls_path: typescript-language-server }
";

fn serena(project: &Project, _: &str) -> Command {
    let folder = project.home().join(".serena");
    // A failure shows in Serena's own answers.
    std::fs::create_dir_all(&folder).ok();
    std::fs::write(folder.join("serena_config.yml"), SERENA_CONFIGURATION).ok();
    let mut command = peer(project, "serena", "serena");
    command.args(["start-mcp-server", "--project", project.root().as_str(), "--context", "ide"]);
    command.args(["--agent-interface", "tools", "--enable-web-dashboard", "false"]);
    command
}

fn peer(project: &Project, component: &str, program: &str) -> Command {
    let mut command = Command::new(tools::program(component, program));
    command.current_dir(project.root()).env_clear().envs(environment(project, &components(component)));
    command
}

/// A file of the project that uses the server.
fn sample(source: &str) -> &'static str {
    if source == "rxjs" { "src/internal/util/noop.ts" } else { "rich/console.py" }
}

fn warm_up_zubi(source: &str, _: &Project) -> Vec<(&'static str, Value)> {
    let (path, symbol) = if source == "rxjs" { (sample(source), "noop") } else { (sample(source), "Console") };
    vec![("lsp_references", json!({ "symbol": symbol, "path": path, "wait": "ready", "waitMs": 120_000 }))]
}

fn warm_up_agent_lsp(source: &str, project: &Project) -> Vec<(&'static str, Value)> {
    let (root, file) = (project.root(), project.root().join(sample(source)));
    vec![
        ("start_lsp", json!({ "root_dir": root, "language_id": language(source), "ready_timeout_seconds": 60 })),
        ("open_document", json!({ "file_path": file, "language_id": language(source) })),
        ("list_symbols", json!({ "file_path": file })),
    ]
}

/// Loads the server with a long answer: the first one of a session includes a guide, for which the tasks need not pay.
fn warm_up_codescout(source: &str, _: &Project) -> Vec<(&'static str, Value)> {
    vec![("symbols", json!({ "path": sample(source) }))]
}

fn warm_up_serena(source: &str, _: &Project) -> Vec<(&'static str, Value)> {
    vec![("get_symbols_overview", json!({ "relative_path": sample(source) }))]
}

/// A running server of a column.
pub(super) struct Session {
    wire: Wire,
    description: String,
    warm_up: Vec<(&'static str, Value)>,
}

impl Session {
    /// Starts the server of a column and reads its list of tools; `None` for the shell.
    pub(super) fn start(peer: &Peer, project: &Project, source: &str) -> Result<Option<Self>> {
        let Some(command) = peer.command else { return Ok(None) };
        if peer.name == "zubi" {
            crate::mcp::Zubi::trust(project)?;
        }
        let mut wire = Wire::start(command(project, source), Framing::Lines, Box::new(|_, _| None))?;
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "zubi-bench", "version": env!("CARGO_PKG_VERSION") },
        });
        let hello = wire.request("initialize", &params).with_context(|| format!("{} starts", peer.name))?;
        wire.notify("notifications/initialized", &json!({}))?;
        let mut listed = Vec::new();
        let mut cursor = json!({});
        loop {
            let page = wire.request("tools/list", &cursor)?.result;
            listed.extend(page["tools"].as_array().cloned().unwrap_or_default());
            match &page["nextCursor"] {
                Value::String(next) => cursor = json!({ "cursor": next }),
                _ => break,
            }
        }
        // Agents show a model these three parts of a tool.
        let shown: Vec<Value> = listed
            .iter()
            .map(|tool| json!({ "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"] }))
            .collect();
        let instructions = hello.result["instructions"].as_str().unwrap_or_default();
        let description = format!("{}\n{instructions}", json!(shown));
        Ok(Some(Self { wire, description, warm_up: (peer.warm_up)(source, project) }))
    }

    /// The tools and the instructions, as a model receives them.
    pub(super) fn description(&self) -> &str {
        &self.description
    }

    /// Waits until the language server is loaded.
    pub(super) fn warm_up(&mut self) -> Result<()> {
        for (tool, arguments) in std::mem::take(&mut self.warm_up) {
            self.call(tool, &arguments)?;
        }
        Ok(())
    }

    /// Calls a tool and returns its text, also that of an error.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let reply = self.wire.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        let blocks = reply.result["content"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        Ok(texts.join("\n"))
    }
}
