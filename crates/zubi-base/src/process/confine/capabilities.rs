//! Removes root's capabilities that Landlock does not restrict.

use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

/// Capabilities (capabilities(7)) with which root circumvents the restrictions of files and system calls: raw disks and
/// memory, kernel modules, mounts, other users' processes, the network configuration.
const DANGEROUS: &[CapabilitySet] = &[
    CapabilitySet::BPF,
    CapabilitySet::CHECKPOINT_RESTORE,
    CapabilitySet::MKNOD,
    CapabilitySet::NET_ADMIN,
    CapabilitySet::NET_RAW,
    // On recent kernels (seen on 6.18) it allows reading `/proc/<pid>/environ` of every process, in spite of Landlock.
    CapabilitySet::PERFMON,
    CapabilitySet::SYS_ADMIN,
    CapabilitySet::SYS_BOOT,
    CapabilitySet::SYS_MODULE,
    CapabilitySet::SYS_PTRACE,
    CapabilitySet::SYS_RAWIO,
    CapabilitySet::SYS_TIME,
    CapabilitySet::SYSLOG,
    CapabilitySet::LINUX_IMMUTABLE,
    CapabilitySet::DAC_READ_SEARCH,
];

/// Removes these capabilities from the next program's bounding set. Errors are ignored: a user other than root has none
/// and may not drop any, and an older kernel does not have the capabilities that it does not know.
pub(super) fn drop_dangerous() {
    for capability in DANGEROUS {
        remove_capability_from_bounding_set(*capability).ok();
    }
}
