//! The end of a command that has used a host.

use std::time::Duration;

use zubi_host::ToolService;

/// Time-out for ending the language servers before the process exits; their supervisors then kill the remaining ones.
pub(crate) const SHUTDOWN: Duration = Duration::from_millis(300);

/// Ends the processes that the host started, within a time limit.
pub(crate) async fn end(host: &dyn ToolService) {
    if tokio::time::timeout(SHUTDOWN, host.shutdown()).await.is_err() {
        tracing::debug!("servers were still ending; their supervisors see to it");
    }
}
