//! Edits and queries of a long-lived workspace.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use camino::Utf8Path;
use dlang_ide::query::{EntityType, ListInput};
use dlang_workspace::files::DiskFiles;
use dlang_workspace::workspace::Root;
use dlang_workspace::{Workspace, WorkspaceSnapshot, queries};
use large_example::{Size, area_path, context_fqn};
use serde_json::{Value, json};

use crate::cost::median;

/// The labels of the rows; `table` refers to them.
pub(crate) const LOAD: &str = "load and validate in process";
pub(crate) const EDIT: &str = "a character in a body → all diagnostics";
pub(crate) const RENAME: &str = "a declaration renamed → all diagnostics";
pub(crate) const LIST: &str = "list bcs";
pub(crate) const LIST_EDITED: &str = "list bcs after an edit";
pub(crate) const RELATIONSHIPS: &str = "list relationships";
pub(crate) const GET: &str = "get one element";
pub(crate) const SUMMARY: &str = "summary";
pub(crate) const EXPLAIN: &str = "explain one element";

/// Measures every row and prints the medians as JSON: a list of pairs of label and milliseconds.
pub(crate) fn run(folder: &Utf8Path, size: Size, rounds: usize) -> Result<()> {
    println!("{}", Value::from(measure(folder, size, rounds)?));
    Ok(())
}

/// Parses the output of [`run`].
pub(crate) fn read(printed: &str) -> Result<Vec<(String, f64)>> {
    let rows: Value = serde_json::from_str(printed)?;
    let row = |row: &Value| Some((row[0].as_str()?.to_owned(), row[1].as_f64()?));
    rows.as_array().and_then(|rows| rows.iter().map(row).collect()).context("no rows")
}

fn measure(folder: &Utf8Path, size: Size, rounds: usize) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    let mut row = |name: &str, times: Vec<f64>| rows.push(json!([name, median(&times)]));
    let load = || {
        let roots = vec![Root::Folder(folder.to_owned())];
        Workspace::load(Arc::new(DiskFiles), roots, &mut |_| ControlFlow::Continue(()))
    };
    let mut times = Vec::new();
    for _ in 0..rounds.min(5) {
        let start = Instant::now();
        let workspace = load()?;
        ensure!(problems(&workspace)? == 0, "the model has problems");
        times.push(milliseconds(start));
    }
    row(LOAD, times);

    let mut workspace = load()?;
    problems(&workspace)?;
    let area = size.areas / 2;
    let path = folder.join(area_path(area));
    let text = std::fs::read_to_string(&path)?;

    // Simulates typing.
    let (before, after) = text.split_once("All that").context("the area says nothing")?;
    let (mut edits, mut lists) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        let edited = format!("{before}All{} that{after}", "l".repeat(round));
        let start = Instant::now();
        ensure!(workspace.overlay(&path, Some(edited.into())), "the edit changed nothing");
        ensure!(problems(&workspace)? == 0, "the edit broke the model");
        edits.push(milliseconds(start));
        let start = Instant::now();
        list(&workspace.snapshot(), EntityType::BoundedContexts, size.areas * size.contexts)?;
        lists.push(milliseconds(start));
    }
    row(EDIT, edits);
    row(LIST_EDITED, lists);

    // Other files refer to the name, so the model is broken and fixed in alternation.
    let fqn = context_fqn(area, 0);
    let name = fqn.rsplit('.').next().unwrap_or(&fqn);
    let mut renamed = text.clone();
    for word in ["BoundedContext", "bc"] {
        renamed = renamed.replacen(&format!("{word} {name} for "), &format!("{word} {name}-2 for "), 1);
    }
    let renamed: Arc<str> = renamed.into();
    let text: Arc<str> = text.into();
    let mut times = Vec::new();
    for _ in 0..rounds {
        for (text, is_broken) in [(&renamed, true), (&text, false)] {
            let start = Instant::now();
            workspace.overlay(&path, Some(Arc::clone(text)));
            ensure!((problems(&workspace)? > 0) == is_broken, "the name is used nowhere");
            times.push(milliseconds(start));
        }
    }
    row(RENAME, times);

    let snapshot = workspace.snapshot();
    let contexts = size.areas * size.contexts;
    let mut measure_query = |name: &str, query: &dyn Fn() -> Result<()>| -> Result<()> {
        let mut times = Vec::new();
        for _ in 0..rounds * 4 {
            let start = Instant::now();
            query()?;
            times.push(milliseconds(start));
        }
        row(name, times);
        Ok(())
    };
    measure_query(LIST, &|| list(&snapshot, EntityType::BoundedContexts, contexts))?;
    measure_query(RELATIONSHIPS, &|| list(&snapshot, EntityType::Relationships, contexts))?;
    measure_query(GET, &|| {
        let answer = queries::get(&snapshot, Some(&fqn))?;
        ensure!(answer["found"] == true && !answer.to_string().is_empty(), "not found");
        Ok(())
    })?;
    measure_query(SUMMARY, &|| {
        let answer = queries::get(&snapshot, None)?;
        ensure!(answer["summary"]["boundedContextCount"] == contexts, "another model");
        Ok(())
    })?;
    measure_query(EXPLAIN, &|| {
        let answer = snapshot.query(|db| dlang_ide::explain(db, &fqn))?;
        ensure!(answer["explanation"].as_str().is_some_and(|text| text.contains(name)), "not explained");
        Ok(())
    })?;
    Ok(rows)
}

/// Counts the diagnostics of all files.
fn problems(workspace: &Workspace) -> Result<usize> {
    Ok(queries::validate(&workspace.snapshot(), None)?.problems.len())
}

/// Lists elements and serializes the answer, as a tool does.
fn list(snapshot: &WorkspaceSnapshot, entity: EntityType, minimum: usize) -> Result<()> {
    let answer = queries::list(snapshot, &ListInput::new(entity))?;
    let text = answer.to_string();
    let count = answer["count"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    ensure!(count >= minimum && text.len() > count, "{count} elements instead of {minimum}");
    Ok(())
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
