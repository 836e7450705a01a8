//! The registry: all tools of all providers in one fixed order, and the one caller of [`Tool::call`].
//!
//! Every call goes **validate → footprint → policy → call → audit**, whoever asks. Ids and wire names are unique: a tool
//! whose name is taken, or is no name for the wire, is left out and told in [`Registry::problems`].

mod call;
mod index;

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashSet;
use tokio::sync::watch;
use zubi_base::clock::Clock;
use zubi_base::nearest::nearest;

use self::index::Index;
use crate::audit::AuditSink;
use crate::cx::Restrictions;
use crate::filter::ToolFilter;
use crate::output::ToolError;
use crate::policy::Policy;
use crate::spec::{Effect, Exposure, ToolSpec};
use crate::{Tool, ToolProvider};

/// What a registry is made of.
pub struct RegistryConfig {
    /// In the order in which their tools are listed.
    pub providers: Vec<Arc<dyn ToolProvider>>,
    pub policy: Policy,
    pub audit: Arc<dyn AuditSink>,
    pub clock: Arc<dyn Clock>,
    /// What nobody may do here, on top of each caller's own restrictions. A tool must pass all of them.
    pub restrictions: Vec<Restrictions>,
}

/// All tools, and the way to call them.
pub struct Registry {
    config: RegistryConfig,
    index: Mutex<Index>,
    /// Ids of tools a person allowed for the rest of the session.
    approved: Mutex<FxHashSet<String>>,
}

/// Why a call gave no output.
#[derive(Debug)]
pub enum CallError {
    /// There is no such tool for this caller.
    Unknown { name: String, why: String },
    /// The tool failed, or the registry did on its behalf.
    Tool { id: String, error: ToolError },
}

impl Registry {
    /// Asks each provider for its tools once; does no I/O of its own.
    pub fn new(config: RegistryConfig) -> Self {
        let index = Mutex::new(Index::new(&config.providers));
        Self { config, index, approved: Mutex::default() }
    }

    /// The tools this caller can see, in the order of the providers and theirs. Hidden ones are not among them.
    pub fn list(&self, restrictions: &Restrictions) -> Vec<Arc<dyn Tool>> {
        self.everything()
            .into_iter()
            .filter(|tool| {
                tool.spec().exposure != Exposure::Hidden && self.refusal(tool.spec(), restrictions).is_none()
            })
            .collect()
    }

    /// Lets every provider find out what its list depends on; see [`ToolProvider::prepare`].
    pub async fn prepare(&self) {
        for provider in &self.config.providers {
            provider.prepare().await;
        }
    }

    /// Every tool there is, whatever the restrictions and its exposure.
    pub fn everything(&self) -> Vec<Arc<dyn Tool>> {
        self.with_index(|index| index.tools.iter().map(|entry| Arc::clone(&entry.tool)).collect())
    }

    /// A tool by id or wire name, if this caller can see it.
    pub fn find(&self, name: &str, restrictions: &Restrictions) -> Result<Arc<dyn Tool>, CallError> {
        self.entry(name, restrictions).map(|entry| entry.tool)
    }

    /// What is wrong with the providers' tools: names taken twice, names unfit for the wire.
    pub fn problems(&self) -> Vec<String> {
        self.with_index(|index| index.problems.clone())
    }

    /// One receiver for each provider; a change of any means that [`Self::list`] may answer differently.
    pub fn changes(&self) -> Vec<watch::Receiver<u64>> {
        self.config.providers.iter().map(|provider| provider.changes()).collect()
    }

    fn entry(&self, name: &str, restrictions: &Restrictions) -> Result<index::Entry, CallError> {
        let unknown = |why| Err(CallError::Unknown { name: name.to_owned(), why });
        let Some(entry) = self.with_index(|index| index.find(name)) else {
            let visible = self.list(restrictions);
            let near = nearest(name, visible.iter().map(|tool| tool.spec().id.as_str()), 3);
            return unknown(match near.as_slice() {
                [] => "there is no such tool".to_owned(),
                near => format!("there is no such tool; did you mean {}?", quoted(near)),
            });
        };
        match self.refusal(entry.tool.spec(), restrictions) {
            Some(why) => unknown(why.to_owned()),
            None => Ok(entry),
        }
    }

    /// Why a tool does not exist for a caller.
    fn refusal(&self, spec: &ToolSpec, restrictions: &Restrictions) -> Option<&'static str> {
        self.config.restrictions.iter().chain([restrictions]).find_map(|restrictions| refusal(spec, restrictions))
    }

    fn with_index<T>(&self, read: impl FnOnce(&Index) -> T) -> T {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index.refresh(&self.config.providers);
        read(&index)
    }
}

fn refusal(spec: &ToolSpec, restrictions: &Restrictions) -> Option<&'static str> {
    let filter = |patterns: &[String]| ToolFilter::new(patterns.iter().map(String::as_str));
    if restrictions.read_only && spec.effect > Effect::Plan {
        Some("it writes, and this session is read-only")
    } else if !filter(&restrictions.toolsets).permits(&spec.toolset) {
        Some("its toolset is switched off here (`toolsets`)")
    } else if !filter(&restrictions.tools).permits(&spec.id) {
        Some("it is switched off here (`tools`)")
    } else {
        None
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
