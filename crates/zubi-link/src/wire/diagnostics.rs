//! Written by its owner.
