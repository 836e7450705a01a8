//! Which host a front asks, and who becomes one where there is none.
//!
//! Whoever would become a host takes a lock first, which is the workspace's, looks once more, and gives the lock back when it
//! can be found. So of fronts that start at once one becomes the host and the others attach to it. The lock is the kernel's: it
//! goes with the process that holds it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::private;
use zubi_base::text::ContentHash;
use zubi_ipc::discovery::{DiscoveryRecord, RunDirectory};
use zubi_ipc::wire::host::HostKind;

use super::FrontConfig;
use super::backend::{Backend, LocalBackend};
use crate::remote::RemoteHost;
use crate::serving::{PublishedHost, PublishOptions};

/// How long somebody else may take to become the host. It does no slow work while it holds the lock, so one that takes longer
/// has been stopped.
pub(crate) const ELECTION_TIMEOUT: Duration = Duration::from_secs(5);

/// How long to wait before the lock is tried again: the kernel tells nobody that it is free but those who block on it, and
/// nobody could take back a thread that does.
pub(crate) const RETRY: Duration = Duration::from_millis(10);

/// How long a host is not tried again that did not answer: it may have had too much to do.
const SHUNNED: Duration = Duration::from_secs(30);

/// Changes of a directory that are so close together may have one time.
const SAME_TIME: Duration = Duration::from_millis(100);

/// What is known of the run directory.
#[derive(Debug, Default)]
pub(super) struct DiscoverySnapshot {
    /// When it had changed last.
    changed: Option<SystemTime>,
    /// When that was seen first, and whether hosts were read long enough after it: a later change then has another time.
    since: Option<Instant>,
    is_settled: bool,
    /// Hosts that did not answer, and when.
    shunned: BTreeMap<String, Instant>,
    /// What the person has been told.
    told: BTreeSet<String>,
}

impl DiscoverySnapshot {
    /// It has gone, or hangs; its file may still be there.
    pub(super) fn exclude(&mut self, instance: &str) {
        self.shunned.insert(instance.to_owned(), Instant::now());
    }

    fn is_shunned(&mut self, instance: &str) -> bool {
        self.shunned.retain(|_, since| since.elapsed() < SHUNNED);
        self.shunned.contains_key(instance)
    }

    fn report_once(&mut self, config: &FrontConfig, what: String) {
        if !self.told.contains(&what) {
            (config.tell)(&what);
            self.told.insert(what);
        }
    }
}

/// Whether hosts may have come or gone since they were looked at.
pub(super) fn has_changed(config: &FrontConfig, seen: &mut DiscoverySnapshot) -> bool {
    let changed = modified_time(config);
    // A directory that is not there has no hosts.
    let is_new = changed != seen.changed || (!seen.is_settled && is_past(seen.since));
    let is_forgiven = seen.shunned.values().any(|since| since.elapsed() >= SHUNNED);
    changed.is_some() && (is_new || is_forgiven)
}

/// Whether what changes now has another time than what was seen then.
fn is_past(since: Option<Instant>) -> bool {
    since.is_none_or(|since| since.elapsed() > SAME_TIME)
}

