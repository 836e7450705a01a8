//! The sandbox of language servers: what a row of the catalogue says, on this machine and with the user's settings.
//!
//! A server runs code of the project (build scripts, plug-ins, an interpreter), and an agent may have written this code
//! a moment ago. So every server is confined, in trusted folders, too, at the level of an agent's commands. It reads
//! everything but credentials. It writes its own build directories in the project, a cache directory that only this
//! server uses for this project, and a temporary directory. It does not write what other programs run later: the
//! sources, `target/debug`, `$CARGO_HOME/bin` or the registry. It has network access only if its row names a purpose and
//! the user allows it; sockets with a path (an SSH agent, `docker.sock`) stay out of reach even then.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::clock::{Clock as _, SystemClock};
use zubi_base::config::ServerConfinement;
use zubi_base::process::CommandSpec;
use zubi_base::process::confine::Level;
use zubi_base::text::ContentHash;
use zubi_exec::sandbox::{Net, Sandbox, SandboxContext};
use zubi_lsp_client::catalogue::{ProjectPath, ServerAccess, resolve_template};
use zubi_lsp_client::sandbox::{ServerCommand, ServerProject, ServerSandbox};

use super::config::HostConfig;

/// The directory of the servers' caches in zubi's cache directory.
const SERVERS: &str = "servers";

/// The directory of builds in that of the servers.
const BUILDS: &str = "builds";

/// The file by which backups recognize a directory of a cache, and its content (Cache Directory Tagging Specification).
const CACHE_TAG: (&str, &str) = ("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");

/// The time after its last use at which zubi deletes a cache directory: no server started in its project meanwhile. A
/// server creates its cache again.
const UNUSED: Duration = Duration::from_hours(24 * 90);

/// The sandbox of this host's servers.
#[derive(Debug)]
pub(crate) struct HostServerSandbox {
    sandbox: Arc<Sandbox>,
    /// The folders of the workspace.
    folders: Vec<Utf8PathBuf>,
    /// The directory of the servers' caches; `None`: caches are temporary.
    caches: Option<Utf8PathBuf>,
    settings: ServerConfinement,
}

/// Returns the directory in which servers may build outside the project.
pub(super) fn build_directory(config: &HostConfig) -> Utf8PathBuf {
    config.cache_dir.as_ref().unwrap_or(&config.state_dir).join(SERVERS).join(BUILDS)
}

/// The paths that a server may write.
struct WritablePaths {
    /// Paths in the project.
    project: Vec<Utf8PathBuf>,
    /// The directory of data that its row names.
    data: Option<Utf8PathBuf>,
    /// Paths for downloads that its row names.
    downloads: Vec<Utf8PathBuf>,
    /// The cache directory of the server.
    cache: Utf8PathBuf,
}

impl WritablePaths {
    fn all(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        self.project.iter().chain(&self.data).chain(&self.downloads).chain([&self.cache])
    }
}

impl HostServerSandbox {
    pub(crate) fn new(config: &HostConfig, sandbox: Arc<Sandbox>, folders: Vec<Utf8PathBuf>) -> Self {
        Self {
            sandbox,
            folders,
            caches: config.cache_dir.as_ref().map(|cache| cache.join(SERVERS)),
            settings: config.settings.server_confinement.clone(),
        }
    }

    fn has_network(&self, project: &ServerProject) -> bool {
        project.access.network.is_some() && self.settings.allows_network(&project.server)
    }

    /// Returns the paths that a server may write. Creates none.
    fn writable_paths(&self, project: &ServerProject, command: &CommandSpec, temporary: &Utf8Path) -> WritablePaths {
        let ServerProject { server, root, access } = project;
        let variable = |name: &str| command.environment.get(name)?.to_str().map(str::to_owned);
        let resolve = |template: &String| resolve_template(template, self.sandbox.home(), variable);
        let data = access.writes.iter().find_map(resolve);
        let downloads = access.downloads.iter().filter(|_| self.has_network(project)).filter_map(resolve);
        let downloads = downloads.filter(|path| path.exists()).collect();
        let cache = match &self.caches {
            // One for each project: the code of one must not change what another one runs.
            Some(caches) => caches.join(server).join(ContentHash::from_bytes(root.as_str().as_bytes()).0),
            None => temporary.join("cache"),
        };
        WritablePaths {
            project: self.project_paths(project).into_iter().map(|(path, _)| path).collect(),
            data,
            downloads,
            cache,
        }
    }

