//! The agent: the time between two model requests, the delay from the last byte of a tool call to its start, and the
//! time to reopen a long conversation.
//!
//! The model is a script ([`model`]) that records when each request arrived and when each answer was sent, so the
//! figures contain no model time. The floors are a bare client that sends the same requests and reads the same file,
//! the same call sent directly to the host, and a new conversation.

mod model;
mod tick;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use zubi_tests::hosts::HostsProject;
use zubi_tests::{Project, processes};

use self::model::{Exchange, Model};
use crate::stats::{self, Samples};
use crate::table::{Aim, Row, Table};

/// The model's name on the command line; the user's configuration defines its provider.
const MODEL: &str = "bench/scripted";

/// The number of calls in one answer of the long conversation; each call produces two events.
const CALLS: usize = 100;

/// The number of events in the long conversation.
const EVENTS: usize = 10_000;

/// Runs all measurements; `arguments` select many rounds or few.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let quick = crate::is_quick(crate::AGENT, arguments)?;
    processes::adopt_orphans();
    println!("the agent's loop; load average {}", stats::load_average());
    let mut table = Table::default();
    iterations(&mut table, if quick { 3 } else { 15 })?;
    first_byte_of_a_tool(&mut table, if quick { 2 } else { 10 })?;
    resume(&mut table, if quick { 3 } else { 11 })?;
    println!("\nload average {}\n\n{}", stats::load_average(), table.render());
    Ok(())
}

/// Measures from the last byte of an answer to the next request, with one quick call in between.
fn iterations(table: &mut Table, rounds: usize) -> Result<()> {
    const CALLS_PER_RUN: usize = 40;
    let fixture = HostsProject::new(Project::empty(), &[]);
    fixture.project.write("notes.md", "# Notes\n\nOne line.\n");
    let model = Model::start(|number, _| match number {
        CALLS_PER_RUN => model::text("Read."),
        // A repeated identical call would end the turn.
        _ => model::calls(&[(0, "file_read", json!({ "path": "notes.md", "startLine": 1, "endLine": number + 3 }))]),
    })?;
    configure(&fixture, &model)?;
    let (mut zubi, mut bare) = (Samples::default(), Samples::default());
    let mut size = 0;
    for round in 0..=rounds {
        let limit = (CALLS_PER_RUN + 1).to_string();
        ensure_completed(&agent(&fixture, &["run", "Read the notes.", "--host", "own", "--max-iterations", &limit])?)?;
        let loop_exchanges = model.take();
        size = loop_exchanges.iter().map(|exchange| exchange.size).max().unwrap_or(size);
        let notes = fixture.project.root().join("notes.md");
        model::send_bare_requests(&model, CALLS_PER_RUN + 1, size, || {
            std::fs::read(&notes).map(|_| ()).context("the notes")
        })?;
        let client_exchanges = model.take();
        // The first round warms up.
        if round > 0 {
            zubi.extend(gaps_between(&loop_exchanges));
            bare.extend(gaps_between(&client_exchanges));
        }
    }
    for percent in [50, 95] {
        table.push(Row {
            label: format!("an iteration without the model's time, with a call of file.read, p{percent}"),
            zubi: zubi.percentile(percent),
            floor: Some(bare.percentile(percent)),
            unit: "ms",
            aim: (percent == 50).then_some(Aim::Adds(5.0)),
            note: format!("floor: a bare client that reads the file; questions up to {} KiB", size / 1024),
        });
    }
    Ok(())
}

/// The time between each answer and the next request.
fn gaps_between(exchanges: &[Exchange]) -> Vec<Duration> {
    exchanges.windows(2).filter_map(|pair| Some(pair.get(1)?.arrived.duration_since(pair.first()?.sent))).collect()
}

/// Measures from the last byte of an answer with a call until the tool, in another process, receives its first byte.
fn first_byte_of_a_tool(table: &mut Table, rounds: usize) -> Result<()> {
    const CALLS_PER_RUN: usize = 30;
    let fixture = HostsProject::new(Project::empty(), &[]);
    let _daemon = fixture.daemon(&["--no-port"]);
    let host = fixture.only_host();
    let ticks = tick::Contributor::connect(host["socket"].as_str().context("the host has a socket")?)?;
    let model = Model::start(|number, _| match number {
        CALLS_PER_RUN => model::text("Ticked."),
        _ => model::calls(&[(0, "bench_tick", json!({ "number": number }))]),
    })?;
    configure(&fixture, &model)?;
    let (mut loop_samples, mut direct) = (Samples::default(), Samples::default());
    for round in 0..=rounds {
        let limit = (CALLS_PER_RUN + 1).to_string();
        ensure_completed(&agent(&fixture, &["run", "Tick.", "--max-iterations", &limit])?)?;
        let (exchanges, call_times) = (model.take(), ticks.take());
        ensure!(call_times.len() == CALLS_PER_RUN, "the tool received {} of {CALLS_PER_RUN} calls", call_times.len());
        let bare: Vec<Duration> = (0..CALLS_PER_RUN).map(|number| ticks.call(number)).collect::<Result<_>>()?;
        if round > 0 {
            loop_samples.extend(
                exchanges.iter().zip(&call_times).map(|(exchange, call_time)| call_time.duration_since(exchange.sent)),
            );
            direct.extend(bare);
        }
    }
    for percent in [50, 95] {
        table.push(Row {
            label: format!("from a call's last byte to its tool in another process, p{percent}"),
            zubi: loop_samples.percentile(percent),
            floor: Some(direct.percentile(percent)),
            unit: "ms",
            aim: (percent == 50).then_some(Aim::Adds(1.0)),
            note: "floor: the same call put to the host over its socket".to_owned(),
        });
    }
    Ok(())
}

