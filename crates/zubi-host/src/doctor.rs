//! What a workspace needs and what of it works, and how to get what is missing, for `zubi doctor`.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use zubi_base::endpoint::EndpointSource as _;
use zubi_base::process::CommandSpec;
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

/// Package managers whose commands are run as they stand; any other way to install is advice for a person.
const INSTALLERS: &[&str] =
    &["apt-get", "brew", "cargo", "dotnet", "gem", "go", "npm", "opam", "pip", "pipx", "rustup", "uv"];

/// The program and the arguments of a way to install, where the package manager is on this machine.
pub fn runnable(config: &HostConfig, way: &InstallWay) -> Option<(Utf8PathBuf, Vec<String>)> {
    let mut words = way.command.split_whitespace();
    let name = words.next().filter(|name| INSTALLERS.contains(name))?;
    let directories = config.search_path.as_deref().into_iter().flat_map(std::env::split_paths);
    let program = directories
        .filter_map(|directory| Utf8PathBuf::from_path_buf(directory.join(name)).ok())
        .find(|program| program.is_absolute() && program.is_file())?;
    Some((program, words.map(str::to_owned).collect()))
}

/// Runs a package manager, without a shell and without input. What it prints goes to `line`, line by line. Whether it
/// succeeded. Dropping the future ends it.
pub async fn install(
    config: &HostConfig,
    program: Utf8PathBuf,
    arguments: Vec<String>,
    line: &(dyn Fn(&str) + Send + Sync),
) -> io::Result<bool> {
    let mut child = config.spawner.spawn(&CommandSpec::new(program, "/").args(arguments))?;
    drop(child.stdin.take());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    tokio::join!(tell(stdout, line), tell(stderr, line));
    Ok(child.wait().await?.success())
}

async fn tell<R: AsyncRead + Unpin>(stream: Option<R>, line: &(dyn Fn(&str) + Send + Sync)) {
    let Some(stream) = stream else { return };
    let mut lines = BufReader::new(stream).lines();
    // What is no UTF-8 ends the telling, not the installation.
    while let Ok(Some(text)) = lines.next_line().await {
        line(&text);
    }
}