    /// Returns the paths in the project that a server may write and that exist or will be created, and whether each is a
    /// directory.
    fn project_paths(&self, project: &ServerProject) -> Vec<(Utf8PathBuf, bool)> {
        let ServerProject { root, access, .. } = project;
        let exists = |path: &ProjectPath| {
            root.join(&path.path).exists() || path.with.iter().any(|name| root.join(name).exists())
        };
        let builds = access.builds.iter().map(|path| (path, true));
        let files = access.files.iter().map(|path| (path, false));
        let found = builds.chain(files).filter(|(path, _)| exists(path));
        let found = found.map(|(path, is_directory)| (root.join(&path.path), is_directory));
        let mut paths: Vec<_> = found.filter(|(path, _)| self.is_contained(path, root)).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Whether a path is in the project, the workspace or zubi's directory of builds, after links are resolved: a link
    /// that the project's authors created may lead anywhere.
    fn is_contained(&self, path: &Utf8Path, root: &Utf8Path) -> bool {
        let Ok(real) = zubi_base::fs::canonical_for_creation(path) else { return false };
        let builds = self.caches.iter().map(|caches| caches.join(BUILDS));
        let allowed = self.folders.iter().cloned().chain([root.to_owned()]).chain(builds);
        let mut allowed = allowed.filter_map(|allowed| zubi_base::fs::canonical_for_creation(&allowed).ok());
        allowed.any(|allowed| real.starts_with(&allowed) && real != allowed)
            && !std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
    }

    /// Creates the paths that a server may write, because the kernel allows only existing ones.
    fn create_paths(&self, project: &ServerProject, paths: &WritablePaths) {
        let created = self.project_paths(project).into_iter().try_for_each(|(path, is_directory)| {
            if path.exists() {
                Ok(())
            } else if is_directory {
                create_cache(&path)
            } else {
                std::fs::OpenOptions::new().append(true).create(true).open(&path).map(drop)
            }
        });
        let created = created.and_then(|()| create_cache(&paths.cache));
        let created = created.and_then(|()| paths.data.iter().try_for_each(std::fs::create_dir_all));
        if let Err(error) = created {
            // The server reports what it misses.
            tracing::warn!(server = %project.server, %error, "a path for the server's files cannot be created");
        }
    }
}

/// Deletes the cache directories in a directory that were not used since a time.
fn remove_unused(directory: &Utf8Path, since: SystemTime) -> io::Result<()> {
    for entry in directory.read_dir_utf8()? {
        let cache = entry?.into_path();
        let used = std::fs::symlink_metadata(cache.join(CACHE_TAG.0)).and_then(|tag| tag.modified());
        if used.is_ok_and(|used| used < since) {
            std::fs::remove_dir_all(&cache)?;
        }
    }
    Ok(())
}

/// Creates a directory whose files can be created again at any time, and records that it is used.
fn create_cache(path: &Utf8Path) -> io::Result<()> {
    std::fs::create_dir_all(path)?;
    let (name, content) = CACHE_TAG;
    zubi_base::fs::write_atomic(&path.join(name), content.as_bytes())
}

/// Returns the command with the variables of its row.
fn with_variables(
    mut command: CommandSpec,
    access: &ServerAccess,
    paths: &WritablePaths,
    temporary: &Utf8Path,
    has_network: bool,
) -> CommandSpec {
    let mut environment = std::mem::take(&mut command.environment).with_variable("TMPDIR", temporary.as_str());
    if !access.reads_cache_home {
        environment = environment.with_variable("XDG_CACHE_HOME", paths.cache.as_str());
    }
    let offline = access.offline.iter().filter(|_| !has_network);
    for (name, value) in access.variables.iter().chain(offline) {
        environment = environment.with_variable(name, value.replace("{cache}", paths.cache.as_str()));
    }
    command.environment = environment;
    command
}

#[async_trait]
impl ServerSandbox for HostServerSandbox {
    async fn confine(&self, command: CommandSpec, project: &ServerProject) -> Result<ServerCommand, String> {
        if self.settings.off_setting(&project.server).is_some() {
            return Ok(command.into());
        }
        let level = self.sandbox.probe().await.map_err(|error| format!("it was not started: {error}"))?.level;
        if level == Level::None {
            return Ok(command.into());
        }
        let directory = zubi_base::fs::temporary_directory()
            .map_err(|error| format!("it was not started: there is no temporary directory for it: {error}"))?;
        let temporary = Utf8Path::from_path(directory.path())
            .ok_or("it was not started: the path of temporary files is not UTF-8")?
            .to_owned();
        let paths = self.writable_paths(project, &command, &temporary);
        self.create_paths(project, &paths);
        if let Some(parent) = paths.cache.parent() {
            let (parent, since) =
                (parent.to_owned(), SystemTime::UNIX_EPOCH + SystemClock.now().saturating_sub(UNUSED));
            // Not awaited: the server does not need it. A failure leaves directories for the next start.
            drop(tokio::task::spawn_blocking(move || remove_unused(&parent, since)));
        }
        let has_network = self.has_network(project);
        let writable: Vec<_> = paths.all().cloned().collect();
        let context = SandboxContext { folders: &self.folders, temporary: &temporary, home: self.sandbox.home() };
        let net = if has_network { Net::Internet } else { Net::None };
        let confined = self.sandbox.for_servers(&writable, net, &context).await;
        let (confinement, _) = confined.map_err(|error| format!("it was not started: {error}"))?;
        let command = with_variables(command, &project.access, &paths, &temporary, has_network);
        Ok(ServerCommand { command: command.with_confinement(confinement), temporary: Some(directory) })
    }

