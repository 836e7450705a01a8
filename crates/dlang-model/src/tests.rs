//! Tests of the crate, on fixture texts.

mod cancellation;
mod editing;
mod fixes;
mod fixture;
mod hostile;
mod imports;
mod incremental;
mod meaning;
mod names;
mod properties;
mod syntax;
mod validation;
