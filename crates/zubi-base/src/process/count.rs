//! How many processes a program has made, counted without looking at all of them all the time.

use std::time::Duration;

use super::tree::descendants;

/// Counts the descendants of this process.
///
/// The system does not report how many descendants a process has, and scanning every process of the machine costs
/// milliseconds. But ids are assigned in order: since the last count there cannot be more new processes than assigned
/// ids, and the last assigned id is in `/proc/loadavg` (`proc_loadavg(5)`). The counter scans only when that many could
/// be too many.
#[derive(Debug)]
pub(super) struct ProcessCounter {
    limit: u32,
    /// How many ids may be given out before there could be too many processes.
    headroom: u32,
    last_id: Option<u32>,
}

impl ProcessCounter {
    /// How often to look. A shell makes some thousand processes a second.
    pub(super) const TICK: Duration = Duration::from_millis(10);

    /// `limit` is how many there may be.
    pub(super) fn new(limit: u32) -> Self {
        Self { limit, headroom: 0, last_id: None }
    }

    /// The limit, when there are more.
    pub(super) fn exceeded_limit(&mut self) -> Option<u32> {
        self.exceeded_with(last_id(), || descendants(std::process::id()).len())
    }

    fn exceeded_with(&mut self, last_id: Option<u32>, count: impl FnOnce() -> usize) -> Option<u32> {
        // Ids start again at the smallest when they have reached the largest.
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

/// The id that was given out last.
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
        // The last id, how many there are if one looks, and whether one looks and finds too many.
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