    async fn describe(&self, project: &ServerProject) -> String {
        if let Some(setting) = self.settings.off_setting(&project.server) {
            return format!("not confined: your zubi.toml says `{setting}`");
        }
        let level = match self.sandbox.probe().await {
            Ok(status) if status.level == Level::None => {
                return format!("not confined: this machine has no sandbox ({})", status.missing_backends.join("; "));
            }
            Ok(status) => status.level,
            Err(error) => return format!("it cannot start: {error}"),
        };
        let command = CommandSpec::new("/", project.root.clone());
        let paths = self.writable_paths(project, &command, Utf8Path::new("/"));
        let relative = paths.project.iter().map(|path| path.strip_prefix(&project.root).unwrap_or(path));
        let listed = relative.chain(paths.data.iter().chain(&paths.downloads).map(Utf8PathBuf::as_path));
        let listed = listed.map(|path| format!("`{path}`")).chain(["its own cache and temporary files".to_owned()]);
        let files =
            ["reads all but credentials".to_owned(), format!("writes {}", listed.collect::<Vec<_>>().join(", "))];
        let id = &project.server;
        let network = match &project.access.network {
            Some(purpose) if self.has_network(project) => format!("network {purpose}"),
            Some(purpose) => {
                format!("no network (`[servers.{id}] network = true` in your zubi.toml allows it {purpose})")
            }
            None => "no network".to_owned(),
        };
        level.describe(&files, &network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_caches_are_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let servers = Utf8Path::from_path(directory.path()).unwrap();
        let now = SystemTime::UNIX_EPOCH + SystemClock.now();
        for (name, days) in [("old", 100), ("recent", 10)] {
            create_cache(&servers.join(name)).unwrap();
            let tag = std::fs::File::options().append(true).open(servers.join(name).join(CACHE_TAG.0)).unwrap();
            tag.set_modified(now - Duration::from_hours(24 * days)).unwrap();
        }
        std::fs::create_dir(servers.join("without a tag")).unwrap();
        remove_unused(servers, now - UNUSED).unwrap();
        let mut left: Vec<_> =
            servers.read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned()).collect();
        left.sort();
        assert_eq!(left, ["recent", "without a tag"]);
        create_cache(&servers.join("recent")).unwrap();
        let used = std::fs::metadata(servers.join("recent").join(CACHE_TAG.0)).unwrap().modified().unwrap();
        assert!(used >= now - Duration::from_secs(5), "a start records the use");
    }
}
