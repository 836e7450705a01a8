//! Restriction of files, with Landlock.

use camino::Utf8PathBuf;
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};

use super::confinement::{ConfineError, Confinement, Network};
use super::ipc::SHARED_MEMORY;
use super::paths;

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

/// Restricts this thread and everything it starts. Returns the version of the ABI that the kernel applied.
pub(super) fn restrict(confinement: &Confinement) -> Result<u32, ConfineError> {
    let mut excluded = confinement.excluded.clone();
    excluded.push(ALL_DEVICES.into());
    let readable = paths::expand(&confinement.readable, &excluded)?;
    let writable = paths::expand(&confinement.writable, &excluded)?;

    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let execute: BitFlags<AccessFs> = AccessFs::Execute.into();
    let read = if confinement.executable.is_some() { read } else { read | execute };
    // Omits special files and requests to devices, which no workspace needs.
    let write = AccessFs::from_write(REQUESTED_ABI) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
    let mut rules: Vec<(Vec<Utf8PathBuf>, BitFlags<AccessFs>)> = vec![
        (readable.granted, read),
        (readable.listed, AccessFs::ReadDir.into()),
        (writable.granted, read | write),
        (writable.listed, AccessFs::ReadDir.into()),
        (devices(confinement), AccessFs::ReadFile | AccessFs::ReadDir | write),
    ];
    if let Some(executable) = &confinement.executable {
        let programs = executable.iter().cloned().chain(LOADERS.iter().map(Utf8PathBuf::from));
        rules.push((programs.collect(), execute | AccessFs::ReadFile));
    }
    enforce(rules, confinement.network)
}

fn devices(confinement: &Confinement) -> Vec<Utf8PathBuf> {
    let shared_memory = Some(&SHARED_MEMORY).filter(|_| confinement.backends.has_own_ipc());
    DEVICES.iter().chain(shared_memory).map(Utf8PathBuf::from).collect()
}

/// Creates and applies a ruleset that allows only these rights, as far as the kernel supports them.
fn enforce(rules: Vec<(Vec<Utf8PathBuf>, BitFlags<AccessFs>)>, network: Network) -> Result<u32, ConfineError> {
    let landlock_error = |error: &dyn std::fmt::Display| ConfineError::Landlock(error.to_string());
    let mut ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(REQUESTED_ABI))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(REQUESTED_ABI)))
        .map_err(|error| landlock_error(&error))?;
    if network == Network::None {
        ruleset = ruleset.handle_access(AccessNet::from_all(REQUESTED_ABI)).map_err(|error| landlock_error(&error))?;
    }
    let mut ruleset = ruleset.create().map_err(|error| landlock_error(&error))?;
    for (paths, access) in rules {
        ruleset = ruleset
            .add_rules(path_beneath_rules(paths, access))
            .map_err(|error: landlock::RulesetError| landlock_error(&error))?;
    }
    let status = ruleset.restrict_self().map_err(|error| landlock_error(&error))?;
    let abi = match status.landlock {
        LandlockStatus::NotEnabled => return Err(ConfineError::NoLandlock("the kernel has it switched off")),
        LandlockStatus::NotImplemented => return Err(ConfineError::NoLandlock("the kernel does not have it")),
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            kernel_abi.and_then(|abi| u32::try_from(abi).ok()).unwrap_or(effective_abi as u32)
        }
    };
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(landlock_error(&"the kernel did not take the rules"));
    }
    Ok(abi)
}

/// Restricts this process to the files that are already open.
pub(super) fn lock_down() -> Result<u32, ConfineError> {
    enforce(Vec::new(), Network::None)
}

/// Restricts this process to reading one directory tree, to probe the backend.
pub(super) fn restrict_to(directory: &str) -> Result<u32, ConfineError> {
    enforce(vec![(vec![directory.into()], AccessFs::ReadFile | AccessFs::ReadDir)], Network::None)
}
