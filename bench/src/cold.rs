//! Cold start: from starting the program to the first complete references answer.

use std::time::Duration;

use anyhow::{Result, bail, ensure};

use crate::introduction::Introduction;
use crate::lsp::{self, Question, Server};
use crate::mcp::Zubi;
use crate::stats::Samples;
use crate::subject::Subject;
use crate::table::{Aim, Row, Table};

/// The time that zubi may add to the server's own, in milliseconds.
const ADDED: f64 = 200.0;

/// The number of marked answers, each after a wait, at which the measurement stops.
const MAX_MARKED: usize = 100;

/// Starts both sides in alternation, each time on fresh copies without caches.
pub(crate) fn measure(subject: &Subject, introduction: &Introduction, table: &mut Table, rounds: usize) -> Result<()> {
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    let mut marked = 0;
    let mut expected = None;
    for round in 0..rounds {
        // The order alternates. The first round begins with the server, whose answer becomes the expected one.
        if round % 2 == 0 {
            floor.push(bare(subject, introduction, &mut expected)?);
        }
        let (elapsed, before) = through_zubi(subject, expected)?;
        ours.push(elapsed);
        marked += before;
        if round % 2 == 1 {
            floor.push(bare(subject, introduction, &mut expected)?);
        }
    }
    let expected = expected.unwrap_or_default();
    table.push(Row {
        label: format!("{}: cold start → first complete references, p50 of {rounds}", subject.server),
        zubi: ours.percentile(50),
        floor: Some(floor.percentile(50)),
        unit: "ms",
        aim: Some(Aim::Adds(ADDED)),
        note: format!("{expected} references · silent partial answers: 0 · marked answers before: {marked}"),
    });
    Ok(())
}

/// Measures the cold start of the server alone. All its answers must agree and have the minimum number of references.
fn bare(subject: &Subject, introduction: &Introduction, expected: &mut Option<usize>) -> Result<Duration> {
    let project = subject.copy();
    let position = subject.positions(&project)?.remove(0);
    let mut server = Server::start(subject, introduction, &project)?;
    server.wait_until_ready(&position.file)?;
    let reply = server.request(Question::References, &position)?;
    let elapsed = server.start_time().elapsed();
    let count = lsp::count(&reply.result);
    ensure!(count >= subject.at_least, "{} alone knows {count} of {} references", subject.server, subject.at_least);
    let before = *expected.get_or_insert(count);
    ensure!(count == before, "{} alone gave {before} references, then {count}", subject.server);
    Ok(elapsed)
}

/// Measures the cold start through zubi and counts the marked answers before the complete one.
fn through_zubi(subject: &Subject, expected: Option<usize>) -> Result<(Duration, usize)> {
    let project = subject.copy();
    let position = subject.positions(&project)?.remove(0);
    Zubi::trust(&project)?;
    let mut zubi = Zubi::start(&project, subject.components)?;
    for marked in 0..MAX_MARKED {
        let reply = zubi.request(Question::References, &position)?;
        match (reply.count() == expected, reply.is_ready()) {
            (true, true) => return Ok((zubi.wire.started.elapsed(), marked)),
            (_, false) => {}
            (false, true) => bail!("a silent partial answer, {expected:?} expected:\n{}", reply.text),
        }
    }
    bail!("{} is not ready after {MAX_MARKED} answers", subject.server)
}
