//! The registry: all tools of all providers in one fixed order, and the only caller of [`Tool::call`].
//!
//! Every call goes **validate → footprint → policy → call → audit**, for every caller. Ids and wire names are unique:
//! the registry omits a tool whose name is taken or is not a valid wire name, and reports it in [`Registry::problems`].

mod call;
mod grants;
mod index;

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use zubi_base::clock::Clock;
use zubi_base::nearest::nearest;
use zubi_base::text::quote_all;

pub use self::call::{CHANGED_ARGUMENTS, PolicyCheck};
use self::grants::StoredGrant;
use self::index::ToolIndex;
use crate::audit::AuditSink;
use crate::cx::Restrictions;
use crate::filter::ToolFilter;
use crate::output::ToolError;
use crate::redact::Redactor;
use crate::spec::{EDIT_TOOLSET, Effect, Exposure, ToolSpec};
use crate::{ErrorCode, ProviderId, Tool, ToolProvider};
use zubi_policy::{Policy, RecentCall};

/// The reason why tools that write are not available in a read-only session.
pub const READ_ONLY: &str = "it writes, and this session is read-only";

/// The parts that a registry is built from.
pub struct RegistryConfig {
    /// The providers, in the order in which their tools are listed.
    pub providers: Vec<Arc<dyn ToolProvider>>,
    pub policy: Policy,
    pub audit: Arc<dyn AuditSink>,
    pub clock: Arc<dyn Clock>,
    /// The restrictions for every caller, on top of the caller's own.
    pub restrictions: Restrictions,
}

/// The registry of all tools, through which they are called.
pub struct Registry {
    config: RegistryConfig,
    listed: Mutex<ProviderList>,
    /// Increases when a provider is added or removed.
    providers_changed: watch::Sender<u64>,
    /// The initial policy.
    policy: Arc<Policy>,
    /// The rules that users have added with their approvals, in the order of the approvals.
    grants: Mutex<Vec<StoredGrant>>,
    recent: Mutex<VecDeque<RecentCall>>,
    /// Redacts the records of calls.
    redactor: Redactor,
    /// The reason why a read-only session refuses a tool that writes.
    read_only: &'static str,
    /// Precedes the arguments in their hash, so that a secret among them cannot be guessed from a record.
    salt: [u8; 8],
}

/// The providers and their tools.
struct ProviderList {
    providers: Vec<Arc<dyn ToolProvider>>,
    index: ToolIndex,
}

/// The error for a second provider with the same id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is a provider `{0}` already")]
pub struct DuplicateProvider(pub ProviderId);

/// The reason why a call produced no output.
#[derive(Debug)]
pub enum CallError {
    /// The tool does not exist for this caller.
    Unknown {
        name: String,
        reason: String,
        /// [`ErrorCode::Unavailable`] if the tool would exist under another condition, for example if its file were trusted.
        code: ErrorCode,
    },
    /// The tool, or the registry in its place, returned an error.
    Tool { id: String, error: ToolError },
}

impl Registry {
    /// Creates a registry; queries each provider for its tools once, and does no I/O of its own.
    pub fn new(mut config: RegistryConfig) -> Self {
        let providers = std::mem::take(&mut config.providers);
        let listed = Mutex::new(ProviderList { index: ToolIndex::new(&providers), providers });
        let policy = Arc::new(std::mem::take(&mut config.policy));
        Self {
            config,
            listed,
            providers_changed: watch::Sender::new(0),
            policy,
            grants: Mutex::default(),
            recent: Mutex::default(),
            redactor: Redactor::default(),
            read_only: READ_ONLY,
            // The standard library's hasher takes its keys from the operating system's random numbers.
            salt: RandomState::new().hash_one(()).to_ne_bytes(),
        }
    }

    /// Redacts these secrets in the records of calls, under any field name.
    #[must_use]
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Makes all sessions read-only. The reason is the whole clause of the error for a tool that writes.
    #[must_use]
    pub fn with_read_only_reason(mut self, reason: &'static str) -> Self {
        self.read_only = reason;
        self
    }

