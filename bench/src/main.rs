//! The benchmark, run as `cargo xtask bench`: zubi against the language servers that it uses, in one run, in
//! interleaved rounds, on published projects.
//!
//! The floor of each figure is the same request sent directly to an instance of the same server, initialized as zubi
//! does it ([`introduction`]). The same code ([`wire`]) drives both sides and takes the time when a complete message
//! has arrived.
//!
//! The first argument selects another benchmark: `lsp` (DomainLang's own language server, [`editor`]), `tools` (tools
//! that use no server, [`tools`]), `hosts` (the cost of sharing a host, [`hosts`]), `editor` (zubi in VS Code,
//! [`window`]), `agent` (the agent's loop, [`agent`]), `index` (the index of a large tree, [`index`]), `team`
//! (a team's index on PostgreSQL, [`team`]), `tasks` (whole tasks and their tokens, [`tasks`]). Only `index` needs another language server. `--self` measures zubi on its
//! own repository with rust-analyzer ([`own`]).
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that measures: it prints its figures, reads its own clock and starts what it measures"
)]

mod agent;
mod breadth;
mod cold;
mod editor;
mod fixed;
mod hosts;
mod index;
mod introduction;
mod lsp;
mod mcp;
mod own;
mod recovery;
mod stats;
mod subject;
mod table;
mod tasks;
mod team;
mod tools;
mod warm;
mod window;
mod wire;

use anyhow::{Result, bail};

use introduction::Introduction;
use subject::{Depth, SUBJECTS, Subject};
use table::Table;

const USAGE: &str = "\
usage: zubi-bench [--quick] [breadth|cold|python|cpp|rust|typescript|tsserver|go|basedpyright|ty]…
       zubi-bench lsp [--quick]
       zubi-bench tools [--quick]
       zubi-bench hosts [--quick]
       zubi-bench editor [--quick]
       zubi-bench agent [--quick]
       zubi-bench index [--quick] [FOLDER]
       zubi-bench team [--quick]
       zubi-bench tasks [--verbose] [TASK|COLUMN]…
       zubi-bench --self [--quick]";

/// The argument for DomainLang's language server.
const LSP: &str = "lsp";

/// The argument for tools that use no server.
const TOOLS: &str = "tools";

/// The argument for hosts and clients.
const HOSTS: &str = "hosts";

/// The argument for the index.
const INDEX: &str = "index";

/// The argument for a team's index.
const TEAM: &str = "team";

/// The argument for whole tasks.
const TASKS: &str = "tasks";

/// The argument for a real VS Code.
const EDITOR: &str = "editor";

/// The argument for the agent.
const AGENT: &str = "agent";

/// The argument for zubi on its own repository.
const OWN: &str = "--self";

/// The argument for many servers and many files.
const BREADTH: &str = "breadth";

/// The argument that measures only cold starts, of the subjects named after it or of all.
const COLD: &str = "cold";

/// The number of cold starts in a short and in a full run.
const COLD_ALONE: (usize, usize) = (3, 7);
const COLD_WITH_OTHERS: (usize, usize) = (1, 3);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [first, rest @ ..] if first == LSP => editor::run(rest),
        [first, rest @ ..] if first == TOOLS => tools::run(rest),
        [first, rest @ ..] if first == HOSTS => hosts::run(rest),
        [first, rest @ ..] if first == INDEX => index::run(rest),
        [first, rest @ ..] if first == TEAM => team::run(rest),
        [first, rest @ ..] if first == TASKS => tasks::run(rest),
        [first, rest @ ..] if first == EDITOR => window::run(rest),
        [first, rest @ ..] if first == AGENT => agent::run(rest),
        [first, rest @ ..] if first == OWN => own::run(rest),
        [first, delay] if first == hosts::DELAY => hosts::serve_with_delay(delay),
        arguments => servers(arguments),
    }
}

/// Reads the only argument of most benchmarks, `--quick`, after the name of the benchmark.
fn is_quick(benchmark: &str, arguments: &[String]) -> Result<bool> {
    match arguments {
        [] => Ok(false),
        [flag] if flag == "--quick" => Ok(true),
        _ => bail!("usage: zubi-bench {benchmark} [--quick]"),
    }
}

/// Benchmarks zubi against other vendors' servers.
fn servers(arguments: &[String]) -> Result<()> {
    let mut quick = false;
    let (mut breadth, mut cold_only) = (false, false);
    let mut named: Vec<&Subject> = Vec::new();
    for argument in arguments {
        match argument.as_str() {
            "--help" | "-h" => {
                println!("{USAGE}");
                return Ok(());
            }
            "--quick" => quick = true,
            BREADTH => breadth = true,
            COLD => cold_only = true,
            name => match SUBJECTS.iter().find(|subject| subject.name == name) {
                Some(subject) => named.push(subject),
                None => bail!("unknown argument `{name}`\n{USAGE}"),
            },
        }
    }
    let all = named.is_empty() && !breadth && !cold_only;
    zubi_tests::processes::adopt_orphans();
    println!("zubi against the bare servers; load average {}", stats::load_average());
    let mut table = Table::default();
    if !cold_only {
        fixed::measure(&mut table, if quick { 5 } else { 20 })?;
    }
    if all || breadth {
        breadth::measure(&mut table, if quick { 3 } else { 10 })?;
    }
    let (short, full) = if cold_only { COLD_ALONE } else { COLD_WITH_OTHERS };
    for subject in SUBJECTS {
        let is_named = named.iter().any(|one| one.name == subject.name);
        if !(all || is_named || (cold_only && named.is_empty())) {
            continue;
        }
        println!("\n── {} · {}", subject.title, subject.server);
        let introduction = Introduction::record(subject)?;
        if !cold_only && (is_named || subject.depth == Depth::Full) {
            warm::measure(subject, &introduction, &mut table, if quick { 3 } else { 12 })?;
            recovery::measure(subject, &introduction, &mut table, if quick { 2 } else { 5 })?;
        }
        cold::measure(subject, &introduction, &mut table, if quick { short } else { full })?;
    }
    println!("\nload average {}\n\n{}", stats::load_average(), table.render());
    Ok(())
}
