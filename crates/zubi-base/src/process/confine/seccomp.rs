//! Restriction of system calls, with seccomp: which sockets a program may use, and no access to other processes or the
//! kernel.
//!
//! The filter lists denied calls, because all kinds of programs must run. Denied calls fail with `EPERM`, which
//! programs expect; changes of extended attributes fail as on a file system that has none. Other numberings of the calls (32 bit on a 64 bit kernel, x32) would bypass the list: a program
//! with another architecture is killed, and x32 calls fail with `ENOSYS`.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::confinement::{ConfineError, Network, SandboxBackends};

/// System calls that are always denied.
const DENIED: &[c_long] = &[
    // Access to other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Ways around the restrictions of files and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    OPEN_TREE_ATTR,
    FILE_SETATTR,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    // Requests through a ring bypass every filter of system calls.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Keys of the session.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // The kernel itself: calls for root, with many past vulnerabilities.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_nfsservctl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];

/// Requests to a terminal that simulate input, and those of a console (`ioctl_tty(2)`, `ioctl_console(2)`).
const TYPING: &[u32] = &[0x5412 /* TIOCSTI */, 0x541C /* TIOCLINUX */];

/// Calls that are newer than the C library's list. Since 5.1, a number is the same on all architectures.
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const OPEN_TREE_ATTR: c_long = 467;
const FILE_SETATTR: c_long = 469;

/// System V IPC (`sysvipc(7)`). Its segments belong to users and not to programs, so a program could read and change
/// those of the user's other programs.
const SYSTEM_V_IPC: &[c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
];

/// Changes of extended attributes, which Landlock does not restrict, not even outside the workspace (`xattr(7)`).
const EXTENDED_ATTRIBUTES: &[c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
];

/// Calls that change how another process runs, with the number of the argument that names the process; 0 is the caller
/// itself.
const OF_PROCESSES: &[(c_long, u8)] = &[
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_migrate_pages, 0),
    (libc::SYS_move_pages, 0),
    (libc::SYS_setpriority, 1),
    (SYS_IOPRIO_SET, 1),
];

/// Calls of [`OF_PROCESSES`] whose first argument selects one process rather than a group or a user, and its value.
const OF_ONE_PROCESS: &[(c_long, u64)] = &[(libc::SYS_setpriority, PRIO_PROCESS), (SYS_IOPRIO_SET, IOPRIO_WHO_PROCESS)];
const SYS_IOPRIO_SET: c_long = libc::SYS_ioprio_set;
const PRIO_PROCESS: u64 = 0;
const IOPRIO_WHO_PROCESS: u64 = 1;

/// Restricts this thread and everything it starts. The namespaces of `backends` hold some of it without a filter.
pub(super) fn restrict(network: Network, backends: &SandboxBackends) -> Result<(), ConfineError> {
    let filters = [
        // `clone3` hides its flags from filters. A program that gets `ENOSYS` for it falls back to `clone`.
        (BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS),
        // Programs that copy files take this for a file system without such attributes.
        (extended_attributes(backends), libc::EOPNOTSUPP),
        (rules(network, backends).map_err(|error| ConfineError::NoSeccomp(error.to_string()))?, libc::EPERM),
    ];
    for (rules, errno) in filters {
        if !rules.is_empty() {
            apply(rules, errno)?;
        }
    }
    Ok(())
}

/// Adds a filter to this thread.
fn apply(rules: Rules, errno: i32) -> Result<(), ConfineError> {
    let lacks = |error: &dyn std::fmt::Display| ConfineError::NoSeccomp(error.to_string());
    let arch: TargetArch =
        std::env::consts::ARCH.try_into().map_err(|_| lacks(&"there is no filter for this processor"))?;
    let denied = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, denied, arch).map_err(|error| lacks(&error))?;
    let program: BpfProgram = filter.try_into().map_err(|error: BackendError| lacks(&error))?;
    apply_filter(&without_x32(program)).map_err(|error| match &error {
        // A kernel without filters does not know the request.
        Error::Prctl(source) | Error::Seccomp(source)
            if matches!(source.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS)) =>
        {
            lacks(&error)
        }
        _ => ConfineError::Seccomp(error.to_string()),
    })
}

