//! The current time as a value, so that tests can replace the clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A source of the current wall-clock time.
pub trait Clock: Send + Sync {
    /// Time since the Unix epoch.
    fn now(&self) -> Duration;
}

/// The system clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

/// Returns a duration in whole milliseconds.
pub fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A clock that always returns the same time, for tests.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Duration);

impl Clock for FixedClock {
    fn now(&self) -> Duration {
        self.0
    }
}
