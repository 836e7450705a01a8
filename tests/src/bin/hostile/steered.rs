//! A server that follows instructions in files beside the workspace, so that a test can make it slow and quick again,
//! and read the messages it received.

use std::fs::OpenOptions;
use std::io::{self, Write as _};

use serde_json::{Value, json};

/// The names of the methods that are not answered, one per line.
const WITHHELD_METHODS_FILE: &str = "../records/held";

/// The names of all received messages, one per line.
const RECEIVED_METHODS_FILE: &str = "../records/heard";

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

/// A rename of the first word of every file in the workspace, in the order of the names.
#[expect(clippy::disallowed_methods, reason = "a program of the tests, which knows nothing of the product")]
pub(crate) fn rename_everywhere(params: &Value, word: &Value) -> io::Result<Value> {
    let root = std::env::current_dir()?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&root)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "hostile") {
            files.push(path);
        }
    }
    files.sort();
    let edit = |path: std::path::PathBuf| {
        json!({
            "textDocument": { "uri": format!("file://{}", path.display()), "version": null },
            "edits": [{ "range": word, "newText": params.get("newName") }],
        })
    };
    Ok(json!({ "documentChanges": files.into_iter().map(edit).collect::<Vec<_>>() }))
}
