//! A team's index on PostgreSQL: a push of a million occurrences, and questions about them as a reader under row security
//! over TCP, beside the same questions as the owner of the tables over a Unix socket.
//!
//! The repository is generated: every document defines methods and refers to those of others, a twentieth of them to a few
//! popular ones. The server is Debian's, in a folder of its own, with as many roles and repositories as a large team has.
//! No language server is installed, so that all answers come from the pushed data.

mod data;
mod server;
mod store;

use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use zubi_tests::zubi::Start;
use zubi_tests::{Project, processes};

use crate::mcp::Zubi;
use crate::stats::{self, Samples};
use crate::table::{Aim, Row, Table};

use data::Repository;
use server::PostgresCluster;

/// The role that reads.
const READER: &str = "reader";

/// The role that owns the tables. Row security does not apply to it.
const OWNER: &str = "postgres";

/// The number of further repositories of the team, and of its roles.
const TEAM: usize = 500;

/// The maximum percentile of 95 of a query for references, in milliseconds.
const REFERENCES_AIM: f64 = 10.0;

/// The numbers of documents and of questions of each kind in a short and in a full run.
const SHORT: Rounds = Rounds { documents: 100, questions: 20 };
const FULL: Rounds = Rounds { documents: 2_000, questions: 200 };

struct Rounds {
    documents: usize,
    questions: usize,
}

/// A kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    References,
    PopularReferences,
    Uses,
}

impl Question {
    const ALL: [Self; 3] = [Self::References, Self::PopularReferences, Self::Uses];

    fn title(self) -> &'static str {
        match self {
            Self::References => "references to a method",
            Self::PopularReferences => "references to a popular method",
            Self::Uses => "uses of a method in all repositories",
        }
    }

    /// Returns the tool and the arguments for the question with this number.
    fn call(self, repository: &Repository, number: usize) -> (&'static str, Value) {
        match self {
            Self::References => ("lsp_references", json!({ "at": repository.position(number) })),
            Self::PopularReferences => ("lsp_references", json!({ "at": data::popular_position(number) })),
            Self::Uses => ("team_uses", json!({ "symbol": repository.name_path(number) })),
        }
    }
}

/// Runs all measurements; `arguments` select many rounds or few.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let rounds = if crate::is_quick(crate::TEAM, arguments)? { SHORT } else { FULL };
    processes::adopt_orphans();
    println!("the team's index; load average {}", stats::load_average());
    let project = Project::empty();
    let repository = Repository::new(rounds.documents);
    repository.write(&project)?;
    let server = PostgresCluster::start(&project)?;
    let mut table = Table::default();
    push(&mut table, &project, &server, &repository)?;
    add_team(&server)?;
    // Answers search the files for the name; a build in the background would disturb them.
    let built = Start::new(&project, &[]).command().args(["index", "build"]).output().context("zubi starts")?;
    ensure!(built.status.success(), "zubi index build: {}", String::from_utf8_lossy(&built.stderr));
    measure_data(&mut table, &project, &server, &repository, rounds.questions)?;
    let owner = answers(&project, &server.socket_connection(OWNER), &repository, rounds.questions)?;
    let reader = answers(&project, &server.tcp_connection(READER), &repository, rounds.questions)?;
    for ((question, reader), (_, owner)) in reader.iter().zip(&owner) {
        compare(&mut table, &format!("{}, {} questions", question.title(), rounds.questions), reader, owner, None);
    }
    println!("\nload average {}\n\n{}", stats::load_average(), table.render());
    Ok(())
}

/// Pushes the data as the owner, into new tables.
fn push(table: &mut Table, project: &Project, server: &PostgresCluster, repository: &Repository) -> Result<()> {
    let mut command = Start::new(project, &[]).command();
    command.args(["index", "push", data::file(project).as_str(), "--create-schema", "--json"]);
    let started = Instant::now();
    let output = command.env("ZUBI_TEAM_INDEX", server.socket_connection(OWNER)).output().context("zubi starts")?;
    let elapsed = started.elapsed();
    ensure!(output.status.success(), "zubi index push: {}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let number = report["occurrences"].as_u64().unwrap_or_default();
    ensure!(number == repository.occurrences(), "{number} of {} occurrences are pushed", repository.occurrences());
    table.push(Row {
        label: format!("push of {number} occurrences"),
        zubi: elapsed.as_secs_f64(),
        floor: None,
        unit: "s",
        aim: None,
        note: String::new(),
    });
    Ok(())
}

/// Measures the queries of the data without zubi's process.
fn measure_data(
    table: &mut Table,
    project: &Project,
    server: &PostgresCluster,
    repository: &Repository,
    questions: usize,
) -> Result<()> {
    let owner = store::references(project, &server.socket_connection(OWNER), repository, questions)?;
    let reader = store::references(project, &server.tcp_connection(READER), repository, questions)?;
    let label = format!("in the data: references to a method, {questions} queries");
    compare(table, &label, &reader, &owner, Some(Aim::AtMost(REFERENCES_AIM)));
    Ok(())
}

/// Adds the percentiles of a reader beside those of the owner. The aim is for the last one.
fn compare(table: &mut Table, label: &str, reader: &Samples, owner: &Samples, aim: Option<Aim>) {
    for (percent, aim) in [(50, None), (95, aim)] {
        table.push(Row {
            label: format!("{label}, p{percent}"),
            zubi: reader.percentile(percent),
            floor: Some(owner.percentile(percent)),
            unit: "ms",
            aim,
            note: "reader under row security over TCP; floor: owner over a Unix socket".to_owned(),
        });
    }
}

/// Adds the roles and repositories of a large team. Each role may see twenty repositories.
fn add_team(server: &PostgresCluster) -> Result<()> {
    server.sql(&format!(
        "DO $$ BEGIN
            FOR i IN 1..{TEAM} LOOP
                EXECUTE format('CREATE ROLE member%s LOGIN IN ROLE zubi_reader', i);
                INSERT INTO zubi.repository (name) VALUES ('git.example/team/other' || i);
                INSERT INTO zubi.access SELECT 'member' || i, 'git.example/team/other' || (i * 7 + j) % {TEAM} + 1, false
                    FROM generate_series(1, 20) AS j;
            END LOOP;
            CREATE ROLE {READER} LOGIN IN ROLE zubi_reader, member1;
            INSERT INTO zubi.access VALUES ('{READER}', '{}', false);
        END $$",
        data::NAME
    ))?;
    server.sql("VACUUM ANALYZE")
}

/// Measures the answers of one process with this connection.
fn answers(
    project: &Project,
    connection: &str,
    repository: &Repository,
    questions: usize,
) -> Result<Vec<(Question, Samples)>> {
    let mut command = Start::new(project, &[]).command();
    command.arg("mcp").env("ZUBI_TEAM_INDEX", connection);
    let mut zubi = Zubi::start_command(command)?;
    let mut all = Vec::new();
    for question in Question::ALL {
        let mut samples = Samples::default();
        // The first ones connect, and the server plans their queries.
        for number in 0..questions + 10 {
            let (tool, arguments) = question.call(repository, number);
            let answer = zubi.call(tool, &arguments)?;
            ensure!(answer.text.contains("[scip"), "{tool} {arguments} has no exact answer: {}", answer.text);
            if number >= 10 {
                samples.push(answer.reply.elapsed);
            }
        }
        all.push((question, samples));
    }
    Ok(all)
}
