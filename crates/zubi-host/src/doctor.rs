//! The programs that a workspace needs, whether they work, and how to install missing ones, for `zubi doctor`.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::{DocumentRef, EndpointSource as _, RequestCx};
use zubi_base::process::CommandSpec;
use zubi_base::text::DiskText;
use zubi_base::walk::{self, WalkOptions};
use zubi_base::workspace::WorkspaceFolders;
use zubi_code::edit::{DiskSink, EditService};
use zubi_lsp_client::pool::report;
use zubi_tools::domainlang::{self, DomainModel, Root};

pub use zubi_lsp_client::pool::report::{
    InstallWay, LanguageReport, LimitReport, ProjectReport, ServerReport, ServerState, Survey,
};

use crate::local::{HostConfig, LocalHostError, code, exec, policy};

/// Starts and ends every installed server of the workspace's languages. Each has `timeout` to become ready; `progress`
/// receives the name of the current item.
pub async fn examine(
    config: &HostConfig,
    timeout: Duration,
    progress: &(dyn Fn(&str) + Send + Sync),
) -> Result<Survey, LocalHostError> {
    let workspace = Arc::new(WorkspaceFolders::open(&config.folders).map_err(LocalHostError::Workspace)?);
    let sandbox = Arc::new(exec::sandbox_of_programs(config, &exec::secrets(config)));
    let pool = code::pool(config, &workspace, &sandbox, None)?;
    let mut survey = pool.survey(timeout, progress).await;
    pool.shutdown().await;
    if let Some(report) = built_in(&workspace, timeout).await {
        survey.languages.insert(0, report);
    }
    Ok(survey)
}

/// Recovers the edits of this workspace that an ended process left unfinished, and returns one sentence for each; then
/// one for each other interrupted edit that zubi still knows.
pub async fn recover_edits(config: &HostConfig) -> Result<Vec<String>, LocalHostError> {
    let workspace = Arc::new(WorkspaceFolders::open(&config.folders).map_err(LocalHostError::Workspace)?);
    let sink = Arc::new(DiskSink::new(&config.state_dir));
    let clock = Arc::clone(&config.clock);
    let edits = EditService::new(workspace, Arc::new(DiskText), sink, &config.state_dir, clock);
    let failure = edits.recover().await.err().map(|error| error.to_string());
    Ok(failure.into_iter().chain(edits.take_recovery_notes()).chain(edits.describe_journals()).collect())
}

/// Tests the sandbox for zubi's commands on this machine and describes it in one line.
pub async fn sandbox(config: &HostConfig) -> String {
    match exec::sandbox(config).probe().await {
        Ok(status) => status.to_string(),
        Err(error) => format!("no command runs: {error}"),
    }
}

/// The errors in the user's secrets (`[env]` of zubi.toml), one sentence each.
pub fn secrets(config: &HostConfig) -> Vec<String> {
    exec::secrets(config).problems()
}

/// Returns the reason, with file and line, why the policy allows only reads; `None` if it is valid.
pub fn broken_policy(config: &HostConfig) -> Option<String> {
    let workspace = WorkspaceFolders::open(&config.folders).ok()?;
    policy::for_workspace(config, &workspace).broken().map(str::to_owned)
}

/// Returns the names of unusable secrets, each with the reason as a sentence.
pub fn unusable_secrets<'a>(config: &HostConfig, names: impl Iterator<Item = &'a String>) -> Vec<(&'a str, String)> {
    let secrets = exec::secrets(config);
    let unusable = names.filter(|name| !secrets.values().contains_key(*name));
    let why = |name: &str| match secrets.broken(name) {
        Some(why) => format!("the secret `{name}` cannot be used: {why}"),
        None => format!(
            "the secret `{name}` is not set on this machine; `[env]` `{name} = {{ file = \"…\" }}` in your own zubi.toml sets it"
        ),
    };
    unusable.map(|name| (name.as_str(), why(name))).collect()
}

