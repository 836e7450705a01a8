//! `target/tools/manifest.json`: the programs that the tests may use. `setup` writes it, and the test harness reads it.

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use super::components;
use super::install;
use crate::{paths, run};

/// Writes the manifest from the current state: for each component its directory and the directory to put on PATH, and
/// the directories that every test has on PATH (this toolchain's programs, then Debian's).
pub(crate) fn write() -> Result<()> {
    let tools = paths::tools();
    let mut components = Map::new();
    for component in components::all().filter(|component| install::is_there(component)) {
        let Ok(stamp) = std::fs::read_to_string(tools.join("stamps").join(component.name)) else { continue };
        let version = stamp.lines().next().unwrap_or_default();
        components.insert(
            component.name.to_owned(),
            json!({
                "version": component.version,
                "says": version,
                "directory": install::directory(component),
                "path": (!component.programs.is_empty()).then(|| tools.join("bin").join(component.name)),
            }),
        );
    }
    let sysroot = run::quiet(run::command("rustc").args(["--print", "sysroot"]))?;
    let python =
        run::quiet(run::command("python3").args(["-c", "import sys; print(sys.executable)"])).unwrap_or_default();
    let manifest = json!({
        "base_path": [format!("{}/bin", sysroot.trim()), "/usr/bin", "/bin"],
        "python": python.trim(),
        "rust_sources": install::rust_sources(),
        "components": Value::Object(components),
    });
    let file = tools.join("manifest.json");
    let text = serde_json::to_string_pretty(&manifest)?;
    if std::fs::read_to_string(&file).is_ok_and(|present| present == text) {
        return Ok(());
    }
    std::fs::write(&file, text).with_context(|| format!("cannot write {file}"))
}
