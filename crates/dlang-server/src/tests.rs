//! The server over an in-memory connection.

mod client;
mod conversation;
mod diagnostics;
mod domainlang;
mod editing;
mod files;
mod loading;
mod questions;
mod stdio;
