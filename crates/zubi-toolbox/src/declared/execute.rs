//! What runs declared tools: one file for each kind of execution, over what `zubi-run` has for it.

pub(super) mod command;
pub(super) mod function;
pub(super) mod http;
pub(super) mod inline;
pub(super) mod shell;

use std::sync::{Arc, OnceLock, Weak};

use zubi_base::config::Secrets;
use zubi_base::process::Spawner;
use zubi_run::http::Lookup;
use zubi_run::job::{CapturedOutput, Jobs};
use zubi_run::sandbox::Level;
use zubi_run::script;
use zubi_tools::redact::{self, Redactor};
use zubi_tools::registry::Registry;

use super::functions::{self, Functions};
use super::plan::Execution;
use super::testing::Fakes;
use crate::shell::answer;
use crate::sight::EditorClient;

/// How much of what code logged and threw a failure shows, in bytes; failures are cut (`ToolError::cleaned`).
const FAILURE_ROOM: usize = 3_000;

/// What all declared tools of a host share.
pub(super) struct ExecutionContext {
    /// Through which code calls other tools.
    pub(super) registry: OnceLock<Weak<Registry>>,
    /// `None` where zubi does not know its own program.
    pub(super) scripts: Option<script::Runner>,
    pub(super) lookup: Arc<dyn Lookup>,
    pub(super) secrets: Secrets,
    /// What secrets are recognised by in what tools write.
    pub(super) secret_forms: Vec<String>,
    pub(super) redactor: Redactor,
    pub(super) jobs: Arc<Jobs>,
    pub(super) functions: Arc<Functions>,
    /// The open editor, if there is one.
    pub(super) editor: Option<Arc<dyn EditorClient>>,
    /// In a test of the tool: what stands in for the world.
    pub(super) doubles: Option<Arc<Fakes>>,
}

impl ExecutionContext {
    pub(super) fn new(secrets: Secrets, spawner: &Spawner, lookup: Arc<dyn Lookup>, jobs: Arc<Jobs>) -> Self {
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
            doubles: None,
        }
    }

    /// What holds the process of a tool's code, in the words of a person.
    pub(super) fn script_sandbox(&self) -> String {
        let known = self.jobs.runner().sandbox().probed_status();
        let level = known.map_or("the best that this machine offers", |it| it.level.min(Level::LandlockSeccomp).name());
        format!("{level}: a process of its own without files, network and programs")
    }

    /// A text in at most about `room` bytes. One that is longer is kept whole, and the last line says how to read it.
    async fn truncate_or_store(&self, text: String, room: usize) -> String {
        if text.len() <= room {
            return text;
        }
        let store = self.jobs.runner().store().clone();
        // Once kept nobody knows any more that there were secrets.
        let text = self.redactor.text(&text);
        let (kept, text) = match tokio::task::spawn_blocking(move || (CapturedOutput::store_text(&store, &text), text)).await {
            Ok((Ok(captured), _)) => return answer::outputs(&captured, &CapturedOutput::default(), room),
            Ok((Err(error), text)) => (error.to_string(), text),
            Err(error) => (error.to_string(), String::new()),
        };
        let end = text.floor_char_boundary(room);
        let shown = text.get(..end).unwrap_or_default();
        format!(
            "{shown}\n… {} bytes of {} are not shown, and could not be kept: {kept} …",
            text.len() - end,
            text.len()
        )
    }

    /// Why something cannot run here, as a clause.
    pub(super) fn unavailable(&self, execution: &Execution) -> Option<&'static str> {
        match execution {
            Execution::Command { .. } if self.editor.is_none() => Some(command::NO_EDITOR),
            Execution::Inline { .. } if self.scripts.is_none() => Some("JavaScript needs zubi's own program"),
            Execution::Function { handler } if !self.functions.has(handler) => Some(functions::NOBODY),
            Execution::Broken => Some("a part of it could not be read"),
            _ => None,
        }
    }
}
