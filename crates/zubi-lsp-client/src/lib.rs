//! Headless language servers: the catalogue of known servers, the search for those that this machine has, and the
//! client that runs them and sends them requests.
//!
//! The entry point is [`pool::ServerPool`], an [`zubi_base::endpoint::EndpointSource`] over all servers of a workspace.
//! It owns a [`endpoint::ServerEndpoint`] for each server and project, which owns one [`session::ServerSession`] after the
//! other, which owns a process, a [`zubi_base::rpc::Connection`] and the mirror of its documents. [`catalogue`] and
//! [`detect`] decide which servers can run; [`readiness`] follows how far a server has read its project.
//!
//! Knows nothing of tools. Knows LSP as far as a client must; the layers above interpret the answers.

mod capabilities;
pub mod catalogue;
pub mod checks;
pub mod detect;
mod diagnostics;
pub mod document_activity;
mod documents;
pub mod endpoint;
mod first_document;
mod globs;
mod initialize;
mod log;
mod peer;
pub mod pool;
pub mod readiness;
pub mod session;
mod size_estimate;
mod stamp;
#[cfg(test)]
mod testing;
mod tsserver;
mod watch;
