//! The IPC protocol: how a front finds a host of its workspace, how both prove who they are, and what they say to each other.
//!
//! Newline-delimited JSON-RPC 2.0 over a Unix socket, or over loopback TCP for what only looks. What the methods mean is the
//! business of the host; here are their names and the shapes of what is sent ([`wire`]).

pub mod client;
pub mod discovery;
mod handshake;
pub mod listener;
pub mod proof;
pub mod wire;
