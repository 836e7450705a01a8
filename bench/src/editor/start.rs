//! From starting a server to its first answer about the model.

use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::EditorBench;
use super::server::{Program, Server};
use crate::stats::Samples;
use crate::table::{Aim, Row, Table};

/// The aim for a start, in milliseconds: a person does not notice such a wait.
const AIM: f64 = 150.0;

/// Starts both programs in alternation with their floors: the command that validates the model and exits, and a server
/// in an empty folder.
pub(crate) fn measure(bench: &EditorBench, starts: usize, table: &mut Table) -> Result<()> {
    let mut validate = Samples::default();
    let mut ready = Program::ALL.map(|program| (program, Samples::default(), Samples::default()));
    for _ in 0..starts {
        one_shot(bench, &mut validate)?;
        for (program, full, empty) in &mut ready {
            first_answer(bench, *program, full)?;
            let server = Server::start(bench, *program, bench.empty.root())?;
            empty.push(server.start_time().elapsed());
        }
    }
    for (program, full, empty) in ready {
        table.push(Row {
            label: format!("`{}`: start → `initialize` → first answer, p50 of {starts}", program.title()),
            zubi: full.percentile(50),
            floor: Some(validate.percentile(50)),
            unit: "ms",
            aim: Some(Aim::AtMost(AIM)),
            note: format!(
                "p95 {:.1} · floor: `dlang validate` · `initialize` answered in an empty folder: {:.1}",
                full.percentile(95),
                empty.percentile(50)
            ),
        });
    }
    Ok(())
}

fn first_answer(bench: &EditorBench, program: Program, samples: &mut Samples) -> Result<()> {
    let mut server = Server::start(bench, program, bench.project.root())?;
    server.notify_initialized()?;
    let summary = server.summary()?;
    samples.push(server.start_time().elapsed());
    let counts = &summary["summary"];
    ensure!(
        counts["boundedContextCount"] == bench.size.areas * bench.size.contexts
            && counts["domainCount"] == bench.size.areas + 1,
        "the answer is not that of the model: {summary}"
    );
    Ok(())
}

fn one_shot(bench: &EditorBench, samples: &mut Samples) -> Result<()> {
    let mut command = Program::Dlang.command(bench);
    command.args(["validate", bench.project.root().as_str(), "--json"]);
    let start = Instant::now();
    let output = command.output().context("dlang starts")?;
    samples.push(start.elapsed());
    let answer: Value =
        serde_json::from_slice(&output.stdout).context("`dlang validate --json` printed invalid JSON")?;
    let contexts = bench.size.areas * bench.size.contexts;
    ensure!(
        answer["valid"] == true && answer["bcCount"] == contexts && answer["warnings"] == json!([]),
        "the answer is not that of the model: {answer}"
    );
    Ok(())
}
