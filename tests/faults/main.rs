//! No behaviour of a language server harms the agent: the call ends in time, the text says what happened and what to do
//! next, no file changes, memory stays bounded, other servers continue to answer, and no process is left.

#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failed expectation is a failed test, and files are written as other programs do it, not as zubi does"
)]

mod answers;
mod harness;
mod inputs;
mod library;
mod lifetime;
mod processes;
