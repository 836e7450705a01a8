//! Tests of the syntax on whole files: the examples, files with a token missing, arbitrary text, absurd sizes.

mod examples;
mod limits;
mod properties;
mod recovery;
