//! (being written)
pub mod catalogue;
pub mod connection;
pub mod detect;
