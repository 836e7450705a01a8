//! `cargo xtask setup`: installs the real programs that tests, demo and benchmark use.
//!
//! Everything from pip, npm and cargo goes below `target/tools`. Only apt packages change the machine, and only if this
//! runs as root. A second run reads stamps and takes less than two seconds. The tests read
//! `target/tools/manifest.json`, so that they see exactly these programs and never the user's own PATH.

pub(crate) mod components;
mod install;
mod manifest;

use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use camino::Utf8PathBuf;

use crate::paths;
use components::{Component, Source};

/// Installs the named components, or all except those on demand.
pub(crate) fn run(only: &[String]) -> Result<()> {
    install_selected(select(only)?)
}

/// Installs all components except those on demand, and then those that only the tests of a full run use.
pub(crate) fn run_full() -> Result<()> {
    let mut selected = select(&[])?;
    selected.extend(components::for_full_tests());
    install_selected(selected)
}

/// Returns the named components, or all except those on demand.
fn select(only: &[String]) -> Result<Vec<&'static Component>> {
    for name in only {
        if components::all().all(|component| component.name != name) {
            let names: Vec<_> = components::all().map(|component| component.name).collect();
            bail!("there is no component `{name}`; there are {}", names.join(", "));
        }
    }
    let is_selected = |component: &&Component| {
        if only.is_empty() { !component.on_demand } else { only.iter().any(|name| name == component.name) }
    };
    Ok(components::all().filter(is_selected).collect())
}

fn install_selected(selected: Vec<&Component>) -> Result<()> {
    std::fs::create_dir_all(paths::tools()).context("cannot create target/tools")?;
    // Compiling uses processors, downloading the network: concurrently they take as long as the longer one.
    let (compiled, fetched): (Vec<&Component>, Vec<&Component>) =
        selected.into_iter().partition(|component| matches!(component.source, Source::Cargo { .. }));
    let problems = std::thread::scope(|scope| {
        let compiling = scope.spawn(|| install_all(&compiled));
        let mut problems = install_all(&fetched);
        problems.extend(compiling.join().unwrap_or_else(|_| vec!["the installing thread panicked".to_owned()]));
        problems
    });
    manifest::write()?;
    if problems.is_empty() { Ok(()) } else { bail!("{}", problems.join("\n")) }
}

/// The program of an installed component.
pub(crate) fn program(component: &str, program: &str) -> Utf8PathBuf {
    paths::tools().join("bin").join(component).join(program)
}

fn install_all(components: &[&Component]) -> Vec<String> {
    let mut problems = Vec::new();
    for component in components {
        let start = Instant::now();
        match ensure(component) {
            Ok((version, installed)) => {
                let outcome = if installed {
                    format!("installed in {:.1} s", start.elapsed().as_secs_f64())
                } else {
                    "present".to_owned()
                };
                println!("   {:<27} {version:<46} {outcome}", component.name);
            }
            Err(error) => {
                println!("   {:<27} FAILED", component.name);
                problems.push(format!("cannot install `{}` ({}): {error:#}", component.name, component.why));
            }
        }
    }
    problems
}

/// The version of the components' layout. A new number reinstalls everything.
const LAYOUT: u32 = 1;

/// Installs a component unless it is present. Returns its version, and whether it was installed now.
fn ensure(component: &Component) -> Result<(String, bool)> {
    let stamp = paths::tools().join("stamps").join(component.name);
    let expected_fingerprint = format!("{LAYOUT} {component:?}{}", install::lock_of(component)?);
    if let Ok(text) = std::fs::read_to_string(&stamp)
        && let Some((version, fingerprint)) = text.split_once('\n')
        && fingerprint == expected_fingerprint
        && install::is_there(component)
    {
        return Ok((version.to_owned(), false));
    }
    install::install(component)?;
    install::link(component)?;
    let version = install::check(component)?;
    std::fs::create_dir_all(paths::tools().join("stamps"))?;
    std::fs::write(&stamp, format!("{version}\n{expected_fingerprint}"))
        .with_context(|| format!("cannot write {stamp}"))?;
    Ok((version, true))
}
