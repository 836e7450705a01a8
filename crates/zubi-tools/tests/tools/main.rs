//! The tools over the toy language: exact answers, and properties of all tools.

#![expect(clippy::string_slice, reason = "ids are ASCII, and a test that slices wrongly should fail")]
#![expect(clippy::unwrap_used, reason = "a test's helper fails the test that called it")]

mod bounds;
mod domainlang;
mod editor;
mod editor_state;
mod files;
mod lsp;
mod mentions;
mod misleading;
mod models;
mod names;
mod outputs;
mod overview;
mod refactor;
mod references;
mod relations;
mod schemas;
mod secrets;
mod sizes;
mod sources;
mod structure;
mod support;
mod swapped;
mod text_edits;
mod tools;
