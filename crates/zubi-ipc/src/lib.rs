//! The IPC protocol: discovery of a workspace's hosts, authentication of both ends, and their messages.
//!
//! Newline-delimited JSON-RPC 2.0 over a Unix socket, or over loopback TCP for read-only access. The host implements
//! the methods; this crate defines their names and the types of their messages ([`wire`]).

pub mod auth;
pub mod client;
pub mod discovery;
mod handshake;
pub mod listener;
pub mod wire;
