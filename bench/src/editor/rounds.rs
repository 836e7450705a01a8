//! Rounds of requests right after edits.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::edits::Edit;
use super::expected::excerpt;
use super::latency::{Latencies, Row};
use super::questions::Question;
use super::server::Server;
use crate::stats::Samples;

/// The aim for the p95 of a response right after an edit, in milliseconds. A person notices a tenth of a second;
/// updates during typing may take a small part of that.
const AIM: f64 = 5.0;

/// A request after an edit.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) edit: &'a Edit,
    pub(crate) question: Question,
    /// The expected answers without the edit, and with it.
    pub(crate) expected: [Value; 2],
}

#[derive(Debug, Clone, Default)]
struct Times {
    after_edit: Samples,
    without_edit: Samples,
}

/// Sends every request to each server that supports it, with the edit made and with the edit reverted, in each round.
pub(crate) fn measure(
    cases: &[Case<'_>],
    servers: &mut [Server],
    rounds: usize,
    latencies: &mut Latencies,
) -> Result<()> {
    let mut times = vec![vec![Times::default(); cases.len()]; servers.len()];
    let mut wires = vec![Samples::default(); servers.len()];
    for round in 0..rounds {
        for (number, case) in cases.iter().enumerate() {
            let turns = servers.iter_mut().zip(times.iter_mut().zip(&mut wires));
            let mut turns: Vec<_> = turns.filter(|(server, _)| case.question.is_for(server.program)).collect();
            // The order alternates with the round.
            if round % 2 == 1 {
                turns.reverse();
            }
            for (server, (times, wire)) in turns {
                for is_applied in [true, false] {
                    run_round(case, server, is_applied, &mut times[number])?;
                    wire.push(server.request_unknown_method()?);
                }
            }
        }
    }
    for (server, (times, wire)) in servers.iter().zip(times.into_iter().zip(wires)) {
        let program = server.program.title();
        for (case, times) in cases.iter().zip(times).filter(|(case, _)| case.question.is_for(server.program)) {
            latencies.push(Row {
                label: format!("`{program}`: {} → {}", case.edit.title, case.question.title),
                samples: times.after_edit,
                floor: Some(times.without_edit),
                aim: Some(AIM),
            });
        }
        let label = format!("`{program}`: a request with an unknown method");
        latencies.push(Row { label, samples: wire, floor: None, aim: None });
    }
    Ok(())
}

/// Makes the edit, sends the request immediately, and then sends it once more.
fn run_round(case: &Case<'_>, server: &mut Server, is_applied: bool, times: &mut Times) -> Result<()> {
    let edited = server.edit(case.edit, is_applied)?;
    let first = server.request(&case.question, is_applied, Some(edited))?;
    let second = server.request(&case.question, is_applied, None)?;
    for ((elapsed, answer), samples) in [(first, &mut times.after_edit), (second, &mut times.without_edit)] {
        let expected = &case.expected[usize::from(is_applied)];
        ensure!(
            answer == *expected,
            "`{}` answers {} after {} with {}, not with {}",
            server.program.title(),
            case.question.title,
            case.edit.title,
            excerpt(&answer),
            excerpt(expected)
        );
        samples.push(elapsed);
    }
    Ok(())
}