/// Reports on DomainLang if the workspace has models. Its server is built in and needs no installation.
async fn built_in(workspace: &WorkspaceFolders, timeout: Duration) -> Option<LanguageReport> {
    let roots = workspace.roots();
    let started = Instant::now();
    let find_models = move || {
        let files =
            roots.iter().flat_map(|root| walk::files(root, WalkOptions { sorted: true, ..WalkOptions::default() }));
        files
            .take_while(|_| started.elapsed() < timeout)
            .filter(|path| path.extension() == Some(domainlang::EXTENSION))
            .collect::<Vec<_>>()
    };
    let files = tokio::task::spawn_blocking(find_models).await.unwrap_or_default();
    let document = DocumentRef::new(files.first()?.clone());
    let model = DomainModel::on_disk(workspace.roots().into_iter().map(Root::Folder).collect());
    let source = domainlang::endpoint_source(&Arc::new(model));
    let started = Instant::now();
    let cx = RequestCx::new(CancellationToken::new(), started + timeout);
    let endpoint = source.for_document(&document, "", &cx).await.endpoints.pop()?;
    let server = ServerReport {
        id: endpoint.id().to_string(),
        title: "built in".to_owned(),
        tested: true,
        group: None,
        path: None,
        version: None,
        sandbox: None,
        state: report::state(endpoint.as_ref(), workspace.root(), &document, started, timeout).await,
    };
    Some(LanguageReport {
        language: "domain-lang".to_owned(),
        files: files.len(),
        example: document.path,
        auxiliary: false,
        servers: vec![server],
    })
}

/// Package managers that zubi may run; for others, it only shows the command.
const INSTALLERS: &[&str] =
    &["apt-get", "brew", "cargo", "dotnet", "gem", "go", "npm", "opam", "pip", "pipx", "rustup", "uv"];

/// Returns the program and the arguments that install something, if the package manager is on this machine.
pub fn runnable(config: &HostConfig, install_way: &InstallWay) -> Option<(Utf8PathBuf, Vec<String>)> {
    let mut parts = install_way.command.split_whitespace();
    let name = parts.next().filter(|name| INSTALLERS.contains(name))?;
    let directories = config.search_path.as_deref().into_iter().flat_map(std::env::split_paths);
    let program = directories
        .filter_map(|directory| Utf8PathBuf::from_path_buf(directory.join(name)).ok())
        .find(|program| program.is_absolute() && program.is_file())?;
    Some((program, parts.map(str::to_owned).collect()))
}

/// Runs a package manager without a shell and without input. `line` receives each line of its output. Returns whether
/// it succeeded. Dropping the future ends it.
pub async fn install(
    config: &HostConfig,
    program: Utf8PathBuf,
    arguments: Vec<String>,
    line: &(dyn Fn(&str) + Send + Sync),
) -> io::Result<bool> {
    let mut child = config.spawner.spawn(&CommandSpec::new(program, "/").args(arguments))?;
    drop(child.stdin.take());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    tokio::join!(forward_lines(stdout, line), forward_lines(stderr, line));
    Ok(child.wait().await?.success())
}

/// The maximum length of a line of an installer's output, in bytes; a longer one is split.
const MAX_LINE_BYTES: u64 = 16 * 1024;

async fn forward_lines<R: AsyncRead + Unpin>(stream: Option<R>, line: &(dyn Fn(&str) + Send + Sync)) {
    let Some(stream) = stream else { return };
    let mut stream = BufReader::new(stream);
    let mut bytes = Vec::new();
    // Read to the end: a program whose output is no longer read would be ended by its supervisor.
    while matches!((&mut stream).take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes).await, Ok(1..)) {
        line(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']));
        bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[tokio::test]
    async fn output_is_read_to_its_end() {
        let lines = Mutex::new(Vec::new());
        let printed = [b"one\r\n\xff two\n".as_slice(), &vec![b'x'; 20_000], b"\nlast"].concat();
        forward_lines(Some(printed.as_slice()), &|line| lines.lock().unwrap().push(line.to_owned())).await;
        let lines = lines.into_inner().unwrap();
        let lengths: Vec<_> = lines.iter().map(String::len).collect();
        assert_eq!(
            (lines[0].as_str(), lines[1].as_str(), lines[4].as_str()),
            ("one", "\u{fffd} two", "last"),
            "{lengths:?}"
        );
        assert_eq!(lengths, [3, 7, 16_384, 3_616, 4]);
    }
}
