//! The sandbox: the request of a tool ([`SandboxRequest`]), the capabilities of this machine ([`Sandbox::probe`]), and
//! the resulting confinement.
//!
//! zubi uses the highest available level, and always reports its name and the reason why it is not higher. If a tool or
//! the user requires a higher level, or the level cannot be found out, nothing runs. The policy decides whether something is allowed.

use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;
use zubi_base::credentials::{find_files_in_home, find_stores};
pub use zubi_base::process::confine::Level;
use zubi_base::process::confine::{Availability, Capabilities, Network, ResourceLimits, SandboxBackends};
use zubi_base::process::{Confinement, Spawner};

/// The backends of a level.
fn backends(level: Level, status: &SandboxStatus) -> SandboxBackends {
    let has_landlock = level >= Level::Landlock;
    SandboxBackends {
        landlock: has_landlock,
        seccomp: level == Level::Seccomp || level >= Level::LandlockSeccomp,
        bubblewrap: status.bwrap.clone().filter(|_| level == Level::Bubblewrap),
        private_ipc: status.has_private_ipc && has_landlock && level != Level::Bubblewrap,
    }
}

/// The access that a tool needs. The default applies to every tool: it reads everything except credential stores,
/// writes the workspace and a temporary directory of its own, and has no network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxRequest {
    pub fs: FileAccess,
    /// Which sockets it may open.
    pub net: Net,
    /// Programs it may execute, by path or by name; without it, any that it may read.
    pub exec: Option<Vec<String>>,
    /// Environment variables it sees beyond those that every program sees.
    pub env: Vec<String>,
}

/// Files that a tool may touch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FileAccess {
    /// Paths it may read, relative to the workspace folder, absolute, or below `~/`; without it, everything but credential
    /// stores. A credential store that is named here may be read.
    pub read: Option<Vec<String>>,
    /// Paths it may write; without it, the workspace. A temporary directory of its own is always there.
    pub write: Option<Vec<String>>,
}

/// Which sockets a tool may open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Net {
    /// None.
    #[default]
    None,
    /// To other machines and this one, by address.
    Internet,
    /// Also those of daemons on this machine that have a path (`docker.sock`), which do for it what it may not do itself.
    All,
}

/// The environment of a confinement.
#[derive(Debug, Clone)]
pub struct SandboxContext<'a> {
    /// The folders of the workspace. Relative paths of a manifest are relative to the first.
    pub folders: &'a [Utf8PathBuf],
    /// The private temporary directory of the job.
    pub temporary: &'a Utf8Path,
    /// The user's home directory.
    pub home: Option<&'a Utf8Path>,
}

/// The reason why a program is not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    #[error("it must run in the sandbox `{}` at least, and this machine has only `{}` ({reason})", required.name(), available.name())]
    TooLow { required: Level, available: Level, reason: String },
    /// Nothing is known about this machine's sandbox. Nothing runs as if it did not exist.
    #[error("cannot confine: {0}")]
    Unknown(String),
    #[error("`{0}` is not a valid path for a sandbox")]
    Path(String),
}

/// The capabilities of this machine, probed on first use. Only knowledge is stored: an attempt that fails is repeated by
/// the next call, and until then nothing runs that the attempt has not shown to be confined.
#[derive(Debug)]
pub struct Sandbox {
    spawner: Spawner,
    search_path: Option<OsString>,
    home: Option<Utf8PathBuf>,
    /// Files with secrets in addition to the usual credential stores.
    secrets: Vec<Utf8PathBuf>,
    denied_dirs: Vec<Utf8PathBuf>,
    account_home: Option<Utf8PathBuf>,
    /// The level that the user demands of everything; `None`: all that this machine has.
    min_level: Option<Level>,
    kernel: OnceCell<Capabilities>,
    bubblewrap: OnceCell<Availability<Utf8PathBuf>>,
    /// The result of the last probe, if it had one.
    status: Mutex<Option<SandboxStatus>>,
}

/// The active level, and why it is not higher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxStatus {
    pub level: Level,
    /// One clause for each missing backend, the best first.
    pub missing_backends: Vec<String>,
    /// The version of the kernel's Landlock ABI, if it has one.
    pub landlock_abi: Option<u32>,
    bwrap: Option<Utf8PathBuf>,
    /// Whether programs get System V IPC and `/dev/shm` of their own without bubblewrap.
    has_private_ipc: bool,
}