fn modified_time(config: &FrontConfig) -> Option<SystemTime> {
    config.run.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// A host of the workspace: one that is there, or the one that this process becomes.
pub(super) async fn attach(config: &FrontConfig, seen: &mut DiscoverySnapshot) -> Result<Backend, String> {
    let run = match RunDirectory::open(&config.run, true) {
        Ok(run) => run,
        Err(error) => return alone(config, seen, &format!("`{}` cannot be used: {error}", config.run)),
    };
    let deadline = Instant::now() + ELECTION_TIMEOUT;
    loop {
        if let Some(remote) = find(config, seen, &run, None, None).await {
            return Ok(Backend::Remote(Arc::new(remote)));
        }
        if !config.shares {
            return become_host(config, seen, &run);
        }
        match acquire_election_lock(&config.run, &config.folders) {
            Ok(Some(turn)) => {
                // Somebody else may have had its turn in between.
                if let Some(remote) = find(config, seen, &run, None, None).await {
                    return Ok(Backend::Remote(Arc::new(remote)));
                }
                let host = become_host(config, seen, &run);
                drop(turn);
                return host;
            }
            Ok(None) if Instant::now() < deadline => tokio::time::sleep(RETRY).await,
            Ok(None) => return alone(config, seen, "another process has been about to become it for too long"),
            Err(error) => return alone(config, seen, &error.to_string()),
        }
    }
}

/// A host of a better kind than the present one, if there is one.
pub(super) async fn find_preferred(config: &FrontConfig, seen: &mut DiscoverySnapshot, now: &Backend) -> Option<Backend> {
    let run = RunDirectory::open(&config.run, false).ok()?;
    let found = find(config, seen, &run, Some(now.kind()), now.instance()).await?;
    Some(Backend::Remote(Arc::new(found)))
}

/// The best host that answers: of a better kind than this one, and not the present one.
async fn find(
    config: &FrontConfig,
    seen: &mut DiscoverySnapshot,
    run: &RunDirectory,
    better_than: Option<HostKind>,
    present: Option<&str>,
) -> Option<RemoteHost> {
    let modified = modified_time(config);
    if modified == seen.changed {
        seen.is_settled = is_past(seen.since);
    } else {
        (seen.changed, seen.since, seen.is_settled) = (modified, Some(Instant::now()), false);
    }
    let reader = run.clone();
    let found = tokio::task::spawn_blocking(move || reader.read()).await.ok()?;
    for disbelieved in found.disbelieved {
        seen.report_once(config, format!("`{}` is not believed: {}", disbelieved.file, disbelieved.why));
    }
    let mut hosts: Vec<DiscoveryRecord> = found
        .hosts
        .into_iter()
        .filter(|host| is_for(config, host))
        .filter(|host| better_than.is_none_or(|kind| host.kind < kind))
        .filter(|host| present != Some(host.instance.as_str()) && !seen.is_shunned(&host.instance))
        .collect();
    let is_other = |host: &DiscoveryRecord| config.instance.as_ref() != Some(&host.instance);
    hosts.sort_by(|a, b| {
        (is_other(a), a.kind, a.started_at, &a.instance).cmp(&(is_other(b), b.kind, b.started_at, &b.instance))
    });
    for host in hosts {
        match RemoteHost::attach(&host, &config.client, &config.environment).await {
            Ok(remote) => return Some(remote),
            Err(error) => {
                seen.exclude(&host.instance);
                let (kind, pid) = (host.kind.name(), host.pid);
                seen.report_once(config, format!("the host of this workspace in process {pid} ({kind}) is not used: {error}"));
            }
        }
    }
    None
}

/// Whether a host's workspace is this one's: the same folders, in the same order, for a relative path begins in the first. In an
/// editor other folders may follow, which its user has open beside them.
fn is_for(config: &FrontConfig, host: &DiscoveryRecord) -> bool {
    let (ours, theirs) = (config.folders.len(), host.workspace_folders.len());
    let begins = config.folders.iter().zip(&host.workspace_folders).all(|(folder, other)| folder == other.as_str());
    begins && (ours == theirs || (host.kind == HostKind::Editor && ours < theirs))
}

fn become_host(config: &FrontConfig, seen: &mut DiscoverySnapshot, run: &RunDirectory) -> Result<Backend, String> {
    let host = Arc::new((config.make)()?);
    if !config.shares {
        return Ok(Backend::Own(LocalBackend::new(host, None)));
    }
    let sharing = PublishOptions {
        kind: HostKind::Front,
        environment: config.environment.clone(),
        port: config.port,
        limits: config.limits.clone(),
        ends: None,
    };
    let shared = match PublishedHost::open(Arc::clone(&host), run, sharing) {
        Ok(shared) => Some(shared),
        Err(error) => {
            seen.report_once(config, not_shared(&error.to_string()));
            None
        }
    };
    Ok(Backend::Own(LocalBackend::new(host, shared)))
}

/// The host of this process, which nobody else finds.
fn alone(config: &FrontConfig, seen: &mut DiscoverySnapshot, why: &str) -> Result<Backend, String> {
    seen.report_once(config, not_shared(why));
    Ok(Backend::Own(LocalBackend::new(Arc::new((config.make)()?), None)))
}

fn not_shared(why: &str) -> String {
    format!("this process shares its language servers with no other: {why}")
}

/// Takes the right to become the host of a workspace, until the answer is dropped; `None`: somebody else has it.
pub(crate) fn acquire_election_lock(run: &Utf8Path, folders: &[Utf8PathBuf]) -> io::Result<Option<File>> {
    let folders: Vec<&str> = folders.iter().map(|folder| folder.as_str()).collect();
    let key: String = ContentHash::from_bytes(folders.join("\0").as_bytes()).0.chars().take(32).collect();
    let lock = run.join(format!("{key}.lock"));
    private::lock(&lock).map_err(|error| {
        let why = if lock.is_symlink() { "it is a link; remove it".to_owned() } else { error.to_string() };
        io::Error::new(error.kind(), format!("`{lock}`: {why}"))
    })
}
