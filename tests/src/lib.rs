//! The harness of the end-to-end tests: the real `zubi` program, real language servers, a real MCP client.
//!
//! Owns: the programs that a test may see ([`tools`]), the project ([`project`]), the running program and the
//! connection to it ([`zubi`]), the same as a language server ([`language_server`]), a real editor ([`vscode`]), the
//! models ([`models`]), and the processes that they leave behind ([`processes`]). [`hosts`] and [`agent`] are for
//! several processes that share one host. It links no part of the product: these tests see what a user sees. Rules: no
//! sleeping, no retries; a wait has a condition and a deadline; a missing program fails the test, with a message that
//! says how to install it.
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test harness: a failed expectation is a failed test, and it starts the programs under test itself"
)]

pub mod agent;
pub mod flows;
pub mod hosts;
pub mod language_server;
pub mod processes;
pub mod project;
pub mod tools;
pub mod vscode;
pub mod zubi;

pub use agent::Agent;
pub use hosts::HostsProject;
pub use language_server::LanguageServer;
pub use project::Project;
pub use scripted_models as models;
pub use zubi::{Answer, Zubi};
