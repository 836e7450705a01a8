//! Headless language servers: which there are, which this machine has, and how they are run and asked.
//!
//! [`pool::ServerPool`] is the door: an [`zubi_base::endpoint::EndpointSource`] over all servers of a workspace. Behind
//! it a [`endpoint::ServerEndpoint`] for each server and project, which owns one [`session::Session`] after the other,
//! which owns a process, a [`zubi_base::rpc::Connection`] and the mirror of its documents. [`catalogue`] and [`detect`] say
//! what can be run; [`readiness`] says how far a server has read its project.
//!
//! Knows nothing of tools. Knows LSP as far as a client must; what an answer means is read above.

pub mod catalogue;
pub mod checks;
pub mod detect;
mod diagnostics;
mod documents;
pub mod endpoint;
mod first_document;
mod globs;
mod initialize;
mod log;
mod capabilities;
mod peer;
pub mod pool;
pub mod readiness;
pub mod session;
pub mod document_activity;
mod stamp;
#[cfg(test)]
mod testing;
mod tsserver;
mod watch;
mod size_estimate;
