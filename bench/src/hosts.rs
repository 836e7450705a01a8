//! Hosts and clients: the cost of a request through another process, the memory of a client, and the number of
//! concurrent clients.
//!
//! The same request goes through a client and to a private zubi (`--host own`), in interleaved rounds. The floor of
//! many concurrent clients is the same clients of a bare echo server over a socket. Fifty clients query a language
//! server with a fixed response time, which is the floor.

mod clients;
mod delay;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use zubi_tests::hosts::HostsProject;
use zubi_tests::{Project, processes};

use crate::mcp::Zubi;
use crate::stats::{self, Samples};
use crate::table::{Aim, Row, Table};

pub(crate) use delay::ARGUMENT as DELAY;
pub(crate) use delay::serve as serve_with_delay;

/// The response time of that language server.
const ANSWER: Duration = Duration::from_millis(200);

/// The number of concurrent clients.
const CLIENTS: usize = 50;

/// A call with almost no work.
fn trivial() -> Value {
    json!({ "name": "get_setting", "arguments": { "key": "editor.tabSize" } })
}

/// Runs all measurements; `arguments` select many rounds or few.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let quick = crate::is_quick(crate::HOSTS, arguments)?;
    processes::adopt_orphans();
    println!("hosts and clients; load average {}", stats::load_average());
    let mut table = Table::default();
    overhead(&mut table, if quick { 200 } else { 3_000 })?;
    concurrent_clients(&mut table, if quick { 2 } else { 7 })?;
    clients::measure(&mut table, if quick { 500 } else { 5_000 })?;
    println!("\nload average {}\n\n{}", stats::load_average(), table.render());
    Ok(())
}

/// Compares the same call through a client and without one.
fn overhead(table: &mut Table, rounds: usize) -> Result<()> {
    let fixture = HostsProject::new(Project::empty(), &[]);
    let _daemon = fixture.daemon(&["--no-port"]);
    let mut client = Zubi::start_with(&fixture.project, &[], &[])?;
    let mut own = Zubi::start_with(&fixture.project, &[], &["--host", "own"])?;
    let (mut through_host, mut in_process) = (Samples::default(), Samples::default());
    for round in 0..rounds + 50 {
        let [theirs, ours] = [&mut own, &mut client].map(|zubi| zubi.wire.request("tools/call", &trivial()));
        let (theirs, ours) = (theirs?, ours?);
        ensure!(ours.result == theirs.result, "{} through a host, {} without", ours.result, theirs.result);
        // The first calls are slow on both sides.
        if round >= 50 {
            in_process.push(theirs.elapsed);
            through_host.push(ours.elapsed);
        }
    }
    for percent in [50, 95, 99] {
        table.push(Row {
            label: format!("call of a trivial tool through a host, against none, p{percent} of {rounds}"),
            zubi: through_host.percentile(percent),
            floor: Some(in_process.percentile(percent)),
            unit: "ms",
            aim: (percent == 50).then_some(Aim::Adds(0.3)),
            note: String::new(),
        });
    }
    ensure!(fixture.status()["hosts"].as_array().is_some_and(|hosts| hosts.len() == 1), "the client has found no host");
    let mebibytes = |zubi: &Zubi| -> Result<f64> {
        let bytes = processes::resident_bytes(zubi.wire.pid()).context("zubi runs")?;
        stats::mebibytes(bytes)
    };
    table.push(Row {
        label: format!("resident memory of a client, after {rounds} calls, against a zubi of its own"),
        zubi: mebibytes(&client)?,
        floor: Some(mebibytes(&own)?),
        unit: "MiB",
        aim: Some(Aim::AtMost(8.0)),
        note: String::new(),
    });
    Ok(())
}

/// Measures many clients that query one language server at once; the server takes the same time for each.
fn concurrent_clients(table: &mut Table, rounds: usize) -> Result<()> {
    let fixture = HostsProject::new(Project::empty(), &[]);
    delay::install(&fixture.project, ANSWER)?;
    let _daemon = fixture.daemon(&["--no-port"]);
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        clients.push(Zubi::start_with(&fixture.project, &[], &[])?);
    }
    let call = json!({ "name": "lsp_hover", "arguments": { "at": "a.delayed:1:1" } });
    let (mut last, mut all) = (Samples::default(), Samples::default());
    for round in 0..=rounds {
        let start = Instant::now();
        let mut requests = Vec::new();
        for client in &mut clients {
            requests.push(client.wire.send_request("tools/call", &call)?);
        }
        for (client, request) in clients.iter_mut().zip(requests) {
            let reply = client.wire.answer(&request)?;
            let text = reply.result["content"][0]["text"].as_str().unwrap_or_default();
            ensure!(text.contains("after a while"), "a client answers {text}");
            if round > 0 {
                all.push(reply.elapsed);
            }
        }
        // The first round starts the server.
        if round > 0 {
            last.push(start.elapsed());
        }
    }
    let floor = Some(stats::milliseconds(ANSWER));
    let row = |label: String, zubi| Row { label, zubi, floor, unit: "ms", aim: None, note: String::new() };
    table.push(row(format!("{CLIENTS} clients at once, all answered, p50 of {rounds}"), last.percentile(50)));
    table.push(row(format!("one of {CLIENTS} concurrent clients, p50"), all.percentile(50)));
    table.push(row(format!("one of {CLIENTS} concurrent clients, p99"), all.percentile(99)));
    Ok(())
}
