//! `cargo xtask bench`: measures what is distributed (the profile `dist`) against the bare language servers.

use anyhow::Result;

use crate::{place, run, setup};

/// What the benchmark needs; the rest of the set-up is for the tests.
const COMPONENTS: &[&str] = &[
    "ty",
    "clangd",
    "cxx",
    "rust-analyzer",
    "rust-library",
    "node",
    "pyright",
    "rich",
    "leveldb",
    "clap_builder",
    "basedpyright",
    "rxjs",
    "typescript",
    "typescript-language-server",
    "go",
    "gopls",
    "vscode-langservers",
    "bash-language-server",
];

/// Builds and runs the benchmark; `arguments` go to it.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    setup::run(&COMPONENTS.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())?;
    run::loud(run::cargo().args([
        "build",
        "--locked",
        "--profile",
        "dist",
        "--package",
        "zubi",
        "--package",
        "zubi-bench",
    ]))?;
    run::loud(run::command(place::target().join("dist/zubi-bench").as_str()).args(arguments))
}
