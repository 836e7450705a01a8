//! Hosts that several processes share, and their clients.

#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failed expectation is a failed test, and files are written as other programs do it, not as zubi does"
)]

mod clients;
mod controlled;
mod editor;
mod failover;
mod faults;
mod interrupted_calls;
mod interrupted_edits;
mod load;
mod lockstep;
mod raw;
mod running_calls;
mod security;
mod sharing;
mod validation;
mod window;
