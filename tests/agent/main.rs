//! The agent end to end: the real program, real tools, and a model server that uses the real wire formats and follows a
//! script.

#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failed expectation is a failed test, and files are written and programs started as a user does it"
)]

mod apis;
mod endings;
mod harness;
mod killing;
mod secrets;
mod stopping;
mod terminal;
mod turns;
