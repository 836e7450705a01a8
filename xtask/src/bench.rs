//! `cargo xtask bench`: measures the distributed programs (the profile `dist`).
//!
//! Without arguments it compares zubi with bare language servers. The first argument selects another benchmark: `model`
//! or `lsp` (DomainLang on large models), `outlines` (the recall of outlines by syntax), `tools` (tools without a server),
//! `index` (the index of a large tree), `team` (a team's index on PostgreSQL), `tasks` (the
//! tokens of whole tasks, also over other bridges), `editor` (the extension in a real VS Code),
//! `--self` (zubi on its own repository with rust-analyzer).

use anyhow::Result;

use crate::setup::components::VALGRIND_TOOLS;
use crate::{paths, run, setup};

/// The components for the benchmark against language servers; the rest of the set-up is for the tests.
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

/// The components for whole tasks: other bridges, and the language servers, compilers and projects of all columns.
const TASK_COMPONENTS: [&str; 10] = [
    "node",
    "pyright",
    "typescript",
    "typescript-language-server",
    "ripgrep",
    "rich",
    "rxjs",
    "agent-lsp",
    "codescout",
    "serena",
];

/// Builds and runs a benchmark, which receives `arguments`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [first, rest @ ..] if first == "model" => model(rest),
        [first, ..] if ["lsp", "hosts", "agent"].contains(&first.as_str()) => bench(arguments),
        [first, ..] if first == "editor" => {
            setup::run(&["node", "vscode", "chromium", "vscode-extension"].map(str::to_owned))?;
            bench(arguments)
        }
        [first, ..] if first == "--self" => {
            setup::run(&["rust-analyzer", "rust-library"].map(str::to_owned))?;
            bench(arguments)
        }
        [first, ..] if first == "index" => {
            setup::run(&["homeassistant", "ctags", "ripgrep", "node", "pyright"].map(str::to_owned))?;
            bench(arguments)
        }
        [first, ..] if first == "team" => {
            setup::run(&["postgresql".to_owned()])?;
            bench(arguments)
        }
        [first, ..] if first == "tasks" => {
            setup::run(&TASK_COMPONENTS.map(str::to_owned))?;
            bench(arguments)
        }
        [first, ..] if first == "tools" => {
            setup::run(&["ripgrep".to_owned(), "node".to_owned()])?;
            bench(arguments)
        }
        [first, rest @ ..] if first == "outlines" => outlines(rest),
        arguments => servers(arguments),
    }
}

/// Compares outlines by syntax with ctags and the servers of the tests, and writes the page of the book about it.
fn outlines(arguments: &[String]) -> Result<()> {
    setup::run(&[])?;
    setup::run(&["ctags".to_owned()])?;
    build("outline-bench")?;
    run::loud(run::command(paths::target().join("dist/outline-bench").as_str()).args(arguments))
}

/// Benchmarks DomainLang alone, without a language server.
fn model(arguments: &[String]) -> Result<()> {
    setup::run(&["valgrind".to_owned()])?;
    build("dlang-bench")?;
    let valgrind = setup::program("valgrind", "valgrind");
    let tools = paths::tools().join("valgrind").join(VALGRIND_TOOLS);
    let mut bench = run::command(paths::target().join("dist/dlang-bench").as_str());
    run::loud(bench.env("VALGRIND_LIB", tools).args(["--valgrind", valgrind.as_str()]).args(arguments))
}

fn servers(arguments: &[String]) -> Result<()> {
    setup::run(&COMPONENTS.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())?;
    bench(arguments)
}

/// Runs zubi's benchmark. The selections `lsp`, `hosts`, `agent`, `tools` and `editor` need no foreign language server.
fn bench(arguments: &[String]) -> Result<()> {
    build("zubi-bench")?;
    run::loud(run::command(paths::target().join("dist/zubi-bench").as_str()).args(arguments))
}

/// Builds the product and a benchmark with the profile `dist`.
fn build(bench: &str) -> Result<()> {
    let product = ["build", "--locked", "--profile", "dist", "--package", "zubi", "--package", bench];
    run::loud(run::cargo().args(product))
}
