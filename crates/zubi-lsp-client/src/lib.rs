//! Headless language servers: the catalogue of known servers, the detection of installed ones, and the client that runs
//! them and sends them requests.
//!
//! The entry point is [`pool::ServerPool`], an [`zubi_base::endpoint::EndpointSource`] over all servers of a workspace.
//! It has one [`endpoint::ServerEndpoint`] for each server and project. An endpoint has one [`session::ServerSession`]
//! at a time, with a process, a [`zubi_base::rpc::Connection`] and the mirror of its documents. [`catalogue`] and
//! [`detect`] decide which servers can run; [`readiness`] follows how far a server has read its project.
//!
//! This crate knows nothing of tools, and LSP only as far as a client must; the layers above interpret the responses.

mod capabilities;
pub mod catalogue;
pub mod checks;
pub mod detect;
pub mod diagnostic_rounds;
mod diagnostics;
pub mod document_activity;
mod documents;
pub mod endpoint;
mod first_document;
mod globs;
pub mod health;
mod initialize;
mod log;
mod peer;
pub mod pool;
pub mod readiness;
pub mod sandbox;
pub mod session;
mod size_estimate;
mod stamp;
#[cfg(test)]
mod testing;
mod tsserver;
mod watch;
