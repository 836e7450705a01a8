//! What root may do that Landlock does not hold.

use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

/// Capabilities (capabilities(7)) with which a root that is held by rules for files and system calls gets around them:
/// raw disks and memory, kernel modules, mounts, other people's processes, the network's set-up.
const DANGEROUS: &[CapabilitySet] = &[
    CapabilitySet::BPF,
    CapabilitySet::CHECKPOINT_RESTORE,
    CapabilitySet::MKNOD,
    CapabilitySet::NET_ADMIN,
    CapabilitySet::NET_RAW,
    // On recent kernels (seen on 6.18) it reads `/proc/<pid>/environ` of everybody, past Landlock.
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

/// Takes them from what the next program can have. Who is not root has none and may not give any up, and what an older
/// kernel does not know, nobody has: neither is an error.
pub(super) fn drop_dangerous() {
    for capability in DANGEROUS {
        remove_capability_from_bounding_set(*capability).ok();
    }
}
