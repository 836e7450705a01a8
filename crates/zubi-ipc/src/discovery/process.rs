//! Process identity: the start time, and the boot and namespace in which the id is valid.

use std::os::unix::fs::MetadataExt as _;

/// Identifier of the current boot, unique to a boot and a machine. `None` if the system does not provide one.
pub fn boot_id() -> Option<String> {
    let boot = String::from_utf8(std::fs::read("/proc/sys/kernel/random/boot_id").ok()?).ok()?;
    Some(boot.trim().to_owned()).filter(|boot| !boot.is_empty())
}

/// Identifier of the namespace in which process ids are unique (`pid_namespaces(7)`): each container has its own.
/// `None` if the system does not provide one.
pub fn pid_namespace() -> Option<String> {
    std::fs::metadata("/proc/self/ns/pid").ok().map(|metadata| metadata.ino().to_string())
}

/// Start time of a process, in clock ticks since boot; `None` if it is not alive. A zombie counts as not alive.
#[cfg(target_os = "linux")]
pub fn process_start(pid: u32) -> Option<u64> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    start_in_stat(&stat)
}

/// Returns 0 for every live process: the start time is available on Linux only.
#[cfg(not(target_os = "linux"))]
pub fn process_start(pid: u32) -> Option<u64> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
    rustix::process::test_kill_process(pid).ok().map(|()| 0)
}

/// Reads field 22 of `/proc/<pid>/stat` (`proc_pid_stat(5)`). The program chooses the name in the second field, which
/// may contain brackets and blanks, so fields are counted from the last bracket.
#[cfg(target_os = "linux")]
fn start_in_stat(stat: &[u8]) -> Option<u64> {
    let after_name = stat.get(stat.iter().rposition(|byte| *byte == b')')? + 1..)?;
    let mut fields = std::str::from_utf8(after_name).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    // The state is field 3; 18 fields are between it and field 22.
    let start = fields.nth(18)?.parse().ok()?;
    (!matches!(state, "Z" | "X" | "x")).then_some(start)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_parsed_after_any_process_name() {
        let stat = |name: &str, state: &str| {
            format!("7 ({name}) {state} 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 2 3\n").into_bytes()
        };
        assert_eq!(start_in_stat(&stat("sh", "S")), Some(4242));
        assert_eq!(start_in_stat(&stat(") R 1 (", "R")), Some(4242));
        assert_eq!(start_in_stat(&stat("sh", "Z")), None, "a zombie");
        assert_eq!(start_in_stat(b"7 (sh"), None);
        assert_eq!(start_in_stat(b""), None);
    }

    #[test]
    fn only_existing_processes_have_a_start_time() {
        assert!(process_start(std::process::id()).is_some());
        assert_eq!(process_start(0), None);
        assert_eq!(process_start(u32::MAX), None);
    }
}
