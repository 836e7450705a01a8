//! Warm requests: the time that zubi adds, the bytes of an answer, and whether a slow request delays a quick one.

use anyhow::{Result, ensure};

use crate::fixed::push_memory;
use crate::introduction::Introduction;
use crate::lsp::{self, Question, Server};
use crate::mcp::Zubi;
use crate::stats::Samples;
use crate::subject::{Position, Subject};
use crate::table::{Aim, Row, Table};

/// The maximum time that zubi may add to a warm answer, in milliseconds: median, and p95.
const ADDED_MEDIAN: f64 = 0.5;
const ADDED_P95: f64 = 2.0;

/// Measures two instances of one server, one of them used by zubi, in alternation over all symbols.
pub(crate) fn measure(subject: &Subject, introduction: &Introduction, table: &mut Table, rounds: usize) -> Result<()> {
    let (ours, theirs) = (subject.copy(), subject.copy());
    let positions = subject.positions(&ours)?;
    let first = &positions[0];
    Zubi::trust(&ours)?;
    let mut zubi = Zubi::start(&ours, subject.components)?;
    let mut server = Server::start(subject, introduction, &theirs)?;
    // Before the measurement, both sides have read the whole project and answered about every symbol once.
    server.wait_until_ready(&first.file)?;
    for position in &positions {
        for question in Question::ALL {
            zubi.request(question, position)?;
            server.request(question, position)?;
        }
    }
    for question in Question::ALL {
        compare(subject, table, &mut zubi, &mut server, question, &positions, rounds)?;
    }
    sizes(subject, table, &mut zubi, &mut server, first)?;
    hover_during_references(subject, table, &mut zubi, &mut server, &positions, rounds)?;
    push_memory(table, &zubi, &format!("after all questions about {}", subject.title))
}

pub(crate) fn compare(
    subject: &Subject,
    table: &mut Table,
    zubi: &mut Zubi,
    server: &mut Server<'_>,
    question: Question,
    positions: &[Position],
    rounds: usize,
) -> Result<()> {
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    for round in 0..rounds {
        for position in positions {
            // The order alternates, so that neither side profits from the caches that the other has filled.
            if round % 2 == 0 {
                floor.push(server.request(question, position)?.elapsed);
                ours.push(zubi.request(question, position)?.reply.elapsed);
            } else {
                ours.push(zubi.request(question, position)?.reply.elapsed);
                floor.push(server.request(question, position)?.elapsed);
            }
        }
    }
    for (percent, aim) in [(50, ADDED_MEDIAN), (95, ADDED_P95)] {
        let label =
            format!("{}: {}, warm, p{percent} of {}", subject.server, question.title(), rounds * positions.len());
        table.push(Row {
            label,
            zubi: ours.percentile(percent),
            floor: Some(floor.percentile(percent)),
            unit: "ms",
            aim: Some(Aim::Adds(aim)),
            note: String::new(),
        });
    }
    Ok(())
}

/// Compares the sizes of answers, in bytes; the floor is the server's own response.
fn sizes(
    subject: &Subject,
    table: &mut Table,
    zubi: &mut Zubi,
    server: &mut Server<'_>,
    position: &Position,
) -> Result<()> {
    for question in [Question::Hover, Question::References, Question::DocumentSymbols] {
        let ours = zubi.request(question, position)?;
        let theirs = server.request(question, position)?;
        let note = match question {
            Question::References => {
                let (counted, expected) = (ours.count(), lsp::count(&theirs.result));
                ensure!(counted == Some(expected), "zubi counts {counted:?} references, the server {expected}");
                format!("{expected} references to `{}`", position.name)
            }
            _ => format!("`{}`", position.name),
        };
        table.push(Row {
            label: format!("{}: {}, answer", subject.server, question.title()),
            zubi: f64::from(u32::try_from(ours.text.len())?),
            floor: Some(f64::from(u32::try_from(theirs.bytes)?)),
            unit: "bytes",
            aim: None,
            note,
        });
    }
    Ok(())
}

/// Sends a quick hover while a references request runs. The server may answer sequentially; the figure shows if zubi
/// adds a delay.
fn hover_during_references(
    subject: &Subject,
    table: &mut Table,
    zubi: &mut Zubi,
    server: &mut Server<'_>,
    positions: &[Position],
    rounds: usize,
) -> Result<()> {
    let (slow, quick) = (&positions[0], &positions[1]);
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    for _ in 0..rounds {
        let references = server.send_question(Question::References, slow)?;
        floor.push(server.request(Question::Hover, quick)?.elapsed);
        server.answer(&references)?;
        let references = zubi.send_question(Question::References, slow)?;
        ours.push(zubi.request(Question::Hover, quick)?.reply.elapsed);
        zubi.answer(&references)?;
    }
    table.push(Row {
        label: format!("{}: hover while references run, p50 of {rounds}", subject.server),
        zubi: ours.percentile(50),
        floor: Some(floor.percentile(50)),
        unit: "ms",
        aim: Some(Aim::Adds(ADDED_P95)),
        note: String::new(),
    });
    Ok(())
}
