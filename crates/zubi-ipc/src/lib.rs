//! The IPC protocol: how a client discovers a host of its workspace, how both authenticate, and the messages they
//! exchange.
//!
//! Newline-delimited JSON-RPC 2.0 over a Unix socket, or over loopback TCP for read-only access. The host implements
//! the methods; this crate defines their names and the types of their messages ([`wire`]).

pub mod auth;
pub mod client;
pub mod discovery;
mod handshake;
pub mod listener;
pub mod wire;
