//! Resolves file arguments, and renders errors about files that cannot be named or read.
//!
//! [`WorkspaceFolders`](zubi_base::workspace::WorkspaceFolders) decides containment: after symlinks are resolved, component by
//! component.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::fs::{MAX_TEXT_BYTES, ReadError};
use zubi_base::workspace::PathError;
use zubi_code::ExternalFiles;
use zubi_tool_api::{ToolCx, ToolError};

use crate::lsp::code_tool::EXTERNAL_HINT;

/// Longest path accepted by Linux (`PATH_MAX`), with room for percent-encoding in a URI.
const MAX_ARGUMENT: usize = 3 * 4096;

/// Resolves an existing file or directory of the workspace.
pub(crate) fn resolve_existing(cx: &ToolCx, field: &str, argument: &str) -> Result<Utf8PathBuf, ToolError> {
    check_plain(field, argument)?;
    cx.workspace.resolve(argument).map_err(|error| path_error(field, &error))
}

/// Resolves an existing file for reading: of the workspace, or one outside that an answer has shown.
pub(crate) fn resolve_readable(files: &ExternalFiles, field: &str, argument: &str) -> Result<Utf8PathBuf, ToolError> {
    check_plain(field, argument)?;
    files.resolve(argument).map_err(|error| match error {
        PathError::Outside { .. } => ToolError::invalid(field, error, EXTERNAL_HINT),
        error => path_error(field, &error),
    })
}

/// Resolves a file of the workspace that need not exist.
pub(crate) fn resolve_creatable(cx: &ToolCx, field: &str, argument: &str) -> Result<Utf8PathBuf, ToolError> {
    check_plain(field, argument)?;
    let path = cx.workspace.resolve_for_creation(argument).map_err(|error| path_error(field, &error))?;
    if cx.workspace.folders().iter().any(|folder| folder.path == path) {
        let problem = "it is the workspace folder itself";
        return Err(ToolError::invalid(field, problem, "Name a file in it."));
    }
    Ok(path)
}

fn check_plain(field: &str, argument: &str) -> Result<(), ToolError> {
    let hint = "Give a path relative to the workspace folder, as answers print it.";
    if argument.len() > MAX_ARGUMENT {
        return Err(ToolError::invalid(field, "it is longer than any valid path", hint));
    }
    // Only shells expand it, and a later command of a person about a folder `~` would be about their home directory.
    if argument == "~" || argument.starts_with("~/") {
        let hint = "Give a path relative to the workspace folder; `./~/…` names a folder that is called `~`.";
        return Err(ToolError::invalid(field, "`~` is not expanded to the home directory here", hint));
    }
    // A line break in a name could forge lines of an answer.
    if argument.chars().any(char::is_control) {
        return Err(ToolError::invalid(field, "it contains control characters", hint));
    }
    Ok(())
}

fn path_error(field: &str, error: &PathError) -> ToolError {
    let hint = match error {
        PathError::NotFound { .. } => "`file.list` shows existing files; `file.search` finds text.",
        PathError::Outside { .. } => {
            "Only files of the workspace are accessible, also through links. The user can start zubi with that folder."
        }
        PathError::NotAPath { .. } => "Give a path relative to the workspace folder, as answers print it.",
        PathError::DeadLink { .. } => {
            "zubi does not read or write through such a link. Name the file itself, or fix or remove the link."
        }
        PathError::BelowFile { .. } => "Name that file, or another folder; `file.list` shows existing files.",
        PathError::Unreachable { .. } => "Name another path, or ask the user to remove the obstacle.",
    };
    ToolError::invalid(field, error, hint)
}

/// Renders the error of a file whose text cannot be read, with its display path.
pub(crate) fn read_error(cx: &ToolCx, operation: &str, path: &Utf8Path, error: &ReadError) -> ToolError {
    let display_path = cx.workspace.display(path);
    let (reason, hint) = match error {
        ReadError::NotFound { .. } => (format!("`{display_path}` does not exist"), "`file.list` shows existing files."),
        ReadError::Directory { .. } => (format!("`{display_path}` is a directory"), "`file.list` shows its files."),
        ReadError::Special { .. } => {
            (format!("`{display_path}` is a pipe, a socket or a device"), "Only regular files can be read.")
        }
        ReadError::TooLarge { bytes, .. } => (
            format!("`{display_path}` has {bytes} bytes, more than the limit of {MAX_TEXT_BYTES}"),
            "`file.search` with this `path` finds lines in it.",
        ),
        ReadError::Linked { .. } => (
            format!("`{display_path}` was replaced by a link while it was read"),
            "Check with file.list, then try again.",
        ),
        ReadError::NotText { .. } => (
            format!("`{display_path}` is binary, or text in another encoding than UTF-8"),
            "Use another program for this format.",
        ),
        ReadError::Io { source, .. } => {
            (format!("`{display_path}`: {source}"), "Check that the user running zubi may read the file.")
        }
    };
    ToolError::operation_failed(operation, reason, hint)
}
