//! The tools over the toy language: exact answers, and properties of all tools.

#![expect(clippy::string_slice, reason = "ids are ASCII, and a test that slices wrongly should fail")]
#![expect(clippy::unwrap_used, reason = "a test's helper fails the test that called it")]

mod bounds;
mod domainlang;
mod editor;
mod files;
#[expect(unreachable_pub, reason = "the fuzz package calls this from other crates")]
#[path = "../../../../fuzz/src/declared.rs"]
mod fuzz_declared;
mod lsp;
mod misleading;
mod models;
mod outputs;
mod refactor;
mod references;
mod relations;
#[path = "../../../../fuzz/replay.rs"]
mod replay;
mod schemas;
mod sight;
mod support;
mod swapped;
mod tools;

/// Runs the fuzz target of tool files on its committed corpus.
#[test]
fn corpus_of_tool_files() {
    replay::replay("declared", fuzz_declared::parse_tool_file);
}
