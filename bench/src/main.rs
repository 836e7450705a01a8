//! The benchmark, run as `cargo xtask bench`: zubi against the language servers it asks, in one run, in rounds that
//! take turns, on published projects.
//!
//! A figure stands beside its floor: the same question put to an instance of the same server directly. Both sides are
//! driven by the same code ([`wire`]), with times taken when a whole message has arrived.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that measures: it prints its figures, reads its own clock and starts what it measures"
)]

mod breadth;
mod cold;
mod fixed;
mod lsp;
mod mcp;
mod recovery;
mod stats;
mod subject;
mod table;
mod warm;
mod wire;

use anyhow::{Result, bail};

use subject::SUBJECTS;
use table::Table;

const USAGE: &str = "usage: zubi-bench [--quick] [breadth|python|cpp|rust]…";

/// What the command line calls the measurements with many servers and many files.
const BREADTH: &str = "breadth";

fn main() -> Result<()> {
    let mut quick = false;
    let mut chosen = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => quick = true,
            BREADTH => chosen.push(argument),
            name if SUBJECTS.iter().any(|subject| subject.name == name) => chosen.push(argument),
            other => bail!("unknown argument `{other}`\n{USAGE}"),
        }
    }
    zubi_tests::processes::adopt_orphans();
    println!("zubi against the bare servers; load average {}", stats::load_average());
    let mut table = Table::default();
    fixed::measure(&mut table, if quick { 5 } else { 20 })?;
    if chosen.is_empty() || chosen.iter().any(|name| name == BREADTH) {
        breadth::measure(&mut table, if quick { 3 } else { 10 })?;
    }
    for subject in SUBJECTS.iter().filter(|subject| chosen.is_empty() || chosen.iter().any(|name| name == subject.name))
    {
        println!("\n── {} · {}", subject.title, subject.server);
        warm::measure(subject, &mut table, if quick { 3 } else { 12 })?;
        recovery::measure(subject, &mut table, if quick { 2 } else { 5 })?;
        cold::measure(subject, &mut table, if quick { 1 } else { 3 })?;
    }
    println!("\nload average {}\n\n{}", stats::load_average(), table.render());
    Ok(())
}
