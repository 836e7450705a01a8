//! The errors for paths that a command cannot use.

use std::io;

use camino::Utf8Path;
use dlang_workspace::files::EXTENSION;
use zubi_cli::failure::Failure;

/// Returns the error for a path that does not exist.
pub(crate) fn not_found(path: &Utf8Path) -> Failure {
    Failure::usage(format!("Path not found: {path}")).hint("Pass a folder, or a file that ends in .dlang.")
}

/// Returns the error for a path that exists but cannot be read.
pub(crate) fn unreadable(path: &Utf8Path, error: &io::Error) -> Failure {
    Failure::environment(format!("cannot read `{path}`: {error}"))
        .hint("Check its permissions, and that links lead to existing files.")
}

/// Fails for a folder that cannot be read, because dlang could not determine whether it is empty.
pub(crate) fn ensure_readable_dir(path: &Utf8Path, folder: &Utf8Path) -> Result<(), Failure> {
    std::fs::read_dir(folder).map(drop).map_err(|error| unreadable(path, &error))
}

/// Returns the error for a file that is not a model.
pub(crate) fn wrong_extension(path: &Utf8Path) -> Failure {
    if path.extension() == Some(EXTENSION) {
        return Failure::usage(format!("`{path}` is neither a file nor a folder"));
    }
    Failure::usage("Invalid file extension. Expected: .dlang").hint(format!("`{path}` is not a DomainLang file."))
}