/// System calls that a loaded program no longer needs to work on its open files: those for paths, programs and
/// processes.
const SEALED: &[c_long] = &[
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_name_to_handle_at,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_memfd_create,
    libc::SYS_kill,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_chdir,
    libc::SYS_chroot,
    libc::SYS_truncate,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_unlinkat,
    libc::SYS_renameat2,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// The older variants of these calls, on architectures that have them.
#[cfg(target_arch = "x86_64")]
const SEALED_OLD: &[c_long] = &[
    libc::SYS_open,
    libc::SYS_creat,
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_mknod,
    libc::SYS_link,
    libc::SYS_symlink,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const SEALED_OLD: &[c_long] = &[];

/// Restricts this thread and its new threads to memory, time and open files.
pub(super) fn lock_down() -> Result<(), ConfineError> {
    let mut rules: Rules = SEALED.iter().chain(SEALED_OLD).map(|call| (*call, Vec::new())).collect();
    // `clone` with this flag creates a thread instead of a process. `clone3`, which hides the flag, is already denied.
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let process = match_all(&[(0, SeccompCmpOp::MaskedEq(thread), 0)]);
    rules.insert(libc::SYS_clone, vec![process.map_err(|error| ConfineError::NoSeccomp(error.to_string()))?]);
    apply(rules, libc::EPERM)
}

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

/// Returns the denied changes of extended attributes. With bubblewrap, everything but the workspace is mounted
/// read-only.
fn extended_attributes(backends: &SandboxBackends) -> Rules {
    if backends.bubblewrap.is_some() {
        return Rules::new();
    }
    EXTENDED_ATTRIBUTES.iter().map(|call| (*call, Vec::new())).collect()
}

/// Returns the denied calls. A call without conditions is denied for all arguments.
fn rules(network: Network, backends: &SandboxBackends) -> Result<Rules, BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let mut rules: Rules = DENIED.iter().map(|call| (*call, Vec::new())).collect();
    let typing = TYPING.iter().map(|request| match_all(&[(1, Eq, u64::from(*request))])).collect::<Result<_, _>>()?;
    rules.insert(libc::SYS_ioctl, typing);
    // A user namespace gives its creator all capabilities inside it, and so most of the kernel's vulnerabilities.
    let new_user = u64::from(libc::CLONE_NEWUSER.unsigned_abs());
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        rules.insert(call, vec![match_all(&[(0, MaskedEq(new_user), new_user)])?]);
    }
    // A limit on processor time ends another process, and one on open files blinds it. The C library sets a program's
    // own limits with 0.
    rules.insert(libc::SYS_prlimit64, vec![match_all(&[(0, Ne, 0)])?]);
    // Bubblewrap's namespace of processes has no process of another program.
    if backends.bubblewrap.is_none() {
        for (call, argument) in OF_PROCESSES {
            rules.entry(*call).or_default().push(match_all(&[(*argument, Ne, 0)])?);
        }
        for (call, one_process) in OF_ONE_PROCESS {
            rules.entry(*call).or_default().push(match_all(&[(0, Ne, *one_process)])?);
        }
    }
    if !backends.has_own_ipc() {
        rules.extend(SYSTEM_V_IPC.iter().map(|call| (*call, Vec::new())));
    }
    if network != Network::All {
        rules.insert(libc::SYS_socketpair, unconnectable_pairs()?);
    }
    match network {
        Network::All => {}
        Network::None => drop(rules.insert(libc::SYS_socket, Vec::new())),
        Network::Internet => {
            let families = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
            let others: Vec<_> = families.iter().map(|family| (0, Ne, u64::from(family.unsigned_abs()))).collect();
            rules.insert(libc::SYS_socket, vec![match_all(&others)?]);
        }
    }
    Ok(rules)
}

/// Returns rules that match every pair of sockets except those that stay connected to each other: a datagram socket can
/// address another peer later, and the kernel makes one of `SOCK_RAW`, too.
fn unconnectable_pairs() -> Result<Vec<SeccompRule>, BackendError> {
    /// The bits of the type; the others are flags (`SOCK_TYPE_MASK` of linux/net.h).
    const TYPE: u64 = 0xf;
    let connected = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET].map(|kind| u64::from(kind.unsigned_abs()));
    let mut rules = vec![match_all(&[(0, SeccompCmpOp::Ne, u64::from(libc::AF_UNIX.unsigned_abs()))])?];
    for kind in (0..=TYPE).filter(|kind| !connected.contains(kind)) {
        rules.push(match_all(&[(1, SeccompCmpOp::MaskedEq(TYPE), kind)])?);
    }
    Ok(rules)
}

/// Creates a rule that matches if all conditions (argument, operator, value) are true. Compares arguments as 32 bit
/// values, as the kernel reads the ones used here.
fn match_all(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, BackendError> {
    let condition = |(argument, operator, value): &(u8, SeccompCmpOp, u64)| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
    };
    SeccompRule::new(conditions.iter().map(condition).collect::<Result<_, _>>()?)
}

/// Adds three instructions that fail every x32 call with `ENOSYS` (`linux/filter.h`, `bpf_common.h`).
fn without_x32(filter: BpfProgram) -> BpfProgram {
    /// `__X32_SYSCALL_BIT` of asm/unistd.h. No other architecture has such large numbers.
    const X32: u32 = 0x4000_0000;
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_GREATER_OR_EQUAL: u16 = 0x35;
    const RETURN: u16 = 0x06;
    let mut program = vec![
        // The first field of the data is the number of the call.
        sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_GREATER_OR_EQUAL, jt: 0, jf: 1, k: X32 },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs() },
    ];
    program.extend(filter);
    program
}
