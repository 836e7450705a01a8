//! zubi on its own repository: nested Cargo workspaces, build scripts and procedural macros, read by one rust-analyzer.
//!
//! The floor is the same rust-analyzer with the same settings, alone on another clone. Both sides start without caches,
//! so each builds the build scripts and the procedural macros first.

use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use zubi_tests::Project;
use zubi_tests::processes::{self, Process};

use crate::fixed::push_memory;
use crate::introduction::Introduction;
use crate::lsp::{self, Question, Server};
use crate::mcp::Zubi;
use crate::stats::{self, Samples};
use crate::subject::{Depth, Position, Ready, Subject};
use crate::table::{Aim, Row, Table};
use crate::warm;

const SUBJECT: Subject = Subject {
    name: "self",
    title: "zubi's own repository (Rust)",
    depth: Depth::Full,
    project: "zubi",
    server: "rust-analyzer",
    components: &["rust-analyzer"],
    command: &["rust-analyzer"],
    language: "rust",
    ready: Ready::ServerStatus,
    symbols: &[
        ("crates/zubi-tool-api/src/registry/call.rs", "pub async fn call"),
        ("crates/zubi-code/src/status.rs", "pub struct AnswerStatus"),
        ("crates/zubi-code/src/query.rs", "pub struct CodeQuery"),
        ("crates/zubi-base/src/workspace.rs", "pub struct WorkspaceFolders"),
        ("crates/zubi-code/src/status.rs", "pub enum Completeness"),
    ],
    at_least: 8,
    new_file: ("", ""),
    declared: None,
};

/// The time that zubi may add to a cold start, in milliseconds, as for other projects.
const ADDED: f64 = 200.0;

/// The number of marked answers, each after a wait, at which the measurement stops.
const MAX_MARKED: usize = 30;

/// The numbers of cold starts and of warm rounds in a short and in a full run. A cold start takes more than a minute.
const ROUNDS: (usize, usize) = (1, 3);
const WARM_ROUNDS: (usize, usize) = (3, 12);

/// One side's project and its first question.
struct Side {
    project: Project,
    positions: Vec<Position>,
}

impl Side {
    fn clone_repository() -> Result<Self> {
        let project = SUBJECT.copy();
        let positions = SUBJECT.positions(&project)?;
        Ok(Self { project, positions })
    }

    fn first(&self) -> Result<&Position> {
        self.positions.first().context("the subject has symbols")
    }
}

/// Runs all measurements; `arguments` select many rounds or few.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let quick = crate::is_quick(crate::OWN, arguments)?;
    processes::adopt_orphans();
    println!("zubi on its own repository; load average {}", stats::load_average());
    let mut table = Table::default();
    let introduction = Introduction::record(&SUBJECT)?;
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    let mut marked = 0;
    let (rounds, warm_rounds) = if quick { (ROUNDS.0, WARM_ROUNDS.0) } else { (ROUNDS.1, WARM_ROUNDS.1) };
    for round in 0..rounds {
        let (bare_side, zubi_side) = (Side::clone_repository()?, Side::clone_repository()?);
        let (mut server, mut zubi);
        // The order alternates.
        if round % 2 == 0 {
            server = start_bare(&bare_side, &introduction, &mut floor)?;
            zubi = start_zubi(&zubi_side, &mut ours, &mut marked)?;
        } else {
            zubi = start_zubi(&zubi_side, &mut ours, &mut marked)?;
            server = start_bare(&bare_side, &introduction, &mut floor)?;
        }
        if round + 1 < rounds {
            continue;
        }
        table.push(Row {
            label: format!("cold start → first complete references, p50 of {rounds}"),
            zubi: ours.percentile(50),
            floor: Some(floor.percentile(50)),
            unit: "ms",
            aim: Some(Aim::Adds(ADDED)),
            note: format!("marked answers before: {marked}"),
        });
        let positions = &zubi_side.positions;
        for position in positions {
            for question in Question::ALL {
                zubi.request(question, position)?;
                server.request(question, position)?;
            }
        }
        compare_counts(&mut zubi, &mut server, positions)?;
        for question in Question::ALL {
            warm::compare(&SUBJECT, &mut table, &mut zubi, &mut server, question, positions, warm_rounds)?;
        }
        push_memory(&mut table, &zubi, "after all questions")?;
        push_servers(&mut table, &zubi, &server)?;
        check_tree(&zubi_side.project)?;
    }
    println!("\nload average {}\n\n{}", stats::load_average(), table.render());
    Ok(())
}

