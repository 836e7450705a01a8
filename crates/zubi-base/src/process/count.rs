//! Counts the processes of a program without scanning all processes each time.

use std::io;
use std::time::Duration;

use super::tree::ProcessList;

/// Counts the descendants of this process.
///
/// The system does not report the number of descendants, and a scan of all processes costs milliseconds. But ids are
/// assigned in order: since the last count there cannot be more new processes than new ids, and `/proc/loadavg` has the
/// last assigned id (`proc_loadavg(5)`). The counter scans only if that many new processes could exceed the limit.
#[derive(Debug)]
pub(super) struct ProcessCounter {
    limit: u32,
    /// The number of new ids before a scan is necessary.
    headroom: u32,
    last_id: Option<u32>,
}

impl ProcessCounter {
    /// The interval between counts. A shell starts a few thousand processes per second.
    pub(super) const TICK: Duration = Duration::from_millis(10);

    /// Creates a counter that allows at most `limit` processes.
    pub(super) fn new(limit: u32) -> Self {
        Self { limit, headroom: 0, last_id: None }
    }

    /// Returns the reason to end the program: there are more processes than allowed, or their number cannot be found out.
    pub(super) fn violation(&mut self, processes: &ProcessList) -> Option<String> {
        self.violation_with(last_id(), || Ok(processes.descendants_with_groups(std::process::id())?.len()))
    }

    fn violation_with(&mut self, last_id: Option<u32>, count: impl FnOnce() -> io::Result<usize>) -> Option<String> {
        // After the largest id, the kernel starts again at the smallest.
        let new_ids = last_id.zip(self.last_id).and_then(|(now, before)| now.checked_sub(before));
        if new_ids.is_some_and(|new_ids| new_ids <= self.headroom) {
            return None;
        }
        let count = match count() {
            Ok(count) => u32::try_from(count).unwrap_or(u32::MAX),
            Err(error) => return Some(format!("its processes cannot be counted: {error}")),
        };
        self.last_id = last_id;
        self.headroom = self.limit.saturating_sub(count);
        (count > self.limit).then(|| format!("it had more than {} processes at once", self.limit))
    }
}

/// Returns the last assigned process id.
fn last_id() -> Option<u32> {
    let loads = std::fs::read("/proc/loadavg").ok()?;
    String::from_utf8_lossy(&loads).split_ascii_whitespace().nth(4)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_counted_only_when_the_limit_could_be_exceeded() {
        let mut population = ProcessCounter::new(10);
        // The last id, the actual number of processes, whether a scan happens, and whether it finds too many.
        for (last_id, actual_count, is_counted, is_exceeded) in [
            (Some(100), 4, true, false),
            (Some(106), 99, false, false),
            (Some(107), 8, true, false),
            (Some(109), 99, false, false),
            (Some(3), 9, true, false),
            (Some(5), 11, true, true),
            (None, 2, true, false),
        ] {
            let mut has_counted = false;
            let result = population.violation_with(last_id, || {
                has_counted = true;
                Ok(actual_count)
            });
            assert_eq!((has_counted, result.is_some()), (is_counted, is_exceeded), "{last_id:?}");
        }
    }

    #[test]
    fn a_program_whose_processes_cannot_be_counted_is_ended() {
        let unreadable = || Err(io::Error::other("too many open files"));
        let violation = ProcessCounter::new(10).violation_with(Some(1), unreadable);
        assert_eq!(violation.unwrap(), "its processes cannot be counted: too many open files");
    }

    #[test]
    fn last_process_id_is_readable() {
        assert!(last_id().is_some());
    }
}
