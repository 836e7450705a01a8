//! `zubi tools init`: creates a first tool file. It never overwrites one.

use std::io::{self, Write as _};
use std::process::ExitCode;

use camino::Utf8Path;
use zubi_base::text::pluralize;
use zubi_base::workspace::WorkspaceFolders;
use zubi_cli::failure::Failure;
use zubi_cli::terminal;
use zubi_declared::{MAIN_FILE, template};

use crate::session::CliSession;

pub(super) fn run(session: &CliSession) -> Result<ExitCode, Failure> {
    let workspace = WorkspaceFolders::open(&session.folders).map_err(Failure::usage)?;
    let path = workspace.root().join(MAIN_FILE);
    match write(&workspace, &path) {
        Ok(()) => {
            terminal::print(&format!("wrote {}", workspace.display(&path)))?;
            terminal::print_err("Next: edit it, run `zubi tools check`, then `zubi trust`.");
            Ok(ExitCode::SUCCESS)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let loaded = zubi_declared::load_files(&workspace, &[path], &session.trust(), &[]);
            let tools: usize = loaded.files.iter().map(|file| file.tools.len()).sum();
            let tools = pluralize(tools, "tool");
            let message = format!("`{MAIN_FILE}` already exists, with {tools}; nothing was changed");
            Err(Failure::usage(message).hint("`zubi tools check` reports its errors, if there are any."))
        }
        Err(error) => Err(Failure::environment(format!("cannot write `{MAIN_FILE}`: {error}"))),
    }
}

/// Writes the sample as a new file. An existing entry of that name, even a dangling link, is left unchanged.
fn write(workspace: &WorkspaceFolders, path: &Utf8Path) -> io::Result<()> {
    let Some(directory) = path.parent() else { return Ok(()) };
    std::fs::create_dir_all(directory)?;
    if !workspace.contains(&zubi_base::fs::canonical(directory)?) {
        return Err(io::Error::other("its directory is a link that leads out of the workspace"));
    }
    let mut file = std::fs::File::create_new(path)?;
    file.write_all(template::SAMPLE.as_bytes())
}
