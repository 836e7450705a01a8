//! Chooses the host that a client uses, and the process that becomes the host if none is running.
//!
//! A process that wants to become a host first takes the workspace's lock, looks for a host once more, and releases the
//! lock as soon as others can find it. So if several clients start at once, one becomes the host and the others attach
//! to it. The kernel releases the lock if its process ends.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::owner_only;
use zubi_base::text::ContentHash;
use zubi_ipc::discovery::{DiscoveryRecord, RunDirectory};
use zubi_ipc::wire::host::HostKind;

use super::backend::{Backend, LocalBackend};
use super::config::HostClientConfig;
use crate::remote::RemoteHost;
use crate::serving::{PublishOptions, PublishedHost};

/// The time for another process to become the host. It does no slow work while it has the lock, so a process that takes
/// longer has been stopped.
pub(crate) const ELECTION_TIMEOUT: Duration = Duration::from_secs(5);

/// The interval between attempts to take the lock. The kernel only wakes threads that block on the lock, and such a
/// thread could not be cancelled.
pub(crate) const RETRY: Duration = Duration::from_millis(10);

/// The time for which a host that did not answer is excluded; it may have been overloaded.
const EXCLUSION_TIME: Duration = Duration::from_secs(30);

/// Changes of a directory within this time may have the same modification time.
const MODIFIED_TIME_RESOLUTION: Duration = Duration::from_millis(100);

/// The known state of the run directory.
#[derive(Debug, Default)]
pub(super) struct DiscoverySnapshot {
    /// The last modification time of the directory.
    changed: Option<SystemTime>,
    /// The time at which `changed` was first seen, and whether hosts were read long enough after it that a later change
    /// has another time.
    first_seen: Option<Instant>,
    is_settled: bool,
    /// Hosts that did not answer, with the time of the failure.
    excluded: BTreeMap<String, Instant>,
    /// Messages already shown to the user.
    reported_messages: BTreeSet<String>,
}

impl DiscoverySnapshot {
    /// Excludes a host that has ended or hangs; its file may still exist.
    pub(super) fn exclude(&mut self, instance: &str) {
        self.excluded.insert(instance.to_owned(), Instant::now());
    }

    fn is_excluded(&mut self, instance: &str) -> bool {
        self.excluded.retain(|_, since| since.elapsed() < EXCLUSION_TIME);
        self.excluded.contains_key(instance)
    }

    fn report_once(&mut self, config: &HostClientConfig, message: String) {
        if !self.reported_messages.contains(&message) {
            (config.notify_user)(&message);
            self.reported_messages.insert(message);
        }
    }
}

/// Whether hosts may have been added or removed since they were last read.
pub(super) fn has_changed(config: &HostClientConfig, snapshot: &mut DiscoverySnapshot) -> bool {
    let changed = modified_time(config);
    // A directory that does not exist has no hosts.
    let is_new = changed != snapshot.changed || (!snapshot.is_settled && is_past(snapshot.first_seen));
    let has_expired_exclusion = snapshot.excluded.values().any(|since| since.elapsed() >= EXCLUSION_TIME);
    changed.is_some() && (is_new || has_expired_exclusion)
}

/// Whether a change made now has a modification time that differs from the one seen.
fn is_past(since: Option<Instant>) -> bool {
    since.is_none_or(|since| since.elapsed() > MODIFIED_TIME_RESOLUTION)
}

