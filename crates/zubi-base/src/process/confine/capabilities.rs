//! What root may do that Landlock does not hold.

use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

/// Capabilities (capabilities(7)) with which a root that is held by rules for files and system calls gets around them:
/// raw disks and memory, kernel modules, mounts, other people's processes, the network's set-up.
const DANGEROUS: &[CapabilitySet] = &[
    CapabilitySet::MKNOD,
    CapabilitySet::NET_ADMIN,
    CapabilitySet::NET_RAW,
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

/// Takes them from what the next program can have. Who is not root has none and may not give any up: nothing to do.
pub(super) fn drop_dangerous() {
    for capability in DANGEROUS {
        if remove_capability_from_bounding_set(*capability).is_err() {
            return;
        }
    }
}
