//! Queries about a whole model, for scripts and agents: the results are small lists and JSON.
//!
//! - [`find`] looks an element up by a name that a user gives.
//! - [`Query`] has the collections of a model; [`Elements`] and [`Relationships`] filter them, step by step.
//! - [`serialize()`] makes JSON of an element with all its contents.
//! - [`list()`], [`get()`] and [`Summary`] answer whole requests. Every surface (command line, MCP, language server)
//!   calls these and prints what they return, so the answers are the same everywhere.
//!
//! The caller chooses how paths are shown; nothing else in an answer depends on the caller.
//!
//! # Order
//!
//! Files come in the order of their paths, their declarations in the order of their texts, each namespace before its
//! contents. Each declaration counts separately: a name that is declared twice is listed twice. Relationships in
//! bounded contexts come first, over all files, then those of context maps.

mod collections;
mod elements;
mod entity;
mod get;
mod list;
mod lookup;
mod relationships;
mod rows;
mod serialize;
mod summary;

pub use collections::Query;
pub use elements::Elements;
pub use entity::{EntityType, InvalidInput};
pub use get::{get, namesakes};
pub use list::{Detail, ListInput, list};
pub use lookup::{Lookup, find};
pub use relationships::Relationships;
pub use serialize::{serialize, serialize_node, serialize_relationship};
pub use summary::Summary;

#[cfg(test)]
mod tests;
