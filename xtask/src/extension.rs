//! The VS Code extension in `editors/vscode`: type checks, lints and unit tests, with the packages in its lock file.
//!
//! The tests in a real VS Code are in `tests/`, like all tests that need other programs.

use std::process::Command;

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use crate::{paths, run, setup};

/// The components that lints and unit tests need.
pub(crate) const COMPONENTS: [&str; 2] = ["node", "vscode-extension"];

/// The directory of the extension.
pub(crate) fn directory() -> Utf8PathBuf {
    paths::ROOT.join("editors/vscode")
}

/// The maximum number of lines of TypeScript, without blank lines and comments: other code belongs in Rust.
const MAX_LINES: usize = 1800;

/// The files that prettier formats: the extension without its generated file, and the scripts of the chat page.
const FORMATTED: [&str; 3] =
    ["editors/vscode/src/*.ts", "!editors/vscode/src/protocol.ts", "crates/zubi-web/page/*.js"];

/// Type-checks and lints all TypeScript and the chat page's scripts; checks the format of the product.
pub(crate) fn lint() -> Result<String> {
    let lines = lines()?;
    if lines >= MAX_LINES {
        bail!(
            "editors/vscode/src has {lines} lines of code besides protocol.ts; fewer than {MAX_LINES} may be TypeScript"
        );
    }
    run::loud(tool("prettier").args(["--check", "--log-level", "warn"]).args(FORMATTED).current_dir(&*paths::ROOT))?;
    run::loud(tool("tsc").arg("--noEmit"))?;
    // The chat page and its unit tests have their own configuration, because a browser has other types.
    run::loud(tool("tsc").args(["--project", "tests/page/tsconfig.json"]))?;
    run::loud(tool("eslint").args(["--max-warnings", "0", "."]))?;
    run::loud(tool("eslint").args(["--max-warnings", "0", "."]).current_dir(paths::ROOT.join("crates/zubi-web")))?;
    // The examples follow the same rules.
    for example in ["examples/ipc/typescript", "examples/vscode-extension"] {
        run::loud(tool("tsc").arg("--project").arg(paths::ROOT.join(example)))?;
        run::loud(tool("eslint").args(["--max-warnings", "0", "."]).current_dir(paths::ROOT.join(example)))?;
    }
    Ok(format!("{lines} lines of code in the extension"))
}

/// Counts the lines of TypeScript that run in the editor, without blank lines, comments and generated files.
fn lines() -> Result<usize> {
    let mut lines = 0;
    for entry in directory().join("src").read_dir_utf8()? {
        let path = entry?.into_path();
        if path.extension() == Some("ts") && path.file_name() != Some("protocol.ts") {
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
            let is_code =
                |line: &&str| !line.is_empty() && !["//", "/*", "*"].iter().any(|mark| line.starts_with(mark));
            lines += text.lines().map(str::trim).filter(is_code).count();
        }
    }
    Ok(lines)
}

/// Runs the unit tests.
pub(crate) fn units() -> Result<String> {
    // With `CI`, a snapshot that is missing fails instead of being written.
    run::loud(tool("vitest").args(["run", "--reporter", "dot"]).env("CI", "true"))?;
    Ok(String::new())
}

/// A program from the extension's own packages, run by the Node that `setup` installed.
pub(crate) fn tool(name: &str) -> Command {
    with_node(&setup::program("vscode-extension", name))
}

/// Node in the extension's directory.
pub(crate) fn node() -> Command {
    with_node(&setup::program("node", "node"))
}

fn with_node(program: &Utf8Path) -> Command {
    let mut command = run::command(program.as_str());
    let node = paths::tools().join("bin/node");
    let path = std::env::var("PATH").unwrap_or_default();
    command.current_dir(directory()).env("PATH", format!("{node}:{path}"));
    command
}
