//! Restriction of files, with Landlock.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, Ruleset, RulesetAttr as _,
    RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::fs::{Mode, OFlags};

use super::confinement::{ConfineError, Confinement, Network};
use super::ipc::SHARED_MEMORY;
use super::paths::{self, Entry, ExpandedPaths};

/// The ABI that zubi requests from the kernel: all features up to Linux 6.12, the tested version. An older kernel
/// applies the features that it supports.
const REQUESTED_ABI: ABI = ABI::V6;

/// Devices without stored data. Terminals are missing on purpose: a program could write to the user's terminal.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The directory of all devices. Only [`DEVICES`] and an own [`SHARED_MEMORY`] remain accessible, because root can read
/// every file from a raw disk.
const ALL_DEVICES: &str = "/dev";

/// Directories of the dynamic loader. The kernel opens the loader for execution together with a program that needs it.
const LOADERS: &[&str] = &[
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
];

/// The rules for what a program may read, which are most of the rules: one for each entry beside a hidden path.
///
/// They can be made before the program is known ([`super::standby`]). A rule holds a file and not its name, and no rule
/// can be taken back, so [`Self::with_changes`] compares every entry with the directories as they are then. It makes
/// all rules again if one of them is for a file that no longer has its name there: it may have become a hidden one.
#[derive(Debug)]
pub(super) struct ReadableRules {
    ruleset: RulesetCreated,
    paths: ExpandedPaths,
    network: Network,
    may_execute: bool,
    /// The kernel's list of mounts, because a directory's listing does not show what is mounted on its entries.
    mounts: Option<Vec<u8>>,
}

impl ReadableRules {
    /// Makes the rules for a confinement.
    pub(super) fn new(confinement: &Confinement) -> Result<Self, ConfineError> {
        let mounts = mounts();
        Self::from_paths(confinement, readable_paths(confinement)?, mounts)
    }

    fn from_paths(
        confinement: &Confinement,
        paths: ExpandedPaths,
        mounts: Option<Vec<u8>>,
    ) -> Result<Self, ConfineError> {
        let (network, may_execute) = (confinement.network, confinement.executable.is_none());
        let mut rules =
            Self { ruleset: create(network)?, paths: ExpandedPaths::default(), network, may_execute, mounts };
        rules.add_missing(paths)?;
        Ok(rules)
    }

    /// Returns the rules for this confinement and the present files: these with those for new files if they still
    /// apply, or else new ones. The result allows exactly what [`Self::new`] would.
    pub(super) fn with_changes(mut self, confinement: &Confinement) -> Result<Self, ConfineError> {
        let mounts = mounts();
        let paths = readable_paths(confinement)?;
        let is_same_mount_list = mounts.is_some() && self.mounts == mounts;
        if !self.has_rights_of(confinement) || !is_same_mount_list || !self.paths.is_part_of(&paths) {
            return Self::from_paths(confinement, paths, mounts);
        }
        self.add_missing(paths)?;
        Ok(self)
    }

    fn has_rights_of(&self, confinement: &Confinement) -> bool {
        self.network == confinement.network && self.may_execute == confinement.executable.is_none()
    }

    /// Adds rules for the paths that have none yet.
    fn add_missing(&mut self, paths: ExpandedPaths) -> Result<(), ConfineError> {
        let rights = read_rights(self.may_execute);
        let granted = paths.granted.difference(&self.paths.granted).map(|entry| {
            let of_files = AccessFs::from_file(REQUESTED_ABI);
            (entry, if entry.is_directory { rights } else { rights & of_files })
        });
        let listed = paths.listed.difference(&self.paths.listed).map(|entry| (entry, AccessFs::ReadDir.into()));
        for (entry, rights) in granted.chain(listed) {
            add_entry(&mut self.ruleset, entry, rights)?;
        }
        self.paths = paths;
        Ok(())
    }
}

/// Adds a rule for an entry of a directory, without following links. A path that no longer exists needs none.
fn add_entry(ruleset: &mut RulesetCreated, entry: &Entry, rights: BitFlags<AccessFs>) -> Result<(), ConfineError> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let Ok(file) = rustix::fs::open(entry.path.as_std_path(), flags, Mode::empty()) else { return Ok(()) };
    ruleset.add_rule(PathBeneath::new(file, rights))?;
    Ok(())
}

