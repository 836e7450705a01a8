//! `dlang mcp`: an MCP server of the DomainLang tools, over stdin and stdout.

use std::process::ExitCode;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use dlang_workspace::files::{DiskFiles, EXTENSION};
use dlang_workspace::modules::Modules;
use dlang_workspace::workspace::Root;
use zubi_base::clock::SystemClock;
use zubi_cli::failure::{Failure, INTERRUPTED};
use zubi_cli::runtime::{block_on, on_interrupt};
use zubi_host::LocalHost;
use zubi_mcp::{ElicitationMode, ServerIdentity};

use crate::cli::Mcp;
use crate::load;
use crate::output::DlangOutput;
use crate::path_error;

/// Returns the folder to which paths in answers about a file's model are relative, so that calls accept these paths.
fn folder_of(file: &Utf8Path) -> Utf8PathBuf {
    let module = Modules::new(DiskFiles).module_of_file(file);
    match &module.manifest {
        Some(_) => module.root.clone(),
        None => file.parent().unwrap_or(file).to_owned(),
    }
}

pub(super) fn run(output: &DlangOutput, arguments: &Mcp) -> Result<ExitCode, Failure> {
    let root = load::root(output, &arguments.path)?;
    // The tools compare real paths to decide what is inside the folder.
    let path = zubi_base::fs::canonical(root.path()).map_err(Failure::environment)?;
    let (folder, root) = match root {
        Root::Folder(_) => (path.clone(), Root::Folder(path)),
        Root::File(_) if path.extension() != Some(EXTENSION) => {
            return Err(path_error::wrong_extension(&arguments.path));
        }
        Root::File(_) => (folder_of(&path), Root::File(path)),
    };
    let host = LocalHost::for_models(folder, root, Arc::new(SystemClock)).map_err(Failure::environment)?;
    block_on(async {
        let stop = on_interrupt()?;
        let (input, output) = zubi_mcp::stdio();
        match zubi_mcp::serve(
            ServerIdentity::DOMAINLANG,
            ElicitationMode::default(),
            Arc::new(host),
            input,
            output,
            stop.clone(),
        )
        .await
        {
            Ok(()) if stop.is_cancelled() => Ok(ExitCode::from(INTERRUPTED)),
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(error) => Err(Failure::environment(format!("the connection failed: {error:#}"))),
        }
    })?
}
