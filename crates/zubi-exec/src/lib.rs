//! Execution for the user: programs and shell scripts, HTTP requests, JavaScript; injection-safe templates, limits, the
//! sandbox, and the store of all output.
//!
//! The policy decides whether something is allowed, before it calls this crate.

pub mod http;
pub mod job;
pub mod program;
pub mod sandbox;
pub mod script;
pub mod store;
pub mod template;
