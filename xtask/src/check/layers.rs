//! Compares the layer table of ARCHITECTURE.md with the manifests.
//!
//! The table is between two marker comments. Its first column names a crate, its second the workspace crates that it
//! may use. A crate may use only crates that its row names, and only crates further down; every crate must have a row.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::{paths, run};

const BEGIN: &str = "<!-- layers: begin -->";
const END: &str = "<!-- layers: end -->";

/// A row: a crate and the workspace crates that it may use.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    name: String,
    allowed: BTreeSet<String>,
}

pub(crate) fn check() -> Result<String> {
    let file = paths::ROOT.join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    let metadata =
        run::quiet(run::cargo().args(["metadata", "--no-deps", "--format-version", "1", "--offline", "--locked"]))?;
    let rows = table(&text)?;
    let problems = compare(&rows, &edges(&serde_json::from_str(&metadata)?)?);
    if problems.is_empty() { Ok(format!("{} crates", rows.len())) } else { bail!("{}", problems.join("\n")) }
}

fn table(text: &str) -> Result<Vec<Row>> {
    let body = text
        .split_once(BEGIN)
        .and_then(|(_, rest)| rest.split_once(END))
        .map(|(body, _)| body)
        .with_context(|| format!("ARCHITECTURE.md has no table between `{BEGIN}` and `{END}`"))?;
    let rows: Vec<Row> = body
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let mut cells = line.trim_matches('|').split('|').map(names);
            let name = cells.next().and_then(|cell| cell.into_iter().next()).unwrap_or_default();
            Row { name, allowed: cells.next().unwrap_or_default() }
        })
        .collect();
    if rows.is_empty() {
        bail!("the layer table of ARCHITECTURE.md is empty")
    }
    Ok(rows)
}

/// The words in backticks of one table cell.
fn names(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns for each workspace crate the workspace crates in its manifest, as dependencies of any kind.
fn edges(metadata: &Value) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
            // A dependency inside the workspace has a path.
            let local = dependencies.iter().filter(|dependency| dependency["path"].is_string());
            let name = text(&package["name"]);
            // A crate may depend on itself to enable a feature in its own tests.
            let dependencies = local.map(|dependency| text(&dependency["name"])).filter(|used| *used != name).collect();
            (name, dependencies)
        })
        .collect())
}

fn compare(rows: &[Row], edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut problems = Vec::new();
    for name in edges.keys() {
        if rows.iter().all(|row| row.name != *name) {
            problems.push(format!("crate `{name}` has no row in the layer table of ARCHITECTURE.md"));
        }
    }
    for (index, row) in rows.iter().enumerate() {
        let Some(dependencies) = edges.get(&row.name) else {
            problems.push(format!("the layer table names `{}`, which is not a crate of the workspace", row.name));
            continue;
        };
        let below: BTreeSet<_> = rows.iter().skip(index + 1).map(|row| row.name.as_str()).collect();
        for name in &row.allowed {
            if !below.contains(name.as_str()) {
                problems.push(format!("the layer table lets `{}` use `{name}`, which is not below it", row.name));
            }
        }
        for name in dependencies.difference(&row.allowed) {
            problems.push(format!("`{}` uses `{name}`, which its row in the layer table does not allow", row.name));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, compare, edges, table};
    use serde_json::json;

    fn problems(rows: &str, packages: &serde_json::Value) -> Vec<String> {
        let text = format!("intro\n{BEGIN}\n| crate | may use |\n|---|---|\n{rows}\n{END}\n");
        compare(&table(&text).unwrap(), &edges(&json!({ "packages": packages })).unwrap())
    }

    fn package(name: &str, uses: &[&str]) -> serde_json::Value {
        let mut dependencies = vec![json!({ "name": "serde", "path": null })];
        dependencies.extend(uses.iter().map(|name| json!({ "name": name, "path": "/somewhere" })));
        json!({ "name": name, "dependencies": dependencies })
    }

    #[test]
    fn a_valid_table_has_no_problems() {
        let rows = "| `top` | `base`, `middle` | x |\n| `middle` | `base` | x |\n| `base` | – | x |";
        let packages = json!([package("base", &[]), package("middle", &["base"]), package("top", &["middle"])]);
        assert_eq!(problems(rows, &packages), Vec::<String>::new());
    }

    #[test]
    fn an_edge_that_is_not_in_the_table_is_found() {
        let rows = "| `top` | `base` | x |\n| `middle` | `base` | x |\n| `base` | – | x |";
        let packages = json!([package("base", &[]), package("middle", &["base"]), package("top", &["middle"])]);
        insta::assert_debug_snapshot!(problems(rows, &packages), @r#"
        [
            "`top` uses `middle`, which its row in the layer table does not allow",
        ]
        "#);
    }

    #[test]
    fn an_upward_permission_and_a_missing_row_are_found() {
        let rows = "| `base` | `top` | x |\n| `top` | – | x |\n| `gone` | – | x |\n| `low` | `base` | x |";
        let packages =
            json!([package("base", &["top"]), package("top", &[]), package("new", &[]), package("low", &[])]);
        insta::assert_debug_snapshot!(problems(rows, &packages), @r#"
        [
            "crate `new` has no row in the layer table of ARCHITECTURE.md",
            "the layer table names `gone`, which is not a crate of the workspace",
            "the layer table lets `low` use `base`, which is not below it",
        ]
        "#);
    }
}
