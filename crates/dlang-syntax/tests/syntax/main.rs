//! Tests of the syntax on whole files: the examples, files with a missing token, arbitrary text, extreme sizes.
#![expect(clippy::string_slice, reason = "a test that cuts a character should fail")]

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod examples;
#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls these from other crates")]
#[path = "../../../../fuzz/src/dlang.rs"]
mod invariants;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod on_disk;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod recovery;
#[cfg(test)]
#[path = "../../../../fuzz/replay.rs"]
mod replay;
