//! Providers whose list never changes.

use std::sync::Arc;

use tokio::sync::watch;

use crate::{ProviderId, Tool, ToolProvider};

struct StaticProvider {
    id: ProviderId,
    name: &'static str,
    tools: Vec<Arc<dyn Tool>>,
    changes: watch::Sender<u64>,
}

/// Creates a provider of these tools, in this order; `name` is for people.
pub fn static_provider(id: &str, name: &'static str, tools: Vec<Arc<dyn Tool>>) -> Arc<dyn ToolProvider> {
    Arc::new(StaticProvider { id: ProviderId(id.into()), name, tools, changes: watch::Sender::new(0) })
}

impl ToolProvider for StaticProvider {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.clone()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}
