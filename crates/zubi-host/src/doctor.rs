//! What a workspace needs and what of it works, for `zubi doctor`.

use std::sync::Arc;
use std::time::Duration;

use zubi_base::endpoint::EndpointSource as _;
use zubi_base::workspace::Workspace;

pub use zubi_servers::pool::survey::{InstallWay, LanguageReport, ServerReport, ServerState, Survey};

use crate::local::{HostConfig, HostError, code};

/// Starts every installed server of the workspace's languages once, and ends them again. Each may take `patience` to
/// become ready; `progress` is told what is being looked at.
pub async fn examine(
    config: &HostConfig,
    patience: Duration,
    progress: &(dyn Fn(&str) + Send + Sync),
) -> Result<Survey, HostError> {
    let workspace = Arc::new(Workspace::open(&config.folders).map_err(HostError::Workspace)?);
    let pool = code::pool(config, &workspace)?;
    let survey = pool.survey(patience, progress).await;
    pool.shutdown().await;
    Ok(survey)
}
