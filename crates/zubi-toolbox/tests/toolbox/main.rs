//! The tools over the toy language: what a model reads, word for word, and what holds for all of them.

#![expect(clippy::string_slice, reason = "ids are ASCII, and a test that slices wrongly should fail")]
#![expect(clippy::unwrap_used, reason = "a test's helper fails the test that called it")]

mod domainlang;
mod files;
mod lsp;
mod models;
mod refactor;
mod references;
mod relations;
mod schemas;
mod support;
mod tools;