/// Measures from the start of the program to its first request, in a long conversation and in a new one.
fn resume(table: &mut Table, rounds: usize) -> Result<()> {
    let iterations = EVENTS / (2 * CALLS);
    let fixture = HostsProject::new(Project::empty(), &[]);
    fixture.project.write("notes.md", "# Notes\n\nOne line.\n");
    let model = Model::start(move |number, is_resuming| {
        if is_resuming || number >= iterations {
            return model::text("Read.");
        }
        let call = |at: usize| {
            (at, "file_read", json!({ "path": "notes.md", "startLine": 1, "endLine": number * CALLS + at + 3 }))
        };
        model::calls(&(0..CALLS).map(call).collect::<Vec<_>>())
    })?;
    configure(&fixture, &model)?;
    let limit = (iterations + 1).to_string();
    let max_calls = (EVENTS * 2).to_string();
    let events =
        agent(&fixture, &["run", "Read.", "--host", "own", "--max-iterations", &limit, "--max-calls", &max_calls])?;
    ensure_completed(&events)?;
    let last_seq = events.iter().filter_map(|event| event["seq"].as_u64()).max().unwrap_or_default();
    let conversation = events.iter().find_map(|event| event["conversation"].as_str()).context("a conversation")?;
    model.take();
    let (mut long, mut new) = (Samples::default(), Samples::default());
    model.set_resuming();
    for round in 0..=rounds {
        // The two alternate. One more message per round hardly lengthens the conversation.
        let mut times = Vec::new();
        for words in [&["run", "Hello.", "--host", "own"][..], &["resume", conversation, "Continue.", "--host", "own"]]
        {
            let start = Instant::now();
            agent(&fixture, words)?;
            let exchanges = model.take();
            times.push(exchanges.first().context("the model received no request")?.arrived.duration_since(start));
        }
        if round > 0 {
            new.extend(times.first().copied());
            long.extend(times.get(1).copied());
        }
    }
    table.push(Row {
        label: format!(
            "from the start of the program to its first request, in a conversation of {last_seq} events, p50"
        ),
        zubi: long.percentile(50),
        floor: Some(new.percentile(50)),
        unit: "ms",
        aim: Some(Aim::Adds(100.0)),
        note: "floor: in a new conversation".to_owned(),
    });
    Ok(())
}

/// Configures the scripted model for the user, with a context larger than any conversation here.
fn configure(fixture: &HostsProject, model: &Model) -> Result<()> {
    let config = fixture.project.home().join("config/zubi");
    std::fs::create_dir_all(&config).context("the user's configuration")?;
    let (port, key) = (model.port(), "bench");
    let text = format!(
        "model = \"{MODEL}\"\n\n[models.{key}]\napi = \"openai-chat\"\nurl = \"http://127.0.0.1:{port}/v1\"\ncontext = 100000000\n"
    );
    std::fs::write(config.join("zubi.toml"), text).context("the user's configuration")
}

/// Runs `zubi agent` to its end and returns the events that it prints.
fn agent(fixture: &HostsProject, arguments: &[&str]) -> Result<Vec<Value>> {
    let mut command: Command = fixture.command();
    let output = command.arg("agent").args(arguments).arg("--json").stdin(Stdio::null()).output()?;
    let (stdout, stderr) = (String::from_utf8(output.stdout)?, String::from_utf8_lossy(&output.stderr).into_owned());
    ensure!(output.status.success(), "zubi agent {arguments:?}: {}\n{stderr}", output.status);
    stdout.lines().map(|line| serde_json::from_str(line).with_context(|| format!("an event: {line}"))).collect()
}

/// Fails unless the turn has completed.
fn ensure_completed(events: &[Value]) -> Result<()> {
    let ended = events.iter().rfind(|event| event["type"] == "ended").context("the run reports its end")?;
    ensure!(ended["reason"] == "completed", "the run has another end: {ended}");
    Ok(())
}
