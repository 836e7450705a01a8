//! Many servers and many files: zubi's own memory, and the time that language detection takes.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use zubi_tests::{Project, processes};

use crate::mcp::Zubi;
use crate::stats::{self, Samples};
use crate::table::{Aim, Row, Table};

/// One file per language and the components of its server, in the order of the queries.
const FILES: &[(&str, &str, &[&str])] = &[
    ("one.py", "def one():\n    return 1\n", &["ty"]),
    ("two.cc", "int two() { return 2; }\n", &["clangd"]),
    ("three.ts", "export function three() { return 3; }\n", &["node", "typescript"]),
    ("four.go", "package four\n\nfunc Four() int { return 4 }\n", &["go", "gopls"]),
    ("five.css", ".five { color: red; }\n", &["vscode-langservers"]),
    ("six.sh", "six() { echo 6; }\n", &["bash-language-server"]),
];

/// The numbers of servers after which the memory is measured.
const STEPS: &[usize] = &[1, 3, 6];

/// The large tree: the number of directories, and the number of files in each.
const DIRECTORIES: usize = 500;
const FILES_EACH: usize = 100;

/// The aim for detection on the large tree, in milliseconds.
const DETECTION: f64 = 300.0;

/// Measures memory and detection.
pub(crate) fn measure(table: &mut Table, rounds: usize) -> Result<()> {
    memory(table)?;
    detection(table, rounds)
}

fn memory(table: &mut Table) -> Result<()> {
    let project = Project::empty();
    for (name, text, _) in FILES {
        project.write(name, text);
    }
    project.write("go.mod", "module four\n\ngo 1.24\n");
    project.write("tsconfig.json", "{}\n");
    Zubi::trust(&project)?;
    let components: Vec<&str> = FILES.iter().flat_map(|(_, _, components)| components.iter().copied()).collect();
    let mut zubi = Zubi::start(&project, &components)?;
    for (count, (name, ..)) in (1..).zip(FILES) {
        let arguments = json!({ "name": "lsp_document_symbols", "arguments": { "path": name } });
        let request = zubi.wire.send_request("tools/call", &arguments)?;
        let answer = zubi.answer(&request)?;
        ensure!(!answer.text.contains("text search"), "no server answered for {name}: {}", answer.text);
        if STEPS.contains(&count) {
            let servers = processes::descendants().len();
            let bytes = processes::resident_bytes(zubi.wire.pid()).context("zubi runs")?;
            table.push(Row {
                label: format!("resident memory of zubi itself with {count} servers"),
                zubi: stats::mebibytes(bytes)?,
                floor: None,
                unit: "MiB",
                aim: None,
                note: format!("{servers} processes in all, zubi and the supervisors among them"),
            });
        }
    }
    Ok(())
}

/// Measures a query in a tree without any known language: zubi answers it only after it has seen all files.
fn detection(table: &mut Table, rounds: usize) -> Result<()> {
    let project = Project::empty();
    for directory in 0..DIRECTORIES {
        for file in 0..FILES_EACH {
            project.write(&format!("d{directory}/f{file}.unknown"), "");
        }
    }
    let (mut ours, mut floor) = (Samples::default(), Samples::default());
    for _ in 0..rounds {
        let mut zubi = Zubi::start(&project, &[])?;
        let start = Instant::now();
        let arguments = json!({ "name": "lsp_diagnostics", "arguments": {} });
        let reply = zubi.wire.request("tools/call", &arguments)?;
        ours.push(start.elapsed());
        ensure!(reply.result["isError"] == true, "no server serves this language, but: {}", reply.result);
        let start = Instant::now();
        let found = Command::new("find").arg(project.root()).args(["-type", "f"]).output().context("find runs")?;
        floor.push(start.elapsed());
        let files = String::from_utf8_lossy(&found.stdout).lines().count();
        ensure!(files == DIRECTORIES * FILES_EACH, "{files} files");
    }
    table.push(Row {
        label: format!("detection in {} files, p50 of {rounds}; the floor is `find`", DIRECTORIES * FILES_EACH),
        zubi: ours.percentile(50),
        floor: Some(floor.percentile(50)),
        unit: "ms",
        aim: Some(Aim::AtMost(DETECTION)),
        note: format!("slowest {:.0}", ours.percentile(100)),
    });
    Ok(())
}
