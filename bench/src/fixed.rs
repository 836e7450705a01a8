//! The fixed costs of zubi: start, tool list, memory.

use anyhow::{Context as _, Result};
use serde_json::json;
use zubi_tests::{Project, processes};

use crate::mcp::Zubi;
use crate::stats::{self, Samples};
use crate::table::{Aim, Row, Table};

/// Measures with this number of starts.
pub(crate) fn measure(table: &mut Table, starts: usize) -> Result<()> {
    let project = Project::fixture("python");
    let mut samples = Samples::default();
    for _ in 0..starts {
        let mut zubi = Zubi::spawn(&project, &["ty"])?;
        zubi.initialize()?;
        samples.push(zubi.wire.started.elapsed());
    }
    for percent in [50, 95] {
        table.push(Row {
            label: format!("start → `initialize` reply, p{percent} of {starts}"),
            zubi: samples.percentile(percent),
            floor: None,
            unit: "ms",
            aim: Some(Aim::AtMost(10.0)),
            note: String::new(),
        });
    }
    let mut zubi = Zubi::start(&project, &["ty"])?;
    let list = zubi.wire.request("tools/list", &json!({}))?;
    let tools = list.result["tools"].as_array().map_or(0, Vec::len);
    table.push(Row {
        label: format!("tools/list, {tools} tools"),
        zubi: f64::from(u32::try_from(list.bytes)?),
        floor: None,
        unit: "bytes",
        aim: Some(Aim::AtMost(10_000.0)),
        note: String::new(),
    });
    push_memory(table, &zubi, "before any question")
}

/// Adds the resident memory of zubi itself, without its servers.
pub(crate) fn push_memory(table: &mut Table, zubi: &Zubi, when: &str) -> Result<()> {
    let bytes = processes::resident_bytes(zubi.wire.pid()).context("zubi runs")?;
    table.push(Row {
        label: format!("resident memory of zubi itself, {when}"),
        zubi: stats::mebibytes(bytes)?,
        floor: None,
        unit: "MiB",
        aim: Some(Aim::AtMost(15.0)),
        note: String::new(),
    });
    Ok(())
}
