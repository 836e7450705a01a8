//! Tests of the features on whole files: the examples, generated models, arbitrary text, extreme sizes.
#![expect(clippy::string_slice, reason = "a test that cuts a character should fail")]

#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls these from other crates")]
#[path = "../../../../fuzz/src/completion_checks.rs"]
mod completion_checks;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod gaps;
#[cfg(test)]
mod generated;
#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls these from other crates")]
#[path = "../../../../fuzz/src/editor.rs"]
mod invariants;
#[cfg(test)]
mod limits;
#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls these from other crates")]
#[path = "../../../../fuzz/src/model.rs"]
mod model;
#[cfg(test)]
mod models;
#[cfg(test)]
#[path = "../../../dlang-syntax/tests/syntax/on_disk.rs"]
mod on_disk;
#[cfg(test)]
mod positions;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod query;
#[cfg(test)]
#[path = "../../../../fuzz/replay.rs"]
mod replay;
