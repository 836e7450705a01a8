//! The VS Code extension in `editors/vscode`: its types, its lints and its unit tests, with what its lock file names.
//!
//! That it works in a real VS Code is tested in `tests/`, like everything that needs other programs.

use std::process::Command;

use anyhow::Result;

use crate::{place, run, setup};

/// The components that this needs.
pub(crate) const COMPONENTS: [&str; 2] = ["node", "vscode-extension"];

/// Checks the types and lints all of its TypeScript.
pub(crate) fn lint() -> Result<String> {
    run::loud(tool("tsc").arg("--noEmit"))?;
    run::loud(tool("eslint").args(["--max-warnings", "0", "."]))?;
    // The examples are held to the same rules, with the same programs.
    for example in ["examples/ipc/typescript", "examples/vscode-extension"] {
        run::loud(tool("tsc").arg("--project").arg(place::ROOT.join(example)))?;
        run::loud(tool("eslint").args(["--max-warnings", "0", "."]).current_dir(place::ROOT.join(example)))?;
    }
    Ok(String::new())
}

/// Runs the unit tests.
pub(crate) fn units() -> Result<String> {
    // With `CI`, a snapshot that is missing fails instead of being written.
    run::loud(tool("vitest").args(["run", "--reporter", "dot"]).env("CI", "true"))?;
    Ok(String::new())
}

/// A program of the extension's own packages, run by the Node that `setup` installed.
fn tool(name: &str) -> Command {
    let mut command = run::command(setup::program("vscode-extension", name).as_str());
    let node = place::tools().join("bin/node");
    let path = std::env::var("PATH").unwrap_or_default();
    command.current_dir(place::ROOT.join("editors/vscode")).env("PATH", format!("{node}:{path}"));
    command
}
