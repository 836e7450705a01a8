//! Cold: from starting the program to the first complete references answer.

use anyhow::{Result, bail};
use zubi_tests::Project;

use crate::lsp::{self, Question, Server};
use crate::mcp::Zubi;
use crate::stats::Samples;
use crate::subject::Subject;
use crate::table::{Aim, Row, Table};

/// What zubi may add to the server's own time, in milliseconds.
const ADDED: f64 = 200.0;

/// Starts both sides in turns, each time on fresh copies without caches.
pub(crate) fn measure(subject: &Subject, table: &mut Table, rounds: usize) -> Result<()> {
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    let (mut marked, mut expected) = (0, 0);
    for _ in 0..rounds {
        let project = Project::published(subject.project);
        let spot = subject.spots(&project)?.remove(0);
        let mut server = Server::start(subject, &project)?;
        server.wait_until_ready(&spot.file)?;
        let reply = server.request(Question::References, &spot)?;
        floor.push(server.started().elapsed());
        expected = lsp::count(&reply.result);
        drop(server);

        let project = Project::published(subject.project);
        Zubi::trust(&project)?;
        let mut zubi = Zubi::start(&project, subject.components)?;
        loop {
            let reply = zubi.request(Question::References, &spot)?;
            let complete = reply.count() == Some(expected);
            match (complete, reply.is_ready()) {
                (true, true) => break ours.push(zubi.wire.started.elapsed()),
                (_, false) => marked += 1,
                (false, true) => bail!("a silent partial answer, {expected} expected:\n{}", reply.text),
            }
        }
    }
    let what = format!("{}: cold start → first complete references, p50 of {rounds}", subject.server);
    table.push(Row {
        what,
        zubi: ours.percentile(50),
        floor: Some(floor.percentile(50)),
        unit: "ms",
        aim: Some(Aim::Adds(ADDED)),
        note: format!("{expected} references · silent partial answers: 0 · marked answers before: {marked}"),
    });
    Ok(())
}