/// Returns the paths that a program may only read. Those that it may write have rules that also allow reading. They are
/// absent here, because the private temporary directory of a program exists only while it runs.
fn readable_paths(confinement: &Confinement) -> Result<ExpandedPaths, ConfineError> {
    paths::expand(&confinement.readable, &list_excluded(confinement), &confinement.writable)
}

fn list_excluded(confinement: &Confinement) -> Vec<Utf8PathBuf> {
    confinement.excluded.iter().cloned().chain([ALL_DEVICES.into()]).collect()
}

fn read_rights(may_execute: bool) -> BitFlags<AccessFs> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    if may_execute { read | AccessFs::Execute } else { read }
}

fn mounts() -> Option<Vec<u8>> {
    std::fs::read("/proc/self/mountinfo").ok()
}

/// Restricts this thread and everything it starts. Returns the version of the ABI that the kernel applied.
pub(super) fn restrict(confinement: &Confinement, readable: ReadableRules) -> Result<u32, ConfineError> {
    let writable = paths::expand(&confinement.writable, &list_excluded(confinement), &[])?;
    let read = read_rights(confinement.executable.is_none());
    // Omits special files and requests to devices, which no workspace needs.
    let write = AccessFs::from_write(REQUESTED_ABI) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
    let path_list = |entries: BTreeSet<Entry>| entries.into_iter().map(|entry| entry.path).collect::<Vec<_>>();
    let mut rules: Vec<(Vec<Utf8PathBuf>, BitFlags<AccessFs>)> = vec![
        (path_list(writable.granted), read | write),
        (path_list(writable.listed), AccessFs::ReadDir.into()),
        (devices(confinement), AccessFs::ReadFile | AccessFs::ReadDir | write),
    ];
    if let Some(executable) = &confinement.executable {
        let programs = executable.iter().cloned().chain(LOADERS.iter().map(Utf8PathBuf::from));
        rules.push((programs.collect(), AccessFs::Execute | AccessFs::ReadFile));
    }
    enforce(readable.ruleset, rules)
}

fn devices(confinement: &Confinement) -> Vec<Utf8PathBuf> {
    let shared_memory = Some(&SHARED_MEMORY).filter(|_| confinement.backends.has_own_ipc());
    DEVICES.iter().chain(shared_memory).map(Utf8PathBuf::from).collect()
}

/// Creates a ruleset without rules, which denies everything that the kernel supports.
fn create(network: Network) -> Result<RulesetCreated, ConfineError> {
    let mut ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(REQUESTED_ABI))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(REQUESTED_ABI)))?;
    if network == Network::None {
        ruleset = ruleset.handle_access(AccessNet::from_all(REQUESTED_ABI))?;
    }
    Ok(ruleset.create()?)
}

/// Applies a ruleset with further rules, as far as the kernel supports them.
fn enforce(
    mut ruleset: RulesetCreated,
    rules: Vec<(Vec<Utf8PathBuf>, BitFlags<AccessFs>)>,
) -> Result<u32, ConfineError> {
    for (paths, access) in rules {
        ruleset = ruleset.add_rules(path_beneath_rules(paths, access))?;
    }
    let status = ruleset.restrict_self()?;
    let abi = match status.landlock {
        LandlockStatus::NotEnabled => return Err(ConfineError::NoLandlock("the kernel has it switched off")),
        LandlockStatus::NotImplemented => return Err(ConfineError::NoLandlock("the kernel does not have it")),
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            kernel_abi.and_then(|abi| u32::try_from(abi).ok()).unwrap_or(effective_abi as u32)
        }
    };
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(ConfineError::Landlock("the kernel did not take the rules".to_owned()));
    }
    Ok(abi)
}

impl From<RulesetError> for ConfineError {
    fn from(error: RulesetError) -> Self {
        Self::Landlock(error.to_string())
    }
}

/// Restricts this process to the files that are already open.
pub(super) fn lock_down() -> Result<u32, ConfineError> {
    enforce(create(Network::None)?, Vec::new())
}

/// Restricts this process to reading one directory tree, to probe the backend.
pub(super) fn restrict_to(directory: &str) -> Result<u32, ConfineError> {
    enforce(create(Network::None)?, vec![(vec![directory.into()], AccessFs::ReadFile | AccessFs::ReadDir)])
}

#[cfg(test)]
mod tests;
