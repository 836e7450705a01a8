//! The capabilities of root that Landlock does not restrict.

use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

/// Capabilities (capabilities(7)) with which root circumvents the rules for files and system calls:
/// raw disks and memory, kernel modules, mounts, other people's processes, the network's set-up.
const DANGEROUS: &[CapabilitySet] = &[
    CapabilitySet::BPF,
    CapabilitySet::CHECKPOINT_RESTORE,
    CapabilitySet::MKNOD,
    CapabilitySet::NET_ADMIN,
    CapabilitySet::NET_RAW,
    // On recent kernels (seen on 6.18) it allows reading `/proc/<pid>/environ` of every process, past Landlock.
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

/// Removes these capabilities from those that the next program can have. A user other than root has none and may not
/// drop any, and a capability that an older kernel does not know cannot be used: neither is an error.
pub(super) fn drop_dangerous() {
    for capability in DANGEROUS {
        remove_capability_from_bounding_set(*capability).ok();
    }
}
