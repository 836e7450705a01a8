//! `dlang init`: creates the first files of a model. Existing files are not changed.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::process::ExitCode;

use camino::Utf8Path;
use dlang_workspace::template;
use serde_json::json;
use zubi_cli::failure::Failure;
use zubi_cli::terminal;

use crate::cli::Init;
use crate::output::{DlangOutput, Mode};

/// The name of a model in a folder without a name, such as the root of a file system.
const NAMELESS: &str = "model";

pub(super) fn run(output: &DlangOutput, arguments: &Init) -> Result<ExitCode, Failure> {
    let folder = output.current_dir.join(&arguments.directory);
    let failure = |path: &Utf8Path, error: &io::Error| {
        let path = output.show(path);
        if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory) {
            Failure::usage(format!("`{path}` is not a folder"))
                .hint("Pass a folder, or a path that does not exist yet.")
        } else {
            Failure::environment(format!("cannot create `{path}`: {error}"))
        }
    };
    std::fs::create_dir_all(&folder).map_err(|error| failure(&folder, &error))?;
    let folder = zubi_base::fs::canonical(&folder).map_err(|error| failure(&folder, &error))?;
    let (mut new, mut skipped) = (Vec::new(), Vec::new());
    for (name, text) in template::files(folder.file_name().unwrap_or(NAMELESS)) {
        let path = folder.join(name);
        if let Some(parent) = path.parent().filter(|parent| *parent != folder) {
            std::fs::create_dir_all(parent).map_err(|error| failure(parent, &error))?;
        }
        match create(&path, &text) {
            Ok(()) => new.push(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => skipped.push(name),
            Err(error) => return Err(failure(&path, &error)),
        }
    }
    match output.mode {
        Mode::Json => {
            terminal::print_json(&json!({ "success": true, "projectPath": folder, "files": new, "kept": skipped }))?;
        }
        Mode::Quiet => terminal::print(folder.as_str())?,
        Mode::Rich => {
            for name in new {
                terminal::print(&format!("created {}", output.show(&folder.join(name))))?;
            }
            for name in skipped {
                terminal::print(&format!("skipped existing {}", output.show(&folder.join(name))))?;
            }
            terminal::print_err("next: edit index.dlang, then run `dlang validate`");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Creates a file with its text. An existing entry is left unchanged, even a dangling link.
fn create(path: &Utf8Path, text: &str) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}
