//! Execution of declared tools: one file per kind of execution, on top of `zubi-exec`.

pub(super) mod command;
pub(super) mod function;
pub(super) mod http;
pub(super) mod inline;
pub(super) mod shell;

use std::sync::{Arc, OnceLock, Weak};

use zubi_base::config::Secrets;
use zubi_base::process::Spawner;
use zubi_exec::http::AddressLookup;
use zubi_exec::job::{CapturedOutput, Jobs};
use zubi_exec::sandbox::Level;
use zubi_exec::script;
use zubi_tool_api::redact::{self, Redactor};
use zubi_tool_api::registry::Registry;

use super::functions::{self, Functions};
use super::plan::{Execution, NO_EDITOR};
use super::testing::fakes::Fakes;
use zubi_tools::editor_state::EditorClient;
use zubi_tools::shell::answer;

/// Maximum size of a script's log and exception in a failure message, in bytes; longer failures are truncated
/// (`ToolError::sanitize`).
const MAX_FAILURE_BYTES: usize = 3_000;

/// Services shared by all declared tools of a host.
pub(super) struct ExecutionContext {
    /// Registry through which code calls other tools.
    pub(super) registry: OnceLock<Weak<Registry>>,
    /// `None` if zubi's own executable is unknown.
    pub(super) scripts: Option<script::Runner>,
    pub(super) lookup: Arc<dyn AddressLookup>,
    pub(super) secrets: Secrets,
    /// Forms under which secrets are recognised in the output of tools.
    pub(super) secret_forms: Vec<String>,
    pub(super) redactor: Redactor,
    pub(super) jobs: Arc<Jobs>,
    pub(super) functions: Arc<Functions>,
    /// The open editor, if there is one.
    pub(super) editor: Option<Arc<dyn EditorClient>>,
    /// Fakes of the outside world, in a test of a tool.
    pub(super) fakes: Option<Arc<Fakes>>,
}

impl ExecutionContext {
    pub(super) fn new(secrets: Secrets, spawner: &Spawner, lookup: Arc<dyn AddressLookup>, jobs: Arc<Jobs>) -> Self {
        let values = || secrets.values().values().cloned();
        Self {
            registry: OnceLock::new(),
            scripts: spawner.executable().map(|zubi| script::Runner::new(spawner.clone(), zubi)),
            lookup,
            secret_forms: redact::forms(values()),
            redactor: Redactor::new(values()),
            secrets,
            jobs,
            functions: Arc::default(),
            editor: None,
            fakes: None,
        }
    }

    /// Describes the sandbox of a tool's JavaScript process for users.
    pub(super) fn script_sandbox(&self) -> String {
        const ENGINE: &str = "a separate process, whose engine gives the code no files, network and programs";
        match self.jobs.runner().sandbox().probed_status().map(|status| status.level.min(Level::LandlockSeccomp)) {
            None => format!("its level is found out before it runs: {ENGINE}"),
            Some(Level::LandlockSeccomp | Level::Bubblewrap) => {
                "landlock+seccomp: a separate process without access to files, network and programs".to_owned()
            }
            Some(level) => format!("{}: {ENGINE}", level.name()),
        }
    }

    /// Returns a text of at most about `budget` bytes. Stores a longer text whole and ends with a line about how to
    /// read it.
    async fn truncate_or_store(&self, text: String, budget: usize) -> String {
        if text.len() <= budget {
            return text;
        }
        let store = self.jobs.runner().store().clone();
        // Redact before storing: the stored text no longer knows which parts were secrets.
        let text = self.redactor.redact_known(&text);
        let (reason, text) =
            match tokio::task::spawn_blocking(move || (CapturedOutput::store_text(&store, &text), text)).await {
                Ok((Ok(captured), _)) => return answer::outputs(&captured, &CapturedOutput::default(), budget),
                Ok((Err(error), text)) => (error.to_string(), text),
                Err(error) => (error.to_string(), String::new()),
            };
        let end = text.floor_char_boundary(budget);
        let excerpt = text.get(..end).unwrap_or_default();
        format!(
            "{excerpt}\n… {} of {} bytes are not shown and could not be stored: {reason} …",
            text.len() - end,
            text.len()
        )
    }

    /// Returns the reason why a tool cannot run here, as a clause.
    pub(super) fn unavailable(&self, execution: &Execution) -> Option<&'static str> {
        match execution {
            Execution::Command { .. } if self.editor.is_none() => Some(NO_EDITOR),
            Execution::Inline { .. } if self.scripts.is_none() => Some("JavaScript needs zubi's own executable"),
            Execution::Function { handler } if !self.functions.has(handler) => Some(functions::NOT_REGISTERED),
            Execution::Broken => Some("a part of it is invalid"),
            _ => None,
        }
    }
}
