//! The time limits of a server.

use std::time::Duration;

use serde::Deserialize;

/// The time limits of a server, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timeouts {
    pub initialize_ms: u64,
    pub request_ms: u64,
    pub shutdown_ms: u64,
}

impl Default for Timeouts {
    /// Node.js servers on a busy machine take seconds to answer `initialize`; references in a large project take tens
    /// of seconds; a shutdown does nothing important.
    fn default() -> Self {
        Self { initialize_ms: 30_000, request_ms: 60_000, shutdown_ms: 2_000 }
    }
}

impl Timeouts {
    pub fn initialize(&self) -> Duration {
        Duration::from_millis(self.initialize_ms)
    }

    pub fn request(&self) -> Duration {
        Duration::from_millis(self.request_ms)
    }

    pub fn shutdown(&self) -> Duration {
        Duration::from_millis(self.shutdown_ms)
    }
}