impl Sandbox {
    /// `search_path` is the `PATH` in which to find `bwrap`, and `home` the user's home directory.
    pub fn new(spawner: Spawner, search_path: Option<OsString>, home: Option<Utf8PathBuf>) -> Self {
        Self {
            spawner,
            search_path,
            home,
            secrets: Vec::new(),
            denied_dirs: Vec::new(),
            account_home: None,
            min_level: None,
            kernel: OnceCell::new(),
            bubblewrap: OnceCell::new(),
            status: Mutex::default(),
        }
    }

    /// Refuses to run anything at a lower level.
    #[must_use]
    pub fn at_least(mut self, level: Option<Level>) -> Self {
        self.min_level = level;
        self
    }

    /// Denies access to these directories in every sandbox, because zubi's own settings and records decide what may
    /// run. If a workspace contains them, programs cannot create anything in their parent directories.
    #[must_use]
    pub fn deny_dirs(mut self, directories: Vec<Utf8PathBuf>) -> Self {
        self.denied_dirs = directories;
        self
    }

    /// Sets the account's home directory according to the system. If it differs from that of the environment, both are
    /// searched for credential stores.
    #[must_use]
    pub fn with_account_home(mut self, home: Option<Utf8PathBuf>) -> Self {
        self.account_home = home;
        self
    }

    /// Denies access to these files in every sandbox, as to credential stores. Files in the workspace are not
    /// protected, because programs could then create nothing in their directory (see `zubi_base::process::confine`).
    #[must_use]
    pub fn deny_files(mut self, secrets: Vec<Utf8PathBuf>) -> Self {
        self.secrets = secrets;
        self
    }

    /// Finds a program by name on the search path.
    pub(crate) fn find(&self, name: &str) -> Option<Utf8PathBuf> {
        crate::program::find(name, self.search_path.as_deref()).into_iter().next()
    }

    /// Returns the active level. The first calls probe it with confined children.
    ///
    /// # Errors
    /// If the level is lower than the user demands, or cannot be found out at present.
    pub async fn probe(&self) -> Result<SandboxStatus, SandboxError> {
        let status = self.probe_level().await;
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = status.as_ref().ok().cloned();
        status
    }

    async fn probe_level(&self) -> Result<SandboxStatus, SandboxError> {
        let kernel = self.probe_kernel().await?;
        let status = SandboxStatus::from_capabilities(kernel.clone(), self.probe_bubblewrap().await);
        let unknown = [unknown_reason(&kernel.landlock), unknown_reason(&kernel.seccomp)];
        match (self.min_level, unknown.into_iter().flatten().next()) {
            // The kernel may have more than this attempt has shown, and by default everything is used.
            (None, Some(reason)) => Err(SandboxError::Unknown(reason)),
            (Some(required), _) => status.demand(required),
            (None, None) => Ok(status),
        }
    }

    async fn probe_kernel(&self) -> Result<Capabilities, SandboxError> {
        let probe = || async {
            match self.spawner.probe_capabilities().await {
                Ok(capabilities) if capabilities.is_known() => Ok(capabilities),
                Ok(capabilities) => Err(Ok(capabilities)),
                Err(error) => Err(Err(SandboxError::Unknown(format!("the sandbox cannot be tested: {error}")))),
            }
        };
        match self.kernel.get_or_try_init(probe).await {
            Ok(capabilities) => Ok(capabilities.clone()),
            Err(incomplete) => incomplete,
        }
    }

    async fn probe_bubblewrap(&self) -> Availability<Utf8PathBuf> {
        let probe = || async {
            let found = self.spawner.probe_bubblewrap(self.find("bwrap").as_deref()).await;
            if found.is_known() { Ok(found) } else { Err(found) }
        };
        self.bubblewrap.get_or_try_init(probe).await.cloned().unwrap_or_else(|unknown| unknown)
    }

    /// Returns the result of the last probe, if it had one.
    pub fn probed_status(&self) -> Option<SandboxStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Describes for users what holds a program: see [`Level::describe`].
    pub fn describe(&self, files: &[String], network: &str) -> String {
        self.probed_status().map_or_else(
            || "its level is found out before it runs".to_owned(),
            |status| status.level.describe(files, network),
        )
    }