    /// Adds a provider after the others. Its tools are listed and can be called at once. Tools whose names are taken
    /// are omitted and reported in [`Self::problems`].
    pub fn add(&self, provider: Arc<dyn ToolProvider>) -> Result<(), DuplicateProvider> {
        let mut listed = self.lock_providers();
        if listed.providers.iter().any(|other| other.id() == provider.id()) {
            return Err(DuplicateProvider(provider.id().clone()));
        }
        listed.providers.push(provider);
        self.update_provider_index(&mut listed);
        Ok(())
    }

    /// Removes a provider and its tools; running calls continue. Returns whether the provider existed.
    pub fn remove(&self, id: &ProviderId) -> bool {
        let mut listed = self.lock_providers();
        let before = listed.providers.len();
        listed.providers.retain(|provider| provider.id() != id);
        let removed = listed.providers.len() < before;
        if removed {
            self.update_provider_index(&mut listed);
        }
        removed
    }

    fn update_provider_index(&self, listed: &mut ProviderList) {
        let ProviderList { providers, index } = listed;
        index.replace(providers);
        self.providers_changed.send_modify(|count| *count += 1);
    }

    fn lock_providers(&self) -> MutexGuard<'_, ProviderList> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the tools that this caller can see, in the order of the providers and of their lists, without hidden
    /// tools.
    pub fn list(&self, restrictions: &Restrictions) -> Vec<Arc<dyn Tool>> {
        self.all_tools()
            .into_iter()
            .filter(|tool| {
                tool.spec().exposure != Exposure::Hidden && self.refusal(tool.spec(), restrictions).is_none()
            })
            .collect()
    }

    /// Lets every provider load the information that its list depends on; see [`ToolProvider::prepare`].
    pub async fn prepare(&self) {
        let providers = self.lock_providers().providers.clone();
        for provider in &providers {
            provider.prepare().await;
        }
    }

    /// Returns every tool, regardless of restrictions and exposure.
    pub fn all_tools(&self) -> Vec<Arc<dyn Tool>> {
        self.with_index(|index| index.tools.iter().map(|entry| Arc::clone(&entry.tool)).collect())
    }

    /// Returns the tool of an id or wire name, if this caller can see it.
    pub fn find(&self, name: &str, restrictions: &Restrictions) -> Result<Arc<dyn Tool>, CallError> {
        self.entry(name, restrictions).map(|entry| entry.tool)
    }

    /// Returns the same as [`Self::find`], but lets the providers refresh their lists if the tool is missing.
    pub async fn find_refreshing(&self, name: &str, restrictions: &Restrictions) -> Result<Arc<dyn Tool>, CallError> {
        self.refreshed_entry(name, restrictions).await.map(|entry| entry.tool)
    }

    async fn refreshed_entry(
        &self,
        name: &str,
        restrictions: &Restrictions,
    ) -> Result<index::RegisteredTool, CallError> {
        if self.with_index(|index| index.find(name)).is_none() {
            self.prepare().await;
        }
        self.entry(name, restrictions)
    }

    /// Returns the problems of the providers' tools: duplicate names, and names that are not valid wire names.
    pub fn problems(&self) -> Vec<String> {
        self.with_index(|index| index.problems.clone())
    }

    /// Returns the providers' notes about tools that they leave out; see [`ToolProvider::notes`].
    pub fn notes(&self) -> Vec<String> {
        let providers = self.lock_providers().providers.clone();
        providers.iter().flat_map(|provider| provider.notes()).collect()
    }

    /// Returns one receiver for each provider, and one for added and removed providers. After any change, call
    /// [`Self::list`] and this function again, because both results may differ.
    pub fn changes(&self) -> Vec<watch::Receiver<u64>> {
        let mut receivers = vec![self.providers_changed.subscribe()];
        receivers.extend(self.lock_providers().providers.iter().map(|provider| provider.changes()));
        receivers
    }

