//! Events around zubi: a file is created, the server is killed, the input is closed.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use zubi_tests::processes;

use crate::introduction::Introduction;
use crate::lsp::{self, Question, Server};
use crate::mcp::Zubi;
use crate::stats::Samples;
use crate::subject::{Position, Subject};
use crate::table::{Aim, Row, Table};

/// Measures each event this many times.
pub(crate) fn measure(subject: &Subject, introduction: &Introduction, table: &mut Table, rounds: usize) -> Result<()> {
    new_file(subject, introduction, table, rounds)?;
    let (mut answer_times, mut end_times) = (Samples::default(), Samples::default());
    for _ in 0..rounds {
        let project = subject.copy();
        let position = subject.positions(&project)?.remove(0);
        Zubi::trust(&project)?;
        let mut zubi = Zubi::start(&project, subject.components)?;
        zubi.request(Question::References, &position)?;
        answer_times.push(kill_server(subject, &mut zubi, &position)?);
        end_times.push(close(&mut zubi)?);
    }
    let mut push = |name: &str, samples: &Samples, aim: f64| {
        table.push(Row {
            label: format!("{}: {name}, p50 of {rounds}", subject.server),
            zubi: samples.percentile(50),
            floor: None,
            unit: "ms",
            aim: Some(Aim::AtMost(aim)),
            note: format!("slowest {:.0}", samples.percentile(100)),
        });
    };
    push("server killed → outline answered again", &answer_times, 1000.0);
    push("input closed → nothing left", &end_times, 1000.0);
    Ok(())
}

/// Checks that the next answer includes a new file on disk. The bare server receives a notification about the file.
fn new_file(subject: &Subject, introduction: &Introduction, table: &mut Table, rounds: usize) -> Result<()> {
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    let (mut fresh, mut notified) = (0, 0);
    for _ in 0..rounds {
        let project = subject.copy();
        let position = subject.positions(&project)?.remove(0);
        let mut server = Server::start(subject, introduction, &project)?;
        server.wait_until_ready(&position.file)?;
        let before = lsp::count(&server.request(Question::References, &position)?.result);
        let changes = subject.write_new_file(&project);
        let start = Instant::now();
        server.notify_changes(&changes)?;
        let after = lsp::count(&server.request(Question::References, &position)?.result);
        floor.push(start.elapsed());
        notified += usize::from(after > before);
        drop(server);

        let project = subject.copy();
        Zubi::trust(&project)?;
        let mut zubi = Zubi::start(&project, subject.components)?;
        let before = zubi.request(Question::References, &position)?.count();
        subject.write_new_file(&project);
        let after = zubi.request(Question::References, &position)?;
        ours.push(after.reply.elapsed);
        fresh += usize::from(after.count() > before);
    }
    table.push(Row {
        label: format!("{}: new file on disk → next references, p50 of {rounds}", subject.server),
        zubi: ours.percentile(50),
        floor: Some(floor.percentile(50)),
        unit: "ms",
        aim: None,
        note: format!(
            "the new use was in the answer {fresh} of {rounds} times; in the notified bare server's, {notified}"
        ),
    });
    Ok(())
}

/// Measures from killing the server to the next outline.
fn kill_server(subject: &Subject, zubi: &mut Zubi, position: &Position) -> Result<Duration> {
    let program = subject.command.first().context("a server has a program")?;
    let servers = processes::find_by_command(program);
    ensure!(!servers.is_empty(), "no process of `{program}` runs below zubi");
    let start = Instant::now();
    for server in &servers {
        processes::kill(server);
    }
    zubi.request(Question::DocumentSymbols, position)?;
    Ok(start.elapsed())
}

/// Measures from closing the input until zubi and all its processes have ended.
fn close(zubi: &mut Zubi) -> Result<Duration> {
    let watched = processes::watch(processes::descendants());
    zubi.wire.close_input();
    let outcome = watched.ended_within(Duration::from_secs(10));
    outcome.map_err(|remaining| anyhow::anyhow!("still running 10 s after the input closed: {remaining:?}"))
}
