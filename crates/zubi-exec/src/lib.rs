//! Execution for the user: programs and shell scripts, HTTP requests, JavaScript; templates that cannot inject, limits,
//! the sandbox, and the store of all output.
//!
//! Nothing here decides whether something is allowed: the policy does, before any of this is called.

pub mod http;
pub mod job;
pub mod program;
pub mod sandbox;
pub mod script;
pub mod store;
pub mod template;
