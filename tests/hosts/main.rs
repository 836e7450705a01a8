//! Hosts that several processes share, and the programs that ask them.

#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failed expectation is a failed test, and files are written as other programs do it, not as zubi does"
)]

mod clients;
mod editor;
mod lost;
mod moving;
mod sharing;
mod steered;
mod window;