    fn entry(&self, name: &str, restrictions: &Restrictions) -> Result<index::RegisteredTool, CallError> {
        let missing = |reason, code| Err(CallError::Unknown { name: name.to_owned(), reason, code });
        let unknown = |reason| missing(reason, ErrorCode::UnknownTool);
        let Some(entry) = self.with_index(|index| index.find(name)) else {
            let providers = self.lock_providers().providers.clone();
            if let Some(reason) = providers.iter().find_map(|provider| provider.omission_reason(name)) {
                return missing(reason, ErrorCode::Unavailable);
            }
            let visible = self.list(restrictions);
            // The name may be the last segment of a tool's id.
            let has_name =
                |tool: &&Arc<dyn Tool>| tool.spec().id.rsplit_once('.').is_some_and(|(_, last)| last == name);
            let candidates: Vec<&str> = visible.iter().filter(has_name).map(|tool| tool.spec().id.as_str()).collect();
            if !candidates.is_empty() {
                return unknown(format!("there is no such tool; did you mean {}?", quote_all(&candidates)));
            }
            let suggestions = nearest(name, visible.iter().map(|tool| tool.spec().id.as_str()), 3);
            return unknown(match suggestions.as_slice() {
                [] => "there is no such tool".to_owned(),
                names => format!("there is no such tool; did you mean {}?", quote_all(names)),
            });
        };
        match self.refusal(entry.tool.spec(), restrictions) {
            Some(reason) => unknown(reason.to_owned()),
            None => Ok(entry),
        }
    }

    /// Returns the reason why a tool does not exist for a caller.
    fn refusal(&self, spec: &ToolSpec, restrictions: &Restrictions) -> Option<&'static str> {
        let all = [&self.config.restrictions, restrictions];
        let reason = |spec: &ToolSpec| all.iter().find_map(|restrictions| refusal(spec, restrictions, self.read_only));
        let reason_for_spec = reason(spec)?;
        // A session that can plan an edit can apply it and take it back, unless a filter excludes these tools by name.
        let can_edit = |tool: &Arc<dyn Tool>| leads_to_edit(tool.spec(), &spec.id) && reason(tool.spec()).is_none();
        let comes_with_plans = spec.toolset == EDIT_TOOLSET
            && all.iter().all(|restrictions| !is_excluded(spec, restrictions, self.read_only))
            && self.all_tools().iter().any(can_edit);
        (!comes_with_plans).then_some(reason_for_spec)
    }

    fn with_index<T>(&self, read: impl FnOnce(&ToolIndex) -> T) -> T {
        let mut listed = self.lock_providers();
        let ProviderList { providers, index } = &mut *listed;
        index.refresh(providers);
        read(index)
    }
}

/// The toolsets whose tools plan edits, also those that can write at once, and those whose tools write and can be
/// reverted.
const PLANNING_TOOLSETS: [&str; 2] = ["lsp", "refactor"];
const REVERTIBLE_TOOLSETS: [&str; 2] = ["refactor", "file"];

/// Returns whether the answer of a tool leads to a call of this tool of [`EDIT_TOOLSET`].
fn leads_to_edit(spec: &ToolSpec, edit_tool: &str) -> bool {
    (spec.effect != Effect::Read && PLANNING_TOOLSETS.contains(&spec.toolset.as_str()))
        || (edit_tool == "undo_edit" && REVERTIBLE_TOOLSETS.contains(&spec.toolset.as_str()))
}

/// Returns whether the session excludes a tool, rather than only not including it.
fn is_excluded(spec: &ToolSpec, restrictions: &Restrictions, read_only: &'static str) -> bool {
    let excludes = |filters: &[Vec<String>], name: &str| {
        filters.iter().any(|patterns| ToolFilter::new(patterns.iter().map(String::as_str)).excludes(name))
    };
    refusal(spec, &Restrictions { read_only: restrictions.read_only, ..Restrictions::default() }, read_only).is_some()
        || excludes(&restrictions.toolsets, &spec.toolset)
        || excludes(&restrictions.tools, &spec.id)
}

fn refusal(spec: &ToolSpec, restrictions: &Restrictions, read_only: &'static str) -> Option<&'static str> {
    let is_permitted = |filters: &[Vec<String>], name: &str| {
        filters.iter().all(|patterns| ToolFilter::new(patterns.iter().map(String::as_str)).permits(name))
    };
    if restrictions.read_only && spec.effect > Effect::Plan {
        Some(read_only)
    } else if !is_permitted(&restrictions.toolsets, &spec.toolset) {
        Some("its toolset is switched off here (`toolsets`)")
    } else if !is_permitted(&restrictions.tools, &spec.id) {
        Some("it is switched off here (`tools`)")
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
