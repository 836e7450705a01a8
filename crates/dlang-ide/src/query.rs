//! Questions about a whole model, for scripts and agents: the answers are small lists and JSON.
//!
//! - [`find`] looks an element up by what somebody calls it.
//! - [`Query`] has the collections of a model; [`Elements`] and [`Relationships`] narrow them down, step by step.
//! - [`serialize()`] makes JSON of an element with all that is in it.
//! - [`list()`], [`get()`] and [`Summary`] answer whole requests. Every channel (command line, MCP, language server) calls
//!   these and prints what they return, which is why the answers are the same everywhere.
//!
//! Where paths appear, the caller says how they are shown; nothing else of an answer depends on who asks.
//!
//! # The order of things
//!
//! Files come in the order of their paths, what they declare in the order of their texts, each namespace before what is in
//! it. A declaration is one thing: a name that is declared twice is listed twice. Of relationships those that stand in
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
