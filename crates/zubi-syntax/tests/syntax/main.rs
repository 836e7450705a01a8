//! Tests of the crate over its samples: `tests/samples` has one file per language.
#![expect(clippy::string_slice, reason = "a test that cuts a character should fail")]

#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls these from other crates")]
#[path = "../../../../fuzz/src/syntax.rs"]
mod fuzz;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod outlines;
#[cfg(test)]
mod patterns;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod recall;
#[cfg(test)]
#[path = "../../../../fuzz/replay.rs"]
mod replay;
#[cfg(test)]
mod rewrites;
#[cfg(test)]
mod samples;
