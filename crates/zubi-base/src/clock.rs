//! The time of day as a value, so that code which stamps things can be tested.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Tells the time of day.
pub trait Clock: Send + Sync {
    /// Time since the Unix epoch.
    fn now(&self) -> Duration;
}

/// The machine's own clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

/// A clock that stands still, for tests.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Duration);

impl Clock for FixedClock {
    fn now(&self) -> Duration {
        self.0
    }
}
