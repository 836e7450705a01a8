//! `cargo xtask fuzz`: runs every fuzz target for a while.

use anyhow::{Result, bail};
use camino::Utf8Path;

use crate::run::Parts;
use crate::{paths, run, setup};

/// A file system in memory, on Linux.
const SHARED_MEMORY: &str = "/dev/shm";

/// Runs each target for `seconds`, one after the other, and lists those that found a defect.
pub(crate) fn run(seconds: u32) -> Result<()> {
    setup::run(&["cargo-fuzz".to_owned()])?;
    let fuzz = setup::program("cargo-fuzz", "cargo-fuzz");
    // Coverage instrumentation is an unstable option; this variable makes the pinned stable compiler accept it.
    let cargo_fuzz = || {
        let mut command = run::command(fuzz.as_str());
        command.env("RUSTC_BOOTSTRAP", "1").current_dir(paths::ROOT.as_path());
        command
    };
    let targets = run::quiet(cargo_fuzz().args(["fuzz", "list"]))?;
    let mut parts = Parts::default();
    for target in targets.split_whitespace() {
        parts.part(target, || {
            let mut command = cargo_fuzz();
            command.args(["fuzz", "run", target, "--", &format!("-max_total_time={seconds}"), "-print_final_stats=1"]);
            // Targets create files and sync them, which is cheap in memory.
            if Utf8Path::new(SHARED_MEMORY).is_dir() {
                command.env("TMPDIR", SHARED_MEMORY);
            }
            run::loud(&mut command).map(|()| String::new())
        });
    }
    if targets.trim().is_empty() {
        bail!("there are no fuzz targets")
    }
    parts.finish()
}
