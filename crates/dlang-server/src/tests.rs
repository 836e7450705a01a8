//! The server over a connection in memory: what a client sends, and what it gets.

mod client;
mod conversation;
mod diagnostics;
mod domainlang;
mod editing;
mod files;
mod loading;
mod questions;
mod stdio;
