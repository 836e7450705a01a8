//! The MCP surface in process, as a client sees it: raw JSON lines over a duplex pipe, both eras of the protocol.

mod client;
mod conversation;
mod ending;
mod eras;
mod hostile;
mod tools;
