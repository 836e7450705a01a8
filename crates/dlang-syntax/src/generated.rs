//! The code that `cargo xtask codegen` generates from `keywords.toml` and `dlang.ungram`.

pub(crate) mod keywords;
pub(crate) mod kinds;
pub(crate) mod nodes;
