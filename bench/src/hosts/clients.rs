//! Clients of the socket that send the next request as soon as they receive a response, and the same clients of a bare
//! echo server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, ensure};
use serde_json::{Value, json};
use zubi_tests::Project;
use zubi_tests::hosts::HostsProject;

use super::trivial;
use crate::stats::Samples;
use crate::table::{Row, Table};

/// The numbers of concurrent clients.
const CLIENTS: [usize; 3] = [1, 10, 64];

/// Measures with this number of requests in each round.
pub(super) fn measure(table: &mut Table, requests: usize) -> Result<()> {
    let fixture = HostsProject::new(Project::empty(), &[]);
    let _daemon = fixture.daemon(&["--no-port"]);
    let host = fixture.only_host();
    let socket = host["socket"].as_str().context("the host has a socket")?;
    let echo = fixture.project.home().join("echo.sock");
    let listener = UnixListener::bind(&echo).context("a socket")?;
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || serve_echo(&stream));
        }
    });
    let ping = json!({ "method": "ping" });
    let call = trivial();
    let call = json!({ "method": "tools/call", "params": { "tool": call["name"], "arguments": call["arguments"] } });
    for clients in CLIENTS {
        let each = requests.div_ceil(clients);
        for (name, message) in [("ping", &ping), ("a trivial tool", &call)] {
            // The two alternate; the first run of each is a warm-up.
            load(echo.as_std_path(), clients, each / 10, message)?;
            load(Path::new(socket), clients, each / 10, message)?;
            let floor = load(echo.as_std_path(), clients, each, message)?;
            let zubi = load(Path::new(socket), clients, each, message)?;
            for percent in [50, 99] {
                table.push(Row {
                    label: format!("{name} over the socket, {clients} clients at once, against an echo, p{percent}"),
                    zubi: zubi.samples.percentile(percent),
                    floor: Some(floor.samples.percentile(percent)),
                    unit: "ms",
                    aim: None,
                    note: format!("{:.0}/s, the echo {:.0}/s", zubi.per_second, floor.per_second),
                });
            }
        }
    }
    Ok(())
}

struct Load {
    samples: Samples,
    per_second: f64,
}

/// Runs this number of clients with this number of requests each, one after the other.
fn load(socket: &Path, clients: usize, requests: usize, message: &Value) -> Result<Load> {
    let start = Instant::now();
    let threads: Vec<_> = (0..clients)
        .map(|_| {
            let (socket, message) = (socket.to_owned(), message.clone());
            thread::spawn(move || send_requests(&socket, requests, message))
        })
        .collect();
    let mut samples = Samples::default();
    for client in threads {
        samples.extend(client.join().map_err(|_| anyhow!("a client panicked"))??);
    }
    let request_count = u32::try_from(clients * requests)?;
    Ok(Load { samples, per_second: f64::from(request_count) / start.elapsed().as_secs_f64() })
}

fn send_requests(socket: &Path, requests: usize, mut message: Value) -> Result<Vec<std::time::Duration>> {
    let stream = UnixStream::connect(socket).context("the socket")?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = &stream;
    let mut durations = Vec::with_capacity(requests);
    let mut answer = String::new();
    message["jsonrpc"] = json!("2.0");
    for id in 0..requests {
        message["id"] = json!(id);
        let start = Instant::now();
        writer.write_all(format!("{message}\n").as_bytes())?;
        answer.clear();
        reader.read_line(&mut answer)?;
        durations.push(start.elapsed());
        ensure!(answer.contains(&format!("\"id\":{id}")) && !answer.contains("\"error\""), "{answer}");
    }
    Ok(durations)
}

/// Echoes every line.
fn serve_echo(stream: &UnixStream) {
    let Ok(reading) = stream.try_clone() else { return };
    let mut reader = BufReader::new(reading);
    let (mut line, mut writer) = (Vec::new(), stream);
    while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        if writer.write_all(&line).is_err() {
            return;
        }
        line.clear();
    }
}
