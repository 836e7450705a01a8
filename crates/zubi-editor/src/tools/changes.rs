//! `zubi/tools/didChange`: notifies the editor of added and removed tools.
//!
//! Changes during the computation of a list are sent with the next one, so a burst of changes results in few messages.
//! When the editor opens other folders, the list of the next host is compared with that of the previous one.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use serde_json::{Value, json};
use tokio::sync::Mutex;
use zubi_host::{HostError, ToolService};
use zubi_tool_api::ToolSpec;

use super::{ConnectionTools, Host};
use crate::wire::TOOLS_DID_CHANGE;
use crate::wire::tools::ToolsDidChangeParams;

/// The last list, by tool id; `None` before the first list, which is not sent as a change.
pub(super) type ListedTools = Mutex<Option<BTreeMap<String, Value>>>;

fn by_id(specs: &[Arc<ToolSpec>]) -> BTreeMap<String, Value> {
    specs.iter().map(|spec| (spec.id.clone(), spec.to_json())).collect()
}

impl ConnectionTools {
    /// Starts to report changes of a host's tools, until the host ends.
    pub(super) fn follow(self: &Arc<Self>, host: &Arc<Host>, service: &Arc<dyn ToolService>) {
        let task = follow(Arc::downgrade(self), Arc::downgrade(host), Arc::downgrade(service), service.changes());
        self.runtime.spawn(task);
    }

    /// Lists the tools for the editor. Changes are relative to its first list, even before the first comparison.
    pub(super) async fn list_for_editor(&self, service: &dyn ToolService) -> Result<Vec<Arc<ToolSpec>>, HostError> {
        let mut listed = self.listed.lock().await;
        let specs = service.list(&self.caller.restrictions).await?;
        listed.get_or_insert_with(|| by_id(&specs));
        Ok(specs)
    }

    async fn compare(&self, host: &Host, service: &dyn ToolService) {
        let mut listed = self.listed.lock().await;
        // A failure to list is reported to the caller of `zubi/tools/list`.
        let Ok(specs) = service.list(&self.caller.restrictions).await else { return };
        // Folders that are no longer open are ignored.
        if !std::ptr::eq(Arc::as_ptr(&self.current()), host) {
            return;
        }
        let Some(before) = listed.replace(by_id(&specs)) else { return };
        let now = listed.iter().flatten();
        let added: Vec<Value> =
            now.filter(|(id, spec)| before.get(*id) != Some(spec)).map(|(_, spec)| spec.clone()).collect();
        let is_listed = |id: &String| listed.as_ref().is_some_and(|now| now.contains_key(id));
        let removed: Vec<String> = before.into_keys().filter(|id| !is_listed(id)).collect();
        if !added.is_empty() || !removed.is_empty() {
            self.editor.notify(TOOLS_DID_CHANGE, json!(ToolsDidChangeParams { added, removed }));
        }
    }
}

async fn follow(
    tools: Weak<ConnectionTools>,
    host: Weak<Host>,
    service: Weak<dyn ToolService>,
    mut changes: tokio::sync::watch::Receiver<u64>,
) {
    loop {
        // Reset before the query, so that no change in between is missed.
        changes.mark_unchanged();
        let (Some(tools), Some(host), Some(service)) = (tools.upgrade(), host.upgrade(), service.upgrade()) else {
            return;
        };
        tools.compare(&host, service.as_ref()).await;
        drop((tools, host, service));
        if changes.changed().await.is_err() {
            return;
        }
    }
}
