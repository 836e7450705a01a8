//! A host over its socket and its port, compared with the same host in this process: every answer is the same, clients'
//! contributed tools are called, the user of a client sees prompts, and the port offers no more than it should.

#![expect(clippy::needless_pass_by_value, reason = "JSON is written where it is used: `ask(…, json!(…))`")]
#![expect(
    clippy::unwrap_used,
    reason = "a test from its first line to its last; the lints know only functions marked as tests"
)]
#![expect(clippy::disallowed_methods, reason = "files are written as other programs do it, not as zubi does")]

mod calls;
mod contributed;
mod daemon;
mod port;
#[path = "../../../zubi-ipc/tests/link/port_client.rs"]
mod port_client;
mod remote;
mod world;