    /// Whether nothing holds a program on this machine, as far as is known.
    pub fn is_absent(&self) -> bool {
        self.probed_status().is_some_and(|status| status.level == Level::None)
    }

    /// The user's home directory.
    pub fn home(&self) -> Option<&Utf8Path> {
        self.home.as_deref()
    }

    /// Returns the confinement for a request, and its level.
    ///
    /// # Errors
    /// If the available level is lower than `required` or than the user demands, or is not known, or the request names an
    /// invalid path.
    pub async fn confine(
        &self,
        manifest: &SandboxRequest,
        required: Level,
        context: &SandboxContext<'_>,
    ) -> Result<(Confinement, Level), SandboxError> {
        let status = self.probe().await?.demand(required)?;
        let resolve_all = |paths: &[String]| paths.iter().map(|path| context.path(path)).collect::<Result<Vec<_>, _>>();
        let other_home = self.account_home.as_deref().filter(|home| Some(*home) != context.home);
        let mut excluded = find_stores(context.home);
        excluded.extend(other_home.into_iter().flat_map(|home| find_stores(Some(home))));
        let is_outside = |path: &&Utf8PathBuf| !context.folders.iter().any(|folder| path.starts_with(folder));
        let in_homes = context.home.into_iter().chain(other_home).flat_map(find_files_in_home);
        excluded.extend(in_homes.filter(|path| is_outside(&path)));
        excluded.extend(self.secrets.iter().filter(is_outside).cloned());
        let readable = match &manifest.fs.read {
            None => vec![Utf8PathBuf::from("/")],
            Some(paths) => {
                let paths = resolve_all(paths)?;
                // A request that names a store, or a path in it, includes it on purpose.
                excluded.retain(|store| !paths.iter().any(|path| path.starts_with(store)));
                // No program starts without these: programs, libraries, and the kernel's data about the process.
                paths.into_iter().chain(ALWAYS_READABLE.iter().map(Utf8PathBuf::from)).collect()
            }
        };
        let mut writable = match &manifest.fs.write {
            None => context.folders.to_vec(),
            Some(paths) => resolve_all(paths)?,
        };
        writable.push(context.temporary.to_owned());
        // Added after the manifest's paths: no tool may open these.
        excluded.extend(self.denied_dirs.iter().cloned());
        let executable = manifest.exec.as_ref().map(|programs| {
            let found = programs.iter().flat_map(|program| {
                if program.contains('/') {
                    context.path(program).into_iter().collect()
                } else {
                    crate::program::find(program, self.search_path.as_deref())
                }
            });
            found.collect::<Vec<_>>()
        });
        let confinement = Confinement {
            backends: backends(status.level, &status),
            readable,
            writable,
            executable,
            excluded,
            network: match manifest.net {
                Net::None => Network::None,
                Net::Internet => Network::Internet,
                Net::All => Network::All,
            },
            limits: ResourceLimits::default(),
        };
        Ok((confinement, status.level))
    }
}

/// The maximum number of processes of a language server with the builds that it starts, one for each processor.
const SERVER_PROCESSES: u32 = 1000;

impl Sandbox {
    /// Returns the confinement of a language server that writes only these paths and a temporary directory, and its
    /// level.
    ///
    /// # Errors
    /// As for [`Self::confine`].
    pub async fn for_servers(
        &self,
        writable: &[Utf8PathBuf],
        net: Net,
        context: &SandboxContext<'_>,
    ) -> Result<(Confinement, Level), SandboxError> {
        let write = Some(writable.iter().map(|path| path.as_str().to_owned()).collect());
        let request = SandboxRequest { fs: FileAccess { read: None, write }, net, ..SandboxRequest::default() };
        let (mut confinement, level) = self.confine(&request, Level::None, context).await?;
        confinement.limits.processes = SERVER_PROCESSES;
        Ok((confinement, level))
    }