/// Starts the server alone and measures until its first answer after its own signal.
fn start_bare<'a>(side: &'a Side, introduction: &Introduction, floor: &mut Samples) -> Result<Server<'a>> {
    let position = side.first()?;
    let mut server = Server::start(&SUBJECT, introduction, &side.project)?;
    server.wait_until_ready(&position.file)?;
    let count = lsp::count(&server.request(Question::References, position)?.result);
    let elapsed = server.start_time().elapsed();
    println!("rust-analyzer alone: {count} references after {}", seconds(elapsed));
    ensure!(count >= SUBJECT.at_least, "rust-analyzer alone knows {count} of {} references", SUBJECT.at_least);
    floor.push(elapsed);
    Ok(server)
}

/// Starts zubi and measures until its first unmarked answer.
fn start_zubi(side: &Side, ours: &mut Samples, marked: &mut usize) -> Result<Zubi> {
    let position = side.first()?;
    Zubi::trust(&side.project)?;
    let mut zubi = Zubi::start(&side.project, SUBJECT.components)?;
    for _ in 0..MAX_MARKED {
        let reply = zubi.request(Question::References, position)?;
        if reply.is_ready() {
            let elapsed = zubi.wire.started.elapsed();
            println!("zubi: {} references after {}", reply.count().unwrap_or_default(), seconds(elapsed));
            ours.push(elapsed);
            return Ok(zubi);
        }
        *marked += 1;
        println!("zubi, marked: {}", reply.text.lines().last().unwrap_or_default());
    }
    bail!("zubi is not ready after {MAX_MARKED} answers")
}

/// Checks that both sides return as many references to every symbol.
fn compare_counts(zubi: &mut Zubi, server: &mut Server<'_>, positions: &[Position]) -> Result<()> {
    for position in positions {
        let ours = zubi.request(Question::References, position)?;
        let theirs = lsp::count(&server.request(Question::References, position)?.result);
        println!("`{}`: {theirs} references · {}", position.name, ours.text.lines().last().unwrap_or_default());
        ensure!(
            ours.count() == Some(theirs),
            "`{}`: zubi counts {:?} references, the server {theirs}:\n{}",
            position.name,
            ours.count(),
            ours.text
        );
    }
    Ok(())
}

/// Adds the number of server processes below zubi and their memory; the floor is the bare server.
fn push_servers(table: &mut Table, zubi: &Zubi, server: &Server<'_>) -> Result<()> {
    let ours = processes::descendants_of(i32::try_from(zubi.wire.pid())?);
    // The supervisor's command line names the server, too.
    let is_server = |process: &&Process| {
        let program = process.command.split_whitespace().next().unwrap_or_default();
        program.ends_with("/rust-analyzer")
    };
    let servers: Vec<u32> = ours.iter().filter(is_server).map(|process| process.pid.unsigned_abs()).collect();
    ensure!(servers.len() == 1, "{} servers run below zubi: {ours:?}", servers.len());
    let mut resident = 0;
    for pid in &servers {
        resident += processes::resident_bytes(*pid).context("the server runs")?;
    }
    let floor = processes::resident_bytes(server.pid()).context("the server runs")?;
    table.push(Row {
        label: "resident memory of the servers".to_owned(),
        zubi: stats::mebibytes(resident)?,
        floor: Some(stats::mebibytes(floor)?),
        unit: "MiB",
        aim: None,
        note: format!("{} server, {} processes below zubi", servers.len(), ours.len()),
    });
    Ok(())
}

/// Checks that no program wrote into the repository.
fn check_tree(project: &Project) -> Result<()> {
    let changed = project.git(&["status", "--porcelain"]);
    ensure!(changed.is_empty(), "the repository changed:\n{changed}");
    Ok(())
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
