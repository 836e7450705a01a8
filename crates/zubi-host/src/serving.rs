//! A host for other processes: the methods of the protocol over a [`LocalHost`](crate::local::LocalHost).
//!
//! Every request has its own task, so that a slow one does not delay later ones. Clients on the port can only read.

mod approvals;
mod contributed;
mod errors;
mod hosts;
mod in_process;
mod methods;
mod server;
mod sessions;
mod shared;
mod tools;

pub use self::server::{ClientPolicy, HostServer, Identity};
pub use self::shared::{PublishOptions, PublishedHost};