    /// Returns the confinement of zubi's own program for a tool's code ([`crate::script`]), and its level. The program
    /// can read the files that it is loaded from and the time zone, write nothing, start no other program, and use no
    /// network. After loading it drops the remaining permissions too (`zubi_base::process::confine`). Namespaces would
    /// not restrict it further.
    ///
    /// # Errors
    /// If the available level is lower than the user demands, or is not known.
    pub async fn for_scripts(&self, executable: &Utf8Path) -> Result<(Confinement, Level), SandboxError> {
        let status = self.probe().await?;
        let level = status.level.min(Level::LandlockSeccomp);
        let confinement = Confinement {
            // It needs no shared memory, so no namespaces are made for it.
            backends: SandboxBackends { private_ipc: false, ..backends(level, &status) },
            readable: LOADER_PATHS.iter().map(Utf8PathBuf::from).chain([executable.to_owned()]).collect(),
            writable: Vec::new(),
            executable: Some(vec![executable.to_owned()]),
            excluded: Vec::new(),
            network: Network::None,
            limits: ResourceLimits::default(),
        };
        Ok((confinement, level))
    }
}

/// The files that a program is loaded from, other than its own, and those of the time zone.
const LOADER_PATHS: &[&str] = &[
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/lib",
    "/lib64",
    "/nix/store",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share/zoneinfo",
];

/// Paths that every manifest can read.
const ALWAYS_READABLE: &[&str] = &["/bin", "/etc", "/lib", "/lib64", "/nix/store", "/opt", "/proc", "/sbin", "/usr"];

impl SandboxContext<'_> {
    /// Converts a path of a manifest to an absolute path.
    ///
    /// # Errors
    /// If the path is invalid, or is below an unknown home directory.
    pub fn path(&self, input: &str) -> Result<Utf8PathBuf, SandboxError> {
        let invalid = || SandboxError::Path(input.to_owned());
        if input.is_empty() || input.contains('\0') {
            return Err(invalid());
        }
        match input.strip_prefix("~/") {
            Some(relative) => Ok(self.home.ok_or_else(invalid)?.join(relative)),
            None => Ok(self.folders.first().ok_or_else(invalid)?.join(input)),
        }
    }
}

/// Returns the reason why nothing is known about a backend.
fn unknown_reason<T>(availability: &Availability<T>) -> Option<String> {
    match availability {
        Availability::Unknown(reason) => Some(reason.clone()),
        Availability::Has(_) | Availability::Lacks(_) => None,
    }
}

impl SandboxStatus {
    /// Returns this status if its level is sufficient.
    fn demand(self, required: Level) -> Result<Self, SandboxError> {
        if self.level >= required {
            return Ok(self);
        }
        let reason = self.missing_backends.join("; ");
        Err(SandboxError::TooLow { required, available: self.level, reason })
    }

    fn from_capabilities(kernel: Capabilities, bubblewrap: Availability<Utf8PathBuf>) -> Self {
        let mut missing_backends = Vec::new();
        let bwrap = take_property(bubblewrap, "bubblewrap", &mut missing_backends);
        let landlock_abi = take_property(kernel.landlock, "landlock", &mut missing_backends);
        let seccomp = take_property(kernel.seccomp, "seccomp", &mut missing_backends);
        let level = match (landlock_abi, seccomp) {
            (Some(_), Some(())) if bwrap.is_some() => Level::Bubblewrap,
            (Some(_), Some(())) => Level::LandlockSeccomp,
            (Some(_), None) => Level::Landlock,
            (None, Some(())) => Level::Seccomp,
            (None, None) => Level::None,
        };
        if level < Level::Bubblewrap {
            take_property(kernel.private_ipc.clone(), "private shared memory", &mut missing_backends);
        }
        let has_private_ipc = matches!(kernel.private_ipc, Availability::Has(()));
        Self { level, missing_backends, landlock_abi, bwrap, has_private_ipc }
    }
}

/// Returns a backend's property, or adds the reason why it is missing.
fn take_property<T>(availability: Availability<T>, name: &str, missing_backends: &mut Vec<String>) -> Option<T> {
    match availability {
        Availability::Has(property) => Some(property),
        Availability::Lacks(reason) | Availability::Unknown(reason) => {
            let is_named = reason.to_ascii_lowercase().starts_with(name);
            missing_backends.push(if is_named { reason } else { format!("{name}: {reason}") });
            None
        }
    }
}

impl std::fmt::Display for SandboxStatus {
    /// One line for `zubi doctor`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.level.name())?;
        if let Some(abi) = self.landlock_abi {
            write!(f, " (Landlock ABI {abi})")?;
        }
        for reason in &self.missing_backends {
            write!(f, " · {reason}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
