//! `zubi/tools/didChange`: which tools have come and gone, told to the editor.
//!
//! What changes while the list is worked out is told with the next one, so a burst of changes is a few messages. The list of
//! the next host, when the editor has opened other folders, is compared with that of the host before.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use serde_json::{Value, json};
use tokio::sync::Mutex;
use zubi_host::{HostUnavailable, ToolService};
use zubi_tools::ToolSpec;

use super::{Host, Tools};
use crate::wire::TOOLS_DID_CHANGE;
use crate::wire::tools::ToolsDidChangeParams;

/// What was listed last, by id; nothing before the first list, which is not told as a change.
pub(super) type ListedTools = Mutex<Option<BTreeMap<String, Value>>>;

fn by_id(specs: &[Arc<ToolSpec>]) -> BTreeMap<String, Value> {
    specs.iter().map(|spec| (spec.id.clone(), spec.to_json())).collect()
}

impl Tools {
    /// Begins to tell of a host's tools, until it ends.
    pub(super) fn follow(self: &Arc<Self>, host: &Arc<Host>, service: &Arc<dyn ToolService>) {
        let following = follow(Arc::downgrade(self), Arc::downgrade(host), Arc::downgrade(service), service.changes());
        self.runtime.spawn(following);
    }

    /// The list for the editor, which knows from then on what is there: changes are told against its first list, also where
    /// nobody has compared yet.
    pub(super) async fn list_for_editor(&self, service: &dyn ToolService) -> Result<Vec<Arc<ToolSpec>>, HostUnavailable> {
        let mut listed = self.listed.lock().await;
        let specs = service.list(&self.caller.restrictions).await?;
        listed.get_or_insert_with(|| by_id(&specs));
        Ok(specs)
    }

    async fn compare(&self, host: &Host, service: &dyn ToolService) {
        let mut listed = self.listed.lock().await;
        // Whose list could not be had has told why to whoever asked.
        let Ok(specs) = service.list(&self.caller.restrictions).await else { return };
        // Of folders that are not open any more nothing is told.
        if !std::ptr::eq(Arc::as_ptr(&self.current()), host) {
            return;
        }
        let Some(before) = listed.replace(by_id(&specs)) else { return };
        let now = listed.iter().flatten();
        let added: Vec<Value> =
            now.filter(|(id, spec)| before.get(*id) != Some(spec)).map(|(_, spec)| spec.clone()).collect();
        let stays = |id: &String| listed.as_ref().is_some_and(|now| now.contains_key(id));
        let removed: Vec<String> = before.into_keys().filter(|id| !stays(id)).collect();
        if !added.is_empty() || !removed.is_empty() {
            self.editor.notify(TOOLS_DID_CHANGE, json!(ToolsDidChangeParams { added, removed }));
        }
    }
}

async fn follow(
    tools: Weak<Tools>,
    host: Weak<Host>,
    service: Weak<dyn ToolService>,
    mut changes: tokio::sync::watch::Receiver<u64>,
) {
    loop {
        // Before it is asked, so that no change in between is missed.
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
