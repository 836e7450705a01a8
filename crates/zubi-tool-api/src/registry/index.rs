//! The tools by name, rebuilt when a provider's list has changed.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use tokio::sync::watch;

use crate::schema::{ArgumentChecker, is_wire_name};
use crate::{Tool, ToolProvider, spec};

/// One tool with its compiled schema. The schema is compiled at the first call: most tools of a list are never called.
#[derive(Clone)]
pub(super) struct RegisteredTool {
    pub(super) tool: Arc<dyn Tool>,
    pub(super) checker: Arc<OnceLock<Result<ArgumentChecker, String>>>,
}

#[derive(Default)]
pub(super) struct ToolIndex {
    pub(super) tools: Vec<RegisteredTool>,
    pub(super) problems: Vec<String>,
    /// Positions in `tools` by id and by wire name.
    by_name: FxHashMap<String, usize>,
    changes: Vec<watch::Receiver<u64>>,
}

impl ToolIndex {
    pub(super) fn new(providers: &[Arc<dyn ToolProvider>]) -> Self {
        let mut index =
            Self { changes: providers.iter().map(|provider| provider.changes()).collect(), ..Self::default() };
        index.build(providers);
        index
    }

    /// Rebuilds the index after a provider was added or removed.
    pub(super) fn replace(&mut self, providers: &[Arc<dyn ToolProvider>]) {
        self.changes = providers.iter().map(|provider| provider.changes()).collect();
        self.build(providers);
    }

    /// Rebuilds the index if a provider's list has changed.
    pub(super) fn refresh(&mut self, providers: &[Arc<dyn ToolProvider>]) {
        // A removed provider reports no more changes.
        if self.changes.iter().any(|changes| changes.has_changed().unwrap_or(false)) {
            self.build(providers);
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<RegisteredTool> {
        let position = self.by_name.get(name).or_else(|| self.by_name.get(spec::present_id(name)))?;
        self.tools.get(*position).cloned()
    }

    fn build(&mut self, providers: &[Arc<dyn ToolProvider>]) {
        for changes in &mut self.changes {
            changes.mark_unchanged();
        }
        self.tools.clear();
        self.by_name.clear();
        self.problems.clear();
        for provider in providers {
            for tool in provider.tools() {
                self.add(provider.as_ref(), tool);
            }
        }
    }

    fn add(&mut self, provider: &dyn ToolProvider, tool: Arc<dyn Tool>) {
        let (id, wire) = (tool.spec().id.clone(), tool.spec().wire_name());
        let problem = if !is_wire_name(&wire) {
            Some(format!("`{wire}` is not a valid wire name"))
        } else {
            [&id, &wire]
                .into_iter()
                .find(|name| self.by_name.contains_key(*name))
                .map(|name| format!("`{name}` is taken"))
        };
        if let Some(problem) = problem {
            let problem = format!("tool `{id}` of {} is left out: {problem}", provider.name());
            tracing::warn!("{problem}");
            self.problems.push(problem);
            return;
        }
        let position = self.tools.len();
        self.by_name.insert(wire, position);
        self.by_name.insert(id, position);
        self.tools.push(RegisteredTool { tool, checker: Arc::default() });
    }
}
