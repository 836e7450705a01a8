//! Nothing that a language server does hurts the agent that asks: whatever it is, the call ends in time, the text says
//! what happened and what to do next, no file changes, memory stays bounded, other servers go on answering, and nothing
//! is left running.

#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failed expectation is a failed test, and files are written as other programs do it, not as zubi does"
)]

mod answers;
mod harness;
mod inputs;
mod keeping;
mod library;
mod processes;
