//! Hosts that several processes share, and their clients.

#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failed expectation is a failed test, and files are written as other programs do it, not as zubi does"
)]

mod clients;
mod crowds;
mod editor;
mod faults;
mod lost;
mod moving;
mod problems;
mod raw;
mod security;
mod sharing;
mod steered;
mod under_way;
mod window;
