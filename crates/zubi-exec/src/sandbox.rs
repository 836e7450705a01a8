//! The sandbox: the request of a tool ([`SandboxRequest`]), the capabilities of this machine ([`Sandbox::probe`]), and
//! the resulting confinement.
//!
//! zubi uses the highest available level, and always reports its name and the reason why it is not higher. A tool that
//! requires a higher level does not run. The policy decides whether something is allowed.

use std::ffi::OsString;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;
use zubi_base::process::confine::{Availability, Capabilities, Network, ResourceLimits, SandboxBackends};
use zubi_base::process::{Confinement, Spawner};

mod credentials;

pub use credentials::credential_stores;

/// How well what is run is held, from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Nothing holds it but the limits on processes.
    None,
    /// Files are not held; sockets and calls into other processes are.
    Seccomp,
    /// Files are held; sockets in the file system and other processes are not.
    Landlock,
    /// Files, sockets and system calls are held.
    LandlockSeccomp,
    /// Files, sockets and system calls are held, inside separate namespaces.
    Bubblewrap,
}

impl Level {
    /// The name in status lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "no sandbox",
            Self::Seccomp => "seccomp",
            Self::Landlock => "landlock",
            Self::LandlockSeccomp => "landlock+seccomp",
            Self::Bubblewrap => "bubblewrap",
        }
    }

    fn backends(self, bwrap: Option<&Utf8Path>) -> SandboxBackends {
        SandboxBackends {
            landlock: self >= Self::Landlock,
            seccomp: self == Self::Seccomp || self >= Self::LandlockSeccomp,
            bubblewrap: bwrap.filter(|_| self == Self::Bubblewrap).map(Utf8Path::to_owned),
        }
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
    #[error("it demands the sandbox `{}`, and here is only `{}` ({reason})", required.name(), available.name())]
    TooLow { required: Level, available: Level, reason: String },
    #[error("`{0}` is not a valid path for a sandbox")]
    Path(String),
}

/// The capabilities of this machine, probed once, on first use.
#[derive(Debug)]
pub struct Sandbox {
    spawner: Spawner,
    search_path: Option<OsString>,
    home: Option<Utf8PathBuf>,
    /// Files with secrets in addition to the usual credential stores.
    secrets: Vec<Utf8PathBuf>,
    denied_dirs: Vec<Utf8PathBuf>,
    account_home: Option<Utf8PathBuf>,
    status: OnceCell<SandboxStatus>,
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
            status: OnceCell::new(),
        }
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

    /// Returns the active level. The first call probes it with a confined child.
    pub async fn probe(&self) -> &SandboxStatus {
        self.status
            .get_or_init(|| async {
                let bwrap = self.find("bwrap");
                match self.spawner.probe_capabilities(bwrap.as_deref()).await {
                    Ok(capabilities) => SandboxStatus::from_capabilities(capabilities),
                    Err(error) => SandboxStatus {
                        level: Level::None,
                        missing_backends: vec![format!("nothing can be confined: {error}")],
                        landlock_abi: None,
                        bwrap: None,
                    },
                }
            })
            .await
    }

    /// Returns the status if it is known, which it is after the first job.
    pub fn probed_status(&self) -> Option<&SandboxStatus> {
        self.status.get()
    }

    /// The user's home directory.
    pub fn home(&self) -> Option<&Utf8Path> {
        self.home.as_deref()
    }

    /// Returns the confinement for a request, and its level.
    ///
    /// # Errors
    /// If `required` is higher than the available level, or the request names an invalid path.
    pub async fn confine(
        &self,
        manifest: &SandboxRequest,
        required: Level,
        context: &SandboxContext<'_>,
    ) -> Result<(Confinement, Level), SandboxError> {
        let status = self.probe().await;
        if status.level < required {
            return Err(SandboxError::TooLow {
                required,
                available: status.level,
                reason: status.missing_backends.join("; "),
            });
        }
        let resolve_all = |paths: &[String]| paths.iter().map(|path| context.path(path)).collect::<Result<Vec<_>, _>>();
        let mut excluded = credential_stores(context.home);
        if self.account_home.as_deref() != context.home {
            excluded.extend(credential_stores(self.account_home.as_deref()));
        }
        let is_outside = |path: &&Utf8PathBuf| !context.folders.iter().any(|folder| path.starts_with(folder));
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
            backends: status.level.backends(status.bwrap.as_deref()),
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

impl Sandbox {
    /// Returns the confinement of zubi's own program for a tool's code ([`crate::script`]), and its level. The program
    /// can read the files that it is loaded from and the time zone, write nothing, start no other program, and use no
    /// network. After loading it drops the remaining permissions too (`zubi_base::process::confine`). Namespaces would
    /// not restrict it further.
    pub async fn for_scripts(&self, executable: &Utf8Path) -> (Confinement, Level) {
        let level = self.probe().await.level.min(Level::LandlockSeccomp);
        let confinement = Confinement {
            backends: level.backends(None),
            readable: LOADER_PATHS.iter().map(Utf8PathBuf::from).chain([executable.to_owned()]).collect(),
            writable: Vec::new(),
            executable: Some(vec![executable.to_owned()]),
            excluded: Vec::new(),
            network: Network::None,
            limits: ResourceLimits::default(),
        };
        (confinement, level)
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

impl SandboxStatus {
    fn from_capabilities(capabilities: Capabilities) -> Self {
        let mut missing_backends = Vec::new();
        let mut is_available = |name: &str, missing_reason: Option<String>| match missing_reason {
            None => true,
            Some(reason) => {
                let named = reason.to_ascii_lowercase().starts_with(name);
                missing_backends.push(if named { reason } else { format!("{name}: {reason}") });
                false
            }
        };
        let problem_of = |availability: &Availability<()>| match availability {
            Availability::Has(()) => None,
            Availability::Lacks(reason) => Some(reason.clone()),
        };
        let (bwrap, bwrap_problem) = match capabilities.bubblewrap {
            Availability::Has(program) => (Some(program), None),
            Availability::Lacks(reason) => (None, Some(reason)),
        };
        let (landlock_abi, landlock_problem) = match capabilities.landlock {
            Availability::Has(abi) => (Some(abi), None),
            Availability::Lacks(reason) => (None, Some(reason)),
        };
        let bubblewrap = is_available("bubblewrap", bwrap_problem);
        let landlock = is_available("landlock", landlock_problem);
        let seccomp = is_available("seccomp", problem_of(&capabilities.seccomp));
        let level = match (landlock, seccomp) {
            (true, true) if bubblewrap => Level::Bubblewrap,
            (true, true) => Level::LandlockSeccomp,
            (true, false) => Level::Landlock,
            (false, true) => Level::Seccomp,
            (false, false) => Level::None,
        };
        Self { level, missing_backends, landlock_abi, bwrap }
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