fn modified_time(config: &HostClientConfig) -> Option<SystemTime> {
    config.run.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// Returns a host of the workspace: an existing one, or that of this process.
pub(super) async fn attach(config: &HostClientConfig, snapshot: &mut DiscoverySnapshot) -> Result<Backend, String> {
    let run = match RunDirectory::open(&config.run, true) {
        Ok(run) => run,
        Err(error) => return unshared_host(config, snapshot, &format!("`{}` cannot be used: {error}", config.run)),
    };
    let deadline = Instant::now() + ELECTION_TIMEOUT;
    loop {
        if let Some(remote) = find(config, snapshot, &run, None, None).await {
            return Ok(Backend::Remote(Arc::new(remote)));
        }
        if !config.is_shared {
            return become_host(config, snapshot, &run);
        }
        match acquire_election_lock(&config.run, &config.folders) {
            Ok(Some(lock_file)) => {
                // Another process may have become the host in between.
                if let Some(remote) = find(config, snapshot, &run, None, None).await {
                    return Ok(Backend::Remote(Arc::new(remote)));
                }
                let host = become_host(config, snapshot, &run);
                drop(lock_file);
                return host;
            }
            Ok(None) if Instant::now() < deadline => tokio::time::sleep(RETRY).await,
            Ok(None) => return unshared_host(config, snapshot, "another process has been starting one for too long"),
            Err(error) => return unshared_host(config, snapshot, &error.to_string()),
        }
    }
}

/// Returns a host of a better kind than the present one, if there is one.
pub(super) async fn find_preferred(
    config: &HostClientConfig,
    snapshot: &mut DiscoverySnapshot,
    now: &Backend,
) -> Option<Backend> {
    let run = RunDirectory::open(&config.run, false).ok()?;
    let found = find(config, snapshot, &run, Some(now.kind()), now.instance()).await?;
    Some(Backend::Remote(Arc::new(found)))
}

/// Returns the best host that answers: of a better kind than `better_than`, and not the present one.
async fn find(
    config: &HostClientConfig,
    snapshot: &mut DiscoverySnapshot,
    run: &RunDirectory,
    better_than: Option<HostKind>,
    present: Option<&str>,
) -> Option<RemoteHost> {
    let modified = modified_time(config);
    if modified == snapshot.changed {
        snapshot.is_settled = is_past(snapshot.first_seen);
    } else {
        (snapshot.changed, snapshot.first_seen, snapshot.is_settled) = (modified, Some(Instant::now()), false);
    }
    let reader = run.clone();
    let found = tokio::task::spawn_blocking(move || reader.read()).await.ok()?;
    for rejected in found.rejected {
        snapshot.report_once(config, format!("`{}` is not believed: {}", rejected.file, rejected.reason));
    }
    let mut hosts: Vec<DiscoveryRecord> = found
        .hosts
        .into_iter()
        .filter(|host| is_for(config, host))
        .filter(|host| better_than.is_none_or(|kind| host.kind < kind))
        .filter(|host| present != Some(host.instance.as_str()) && !snapshot.is_excluded(&host.instance))
        .collect();
    let is_other = |host: &DiscoveryRecord| config.instance.as_ref() != Some(&host.instance);
    hosts.sort_by(|a, b| {
        (is_other(a), a.kind, a.started_at, &a.instance).cmp(&(is_other(b), b.kind, b.started_at, &b.instance))
    });
    for host in hosts {
        match RemoteHost::attach(&host, &config.client, &config.environment).await {
            Ok(remote) => return Some(remote),
            Err(error) => {
                snapshot.exclude(&host.instance);
                let (kind, pid) = (host.kind.name(), host.pid);
                snapshot.report_once(
                    config,
                    format!("the host of this workspace in process {pid} ({kind}) is not used: {error}"),
                );
            }
        }
    }
    None
}

/// Whether a host has this workspace: the same folders in the same order, because the first is the base of relative
/// paths. An editor's host may have further folders.
fn is_for(config: &HostClientConfig, host: &DiscoveryRecord) -> bool {
    let (own_count, host_count) = (config.folders.len(), host.workspace_folders.len());
    let is_prefix = config.folders.iter().zip(&host.workspace_folders).all(|(folder, other)| folder == other.as_str());
    is_prefix && (own_count == host_count || (host.kind == HostKind::Editor && own_count < host_count))
}

fn become_host(
    config: &HostClientConfig,
    snapshot: &mut DiscoverySnapshot,
    run: &RunDirectory,
) -> Result<Backend, String> {
    let host = Arc::new((config.factory)()?);
    if !config.is_shared {
        return Ok(Backend::Local(LocalBackend::new(host, None)));
    }
    let options = PublishOptions {
        kind: HostKind::InProcess,
        environment: config.environment.clone(),
        port: config.port,
        client_policy: config.client_policy.clone(),
        shutdown_token: None,
    };
    let published = match PublishedHost::open(Arc::clone(&host), run, options) {
        Ok(published) => Some(published),
        Err(error) => {
            snapshot.report_once(config, unshared_message(&error.to_string()));
            None
        }
    };
    Ok(Backend::Local(LocalBackend::new(host, published)))
}

/// Creates the host of this process, unpublished.
fn unshared_host(config: &HostClientConfig, snapshot: &mut DiscoverySnapshot, why: &str) -> Result<Backend, String> {
    snapshot.report_once(config, unshared_message(why));
    Ok(Backend::Local(LocalBackend::new(Arc::new((config.factory)()?), None)))
}

fn unshared_message(why: &str) -> String {
    format!("this process does not share its language servers: {why}")
}

/// Takes the right to become the host of a workspace until the returned file is dropped; `None` if another process has
/// it.
pub(crate) fn acquire_election_lock(run: &Utf8Path, folders: &[Utf8PathBuf]) -> io::Result<Option<File>> {
    let folders: Vec<&str> = folders.iter().map(|folder| folder.as_str()).collect();
    let key: String = ContentHash::from_bytes(folders.join("\0").as_bytes()).0.chars().take(32).collect();
    let lock = run.join(format!("{key}.lock"));
    owner_only::lock(&lock).map_err(|error| {
        let why = if lock.is_symlink() { "it is a link; remove it".to_owned() } else { error.to_string() };
        io::Error::new(error.kind(), format!("`{lock}`: {why}"))
    })
}
