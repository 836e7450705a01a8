//! Questions about a whole model by name, for scripts and agents.
//!
//! - [`find`] looks an element up.

mod lookup;

pub use lookup::{Lookup, find};
