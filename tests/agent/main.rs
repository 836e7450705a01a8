//! The agent end to end: the real program, real tools, and a model's server that speaks the real wires and says what a script
//! says.

#![expect(clippy::expect_used, reason = "a failed expectation is a failed test")]

mod endings;
mod harness;
mod killing;
mod stopping;
mod terminal;
mod turns;
mod wires;
