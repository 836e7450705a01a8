//! The time that zubi adds to an editor's answers: the same request through a language model tool of the extension, and
//! directly, in alternation in one window of a real VS Code. Also the extension's activation time and the size of its
//! packages.
//!
//! The extension host, which sends both requests, measures the times (`editors/vscode/tests/real/suite/bench.ts`).

use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use zubi_tests::vscode::Editor;
use zubi_tests::{Project, tools};

use crate::stats::{self, Samples};
use crate::table::{Aim, Row, Table};

/// Runs all measurements; `arguments` select many rounds or few.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let (rounds, restarts) = match arguments {
        [] => (500, 10),
        [flag] if flag == "--quick" => (100, 3),
        _ => bail!("usage: zubi-bench editor [--quick]"),
    };
    println!("the editor's answers through zubi; load average {}", stats::load_average());
    let mut table = Table::default();
    measure(&mut table, rounds, restarts)?;
    packages(&mut table)?;
    println!("\nload average {}\n\n{}", stats::load_average(), table.render());
    Ok(())
}

fn measure(table: &mut Table, rounds: usize, restarts: usize) -> Result<()> {
    let project = Project::empty();
    project.add("examples/shop", "shop");
    project.add("tests/fixtures/typescript", "web");
    project.write("bench.json", &json!({ "rounds": rounds, "restarts": restarts }).to_string());
    Editor::new(&project, &tools::zubi()).window("", "bench").run();
    let figures: Value = serde_json::from_str(&project.read("figures.json")).context("the figures of the window")?;
    let [bare, call, tool, local_tool] = ["bare", "call", "tool", "nothing"].map(|name| samples(&figures, name));
    let (bare, call, tool, local_tool) = (bare?, call?, tool?, local_tool?);
    for (api, samples) in [("the extension's API", &call), ("`lm.invokeTool`", &tool)] {
        for percent in [50, 95, 99] {
            table.push(Row {
                label: format!("definition through {api}, against the editor's command, p{percent} of {rounds}"),
                zubi: samples.percentile(percent),
                floor: Some(bare.percentile(percent)),
                unit: "ms",
                aim: (percent == 50).then_some(Aim::Adds(2.0)),
                note: String::new(),
            });
        }
    }
    let plain = |label: String, zubi: f64| Row { label, zubi, floor: None, unit: "ms", aim: None, note: String::new() };
    for percent in [50, 99] {
        let label = format!("a tool without editor requests, through `lm.invokeTool`, p{percent} of {rounds}");
        table.push(plain(label, local_tool.percentile(percent)));
    }
    let activation = samples(&figures, "activation")?.percentile(50);
    table.push(plain("the extension is loaded and activated".to_owned(), activation));
    let restart = samples(&figures, "restart")?.percentile(50);
    table.push(plain(format!("the program is ended, started and has answered, p50 of {restarts}"), restart));
    Ok(())
}

/// The durations of a kind, which the window wrote in milliseconds.
fn samples(figures: &Value, kind: &str) -> Result<Samples> {
    let figures = figures[kind].as_array().with_context(|| format!("the window has no figures of {kind}"))?;
    let mut samples = Samples::default();
    for figure in figures {
        let milliseconds = figure.as_f64().with_context(|| format!("{kind}: {figure} is not a number"))?;
        samples.push(Duration::try_from_secs_f64(milliseconds / 1000.0)?);
    }
    ensure!(!figures.is_empty(), "the window has no figures of {kind}");
    Ok(samples)
}

/// The sizes of the packages, if `cargo xtask package` has built them.
fn packages(table: &mut Table) -> Result<()> {
    let mut packages: Vec<_> = match tools::ROOT.join("target/vsix").read_dir_utf8() {
        Ok(entries) => entries.flatten().map(camino::Utf8DirEntry::into_path).collect(),
        Err(_) => Vec::new(),
    };
    packages.retain(|path| path.extension() == Some("vsix"));
    packages.sort();
    for package in packages {
        let bytes = package.metadata()?.len();
        table.push(Row {
            label: format!("size of {}", package.file_name().unwrap_or_default()),
            zubi: f64::from(u32::try_from(bytes / 1024)?) / 1024.0,
            floor: None,
            unit: "MiB",
            aim: None,
            note: String::new(),
        });
    }
    Ok(())
}
