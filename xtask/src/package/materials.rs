//! The bill of materials of zubi's program (`CycloneDX`, as JSON): every crate in it, with version, licence and checksum.

use anyhow::{Context as _, Result};
use camino::Utf8Path;

use super::{reproducible, verify};
use crate::{paths, run, setup};

/// The component that reads the dependencies.
pub(super) const COMPONENT: &str = "cargo-cyclonedx";

/// The base name of the files that the component writes beside each manifest.
const FILE: &str = "materials";

/// Writes the bill of materials for a system to a directory. Returns its path and the number of crates.
pub(super) fn write(triple: &str, out: &Utf8Path) -> Result<String> {
    // The component writes a file into every crate, so it gets sources of its own.
    let sources = paths::target().join("tmp/materials");
    verify::copy_sources(&sources)?;
    let text = read(triple, &sources)?;
    std::fs::create_dir_all(out)?;
    let file = out.join(format!("zubi-{triple}.cdx.json"));
    std::fs::write(&file, &text).with_context(|| format!("cannot write {file}"))?;
    let bill: serde_json::Value = serde_json::from_str(&text)?;
    let crates = bill["components"].as_array().map_or(0, Vec::len);
    Ok(format!("{file}  {crates} crates"))
}

/// The bill of materials of the sources in a directory, to which the component may write.
pub(super) fn read(triple: &str, sources: &Utf8Path) -> Result<String> {
    let mut command = run::command(setup::program(COMPONENT, COMPONENT).as_str());
    command.args(["cyclonedx", "--format", "json", "--spec-version", "1.5", "--target", triple]);
    command.args(["--override-filename", FILE, "--manifest-path", sources.join("crates/zubi/Cargo.toml").as_str()]);
    reproducible::fix_time(&mut command)?;
    run::quiet(&mut command)?;
    let file = sources.join("crates/zubi").join(format!("{FILE}.json"));
    let text = std::fs::read_to_string(&file).with_context(|| format!("{COMPONENT} has not written {file}"))?;
    // The same in every directory, as in the program.
    Ok(text.replace(sources.as_str(), "/zubi"))
}
