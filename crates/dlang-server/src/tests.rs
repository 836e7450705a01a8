//! The server over an in-memory connection.

mod client;
mod conversation;
mod diagnostics;
mod domainlang;
mod editing;
mod features;
mod files;
mod loading;
mod stdio;
