//! A running `zubi mcp`, or `dlang mcp`, and the MCP connection to it.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ProgressNotificationParam, ProtocolVersion, ServerPeerInfo, Tool,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, NotificationContext, RunningService};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use tokio::process::{Child, Command};

use crate::{Project, tools};

/// The answer of a tool.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The whole text, with values that differ from run to run replaced (see [`Zubi::stable`]).
    pub text: String,
    pub is_error: bool,
    pub elapsed: Duration,
}

/// The client's side of the connection: records progress notifications.
#[derive(Debug, Clone, Default)]
struct Client {
    progress: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Client {
    async fn on_progress(&self, params: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        let mut progress = self.progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        progress.push(params.message.unwrap_or_default());
    }
}

/// A running `zubi mcp`. Ends when dropped.
#[derive(Debug)]
pub struct Zubi {
    service: RunningService<RoleClient, Client>,
    client: Client,
    child: Child,
    root: Utf8PathBuf,
    home: Utf8PathBuf,
    /// Whether calls wait for the servers instead of taking answers from the index.
    waits: bool,
}

/// The configuration with which `zubi` or `dlang` starts.
#[derive(Debug, Clone)]
pub struct Start<'a> {
    project: &'a Project,
    program: Utf8PathBuf,
    directory: &'a Utf8Path,
    components: &'a [&'a str],
    arguments: &'a [&'a str],
    trusted: bool,
    without_variable: Option<&'a str>,
    lifecycle: ClientLifecycleMode,
}

impl<'a> Start<'a> {
    /// Starts on this project, trusted, with these components on PATH.
    pub fn new(project: &'a Project, components: &'a [&'a str]) -> Self {
        let (program, directory) = (tools::zubi(), project.root());
        let lifecycle = ClientLifecycleMode::Initialize;
        Self {
            project,
            program,
            directory,
            components,
            arguments: &[],
            trusted: true,
            without_variable: None,
            lifecycle,
        }
    }

    /// Starts `dlang` instead of `zubi`. It runs no program of the project, so it needs no trust.
    pub fn dlang(project: &'a Project) -> Self {
        Self { program: tools::dlang(), trusted: false, ..Self::new(project, &[]) }
    }

    /// Starts in this directory instead of the project's.
    #[must_use]
    pub fn directory(self, directory: &'a Utf8Path) -> Self {
        Self { directory, ..self }
    }

    /// Adds arguments after `mcp`.
    #[must_use]
    pub fn arguments(self, arguments: &'a [&'a str]) -> Self {
        Self { arguments, ..self }
    }

    /// Starts in an untrusted folder.
    #[must_use]
    pub fn without_trust(self) -> Self {
        Self { trusted: false, ..self }
    }

    /// Starts without a variable that [`environment`] sets.
    #[must_use]
    pub fn without_variable(self, name: &'a str) -> Self {
        Self { without_variable: Some(name), ..self }
    }

    /// Uses the protocol without a handshake (2026-07-28) instead of the one that begins with `initialize`.
    #[must_use]
    pub fn stateless(self) -> Self {
        let preferred_versions = vec![ProtocolVersion::LATEST];
        Self { lifecycle: ClientLifecycleMode::Discover { preferred_versions }, ..self }
    }

    /// The command, with nothing of the caller's environment.
    pub fn command(&self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command.current_dir(self.directory).env_clear().envs(environment(self.project, self.components));
        if let Some(name) = self.without_variable {
            command.env_remove(name);
        }
        command
    }

    /// Starts the MCP server and connects to it.
    pub async fn mcp(&self) -> Zubi {
        if self.trusted {
            let trust = self.command().arg("trust").output().expect("zubi starts");
            assert!(trust.status.success(), "zubi trust failed: {}", String::from_utf8_lossy(&trust.stderr));
        }
        let mut command = Command::from(self.command());
        command.arg("mcp").args(self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        // The test runner shows stderr if the test fails.
        command.stderr(Stdio::inherit());
        let mut child = command.spawn().expect("zubi starts");
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let client = Client::default();
        let service = client
            .clone()
            .serve_with_lifecycle((output, input), self.lifecycle.clone())
            .await
            .expect("zubi answers the MCP handshake");
        Zubi {
            service,
            client,
            child,
            root: self.project.root().to_owned(),
            home: self.project.home().to_owned(),
            waits: true,
        }
    }
}

/// The environment of every program that a test starts. A test puts its own programs into `bin` in the home directory.
pub fn environment(project: &Project, components: &[&str]) -> Vec<(String, String)> {
    let home = project.home();
    let mut variables = vec![
        ("PATH".to_owned(), format!("{}:{}", home.join("bin"), tools::path(components))),
        ("HOME".to_owned(), home.to_string()),
        ("XDG_CONFIG_HOME".to_owned(), home.join("config").into_string()),
        ("XDG_STATE_HOME".to_owned(), home.join("state").into_string()),
        ("XDG_CACHE_HOME".to_owned(), home.join("cache").into_string()),
        ("XDG_RUNTIME_DIR".to_owned(), home.join("run").into_string()),
        ("LANG".to_owned(), "C.UTF-8".to_owned()),
        // No package manager may use the network in a test.
        ("CARGO_NET_OFFLINE".to_owned(), "true".to_owned()),
        ("GOPROXY".to_owned(), "off".to_owned()),
        ("GOFLAGS".to_owned(), "-mod=mod".to_owned()),
        ("GOTOOLCHAIN".to_owned(), "local".to_owned()),
    ];
    if let Some(sources) = tools::rust_sources() {
        variables.push(("RUST_SRC_PATH".to_owned(), sources.to_owned()));
    }
    if let Ok(log) = std::env::var("ZUBI_LOG") {
        variables.push(("ZUBI_LOG".to_owned(), log));
    }
    variables
}

impl Zubi {
    /// Starts `zubi mcp` on this project with these components on PATH.
    pub async fn start(project: &Project, components: &[&str]) -> Self {
        Start::new(project, components).mcp().await
    }

