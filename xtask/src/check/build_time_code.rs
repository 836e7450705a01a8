//! Compares the table of code that runs while zubi is built with the dependencies.
//!
//! A build script or a procedural macro has all rights of the person who builds. So the page [`PAGE`] lists each one, with
//! the version that someone has read, and a version that is not in its row fails the check.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::{paths, run};

const PAGE: &str = "docs/src/reference/build-time-code.md";
const BEGIN: &str = "<!-- build-time code: begin -->";
const END: &str = "<!-- build-time code: end -->";

/// The tested platform, as in `deny.toml`.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// A version of a crate that runs code during a build.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct BuildTimeCode {
    name: String,
    version: String,
    /// `build script`, `macro`, or both.
    kind: String,
}

impl fmt::Display for BuildTimeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {} ({})", self.name, self.version, self.kind)
    }
}

pub(crate) fn check() -> Result<String> {
    let file = paths::ROOT.join(PAGE);
    let page = std::fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    let mut metadata = run::cargo();
    metadata.args(["metadata", "--format-version", "1", "--all-features", "--locked", "--filter-platform", PLATFORM]);
    let metadata = serde_json::from_str(&run::quiet(&mut metadata)?)?;
    let (listed, found) = (table(&page)?, dependencies(&metadata)?);
    let problems = compare(&listed, &found);
    if problems.is_empty() {
        Ok(format!("{} build scripts and macros", found.len()))
    } else {
        bail!("{}", problems.join("\n"))
    }
}

/// The rows of the page: crate, versions, kind, what it does, publisher.
fn table(page: &str) -> Result<BTreeSet<BuildTimeCode>> {
    let body = page.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END)).map(|(body, _)| body);
    let body = body.with_context(|| format!("{PAGE} has no table between `{BEGIN}` and `{END}`"))?;
    let mut listed = BTreeSet::new();
    for row in body.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, versions, kind, action, publisher] = cells.as_slice() else {
            bail!("{PAGE}: `{row}` needs five cells")
        };
        if action.is_empty() || publisher.is_empty() {
            bail!("{PAGE}: the row of {name} does not say what the code does, or who publishes it");
        }
        listed.extend(versions.split(", ").map(|version| BuildTimeCode {
            name: name.trim_matches('`').to_owned(),
            version: version.to_owned(),
            kind: (*kind).to_owned(),
        }));
    }
    Ok(listed)
}

/// The crates outside the workspace that run code during a build.
fn dependencies(metadata: &Value) -> Result<BTreeSet<BuildTimeCode>> {
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found = BTreeSet::new();
    for package in packages.iter().filter(|package| package["source"].is_string()) {
        let targets = package["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
        let has = |kind: &str| {
            targets
                .iter()
                .any(|target| target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|own| own == kind)))
        };
        let kinds: Vec<_> = [("custom-build", "build script"), ("proc-macro", "macro")]
            .iter()
            .filter(|(kind, _)| has(kind))
            .map(|(_, word)| *word)
            .collect();
        if !kinds.is_empty() {
            found.insert(BuildTimeCode {
                name: text(&package["name"]),
                version: text(&package["version"]),
                kind: kinds.join(" and "),
            });
        }
    }
    Ok(found)
}

fn compare(listed: &BTreeSet<BuildTimeCode>, found: &BTreeSet<BuildTimeCode>) -> Vec<String> {
    let new = found.difference(listed).map(|code| {
        let known = listed.difference(found).find(|row| row.name == code.name);
        match known {
            Some(row) => format!(
                "{code} runs code during a build, and {PAGE} has {row}: read what changed in its build script or macro, then write the new version"
            ),
            None => format!(
                "{code} runs code during a build, and {PAGE} does not list it: read that code (`cargo vendor` writes it to a folder), then add a row, or do without this crate"
            ),
        }
    });
    let found_names: BTreeSet<_> = found.iter().map(|code| &code.name).collect();
    let gone = listed.difference(found).filter(|row| {
        !found_names.contains(&row.name) || !found.iter().any(|code| !listed.contains(code) && code.name == row.name)
    });
    let gone = gone.map(|row| format!("{PAGE} lists {row}, which zubi does not use: delete it from the table"));
    new.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use serde_json::json;

    use super::{BEGIN, END, compare, dependencies, table};

    fn package(name: &str, version: &str, kinds: &[&str]) -> serde_json::Value {
        let targets: Vec<_> = kinds.iter().map(|kind| json!({ "kind": [kind] })).collect();
        json!({ "name": name, "version": version, "source": "registry", "targets": targets })
    }

    fn problems(packages: &serde_json::Value) -> String {
        let rows = "| `a` | 1.0.0, 2.0.0 | build script | writes a file | a person |\n| `b` | 1.0.0 | build script and macro | x | y |";
        let listed = table(&format!("intro\n{BEGIN}\n| crate |\n|--|\n{rows}\n{END}\n")).unwrap();
        compare(&listed, &dependencies(&json!({ "packages": packages })).unwrap()).join("\n")
    }

    #[test]
    fn code_that_no_one_has_read_is_reported() {
        let b = package("b", "1.0.0", &["proc-macro", "custom-build"]);
        let own =
            json!({ "name": "own", "version": "1.0.0", "source": null, "targets": [{ "kind": ["custom-build"] }] });
        let both = [package("a", "1.0.0", &["lib", "custom-build"]), package("a", "2.0.0", &["custom-build"])];
        assert_snapshot!(problems(&json!([both[0], both[1], b, package("plain", "1.0.0", &["lib"]), own])), @"");
        assert_snapshot!(problems(&json!([both[0], package("a", "2.0.1", &["custom-build"]), package("c", "1.0.0", &["proc-macro"])])), @"
        `a` 2.0.1 (build script) runs code during a build, and docs/src/reference/build-time-code.md has `a` 2.0.0 (build script): read what changed in its build script or macro, then write the new version
        `c` 1.0.0 (macro) runs code during a build, and docs/src/reference/build-time-code.md does not list it: read that code (`cargo vendor` writes it to a folder), then add a row, or do without this crate
        docs/src/reference/build-time-code.md lists `b` 1.0.0 (build script and macro), which zubi does not use: delete it from the table
        ");
        assert_snapshot!(problems(&json!([both[0], both[1], package("b", "1.0.0", &["custom-build"])])), @"`b` 1.0.0 (build script) runs code during a build, and docs/src/reference/build-time-code.md has `b` 1.0.0 (build script and macro): read what changed in its build script or macro, then write the new version");
        assert_snapshot!(problems(&json!([both[0], b])), @"docs/src/reference/build-time-code.md lists `a` 2.0.0 (build script), which zubi does not use: delete it from the table");
    }

    #[test]
    fn a_row_must_say_what_the_code_does() {
        let row = |row: &str| table(&format!("{BEGIN}\n{row}\n{END}")).unwrap_err().to_string();
        assert_snapshot!(row("| `a` | 1.0.0 | macro | | x |"), @"docs/src/reference/build-time-code.md: the row of `a` does not say what the code does, or who publishes it");
        assert_snapshot!(row("| `a` | 1.0.0 | macro |"), @"docs/src/reference/build-time-code.md: `| `a` | 1.0.0 | macro |` needs five cells");
        assert_snapshot!(table("none").unwrap_err(), @"docs/src/reference/build-time-code.md has no table between `<!-- build-time code: begin -->` and `<!-- build-time code: end -->`");
    }
}
