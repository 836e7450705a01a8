//! Counts the processes of a program without scanning all processes each time.

use std::time::Duration;

use super::tree::descendants;

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

    /// Returns the limit if there are more processes.
    pub(super) fn exceeded_limit(&mut self) -> Option<u32> {
        self.exceeded_with(last_id(), || descendants(std::process::id()).len())
    }

    fn exceeded_with(&mut self, last_id: Option<u32>, count: impl FnOnce() -> usize) -> Option<u32> {
        // After the largest id, the kernel starts again at the smallest.
        let new_ids = last_id.zip(self.last_id).and_then(|(now, before)| now.checked_sub(before));
        if new_ids.is_some_and(|new_ids| new_ids <= self.headroom) {
            return None;
        }
        let count = u32::try_from(count()).unwrap_or(u32::MAX);
        self.last_id = last_id;
        self.headroom = self.limit.saturating_sub(count);
        (count > self.limit).then_some(self.limit)
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
        for (last_id, actual_count, is_counted, exceeded) in [
            (Some(100), 4, true, None),
            (Some(106), 99, false, None),
            (Some(107), 8, true, None),
            (Some(109), 99, false, None),
            (Some(3), 9, true, None),
            (Some(5), 11, true, Some(10)),
            (None, 2, true, None),
        ] {
            let mut has_counted = false;
            let result = population.exceeded_with(last_id, || {
                has_counted = true;
                actual_count
            });
            assert_eq!((has_counted, result), (is_counted, exceeded), "{last_id:?}");
        }
    }

    #[test]
    fn last_process_id_is_readable() {
        assert!(last_id().is_some());
    }
}
