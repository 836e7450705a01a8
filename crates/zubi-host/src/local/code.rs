//! Puts code intelligence together: who answers, where texts come from, where edits go.

use std::sync::Arc;

use zubi_base::text::TextSource;
use zubi_base::workspace::Workspace;
use zubi_code::edit::DiskSink;
use zubi_code::{CodeConfig, CodeIntel};

use super::{HostConfig, HostError};

pub(super) fn intelligence(
    config: &HostConfig,
    workspace: &Arc<Workspace>,
    texts: &Arc<dyn TextSource>,
) -> Result<Arc<CodeIntel>, HostError> {
    Ok(CodeIntel::new(CodeConfig {
        workspace: Arc::clone(workspace),
        sources: Vec::new(),
        texts: Arc::clone(texts),
        sink: Arc::new(DiskSink::new(&config.state_dir)),
        state_dir: config.state_dir.clone(),
        clock: Arc::clone(&config.clock),
    }))
}