    /// Takes answers from the index while servers load, as other clients do.
    #[must_use]
    pub fn without_wait(self) -> Self {
        Self { waits: false, ..self }
    }

    /// Calls a tool that must succeed, and returns its text. Replaces values that differ from run to run: the
    /// directories of project and home, ids of plans and actions.
    pub async fn call_stable(&self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments).await;
        assert!(!answer.is_error, "{tool} failed:\n{}", answer.text);
        answer.text
    }

    /// Calls a tool that must fail, and returns the text of the error.
    pub async fn call_refused(&self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments).await;
        assert!(answer.is_error, "{tool} was expected to refuse:\n{}", answer.text);
        answer.text
    }

    /// Calls a tool.
    pub async fn call(&self, tool: &str, arguments: Value) -> Answer {
        let start = Instant::now();
        let result = self.result(tool, arguments).await;
        let elapsed = start.elapsed();
        Answer { text: self.stable(&text(&result)), is_error: result.is_error.unwrap_or(false), elapsed }
    }

    /// Calls a tool and returns the unmodified result.
    pub async fn result(&self, tool: &str, arguments: Value) -> CallToolResult {
        let mut arguments = arguments.as_object().expect("arguments are an object").clone();
        if matches!(tool, "lsp_document_symbols" | "lsp_workspace_symbols" | "read_symbol") && self.waits {
            arguments.entry("wait").or_insert_with(|| "ready".into());
        }
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        self.service.call_tool(params).await.unwrap_or_else(|error| panic!("{tool}: {error}"))
    }

    /// The connection itself, for everything that the other methods do not cover.
    pub fn peer(&self) -> &rmcp::Peer<RoleClient> {
        self.service.peer()
    }

    /// The server's own description.
    pub fn server(&self) -> Arc<ServerPeerInfo> {
        self.service.peer_info().expect("the handshake is done")
    }

    /// Every tool in the server's list.
    pub async fn tools(&self) -> Vec<Tool> {
        self.service.list_all_tools().await.expect("zubi lists its tools")
    }

    /// The messages of all progress notifications so far.
    pub fn progress(&self) -> Vec<String> {
        self.client.progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id().expect("zubi runs")
    }

    /// Closes the connection, which closes zubi's input, and waits until the process has ended; returns its exit code.
    pub async fn close(mut self) -> Option<i32> {
        self.service.close().await.expect("the connection closes");
        self.child.wait().await.expect("zubi ends").code()
    }

    /// Replaces the values in a text that differ from run to run.
    pub fn stable(&self, text: &str) -> String {
        let text = text.replace(self.root.as_str(), "[project]").replace(self.home.as_str(), "[home]");
        hide_ids(&text)
    }
}

/// The text of a result's only block.
pub fn text(result: &CallToolResult) -> String {
    let [block] = result.content.as_slice() else { panic!("expected one block of text: {result:?}") };
    block.as_text().unwrap_or_else(|| panic!("expected text: {block:?}")).text.clone()
}

/// The first id of a plan or an action in a text: `p-` or `a-` and ten characters of base 32.
pub fn id(text: &str, prefix: &str) -> Option<String> {
    ids(text).into_iter().map(|(_, id)| id.to_owned()).find(|id| id.starts_with(prefix))
}

fn ids(text: &str) -> Vec<(usize, &str)> {
    let is_base32 = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let at_start = |at: usize| !text.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric()));
    ["p-", "a-"]
        .into_iter()
        .flat_map(|prefix| text.match_indices(prefix).map(|(at, _)| at))
        .filter(|at| at_start(*at))
        .filter_map(|at| Some((at, text.get(at..at + 12)?)))
        .filter(|(at, id)| {
            id.chars().skip(2).all(is_base32) && !text.get(at + 12..).is_some_and(|rest| rest.starts_with(is_base32))
        })
        .collect()
}

fn hide_ids(text: &str) -> String {
    let mut stable = text.to_owned();
    for (_, id) in ids(text) {
        let kind = if id.starts_with("p-") { "p-[plan]" } else { "a-[action]" };
        stable = stable.replace(id, kind);
    }
    stable
}

#[cfg(test)]
mod tests {
    use super::{hide_ids, id};

    #[test]
    fn ids_are_found_and_redacted() {
        let text = "plan: p-abcde23456 (2 files)\naction a-zzzzz77777: a-b, p-longerthanten1 map-bbbbb22222";
        assert_eq!(id(text, "p-").unwrap(), "p-abcde23456");
        assert_eq!(id(text, "a-").unwrap(), "a-zzzzz77777");
        assert_eq!(hide_ids(text), "plan: p-[plan] (2 files)\naction a-[action]: a-b, p-longerthanten1 map-bbbbb22222");
    }
}
