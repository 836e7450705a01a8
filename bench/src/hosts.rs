//! Hosts and fronts: what it costs to ask through another process, what a front takes of memory, and how many can ask at once.
//!
//! A question through a front stands beside the same question to a zubi that shares nothing (`--host own`), in rounds that
//! take turns. Many clients at once stand beside the same clients of a bare echo over a socket, whose threads do nothing else.
//! Fifty fronts ask a language server that takes the same time for each answer, whatever else it does: that time is the floor.

mod clients;
mod delay;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use zubi_tests::hosts::HostsProject;
use zubi_tests::{Project, processes};

use crate::mcp::Zubi;
use crate::stats::{self, Samples};
use crate::table::{Aim, Row, Table};

pub(crate) use delay::ARGUMENT as DELAY;
pub(crate) use delay::serve as serve_with_delay;

/// How long the language server of the fronts takes for an answer.
const ANSWER: Duration = Duration::from_millis(200);

/// How many fronts ask it at once.
const FRONTS: usize = 50;

/// A call that has next to nothing to do.
fn trivial() -> Value {
    json!({ "name": "get_setting", "arguments": { "key": "editor.tabSize" } })
}

/// Measures, in many rounds or in a few.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let quick = match arguments {
        [] => false,
        [flag] if flag == "--quick" => true,
        _ => bail!("usage: zubi-bench hosts [--quick]"),
    };
    processes::adopt_orphans();
    println!("hosts and fronts; load average {}", stats::load_average());
    let mut table = Table::default();
    overhead(&mut table, if quick { 200 } else { 3_000 })?;
    fronts(&mut table, if quick { 2 } else { 7 })?;
    clients::measure(&mut table, if quick { 500 } else { 5_000 })?;
    println!("\nload average {}\n\n{}", stats::load_average(), table.render());
    Ok(())
}

/// The same call through a front and without one.
fn overhead(table: &mut Table, rounds: usize) -> Result<()> {
    let place = HostsProject::new(Project::empty(), &[]);
    let _daemon = place.daemon(&["--no-port"]);
    let mut front = Zubi::start_with(&place.project, &[], &[])?;
    let mut own = Zubi::start_with(&place.project, &[], &["--host", "own"])?;
    let (mut through, mut without) = (Samples::default(), Samples::default());
    for round in 0..rounds + 50 {
        let [theirs, ours] = [&mut own, &mut front].map(|zubi| zubi.wire.request("tools/call", &trivial()));
        let (theirs, ours) = (theirs?, ours?);
        ensure!(ours.result == theirs.result, "{} through a front, {} without", ours.result, theirs.result);
        // What is first is slow on both sides.
        if round >= 50 {
            without.push(theirs.took);
            through.push(ours.took);
        }
    }
    for percent in [50, 95, 99] {
        table.push(Row {
            what: format!("call of a trivial tool through a front, against none, p{percent} of {rounds}"),
            zubi: through.percentile(percent),
            floor: Some(without.percentile(percent)),
            unit: "ms",
            aim: (percent == 50).then_some(Aim::Adds(0.3)),
            note: String::new(),
        });
    }
    ensure!(place.status()["hosts"].as_array().is_some_and(|hosts| hosts.len() == 1), "the front has found no host");
    let mebibytes = |zubi: &Zubi| -> Result<f64> {
        let bytes = processes::resident_bytes(zubi.wire.pid()).context("zubi runs")?;
        Ok(f64::from(u32::try_from(bytes / 1024)?) / 1024.0)
    };
    table.push(Row {
        what: format!("resident memory of a front, after {rounds} calls, against a zubi of its own"),
        zubi: mebibytes(&front)?,
        floor: Some(mebibytes(&own)?),
        unit: "MiB",
        aim: Some(Aim::AtMost(8.0)),
        note: String::new(),
    });
    Ok(())
}

/// Many fronts ask one language server at once; it takes the same time for each.
fn fronts(table: &mut Table, rounds: usize) -> Result<()> {
    let place = HostsProject::new(Project::empty(), &[]);
    delay::install(&place.project, ANSWER)?;
    let _daemon = place.daemon(&["--no-port"]);
    let mut fronts = Vec::new();
    for _ in 0..FRONTS {
        fronts.push(Zubi::start_with(&place.project, &[], &[])?);
    }
    let call = json!({ "name": "lsp_hover", "arguments": { "at": "a.delayed:1:1" } });
    let (mut last, mut all) = (Samples::default(), Samples::default());
    for round in 0..=rounds {
        let begun = Instant::now();
        let mut asked = Vec::new();
        for front in &mut fronts {
            asked.push(front.wire.send_request("tools/call", &call)?);
        }
        for (front, asked) in fronts.iter_mut().zip(asked) {
            let reply = front.wire.answer(&asked)?;
            let text = reply.result["content"][0]["text"].as_str().unwrap_or_default();
            ensure!(text.contains("after a while"), "a front answers {text}");
            if round > 0 {
                all.push(reply.took);
            }
        }
        // The first round starts the server.
        if round > 0 {
            last.push(begun.elapsed());
        }
    }
    let floor = Some(stats::milliseconds(ANSWER));
    let row = |what: String, zubi| Row { what, zubi, floor, unit: "ms", aim: None, note: String::new() };
    table.push(row(format!("{FRONTS} fronts ask at once, all answered, p50 of {rounds}"), last.percentile(50)));
    table.push(row(format!("one of {FRONTS} fronts that ask at once, p50"), all.percentile(50)));
    table.push(row(format!("one of {FRONTS} fronts that ask at once, p99"), all.percentile(99)));
    Ok(())
}
