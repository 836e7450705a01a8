//! The surfaces: MCP in both eras and from other clients, and the command line. All give the same text for a call.
#![expect(clippy::expect_used, reason = "a failed expectation is a failed test, also in a helper")]

mod command_line;
mod converters;
mod diagrams;
mod doctor;
mod identity;
mod index;
mod mcp;
mod other_clients;
mod text_search;
