//! A server that follows instructions in files next to the workspace, so that a test can make it slow and quick again,
//! and read the messages it received.

use std::fs::OpenOptions;
use std::io::{self, Write as _};

/// The names of the methods that are not answered, one per line.
const WITHHELD_METHODS_FILE: &str = "../held";

/// The names of all received messages, one per line.
const RECEIVED_METHODS_FILE: &str = "../heard";

/// Records a received message.
pub(crate) fn record_method(method: &str) -> io::Result<()> {
    let mut log = OpenOptions::new().create(true).append(true).open(RECEIVED_METHODS_FILE)?;
    // A single write, because several servers may write.
    log.write_all(format!("{method}\n").as_bytes())
}

/// Whether a request must stay unanswered.
#[expect(clippy::disallowed_methods, reason = "a program of the tests, which knows nothing of the product")]
pub(crate) fn is_withheld(method: &str) -> bool {
    std::fs::read_to_string(WITHHELD_METHODS_FILE).is_ok_and(|methods| methods.lines().any(|line| line == method))
}
