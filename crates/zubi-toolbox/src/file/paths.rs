//! Which file a caller means, and what is said of one that cannot be named or read.
//!
//! Containment is [`Workspace`](zubi_base::workspace::Workspace)'s rule: after links are resolved, component by component.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::fs::{MAX_TEXT_BYTES, ReadError};
use zubi_base::workspace::PathError;
use zubi_tools::{ToolCx, ToolError};

/// The longest path that Linux takes (`PATH_MAX`), with room for the percent signs of a URI.
const MAX_GIVEN: usize = 3 * 4096;

/// The file or directory of the workspace that is meant; it exists.
pub(crate) fn resolve_existing(cx: &ToolCx, field: &str, given: &str) -> Result<Utf8PathBuf, ToolError> {
    plain(field, given)?;
    cx.workspace.resolve(given).map_err(|error| path_error(field, &error))
}

/// The same for one that need not exist.
pub(crate) fn creatable(cx: &ToolCx, field: &str, given: &str) -> Result<Utf8PathBuf, ToolError> {
    plain(field, given)?;
    let path = cx.workspace.resolve_for_creation(given).map_err(|error| path_error(field, &error))?;
    if cx.workspace.folders().iter().any(|folder| folder.path == path) {
        let what = "it is the workspace folder itself";
        return Err(ToolError::invalid(field, what, "Name a file in it."));
    }
    Ok(path)
}

fn plain(field: &str, given: &str) -> Result<(), ToolError> {
    let hint = "Give a path relative to the workspace folder, as answers print it.";
    if given.len() > MAX_GIVEN {
        return Err(ToolError::invalid(field, "it is longer than any path", hint));
    }
    // A line end in a name would forge lines of an answer.
    if given.chars().any(char::is_control) {
        return Err(ToolError::invalid(field, "it holds control characters", hint));
    }
    Ok(())
}

fn path_error(field: &str, error: &PathError) -> ToolError {
    let hint = match error {
        PathError::NotFound { .. } => "`file.list` shows what is there; `file.search` finds text.",
        PathError::Outside { .. } => {
            "Only files of the workspace can be named, also through links. The user can start zubi with that folder."
        }
        PathError::NotAPath { .. } => "Give a path relative to the workspace folder, as answers print it.",
        PathError::DeadLink { .. } => {
            "Nothing is read or written through such a link. Name the file itself, or have the link mended or removed."
        }
        PathError::BelowFile { .. } => "Name that file, or another folder; `file.list` shows what is there.",
        PathError::Unreachable { .. } => "Name another path, or have the user see to what stands in the way.",
    };
    ToolError::invalid(field, error, hint)
}

/// Why a file's text cannot be had, by its name as answers show it.
pub(crate) fn unreadable(cx: &ToolCx, operation: &str, path: &Utf8Path, error: &ReadError) -> ToolError {
    let shown = cx.workspace.display(path);
    let (why, hint) = match error {
        ReadError::NotFound { .. } => (format!("`{shown}` does not exist"), "`file.list` shows what is there."),
        ReadError::Directory { .. } => (format!("`{shown}` is a directory"), "`file.list` shows what is in it."),
        ReadError::Special { .. } => {
            (format!("`{shown}` is a pipe, a socket or a device"), "Only regular files can be read.")
        }
        ReadError::TooLarge { bytes, .. } => (
            format!("`{shown}` has {bytes} bytes, more than the {MAX_TEXT_BYTES} that are read at once"),
            "`file.search` with this `path` finds lines in it.",
        ),
        ReadError::Linked { .. } => {
            (format!("a link took the place of `{shown}` as it was read"), "Look with file.list, then decide again.")
        }
        ReadError::NotText { .. } => (
            format!("`{shown}` is binary, or text in another encoding than UTF-8"),
            "Another program must read this format.",
        ),
        ReadError::Io { source, .. } => {
            (format!("`{shown}`: {source}"), "See that the file can be read by the user that runs zubi.")
        }
    };
    ToolError::operation_failed(operation, why, hint)
}
