//! The benchmark of the editor channel, run as `cargo xtask bench -- lsp`: `dlang lsp` and `zubi lsp` over their pipes,
//! on a model of 2,000 bounded contexts ([`large_example`]).
//!
//! The figures are the time from a server's start to its first answer, and the time of a request right after an edit:
//! from writing `textDocument/didChange` until the response is read, without a wait in between. In every round, both
//! programs receive every request in alternation; only `zubi lsp` receives tool calls. The floor of each figure is the
//! same request without a preceding edit, measured in the same round. A request with an unknown method shows the cost
//! of pipes and threads.
//!
//! Every answer must equal that of a new server that found the edited text on disk. A difference ends the benchmark,
//! because a quick answer about the text before the edit, or about a workspace that is still loading, is wrong.

mod edits;
mod expected;
mod latency;
mod questions;
mod rounds;
mod server;
mod start;

use anyhow::{Context as _, Result, bail};
use camino::Utf8PathBuf;
use large_example::Size;
use zubi_tests::{Project, processes, tools};

use self::latency::Latencies;
use self::rounds::Case;
use self::server::{Program, Server};
use crate::stats;
use crate::table::{Row, Table};

const USAGE: &str = "usage: zubi-bench lsp [--quick]";

/// The amount of measurements.
#[derive(Debug, Clone, Copy)]
struct Extent {
    size: Size,
    /// The number of starts of each program.
    starts: usize,
    /// The number of rounds. Each round makes an edit and reverts it, so it has two answers to each request.
    rounds: usize,
}

const FULL: Extent = Extent { size: Size::MEASURED, starts: 20, rounds: 250 };
const QUICK: Extent = Extent { size: Size::MEASURED, starts: 5, rounds: 50 };

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let extent = match arguments {
        [] => FULL,
        [flag] if flag == "--quick" => QUICK,
        [flag] if flag == "--help" || flag == "-h" => {
            println!("{USAGE}");
            return Ok(());
        }
        _ => bail!("unknown arguments `{}`\n{USAGE}", arguments.join(" ")),
    };
    println!("DomainLang's language server right after an edit; load average {}", stats::load_average());
    let (table, latencies) = measure(extent)?;
    println!("\nload average {}\n\n{}\n{}", stats::load_average(), table.render(), latencies.render());
    Ok(())
}

/// The model and the programs under test.
struct EditorBench {
    project: Project,
    /// A folder without a model.
    empty: Project,
    size: Size,
    zubi: Utf8PathBuf,
    dlang: Utf8PathBuf,
}

fn measure(extent: Extent) -> Result<(Table, Latencies)> {
    let bench = EditorBench::new(extent.size)?;
    let (mut table, mut latencies) = (Table::default(), Latencies::default());
    start::measure(&bench, extent.starts, &mut table)?;
    let edits = edits::all(&bench.project, bench.size)?;
    let mut cases = Vec::new();
    for edit in &edits {
        let questions = questions::questions_after(edit, &bench.project, bench.size)?;
        let expected = expected::expected_answers(&bench, edit, &questions)?;
        cases.extend(questions.into_iter().zip(expected).map(|(question, expected)| Case { edit, question, expected }));
    }
    let mut servers = Vec::new();
    for program in Program::ALL {
        let mut server = Server::start(&bench, program, bench.project.root())?;
        server.notify_initialized()?;
        for file in edits::files(&edits) {
            server.open(file, &bench.project.read(file))?;
        }
        servers.push(server);
    }
    rounds::measure(&cases, &mut servers, extent.rounds, &mut latencies)?;
    for server in &servers {
        let mebibytes = |bytes: Option<u64>| -> Result<f64> {
            Ok(f64::from(u32::try_from(bytes.context("the server runs")? / 1024)?) / 1024.0)
        };
        table.push(Row {
            label: format!("`{}`: most memory that was resident, after all questions", server.program.title()),
            zubi: mebibytes(processes::peak_bytes(server.pid()))?,
            floor: None,
            unit: "MiB",
            aim: None,
            note: format!("{:.0} at the end", mebibytes(processes::resident_bytes(server.pid()))?),
        });
    }
    Ok((table, latencies))
}

impl EditorBench {
    fn new(size: Size) -> Result<Self> {
        let zubi = tools::zubi();
        let dlang = zubi.with_file_name("dlang");
        let (project, empty) = (Project::empty(), Project::empty());
        let (files, bytes) = large_example::write(project.root().as_std_path(), size)?;
        println!("{} contexts in {files} files, {bytes} bytes", size.areas * size.contexts);
        Ok(Self { project, empty, size, zubi, dlang })
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, Size, measure};

    #[test]
    fn both_programs_return_the_expected_answers() {
        let size = Size { areas: 4, contexts: 6 };
        let (table, latencies) = measure(Extent { size, starts: 1, rounds: 1 }).unwrap();
        for rendered in [table.render(), latencies.render()] {
            for program in ["dlang lsp", "zubi lsp"] {
                assert!(rendered.contains(program), "{program} is not in\n{rendered}");
            }
        }
        let rendered = latencies.render();
        for tool in ["domainlang_get", "domainlang_validate", "lsp_definition"] {
            let rows: Vec<_> = rendered.lines().filter(|row| row.contains(tool)).collect();
            assert!(!rows.is_empty(), "{tool} is not in\n{rendered}");
            for row in rows {
                assert!(row.starts_with("| `zubi lsp`: ") && row.contains(" ≤ 5.00 "), "{row}");
            }
        }
    }
}
