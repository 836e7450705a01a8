//! A server that follows instructions in files beside the workspace, so that a test can make it slow and quick again,
//! and read the messages it received.

use std::fs::OpenOptions;
use std::io::{self, Write as _};

/// The names of the methods that are not answered, one a line.
const HELD: &str = "../held";

/// The names of all messages that came, one a line.
const HEARD: &str = "../heard";

/// Writes down that a message came.
pub(crate) fn note(method: &str) -> io::Result<()> {
    let mut heard = OpenOptions::new().create(true).append(true).open(HEARD)?;
    // In one piece: several servers may write.
    heard.write_all(format!("{method}\n").as_bytes())
}

/// Whether a request is to stay without an answer.
#[expect(clippy::disallowed_methods, reason = "a program of the tests, which knows nothing of the product")]
pub(crate) fn is_held(method: &str) -> bool {
    std::fs::read_to_string(HELD).is_ok_and(|held| held.lines().any(|line| line == method))
}
